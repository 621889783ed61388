"""Boards whose cells are of three colours, no two neighbours alike, as boards for chess on hexagons are.

Disks are round and cells are hexagons: at the corners of every cell a little of it shows, whatever is played. Where
that differs by which of the three colours a cell would be, and hardly between cells of one, the board has three.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.between import corners_mm
from vision.geometry import BoardPose, Floats
from vision.light import Light
from vision.picture import Picture
from vision.sampling import gather

#: Two of the colours differ at least by so much (logarithm, the mean of three channels), and by so many times what
#: cells of one colour usually do and a little. On 415 rendered pictures of boards of one colour the two together go up
#: to 0.29 and 1.2, and 0.5 and 1.7 where a window's bars throw shadows; on 24 of boards of three they begin at TODO.
_APART, _TIMES, _LITTLE = 0.15, 2.3, 0.02
#: Values are compared as logarithms of so much more.
_DARKEST = 8.0
#: Fewer cells than this of any colour tell nothing.
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class ThreeColours:
    """Which of three colours each cell of a layout has, `kinds` (n,), and what these look like in the picture,
    `colours` (3, 3), blue-green-red, 0–255."""

    kinds: NDArray[np.int_]
    colours: Floats

    def against(self, light: Light) -> Floats:
        """The three colours against the light, (3, 3)."""
        return light.relative(self.colours.astype(np.float32)).astype(np.float64)


def three_colours(picture: Picture, pose: BoardPose, layout: Layout) -> ThreeColours | None:
    """The three colours of a board's cells in a picture (H, W, 3); None where they are all alike, or not hexagons."""
    if layout.board is None:
        return None
    q, r = np.array(layout.board.cells).T
    kinds = (q - r) % 3
    if min(np.count_nonzero(kinds == kind) for kind in range(3)) < _FEWEST:
        return None
    cells = np.median(np.log(_corners(picture, pose, layout) + _DARKEST), axis=1)
    usual = np.array([np.median(cells[kinds == kind], axis=0) for kind in range(3)])
    apart = np.abs(usual - np.roll(usual, 1, axis=0)).mean(axis=1).max()
    alike = np.median(np.abs(cells - usual[kinds]).mean(axis=1))
    if apart < max(_APART, _TIMES * (alike + _LITTLE)):
        return None
    return colours_now(kinds, picture, pose, layout)


def colours_now(kinds: NDArray[np.int_], picture: Picture, pose: BoardPose, layout: Layout) -> ThreeColours:
    """What the colours of a board look like whose cells have such `kinds` (n,)."""
    corners = _corners(picture, pose, layout)
    colours = [np.median(corners[kinds == kind].reshape(-1, 3), axis=0) for kind in range(3)]
    return ThreeColours(kinds, np.array(colours))


def _corners(picture: Picture, pose: BoardPose, layout: Layout) -> NDArray[np.uint8]:
    """The corners of all cells, (n, 6, 3)."""
    places_mm = corners_mm(layout, np.ones(len(layout.names), bool))
    pixels = pose.project(np.column_stack([places_mm, np.zeros(len(places_mm))])).astype(np.float32)
    corners: NDArray[np.uint8] = gather(picture, pixels[None, None])[0, 0].reshape(len(layout.names), -1, 3)
    return corners
