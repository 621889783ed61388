"""How many men a stack has: from what networks say about its strip, its shadow and its rim to likelihoods of heights.

The networks tell of each stack how high its top is, how far its shadow reaches and how large its top looks (mixture
densities), and, for any thickness of a man, how many men there are. One thickness and one diameter hold for the whole
table, and one lamp lights it, or two, so all its stacks answer for them together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT
from vision.arrays import Floats
from vision.networks.habit import habit
from vision.networks.height_net import HeightBelief, HeightNet
from vision.networks.logs import log_sum
from vision.networks.mixture import Mixture
from vision.networks.net import ReaderNet, StackBelief
from vision.networks.shadow_net import ShadowBelief, ShadowNet

#: How thick men are, in their diameters, and which thicknesses are told apart.
THICKNESSES = np.linspace(0.19, 0.31, 13)
USUAL_THICKNESS = 0.25
#: By what factors shadows may be longer than the lamp's estimated place says; by how much they usually are, and how far
#: off that is (logarithms).
_REACHES = np.exp(np.linspace(-0.75, 0.75, 11))
_USUALLY_LONGER, _REACH_SPREAD = 0.1, 0.27
#: How far off a man's diameter is looked for, in how far off it usually is.
_GROWTHS = np.linspace(-2.5, 2.5, 15)
#: How often stacks of one, two, … are met on tables (logarithm).
MET = np.log([0.5, 0.17, 0.1, 0.07, 0.05, 0.05, 0.03, 0.03])
#: One table has more tall stacks than another, so beside shadows that counts for less (tried on rendered stills).
_MET_WEIGHT = 0.5
#: Stacks of one table err together, so what their strips and sides vote counts for less (fitted on rendered boards).
_VOTES_TEMPERATURE = 2.0
#: What strips say of heights counts so much beside shadows and rims where a table's sizes are looked for.
_STRIPS_BESIDE = 0.4
#: So often a shadow is not what it seems to be.
_MISTAKEN = 0.05
#: So much of the weight is kept when sizes are thinned out, in so many sizes at most.
_KEPT, _MOST_SIZES = 0.95, 48
#: All stacks of a table err together, so what they say of its sizes is divided by this: their thickness was farther off
#: than it should have been, by that factor in the mean square, on 102 rendered stills.
_SIZES_TEMPERATURE = 1.7
#: What the network that weighs heights says counts so much beside the others, and it is asked about so many sizes.
FIT, _FIT_SIZES = 0.6, 6
#: And so much when it says whether men stand there at all (fitted on 540 cells of 188 rendered boards).
FIT_OF_MEN = 0.6
#: Thicknesses (diameters) and reaches (logarithm) that are so far apart are about as unlike.
_ALIKE = 0.01, 0.04

#: How well two ways to tell heights agree one of which tells nothing.
NO_AGREEMENT = -float(np.log(MAX_HEIGHT))

_HEIGHTS = np.arange(1, MAX_HEIGHT + 1)


@dataclass(frozen=True, slots=True)
class Size:
    """What may be true of a table: men are `thickness` diameters thick, and shadows `reach` times as long as the lamp's
    estimated place says; with what `weight` (those of a table add up to one). `growth`: by how much men are wider then
    than they are taken for, on average (a logarithm)."""

    weight: float
    thickness: float
    reach: float
    growth: float


@dataclass(frozen=True, slots=True)
class Strips:
    """What n strips say: `votes` (n, G), log-likelihoods of thicknesses of a man; `heights` (n, G, 8), log-likelihoods
    of one, two, … men for each of them."""

    votes: Floats
    heights: Floats


@dataclass(frozen=True, slots=True)
class Shadows:
    """Shadows of n stacks: what a network says, and their length per unit of height by the lamp's place, (n,)."""

    net: ShadowNet
    belief: ShadowBelief
    reach: Floats


@dataclass(frozen=True, slots=True)
class Fits:
    """How well heights fit n stacks: what the network that weighs them saw, and the shadows' length per unit of height
    by the lamp's place, (n,); 1 where no lamp is known."""

    net: HeightNet
    seen: HeightBelief
    reach: Floats


@dataclass(frozen=True, slots=True)
class Lit:
    """What the light about n stacks says: `heights` (n, G, R, 8), log-likelihoods of one, two, … men for each of the
    thicknesses asked and for shadows that are `reaches` (R,) times as long as the lamp's place says; what the light on
    the open board says of these, `likely` (R,), logarithms. `longer`: how much longer that makes them than the lamp's
    first estimate did (logarithm)."""

    heights: Floats
    reaches: Floats
    likely: Floats
    longer: float


