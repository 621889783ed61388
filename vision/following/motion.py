"""Is anything moving over the board? A small picture of the board's own pixels, and how long it has been the same."""

import math
from collections.abc import Sequence

import cv2
import numpy as np

from engine.layout import Layout
from vision.arrays import Bools, Floats
from vision.geometry import BoardPose
from vision.picture import Picture

#: About so many samples from one cell's centre to the next: enough to see a man's rim, few enough for any board.
SAMPLES_PER_PITCH = 10
#: The window reaches this many pitches beyond the outer cells' centres, and motion counts up to this many.
_WINDOW_PITCHES = 1.6
_BOARD_PITCHES = 0.9
#: So many changed samples, as a part of one cell's, are motion.
_CELL_PART = 0.08
#: Edges change by so much of how steep they are: compressed pictures are noisier there, and those of a camera that
#: trembles are moved back to a part of a sample only.
_ASIDE, _ASIDE_TREMBLING = 0.1, 0.3
_NEIGHBOURS = np.ones((3, 3), np.uint8)
#: Light of its own on a place is that of what lies about it, so far (standard deviation).
_ABOUT_PITCHES = 0.1
#: Light shimmers when for so long nothing else has changed, and it has not been still meanwhile for as much as so long;
#: it does no more when it has been still for so long.
_SHIMMERS_S, _BRIEF_S, _CALM_S = 1.0, 0.2, 5.0

#: A factor for each of blue, green and red, between two pictures' lights.
Gains = tuple[float, float, float]
SAME_LIGHT: Gains = (1.0, 1.0, 1.0)


