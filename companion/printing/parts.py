"""What can be printed: boards, disks, markers, the ChArUco target."""

from collections.abc import Callable
from dataclasses import replace
from math import cos, pi, sin, sqrt
from typing import TYPE_CHECKING

from calibration.targets import (
    BOARD_DICTIONARY,
    BOARD_MARKER_MM,
    CharucoTarget,
    charuco_squares,
    marker_bits,
    marker_places,
)
from companion.errors import InputError
from companion.printing.pages import Drawing, paper
from engine.layout import Layout, Point, layout_of

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

Rgb = tuple[int, int, int]

PITCH_MM = 40.0
DISK_MM = 34.0
PASTURE: Rgb = (92, 140, 74)
_GROOVE: Rgb = (52, 88, 44)
_QUIET = 1.0 / 6.0


def scaled(layout: Layout, pitch_mm: float | None) -> Layout:
    """The layout at the pitch asked for; without one at its own, or at 40 mm where it has none.

    Raises `InputError` for a pitch outside 10–120 mm, or another pitch for a board with free cell centres.
    """
    if pitch_mm is not None and not 10 <= pitch_mm <= 120:
        raise InputError(f"--pitch-mm {pitch_mm:g}: the distance of two cells is 10 to 120 mm")
    if layout.board is None:
        if pitch_mm is not None:
            raise InputError(f"--pitch-mm does not go with {layout.name}, whose cell centres are fixed in millimetres")
        return layout
    if pitch_mm is None or pitch_mm == layout.pitch_mm:
        return layout if layout.pitch_known else layout_of(layout.board, PITCH_MM)
    return layout_of(layout.board, pitch_mm)


def printed_layout(layout: Layout, marker_mm: float = BOARD_MARKER_MM) -> Layout:
    """The layout with its markers where `board_drawing` puts them. Raises `InputError` for an unknown marker id."""
    if unknown := [i for i, _ in layout.markers_mm if i > 49]:
        raise InputError(f"board {layout.name} has a marker {unknown[0]}; {BOARD_DICTIONARY} ends at 49")
    if layout.markers_mm:
        return layout if layout.marker_size_mm else replace(layout, marker_size_mm=marker_mm)
    return replace(layout, markers_mm=marker_places(layout, marker_mm), marker_size_mm=marker_mm)


def board_file(layout: Layout) -> str:
    """The board file (TOML) of a printed board: its cells, pitch and markers in millimetres."""
    lines = [f'name = "{layout.name}"', f"pitch_mm = {layout.pitch_mm:g}"]
    if layout.marker_size_mm:
        lines.append(f"marker_size_mm = {layout.marker_size_mm:g}")
    if layout.board is not None:
        lines.append("cells = [")
        lines += [f"  [{c.q}, {c.r}], # {name}" for c, name in zip(layout.board.cells, layout.names, strict=True)]
        lines.append("]")
    if layout.markers_mm:
        lines += ["", "[markers_mm]", *(f"{i} = [{x:.2f}, {y:.2f}]" for i, (x, y) in layout.markers_mm)]
    if layout.board is None:
        lines += ["", "[points_mm]"]
        lines += [f'"{n}" = [{x:g}, {y:g}]' for n, (x, y) in zip(layout.names, layout.centres_mm, strict=True)]
    return "\n".join(lines) + "\n"


