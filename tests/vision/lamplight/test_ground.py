"""Places on the ground show what lies there, and nothing else, on drawn boards."""

import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import SURFACES, Surface
from tests.vision.drawn_board import camera, draw, draw_round
from vision.lamplight.ground import GroundMaps
from vision.lamplight.lamp import Lamp
from vision.surfaces.disks import Disks, measure_disks

LAYOUT = named_layout("hexhex-4")
N = len(LAYOUT.names)
DISK_MM = 0.045 * LAYOUT.pitch_mm
LAMP = Lamp(-520.0, 430.0, 700.0, 40.0)
BARE, BEIGE, DARK = (SURFACES.index(kind) for kind in (Surface.BARE, Surface.BEIGE, Surface.DARK))
COLOURS = {BARE: (70, 120, 66), BEIGE: (150, 190, 214), DARK: (40, 50, 70)}
SHADOW = (20, 40, 20)
SURFACE = np.array([(BEIGE, BEIGE, DARK, BARE)[i % 4] for i in range(N)])


def _board(tilt_deg: float) -> tuple[np.ndarray, GroundMaps]:
    """Disks a little beside their cells' middles, with their shadows, on cells with dark lines between them."""
    pose, random = camera(LAYOUT, tilt_deg), np.random.default_rng(2)
    image = draw(LAYOUT, pose, cell=COLOURS[BARE], disk=None, noise=0)
    disks = [(np.array(c) + random.uniform(-0.6, 0.6, 2), k) for c, k in zip(LAYOUT.centres_mm, SURFACE, strict=True)]
    disks = [(middle, k) for middle, k in disks if k != BARE]
    for middle, _ in disks:
        x, y = middle + (middle - [LAMP.x_mm, LAMP.y_mm]) * DISK_MM / LAMP.z_mm
        draw_round(image, pose, (x, y), 0.88 * LAYOUT.pitch_mm, 0.0, SHADOW)
    for (x, y), k in disks:
        draw_round(image, pose, (x, y), 0.88 * LAYOUT.pitch_mm, DISK_MM, COLOURS[k])
    return image, GroundMaps(pose, LAYOUT, DISK_MM)


def _light(colour: tuple[int, int, int]) -> np.ndarray:
    return (np.array(colour) / 255) ** 2.2


@pytest.mark.parametrize("tilt_deg", [0, 25, 45])
def test_the_ground_shows_disks_and_bare_cells(tilt_deg: float) -> None:
    """Next to no edge, side or shadow of a disk and no line is among the places, and few others are left out."""
    image, maps = _board(tilt_deg)
    disks = measure_disks(image, camera(LAYOUT, tilt_deg), LAYOUT, DISK_MM, SURFACE, np.ones(N, bool))
    ground = maps.ground(image, SURFACE, np.arange(N), disks)
    step = np.sqrt(0.866 * LAYOUT.pitch_mm**2 * (SURFACE == BARE).sum() / (ground.surface == BARE).sum())
    share = {k: (ground.surface == k).sum() * step**2 / LAYOUT.pitch_mm**2 for k in COLOURS}
    assert share[BEIGE] / (SURFACE == BEIGE).sum() > 0.8 * np.pi * 0.44**2
    assert share[DARK] / (SURFACE == DARK).sum() > 0.8 * np.pi * 0.44**2
    for kind, colour in COLOURS.items():
        off = np.abs(ground.light[ground.surface == kind] - _light(colour)).max(axis=1)
        assert (off > 0.02).mean() < 0.01


@pytest.mark.parametrize("measured", [False, True])
def test_only_sure_places_without_a_look_at_the_disks_and_none_that_are_hidden(measured: bool) -> None:
    """Half of the picture is hidden: nothing of the ground is left there."""
    image, maps = _board(25)
    every, half = np.arange(N), np.zeros(image.shape[:2], bool)
    half[:, : image.shape[1] // 2] = True
    disks: Disks | None = None
    if measured:
        disks = measure_disks(image, camera(LAYOUT, 25), LAYOUT, DISK_MM, SURFACE, np.ones(N, bool))
    whole, shown = (maps.ground(image, SURFACE, every, disks, hidden) for hidden in (None, half))
    assert set(whole.surface.tolist()) == {BARE, BEIGE, DARK}
    for ground in (whole, shown):
        for kind in (BEIGE, DARK):
            off = np.abs(ground.light[ground.surface == kind] - _light(COLOURS[kind])).max(axis=1)
            assert (off > 0.02).mean() < (0.01 if measured else 1e-9)
    left = maps.men(28.0).pose.project(shown.points.astype(np.float64))[:, 0] < image.shape[1] / 2 - 1
    assert not left.any()
    assert 0.4 < len(shown.points) / len(whole.points) < 0.6
    bare = maps.ground(image, SURFACE, np.flatnonzero(SURFACE == BARE), disks)
    assert set(bare.surface.tolist()) == {BARE}
    assert not len(maps.ground(image, SURFACE, every[:0], disks).points)


def test_places_farther_apart_count_for_more() -> None:
    """Twice as far apart there are a quarter as many, which count as much together and show the same."""
    image, maps = _board(25)
    sparse = GroundMaps(camera(LAYOUT, 25), LAYOUT, DISK_MM, 2.0)
    every, few = (m.ground(image, SURFACE, np.arange(N), None) for m in (maps, sparse))
    assert (every.worth, few.worth) == (1.0, 4.0)
    for kind in (BARE, BEIGE, DARK):
        here, there = (ground.light[ground.surface == kind] for ground in (every, few))
        assert 0.9 < few.worth * len(there) / len(here) < 1.1
        assert np.abs(here.mean(axis=0) - there.mean(axis=0)).max() < 0.005


def test_larger_pictures_have_hardly_more_places() -> None:
    """A telephone's picture, four times as wide, says no more of the light than one in which cells are large."""
    pose = camera(LAYOUT, 25)
    lens = pose.lens
    counts = []
    for times in (1, 4, 8):
        larger = pose.resized(times * lens.width_px, times * lens.height_px)
        image = np.full((larger.lens.height_px, larger.lens.width_px, 3), 90, np.uint8)
        maps = GroundMaps(larger, LAYOUT, DISK_MM)
        counts.append(len(maps.ground(image, np.full(N, BARE), np.arange(N), None).points))
    assert counts[1] < 6 * counts[0]
    assert counts[1] == counts[2]
