"""Where to look: pixel maps of a foot, a strip, a shadow and a rim for each cell.

The foot is a square patch on the board, the strip an upright picture of whatever stands on the cell: it faces the
camera like a billboard. Both are turned to the camera, so that their rows run away from it or up. The shadow is a patch
of the board whose rows run away from the lamp. The rim is what lies around the edge of a stack's top, as if it lay on
the board.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Floats, Singles
from vision.geometry import BoardPose
from vision.picture import Picture

#: Samples of a foot: rows away from the camera and columns across it.
ROWS, COLUMNS = 36, 24
#: Half the side of a foot, and half the width of a strip, in diameters of a man.
REACH = 0.74
#: How many pixels a man is wide in pictures of the usual size.
USUAL_PX = 40
#: Samples of a strip: rows from its lower end up (fine: the men's sides are counted there) and columns across it.
STRIP_ROWS, STRIP_COLUMNS = 112, 40
#: Lower and upper end of a strip in diameters, from the middle of the disk's top.
STRIP_ENDS = (-0.72, 2.08)
#: Lower and upper end of a column in diameters, from the middle of a top.
COLUMN_ENDS = (-2.1, 0.7)
#: Samples of what surrounds a stack, along and across, and half the side in diameters.
AROUND, AROUND_REACH = 40, 1.6
#: Samples of the strip of the board that a shadow falls on: rows along it and columns across, its ends in diameters
#: from the cell's centre, and half its width.
SHADOW_ROWS, SHADOW_COLUMNS = 80, 32
SHADOW_ENDS, SHADOW_REACH = (-0.7, 2.5), 0.7
#: Samples of a rim: circles about the middle of a top, their least and greatest radius in a man's radius, and
#: directions from the middle.
RIM_CIRCLES, RIM_DIRECTIONS = 36, 64
RIM_RADII = (0.78, 1.32)
#: Samples of the side of a topmost man: rows down it and columns around it, its ends in diameters below the top's edge,
#: and how far around they reach from the nearest place, in radians.
SIDE_ROWS, SIDE_COLUMNS = 64, 24
SIDE_ENDS, SIDE_TURN = (-0.2, 0.6), float(np.radians(78))
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

    def tilt(self) -> tuple[Floats, Floats]:
        """Sine and cosine of the angle between the line of sight to each cell and the vertical, (N,) each."""
        length = np.hypot(self.slope, 1)
        return self.slope / length, 1 / length

    def of(self, cells: NDArray[np.int_]) -> "CellViews":
        """The views of some of the cells."""
        parts = (self.centres_mm, self.away, self.across, self.slope, self.px_per_mm, self.distance_mm)
        return CellViews(*(part[cells] for part in parts))


def cell_views(pose: BoardPose, layout: Layout) -> CellViews:
    """The views of all cells of a layout."""
    return views_of_places(pose, np.asarray(layout.centres_mm, dtype=np.float64), layout.pitch_mm)


def views_of_places(pose: BoardPose, centres: Floats, pitch_mm: float) -> CellViews:
    """The views of places (n, 2) on the board's plane; `pitch_mm`: about how large what lies there is."""
    camera = pose.camera_mm
    offset = centres - camera[:2]
    distance = np.hypot(offset[:, 0], offset[:, 1])
    up = -pose.rotation[1, :2] / max(float(np.hypot(*pose.rotation[1, :2])), 1e-9)
    near_foot = distance < 1e-3 * camera[2]
    away = np.where(near_foot[:, None], up, offset / np.maximum(distance, 1e-9)[:, None])
    across = np.stack([away[:, 1], -away[:, 0]], axis=1)
    side = 0.25 * pitch_mm
    ends = np.stack([centres + across * side, centres - across * side])
    pixels = pose.project(np.concatenate([ends, np.zeros((*ends.shape[:2], 1))], axis=2))
    scale = np.linalg.norm(pixels[0] - pixels[1], axis=1) / (2 * side)
    return CellViews(centres, away, across, distance / camera[2], scale, distance)


def foot_maps(pose: BoardPose, views: CellViews, height_mm: float, half_side_mm: float) -> Singles:
    """Pixels of every cell's foot, `height_mm` above the bare board: (cells, ROWS, COLUMNS, 2), x then y."""
    rows, columns = (_samples(n, -half_side_mm, half_side_mm) for n in (ROWS, COLUMNS))
    return _plane_maps(pose, views.centres_mm, (views.away, views.across), (rows, columns), height_mm)


def foot_places() -> tuple[Floats, Floats]:
    """How far up and across the samples of a foot lie from its middle, (ROWS, COLUMNS) each, in diameters of a man."""
    up, across = np.meshgrid(_samples(ROWS, -REACH, REACH), _samples(COLUMNS, -REACH, REACH), indexing="ij")
    return up, across


def foot_offsets(views: CellViews, half_side: float) -> Floats:
    """Where the samples of every cell's foot lie beside its middle on the board, (cells, ROWS, COLUMNS, 2), in the unit
    in which half a side of it is given."""
    up, across = (half_side / REACH * part[..., None] for part in foot_places())
    return np.asarray(up * views.away[:, None, None] + across * views.across[:, None, None])


