"""The light about all stacks of a table: where exactly the lamp stands, and how high each stack is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT
from vision.arrays import Floats
from vision.lamplight.falloff import Falloff
from vision.lamplight.lamp import Lamp, places_of
from vision.lamplight.shade import Ground, Men, Shade, Stand
from vision.men.heights import Size

#: Neighbouring places err together: misfits are divided by this before they are log-likelihoods (tried on rendered
#: stills).
_TEMPERATURE = 12.0
#: So often the light about a stack is not what it seems to be.
_MISTAKEN = 0.002
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
#: Heights less likely than the likeliest by this are not looked at (logarithm).
_UNLIKELY = 7.0
#: So many places are looked at whose light may tell of a stack: when a table is learned, and when it is read.
_MANY, _FEW = 300, 150
#: Tops are looked at so far apart, in diameters; and of a table's sizes so many at most.
_APART, _MOST_SIZES = 0.06, 5
#: Men may hide what lies this close beside and above them; how much farther than where shadows may end light is looked
#: at; in diameters.
_BESIDE, _ABOVE, _ABOUT = 0.05, 0.06, 1.3


@dataclass(frozen=True, slots=True)
class Guess:
    """How high the top of a stack may be, (Z,) in millimetres, and how likely that is, (Z,) logarithms."""

    tops_mm: Floats
    likely: Floats

    def best_mm(self) -> float:
        """The likeliest."""
        return float(self.tops_mm[np.argmax(self.likely)])


class Shades:
    """Stacks on a board in its light, and what is known of how high they are.

    `thickness`: how thick men are taken to be in the guesses, in diameters.
    """

    def __init__(
        self, men: Men, ground: Ground, stands: Sequence[Stand], guesses: Sequence[Guess], thickness: float
    ) -> None:
        self._men, self._stands, self._guesses, self._thickness = men, stands, guesses, thickness
        self._tops = np.array([guess.best_mm() for guess in guesses])
        self._middles = np.array([stand.middle_mm for stand in stands]).reshape(-1, 2)
        self._ground = ground.of(np.flatnonzero(self._free(ground)))

    def lamps(self, lamp: Lamp, reaches: Floats, known: bool, falloff: Falloff) -> list[Lamp]:
        """Lamps that explain the light about all stacks best, near where one is taken to be.

        The one whose factor is 1 does so best of all; the others are the best of those with a reach that is `reaches`
        (R,) times as long, shortest first: heights and reach are hard to tell apart, and a lamp that is right for one
        reach is wrong for another. `known`: whether it is known how thick men are; if not, they are thinner
        under lamps with longer reaches, so that shadows end where they do. `falloff`: how bright the open board is,
        which has a say, too.
        """

        def at(x: Floats) -> Lamp:
            there = lamp.turned(float(x[0])).reaching(float(np.exp(x[1])))
            far = float(np.exp(x[3]))
            return Lamp(there.x_mm * far, there.y_mm * far, there.z_mm * far, lamp.far_mm() * far * float(np.exp(x[2])))

        wide = [at(_USUAL + np.array([turn, longer, 0.0, 0.0])) for turn in _TURNS for longer in _LONGER]
        shades = [(self._about(k, wide, guess.tops_mm), k) for k, guess in enumerate(self._guesses)]
        shades = [(shade, k) for shade, k in shades if shade.telling]

        def costs(tried: Floats, heat: float, longer: float | None) -> Floats:
            lamps, off = [at(x) for x in tried], (tried - _USUAL) / _SPREADS
            taller = np.ones(len(tried)) if longer is None else np.exp(longer - tried[:, 1])
            total: Floats = 0.5 * (off * off).sum(axis=1)
            total += falloff.unlikely(places_of(lamps)) / heat
            for shade, k in shades:
                total += self._unlikely(shade, k, lamps, taller, heat)
            return total

        best, shape = _USUAL, np.diag(_FIRST_SPREADS**2)
        for heat, rounds in _COOLING:
            best, shape = _least(partial(costs, heat=heat, longer=None), best, shape, rounds, _TRIED)

        aside = partial(costs, heat=1.0, longer=None if known else float(best[1]))
        asides = np.arange(np.log(reaches[0]), np.log(reaches[-1]) + _PROFILE_STEP / 2, _PROFILE_STEP)
        near = [best + np.array([0.0, longer, 0.0, 0.0]) for longer in asides]
        profile = np.array([_least(aside, x, np.diag(_SIDEWAYS**2), _FEW_ROUNDS, _FEW_TRIED)[0] for x in near])
        longer = best[1] + np.log(reaches)
        every = np.stack([np.interp(longer, profile[:, 1], profile[:, i]) for i in range(len(best))], axis=1)
        every[:, 1] = longer
        return [at(x) for x in every]

    def heights(self, told: Floats, lamps: Sequence[Lamp], best: Lamp, ratios: Floats) -> Floats:
        """Log-likelihoods (n, G, L, 8) of one, two, … men that are `ratios` (G,) diameters thick, under each lamp.

        `told` (n, G, 8): what else is known of the heights; unlikely ones are not looked at. `best`: the lamp that
        explains the light best.
        """
        out = np.zeros((len(told), len(ratios), len(lamps), MAX_HEIGHT))
        reach = np.array([lamp.reach() for lamp in lamps])
        taller = np.ones(len(lamps)) if len(ratios) == 1 else best.reach() / reach
        for k in range(len(told)):
            likely = told[k] > told[k].max() - _UNLIKELY
            tops = self._all_tops_mm(k, ratios)
            low, high = tops[likely].min(), tops[likely].max()
            steps = 1 + int(np.ceil((high - low) / (2 * _APART * self._men.radius_mm)))
            nodes = tops[likely] if len(ratios) == 1 else np.linspace(low, high, steps)
            shade = self._about(k, lamps[:: max(1, len(lamps) // 2)], np.array([low, (low + high) / 2, high]))
            if not shade.telling:
                continue
            table = _told(shade.misfits(lamps, np.tile(nodes, (len(lamps), 1)), taller))
            inside = (tops > low - 1e-6) & (tops < high + 1e-6)
            out[k] = np.log(_MISTAKEN)
            for i in range(len(lamps)):
                out[k, :, i][inside] = np.interp(tops[inside], nodes, table[i])
        return out

    def heights_by_size(self, k: int, likely: NDArray[np.int_], lamp: Lamp, sizes: Sequence[Size]) -> Floats:
        """Log-likelihoods (S, 8) of one, two, … men on the k-th stack for each of a table's sizes; only the heights
        `likely`, counted from 0, are looked at, and the likeliest sizes."""
        out = np.zeros((len(sizes), MAX_HEIGHT))
        some = sorted(range(len(sizes)), key=lambda s: -sizes[s].weight)[:_MOST_SIZES]
        tops = self._all_tops_mm(k, np.array([sizes[s].thickness for s in some]))[:, likely]
        lamps = [lamp.reaching(sizes[s].reach) for s in some]
        shade = self._about(k, lamps[:1], np.array([tops.min(), tops.max()]), _FEW)
        if not shade.telling:
            return out
        taller = np.array([sizes[s].thickness / self._thickness for s in some])
        table = _told(shade.misfits(lamps, tops, taller))
        out[:] = np.log(_MISTAKEN)
        out[:, likely] = table.mean(axis=0)
        for s, row in zip(some, table, strict=True):
            out[s, likely] = row
        return out

    def _unlikely(self, shade: Shade, k: int, lamps: Sequence[Lamp], taller: Floats, heat: float) -> Floats:
        """How unlikely the light about the k-th stack is under each of some lamps, (L,), however high it is
        (logarithm), if stacks are `taller` (L,) times as high as they are taken to be."""
        foot, guess = self._stands[k].foot_mm, self._guesses[k]
        misfits = shade.misfits(lamps, foot + (guess.tops_mm - foot) * taller[:, None], taller)
        unlikely: Floats = -np.logaddexp.reduce(guess.likely - misfits / (_TEMPERATURE * heat), axis=1)
        return unlikely

    def _all_tops_mm(self, k: int, ratios: Floats) -> Floats:
        """How high one, two, … men of such thicknesses (G,), in diameters, are on the k-th stack's place, (G, 8)."""
        tall = ratios[:, None] * np.arange(1, MAX_HEIGHT + 1) * 2 * self._men.radius_mm
        return np.asarray(self._stands[k].foot_mm + tall)

    def _free(self, ground: Ground) -> NDArray[np.bool_]:
        """Which places no stack hides from the camera."""
        camera = np.tile(self._men.pose.camera_mm.astype(np.float32), (3, 1, 1))
        wide = replace(self._men, radius_mm=self._men.radius_mm * (1 + 2 * _BESIDE), soft_mm=0.1)
        free = np.ones(len(ground.points), bool)
        for stand, guess in zip(self._stands, self._guesses, strict=True):
            highest = float(guess.tops_mm.max())
            behind = highest * float(np.hypot(*(stand.middle_mm - camera[0, 0, :2]))) / float(camera[0, 0, 2])
            near = ground.near(stand.middle_mm, 3 * self._men.radius_mm + behind)
            tops = np.array([stand.foot_mm + 0.4 * self._men.radius_mm, guess.best_mm(), highest])
            high = tops + 2 * _ABOVE * self._men.radius_mm
            left = wide.left(ground.points[near], camera, stand.middle_mm, high).min(axis=0)[0]
            free[near] &= left > 0.5
        return free

    def _about(self, k: int, lamps: Sequence[Lamp], tops_mm: Floats, most: int = _MANY) -> Shade:
        """The light about the k-th stack if its top is as high as one of `tops_mm` and the lamp one of `lamps`."""
        reach, diameter = max(lamp.reach() for lamp in lamps), 2 * self._men.radius_mm
        centre, radius = about_stack(self._middles[k], float(tops_mm.max()), reach, lamps[0], diameter)
        others = np.hypot(*(self._middles - centre).T) < radius + self._tops * reach + diameter
        others[k] = False
        high = [(self._stands[j], float(self._tops[j])) for j in np.flatnonzero(others).tolist()]
        ground = self._ground.of(self._ground.near(centre, radius))
        return Shade(self._men, ground, self._stands[k], high, lamps, tops_mm, most)


