"""Register a pose that is nearly right to the picture, to a fraction of a pixel."""

from collections.abc import Callable

import numpy as np

from engine.board import Board
from engine.layout import Layout
from vision.arrays import Floats
from vision.finding.blobs import OUTLINE_INSET_PX, Blobs
from vision.finding.edges import Edges, sample
from vision.finding.outline import Lines, measure_lines, measure_steps
from vision.finding.place import side_points
from vision.finding.pose import Fit, SeenPoints, fit_either_way, fit_pose, fit_stretched
from vision.geometry import BoardPose
from vision.hexagons import AXIAL_TO_PLANE

#: Height at which the middle of a region appears, in pitches, when the layout does not know the disk: a disk shows its
#: side as well as its top, a bare cell's outline lies a little lower than the cell. Measured on rendered pictures.
_DISK_MIDDLE, _BARE_MIDDLE = 0.03, -0.012
#: The same as a share of a disk's thickness.
_DISK_SHARE = 0.65
#: Radius of a region in pitches: a disk's is below `_BARE`, a bare cell's above; men and fragments are below `_DISK`.
_DISK, _BARE, _LARGEST = 0.38, 0.475, 0.6
#: So many regions are enough. Where disks are narrow all count that are not narrower than this part of the usual ones.
_FEWEST, _ABOUT = 6, 0.9
#: A region belongs to a cell when its middle is this near, in pitches.
_NEAR = 0.2
#: How well a line is measured, px, and how far the lines may move the board from where its cells are, in pitches.
LINE_SIGMA_PX, _FARTHEST = 0.1, 0.08


def cell_points(layout: Layout) -> Floats:
    """Centres of the cells on the plane z = 0, (N, 3) mm."""
    centres = np.array(layout.centres_mm)
    return np.column_stack([centres, np.zeros(len(centres))])


def movement_px(layout: Layout, before: BoardPose, after: BoardPose) -> float:
    """How far the cells have moved in the picture, root mean square."""
    moved = after.project(cell_points(layout)) - before.project(cell_points(layout))
    return float(np.sqrt((moved**2).sum(axis=1).mean()))


def fit_cells(
    blobs: Blobs, pose: BoardPose, layout: Layout, free_lens: bool, near: float = _NEAR, narrow: bool = False
) -> Fit | None:
    """Fit the pose to the regions that lie in cells, each at the height of what it is; None when they are too few.
    `narrow`: disks may be narrow, or look so within their rims."""
    fit: Fit | None = None
    for _ in range(3):
        points, pixels = cells_seen(blobs, pose, layout, near, narrow)
        if len(points) < _FEWEST:
            return None
        fit = fit_pose(pose, SeenPoints(points, pixels, np.full(len(points), 0.5), free_lens))
        pose, near = fit.pose, _NEAR
    return fit


def cells_seen(
    blobs: Blobs, pose: BoardPose, layout: Layout, near: float = _NEAR, narrow: bool = False
) -> tuple[Floats, Floats]:
    """The middles of regions that lie in cells: where each should be on the board, (n, 3) mm at the height of what it
    is, and where it is in the picture, (n, 2) px. `near` and `narrow` as for `fit_cells`."""
    points = cell_points(layout)
    if not len(blobs):
        return points[:0], blobs.centres
    pitch_px = pose.pitch_px(points, layout.pitch_mm)
    gap = np.hypot(*(blobs.centres[None] - pose.project(points)[:, None]).transpose(2, 0, 1))
    nearest = gap.argmin(1)
    size = (np.sqrt(blobs.areas[nearest] / np.pi) + OUTLINE_INSET_PX) / pitch_px
    there = (gap.min(1) < near * pitch_px) & (size < _LARGEST)
    use = there & (size > (_ABOUT * np.median(size[there]) if narrow and there.any() else _DISK))
    points[:, 2] = np.where(size > _BARE, _BARE_MIDDLE * layout.pitch_mm, _disk_middle_mm(layout))
    return points[use], blobs.centres[nearest[use]]


