"""What is remembered of a board, seen from another place."""

import cv2
import numpy as np
import pytest

from engine.layout import Layout, parse_layout
from tests.footage_places import SAMPLES
from tests.vision.film_truth import FilmTruth
from tests.vision.truthful_eye import turned_pose
from vision.finding.find import FoundBoard
from vision.following.board_light import BoardLight
from vision.following.difference import estimate_gains
from vision.memory import Memory, View
from vision.reading.learn import learn_table
from vision.reading.read import CellReader

TRUTH = FilmTruth(SAMPLES / "sample.mp4")
_THREE = parse_layout('name = "three"\n[points_mm]\na = [-40.0, 0.0]\nb = [0.0, 0.0]\nc = [40.0, 0.0]\n', "three.toml")


@pytest.mark.parametrize("layout", [TRUTH.layout, _THREE], ids=["hexagon", "three points in a row"])
@pytest.mark.parametrize(("angle_deg", "scale"), [(8.0, 1.0), (-60.0, 0.8), (170.0, 0.9)])
def test_the_reference_is_laid_onto_another_place_of_the_board(layout: Layout, angle_deg: float, scale: float) -> None:
    """There it looks as the window shows the turned picture, and tells how much darker a darker one is."""
    image, matrix = TRUTH.frame(6), cv2.getRotationMatrix2D((480, 270), angle_deg, scale)
    darker = 0.6 * cv2.warpAffine(image, matrix, (960, 540)).astype(np.float64)
    here, there = (
        View.of(FoundBoard(pose, 0.1, 1.0), layout) for pose in (TRUTH.pose(), turned_pose(TRUTH.pose(), matrix))
    )
    reader = CellReader(TRUTH.pose(), TRUTH.layout, learn_table(image, TRUTH.pose(), TRUTH.layout, TRUTH.material))
    seen = Memory(here, reader, here.window.sample(image), BoardLight()).seen_from(there, layout)
    sample = there.window.sample(darker.astype(np.uint8))
    assert estimate_gains(sample, seen) == pytest.approx((0.6, 0.6, 0.6), abs=0.03)
    on_board = there.window.board > 0
    assert np.median(np.abs(sample - 0.6 * seen)[on_board]) < 8
