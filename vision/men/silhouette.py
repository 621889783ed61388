"""Which pixels the stacks cover: a picture of cell numbers, nearer stacks over farther ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import BoardPose
from vision.sampling import CellViews

Labels = NDArray[np.int16]

#: What a label picture holds where no stack is.
NO_STACK = -1
_AROUND = np.linspace(0, 2 * np.pi, 20, endpoint=False)


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack that stands on cell `cell`: a cylinder between two heights above the bare board, centred on the cell."""

    cell: int
    foot_mm: float
    top_mm: float
    radius_mm: float


def label_stacks(pose: BoardPose, views: CellViews, stacks: Sequence[Stack]) -> Labels:
    """The cell whose stack covers each pixel, `NO_STACK` elsewhere; (height, width) of the pose's lens."""
    labels = np.full((pose.lens.height_px, pose.lens.width_px), NO_STACK, np.int16)
    if not stacks:
        return labels
    ring = np.stack([np.cos(_AROUND), np.sin(_AROUND)], axis=1)
    points = np.empty((len(stacks), 2, len(_AROUND), 3))
    for i, s in enumerate(stacks):
        points[i, :, :, :2] = views.centres_mm[s.cell] + s.radius_mm * ring
        points[i, 0, :, 2], points[i, 1, :, 2] = s.foot_mm, s.top_mm
    outlines = pose.project(points).reshape(len(stacks), -1, 2)
    for i in sorted(range(len(stacks)), key=lambda i: -views.distance_mm[stacks[i].cell]):
        hull = cv2.convexHull(np.round(outlines[i] * 4).astype(np.int32))
        cv2.fillConvexPoly(labels, hull, int(stacks[i].cell), shift=2)
    return labels
