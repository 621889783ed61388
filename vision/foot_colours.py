"""What lies on a cell by colour alone: how much of what shows of it looks like each surface of this table.

The network for feet has the same colours before it, yet trusts them less than they deserve: with this evidence added
its likelihoods are better on every set of held-out boards (fitted on rendered ones).
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.look import SURFACES, Surface
from vision.geometry import Floats
from vision.layers import Singles
from vision.sampling import COLUMNS, REACH, ROWS

#: Rows and columns of the samples that make a foot's middle.
MIDDLE = (slice(15, 21), slice(10, 14))
#: For the networks colours against the light are lowered by this.
LOWERED = np.float32(0.6)
#: Where a disk shows around the men that stand on it, in diameters of a man from the middle (unless it is known how
#: wide disks are, then it ends there, but a little beyond the men at least), and how far beyond the middle at most:
#: what lies farther away they may hide themselves.
_RING, _LEAST_RING, _BEYOND = (0.52, 0.62), 0.04, 0.15
#: So unlike, in proportion to the brightness, is a surface to itself.
_UNLIKE = 0.08
#: In the shade of men it is so much darker, and then so unlike itself.
_SHADES, _UNLIKE_IN_SHADE = (0.35, 1.05), 0.06
#: Log-odds for a surface that all of an open cell's middle looks like, and that it looks like in some shade; likewise
#: for all that shows around men.
_OPEN, _OPEN_IN_SHADE, _AROUND_MEN, _IN_SHADE = 3.0, 3.0, 6.0, 4.5
#: Dark disks are less bright than this part of beige ones (0.6 at most in 370 rendered pictures); open cells all of
#: which is brighter have none, by such log-odds.
AS_BRIGHT, _TOO_BRIGHT = 0.8, 8.0
#: Cells are open that have men with less than these log-odds.
_OPEN_ODDS = -5.0
#: A ring, or what nearer stacks leave of an open cell, of which fewer samples are seen counts for less.
_FEW = 8
#: Where less than this part of an open cell's middle shows, all that shows of it is asked, up to such a distance from
#: the middle, in diameters of a man.
_LEAST_MIDDLE, _WIDE = 0.5, 0.5


@lru_cache
def _within() -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """The samples of a cell's middle, and all near it."""
    numbers = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    return numbers[MIDDLE].ravel(), np.flatnonzero(_far() < _WIDE)


@lru_cache
def _ring_samples(disk: float | None) -> NDArray[np.int_]:
    """The samples about where a man stands; see `told_by_colours` for `disk`."""
    up, (low, high) = _places()[0], _RING
    far = _far()
    high = high if disk is None else min(high, max(low + _LEAST_RING, disk))
    return np.flatnonzero((far > low) & (far < high) & (up < _BEYOND))


def _places() -> tuple[Floats, Floats]:
    """How far up and across the samples of a foot lie from its middle, (ROWS, COLUMNS) each, in diameters of a man."""
    steps = ((np.arange(n) + 0.5) / n * 2 * REACH - REACH for n in (ROWS, COLUMNS))
    up, across = np.meshgrid(*steps, indexing="ij")
    return up, across


def _far() -> Floats:
    """How far the samples of a foot lie from its middle, (ROWS, COLUMNS), in diameters of a man."""
    return np.hypot(*_places())


