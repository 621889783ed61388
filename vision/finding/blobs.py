"""Candidates for lattice sites: small convex regions of one tone (disks, tops of men, bare cells).

Nothing is assumed about colours: regions are what is left of the picture between its local edges.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.finding.edges import Edges
from vision.picture import Picture

#: Regions are looked for in pictures so wide; the windows below suit them. Wider ones are made smaller, if by much.
SEARCH_WIDTH_PX, _MUCH = 1280, 1.25
#: How far inside the true border a region's outline runs: the edge itself belongs to no region. Measured.
OUTLINE_INSET_PX = 2.3
#: Windows (px) of the local mean that an edge is compared with, and the share of it that counts as an edge.
_THRESHOLDS = ((41, 0.9), (81, 0.6), (25, 1.1))
#: So many regions are kept, the largest first.
_MOST = 1500
#: Weaker edges are noise: two and a half times the picture's median, within these bounds.
_NOISE = (1.5, 3.0)


@dataclass(frozen=True, slots=True)
class Blobs:
    """N regions: `centres` (N, 2) px, `shapes` (N, 2, 2) px² (second moments; a disk's are a quarter of its squared
    semi-axes), `areas` (N,) px², `colours` (N, 3) mean BGR."""

    centres: Floats
    shapes: Floats
    areas: Floats
    colours: Floats

    def __len__(self) -> int:
        return len(self.areas)

    def take(self, keep: NDArray[np.intp]) -> "Blobs":
        """The regions of the given indices."""
        return Blobs(self.centres[keep], self.shapes[keep], self.areas[keep], self.colours[keep])


def search_size(image: Picture) -> tuple[int, int] | None:
    """The size (width, height) at which regions are looked for in a large picture; None where it is right as it is."""
    height, width = image.shape[:2]
    return (SEARCH_WIDTH_PX, round(height * SEARCH_WIDTH_PX / width)) if width > _MUCH * SEARCH_WIDTH_PX else None


def smaller(image: Picture, size: tuple[int, int]) -> Picture:
    """A picture made smaller, to a size (width, height) in pixels."""
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def find_blobs(image: Picture, edges: Edges) -> Blobs:
    """All candidate regions between the edges, at several local thresholds, each region once."""
    height, width = edges.shape
    largest = height * width / 30
    floor = np.float32(np.clip(2.5 * float(np.median(edges[::4, ::4])), *_NOISE))
    found: list[tuple[float, ...]] = []
    for window, factor in _THRESHOLDS:
        local = cv2.blur(edges, (window, window))
        mask = (edges < np.maximum(local * np.float32(factor), floor)).astype(np.uint8)
        contours, tree = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        for contour, links in zip(contours, tree.reshape(-1, 4) if tree is not None else (), strict=True):
            if links[3] < 0 and 12 <= len(contour) <= 2400:  # the outline of a region, not of a hole in one
                _keep_if_convex(contour, largest, found)
    if not found:
        return Blobs(np.zeros((0, 2)), np.zeros((0, 2, 2)), np.zeros(0), np.zeros((0, 3)))
    table = _without_doubles(np.array(found))[:_MOST]
    centres = table[:, :2]
    shapes = np.stack([table[:, [2, 3]], table[:, [3, 4]]], axis=1)
    pixels = np.clip(np.round(centres).astype(int), 0, [width - 1, height - 1])
    colours = cv2.blur(image, (5, 5))[pixels[:, 1], pixels[:, 0]].astype(np.float64)
    return Blobs(centres, shapes, table[:, 5], colours)


def _keep_if_convex(contour: NDArray[np.int32], largest: float, found: list[tuple[float, ...]]) -> None:
    """Append (x, y, xx, xy, yy, area) when the outline is close to an ellipse or a hexagon."""
    area = cv2.contourArea(contour)
    if not 25 <= area <= largest:
        return
    m = cv2.moments(contour)
    xx, xy, yy = m["mu20"] / area, m["mu11"] / area, m["mu02"] / area
    det = xx * yy - xy * xy
    if det <= 0:
        return
    fullness = area / (4 * np.pi * np.sqrt(det))
    if fullness < 0.93 or det / (0.25 * (xx + yy) ** 2) < 0.5:
        return
    # contourArea runs through the outline's pixel centres: half a pixel is missing all round
    found.append((m["m10"] / area, m["m01"] / area, xx, xy, yy, area))


def _without_doubles(table: Floats) -> Floats:
    """Drop regions that another, larger one repeats (same centre, similar area)."""
    order = np.argsort(-table[:, 5])
    table = table[order]
    radius = np.sqrt(table[:, 5] / np.pi)
    keep = np.ones(len(table), bool)
    cells: dict[tuple[int, int], list[int]] = {}
    for i in range(len(table)):
        x, y = table[i, 0], table[i, 1]
        key = (int(x // 8), int(y // 8))
        close = [j for a in (-1, 0, 1) for b in (-1, 0, 1) for j in cells.get((key[0] + a, key[1] + b), ())]
        for j in close:
            if (table[j, 0] - x) ** 2 + (table[j, 1] - y) ** 2 < (0.2 * radius[j]) ** 2 and table[i, 5] > 0.55 * table[
                j, 5
            ]:
                keep[i] = False
                break
        else:
            cells.setdefault(key, []).append(i)
    return table[keep]