@dataclass(frozen=True, slots=True)
class Rims:
    """Rims of n stacks: the logarithm of how large their tops look, by the network; how far above the disks the camera
    is, in a man's diameters; and how far off the logarithm of that diameter usually is."""

    size: Mixture
    camera: float
    unsure: float

    def larger(self, tops: Floats) -> Floats:
        """The logarithm of how much larger things look that are so far above the disks, in diameters."""
        return np.log(self.camera / np.maximum(self.camera - tops, 0.1))


def read_strips(
    net: ReaderNet, belief: StackBelief, ratios: Floats, sunk: Floats, sides: Floats | None = None
) -> Strips:
    """What strips say of men that are `ratios` (G,) diameters thick; `sunk` (n,) as for `ReaderNet.heights`.

    `sides` (n, G): what the sides of the topmost men say of them, log-likelihoods.
    """
    likely = net.rises(belief, ratios[:, None] * _HEIGHTS - sunk[:, None, None])
    votes = log_sum(likely + MET, axis=2) - habit(belief.view, ratios)
    votes = (votes if sides is None else votes + sides) / _VOTES_TEMPERATURE
    return Strips(votes, net.heights(belief, ratios, sunk))


def shadow_table(shadows: Sequence[Shadows], sizes: tuple[Size, ...], sunk: Floats) -> Floats:
    """Log-likelihoods (n, S, 8) of one, two, … men by the shadows in each lamp's light, for each of the sizes."""
    thickness, reach = np.array([(size.thickness, size.reach) for size in sizes]).T
    table = np.zeros((len(sunk), len(sizes), MAX_HEIGHT))
    for each in shadows:
        far = each.reach[:, None] * reach
        told = each.net.heights(each.belief, far * thickness, far * sunk[:, None]).astype(np.float64)
        table += np.log((1 - _MISTAKEN) * np.exp(told) + _MISTAKEN / MAX_HEIGHT)
    return table


def fit_table(fits: Fits, sizes: tuple[Size, ...], sunk: Floats) -> Floats:
    """Log-likelihoods (n, S, 8) of one, two, … men by how well they fit, for each of the sizes; only the likeliest are
    asked about, the others are taken to be like the nearest of these."""
    asked, nearest = likeliest_sizes(sizes, _FIT_SIZES)
    told = _fit(fits, asked, sunk)[..., 1:]
    told -= log_sum(told, axis=2, keepdims=True)
    return np.asarray(FIT * told[:, nearest])


def fit_of_men(fits: Fits, sizes: tuple[Size, ...], sunk: Floats) -> Floats:
    """How well any men fit, and how well none do: a log-likelihood ratio (n,)."""
    asked, _ = likeliest_sizes(sizes, _FIT_SIZES)
    told = _fit(fits, asked, sunk) + np.log([size.weight for size in asked])[:, None]
    men = log_sum(told[..., 1:].reshape(len(told), -1), axis=1) - log_sum(told[..., 0], axis=1)
    return np.asarray(FIT_OF_MEN * men)


def _fit(fits: Fits, sizes: tuple[Size, ...], sunk: Floats) -> Floats:
    """Log-likelihoods (n, S, 9) of no, one, two, … men by how well they fit."""
    thickness, reach = np.array([(size.thickness, size.reach) for size in sizes]).T
    return fits.net.heights(fits.seen, thickness, fits.reach[:, None] * reach, sunk)


def rim_table(rims: Rims, sizes: tuple[Size, ...], sunk: Floats) -> Floats:
    """Log-likelihoods (n, S, 8) of one, two, … men by the rims, for each of the sizes."""
    thickness, growth = np.array([(size.thickness, size.growth) for size in sizes]).T
    tops = thickness[:, None] * _HEIGHTS - sunk[:, None, None]
    return rims.size.log_density(growth[:, None] + rims.larger(tops)).astype(np.float64)


def agreement(one: Floats, other: Floats, sizes: tuple[Size, ...]) -> float:
    """How likely the heights that one look tells are by another: a logarithm, on average over n stacks, 0 where both
    are sure of the same heights, `NO_AGREEMENT` where either tells nothing. Both are log-likelihoods (n, S, 8) of one,
    two, … men for each of the sizes."""
    one, other = (told - log_sum(told, axis=2, keepdims=True) for told in (one, other))
    both = log_sum(one + other, axis=2) + np.log([size.weight for size in sizes])
    return float(log_sum(both, axis=1).mean())


