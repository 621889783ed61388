"""Heights from tops: the arithmetic of the mixture, on beliefs whose answer is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.look import MAX_HEIGHT
from vision.heights import THICKNESSES, height_table, log_density, thickness_weights
from vision.net import TopBelief

#: Planes lie a quarter of a diameter apart.
SPACING = 0.25


def belief(tops: list[float], spread: float = 0.1) -> TopBelief:
    """What a good network says of stacks with tops so many spacings high: the nearest plane, and the rest as rise."""
    top = np.array(tops)
    n, planes = len(tops), MAX_HEIGHT + 1
    nearest = np.clip(np.rint(top), 1, MAX_HEIGHT).astype(int)
    score = np.full((n, planes), -9.0, np.float32)
    score[np.arange(n), nearest] = 0.0
    rise = np.repeat((top - nearest)[:, None], planes, axis=1).astype(np.float32)
    flat = np.zeros((n, planes), np.float32)
    return TopBelief(score, rise, flat, np.zeros((n, planes, 2), np.float32), np.full((n, planes), spread, np.float32))


def test_density_is_greatest_at_the_top_and_sums_to_about_one() -> None:
    """Over all places where a top can be, apart from the little that is kept for anywhere."""
    places = np.linspace(0.0, 10.0, 2001)
    density = np.exp(log_density(belief([3.2]), places[None]))[0]
    assert places[density.argmax()] == pytest.approx(3.2, abs=0.01)
    assert density.sum() * (places[1] - places[0]) == pytest.approx(1.0, abs=0.05)


@given(st.integers(1, MAX_HEIGHT - 1), st.sampled_from(THICKNESSES.tolist()))
def test_the_height_is_found_when_the_thickness_is_known(height: int, thickness: float) -> None:
    """The top of h men of that thickness is read as h men, with a disk beneath them or without."""
    top = height * thickness / SPACING
    if top > MAX_HEIGHT + 0.4:
        return
    disk = 0.2
    table = height_table(belief([top, max(0.6, top - disk)]), np.array([thickness / SPACING]), np.array([0.0, disk]))
    assert table[0, 0].argmax() + 1 == height
    if top - disk >= 0.6:
        assert table[1, 0].argmax() + 1 == height


@settings(deadline=None)
@given(st.sampled_from([0.21, 0.23, 0.26, 0.28]), st.lists(st.integers(1, 4), min_size=8, max_size=20))
def test_many_stacks_tell_the_thickness(thickness: float, heights: list[int]) -> None:
    """The weights gather about the truth, the more when the heights are known."""
    stacks = belief([h * thickness / SPACING for h in heights], 0.08)
    table = height_table(stacks, THICKNESSES / SPACING, np.zeros(len(heights)))
    known = thickness_weights(table, np.array(heights))
    guessed = thickness_weights(table, None)
    assert known.sum() == pytest.approx(1.0) == guessed.sum()
    assert known @ THICKNESSES == pytest.approx(thickness, abs=0.02)
    at = int(np.abs(THICKNESSES - thickness).argmin())
    assert known[at] >= known.max() - 1e-9


def test_without_stacks_every_thickness_is_as_likely() -> None:
    """An empty board says nothing."""
    weights = thickness_weights(np.zeros((0, len(THICKNESSES), MAX_HEIGHT)), None)
    assert weights == pytest.approx(np.full(len(THICKNESSES), 1 / len(THICKNESSES)))
