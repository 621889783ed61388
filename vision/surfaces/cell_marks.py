"""Marks that all cells of a board have alike: circles where disks go, pegs, a second outline, recesses; learned from
the open cells of a picture.

To the networks a bare cell with a circle looks like a disk or a man, often with full confidence. But marks look alike
on every cell, and alike when turned by sixths, or at least, where they have shadows, as they lie; and within them and
without a cell has one colour, the board's, while a disk has another colour than what shows about it, and a man more
than a mark covers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Floats, Singles
from vision.geometry import BoardPose
from vision.hexagons import AXIAL_TO_PLANE, SIX
from vision.picture import Picture
from vision.surfaces.cell_fields import fields
from vision.surfaces.cell_lines import logs_at

#: Cells are looked at in so many steps to either side of their middles, and one is so wide, in pitches.
HALF, STEP = 28, 0.02
_SIDE = np.arange(-HALF, HALF + 1) * STEP
GRID = np.stack(np.meshgrid(_SIDE, _SIDE), axis=-1)
_WAYS = SIX @ AXIAL_TO_PLANE
#: How far the places of the grid are from the middle towards the nearest side, which is at a half, and in all.
NEAR_SIDE, _FAR = (GRID @ _WAYS.T).max(axis=-1), np.hypot(*np.moveaxis(GRID, -1, 0))
#: Marks are looked for so far towards sides, and reach so far at most.
_LOOKED_AT, _REACH = NEAR_SIDE < 0.445, 0.465
#: Beside all but the widest disks, in the corners of cells, the board shows; and here the middle of a cell.
_IN_CORNERS, _MIDDLE = (_FAR > 0.45) & _LOOKED_AT, _FAR < 0.25
#: Here are disks, and round fields as large as these, near their edges.
_EDGE = (_FAR > 0.34) & (_FAR < 0.38)
#: A mark differs from its cell by so much (logarithm), and somewhere by so much, and takes such a part of it: men do
#: more. So much of the corners are as the cell is; or the marks are six-sided, as disks are not. Marks may be larger
#: where all the middle, too, is as the cell is.
_DIFFERS, _CLEARLY, _PARTS, _PART_AROUND, _CORNERS, _ALL = 0.1, 0.14, (0.008, 0.28), 0.5, 0.3, 0.9
#: A wide circle leaves less, but the tips of the corners differ by no more than such a part of what differs most.
_TIPS, _FADED, _MOST = (_FAR > 0.485) & _LOOKED_AT, 0.4, 0.95
#: Such a part of the tips must be as a cell with a recess is.
_TIPS_PLAIN = 0.5
#: Where more of what differs is in corners it is the board about wide disks.
_MOST_IN_CORNERS = 0.75
#: Where less of the corners is so, with shadows, too, nothing more is asked.
_PERHAPS = 0.1
#: Differences that are smaller tell nothing of which cells are alike (a cosine, after blurring). So many must be, and
#: usually so like themselves turned by any number of sixths; or fewer if one of them is as much so as they are alike.
_NOTHING, _ALIKE, _FEWEST, _USUALLY = 0.05, 0.75, 3, 0.5
#: Recesses have shadows at one side: as they lie such a part of all cells that may show some must be alike by such a
#: cosine, and so many; where they are less so, more of them.
_ONE_SIDED, _AS_THEY_LIE = 0.7, ((_ALIKE, 4), (0.5, 8))
#: What such a quantile of cells looks like is the board in the light: others may be in shadows.
_LIT = 0.9
_EVERY = slice(None)
#: Every so many of the places tell colours of parts of cells.
_SOME = 3
#: Where marks may begin to be six-sided, and how many steps earlier or later in the corners.
_FROM_MIDDLE, _AS_FAR = np.arange(0.3, 0.45, 0.01), 2


@dataclass(frozen=True, slots=True)
class CellMarks:
    """What is printed on cells: how much it differs from the cell, `contrast` (SIDE, SIDE, 3) logarithms, 0 where
    nothing is printed; and what cells look like beside it in the light, `base` (3,) logarithms, or None where no disks
    may lie upon it. `fields`: whether only the tips of corners are plain beside it."""

    contrast: Floats
    base: Floats | None
    fields: bool = False


class CellPatches:
    """Where places on cells, (…, 2) in pitches from their middles, are on the cells of a board in pictures."""

    def __init__(
        self, pose: BoardPose, layout: Layout, cells: Sequence[int] | NDArray[np.int_], on_cell: Floats = GRID
    ) -> None:
        middles = np.asarray(layout.centres_mm)[np.asarray(cells)]
        places = middles.reshape(-1, *[1] * (on_cell.ndim - 1), 2) + layout.pitch_mm * on_cell
        points = np.concatenate([places, np.zeros((*places.shape[:-1], 1))], axis=-1)
        self._pixels = pose.project(points.reshape(-1, 3)).reshape(places.shape)
        self.count = len(places)

    def logs(self, picture: Picture, some: slice | NDArray[np.int_] = _EVERY) -> Singles:
        """Colours of a picture (H, W, 3) there, (n, …, 3) logarithms; on `some` of these cells."""
        return logs_at(picture, self._pixels[some]).astype(np.float32)


def cell_marks(
    picture: Picture,
    pose: BoardPose,
    layout: Layout,
    has_disks: bool,
    cells: Sequence[int] | NDArray[np.int_] | None = None,
) -> CellMarks | None:
    """What is printed alike on some `cells`, or all, of a board in a picture (H, W, 3), as far as these lie open, or
    round fields on any; None where nothing is, or the board has no cells. `has_disks`: whether disks may lie on it."""
    if layout.board is None:
        return None
    some = np.arange(len(layout.names)) if cells is None else np.asarray(cells)
    logs = CellPatches(pose, layout, some).logs(picture)
    levels = np.median(logs[:, _LOOKED_AT], axis=1)
    apart = logs - levels[:, None, None]
    group = _alike(apart)
    if not len(group):
        return _fields(picture, pose, layout) if has_disks else None
    base = _lit(levels[group]) if has_disks else None
    contrast = _contrast(apart[group])
    return None if contrast is None else CellMarks(contrast, base)


def _fields(picture: Picture, pose: BoardPose, layout: Layout) -> CellMarks | None:
    """Round fields on a board in a picture, as marks beside which only the tips of corners are plain."""
    cells, parts = range(len(layout.names)), (GRID[where][::_SOME] for where in (_MIDDLE, _EDGE, _TIPS))
    middles, edges, tips = (CellPatches(pose, layout, cells, places).logs(picture) for places in parts)
    group = fields(np.median(middles, axis=1), edges, np.median(tips, axis=1))
    if not len(group):
        return None
    logs = CellPatches(pose, layout, group).logs(picture)
    levels = np.median(logs[:, _TIPS], axis=1)
    contrast = _contrast(logs - levels[:, None, None])
    if contrast is None:
        return None
    return CellMarks(np.where(_TIPS[..., None], 0.0, contrast), _lit(levels), fields=True)


def _contrast(apart: Singles) -> Floats | None:
    """How cells that show one mark differ from what lies beside it, by how each does, (n, SIDE, SIDE, 3) logarithms;
    None where that is little."""
    contrast = np.median(apart, axis=0)
    strength = np.abs(contrast).max(axis=-1)
    if strength[_LOOKED_AT].max() < _CLEARLY:
        return None
    printed = (NEAR_SIDE < _REACH) & (strength > _DIFFERS / 2)
    return np.asarray(np.where(printed[..., None], contrast, 0.0), np.float64)


def _lit(levels: Singles) -> Floats:
    """What a board looks like in the light, by what some cells do, (n, 3) logarithms."""
    return np.quantile(levels, _LIT, axis=0).astype(np.float64)


def _alike(apart: Singles) -> NDArray[np.intp]:
    """Which cells show one mark, by how they differ from their usual colours, (n, SIDE, SIDE, 3) logarithms."""
    perhaps = [i for i, off in enumerate(np.abs(apart).max(axis=-1)) if _shows_board(off, _PERHAPS) or _six_sided(off)]
    turned = {i: _turned(apart[i]) for i in perhaps}
    group = _most_alike({i: np.median(patches, axis=0) for i, patches in turned.items()}, _ALIKE)
    itself = [float((shapes @ shapes[0]).min()) for shapes in (_shapes(turned[i]) for i in group.tolist())]
    enough = len(group) >= _FEWEST and float(np.median(itself)) > _USUALLY
    if enough or max(itself, default=0.0) > _ALIKE:
        return group
    offs = {i: np.abs(apart[i]).max(axis=-1) for i in perhaps}
    one_sided = {i: apart[i] for i, off in offs.items() if _like_recess(off)}
    for cosine, fewest in _AS_THEY_LIE:
        group = _most_alike(one_sided, cosine, _ONE_SIDED)
        if len(group) >= fewest:
            return group
    return group[:0]


def _most_alike(patches: dict[int, Singles], cosine: float, least: float = 0.0) -> NDArray[np.intp]:
    """Of cells that may show marks, (SIDE, SIDE, 3) each, the most that are so much like one of them, such a part at
    least."""
    some = np.array([i for i, patch in patches.items() if _is_mark(np.abs(patch).max(axis=-1))], dtype=np.intp)
    if not len(some):
        return some
    shapes = _shapes(np.stack([patches[i] for i in some.tolist()]))
    alike = shapes @ shapes.T > cosine
    group: NDArray[np.intp] = some[alike[alike.sum(axis=1).argmax()]]
    return group if len(group) >= least * len(some) else group[:0]


def _is_mark(off: Singles) -> bool:
    """Whether what differs so much from a cell, (SIDE, SIDE), may be printed on it."""
    differs = (off > _DIFFERS) & _LOOKED_AT
    part = differs[_LOOKED_AT].mean()
    if not _PARTS[0] < part < _PART_AROUND or differs[_IN_CORNERS].sum() > _MOST_IN_CORNERS * differs.sum():
        return False
    if part > _PARTS[1]:
        return _shows_board(off, _CORNERS) and _plain_inside(off)
    return _shows_board(off, _CORNERS) or _fades(off) or _six_sided(off)


def _shows_board(off: Singles, part: float) -> bool:
    """Whether such a part of the corners of a cell differs little from it, (SIDE, SIDE)."""
    return bool((off[_IN_CORNERS] < _DIFFERS).mean() > part)


def _like_recess(off: Singles) -> bool:
    """Whether what differs from a cell, (SIDE, SIDE), leaves its middle and the tips of its corners plain, as neither
    wide disks that lie aside do nor shadows."""
    part = (off > _DIFFERS)[_LOOKED_AT].mean()
    return bool(part < _PARTS[1] and (off[_TIPS] < _DIFFERS).mean() > _TIPS_PLAIN) and _plain_inside(off)


def _plain_inside(off: Singles) -> bool:
    """Whether a cell's middle differs little from it, (SIDE, SIDE)."""
    return bool((off[_MIDDLE] < _DIFFERS).mean() > _ALL)


