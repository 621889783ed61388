"""The open board as the camera sees it: places on its disks and bare cells, and how much light comes from them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import SURFACES, Surface
from vision.arrays import Floats, Singles
from vision.geometry import BoardPose
from vision.hexagons import AXIAL_TO_PLANE, SIX
from vision.lamplight.shade import Ground, Men
from vision.light import GAMMA
from vision.picture import Picture
from vision.sampling import gather
from vision.surfaces.disks import Disks

#: Places lie so many pixels apart when a table is learned; they reach this far from the cells' centres, in pitches.
_STEP_PX, _REACH_PITCHES = 2.0, 0.577
#: Large pictures are looked at as if so many pixels went to a pitch: more places tell nothing new.
_FINEST = 160.0
#: Disks that were not measured reach at least so far from the middles of their cells, in pitches.
_LEAST_DISK = 0.4
#: So many pixels within a disk's edge are left out, and so much of a cell along its sides (pitches and pixels).
_EDGE_PX, _LINE, _LINE_PX = 1.2, 0.025, 1.0
#: The light that a picture's values stand for; brighter ones than `CLIPPED` tell nothing.
CLIPPED = 250
LIGHT = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)
#: Shadows' edges are this soft in pictures, in pixels.
_SOFT_PX = 1.3
#: Light is known no better than to so much, and to so great a part of itself.
_LEAST_NOISE, _NOISE_SHARE = 0.002, 0.015
#: The usual size of noise by the median difference of neighbours.
_ROUGH = 1.05
#: So many places about the middle of a cell at most tell whether it may lie in the shade.
_SOME = 60
#: Of so many places one is asked how large noise is.
_ONE_IN = 8


class GroundMaps:
    """Where places on a board's cells are in a picture, with disks on the cells and without.

    `sparse`: how many times as far apart places are as when a table is learned.
    """

    def __init__(self, pose: BoardPose, layout: Layout, disk_mm: float, sparse: float = 1.0) -> None:
        centres = np.asarray(layout.centres_mm)
        self._pose, self._layout, self._disk_mm = pose, layout, disk_mm
        self._px_mm = max(1 / _px_per_mm(pose, centres.mean(axis=0)), layout.pitch_mm / _FINEST)
        self._worth = sparse * sparse
        self._centres, self._reach_mm = centres, _REACH_PITCHES * layout.pitch_mm
        side = np.arange(-self._reach_mm, self._reach_mm, sparse * _STEP_PX * self._px_mm)
        grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
        grid = grid[self._on_a_cell(grid)]
        self._outer = np.hypot(*grid.T) > _LEAST_DISK * layout.pitch_mm
        points = np.empty((2, len(centres), len(grid), 3))
        points[..., :2] = centres[:, None] + grid
        points[0, ..., 2], points[1, ..., 2] = disk_mm, 0.0
        self._points, self._maps = points.astype(np.float32), pose.project(points).astype(np.float32)
        x, y, size = self._maps[..., 0], self._maps[..., 1], (pose.lens.width_px, pose.lens.height_px)
        self._shown = (x >= 1) & (y >= 1) & (x < size[0] - 2) & (y < size[1] - 2)

    def men(self, diameter_mm: float) -> Men:
        """How men on this board are seen."""
        return Men(self._pose, self._disk_mm, diameter_mm / 2, _SOFT_PX * self._px_mm)

    def ground(
        self,
        image: Picture,
        surface: NDArray[np.int_],
        cells: NDArray[np.int_],
        disks: Disks | None,
        hidden: NDArray[np.bool_] | None = None,
    ) -> Ground:
        """Places on some cells that are well in the picture: on bare cells and on disks.

        `surface`: which of `SURFACES` each of the board's cells is; `disks`: those on its cells where they were
        measured (without, only places where disks are sure to be are on them); `hidden` (H, W): where foreign things
        are.
        """
        foreign = None if hidden is None else hidden.astype(np.uint8)
        bare = surface[cells] == SURFACES.index(Surface.BARE)
        covered, open_ = cells[~bare], cells[bare]
        if disks is not None:
            disks = disks.now(surface, self._centres).of(covered)
        on_disks = self._places(image, covered, 0, surface[covered], foreign, self._on_disks(covered, disks))
        return on_disks.and_(self._places(image, open_, 1, surface[open_], foreign))

    def _places(
        self,
        image: Picture,
        cells: NDArray[np.int_],
        plane: int,
        kinds: NDArray[np.int_],
        foreign: NDArray[np.uint8] | None,
        there: NDArray[np.bool_] | None = None,
    ) -> Ground:
        """Those places of some cells (n,) that are `there`, (n, P), and not `foreign` (H, W).

        `plane`: 0 on the disks, 1 on the board.
        """
        some = np.arange(self._maps.shape[2]) if there is None else np.flatnonzero(there.any(axis=0))
        maps, inside = self._maps[plane, cells][:, some], self._shown[plane, cells][:, some]
        values = gather(image, maps[:, None])[:, 0]
        inside &= np.maximum(np.maximum(values[..., 0], values[..., 1]), values[..., 2]) < CLIPPED
        if foreign is not None:
            inside &= gather(255 * foreign, maps[:, None])[:, 0] == 0
        if there is not None:
            inside &= there[:, some]
        noise = np.ones((len(SURFACES), 3), np.float32)
        for k in np.unique(kinds):
            noise[k] = _noise(values[kinds == k], inside[kinds == k])
        row, column = np.nonzero(inside)
        kind = kinds[row]
        return Ground(
            self._points[plane, cells[row], some[column]], kind, LIGHT[values[row, column]], noise[kind], self._worth
        )

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
        apart = self._points[0, cells, :, :2] - middles[:, None].astype(np.float32)
        return np.asarray(np.hypot(apart[..., 0], apart[..., 1]) < radii[:, None] * pitch)

    def places_of(self, cell: int) -> Singles:
        """Some places (n, 3) about the middle of a cell."""
        middle = ~self._outer
        some: Singles = self._points[0, cell, middle][:: 1 + int(middle.sum()) // _SOME]
        return some

    def on_cell(self, ground: Ground, cell: int) -> NDArray[np.bool_]:
        """Which places of the ground are about the middle of a cell."""
        there = np.zeros(len(ground.points), bool)
        there[ground.near(self._centres[cell], _LEAST_DISK * self._layout.pitch_mm)] = True
        return there

    def cells_near(self, circles: Sequence[tuple[Floats, float]]) -> NDArray[np.int_]:
        """Cells that reach into one of some circles, middle (2,) and radius, in millimetres."""
        near = [np.linalg.norm(self._centres - middle, axis=1) < radius + self._reach_mm for middle, radius in circles]
        return np.flatnonzero(np.any(near, axis=0))


def _noise(values: Picture, inside: NDArray[np.bool_]) -> Floats:
    """How exactly the light is known, (3,), that comes from places with such values (n, P, 3), by some of them that are
    `inside` (n, P) and those beside them; 1 where there are none."""
    pairs = inside[:, :-1:_ONE_IN] & inside[:, 1::_ONE_IN]
    if not pairs.any():
        return np.ones(3)
    first, second = LIGHT[values[:, :-1:_ONE_IN][pairs]], LIGHT[values[:, 1::_ONE_IN][pairs]]
    rough = np.median(np.abs(second - first), axis=0)
    noise: Floats = _LEAST_NOISE + _ROUGH * rough + _NOISE_SHARE * np.median(first, axis=0)
    return noise


def _px_per_mm(pose: BoardPose, middle: Floats) -> float:
    """How many pixels a millimetre on the board is about a place (2,), on average over all directions."""
    ends = pose.project(np.array([[*middle, 0.0], [middle[0] + 1, middle[1], 0.0], [middle[0], middle[1] + 1, 0.0]]))
    return float(np.sqrt(abs(np.linalg.det(ends[1:] - ends[0]))))