def told_by_colours(
    colours: Singles,
    unlike: Singles,
    cover: Singles,
    surfaces: Floats,
    occupied: Singles,
    disk: float | None = None,
) -> Singles:
    """Log-odds (n, 4) that each surface lies there.

    `colours` (n, 3, ROWS, COLUMNS): against the light, lowered; `unlike` (n, 4, ROWS, COLUMNS): how far they are from
    each surface's; `cover` (n, ROWS, COLUMNS): 0 where nothing is in front; `surfaces` (4, 3): colours against the
    light, NaN where they are not known, or (n, 4, 3); `occupied` (n,): log-odds of men; `disk`: the radius of this
    table's disks, in diameters of a man, where it is known.
    """
    men = (1 / (1 + np.exp(-np.clip(occupied, -30, 30))))[:, None]
    told = (1 - men) * _open_cells(colours, unlike, cover, surfaces)
    rows = np.flatnonzero(occupied > _OPEN_ODDS)
    ring = _ring_samples(disk)
    seen = _samples(cover[rows, None], ring) == 0
    shown = _AROUND_MEN * _alike(_samples(unlike[rows], ring), _UNLIKE)
    there = surfaces if surfaces.ndim == 2 else surfaces[rows]
    shown += _IN_SHADE * _alike_in_shade(_samples(colours[rows], ring) + LOWERED, there)
    around_men = (shown * seen).sum(axis=2) / np.maximum(seen.sum(axis=2), _FEW)
    told[rows] += men[rows] * around_men
    return np.asarray(told, np.float32)


def _open_cells(colours: Singles, unlike: Singles, cover: Singles, surfaces: Floats) -> Singles:
    """Log-odds (n, 4) of surfaces where no men stand, by the middles of cells, or where nearer stacks hide these by all
    that shows; see `told_by_colours`."""
    middle, wide = _within()
    told = _open_samples(colours, unlike, cover, surfaces, middle)
    hidden = np.flatnonzero((cover.reshape(len(cover), -1)[:, middle] == 0).mean(axis=1) < _LEAST_MIDDLE)
    if len(hidden):
        there = surfaces if surfaces.ndim == 2 else surfaces[hidden]
        told[hidden] = _open_samples(colours[hidden], unlike[hidden], cover[hidden], there, wide)
    return told


def _open_samples(
    colours: Singles, unlike: Singles, cover: Singles, surfaces: Floats, some: NDArray[np.int_]
) -> Singles:
    """Log-odds (n, 4) of surfaces by some samples of cells, as far as nothing is in front of them."""
    seen = _samples(cover[:, None], some) == 0
    shown = _samples(colours, some) + LOWERED
    told = _OPEN * _alike(_samples(unlike, some), _UNLIKE) + _OPEN_IN_SHADE * _alike_in_shade(shown, surfaces)
    beige = surfaces[..., SURFACES.index(Surface.BEIGE), :].sum(axis=-1)
    told[:, SURFACES.index(Surface.DARK)] -= _TOO_BRIGHT * (shown.sum(axis=1) > AS_BRIGHT * np.reshape(beige, (-1, 1)))
    out: Singles = (told * seen).sum(axis=2) / np.maximum(seen.sum(axis=2), _FEW)
    return out


def _samples(channels: Singles, some: NDArray[np.int_]) -> Singles:
    """Some samples (m,) of feet (n, channels, ROWS, COLUMNS), (n, channels, m)."""
    return channels.reshape(*channels.shape[:2], ROWS * COLUMNS)[..., some]


def _alike_in_shade(colours: Singles, surfaces: Floats) -> Singles:
    """How much colours (n, 3, m) look like surfaces (4, 3) or (n, 4, 3) in some shade, (n, 4, m); never like unknown
    ones."""
    known = np.isfinite(surfaces).all(axis=-1, keepdims=True)
    surface = np.where(known, surfaces, 0).astype(np.float32)
    shade = np.clip(surface @ colours / np.maximum((surface * surface).sum(axis=-1), 1e-3)[..., None], *_SHADES)
    apart = np.abs(colours[:, None, 0] - shade * surface[..., :1])
    for k in (1, 2):
        apart += np.abs(colours[:, None, k] - shade * surface[..., k : k + 1])
    usual = colours[:, 0] + colours[:, 1] + colours[:, 2] + np.float32(0.15)
    alike: Singles = _alike(apart / usual[:, None], _UNLIKE_IN_SHADE) * known
    return alike


def _alike(unlike: Singles, usual: float) -> Singles:
    alike: Singles = np.exp(-0.5 * (unlike / np.float32(usual)) ** 2)
    return alike
