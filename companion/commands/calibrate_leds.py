"""`storisende calibrate leds`: finds by camera which LED lies under which cell, and writes the layout."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.files import check_writable
from companion.leds.options import LedChoice, led_options
from companion.options import FILE, board_option, profile_option
from engine.layout import Layout

if TYPE_CHECKING:
    from calibration.profile import Profile


@click.command("leds")
@click.argument("source")
@profile_option
@board_option
@led_options
@click.option("--count", type=click.IntRange(1, 20_000), help="LEDs under the board; one a cell when not given.")
@click.option("--panel", default="", metavar="WxH", help="A score panel whose LEDs follow those of the board.")
@click.option("--unseen-is-unused", is_flag=True, help="LEDs that no cell shows are listed as unused, not refused.")
@click.option("--settle", type=click.FloatRange(0, 10), default=0.25, show_default=True, help="Seconds a picture.")
@click.option("--out", type=FILE, required=True, help="The layout file to write (.toml).")
@click.option("--glow", type=FILE, help="Also measure what the LEDs add to the picture, and write it here (.npz).")
def command(
    source: str,
    profile: "Profile | None",
    layout: Layout,
    count: int | None,
    panel: str,
    unseen_is_unused: bool,
    settle: float,
    out: Path,
    glow: Path | None,
    **choice: object,
) -> None:
    """Light the LEDs of an empty, still board before the camera SOURCE, and write the layout they make.

    The room should be dim and the camera's exposure fixed. Refused, with the reason, when a glow is not seen or seen
    in two cells alike.
    """
    from companion.errors import InputError
    from companion.leds.calibration import Wanted, calibrate_leds

    chosen = LedChoice(**choice)  # type: ignore[arg-type]
    if chosen.leds is None:
        raise InputError("nothing to calibrate: give --leds PROTOCOL:PORT")
    check_writable(out, "layout")
    check_writable(glow, "glow file")
    wanted = Wanted(count or len(layout.names), panel, unseen_is_unused, settle, glow)
    made = calibrate_leds(source, layout, chosen, wanted, profile)
    out.write_text(made.as_toml(), encoding="utf-8")
    click.echo(f"{out}: {made.count} LEDs, {len(made.cells)} cells, {len(made.unused)} unused")
