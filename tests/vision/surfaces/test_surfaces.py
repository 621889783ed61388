"""What surfaces look like, learned from the cells that are open."""

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import SURFACES, Surface
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.drawn_light import LAYOUT, picture
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.lamplight.lamp import Lamp
from vision.networks.net import FootBelief
from vision.palette import Material, parse_colour
from vision.picture import load_picture
from vision.reading.learn import learn_table, nominal_table
from vision.reading.open_cells import open_light_disks, surface_colours
from vision.reading.read import CellReader
from vision.sampling import COLUMNS, ROWS

TABLE_MATERIAL = Material((parse_colour("red"), parse_colour("purple")))
TABLE = nominal_table(named_layout("hexhex-3"), TABLE_MATERIAL)
GREENS = [(70, 120, 66), (62, 92, 30), (60, 122, 88)]
DARKS = [(34, 42, 58), (80, 72, 66), (50, 48, 48), (30, 46, 74)]
MEN, YELLOW = [(150, 40, 90), (30, 60, 210)], np.array([0.55, 0.8, 1.0])
BARE, BEIGE, DARK = (SURFACES.index(kind) for kind in (Surface.BARE, Surface.BEIGE, Surface.DARK))


def _colours(cells: list[tuple[int, int]], colour: list[int] | None = None) -> np.ndarray:
    """By cells that are surely of a kind and so bright (0–255), or of such a `colour`."""
    feet = np.zeros((len(cells), ROWS, COLUMNS, 3), np.uint8)
    logits = np.zeros((len(cells), len(SURFACES)), np.float32)
    for i, (kind, level) in enumerate(cells):
        feet[i], logits[i, kind] = colour or level, 12.0
    return surface_colours(feet, FootBelief(np.full(len(cells), -9.0, np.float32), logits), TABLE)


def test_each_surface_looks_like_the_middle_of_its_open_cells() -> None:
    """Dark disks among others; nobody knows what surfaces look like that no cell shows."""
    colours = _colours([(BEIGE, 180), (BEIGE, 190), (BEIGE, 200), (DARK, 60), (BARE, 90)])
    assert colours[BEIGE] == pytest.approx([190 / 255] * 3)
    assert colours[DARK] == pytest.approx([60 / 255] * 3)
    assert colours[BARE] == pytest.approx([90 / 255] * 3)
    assert np.isnan(colours[SURFACES.index(Surface.LIGHT)]).all()


def test_beige_disks_nearer_to_the_lamp_are_not_dark_ones() -> None:
    """What is taken for dark disks is brighter than the others: all are beige."""
    colours = _colours([(BEIGE, 150), (BEIGE, 160), (BEIGE, 170), (DARK, 200), (DARK, 210)])
    assert colours[BEIGE] == pytest.approx([170 / 255] * 3)
    assert np.isnan(colours[DARK]).all()


def test_surfaces_that_only_show_around_men() -> None:
    """Dark disks and green cells, all of them under men, in yellow light: 10 boards, 130 men.

    The board is seen between the beige disks, and what lies around men and is neither it nor beige nor themselves is
    the dark disks. (On twice as many boards 15 were wrong when such colours were not known.)
    """
    layout, wrong = named_layout("hexhex-4"), 0
    material = Material((parse_colour("red"), parse_colour("purple")))
    for seed in range(10):
        rng = np.random.default_rng(seed)
        pose = camera(layout, float(rng.uniform(8, 35)), float(rng.uniform(0, 360)))
        image, truth = draw(layout, pose, cell=GREENS[seed % 3]), {}
        for i, centre in list(enumerate(layout.centres_mm))[::3]:
            truth[i], man = (DARK if rng.random() < 0.5 else BARE), MEN[int(rng.random() < 0.5)]
            if truth[i] == DARK:
                draw_round(image, pose, centre, 0.86 * layout.pitch_mm, 0.045 * layout.pitch_mm, DARKS[seed % 4])
            x, y = np.array(centre) + rng.normal(0, 0.02 * layout.pitch_mm, 2)
            draw_round(image, pose, (x, y), 0.75 * layout.pitch_mm, 0.17 * layout.pitch_mm, man)
        seen = cv2.GaussianBlur(image, (0, 0), 1.2) * YELLOW + rng.normal(0, 3, image.shape)
        image = np.clip(seen, 0, 255).astype(np.uint8)
        table = learn_table(image, pose, layout, material)
        readings = CellReader(pose, layout, table).read(image)
        wrong += sum(SURFACES.index(readings[i].best().surface) != kind for i, kind in truth.items())
    assert wrong <= 4


