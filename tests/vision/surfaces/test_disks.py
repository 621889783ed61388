"""Disks' circles are found in drawn pictures, wherever on their cells the disks lie."""

import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import SURFACES, Surface
from tests.vision.drawn_board import camera, draw, draw_round
from vision.surfaces.disks import measure_disks

LAYOUT = named_layout("hexhex-4")
DISK_MM = 0.045 * LAYOUT.pitch_mm
EVERY = np.arange(len(LAYOUT.names))
BEIGE = np.full(len(EVERY), SURFACES.index(Surface.BEIGE))


@pytest.mark.parametrize("tilt_deg", [0, 20, 40])
@pytest.mark.parametrize("width", [0.84, 0.89])
def test_radius_and_middles_are_measured(tilt_deg: float, width: float) -> None:
    """To a hundredth of the pitch, of disks up to a millimetre beside their cells' middles; to two where men hide some
    of the edge."""
    pose, random = camera(LAYOUT, tilt_deg), np.random.default_rng(1)
    image = draw(LAYOUT, pose, disk=None)
    off = random.uniform(-0.7, 0.7, (len(EVERY), 2))
    middles = np.array(LAYOUT.centres_mm) + off
    for middle in middles:
        draw_round(image, pose, (middle[0], middle[1]), width * LAYOUT.pitch_mm, DISK_MM, (150, 190, 214))
    empty = EVERY % 9 > 0
    for x, y in np.array(LAYOUT.centres_mm)[~empty]:
        draw_round(image, pose, (x, y), 0.7 * LAYOUT.pitch_mm, DISK_MM + 8.0, (40, 40, 160))
    disks = measure_disks(image, pose, LAYOUT, DISK_MM, BEIGE, empty)
    assert disks is not None
    assert disks.radius_mm == pytest.approx(width / 2 * LAYOUT.pitch_mm, abs=0.01 * LAYOUT.pitch_mm)
    measured = disks.aside_mm == 0
    assert measured[empty].all()
    apart = np.linalg.norm(disks.middles_mm - middles, axis=1) / LAYOUT.pitch_mm
    assert apart[empty].max() < 0.01
    assert apart[measured].max() < 0.02
    assert np.array_equal(disks.middles_mm[~measured], np.array(LAYOUT.centres_mm)[~measured])
    turned = np.where(EVERY == 3, SURFACES.index(Surface.DARK), BEIGE)
    now = disks.now(turned, np.array(LAYOUT.centres_mm))
    assert np.array_equal(now.middles_mm[3], LAYOUT.centres_mm[3])
    assert now.aside_mm[3] > 0
    others = EVERY[EVERY != 3]
    assert np.array_equal(now.of(others).middles_mm, disks.of(others).middles_mm)
    assert np.array_equal(now.of(others).aside_mm, disks.of(others).aside_mm)


def test_a_board_without_disks_has_none() -> None:
    """Lines between cells are not taken for edges of disks, and of no cells there are no disks."""
    pose = camera(LAYOUT, 20)
    image = draw(LAYOUT, pose, disk=None)
    empty, bare = np.ones(len(EVERY), bool), np.full(len(EVERY), SURFACES.index(Surface.BARE))
    assert measure_disks(image, pose, LAYOUT, DISK_MM, BEIGE, empty) is None
    assert measure_disks(image, pose, LAYOUT, DISK_MM, bare, empty) is None
