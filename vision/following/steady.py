"""A camera that trembles all the time: frames are moved back by the pixel or so that each is off.

A table that people lean on shakes the arm on which a camera hangs. Without this nothing would ever stand still. Places
in the window's small picture are counted in its samples; a movement is a 2×3 matrix from where things were to where
they are (a shift with a little turning and zooming).
"""

from collections import deque
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Bools, Floats
from vision.following.difference import estimate_gains
from vision.following.motion import Stillness, Window, scaled
from vision.frame import Frame
from vision.picture import Picture

#: A camera trembles that has moved so often in so many seconds, with nothing else moving …
_OFTEN, _WITHIN_S = 4, 2.0
#: … unless it is carried: by more than so many samples, and farther than this part of its way.
_CARRIED_SAMPLES, _CARRIED_PART = 1.0, 0.7
#: It has come to rest when its picture lay in the same place for so long, to so many samples.
_RESTED_S, _SAME_SAMPLES = 2.0, 0.1
#: Less is no movement; what is further is a bump. Root mean square over the window, in samples.
_LEAST_SAMPLES, _MOST_SAMPLES = 0.04, 2.0
#: How bright places are is told to what lies about them, over so many samples (standard deviation); less light than
#: this, of 255, is noise.
_ABOUT_SAMPLES, _DARK_LEVELS = 8.0, 10.0
#: What differs by more than this, of 255, is something else than movement, from round to round: with these seven
#: movements of up to 2.5 samples are told.
_OTHERWISE_LEVELS = (120.0, 120.0, 90.0, 60.0, 40.0, 25.0, 25.0)
#: Edges, which are steeper than this in levels a sample, are where they must be if they are off by less than half a
#: sample, or so many levels; a movement is believed that puts so many of them there.
_STEEP, _EDGE_SAMPLES, _EDGE_LEVELS, _EDGES_FIT = 12.0, 0.5, 8.0, 0.45


