"""Actions of the castle game, their notation, and the ground it is played on: castle, Throne, doors, open lines."""

import re
from dataclasses import dataclass
from functools import cached_property

from engine.board import Board
from engine.errors import NotationError
from engine.game import PASS
from engine.games._moves import LineMove, parse_line_move

_MOVE = re.compile(r"([a-z]\d+)-([a-z]\d+)")
_CELL = re.compile(r"[a-z]\d+")


@dataclass(frozen=True, slots=True)
class Place:
    """A man set on an empty cell: `c4`."""

    cell: str

    def __str__(self) -> str:
        return self.cell


@dataclass(frozen=True, slots=True)
class ManMove:
    """A man moves along a line and halts on the goal, switching an adverse man that stands there: `c4-c8`."""

    start: str
    goal: str

    def __str__(self) -> str:
        return f"{self.start}-{self.goal}"


CastleAction = Place | ManMove | LineMove | str


@dataclass(frozen=True)
class Ground:
    """The board of a castle game: which cells are the castle (the Throne first) and where its doors are."""

    board: Board
    castle: tuple[int, ...]
    doors: str

    @property
    def throne(self) -> int:
        """The cell in the middle of the castle."""
        return self.castle[0]

    @cached_property
    def inside(self) -> tuple[bool, ...]:
        """For each cell whether it belongs to the castle."""
        return tuple(i in self.castle for i in range(len(self.board)))

    @cached_property
    def outside(self) -> tuple[int, ...]:
        """The cells that men may be placed on."""
        return tuple(i for i in range(len(self.board)) if not self.inside[i])

    @cached_property
    def lines(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """`lines[i][d]`: the open line from cell i in direction d, up to the first gap or shut wall of the castle."""
        out = []
        for i, rays in enumerate(self.board.rays):
            lines = []
            for ray in rays:
                line: list[int] = []
                for cell in ray:
                    if cell < 0 or self._shut(line[-1] if line else i, cell):
                        break
                    line.append(cell)
                lines.append(tuple(line))
            out.append(tuple(lines))
        return tuple(out)

    def _shut(self, one: int, other: int) -> bool:
        """Whether a wall of the castle without a door stands between two neighbouring cells."""
        if self.doors == "open" or self.inside[one] == self.inside[other]:
            return False
        return (one if self.inside[one] else other) in self.board.neighbours[self.throne]

    def toward(self, start: int, goal: int) -> int:
        """The direction in which a cell lies straight ahead of another, −1 where it is on none of the six lines."""
        return next((d for d in range(6) if goal in self.board.rays[start][d]), -1)


def parse_action(board: Board, text: str) -> CastleAction:
    """One action written in the notation; raises `NotationError` for a text that is none."""
    if text == PASS:
        return PASS
    if move := parse_line_move(text):
        cells: tuple[str, ...] = (move.tail, move.head, move.goal)
        action: CastleAction = move
    elif match := _MOVE.fullmatch(text):
        cells, action = match.groups(), ManMove(*match.groups())
    elif _CELL.fullmatch(text):
        cells, action = (text,), Place(text)
    else:
        raise NotationError(f"'{text}' is no move of the castle game; write c4, c4-c8, c3..c6-c8 or pass")
    for cell in cells:
        board.parse(cell)
    return action
