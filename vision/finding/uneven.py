"""Boards that do not lie flat, or whose tiles lie askew: where the lines between cells lie beside a flat board's.

A printed sheet was folded or rolled, a cloth lies in waves, boards of several tiles are pushed together by hand. What
lies a little higher looks farther off, a tile that is turned has all of its cells aside. How far off, along the board,
its places are is taken for a smooth random field (Rasmussen and Williams, *Gaussian Processes for Machine Learning*,
2006, chapter 2 and section 5.4.1); each line tells of it across itself.
"""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.layout import Layout
from vision.arrays import Floats
from vision.finding.blobs import Blobs, find_blobs
from vision.finding.edges import edge_map
from vision.finding.outline import Lines, grey_of, measure_lines, measure_steps
from vision.finding.pose import Fit, SeenPoints, fit_pose
from vision.finding.refine import LINE_SIGMA_PX, cells_seen
from vision.finding.slack import Together, ways_to_be_off
from vision.finding.turning import middle_mm
from vision.geometry import BoardPose
from vision.picture import Picture
from vision.warp import Warp

#: Lines may show, or where cells of different colours meet without any.
_MEASURES = (measure_lines, measure_steps)
#: A board is flat when about no place half of the lines, within so many pitches, are farther off than that, in pitches
#: (0.0053 at most on 117 flat ones, 0.0077 at least on 39 uneven ones); as many as this must show there.
_ABOUT, _FLAT, _LEAST = 1.6, 0.007, 5
#: The same for the middles of disks, which lie where somebody has put them.
_FAR = 0.06
#: So many lines must show at least, and half as many as there are cells.
_FEWEST = 12
#: About how many pitches beyond the outermost cells, and how far apart, offsets are laid down.
_BEYOND, _STEP = 1.5, 0.25
#: Spreads, in pitches, of the noise of lines and of how far disks lie beside the middles of their cells, in one
#: direction: where there is a field, and where there is none.
_NOISES, _FLAT_NOISES = ((0.002, 0.015), (0.006, 0.03)), ((0.004, 0.015), (0.012, 0.03), (0.03, 0.05))
#: A field must be likelier than noise by so much (log-likelihood).
_LIKELIER = 10.0
#: So many lines and middles tell in which way a board is off, and so many by how much: large boards have more.
_COMPARED, _SOLVED = 300, 600
#: Lines that are off their neighbours by more than this many times the noise lose their pull.
_ROBUST = 3.0
#: Lines are measured so often, each time where they were found before; outliers are weighed so often.
_ROUNDS, _WEIGHINGS = 3, 3


