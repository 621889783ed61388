"""How many men a stack has: from what the networks say about its strip and its shadow to likelihoods of heights.

The networks tell of each stack how high its top is and how far its shadow reaches (mixture densities), and, for any
thickness of a man, how many men there are. One thickness holds for the whole table, and one lamp lights it, so all
its stacks answer for them together.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT
from vision.geometry import Floats
from vision.net import ReaderNet, StackBelief
from vision.shadow_net import ShadowBelief, ShadowNet

#: How thick men are, in their diameters, and which thicknesses are told apart.
THICKNESSES = np.linspace(0.19, 0.31, 13)
USUAL_THICKNESS = 0.25
#: By what factors shadows may be longer than the lamp's estimated place says, and how far off that usually is (log).
_REACHES = np.exp(np.linspace(-0.75, 0.75, 11))
_REACH_SPREAD = 0.27
#: So often a shadow is not what it seems to be.
_MISTAKEN = 0.05
#: How often stacks of one, two, … are met on tables.
_MET = np.log([0.5, 0.17, 0.1, 0.07, 0.05, 0.05, 0.03, 0.03])
#: Stacks of one table err together, so their votes count for less (fitted on rendered boards).
_VOTES_TEMPERATURE = 1.5
#: So much of the weight is kept when sizes are thinned out, in so many sizes at most.
_KEPT, _MOST_SIZES = 0.98, 32

_HEIGHTS = np.arange(1, MAX_HEIGHT + 1)


@dataclass(frozen=True, slots=True)
class Size:
    """What may be true of a table: men are `thickness` diameters thick, and shadows `reach` times as long as the
    lamp's estimated place says; with what `weight` (those of a table add up to one)."""

    weight: float
    thickness: float
    reach: float


@dataclass(frozen=True, slots=True)
class Shadows:
    """Shadows of n stacks: what the network says, and their length per unit of height by the lamp's place, (n,)."""

    belief: ShadowBelief
    reach: Floats


def height_table(net: ReaderNet, belief: StackBelief, ratios: Floats, sunk: Floats) -> Floats:
    """Log-probabilities (n, G, 8) of one, two, … men by the strips, if men are `ratios` (G,) diameters thick.

    `sunk` (n,): how far below the disk a stack stands, in diameters: the disk's thickness where it has none.
    """
    depth = sunk.astype(np.float32)
    tables = [
        net.heights(belief, belief.rise.log_density(ratio * _HEIGHTS[None] - sunk[:, None]), float(ratio), depth)
        for ratio in ratios
    ]
    return np.stack(tables, axis=1).astype(np.float64)


def shadow_table(net: ShadowNet, shadows: Shadows, sizes: tuple[Size, ...], sunk: Floats) -> Floats:
    """Log-probabilities (n, S, 8) of one, two, … men by the shadows, for each of the sizes."""
    thickness, reach = np.array([(size.thickness, size.reach) for size in sizes]).T
    far = shadows.reach[:, None] * reach
    told = net.heights(shadows.belief, far * thickness, far * sunk[:, None]).astype(np.float64)
    table: Floats = np.logaddexp(told + np.log(1 - _MISTAKEN), np.log(_MISTAKEN / MAX_HEIGHT))
    return table


def likely_sizes(
    ratios: Floats,
    prior: Floats,
    belief: StackBelief,
    shadows: Shadows | None,
    sunk: Floats,
    heights: NDArray[np.int_] | None,
) -> tuple[Size, ...]:
    """Which of the thicknesses `ratios` (G,) and which reaches are likely, from all stacks of a table.

    `prior` (G,): how likely each thickness was before. `heights` (n,) where they are known.
    """
    tops = ratios[None, :, None] * _HEIGHTS - sunk[:, None, None]
    rise = belief.rise.log_density(tops)
    reaches, usual = np.ones(1), np.zeros(1)
    votes = rise[:, :, None].astype(np.float64)
    if shadows is not None:
        reaches, usual = _REACHES, -0.5 * (np.log(_REACHES) / _REACH_SPREAD) ** 2
        ends = tops[:, :, None] * (shadows.reach[:, None] * reaches)[:, None, :, None]
        votes = votes + shadows.belief.length.log_density(ends)
    if heights is not None:
        known = np.minimum(heights, MAX_HEIGHT) - 1
        votes = np.take_along_axis(votes, known[:, None, None, None], axis=3)[..., 0]
    else:
        votes = np.logaddexp.reduce(votes + _MET, axis=3)
    total = votes.sum(axis=0) / _VOTES_TEMPERATURE + np.log(prior)[:, None] + usual
    weights = np.exp(total - np.logaddexp.reduce(total.ravel()))
    return _thinned([Size(float(w), float(ratios[g]), float(reaches[k])) for (g, k), w in np.ndenumerate(weights)])


def mean_thickness(sizes: tuple[Size, ...]) -> float:
    """What a man's thickness is on average, in diameters."""
    return sum(size.weight * size.thickness for size in sizes)


def _thinned(sizes: list[Size]) -> tuple[Size, ...]:
    """The likeliest sizes, with weights that add up to one."""
    kept: list[Size] = []
    total = 0.0
    for size in sorted(sizes, key=lambda size: -size.weight)[:_MOST_SIZES]:
        kept.append(size)
        total += size.weight
        if total >= _KEPT:
            break
    return tuple(Size(size.weight / total, size.thickness, size.reach) for size in kept)
