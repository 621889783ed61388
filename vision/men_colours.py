"""Whose man is it? Colours of the men against the table's white, learned from the tops that are seen."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from vision.geometry import Floats
from vision.palette import Material

#: A top may be this much darker or brighter than expected, and carry this much reflected white (linear light).
_SHADES = np.exp(np.linspace(-1.1, 0.7, 13))
_GLOSSES = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.35])
_SHADE_SPREAD, _GLOSS_SPREAD = 0.35, 0.08
#: Spread of a top's colour about its best explanation (display values against white).
_SPREAD = 0.05
#: How far the disks' true colour may be from the one assumed: logarithm of linear light, blue-green-red.
_TINT_SPREAD = np.array([0.4, 0.25, 0.2])
_GAMMA = 2.2
#: Display values against white are not told apart above this.
_BRIGHTEST = 1.6


@dataclass(frozen=True, slots=True)
class MenColours:
    """The owners' colours: linear blue-green-red against the table's white, (owners, 3), owner 1 first."""

    linear_bgr: Floats

    def log_likelihoods(self, tops: Floats) -> Floats:
        """(n, owners) natural log-likelihoods of tops of the colours (n, 3), display values against white."""
        return -_misfit(tops, self.linear_bgr)


def learn_men(tops: Floats, owners: np.ndarray, material: Material) -> MenColours:
    """The men's colours from tops (n, 3), display values against white, and the named material.

    `owners` (n,): whose each man is, 0 where nobody knows; then the named colours decide.
    """
    colours = [*material.men, *([material.neutral] if material.neutral else [])]
    named = np.array([c.linear[::-1] for c in colours]) / np.array(material.yardstick.linear[::-1])
    if not len(tops):
        return MenColours(named)
    tint = _tint(tops, owners, named)
    expected = named * np.exp(tint)
    belongs = _belongs(tops, owners, expected)
    linear = np.maximum(tops, 1e-3) ** _GAMMA
    learned = expected.copy()
    for k in range(len(expected)):
        mine = linear[belongs == k]
        if len(mine):
            weight = len(mine) / (len(mine) + 1.0)
            learned[k] = np.exp((1 - weight) * np.log(expected[k]) + weight * np.log(np.median(mine, axis=0)))
    return MenColours(learned)


def _tint(tops: Floats, owners: np.ndarray, named: Floats) -> Floats:
    """How the named colours are tinted on this table (logarithm of linear light), common to all men."""
    best, best_cost = np.zeros(3), np.inf
    linear = np.log(np.maximum(tops, 0.03) ** _GAMMA)
    for tint in _starts(linear, owners, named):
        for _ in range(5):
            expected = named * np.exp(tint)
            belongs = _belongs(tops, owners, expected)
            off = linear - np.log(np.maximum(expected[belongs], 1e-3))
            off = off - np.clip(off.mean(axis=1, keepdims=True), -0.5, 0.5)
            n = len(tops)
            tint = 0.5 * tint + 0.5 * (tint + np.median(off, axis=0)) * n / (n + 2.0)
        cost = _misfit(tops, named * np.exp(tint)).min(axis=1).sum() + 0.5 * ((tint / _TINT_SPREAD) ** 2).sum()
        if cost < best_cost:
            best, best_cost = tint, cost
    return best


def _starts(linear: Floats, owners: np.ndarray, named: Floats) -> list[Floats]:
    """Tints to start from: usual ones, and those by which groups of tops that look alike are the named colours, in
    each order. `linear` (n, 3) are logarithms of linear light."""
    starts = [np.zeros(3), np.array([-0.6, -0.3, -0.15])]
    groups = _groups(linear, len(named))
    if groups is None or (owners > 0).any():
        return starts
    for order in permutations(range(len(named))):
        starts.append((groups - np.log(np.maximum(named[list(order)], 1e-3))).mean(axis=0))
    return starts


def _groups(values: Floats, count: int) -> Floats | None:
    """Middles (count, 3) of groups of values (n, 3) that lie together (k-means, farthest first); None for too few."""
    middles = [values[np.argmax(((values - np.median(values, axis=0)) ** 2).sum(axis=1))]]
    for _ in range(count - 1):
        middles.append(values[np.argmax(np.min([((values - m) ** 2).sum(axis=1) for m in middles], axis=0))])
    found = np.array(middles)
    for _ in range(5):
        nearest = ((values[:, None] - found) ** 2).sum(axis=2).argmin(axis=1)
        if len(set(nearest.tolist())) < count:
            return None
        found = np.array([values[nearest == k].mean(axis=0) for k in range(count)])
    return found


def _belongs(tops: Floats, owners: np.ndarray, expected: Floats) -> np.ndarray:
    nearest: np.ndarray = np.argmin(_misfit(tops, expected), axis=1)
    return np.where(owners > 0, owners - 1, nearest)


def _misfit(tops: Floats, linear: Floats) -> Floats:
    """(n, colours): half the squared distance of tops from colours under their best shade and gloss."""
    shown = (_SHADES[:, None, None, None] * linear + _GLOSSES[:, None, None]) ** (1 / _GAMMA)
    prior = 0.5 * (np.log(_SHADES) / _SHADE_SPREAD) ** 2
    prior = prior[:, None] + 0.5 * (_GLOSSES / _GLOSS_SPREAD) ** 2
    off = np.minimum(tops, _BRIGHTEST)[:, None, None, None] - np.minimum(shown, _BRIGHTEST)[None]
    cost = 0.5 * (off**2).sum(axis=4) / _SPREAD**2 + prior[None, :, :, None]
    best: Floats = cost.min(axis=(1, 2))
    return best
