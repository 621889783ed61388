"""Round fields as large as disks, printed on all cells: told from disks by hue, taken off, and met in a game."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.layout import named_layout
from engine.look import Surface
from tests.vision.drawn_board import camera, draw, draw_round, with_cell
from tests.vision.kept import PICTURES
from vision.arrays import Singles
from vision.eye import Eye
from vision.finding.find import FoundBoard, find_board
from vision.frame import Frame
from vision.palette import Material, parse_colour
from vision.picture import load_picture
from vision.reading.first_look import first_look
from vision.sights import Still
from vision.surfaces.cell_fields import fields
from vision.surfaces.cell_marks import cell_marks
from vision.surfaces.marks_off import MarksOff

LAYOUT = named_layout("hexhex-4")
POSE = camera(LAYOUT, 25, azimuth_deg=40)
MEN = parse_colour("red"), parse_colour("white")
#: Drawn cells, and fields on them in two shades, blue-green-red.
CELL, FIELDS, WIDE = (70, 120, 66), [(105, 180, 99), (48, 82, 45)], (0.0, 0.42)
BEIGE, DARK = (150, 190, 214), (50, 50, 55)
BROWN, DARK_BROWN = (60, 84, 110), (38, 54, 70)
Colour = tuple[int, ...]


def _found(lying: list[Colour], board: Colour = CELL, light: Singles | None = None) -> list[int]:
    """Which cells show fields when something round of such colours lies on them, in such light (logarithms)."""
    shadows = np.zeros(len(lying), np.float32) if light is None else light
    colours = np.log(np.array(lying, np.float32)) + shadows[:, None]
    corners = np.log(np.array(board, np.float32)) + shadows[:, None]
    return fields(colours, np.repeat(colours[:, None], 5, axis=1), corners).tolist()


@pytest.mark.parametrize("field", FIELDS)
@given(light=st.lists(st.floats(-1.0, 0.3), min_size=9, max_size=9))
def test_fields_are_told_from_disks_in_any_light(field: Colour, light: list[float]) -> None:
    """Those of the board's hue that light disks have not, however bright each cell is; dark disks are none."""
    lying = [BEIGE, BEIGE, BEIGE, DARK, CELL, field, field, field, field]
    assert _found(lying, light=np.array(light, np.float32)) == [5, 6, 7, 8]


def test_without_light_disks_nothing_tells_fields() -> None:
    """Nor is one enough, nor are those that have the board's hue themselves; but one field is."""
    assert _found([BEIGE, BEIGE, FIELDS[0], FIELDS[0]]) == [2, 3]
    assert _found([BEIGE, FIELDS[0], FIELDS[0]]) == []
    assert _found([*[FIELDS[0]] * 9, DARK]) == []
    assert _found([BEIGE, BEIGE, FIELDS[0]]) == [2]
    assert _found([BEIGE, BEIGE, CELL]) == []


def test_where_open_cells_are_plain_nothing_is_printed_on_others() -> None:
    """A dark disk may have the board's hue; fields are printed on all cells."""
    assert _found([BEIGE, BEIGE, FIELDS[1], FIELDS[1], CELL]) == [2, 3]
    assert _found([BEIGE, BEIGE, FIELDS[1], CELL]) == []
    assert _found([BEIGE, BEIGE, FIELDS[1], FIELDS[1], CELL, CELL, CELL]) == []


def test_fields_may_be_off_the_boards_hue_where_disks_are_much_farther() -> None:
    """Dark ones of bright colours look paler than these: how far disks are tells how much of that may be."""
    board, field = (60, 150, 90), (44, 83, 60)
    assert _found([BEIGE, BEIGE, DARK, field, field], board=board) == [3, 4]
    assert _found([(112, 190, 160)] * 2 + [field, field], board=board) == []


def test_dark_disks_are_none_where_bright_men_have_quite_another_hue() -> None:
    """However far these are from the board's hue, which dark disks are nearer; and men are no light disks."""
    violet, dark, darker = (172, 50, 161), (50, 62, 42), (42, 62, 42)
    assert _found([violet] * 4 + [dark] * 4) == []
    lying = np.log(np.array([violet] * 4 + [darker] * 4, np.float32))
    board = np.log(np.array([CELL] * 8, np.float32))
    edges = np.repeat(lying[:, None], 10, axis=1)
    edges[:4, :5] = board[:4, None]
    assert fields(lying, edges, board).tolist() == []


def test_a_light_disk_in_another_light_is_no_field() -> None:
    """Where light disks are near the board's hue, one of them may be nearer still."""
    disk, tinted = (190, 200, 203), (190, 206, 192)
    assert _found([disk] * 4 + [tinted], board=(100, 112, 96)) == []


@pytest.mark.parametrize("board", [BROWN, (110, 114, 118), (150, 90, 60), (60, 60, 130)])
def test_dark_disks_may_have_the_hue_of_boards_that_are_not_green(board: Colour) -> None:
    """There, on brown, grey, blue and red, darker round things are no fields, whatever light disks look like."""
    darker = tuple(round(0.6 * v) for v in board)
    for disk in ((196, 206, 214), (226, 234, 236), BEIGE):
        assert _found([disk] * 3 + [darker] * 3, board=board) == []