def _fades(off: Singles) -> bool:
    """Whether what differs from a cell, (SIDE, SIDE), ends before the tips of its corners."""
    return bool(np.median(off[_TIPS]) < _FADED * np.quantile(off[_LOOKED_AT], _MOST))


def _shapes(apart: Singles) -> Singles:
    """Differences (n, SIDE, SIDE, 3) as unit vectors (n, places): their products are the cosines between them."""
    clear = np.where(_LOOKED_AT[..., None] & (np.abs(apart) > _NOTHING), apart, np.float32(0))
    flat = np.stack([cv2.blur(one, (3, 3)) for one in clear])[:, _LOOKED_AT].reshape(len(apart), -1)
    shapes: Singles = flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6)
    return shapes


def _on_grid(places: Floats) -> tuple[Singles, Singles]:
    """Where places (…, 2) are on the grid, columns and rows."""
    at = (places / STEP + HALF).astype(np.float32)
    return at[..., 0], at[..., 1]


def _turns() -> list[tuple[Singles, Singles]]:
    """Where the places of the grid come to lie when it is turned by one sixth to five."""
    angles = np.radians(60 * np.arange(1, 6))
    return [_on_grid(GRID @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])) for a in angles]


def _ways_out() -> list[tuple[Singles, Singles]]:
    """Places farther and farther from a cell's middle, towards its six sides and towards its six corners: those that
    are as near to sides."""
    corners = (_WAYS + np.roll(_WAYS, 1, axis=0)) / 1.5
    return [_on_grid(_FROM_MIDDLE[:, None, None] * ways) for ways in (_WAYS, corners)]


_TURNS, _WAYS_OUT = _turns(), _ways_out()


def _turned(patch: Singles) -> Singles:
    """A patch (SIDE, SIDE, 3) and the same turned by one sixth to five, (6, SIDE, SIDE, 3)."""
    return np.stack([patch, *(cv2.remap(patch, *at, cv2.INTER_LINEAR) for at in _TURNS)])


def _six_sided(off: Singles) -> bool:
    """Whether what differs from a cell, (SIDE, SIDE), begins as far towards sides in its corners as at its sides."""
    profiles = np.stack([np.median(cv2.remap(off, *at, cv2.INTER_LINEAR), axis=1) for at in _WAYS_OUT])
    high = profiles > profiles.max() / 2
    sides, corners = high.argmax(axis=1)
    return bool(high.any(axis=1).all()) and abs(int(sides) - int(corners)) <= _AS_FAR
