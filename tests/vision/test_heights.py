"""Heights from strips: the arithmetic of the mixture, on beliefs whose answer is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.look import MAX_HEIGHT
from vision.heights import THICKNESSES, height_table, log_density, thickness_weights
from vision.net import PLANES, StackBelief, reader_net


def belief(tops: list[float], spread: float = 0.02) -> StackBelief:
    """What a good network says of stacks with tops so many diameters high: the nearest plane, moved to the top."""
    top, n = np.array(tops), len(tops)
    weight = np.full((n, len(PLANES)), -9.0, np.float32)
    weight[np.arange(n), np.abs(PLANES - top.reshape(n, 1)).argmin(axis=1)] = 0.0
    weight -= np.logaddexp.reduce(weight, axis=1, keepdims=True)
    middle = np.repeat(top.reshape(n, 1), len(PLANES), axis=1).astype(np.float32)
    count = np.full((n, MAX_HEIGHT), -np.log(MAX_HEIGHT), np.float32)
    zeros, places, code = np.zeros(n, np.float32), np.zeros((n, 2), np.float32), np.zeros((n, 96), np.float32)
    view = np.zeros((n, 5), np.float32)
    return StackBelief(zeros, zeros, places, weight, middle, np.full_like(middle, spread), count, code, view)


def test_density_is_greatest_at_the_top_and_sums_to_about_one() -> None:
    """Over all places where a top can be, apart from the little that is kept for anywhere."""
    places = np.linspace(0.0, 2.5, 2001)
    density = np.exp(log_density(belief([0.8]), places[None]))[0]
    assert places[density.argmax()] == pytest.approx(0.8, abs=0.01)
    assert density.sum() * (places[1] - places[0]) == pytest.approx(1.0, abs=0.05)


def test_probabilities_of_heights_sum_to_one() -> None:
    """For every thickness, whatever the network says."""
    table = height_table(reader_net(), belief([0.3, 1.1]), THICKNESSES, np.array([0.0, 0.06]))
    assert table.shape == (2, len(THICKNESSES), MAX_HEIGHT)
    assert np.exp(table).sum(axis=2) == pytest.approx(np.ones((2, len(THICKNESSES))), abs=1e-4)


@settings(deadline=None)
@given(
    st.sampled_from([0.21, 0.23, 0.26, 0.28]),
    st.lists(st.integers(1, 4), min_size=8, max_size=20),
    st.sampled_from([0.0, 0.06]),
)
def test_many_stacks_tell_the_thickness(thickness: float, heights: list[int], sunk: float) -> None:
    """The weights gather about the truth, with disks beneath the men or without, the more when heights are known."""
    stacks = belief([h * thickness - sunk for h in heights], 0.01)
    deep = np.full(len(heights), sunk)
    known, guessed = thickness_weights(stacks, deep, np.array(heights)), thickness_weights(stacks, deep, None)
    assert known.sum() == pytest.approx(1.0) == guessed.sum()
    assert known @ THICKNESSES == pytest.approx(thickness, abs=0.01)
    at = int(np.abs(THICKNESSES - thickness).argmin())
    assert known[at] >= known.max() - 1e-9


def test_single_men_tell_the_thickness() -> None:
    """Men that look 0.22 high are thought to be so thick, all the more when many do."""
    few, many = (thickness_weights(belief([0.22] * n), np.zeros(n), None) for n in (2, 20))
    assert many @ THICKNESSES == pytest.approx(0.22, abs=0.01)
    assert many.max() > few.max()


def test_without_stacks_every_thickness_is_as_likely() -> None:
    """An empty board says nothing."""
    weights = thickness_weights(belief([]), np.zeros(0), None)
    assert weights == pytest.approx(np.full(len(THICKNESSES), 1 / len(THICKNESSES)))
