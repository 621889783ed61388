"""The light about all stacks of a table: where exactly the lamp stands, and how high each stack is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT
from vision.geometry import Floats
from vision.heights import Size
from vision.lamp import Lamp
from vision.shade import Ground, Men, Shade, Stand

#: Neighbouring places err together: misfits are divided by this before they are log-likelihoods (tried on rendered
#: stills).
_TEMPERATURE = 30.0
#: So often the light about a stack is not what it seems to be.
_MISTAKEN = 0.002
#: A lamp is looked for about where it is taken to be: turned, with a longer reach, with a face (in its distance) and
#: at a distance that are so far off (the last three are logarithms). Beforehand nothing speaks against lamps this near.
_USUAL, _SPREADS = np.array([0.0, 0.0, np.log(0.08), 0.0]), np.array([0.12, 0.27, 1.5, 0.25])
#: The search (Rubinstein's cross-entropy method): how far about it begins, how many lamps it tries each time, from how
#: many of them it goes on, how much of the spread it keeps; no spread falls below the least.
_FIRST_SPREADS, _TRIED, _BEST = np.array([0.07, 0.18, 0.8, 0.15]), 24, 7
_KEPT, _LEAST_SPREAD = 0.12, 3e-4
#: How often it tries; and how far about, and how often, for lamps with reaches that are longer by so much (logarithm).
_ROUNDS, _SIDEWAYS, _FEW_ROUNDS = 10, np.array([0.04, 0.0, 0.5, 0.1]), 5
_PROFILE = (-0.36, -0.18, 0.0, 0.18, 0.36)
#: Lamps that the stacks may have: turned and with longer reaches by so much, to find what tells of them.
_TURNS, _LONGER = (-0.2, 0.2), (-0.35, 0.35)
#: Heights less likely than the likeliest by this are not looked at (logarithm).
_UNLIKELY = 7.0
#: So many places are looked at whose light may tell of a stack: when a table is learned, and when it is read.
_MANY, _FEW = 300, 150
#: Tops are looked at so far apart, in diameters; and of a table's sizes so many at most.
_APART, _MOST_SIZES = 0.06, 6
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
    """Stacks on a board in its light, and what is known of how high they are."""

    def __init__(self, men: Men, ground: Ground, stands: Sequence[Stand], guesses: Sequence[Guess]) -> None:
        self._men, self._stands, self._guesses = men, stands, guesses
        self._tops = np.array([guess.best_mm() for guess in guesses])
        self._middles = np.array([stand.middle_mm for stand in stands]).reshape(-1, 2)
        self._ground = ground.of(np.flatnonzero(self._free(ground)))

    def lamps(self, lamp: Lamp, reaches: Floats) -> list[Lamp]:
        """Lamps that explain the light about all stacks best, near where one is taken to be.

        The middle one does so best of all; the others are the best of those with a reach that is `reaches` (R,) times
        as long (the middle one of which is 1): heights and reach are hard to tell apart, and a lamp that is right for
        one reach is wrong for another.
        """

        def at(x: Floats) -> Lamp:
            there = lamp.turned(float(x[0])).reaching(float(np.exp(x[1])))
            far = float(np.exp(x[3]))
            return Lamp(there.x_mm * far, there.y_mm * far, there.z_mm * far, lamp.far_mm() * far * float(np.exp(x[2])))

        wide = [at(_USUAL + np.array([turn, longer, 0.0, 0.0])) for turn in _TURNS for longer in _LONGER]
        shades = [(self._about(k, wide, guess.tops_mm), guess) for k, guess in enumerate(self._guesses)]
        shades = [(shade, guess) for shade, guess in shades if shade.telling]

        def costs(tried: Floats) -> Floats:
            lamps, off = [at(x) for x in tried], (tried - _USUAL) / _SPREADS
            total: Floats = 0.5 * (off * off).sum(axis=1)
            for shade, guess in shades:
                total += _unlikely(shade, guess, lamps)
            return total

        best = _least(costs, _USUAL, _FIRST_SPREADS, _ROUNDS)
        near = [best + np.array([0.0, longer, 0.0, 0.0]) for longer in _PROFILE]
        profile = np.array([_least(costs, x, _SIDEWAYS, _FEW_ROUNDS) for x in near])
        longer = best[1] + np.log(reaches)
        every = np.stack([np.interp(longer, profile[:, 1], profile[:, i]) for i in range(len(best))], axis=1)
        every[:, 1] = longer
        return [at(x) for x in every]

    def heights(self, told: Floats, lamps: Sequence[Lamp], ratios: Floats) -> Floats:
        """Log-likelihoods (n, G, L, 8) of one, two, … men that are `ratios` (G,) diameters thick, under each lamp.

        `told` (n, G, 8): what else is known of the heights; unlikely ones are not looked at.
        """
        out = np.zeros((len(told), len(ratios), len(lamps), MAX_HEIGHT))
        for k in range(len(told)):
            likely = told[k] > told[k].max() - _UNLIKELY
            tops = self._all_tops_mm(k, ratios)
            low, high = tops[likely].min(), tops[likely].max()
            steps = 1 + int(np.ceil((high - low) / (2 * _APART * self._men.radius_mm)))
            nodes = tops[likely] if len(ratios) == 1 else np.linspace(low, high, steps)
            shade = self._about(k, lamps[:: max(1, len(lamps) // 2)], np.array([low, (low + high) / 2, high]))
            if not shade.telling:
                continue
            table = _told(np.stack([shade.misfits([lamp] * len(nodes), nodes) for lamp in lamps]))
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
        every = [lamp for lamp in lamps for _ in likely]
        table = _told(shade.misfits(every, tops.ravel())).reshape(tops.shape)
        out[:] = np.log(_MISTAKEN)
        out[:, likely] = table.mean(axis=0)
        for s, row in zip(some, table, strict=True):
            out[s, likely] = row
        return out

    def _all_tops_mm(self, k: int, ratios: Floats) -> Floats:
        """How high one, two, … men of such thicknesses (G,), in diameters, are on the k-th stack's place, (G, 8)."""
        tall = ratios[:, None] * np.arange(1, MAX_HEIGHT + 1) * 2 * self._men.radius_mm
        return np.asarray(self._stands[k].foot_mm + tall)

    def _free(self, ground: Ground) -> NDArray[np.bool_]:
        """Which places no stack hides from the camera."""
        camera = self._men.pose.camera_mm.astype(np.float32)[None, None]
        wide = replace(self._men, radius_mm=self._men.radius_mm * (1 + 2 * _BESIDE), soft_mm=0.1)
        free = np.ones(len(ground.points), bool)
        for stand, guess in zip(self._stands, self._guesses, strict=True):
            highest = float(guess.tops_mm.max())
            behind = highest * float(np.hypot(*(stand.middle_mm - camera[0, 0, :2]))) / float(camera[0, 0, 2])
            near = ground.near(stand.middle_mm, 3 * self._men.radius_mm + behind)
            for top in {highest, guess.best_mm(), stand.foot_mm + 0.4 * self._men.radius_mm}:
                high = top + 2 * _ABOVE * self._men.radius_mm
                free[near] &= wide.blocked(ground.points[near], camera, stand, np.array([high]))[0, :, 0] < 0.5
        return free

    def _about(self, k: int, lamps: Sequence[Lamp], tops_mm: Floats, most: int = _MANY) -> Shade:
        """The light about the k-th stack if its top is as high as one of `tops_mm` and the lamp one of `lamps`."""
        reach = max(lamp.reach() for lamp in lamps)
        way = -np.array([lamps[0].x_mm, lamps[0].y_mm]) / lamps[0].aside_mm()
        long, diameter = float(tops_mm.max()) * reach, 2 * self._men.radius_mm
        centre, radius = self._middles[k] + way * long / 2, 0.55 * long + _ABOUT * diameter
        others = np.hypot(*(self._middles - centre).T) < radius + self._tops * reach + diameter
        others[k] = False
        high = [(self._stands[j], float(self._tops[j])) for j in np.flatnonzero(others).tolist()]
        ground = self._ground.of(self._ground.near(centre, radius))
        return Shade(self._men, ground, self._stands[k], high, lamps, tops_mm, most)


