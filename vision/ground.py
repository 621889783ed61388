"""The open board as the camera sees it: places on its disks and bare cells, and how much light comes from them."""

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import SURFACES, Surface
from vision.disks import Disks, measure_disks
from vision.geometry import BoardPose, Floats
from vision.lamp import Lamp
from vision.lattice import AXIAL_TO_PLANE, SIX
from vision.sampling import Image, gather
from vision.shade import Ground, Men

#: Places lie so many pixels apart, on each cell up to this far from its centre, in pitches.
_STEP_PX, _REACH_PITCHES = 2.0, 0.577
#: Readings look at every so many-th place only.
_FEWER = 2
#: Disks that were not measured reach at least so far from the middles of their cells, in pitches.
_LEAST_DISK = 0.4
#: So many pixels within a disk's edge and outside it are left out, and so much of a cell along its sides (pitches and
#: pixels).
_EDGE_PX, _BESIDE_PX, _LINE, _LINE_PX = 1.2, 1.5, 0.025, 1.0
#: What lies between disks is dimmer than bare cells: it is told apart from `SURFACES` by this number.
BETWEEN = len(SURFACES)
#: A picture's values are about this power of the light; brighter ones than `_CLIPPED` tell nothing.
_GAMMA, _CLIPPED = 2.2, 250
_LIGHT = ((np.arange(256) / 255) ** _GAMMA).astype(np.float32)
#: Shadows' edges are this soft in pictures, in pixels.
_SOFT_PX = 1.3
#: Light is known no better than to so much, and to so great a part of itself.
_LEAST_NOISE, _NOISE_SHARE = 0.002, 0.015
#: The usual size of noise by the median difference of neighbours.
_ROUGH = 1.05


