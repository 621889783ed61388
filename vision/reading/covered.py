"""What covers cells in a picture before which nothing is known: a hand that lies on the board, an arm, a sleeve.

Disks are round and cells are hexagons: at every corner a little of the board shows, and the lines between cells meet
there. Where neighbouring corners show something else and no lines, and no men stand before them, something foreign
lies over the board. Light and shadow, whatever their colour, leave the lines.
"""

from collections.abc import Collection, Sequence, Set
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.board import Board, from_cells
from engine.layout import Layout
from engine.look import CellReading
from vision.arrays import Bools, Floats
from vision.geometry import BoardPose
from vision.palette import Material
from vision.picture import Picture
from vision.reading.read import CellReader
from vision.surfaces.cell_lines import DARKEST, ON, CellLines, logs_at
from vision.surfaces.three_colours import three_colours

#: So far from a cell's middle towards a corner, and so far to either side of that, the board's colour is looked for,
#: in pitches: it is some way between disk and corner, whichever way the disk lies aside.
_TOWARDS, _ASIDE = (0.49, 0.525, 0.56), (-0.05, 0.0, 0.05)
#: Colours are averaged over so much of a pitch.
_BLUR_PITCHES = 0.03
#: What stands nearer than this to a stack that was made out, in pitches, may be that stack.
_MARGIN_PITCHES = 0.06
#: A corner is foreign whose tint differs from the board's by so much (logarithm), where light and shadow may make it
#: this much darker or brighter, and whose lines stand out by less than this part of what the board's do.
_FOREIGN, _DARKER, _BRIGHTER, _LINES_LEFT = 0.25, 1.2, 0.5, 0.35
#: Corners of a single cell, which have no lines and may look a little like the table, are by so much.
_FOREIGN_OUTSIDE = 0.4
#: Lines stand out by so much at least (logarithm of brightness), and most corners look like the board to this, or
#: nothing is told.
_LEAST_LINES, _LIKE_BOARD, _MOST = 0.15, 0.15, 0.5
#: Whatever covers a board covers so many corners, each no farther from the next than this, in pitches.
_LEAST_CORNERS, _NEXT_PITCHES = 2, 1.1
#: Beside what is covered stacks that are less sure than this may be a part of it.
_DOUBTED = 0.9


def covered_cells(
    picture: Picture,
    pose: BoardPose,
    layout: Layout,
    material: Material,
    reader: CellReader,
    cells: Sequence[CellReading],
) -> frozenset[int]:
    """The cells of which something foreign covers a corner in a picture (H, W, 3), blue-green-red, where `reader` has
    just read `cells`. None where that cannot be told: without disks, on boards that are not hexagons or have no lines.
    """
    if material.disks is None or layout.board is None:
        return frozenset()
    corners = _Corners(pose, layout, layout.board)
    lines, colours = corners.lines(picture), corners.colours(picture)
    doubted = frozenset(c for c, cell in enumerate(cells) if cell.confidence() < _DOUBTED)
    covered: frozenset[int] = frozenset()
    while True:
        beside = frozenset(n for c in covered for n in layout.board.neighbours[c])
        free = corners.free(reader, covered | (doubted & beside))
        now = covered | corners.foreign(free, lines, colours, beside)
        if now == covered:
            return covered
        covered = now


def largest_open_part(layout: Layout, covered: Set[int]) -> tuple[Layout, Sequence[int]]:
    """The largest part of a board that is in one piece when some cells are covered, and which of its cells it has; the
    whole board where all are covered, or none."""
    board = layout.board
    if board is None or not 0 < len(covered) < len(layout.names):
        return layout, range(len(layout.names))
    left, largest = set(range(len(board.cells))) - covered, list[int]()
    while left:
        part = [left.pop()]
        for cell in part:
            part += left.intersection(board.neighbours[cell])
            left.difference_update(board.neighbours[cell])
        largest = max(largest, sorted(part), key=len)
    names, centres = tuple(layout.names[i] for i in largest), tuple(layout.centres_mm[i] for i in largest)
    board = from_cells([board.cells[i] for i in largest], layout.name)
    return replace(layout, board=board, names=names, centres_mm=centres), largest


