"""The journal: every event of every game in one SQLite file, on disk before anybody hears of it.

Write-ahead log with full synchronisation (https://sqlite.org/pragma.html#pragma_synchronous): a committed event
survives a power cut; a half-written one is rolled back when the file is opened again.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from companion.errors import InputError
from companion.game.events import Event

#: Marks a SQLite file as ours ("stor"), and the version of its tables.
APPLICATION_ID = 0x73746F72
VERSION = 1

#: Evidence pictures of one game may take so much; the oldest give way.
PICTURES_LIMIT_BYTES = 64 * 1024 * 1024

_TABLES = """
CREATE TABLE game (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, setup TEXT NOT NULL, ended INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE event (
    game INTEGER NOT NULL REFERENCES game(id) ON DELETE CASCADE,
    seq INTEGER NOT NULL, kind TEXT NOT NULL, t_s REAL NOT NULL, frame INTEGER NOT NULL, fields TEXT NOT NULL,
    PRIMARY KEY (game, seq)
) WITHOUT ROWID;
CREATE TABLE picture (
    game INTEGER NOT NULL REFERENCES game(id) ON DELETE CASCADE,
    ply INTEGER NOT NULL, jpeg BLOB NOT NULL, PRIMARY KEY (game, ply)
);
"""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A line of the list of games."""

    game: int
    started: str
    setup: str
    events: int
    moves: int
    ended: bool


class Journal:
    """An open journal file. Raises `InputError` with one clear line for a file that is none or cannot be used.

    Use from one thread at a time (a session guards its own); several processes may read while one writes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.parent.is_dir():
            raise InputError(f"journal {path}: no folder {path.parent}")
        try:
            self._db = sqlite3.connect(path, timeout=5.0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise InputError(f"journal {path}: {error}") from None
        try:
            self._prepare()
        except (sqlite3.Error, InputError) as error:
            self._db.close()
            if isinstance(error, InputError):
                raise
            raise InputError(f"journal {path}: not a journal of this program ({error})") from None

    def _prepare(self) -> None:
        """Check whose file it is before anything is written; make the tables in a new one."""
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        (owner,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if tables and owner != APPLICATION_ID:
            raise InputError(f"journal {self.path}: an SQLite file of another program")
        if tables and version != VERSION:
            raise InputError(f"journal {self.path}: written by version {version} of the journal, this is {VERSION}")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("PRAGMA foreign_keys = ON")
        if not tables:
            self._db.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {APPLICATION_ID}; "
                f"PRAGMA user_version = {VERSION}; COMMIT;"
            )

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # -- writing -----------------------------------------------------------------------------------------------

    def new_game(self, setup: str, started: str) -> int:
        """Begin a game; `setup` is its description (JSON). Gives the game's number."""
        self._write("INSERT INTO game (started, setup) VALUES (?, ?)", [(started, setup)])
        return int(self._db.execute("SELECT max(id) FROM game").fetchone()[0])

    def append(self, game: int, events: Sequence[Event]) -> None:
        """Put events on disk, all or none; returns when they are there. Raises `InputError` when they are not.

        A journal counts the events of each game from 1, also where the game was taken up amid another one's events.
        """
        ((last,),) = self._read("SELECT coalesce(max(seq), 0) FROM event WHERE game = ?", (game,))
        rows = [
            (game, seq, e.kind, e.t_s, e.frame, json.dumps(dict(e.fields), ensure_ascii=False))
            for seq, e in enumerate(events, start=last + 1)
        ]
        self._write("INSERT INTO event (game, seq, kind, t_s, frame, fields) VALUES (?, ?, ?, ?, ?, ?)", rows)

    def mark_ended(self, game: int) -> None:
        """Note that a game is over: nobody wants to go on with it."""
        self._write("UPDATE game SET ended = 1 WHERE id = ?", [(game,)])

    def keep_picture(self, game: int, ply: int, jpeg: bytes, limit_bytes: int = PICTURES_LIMIT_BYTES) -> None:
        """Keep the picture of the board after a ply; the oldest of the game go when there are too many bytes."""
        self._write("INSERT OR REPLACE INTO picture (game, ply, jpeg) VALUES (?, ?, ?)", [(game, ply, jpeg)])
        sizes = self._db.execute(
            "SELECT ply, length(jpeg) FROM picture WHERE game = ? ORDER BY ply DESC", (game,)
        ).fetchall()
        kept = 0
        for old, size in sizes:
            kept += size
            if kept > limit_bytes:
                self._write("DELETE FROM picture WHERE game = ? AND ply <= ?", [(game, old)])
                break

    def delete(self, game: int) -> None:
        """Remove a game with everything that belongs to it. Raises `InputError` for an unknown one."""
        self.row(game)
        self._write("DELETE FROM game WHERE id = ?", [(game,)])

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(statement, rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise InputError(f"journal {self.path}: cannot be written: {error}") from None

    # -- reading -----------------------------------------------------------------------------------------------

    def games(self) -> list[GameRow]:
        """All games, the oldest first."""
        rows = self._read(
            "SELECT id, started, setup, (SELECT count(*) FROM event WHERE game = id), "
            "(SELECT count(*) FROM event WHERE game = id AND kind IN ('move', 'pass')), ended FROM game ORDER BY id"
        )
        return [GameRow(row[0], row[1], row[2], row[3], row[4], bool(row[5])) for row in rows]

    def row(self, game: int) -> GameRow:
        """One game. Raises `InputError` that lists the known ones."""
        rows = {row.game: row for row in self.games()}
        if game not in rows:
            known = ", ".join(map(str, rows)) or "none"
            raise InputError(f"journal {self.path}: no game {game}; known are {known}")
        return rows[game]

    def last_game(self) -> GameRow:
        """The game begun last. Raises `InputError` when there is none."""
        rows = self.games()
        if not rows:
            raise InputError(f"journal {self.path}: there is no game in it")
        return rows[-1]

    def events(self, game: int) -> tuple[Event, ...]:
        """The events of a game in their order."""
        rows = self._read("SELECT kind, t_s, frame, fields FROM event WHERE game = ? ORDER BY seq", (game,))
        try:
            return tuple(
                Event(seq, kind, t_s, frame, json.loads(fields))
                for seq, (kind, t_s, frame, fields) in enumerate(rows, start=1)
            )
        except ValueError as error:
            raise InputError(f"journal {self.path}: game {game} is damaged: {error}") from None

    def picture(self, game: int, ply: int) -> bytes | None:
        """The picture kept after a ply (0: the start), if there is one."""
        rows = self._read("SELECT jpeg FROM picture WHERE game = ? AND ply = ?", (game, ply))
        return bytes(rows[0][0]) if rows else None

    def _read(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise InputError(f"journal {self.path}: cannot be read: {error}") from None
