"""Pictures that are mirrored: told by markers, or by a board that is not its own mirror image.

On any other board without markers nothing tells, and nothing is wrong: its names would be as good the other way round.
"""

from collections.abc import Callable

import numpy as np

from engine.board import Board
from engine.layout import Layout
from vision.cv import detect_markers
from vision.picture import Picture

#: What to do about it.
MIRRORED = (
    "the picture is mirrored: let the camera's program show it as it is, or write 'mirrored:' before the source's name"
)
#: So many markers that can only be read in a mirror tell.
_LEAST_MARKERS = 2


def mirror_image(image: Picture) -> Picture:
    """The mirror image of a picture (H, W, 3)."""
    return np.ascontiguousarray(image[:, ::-1])


def markers_mirrored(image: Picture, markers: set[int]) -> bool:
    """Whether some of these `markers` can be read in the picture's mirror image; none can in the picture itself."""
    return len(markers & set(detect_markers(mirror_image(image)))) >= _LEAST_MARKERS


def board_mirrored(image: Picture, layout: Layout, found: Callable[[Picture], bool]) -> bool:
    """Whether a board that was not found in a picture is `found` in its mirror image, where it lies otherwise there."""
    return layout.board is not None and is_chiral(layout.board) and found(mirror_image(image))


def is_chiral(board: Board) -> bool:
    """Whether a board is another than its own mirror image, however turned or moved."""
    shape = _moved_home([(q, r) for q, r in board.cells])
    turned = [(r, q) for q, r in board.cells]
    for _ in range(6):
        if _moved_home(turned) == shape:
            return False
        turned = [(-r, q + r) for q, r in turned]
    return True


def _moved_home(cells: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Cells moved so that the lowest coordinates are 0."""
    low_q, low_r = min(q for q, _ in cells), min(r for _, r in cells)
    return {(q - low_q, r - low_r) for q, r in cells}
