"""What is believed of some cells during one reading: surfaces, heights and colours, gathered from each look."""

import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT, MEN_LOOKS, SURFACES, CellReading, Surface, men_index
from vision.arrays import Bools, Floats, Singles
from vision.networks.logs import log_sum
from vision.networks.net import COVER_CHANNEL, FootBelief, StackBelief
from vision.reading.table_model import TableModel
from vision.sampling import STRIP_ENDS, STRIP_ROWS

#: Network logits are divided by these before they become likelihoods (calibrated on held-out pictures).
_FOOT_TEMPERATURE, _COLOUR_TEMPERATURE = 1.2, 1.5
#: Likewise for heights; all stacks of one table err together.
_HEIGHT_TEMPERATURE = 1.25
#: In training one man in five stood on a dark disk; in games it is one in thirty at most (log-odds).
_MEN_ON_DARK = -2.0
#: Where no dark disk lies open they are rarer still (1 of 306 stacks on 55 rendered boards, 12 of 319 on 52 others).
_NO_OPEN_DARK = -2.0
#: Heights that are as sure as this need no closer look; when there is time, as sure as the second.
_SURE, _SURER = 0.96, 0.999
#: Heights less likely than the likeliest by this are out of the question (logarithm).
_UNLIKELY = 4.0
#: A top whose colour fits no man's this badly (log-likelihood) speaks against men, at most by so much.
_LIKELY_COLOUR, _STRANGEST_COLOUR = 4.0, -24.0
#: Whose men these are is sure when this likely.
_SURE_WHOSE = 0.99
#: What lies under men is sure when this likely.
_SURE_SURFACE = 0.99
#: No reading is surer than this: natural logarithm of the least likelihood.
_LEAST = -14.0
#: Nothing is said of men where more of a foot's middle than this is covered and none are surely seen (there are
#: likelier none than this), nor of a surface when more of the foot is covered.
_COVERED, _PERHAPS_NONE = 0.8, 0.1
#: Log-odds of men, where a closer look at what is there may tell, and of men that shadows may be taken for.
PERHAPS_MEN, PERHAPS_SHADOWS = (-8.0, 8.0), (-3.0, 8.0)


