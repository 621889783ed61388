"""What is different on the board since it was last read: cells to read again, hands in front, the light, a shift."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Bools, Floats
from vision.following.difference import DIFFERS_LEVELS, difference, estimate_gains
from vision.following.local_light import local_light, unlike
from vision.following.motion import Gains, Window, scaled
from vision.geometry import BoardPose
from vision.picture import Picture

#: A sample differs when it is off by more than so many standard deviations of the noise, too.
_DIFFERS_SIGMAS = 4.0
#: A blob that differs is something in front of the board when some of it differs by more than this …
STRONG_LEVELS = 24
#: … and it reaches in from beyond the window's edge, along at least this many pitches of it.
_ENTRY_PITCHES = 0.4
#: So many samples in a cell's own zone, as a part of a pitch squared, are worth another look.
_FEW = 0.08
#: A cell is lit differently, not changed, when one factor leaves less than this, of 255 (root mean square), and less
#: than half of the difference: a man on a disk of nearly his colour is no matter of light.
_LIT_LEVELS = 5.0
#: Stacks that stand higher than this many pitches need not be told from what they hide.
_ZONE_PITCHES = 0.8
#: A gap's samples are this far from the nearest centre and this near to the third nearest.
_GAP_PITCHES, _GAP_REACH_PITCHES = 0.5, 0.72
#: Gaps are the board's own when their tint (share of a channel in the sum) differs by no more; so many may be missed.
_GAP_TINT, _GAPS_MISSED = 0.05, 0.03
#: Less than so many samples is no bump: the pose need not be that exact.
_LEAST_SHIFT = 0.12
#: A shift is believed when it leaves no more than this part of the differing samples.
_SHIFT_EXPLAINS = 0.35
_ECC_STOP = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 1e-3)


@dataclass(frozen=True, slots=True)
class Change:
    """Result of a comparison with the reference.

    `gains`: the light now over the light then, a factor for each channel, and `light` in every place of the window's
    small picture, (h, w, 3), None when it is the same everywhere. `foreign`: (h, w) bool, where a hand, an arm, a head
    is in front. Indices of cells: `cells` to read again, `hidden` that something foreign covers, `lit` that are only
    lit differently.
    """

    gains: Gains
    light: Floats | None
    foreign: Bools
    cells: tuple[int, ...]
    hidden: tuple[int, ...]
    lit: tuple[int, ...]

    def without(self, cells: frozenset[int], where: Bools) -> "Change":
        """The same, with some cells hidden, and something foreign in some places, (h, w)."""
        read, lit = (tuple(i for i in part if i not in cells) for part in (self.cells, self.lit))
        hidden = tuple(sorted(cells.union(self.hidden)))
        return replace(self, foreign=self.foreign | where, cells=read, hidden=hidden, lit=lit)


class Zones:
    """For every cell the samples of the small picture in which it, or a stack on it, can be seen."""

    def __init__(self, window: Window, pose: BoardPose, layout: Layout) -> None:
        self._shape = window.size[::-1]
        heights_mm = np.linspace(0.0, _ZONE_PITCHES * layout.pitch_mm, 4)
        self.samples: list[NDArray[np.intp]] = []
        for i, (x, y) in enumerate(layout.centres_mm):
            column = pose.project(np.array([(x, y, z) for z in heights_mm]))
            column = np.round(window.to_sample(column)).astype(np.int32)
            mask = np.zeros(window.size[::-1], np.uint8)
            cv2.polylines(mask, [column], False, 255, round(0.8 * window.pitch))
            cv2.circle(mask, tuple(np.round(window.centres[i]).astype(int)), round(0.5 * window.pitch), 255, -1)
            self.samples.append(np.flatnonzero(mask))
        self._window = window
        self._all = np.concatenate(self.samples)
        self._starts = np.concatenate([[0], np.cumsum([len(s) for s in self.samples])[:-1]])

    @cached_property
    def gaps(self) -> Bools:
        """Samples between three cells, (h, w) bool: whatever is played, the board itself shows there."""
        between = self._window.board > 0
        places = np.argwhere(between)[:, ::-1].astype(np.float32)
        apart = np.linalg.norm(places[:, None] - self._window.centres[None].astype(np.float32), axis=-1)
        nearest, _, third = np.partition(apart, (0, 2), axis=1)[:, :3].T / self._window.pitch
        between[between] = (nearest > _GAP_PITCHES) & (third < _GAP_REACH_PITCHES)
        return between

    def count(self, mask: Bools) -> NDArray[np.intp]:
        """How many samples of each zone are set in `mask`."""
        counts: NDArray[np.intp] = np.add.reduceat(mask.ravel()[self._all].astype(np.intp), self._starts)
        return counts

    def touched(self, mask: Bools) -> NDArray[np.bool_]:
        """In which zones enough samples are set in `mask` to be worth a look."""
        return np.asarray(self.count(mask) >= _FEW * self._window.pitch**2)

    def mask(self, cells: Sequence[int]) -> Bools:
        """The samples of all these cells' zones, (h, w) bool."""
        flat = np.zeros(self._shape[0] * self._shape[1], bool)
        for i in cells:
            flat[self.samples[i]] = True
        return flat.reshape(self._shape)


def shows_board(sample: Picture, reference: Picture, where: Bools, zones: Zones) -> bool:
    """Whether in some place as many gaps between cells as before have the board's own colour, in whatever light.

    The board's colour is that of the other gaps; of the reference's where these are few.
    """
    inside = where & zones.gaps
    outside = zones.gaps & ~inside
    known = sample[outside] if np.count_nonzero(outside) >= np.count_nonzero(inside) else reference[zones.gaps]
    board = np.median(known.astype(np.float64), axis=0) + 1
    now, then = (np.count_nonzero(_tinted_like(board, gaps[inside])) for gaps in (sample, reference))
    return bool(now >= then - _GAPS_MISSED * np.count_nonzero(inside))


