"""Which way up a board lies whose outline is the same in several: told by what is known to stand on it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import CellLook, CellReading

#: What is known must fit a turned board better than the board as it was found by so much (log-likelihood).
_CLEARLY = 20.0
#: Cells of a turned board lie on cells within this part of a pitch.
_ON_CELLS = 0.1


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


def better_turn(layout: Layout, cells: Sequence[CellReading], looks: Sequence[CellLook]) -> int:
    """By how many sixths a board should be turned so that what is known to stand on it, `looks`, fits what was read; 0
    where it fits as it is, or no other way does clearly better."""

    def fit(order: Sequence[int]) -> float:
        return sum(cells[i].log_likelihood(look) for i, look in zip(order, looks, strict=True))

    fits = {sixths: fit(order.tolist()) for sixths, order in turns_of(layout).items()}
    best = max(fits, key=fits.__getitem__, default=0)
    return best if fits and fits[best] > fit(range(len(looks))) + _CLEARLY else 0
