"""What lies on a cell by colour alone: how much of what shows of it looks like each surface of this table.

The network for feet has the same colours before it, yet trusts them less than they deserve: with this evidence added
its likelihoods are better on every set of held-out boards (fitted on rendered ones).
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.look import SURFACES, Surface
from vision.arrays import Floats, Singles
from vision.sampling import COLUMNS, ROWS, foot_places
from vision.surfaces.ring_colours import alike_in_shade, told_around_men

#: Rows and columns of the samples that make a foot's middle.
MIDDLE = (slice(15, 21), slice(10, 14))
#: For the networks colours against the light are lowered by this.
LOWERED = np.float32(0.6)
#: So unlike, in proportion to the brightness, is a surface to itself.
_UNLIKE = 0.08
#: In the shade of men it is so much darker.
_SHADES = (0.35, 1.05)
#: Log-odds for a surface that all of an open cell's middle looks like, and that it looks like in some shade.
_OPEN, _OPEN_IN_SHADE = 3.0, 3.0
#: Dark disks are less bright than this part of beige ones (0.6 at most in 370 rendered pictures); open cells all of
#: which is brighter have none, by such log-odds.
AS_BRIGHT, _TOO_BRIGHT = 0.8, 8.0
#: Cells are open that have men with less than these log-odds.
_OPEN_ODDS = -5.0
#: What nearer stacks leave of an open cell counts for less where fewer samples are seen.
_FEW = 8
#: Where less than this part of an open cell's middle shows, all that shows of it is asked, up to such a distance from
#: the middle, in diameters of a man.
_LEAST_MIDDLE, _WIDE = 0.5, 0.5


@lru_cache
def _within() -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """The samples of a cell's middle, and all near it."""
    numbers = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    return numbers[MIDDLE].ravel(), np.flatnonzero(_far() < _WIDE)


def _far() -> Floats:
    """How far the samples of a foot lie from its middle, (ROWS, COLUMNS), in diameters of a man."""
    return np.hypot(*foot_places())


def told_by_colours(
    colours: Singles,
    unlike: Singles,
    cover: Singles,
    surfaces: Floats,
    occupied: Singles,
    men: Floats,
    disk: float | None = None,
) -> Singles:
    """Log-odds (n, 4) that each surface lies there.

    `colours` (n, 3, ROWS, COLUMNS): against the light, lowered; `unlike` (n, 4, ROWS, COLUMNS): how far they are from
    each surface's; `cover` (n, ROWS, COLUMNS): 0 where nothing is in front; `surfaces` (4, 3): colours against the
    light, NaN where they are not known, or (n, 4, 3); `occupied` (n,): log-odds of men; `men` (owners, 3): their
    colours against the light; `disk`: the radius of this table's disks, in diameters of a man, where it is known.
    """
    there = (1 / (1 + np.exp(-np.clip(occupied, -30, 30))))[:, None]
    told = (1 - there) * _open_cells(colours, unlike, cover, surfaces)
    rows = np.flatnonzero(occupied > _OPEN_ODDS)
    if len(rows):
        some = surfaces if surfaces.ndim == 2 else surfaces[rows]
        told[rows] += there[rows] * told_around_men(colours[rows] + LOWERED, cover[rows] == 0, some, men, disk)
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
    told = _OPEN * _alike(_samples(unlike, some), _UNLIKE) + _OPEN_IN_SHADE * alike_in_shade(shown, surfaces, _SHADES)
    beige = surfaces[..., SURFACES.index(Surface.BEIGE), :].sum(axis=-1)
    told[:, SURFACES.index(Surface.DARK)] -= _TOO_BRIGHT * (shown.sum(axis=1) > AS_BRIGHT * np.reshape(beige, (-1, 1)))
    out: Singles = (told * seen).sum(axis=2) / np.maximum(seen.sum(axis=2), _FEW)
    return out


def _samples(channels: Singles, some: NDArray[np.int_]) -> Singles:
    """Some samples (m,) of feet (n, channels, ROWS, COLUMNS), (n, channels, m)."""
    return channels.reshape(*channels.shape[:2], ROWS * COLUMNS)[..., some]


def _alike(unlike: Singles, usual: float) -> Singles:
    alike: Singles = np.exp(-0.5 * (unlike / np.float32(usual)) ** 2)
    return alike