class GroundMaps:
    """Where places on a board's cells are in a picture, with disks on the cells and without."""

    def __init__(self, pose: BoardPose, layout: Layout, disk_mm: float) -> None:
        centres = np.asarray(layout.centres_mm)
        self._pose, self._layout, self._disk_mm = pose, layout, disk_mm
        self._px_mm = 1 / _px_per_mm(pose, centres.mean(axis=0))
        self._centres, self._reach_mm = centres, _REACH_PITCHES * layout.pitch_mm
        side = np.arange(-self._reach_mm, self._reach_mm, _STEP_PX * self._px_mm)
        grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
        grid = grid[self._on_a_cell(grid)]
        points = np.empty((2, len(centres), 1, len(grid), 3))
        points[..., :2] = centres[:, None, None] + grid
        points[0, ..., 2], points[1, ..., 2] = disk_mm, 0.0
        self._points, self._maps = points.astype(np.float32), pose.project(points).astype(np.float32)

    def men(self, diameter_mm: float) -> Men:
        """How men on this board are seen."""
        return Men(self._pose, self._disk_mm, diameter_mm / 2, _SOFT_PX * self._px_mm)

    def ground(
        self,
        image: Image,
        surface: NDArray[np.int_],
        cells: NDArray[np.int_],
        hidden: NDArray[np.bool_] | None = None,
        every: int = _FEWER,
    ) -> Ground:
        """Places on some cells that are well in the picture, every so many-th; on disks only where they are sure to be.

        `surface`: which of `SURFACES` each of the board's cells is; `hidden` (H, W): where foreign things are.
        """
        foreign = None if hidden is None else hidden.astype(np.uint8)
        bare = surface[cells] == SURFACES.index(Surface.BARE)
        covered, open_ = cells[~bare], cells[bare]
        return _together(
            self._places(image, covered, 0, surface[covered], foreign, self._on_disks(covered, None), every),
            self._places(image, open_, 1, surface[open_], foreign, every=every),
        )

    def whole_ground(self, image: Image, surface: NDArray[np.int_], empty: NDArray[np.bool_], lamp: Lamp) -> Ground:
        """All places of the board that are well in the picture: on the whole disks, on bare cells and between disks.

        Of each of the board's cells: `surface`, which of `SURFACES` it is, and `empty`, whether nothing stands there.
        `lamp`: about where it is. It takes some milliseconds to measure the disks, and readings gain nothing by it.
        """
        bare = surface == SURFACES.index(Surface.BARE)
        covered, open_ = np.flatnonzero(~bare), np.flatnonzero(bare)
        disks = measure_disks(image, self._pose, self._layout, self._disk_mm, covered, empty[covered])
        if disks is None:
            return self.ground(image, surface, np.arange(len(surface)), every=1)
        lying = disks.covered(image.shape[:2], self._pose, lamp, _BESIDE_PX * self._px_mm)
        return _together(
            self._places(image, covered, 0, surface[covered], None, self._on_disks(covered, disks)),
            self._places(image, covered, 1, np.full(len(covered), BETWEEN), lying),
            self._places(image, open_, 1, surface[open_], lying),
        )

    def _places(
        self,
        image: Image,
        cells: NDArray[np.int_],
        plane: int,
        kinds: NDArray[np.int_],
        foreign: NDArray[np.uint8] | None,
        there: NDArray[np.bool_] | None = None,
        every: int = 1,
    ) -> Ground:
        """Those places of some cells (n,) that are `there` (n, P) and not `foreign` (H, W); every so many-th.

        `plane`: 0 on the disks, 1 on the board.
        """
        maps, points = self._maps[plane, cells][..., ::every, :], self._points[plane, cells][..., ::every, :]
        values = gather(image, maps)
        inside = ((maps >= 1) & (maps < np.array(image.shape[1::-1]) - 2)).all(axis=3) & (values.max(3) < _CLIPPED)
        if foreign is not None:
            inside &= gather(255 * foreign, maps) == 0
        if there is not None:
            inside &= there[:, None, ::every]
        light = _LIGHT[values]
        noise = np.ones((BETWEEN + 1, 3), np.float32)
        for k in np.unique(kinds):
            mine, well = light[kinds == k], inside[kinds == k]
            pairs = well[..., 1:] & well[..., :-1]
            if pairs.any():
                rough = np.median(np.abs(np.diff(mine, axis=2))[pairs], axis=0)
                noise[k] = _LEAST_NOISE + _ROUGH * rough + _NOISE_SHARE * np.median(mine[well], axis=0)
        keep = np.flatnonzero(inside.ravel())
        kind = np.repeat(kinds, maps.shape[2])[keep]
        return Ground(points.reshape(-1, 3)[keep], kind, light.reshape(-1, 3)[keep], noise[kind])

    def _on_a_cell(self, places: Floats) -> NDArray[np.bool_]:
        """Which places (n, 2), from the centre of a cell, are on it and not on a line between cells."""
        pitch = self._layout.pitch_mm
        if self._layout.board is None:
            return np.asarray(np.hypot(*places.T) < _LEAST_DISK * pitch)
        across = (places @ (SIX @ AXIAL_TO_PLANE).T).max(axis=1)
        return np.asarray(across < (0.5 - _LINE) * pitch - _LINE_PX * self._px_mm)

    def _on_disks(self, cells: NDArray[np.int_], disks: Disks | None) -> NDArray[np.bool_]:
        """Which places of some cells (n,) are on the disks there: (n, P)."""
        pitch, middles, radii = self._layout.pitch_mm, self._centres[cells], np.full(len(cells), _LEAST_DISK)
        if disks is not None:
            middles = disks.middles_mm
            radii = (disks.radius_mm - disks.aside_mm - _EDGE_PX * self._px_mm) / pitch
        apart = self._points[0, cells, 0, :, :2] - middles[:, None].astype(np.float32)
        return np.asarray(np.hypot(apart[..., 0], apart[..., 1]) < radii[:, None] * pitch)

    def cells_near(self, places_mm: Floats, radius_mm: float) -> NDArray[np.int_]:
        """Cells that have a place nearer than so much to one of some places (n, 2)."""
        apart = np.linalg.norm(self._centres[:, None] - places_mm, axis=2)
        return np.flatnonzero((apart < radius_mm + self._reach_mm).any(axis=1))


def _together(*grounds: Ground) -> Ground:
    """All the places of some grounds."""
    parts = [(ground.points, ground.surface, ground.light, ground.noise) for ground in grounds]
    return Ground(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _px_per_mm(pose: BoardPose, middle: Floats) -> float:
    """How many pixels a millimetre on the board is about a place (2,), on average over all directions."""
    ends = pose.project(np.array([[*middle, 0.0], [middle[0] + 1, middle[1], 0.0], [middle[0], middle[1] + 1, 0.0]]))
    return float(np.sqrt(abs(np.linalg.det(ends[1:] - ends[0]))))
