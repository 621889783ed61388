"""The lines between neighbouring cells, or where these meet without one, measured to a fraction of a pixel.

Where two cells meet there is a joint or a printed line, darker (or brighter) than both. It lies in the board's plane,
so that disks and men do not bias it as they bias the cells' middles; near its two ends it is free of the disks. Where
one of the cells is darker than the other, in a shadow or since the board is of several colours, a blurred line looks
nearer to it; so the step from one to the other is divided out. Cells of different colours may have no line between
them; then that step itself is measured, at the joint's ends, where hardly any disk shows.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from engine.board import Board
from vision.arrays import Floats
from vision.finding.edges import Edges, sample
from vision.geometry import BoardPose
from vision.hexagons import AXIAL_TO_PLANE, SIX
from vision.light import GAMMA
from vision.picture import Picture

#: Where a line is looked at: along it from its middle, and across it, in pitches.
_ALONG = np.concatenate([np.linspace(-0.26, -0.12, 6), np.linspace(0.12, 0.26, 6)])
_ACROSS = np.linspace(-0.09, 0.09, 25)
#: Which of the places along it are near its ends.
_AT_ENDS = np.abs(_ALONG) > 0.2
#: A line must differ from both its sides by this many grey levels.
_LEAST_CONTRAST = 3.0
#: The extremum must be this many steps inside the window.
_MARGIN = 4
#: So far from a line, in pitches, its sides tell how bright the cells are, and the step between these is as wide as
#: this many pixels, or part of a pitch; so often it is divided out where the line was found. Values are taken for so
#: much more, lest the noise of dark ones counts (0–255).
_BESIDE, _STEP_PX, _LEAST_STEP, _TURNS, _DARKEST = (0.02, 0.05), 1.2, 0.02, 2, 3.0


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
    joints = _joints(board)
    profiles = _profiles(grey, pose, joints, pitch_mm).mean(axis=1)
    dark, light = _extremum(profiles), _extremum(-profiles)
    sign, found = (1, dark) if np.isfinite(dark).sum() >= np.isfinite(light).sum() else (-1, light)
    step = max(_LEAST_STEP, _STEP_PX / float(np.median(pose.pitch_px(_flat(pitch_mm * joints[0]), pitch_mm))))
    for _ in range(_TURNS):
        both = np.abs(found) < -_ACROSS[0] - _BESIDE[1]  # sides are in sight
        found = np.where(both, _extremum(sign * _levelled(profiles, found, step)), found)
    return _lines(pose, joints, pitch_mm, found)


def measure_steps(grey: Edges, pose: BoardPose, board: Board, pitch_mm: float) -> Lines:
    """Where neighbouring cells of different colours meet without a line, near where the pose expects them to."""
    joints = _joints(board)
    profiles = _profiles(grey, pose, joints, pitch_mm)[:, _AT_ENDS].mean(axis=1)
    return _lines(pose, joints, pitch_mm, _steps(profiles))


def _profiles(grey: Edges, pose: BoardPose, joints: tuple[Floats, Floats], pitch_mm: float) -> Edges:
    """Values across all joints at some places along each, (joints, along, across); NaN beyond the picture."""
    places, towards = joints
    along = _turned(towards)
    offsets = along[:, None, None] * _ALONG[None, :, None, None] + towards[:, None, None] * _ACROSS[None, None, :, None]
    return sample(grey, pose.project(_flat(pitch_mm * (places[:, None, None] + offsets))), np.nan)


def _lines(pose: BoardPose, joints: tuple[Floats, Floats], pitch_mm: float, found: Floats) -> Lines:
    """Lines that were found so far across the joints, (n,) in pitches; NaN where none was."""
    good = np.isfinite(found)
    places, towards = (part[good] for part in joints)
    expected = pitch_mm * places
    seen = pose.project(_flat(expected + pitch_mm * found[good, None] * towards))
    line = pose.project(_flat(expected + pitch_mm * 0.1 * _turned(towards))) - pose.project(_flat(expected))
    normals = np.stack([-line[:, 1], line[:, 0]], axis=1) / np.linalg.norm(line, axis=1, keepdims=True)
    return Lines(_flat(expected), seen, normals)


def _turned(towards: Floats) -> Floats:
    """The unit vectors along joints, (n, 2), by those across."""
    return np.stack([-towards[:, 1], towards[:, 0]], axis=1)


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
        lowest = (bend > 0) & (np.abs(before - after) <= bend)
        clear = (np.minimum(left, right) - here > _LEAST_CONTRAST) & lowest & np.isfinite(left + right)
    out: Floats = np.where(clear, place, np.nan).astype(np.float64)
    return out


def _levelled(profiles: Edges, found: Floats, wide: float) -> Floats:
    """Profiles (n, across) as if both sides of their lines, `found` (n,), were equally bright; NaN without a line.

    `wide`: how wide the step from one side to the other is, in pitches.
    """
    off = _ACROSS - found[:, None]
    left, right = _sides(profiles, found)
    levels = left[:, None] + (right - left)[:, None] / (1 + np.exp(-1.7 * off / wide)) + _DARKEST
    levelled: Floats = (profiles + _DARKEST) / levels * levels.mean(axis=1, keepdims=True)
    return levelled


def _steps(profiles: Edges) -> Floats:
    """Where one cell ends and another begins that is brighter or darker, (n,) in pitches: where half of the light of
    either comes from. NaN where a profile is not on one side of that before and on the other after."""
    n = np.arange(len(profiles))
    light = np.power(np.nan_to_num(np.maximum(profiles, 0.0)) / 255, GAMMA)
    at = np.abs(np.diff(light, axis=1))[:, _MARGIN:-_MARGIN].argmax(axis=1) + _MARGIN
    found = (_ACROSS[at] + _ACROSS[at + 1]) / 2
    for _ in range(_TURNS):
        left, right = _sides(light, found)
        part = (light - left[:, None]) / np.where(right == left, 1e-9, right - left)[:, None] - 0.5
        crossing = (part[:, :-1] < 0) & (part[:, 1:] >= 0)
        far = np.where(crossing, np.abs((_ACROSS[:-1] + _ACROSS[1:]) / 2 - found[:, None]), np.inf)
        at = far.argmin(axis=1)
        below, above = part[n, at], part[n, at + 1]
        found = _ACROSS[at] + (_ACROSS[1] - _ACROSS[0]) * below / np.where(above == below, 1.0, below - above)
    clear = ((part < 0) == (found[:, None] > _ACROSS)).all(axis=1) & np.isfinite(profiles).all(axis=1)
    return np.where(clear & (np.abs(found) < -_ACROSS[_MARGIN]), found, np.nan)


def _sides(profiles: Edges | Floats, found: Floats) -> tuple[Floats, Floats]:
    """How bright profiles (n, across) are on either side of places (n,), (n,) each."""
    off = _ACROSS - found[:, None]
    near, far = _BESIDE
    left, right = (
        np.where((side * off > near) & (side * off < far), profiles, 0.0).sum(axis=1)
        / np.maximum(((side * off > near) & (side * off < far)).sum(axis=1), 1)
        for side in (-1, 1)
    )
    return left, right


def _joints(board: Board) -> tuple[Floats, Floats]:
    """Middles of the sides between neighbouring cells and the unit vectors across them, in pitches, both (N, 2)."""
    pairs = [(np.array(c), SIX[d]) for c in board.cells for d in (0, 1, 2) if c.step(d) in board.index]
    towards = np.array([step for _, step in pairs]) @ AXIAL_TO_PLANE
    middles = np.array([cell for cell, _ in pairs]) @ AXIAL_TO_PLANE + towards / 2
    return middles, towards


def _flat(points_mm: Floats) -> Floats:
    """The points (…, 2) on the plane z = 0, (…, 3)."""
    return np.concatenate([points_mm, np.zeros((*points_mm.shape[:-1], 1))], axis=-1)
