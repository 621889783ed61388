"""Boards whose cells are of three colours, no two neighbours alike, as boards for chess on hexagons are.

Disks are round and cells are hexagons: at the corners of every cell a little of it shows, whatever is played. Where
that differs by which of the three colours a cell would be, and hardly between cells of one, the board has three.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.layout import Layout
from vision.arrays import Floats
from vision.geometry import BoardPose
from vision.light import Light
from vision.picture import Picture
from vision.sampling import gather
from vision.surfaces.between import corners_mm

#: Two of the colours differ by so much at least (logarithm, the mean of three channels), and by so many times what
#: steps from one of them to the next usually differ, and a little. In 415 pictures of boards of one colour the two go
#: up to 0.07 and 0.6, in 72 of boards of three they begin at 0.20 and 3.3.
_APART, _TIMES, _LITTLE = 0.12, 1.8, 0.02
#: In these directions the next cell has the next colour.
_TO_NEXT = (0, 2, 4)
#: Values are compared as logarithms of so much more.
_DARKEST = 8.0
#: With fewer steps than this from any colour to the next nothing is told.
_FEWEST = 4


@dataclass(frozen=True, slots=True)
class ThreeColours:
    """Which of three colours each cell of a layout has, `kinds` (n,), and what these look like in the picture,
    `colours` (3, 3), blue-green-red, 0–255."""

    kinds: NDArray[np.int_]
    colours: Floats

    def on(self, board: Board) -> "ThreeColours":
        """The same three colours on all cells of a board of which these are some."""
        return ThreeColours(_kinds(board), self.colours)

    def against(self, light: Light) -> Floats:
        """The three colours against the light, (3, 3)."""
        return light.relative(self.colours.astype(np.float32)).astype(np.float64)


def three_colours(picture: Picture, pose: BoardPose, layout: Layout, surely: bool = False) -> ThreeColours | None:
    """The three colours of a board's cells in a picture (H, W, 3); None where they are all alike, or not hexagons.

    `surely`: that they are three is known.
    """
    if layout.board is None:
        return None
    kinds, first, second = _neighbours(layout.board)
    cells = np.median(np.log(_corners(picture, pose, layout) + _DARKEST), axis=1)
    steps, to_next = cells[second] - cells[first], kinds[first]
    if np.bincount(to_next, minlength=3).min() < _FEWEST:
        return None
    usual = np.array([np.median(steps[to_next == kind], axis=0) for kind in range(3)])
    off = np.median(np.abs(steps - usual[to_next]).mean(axis=1))
    if not surely and np.abs(usual).mean(axis=1).max() < max(_APART, _TIMES * (off + _LITTLE)):
        return None
    usual -= usual.mean(axis=0)  # around a corner of three cells the steps add up to nothing
    apart = np.cumsum(usual, axis=0)[[2, 0, 1]]
    colours = np.exp(apart + np.median(cells - apart[kinds], axis=0)) - _DARKEST
    return ThreeColours(kinds, np.maximum(colours, 0.0))


def _neighbours(board: Board) -> tuple[NDArray[np.int_], NDArray[np.int_], NDArray[np.int_]]:
    """Which of three colours each cell would have, (n,), and the cells on either side of all joints, (m,) each: the
    second has the colour after the first one's."""
    joints = [
        (i, board.index[cell.step(d)])
        for i, cell in enumerate(board.cells)
        for d in _TO_NEXT
        if cell.step(d) in board.index
    ]
    first, second = np.array(joints, dtype=int).reshape(-1, 2).T
    return _kinds(board), first, second


def _kinds(board: Board) -> NDArray[np.int_]:
    """Which of three colours each cell would have, (n,)."""
    return np.array([(cell.q - cell.r) % 3 for cell in board.cells])


def _corners(picture: Picture, pose: BoardPose, layout: Layout) -> NDArray[np.uint8]:
    """The corners of all cells, (n, 6, 3)."""
    places_mm = corners_mm(layout, np.ones(len(layout.names), bool))
    pixels = pose.project(np.column_stack([places_mm, np.zeros(len(places_mm))])).astype(np.float32)
    corners: NDArray[np.uint8] = gather(picture, pixels[None, None])[0, 0].reshape(len(layout.names), -1, 3)
    return corners
