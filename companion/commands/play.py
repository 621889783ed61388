"""`storisende play`: a game in the terminal."""

import sys
from pathlib import Path

import click

from companion.options import FILE, rules_option, some_board_option
from engine.layout import Layout


@click.command(name="play")
@click.option("--game", default="storisende", show_default=True, metavar="G", help="Which game.")
@rules_option
@some_board_option
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game; see its page.")
@click.option(
    "--names", default="Player 1,Player 2", show_default=True, metavar="A,B", help="Names, first player first."
)
@click.option("--men", default="red,purple", show_default=True, metavar="A,B", help="Colours, first player first.")
@click.option("--machine", type=click.Choice(["1", "2"]), help="The built-in opponent plays this side.")
@click.option("--seed", type=int, help="Makes the opponent repeatable.")
@click.option("--record", type=FILE, metavar="OUT", help="Write the record at the end (.json or .txt).")
def command(
    game: str,
    rules: str | None,
    layout: Layout | None,
    options: tuple[str, ...],
    names: str,
    men: str,
    machine: str | None,
    seed: int | None,
    record: Path | None,
) -> None:
    """Play one of the games in the terminal: two people, or one against the built-in opponent."""
    from random import Random

    from companion.drawing.showing import style_of
    from companion.record_files import check_record, playable, save_or_print
    from companion.terminal.playing import TerminalGame, new_record
    from engine.board import named_board
    from engine.game import load_game

    check_record(record)
    board = playable(layout) if layout else named_board(load_game(game).default_board)
    fresh = new_record(board, game, rules or "", options, names, men)
    match = TerminalGame(fresh, int(machine or 0), Random(seed), style_of(fresh).men)

    def read_line(prompt: str) -> str | None:
        click.echo(prompt, nl=False)
        line = sys.stdin.readline()
        return line if line else None

    try:
        match.run(read_line)
    finally:
        if record is not None:
            save_or_print(match.record_now(), record)
