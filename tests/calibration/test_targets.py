"""The targets to print are the ones that OpenCV knows, and the markers keep clear of the cells."""

from math import hypot, sqrt

import cv2
import numpy as np
import pytest

from calibration.targets import CHARUCO, CharucoTarget, charuco_squares, marker_bits, marker_places, parse_target
from engine.layout import named_layout

SCALE = 8


def _painted(target: CharucoTarget) -> np.ndarray:
    """The target as a picture, 8 pixels to the millimetre."""
    width, height = (round(v * SCALE) for v in target.size_mm)
    picture = np.full((height, width), 255, np.uint8)
    squares, markers = charuco_squares(target)
    side = round(target.square_mm * SCALE)
    for x, y in squares:
        picture[round(y * SCALE) :, round(x * SCALE) :][:side, :side] = 0
    side = round(target.marker_mm * SCALE)
    for marker_id, (x, y) in markers:
        bits = np.where(marker_bits(target.dictionary, marker_id), 0, 255).astype(np.uint8)
        marker = cv2.resize(bits, (side, side), interpolation=cv2.INTER_NEAREST)
        picture[round(y * SCALE) :, round(x * SCALE) :][:side, :side] = marker
    return picture


@pytest.mark.parametrize("target", [CHARUCO, CharucoTarget(5, 7, 30.0, 22.5, "DICT_5X5_100")])
def test_target_is_opencvs_charuco_board(target: CharucoTarget) -> None:
    """Pixel for pixel OpenCV's own drawing of the board, but for the rounding at the edges of modules."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, target.dictionary))
    board = cv2.aruco.CharucoBoard((target.columns, target.rows), target.square_mm, target.marker_mm, dictionary)
    mine = _painted(target)
    theirs = board.generateImage((mine.shape[1], mine.shape[0]), marginSize=0)
    assert (mine != theirs).mean() < 0.01


@pytest.mark.parametrize("name", ["hexhex-3", "hexhex-5", "hexhex-8", "modular-7", "diamond-6"])
def test_marker_places(name: str) -> None:
    """Counter-clockwise from the lower left, on a rectangle, their white borders clear of every cell."""
    layout = named_layout(name)
    (_, a), (_, b), (_, c), (_, d) = places = marker_places(layout, 30.0)
    assert [i for i, _ in places] == [0, 1, 2, 3]
    assert a[0] == d[0] < b[0] == c[0]
    assert a[1] == b[1] < c[1] == d[1]
    border = 30.0 * (0.5 + 1 / 6)
    for _, (x, y) in places:
        for px, py in layout.centres_mm:
            gap = hypot(max(abs(x - px) - border, 0), max(abs(y - py) - border, 0))
            assert gap >= layout.pitch_mm / sqrt(3) - 1e-9


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("4", "DICT_4X4_50", 50.0, 30.0), "4x5"),
        (("2x5", "DICT_4X4_50", 50.0, 30.0), "2x5"),
        (("4x5", "DICT_9X9", 50.0, 30.0), "DICT_9X9"),
        (("4x5", "DICT_4X4_50", 50.0, 50.0), "50.0 mm"),
    ],
)
def test_a_target_that_cannot_be(words: tuple[str, str, float, float], says: str) -> None:
    """A wrong target is refused with the word that is wrong."""
    with pytest.raises(ValueError, match=says):
        parse_target(*words)
