"""The faces of a table's disks: how wide they are, and rings or rims that are printed on them or turned into them.

To the networks a disk much narrower than usual, or one with a ring, looks like a man, and a dark one that is much wider
and has others about it like a bare cell. But disks are flat: all their edges are circles about one middle, while a man
stands a little aside of his disk's middle; and these middles are where the disks' plane is, while those of men's tops
lean away from the camera. And many cells look like that, all alike. So what they look like is learned: how wide they
are, which tells in what measure men are to be looked for, and rings by distance from the middle. A cell that has these
is open, and seen without: light falls alike on all of a disk, so they are divided out.

The middle of circles: every gradient of the picture points at it (Loy and Zelinsky, Fast radial symmetry for detecting
points of interest, 2003, let gradients vote so; here it is fitted by robust least squares).
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Floats
from vision.geometry import BoardPose
from vision.picture import Picture
from vision.surfaces.cell_lines import DARKEST, logs_at
from vision.surfaces.wide_disks import wide_end

#: Cells are looked at in so many steps to either side of their middles, in pitches; gradients count between these
#: distances, and no more than so much of one (logarithm).
_SIDE = np.arange(-16, 17) * 0.03
_FROM, _TO, _MOST = 0.06, 0.47, 0.3
#: How far gradients may pass a middle by, fit after fit, and how far that may lie beside the cell's, in pitches.
_ASTRAY, _ASIDE = (0.12, 0.08, 0.05, 0.03, 0.02), 0.12
#: A profile: so far from the middle, in pitches, in so many directions. Its colour is that of its `_INNER` part.
_RADII, _DIRECTIONS = np.arange(0.01, 0.50, 0.01), 36
_INNER, _RIM, _DISK = slice(0, 25), slice(32, 40), slice(0, 40)
#: A cell is as a profile says where no colour is farther off than this part of its rings' strength, between these
#: (logarithms). So much of what lies in the disk, and of what is near its rim, must be as the cell's own one says
#: before that is learned, and then as a learned one says, or one of its shape but of other colours, as it may be on the
#: other face; and more than is so without rings.
_PART, _ALIKE, _ROUND, _RINGED_CELL, _OTHER_FACE, _MORE = 0.6, (0.06, 0.2), (0.9, 0.8), (0.7, 0.6), (0.95, 0.85), 0.02
#: Nearly all of a ringed cell's profile is no farther off than this part of its rings' strength.
_OFF = 0.3
#: Rings stand out by so much (logarithm) so far from the middle, in pitches. Profiles that differ by less nearly all
#: over are one, and so are strengths that differ by less than this part of the usual one.
_STANDS_OUT, _RINGED, _ONE, _NEARLY_ALL, _SAME = 0.15, 0.18, 0.15, 0.9, 0.5
#: A table has rings when so many cells have one profile, and such a part of all.
_FEWEST, _SHARE = 5, 0.1
#: Disks end where colours change for the last time by so much over so many steps, and such a part of the greatest
#: change, from such a distance on; or usually at the last.
_CHANGES, _OVER, _CLEAR, _EARLIEST, _USUAL_END = 0.15, 3, 0.2, 0.36, 0.435
#: Disks that end between these distances are usual ones.
_USUAL = (0.4, 0.47)
#: Narrow disks end between these distances, in pitches. So much of what is nearer and of what is farther is as the
#: cell's own profile says; and so many of a board's cells have such disks, and of what is round.
_NARROW, _EVEN, _SHARE_NARROW, _MOST_NARROW = (0.24, 0.41), (0.9, 0.55), 0.2, 0.9
#: Circles of disks seem to be no higher above the disks' plane than this, in pitches, with one standard error (on 38
#: tables with narrow or ringed disks 0.04 at most; of men on five bare boards 0.07 at least).
_LOW = 0.05
#: So near to a disk's end, in pitches and pixels, pictures mix it with the board. Rims that are seen so much there must
#: end, by colours that change so near to that: men on the bare board have nothing about them that does.
_BLURRED, _BLURRED_PX, _TO_THE_EDGE, _AT_END = 0.03, 2.0, 0.3, 0.035
#: Rims show around men so far from where they should be, since disks lie aside; so near to the middle men hide them.
#: What is of their strength is of another hue by so much at most (logarithm).
_ASTRAY_DISK, _WITHIN_MEN, _UNLIKE = 0.05, 0.2, 0.3

_TURNS = 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
_WAYS = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)
_GRID = np.stack(np.meshgrid(_SIDE, _SIDE), axis=-1)
_FAR = np.hypot(*np.moveaxis(_GRID, -1, 0))[1:-1, 1:-1]
_COUNTS = (_FAR > _FROM) & (_FAR < _TO)


@dataclass(frozen=True, slots=True)
class DiskFaces:
    """What disks look like: `scale` times as wide as usual ones, which are the measure of all below, in the unit of a
    pitch; with k kinds of rings: `shapes` (k, RADII), how much they are seen by distance from the middle, 1 at most;
    `ends` (k,), the disks' radii; `strengths` (k, 3), logarithms of the colours that most rings have against the
    disk's: on the other face these may be others; `levels` (k, 3), logarithms of the disks' colours, or NaN: see
    `_level`."""

    scale: float = 1.0
    shapes: Floats = field(default_factory=lambda: np.zeros((0, len(_RADII))))
    ends: Floats = field(default_factory=lambda: np.zeros(0))
    strengths: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    levels: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def ringed(self) -> bool:
        """Whether disks have rings."""
        return len(self.shapes) > 0


@dataclass(frozen=True, slots=True)
class RingsSeen:
    """What rings of some `faces` n cells show: `kinds` (n,), −1 for none; `strengths` (n, 3), logarithms of their
    colours against the disk's; the circles' `middles` (n, 2) beside the cells'."""

    faces: DiskFaces
    kinds: NDArray[np.int_]
    strengths: Floats
    middles: Floats

    def off(self, feet: Picture, places: Floats) -> Picture:
        """The feet of these cells, (n, ROWS, COLUMNS, 3), without rings; `places` (n, ROWS, COLUMNS, 2): where their
        samples are beside the cells' middles."""
        out = feet.copy()
        for kind, (shape, end) in enumerate(zip(self.faces.shapes, self.faces.ends, strict=True)):
            rows = np.flatnonzero(self.kinds == kind)
            far = np.hypot(*np.moveaxis(places[rows] - self.middles[rows][:, None, None], -1, 0))
            more = np.interp(far, _RADII, shape)[..., None] * self.strengths[rows][:, None, None]
            plain = np.clip(np.rint((feet[rows] + DARKEST) * np.exp(-more) - DARKEST), 0, 255).astype(np.uint8)
            out[rows] = np.where((far < end)[..., None], plain, feet[rows])
        rows = np.flatnonzero(self.kinds < 0)
        if len(rows):
            out[rows] = self._without_rims(feet[rows], np.hypot(*np.moveaxis(places[rows], -1, 0)))
        return out

    def _without_rims(self, feet: Picture, far: Floats) -> Picture:
        """Feet (n, ROWS, COLUMNS, 3) of cells that are not open, without what looks like rims so `far` (n, ROWS,
        COLUMNS) from their middles: these show around men."""
        logs, out, most = np.log(feet + DARKEST), feet.copy(), np.zeros(len(feet))
        faces = self.faces
        for shape, end, strength, level in zip(faces.shapes, faces.ends, faces.strengths, faces.levels, strict=True):
            if np.isnan(level).any():
                continue
            like = _like(logs - level, strength)
            inner, begins = far < _WITHIN_MEN, _RADII[np.flatnonzero(np.abs(shape) > 0.5)[0]]
            rim = like & (far > begins - _ASTRAY_DISK) & (far < end + _ASTRAY_DISK)
            share = rim.mean(axis=(1, 2)) * ((like & inner).sum(axis=(1, 2)) < 0.5 * inner.sum(axis=(1, 2)))
            better = share > most
            plain = np.clip(np.rint(np.exp(logs - strength) - DARKEST), 0, 255).astype(np.uint8)
            out[better] = np.where(rim[better][..., None], plain[better], feet[better])
            most = np.maximum(most, share)
        return out


