"""Heights from strips, shadows and rims: the arithmetic, on beliefs whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.look import MAX_HEIGHT
from vision.men.heights import (
    FIT,
    FIT_OF_MEN,
    MET,
    NO_AGREEMENT,
    THICKNESSES,
    Fits,
    Lit,
    Rims,
    Shadows,
    Size,
    Strips,
    agreement,
    fit_of_men,
    fit_table,
    likeliest_sizes,
    likely_sizes,
    mean_growth,
    mean_reach,
    mean_thickness,
    read_strips,
    rim_table,
    shadow_table,
)
from vision.networks.height_net import HeightBelief, HeightNet
from vision.networks.mixture import MET_AT, Mixture
from vision.networks.net import PLANES, StackBelief, reader_net, stored_weights
from vision.networks.shadow_net import ShadowBelief, shadow_net

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
    return StackBelief(zeros, places, rise, count, code, view)


def strips(tops: list[float], sunk: float = 0.0, spread: float = 0.02) -> Strips:
    """What good networks say of stacks with tops so many diameters above the disks, `sunk` below which they stand."""
    at = THICKNESSES[:, None] * np.arange(1, MAX_HEIGHT + 1) - sunk
    density = -0.5 * ((at - np.array(tops).reshape(-1, 1, 1)) / spread) ** 2
    votes = np.logaddexp.reduce(density + MET, axis=2)
    return Strips(votes, density + MET - votes[..., None])


def shadows(lengths: list[float], reach: float) -> tuple[Shadows]:
    """What a good network says of shadows so many diameters long under a lamp thought to give such a `reach`."""
    n, code = len(lengths), len(stored_weights()["h.g1.bias"])
    middle = np.array(lengths, np.float32).reshape(n, 1)
    length = Mixture(np.zeros((n, 1), np.float32), middle, np.full((n, 1), 0.02, np.float32))
    belief = ShadowBelief(length, np.zeros((n, code), np.float32), np.zeros((n, 8), np.float32))
    return (Shadows(shadow_net(), belief, np.full(n, reach)),)


def rims(tops: list[float], wider: float, camera: float = 20.0, spread: float = 0.004) -> Rims:
    """What a good network says of tops so many diameters high, of men `wider` than they are taken for (logarithm)."""
    middle = (wider + np.log(camera / (camera - np.array(tops)))).astype(np.float32).reshape(-1, 1)
    return Rims(Mixture(np.zeros_like(middle), middle, np.full_like(middle, spread)), camera, 0.02)


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
    table = reader_net().heights(belief([0.3, 1.1]), THICKNESSES, np.array([0.0, 0.06]))
    assert table.shape == (2, len(THICKNESSES), MAX_HEIGHT)
    assert np.exp(table).sum(axis=2) == pytest.approx(np.ones((2, len(THICKNESSES))), abs=1e-4)


def test_what_was_met_often_in_training_counts_for_less() -> None:
    """A strip and a shadow that say the same of two heights favour the one of which training had fewer."""
    strip, shadow = belief([0.5], spread=3.0), shadows([0.4], 0.8)[0]
    vague = replace(shadow.belief, length=replace(shadow.belief.length, spread=np.full((1, 1), 3.0, np.float32)))
    usual, strange = 0.2, 2.6
    stored = stored_weights()
    for name, told in (
        ("s.met", reader_net().rises(strip, np.array([[usual, strange]]))),
        ("h.met", shadow_net().lengths(vague, np.array([[0.8 * usual, 0.8 * strange]]), shadow.reach)),
    ):
        often = np.interp([usual, strange], MET_AT, stored[name])
        assert often[0] > often[1] + 1
        assert told[0, 1] - told[0, 0] == pytest.approx(often[0] - often[1], abs=0.5)


def test_strips_vote_on_the_thickness() -> None:
    """Single men as the network sees them, all 0.22 high: 0.31 is not what they are; heights are probabilities."""
    told = read_strips(reader_net(), belief([0.22] * 5), THICKNESSES, np.zeros(5))
    assert told.votes.shape == (5, len(THICKNESSES))
    assert THICKNESSES[told.votes.sum(axis=0).argmax()] < 0.29
    assert np.exp(told.heights).sum(axis=2) == pytest.approx(np.ones((5, len(THICKNESSES))), abs=1e-4)


def test_sides_vote_on_the_thickness_too() -> None:
    """What sides say is added to what strips say."""
    sides = np.where(THICKNESSES[2] == THICKNESSES, 0.0, -4.0) * np.ones((5, 1))
    alone, both = (read_strips(reader_net(), belief([0.22] * 5), THICKNESSES, np.zeros(5), s) for s in (None, sides))
    assert both.votes.sum(axis=0).argmax() == 2
    share = (both.votes - alone.votes)[sides < 0] / -4.0
    assert share == pytest.approx(np.full(len(share), share[0]))
    assert share[0] > 0.3
    assert both.heights == pytest.approx(alone.heights)


@settings(deadline=None)
@given(
    st.sampled_from([0.21, 0.23, 0.26, 0.28]),
    st.lists(st.integers(1, 4), min_size=8, max_size=20),
    st.sampled_from([0.0, 0.06]),
)
def test_many_stacks_tell_the_thickness(thickness: float, heights: list[int], sunk: float) -> None:
    """The weights gather about the truth, with disks beneath the men or without, the more when heights are known."""
    stacks = strips([h * thickness - sunk for h in heights], sunk, 0.01)
    deep = np.full(len(heights), sunk)
    for known in (np.array(heights), None):
        sizes = likely_sizes(THICKNESSES, ANY, stacks, (), None, deep, known)
        assert sum(size.weight for size in sizes) == pytest.approx(1.0)
        assert {size.reach for size in sizes} == {1.0}
        if known is not None:
            assert mean_thickness(sizes) == pytest.approx(thickness, abs=0.01)
            assert sizes[0].thickness == pytest.approx(thickness, abs=0.011)


def test_single_men_tell_the_thickness() -> None:
    """Men that look 0.22 high are thought to be so thick, all the more when many do."""
    few, many = (likely_sizes(THICKNESSES, ANY, strips([0.22] * n), (), None, np.zeros(n), None) for n in (2, 20))
    assert mean_thickness(many) == pytest.approx(0.22, abs=0.01)
    assert spread(many) < spread(few)


def test_without_stacks_every_thickness_is_as_likely_as_before() -> None:
    """An empty board says nothing."""
    prior = np.linspace(1, 2, len(THICKNESSES))
    sizes = likely_sizes(THICKNESSES, prior / prior.sum(), strips([]), (), None, np.zeros(0), None)
    assert mean_thickness(sizes) == pytest.approx(float(THICKNESSES @ prior / prior.sum()), abs=2e-3)


@settings(deadline=None)
@given(st.sampled_from([0.21, 0.25, 0.29]), st.sampled_from([0.7, 1.0, 1.3]))
def test_stacks_of_known_height_tell_how_far_shadows_reach(thickness: float, longer: float) -> None:
    """Thickness and reach together, when the lamp stands lower or higher than was thought."""
    heights = np.array([1, 1, 1, 2, 2, 3, 4, 1, 2])
    seen = shadows([float(h) * thickness * 0.8 * longer for h in heights], 0.8)
    stacks = strips([h * thickness for h in heights])
    sizes = likely_sizes(THICKNESSES, ANY, stacks, seen, None, np.zeros(9), heights)
    assert mean_thickness(sizes) == pytest.approx(thickness, abs=0.012)
    assert sum(size.weight * size.reach for size in sizes) == pytest.approx(longer, rel=0.1)


def test_shadows_are_usually_longer_than_the_lamps_place_says() -> None:
    """By a tenth, when no stack tells; and that makes men whose shadows are seen thinner."""
    nothing = likely_sizes(THICKNESSES, ANY, strips([]), shadows([], 0.8), None, np.zeros(0), None)
    assert np.log(mean_reach(nothing)) == pytest.approx(0.1, abs=0.02)
    heights, stacks = np.ones(3, dtype=int), strips([0.25, 0.25, 0.25], spread=0.06)
    sizes = likely_sizes(THICKNESSES, ANY, stacks, shadows([0.2, 0.2, 0.2], 0.8), None, np.zeros(3), heights)
    assert mean_thickness(sizes) < mean_thickness(
        likely_sizes(THICKNESSES, ANY, stacks, (), None, np.zeros(3), heights)
    )


def test_where_nothing_else_tells_men_stand_singly() -> None:
    """Shadows of single men under a low lamp are those of two under a high one; more men stand alone than in pairs."""
    n, thickness, reach = 20, 0.25, 0.4
    nothing = Strips(np.zeros((n, 1)), np.zeros((n, 1, MAX_HEIGHT)))
    seen = shadows([2 * thickness * reach] * n, reach)
    sizes = likely_sizes(np.array([thickness]), np.ones(1), nothing, seen, None, np.zeros(n), None)
    assert mean_reach(sizes) == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("thickness", [0.22, 0.28])
def test_light_tells_how_thick_men_are_and_how_far_shadows_reach(thickness: float) -> None:
    """It is sure of men of one thickness whose shadows are a quarter longer than was thought."""
    heights, deep = np.ones(3, dtype=int), np.zeros(3)
    seen, stacks = shadows([0.2, 0.2, 0.2], 0.8), strips([0.25, 0.25, 0.25], spread=0.04)
    reaches = np.array([0.8, 1.0, 1.25])
    told = np.full((3, len(THICKNESSES), 3, MAX_HEIGHT), -20.0)
    told[:, np.abs(THICKNESSES - thickness).argmin(), 2] = 0.0
    sizes = likely_sizes(THICKNESSES, ANY, stacks, seen, None, deep, heights, Lit(told, reaches, np.zeros(3), 0.0))
    assert mean_thickness(sizes) == pytest.approx(thickness, abs=0.002)
    assert max(sizes, key=lambda size: size.weight).reach == 1.25


def test_light_on_the_open_board_tells_how_far_shadows_reach() -> None:
    """Where the light about the stacks leaves it open."""
    heights, deep = np.ones(3, dtype=int), np.zeros(3)
    seen, stacks = shadows([0.2, 0.2, 0.2], 0.8), strips([0.25, 0.25, 0.25], spread=0.04)
    nothing = np.zeros((3, len(THICKNESSES), 3, MAX_HEIGHT))
    for k, reach in enumerate([0.8, 1.0, 1.25]):
        light = Lit(nothing, np.array([0.8, 1.0, 1.25]), np.where(np.arange(3) == k, 0.0, -30.0), 0.0)
        sizes = likely_sizes(THICKNESSES, ANY, stacks, seen, None, deep, heights, light)
        assert {size.reach for size in sizes} == {reach}


def test_shadows_in_the_light_of_two_lamps_tell_more() -> None:
    """Of stacks whose shadows fall two ways, both of which are seen; and each lamp's tells as much as alone."""
    heights, tops = np.array([1, 2, 4]), [0.25, 0.5, 1.0]
    one, other = (shadows([top * reach for top in tops], reach) for reach in (0.6, 1.1))
    sizes = (Size(1.0, 0.25, 1.0, 0.0),)
    table = shadow_table((*one, *other), sizes, np.zeros(3))
    assert (1 + table[:, 0].argmax(axis=1)).tolist() == heights.tolist()
    assert table == pytest.approx(shadow_table(one, sizes, np.zeros(3)) + shadow_table(other, sizes, np.zeros(3)))
    stacks = strips(tops, spread=0.06)
    spreads = [
        spread(likely_sizes(THICKNESSES, ANY, stacks, s, None, np.zeros(3), heights)) for s in (one, one + other)
    ]
    assert spreads[1] < spreads[0]