def fit_lines(grey: Edges, coarse: Fit, layout: Layout, board: Board, free_lens: bool) -> Fit:
    """Fit the pose to the lines between the cells, or where cells of different colours meet without any, whichever fits
    better for so many places; the coarse fit where too few show or they lead elsewhere."""
    cells = cell_points(layout)

    def by(measure: Callable[[Edges, BoardPose, Board, float], Lines], least: int) -> tuple[Fit, SeenPoints] | None:
        fit = coarse
        for _ in range(2):
            lines = measure(grey, fit.pose, board, layout.pitch_mm)
            if len(lines) < max(12, least):
                return None
            sigma = np.full(len(lines), LINE_SIGMA_PX)
            seen = SeenPoints(lines.points_mm, lines.pixels, sigma, free_lens, lines.normals)
            fit = fit_either_way(fit.pose, seen)
        moved = np.linalg.norm(fit.pose.project(cells) - coarse.pose.project(cells), axis=1)
        far = float(np.mean(moved / coarse.pose.pitch_px(cells, layout.pitch_mm))) > _FARTHEST
        return None if far else (fit, seen)

    fits = [by(measure_lines, len(board) // 2), by(measure_steps, len(board))]
    told = [either for either in fits if either is not None]
    if not told:
        return coarse
    fit, seen = min(told, key=lambda either: either[0].rms_px / np.sqrt(len(either[1].pixels)))
    stretched = fit_stretched(fit, seen) if free_lens and fit.pose.lens.pixel_width == 1 else None
    return fit if stretched is None else fit_lines(grey, stretched, layout, board, free_lens)


def _disk_middle_mm(layout: Layout) -> float:
    return _DISK_MIDDLE * layout.pitch_mm if layout.disk_mm is None else _DISK_SHARE * layout.disk_mm[1]


def coarse_shift(edges: Edges, pose: BoardPose, board: Board, pitch_mm: float, reach_px: float) -> Floats:
    """The shift of the picture (2,) px, within ± `reach_px`, under which the cells' outlines lie best on its edges
    and nothing like them lies beside the board."""
    inner, beyond = _outlines(board)
    points = pitch_mm * np.concatenate([inner, beyond])
    worth = np.concatenate([np.full(len(inner), 1 / len(inner)), np.full(len(beyond), -1 / len(beyond))])
    flat = np.column_stack([points, np.zeros(len(points))])
    pixels = pose.project(flat)
    spacing = max(1.5, 0.06 * float(np.median(pose.pitch_px(flat[: len(inner)], pitch_mm))))
    steps = int(np.ceil(reach_px / spacing))
    line = np.arange(-steps, steps + 1) * spacing
    shifts = np.stack(np.meshgrid(line, line), -1).reshape(-1, 2)
    cap = 1.5 * float(np.median(sample(edges, pixels[: len(inner)], 0.0))) + 4.0
    values = sample(np.minimum(edges, np.float32(cap)), pixels[None] + shifts[:, None], 0.0)
    score = values @ worth.astype(np.float32)
    best: Floats = shifts[int(score.argmax())]
    return best


def _outlines(board: Board) -> tuple[Floats, Floats]:
    """Points (N, 2), in pitches, on the sides of the board's cells, and on the far sides of the places beside it."""
    sides = side_points()[:, 1::2, 1]
    cells = set(board.cells)
    beside = {c.step(d) for c in cells for d in range(6)} - cells
    inner = [np.array(c) @ AXIAL_TO_PLANE + sides[d] for c in board.cells for d in (0, 1, 2)]
    inner += [np.array(c) @ AXIAL_TO_PLANE + sides[d] for c in board.cells for d in (3, 4, 5) if c.step(d) not in cells]
    beyond = [
        np.array(c) @ AXIAL_TO_PLANE + sides[d] for c in sorted(beside) for d in range(6) if c.step(d) not in cells
    ]
    return np.concatenate(inner), np.concatenate(beyond)
