"""How the places of a board that is not flat and whole may be off together: in waves, or tile by tile."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.board import Board, modules_of
from engine.layout import Layout
from vision.arrays import Floats

#: Covariances (n, m, 2, 2), in pitches, of the offsets of some places (n, 2) with those of others (m, 2), in mm.
Together = Callable[[Floats, Floats], Floats]
#: What waves may be like, in pitches: how far about a place others are off much like it (standard deviation of the
#: correlation), and the spread of offsets. And tiles: the spread of their shifts, in pitches, and turns, in radians.
_WAVES = [(reach, spread) for reach in (1.0, 1.6) for spread in (0.01, 0.03)]
_TILES = (0.02, 0.06)
#: A place belongs to all cells that are as near as the nearest, within so many pitches.
_AS_NEAR = 0.1


def ways_to_be_off(layout: Layout, board: Board) -> list[Together]:
    """How the places of a board may be off: in waves, and if it is of tiles all of these, or one that was pushed."""
    waves: list[Together] = [_Waves(reach * layout.pitch_mm, spread) for reach, spread in _WAVES]
    modules = modules_of(board)
    if modules is None or len(modules) < 2:
        return waves
    cells, places = np.array(layout.centres_mm), {(c.q, c.r): i for c, i in board.index.items()}
    middles = cells[[places[centre] for centre in modules]]
    each = np.eye(len(modules))
    spreads = [spread * each.sum(axis=0) for spread in _TILES] + [_TILES[-1] * one for one in each]
    return waves + [_Tiles(cells, middles, spread, layout.pitch_mm) for spread in spreads]


@dataclass(frozen=True, slots=True)
class _Waves:
    """Places are off much like those within a reach of them."""

    reach_mm: float
    spread: float

    def __call__(self, places_mm: Floats, others_mm: Floats) -> Floats:
        apart = ((places_mm[:, None] - others_mm[None]) ** 2).sum(axis=2) / self.reach_mm**2
        return np.asarray(self.spread**2 * np.exp(-apart / 2)[..., None, None] * np.eye(2))


@dataclass(frozen=True, slots=True)
class _Tiles:
    """Each tile of a board is shifted and turned by itself: those about `middles_mm` (k, 2), of `cells_mm` (n, 2), each
    as far as its spread says (k,)."""

    cells_mm: Floats
    middles_mm: Floats
    spreads: Floats
    pitch_mm: float

    def __call__(self, places_mm: Floats, others_mm: Floats) -> Floats:
        one, other = self._moves(places_mm), self._moves(others_mm)
        return np.asarray(np.tensordot(one, other, (2, 2)).transpose(0, 2, 1, 3))

    def _moves(self, places_mm: Floats) -> Floats:
        """How far places (n, 2) move for usual shifts and turns of each tile, (n, 2, 3 k)."""
        apart = np.linalg.norm(places_mm[:, None] - self.cells_mm[None], axis=2)
        in_cells = apart < apart.min(axis=1, keepdims=True) + _AS_NEAR * self.pitch_mm
        tiles = np.linalg.norm(self.cells_mm[:, None] - self.middles_mm[None], axis=2).argmin(axis=1)
        part = in_cells.astype(float) @ np.eye(len(self.middles_mm))[tiles]
        part *= self.spreads / part.sum(axis=1, keepdims=True)
        aside = (places_mm[:, None] - self.middles_mm[None]) / self.pitch_mm
        zero, one = np.zeros_like(part), np.ones_like(part)
        moves = np.stack([np.stack([one, zero, -aside[..., 1]], -1), np.stack([zero, one, aside[..., 0]], -1)], 1)
        return np.asarray((moves * part[:, None, :, None]).reshape(len(places_mm), 2, -1))