def test_shadows_give_probabilities_for_every_size() -> None:
    """Of one to eight men, that sum to one."""
    sizes = (Size(0.6, 0.22, 0.9, 0.0), Size(0.4, 0.25, 1.1, 0.01))
    table = shadow_table(shadows([0.2, 0.9, 1.7], 0.8), sizes, np.array([0.0, 0.06, 0.0]))
    assert table.shape == (3, 2, MAX_HEIGHT)
    assert np.exp(table).sum(axis=2) == pytest.approx(np.ones((3, 2)), abs=1e-4)


@settings(deadline=None)
@given(st.sampled_from([0.21, 0.25, 0.29]), st.floats(-0.03, 0.03))
def test_tops_tell_how_wide_men_are_and_how_thick(thickness: float, wider: float) -> None:
    """Stacks of many heights, whose sides tell nothing."""
    heights = np.array([1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 1, 2])
    tops = [float(h) * thickness for h in heights]
    vague = strips([1.0] * len(heights), spread=3.0)
    sizes = likely_sizes(THICKNESSES, ANY, vague, (), rims(tops, wider), np.zeros(len(heights)), heights)
    assert mean_growth(sizes) == pytest.approx(wider, abs=0.004)
    assert mean_thickness(sizes) == pytest.approx(thickness, abs=0.012)


