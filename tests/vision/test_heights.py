"""Heights from strips and shadows: the arithmetic, on beliefs whose answer is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.look import MAX_HEIGHT
from vision.heights import (
    THICKNESSES,
    Shadows,
    Size,
    height_table,
    likely_sizes,
    mean_thickness,
    shadow_table,
)
from vision.mixture import Mixture
from vision.net import PLANES, StackBelief, reader_net, stored_weights
from vision.shadow_net import ShadowBelief, shadow_net

ANY = np.full(len(THICKNESSES), 1 / len(THICKNESSES))


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
    rise = Mixture(weight, middle, np.full_like(middle, spread))
    return StackBelief(zeros, zeros, places, rise, count, code, view)


def shadows(lengths: list[float], reach: float) -> Shadows:
    """What a good network says of shadows so many diameters long under a lamp thought to give such a `reach`."""
    n, code = len(lengths), len(stored_weights()["h.g1.bias"])
    middle = np.array(lengths, np.float32).reshape(n, 1)
    length = Mixture(np.zeros((n, 1), np.float32), middle, np.full((n, 1), 0.02, np.float32))
    belief = ShadowBelief(length, np.zeros((n, code), np.float32), np.zeros((n, 8), np.float32))
    return Shadows(belief, np.full(n, reach))


def spread(sizes: tuple[Size, ...]) -> float:
    """Standard deviation of the thickness."""
    mean = mean_thickness(sizes)
    return float(np.sqrt(sum(size.weight * (size.thickness - mean) ** 2 for size in sizes)))


def test_density_is_greatest_at_the_top_and_sums_to_about_one() -> None:
    """Over all places where a top can be, apart from the little that is kept for anywhere."""
    places = np.linspace(0.0, 2.5, 2001)
    density = np.exp(belief([0.8]).rise.log_density(places[None]))[0]
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
    for known in (np.array(heights), None):
        sizes = likely_sizes(THICKNESSES, ANY, stacks, None, deep, known)
        assert sum(size.weight for size in sizes) == pytest.approx(1.0)
        assert {size.reach for size in sizes} == {1.0}
        if known is not None:
            assert mean_thickness(sizes) == pytest.approx(thickness, abs=0.01)
            assert sizes[0].thickness == pytest.approx(thickness, abs=0.011)


def test_single_men_tell_the_thickness() -> None:
    """Men that look 0.22 high are thought to be so thick, all the more when many do."""
    few, many = (likely_sizes(THICKNESSES, ANY, belief([0.22] * n), None, np.zeros(n), None) for n in (2, 20))
    assert mean_thickness(many) == pytest.approx(0.22, abs=0.01)
    assert spread(many) < spread(few)


def test_without_stacks_every_thickness_is_as_likely_as_before() -> None:
    """An empty board says nothing."""
    prior = np.linspace(1, 2, len(THICKNESSES))
    sizes = likely_sizes(THICKNESSES, prior / prior.sum(), belief([]), None, np.zeros(0), None)
    assert mean_thickness(sizes) == pytest.approx(float(THICKNESSES @ prior / prior.sum()), abs=2e-3)


@settings(deadline=None)
@given(st.sampled_from([0.21, 0.25, 0.29]), st.sampled_from([0.7, 1.0, 1.3]))
def test_stacks_of_known_height_tell_how_far_shadows_reach(thickness: float, longer: float) -> None:
    """Thickness and reach together, when the lamp stands lower or higher than was thought."""
    heights = np.array([1, 1, 1, 2, 2, 3, 4, 1, 2])
    seen = shadows([float(h) * thickness * 0.8 * longer for h in heights], 0.8)
    sizes = likely_sizes(THICKNESSES, ANY, belief([h * thickness for h in heights]), seen, np.zeros(9), heights)
    assert mean_thickness(sizes) == pytest.approx(thickness, abs=0.012)
    assert sum(size.weight * size.reach for size in sizes) == pytest.approx(longer, rel=0.1)


def test_shadows_give_probabilities_for_every_size() -> None:
    """Of one to eight men, that sum to one."""
    sizes = (Size(0.6, 0.22, 0.9), Size(0.4, 0.25, 1.1))
    table = shadow_table(shadow_net(), shadows([0.2, 0.9, 1.7], 0.8), sizes, np.array([0.0, 0.06, 0.0]))
    assert table.shape == (3, 2, MAX_HEIGHT)
    assert np.exp(table).sum(axis=2) == pytest.approx(np.ones((3, 2)), abs=1e-4)
