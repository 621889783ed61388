"""Boards whose cells are of three colours are told from others, whatever lies on them and whatever the light."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import Layout, named_layout
from engine.look import SURFACES, Surface
from tests.vision.drawn_board import camera, draw
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.geometry import BoardPose
from vision.networks.net import FootBelief
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.first_look import first_look
from vision.reading.learn import nominal_table, relit_table
from vision.reading.open_cells import surface_colours
from vision.sampling import COLUMNS, ROWS
from vision.surfaces.three_colours import ThreeColours, three_colours

BIRCH, OAK, WALNUT = (110, 160, 196), (66, 108, 150), (36, 56, 84)
GREENS = (60, 110, 50), (84, 150, 72), (40, 76, 34)
DARK_DISK = (50, 56, 70)


def half_in_shade(image: Picture, pose: BoardPose) -> Picture:
    """What lies right of the board's middle has a third of the light (values, not linear)."""
    x = int(pose.project(np.zeros((1, 3)))[0, 0])
    return np.concatenate([image[:, :x], image[:, x:] // 3], axis=1)


def told(layout: Layout, image: Picture, pose: BoardPose) -> ThreeColours:
    board = three_colours(image, pose, layout)
    assert board is not None
    return board


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    st.sampled_from(["hexhex-3", "hexhex-4", "modular-7", "diamond-5"]),
    st.sampled_from([(BIRCH, OAK, WALNUT), GREENS]),
    st.floats(0, 45),
    st.floats(0, 360),
    st.booleans(),
    st.booleans(),
)
def test_three_colours_are_told(
    name: str, three: tuple[tuple[int, int, int], ...], tilt: float, azimuth: float, lined: bool, disks: bool
) -> None:
    """Which of them each cell has, and what they look like, between disks as well as on open cells."""
    layout = named_layout(name)
    assert layout.board is not None
    pose = camera(layout, tilt, azimuth)
    board = told(layout, draw(layout, pose, three=three, lined=lined, disk=DARK_DISK if disks else None), pose)
    seen = board.colours[board.kinds]
    true = np.array([three[(c.q - c.r) % 3] for c in layout.board.cells])
    assert np.abs(seen - true).max() < 0.12 * true.max()


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.sampled_from(["hexhex-3", "hexhex-4", "diamond-5"]), st.floats(0, 45), st.floats(0, 360), st.booleans())
def test_boards_of_one_colour_have_one(name: str, tilt: float, azimuth: float, shaded: bool) -> None:
    """However disks lie on them, and if half of them is in a shadow."""
    layout = named_layout(name)
    pose = camera(layout, tilt, azimuth)
    for every in (2, 3):  # every third cell without a disk is a pattern of three, too
        image = draw(layout, pose, every=every)
        assert three_colours(half_in_shade(image, pose) if shaded else image, pose, layout) is None


@pytest.mark.parametrize("three", [(BIRCH, OAK, WALNUT), GREENS])
def test_half_of_a_board_of_three_colours_may_lie_in_a_shadow(three: tuple[tuple[int, int, int], ...]) -> None:
    """What they look like is that of one half or the other, not some of them of each."""
    layout = named_layout("hexhex-4")
    pose = camera(layout, 15)
    board = told(layout, half_in_shade(draw(layout, pose, three=three), pose), pose)
    share = board.colours / np.array(three)
    assert share.max() < 1.3 * share.min()


def test_colours_are_looked_for_anew_in_other_light() -> None:
    """The cells keep their colours, whatever these look like then."""
    layout = named_layout("hexhex-4")
    pose = camera(layout, 20)
    image = draw(layout, pose, three=GREENS)
    board = told(layout, image, pose)
    dimmed = three_colours(image // 2, pose, layout, surely=True)
    assert dimmed is not None
    assert (dimmed.kinds == board.kinds).all()
    assert dimmed.colours == pytest.approx(board.colours / 2, abs=2)


TABLE = nominal_table(named_layout("hexhex-3"), Material((parse_colour("red"), parse_colour("purple"))))
BARE, BEIGE, DARK = (SURFACES.index(kind) for kind in (Surface.BARE, Surface.BEIGE, Surface.DARK))


def test_a_table_knows_what_each_bare_cell_looks_like() -> None:
    """On a board of three colours each has its own, and men may have all of them about them; disks look alike."""
    board = ThreeColours(np.array([2, 0, 1, 0]), np.array([(51, 102, 51), (102, 153, 102), (25.5, 51, 25.5)]))
    table = replace(TABLE, board=board, surface_colours=np.full((len(SURFACES), 3), 0.8))
    on = table.colours_on(np.array([3, 0]))
    assert on[:, BARE] == pytest.approx(np.array([(0.2, 0.4, 0.2), (0.1, 0.2, 0.1)]))
    assert (on[:, [BEIGE, DARK]] == 0.8).all()
    assert len(table.colours_about()) == len(SURFACES) + 3
    assert not table.any_board
    assert replace(table, board=replace(board, colours=board.colours * 1.6)).any_board


@pytest.mark.parametrize(("disk", "of"), [(WALNUT, DARK), (BIRCH, BEIGE)])
@pytest.mark.parametrize("taken_for", [BEIGE, DARK])
def test_one_kind_of_disks_beside_three_colours(disk: tuple[int, int, int], of: int, taken_for: int) -> None:
    """Walnut disks are darker than the darkest of three greys, but as oak ones are against it; birch ones are light."""
    greys = np.array([(180, 178, 176), (126, 124, 124), (88, 86, 86)])
    kinds = np.array([0, 0, 0, 0, 1, 2, 2, 2])
    colours = np.array([disk] * 3 + [greys[kind] for kind in kinds[3:]])
    feet = np.broadcast_to(colours[:, None, None], (len(kinds), ROWS, COLUMNS, 3)).astype(np.uint8)
    surface = np.full((len(kinds), len(SURFACES)), -20.0, np.float32)
    surface[:3, taken_for] = surface[3:, BARE] = 0.0
    foot = FootBelief(np.full(len(kinds), -9.0, np.float32), surface)
    table = replace(TABLE, board=ThreeColours(kinds, greys.astype(np.float64)))
    assert np.isfinite(surface_colours(feet, foot, table)[[BEIGE, DARK], 0]).tolist() == [of == BEIGE, of == DARK]


def test_a_board_of_three_greens_without_lines() -> None:
    """A rendered board: it was laid wrongly by a twentieth of a cell, and five of its darkest cells were dark disks."""
    image = load_picture(PICTURES / "three_colours_hexhex-5.jpg")
    layout = named_layout("hexhex-5")
    white, red, sand, dark = (parse_colour(word) for word in ("white", "red", "sand", "dark"))
    material = Material((white, red), (sand, dark))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    first = first_look(image, found.pose, layout, material)
    looks = [reading.best() for reading in first.cells]
    stacks = [(look.men, look.height) for look in looks if look.men]
    assert sorted(stacks) == [(1, 1), (1, 1), (1, 2), (1, 3), (1, 3), (1, 6), (2, 1), (2, 1), (2, 1), (2, 2), (2, 5)]
    counts = {surface: sum(look.surface is surface for look in looks) for surface in SURFACES}
    assert counts == {Surface.BEIGE: 26, Surface.BARE: 25, Surface.DARK: 10, Surface.LIGHT: 0}
    dimmed = relit_table(first.table, image // 2, found.pose, layout)
    assert first.table.board is not None
    assert dimmed.board is not None
    assert dimmed.board.colours == pytest.approx(first.table.board.colours / 2, abs=3)