def foot_points(views: CellViews, height_mm: float, diameter_mm: float) -> Singles:
    """Where the samples of every cell's foot lie on the board, (cells, ROWS, COLUMNS, 3) mm."""
    points = np.full((len(views.slope), ROWS, COLUMNS, 3), height_mm, np.float32)
    points[..., :2] = views.centres_mm[:, None, None] + foot_offsets(views, REACH * diameter_mm)
    return points


def around_maps(pose: BoardPose, views: CellViews, height_mm: float, diameter_mm: float) -> Singles:
    """Pixels of every cell's surroundings, turned to the camera like feet: (cells, AROUND, AROUND, 2), x then y."""
    side = diameter_mm * _samples(AROUND, -AROUND_REACH, AROUND_REACH)
    return _plane_maps(pose, views.centres_mm, (views.away, views.across), (side, side), height_mm)


def shadow_maps(pose: BoardPose, centres_mm: Floats, way: Floats, height_mm: float, diameter_mm: float) -> Singles:
    """Pixels of where the shadows of stacks fall: (cells, SHADOW_ROWS, SHADOW_COLUMNS, 2), x then y.

    `way` (cells, 2): unit vectors that point the way the shadows fall.
    """
    rows = diameter_mm * _samples(SHADOW_ROWS, *SHADOW_ENDS)
    columns = diameter_mm * _samples(SHADOW_COLUMNS, -SHADOW_REACH, SHADOW_REACH)
    aside = np.stack([way[:, 1], -way[:, 0]], axis=1)
    return _plane_maps(pose, centres_mm, (way, aside), (rows, columns), height_mm)


def rim_maps(pose: BoardPose, views: CellViews, middles_mm: Floats, height_mm: float, diameter_mm: float) -> Singles:
    """Pixels of circles about (cells, 2) places: (cells, RIM_CIRCLES, RIM_DIRECTIONS, 2), x then y.

    The directions begin with the one away from the camera. On any plane along the board the camera sees tops as
    circles, the larger the higher they are; these lie `height_mm` above the bare board.
    """
    radii = 0.5 * diameter_mm * _samples(RIM_CIRCLES, *RIM_RADII)
    turn = _samples(RIM_DIRECTIONS, 0, 2 * np.pi)[:, None]
    ways = np.cos(turn) * views.away[:, None] + np.sin(turn) * views.across[:, None]
    points = np.empty((len(middles_mm), RIM_CIRCLES, RIM_DIRECTIONS, 3))
    points[..., :2] = middles_mm[:, None, None] + radii[:, None, None] * ways[:, None]
    points[..., 2] = height_mm
    return pose.project(points).astype(np.float32)


def top_middles(pose: BoardPose, views: CellViews, top: Singles, height_mm: float, diameter_mm: float) -> Floats:
    """Where the middles of tops appear to lie on the plane `height_mm` above the bare board, (cells, 2) mm.

    `top` (cells, 2): where they are in the strips, across and up, in diameters.
    """
    across, up = diameter_mm * top.T.astype(np.float64)
    sine, cosine = views.tilt()
    camera = pose.camera_mm
    places = views.centres_mm + across[:, None] * views.across + (up * cosine)[:, None] * views.away
    larger = (camera[2] - height_mm) / (camera[2] - height_mm - up * sine)
    middles: Floats = camera[:2] + (places - camera[:2]) * larger[:, None]
    return middles


def strip_places(pose: BoardPose, views: CellViews, middles_mm: Floats, height_mm: float, diameter_mm: float) -> Floats:
    """Where tops are in their strips, across and up, (cells, 2) diameters, whose middles appear to lie at `middles_mm`
    (cells, 2) on the plane `height_mm` above the bare board: the inverse of `top_middles`."""
    sine, cosine = views.tilt()
    above = pose.camera_mm[2] - height_mm
    seen, centre = middles_mm - pose.camera_mm[:2], views.centres_mm - pose.camera_mm[:2]
    away, across = ((seen * axis).sum(axis=1) for axis in (views.away, views.across))
    up = (away - (centre * views.away).sum(axis=1)) / (cosine + away * sine / above)
    aside = across * (1 - up * sine / above) - (centre * views.across).sum(axis=1)
    return np.stack([aside, up], axis=1) / diameter_mm


def raised(pose: BoardPose, places_mm: Floats, height_mm: float | Floats, by_mm: Floats) -> Floats:
    """Places (cells, 2) that look the same from the camera but are higher by `by_mm` (cells,) than `height_mm`."""
    camera = pose.camera_mm
    nearer = (camera[2] - height_mm - by_mm) / (camera[2] - height_mm)
    places: Floats = camera[:2] + (places_mm - camera[:2]) * nearer[:, None]
    return places


def moved(middles_mm: Floats, views: CellViews, off: Singles, diameter_mm: float) -> Floats:
    """Places (cells, 2) moved by `off` (cells, 2): away from the camera and to its right, in a man's radii."""
    by_mm = 0.5 * diameter_mm * off.astype(np.float64)
    places: Floats = middles_mm + by_mm[:, :1] * views.away + by_mm[:, 1:] * views.across
    return places


