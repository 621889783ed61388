"""Marks that are printed on a board's cells, taken off pictures of it: see `vision/surfaces/cell_marks.py`.

A mark is there where what lies beside it looks like the board, all alike, and it differs from that as it should: in
light and in shade, beside men and on open cells, but not where a disk or a man lies upon it. It then looks like what
lies beside it. Beside round fields that is the tips of a cell's corners.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Singles
from vision.geometry import BoardPose
from vision.picture import Picture
from vision.surfaces.cell_lines import DARKEST
from vision.surfaces.cell_marks import HALF, NEAR_SIDE, STEP, CellMarks, CellPatches

#: What differs less is as good as the cell (logarithm). Cells are plain so far towards their sides, where nothing is
#: printed; what is plain is asked so much farther than it takes to reach any of it, in pitches.
_PRINTED, _PLAIN, _MORE = 0.04, 0.4, 0.04
#: So much of what is asked must be plain, and all alike (standard deviation, logarithm), and as the board is: of its
#: hue, and in light that is so much more or less.
_ENOUGH, _EVEN, _HUE, _LIGHT = 0.05, 0.15, 0.1, (-1.0, 0.25)
#: A mark is seen that differs by such a part of what it should, and in hue by no more than this, or where it is taken
#: off by such a part more of how it differs. So much of all marks must be seen on a cell, and of those about a place;
#: what differs by such a part is taken off there.
_SEEN, _OFF, _OFF_MORE, _ON_CELL, _ABOUT, _TAKEN = (0.4, 2.0), 0.15, 0.2, 0.3, 0.5, (-0.3, 3.0)
#: The tips of corners go so far. Such a part of them must be plain, and more or less alike. Such a part of a field must
#: be seen, or so much, and its hue must then be no more off on average than so: edges of disks and dark disks have
#: nearly that hue. What differs by more is a dark man's.
_TO_TIPS, _ENOUGH_TIPS, _EVEN_TIPS = 0.445, 0.3, 0.3
_ON_FIELD, _MOST_OF_FIELD, _VERY_HUE, _NEAR_HUE, _TAKEN_OF_FIELD = 0.12, 0.5, 0.042, 0.06, 1.8


class MarksOff:
    """The marks of a board that lies somewhere, to be taken off pictures of it."""

    def __init__(self, pose: BoardPose, layout: Layout, marks: CellMarks) -> None:
        self._patches, self._base = CellPatches(pose, layout, range(len(layout.names))), marks.base
        self._contrast = marks.contrast.astype(np.float32)
        strength = np.abs(self._contrast).max(axis=-1)
        printed = strength > _PRINTED
        self._strength = np.where(printed, strength, np.float32(0))
        self._find, self._most = (self._fields_seen, _TAKEN_OF_FIELD) if marks.fields else (self._seen, _TAKEN[1])
        looked_at = NEAR_SIDE < _TO_TIPS if marks.fields else NEAR_SIDE < _PLAIN
        self._plain = (looked_at & ~printed).astype(np.float32)
        far = cv2.distanceTransform(1 - self._plain.astype(np.uint8), cv2.DIST_L2, 5)
        self._reach = 2 * [2 * round(float(far[printed].max()) + _MORE / STEP) + 1]
        self._amount = cv2.blur(self._strength, self._reach)
        self._places = _places(pose, layout, self._contrast)

    def off(self, picture: Picture, cells: Sequence[int] | NDArray[np.int_] | None = None) -> Picture:
        """A picture (H, W, 3) of the board without its marks, or without those of some `cells`."""
        some = np.arange(self._patches.count) if cells is None else np.asarray(cells)
        about, seen = self._find(self._patches.logs(picture, some))
        order = np.full(self._patches.count, -1)
        order[some] = np.arange(len(some))
        places = self._places.of(order[self._places.cells] >= 0)
        places = places.of(seen[order[places.cells], *places.on_grid.T])
        beside = about[order[places.cells], *places.on_grid.T]
        rows, columns = places.pixels.T
        apart = np.log(picture[rows, columns] + np.float32(DARKEST)) - beside
        share, left = _parts(apart, places.contrast)
        off = _OFF + _OFF_MORE * np.abs(apart).max(axis=-1)
        take = (share > _TAKEN[0]) & (share < self._most) & (left < off)
        out = picture.copy()
        out[rows[take], columns[take]] = np.clip(np.rint(np.exp(beside[take]) - DARKEST), 0, 255)
        return out

    def _seen(self, logs: Singles) -> tuple[Singles, NDArray[np.bool_]]:
        """What lies beside marks on cells, (n, SIDE, SIDE, 3) logarithms like `logs`, and where marks are seen."""
        plain = self._plain * self._like_board(logs)
        weight = self._blurred(plain)
        least: Singles = np.maximum(weight, 1e-6)[..., None]
        about = self._blurred(logs * plain[..., None]) / least
        uneven = self._blurred(logs**2 * plain[..., None]) / least - about**2
        even = (uneven.max(axis=-1) < _EVEN**2) & (weight > _ENOUGH)
        share, left = _parts(logs - about, self._contrast)
        strength = self._strength * (even & (share > _SEEN[0]) & (share < _SEEN[1]) & (left < _OFF))
        on_cell = strength.sum(axis=(1, 2)) > _ON_CELL * self._strength.sum()
        around = self._blurred(strength) > _ABOUT * self._amount
        return about, even & around & on_cell[:, None, None]

    def _fields_seen(self, logs: Singles) -> tuple[Singles, NDArray[np.bool_]]:
        """The same for round fields, each of which is seen or is not."""
        plain = self._plain * self._like_board(logs)
        weight, tips = plain.sum(axis=(1, 2)), (logs * plain[..., None]).sum(axis=(1, 2))
        about: Singles = (tips / np.maximum(weight, 1)[:, None])[:, None, None]
        apart = logs - about
        uneven = (apart**2 * plain[..., None]).sum(axis=(1, 2)) / np.maximum(weight, 1)[:, None]
        even = (weight > _ENOUGH_TIPS * self._plain.sum()) & (uneven.max(axis=-1) < _EVEN_TIPS**2)
        share, left = _parts(apart, self._contrast)
        seen = (self._strength > 0) & (share > _SEEN[0]) & (share < _SEEN[1]) & (left < _OFF)
        beyond = (apart - share[..., None] * self._contrast) * seen[..., None]
        hue = np.abs(beyond.sum(axis=(1, 2))).max(axis=-1) / np.maximum(seen.sum(axis=(1, 2)), 1)
        part = seen.sum(axis=(1, 2)) / (self._strength > 0).sum()
        there = even & (part > _ON_FIELD) & (hue < np.where(part > _MOST_OF_FIELD, _NEAR_HUE, _VERY_HUE))
        return np.broadcast_to(about, logs.shape), np.broadcast_to(there[:, None, None], seen.shape)

    def _like_board(self, logs: Singles) -> NDArray[np.bool_]:
        """Where cells look like the board in some light, (n, SIDE, SIDE); everywhere where no disks may lie on it."""
        if self._base is None:
            return np.ones(logs.shape[:-1], bool)
        light = logs - self._base.astype(np.float32)
        level = light.mean(axis=-1)
        like = np.abs(light - level[..., None]).max(axis=-1) < _HUE
        return np.asarray(like & (level > _LIGHT[0]) & (level < _LIGHT[1]))

    def _blurred(self, patches: Singles) -> Singles:
        """Patches (n, SIDE, SIDE, …), 0 at their edges, blurred."""
        tall = np.ascontiguousarray(patches, np.float32).reshape(-1, *patches.shape[2:])
        blurred: Singles = np.asarray(cv2.blur(tall, self._reach), np.float32).reshape(patches.shape)
        return blurred


def _parts(apart: Singles, printed: Singles) -> tuple[Singles, Singles]:
    """By which part of what is `printed` colours differ, (…, 3) logarithms each, and what is left of that: (…)."""
    share: Singles = (apart * printed).sum(axis=-1) / np.maximum((printed**2).sum(axis=-1), 1e-3)
    left: Singles = np.abs(apart - share[..., None] * printed).max(axis=-1)
    return share, left


@dataclass(frozen=True, slots=True)
class _Places:
    """Where in pictures something is printed on a board: `pixels` (k, 2), rows and columns; on which
    `cells` (k,), where on these, `on_grid` (k, 2), rows and columns, and how it differs there, `contrast` (k, 3)."""

    pixels: NDArray[np.int_]
    cells: NDArray[np.int_]
    on_grid: NDArray[np.int_]
    contrast: Singles

    def of(self, some: NDArray[np.bool_]) -> "_Places":
        """Some of these places (k,)."""
        return _Places(self.pixels[some], self.cells[some], self.on_grid[some], self.contrast[some])


def _places(pose: BoardPose, layout: Layout, contrast: Singles) -> _Places:
    """Where something is printed that differs from cells so, (SIDE, SIDE, 3) logarithms."""
    centres = np.asarray(layout.centres_mm)
    middles = np.column_stack([centres, np.zeros(len(centres))])
    found = [_Places(np.zeros((0, 2), int), np.zeros(0, int), np.zeros((0, 2), int), np.zeros((0, 3), np.float32))]
    for i, ((x, y), r) in enumerate(zip(pose.project(middles), pose.pitch_px(middles, layout.pitch_mm), strict=True)):
        columns = np.arange(max(0, int(x - r)), min(pose.lens.width_px, int(x + r) + 2))
        rows = np.arange(max(0, int(y - r)), min(pose.lens.height_px, int(y + r) + 2))
        if not (len(rows) and len(columns)):
            continue
        pixels = np.stack(np.meshgrid(columns, rows), axis=-1)
        beside_mm = pose.unproject(pixels.reshape(-1, 2).astype(np.float64)) - centres[i]
        at = (beside_mm / (layout.pitch_mm * STEP) + HALF).astype(np.float32).reshape(pixels.shape)
        printed = cv2.remap(contrast, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        there = np.abs(printed).max(axis=-1) > _PRINTED
        on_grid = np.rint(at[there][:, ::-1]).astype(int)
        found.append(_Places(pixels[there][:, ::-1], np.full(len(on_grid), i), on_grid, printed[there]))
    parts = ([getattr(one, name) for one in found] for name in ("pixels", "cells", "on_grid", "contrast"))
    return _Places(*(np.concatenate(part) for part in parts))
