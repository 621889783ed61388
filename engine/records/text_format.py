"""Records in our own plain text, made to be read and edited by people.

    Storisende record 1
    game: storisende
    board: hexhex-4
    player 1: Ann
    player 2: Ben

    1. c6,e6,e5,e5,b3   @0.0
    2. d1,d1,f2,g3,a4
    3. c6-d6            @12.5 (inferred) # what a move

The header has one `key: value` a line. After an empty line comes one turn a line: its number (may be left out), the
turn, the time in seconds after `@`, a note in parentheses, a comment after `#`. A line that begins with `#` goes on
with the comment above it.
"""

import re
from dataclasses import replace

from engine.board import Board, named_board
from engine.errors import EngineError, RecordError
from engine.game import Outcome
from engine.records.record import Player, Record, Start, Turn
from engine.records.words import layout_words, parse_layout_words, parse_tile_words, tile_words

TITLE = "Storisende record 1"
_TURN = re.compile(r"(?:(\d+)\.\s+)?(\S+)(?:\s+@(\d+(?:\.\d+)?))?(?:\s+\(([^()]*)\))?(?:\s+#\s?(.*))?")
_SEATED = ("player 1", "player 2", "colour 1", "colour 2", "id 1", "id 2")
_PLAYED = ("site", "started", "ended", "start", "end", "winner", "score")
_KEYS = ("game", "rules", "board", "layout", *_SEATED, "disks", "neutral", "clock", *_PLAYED)


def write_text(record: Record) -> str:
    """The record as text; `read_text` gives the same record back."""
    lines = [TITLE]
    lines += [f"{key}: {value}" for key, value in _header(record) if value]
    lines += [f"option {key}: {value}" for key, value in record.options]
    lines.append("")
    lines += [f"# {line}".rstrip() for line in record.comment.splitlines()]
    width = max((len(turn.text) for turn in record.turns), default=0)
    for number, turn in enumerate(record.turns, start=1):
        lines += _turn_lines(number, turn, min(width, 24))
    return "\n".join(lines) + "\n"


def _header(record: Record) -> list[tuple[str, str]]:
    outcome, score, start = record.outcome, record.score, record.start
    return [
        ("game", record.game),
        ("rules", record.rules),
        ("board", record.board.name),
        ("layout", layout_words(record.board)),
        *((f"player {seat}", player.name) for seat, player in enumerate(record.players, start=1)),
        *((f"colour {seat}", player.colour) for seat, player in enumerate(record.players, start=1)),
        *((f"id {seat}", player.userid) for seat, player in enumerate(record.players, start=1)),
        ("disks", ", ".join(record.disks or ())),
        ("neutral", record.neutral),
        ("clock", record.clock),
        ("site", record.site),
        ("started", record.started),
        ("ended", record.ended),
        ("start", f"{tile_words(record.board, start.tiles)} player {start.player}" if start else ""),
        ("end", outcome.end if outcome else ""),
        ("winner", str(outcome.winner or "drawn") if outcome else ""),
        ("score", f"{score[0]} {score[1]}" if score else ""),
    ]


def _turn_lines(number: int, turn: Turn, width: int) -> list[str]:
    first, *rest = turn.comment.splitlines() or [""]
    line = f"{number}. ".rjust(5) + turn.text.ljust(width)
    if turn.time_s is not None:
        line += f" @{turn.time_s!r}"
    if turn.note:
        line += f" ({turn.note})"
    if turn.comment:
        line += f" # {first}"
    return [line.rstrip(), *(f"# {more}".rstrip() for more in rest)]


def read_text(text: str, source: str) -> Record:
    """The record in a text; `source` names it in errors. Raises `RecordError` with the number of the line."""
    lines = text.splitlines()
    if not lines or lines[0].strip().lower() != TITLE.lower():
        raise RecordError(f"{source}: not a game record; its first line would be '{TITLE}'")
    reader = _Reader()
    for number, line in enumerate(lines[1:], start=2):
        try:
            reader.read(line.strip())
        except EngineError as error:
            raise RecordError(f"{source}, line {number}: {error}") from None
    try:
        return reader.record()
    except EngineError as error:
        raise RecordError(f"{source}: {error}") from None