def side_maps(pose: BoardPose, views: CellViews, middles_mm: Floats, tops_mm: Floats, diameter_mm: float) -> Singles:
    """Pixels of the sides below tops, unrolled: (cells, SIDE_ROWS, SIDE_COLUMNS, 2), x then y.

    `middles_mm` (cells, 2) and `tops_mm` (cells,): where the tops' middles are, and how far above the bare board. Rows
    run straight down from above the edge that is nearest to the camera, columns along it.
    """
    turn = _samples(SIDE_COLUMNS, -SIDE_TURN, SIDE_TURN)[:, None]
    ways = np.sin(turn) * views.across[:, None] - np.cos(turn) * views.away[:, None]
    points = np.empty((len(middles_mm), SIDE_ROWS, SIDE_COLUMNS, 3))
    points[..., :2] = (middles_mm[:, None] + 0.5 * diameter_mm * ways)[:, None]
    points[..., 2] = tops_mm[:, None, None] - diameter_mm * _samples(SIDE_ROWS, *SIDE_ENDS)[:, None]
    return pose.project(points).astype(np.float32)


def _plane_maps(
    pose: BoardPose, centres_mm: Floats, axes: tuple[Floats, Floats], steps: tuple[Floats, Floats], height_mm: float
) -> Singles:
    """Pixels of patches that lie `height_mm` above the bare board: their axes (cells, 2) and the steps along each."""
    (ahead, aside), (rows, columns) = axes, steps
    points = np.empty((len(centres_mm), len(rows), len(columns), 3))
    points[..., :2] = (
        centres_mm[:, None, None] + rows[:, None, None] * ahead[:, None, None] + columns[:, None] * aside[:, None, None]
    )
    points[..., 2] = height_mm
    return pose.project(points).astype(np.float32)


def strip_maps(pose: BoardPose, views: CellViews, height_mm: float, diameter_mm: float) -> Singles:
    """Pixels of every cell's strip: (cells, STRIP_ROWS, STRIP_COLUMNS, 2), x then y.

    A strip stands on the point `height_mm` above the cell's centre, at right angles to the line of sight.
    """
    return _upright_maps(pose, views, height_mm, diameter_mm, STRIP_ENDS, np.zeros((len(views.slope), 2)))


def column_maps(pose: BoardPose, views: CellViews, tops: Floats, height_mm: float, diameter_mm: float) -> Singles:
    """Pixels of strips that reach down from the tops of stacks: (cells, STRIP_ROWS, STRIP_COLUMNS, 2), x then y.

    `tops` (cells, 2): where the middles of the tops are in the cells' strips, across and up, in diameters.
    """
    return _upright_maps(pose, views, height_mm, diameter_mm, COLUMN_ENDS, tops)


def _upright_maps(
    pose: BoardPose, views: CellViews, height_mm: float, diameter_mm: float, ends: tuple[float, float], moved: Floats
) -> Singles:
    """Pixels of upright pictures that are `moved` (cells, 2) across and up in their planes, in diameters."""
    rows = diameter_mm * (_samples(STRIP_ROWS, *ends) + moved[:, 1:])
    columns = diameter_mm * (_samples(STRIP_COLUMNS, -REACH, REACH) + moved[:, :1])
    sine, cosine = views.tilt()
    points = np.empty((len(sine), STRIP_ROWS, STRIP_COLUMNS, 3))
    points[..., :2] = (
        views.centres_mm[:, None, None]
        + (rows * cosine[:, None])[:, :, None, None] * views.away[:, None, None]
        + columns[:, None, :, None] * views.across[:, None, None]
    )
    points[..., 2] = height_mm + (rows * sine[:, None])[:, :, None]
    return pose.project(points).astype(np.float32)


def _samples(count: int, low: float, high: float) -> Floats:
    """The middles of `count` equal parts of a range."""
    middles: Floats = low + (np.arange(count) + 0.5) / count * (high - low)
    return middles


def pixel_numbers(maps: Singles, width_px: int, height_px: int) -> NDArray[np.int32]:
    """The nearest pixels of a picture to `maps` (…, 2), counted row by row."""
    x = np.clip(np.rint(maps[..., 0]), 0, width_px - 1).astype(np.int32)
    y = np.clip(np.rint(maps[..., 1]), 0, height_px - 1).astype(np.int32)
    numbers: NDArray[np.int32] = y * np.int32(width_px) + x
    return numbers


def gather(image: Picture, maps: Singles) -> Picture:
    """The picture's values at `maps` (cells, rows, columns, 2), bilinear: (cells, rows, columns[, channels]).

    Places are taken to a 32nd of a pixel: OpenCV does that in half the time.
    """
    if not maps.size:
        return np.zeros((*maps.shape[:-1], *image.shape[2:]), np.uint8)
    whole, parts = cv2.convertMaps(maps.reshape(len(maps), -1, 2), _NO_MAP, cv2.CV_16SC2)
    out = cv2.remap(image, whole, parts, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, dtype=np.uint8).reshape(*maps.shape[:-1], *image.shape[2:])
