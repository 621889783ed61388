"""The few OpenCV 5 calls whose shapes and 'nothing found' differ between versions, in one place."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.geometry import Lens
from vision.picture import Picture


@dataclass(frozen=True, slots=True)
class CharucoView:
    """Chess board corners of a ChArUco target in one picture: `corners` (N, 2) px and their `ids` (N,)."""

    corners: Floats
    ids: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CameraFit:
    """A calibrated camera: its lens, the reprojection error in all and per view (N,), each view's tilt (N,), and the
    standard deviation of the focal length as a share of it."""

    lens: Lens
    rms_px: float
    view_rms_px: Floats
    tilts_deg: Floats
    focal_doubt: float


@dataclass(frozen=True, slots=True)
class ProjectionSlopes:
    """How the pixels of N points change with what a camera is, each (N, 2): by a turn about the camera's axes and by a
    shift along them (N, 2, 3), by focal lengths, principal point, and first radial term."""

    turn: Floats
    shift_mm: Floats
    fx_px: Floats
    fy_px: Floats
    cx_px: Floats
    cy_px: Floats
    k1: Floats


def projection_slopes(lens: Lens, turned_mm: Floats, shift_mm: Floats) -> ProjectionSlopes:
    """Derivatives of the projection of points (N, 3), turned as the camera sees them, when shifted by (3,)."""
    _, jacobian = cv2.projectPoints(turned_mm, np.zeros(3), shift_mm, lens.matrix, np.array(lens.distortion))
    slopes = np.asarray(jacobian, np.float64).reshape(len(turned_mm), 2, -1)
    return ProjectionSlopes(slopes[..., :3], slopes[..., 3:6], *np.moveaxis(slopes[..., 6:11], -1, 0))


def detect_markers(image: Picture, dictionary: int = cv2.aruco.DICT_4X4_50) -> dict[int, Floats]:
    """ArUco markers in a picture: id → corners (4, 2) in pixels, clockwise from the marker's own upper left.

    An id that is seen more than once is left out: it is not known which one is meant.
    """
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(dictionary), parameters)
    corners, ids, _ = detector.detectMarkers(image)
    if ids is None:
        return {}
    flat = [int(i) for i in np.asarray(ids).ravel()]
    return {
        i: np.asarray(c, np.float64).reshape(4, 2) for i, c in zip(flat, corners, strict=True) if flat.count(i) == 1
    }


def detect_charuco(detector: cv2.aruco.CharucoDetector, image: Picture) -> CharucoView | None:
    """The target's corners in a blue-green-red picture; None when there are none."""
    corners, ids, _, _ = detector.detectBoard(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    if ids is None or corners is None:
        return None
    return CharucoView(np.asarray(corners, np.float64).reshape(-1, 2), np.asarray(ids, np.intp).ravel())


def calibrate_camera(
    corners_mm: Floats, views: list[CharucoView], size_px: tuple[int, int], with_k3: bool
) -> CameraFit:
    """Zhang's calibration on views of a flat target whose corners (M, 3) are known; k3 stays 0 unless asked for."""
    flags = 0 if with_k3 else cv2.CALIB_FIX_K3
    points = [corners_mm[view.ids].astype(np.float32) for view in views]
    pixels = [view.corners.astype(np.float32) for view in views]
    rms, matrix, distortion, turns, _, doubts, _, errors = cv2.calibrateCameraExtended(
        points, pixels, size_px, np.eye(3), np.zeros(5), flags=flags
    )
    k = np.asarray(matrix, np.float64)
    k1, k2, p1, p2, k3 = (float(v) for v in np.asarray(distortion).ravel()[:5])
    places = (float(k[0, 0]), float(k[1, 1]), float(k[0, 2]), float(k[1, 2]))
    lens = Lens(*size_px, *places, (k1, k2, p1, p2, k3))
    normals = [abs(float(np.asarray(cv2.Rodrigues(turn)[0])[2, 2])) for turn in turns]
    tilts = np.degrees(np.arccos(np.clip(normals, 0, 1)))
    doubt = float(np.asarray(doubts).ravel()[0]) / places[0]
    return CameraFit(lens, float(rms), np.asarray(errors, np.float64).ravel(), tilts, doubt)


def tilt_of_view(corners_mm: Floats, view: CharucoView, size_px: tuple[int, int]) -> float:
    """How far a flat target whose corners (M, 3) are known is tilted in a view, in degrees, before its lens is: it is
    taken for one of 60° across without distortion. 0 where no homography fits."""
    homography, _ = cv2.findHomography(corners_mm[view.ids, :2], view.corners)
    if homography is None:
        return 0.0
    focal_px = size_px[0] / 2 / np.tan(np.radians(30.0))
    rays = np.asarray(homography, np.float64)
    rays[:2] = (rays[:2] - np.outer(np.array(size_px) / 2, rays[2])) / focal_px
    normal = np.cross(rays[:, 0], rays[:, 1])
    return float(np.degrees(np.arccos(np.clip(abs(normal[2]) / max(np.linalg.norm(normal), 1e-12), 0, 1))))