@pytest.mark.parametrize(("board", "disk"), [(BROWN, (196, 206, 214)), ((150, 90, 60), BEIGE)])
def test_lighter_fields_are_told_on_boards_that_are_not_green(board: Colour, disk: Colour) -> None:
    """Where light disks have another hue than these have."""
    assert _found([disk] * 3 + [tuple(round(1.5 * v) for v in board)] * 3, board=board) == [3, 4, 5]


def test_what_is_round_at_one_side_only_is_no_field() -> None:
    """A man of the board's hue, who stands higher and leaves the edge of his cell plain at the other side."""
    lying = np.log(np.array([BEIGE] * 3 + [FIELDS[0]] * 3, np.float32))
    board = np.log(np.array([CELL] * 6, np.float32))
    edges = np.repeat(lying[:, None], 10, axis=1)
    assert fields(lying, edges, board).tolist() == [3, 4, 5]
    edges[3:, :4] = board[3:, None]
    assert fields(lying, edges, board).tolist() == []


@pytest.mark.parametrize("every", [2, 3, 9])
@pytest.mark.parametrize("tilt_deg", [0, 25, 45])
def test_disks_are_no_fields(every: int, tilt_deg: float) -> None:
    """On a green board, a grey one, and one as brown as dark disks are."""
    pose = camera(LAYOUT, tilt_deg, azimuth_deg=40)
    for cell in (CELL, (110, 114, 118), BROWN):
        for dark in (DARK, DARK_BROWN):
            image = draw(LAYOUT, pose, cell, every=every)
            for i in range(0, 37, 5):
                draw_round(image, pose, LAYOUT.centres_mm[i], 0.86 * LAYOUT.pitch_mm, 2.0, dark)
            assert cell_marks(image, pose, LAYOUT, has_disks=True) is None


def test_a_dark_man_on_a_dark_field_stays() -> None:
    """He may be of the field's hue, but is darker still."""
    image = draw(LAYOUT, POSE, printed=WIDE, ink=FIELDS[1], noise=0)
    for i in (0, 12, 24):
        draw_round(image, POSE, LAYOUT.centres_mm[i], 0.6 * LAYOUT.pitch_mm, 8.0, (27, 46, 25))
    marks = cell_marks(image, POSE, LAYOUT, has_disks=True)
    assert marks is not None
    assert marks.fields
    cleared = MarksOff(POSE, LAYOUT, marks).off(image)
    man = (image == (27, 46, 25)).all(axis=2)
    assert man.sum() > 1000
    assert (cleared == image)[man].mean() > 0.97


def test_bare_cells_with_fields_are_no_disks() -> None:
    """A rendered board with round fields in a lighter green: its bare cells were light disks, surely."""
    image = load_picture(PICTURES / "round_fields_hexhex-4.jpg")
    material = Material((parse_colour("orange"), parse_colour("black")))
    found = find_board(image, LAYOUT, None, material)
    assert isinstance(found, FoundBoard)
    surfaces = [cell.best().surface for cell in first_look(image, found.pose, LAYOUT, material).cells]
    assert [surfaces.count(kind) for kind in (Surface.BEIGE, Surface.BARE, Surface.DARK)] == [32, 5, 0]


def test_fields_come_to_light_with_the_first_cell_that_lies_open() -> None:
    """A board full of disks shows none; then bare cells are bare, and one that gets a dark disk is not."""
    pose = camera(LAYOUT, 25)
    full, bare, turned = (
        draw(LAYOUT, pose, every=99, disk=disk, printed=WIDE, ink=FIELDS[0]) for disk in (BEIGE, None, DARK)
    )
    draw_round(full, pose, LAYOUT.centres_mm[0], 0.86 * LAYOUT.pitch_mm, 0.045 * LAYOUT.pitch_mm, BEIGE)
    for image in (full, bare, turned):
        for cell, colour in ((4, (50, 50, 170)), (30, (225, 230, 230))):
            draw_round(image, pose, LAYOUT.centres_mm[cell], 0.7 * LAYOUT.pitch_mm, 0.16 * LAYOUT.pitch_mm, colour)
    eye, met, sights, index, image = Eye(LAYOUT, Material(MEN)), [], [], 0, full
    for cell, other in ((18, full), (18, bare), (20, turned), (9, bare)):
        image = with_cell(image, other, LAYOUT, cell, pose)
        for _ in range(12):
            sights += eye.step(Frame(image, index / 12, index))
            index += 1
        assert eye.table is not None
        met.append(eye.table.marks is not None)
    assert met == [False, True, True, True]
    stills = [sight for sight in sights if isinstance(sight, Still)]
    surfaces = [stills[-1].reading.cells[i].best().surface for i in (18, 20, 9, 33)]
    assert surfaces == [Surface.BARE, Surface.DARK, Surface.BARE, Surface.BEIGE]