def about_stack(middle_mm: Floats, top_mm: float, reach: float, lamp: Lamp, diameter_mm: float) -> tuple[Floats, float]:
    """A circle, middle (2,) and radius, in which the light tells of a stack whose top appears to be at `middle_mm` (2,)
    and is no higher than `top_mm`: all of its shadow, which is `reach` times as long, and what lies about it."""
    long, way = top_mm * reach, -np.array([lamp.x_mm, lamp.y_mm]) / lamp.aside_mm()
    return middle_mm + way * long / 2, 0.55 * long + _ABOUT * diameter_mm


def _told(misfit: Floats) -> Floats:
    """Log-likelihoods by misfits, relative to the best."""
    told: Floats = np.logaddexp(-(misfit - misfit.min()) / _TEMPERATURE, np.log(_MISTAKEN))
    return told


def _least(
    costs: Callable[[Floats], Floats], x: Floats, shape: Floats, rounds: int, tried: int
) -> tuple[Floats, Floats]:
    """Where a cost is least about x, and how places near there are spread: the best of places drawn about the best
    ones so far, again and again. `shape`: the covariance of the first ones drawn."""
    random, middle, least_shape = np.random.default_rng(0), x, _LEAST_SPREAD**2 * np.diag(np.diag(shape) > 0)
    best, least = x[None], costs(x[None])
    for _ in range(rounds):
        drawn = random.multivariate_normal(middle, shape, tried)
        best, least = np.concatenate([best, drawn]), np.concatenate([least, costs(drawn)])
        first = np.argsort(least)[: tried // _BEST]
        best, least = best[first], least[first]
        middle = best.mean(axis=0)
        shape = 0.7 * np.cov(best.T, bias=True) + _KEPT * shape + least_shape
    likeliest: Floats = best[0]
    return likeliest, shape
