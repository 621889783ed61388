"""Marks that are printed on cells: found, told from disks and men, taken off, and met in the middle of a game."""

import cv2
import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import Surface
from tests.vision.drawn_board import camera, draw, draw_round, with_cell
from tests.vision.kept import PICTURES
from vision.eye import Eye
from vision.finding.find import FoundBoard, find_board
from vision.frame import Frame
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.first_look import first_look
from vision.reading.learn import learn_table
from vision.reading.read import CellReader
from vision.sights import Still
from vision.surfaces.cell_marks import STEP, cell_marks
from vision.surfaces.marks_off import MarksOff

LAYOUT = named_layout("hexhex-4")
POSE = camera(LAYOUT, 25, azimuth_deg=40)
MEN = parse_colour("red"), parse_colour("white")
#: Where disks go, a smaller circle, and a peg; dark and light.
CIRCLES = [((0.42, 0.44), (36, 62, 34)), ((0.25, 0.28), (150, 200, 140)), ((0.0, 0.12), (30, 50, 30))]
#: Fields as large as disks, in other shades of the cells' colour.
FIELDS = [((0.0, 0.42), (105, 180, 99)), ((0.0, 0.42), (48, 82, 45))]


def _six_sided(image: Picture) -> Picture:
    """The board with a second outline on its bare cells, every third, two fifths of a pitch from their middles."""
    out, angles = image.copy(), np.radians(np.arange(30, 390, 60))
    for x, y in LAYOUT.centres_mm[::3]:
        corners = [
            (x, y) + 0.4 * LAYOUT.pitch_mm / np.cos(np.pi / 6) * np.array([np.cos(a), np.sin(a)]) for a in angles
        ]
        pixels = POSE.project(np.column_stack([corners, np.zeros(6)]))
        cv2.polylines(out, [np.rint(pixels * 16).astype(np.int32)], True, (150, 200, 140), 2, cv2.LINE_AA, 4)
    return out


