"""Boards of hexagonal cells: axial coordinates, names, neighbours, rays and the usual shapes.

Axial coordinates are those of redblobgames.com/grids/hexagons, pointy-top: +q points right, +r points
down and half a cell to the right. Cells are ordered by name (row by row, left to right); that order is the
index every other part of the program uses (positions, readings, LEDs).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from engine.errors import BoardError, NotationError


class Cell(NamedTuple):
    """Axial coordinates of a cell (or of a gap in the grid)."""

    q: int
    r: int

    def step(self, direction: int, count: int = 1) -> "Cell":
        """The cell `count` steps away in one of the six directions."""
        dq, dr = DIRECTIONS[direction]
        return Cell(self.q + dq * count, self.r + dr * count)


#: The six directions, counter-clockwise from the right: E, NE, NW, W, SW, SE. Opposite = (d + 3) % 6.
DIRECTIONS: tuple[tuple[int, int], ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))

_LARGEST_HEXHEX = 10
_MODULE = (Cell(0, 0), *(Cell(q, r) for q, r in DIRECTIONS))


def half_row_offset(cell: Cell) -> int:
    """Column of a cell in 'odd-r, shoved left' counting: `q + (r + (r & 1)) / 2`."""
    return cell.q + (cell.r + (cell.r & 1)) // 2


@dataclass(frozen=True)
class Board:
    """A contiguous set of cells in the order of their names.

    Build one with `hexhex`, `diamond`, `from_modules` or `from_cells`. Raises `BoardError` for an empty board,
    a cell given twice, a board that is not contiguous, or one with more than 26 rows.
    """

    name: str
    cells: tuple[Cell, ...]
    index: dict[Cell, int] = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.cells:
            raise BoardError(f"board '{self.name}' has no cells")
        seen: set[Cell] = set()
        for cell in self.cells:
            if cell in seen:
                raise BoardError(f"board '{self.name}' names the cell ({cell.q}, {cell.r}) twice")
            seen.add(cell)
        ordered = tuple(sorted(seen, key=lambda c: (c.r, c.q)))
        top, left = ordered[0].r, min(half_row_offset(c) for c in ordered)
        if ordered[-1].r - top > 25:
            raise BoardError(f"board '{self.name}' has more than 26 rows; cell names go from a to z")
        object.__setattr__(self, "cells", ordered)
        object.__setattr__(self, "index", {c: i for i, c in enumerate(ordered)})
        object.__setattr__(
            self, "names", tuple(f"{chr(97 + c.r - top)}{half_row_offset(c) - left + 1}" for c in ordered)
        )
        self._check_contiguous()

    def _check_contiguous(self) -> None:
        reached, todo = {0}, [0]
        while todo:
            for n in self.neighbours[todo.pop()]:
                if n not in reached:
                    reached.add(n)
                    todo.append(n)
        if len(reached) != len(self.cells):
            apart = next(self.names[i] for i in range(len(self.cells)) if i not in reached)
            raise BoardError(f"board '{self.name}' is not contiguous: {apart} cannot be reached from {self.names[0]}")

    def __hash__(self) -> int:
        return hash(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def by_name(self) -> dict[str, int]:
        """Cell name → index."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each cell index the indices of the neighbouring cells, in the order of `DIRECTIONS`."""
        return tuple(tuple(self.index[n] for n in (c.step(d) for d in range(6)) if n in self.index) for c in self.cells)

    @cached_property
    def span(self) -> int:
        """The longest straight distance between two cells of the board."""
        qs, rs = [c.q for c in self.cells], [c.r for c in self.cells]
        ss = [c.q + c.r for c in self.cells]
        return max(max(v) - min(v) for v in (qs, rs, ss))

    @cached_property
    def rays(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """`rays[i][d][k]`: index of the cell k + 1 steps from cell i in direction d, −1 for a gap, to the last cell."""
        out = []
        for c in self.cells:
            rays = []
            for d in range(6):
                ray = [self.index.get(c.step(d, k), -1) for k in range(1, self.span + 1)]
                while ray and ray[-1] < 0:
                    ray.pop()
                rays.append(tuple(ray))
            out.append(tuple(rays))
        return tuple(out)

    def parse(self, name: str) -> int:
        """Index of the cell called `name`. Raises `NotationError` for a name that is not on the board."""
        try:
            return self.by_name[name]
        except KeyError:
            raise NotationError(f"'{name}' is no cell of {self.name} ({self.names[0]} … {self.names[-1]})") from None


@lru_cache(maxsize=32)
def hexhex(base: int) -> Board:
    """The regular hexagon with `base` cells a side (3 to 10)."""
    if not 3 <= base <= _LARGEST_HEXHEX:
        raise BoardError(f"hexhex-{base}: the side of a hexhex board is 3 to {_LARGEST_HEXHEX} cells")
    n = base - 1
    cells = (Cell(q, r) for q in range(-n, n + 1) for r in range(-n, n + 1) if abs(q + r) <= n)
    return Board(f"hexhex-{base}", tuple(cells))


def diamond(side: int) -> Board:
    """The rhombus of `side` × `side` cells."""
    if not 2 <= side <= 20:
        raise BoardError(f"diamond-{side}: the side of a diamond is 2 to 20 cells")
    return Board(f"diamond-{side}", tuple(Cell(q, r) for q in range(side) for r in range(side)))


def from_modules(centres: Iterable[tuple[int, int]], name: str = "modules") -> Board:
    """A board of seven-cell modules about the given centres.

    Raises `BoardError` where two modules overlap, or where a module, in whatever order they are laid, touches
    the rest of the board with fewer than two of its cells (rule text: "should connect with at least two cells").
    """
    modules = [tuple(Cell(q + m.q, r + m.r) for m in _MODULE) for q, r in centres]
    if not modules:
        raise BoardError(f"board '{name}' has no modules")
    laid = set(modules[0])
    if sum(map(len, modules)) != len({c for m in modules for c in m}):
        board_cells = [c for m in modules for c in m]
        twice = next(c for c in board_cells if board_cells.count(c) > 1)
        raise BoardError(f"board '{name}': two modules share the cell ({twice.q}, {twice.r})")
    waiting = modules[1:]
    while waiting:
        ready = [m for m in waiting if sum(any(c.step(d) in laid for d in range(6)) for c in m) >= 2]
        if not ready:
            q, r = waiting[0][0]
            raise BoardError(f"board '{name}': the module at ({q}, {r}) touches the others with fewer than two cells")
        for m in ready:
            laid.update(m)
            waiting.remove(m)
    return Board(name, tuple(laid))


def from_cells(cells: Iterable[tuple[int, int]], name: str = "cells") -> Board:
    """A board of the given axial coordinates; lakes and inlets are the cells left out."""
    return Board(name, tuple(Cell(q, r) for q, r in cells))


def from_picture(lines: str, name: str = "picture") -> Board:
    """A board drawn with characters: one line a row, every mark a cell, dots and spaces are gaps.

    Cells of a row are two columns apart and rows are shifted by one against each other, as hexagons lie:

         o o o
        o o . o
         o o o

    Raises `BoardError` for a mark that is not on that raster.
    """
    cells = []
    for r, line in enumerate(lines.splitlines()):
        for column, mark in enumerate(line.expandtabs()):
            if mark not in " .":
                cells.append((column, r))
    if not cells:
        raise BoardError(f"board '{name}' has no cells")
    odd = (cells[0][0] + cells[0][1]) % 2
    for column, r in cells:
        if (column + r) % 2 != odd:
            raise BoardError(
                f"board '{name}', line {r + 1}, column {column + 1}: off the raster; "
                "the cells of a row are two columns apart, and rows are shifted by one"
            )
    return from_cells([((column - r - odd) // 2, r) for column, r in cells], name)


def _flower(steps: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Module centres at steps of the lattice that modules fill without gaps, east (3, −1) and south-east (1, 2)."""
    return tuple((3 * a + b, 2 * b - a) for a, b in steps)


_RING_1 = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
_POINTS = ((1, 1), (-1, 2), (-2, 1), (-1, -1), (1, -2), (2, -1))
_CORNERS = tuple((2 * a, 2 * b) for a, b in _RING_1)

#: Module layouts that look good on a table, name → centres: a triangle, a bow, the flower, a six-pointed star, and a
#: hexagon with a lake in the middle.
MODULE_PRESETS: dict[str, tuple[tuple[int, int], ...]] = {
    "modular-3": _flower(((0, 0), (1, 0), (0, 1))),
    "modular-5": _flower(((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))),
    "modular-7": _flower(((0, 0), *_RING_1)),
    "modular-13": _flower(((0, 0), *_RING_1, *_POINTS)),
    "modular-18": _flower((*_RING_1, *_POINTS, *_CORNERS)),
}


def modules_of(board: Board) -> tuple[tuple[int, int], ...] | None:
    """The centres of the seven-cell modules that make up a board, or None where modules do not fill it.

    The first free cell in the order of names can only be the upper left cell of its module: the answer is unique.
    """
    free, centres = set(board.cells), []
    for cell in board.cells:
        if cell in free:
            centre = cell.step(5)
            module = {Cell(centre.q + m.q, centre.r + m.r) for m in _MODULE}
            if not module <= free:
                return None
            free -= module
            centres.append((centre.q, centre.r))
    return tuple(centres)


def named_board(name: str) -> Board:
    """The board of a plain name: `hexhex-3` … `hexhex-10`, `diamond-N`, or a module preset. Raises `BoardError`."""
    if name in MODULE_PRESETS:
        return from_modules(MODULE_PRESETS[name], name)
    if match := re.fullmatch(r"(hexhex|diamond)-(\d{1,2})", name):
        return (hexhex if match[1] == "hexhex" else diamond)(int(match[2]))
    known = ", ".join(["hexhex-3 … hexhex-10", "diamond-2 … diamond-20", *MODULE_PRESETS])
    raise BoardError(f"unknown board '{name}'; known are {known}, or give a board file (.toml)")
