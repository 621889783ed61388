"""Spare men beside the board: where they are, and what they tell of the men's thickness."""

import numpy as np
import pytest

from engine.layout import layout_of, named_layout
from tests.footage_places import SAMPLES
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.film_truth import FilmTruth
from vision.find import NotFound, find_board
from vision.geometry import BoardPose, Floats
from vision.learn import learn_table
from vision.picture import Picture
from vision.spares import spare_tops

LAYOUT = named_layout("hexhex-4")
MAN_MM, RED, BEIGE = 28.0, (40, 30, 170), (150, 190, 214)


@pytest.mark.parametrize("tilt_deg", [8, 25, 45])
def test_tops_of_spare_men_are_found(tilt_deg: float) -> None:
    """Where they are; disks, what is smaller than men and what lies on the board are left out."""
    pose = camera(LAYOUT, tilt_deg, room=1.8)
    image = draw(LAYOUT, pose)
    spares = [(210.0, 30.0), (-215.0, -60.0), (-220.0, 90.0)]
    for place in spares:
        draw_round(image, pose, place, MAN_MM, 7.0, RED)
    draw_round(image, pose, (210.0, -60.0), 35.0, 1.8, BEIGE)
    draw_round(image, pose, (-215.0, 20.0), 18.0, 1.8, RED)
    draw_round(image, pose, LAYOUT.centres_mm[0], MAN_MM, 7.0, RED)
    found = spare_tops(image, pose, LAYOUT, MAN_MM)
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


def test_spare_men_of_the_sample_film_tell_the_thickness() -> None:
    """With the table about the board painted over it is known less well."""
    truth = FilmTruth(SAMPLES / "sample.mp4")
    frame = truth.frame(6)
    layout = layout_of(truth.board)
    found = find_board(frame, layout, None, truth.material)
    assert not isinstance(found, NotFound)
    assert len(spare_tops(frame, found.pose, layout, 0.75 * layout.pitch_mm)) >= 6
    alone = _without_surroundings(frame, found.pose, np.array(layout.centres_mm), layout.pitch_mm)
    with_spares, without = (learn_table(i, found.pose, layout, truth.material) for i in (frame, alone))
    assert with_spares.thickness_spread() < 0.8 * without.thickness_spread()
    off = [abs(t.man_thickness_mm / t.man_diameter_mm - truth.man_ratio) for t in (with_spares, without)]
    assert off[0] < off[1]


def _without_surroundings(image: Picture, pose: BoardPose, centres_mm: Floats, pitch_mm: float) -> Picture:
    """The picture with everything painted over that is not on the board."""
    height, width = image.shape[:2]
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    places = pose.unproject(np.stack([columns, rows], axis=-1).reshape(-1, 2).astype(np.float64))
    apart = np.min([np.linalg.norm(places - centre, axis=1) for centre in centres_mm], axis=0)
    out = image.copy()
    out[(apart > 0.75 * pitch_mm).reshape(height, width)] = np.median(image[-20:, :200], axis=(0, 1))
    return out
