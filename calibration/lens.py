"""Calibrate a lens from pictures of a ChArUco target: intrinsics and distortion, with a residual and its coverage.

Zhang's method (IEEE PAMI 22, 2000) as OpenCV implements it, on views chosen to differ from each other; views that do
not fit the others are put aside.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from calibration.profile import LensProfile
from calibration.targets import CharucoTarget, dictionary_of
from vision.arrays import Floats
from vision.cv import CharucoView, calibrate_camera, detect_charuco, tilt_of_view
from vision.picture import Picture

#: Views that are used at most, and how many there must be at the least.
MOST_VIEWS, LEAST_VIEWS = 40, 4
#: Corners of a view at the least.
_LEAST_CORNERS = 6
#: A view is put aside when its error is this many times the median one, and above this many pixels.
_OUTLIER, _OUTLIER_PX = 2.5, 0.3
#: Views that differ by less than this, in the units of `_feature`, are one: about 5 px or 2 % of its size.
_ALIKE = 0.025
#: How far from the picture's middle corners must have been seen, as a share of its half diagonal, for k3 to be fitted.
_FAR = 0.75
#: The picture is divided into this many columns and rows to judge where the target has been.
_GRID = 3
_PLACES = (
    ("upper left", "upper middle", "upper right"),
    ("middle left", "middle", "middle right"),
    ("lower left", "lower middle", "lower right"),
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Where and how the target was seen: `seen` (3, 3) parts of the picture, the largest `tilt_deg` of the target, the
    ratio of its largest to its smallest size, and the share of the half diagonal that corners reach."""

    seen: NDArray[np.bool_]
    tilt_deg: float
    size_ratio: float
    reach: float

    def advice(self) -> list[str]:
        """What to show the camera for a better calibration; empty when nothing is missing."""
        missing = [_PLACES[row][column] for row, column in zip(*np.nonzero(~self.seen), strict=True)]
        out = []
        if missing:
            out.append(f"hold the target where it has not been yet: {', '.join(missing)}")
        if self.tilt_deg < 25:
            out.append(f"tilt the target more, towards every side (so far {self.tilt_deg:.0f}°, better 30–45°)")
        if self.size_ratio < 1.4:
            out.append("hold it nearer and farther away, too")
        return out


@dataclass(frozen=True, slots=True)
class LensCalibration:
    """A lens, what it rests on, and how many views did not fit."""

    profile: LensProfile
    coverage: Coverage
    put_aside: int