class _Corners:
    """The corners of a board's cells, (n, 6), and as places, (m,), where each is one of one to three cells."""

    def __init__(self, pose: BoardPose, layout: Layout, board: Board) -> None:
        self._pose, self._layout, self._board, pitch_mm = pose, layout, board, layout.pitch_mm
        self._lines = CellLines(pose, layout)
        centres, corners = np.asarray(layout.centres_mm), self._lines.corners
        places = (centres[:, None] + corners * (pitch_mm / np.sqrt(3))).reshape(-1, 2)
        same = np.linalg.norm(places[:, None] - places[None], axis=-1) < 0.1 * pitch_mm
        first, self._which = np.unique(same.argmax(axis=1), return_inverse=True)
        self._near = np.linalg.norm(places[first, None] - places[None, first], axis=-1) < _NEXT_PITCHES * pitch_mm
        aside = np.stack([-corners[:, 1], corners[:, 0]], axis=1)
        self._gaps = self._lines.pixels([corners * a + aside * b for a in _TOWARDS for b in _ASIDE])
        self._pitch_px = float(np.median(pose.pitch_px(np.column_stack([centres, np.zeros(len(centres))]), pitch_mm)))

    def free(self, reader: CellReader, covered: Set[int]) -> Bools:
        """At which places about the corners (n, 6, places) the picture has something, and no stack is before it but
        what was taken for one on cells that are covered."""
        margin_px, lens = _MARGIN_PITCHES * self._pitch_px, self._pose.lens
        inside = ((self._gaps >= 0) & (self._gaps <= np.array([lens.width_px, lens.height_px]) - 1)).all(axis=-1)
        for x in (-margin_px, 0.0, margin_px):
            for y in (-margin_px, 0.0, margin_px):
                inside &= reader.free((self._gaps + np.array([x, y])).astype(np.float32), covered)
        return np.asarray(inside)

    def colours(self, picture: Picture) -> Floats:
        """The logarithms of the colours at all places about the corners, (n, 6, places, 3); on a board of three colours
        to those of the cells there."""
        sigma = max(0.5, _BLUR_PITCHES * self._pitch_px)
        logs = logs_at(np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.uint8), self._gaps)
        if (board := three_colours(picture, self._pose, self._layout)) is not None:
            logs -= np.log(board.colours + DARKEST)[board.kinds][:, None, None]
        return logs

    def lines(self, picture: Picture) -> Floats:
        """How much darker (or brighter, where the board's are) the lines between cells are than what lies beside them,
        (2, n, 6): as logarithms, which shadows leave, and in levels, which light from below leaves. NaN at the corners
        of a single cell."""
        logs = self._lines.profiles(picture, self._board).mean(axis=-1)
        across = np.stack([logs, np.exp(logs)])
        line, beside = across[..., :ON], across[..., ON:].mean(axis=-1)
        told = [_median(np.moveaxis(kind, 1, -1)) for kind in (beside - line.min(axis=-1), line.max(axis=-1) - beside)]
        return max(told, key=lambda kind: float(np.nanmedian(kind[0])))

    def foreign(self, free: Bools, lines: Floats, logs: Floats, beside: Collection[int]) -> frozenset[int]:
        """The cells about all corners that are foreign, and of those `beside` others the ones whose own sides of enough
        corners are; none where the board cannot be told from what is."""
        if not free.any():
            return frozenset()
        off = np.where(free, _unlike(logs, _usual(logs[free])), np.inf).min(axis=-1)
        shown = np.isfinite(off)
        usual_lines = np.nanmedian(lines[:, shown], axis=1)
        if usual_lines[0] < _LEAST_LINES or (off[shown] < _LIKE_BOARD).mean() < _MOST:
            return frozenset()
        least = self._at_corners(np.minimum, off, np.inf)
        left = (lines / usual_lines[:, None, None]).max(axis=0)
        line = self._at_corners(np.fmax, np.where(shown, left, np.nan), np.nan)
        unlike_board = np.isfinite(least) & (least > np.where(np.isnan(line), _FOREIGN_OUTSIDE, _FOREIGN))
        large = np.isin(self._which, self._together(unlike_board, line)).reshape(off.shape)
        own = np.isfinite(off) & (off > _FOREIGN) & (left < _LINES_LEFT)
        more = frozenset(c for c in beside if own[c].sum() >= _LEAST_CORNERS)
        return more.union(np.flatnonzero(large.any(axis=1)).tolist())

    def _at_corners(self, best: np.ufunc, values: Floats, worst: float) -> Floats:
        """The best of what the cells (n, 6) about each corner say, (m,)."""
        found = np.full(len(self._near), worst)
        best.at(found, self._which, values.ravel())
        return found

    def _together(self, unlike_board: Bools, line: Floats) -> NDArray[np.int_]:
        """The corners (m,) of such colours without lines that have enough others beside them, as numbers; corners of a
        single cell, which have no lines, are among them where they are beside some without."""
        surely = unlike_board & (line < _LINES_LEFT)
        foreign = surely | (unlike_board & np.isnan(line) & self._near[:, surely].any(axis=1))
        some: NDArray[np.int_] = np.flatnonzero(foreign)
        counts = _reached(self._near[np.ix_(some, some)]).sum(axis=1)
        enough: NDArray[np.int_] = some[counts >= _LEAST_CORNERS]
        return enough


def _reached(near: Bools) -> Bools:
    """Which of some things can be reached from which others, (k, k), by steps to what is near."""
    reached = near
    while True:
        further = (reached.astype(np.int32) @ near.astype(np.int32)) > 0
        if np.array_equal(further, reached):
            return reached
        reached = further


def _median(values: Floats) -> Floats:
    """The medians of what is known along the last axis, NaN where nothing is."""
    known = np.isfinite(values).any(axis=-1)
    medians = np.full(values.shape[:-1], np.nan)
    medians[known] = np.nanmedian(values[known], axis=-1)
    return medians


def _usual(logs: Floats) -> Floats:
    """What most of some colours (k, 3), logarithms, look like in whatever light: (3,)."""
    usual: Floats = np.median(logs, axis=0)
    for _ in range(5):
        off = np.abs(_tints(logs - usual)).max(axis=1)
        usual = np.median(logs[off <= np.median(off)], axis=0)
    return usual


def _tints(logs: Floats) -> Floats:
    """Colours without their brightness."""
    return np.asarray(logs - logs.mean(axis=-1, keepdims=True))


def _unlike(logs: Floats, board: Floats) -> Floats:
    """How unlike a board's colour (3,) in any light some colours (…, 3) are; all logarithms."""
    brighter = (logs - board).mean(axis=-1)
    beyond = np.maximum(0.0, brighter - _BRIGHTER) + np.maximum(0.0, -_DARKER - brighter)
    return np.asarray(np.abs(_tints(logs - board)).max(axis=-1) + beyond)