class _Reader:
    """Collects header and turns line by line."""

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.options: list[tuple[str, str]] = []
        self.comment: list[str] = []
        self.turns: list[Turn] = []
        self.in_header = True

    def read(self, line: str) -> None:
        if not line:
            self.in_header = self.in_header and not self.header
        elif line.startswith("#"):
            self._go_on(line[1:].strip())
        elif self.in_header:
            self._read_header(line)
        else:
            self._read_turn(line)

    def _go_on(self, comment: str) -> None:
        if not self.turns:
            self.comment.append(comment)
            return
        last = self.turns[-1]
        self.turns[-1] = replace(last, comment=f"{last.comment}\n{comment}" if last.comment else comment)

    def _read_header(self, line: str) -> None:
        key, colon, value = line.partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            raise RecordError(f"'{line}' is no header line 'key: value'; turns begin after an empty line")
        if key.startswith("option "):
            self.options.append((key.removeprefix("option ").strip(), value))
        elif key not in _KEYS:
            raise RecordError(f"unknown key '{key}'; known are {', '.join(_KEYS)} and option NAME")
        elif key in self.header:
            raise RecordError(f"'{key}' is given twice")
        else:
            self.header[key] = value

    def _read_turn(self, line: str) -> None:
        match = _TURN.fullmatch(line)
        if match is None:
            raise RecordError(f"'{line}' is no turn, such as: 3. c6-d6 @12.5 (note) # comment")
        number, text, time_s, note, comment = match.groups()
        if number and int(number) != len(self.turns) + 1:
            raise RecordError(f"turn {number} where turn {len(self.turns) + 1} should be")
        self.turns.append(Turn(text, (comment or "").rstrip(), float(time_s) if time_s else None, note or ""))

    def record(self) -> Record:
        """The record from everything read. Raises `EngineError`."""
        if "board" not in self.header:
            raise RecordError("the header has no board")
        name, layout = self.header["board"], self.header.get("layout")
        board = parse_layout_words(layout, name) if layout else named_board(name)
        return Record(
            board,
            game=self.header.get("game", "storisende"),
            rules=self.header.get("rules", ""),
            options=tuple(self.options),
            players=(self._player(1), self._player(2)),
            disks=_two(self.header["disks"].replace(",", " "), "disks") if "disks" in self.header else None,
            neutral=self.header.get("neutral", ""),
            clock=self.header.get("clock", ""),
            site=self.header.get("site", ""),
            started=self.header.get("started", ""),
            ended=self.header.get("ended", ""),
            start=_read_start(self.header["start"], board) if "start" in self.header else None,
            comment="\n".join(self.comment),
            turns=tuple(self.turns),
            outcome=_read_outcome(self.header.get("end", ""), self.header.get("winner", "")),
            score=_read_score(self.header["score"]) if "score" in self.header else None,
        )

    def _player(self, seat: int) -> Player:
        name = self.header.get(f"player {seat}") or f"Player {seat}"
        return Player(name, self.header.get(f"colour {seat}", ""), self.header.get(f"id {seat}", ""))


def _read_start(words: str, board: Board) -> Start:
    tiles, _, player = words.rpartition(" player ")
    placed = dict(parse_tile_words(tiles, board))
    if len(placed) != len(board) or player not in ("1", "2"):
        raise RecordError("start names every cell once and ends in 'player 1' or 'player 2'")
    return Start(tuple(placed[i] for i in range(len(board))), int(player))


def _read_score(words: str) -> tuple[int, int]:
    first, second = _two(words, "score")
    try:
        return int(first), int(second)
    except ValueError:
        raise RecordError(f"score is two whole numbers, not '{words}'") from None


def _two(words: str, key: str) -> tuple[str, str]:
    parts = words.split()
    if len(parts) != 2:
        raise RecordError(f"{key} is two words, not '{words}'")
    return parts[0], parts[1]


def _read_outcome(end: str, winner: str) -> Outcome | None:
    if not end and not winner:
        return None
    if winner not in ("1", "2", "drawn"):
        raise RecordError(f"winner is 1, 2 or drawn, not '{winner}'")
    return Outcome(end or "as recorded", 0 if winner == "drawn" else int(winner))
