"""Whose men stand there, by the colours of tops and sides in their strips."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Singles
from vision.light import Light
from vision.men.men_colours import DARKEST, TOP_PARTS, Part
from vision.men.side_colours import Sides, sides_of
from vision.picture import Picture
from vision.reading.table_model import TableModel
from vision.sampling import REACH, STRIP_COLUMNS, STRIP_ENDS, STRIP_ROWS, USUAL_PX

#: Samples of a top within its rim: radius in diameters, circles (as much of the top between any two), samples on each.
_TOP_RADIUS, _TOP_CIRCLES, _TOP_TURNS = 0.4, 8, 24
#: Where the part of them that shows men best is no man's, by such a log-likelihood, another one may show him: a shadow
#: may lie over that part, or the lamp be mirrored there.
_STRANGE = -8.0
#: Where a topmost man's side is looked at: how far around it from the nearest place (radians), and how far below its
#: upper edge (diameters).
_SIDE_TURNS, _SIDE_DEPTHS = np.radians(np.linspace(-55, 55, 9)), np.linspace(0.07, 0.22, 6)
#: A man's usual thickness in diameters; sides that look lower than the first number of pixels tell nothing, those that
#: look higher than the second tell all they can.
_SIDE, _LOW_PX, _HIGH_PX = 0.25, 1.0, 3.0
#: How much a side tells where the top's place was measured, and where it was not (with twice as much
#: dark men of two colours were taken for one another, whose sides mirror what stands about them: 19 of 1,432).
_MEASURED, _NOT_MEASURED = 5.0, 2.5
#: Brighter than any pixel, the sum of its three values.
_BRIGHTEST = np.uint16(1000)


@dataclass(frozen=True, slots=True)
class Tops:
    """n tops: their `strips` (n, rows, columns, 3); `cover` (n, rows, columns), 1 where a nearer stack is in front;
    how they are seen, `view` (n, 5), see `TableModel.strip_view`; and the `places` (n, 2) of their middles in the
    strips, across and up, in diameters, by how high they are or, where they were `measured`, by their rims."""

    strips: Picture
    cover: NDArray[np.int8]
    view: Singles
    places: Floats | Singles
    measured: bool

    def of(self, rows: NDArray[np.bool_]) -> "Tops":
        """Some of the tops."""
        return Tops(self.strips[rows], self.cover[rows], self.view[rows], self.places[rows], self.measured)

    def colours(self, light: Light, part: Part = DARKEST) -> Floats:
        """Median colour (n, 3) of a part of what nothing is in front of in each top, from the darkest."""
        pixels, cover = self._tops()
        hidden, (first, last) = cover == 1, part
        darkest = np.argsort(np.where(hidden, _BRIGHTEST, pixels.sum(axis=2, dtype=np.uint16)), axis=1)
        seen = np.maximum(len(_CIRCLES) - hidden.sum(axis=1), 1)[:, None]
        steps = np.arange(int(first * len(_CIRCLES)), int(last * len(_CIRCLES))) + 0.5
        some = np.take_along_axis(darkest, (steps / len(_CIRCLES) * seen).astype(int), axis=1)
        return _usual(np.take_along_axis(pixels, some[:, :, None], axis=1), light)

    def free(self) -> NDArray[np.bool_]:
        """Which tops no nearer stack is in front of, (n,)."""
        return np.asarray((self._tops()[1] != 1).all(axis=1))

    def _tops(self) -> tuple[Picture, NDArray[np.int8]]:
        """Pixels (n, m, 3) within the rims of the tops, and what is in front there, (n, m)."""
        flat = np.stack([np.ones(len(self.view)), self.view[:, 1]], axis=1)
        return self._samples(self.places[:, None] + _CIRCLES * flat[:, None])

    def sides(self, light: Light, surfaces: Floats, colours: Floats) -> Sides:
        """The sides of the topmost men, whose tops have such `colours` (n, 3); `surfaces` (k, 3): what may lie about
        them, NaN where it is not known."""
        sine, cosine = self.view[:, 0, None, None], self.view[:, 1, None, None]
        down = 0.5 * np.cos(_SIDE_TURNS)[:, None] * cosine + _SIDE_DEPTHS * sine
        places = np.stack([np.broadcast_to(0.5 * np.sin(_SIDE_TURNS)[:, None], down.shape), -down], axis=-1)
        pixels, cover = self._samples(self.places[:, None] + places.reshape(len(down), -1, 2))
        shown = light.relative(pixels).swapaxes(1, 2)
        high_px = USUAL_PX * np.exp(self.view[:, 3]) * _SIDE * self.view[:, 0]
        weight = np.clip((high_px - _LOW_PX) / (_HIGH_PX - _LOW_PX), 0, 1)
        weight = weight * (_MEASURED if self.measured else _NOT_MEASURED)
        return sides_of(shown, cover != 1, surfaces, colours, weight)

    def _samples(self, places: Floats) -> tuple[Picture, NDArray[np.int8]]:
        """Pixels (n, m, 3) of the strips at places (n, m, 2) in them, across and up, in diameters; what is in front
        there, (n, m)."""
        (low, high), top = STRIP_ENDS, np.arange(len(places))[:, None]
        rows = np.rint((places[..., 1] - low) / (high - low) * STRIP_ROWS - 0.5).astype(int).clip(0, STRIP_ROWS - 1)
        columns = np.rint((places[..., 0] / REACH + 1) / 2 * STRIP_COLUMNS - 0.5).astype(int).clip(0, STRIP_COLUMNS - 1)
        return self.strips[top, rows, columns], self.cover[top, rows, columns]


def whose(table: TableModel, tops: Tops, off: Floats) -> Floats:
    """Log-likelihoods (n, owners) of whose men these are; `off` (n,): how far they are from mirroring the lamp, see
    `off_mirror`."""
    told = _told(table, tops, off, table.men.part)
    strange = told.max(axis=1) < _STRANGE
    if strange.any():
        strange &= tops.free()
    for part in TOP_PARTS[::-1]:
        if part == table.men.part or not strange.any():
            continue
        other = _told(table, tops.of(strange), off[strange], part)
        better = other.max(axis=1) > _STRANGE
        rows = np.flatnonzero(strange)[better]
        told[rows], strange[rows] = other[better], False
    return told


def _told(table: TableModel, tops: Tops, off: Floats, part: Part) -> Floats:
    """Log-likelihoods (n, owners) by a part of each top, and by its side."""
    colours = tops.colours(table.light, part)
    sides = tops.sides(table.light, table.colours_about(), colours)
    return table.men.log_likelihoods(colours, sides, off)


def _circles() -> Floats:
    radius = _TOP_RADIUS * np.sqrt(np.linspace(0.01, 1, _TOP_CIRCLES))[:, None]
    turn = np.linspace(0, 2 * np.pi, _TOP_TURNS, endpoint=False)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=-1).reshape(-1, 2)


_CIRCLES = _circles()


def _usual(pixels: NDArray[np.uint8], light: Light) -> Floats:
    """The medians (n, 3) of pixels (n, m, 3) in the table's light."""
    middle = pixels.shape[1] // 2
    return np.asarray(light.relative(np.partition(pixels, middle, axis=1)[:, middle]), dtype=np.float64)
