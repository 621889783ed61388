"""`storisende convert`: a record from one format to another."""

from pathlib import Path

import click

from companion.options import FILE, game_option, rules_option, some_board_option
from engine.layout import Layout


@click.command(name="convert")
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@some_board_option
@game_option
@rules_option
def command(source: Path, target: Path, layout: Layout | None, game: str | None, rules: str | None) -> None:
    """Write the record SOURCE as TARGET, in the format of TARGET's name.

    `.json` is the public play server's format, `.txt` our own text. SOURCE is known by what is in it.
    """
    from companion.record_files import load_record, save_record

    save_record(load_record(source, layout, game, rules), target)
    click.echo(f"wrote {target}")
