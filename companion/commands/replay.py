"""`storisende replay`: every position of a record, for programs (JSON lines) or people (a table)."""

from pathlib import Path

import click

from companion.options import FILE, game_option, rules_option, some_board_option
from engine.layout import Layout


@click.command(name="replay")
@click.argument("record", type=FILE)
@click.option("--jsonl", is_flag=True, help="One JSON object for the start and for each ply.")
@some_board_option
@game_option
@rules_option
def command(record: Path, jsonl: bool, layout: Layout | None, game: str | None, rules: str | None) -> None:
    """Play a record through and print every position.

    RECORD is JSON of the public play server or our own text. A broken one says at which ply and why, after the
    plies before it.
    """
    from companion.record_files import load_record
    from companion.terminal.replaying import json_line, print_table
    from engine.records.record import replay

    loaded = load_record(record, layout, game, rules)
    if jsonl:
        for step in replay(loaded):
            click.echo(json_line(loaded, step))
    else:
        print_table(loaded)
