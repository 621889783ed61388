"""Where exactly a table's lamp stands, or two lamps, by the light about all its stacks."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from vision.arrays import Floats
from vision.lamplight.falloff import Falloff
from vision.lamplight.lamp import Lamp, places_of
from vision.lamplight.shade import Shade
from vision.men.shades import Shades

#: A lamp is looked for about where it is taken to be: turned, with a longer reach, with a face (in its distance) and
#: at a distance that are so far off (the last three are logarithms). Beforehand nothing speaks against lamps this near.
_USUAL, _SPREADS = np.array([0.0, 0.0, np.log(0.08), 0.0]), np.array([0.12, 0.27, 1.5, 0.25])
#: The search (Rubinstein's cross-entropy method): how far about it begins, how many lamps it tries each time, from what
#: part of them it goes on, how much of the spread it keeps; no spread falls below the least.
_FIRST_SPREADS, _TRIED, _BEST = np.array([0.07, 0.18, 0.8, 0.15]), 36, 4
_KEPT, _LEAST_SPREAD = 0.12, 3e-4
#: How much less misfits count and how often it tries then: at first it looks for where about the lamp is.
_COOLING = ((6.0, 5), (2.0, 4), (1.0, 6))
#: How far about, how many each time and how often it tries for lamps with longer reaches, so far apart (logarithm).
_SIDEWAYS, _FEW_TRIED, _FEW_ROUNDS = np.array([0.04, 0.0, 0.5, 0.1]), 18, 4
_PROFILE_STEP = 0.18
#: Lamps that the stacks may have: turned and with longer reaches by so much, to find what tells of them.
_TURNS, _LONGER = (-0.2, 0.2), (-0.35, 0.35)
#: Where nothing is known of a lamp it is tried with such bearings and reaches, and such a face (in its distance); so
#: many of these tell where shadows may fall.
_EVERY_WAY, _EVERY_REACH, _FACE = np.deg2rad(np.arange(0, 360, 15)), np.geomspace(0.35, 1.4, 4), 0.08
_SOME = 12
#: Two lamps are at least so far apart, seen from the board (radians), and while the first is known roughly only.
_WELL_APART, _PERHAPS_APART = 0.4, 0.25
#: A lamp of which nothing was known, or another one, is believed in if it explains the light so much better (a
#: logarithm); and another if the first one explains no more than so many times as much of it: on 114 rendered boards
#: with one lamp what seems to be another explains less than a seventh.
_MUCH_BETTER, _BRIGHTER = 10.0, 6.0
#: A lamp so many times as far away, straight above, throws no shadows.
_NOWHERE = 1000.0


class LampSearch:
    """Looks for the lamps that explain the light about all stacks best.

    `falloff`: how bright the open board is, which has a say, too, where there is one lamp.
    """

    def __init__(self, shades: Shades, falloff: Falloff) -> None:
        self._shades, self._falloff = shades, falloff

    def lamps(self, lamp: Lamp, reaches: Floats, known: bool) -> list[Lamp]:
        """Lamps that explain the light about all stacks best, near where one is taken to be, or two: all of them then.

        The one whose factor is 1 does so best of all; the others are the best of those with a reach that is `reaches`
        (R,) times as long, shortest first: heights and reach are hard to tell apart, and a lamp that is right for one
        reach is wrong for another. `known`: whether it is known how thick men are; if not, they are thinner
        under lamps with longer reaches, so that shadows end where they do.
        """
        near = _Near(self._shades, self._falloff, lamp)
        best = near.best()
        pair = self._pair(near.at(best))
        if pair.other is not None:
            near = _Near(self._shades, self._falloff.silent(), pair)
            best = near.best()
        return near.reaching(best, reaches, known)

    def only(self, far_mm: float) -> Lamp | None:
        """The lamp, about so far away, that explains the light about all stacks best, if any does so much better than
        light from everywhere alone."""
        lamp, better = self._beside(None, far_mm)
        return lamp if better > _MUCH_BETTER else None

    def _pair(self, lamp: Lamp) -> Lamp:
        """The same lamp, or two that throw shadows of their own, if these explain the light much better; the one that
        explains more of it first."""
        far_mm = lamp.far_mm()
        other, better = self._beside(lamp, far_mm)
        if other is None or better < _MUCH_BETTER:
            return lamp
        first, more = self._beside(other, far_mm)
        if first is None or more > _BRIGHTER * better or _apart(first, other) < _WELL_APART:
            return lamp
        return replace(first, other=other) if more > better else replace(other, other=first)

    def _beside(self, lamp: Lamp | None, far_mm: float) -> tuple[Lamp | None, float]:
        """The lamp, about so far away, that explains the light best, alone or beside another and not quite there, if
        any does so much better at first sight; and how much better that is (a logarithm)."""
        nowhere = Lamp(1.0, 0.0, _NOWHERE * far_mm, other=lamp)
        height_mm = far_mm / np.hypot(1, _EVERY_REACH)
        tried = [
            Lamp(-z * reach * np.cos(way), -z * reach * np.sin(way), z, _FACE * far_mm, lamp)
            for way in _EVERY_WAY
            for reach, z in zip(_EVERY_REACH.tolist(), height_mm.tolist(), strict=True)
        ]
        tried = [there for there in tried if lamp is None or _apart(lamp, there) > _PERHAPS_APART]
        some = self._shades.about_tallest(tried[:: len(tried) // _SOME])
        costs = _unlikely(self._shades, some, [nowhere, *tried])
        if costs[0] - costs[1:].min() < _MUCH_BETTER:
            return None, 0.0
        near = _Near(self._shades, self._falloff.silent(), tried[int(costs[1:].argmin())])
        found = near.at(near.best())
        costs = _unlikely(self._shades, near.about, [nowhere, found])
        if lamp is not None and _apart(lamp, found) < _PERHAPS_APART:
            return None, 0.0
        return replace(found, other=None), float(costs[0] - costs[1])


class _Near:
    """Lamps near where one is taken to be, or two, of which the first is looked for more closely."""

    def __init__(self, shades: Shades, falloff: Falloff, lamp: Lamp) -> None:
        self._shades, self._falloff, self._lamp = shades, falloff, lamp
        wide = [self.at(_USUAL + np.array([turn, longer, 0.0, 0.0])) for turn in _TURNS for longer in _LONGER]
        self.about = shades.about_all(wide)

    def at(self, x: Floats, longest: float | None = None) -> Lamp:
        """The lamp that is so far off (see `_USUAL`); the other one, if there is one, has a shorter reach with it where
        the `longest` is given."""
        other = self._lamp.other
        if other is not None and longest is not None:
            other = other.reaching(float(np.exp(x[1] - longest)))
        return replace(_moved(self._lamp, x), other=other)

    def best(self) -> Floats:
        """How far off the lamp is that explains the light best."""
        best, shape = _USUAL, np.diag(_FIRST_SPREADS**2)
        for heat, rounds in _COOLING:
            best, shape = _least(partial(self._costs, heat=heat, longer=None), best, shape, rounds, _TRIED)
        return best

    def reaching(self, best: Floats, reaches: Floats, known: bool) -> list[Lamp]:
        """The lamps that explain the light best among those that reach so many times as far (R,) as the best one."""
        longest = None if known else float(best[1])
        aside = partial(self._costs, heat=1.0, longer=longest)
        asides = np.arange(np.log(reaches[0]), np.log(reaches[-1]) + _PROFILE_STEP / 2, _PROFILE_STEP)
        near = [best + np.array([0.0, longer, 0.0, 0.0]) for longer in asides]
        profile = np.array([_least(aside, x, np.diag(_SIDEWAYS**2), _FEW_ROUNDS, _FEW_TRIED)[0] for x in near])
        longer = best[1] + np.log(reaches)
        every = np.stack([np.interp(longer, profile[:, 1], profile[:, i]) for i in range(len(best))], axis=1)
        every[:, 1] = longer
        return [self.at(x, longest) for x in every]

    def _costs(self, tried: Floats, heat: float, longer: float | None) -> Floats:
        """How unlikely lamps are that are so far off, (L,) logarithms; stacks are lower the longer their reach is, if
        that is compared with a `longer` one."""
        lamps, off = [self.at(x, longer) for x in tried], (tried - _USUAL) / _SPREADS
        taller = np.ones(len(tried)) if longer is None else np.exp(longer - tried[:, 1])
        total: Floats = 0.5 * (off * off).sum(axis=1)
        total += self._falloff.unlikely(places_of(lamps)) / heat
        for k, shade in self.about:
            total += self._shades.unlikely(shade, k, lamps, taller, heat)
        return total


def _unlikely(shades: Shades, about: Sequence[tuple[int, Shade]], lamps: Sequence[Lamp]) -> Floats:
    """How unlikely the light about some stacks is under each of some lamps, (L,) logarithms."""
    total = np.zeros(len(lamps))
    for k, shade in about:
        total += shades.unlikely(shade, k, lamps, np.ones(len(lamps)), 1.0)
    return total


def _apart(one: Lamp, other: Lamp) -> float:
    """Under which angle two lamps are seen from the board's origin (radians)."""
    one_mm, other_mm = places_of([one, other])
    return float(np.arccos(np.clip(one_mm @ other_mm / (one.far_mm() * other.far_mm()), -1, 1)))