def test_larger_tops_are_higher() -> None:
    """By the rims alone a stack has as many men as bring it so near to the camera; more if it stands lower."""
    sizes = (Size(1.0, 0.25, 0.0, 0.01),)
    tops = [0.25, 0.75, 1.5, 0.69]
    table = rim_table(rims(tops, 0.01), sizes, np.array([0.0, 0.0, 0.0, 0.06]))
    assert (table[:, 0].argmax(axis=1) + 1).tolist() == [1, 3, 6, 3]


def test_two_looks_agree_when_they_are_sure_of_the_same() -> None:
    """Wholly where both are sure of the same heights under any size, hardly where they are sure of others, and as
    little as by chance where one tells nothing; sizes under which they agree count by their weights."""
    sizes = (Size(0.75, 0.22, 1.0, 0.0), Size(0.25, 0.28, 1.0, 0.0))
    ones, twos = (np.where(np.arange(MAX_HEIGHT) == k, 5.0, -15.0) + np.zeros((3, 2, 1)) for k in (0, 1))
    assert agreement(ones, ones, sizes) == pytest.approx(0, abs=1e-6)
    assert agreement(ones, twos, sizes) < -15
    assert agreement(ones, 0 * ones, sizes) == pytest.approx(NO_AGREEMENT)
    other = np.stack([ones[:, 0], twos[:, 1]], axis=1)
    assert agreement(ones, other, sizes) == pytest.approx(np.log(0.75), abs=1e-6)
    assert agreement(ones, np.concatenate([ones[:1], 0 * ones[:2]]), sizes) == pytest.approx(2 / 3 * NO_AGREEMENT)


