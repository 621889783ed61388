"""Disks so wide that they touch or nearly do: told where the board still shows, at the corners of cells.

Cells are hexagons, so between three disks that touch some of the board shows. There, and only there, one sees where
such disks end, and that their edges are round: so far from the middle towards a corner as a little beside it, while
what is printed about a cell is farther towards its corner. Nothing changes nearer than that: usual disks end there.
"""

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Floats
from vision.geometry import BoardPose
from vision.picture import Picture
from vision.surfaces.cell_lines import CellLines, logs_at

#: Cells are looked at towards their corners and so many degrees beside these, to either side; so far from the middle,
#: in pitches.
_BESIDE_DEG, _RADII = (0, 5, 10), np.arange(0.30, 0.575, 0.01)
#: Disks end between these distances, where colours change most over so many steps, and by so much (logarithm); nearer,
#: but for the last bit before that, they change by less.
_ENDS, _OVER, _CHANGES, _LAST_BIT = (0.40, 0.53), 3, 0.15, 0.05
#: Round ones end so far out in all directions, give or take so much.
_ROUND = 0.015
#: Wide ones end farther out than this, and where the board between them is narrow they seem to end farther out than
#: they can. Disks are wide when so many cells show it, and such a part of those that show where theirs end.
_WIDE, _TOUCH, _FEWEST, _MOST = 0.47, 0.5, 4, 0.75


def wide_end(picture: Picture, pose: BoardPose, layout: Layout, disk_mm: float) -> float | None:
    """Where the disks of a board in a picture (H, W, 3), about `disk_mm` thick, end, in pitches; None where they are no
    wider than usual ones, or that is not clear."""
    profiles = np.median(_towards_corners(picture, pose, layout, disk_mm), axis=2)
    found = [_ends(profiles[:, beside]) for beside in range(len(_BESIDE_DEG))]
    ends = np.stack([end for end, _ in found])
    round_ = np.all([there for _, there in found], axis=0) & (np.ptp(ends, axis=0) < _ROUND)
    ends = np.median(ends, axis=0)
    wide = round_ & (ends > _WIDE)
    if wide.sum() < max(_FEWEST, _MOST * round_.sum()):
        return None
    return min(float(np.median(ends[wide])), _TOUCH)


def _towards_corners(picture: Picture, pose: BoardPose, layout: Layout, disk_mm: float) -> Floats:
    """What cells look like towards their corners, (n, BESIDE, 12, RADII, 3) logarithms."""
    corners = CellLines(pose, layout).corners
    angles = np.radians(np.stack([_BESIDE_DEG, np.negative(_BESIDE_DEG)], axis=1))[..., None]
    across = np.stack([-corners[:, 1], corners[:, 0]], axis=1)
    ways = (np.cos(angles)[..., None] * corners + np.sin(angles)[..., None] * across).reshape(len(angles), -1, 2)
    places = np.asarray(layout.centres_mm)[:, None, None, None] + _RADII[:, None] * ways[..., None, :] * layout.pitch_mm
    points = np.append(places, np.full((*places.shape[:-1], 1), disk_mm), axis=-1)
    return logs_at(picture, pose.project(points.reshape(-1, 3)).reshape(places.shape))


def _ends(profiles: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Where disks with such profiles (n, RADII, 3), logarithms, end, (n,), and whether they do."""
    steep = np.abs(profiles[:, _OVER:] - profiles[:, :-_OVER]).max(axis=-1)
    places, middle = _RADII[1 : -_OVER - 1] + _OVER * 0.005, steep[:, 1:-1]
    peaks = (middle >= steep[:, :-2]) & (middle > steep[:, 2:]) & (middle > _CHANGES)
    peaks &= (places > _ENDS[0]) & (places < _ENDS[1])
    ends = places[np.where(peaks, middle, 0.0).argmax(axis=1)]
    nearer = (ends[:, None] - _LAST_BIT > _RADII)[..., None]
    low, high = (np.where(nearer, profiles, fill) for fill in (np.inf, -np.inf))
    return ends, peaks.any(axis=1) & ((high.max(axis=1) - low.min(axis=1)).max(axis=1) < _CHANGES)