def _told(misfit: Floats) -> Floats:
    """Log-likelihoods by misfits, relative to the best."""
    told: Floats = np.logaddexp(-(misfit - misfit.min()) / _TEMPERATURE, np.log(_MISTAKEN))
    return told


def _unlikely(shade: Shade, guess: Guess, lamps: Sequence[Lamp]) -> Floats:
    """How unlikely the light about a stack is under each of some lamps, (L,), however high it is (logarithm)."""
    every, z = [lamp for lamp in lamps for _ in guess.tops_mm], len(guess.tops_mm)
    misfits = shade.misfits(every, np.tile(guess.tops_mm, len(lamps))).reshape(-1, z)
    unlikely: Floats = -np.logaddexp.reduce(guess.likely - misfits / _TEMPERATURE, axis=1)
    return unlikely


def _least(costs: Callable[[Floats], Floats], x: Floats, spreads: Floats, rounds: int) -> Floats:
    """Where a cost is least about x: the best of places drawn about the best ones so far, again and again."""
    random, middle, shape = np.random.default_rng(0), x, np.diag(spreads**2)
    best, least = x[None], costs(x[None])
    for _ in range(rounds):
        drawn = random.multivariate_normal(middle, shape, _TRIED)
        best, least = np.concatenate([best, drawn]), np.concatenate([least, costs(drawn)])
        first = np.argsort(least)[:_BEST]
        best, least = best[first], least[first]
        middle = best.mean(axis=0)
        shape = 0.7 * np.cov(best.T, bias=True) + _KEPT * shape + _LEAST_SPREAD**2 * np.diag(spreads > 0)
    likeliest: Floats = best[0]
    return likeliest
