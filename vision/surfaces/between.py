"""What the board itself looks like, by what shows of it between disks where no cell is open.

Disks are round and cells are hexagons: at the corners of every cell a little of the board shows that no disk covers.
"""

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Floats
from vision.geometry import BoardPose
from vision.hexagons import AXIAL_TO_PLANE, SIX
from vision.light import Light
from vision.picture import Picture
from vision.sampling import gather

#: So far from the middle of a cell towards its corners the board shows, in pitches: disks end at 0.45 and may lie a
#: little aside, lines between cells meet at 0.577.
_TOWARDS_CORNERS = 0.5
#: The half that looks least like disks counts, and of that what is about as bright as this (quantiles): the rest lies
#: in the disks' shadows, or some of a disk shows in it.
_LEAST_LIKE_DISKS, _BRIGHT = 0.5, (0.5, 0.9)
#: Fewer places than this tell nothing.
_FEW = 12


def corners_mm(layout: Layout, cells: NDArray[np.bool_]) -> Floats:
    """Where the board shows at the corners of some cells, six a cell, (6 n, 2), in board coordinates."""
    towards = SIX @ AXIAL_TO_PLANE
    corners = (towards + np.roll(towards, 1, axis=0)) / np.sqrt(3) * _TOWARDS_CORNERS * layout.pitch_mm
    places: Floats = (np.asarray(layout.centres_mm)[cells, None] + corners).reshape(-1, 2)
    return places


def between_disks(
    image: Picture, pose: BoardPose, layout: Layout, open_: NDArray[np.bool_], light: Light, disks: Floats
) -> Floats:
    """The board's colour (3,) against the light, or NaN where too little of it can be seen.

    `open_` (n,): which of the layout's cells have no men; `disks` (3,): what most disks look like.
    """
    nothing = np.full(3, np.nan)
    if layout.board is None or not np.isfinite(disks).all():
        return nothing
    places = corners_mm(layout, open_)
    pixels = pose.project(np.column_stack([places, np.zeros(len(places))]))
    inside = ((pixels >= 0) & (pixels <= np.array([image.shape[1], image.shape[0]]) - 1)).all(axis=1)
    if inside.sum() < _FEW:
        return nothing
    colours = light.relative(gather(image, pixels[inside].astype(np.float32)[None, None])[0, 0])
    like = colours @ disks / np.maximum(np.linalg.norm(colours, axis=1), 1e-6)
    colours = colours[like <= np.quantile(like, _LEAST_LIKE_DISKS)]
    brightness = colours.sum(axis=1)
    low, high = np.quantile(brightness, _BRIGHT)
    board: Floats = np.median(colours[(brightness >= low) & (brightness <= high)], axis=0).astype(np.float64)
    return board
