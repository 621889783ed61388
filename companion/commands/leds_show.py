"""`storisende leds show`: a recorded game played on the LEDs."""

from pathlib import Path

import click

from companion.leds.options import LedChoice, led_options
from companion.options import FILE, game_option, rules_option, some_board_option
from engine.layout import Layout


@click.command("show")
@click.argument("record", type=FILE)
@some_board_option
@game_option
@rules_option
@led_options
@click.option("--twin", is_flag=True, help="Draw the LEDs in the terminal as well.")
@click.option("--pace", type=click.FloatRange(0, 60), default=1.5, show_default=True, help="Seconds a turn.")
def command(
    record: Path,
    layout: Layout | None,
    game: str | None,
    rules: str | None,
    twin: bool,
    pace: float,
    **choice: object,
) -> None:
    """Play RECORD on the LEDs, turn by turn, as they would have shown the game."""
    from companion.errors import InputError
    from companion.leds.showing import show_record
    from companion.record_files import load_record

    chosen = LedChoice(**choice)  # type: ignore[arg-type]
    if chosen.leds is None and not twin:
        raise InputError("nothing to show it on: give --leds PROTOCOL:PORT, --twin, or both")
    show_record(load_record(record, layout, game, rules), chosen, pace, twin)