class RoundCells:
    """The cells of a board in pictures as circles about a middle of their own; disks are `disk_mm` thick, and `scale`
    times as wide as usual: pitches are so many here."""

    def __init__(self, pose: BoardPose, layout: Layout, disk_mm: float, scale: float = 1.0) -> None:
        self._pose, self._pitch_mm, self._disk_mm = pose, layout.pitch_mm * scale, disk_mm
        self._centres = np.asarray(layout.centres_mm)
        points = np.column_stack([self._centres, np.zeros(len(self._centres))])
        self.leaning = (self._centres - pose.camera_mm[:2]) / pose.camera_mm[2]
        self.pitch_px = float(np.median(pose.pitch_px(points, self._pitch_mm)))

    def seen(self, faces: DiskFaces, picture: Picture, cells: NDArray[np.int_]) -> RingsSeen:
        """Which rings some cells (n,) show in a picture (H, W, 3)."""
        logs, middles = self.profiles(picture, cells)
        profiles = _own(logs)
        kinds, strengths, best = np.full(len(cells), -1), np.zeros((len(cells), 3)), np.zeros(len(cells))
        for kind, (shape, end, usual) in enumerate(zip(faces.shapes, faces.ends, faces.strengths, strict=True)):
            strong = _strengths(profiles, shape)
            most = np.abs(strong).max(axis=1)
            looks = shape[:, None] * strong[:, None]
            inside, at_rim = _alike(logs, looks, most)
            off = np.quantile(np.abs(profiles - looks)[:, _DISK].max(axis=-1), _NEARLY_ALL, axis=1)
            known = np.abs(strong - usual).max(axis=1) < _SAME * np.abs(usual).max()
            least = np.where(known, np.transpose([_RINGED_CELL]), np.transpose([_OTHER_FACE]))
            fits = (known | (most > _STANDS_OUT)) & (inside > least[0]) & (at_rim > least[1]) & (inside > best)
            fits &= off < _OFF * most
            if abs(shape[-1]) > _TO_THE_EDGE:
                fits &= np.ptp(profiles[:, np.abs(_RADII - end) < _AT_END], axis=1).max(axis=1) > _STANDS_OUT
            kinds[fits], strengths[fits], best[fits] = kind, strong[fits], inside[fits]
        return RingsSeen(faces, kinds, strengths, middles)

    def profiles(self, picture: Picture, cells: NDArray[np.int_]) -> tuple[Floats, Floats]:
        """What some cells look like about their own middles, (n, DIRECTIONS, RADII, 3) logarithms; and where these are
        beside the cells', (n, 2) pitches."""
        middles = _middles(logs_at(picture, self._pixels(np.broadcast_to(_GRID, (len(cells), *_GRID.shape)), cells)))
        places = middles[:, None, None] + _RADII[:, None] * _WAYS[:, None]
        return logs_at(picture, self._pixels(places, cells)), middles

    def _pixels(self, places: Floats, cells: NDArray[np.int_]) -> Floats:
        """Where places (n, …, …, 2) beside the middles of cells, pitches, are in a picture."""
        points = np.empty((*places.shape[:-1], 3))
        points[..., :2] = self._centres[cells][:, None, None] + self._pitch_mm * places
        points[..., 2] = self._disk_mm
        return self._pose.project(points.reshape(-1, 3)).reshape(places.shape)


