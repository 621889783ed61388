"""Board shapes: module presets, modules found in a board, boards drawn with characters, sets of cells as bits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bits import bits_of, cells_of, component, components, neighbour_bits
from engine.board import (
    DIRECTIONS,
    MODULE_PRESETS,
    BoardError,
    Cell,
    from_modules,
    from_picture,
    hexhex,
    modules_of,
    named_board,
)


@pytest.mark.parametrize("count", [3, 5, 7, 13, 18])
def test_there_is_a_preset_of_so_many_modules(count: int) -> None:
    """Every preset has seven cells a module and passes the check that each module touches with two cells."""
    board = named_board(f"modular-{count}")
    assert len(MODULE_PRESETS[board.name]) == count
    assert len(board) == 7 * count


@pytest.mark.parametrize("name", ["modular-7", "modular-13", "modular-18"])
def test_the_large_presets_are_symmetric(name: str) -> None:
    """They look the same after a sixth of a turn."""
    cells = set(named_board(name).cells)
    assert {Cell(-c.r, c.q + c.r) for c in cells} == cells


def test_eighteen_modules_leave_a_lake_of_one_module() -> None:
    """The middle and its six neighbours are no cells."""
    board = named_board("modular-18")
    assert not any(Cell(q, r) in board.index for q, r in ((0, 0), *DIRECTIONS))


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2)), min_size=1, max_size=8, unique=True))
def test_modules_are_found_in_the_board_they_make(steps: list[tuple[int, int]]) -> None:
    """`modules_of` is the inverse of `from_modules`, whatever the order."""
    centres = [(3 * a + b, 2 * b - a) for a, b in steps]
    try:
        board = from_modules(centres)
    except BoardError:
        return
    assert sorted(modules_of(board) or ()) == sorted(centres)


def test_a_board_that_is_not_made_of_modules_says_so() -> None:
    """61 is no multiple of seven, and 37 neither."""
    assert modules_of(hexhex(5)) is None
    assert modules_of(hexhex(4)) is None


def test_a_drawn_hexhex_board_is_the_hexhex_board() -> None:
    """Marks two columns apart, rows shifted by one."""
    drawn = from_picture("  o o o\n o o o o\no o o o o\n o o o o\n  o o o\n")
    assert drawn.names == hexhex(3).names


def test_a_drawn_lake_is_left_out() -> None:
    """A dot is a gap."""
    drawn = from_picture("  o o o\n o o o o\no o . o o\n o o o o\n  o o o\n")
    assert len(drawn) == 18
    assert "c3" not in drawn.names


def test_a_mark_off_the_raster_is_refused_with_its_place() -> None:
    """Line and column, counted from one."""
    with pytest.raises(BoardError, match="line 2, column 3: off the raster"):
        from_picture("o o\n oo\n")
    with pytest.raises(BoardError, match="no cells"):
        from_picture(" . \n")


@given(st.sets(st.integers(0, 36)))
def test_bits_are_the_cells_they_were_made_of(cells: set[int]) -> None:
    """Smallest first."""
    assert list(cells_of(bits_of(cells))) == sorted(cells)


@given(st.sets(st.integers(0, 36), min_size=1))
def test_components_part_the_set_into_connected_pieces_that_do_not_touch(cells: set[int]) -> None:
    """Their union is the set; no cell of one has a neighbour in another."""
    neighbours, mask = neighbour_bits(hexhex(4)), bits_of(cells)
    parts = list(components(neighbours, mask))
    assert sum(parts) == mask
    for part in parts:
        assert component(neighbours, part & -part, mask) == part
        for i in cells_of(part):
            assert neighbours[i] & mask & ~part == 0
