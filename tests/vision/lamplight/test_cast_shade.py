"""Shadows over part of a board are told from its corners, and what lies in them is read like the rest."""

import cv2
import numpy as np
import pytest

from engine.layout import named_layout
from tests.footage_places import SAMPLES
from tests.vision.drawn_board import camera, draw
from tests.vision.film_truth import FilmTruth
from tests.vision.shaded import SHADES, in_shade, mirroring
from vision.following.motion import Window
from vision.lamplight.cast_shade import cast_shade, without_shade
from vision.palette import Material
from vision.picture import Picture
from vision.reading.learn import learn_table
from vision.reading.read import CellReader
from vision.surfaces.between import corners_mm

TRUTH = FilmTruth(SAMPLES / "sample.mp4")
POSE = TRUTH.pose()
WINDOW = Window(POSE, TRUTH.layout, 960, 540)


def _first_picture() -> Picture:
    return np.asarray(cv2.VideoCapture(str(TRUTH.film)).read()[1], np.uint8)


FIRST = _first_picture()


@pytest.mark.parametrize("shade", SHADES.values(), ids=SHADES)
@pytest.mark.parametrize("turn_deg", [0, 110, 250])
def test_a_shadow_over_half_the_board_is_measured(shade: tuple[float, float, float], turn_deg: float) -> None:
    """A cell and a half from its edge, but for what light differs by anyway."""
    factors = cast_shade(in_shade(FIRST, shade, turn_deg, 10.0), POSE, TRUTH.layout, TRUTH.material, WINDOW)
    assert factors is not None
    lit = in_shade(np.full_like(FIRST, 200), shade, turn_deg, 10.0)
    far = np.asarray(cv2.blur(lit, (160, 160)), np.uint8) == lit
    off = [
        np.abs(np.log(factors[row, column] / (lit[y, x] / 200.0))).max()
        for (column, row), (x, y) in zip(np.round(WINDOW.centres).astype(int), _pixels(), strict=True)
        if far[y, x].all()
    ]
    assert len(off) > len(TRUTH.layout.names) / 4
    assert max(off) < 0.3


def _pixels() -> list[tuple[int, int]]:
    middles = POSE.project(np.array([(x, y, 0.0) for x, y in TRUTH.layout.centres_mm]))
    return [(int(x), int(y)) for x, y in np.round(middles)]


@pytest.mark.parametrize("shade", SHADES.values(), ids=SHADES)
@pytest.mark.parametrize("turn_deg", [0, 110, 250])
@pytest.mark.parametrize("soft_px", [0.0, 40.0])
def test_a_board_half_in_the_shade_is_read_right(
    shade: tuple[float, float, float], turn_deg: float, soft_px: float
) -> None:
    """Every surface, and whose men stand where; heights are harder."""
    picture = without_shade(in_shade(FIRST, shade, turn_deg, soft_px), POSE, TRUTH.layout, TRUTH.material)
    table = learn_table(picture, POSE, TRUTH.layout, TRUTH.material)
    seen = [cell.best() for cell in CellReader(POSE, TRUTH.layout, table).read(picture, patient=True)]
    assert [(look.surface, look.men) for look in seen] == [(look.surface, look.men) for look in TRUTH.looks(-1)]


@pytest.mark.parametrize("turn_deg", [0, 110, 250])
@pytest.mark.parametrize("soft_px", [20.0, 60.0])
def test_a_glossy_board_that_mirrors_a_lamp_is_not_half_in_the_shade(turn_deg: float, soft_px: float) -> None:
    """Disks and men are as bright there as elsewhere: what lies open is read right, and whose men stand where."""
    places = np.round(POSE.project(np.column_stack([corners_mm(TRUTH.layout, np.ones(37, bool)), np.zeros(6 * 37)])))
    board_bgr = np.median([FIRST[int(y), int(x)] for x, y in places], axis=0)
    picture = mirroring(FIRST, board_bgr, turn_deg, soft_px)
    assert (picture.max(axis=2) > FIRST.max(axis=2) + 40).sum() > 5000
    assert without_shade(picture, POSE, TRUTH.layout, TRUTH.material) is picture
    table = learn_table(picture, POSE, TRUTH.layout, TRUTH.material)
    seen = [cell.best() for cell in CellReader(POSE, TRUTH.layout, table).read(picture, patient=True)]
    for look, true in zip(seen, TRUTH.looks(-1), strict=True):
        assert look.men == true.men
        assert look.surface == true.surface or true.men


def test_a_picture_without_a_shadow_stays_as_it_is() -> None:
    """The shadows of stacks are smaller."""
    assert without_shade(FIRST, POSE, TRUTH.layout, TRUTH.material) is FIRST


@pytest.mark.parametrize("board", ["hexhex-3", "hexhex-6"])
def test_drawn_boards_have_no_shadow_but_the_one_painted(board: str) -> None:
    """Whatever their size, with disks on most cells; nothing is told of boards without disks."""
    layout = named_layout(board)
    pose = camera(layout, 25.0)
    window, picture = Window(pose, layout, 1280, 720), draw(layout, pose)
    dark = in_shade(picture, SHADES["grey"], 40, 20.0)
    assert cast_shade(picture, pose, layout, TRUTH.material, window) is None
    assert cast_shade(dark, pose, layout, TRUTH.material, window) is not None
    assert cast_shade(dark, pose, layout, Material(TRUTH.material.men, None), window) is None
