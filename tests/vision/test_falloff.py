"""From where the light comes by how it falls off, on boards lit by computation."""

import numpy as np
import pytest

from engine.board import hexhex
from engine.layout import layout_of
from tests.vision.test_read import sample
from vision.evidence import Shot, look_at_falloff, look_at_feet, look_at_stacks
from vision.falloff import told_by_falloff
from vision.geometry import Floats
from vision.lamp import BEARINGS
from vision.learn import learn_table

LAYOUT = layout_of(hexhex(4))
CENTRES = np.asarray(LAYOUT.centres_mm)
KIND = np.arange(len(CENTRES)) % 3


def lamp_mm(bearing: float, reach: float, far_mm: float) -> Floats:
    """Where a lamp is whose shadows fall towards `bearing` (radians)."""
    z = far_mm / np.hypot(1, reach)
    return np.array([-z * reach * np.cos(bearing), -z * reach * np.sin(bearing), z])


def lit(lamp: Floats, everywhere: float) -> Floats:
    """The light on each cell, place by place as the books have it: cosines at both ends over the squared distance."""
    light = []
    for x, y in CENTRES:
        way = lamp - np.array([x, y, 0.0])
        far = float(np.linalg.norm(way))
        down, facing = way[2] / far, way @ lamp / far / np.linalg.norm(lamp)
        light.append(down * facing / far**2)
    straight = lamp[2] / np.linalg.norm(lamp) ** 3
    return everywhere + np.array(light) / straight


def off_axis() -> Floats:
    """A camera straight above that shows the board in three quarters of its picture."""
    return np.asarray((CENTRES**2).sum(axis=1) / (CENTRES**2).sum(axis=1).max() * 0.56)


def off_deg(told: Floats, bearing: float) -> float:
    """How far the likeliest direction is from the true one, in degrees."""
    best = BEARINGS[np.argmax(told)]
    return abs(float(np.degrees((best - bearing + np.pi) % (2 * np.pi) - np.pi)))


def test_the_direction_is_found() -> None:
    """200 boards of three colours, whose cells differ by a hundredth, with dark or bright corners, and four of 37 cells
    in shadow: off by less than 3° in the median and seldom by 8°; the true one is seldom unlikely."""
    random = np.random.default_rng(0)
    off, true = [], []
    for _ in range(200):
        bearing, reach, far_mm = random.uniform(0, 2 * np.pi), random.uniform(0.4, 1.2), random.uniform(900, 1500)
        light = lit(lamp_mm(bearing, reach, far_mm), random.uniform(0.1, 0.6)) * np.array([0.7, 0.2, 0.05])[KIND]
        light *= np.exp(random.uniform(-0.1, 0.1) * off_axis() + random.normal(0, 0.01, len(light)))
        light[random.permutation(len(light))[:4]] *= 0.5
        told = told_by_falloff(CENTRES, KIND, light, off_axis(), LAYOUT.pitch_mm)
        off.append(off_deg(told, bearing))
        true.append(np.interp(bearing, BEARINGS, told, period=2 * np.pi))
    assert np.median(off) < 3
    assert np.quantile(off, 0.95) < 8
    assert np.quantile(true, 0.05) > -0.6


def test_dark_corners_alone_are_no_lamp() -> None:
    """Part of a picture grows dark towards its corner: if lenses do that, light may come from here or from there."""
    seen = ((CENTRES / np.abs(CENTRES).max() * 0.25 + [0.5, 0.4]) ** 2).sum(axis=1)
    dark = np.exp(-0.06 * seen)
    opposite = (np.arange(len(BEARINGS)) + len(BEARINGS) // 2) % len(BEARINGS)
    by_lens = told_by_falloff(CENTRES, KIND, dark, seen, LAYOUT.pitch_mm)
    by_lamp = told_by_falloff(CENTRES, KIND, dark, 0 * seen, LAYOUT.pitch_mm)
    assert np.abs(by_lens - by_lens[opposite]).max() < 0.5
    assert np.abs(by_lamp - by_lamp[opposite]).max() > 2


def test_even_light_and_few_cells_tell_nothing() -> None:
    """Every direction is as likely."""
    even = told_by_falloff(CENTRES, KIND, np.ones(len(CENTRES)), off_axis(), LAYOUT.pitch_mm)
    assert np.ptp(even) < 0.5
    few = lit(lamp_mm(1.0, 1.0, 1000), 0.2)[:12]
    assert told_by_falloff(CENTRES[:12], KIND[:12], few, off_axis()[:12], LAYOUT.pitch_mm) == pytest.approx(0)


def test_the_sample_film_tells_it_without_shadows() -> None:
    """It was rendered with a lamp whose shadows fall towards −95° on the board."""
    truth, layout, pose, first = sample()
    table = learn_table(first, pose, layout, truth.material)
    shot = Shot(first, pose, layout)
    seen = look_at_stacks(shot, table, look_at_feet(shot, table, shot.feet(table)), None)
    assert seen is not None
    assert off_deg(look_at_falloff(shot, table, seen), np.radians(-94.8)) < 15
