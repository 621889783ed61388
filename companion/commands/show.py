"""`storisende show`: a position of a record as a picture."""

from pathlib import Path

import click

from companion.options import FILE, game_option, rules_option, some_board_option
from engine.layout import Layout


@click.command(name="show")
@click.argument("record", type=FILE)
@click.option("--ply", type=int, default=-1, metavar="N", help="After which ply; 0 is the start. Default: the last.")
@click.option("--svg", type=FILE, metavar="OUT", help="Write the picture as SVG; without it the board is printed.")
@click.option("--film", type=FILE, metavar="OUT.mp4", help="Write the game as a film, a second a turn.")
@click.option("--gif", type=FILE, metavar="OUT.gif", help="Write the game as a moving picture.")
@click.option("--sheet", type=FILE, metavar="OUT.png", help="Write all positions on one sheet.")
@click.option("--curve", type=FILE, metavar="OUT.svg", help="Write the score over the game.")
@some_board_option
@game_option
@rules_option
def command(
    record: Path,
    ply: int,
    svg: Path | None,
    film: Path | None,
    gif: Path | None,
    sheet: Path | None,
    curve: Path | None,
    layout: Layout | None,
    game: str | None,
    rules: str | None,
) -> None:
    """Show a position of RECORD the way the table looks, or the whole game as a film, a sheet or a curve."""
    from companion.drawing import game_film
    from companion.drawing.showing import print_step, write_svg
    from companion.record_files import load_record
    from engine.records.record import position_at

    loaded = load_record(record, layout, game, rules)
    step = position_at(loaded, ply)
    if svg is not None:
        write_svg(loaded, step, svg, layout)
    elif not (film or gif or sheet or curve):
        print_step(loaded, step)
    if film is not None:
        game_film.write_film(loaded, film)
    if gif is not None:
        game_film.write_gif(loaded, gif)
    if sheet is not None:
        game_film.write_sheet(loaded, sheet)
    if curve is not None:
        game_film.write_curve(loaded, curve)
    for written in (svg, film, gif, sheet, curve):
        if written is not None:
            click.echo(f"wrote {written}")
