"""Actions of Storisende and the moves a piece has on an open board, computed once a board and rule set."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from engine.bits import neighbour_bits
from engine.board import Board
from engine.errors import NotationError
from engine.game import PASS
from engine.games._lines import Line, lines

_MOVE = re.compile(r"([a-z]\d{1,2})(?::(\d{1,3}))?-([a-z]\d{1,2})")


@dataclass(frozen=True, slots=True)
class Place:
    """Set one man on a cell."""

    cell: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Move:
    """Move the top `part` men of a higher stack (0: the whole piece) from cell to cell."""

    source: int
    target: int
    part: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Choice:
    """The chooser takes the side of the first placement, or leaves it."""

    take: bool

    def __str__(self) -> str:
        return "take" if self.take else "leave"


@dataclass(frozen=True, slots=True)
class Pass:
    """A turn without a move."""

    def __str__(self) -> str:
        return PASS


Action = Place | Move | Choice | Pass
PASSING = Pass()
CHOICES = (Choice(True), Choice(False))


@dataclass(frozen=True, slots=True)
class Reach:
    """Everything a piece may do on a board without walls: the moves, and each with its target and the cells jumped.

    `touched` is the union of all targets and jumped cells: without a wall in it every move is legal.
    """

    moves: tuple[Move, ...]
    tests: tuple[tuple[Move, int, int], ...]
    touched: int


@dataclass(frozen=True)
class Setup:
    """What stays the same through a game: board, rule set and options; and tables made when first needed."""

    board: Board
    rules: str
    men: str
    second: str
    choice: str
    neighbours: tuple[int, ...] = field(init=False, repr=False, compare=False)
    lines: tuple[dict[int, Line], ...] = field(init=False, repr=False, compare=False)
    places: tuple[Place, ...] = field(init=False, repr=False, compare=False)
    _moves: dict[str, Move] = field(init=False, repr=False, compare=False, default_factory=dict)
    _reaches: dict[tuple[int, int, bool], Reach] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "neighbours", neighbour_bits(self.board))
        object.__setattr__(self, "lines", lines(self.board))
        object.__setattr__(self, "places", tuple(Place(i, name) for i, name in enumerate(self.board.names)))

    def move(self, source: int, target: int, part: int = 0) -> Move:
        """The one `Move` object with this notation."""
        names = self.board.names
        text = f"{names[source]}:{part}-{names[target]}" if part else f"{names[source]}-{names[target]}"
        found = self._moves.get(text)
        if found is None:
            found = self._moves[text] = Move(source, target, part, text)
        return found

    def parse_move(self, text: str) -> Move:
        """The move written `a5-c4` or `d3:1-d4`. Raises `NotationError`."""
        found = self._moves.get(text)
        if found is not None:
            return found
        match = _MOVE.fullmatch(text)
        if match is None:
            raise NotationError(f"'{text}' is no move; moves look like a5-c4, d3:1-d4 or pass")
        source, target = self.board.parse(match[1]), self.board.parse(match[3])
        if source == target:
            raise NotationError(f"'{text}' begins and ends on the same cell")
        if match[2] is not None and int(match[2]) == 0:
            raise NotationError(f"'{text}' moves no man at all")
        return self.move(source, target, int(match[2] or 0))

    def reach(self, cell: int, height: int, climbed: bool) -> Reach:
        """What a piece of that height on that cell may do; `climbed`: it stands on the wall."""
        key = (cell, height, climbed)
        found = self._reaches.get(key)
        if found is None:
            found = self._reaches[key] = self._make_reach(cell, height, climbed and self.rules == "ersatz")
        return found

    def _make_reach(self, cell: int, height: int, any_distance: bool) -> Reach:
        tests = []
        touched = 0
        for count in range(1, height + 1):
            for target, (distance, between) in self.lines[cell].items():
                if any_distance or distance == count:
                    tests.append((self.move(cell, target, count if count < height else 0), 1 << target, between))
                    touched |= 1 << target | between
        return Reach(tuple(test[0] for test in tests), tuple(tests), touched)


@lru_cache(maxsize=64)
def make_setup(board: Board, rules: str, men: str, second: str, choice: str) -> Setup:
    """The shared `Setup` of these rules on this board."""
    return Setup(board, rules, men, second, choice)