def _tinted_like(board: NDArray[np.float64], colours: Picture) -> Bools:
    """Which of some colours (n, 3) are the board's (3,), brighter or darker."""
    levels = colours + 1.0
    tint = levels / levels.sum(axis=1, keepdims=True) - board / board.sum()
    light = levels.sum(axis=1) / board.sum()
    alike: Bools = (np.abs(tint).max(axis=1) < _GAP_TINT) & (light > 0.4) & (light < 2.0)
    return alike


def compare(sample: Picture, reference: Picture, window: Window, zones: Zones, noise: float = 0.0) -> Change:
    """What differs between a small picture of the still board and the last one that was read.

    `noise` is the standard deviation of the difference of two samples of the same thing, of 255.
    """
    gains = estimate_gains(sample, reference)
    apart, levels = difference(sample, reference, gains), max(DIFFERS_LEVELS, _DIFFERS_SIGMAS * noise)
    differs = apart > levels
    if not differs.any():
        return Change(gains, None, differs, (), (), ())
    expected = [scaled(reference, gains)]
    untouched = ~zones.touched(differs)
    if (light := local_light(sample, reference, gains, window, levels)) is not None:
        expected.append(scaled(reference, light))
        apart = np.minimum(apart, unlike(sample, reference, light)).astype(np.uint8)
        differs = apart > levels
    foreign = _foreign(apart, differs, window)
    touched, covered = zones.touched(differs), zones.touched(foreign)
    for i in np.flatnonzero(touched | covered):
        if any(_only_lit(sample, then, zones.samples[i]) for then in expected):
            touched[i] = covered[i] = False
    parts = touched & ~covered, covered, ~(untouched | touched | covered)
    cells, hidden, lit = (_ints(np.flatnonzero(part)) for part in parts)
    return Change(gains, light, foreign, cells, hidden, lit)


def _ints(values: NDArray[np.intp]) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


def _foreign(apart: Picture, differs: Bools, window: Window) -> Bools:
    """The blobs that reach in from outside: arms come with their hands. Grown by one sample."""
    joined = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels = cv2.connectedComponents(joined, connectivity=8)
    edge = np.concatenate([labels[0], labels[-1], labels[1:-1, 0], labels[1:-1, -1]])
    entry = np.bincount(edge, minlength=count) >= _ENTRY_PITCHES * window.pitch
    entry[0] = False
    strong = np.zeros(count, bool)
    strong[np.unique(labels[apart > STRONG_LEVELS])] = True
    inside = (entry & strong)[labels]
    grown: Bools = cv2.dilate(inside.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return grown


def _only_lit(sample: Picture, expected: Picture, zone: NDArray[np.intp]) -> bool:
    """Whether one factor explains all that differs in a zone: a shadow or a lamp, not a thing."""
    now = sample.reshape(-1, 3)[zone].astype(np.float32)
    then = expected.reshape(-1, 3)[zone].astype(np.float32)
    if then.std(axis=0).max() < 2 * _LIT_LEVELS:
        return False  # nothing in this cell to know it by
    factor = (now * then).sum() / (then * then).sum()
    before, after = (float(np.sqrt(np.mean((now - k * then) ** 2))) for k in (1.0, factor))
    return bool(0.5 < factor < 2 and after < min(_LIT_LEVELS, before / 2))


def find_shift(sample: Picture, reference: Picture) -> tuple[float, float] | None:
    """By how many samples (x, y) the whole board has moved since the reference; None when it has not.

    Phase correlation (Kuglin and Hines 1975), then ECC (Evangelidis and Psarakis 2008) for the fraction of a sample;
    believed only when the shifted reference leaves little unexplained.
    """
    now, then = (cv2.cvtColor(s, cv2.COLOR_BGR2GRAY).astype(np.float32) for s in (sample, reference))
    (x, y), _ = cv2.phaseCorrelate(then, now, cv2.createHanningWindow(now.shape[::-1], cv2.CV_32F))
    if np.hypot(x, y) > min(now.shape) / 4:
        return None
    matrix = np.array([[1, 0, x], [0, 1, y]], np.float32)
    try:
        _, fitted = cv2.findTransformECC(then, now, matrix, cv2.MOTION_TRANSLATION, _ECC_STOP)
    except cv2.error:  # its way of saying that nothing fits
        return None
    x, y = float(fitted[0, 2]), float(fitted[1, 2])
    if np.hypot(x, y) < _LEAST_SHIFT:
        return None
    moved = shifted(reference, (x, y))
    # Blurred, so that the rims of disks forgive the fraction of a sample that is left.
    soft_now, soft_then, soft_moved = (np.asarray(cv2.blur(s, (3, 3)), np.uint8) for s in (sample, reference, moved))
    gains = estimate_gains(soft_now, soft_moved)
    before = np.count_nonzero(difference(soft_now, soft_then, gains) > DIFFERS_LEVELS)
    after = np.count_nonzero(difference(soft_now, soft_moved, gains) > DIFFERS_LEVELS)
    return (x, y) if after < _SHIFT_EXPLAINS * before else None


def shifted(sample: Picture, shift: tuple[float, float]) -> Picture:
    """A small picture moved by `shift` samples (x, y)."""
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
    moved = cv2.warpAffine(sample, matrix, sample.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)
