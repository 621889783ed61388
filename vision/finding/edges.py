"""Where colours change in a picture, and reading such a map between its pixels."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.picture import Picture

Edges = NDArray[np.float32]


def edge_map(image: Picture) -> Edges:
    """Strength of the local colour edge, (H, W) float32 in grey levels per pixel, the strongest of three channels."""
    soft = cv2.GaussianBlur(image, (0, 0), 0.8)
    best = np.zeros(image.shape[:2], np.float32)
    for channel in cv2.split(soft):
        dx = cv2.Scharr(channel, cv2.CV_32F, 1, 0, scale=1 / 32)
        dy = cv2.Scharr(channel, cv2.CV_32F, 0, 1, scale=1 / 32)
        cv2.max(best, cv2.magnitude(dx, dy), dst=best)
    return best


def sample(edges: Edges, pixels: Floats, outside: float) -> Edges:
    """Values of the map at pixels (…, 2), bilinear, shaped like them; `outside` beyond the picture's border."""
    flat = pixels.reshape(-1, 2)
    rows = -(-len(flat) // 1024)
    places = np.full((rows * 1024, 2), -9.0, np.float32)
    places[: len(flat)] = flat
    x, y = places[:, 0].reshape(rows, 1024), places[:, 1].reshape(rows, 1024)
    got = cv2.remap(edges, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=outside)
    return np.asarray(got, np.float32).ravel()[: len(flat)].reshape(pixels.shape[:-1])
