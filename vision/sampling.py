"""Where to look: pixel maps of square patches on planes above each cell, computed once a pose.

A patch lies parallel to the board at some height above a cell's centre, turned so that its rows run away from the
camera. On the plane of a stack's top, that top is a circle of known size wherever the camera stands (plane sweep,
Collins 1996).
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.geometry import BoardPose, Floats

Image = NDArray[np.uint8]
Singles = NDArray[np.float32]

#: Samples of a patch: rows away from the camera (finer, the men's sides are counted there) and columns across it.
ROWS, COLUMNS = 36, 24
#: Half the side of a patch in diameters of a man.
REACH = 0.74
#: Stands for "x and y are in the first map", which OpenCV's type stubs do not know.
_NO_MAP: Any = None


@dataclass(frozen=True, slots=True)
class CellViews:
    """How the camera sees each cell; arrays over the N cells of a layout.

    `centres_mm` (N, 2); `away` and `across` (N, 2) unit vectors on the board: away from the camera and to its right;
    `slope` (N,): how far away from the camera a point moves on the board plane per unit of height (tangent of the
    viewing angle); `px_per_mm` (N,) at the board plane; `distance_mm` (N,) on the board plane from the camera's foot.
    """

    centres_mm: Floats
    away: Floats
    across: Floats
    slope: Floats
    px_per_mm: Floats
    distance_mm: Floats

    def of(self, cells: NDArray[np.int_]) -> "CellViews":
        """The views of some of the cells."""
        parts = (self.centres_mm, self.away, self.across, self.slope, self.px_per_mm, self.distance_mm)
        return CellViews(*(part[cells] for part in parts))


def cell_views(pose: BoardPose, layout: Layout) -> CellViews:
    """The views of all cells of a layout."""
    centres = np.asarray(layout.centres_mm, dtype=np.float64)
    camera = pose.camera_mm
    offset = centres - camera[:2]
    distance = np.hypot(offset[:, 0], offset[:, 1])
    up = -pose.rotation[1, :2] / max(float(np.hypot(*pose.rotation[1, :2])), 1e-9)
    near_foot = distance < 1e-3 * camera[2]
    away = np.where(near_foot[:, None], up, offset / np.maximum(distance, 1e-9)[:, None])
    across = np.stack([away[:, 1], -away[:, 0]], axis=1)
    side = 0.25 * layout.pitch_mm
    ends = np.stack([centres + across * side, centres - across * side])
    pixels = pose.project(np.concatenate([ends, np.zeros((*ends.shape[:2], 1))], axis=2))
    scale = np.linalg.norm(pixels[0] - pixels[1], axis=1) / (2 * side)
    return CellViews(centres, away, across, distance / camera[2], scale, distance)


def patch_maps(pose: BoardPose, views: CellViews, heights_mm: Floats, half_side_mm: float) -> Singles:
    """Pixels of the patches of every cell on every plane: (cells, planes, ROWS, COLUMNS, 2), x then y.

    Rows run away from the camera, columns to its right. `heights_mm` (planes,) or (cells, planes).
    """
    rows, columns = (((np.arange(n) + 0.5) / n * 2 - 1) * half_side_mm for n in (ROWS, COLUMNS))
    heights = np.broadcast_to(heights_mm, (len(views.slope), np.shape(heights_mm)[-1]))
    flat = (
        views.centres_mm[:, None, None]
        + rows[None, :, None, None] * views.away[:, None, None]
        + columns[None, None, :, None] * views.across[:, None, None]
    )
    shape = (*heights.shape, ROWS, COLUMNS)
    points = np.empty((*shape, 3))
    points[..., :2] = flat[:, None]
    points[..., 2] = heights[:, :, None, None]
    return pose.project(points).astype(np.float32)


def pixel_numbers(maps: Singles, width_px: int, height_px: int) -> NDArray[np.int32]:
    """The nearest pixels of a picture to `maps` (…, 2), counted row by row."""
    x = np.clip(np.rint(maps[..., 0]), 0, width_px - 1).astype(np.int32)
    y = np.clip(np.rint(maps[..., 1]), 0, height_px - 1).astype(np.int32)
    numbers: NDArray[np.int32] = y * np.int32(width_px) + x
    return numbers


def gather(image: Image, maps: Singles) -> Image:
    """The picture's values at `maps` (…, 2), bilinear: (…, channels), or (…) for one channel."""
    if not maps.size:
        return np.zeros((*maps.shape[:-1], *image.shape[2:]), np.uint8)
    flat = maps.reshape(-1, ROWS * COLUMNS, 2)
    out = cv2.remap(image, flat, _NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, dtype=np.uint8).reshape(*maps.shape[:-1], *image.shape[2:])