def board_drawing(layout: Layout, names: bool = True, outline: bool = False) -> Drawing:
    """The board: green hexagons (round places for free cell centres), cell names, the layout's markers."""
    reach = layout.pitch_mm / sqrt(3)
    quiet = (layout.marker_size_mm or 0.0) * (0.5 + _QUIET)
    points = [(x, y, reach) for x, y in layout.centres_mm] + [(x, y, quiet) for _, (x, y) in layout.markers_mm]
    left, low = min(x - r for x, _, r in points), min(y - r for _, y, r in points)
    right, high = max(x + r for x, _, r in points), max(y + r for _, y, r in points)

    def paint(canvas: "Canvas") -> None:
        canvas.translate(-left, -low)
        for name, centre in zip(layout.names, layout.centres_mm, strict=True):
            _cell(canvas, layout, centre, outline)
            if names:
                canvas.setFillColorRGB(*_unit(_GROOVE))
                canvas.setFont("Helvetica", layout.pitch_mm * 0.075)
                canvas.drawCentredString(centre[0], centre[1] - layout.pitch_mm * 0.53, name)
        for marker_id, centre in layout.markers_mm:
            _marker(canvas, BOARD_DICTIONARY, marker_id, centre, layout.marker_size_mm or BOARD_MARKER_MM)

    title = f"Board {layout.name}, {layout.pitch_mm:g} mm from cell to cell"
    return Drawing(title, right - left, high - low, paint)


