"""Actions of Phalanx, their notation, and the lines of a board that phalanxes move on."""

import re
from dataclasses import dataclass
from functools import lru_cache

from engine.board import Board
from engine.errors import NotationError
from engine.game import PASS
from engine.games._moves import LineMove, parse_line_move

RED, YELLOW = 1, 2

_PLACE = re.compile(r"([ry]):([a-z]\d+)")
_CELL = re.compile(r"[a-z]\d+")


@dataclass(frozen=True, slots=True)
class Place:
    """The placer sets a red (1) or yellow (2) man: `r:c4`, `y:d5`."""

    colour: int
    cell: str

    def __str__(self) -> str:
        return f"{'ry'[self.colour - 1]}:{self.cell}"


@dataclass(frozen=True, slots=True)
class Choice:
    """The chooser takes red (1) or yellow (2): `red`, `yellow`."""

    colour: int

    def __str__(self) -> str:
        return "red" if self.colour == RED else "yellow"


@dataclass(frozen=True, slots=True)
class Extra:
    """The owner of red sets the extra red man: `e5`."""

    cell: str

    def __str__(self) -> str:
        return self.cell


@dataclass(frozen=True, slots=True)
class Grow:
    """A man added to a group: `+c4`."""

    cell: str

    def __str__(self) -> str:
        return f"+{self.cell}"


PhalanxAction = Place | Choice | Extra | Grow | LineMove | str
CHOICES = (Choice(RED), Choice(YELLOW))


@lru_cache(maxsize=64)
def open_lines(board: Board) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """`open_lines[i][d]`: the cells straight ahead of cell i in direction d, up to the first gap."""
    return tuple(tuple(ray[: ray.index(-1)] if -1 in ray else ray for ray in rays) for rays in board.rays)


def parse_action(board: Board, text: str) -> PhalanxAction:
    """One action written in the notation; raises `NotationError` for a text that is none."""
    cells: tuple[str, ...]
    action: PhalanxAction
    if text == PASS:
        return PASS
    for choice in CHOICES:
        if text == str(choice):
            return choice
    if move := parse_line_move(text):
        cells, action = (move.tail, move.head, move.goal), move
    elif match := _PLACE.fullmatch(text):
        cells, action = (match[2],), Place(RED if match[1] == "r" else YELLOW, match[2])
    elif text[:1] == "+" and _CELL.fullmatch(text[1:]):
        cells, action = (text[1:],), Grow(text[1:])
    elif _CELL.fullmatch(text):
        cells, action = (text,), Extra(text)
    else:
        raise NotationError(
            f"'{text}' is no action of Phalanx; write +c4, c3..c6-c8, pass, or r:c4, red, e5 before play"
        )
    for cell in cells:
        board.parse(cell)
    return action
