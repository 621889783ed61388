"""Printed ArUco markers about a board: a pose from markers at known places, and which side is up."""

from itertools import pairwise

import cv2
import numpy as np

from engine.layout import Layout
from vision.arrays import Floats
from vision.cv import detect_markers
from vision.finding.lattice import fit_homography
from vision.finding.pose import Fit, SeenPoints, fit_either_way, nominal_lens, pose_from_homography
from vision.geometry import BoardPose, Lens
from vision.picture import Picture

#: A marker's corners about its centre, in marker sizes, in the order in which they are detected (clockwise).
_CORNERS = np.array([(-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)])
#: Where the markers 0–3 of a board without `markers_mm` stand, seen from its middle: counter-clockwise from lower left.
BEARINGS_DEG = {0: 225.0, 1: 315.0, 2: 45.0, 3: 135.0}
#: A board between such markers stands upright or is turned counter-clockwise; this much the other way is let pass.
_BACKWARD_DEG = 6.0


def seen_markers(image: Picture, expected: set[int]) -> dict[int, Floats]:
    """Markers in a picture, id → corners (4, 2) px; where an expected one is missing it looks again at a larger
    picture."""
    seen = detect_markers(image)
    if not expected <= set(seen):
        larger = cv2.resize(image, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        for i, corners in detect_markers(larger.astype(np.uint8, copy=False)).items():
            seen.setdefault(i, (corners + 0.5) / 2 - 0.5)
    return seen


def pose_from_markers(
    markers: dict[int, Floats], layout: Layout, width_px: int, height_px: int, lens: Lens | None
) -> Fit | None:
    """Pose from the markers whose places the layout knows; None when they are too few (two with their size, else
    four) or do not fit. All markers are taken to be printed the same way up, whichever that is."""
    places = dict(layout.markers_mm)
    ids = sorted(set(markers) & set(places))
    size = layout.marker_size_mm
    if len(ids) < (4 if size is None else 2):
        return None
    start_lens = lens or nominal_lens(width_px, height_px)
    if size is None:
        plane = np.array([places[i] for i in ids])
        return _fit(plane, np.array([markers[i].mean(0) for i in ids]), start_lens, lens is None)
    best: Fit | None = None
    for turn in range(4):
        corners = np.roll(_CORNERS, turn, axis=0) * size
        plane = np.concatenate([np.array(places[i]) + corners for i in ids])
        fit = _fit(plane, np.concatenate([markers[i] for i in ids]), start_lens, lens is None)
        if fit is not None and (best is None or fit.rms_px < best.rms_px):
            best = fit
    return best


def up_turn_deg(markers: dict[int, Floats], pose: BoardPose, middle_mm: Floats) -> float | None:
    """How far the board is turned counter-clockwise (degrees, −180 … 180) from upright between the markers 0–3.

    None when fewer than two of them are seen, or they are not in their order about the board.
    """
    bearings = {}
    for i in sorted(set(markers) & set(BEARINGS_DEG)):
        x, y = pose.unproject(markers[i].mean(0)) - middle_mm
        bearings[i] = np.degrees(np.arctan2(y, x))
    if len(bearings) < 2:
        return None
    ids = list(bearings)
    steps = [(bearings[b] - bearings[a] - 90 * (b - a) + 180) % 360 - 180 for a, b in pairwise(ids)]
    if max(map(abs, steps)) > 40:
        return None
    off = [np.exp(1j * np.radians(BEARINGS_DEG[i] - bearings[i])) for i in ids]
    return float(np.degrees(np.angle(sum(off))))


def best_upright(turns_deg: list[float]) -> int:
    """Index of the turn that stands upright or is turned counter-clockwise the least."""
    return int(np.argmin([(turn + _BACKWARD_DEG) % 360 for turn in turns_deg]))


def nearest_turn(turns_deg: list[float], before_deg: float) -> int:
    """Index of the turn that is the nearest to an earlier one."""
    return int(np.argmin([abs((turn - before_deg + 180) % 360 - 180) for turn in turns_deg]))


def _fit(plane: Floats, pixels: Floats, lens: Lens, free_lens: bool) -> Fit | None:
    """Pose that lays points of the plane (N, 2) on pixels (N, 2)."""
    start = pose_from_homography(fit_homography(plane, pixels), lens)
    if start is None:
        return None
    points = np.column_stack([plane, np.zeros(len(plane))])
    return fit_either_way(start, SeenPoints(points, pixels, np.full(len(plane), 1.0), free_lens))
