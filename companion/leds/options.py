"""The options that commands with lights share, and how they become a `Lighting`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from companion.files import read_text
from companion.options import FILE
from engine.layout import Layout

if TYPE_CHECKING:
    from companion.leds.lighting import Lighting, Sink
    from companion.leds.palette import Palette
    from hardware.layout import LedLayout

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class LedChoice:
    """What the user typed about lights."""

    leds: str | None = None
    led_layout: Path | None = None
    led_baud: int | None = None
    brightness: int = 255
    palette: str = "default"
    led_glow: Path | None = None

    def layout_for(self, board: Layout) -> "LedLayout":
        """The layout of the LEDs under a board. Raises `LedLayoutError` or `InputError`."""
        from dataclasses import replace

        from hardware.layout import parse_led_layout, plain_layout

        if self.led_layout is None:
            layout = plain_layout(board.names)
        else:
            layout = parse_led_layout(read_text(self.led_layout, "LED layout"), str(self.led_layout), board.names)
        return layout if self.led_baud is None else replace(layout, baud=self.led_baud)

    def palette_chosen(self) -> "Palette":
        """The palette by name or from a file. Raises `InputError`."""
        from companion.leds.palette import named_palette, parse_palette

        if not self.palette.endswith(".toml"):
            return named_palette(self.palette)
        return parse_palette(read_text(Path(self.palette), "palette"), self.palette)

    def lighting(self, board: Layout, twin: "Sink | None" = None, patient: bool = False) -> "Lighting":
        """The lighting that was asked for, not yet begun; without `--leds` it shows nothing but the twin.

        `patient` waits for an absent device instead of raising `PortError` at the start. Raises `HardwareError` or
        `InputError` for options that cannot be.
        """
        from calibration.glow import load_glow
        from companion.leds.lighting import Lighting
        from hardware.driver import LedDriver
        from hardware.protocol import parse_leds

        layout, driver = self.layout_for(board), None
        if self.leds is not None:
            protocol, port = parse_leds(self.leds)
            driver = LedDriver(protocol, port, layout, patient=patient)
        glow = None if self.led_glow is None else load_glow(self.led_glow)
        return Lighting(layout, self.palette_chosen(), self.brightness, driver, twin, glow)


_OPTIONS = (
    click.option("--leds", metavar="PROTOCOL:PORT", help="LEDs: adalight:PORT, tpm2:PORT or wled:PORT."),
    click.option("--led-layout", type=FILE, help="Layout file of the LEDs (see 'storisende leds layout')."),
    click.option("--led-baud", type=click.IntRange(300, 4_000_000), help="Baud rate, instead of the layout's."),
    click.option("--brightness", type=click.IntRange(0, 255), default=255, show_default=True, help="0 to 255."),
    click.option(
        "--palette",
        default="default",
        show_default=True,
        metavar="P",
        help="default, high-contrast, colour-blind, or a palette file (.toml).",
    ),
    click.option("--led-glow", type=FILE, help="What the LEDs add to the picture (see 'storisende calibrate leds')."),
)


def led_options(function: F) -> F:
    """Add the options; the command takes them as `leds`, `led_layout`, `led_baud`, `brightness`, `palette`,
    `led_glow`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
