"""Board files: what they say, and how a broken one is refused."""

import math

import pytest

from engine.board import Cell, hexhex
from engine.errors import BoardError
from engine.layout import axial_to_mm, layout_of, named_layout, parse_layout


def test_axial_to_mm_is_right_handed_with_y_up() -> None:
    """+q points right; +r points down and half a cell to the right."""
    assert axial_to_mm(Cell(1, 0), 40) == (40, 0)
    x, y = axial_to_mm(Cell(0, 1), 40)
    assert (x, round(y, 3)) == (20, -34.641)


def test_neighbours_are_one_pitch_apart() -> None:
    """On any board the nearest centres are one pitch apart."""
    layout = layout_of(hexhex(4), 42.5)
    board = hexhex(4)
    for i, near in enumerate(board.neighbours):
        for n in near:
            assert math.dist(layout.centres_mm[i], layout.centres_mm[n]) == pytest.approx(42.5)


def test_a_plain_name_has_the_nominal_pitch() -> None:
    """Without true dimensions everything is in proportion to a nominal pitch."""
    layout = named_layout("hexhex-3")
    assert (layout.pitch_mm, layout.pitch_known, layout.man_mm) == (40.0, False, None)


def test_a_board_file_with_dimensions() -> None:
    """Every key of the contract is read."""
    text = """
    name = "kitchen"
    modules = [[0, 0], [3, -1]]
    pitch_mm = 41.5
    man_mm = [30, 7.5]
    disk_mm = [36, 2]
    marker_size_mm = 34
    [markers_mm]
    0 = [-100, -90]
    1 = [100, -90.5]
    """
    layout = parse_layout(text, "kitchen.toml")
    assert layout.board is not None
    assert (layout.name, len(layout.board), layout.pitch_mm) == ("kitchen", 14, 41.5)
    assert (layout.man_mm, layout.disk_mm, layout.marker_size_mm) == ((30.0, 7.5), (36.0, 2.0), 34.0)
    assert layout.markers_mm == ((0, (-100.0, -90.0)), (1, (100.0, -90.5)))


def test_free_centres_can_be_read_but_not_played() -> None:
    """A board of free points has no lattice; its pitch is the smallest distance."""
    layout = parse_layout("[points_mm]\na1 = [0, 0]\na2 = [50, 0]\nb1 = [0, 60]", "free.toml")
    assert layout.board is None
    assert (layout.names, layout.pitch_mm) == (("a1", "a2", "b1"), 50.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modules = [[0, 0]", "not a TOML file"),
        ("name = 'x'", "exactly one of modules, cells and"),
        ("modules = [[0, 0]]\ncells = [[0, 0]]", "exactly one of"),
        ("cells = [[0, 0], [0]]", r"\[0\], which is no \[q, r\]"),
        ("cells = 7", r"cells is a list of \[q, r\]"),
        ("cells = [[0, 0]]\npich_mm = 3", "unknown key 'pich_mm'"),
        ("cells = [[0, 0]]\npitch_mm = -3", "pitch_mm is a length in millimetres, not -3"),
        ("cells = [[0, 0]]\nman_mm = [30]", r"man_mm is \[diameter, thickness\]"),
        ("cells = [[0, 0]]\n[markers_mm]\nx = [0, 0]", "ids from 0 to 999"),
        ("[points_mm]\na = [0, 0]\nb = [0, 1]\nc = [0, 'x']", r"points_mm.c is \[x, y\]"),
        ("[points_mm]\na = [0, 0]\nb = [0, 1]\nc = [0, 1]", "at the same place"),
    ],
)
def test_broken_board_files_are_refused(text: str, message: str) -> None:
    """One clear line names the file and the trouble."""
    with pytest.raises(BoardError, match=message) as refused:
        parse_layout(text, "mine.toml")
    assert "mine.toml" in str(refused.value)
    assert "\n" not in str(refused.value)
