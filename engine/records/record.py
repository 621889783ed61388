"""Game records: one immutable form for every game and file format, and its replay, ply by ply.

Reading and writing files: `json_format` (the public play server's schema) and `text_format` (our own text that a person
can edit). This module knows no files and no clock; dates are RFC 3339 texts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from engine.board import Board
from engine.errors import EngineError, RecordError
from engine.game import Game, Outcome, PlaysOn, Position, Resumable, load_game, play_turn
from engine.records.words import Tile, parse_ruling

#: Ends that people declare and the rules do not know: they stand in the record, not in the position.
DECLARED_ENDS = ("resignation", "agreement", "time")
_CLOCK = re.compile(r"\d+(\.\d+)?\+\d+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Player:
    """One side of a record: a name, the colour word of the men, and where it is known the person's id on a server."""

    name: str
    colour: str = ""
    userid: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn in the game's notation, with what is known of it besides.

    `time_s`: seconds from the start of the game. `note`: one of the program's own remarks, such as `inferred pass`
    or `irregular`. `comment`: anything a person wrote. A text that begins with `!` is a referee's ruling
    (`engine.records.words.parse_ruling`).
    """

    text: str
    comment: str = ""
    time_s: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not self.text or any(c.isspace() for c in self.text):
            raise RecordError(f"a turn is one word without spaces, not {self.text!r}")
        if set(self.note) & set("()\n"):
            raise RecordError(f"a note is one line without parentheses, not {self.note!r}")


@dataclass(frozen=True, slots=True)
class Start:
    """A game taken up in the middle: the tiles on the table and who moves."""

    tiles: tuple[Tile, ...]
    player: int


@dataclass(frozen=True, slots=True)
class Record:
    """A game as it was played, not necessarily legal: `replay` finds out.

    `rules` empty means the game's default; `options` holds only those that were chosen. `outcome` and `score` are
    what was recorded. `neutral`: the colour of men who belong to nobody. `clock`: seconds that a player had for the
    game and more for a turn, such as `300+5`. Dates are RFC 3339 texts, empty when unknown.
    """

    board: Board
    game: str = "storisende"
    rules: str = ""
    options: tuple[tuple[str, str], ...] = ()
    players: tuple[Player, Player] = (Player("Player 1"), Player("Player 2"))
    disks: tuple[str, str] | None = None
    neutral: str = ""
    clock: str = ""
    site: str = ""
    started: str = ""
    ended: str = ""
    start: Start | None = None
    comment: str = ""
    turns: tuple[Turn, ...] = ()
    outcome: Outcome | None = None
    score: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        for date in (self.started, self.ended):
            if date:
                check_date(date)
        if self.clock and not _CLOCK.fullmatch(self.clock):
            raise RecordError(f"'{self.clock}' is no clock, such as 300+5: seconds for the game and for a turn")

    def with_turn(self, turn: Turn) -> "Record":
        """The record with one more turn."""
        return replace(self, turns=(*self.turns, turn))


@dataclass(frozen=True, slots=True)
class Step:
    """The game after a ply: the turn that led here (empty for the start), its player (0), and the position.

    `outcome` is the end by the rules if it has come; where the record goes on nevertheless, `position` is the one
    that is played on from.
    """

    ply: int
    text: str
    mover: int
    position: Position
    outcome: Outcome | None


def check_date(text: str) -> str:
    """The text, if it is a date and time as RFC 3339 writes them. Raises `RecordError`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RecordError(f"'{text}' is no date and time such as 2026-05-01T19:30:00Z") from None
    if moment.tzinfo is None or len(text) < 20:
        raise RecordError(f"'{text}' lacks a time of day or a time zone; write it as 2026-05-01T19:30:00Z")
    return text


def start_position(record: Record) -> Position:
    """The position before the first turn. Raises `EngineError`."""
    game = load_game(record.game)
    if record.start is None:
        return game.start(record.board, record.rules, dict(record.options))
    return _taken_up(game, record, record.start.tiles, record.start.player)


def replay(record: Record) -> Iterator[Step]:
    """The start and every ply. Raises `RecordError` that says at which ply and why, after the plies before it."""
    position = start_position(record)
    outcome = position.outcome
    last = len(record.turns)
    yield Step(0, "", 0, position, outcome)
    for ply, turn in enumerate(record.turns, start=1):
        mover = position.player
        try:
            position = _after(record, position, turn.text)
        except EngineError as error:
            raise RecordError(f"ply {ply} ({turn.text}, player {mover}): {error}") from None
        outcome = outcome or position.outcome
        if position.outcome is not None and ply < last and isinstance(position, PlaysOn):
            position = position.played_on()
        yield Step(ply, turn.text, mover, position, outcome)


def position_at(record: Record, ply: int) -> Step:
    """The step of one ply, 0 being the start and −1 the last. Raises `RecordError`."""
    last = len(record.turns)
    wanted = last if ply == -1 else ply
    if not 0 <= wanted <= last:
        raise RecordError(f"the record has plies 0 to {last}, not {ply}")
    return next(step for step in replay(record) if step.ply == wanted)


def final_outcome(record: Record, last: Step) -> Outcome | None:
    """How the game ended: by the rules, or as people declared."""
    declared = record.outcome
    return last.outcome or (declared if declared is not None and declared.end in DECLARED_ENDS else None)


def _after(record: Record, position: Position, text: str) -> Position:
    if not text.startswith("!"):
        return play_turn(position, text)
    changes, player = parse_ruling(text, record.board)
    tiles = list(position.tiles())
    for cell, tile in changes:
        tiles[cell] = tile
    return position.with_tiles(tiles, player)


def _taken_up(game: Game, record: Record, tiles: tuple[Tile, ...], player: int) -> Position:
    if not isinstance(game, Resumable):
        raise RecordError(f"{game.title} cannot be taken up from the table alone")
    return game.from_tiles(record.board, tiles, player, record.rules, dict(record.options))
