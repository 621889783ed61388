"""How many men a stack has: from what the network says about its strip to likelihoods of heights and thicknesses.

The network tells of each stack how high its top is (a mixture density), and, for any thickness of a man, how many men
there are. One thickness holds for the whole table, so all its stacks answer for it together.
"""

import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT
from vision.geometry import Floats
from vision.net import ReaderNet, Singles, StackBelief

#: How thick men are, in their diameters, and which thicknesses are told apart.
THICKNESSES = np.linspace(0.19, 0.31, 13)
USUAL_THICKNESS = 0.25
#: How often stacks of one, two, … are met on tables.
_MET = np.array([0.5, 0.17, 0.1, 0.07, 0.05, 0.05, 0.03, 0.03])
#: Logarithm of the density that is left for tops that lie anywhere.
_ANYWHERE = np.float32(-5.0)
#: Stacks of one table err together, so their votes count for less (fitted on rendered boards).
_VOTES_TEMPERATURE = 3.0

_HEIGHTS = np.arange(1, MAX_HEIGHT + 1)


def log_density(belief: StackBelief, tops: Floats) -> Singles:
    """Log-density that stacks (n) have their tops at `tops` (n, m), in diameters above the disk."""
    spread = belief.spread[:, None]
    off = (tops[:, :, None].astype(np.float32) - belief.middle[:, None]) / spread
    near = -0.5 * off * off - np.log(spread) - np.float32(0.5 * np.log(2 * np.pi))
    density: Singles = np.logaddexp.reduce(belief.weight[:, None] + np.logaddexp(near, _ANYWHERE), axis=2)
    return density


def height_table(net: ReaderNet, belief: StackBelief, ratios: Floats, sunk: Floats) -> Floats:
    """Log-probabilities (n, G, 8) of one, two, … men if men are `ratios` (G,) diameters thick.

    `sunk` (n,): how far below the disk a stack stands, in diameters: the disk's thickness where it has none.
    """
    depth = sunk.astype(np.float32)
    tables = [
        net.heights(belief, log_density(belief, ratio * _HEIGHTS[None] - sunk[:, None]), float(ratio), depth)
        for ratio in ratios
    ]
    return np.stack(tables, axis=1).astype(np.float64)


def thickness_weights(belief: StackBelief, sunk: Floats, heights: NDArray[np.int_] | None) -> Floats:
    """How likely each of `THICKNESSES` is, from all stacks of a table; `heights` (n,) where they are known."""
    if heights is not None:
        known = np.minimum(heights, MAX_HEIGHT)
        votes = log_density(belief, known[:, None] * THICKNESSES - sunk[:, None])
    else:
        tops = np.outer(_HEIGHTS, THICKNESSES)
        density = np.stack([log_density(belief, some - sunk[:, None]) for some in tops])
        votes = np.logaddexp.reduce(density + np.log(_MET)[:, None, None], axis=0)
    total = votes.sum(axis=0, dtype=np.float64) / _VOTES_TEMPERATURE
    weights: Floats = np.exp(total - np.logaddexp.reduce(total))
    return weights
