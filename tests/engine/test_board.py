"""Boards: names, neighbours, rays, shapes and their errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import DIRECTIONS, Board, Cell, diamond, from_cells, from_modules, hexhex, named_board
from engine.errors import BoardError, NotationError

BASES = st.integers(3, 8)


def test_names_of_hexhex_4_are_those_of_the_contract() -> None:
    """The contract lists the names of hexhex-4 row by row; c6 is (2, −1)."""
    rows = {"a": (3, 6), "b": (2, 6), "c": (2, 7), "d": (1, 7), "e": (2, 7), "f": (2, 6), "g": (3, 6)}
    expected = [f"{row}{n}" for row, (first, last) in rows.items() for n in range(first, last + 1)]
    board = hexhex(4)
    assert list(board.names) == expected
    assert board.cells[board.parse("c6")] == Cell(2, -1)


@given(BASES)
def test_hexhex_has_the_centred_hexagonal_number_of_cells(base: int) -> None:
    """3n(n − 1) + 1 cells, all names different."""
    board = hexhex(base)
    assert len(board) == 3 * base * (base - 1) + 1 == len(set(board.names))


@given(BASES, st.data())
def test_neighbours_are_mutual_and_one_step_away(base: int, data: st.DataObject) -> None:
    """Being neighbours is symmetric, and a neighbour is the first cell of some ray."""
    board = hexhex(base)
    i = data.draw(st.integers(0, len(board) - 1))
    for n in board.neighbours[i]:
        assert i in board.neighbours[n]
        assert any(ray and ray[0] == n for ray in board.rays[i])


@given(st.data())
def test_rays_count_gaps_as_cells(data: st.DataObject) -> None:
    """On a board with lakes, the k-th entry of a ray is k + 1 steps away, or −1 where no cell is."""
    board = named_board("modular-7")
    lake = from_cells([c for c in board.cells if abs(c.q) + abs(c.r) + abs(c.q + c.r) > 2], "ring")
    i, d = data.draw(st.integers(0, len(lake) - 1)), data.draw(st.integers(0, 5))
    for k, n in enumerate(lake.rays[i][d]):
        assert lake.index.get(lake.cells[i].step(d, k + 1), -1) == n
    assert not lake.rays[i][d] or lake.rays[i][d][-1] >= 0


def test_rays_reach_over_a_lake() -> None:
    """From one side of a lake the ray goes on to the other side."""
    ring = from_cells([c for c in hexhex(4).cells if c not in hexhex(3).cells[9:10]], "one hole")
    hole = hexhex(3).cells[9]
    west, east = ring.index[hole.step(3)], ring.index[hole.step(0)]
    assert ring.rays[west][0][:2] == (-1, east)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: from_cells([(0, 0), (0, 0)], "twin"), r"'twin' names the cell \(0, 0\) twice"),
        (lambda: from_cells([(0, 0), (2, 0)], "split"), "'split' is not contiguous: a3 cannot be reached from a1"),
        (lambda: from_cells([], "none"), "'none' has no cells"),
        (lambda: from_cells([(0, r) for r in range(27)], "tall"), "more than 26 rows"),
        (lambda: from_modules([(0, 0), (2, 0)], "over"), "two modules share the cell"),
        (lambda: from_modules([(0, 0), (9, 0)], "far"), r"module at \(9, 0\) touches the others with fewer than two"),
        (lambda: hexhex(2), "3 to 10"),
        (lambda: diamond(99), "2 to 20"),
        (lambda: named_board("square-8"), "unknown board 'square-8'; known are hexhex-3"),
    ],
)
def test_boards_that_cannot_be_are_refused(make: object, message: str) -> None:
    """Each error names the board and the trouble."""
    with pytest.raises(BoardError, match=message):
        make()  # type: ignore[operator]


def test_modules_are_laid_in_any_order() -> None:
    """A module may wait for a later one that ties it to the board."""
    centres = [(0, 0), (5, 1), (3, -1), (4, 3)]
    chain = [(0, 0), (6, -2), (3, -1)]
    assert len(from_modules(chain)) == 21
    assert len(set(from_modules(chain).cells)) == 21
    with pytest.raises(BoardError):
        from_modules(centres)


def test_equal_boards_are_equal_values() -> None:
    """The order in which cells are given does not matter."""
    cells = list(hexhex(3).cells)
    assert Board("x", tuple(reversed(cells))) == Board("x", tuple(cells))
    assert hash(Board("x", tuple(reversed(cells)))) == hash(Board("x", tuple(cells)))


def test_directions_are_opposite_three_apart() -> None:
    """The six directions go around; d + 3 is the way back."""
    for d, (q, r) in enumerate(DIRECTIONS):
        assert DIRECTIONS[(d + 3) % 6] == (-q, -r)


def test_unknown_cell_is_a_notation_error() -> None:
    """The message carries the name and the range of the board."""
    with pytest.raises(NotationError, match=r"'z9' is no cell of hexhex-3 \(a"):
        hexhex(3).parse("z9")
