"""The few OpenCV 5 calls whose shapes and 'nothing found' differ between versions, in one place."""

import cv2
import numpy as np

from vision.geometry import Floats
from vision.picture import Picture


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
