"""`storisende games`: the games kept in a journal: list, show, export, delete."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from companion.game.journal import Journal


def _open(path: Path) -> "Journal":
    from companion.errors import InputError
    from companion.game.journal import Journal

    if not path.is_file():
        raise InputError(f"journal {path}: no such file")
    return Journal(path)


JOURNAL = click.Path(path_type=Path, dir_okay=False)


@click.group("games")
def command() -> None:
    """Look into a journal: every game that was watched with it, as it is on disk."""


@command.command("list")
@click.argument("journal", type=JOURNAL)
def list_games(journal: Path) -> None:
    """List the games in JOURNAL."""
    from companion.game.setups import parse_setup

    with _open(journal) as opened:
        rows = opened.games()
        for row in rows:
            setup = parse_setup(row.setup)
            players = " – ".join(name or colour for name, colour in zip(setup.names, setup.colours, strict=True))
            state = "finished" if row.ended else "not over"
            if not row.ended and row == rows[-1]:
                state += "; 'watch --resume' goes on with it"
            click.echo(
                f"{row.game:4d}  {row.started}  {setup.game} {setup.board.name}  {players}  {row.moves} plies  {state}"
            )


@command.command("show")
@click.argument("journal", type=JOURNAL)
@click.argument("game", type=int)
@click.option("--events", is_flag=True, help="Print the events, one JSON object a line, instead of the move list.")
def show(journal: Path, game: int, events: bool) -> None:
    """Show a GAME of JOURNAL: its moves with times, or its events."""
    from companion.game.session import Session
    from engine.records.text_format import write_text

    with _open(journal) as opened:
        if events:
            opened.row(game)
            for event in opened.events(game):
                click.echo(event.json())
        else:
            click.echo(write_text(Session.resume(opened, game).record()), nl=False)


@command.command("export")
@click.argument("journal", type=JOURNAL)
@click.argument("game", type=int)
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Record file, .json or .txt.")
@click.option(
    "--pictures", type=click.Path(path_type=Path, file_okay=False), help="Folder for the evidence pictures (JPEG)."
)
def export(journal: Path, game: int, record: Path | None, pictures: Path | None) -> None:
    """Write the record of a GAME of JOURNAL, its evidence pictures, or both to files."""
    from companion.errors import InputError
    from companion.game.session import Session
    from companion.record_files import save_record

    if record is None and pictures is None:
        raise InputError("games export: say what to write: --record FILE, --pictures FOLDER, or both")
    with _open(journal) as opened:
        session = Session.resume(opened, game)
        if record is not None:
            save_record(session.record(), record)
            click.echo(f"wrote {record}")
        if pictures is not None:
            count = _write_pictures(session.evidence, len(session.state.history), pictures)
            click.echo(f"wrote {count} pictures to {pictures}")


def _write_pictures(evidence: Callable[[int, str], bytes | None], plies: int, folder: Path) -> int:
    """The board after every ply (000: the start) as JPEG files; gives how many there were."""
    from companion.errors import InputError

    try:
        folder.mkdir(exist_ok=True)
        kept = [(ply, evidence(ply, "after")) for ply in range(plies + 1)]
        for ply, jpeg in kept:
            if jpeg is not None:
                (folder / f"{ply:03d}.jpg").write_bytes(jpeg)
    except OSError as error:
        raise InputError(f"pictures {folder}: cannot be written: {error.strerror}") from None
    return sum(jpeg is not None for _, jpeg in kept)


@command.command("delete")
@click.argument("journal", type=JOURNAL)
@click.argument("game", type=int)
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(journal: Path, game: int, yes: bool) -> None:
    """Delete a GAME of JOURNAL with all its events and pictures."""
    with _open(journal) as opened:
        row = opened.row(game)
        if not yes:
            click.confirm(f"delete game {game} of {row.started} ({row.moves} plies)?", abort=True)
        opened.delete(game)
        click.echo(f"deleted game {game}")
