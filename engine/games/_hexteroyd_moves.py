"""Actions of Hexteroyd and their notation."""

import re
from dataclasses import dataclass

from engine.board import Board
from engine.errors import NotationError
from engine.game import PASS

_CELLS = r"([a-z]\d+(?:,[a-z]\d+)*)"
_PLACING = re.compile(rf"(\d)@([a-z]\d+)\({_CELLS}\)(?:(\*)|\[{_CELLS}\])?")
_TAKING = re.compile(r"-([a-z]\d+)")


@dataclass(frozen=True, slots=True)
class Place:
    """A pawn set on a free cell, and the own disks that turn over for it, in the board's order: `2@d4(c4,d5)`."""

    value: int
    cell: str
    turned: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.value}@{self.cell}({','.join(self.turned)})"


@dataclass(frozen=True, slots=True)
class Fill:
    """Own disks on all free cells next to the pawn just placed: `*`."""

    def __str__(self) -> str:
        return "*"


@dataclass(frozen=True, slots=True)
class Turn:
    """Opposing disks next to the pawn just placed turned over, in the board's order: `[e4,e5]`."""

    cells: tuple[str, ...]

    def __str__(self) -> str:
        return f"[{','.join(self.cells)}]"


@dataclass(frozen=True, slots=True)
class TakeBack:
    """A pawn taken into the hand, an own disk put in its place: `-d4`."""

    cell: str

    def __str__(self) -> str:
        return f"-{self.cell}"


HexteroydAction = Place | Fill | Turn | TakeBack | str
FILL = Fill()


def parse_actions(board: Board, text: str) -> tuple[HexteroydAction, ...]:
    """The actions of a turn written in the notation; raises `NotationError` for a text that is none."""
    if text == PASS:
        return (PASS,)
    if match := _TAKING.fullmatch(text):
        board.parse(match[1])
        return (TakeBack(match[1]),)
    match = _PLACING.fullmatch(text)
    if not match:
        raise NotationError(
            f"'{text}' is no turn of Hexteroyd; write 2@d4(c4,d5), 2@d4(c4,d5)*, 2@d4(c4,d5)[e4], -d4, pass"
        )
    board.parse(match[2])
    place = Place(int(match[1]), match[2], _cells(board, match[3]))
    if match[4]:
        return place, FILL
    return (place, Turn(_cells(board, match[5]))) if match[5] else (place,)


def _cells(board: Board, text: str) -> tuple[str, ...]:
    """A list of cells in the board's order."""
    return tuple(board.names[i] for i in sorted(map(board.parse, text.split(","))))
