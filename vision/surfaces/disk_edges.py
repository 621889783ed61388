"""What lies under men, by how colours change where a disk would end.

Within its edge a disk shows, beyond it the board, and both lie in the same light or shade. Where no disk lies nothing
changes there. So what is compared is colours on either side of that circle: whatever shadow lies on a cell, its edge
seldom runs along it. Men who stand aside cover some of the inner side, and pictures are blurred: there men show, or
half of them and half of what lies beside them.
"""

import numpy as np
from numpy.typing import NDArray

from engine.look import SURFACES, Surface
from vision.arrays import Floats, Singles
from vision.geometry import BoardPose
from vision.sampling import CellViews
from vision.surfaces.ring_colours import aside

#: Places are asked in these directions, in radians from the one to the camera: beyond, men hide the disk.
_TURNS = np.radians(np.linspace(-105, 105, 29))
#: So far within the edge and beyond it, in diameters of a man, on so many circles; and no nearer to the middle of the
#: cell than this, where men stand.
_WITHIN, _BEYOND, _CIRCLES, _NEAREST = (0.08, 0.03), (0.03, 0.08), 3, (0.505, 0.525)
#: How far off a change's brightness is usually, where there is no disk, where one of a known colour lies, of an unknown
#: one, and where a man covers the inner side (logarithms of display values).
_GREY, _GREY_OF_DISKS, _GREY_OF_UNKNOWN, _GREY_OF_MEN = 0.1, 0.15, 0.3, 0.6
#: How far off its hue is, in the dark in proportion more; of unknown disks, and of men, besides.
_HUE, _HUE_IN_DARK, _HUE_OF_UNKNOWN, _HUE_OF_MEN = 0.04, 0.01, 0.12, 0.02
#: So often it is three times as far off.
_ASTRAY = 0.15
#: Colours against the light are not told apart below this.
_DARKEST = 0.02
#: How likely any other change is.
_ELSE = 0.02
#: Over what distance it is uncertain whether men end, in diameters.
_MEN_END = 0.04
#: How much all that shows counts where men are wider than the first number of pixels, in full from the second, and so
#: much more at most: narrow edges are blurred. Fewer places count for less (fitted on 2,052 stacks of rendered boards).
_WEIGHT, _BLURRED_PX, _SHARP_PX, _MOST, _FEW = 4.2, 25.0, 45.0, 1.5, 20
#: It speaks no louder than this against any surface (logarithm): shade is of another hue than light.
_LOUDEST = 6.0
_BARE = SURFACES.index(Surface.BARE)


def edge_maps(pose: BoardPose, views: CellViews, disk: float, height_mm: float, diameter_mm: float) -> Singles:
    """Pixels on either side of where disks would end: (cells, 2 · circles, directions, 2), x then y; the inner ones
    `height_mm` above the bare board. `disk`: the disks' radius, in diameters of a man."""
    radii = np.concatenate([_inner(disk), disk + np.linspace(*_BEYOND, _CIRCLES)])
    ways = np.sin(_TURNS)[:, None] * views.across[:, None] - np.cos(_TURNS)[:, None] * views.away[:, None]
    points = np.empty((len(views.slope), len(radii), len(_TURNS), 3))
    points[..., :2] = views.centres_mm[:, None, None] + diameter_mm * radii[:, None, None] * ways[:, None]
    points[:, :_CIRCLES, :, 2], points[:, _CIRCLES:, :, 2] = height_mm, 0.0
    return pose.project(points).astype(np.float32)


