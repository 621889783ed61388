"""Spare men beside the board: where they are."""

import cv2
import numpy as np
import pytest

from engine.layout import layout_of, named_layout
from tests.footage_places import SAMPLES
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.film_truth import FilmTruth
from vision.finding.find import NotFound, find_board
from vision.finding.spares import spare_tops

LAYOUT = named_layout("hexhex-4")
MAN_MM, RED, BEIGE = 28.0, (40, 30, 170), (150, 190, 214)
WHITE, BLUE, GREY = (215, 225, 230), (150, 76, 36), (110, 104, 100)


@pytest.mark.parametrize(("tilt_deg", "times"), [(8, 1), (25, 1), (45, 1), (25, 3)])
def test_tops_of_spare_men_are_found(tilt_deg: float, times: int) -> None:
    """Where they are, in a picture three times as large, too; disks, what is smaller than men and what lies on the
    board are left out."""
    pose = camera(LAYOUT, tilt_deg, room=1.8)
    image = draw(LAYOUT, pose)
    spares = [(210.0, 30.0), (-215.0, -60.0), (-220.0, 90.0)]
    for place in spares:
        draw_round(image, pose, place, MAN_MM, 7.0, RED)
    draw_round(image, pose, (210.0, -60.0), 35.0, 1.8, BEIGE)
    draw_round(image, pose, (-215.0, 20.0), 18.0, 1.8, RED)
    draw_round(image, pose, LAYOUT.centres_mm[0], MAN_MM, 7.0, RED)
    size = times * pose.lens.width_px, times * pose.lens.height_px
    found = spare_tops(cv2.resize(image, size).astype(np.uint8), pose.resized(*size), LAYOUT, MAN_MM)
    camera_mm = pose.camera_mm
    tops = camera_mm[:2] + (np.array(spares) - camera_mm[:2]) * camera_mm[2] / (camera_mm[2] - 7.0)
    apart = np.linalg.norm(found[:, None] - tops, axis=2)
    assert len(found) == len(tops)
    assert (apart.min(axis=0) < 0.08 * MAN_MM).all()


def test_an_empty_table_has_no_spares() -> None:
    """Nothing round beside the board, nothing found."""
    pose = camera(LAYOUT, 25)
    assert spare_tops(draw(LAYOUT, pose), pose, LAYOUT, MAN_MM).shape == (0, 2)
    blank = np.full((pose.lens.height_px, pose.lens.width_px, 3), 90, np.uint8)
    assert spare_tops(blank, pose, LAYOUT, MAN_MM).shape == (0, 2)


def test_spare_men_of_the_sample_film_are_found() -> None:
    """Seven of the eight piles whose tops can be seen are, at least six are asked for."""
    truth = FilmTruth(SAMPLES / "sample.mp4")
    frame, layout = truth.frame(6), layout_of(truth.board)
    found = find_board(frame, layout, None, truth.material)
    assert not isinstance(found, NotFound)
    assert len(spare_tops(frame, found.pose, layout, 0.75 * layout.pitch_mm)) >= 6