class Steady:
    """Knows whether the camera `trembles`, and moves frames back to where the board was found or last read."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.trembles = False
        self._anchor: Picture | None = None
        self._before: Picture | None = None
        self._moves: deque[tuple[float, Floats]] = deque(maxlen=_OFTEN)
        self._places: deque[tuple[float, Floats]] = deque()

    def take(self, frame: Frame, reference: Picture | None) -> Frame:
        """The frame itself; of a camera that trembles, moved to where `reference` was taken, the small picture of the
        board when it was last read, or where the first frame was while there is none."""
        if self._anchor is None:
            self._anchor = self._window.sample(frame.image)
        if not self.trembles or frame.snapshot:
            return frame
        movement = None if reference is None else self._movement(frame.image, reference)
        if movement is None:
            movement = self._movement(frame.image, self._anchor)
        if movement is None:
            self._anchor = self._window.sample(frame.image)
            return frame
        if self._rests(movement, frame.t_s):
            self.trembles = False
            return frame
        return replace(frame, image=self._moved_back(frame.image, movement))

    def watch(self, frame: Frame, sample: Picture, moved: bool) -> None:
        """Learn from each frame, its small picture, and whether it has `moved`, if the camera trembles."""
        before, self._before = self._before, sample
        if not moved or self.trembles or before is None:
            return
        movement = self._tremble(frame.image, sample, before)
        if movement is None:
            return
        self._moves.append((frame.t_s, _corners(movement, self._window.board.shape).mean(axis=1)))
        if len(self._moves) == _OFTEN and frame.t_s - self._moves[0][0] <= _WITHIN_S and not self._is_carried():
            self.trembles = True
            self._moves.clear()
            self._places.clear()

    def _is_carried(self) -> bool:
        """Whether the last movements all lead one way, and far."""
        moves = np.array([move for _, move in self._moves])
        far, way = float(np.linalg.norm(moves.sum(axis=0))), float(np.linalg.norm(moves, axis=1).sum())
        return far > max(_CARRIED_SAMPLES, _CARRIED_PART * way)

    def _movement(self, image: Picture, reference: Picture) -> Floats | None:
        """How a picture has moved since the reference, told twice: what is left of it more exactly."""
        board, whole = self._window.board > 0, None
        for _ in range(2):
            back = image if whole is None else self._moved_back(image, whole)
            movement = small_movement(self._window.sample(back), reference, board)
            if movement is None:
                return None
            whole = movement if whole is None else _after(whole, movement)
        return whole

    def _tremble(self, image: Picture, sample: Picture, before: Picture) -> Floats | None:
        """The small movement by which a picture differs from the one before; None where there is none, or more than
        that."""
        board = self._window.board > 0
        movement = small_movement(sample, before, board, shadows=False)
        if movement is None or _how_far(movement, board.shape) < _LEAST_SAMPLES:
            return None
        back = self._window.sample(self._moved_back(image, movement))
        left = cv2.absdiff(back, scaled(before, _light_between(back, before)))
        changed = self._window.changed(np.asarray(left), Stillness.LEVELS, before, trembles=True)
        return None if self._window.motion(changed) else movement

    def _rests(self, movement: Floats, t_s: float) -> bool:
        """Whether the camera has come to rest, by where its frames lay of late."""
        self._places.append((t_s, movement))
        while t_s - self._places[0][0] > _RESTED_S:
            self._places.popleft()
        if t_s - self._places[0][0] < 0.9 * _RESTED_S:
            return False
        moved = _corners(np.array([place for _, place in self._places]), self._window.board.shape)
        return bool(np.ptp(moved, axis=0).max() < _SAME_SAMPLES)

    def _moved_back(self, image: Picture, movement: Floats) -> Picture:
        """A picture to where it was before a movement."""
        step, turn = self._window.step_px, movement[:, :2]
        first_px = np.array(self._window.origin_px) + (step - 1) / 2
        matrix = np.column_stack([turn, first_px + step * movement[:, 2] - turn @ first_px])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        moved = cv2.warpAffine(image, matrix, image.shape[1::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(moved, np.uint8)


def small_movement(sample: Picture, reference: Picture, where: Bools, shadows: bool = True) -> Floats | None:
    """How a small picture has moved since the reference, by two samples at most, (2, 3), whatever else lies in some
    parts of it; None when that cannot be told or it is more. Only what lies `where` (h, w) counts. `shadows` may have
    come or gone meanwhile; without them it is told a little more exactly.

    Least squares by gradients (Lucas and Kanade 1981), without what differs otherwise. Bumps, which are larger, are
    told by `vision.following.change.find_shift`, with nothing in front.
    """
    now, then = _grey(sample), _grey(scaled(reference, estimate_gains(sample, reference)))
    if shadows:
        level = float(then[where].mean())
        now, then = _evened(now, level), _evened(then, level)
    slopes = [np.asarray(cv2.Sobel(then, cv2.CV_32F, *way, scale=1 / 8), np.float32) for way in ((1, 0), (0, 1))]
    edges = np.flatnonzero(where & (np.hypot(*slopes) > _STEEP))
    y, x = np.divmod(edges, where.shape[1]) - (np.array(where.shape)[:, None] - 1) / 2
    across, down = (slope.ravel()[edges].astype(np.float64) for slope in slopes)
    steps = np.stack([across, down, across * x + down * y, down * x - across * y], axis=1)
    told = np.zeros(4)
    for otherwise in _OTHERWISE_LEVELS:
        off = (_moved(now, _matrix(told, where.shape)) - then).ravel()[edges]
        some = steps * (np.abs(off) < otherwise)[:, None]
        normal = some.T @ some
        if np.linalg.matrix_rank(normal) < len(told):
            return None
        told = told - np.linalg.solve(normal, some.T @ off)
        if _how_far(_matrix(told, where.shape), where.shape) > _MOST_SAMPLES:
            return None
    movement = _matrix(told, where.shape)
    off = np.abs(_moved(now, movement) - then).ravel()[edges]
    fit = off < np.maximum(_EDGE_LEVELS, _EDGE_SAMPLES * np.hypot(across, down))
    return movement if fit.sum() > _EDGES_FIT * fit.size else None


def _matrix(told: Floats, shape: tuple[int, ...]) -> Floats:
    """The movement (2, 3) of a shift in x and y, a zoom and a turn about the middle of a picture of such a shape."""
    x, y, zoom, turn = told
    linear = np.array([[1 + zoom, -turn], [turn, 1 + zoom]])
    middle = (np.array(shape[1::-1]) - 1) / 2
    return np.column_stack([linear, middle + np.array([x, y]) - linear @ middle])


def _after(first: Floats, then: Floats) -> Floats:
    """The movement that what is left of a movement makes together with the one that was told first."""
    return np.column_stack([first[:, :2] @ then[:, :2], first[:, :2] @ then[:, 2] + first[:, 2]])


def _corners(movements: Floats, shape: tuple[int, ...]) -> Floats:
    """By how much movements (…, 2, 3) move the corners of a picture of such a shape, (…, 2, 4)."""
    height, width = shape
    corners = np.array([[0, width, 0, width], [0, 0, height, height], [1, 1, 1, 1]], np.float64)
    moved: Floats = movements @ corners - corners[:2]
    return moved


def _how_far(movement: Floats, shape: tuple[int, ...]) -> float:
    """How far a movement moves a picture of such a shape, root mean square of the corners."""
    return float(np.sqrt((_corners(movement, shape) ** 2).sum(axis=0).mean()))


def _grey(sample: Picture) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(sample, cv2.COLOR_BGR2GRAY), np.float32)


def _light_between(now: Picture, then: Picture) -> Floats:
    """How many times brighter a small picture is about every place than another, (h, w, 3): lamps may flicker."""
    light = [cv2.GaussianBlur(small.astype(np.float32) + _DARK_LEVELS, (0, 0), _ABOUT_SAMPLES) for small in (now, then)]
    return np.asarray(light[0] / light[1], np.float64)


def _evened(grey: NDArray[np.float32], level: float) -> NDArray[np.float32]:
    """A small picture as bright everywhere, on average, as `level`: shadows do not matter."""
    light = cv2.GaussianBlur(grey + _DARK_LEVELS, (0, 0), _ABOUT_SAMPLES)
    return np.asarray(level * (grey + _DARK_LEVELS) / light, np.float32)


def _moved(grey: NDArray[np.float32], movement: Floats) -> NDArray[np.float32]:
    """A small picture to where it was before a movement."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(grey, movement, grey.shape[::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)