def disk_faces(picture: Picture, pose: BoardPose, layout: Layout, disk_mm: float) -> DiskFaces:
    """What many disks of a board in a picture (H, W, 3), about `disk_mm` thick, look like alike; as usual where that is
    not clear, or the board has no cells. How wide they are the layout may say where they do not."""
    if layout.board is None:
        return DiskFaces()
    cells, every = RoundCells(pose, layout, disk_mm), np.arange(len(layout.names))
    logs, middles = cells.profiles(picture, every)
    end = _narrow_end(logs, middles, cells.leaning) or wide_end(picture, pose, layout, disk_mm)
    if end is None and layout.disk_mm is not None:
        end = layout.disk_mm[0] / 2 / layout.pitch_mm
    scale = 1.0 if end is None else _against_usual(end)
    if scale != 1.0:
        cells = RoundCells(pose, layout, disk_mm, scale)
        logs, middles = cells.profiles(picture, every)
    found = [_shape(profile) for profile in _ringed(logs, middles, cells)]
    if not found:
        return DiskFaces(scale)
    faces = DiskFaces(scale, *(np.array(part) for part in zip(*found, strict=True)))
    kinds = cells.seen(faces, picture, every).kinds
    levels = [_level(logs[kinds == kind], faces, kind) for kind in range(len(found))]
    return replace(faces, levels=np.array(levels))


def _level(logs: Floats, faces: DiskFaces, kind: int) -> Floats:
    """What disks with rims of some kind look like, logarithms (3,), by open cells (n, DIRECTIONS, RADII, 3); NaN where
    that tells no rim about a man from the board: where it is a ring within the disk, or as the board is."""
    beyond = slice(int(np.searchsorted(_RADII, min(faces.ends[kind] + _BLURRED, _RADII[-3]))), None)
    if not len(logs) or abs(faces.shapes[kind, -1]) < _TO_THE_EDGE:
        return np.full(3, np.nan)
    level, board = (np.median(logs[:, :, part], axis=(0, 1, 2)) for part in (_INNER, beyond))
    return np.asarray(np.where(_like(board - level, faces.strengths[kind]), np.nan, level))


