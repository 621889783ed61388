"""The light about all stacks of a table: how well lamps explain it, and how high each stack is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT
from vision.arrays import Floats
from vision.lamplight.lamp import Lamp
from vision.lamplight.shade import Ground, Men, Shade, Stand
from vision.men.heights import Size

#: Neighbouring places err together: misfits are divided by this before they are log-likelihoods (tried on rendered
#: stills).
_TEMPERATURE = 12.0
#: So often the light about a stack is not what it seems to be.
_MISTAKEN = 0.002
#: Heights less likely than the likeliest by this are not looked at (logarithm).
_UNLIKELY = 7.0
#: So many places are looked at whose light may tell of a stack: when a table is learned, and when it is read.
_MANY, _FEW = 300, 150
#: So many of the tallest stacks give a first idea of where lamps may be.
_TALLEST = 4
#: Tops are looked at so far apart, in diameters; and of a table's sizes so many at most.
_APART, _MOST_SIZES = 0.06, 5
#: Men may hide what lies this close beside and above them; how much farther than where shadows may end light is looked
#: at; in diameters.
_BESIDE, _ABOVE, _ABOUT = 0.05, 0.06, 1.3
#: Unit vectors whose mean is shorter than this point many ways.
_ONE_WAY = 0.8


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

    def about_all(self, lamps: Sequence[Lamp]) -> list[tuple[int, Shade]]:
        """Each stack's number and the light about it, if the lamp is one of some, but for those where nothing tells."""
        return self._about_some(range(len(self._guesses)), lamps, _MANY)

    def about_tallest(self, lamps: Sequence[Lamp]) -> list[tuple[int, Shade]]:
        """The same of the tallest stacks, at fewer places: for a first idea of where lamps may be."""
        return self._about_some(np.argsort(-self._tops)[:_TALLEST].tolist(), lamps, _FEW)

    def _about_some(self, stacks: Iterable[int], lamps: Sequence[Lamp], most: int) -> list[tuple[int, Shade]]:
        """The light about some stacks; see `about_all`."""
        shades = [(k, self._about(k, lamps, self._guesses[k].tops_mm, most)) for k in stacks]
        return [(k, shade) for k, shade in shades if shade.telling]

    def unlikely(self, shade: Shade, k: int, lamps: Sequence[Lamp], taller: Floats, heat: float) -> Floats:
        """How unlikely the light about the k-th stack is under each of some lamps, (L,), however high it is
        (logarithm), if stacks are `taller` (L,) times as high as they are taken to be; misfits count `heat` times
        less."""
        foot, guess = self._stands[k].foot_mm, self._guesses[k]
        misfits = shade.misfits(lamps, foot + (guess.tops_mm - foot) * taller[:, None], taller)
        unlikely: Floats = -np.logaddexp.reduce(guess.likely - misfits / (_TEMPERATURE * heat), axis=1)
        return unlikely

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
        diameter = 2 * self._men.radius_mm
        others, places = np.zeros(len(self._tops), bool), np.zeros(0, int)
        for each in zip(*(lamp.both() for lamp in lamps), strict=True):
            reach = max(lamp.reach() for lamp in each)
            centre, radius = about_stack(self._middles[k], float(tops_mm.max()), reach, each[0], diameter)
            if _many_ways(each):
                centre, radius = self._middles[k], float(tops_mm.max()) * reach + _ABOUT * diameter
            others |= np.hypot(*(self._middles - centre).T) < radius + self._tops * reach + diameter
            places = np.union1d(places, self._ground.near(centre, radius))
        others[k] = False
        high = [(self._stands[j], float(self._tops[j])) for j in np.flatnonzero(others).tolist()]
        return Shade(self._men, self._ground.of(places), self._stands[k], high, lamps, tops_mm, most)


def about_stack(middle_mm: Floats, top_mm: float, reach: float, lamp: Lamp, diameter_mm: float) -> tuple[Floats, float]:
    """A circle, middle (2,) and radius, in which the light tells of a stack whose top appears to be at `middle_mm` (2,)
    and is no higher than `top_mm`: all of its shadow, which is `reach` times as long, and what lies about it."""
    long, way = top_mm * reach, -np.array([lamp.x_mm, lamp.y_mm]) / lamp.aside_mm()
    return middle_mm + way * long / 2, 0.55 * long + _ABOUT * diameter_mm


def _many_ways(lamps: Sequence[Lamp]) -> bool:
    """Whether shadows fall towards many sides below some lamps."""
    ways = np.array([(lamp.x_mm, lamp.y_mm) for lamp in lamps]) / np.array([[lamp.aside_mm()] for lamp in lamps])
    return float(np.linalg.norm(ways.mean(axis=0))) < _ONE_WAY


def _told(misfit: Floats) -> Floats:
    """Log-likelihoods by misfits, relative to the best."""
    told: Floats = np.logaddexp(-(misfit - misfit.min()) / _TEMPERATURE, np.log(_MISTAKEN))
    return told
