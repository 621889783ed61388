"""How many men a stack has: from what the network says about its top to likelihoods of heights and thicknesses.

The network sweeps planes a fixed spacing apart and tells of each how likely the stack's top is near it, how far from
it, and how sure that is: a mixture density of the top's height (Bishop 1994). How thick the men are is a separate
question. One thickness holds for the whole table, so all its stacks answer it together.
"""

import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT
from vision.geometry import Floats
from vision.net import TopBelief

#: How thick men are, in their diameters, and which thicknesses are told apart.
THICKNESSES = np.linspace(0.2, 0.3, 11)
USUAL_THICKNESS = 0.25
#: How often stacks of one, two, … are met on tables.
_MET = np.array([0.5, 0.17, 0.1, 0.07, 0.05, 0.05, 0.03, 0.03])
#: Tops farther from a plane than this, in spacings, belong to another.
_FARTHEST_RISE = 1.5
#: Logarithm of the density that is left for tops that lie anywhere.
_ANYWHERE = -20.0
#: Stacks of one table err together, so their votes count for less (fitted on rendered boards).
_VOTES_TEMPERATURE = 5.0

_HEIGHTS = np.arange(1, MAX_HEIGHT + 1)


def log_density(belief: TopBelief, tops: Floats) -> Floats:
    """Log-density that stacks (n) have their tops at `tops` (n, m), in spacings above the disk."""
    score = belief.score.astype(np.float64)
    weight = (score - np.logaddexp.reduce(score, axis=1, keepdims=True))[:, None, 1:]
    middle = _HEIGHTS + np.clip(belief.rise[:, None, 1:], -_FARTHEST_RISE, _FARTHEST_RISE)
    spread = belief.spread[:, None, 1:]
    near = -0.5 * ((tops[:, :, None] - middle) / spread) ** 2 - np.log(spread) - 0.5 * np.log(2 * np.pi)
    density: Floats = np.logaddexp.reduce(weight + np.logaddexp(near, _ANYWHERE), axis=2)
    return density


def height_table(belief: TopBelief, ratios: Floats, sunk: Floats) -> Floats:
    """Log-densities (n, G, 8) of one, two, … men if men are `ratios` (G,) spacings thick.

    `sunk` (n,): how far below the disk a stack stands, in spacings: the disk's thickness where it has none.
    """
    tops = ratios[:, None] * _HEIGHTS
    flat = tops.reshape(1, -1) - sunk[:, None]
    return log_density(belief, flat).reshape(len(sunk), *tops.shape)


def thickness_weights(table: Floats, heights: NDArray[np.int_] | None) -> Floats:
    """How likely each of G thicknesses is, from all stacks' `height_table` (n, G, 8); `heights` (n,) where known."""
    if not len(table):
        return np.full(table.shape[1], 1 / table.shape[1])
    if heights is None:
        votes = np.logaddexp.reduce(table + np.log(_MET), axis=2)
    else:
        votes = table[np.arange(len(table)), :, np.minimum(heights, MAX_HEIGHT) - 1]
    total = votes.sum(axis=0) / _VOTES_TEMPERATURE
    weights: Floats = np.exp(total - np.logaddexp.reduce(total))
    return weights