def _like(apart: Floats, strength: Floats) -> NDArray[np.bool_]:
    """Whether colours (…, 3) are so far from a disk's, logarithms, as a ring of some strength (3,) is."""
    share = apart @ strength / (strength @ strength)
    off = np.abs(apart - share[..., None] * strength).max(axis=-1)
    return np.asarray((np.abs(share - 1) < _SAME) & (off < _UNLIKE))


def _flat(middles: Floats, leaning: Floats) -> bool:
    """Whether circles lie on the disks' plane, not as high as men: by how far their `middles` (n, 2) are from the
    cells' the way in which higher points seem to lie, `leaning` (n, 2) for each unit of height."""
    known = float((leaning**2).sum())
    height = float((middles * leaning).sum()) / known
    off = float(((middles - height * leaning) ** 2).sum()) / max(1, 2 * len(middles) - 1)
    return height + float(np.sqrt(off / known)) < _LOW


def _narrow_end(logs: Floats, middles: Floats, leaning: Floats) -> float | None:
    """Where disks end, in pitches, by cells (n, DIRECTIONS, RADII, 3), where many are clearly narrower than usual; see
    `_flat`."""
    profiles = _own(logs)
    ends, there = _ends(profiles, _NARROW[0])
    fewest = max(_FEWEST, _SHARE_NARROW * len(ends))
    if (there & (ends < _NARROW[1])).sum() < fewest:
        return None
    alike = _alike_places(logs, profiles, np.abs(profiles).max(axis=(1, 2)))
    beside = _RADII - ends[:, None]
    nearer, farther = beside < -_BLURRED, (beside > _BLURRED) & (beside < 3 * _BLURRED)
    for least, part in zip(_EVEN, (nearer, farther), strict=True):
        there &= (alike & part[:, None]).sum(axis=(1, 2)) > least * _DIRECTIONS * part.sum(axis=1)
    narrow = there & (ends < _NARROW[1])
    if narrow.sum() < max(fewest, _MOST_NARROW * there.sum()) or not _flat(middles[narrow], leaning[narrow]):
        return None
    return float(np.median(ends[narrow]))


def _against_usual(end: float) -> float:
    """How wide disks that end there, in pitches, are against usual ones; those that are nearly so wide are usual."""
    return 1.0 if _USUAL[0] <= end <= _USUAL[1] else end / _USUAL_END


def _ringed(logs: Floats, middles: Floats, cells: RoundCells) -> list[Floats]:
    """The profiles (RADII, 3) with rings that many cells (n, DIRECTIONS, RADII, 3) have alike; see `_flat`."""
    profiles = _own(logs)
    strong, fewest = _roughness(profiles, cells.pitch_px), max(_FEWEST, _SHARE * len(profiles))
    rough = np.flatnonzero(strong > _STANDS_OUT)
    if len(rough) < fewest:
        return []
    inside, at_rim = _alike(logs[rough], profiles[rough], strong[rough])
    left, found = rough[(inside > _ROUND[0]) & (at_rim > _ROUND[1])], []
    while len(left):
        apart = np.abs(profiles[left][:, None, _DISK] - profiles[left][:, _DISK]).max(axis=-1)
        one = np.quantile(apart, _NEARLY_ALL, axis=-1) < _ONE
        most = one[one.sum(axis=1).argmax()]
        if most.sum() < fewest:
            break
        if _flat(middles[left[most]], cells.leaning[left[most]]):
            found.append(np.median(profiles[left[most]], axis=0))
        left = left[~most]
    return found


def _middles(logs: Floats) -> Floats:
    """The middles (n, 2) of the circles that patches (n, SIDE, SIDE, 3) show, in pitches beside theirs."""
    x = (logs[:, 1:-1, 2:] - logs[:, 1:-1, :-2])[:, _COUNTS]
    y = (logs[:, 2:, 1:-1] - logs[:, :-2, 1:-1])[:, _COUNTS]
    size = np.hypot(x, y) + 1e-6
    energy = np.minimum(size, _MOST).reshape(len(logs), -1) ** 2
    across = np.stack([-y, x], axis=-1) / size[..., None]
    passed = (across * _GRID[1:-1, 1:-1][_COUNTS][:, None]).sum(axis=-1).reshape(len(logs), -1)
    across = across.reshape(len(logs), -1, 2)
    middles = np.zeros((len(logs), 2, 1))
    for astray in _ASTRAY:
        by = passed - (across @ middles)[..., 0]
        weighed = across * (energy / (1 + (by / astray) ** 2) ** 2)[..., None]
        turned = np.swapaxes(weighed, 1, 2)
        least_squares = np.linalg.solve(turned @ across + 1e-3 * np.eye(2), turned @ passed[..., None])
        middles = np.clip(least_squares, -_ASIDE, _ASIDE)
    return np.asarray(middles[..., 0])