def fit_unevenly(
    image: Picture, fit: Fit, layout: Layout, board: Board, free_lens: bool, blobs: Blobs | None = None
) -> Fit:
    """The fit of a board that need not be flat: first roughly by the middles of disks and bare cells, which tell what
    is far off, then by the lines that show near there. The fit itself where it is flat, or where too few lines show.

    With `blobs`, the picture's regions, tiles are seen, too, that are so far off that none of their lines are found.
    """
    grey, known = grey_of(image), blobs
    for rough in (True, *[False] * _ROUNDS):
        pose = fit.pose
        lines = max((measure(grey, pose, board, layout.pitch_mm) for measure in _MEASURES), key=len)
        if len(lines) < max(_FEWEST, len(board) // 2):
            break
        seen = _off(pose, lines, layout.pitch_mm)
        near = blobs is None or _is_flat(_middles_off(pose, blobs, layout), layout.pitch_mm, _FAR)
        if near and _is_flat(seen, layout.pitch_mm, _FLAT):
            break
        known = find_blobs(image, edge_map(image)) if known is None else known
        middles, warp = _middles_off(pose, known, layout), pose.warp or _flat(layout)
        told = middles if rough else seen.and_(middles)
        more = _field(told, ways_to_be_off(layout, board), warp.places_mm(), layout.pitch_mm)
        if more is None and not rough:
            break
        if more is not None:
            pose = replace(pose, warp=replace(warp, offsets_mm=warp.offsets_mm + more.astype(np.float32)))
        if rough:
            fit = replace(fit, pose=pose)
        else:
            sigma = np.full(len(lines), LINE_SIGMA_PX)
            fit = fit_pose(pose, SeenPoints(lines.points_mm, lines.pixels, sigma, free_lens, lines.normals))
    return fit


def unevenness(pose: BoardPose, layout: Layout) -> float:
    """How far the middle of a cell is beside where it would be on a flat board, in pitches, at most."""
    if pose.warp is None:
        return 0.0
    return float(np.linalg.norm(pose.warp.at(np.array(layout.centres_mm)), axis=1).max()) / layout.pitch_mm


def _flat(layout: Layout) -> Warp:
    """The warp of a flat board, laid down wherever it may come to lie when it is turned about its middle."""
    middle = middle_mm(layout)
    reach = float(np.linalg.norm(np.array(layout.centres_mm) - middle, axis=1).max()) / layout.pitch_mm + _BEYOND
    n = 2 * int(np.ceil(reach / _STEP)) + 1
    return Warp(middle, _STEP * layout.pitch_mm, np.zeros((n, n, 2), np.float32))


@dataclass(frozen=True, slots=True)
class _Seen:
    """What n lines and middles tell: where they should be on the board, `places_mm` (n, 2); how far they are `off` in
    a direction (n,), in pitches; how much farther for each pitch by which their places lay farther right and up,
    `across` (n, 2); and which of them are `middles` (n,), 0 or 1."""

    places_mm: Floats
    off: Floats
    across: Floats
    middles: NDArray[np.intp]

    def and_(self, other: "_Seen") -> "_Seen":
        parts = [(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]
        return _Seen(*(np.concatenate(part) for part in parts))

    def thinned(self, most: int) -> "_Seen":
        """So many of them at most, evenly chosen."""
        every = -(-len(self.off) // most) or 1
        return _Seen(*(getattr(self, f.name)[::every] for f in fields(self)))


def _off(pose: BoardPose, lines: Lines, pitch_mm: float, middles: bool = False) -> _Seen:
    """What lines tell, or `middles`, each across itself."""
    steps = pitch_mm / 2 * np.eye(3)[:2]
    wider = np.stack([pose.project(lines.points_mm + step) - pose.project(lines.points_mm - step) for step in steps])
    pitch_px = np.sqrt(np.abs(wider[0, :, 0] * wider[1, :, 1] - wider[0, :, 1] * wider[1, :, 0]))
    off = ((lines.pixels - pose.project(lines.points_mm)) * lines.normals).sum(axis=1) / pitch_px
    across = (wider * lines.normals).sum(axis=2).T / pitch_px[:, None]
    return _Seen(lines.points_mm[:, :2], np.asarray(off), np.asarray(across), np.full(len(lines), int(middles)))


def _middles_off(pose: BoardPose, blobs: Blobs, layout: Layout) -> _Seen:
    """What the middles of disks and bare cells tell, across the picture and up it."""
    points, pixels = cells_seen(blobs, pose, layout)
    normals = np.repeat(np.eye(2), len(points), axis=0)
    return _off(pose, Lines(np.tile(points, (2, 1)), np.tile(pixels, (2, 1)), normals), layout.pitch_mm, middles=True)


def _is_flat(seen: _Seen, pitch_mm: float, most: float) -> bool:
    """Whether what is seen is farther off than that nowhere but one here and one there."""
    apart = np.linalg.norm(seen.places_mm[:, None] - seen.places_mm[None], axis=2) / pitch_mm
    about = [np.abs(seen.off[near]) for near in apart < _ABOUT]
    return all(np.median(off) < most for off in about if len(off) >= _LEAST)


def _field(seen: _Seen, ways: list[Together], wanted_mm: Floats, pitch_mm: float) -> Floats | None:
    """The likeliest offsets in mm (n, n, 2) of wanted places (n, n, 2); None where what is seen is as likely noise."""
    some = seen.thinned(_COMPARED)
    told = [
        (_explained(alike, some, noise)[0], together, noise)
        for together in ways
        for alike in [_alike(some, together)]
        for noise in _NOISES
    ]
    likelihood, together, noise = max(told, key=lambda one: one[0])
    nothing = np.zeros((len(some.off), len(some.off)))
    if likelihood < max(_explained(nothing, some, noise)[0] for noise in _FLAT_NOISES) + _LIKELIER:
        return None
    seen = seen.thinned(_SOLVED)
    _, pull = _explained(_alike(seen, together), seen, noise)
    pulls = pull[:, None] * seen.across
    rows = [np.einsum("nmij,mj->ni", together(row, seen.places_mm), pulls) for row in wanted_mm]
    return pitch_mm * np.stack(rows)


def _alike(seen: _Seen, together: Together) -> Floats:
    """How much alike what is seen is off, (n, n)."""
    theirs = np.einsum("nmij,mj->nmi", together(seen.places_mm, seen.places_mm), seen.across)
    return np.asarray((seen.across[:, None] * theirs).sum(axis=2))


def _explained(alike: Floats, seen: _Seen, noise: tuple[float, float]) -> tuple[float, Floats]:
    """The log-likelihood of what is seen (n,) if it is off so much alike (n, n), with that noise besides, and how much
    each pulls at places that are off as its own is (n,). What is far off its neighbours counts little."""
    noises, weights = np.array(noise)[seen.middles], np.ones(len(seen.off))
    for _ in range(_WEIGHINGS):
        whole = alike + np.diag(noises**2 / weights)
        pull = np.linalg.solve(whole, seen.off)
        weights = 1 / (1 + ((seen.off - alike @ pull) / noises) ** 2 / _ROBUST**2)
    _, volume = np.linalg.slogdet(whole)
    return float(-(seen.off @ pull + volume) / 2), np.asarray(pull)