class Window:
    """The part of a picture that holds the board, made small by averaging `step_px` × `step_px` pixels (a power of 2).

    `centres` (cells, 2) are the cells' places in the small picture, `pitch` the distance between neighbours there,
    `board` (h, w) uint8 is 255 on and close around the cells, `origin_px` the window's corner in the full picture.
    Raises ValueError when no cell is inside the picture.
    """

    def __init__(self, pose: BoardPose, layout: Layout, width_px: int, height_px: int) -> None:
        centres_px = pose.project(np.array([(x, y, 0.0) for x, y in layout.centres_mm]))
        pitch_px = _nearest_px(centres_px)
        self._halvings = max(0, round(math.log2(pitch_px / SAMPLES_PER_PITCH)))
        self.step_px = 1 << self._halvings
        margin = _WINDOW_PITCHES * pitch_px
        low = np.maximum(np.floor(centres_px.min(axis=0) - margin), 0).astype(int)
        high = np.minimum(np.ceil(centres_px.max(axis=0) + margin), (width_px, height_px)).astype(int)
        size = (high - low) // self.step_px
        if (size < 2).any():
            raise ValueError(f"the board lies outside the picture of {width_px}×{height_px} px")
        high = low + size * self.step_px
        self._picture_size = (width_px, height_px)
        self.origin_px = (int(low[0]), int(low[1]))
        self._rows, self._columns = slice(low[1], high[1]), slice(low[0], high[0])
        self.size = (int(size[0]), int(size[1]))
        self.centres = self.to_sample(centres_px)
        self.pitch = pitch_px / self.step_px
        self.board = self._discs(self.centres, _BOARD_PITCHES)

    def to_sample(self, points_px: Floats) -> Floats:
        """Where points (…, 2) of the full picture are in the small one."""
        points: Floats = (points_px - self.origin_px - (self.step_px - 1) / 2) / self.step_px
        return points

    def _discs(self, centres: Floats, radius_pitches: float) -> Picture:
        mask = np.zeros(self.size[::-1], np.uint8)
        for x, y in centres:
            cv2.circle(mask, (round(x), round(y)), round(radius_pitches * self.pitch), 255, -1)
        return mask

    def sample(self, image: Picture) -> Picture:
        """The small picture, (h, w, 3) uint8."""
        part = image[self._rows, self._columns]
        for _ in range(self._halvings):  # several times quicker than one resize by the whole factor
            size = (part.shape[1] // 2, part.shape[0] // 2)
            part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
        return part.copy() if self._halvings == 0 else part

    def changed(self, difference: Picture, levels: Sequence[float], reference: Picture, trembles: bool) -> Picture:
        """Where something has changed on the board (255, else 0), by how a small picture differs from a reference,
        (h, w, 3) each: by more than `levels` of blue, green and red, and more than edges there do, the more if the
        camera `trembles`."""
        edges = cv2.morphologyEx(reference, cv2.MORPH_GRADIENT, _NEIGHBOURS)
        more = cv2.subtract(difference, cv2.convertScaleAbs(edges, alpha=_ASIDE_TREMBLING if trembles else _ASIDE))
        changed = cv2.bitwise_not(cv2.inRange(more, (0, 0, 0), levels))
        return np.asarray(cv2.bitwise_and(changed, self.board), np.uint8)

    def motion(self, changed: Picture) -> bool:
        """Whether so much has changed that something has moved."""
        return cv2.countNonZero(changed) > _CELL_PART * self.pitch**2

    def crop(self, image: Picture) -> Picture:
        """The window at full resolution; a view into `image`."""
        return image[self._rows, self._columns]

    def enlarge(self, samples: Bools) -> Bools:
        """A mask of the small picture as a mask (H, W) of the full one; nothing is set outside the window."""
        mask = np.zeros(self._picture_size[::-1], bool)
        size = (self.size[0] * self.step_px, self.size[1] * self.step_px)
        inside = cv2.resize(samples.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
        mask[self._rows, self._columns] = inside > 0
        return mask


def _nearest_px(points: Floats) -> float:
    """Median distance from a point to its nearest neighbour."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return float(np.median(apart.min(axis=1)))


def scaled(sample: Picture, light: Sequence[float] | Floats) -> Picture:
    """The sample as it would look under `light` times the light: a factor for each channel, or (h, w, 3) factors."""
    if isinstance(light, np.ndarray):
        return np.asarray(np.clip(np.round(sample * light), 0, 255), np.uint8)
    return np.asarray(cv2.multiply(sample, np.array((*light, 0.0))), np.uint8)


def combined(first: Gains, then: Gains) -> Gains:
    """One change of light after another."""
    return first[0] * then[0], first[1] * then[1], first[2] * then[2]


class Stillness:
    """How long the board has looked the same. Light that changes as a whole is no motion, nor is light that `shimmers`:
    that keeps changing by itself, elsewhere otherwise, as below leaves in the wind or a fan.

    A frame is compared with the first of the still ones, so that slow movement counts, too. `noise` is the standard
    deviation of the difference of two still samples, of 255, measured all the time; `changed` is where the last frame
    differed, 255 or 0.
    """

    #: A sample has changed when blue, green or red differs by more than this, of 255, and by more than noise ever does.
    #: Cameras tell colours more coarsely than brightness: what moves changes green, too.
    LEVELS, SIGMAS = (20.0, 10.0, 15.0), (9.0, 4.5, 9.0)
    #: How much of a new measurement of the noise counts.
    _NEWS = 0.1
    _QUARTER_SIGMAS, _MOST_NOISE = 0.3186, 8.0

    def __init__(self, window: Window) -> None:
        self._window = window
        self._anchor: Picture | None = None
        self._since_s = 0.0
        self._lit_anchor: Picture | None = None  # the first of those that differ in the light alone
        self._lit_since_s = 0.0
        self._rested_s: float | None = None  # when all was still for a moment, or the first picture came
        self.shimmers = False
        self.changed = np.zeros(window.size[::-1], np.uint8)
        self.noise = 0.0
        self._measured = 0

    def update(self, sample: Picture, t_s: float, trembles: bool = False) -> float:
        """Seconds for which the board has been still, this frame included; 0 when it has just moved. `trembles`:
        whether the camera does."""
        if self._anchor is not None:
            difference = self._difference(sample, self._anchor)
            self._measure_noise(difference)
            self.changed = self._window.changed(difference, self._levels(), self._anchor, trembles)
        moved = self._anchor is None or self._window.motion(self.changed)
        if moved:
            self._anchor, self._since_s = sample, t_s
        still_s = t_s - self._since_s
        if self._rested_s is None or still_s >= _BRIEF_S:
            self._rested_s = t_s
        if not (moved or self.shimmers):
            return still_s
        lit_s = self._in_any_light(sample, t_s, trembles)
        if self.shimmers and still_s < _CALM_S:
            return lit_s
        if self.shimmers:  # the light has come to rest, which is worth a look
            self.shimmers, self._anchor, self._since_s = False, sample, t_s
            return 0.0
        self.shimmers = min(lit_s, t_s - self._rested_s) >= _SHIMMERS_S
        return lit_s if self.shimmers else still_s

    def _in_any_light(self, sample: Picture, t_s: float, trembles: bool) -> float:
        """Seconds for which nothing but the light has changed; `changed` is where more has, if light shimmers."""
        changed = None if self._lit_anchor is None else self._apart_in_any_light(sample, self._lit_anchor, trembles)
        if changed is not None and self.shimmers:
            self.changed = changed
        if changed is None or self._window.motion(changed):
            self._lit_anchor, self._lit_since_s = sample, t_s
        return t_s - self._lit_since_s

    def apart(self, sample: Picture, other: Picture, trembles: bool) -> Picture:
        """Where two small pictures differ by more than noise, in whatever light, 255 or 0."""
        if self.shimmers:
            return self._apart_in_any_light(sample, other, trembles)
        return self._window.changed(self._difference(sample, other), self._levels(), other, trembles)

    def _apart_in_any_light(self, sample: Picture, other: Picture, trembles: bool) -> Picture:
        """Where two small pictures differ though each place may have light of its own, 255 or 0."""
        sigma = _ABOUT_PITCHES * self._window.pitch
        about_now, about_then = (cv2.GaussianBlur(p.astype(np.float32) + 1, (0, 0), sigma) for p in (sample, other))
        lit = scaled(other, np.asarray(about_now / about_then, np.float64))
        return self._window.changed(np.asarray(cv2.absdiff(sample, lit)), self._levels(), lit, trembles)

    def _levels(self) -> tuple[float, ...]:
        return tuple(max(least, n * self.noise) for least, n in zip(self.LEVELS, self.SIGMAS, strict=True))

    def _difference(self, sample: Picture, anchor: Picture) -> Picture:
        means = (cv2.mean(picture, self._window.board)[:3] for picture in (sample, anchor))
        gains = [(now + 1) / (then + 1) for now, then in zip(*means, strict=True)]
        return np.asarray(cv2.absdiff(sample, scaled(anchor, gains)), np.uint8)

    def _measure_noise(self, difference: Picture) -> None:
        """A quarter of the samples differ by less than 0.3186 standard deviations, unless a hand covers nearly all."""
        counts = np.bincount(difference[::3, ::3, 1].ravel(), minlength=2).cumsum()
        quarter = counts[-1] / 4
        level = int(np.searchsorted(counts, quarter))
        below = counts[level - 1] if level else 0
        # Differences are whole levels; a level holds all that rounds to it.
        exact = max(0.0, level - 0.5 + (quarter - below) / max(1, counts[level] - below))
        self._measured += 1
        news = max(self._NEWS, 1 / self._measured)
        self.noise += news * (min(exact / self._QUARTER_SIGMAS, self._MOST_NOISE) - self.noise)