def told_at_edges(
    colours: Singles,
    seen: NDArray[np.bool_],
    surfaces: Floats,
    named: Floats,
    men: Floats,
    wide_px: Floats,
    disk: float,
) -> Floats:
    """Log-odds (n, 4) that each surface lies under the men on some cells.

    `colours` (n, 2 · circles, directions, 3): what shows at `edge_maps`, against the light; `seen` (n, 2 · circles,
    directions): where no stack is in front; `surfaces` (4, 3) or (n, 4, 3): what they look like against the light, NaN
    where it is not known, and by their names, `named`; `men` (n, 3): what these men look like; `wide_px` (n,): how wide
    they are in the picture; `disk`: see `edge_maps`. Says nothing where the bare board's colour is not known.
    """
    board = surfaces[..., _BARE, :]
    if not np.isfinite(board).all():
        return np.zeros((len(colours), len(SURFACES)))
    inner, outer = colours[:, :_CIRCLES].mean(axis=1), colours[:, _CIRCLES:].mean(axis=1)
    change = (_log(inner) - _log(outer))[:, None]
    hue = _HUE + _HUE_IN_DARK / (np.minimum(inner.mean(axis=2), outer.mean(axis=2)) + _DARKEST)[:, None]
    known = np.isfinite(surfaces).all(axis=-1, keepdims=True)
    looks = np.where(known, surfaces, named)
    grey = np.where(known, _GREY_OF_DISKS, _GREY_OF_UNKNOWN)
    grey[..., _BARE, :] = _GREY
    unknown = np.where(known, 0.0, _HUE_OF_UNKNOWN)
    beside = _log(board)[..., None, :]
    on_disk = _likely(change, (_log(looks) - beside)[..., None, :], grey, hue + unknown)
    of_men = _GREY_OF_MEN, hue + _HUE_OF_MEN
    on_man = _likely(change, (_log(men) - _log(board))[:, None, None], *of_men)
    blurred = _likely(change, (_log((men[:, None] + looks) / 2) - beside)[:, :, None], *of_men)
    share = _on_men(disk)[:, None, None]  # for every way in which men may stand aside; each surface has the best
    both = share * (1 - share)
    likely = (share * on_man + (1 - share) * on_disk + both * blurred) / (1 + both)
    there = np.asarray(seen.all(axis=1))
    told = (np.log(likely + _ELSE) * there[:, None]).sum(axis=3).max(axis=0)
    told /= np.maximum(there.sum(axis=1), _FEW)[:, None]
    weight = _WEIGHT * np.clip((wide_px - _BLURRED_PX) / (_SHARP_PX - _BLURRED_PX), 0, _MOST)
    told = weight[:, None] * (told - told.max(axis=1, keepdims=True))
    return np.asarray(np.logaddexp(told, -_LOUDEST))


def _likely(change: Floats, expected: Floats, grey: Floats | float, hue: Floats) -> Floats:
    """How likely changes (…, 3) are where such ones are `expected`, (…): of any brightness nearly, not of any hue."""
    off = change - expected
    brightness = off.mean(axis=-1)
    turned = ((off[..., 1] - brightness) ** 2 + (off[..., 2] - brightness) ** 2) / hue**2
    likely: Floats = (1 - _ASTRAY) * np.exp(-turned / 2) + _ASTRAY / 9 * np.exp(-turned / 18)
    likely *= np.exp(-np.abs(brightness) / grey) / (4 * np.pi * grey * hue**2)
    return likely


def _log(colours: Floats | Singles) -> Floats:
    return np.asarray(np.log(np.maximum(colours, 0) + _DARKEST), np.float64)


def _inner(disk: float) -> Floats:
    """How far the inner places lie from the middle, in diameters, on disks of such a radius."""
    first, last = (max(disk - off, nearest) for off, nearest in zip(_WITHIN, _NEAREST, strict=True))
    return np.linspace(first, last, _CIRCLES)


def _on_men(disk: float) -> Floats:
    """How likely the inner places show the man, (ways, directions), for the ways in which he may stand aside."""
    across, up = (_inner(disk).mean() * turned for turned in (np.sin(_TURNS), -np.cos(_TURNS)))
    far = np.array([np.hypot(up - y, across - x) for y, x in aside()])
    return np.asarray(1 / (1 + np.exp((far - 0.5) / _MEN_END)))
