"""What to print for the eye: the ChArUco target of the lens calibration and the four markers beside a board.

Only geometry, in millimetres: `companion.printing` puts it on paper, `calibration.lens` looks for the same target. Bit
patterns come from OpenCV's predefined ArUco dictionaries.
"""

from dataclasses import dataclass
from math import dist, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout, Point

#: The markers beside a board: ids 0–3, counter-clockwise from the lower left of the board's own frame.
BOARD_DICTIONARY = "DICT_4X4_50"
BOARD_MARKER_MM = 36.0


@dataclass(frozen=True, slots=True)
class CharucoTarget:
    """A chess board with a marker in every light square; `columns` and `rows` count squares.

    Raises ValueError for a target that cannot be: fewer than 3 squares a side, a marker that fills its square, an
    unknown dictionary.
    """

    columns: int = 4
    rows: int = 5
    square_mm: float = 45.0
    marker_mm: float = 33.75
    dictionary: str = "DICT_4X4_1000"

    def __post_init__(self) -> None:
        if not (3 <= self.columns <= 20 and 3 <= self.rows <= 20):
            raise ValueError(f"a ChArUco target has 3 to 20 squares a side, not {self.columns}x{self.rows}")
        if not 0 < self.marker_mm < self.square_mm:
            raise ValueError(f"a {self.marker_mm} mm marker does not fit inside a {self.square_mm} mm square")
        if not self.dictionary.startswith("DICT_") or not hasattr(cv2.aruco, self.dictionary):
            raise ValueError(f"OpenCV has no ArUco dictionary '{self.dictionary}'; one is DICT_4X4_1000")

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of all squares together."""
        return self.columns * self.square_mm, self.rows * self.square_mm


#: The target that `storisende print charuco` makes by default: 180 × 225 mm, which fits on A4 and on Letter.
CHARUCO = CharucoTarget()


def dictionary_of(name: str) -> cv2.aruco.Dictionary:
    """OpenCV's predefined ArUco dictionary called `name`, such as DICT_4X4_50."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


def marker_bits(dictionary: str, marker_id: int) -> NDArray[np.bool_]:
    """The black modules of a marker, border included, as it lies: (side, side) of bool, top row first."""
    known = dictionary_of(dictionary)
    side = int(known.markerSize) + 2
    return cv2.aruco.generateImageMarker(known, marker_id, side) < 128


def charuco_squares(target: CharucoTarget) -> tuple[list[Point], list[tuple[int, Point]]]:
    """Upper left corners in mm, x right and y DOWN from the target's upper left: black squares; (id, marker)."""
    inset = (target.square_mm - target.marker_mm) / 2
    black: list[Point] = []
    markers: list[tuple[int, Point]] = []
    for row in range(target.rows):
        for column in range(target.columns):
            x, y = column * target.square_mm, row * target.square_mm
            if (row + column) % 2 == 0:
                black.append((x, y))
            else:
                markers.append((len(markers), (x + inset, y + inset)))
    return black, markers


def marker_places(layout: Layout, marker_mm: float = BOARD_MARKER_MM) -> tuple[tuple[int, Point], ...]:
    """Where the four markers go in the board frame: (id, centre), as close to the cells as their white border allows.

    They are the corners of a rectangle about the board's middle. A layout that has places of its own keeps them.
    """
    if layout.markers_mm:
        return layout.markers_mm
    xs, ys = [x for x, _ in layout.centres_mm], [y for _, y in layout.centres_mm]
    cell_mm = layout.pitch_mm / sqrt(3)
    half = marker_mm * 0.67
    grow = cell_mm - half
    while True:
        left, right, low, high = min(xs) - grow, max(xs) + grow, min(ys) - grow, max(ys) + grow
        corners = ((left, low), (right, low), (right, high), (left, high))
        if all(_clearance(c, p, half) >= cell_mm for c in corners for p in layout.centres_mm):
            return tuple(enumerate(corners))
        grow += 1.0


def _clearance(centre: Point, point: Point, half_mm: float) -> float:
    """Distance of a point from the upright square about `centre`, 0 inside it."""
    dx, dy = (max(abs(a - b) - half_mm, 0.0) for a, b in zip(centre, point, strict=True))
    return dist((0.0, 0.0), (dx, dy))


def parse_target(squares: str, dictionary: str, square_mm: float, marker_mm: float) -> CharucoTarget:
    """The target of the command line's words, such as `4x5` columns by rows. Raises ValueError."""
    columns, _, rows = squares.lower().partition("x")
    if not (columns.isdecimal() and rows.isdecimal()):
        raise ValueError(f"--charuco is COLUMNSxROWS in squares, such as 4x5, not '{squares}'")
    return CharucoTarget(int(columns), int(rows), square_mm, marker_mm, dictionary)
