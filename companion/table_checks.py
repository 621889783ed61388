"""Live checks for setting up a table: the whole board in the picture, good light, colours that can be told apart.

Each check says what to do when it fails. They look at one frame and at what the eye found in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import CellReading
from vision.finding.find import FoundBoard
from vision.palette import Material
from vision.picture import is_grey

#: Cells smaller than this in the picture are read badly.
_LEAST_CELL_PX = 24.0
#: Of boards seen from nearer to the vertical a fifth have a wrong height somewhere, of others one in fifty.
LEAST_TILT_DEG, _MOST_TILT_DEG = 15.0, 50.0
_BORDER_CELLS = 0.15
_DARK, _BRIGHT = 45.0, 235.0
_MOST_CLIPPED = 0.04
_LEAST_RATIO = 1.5
_OTHER_COLOURS = ": take men of other colours, or more light."
_SURE = 0.95
_MOST_DOUBTFUL = 0.05


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what, whether it is good, and what to do when it is not."""

    what: str
    good: bool
    todo: str = ""


def table_checks(
    image: NDArray[np.uint8],
    layout: Layout,
    material: Material,
    found: FoundBoard | None,
    why_not: str = "",
    cells: Sequence[CellReading] | None = None,
) -> list[Check]:
    """All checks of one picture (height × width × 3, uint8, BGR). `why_not` is the eye's reason for no board."""
    if found is None:
        todo = f"{why_not.capitalize()}. " if why_not else ""
        todo += "Point the camera so that the whole board is in the picture, and check that the board's shape is right."
        return [
            Check("The board is found", False, todo),
            _light(image, np.ones(image.shape[:2], bool)),
            _colours(image, material),
        ]
    outlines = _outlines(found, layout)
    return [
        Check("The board is found", True),
        _inside(image, outlines),
        _close_enough(outlines),
        _tilt(found),
        _light(image, _mask(image, outlines)),
        _colours(image, material),
        *([_certainty(layout, cells)] if cells else []),
    ]


def _outlines(found: FoundBoard, layout: Layout) -> NDArray[np.float64]:
    """Pixels of six corners about each cell, (cells, 6, 2)."""
    angles = np.arange(6) * np.pi / 3
    corners = np.stack([np.sin(angles), np.cos(angles), 0 * angles], axis=1) * layout.pitch_mm / sqrt(3)
    centres = np.array([(x, y, 0.0) for x, y in layout.centres_mm])
    return np.asarray(found.pose.project(centres[:, None] + corners))


def _inside(image: NDArray[np.uint8], outlines: NDArray[np.float64]) -> Check:
    """The board and the tops of stacks at its rim need a little air."""
    height, width = image.shape[:2]
    margin = _BORDER_CELLS * _cell_px(outlines)
    low, high = outlines.min(axis=(0, 1)), outlines.max(axis=(0, 1))
    sides = {
        "left": low[0] < margin,
        "top": low[1] < 2 * margin,
        "right": high[0] > width - margin,
        "bottom": high[1] > height - margin,
    }
    tight = [side for side, is_tight in sides.items() if is_tight]
    todo = f"The board is too close to the {' and the '.join(tight)} of the picture: move the camera." if tight else ""
    return Check("The whole board is in the picture", not tight, todo)


def _cell_px(outlines: NDArray[np.float64]) -> float:
    """Width of the smallest cell."""
    return float(np.min(outlines[..., 0].max(axis=1) - outlines[..., 0].min(axis=1)))


def _close_enough(outlines: NDArray[np.float64]) -> Check:
    size = _cell_px(outlines)
    todo = f"The smallest cell is {size:.0f} pixels wide: come closer, or set a larger picture size."
    return Check("The cells are large enough", size >= _LEAST_CELL_PX, "" if size >= _LEAST_CELL_PX else todo)


def _tilt(found: FoundBoard) -> Check:
    """Neither so flat that stacks hide what is behind them nor so steep that their heights do not show."""
    tilt, todo = found.pose.tilt_deg, ""
    if tilt > _MOST_TILT_DEG:
        todo = f"The camera looks from {tilt:.0f}° off straight above: raise it, stacks hide too much behind them."
    elif tilt < LEAST_TILT_DEG:
        todo = (
            f"The camera looks from {tilt:.0f}° off straight above, where heights of stacks are hard to tell: "
            "hang it farther aside, 15° to 35° is best."
        )
    return Check("The camera looks from a good angle", not todo, todo)


def _mask(image: NDArray[np.uint8], outlines: NDArray[np.float64]) -> NDArray[np.bool_]:
    mask = np.zeros(image.shape[:2], np.uint8)
    hull = cv2.convexHull(outlines.reshape(-1, 2).astype(np.float32)).astype(np.int32)
    cv2.fillConvexPoly(mask, hull, 1)
    return mask.astype(bool)


def _light(image: NDArray[np.uint8], mask: NDArray[np.bool_]) -> Check:
    """Neither dark nor clipped, where the board is."""
    pixels = image[mask].max(axis=1)
    if pixels.size == 0:
        return Check("The light is good", False, "The board is outside the picture.")
    bright = float(np.percentile(pixels, 90))
    clipped = float((image[mask].min(axis=1) >= _BRIGHT).mean())
    if bright < _DARK:
        return Check("The light is good", False, "It is too dark: switch a lamp on, or raise the exposure.")
    if clipped > _MOST_CLIPPED:
        return Check(
            "The light is good",
            False,
            "Parts of the board are washed out: dim or move the lamp, or lower the exposure.",
        )
    return Check("The light is good", True)


def _colours(image: NDArray[np.uint8], material: Material) -> Check:
    """Whether the two colours of men differ enough from each other, in such a picture; men of nobody are all alike."""
    if material.neutral is not None:
        return Check("The colours are far enough apart", True)
    grey = is_grey(image)
    first, second = (np.array(man.linear) + 0.01 for man in (material.in_grey() if grey else material).men)
    ratio = float(np.max(np.maximum(first, second) / np.minimum(first, second)))
    todo = f"{material.men[0].word} and {material.men[1].word} look much alike"
    todo += " in black and white: more light lets the camera see colours." if grey else _OTHER_COLOURS
    return Check("The colours are far enough apart", ratio >= _LEAST_RATIO, "" if ratio >= _LEAST_RATIO else todo)


def _certainty(layout: Layout, cells: Sequence[CellReading]) -> Check:
    """Whether the eye is sure of nearly every cell that it sees."""
    seen = [(name, cell) for name, cell in zip(layout.names, cells, strict=True) if not cell.unseen]
    doubtful = [name for name, cell in seen if cell.confidence() < _SURE]
    good = len(doubtful) <= _MOST_DOUBTFUL * len(layout.names)
    shown = ", ".join(doubtful[:8])
    return Check("The cells can be read", good, "" if good else f"Hard to read: {shown}. More even light helps.")
