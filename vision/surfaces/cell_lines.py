"""The lines between cells: how they stand out from what lies beside them, and light ones taken off a picture.

On most boards lines are darker than cells, and such boards the networks know. Between light ones a bare cell looked to
them like a dark disk with some of the board around it. So the networks that tell what lies on a cell, and that
men stand there, see a picture without light lines: a morphological opening (Serra, Image Analysis and Mathematical
Morphology, 1982) leaves nothing bright that is narrower than its square, and is kept only where lines are. What is told
by rims, sides, shadows and light about stacks is told by the picture as it is: there an opening would harm.
"""

import cv2
import numpy as np

from engine.board import Board
from engine.layout import Layout
from vision.arrays import Floats
from vision.geometry import BoardPose
from vision.hexagons import AXIAL_TO_PLANE, SIX
from vision.picture import Picture
from vision.sampling import gather

#: Colours are compared as logarithms of so much more than they are.
DARKEST = 2.0
_LOGS = np.log(np.arange(256.0) + DARKEST)
#: A line is looked at between a corner (0) and its middle (1), and across that, in pitches: on it, and beside it.
_ALONG, _ACROSS, _BESIDE = (0.1, 0.2, 0.3), (-0.02, 0.0, 0.02), 0.06
#: So many places across a line are on it.
ON = len(_ACROSS)
#: Lines are light when the clearest of them (a quantile; beside others disks are bright) are brighter than either side
#: by so much (logarithm) in one of the colours. Dark ones of 126 rendered stills and 160 noisy, blurred or small copies
#: come to 0.022 at most.
_CLEAREST, _LIGHT = 0.75, 0.03
#: Light lines reach so far to either side of where cells meet, and the square of the opening is so wide: pitches, and
#: pixels more since pictures are blurred.
_HALF, _HALF_PX, _SQUARE, _SQUARE_PX = 0.05, 0.5, 0.14, 2.0
#: Pixels are told apart to this part of one, in bits, where the lines are drawn.
_BITS = 4


class CellLines:
    """Where the sides of a board's cells are in pictures."""

    def __init__(self, pose: BoardPose, layout: Layout) -> None:
        self._pose, self._pitch_mm, self._centres = pose, layout.pitch_mm, np.asarray(layout.centres_mm)
        self.sides = SIX @ AXIAL_TO_PLANE
        towards = self.sides + np.roll(self.sides, 1, axis=0)
        self.corners = towards / np.linalg.norm(towards, axis=1)[:, None]

    def pixels(self, places: list[Floats]) -> Floats:
        """Where some places about all cells' middles, (6, 2) pitches each, are in the picture: (n, 6, places, 2)."""
        points = self._centres[:, None, None] + np.stack(places, axis=1) * self._pitch_mm
        flat = points.reshape(-1, 2)
        return self._pose.project(np.column_stack([flat, np.zeros(len(flat))])).reshape(points.shape)

    def profiles(self, picture: Picture, board: Board) -> Floats:
        """What it looks like, as logarithms, across the lines between a board's cells, at six places about each corner:
        (6, n, 6, ON + 2, 3), the last two beside the line. NaN at the corners of a single cell."""
        joined = np.array([[cell.step(d) in board.index for d in range(len(SIX))] for cell in board.cells])
        found = []
        for side in (0, 1):  # the two of a cell's sides that meet at a corner
            sides = np.roll(self.sides, side, axis=0)
            there = np.where(np.roll(joined, side, axis=1), 0.0, np.nan)[..., None, None]
            for along in _ALONG:
                on = (1 - along) * self.corners / np.sqrt(3) + along * sides / 2
                places = [on + across * sides for across in (*_ACROSS, -_BESIDE, _BESIDE)]
                found.append(there + logs_at(picture, self.pixels(places)))
        return np.stack(found)


class LightLines:
    """The light lines of a board that lies somewhere, to be taken off pictures of it."""

    def __init__(self, pose: BoardPose, layout: Layout) -> None:
        centres = np.asarray(layout.centres_mm)
        pitch_px = float(np.median(pose.pitch_px(np.column_stack([centres, np.zeros(len(centres))]), layout.pitch_mm)))
        lines = CellLines(pose, layout)
        mask = np.zeros((pose.lens.height_px, pose.lens.width_px), np.uint8)
        outlines = lines.pixels([lines.corners / np.sqrt(3)])[:, :, 0] * 2**_BITS
        width_px = max(1, round(2 * (_HALF * pitch_px + _HALF_PX)))
        cv2.polylines(mask, list(np.rint(outlines).astype(np.int32)), True, 255, width_px, cv2.LINE_AA, _BITS)
        rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
        self._square = np.ones(2 * [round(_SQUARE * pitch_px + _SQUARE_PX) | 1], np.uint8)
        self._part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        self._there = np.nonzero(mask[self._part])
        self._share = (mask[self._part][self._there] / np.float32(255))[:, None]

    def off(self, picture: Picture) -> Picture:
        """A picture (H, W, 3) of the board without its light lines."""
        part = picture[self._part]
        opened = cv2.morphologyEx(part, cv2.MORPH_OPEN, self._square)[self._there]
        out = picture.copy()
        lined = part[self._there]
        out[self._part][self._there] = np.rint(lined + self._share * (opened.astype(np.float32) - lined))
        return out


def light_lines(picture: Picture, pose: BoardPose, layout: Layout) -> LightLines | None:
    """The lines between the cells of a board in a picture, where they are light ones."""
    if layout.board is None:
        return None
    across = CellLines(pose, layout).profiles(picture, layout.board)
    brighter = across[..., :ON, :].max(axis=-2) - across[..., ON:, :].max(axis=-2)
    return LightLines(pose, layout) if np.nanquantile(brighter, _CLEAREST, axis=(0, 1, 2)).max() > _LIGHT else None


def logs_at(picture: Picture, pixels: Floats) -> Floats:
    """The logarithms of a picture's colours at some places (…, 2): (…, 3)."""
    rows = pixels.astype(np.float32).reshape(len(pixels), -1, 1, 2)
    return _LOGS[gather(picture, rows).reshape(*pixels.shape[:-1], 3)]