def _own(logs: Floats) -> Floats:
    """The profiles (n, RADII, 3) of cells, logarithms (n, DIRECTIONS, RADII, 3), against those of their inner parts."""
    profiles = np.median(logs, axis=1)
    return np.asarray(profiles - np.median(profiles[:, _INNER], axis=1, keepdims=True))


def _alike(logs: Floats, profiles: Floats, strong: Floats) -> tuple[Floats, Floats]:
    """How much of cells, logarithms (n, DIRECTIONS, RADII, 3), is as profiles (n, RADII, 3) say, whose rings are so
    `strong` (n,), in the disk and near its rim: (n,) each, and 0 where flat ones would say it nearly as well. Light may
    be another in each direction."""
    alike = _alike_places(logs[:, :, _DISK], profiles[:, _DISK], strong)
    flat = _alike_places(logs[:, :, _DISK], np.zeros_like(profiles[:, _DISK]), strong)
    told = alike.mean(axis=(1, 2)) > flat.mean(axis=(1, 2)) + _MORE
    return told * alike.mean(axis=(1, 2)), told * alike[..., _RIM].mean(axis=(1, 2))


def _alike_places(logs: Floats, profiles: Floats, strong: Floats) -> NDArray[np.bool_]:
    """Where cells are as profiles say, or a step before or after, (n, DIRECTIONS, RADII); see `_alike`."""
    near = sliding_window_view(np.pad(profiles, ((0, 0), (1, 1), (0, 0)), "edge"), 3, axis=1)[:, None]
    low, high = near.min(axis=-1), near.max(axis=-1)
    level = np.median((logs - 0.5 * (low + high))[:, :, _INNER], axis=2, keepdims=True)
    off = np.maximum(logs - level - high, low - logs + level).max(axis=-1)
    return np.asarray(off < np.clip(_PART * strong, *_ALIKE)[:, None, None])


def _roughness(profiles: Floats, pitch_px: float) -> Floats:
    """How much profiles (n, RADII, 3) change where a disk does not end yet, (n,)."""
    ends, _ = _ends(profiles, _EARLIEST)
    there = (_RADII > _RINGED) & (ends[:, None] - max(_BLURRED, _BLURRED_PX / pitch_px) > _RADII)
    low, high = (np.where(there[..., None], profiles, fill) for fill in (np.inf, -np.inf))
    return np.asarray((high.max(axis=1) - low.min(axis=1)).max(axis=1))


def _shape(profile: Floats) -> tuple[Floats, float, Floats]:
    """How much rings are seen by distance from the middle, (RADII,), where a disk has such a profile (RADII, 3); and
    where it ends, in pitches, and their strengths (3,). Just at its end the board shows, too: disks are taken to look
    there as they do a little nearer."""
    end = float(_ends(profile[None], _EARLIEST)[0][0])
    last = np.searchsorted(_RADII, end - _BLURRED)
    left, _, _ = np.linalg.svd(profile[:last], full_matrices=False)
    shape = np.full(len(profile), left[-1, 0])
    shape[:last] = left[:, 0]
    shape /= shape[np.abs(shape).argmax()]
    return shape, end, _strengths(profile[None], shape)[0]


def _strengths(profiles: Floats, shape: Floats) -> Floats:
    """How bright rings of some shape (RADII,) are in profiles (n, RADII, 3): logarithms (n, 3); least squares."""
    steps = np.stack([shape[_DISK], np.ones_like(shape[_DISK])], axis=1)
    return np.asarray(np.einsum("r,nrc->nc", np.linalg.pinv(steps)[0], profiles[:, _DISK]))


def _ends(profiles: Floats, first: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Where disks with such profiles (n, RADII, 3) end, (n,), at least so far out as `first`; and whether they seem to:
    where colours change clearly for the last time."""
    steep = np.abs(profiles[:, _OVER:] - profiles[:, :-_OVER]).max(axis=-1)
    places, middle = _RADII[1 : -_OVER - 1] + _OVER * _RADII[0] / 2, steep[:, 1:-1]
    peaks = (middle >= steep[:, :-2]) & (middle > steep[:, 2:]) & (places > first)
    peaks &= middle > np.maximum(_CHANGES, _CLEAR * steep.max(axis=1, keepdims=True))
    last = len(places) - 1 - peaks[:, ::-1].argmax(axis=1)
    there = peaks.any(axis=1)
    return np.where(there, places[last], _USUAL_END), there
