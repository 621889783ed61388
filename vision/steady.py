"""A camera that trembles all the time: frames are moved back by the pixel or so that each is off.

A table that people lean on shakes the arm on which a camera hangs. Without this nothing would ever stand still.
"""

from collections import deque
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change import difference, estimate_gains
from vision.frame import Frame
from vision.motion import Bools, Stillness, Window, scaled
from vision.picture import Picture

#: A camera trembles that has moved so often in so many seconds, with nothing else moving.
_OFTEN, _WITHIN_S = 4, 2.0
#: It has come to rest when its picture lay in the same place for so long, to so many samples.
_RESTED_S, _SAME_SAMPLES = 2.0, 0.1
#: Less is no movement; what is further is a bump. In samples of the window's small picture.
_LEAST_SAMPLES, _MOST_SAMPLES = 0.04, 1.0
#: What differs by more than this, of 255, is something else than a shift, in the first round and in later ones.
_OTHERWISE_LEVELS = (60.0, 25.0, 25.0, 25.0)
#: Edges, which are steeper than this in levels a sample, are where they must be if they are off by less than half a
#: sample, or so many levels; a shift is believed that puts so many of them there.
_STEEP, _EDGE_SAMPLES, _EDGE_LEVELS, _EDGES_FIT = 12.0, 0.5, 8.0, 0.45


class Steady:
    """Knows whether the camera trembles, and moves frames back to where the board was found or last read."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._trembles = False
        self._anchor: Picture | None = None
        self._before: Picture | None = None
        self._moves_s: deque[float] = deque(maxlen=_OFTEN)
        self._places: deque[tuple[float, tuple[float, float]]] = deque()

    def take(self, frame: Frame, reference: Picture | None) -> Frame:
        """The frame itself; of a camera that trembles, moved to where `reference` was taken, the small picture of the
        board when it was last read, or where the first frame was while there is none."""
        if self._anchor is None:
            self._anchor = self._window.sample(frame.image)
        if not self._trembles or frame.snapshot:
            return frame
        sample = self._window.sample(frame.image)
        shift = None if reference is None else small_shift(sample, reference, self._window.board > 0)
        if shift is None:
            shift = small_shift(sample, self._anchor, self._window.board > 0)
        if shift is None:
            self._anchor = sample
            return frame
        if self._rests(shift, frame.t_s):
            self._trembles = False
            return frame
        return replace(frame, image=_moved_back(frame.image, shift, self._window.step_px))

    def watch(self, frame: Frame, sample: Picture, moved: bool) -> None:
        """Learn from each frame, its small picture, and whether it has `moved`, if the camera trembles."""
        before, self._before = self._before, sample
        if not moved or self._trembles or before is None or not self._only_trembled(frame.image, sample, before):
            return
        self._moves_s.append(frame.t_s)
        if len(self._moves_s) == _OFTEN and frame.t_s - self._moves_s[0] <= _WITHIN_S:
            self._trembles = True
            self._moves_s.clear()
            self._places.clear()

    def _only_trembled(self, image: Picture, sample: Picture, before: Picture) -> bool:
        """Whether a picture is the one before, but for a small shift."""
        shift = small_shift(sample, before, self._window.board > 0)
        if shift is None or np.hypot(*shift) < _LEAST_SAMPLES:
            return False
        back = self._window.sample(_moved_back(image, shift, self._window.step_px))
        differs = difference(back, before, estimate_gains(back, before)) > Stillness.LEVELS
        left = np.count_nonzero(differs & (self._window.board > 0))
        return bool(left <= Stillness.CELL_PART * self._window.pitch**2)

    def _rests(self, shift: tuple[float, float], t_s: float) -> bool:
        """Whether the camera has come to rest, by where its frames lay of late."""
        self._places.append((t_s, shift))
        while t_s - self._places[0][0] > _RESTED_S:
            self._places.popleft()
        known_s = t_s - self._places[0][0]
        spread = np.ptp([place for _, place in self._places], axis=0).max()
        return bool(known_s > 0.9 * _RESTED_S and spread < _SAME_SAMPLES)


def small_shift(sample: Picture, reference: Picture, where: Bools) -> tuple[float, float] | None:
    """By how many samples (x, y), one at most, a small picture has moved since the reference, whatever else lies in
    some parts of it; None when that cannot be told or it is more. Only what lies `where` (h, w) counts.

    Least squares by gradients (Lucas and Kanade 1981), without what differs otherwise.
    """
    gains = estimate_gains(sample, reference)
    then = _grey(scaled(reference, gains))
    now = _grey(sample)
    slopes = [cv2.Sobel(then, cv2.CV_32F, *way, scale=1 / 8) for way in ((1, 0), (0, 1))]
    steps = np.stack([np.asarray(slope, np.float32) for slope in slopes], axis=-1)
    shift = np.zeros(2)
    for otherwise in _OTHERWISE_LEVELS:
        off = _grey_moved(now, -shift) - then
        alike = where & (np.abs(off) < otherwise)
        some = steps[alike].astype(np.float64)
        normal = some.T @ some
        if np.linalg.det(normal) <= 0:
            return None
        shift = shift - np.linalg.solve(normal, some.T @ off[alike])
        if np.hypot(*shift) > _MOST_SAMPLES:
            return None
    steep = np.hypot(*slopes)
    edges = where & (steep > _STEEP)
    off = np.abs(_grey_moved(now, -shift) - then)
    fit = off[edges] < np.maximum(_EDGE_LEVELS, _EDGE_SAMPLES * steep[edges])
    return (float(shift[0]), float(shift[1])) if fit.sum() > _EDGES_FIT * fit.size else None


def _moved_back(image: Picture, shift: tuple[float, float], step_px: int) -> Picture:
    """A picture moved back by a shift in samples of `step_px` pixels."""
    matrix = np.array([[1, 0, -shift[0] * step_px], [0, 1, -shift[1] * step_px]], np.float32)
    size = image.shape[1::-1]
    moved = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def _grey(sample: Picture) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(sample, cv2.COLOR_BGR2GRAY), np.float32)


def _grey_moved(grey: NDArray[np.float32], by: NDArray[np.float64]) -> NDArray[np.float32]:
    matrix = np.array([[1, 0, by[0]], [0, 1, by[1]]], np.float32)
    moved = cv2.warpAffine(grey, matrix, grey.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)
