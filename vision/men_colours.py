"""Whose man is it? Colours of the men against the table's white, learned from the tops that are seen.

A top's light is the man's own colour in some shade, and the lamp's, mirrored: a glossy man below the mirrored lamp may
show more of the lamp than of himself (Shafer, Using color to separate reflection components, 1985).
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from vision.geometry import Floats
from vision.palette import Material

#: A top may be this much darker or brighter than expected, and mirror so much light (linear, its blue against the
#: table's white).
_SHADES = np.exp(np.linspace(-1.1, 0.7, 13))
_GLOSSES = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0, 1.6, 2.5])
_SHADE_SPREAD = 0.35
#: Most tops mirror less than this; how seldom they mirror more (exponent of a heavy-tailed distribution).
_USUAL_GLOSS, _GLOSS_TAIL = 0.12, 0.6
#: How much warmer than the light on the disks the lamp may be that is mirrored: the ratio of red to blue; green changes
#: less, by this exponent. How far off that usually is (logarithm).
_WARMTHS = (0.8, 1.0, 1.25, 1.55, 1.9)
_WARM_GREEN, _WARMTH_SPREAD = 0.55, 0.3
#: Spread of a top's colour about its best explanation (display values against white).
_SPREAD = 0.05
#: How seldom all men on a board are one player's (logarithm).
_ONE_SIDED = 3.0
#: How far the disks' true colour may be from the one assumed: logarithm of linear light, blue-green-red.
_TINT_SPREAD = np.array([0.4, 0.25, 0.2])
_GAMMA = 2.2
#: Display values against white are not told apart above this.
_BRIGHTEST = 1.6


@dataclass(frozen=True, slots=True)
class MenColours:
    """The owners' colours: linear blue-green-red against the table's white, (owners, 3), owner 1 first; and the colour
    of the light that they mirror (3,), its blue being 1."""

    linear_bgr: Floats
    gloss_bgr: Floats

    def log_likelihoods(self, tops: Floats) -> Floats:
        """(n, owners) natural log-likelihoods of tops of the colours (n, 3), display values against white."""
        return self.explain(tops)[0]

    def explain(self, tops: Floats) -> tuple[Floats, Floats]:
        """The same, and how much light each top mirrors by its likeliest explanation, (n,)."""
        misfit, mirrored = _explained(tops, self.linear_bgr, self.gloss_bgr)
        return -misfit, mirrored[np.arange(len(tops)), np.argmin(misfit, axis=1)]


def learn_men(tops: Floats, owners: np.ndarray, material: Material) -> MenColours:
    """The men's colours from tops (n, 3), display values against white, and the named material.

    `owners` (n,): whose each man is, 0 where nobody knows; then the named colours decide.
    """
    colours = [*material.men, *([material.neutral] if material.neutral else [])]
    yardstick = np.array(material.yardstick.linear[::-1])
    named = np.array([c.linear[::-1] for c in colours]) / yardstick
    white = yardstick[0] / yardstick
    if not len(tops):
        return MenColours(named, white)
    fits = []
    for warmth in _WARMTHS:
        gloss = white * np.array([1.0, warmth**_WARM_GREEN, warmth])
        tint, cost = _tint(tops, owners, named, gloss)
        fits.append((cost + 0.5 * (np.log(warmth) / _WARMTH_SPREAD) ** 2, tint, gloss))
    _, tint, gloss = min(fits, key=lambda fit: fit[0])
    expected = named * np.exp(tint)
    belongs, _ = _belongs(tops, owners, expected, gloss)
    linear = np.maximum(tops, 1e-3) ** _GAMMA
    learned = expected.copy()
    for k in range(len(expected)):
        mine = linear[belongs == k]
        if len(mine):
            weight = len(mine) / (len(mine) + 1.0)
            learned[k] = np.exp((1 - weight) * np.log(expected[k]) + weight * np.log(np.median(mine, axis=0)))
    return MenColours(learned, gloss)


def _tint(tops: Floats, owners: np.ndarray, named: Floats, gloss: Floats) -> tuple[Floats, float]:
    """How the named colours are tinted here (logarithm of linear light), common to all men, and how ill that fits."""
    best, best_cost = np.zeros(3), np.inf
    shown = np.maximum(tops, 0.03) ** _GAMMA
    for tint in _starts(np.log(shown), owners, named):
        for _ in range(5):
            expected = named * np.exp(tint)
            belongs, mirrored = _belongs(tops, owners, expected, gloss)
            own = np.maximum(shown - mirrored[:, None] * gloss, 0.03**_GAMMA)
            off = np.log(own) - np.log(np.maximum(expected[belongs], 1e-3))
            off = off - np.clip(off.mean(axis=1, keepdims=True), -0.5, 0.5)
            n = len(tops)
            tint = 0.5 * tint + 0.5 * (tint + np.median(off, axis=0)) * n / (n + 2.0)
        misfit, _ = _explained(tops, named * np.exp(tint), gloss)
        cost = misfit.min(axis=1).sum() + 0.5 * ((tint / _TINT_SPREAD) ** 2).sum()
        if len(np.unique(misfit.argmin(axis=1))) < min(len(tops), 2):
            cost += _ONE_SIDED
        if cost < best_cost:
            best, best_cost = tint, float(cost)
    return best, best_cost


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


def _belongs(tops: Floats, owners: np.ndarray, expected: Floats, gloss: Floats) -> tuple[np.ndarray, Floats]:
    """Whose each top is, counted from 0, (n,), and how much light it mirrors then, (n,)."""
    misfit, mirrored = _explained(tops, expected, gloss)
    belongs = np.where(owners > 0, owners - 1, np.argmin(misfit, axis=1))
    return belongs, mirrored[np.arange(len(tops)), belongs]


def _explained(tops: Floats, linear: Floats, gloss: Floats) -> tuple[Floats, Floats]:
    """How ill each of the colours `linear` explains each top under its best shade and gloss: half the squared distance,
    (n, colours); and how much light the top mirrors then, (n, colours)."""
    shown = (_SHADES[:, None, None, None] * linear + _GLOSSES[:, None, None] * gloss) ** (1 / _GAMMA)
    prior = 0.5 * (np.log(_SHADES) / _SHADE_SPREAD) ** 2
    prior = prior[:, None] + _GLOSS_TAIL * np.log1p((_GLOSSES / _USUAL_GLOSS) ** 2)
    off = np.minimum(tops, _BRIGHTEST)[:, None, None, None] - np.minimum(shown, _BRIGHTEST)[None]
    cost = (0.5 * (off**2).sum(axis=4) / _SPREAD**2 + prior[None, :, :, None]).min(axis=1)
    misfit: Floats = cost.min(axis=1)
    return misfit, _GLOSSES[cost.argmin(axis=1)]