def test_the_likeliest_sizes_stand_for_those_near_them() -> None:
    """So many are kept, the weightiest, and every size is told which of them it is like: itself, if it is kept."""
    sizes = tuple(
        Size(w, t, r, 0.0) for w, t, r in ((0.1, 0.21, 1.0), (0.4, 0.25, 1.0), (0.3, 0.25, 1.5), (0.2, 0.26, 1.4))
    )
    some, nearest = likeliest_sizes(sizes, 2)
    assert some == (sizes[1], sizes[2])
    assert nearest.tolist() == [0, 0, 1, 1]
    every, own = likeliest_sizes(sizes, 9)
    assert [every[k] for k in own] == list(sizes)


class Told(HeightNet):
    """Says of every stack what it is told to say: log-likelihoods (n, S, 9) for thicknesses in order."""

    def __init__(self, told: np.ndarray) -> None:
        self.told = told

    def heights(self, belief: HeightBelief, ratios: np.ndarray, reaches: np.ndarray, sunk: np.ndarray) -> np.ndarray:
        assert reaches.shape == (len(sunk), len(ratios))
        return self.told[:, np.argsort(np.argsort(ratios))]


def test_men_fit_as_well_as_any_height_does() -> None:
    """For all sizes together, each with its weight; heights are told as if men surely stood there."""
    sizes = (Size(0.75, 0.22, 1.0, 0.0), Size(0.25, 0.28, 1.1, 0.0))
    told = np.log(np.full((2, 2, MAX_HEIGHT + 1), 1e-9))
    told[0, :, :3] = np.log([[0.2, 0.6, 0.2], [0.6, 0.1, 0.3]])  # none, one, two men; 22 and 28 % thick
    told[1, :, 0] = 0.0
    seen = HeightBelief(*np.zeros((5, 2, 1, 1), np.float32))
    fits, sunk = Fits(Told(told), seen, np.ones(2)), np.zeros(2)
    men = fit_of_men(fits, sizes, sunk) / FIT_OF_MEN
    assert men[0] == pytest.approx(np.log(0.75 * 0.8 + 0.25 * 0.4) - np.log(0.75 * 0.2 + 0.25 * 0.6), abs=1e-4)
    assert men[1] < -10
    heights = fit_table(fits, sizes, sunk) / FIT
    assert np.exp(heights).sum(axis=2) == pytest.approx(np.ones((2, 2)))
    assert np.exp(heights[0, :, :2]) == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]), abs=1e-4)