class CellBeliefs:
    """Beliefs of one reading, gathered row by row: n cells that were asked for; on some surely nothing stands, `open_`
    (n,)."""

    def __init__(
        self, cells: NDArray[np.int_], feet: Singles, table: TableModel, patient: bool, open_: Bools | None = None
    ) -> None:
        n = len(cells)
        self.open = np.zeros(n, dtype=bool) if open_ is None else open_
        self._patient, self._sure = patient, _SURER if patient else _SURE
        self._table, self._sizes = table, table.sizes
        self._thicknesses, self._weights = table.thicknesses()
        self._by_strip = np.zeros((n, len(self._weights), MAX_HEIGHT))
        self.cells, self.feet = cells, feet
        self.cover = np.zeros((n, *feet.shape[2:]), np.int8)
        self.occupied = np.zeros(n)
        self.surface = np.zeros((n, len(SURFACES)))
        self.height = np.zeros((n, MAX_HEIGHT + 1))
        self.rows_of_men = np.zeros(n)
        self.top = np.zeros((n, 2), np.float32)
        self.colour = np.zeros((n, len(table.owners)))
        self.strange = np.zeros(n)
        self._on_dark, self._against_dark = np.zeros(n), _MEN_ON_DARK

    def some_feet(self, rows: NDArray[np.int_]) -> Singles:
        """The feet of some rows, in ascending order."""
        return self.feet if len(rows) == len(self.feet) else self.feet[rows]

    def put_cover(self, cover: NDArray[np.int8]) -> None:
        """What covers the feet."""
        self.cover = cover
        self.feet[:, COVER_CHANNEL] = cover

    def put_feet(self, rows: NDArray[np.int_], belief: FootBelief) -> None:
        """Surfaces, and heights as far as feet tell."""
        self.occupied[rows] = belief.occupied
        odds = self.occupied[rows] / _FOOT_TEMPERATURE
        self.surface[rows] = belief.surface / _FOOT_TEMPERATURE
        self.height[rows, 0] = -np.logaddexp(0, odds)
        self.height[rows, 1:] = (-np.logaddexp(0, -odds) - np.log(MAX_HEIGHT))[:, None]
        self._on_dark[rows] = 0.0
        self._doubt_dark(rows)

    def put_stacks(
        self,
        rows: NDArray[np.int_],
        belief: StackBelief,
        heights: NDArray[np.float64],
        colour: NDArray[np.float64],
    ) -> None:
        """What strips tell: `heights` (n, G, 8) for each thickness of a man, and colours."""
        strange = np.clip(colour.max(axis=1) + _LIKELY_COLOUR, _STRANGEST_COLOUR, 0.0)
        odds = self._table.occupied(self.occupied[rows], belief.occupied, strange)
        far_rim = belief.top[:, 1] + 0.5 * belief.view[:, 1]
        share = (far_rim - STRIP_ENDS[0]) / (STRIP_ENDS[1] - STRIP_ENDS[0])
        self.rows_of_men[rows] = np.where(odds > 0, share * STRIP_ROWS, 0)
        self._by_strip[rows] = heights
        self.strange[rows] = strange
        self.top[rows] = belief.top
        self.height[rows, 0] = -np.logaddexp(0, odds)
        self.height[rows, 1:] = -np.logaddexp(0, -odds)[:, None] + _mixed(heights, self._weights)
        self._doubt_dark(rows)
        self.put_colour(rows, colour)

    def put_colour(self, rows: NDArray[np.int_], colour: NDArray[np.float64]) -> None:
        """Whose men they are by their colours, log-likelihoods (n, owners)."""
        self.colour[rows] = colour / _COLOUR_TEMPERATURE

    def put_more(self, rows: NDArray[np.int_], heights: NDArray[np.float64], strips: Floats | float = 1.0) -> None:
        """What shadows and rims tell: `heights` (n, S, 8) for each of the table's sizes. `strips` (n,): how much strips
        count beside them."""
        there = np.logaddexp.reduce(self.height[rows, 1:], axis=1, keepdims=True)
        thickness = np.searchsorted(self._thicknesses, [size.thickness for size in self._sizes])
        both = np.broadcast_to(strips, len(rows))[:, None, None] * self._by_strip[rows][:, thickness] + heights
        both -= log_sum(both, axis=2, keepdims=True)
        self.height[rows, 1:] = there + _mixed(both, np.array([size.weight for size in self._sizes]))

    def doubtful(self, rows: NDArray[np.int_]) -> Bools:
        """Which of some stacks may well have another height than the likeliest."""
        men = self.height[rows, 1:]
        doubtful: Bools = men.max(axis=1) - np.logaddexp.reduce(men, axis=1) < np.log(self._sure)
        return doubtful

    def perhaps_others(self, rows: NDArray[np.int_]) -> Bools:
        """Which of some stacks may well be another player's than the likeliest."""
        told = self.colour[rows]
        others: Bools = told.max(axis=1) - np.logaddexp.reduce(told, axis=1) < np.log(_SURE_WHOSE)
        return others

    def perhaps_other_surfaces(self) -> NDArray[np.int_]:
        """Rows of stacks under which another surface than the likeliest may well lie."""
        told = self._surfaces()
        sure = told.max(axis=1) - np.logaddexp.reduce(told, axis=1) >= np.log(_SURE_SURFACE)
        return np.flatnonzero((self.heights() > 0) & ~sure)

    def asked_of_edges(self) -> NDArray[np.int_]:
        """Rows of stacks about which the edges of disks are asked: all, or when there is no time the doubtful ones."""
        return np.flatnonzero(self.heights()) if self._patient else self.perhaps_other_surfaces()

    def put_no_open_dark(self) -> None:
        """No dark disk lies open on this board."""
        self._against_dark = _MEN_ON_DARK + _NO_OPEN_DARK
        self._doubt_dark(np.arange(len(self.cells)))

    def _doubt_dark(self, rows: NDArray[np.int_]) -> None:
        """Dark disks are as rare under men as men are likely there."""
        men = 1 - np.exp(self.height[rows, 0] - np.logaddexp.reduce(self.height[rows], axis=1))
        self.surface[rows, SURFACES.index(Surface.DARK)] += self._against_dark * men - self._on_dark[rows]
        self._on_dark[rows] = self._against_dark * men

    def put_more_surface(self, rows: NDArray[np.int_], told: Floats | Singles) -> None:
        """What speaks for each surface besides, log-likelihoods (n, 4)."""
        self.surface[rows] += told / _FOOT_TEMPERATURE

    def perhaps_men(self, between: tuple[float, float]) -> NDArray[np.int_]:
        """Rows of cells that may have men, or none, by such log-odds."""
        odds = np.logaddexp.reduce(self.height[:, 1:], axis=1) - self.height[:, 0]
        return np.flatnonzero((odds > between[0]) & (odds < between[1]))

    def put_doubt(self, row: int, against: float) -> None:
        """What speaks against men on a cell, or for them where it is negative, a log-likelihood ratio."""
        self.height[row, 1:] -= against
        self.height[row] -= np.logaddexp.reduce(self.height[row])
        self._doubt_dark(np.array([row]))

    def likeliest_owners(self) -> NDArray[np.int_]:
        """Whose men these are likeliest, counted from 0."""
        best: NDArray[np.int_] = np.argmax(self.colour, axis=1)
        return best

    def heights(self) -> NDArray[np.int_]:
        """The likeliest heights: 0 where it is likelier that no men stand there than that any do."""
        men = np.logaddexp.reduce(self.height[:, 1:], axis=1) > self.height[:, 0]
        best: NDArray[np.int_] = np.where(men, 1 + np.argmax(self.height[:, 1:], axis=1), 0)
        return best

    def surfaces(self) -> NDArray[np.int_]:
        """The likeliest surfaces."""
        best: NDArray[np.int_] = np.argmax(self._surfaces(), axis=1)
        return best

    def likely_heights(self, row: int) -> NDArray[np.int_]:
        """Heights of a stack that are not out of the question, counted from 0, the likeliest first."""
        men = self.height[row, 1:]
        order = np.argsort(-men)
        likely: NDArray[np.int_] = order[men[order] > men.max() - _UNLIKELY]
        return likely

    def _surfaces(self) -> NDArray[np.float64]:
        return self._table.possible(self.surface)

    def readings(self, covered: NDArray[np.float64]) -> list[CellReading]:
        """What came out, as tables of likelihoods whose best entry is 0."""
        surfaces = self._surfaces()
        surfaces -= surfaces.max(axis=1, keepdims=True)
        bright, beige = (SURFACES.index(surface) for surface in (self._table.bright, Surface.BEIGE))
        surfaces[:, [bright, beige]] = surfaces[:, [beige, bright]]
        men = np.full((len(self.cells), MEN_LOOKS), -1e9)
        men[:, 0] = self.height[:, 0]
        colour = self.colour - np.logaddexp.reduce(self.colour, axis=1, keepdims=True)
        for k, owner in enumerate(self._table.owners):
            first = men_index(owner, 1)
            men[:, first : first + MAX_HEIGHT] = self.height[:, 1:] + colour[:, k : k + 1]
        men -= men.max(axis=1, keepdims=True)
        blind = (covered[:, 0] > _COVERED) & (self.height[:, 0] > np.log(_PERHAPS_NONE))
        men[blind | (covered[:, 0] >= 1.0)] = 0.0
        surfaces[covered[:, 1] > _COVERED] = 0.0
        return [
            CellReading(tuple(s), tuple(m))
            for s, m in zip(np.maximum(surfaces, _LEAST).tolist(), np.maximum(men, _LEAST).tolist(), strict=True)
        ]


def _mixed(heights: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-probabilities (n, 8) of heights from those for each size (n, S, 8) and the sizes' weights (S,)."""
    likely = log_sum(heights + np.log(weights)[:, None], axis=1) / _HEIGHT_TEMPERATURE
    mixed: NDArray[np.float64] = likely - log_sum(likely, axis=1, keepdims=True)
    return mixed
