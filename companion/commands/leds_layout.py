"""`storisende leds layout`: a starting layout file for a board's LEDs, and a wiring picture."""

from pathlib import Path

import click

from companion.files import check_writable
from companion.options import FILE, board_option
from engine.layout import Layout


@click.command("layout")
@board_option
@click.option("--rows", type=click.Choice(["straight", "serpentine"]), default="serpentine", show_default=True)
@click.option("--per-cell", type=click.IntRange(1, 64), default=1, show_default=True, help="LEDs under a cell.")
@click.option("--panel", default="", metavar="WxH", help="A score panel after the cells, such as 32x8.")
@click.option("--out", type=FILE, required=True, help="The layout file to write (.toml).")
@click.option("--svg", type=FILE, help="The wiring picture; OUT with the ending .svg when not given.")
def command(layout: Layout, rows: str, per_cell: int, panel: str, out: Path, svg: Path | None) -> None:
    """Write a layout file to start from, and a picture of the wiring it describes."""
    from hardware.layout import preset_layout
    from hardware.wiring import wiring_svg

    leds = preset_layout(layout.names, rows == "serpentine", per_cell, panel)
    picture = svg or out.with_suffix(".svg")
    check_writable(out, "layout")
    check_writable(picture, "picture")
    out.write_text(leds.as_toml(), encoding="utf-8")
    picture.write_text(wiring_svg(leds, layout.centres_mm, layout.pitch_mm), encoding="utf-8")
    click.echo(f"{leds.count} LEDs for {layout.name}: {out}, wiring picture {picture}")
