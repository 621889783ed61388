"""The lines between neighbouring cells, measured to a fraction of a pixel.

Where two cells meet there is a joint or a printed line, darker (or brighter) than both. It lies in the board's plane,
so that disks and men do not bias it as they bias the cells' middles; near its two ends it is free of the disks.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from engine.board import Board
from vision.edges import Edges, sample
from vision.geometry import BoardPose, Floats
from vision.lattice import AXIAL_TO_PLANE, SIX
from vision.picture import Picture

#: Where a line is looked at: along it from its middle, and across it, in pitches.
_ALONG = np.concatenate([np.linspace(-0.26, -0.12, 6), np.linspace(0.12, 0.26, 6)])
_ACROSS = np.linspace(-0.09, 0.09, 25)
#: A line must differ from both its sides by this many grey levels.
_LEAST_CONTRAST = 3.0
#: The extremum must be this many steps inside the window.
_MARGIN = 4


@dataclass(frozen=True, slots=True)
class Lines:
    """N measured lines: `points_mm` (N, 3) on the board where each should be, `pixels` (N, 2) a point of the line
    that is seen, and `normals` (N, 2) the unit vectors across it in the picture; only that direction is measured."""

    points_mm: Floats
    pixels: Floats
    normals: Floats

    def __len__(self) -> int:
        return len(self.pixels)


def grey_of(image: Picture) -> Edges:
    """Luminance of a blue-green-red picture, (H, W) float32, a little smoothed."""
    soft = cv2.GaussianBlur(image, (0, 0), 0.6)
    return np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2GRAY), np.float32)


def measure_lines(grey: Edges, pose: BoardPose, board: Board, pitch_mm: float) -> Lines:
    """All lines between neighbouring cells that can be made out near where the pose expects them."""
    places, towards = _joints(board)
    along = np.stack([-towards[:, 1], towards[:, 0]], axis=1)
    offsets = along[:, None, None] * _ALONG[None, :, None, None] + towards[:, None, None] * _ACROSS[None, None, :, None]
    points = pitch_mm * (places[:, None, None] + offsets)
    values = sample(grey, pose.project(_flat(points)), np.nan)
    profiles = values.mean(axis=1)  # (lines, across)
    dark, light = _extremum(profiles), _extremum(-profiles)
    found = dark if np.isfinite(dark).sum() >= np.isfinite(light).sum() else light
    good = np.isfinite(found)
    expected = pitch_mm * places[good]
    seen = pose.project(_flat(expected + pitch_mm * found[good, None] * towards[good]))
    line = pose.project(_flat(expected + pitch_mm * 0.1 * along[good])) - pose.project(_flat(expected))
    normals = np.stack([-line[:, 1], line[:, 0]], axis=1) / np.linalg.norm(line, axis=1, keepdims=True)
    return Lines(_flat(expected), seen, normals)


def _extremum(profiles: Floats | Edges) -> Floats:
    """Place of each profile's minimum (N,), in pitches, refined by a parabola; NaN where there is no clear one."""
    n = np.arange(len(profiles))
    inner = np.nan_to_num(profiles[:, _MARGIN:-_MARGIN], nan=np.inf)
    at = inner.argmin(axis=1) + _MARGIN
    before, here, after = profiles[n, at - 1], profiles[n, at], profiles[n, at + 1]
    bend = before - 2 * here + after
    step = _ACROSS[1] - _ACROSS[0]
    with np.errstate(all="ignore"):
        place = _ACROSS[at] + step * 0.5 * (before - after) / bend
        left = np.where(np.arange(profiles.shape[1]) < at[:, None], profiles, -np.inf).max(axis=1)
        right = np.where(np.arange(profiles.shape[1]) > at[:, None], profiles, -np.inf).max(axis=1)
        clear = (np.minimum(left, right) - here > _LEAST_CONTRAST) & (bend > 0) & np.isfinite(left + right)
    out: Floats = np.where(clear, place, np.nan).astype(np.float64)
    return out


def _joints(board: Board) -> tuple[Floats, Floats]:
    """Middles of the sides between neighbouring cells and the unit vectors across them, in pitches, both (N, 2)."""
    pairs = [(np.array(c), SIX[d]) for c in board.cells for d in (0, 1, 2) if c.step(d) in board.index]
    towards = np.array([step for _, step in pairs]) @ AXIAL_TO_PLANE
    middles = np.array([cell for cell, _ in pairs]) @ AXIAL_TO_PLANE + towards / 2
    return middles, towards


def _flat(points_mm: Floats) -> Floats:
    """The points (…, 2) on the plane z = 0, (…, 3)."""
    return np.concatenate([points_mm, np.zeros((*points_mm.shape[:-1], 1))], axis=-1)
