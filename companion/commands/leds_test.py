"""`storisende leds test`: a test pattern on the LEDs, the state of the line, and WLED's self-test."""

import click

from companion.leds.options import LedChoice, led_options
from companion.options import board_option
from engine.layout import Layout


@click.command("test")
@board_option
@led_options
@click.option("--twin", is_flag=True, help="Draw the LEDs in the terminal as well.")
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=12.0, show_default=True)
def command(layout: Layout, twin: bool, seconds: float, **choice: object) -> None:
    """Run a test pattern: every LED in turn, then red, green, blue, white, then the colours of a game."""
    from companion.errors import InputError
    from companion.leds.showing import run_test, self_test

    chosen = LedChoice(**choice)  # type: ignore[arg-type]
    if chosen.leds is None and not twin:
        raise InputError("nothing to test: give --leds PROTOCOL:PORT, --twin, or both")
    self_test(chosen, layout)
    run_test(chosen, layout, seconds, twin)
