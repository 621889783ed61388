"""The open board as the camera sees it: places on its disks and bare cells, and how much light comes from them."""

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import SURFACES, Surface
from vision.geometry import BoardPose, Floats
from vision.sampling import Image, gather
from vision.shade import Ground, Men

#: Places lie so many pixels apart, on the middle of each cell up to this far from its centre, in pitches.
_STEP_PX, _REACH_PITCHES = 2.0, 0.4
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
        self._pose, self._disk_mm = pose, disk_mm
        self._px_mm = 1 / _px_per_mm(pose, centres.mean(axis=0))
        self._centres, self._reach_mm = centres, _REACH_PITCHES * layout.pitch_mm
        reach = self._reach_mm
        side = np.arange(-reach, reach, _STEP_PX * self._px_mm)
        grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
        points = np.empty((2, len(centres), 1, int((np.hypot(*grid.T) <= reach).sum()), 3))
        points[..., :2] = centres[:, None, None] + grid[np.hypot(*grid.T) <= reach]
        points[0, ..., 2], points[1, ..., 2] = disk_mm, 0.0
        self._points, self._maps = points.astype(np.float32), pose.project(points).astype(np.float32)

    def men(self, diameter_mm: float) -> Men:
        """How men on this board are seen."""
        return Men(self._pose, self._disk_mm, diameter_mm / 2, _SOFT_PX * self._px_mm)

    def ground(
        self, image: Image, surface: NDArray[np.int_], cells: NDArray[np.int_], hidden: NDArray[np.bool_] | None = None
    ) -> Ground:
        """All places on some cells that are well in the picture.

        `surface`: which of `SURFACES` each of the board's cells is; `hidden` (H, W): where foreign things are.
        """
        kinds = surface[cells]
        plane = (kinds == SURFACES.index(Surface.BARE)).astype(int)
        maps, points = self._maps[plane, cells], self._points[plane, cells]
        values = gather(image, maps)
        inside = ((maps >= 1) & (maps < np.array(image.shape[1::-1]) - 2)).all(axis=3) & (values.max(3) < _CLIPPED)
        if hidden is not None:
            inside &= gather(hidden.astype(np.uint8) * 255, maps) == 0
        light = _LIGHT[values]
        noise = np.empty((len(SURFACES), 3), np.float32)
        for k in np.unique(kinds):
            mine = light[kinds == k]
            rough = np.median(np.abs(np.diff(mine, axis=2)).reshape(-1, 3), axis=0)
            noise[k] = _LEAST_NOISE + _ROUGH * rough + _NOISE_SHARE * np.median(mine.reshape(-1, 3), axis=0)
        keep = np.flatnonzero(inside.ravel())
        kinds = np.repeat(kinds, maps.shape[2])[keep]
        return Ground(points.reshape(-1, 3)[keep], kinds, light.reshape(-1, 3)[keep], noise[kinds])

    def cells_near(self, places_mm: Floats, radius_mm: float) -> NDArray[np.int_]:
        """Cells that have a place nearer than so much to one of some places (n, 2)."""
        apart = np.linalg.norm(self._centres[:, None] - places_mm, axis=2)
        return np.flatnonzero((apart < radius_mm + self._reach_mm).any(axis=1))


def _px_per_mm(pose: BoardPose, middle: Floats) -> float:
    """How many pixels a millimetre on the board is about a place (2,), on average over all directions."""
    ends = pose.project(np.array([[*middle, 0.0], [middle[0] + 1, middle[1], 0.0], [middle[0], middle[1] + 1, 0.0]]))
    return float(np.sqrt(abs(np.linalg.det(ends[1:] - ends[0]))))