class TargetViews:
    """Collects views of a target, picture by picture; all pictures must be of one size."""

    def __init__(self, target: CharucoTarget, inverted: bool = False) -> None:
        size = (target.columns, target.rows)
        board = cv2.aruco.CharucoBoard(size, target.square_mm, target.marker_mm, dictionary_of(target.dictionary))
        self._corners_mm = np.asarray(board.getChessboardCorners(), np.float64).reshape(-1, 3)
        self._detector = cv2.aruco.CharucoDetector(board)
        self._inverted = inverted
        self.size_px: tuple[int, int] | None = None
        self.views: list[CharucoView] = []
        self.pictures = 0

    def add(self, image: Picture, source: str = "picture") -> CharucoView | None:
        """Look for the target in a picture; the view when it can be used.

        Raises `CalibrationError` for a picture of another size than those before.
        """
        size = (image.shape[1], image.shape[0])
        if self.size_px not in (None, size):
            raise CalibrationError(f"{source}: {size[0]}×{size[1]} px, the pictures before had another size")
        self.size_px = size
        self.pictures += 1
        view = detect_charuco(self._detector, 255 - image if self._inverted else image)
        if view is None or len(view.ids) < _LEAST_CORNERS or self._on_one_line(view):
            return None
        self.views.append(view)
        return view

    def calibrate(self) -> LensCalibration:
        """The lens. Raises `CalibrationError` when the views are too few, or too much alike to tell."""
        views = spread_views(self.views, MOST_VIEWS)
        if self.size_px is None or len(views) < LEAST_VIEWS:
            raise CalibrationError(
                f"the target was seen well enough in {len(self.views)} of {self.pictures} pictures, in {len(views)} "
                f"different ways, {LEAST_VIEWS} are the least; move and tilt it, and check its columns × rows, its "
                "dictionary, and whether it is printed inverted"
            )
        reach = _reach(views, self.size_px)
        begun = len(views)
        while True:
            fit = calibrate_camera(self._corners_mm, views, self.size_px, with_k3=reach > _FAR)
            worst = fit.view_rms_px > max(_OUTLIER_PX, _OUTLIER * float(np.median(fit.view_rms_px)))
            if not worst.any() or len(views) - worst.sum() < LEAST_VIEWS:
                break
            views = [view for view, bad in zip(views, worst, strict=True) if not bad]
        if not np.isfinite(fit.rms_px) or fit.focal_doubt > 0.05:
            raise CalibrationError(
                f"the views are too much alike: the focal length is uncertain by {fit.focal_doubt:.0%}; "
                "tilt the target and move it about the picture"
            )
        coverage = _coverage(views, self.size_px, fit.tilts_deg, reach)
        return LensCalibration(LensProfile(fit.lens, fit.rms_px, len(views)), coverage, begun - len(views))

    def coverage(self) -> Coverage:
        """Where and how the target has been so far, for guidance while pictures come in; tilts are estimates."""
        size = self.size_px or (1, 1)
        tilts_deg = [tilt_of_view(self._corners_mm, view, size) for view in self.views]
        return _coverage(self.views, size, np.array([0.0, *tilts_deg]), _reach(self.views, size))

    def _on_one_line(self, view: CharucoView) -> bool:
        points = self._corners_mm[view.ids, :2]
        return bool(np.linalg.matrix_rank(points - points.mean(0), tol=1e-6) < 2)


def spread_views(views: list[CharucoView], most: int) -> list[CharucoView]:
    """Up to `most` views that differ from each other as much as possible (farthest point sampling), no two alike."""
    if not views:
        return []
    features = np.array([_feature(view.corners) for view in views])
    chosen = [int(np.argmax([len(view.ids) for view in views]))]
    away = np.linalg.norm(features - features[chosen[0]], axis=1)
    while len(chosen) < most and away.max() > _ALIKE:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, np.linalg.norm(features - features[chosen[-1]], axis=1))
    return [views[i] for i in sorted(chosen)]


def _feature(corners: Floats) -> Floats:
    """Place (in 200 px), size (in log) and shape of a view in the picture."""
    spread = np.cov(corners.T)
    scale = np.sqrt(max(float(np.linalg.det(spread)), 1e-9))
    shape = [np.log(scale) / 2, (spread[0, 0] - spread[1, 1]) / scale, 2 * spread[0, 1] / scale]
    return np.concatenate([corners.mean(0) / 200, shape])


def _reach(views: Iterable[CharucoView], size_px: tuple[int, int]) -> float:
    """How far from the picture's middle corners were seen, as a share of half its diagonal."""
    half = np.array(size_px) / 2
    return max(
        (float(np.linalg.norm(v.corners - half, axis=1).max() / np.linalg.norm(half)) for v in views), default=0.0
    )


def _coverage(views: list[CharucoView], size_px: tuple[int, int], tilts_deg: Floats, reach: float) -> Coverage:
    seen = np.zeros((_GRID, _GRID), bool)
    sizes = [float(np.sqrt(np.linalg.det(np.cov(view.corners.T)))) for view in views]
    for view in views:
        column, row = np.clip(view.corners / np.array(size_px) * _GRID, 0, _GRID - 1).astype(int).T
        seen[row, column] = True
    ratio = float(np.sqrt(max(sizes) / max(min(sizes), 1e-9))) if sizes else 1.0
    return Coverage(seen, float(tilts_deg.max()), ratio, reach)