def _moved(lamp: Lamp, x: Floats) -> Lamp:
    """A lamp turned, with a longer reach, with such a face and farther away by so much (see `_USUAL`)."""
    there, far = lamp.turned(float(x[0])).reaching(float(np.exp(x[1]))), float(np.exp(x[3]))
    return Lamp(there.x_mm * far, there.y_mm * far, there.z_mm * far, lamp.far_mm() * far * float(np.exp(x[2])))


def _root(shape: Floats) -> Floats:
    """The lower triangle L with L Lᵀ = shape, of which rows may be 0: unlike eigenvectors, whose signs and order are
    free, it is the same with every processor's linear algebra, and so are the lamps that are drawn."""
    free = np.flatnonzero(np.diag(shape) > 0)
    root = np.zeros_like(shape)
    root[np.ix_(free, free)] = np.linalg.cholesky(shape[np.ix_(free, free)])
    return root


def _least(
    costs: Callable[[Floats], Floats], x: Floats, shape: Floats, rounds: int, tried: int
) -> tuple[Floats, Floats]:
    """Where a cost is least about x, and how places near there are spread: the best of places drawn about the best
    ones so far, again and again. `shape`: the covariance of the first ones drawn."""
    random, middle, least_shape = np.random.default_rng(0), x, _LEAST_SPREAD**2 * np.diag(np.diag(shape) > 0)
    best, least = x[None], costs(x[None])
    for _ in range(rounds):
        drawn = middle + random.standard_normal((tried, len(x))) @ _root(shape).T
        best, least = np.concatenate([best, drawn]), np.concatenate([least, costs(drawn)])
        first = np.argsort(least)[: tried // _BEST]
        best, least = best[first], least[first]
        middle = best.mean(axis=0)
        shape = 0.7 * np.cov(best.T, bias=True) + _KEPT * shape + least_shape
    likeliest: Floats = best[0]
    return likeliest, shape