def test_shaded_rings_do_not_tell_what_lies_under_men(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four men on a beige disk shade half of what shows around them, which then looks like the dark disks of this
    table, whose cells all have disks: only the half in the light is asked."""
    pose, lamp = camera(LAYOUT, 30), Lamp(500.0, 500.0, 700.0, 20.0)
    image = picture(30, (("d4", 4),), lamp)
    table = learn_table(image, pose, LAYOUT, Material((parse_colour("red"), parse_colour("purple"))))
    colours = table.surface_colours.copy()
    colours[DARK] = 0.58 * colours[BEIGE]
    table = replace(table, surface_colours=colours, surfaces=(Surface.BEIGE, Surface.DARK), lamp=lamp)
    monkeypatch.setattr("vision.reading.cell_beliefs._SURE_SURFACE", 1.1)
    margins = []
    for lit in (-1.0, 0.5):  # all places are in the light, or those that see most of the lamp
        monkeypatch.setattr("vision.reading.read._LIT", lit)
        told = CellReader(pose, LAYOUT, table).read(image)[LAYOUT.names.index("d4")].surface
        margins.append(told[BEIGE] - told[DARK])
    assert margins[1] > margins[0] + 0.5


@pytest.mark.parametrize(
    ("lighter", "beside", "light"),
    [
        ((104, 156, 190), (34, 50, 70), True),  # oak beside umber
        ((34, 50, 70), (12, 18, 25), False),  # umber in the light and in the shade
        ((104, 130, 190), (34, 50, 70), False),  # no brighter than the board
    ],
)
def test_light_disks_among_those_taken_for_dark_ones(
    lighter: tuple[int, int, int], beside: tuple[int, int, int], light: bool
) -> None:
    """Where no light disk seems to lie open: much brighter than the others, and than the board, which is sage here."""
    colours = np.array([lighter, lighter, beside, beside, (104, 138, 120), (104, 138, 120)], np.uint8)
    feet = np.broadcast_to(colours[:, None, None], (6, ROWS, COLUMNS, 3)).copy()
    surface = np.full((6, len(SURFACES)), -20.0, np.float32)
    surface[:4, DARK] = surface[4:, BARE] = 0.0
    foot = FootBelief(np.full(6, -9.0, np.float32), surface)
    assert open_light_disks(foot, TABLE, feet).tolist() == [light, light, *[False] * 4]
    assert np.isfinite(surface_colours(feet, foot, TABLE)[BEIGE]).all() == light


@pytest.mark.parametrize(
    ("disk", "board", "light"),
    [
        ((152, 192, 216), (228, 230, 232), True),  # beige on paper
        ((104, 156, 190), (160, 200, 224), True),  # oak on maple
        ((152, 192, 216), (66, 120, 70), True),  # beige on green
        ((34, 42, 58), (62, 118, 62), False),  # dark on green
        ((80, 72, 66), (62, 92, 30), False),  # slate on felt
        ((50, 48, 48), (228, 230, 232), False),  # charcoal on paper
    ],
)
@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.4, 0.7, 1.0), (0.9, 0.8, 0.7)])
@pytest.mark.parametrize("taken_for", [BEIGE, DARK])
def test_one_kind_of_disks_is_told_by_the_board_beside_it(
    disk: tuple[int, int, int], board: tuple[int, int, int], light: bool, lamp: tuple[float, ...], taken_for: int
) -> None:
    """Whatever the network takes them for, in white, yellow and cold light."""
    colours = np.array([disk] * 3 + [board] * 2) * lamp
    feet = np.broadcast_to(colours[:, None, None], (5, ROWS, COLUMNS, 3)).astype(np.uint8)
    surface = np.full((5, len(SURFACES)), -20.0, np.float32)
    surface[:3, taken_for] = surface[3:, BARE] = 0.0
    foot = FootBelief(np.full(5, -9.0, np.float32), surface)
    assert open_light_disks(foot, TABLE, feet).tolist() == [light] * 3 + [False] * 2


@pytest.mark.parametrize(
    ("light", "dark"),
    [("yellow", "blue"), ("orange", "purple"), ("yellow", "red"), ("white", "red"), ("lime", "maroon")],
)
@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.4, 0.7, 1.0), (0.9, 0.8, 0.7)])
@pytest.mark.parametrize("taken_for", [BEIGE, DARK])
def test_disks_of_colours_that_are_named(light: str, dark: str, lamp: tuple[float, ...], taken_for: int) -> None:
    """Yellow disks are the light ones where blue are the others, and on a green board look like no beige ones."""
    disks = (parse_colour(light), parse_colour(dark))
    table = nominal_table(named_layout("hexhex-3"), Material(TABLE_MATERIAL.men, disks))
    for disk, expected in zip(disks, (True, False), strict=True):
        colours = np.array([disk.rgb[::-1]] * 3 + [(66, 120, 70)] * 2) * lamp
        feet = np.broadcast_to(colours[:, None, None], (5, ROWS, COLUMNS, 3)).astype(np.uint8)
        surface = np.full((5, len(SURFACES)), -20.0, np.float32)
        surface[:3, taken_for] = surface[3:, BARE] = 0.0
        foot = FootBelief(np.full(5, -9.0, np.float32), surface)
        assert open_light_disks(foot, table, feet).tolist() == [expected] * 3 + [False] * 2


def test_disks_alike_are_of_one_kind_together() -> None:
    """Slate disks on felt below a warm lamp, of a rendered picture: the board clearly says dark of all but one,
    which shows a little more of the lamp. It alone was a light disk, and white."""
    disks, board = [(70, 83, 99), (72, 80, 97), (78, 92, 111), (71, 83, 100)], (58, 101, 66)
    feet = np.broadcast_to(np.array([*disks, board, board])[:, None, None], (6, ROWS, COLUMNS, 3)).astype(np.uint8)
    surface = np.full((6, len(SURFACES)), -20.0, np.float32)
    surface[:4, BEIGE] = surface[4:, BARE] = 0.0
    foot = FootBelief(np.full(6, -9.0, np.float32), surface)
    assert not open_light_disks(foot, TABLE, feet).any()


@pytest.mark.parametrize(
    ("beside", "bright", "light"),
    [
        ([], (70, 90, 75), True),  # as they were taken for
        ([(72, 80, 97)], (110, 110, 110), True),
        ([(200, 214, 232)], (110, 110, 110), False),
        ([(200, 214, 232), (20, 20, 24)], (110, 110, 110), False),  # a black coaster, too
        ([], (160, 200, 230), False),  # a light table
    ],
)
def test_where_the_board_says_little_of_its_disks_those_beside_it_tell(
    beside: list[tuple[int, int, int]], bright: tuple[int, int, int], light: bool
) -> None:
    """Slate disks on green, of a rendered picture, that were all taken for beige ones: the board hardly says dark."""
    colours = np.array([(72, 63, 68)] * 3 + [(61, 86, 68)] * 2)
    feet = np.broadcast_to(colours[:, None, None], (5, ROWS, COLUMNS, 3)).astype(np.uint8)
    surface = np.full((5, len(SURFACES)), -20.0, np.float32)
    surface[:3, BEIGE] = surface[3:, BARE] = 0.0
    foot = FootBelief(np.full(5, -9.0, np.float32), surface)
    spare = np.array(beside, np.float32).reshape(-1, 3)
    about = spare, np.array(bright, np.float32), np.full(3, np.nan, np.float32)
    assert open_light_disks(foot, TABLE, feet, lambda: about).tolist() == [light] * 3 + [False] * 2


def test_the_last_disks_are_dark_where_a_light_one_lies_beside_them() -> None:
    """A late board, drawn, on which no light disk lies open, with one that was taken off it, and a smaller light man,
    who tells nothing."""
    layout, pose = named_layout("hexhex-3"), camera(named_layout("hexhex-3"), 20, room=1.9)
    image = draw(layout, pose, cell=(61, 86, 68), disk=(80, 70, 76), table=(70, 96, 50), every=2)
    men = {0: MEN[0], 6: MEN[1], 12: MEN[0], 16: MEN[0]}
    for cell, colour in men.items():
        draw_round(image, pose, layout.centres_mm[cell], 0.7 * layout.pitch_mm, 7.0, colour)
    draw_round(image, pose, (150.0, 20.0), 0.86 * layout.pitch_mm, 1.8, (150, 190, 214))
    draw_round(image, pose, (-150.0, 20.0), 0.6 * layout.pitch_mm, 7.0, (215, 225, 230))
    readings = CellReader(pose, layout, learn_table(image, pose, layout, TABLE_MATERIAL)).read(image)
    assert {reading.best().surface for i, reading in enumerate(readings) if i % 2} == {Surface.DARK}


def test_disks_like_their_board_are_what_they_are_taken_for() -> None:
    """Walnut on walnut, oak on oak: the board says nothing."""
    for disk in ([32, 48, 76], [88, 138, 178]):
        for taken_for in (BEIGE, DARK):
            colours = _colours([(taken_for, 0), (taken_for, 0), (BARE, 0)], disk)
            assert np.isfinite(colours[taken_for]).all()


@pytest.mark.parametrize(
    ("bare", "beige", "any_board"),
    [(0.47, 1.0, False), (1.0, 0.9, True), (0.8, None, True), (0.47, None, False), (None, 1.0, True)],
)
def test_boards_may_be_as_bright_as_disks_until_they_are_known_to_be_darker(
    bare: float | None, beige: float | None, any_board: bool
) -> None:
    """By what bare cells and beige disks look like, as far as they show; where no disks are, nothing is compared."""
    colours = np.full((len(SURFACES), 3), np.nan)
    colours[BARE], colours[BEIGE] = (np.nan if v is None else v for v in (bare, beige))
    assert replace(TABLE, surface_colours=colours).any_board is any_board
    assert not replace(TABLE, surface_colours=colours, surfaces=(Surface.BARE,)).any_board


def test_a_board_of_white_paper_is_read() -> None:
    """A printed outline with real disks, rendered: most beige disks were dark ones before, surely."""
    image = load_picture(PICTURES / "white_paper_hexhex-4.jpg")
    layout, material = named_layout("hexhex-4"), Material((parse_colour("red"), parse_colour("white")))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    reader = CellReader(found.pose, layout, learn_table(image, found.pose, layout, material))
    looks = Counter((look.surface, look.men, look.height) for look in (r.best() for r in reader.read(image)))
    empty = {(Surface.BEIGE, 0, 0): 20, (Surface.BARE, 0, 0): 10, (Surface.DARK, 0, 0): 1}
    on_disks = {(Surface.BEIGE, 1, 1): 1, (Surface.BEIGE, 2, 1): 1, (Surface.DARK, 2, 1): 1}
    assert looks == empty | on_disks | {(Surface.BARE, 1, 1): 1, (Surface.BARE, 2, 1): 2}


@pytest.mark.parametrize("board", [(226, 229, 233), (160, 200, 224), (156, 196, 220), (88, 138, 178)])
def test_disks_on_bright_boards_in_any_light(board: tuple[int, int, int]) -> None:
    """White paper, maple, birch and oak, drawn, in white and yellow light: light and dark disks and bare cells."""
    layout, material = named_layout("hexhex-4"), Material((parse_colour("red"), parse_colour("purple")))
    kinds = np.array([BARE if i % 3 == 0 else DARK if i % 5 == 1 else BEIGE for i in range(len(layout.names))])
    for seed, lamp in enumerate((np.ones(3), YELLOW)):
        pose = camera(layout, 20.0 + 10 * seed, 70.0 * seed)
        image = draw(layout, pose, cell=board, disk=(104, 156, 190) if min(board) > 100 else (152, 192, 216))
        for centre, kind in zip(layout.centres_mm, kinds, strict=True):
            if kind == DARK:
                draw_round(image, pose, centre, 0.86 * layout.pitch_mm, 0.045 * layout.pitch_mm, DARKS[seed])
        seen = cv2.GaussianBlur(image, (0, 0), 1.2) * lamp + np.random.default_rng(seed).normal(0, 3, image.shape)
        image = np.clip(seen, 0, 255).astype(np.uint8)
        readings = CellReader(pose, layout, learn_table(image, pose, layout, material)).read(image)
        told = np.array([SURFACES.index(reading.best().surface) for reading in readings])
        assert (told == kinds).mean() > 0.94
        assert not any(reading.best().men for reading in readings)


@pytest.mark.parametrize(
    ("light", "dark"),
    [("yellow", "red"), ("orange", "purple"), ("lime", "maroon"), ("white", "red"), ("#ffff00", "#800000")],
)
@pytest.mark.parametrize("lies", ["light ones, dark ones and none", "light ones or none", "light ones"])
def test_disks_of_any_colours_are_read(light: str, dark: str, lies: str) -> None:
    """They are what they are called, before the first dark one is laid, too: drawn, in white and yellow light."""
    layout, disks = named_layout("hexhex-4"), (parse_colour(light), parse_colour(dark))
    bare_each, dark_each = 3 if "none" in lies else 1000, 5 if "dark" in lies else 1000
    kinds = np.array([BARE if i % bare_each == 0 else DARK if i % dark_each == 2 else BEIGE for i in range(37)])
    for seed, lamp in enumerate((np.ones(3), YELLOW)):
        pose = camera(layout, 20.0 + 10 * seed, 70.0 * seed)
        image = draw(layout, pose, disk=disks[0].rgb[::-1], every=bare_each)
        for centre, kind in zip(layout.centres_mm, kinds, strict=True):
            if kind == DARK:
                draw_round(image, pose, centre, 0.86 * layout.pitch_mm, 0.045 * layout.pitch_mm, disks[1].rgb[::-1])
        seen = cv2.GaussianBlur(image, (0, 0), 1.2) * lamp + np.random.default_rng(seed).normal(0, 3, image.shape)
        image = np.clip(seen, 0, 255).astype(np.uint8)
        table = learn_table(image, pose, layout, Material((parse_colour("white"), parse_colour("black")), disks))
        told = [SURFACES.index(reading.best().surface) for reading in CellReader(pose, layout, table).read(image)]
        assert told == kinds.tolist()
        assert np.isfinite(table.light.white_bgr).all()
