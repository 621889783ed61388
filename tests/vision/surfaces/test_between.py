"""What the board looks like between disks."""

import numpy as np
import pytest

from engine.layout import named_layout
from tests.vision.drawn_board import camera, draw
from vision.light import Light
from vision.surfaces.between import between_disks

LAYOUT = named_layout("hexhex-4")
GREEN, BEIGE = (70, 120, 66), (150, 190, 214)
WHITE = Light((255.0, 255.0, 255.0))
EVERY = np.ones(len(LAYOUT.names), bool)


@pytest.mark.parametrize("tilt_deg", [0, 15, 30, 45])
def test_a_board_whose_cells_all_have_disks(tilt_deg: float) -> None:
    """Its green shows at the cells' corners only."""
    pose = camera(LAYOUT, tilt_deg, 20.0)
    image = draw(LAYOUT, pose, GREEN, BEIGE, every=10**6)
    seen = between_disks(image, pose, LAYOUT, EVERY, WHITE, np.array(BEIGE) / 255)
    assert seen == pytest.approx(np.array(GREEN) / 255, abs=0.04)


def test_too_little_to_tell() -> None:
    """One open cell, or disks of unknown colour."""
    pose = camera(LAYOUT, 20.0)
    image = draw(LAYOUT, pose, GREEN, BEIGE)
    one = np.arange(len(EVERY)) == 0
    unknown = np.full(3, np.nan)
    assert np.isnan(between_disks(image, pose, LAYOUT, one, WHITE, np.array(BEIGE) / 255)).all()
    assert np.isnan(between_disks(image, pose, LAYOUT, EVERY, WHITE, unknown)).all()
