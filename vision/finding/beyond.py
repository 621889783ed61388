"""Cells that lie beyond the borders of a picture: nobody knows what stands there."""

import numpy as np

from engine.layout import Layout
from vision.finding.refine import cell_points
from vision.geometry import BoardPose

#: A cell is beyond the picture whose middle is, or is so near to its border, in pitches.
_MARGIN_PITCHES = 0.1
#: So many cells are named.
_NAMED = 6


def cells_beyond(pose: BoardPose, layout: Layout) -> frozenset[int]:
    """The cells whose middles lie beyond the borders of the picture, or right at them."""
    points = cell_points(layout)
    margin_px = _MARGIN_PITCHES * pose.pitch_px(points, layout.pitch_mm)[:, None]
    pixels, last = pose.project(points), np.array([pose.lens.width_px, pose.lens.height_px]) - 1
    inside = ((pixels >= margin_px) & (pixels <= last - margin_px)).all(axis=1)
    return frozenset(np.flatnonzero(~inside).tolist())


def why_not_whole(pose: BoardPose, layout: Layout) -> str:
    """Which cells lie beyond the picture, and what helps, as a sentence without a full stop; empty where none do."""
    beyond = [layout.names[i] for i in sorted(cells_beyond(pose, layout))]
    if not beyond:
        return ""
    names = ", ".join(beyond[:_NAMED]) + (" …" if len(beyond) > _NAMED else "")
    count = f"{len(beyond)} of the {len(layout.names)} cells of {layout.name}"
    return f"{count} lie beyond the picture ({names}): move the camera so that all of the board shows"
