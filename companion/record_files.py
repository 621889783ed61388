"""Record files: which format a file has, reading and writing them."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from companion.errors import InputError
from companion.files import check_writable
from companion.files import read_text as read_file
from engine.board import Board
from engine.game import load_game
from engine.layout import Layout
from engine.records.json_format import read_json, write_json
from engine.records.record import Record
from engine.records.text_format import read_text, write_text

#: File name ending → format; a record is not written under any other.
_FORMATS = {".json": "json", ".txt": "text"}


def load_record(path: Path, layout: Layout | None = None, game: str | None = None, rules: str | None = None) -> Record:
    """The record in a file of either format; board, game and rules override the header.

    Raises `InputError` for a file that cannot be read, `RecordError` for one that holds no record.
    """
    board = None if layout is None else playable(layout)
    if game is not None:
        load_game(game)
    text = read_file(path, "record")
    if text.lstrip().startswith(("{", "[")):
        return read_json(text, str(path), board, game, rules)
    record = read_text(text, str(path))
    if board is not None:
        record = replace(record, board=board)
    if game is not None and game != record.game:
        record = replace(record, game=game, rules="", options=())
    return record if rules is None else replace(record, rules=rules)


def save_record(record: Record, path: Path) -> None:
    """Write the record in the format of the file's name, whole or not at all. Raises `InputError` or `RecordError`."""
    text = write_json(record, now_text()) if _form(path) == "json" else write_text(record)
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise InputError(f"record {path}: cannot be written: {error.strerror}") from None


def save_or_print(record: Record, path: Path) -> None:
    """Write the record of a game that is over; where that cannot be done, print it, so that nothing is lost.

    Raises `InputError` then.
    """
    try:
        save_record(record, path)
    except InputError:
        click.echo(write_text(record), nl=False)
        raise


def check_record(path: Path | None) -> None:
    """Refuse a record file that could not be written at the end, before the work begins. Raises `InputError`."""
    check_writable(path, "record")
    if path is not None:
        _form(path)


def _form(path: Path) -> str:
    """The format that the name of a record file asks for."""
    if path.suffix not in _FORMATS:
        raise InputError(f"record {path}: the name of a record file ends in {' or '.join(_FORMATS)}")
    return _FORMATS[path.suffix]


def now_text() -> str:
    """This moment as RFC 3339 writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def playable(layout: Layout) -> Board:
    """The board of a layout. Raises `InputError` for one whose cells are on no hexagonal lattice."""
    if layout.board is None:
        raise InputError(f"board '{layout.name}' has free cell centres: it can be read, not played")
    return layout.board
