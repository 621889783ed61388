"""`storisende show`: a position of a record as a picture."""

from pathlib import Path

import click

from companion.options import FILE, game_option, rules_option, some_board_option
from engine.layout import Layout


@click.command(name="show")
@click.argument("record", type=FILE)
@click.option("--ply", type=int, default=-1, metavar="N", help="After which ply; 0 is the start. Default: the last.")
@click.option("--svg", type=FILE, metavar="OUT", help="Write the picture as SVG; without it the board is printed.")
@some_board_option
@game_option
@rules_option
def command(
    record: Path, ply: int, svg: Path | None, layout: Layout | None, game: str | None, rules: str | None
) -> None:
    """Show a position of RECORD the way the table looks."""
    from companion.record_files import load_record
    from companion.showing import print_step, write_svg
    from engine.record import position_at

    loaded = load_record(record, layout, game, rules)
    step = position_at(loaded, ply)
    if svg is None:
        print_step(loaded, step)
    else:
        write_svg(loaded, step, svg, layout)
        click.echo(f"wrote {svg}")
