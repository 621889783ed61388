"""Which way up a board lies whose outline is the same in several: told by what stands on it, or by its lights."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import CellLook, CellReading
from vision.following.motion import Window
from vision.geometry import BoardPose
from vision.picture import Picture

#: What is known must fit a turned board better than the board as it was found by so much (log-likelihood).
_CLEARLY = 20.0
#: Cells of a turned board lie on cells within this part of a pitch.
_ON_CELLS = 0.1
#: What belongs to a cell's light, in pitches about its centre: where a disk covers the light, the rim about it.
_CELL_LIGHT = 0.58
#: A sixth of a board is lit when it has become brighter than the rest by so much, of 255, by so many times as much as
#: half of the rest differs, and by so many times as much as any other sixth.
_LEAST_RISE, _SPREADS, _TIMES = 2.0, 4.0, 2.0


def middle_mm(layout: Layout) -> NDArray[np.float64]:
    """What a board can be turned about, (2,) mm: the middle of its cells."""
    middle: NDArray[np.float64] = np.array(layout.centres_mm).mean(axis=0)
    return middle


def turns_of(layout: Layout) -> dict[int, NDArray[np.intp]]:
    """The turns, in sixths counter-clockwise, that bring all cells onto cells: for each cell the one it comes to."""
    centres, middle = np.array(layout.centres_mm), middle_mm(layout)
    turns = {}
    for sixths in range(1, 6):
        angle = np.radians(60 * sixths)
        turned = (centres - middle) @ np.array(
            [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        ) + middle
        apart = np.hypot(*(turned[:, None] - centres[None]).transpose(2, 0, 1))
        if (apart.min(axis=1) < _ON_CELLS * layout.pitch_mm).all():
            turns[sixths] = apart.argmin(axis=1)
    return turns


def better_turn(layout: Layout, cells: Sequence[CellReading], *known: Sequence[CellLook | None]) -> int:
    """By how many sixths a board should be turned so that what is known to stand on it fits what was read; 0 where it
    fits as it is, or no other way does clearly better. `known` by the referee, who may not know of a turn that has
    begun, by what was read before, or both; None where nothing is known of a cell."""

    def fit(order: Sequence[int]) -> float:
        return sum(
            cells[i].log_likelihood(look)
            for looks in known
            for i, look in zip(order, looks, strict=True)
            if look is not None
        )

    fits = {sixths: fit(order.tolist()) for sixths, order in turns_of(layout).items()}
    best = max(fits, key=fits.__getitem__, default=0)
    return best if fits and fits[best] > fit(range(len(cells))) + _CLEARLY else 0


class CellLights:
    """How bright the cells of a board are in pictures of one size."""

    def __init__(self, pose: BoardPose, layout: Layout, width_px: int, height_px: int) -> None:
        self._window = Window(pose, layout, width_px, height_px)
        cell_of = np.full(self._window.size[::-1], len(layout.names), np.int32)
        for cell, (x, y) in enumerate(self._window.centres):
            cv2.circle(cell_of, (round(x), round(y)), round(_CELL_LIGHT * self._window.pitch), cell, -1)
        self._cell_of = cell_of.ravel()
        self._samples = np.maximum(np.bincount(self._cell_of, minlength=len(layout.names) + 1)[:-1], 1)

    def levels(self, image: Picture) -> NDArray[np.float64]:
        """The mean of each cell, (cells,), of 255."""
        grey = self._window.sample(image).mean(axis=2).ravel()
        levels: NDArray[np.float64] = np.bincount(self._cell_of, grey, len(self._samples) + 1)[:-1] / self._samples
        return levels


def a_sixth_of(layout: Layout) -> tuple[int, ...]:
    """The cells of one sixth of a board as seen from its middle; turned by any number of sixths it shares none."""
    towards = np.array(layout.centres_mm) - middle_mm(layout)
    bearings_deg = np.degrees(np.arctan2(towards[:, 1], towards[:, 0])) + 1e-6
    far = np.hypot(*towards.T) > _ON_CELLS * layout.pitch_mm
    return tuple(np.flatnonzero(far & (bearings_deg >= 0) & (bearings_deg < 60)).tolist())


def lit_turn(layout: Layout, rises: NDArray[np.float64], lit: Sequence[int]) -> int | None:
    """By how many sixths a board should be turned so that the cells that have become brighter, by `rises` (cells,) of
    255, are those that were lit; None while that is not clear."""
    orders = {0: np.arange(len(rises)), **turns_of(layout)}
    gains = {}
    for sixths, order in orders.items():
        others = np.delete(rises, order[list(lit)])
        spread = np.subtract(*np.percentile(others, [75, 25]))
        gains[sixths] = float(np.median(rises[order[list(lit)]]) - np.median(others)), float(spread)
    best = max(gains, key=lambda sixths: gains[sixths][0])
    gain, spread = gains.pop(best)
    second = max((other for other, _ in gains.values()), default=0.0)
    return best if gain > max(_LEAST_RISE, _SPREADS * spread, _TIMES * second) else None