@pytest.mark.parametrize(("printed", "ink"), CIRCLES)
def test_what_is_printed_on_cells_is_found(printed: tuple[float, float], ink: tuple[int, int, int]) -> None:
    """It is where it is printed and nowhere else, and lies on the board."""
    marks = cell_marks(draw(LAYOUT, POSE, printed=printed, ink=ink), POSE, LAYOUT, has_disks=True)
    assert marks is not None
    assert marks.base is not None
    assert np.exp(marks.base) == pytest.approx([72, 122, 68], abs=3)
    rows, columns = np.nonzero(np.abs(marks.contrast).max(axis=-1) > 0.1)
    far = STEP * np.hypot(rows - len(marks.contrast) // 2, columns - len(marks.contrast) // 2)
    assert (far > printed[0] - 0.04).all()
    assert (far < printed[1] + 0.04).all()


def test_a_second_outline_is_found() -> None:
    """Though it takes the corners in which other marks show the board."""
    assert cell_marks(_six_sided(draw(LAYOUT, POSE)), POSE, LAYOUT, has_disks=True) is not None


@pytest.mark.parametrize("ink", [(150, 210, 140), (40, 70, 38)])
def test_circles_as_wide_as_disks_are_found_on_small_cells(ink: tuple[int, int, int]) -> None:
    """Blurred as they are there they leave hardly anything of the corners, but their tips."""
    pose = camera(LAYOUT, 25, azimuth_deg=40, size=(800, 450))
    for radii in ((0.43, 0.455), (0.44, 0.46)):
        image = cv2.GaussianBlur(draw(LAYOUT, pose, every=3, printed=radii, ink=ink), (0, 0), 0.7)
        assert cell_marks(image, pose, LAYOUT, has_disks=True) is not None


def _with_recesses(image: Picture, every: int) -> Picture:
    """The board with a recess in its bare cells: in shadow at one side, lit at the other."""
    out = image.copy()
    for x, y in LAYOUT.centres_mm[::every]:
        for lit, colour in ((False, (30, 52, 29)), (True, (85, 145, 80))):
            angles = np.radians(np.linspace(20, 160, 25)) + (0 if lit else np.pi)
            rim, inner = (
                (x, y) + r * LAYOUT.pitch_mm * np.column_stack([np.cos(angles), np.sin(angles)]) for r in (0.44, 0.41)
            )
            pixels = POSE.project(np.column_stack([np.concatenate([rim, inner[::-1]]), np.zeros(50)]))
            cv2.fillPoly(out, [np.rint(pixels * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    return out


@pytest.mark.parametrize("every", [2, 3, 9])
def test_recesses_are_found_though_their_shadows_lie_at_one_side(every: int) -> None:
    """On cells that are alike as they lie."""
    image = _with_recesses(draw(LAYOUT, POSE, every=every), every)
    assert cell_marks(image, POSE, LAYOUT, has_disks=True) is not None


@pytest.mark.parametrize(
    ("far", "wide", "turns"), [(0.3, 0.34, (50,)), (0.36, 0.2, (0, 50, 95, 140)), (0.2, 0.34, (0,))]
)
def test_shadows_of_neighbours_are_no_recesses(far: float, wide: float, turns: tuple[float, ...]) -> None:
    """They fall this way and that, even if some are alike, or upon the middles of cells."""
    image = draw(LAYOUT, POSE, every=2, noise=0)
    for i, (x, y) in enumerate(LAYOUT.centres_mm[::2]):
        turn = np.radians(turns[i % len(turns)] * (i if len(turns) == 1 else 1))
        at = (x + far * LAYOUT.pitch_mm * np.cos(turn), y + far * LAYOUT.pitch_mm * np.sin(turn))
        draw_round(image, POSE, at, wide * LAYOUT.pitch_mm, 0.0, (36, 61, 34))
    assert cell_marks(image, POSE, LAYOUT, has_disks=True) is None


@pytest.mark.parametrize("every", [2, 3, 99])
@pytest.mark.parametrize("tilt_deg", [0, 25, 45])
def test_disks_and_their_rings_are_no_marks(every: int, tilt_deg: float) -> None:
    """However few cells lie bare."""
    pose = camera(LAYOUT, tilt_deg, azimuth_deg=40)
    for ring in (None, (0.2, 0.25), (0.36, 0.42)):
        for disk in ((150, 190, 214), (50, 50, 55)):
            assert cell_marks(draw(LAYOUT, pose, disk=disk, every=every, ring=ring), pose, LAYOUT, True) is None


def test_men_are_no_marks() -> None:
    """Eight single men of one colour on the bare board are alike, and much larger than marks that take its middle."""
    image = draw(LAYOUT, POSE, disk=None)
    for i in range(0, 37, 5):
        draw_round(image, POSE, LAYOUT.centres_mm[i], 0.6 * LAYOUT.pitch_mm, 2.0, (50, 60, 190))
    assert cell_marks(image, POSE, LAYOUT, has_disks=False) is None


@pytest.mark.parametrize(("printed", "ink"), [*CIRCLES, *FIELDS])
def test_without_its_marks_a_board_looks_as_if_it_had_none(
    printed: tuple[float, float], ink: tuple[int, int, int]
) -> None:
    """In light and in shade; disks, and men that stand on bare cells, stay as they are."""

    def board(marked: bool) -> Picture:
        image = draw(LAYOUT, POSE, printed=printed if marked else None, ink=ink, noise=0, width=0.9)
        image[:, : image.shape[1] // 2] //= 2
        for i in (0, 12, 24):
            draw_round(image, POSE, LAYOUT.centres_mm[i], 0.6 * LAYOUT.pitch_mm, 8.0, (50, 60, 190))
        return image

    marked, plain = board(True), board(False)
    marks = cell_marks(marked, POSE, LAYOUT, has_disks=True)
    assert marks is not None
    cleared = MarksOff(POSE, LAYOUT, marks).off(marked)
    before, after = (cv2.absdiff(image, plain).sum() for image in (marked, cleared))
    assert after < 0.25 * before
    same = (marked == plain).all(axis=2)
    assert (cv2.absdiff(cleared, plain)[same].max(axis=1) > 12).mean() < 0.001


def test_marks_go_beside_men() -> None:
    """Where men stand on bare cells most of what shows of marks about them goes."""
    printed, ink = CIRCLES[0]
    marked, plain = (draw(LAYOUT, POSE, every=3, noise=0, printed=what, ink=ink) for what in (printed, None))
    men = range(0, 37, 6)
    for image in (marked, plain):
        for i in men:
            draw_round(image, POSE, LAYOUT.centres_mm[i], 0.7 * LAYOUT.pitch_mm, 8.0, (50, 60, 190))
    marks = cell_marks(marked, POSE, LAYOUT, has_disks=True)
    assert marks is not None
    cleared = MarksOff(POSE, LAYOUT, marks).off(marked)
    at = [(with_cell(np.zeros_like(plain), np.full_like(plain, 1), LAYOUT, i, POSE) > 0) for i in men]
    before, after = (sum(int(cv2.absdiff(image, plain)[where].sum()) for where in at) for image in (marked, cleared))
    assert after < 0.5 * before


def test_only_the_marks_of_some_cells_are_taken_off() -> None:
    """Of those that are asked for."""
    printed, ink = CIRCLES[0]
    image = draw(LAYOUT, POSE, printed=printed, ink=ink)
    marks = cell_marks(image, POSE, LAYOUT, has_disks=True)
    assert marks is not None
    changed = (MarksOff(POSE, LAYOUT, marks).off(image, [18]) != image).any(axis=2)
    rows, columns = np.nonzero(changed)
    places = POSE.unproject(np.column_stack([columns, rows]).astype(np.float64)) - LAYOUT.centres_mm[18]
    assert len(places) > 50
    assert np.hypot(*places.T).max() < 0.5 * LAYOUT.pitch_mm


def test_bare_cells_with_circles_are_no_dark_disks() -> None:
    """A rendered board with circles where disks go: seven of its bare cells were dark disks, surely."""
    image, layout = load_picture(PICTURES / "circles_hexhex-4.jpg"), LAYOUT
    material = Material((parse_colour("yellow"), parse_colour("blue")))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    look = first_look(image, found.pose, layout, material)
    surfaces = [cell.best().surface for cell in look.cells]
    assert [surfaces.count(kind) for kind in (Surface.BEIGE, Surface.BARE, Surface.DARK)] == [26, 7, 4]


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("recesses", [1, 1, 1, 1, 2], [1, 1, 1]), ("faint_recesses", [1, 1, 1, 2], [1, 1, 1, 2, 3])],
)
def test_bare_cells_with_recesses_are_no_disks(name: str, first: list[int], second: list[int]) -> None:
    """Rendered boards with a recess in every cell, hardly to be seen on one, and no disk on them: all but one cell and
    three were light disks."""
    image = load_picture(PICTURES / f"{name}_hexhex-4.jpg")
    material = Material((parse_colour("yellow"), parse_colour("purple")))
    found = find_board(image, LAYOUT, None, material)
    assert isinstance(found, FoundBoard)
    looks = [cell.best() for cell in first_look(image, found.pose, LAYOUT, material).cells]
    assert {look.surface for look in looks} == {Surface.BARE}
    assert [sorted(look.height for look in looks if look.men == owner) for owner in (1, 2)] == [first, second]


@pytest.mark.parametrize(("printed", "ink"), CIRCLES)
def test_circles_on_a_board_without_disks_are_no_men(printed: tuple[float, float], ink: tuple[int, int, int]) -> None:
    """Three men stand on it, and nobody else."""
    image = draw(LAYOUT, POSE, disk=None, printed=printed, ink=ink)
    men = {4: 1, 17: 2, 30: 1}
    for i, owner in men.items():
        colour = (50, 50, 170) if owner == 1 else (225, 230, 230)
        draw_round(image, POSE, LAYOUT.centres_mm[i], 0.7 * LAYOUT.pitch_mm, 0.16 * LAYOUT.pitch_mm, colour)
    material = Material(MEN, None)
    reader = CellReader(POSE, LAYOUT, learn_table(image, POSE, LAYOUT, material))
    seen = {i: cell.best().men for i, cell in enumerate(reader.read(image)) if cell.best().men}
    assert seen == men


def test_marks_come_to_light_when_the_first_disk_is_taken_off() -> None:
    """A board full of disks shows none; the first cell that lies open is bare all the same, and one that gets a dark
    disk is not."""
    printed, ink = CIRCLES[0]
    pose, beige, dark = camera(LAYOUT, 25), (150, 190, 214), (50, 50, 55)
    full, bare = (draw(LAYOUT, pose, every=99, disk=disk, printed=printed, ink=ink) for disk in (beige, None))
    draw_round(full, pose, LAYOUT.centres_mm[0], 0.86 * LAYOUT.pitch_mm, 0.045 * LAYOUT.pitch_mm, beige)
    turned = draw(LAYOUT, pose, every=99, disk=dark, printed=printed, ink=ink)
    for image in (full, bare, turned):
        for cell, colour in ((4, (50, 50, 170)), (30, (225, 230, 230))):
            draw_round(image, pose, LAYOUT.centres_mm[cell], 0.7 * LAYOUT.pitch_mm, 0.16 * LAYOUT.pitch_mm, colour)
    eye = Eye(LAYOUT, Material(MEN))
    pictures = [full] * 12
    for cell, other in ((18, bare), (20, turned), (9, bare)):
        pictures += [with_cell(pictures[-1], other, LAYOUT, cell, pose)] * 12
    stills = [
        sight for i, image in enumerate(pictures) for sight in eye.step(_frame(image, i)) if isinstance(sight, Still)
    ]
    surfaces = [stills[-1].reading.cells[i].best().surface for i in (18, 20, 9, 33)]
    assert surfaces == [Surface.BARE, Surface.DARK, Surface.BARE, Surface.BEIGE]
    assert eye.table is not None
    assert eye.table.marks is not None


def test_recesses_come_to_light_with_the_fourth_cell_that_lies_open() -> None:
    """One by one such cells open; fewer might be anything."""
    beige, open_cells = (150, 190, 214), (18, 20, 9, 24, 33)
    full = draw(LAYOUT, POSE, every=99, disk=beige)
    draw_round(full, POSE, LAYOUT.centres_mm[0], 0.86 * LAYOUT.pitch_mm, 0.045 * LAYOUT.pitch_mm, beige)
    bare = _with_recesses(draw(LAYOUT, POSE, disk=None), 1)
    for image in (full, bare):
        for cell, colour in ((4, (50, 50, 170)), (30, (225, 230, 230))):
            draw_round(image, POSE, LAYOUT.centres_mm[cell], 0.7 * LAYOUT.pitch_mm, 0.16 * LAYOUT.pitch_mm, colour)
    eye, index = Eye(LAYOUT, Material(MEN)), 0
    met = []
    for cell in (None, *open_cells):
        full = full if cell is None else with_cell(full, bare, LAYOUT, cell, POSE)
        for _ in range(12):
            list(eye.step(_frame(full, index)))
            index += 1
        assert eye.table is not None
        met.append(eye.table.marks is not None)
    assert met == [False, False, False, False, True, True]


def _frame(image: Picture, index: int) -> Frame:
    return Frame(image, index / 12, index)