def likely_sizes(
    ratios: Floats,
    prior: Floats,
    strips: Strips,
    shadows: Sequence[Shadows],
    rims: Rims | None,
    sunk: Floats,
    heights: NDArray[np.int_] | None,
    lit: Lit | None = None,
) -> tuple[Size, ...]:
    """Which of the thicknesses `ratios` (G,), which reaches and growths are likely, from all stacks of a table.

    `prior` (G,): how likely each thickness was before. `heights` (n,) where they are known. `lit`: what the light about
    the stacks says beside `shadows` in each lamp's light.
    """
    tops = ratios[None, :, None] * _HEIGHTS - sunk[:, None, None]
    told = _STRIPS_BESIDE * strips.heights[:, :, None, None]
    usual, reaches, growths = np.zeros((1, 1)), np.ones(1), np.zeros(1)
    if shadows:
        reaches, longer = (_REACHES, 0.0) if lit is None else (lit.reaches, lit.longer)
        usual = usual + _unusual(np.log(reaches) + longer - _USUALLY_LONGER, _REACH_SPREAD)[:, None]
    for each in shadows:
        ends = tops[:, :, None] * (each.reach[:, None] * reaches)[:, None, :, None]
        told = told + each.net.lengths(each.belief, ends, each.reach)[:, :, :, None]
    if lit is not None:
        told, usual = told + lit.heights[:, :, :, None], usual + lit.likely[:, None]
    if rims is not None:
        growths, usual = rims.unsure * _GROWTHS, usual + _unusual(_GROWTHS, 1.0)
        looks = growths[:, None] + rims.larger(tops)[:, :, None]
        told = told + rims.size.log_density(looks)[:, :, None]
    if heights is not None:
        known = np.minimum(heights, MAX_HEIGHT) - 1
        votes = np.take_along_axis(told, known[:, None, None, None, None], axis=4)[..., 0]
    else:
        # A longer reach makes all stacks lower: only how often such heights are met can tell.
        votes = log_sum(told + _MET_WEIGHT * MET if shadows else told, axis=4)
    votes = votes + strips.votes[:, :, None, None]
    total = votes.sum(axis=0) / _SIZES_TEMPERATURE + np.log(prior)[:, None, None] + usual
    weights = np.exp(total - np.logaddexp.reduce(total.ravel()))
    together = weights.sum(axis=2)
    growth = (weights * growths).sum(axis=2) / np.maximum(together, np.finfo(float).tiny)
    sizes = [
        Size(float(weight), float(ratios[g]), float(reaches[k]), float(growth[g, k]))
        for (g, k), weight in np.ndenumerate(together)
    ]
    return _thinned(sizes)


def _unusual(off: Floats, spread: float) -> Floats:
    """Log-likelihood of being so far off, up to a constant."""
    unusual: Floats = -0.5 * (off / spread) ** 2
    return unusual


def likeliest_sizes(sizes: tuple[Size, ...], most: int) -> tuple[tuple[Size, ...], NDArray[np.int_]]:
    """The likeliest sizes of a table, so many at most, and which of them each of all sizes is nearest to, (S,)."""
    some = sorted(sizes, key=lambda size: -size.weight)[:most]
    every, few = (np.array([(s.thickness / _ALIKE[0], np.log(s.reach) / _ALIKE[1]) for s in k]) for k in (sizes, some))
    nearest: NDArray[np.int_] = ((every[:, None] - few) ** 2).sum(axis=2).argmin(axis=1)
    return tuple(some), nearest


def mean_thickness(sizes: tuple[Size, ...]) -> float:
    """What a man's thickness is on average, in diameters."""
    return sum(size.weight * size.thickness for size in sizes)


def mean_reach(sizes: tuple[Size, ...]) -> float:
    """How many times as long shadows are as the lamp's place says, on average."""
    return float(np.exp(sum(size.weight * np.log(size.reach) for size in sizes)))


def mean_growth(sizes: tuple[Size, ...]) -> float:
    """By how much men are wider than they are taken for on average, a logarithm."""
    return sum(size.weight * size.growth for size in sizes)


def _thinned(sizes: list[Size]) -> tuple[Size, ...]:
    """The likeliest sizes, with weights that add up to one."""
    kept: list[Size] = []
    total = 0.0
    for size in sorted(sizes, key=lambda size: -size.weight)[:_MOST_SIZES]:
        kept.append(size)
        total += size.weight
        if total >= _KEPT:
            break
    return tuple(replace(size, weight=size.weight / total) for size in kept)