def disk_drawings(count: int, diameter_mm: float, faces: tuple[Rgb, Rgb], paper_name: str) -> list[Drawing]:
    """Disks to cut out: for each sheet its front, then its back, which fits when the sheet is turned over.

    Raises `InputError` for a number or a size that does not go on the paper.
    """
    if not 1 <= count <= 500 or not 8 <= diameter_mm <= 100:
        raise InputError(f"disks are 1 to 500 of 8 to 100 mm, not {count} of {diameter_mm:g} mm")
    width, height = paper(paper_name).inner_mm
    step = diameter_mm + 4.0
    columns, rows = int((width + 1) // step), int((height + 1) // step)
    drawings = []
    for first in range(0, count, columns * rows):
        here = min(columns * rows, count - first)
        places = [((i % columns + 0.5) * step, height - (i // columns + 0.5) * step) for i in range(here)]
        size = columns * step
        for face, side in ((faces[0], "front"), (faces[1], "back")):
            turned = places if side == "front" else [(size - x, y) for x, y in places]
            title = f"{here} disks of {diameter_mm:g} mm, {side}; print both sides, flip on the long edge"
            drawings.append(Drawing(title, size, height, _disk_painter(turned, diameter_mm, face)))
    return drawings


def _disk_painter(places: list[Point], diameter_mm: float, face: Rgb) -> Callable[["Canvas"], None]:
    def paint(canvas: "Canvas") -> None:
        for x, y in places:
            canvas.setFillColorRGB(*_unit(face))
            canvas.circle(x, y, diameter_mm / 2 + 1.0, stroke=0, fill=1)
            canvas.setStrokeGray(1.0 if sum(face) < 380 else 0.3)
            canvas.setLineWidth(0.15)
            canvas.circle(x, y, diameter_mm / 2, stroke=1, fill=0)

    return paint


def marker_drawing(layout: Layout) -> Drawing:
    """The markers to cut out, each with its white border, and where their centres go about the board."""
    size = layout.marker_size_mm or BOARD_MARKER_MM
    border = size * (1 + 2 * _QUIET)
    cell = border + 16.0
    middle_x, middle_y = (sum(p[axis] for _, p in layout.markers_mm) / len(layout.markers_mm) for axis in (0, 1))
    height = cell * ((len(layout.markers_mm) + 1) // 2)
    placed = sorted(layout.markers_mm, key=lambda marker: (-marker[1][1], marker[1][0]))

    def paint(canvas: "Canvas") -> None:
        for at, (marker_id, (x, y)) in enumerate(placed):
            centre = (cell * (at % 2 + 0.5), height - cell * (at // 2 + 0.5) + 4.0)
            _marker(canvas, BOARD_DICTIONARY, marker_id, centre, size)
            canvas.setDash(1.0, 1.0)
            canvas.setLineWidth(0.15)
            canvas.setStrokeGray(0.5)
            canvas.rect(centre[0] - border / 2, centre[1] - border / 2, border, border)
            canvas.setDash()
            where = f"{'lower' if y < middle_y else 'upper'} {'left' if x < middle_x else 'right'}"
            place = f"centre {x:+.0f} mm across, {y:+.0f} mm up from {_origin(layout)}"
            canvas.setFont("Helvetica-Bold", 3.2)
            canvas.drawCentredString(centre[0], centre[1] - border / 2 - 4.5, f"{marker_id}: {where}")
            canvas.setFont("Helvetica", 2.4)
            canvas.drawCentredString(centre[0], centre[1] - border / 2 - 8.2, place)

    return Drawing(f"Markers for {layout.name}, {size:g} mm ({BOARD_DICTIONARY})", 2 * cell, height, paint)


def _origin(layout: Layout) -> str:
    """What lies at (0, 0) of the board frame, in words."""
    at = next((n for n, c in zip(layout.names, layout.centres_mm, strict=True) if c == (0.0, 0.0)), None)
    return f"the middle of {at}" if at else "the board file's origin"


def charuco_drawing(target: CharucoTarget, inverted: bool = False) -> Drawing:
    """The target of the lens calibration; `inverted` prints white on black."""
    width, height = target.size_mm
    ink, ground = (1.0, 0.0) if inverted else (0.0, 1.0)

    def paint(canvas: "Canvas") -> None:
        if inverted:
            canvas.setFillGray(ground)
            canvas.rect(-10, -10, width + 20, height + 20, stroke=0, fill=1)
        canvas.setFillGray(ink)
        squares, markers = charuco_squares(target)
        for x, y in squares:
            canvas.rect(x, height - y - target.square_mm, target.square_mm, target.square_mm, stroke=0, fill=1)
        for marker_id, (x, y) in markers:
            _bits(canvas, target.dictionary, marker_id, (x, height - y), target.marker_mm)

    title = (
        f"ChArUco {target.columns}x{target.rows}, squares {target.square_mm:g} mm, "
        f"markers {target.marker_mm:g} mm, {target.dictionary}"
    )
    return Drawing(title, width, height, paint)


def _cell(canvas: "Canvas", layout: Layout, centre: Point, outline: bool) -> None:
    canvas.setStrokeColorRGB(*_unit(_GROOVE))
    canvas.setFillColorRGB(*_unit(PASTURE))
    canvas.setLineWidth(0.5)
    if layout.board is None:
        canvas.circle(*centre, layout.pitch_mm * 0.46, stroke=1, fill=0 if outline else 1)
        return
    reach = layout.pitch_mm / sqrt(3)
    path = canvas.beginPath()
    for k in range(6):
        x, y = centre[0] + reach * sin(k * pi / 3), centre[1] + reach * cos(k * pi / 3)
        (path.lineTo if k else path.moveTo)(x, y)
    path.close()
    canvas.drawPath(path, stroke=1, fill=0 if outline else 1)


def _marker(canvas: "Canvas", dictionary: str, marker_id: int, centre: Point, size_mm: float) -> None:
    """A marker with its white border, upright, about its centre."""
    border = size_mm * (1 + 2 * _QUIET)
    canvas.setFillGray(1)
    canvas.rect(centre[0] - border / 2, centre[1] - border / 2, border, border, stroke=0, fill=1)
    canvas.setFillGray(0)
    _bits(canvas, dictionary, marker_id, (centre[0] - size_mm / 2, centre[1] + size_mm / 2), size_mm)


def _bits(canvas: "Canvas", dictionary: str, marker_id: int, upper_left: Point, size_mm: float) -> None:
    """The black modules of a marker, run by run, as one path: no hair lines between them."""
    bits = marker_bits(dictionary, marker_id)
    module = size_mm / len(bits)
    path = canvas.beginPath()
    for row, values in enumerate(bits):
        for column, black in enumerate(values):
            if black:
                path.rect(upper_left[0] + column * module, upper_left[1] - (row + 1) * module, module, module)
    canvas.drawPath(path, stroke=0, fill=1)


def _unit(rgb: Rgb) -> tuple[float, float, float]:
    return rgb[0] / 255, rgb[1] / 255, rgb[2] / 255
