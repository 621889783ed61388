"""What the program sees, drawn over the camera's picture: lattice, names, readings, confidences, residual, light."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import CellReading, Surface

if TYPE_CHECKING:
    from vision.finding.find import FoundBoard
    from vision.lamplight.lamp import Lamp
    from vision.palette import Material
    from vision.picture import Picture

#: Names and numbers need cells of this size to be legible; smaller pictures are enlarged.
_LEGIBLE_PITCH_PX = 72
_SURE, _DOUBTFUL = 0.98, 0.8
_SURE_BGR, _DOUBTFUL_BGR, _WRONG_BGR, _UNSEEN_BGR = (90, 220, 90), (40, 190, 255), (60, 60, 255), (200, 200, 200)
_INK, _PAPER = (20, 20, 20), (245, 245, 245)
_FONT = cv2.FONT_HERSHEY_SIMPLEX
#: The words at the top suit pictures so wide; in wider ones they are larger, and never smaller than the second.
_USUAL_WIDTH_PX, _LEAST_TITLE = 1600, 0.2
#: Middle and half the length of the arrow that shows which way shadows fall.
_ARROW_PX, _ARROW_HALF_PX = (28, 54), 18

Bgr = tuple[int, int, int]
Point = tuple[int, int]


def draw_sight(
    image: "Picture",
    layout: Layout,
    found: "FoundBoard",
    material: "Material",
    cells: Sequence[CellReading] | None = None,
    lamp: "Lamp | None" = None,
) -> "Picture":
    """A copy of the picture with all that was seen in it; without `cells` the lattice alone.

    Green outlines are sure, amber doubtful, red very doubtful, grey unseen. A badge in the men's colour holds the
    height; a small square shows the disk, a hollow one a bare cell. An arrow shows which way shadows fall, when a
    `lamp` was found by them.
    """
    pitch_px, centres = _project(layout, found)
    factor = max(1, round(_LEGIBLE_PITCH_PX / pitch_px))
    canvas = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), np.uint8)
    outlines = _outlines(layout, found)
    unit = pitch_px * factor
    # Pixel centres move by half a pixel when a picture is enlarged.
    at = np.round((centres + 0.5) * factor - 0.5).astype(int)
    readings = list(cells) if cells else [None] * len(layout.names)
    # The doubtful ones last: neighbours share their borders.
    for i in sorted(range(len(readings)), key=lambda i: -_shown_confidence(readings[i])):
        outline = np.round((outlines[i] + 0.5) * factor - 0.5).astype(np.int32)
        cv2.polylines(canvas, [outline], True, _confidence_bgr(readings[i]), max(1, round(unit / 50)), cv2.LINE_AA)
    for (x, y), name, reading in zip(at.tolist(), layout.names, readings, strict=True):
        _text(canvas, name, (x, y - round(0.28 * unit)), unit / 150)
        if reading is not None:
            _draw_reading(canvas, reading, (x, y), unit, material)
    large = max(1.0, canvas.shape[1] / _USUAL_WIDTH_PX)
    _write_title(canvas, _summary(layout, found, cells), large)
    if lamp is not None:
        _draw_shadows(canvas, lamp, layout, found, large)
    return canvas


def _write_title(canvas: NDArray[np.uint8], title: str, large: float) -> None:
    """A line along the top, so many times as large as usual, smaller where it would not fit."""
    left, scale = round(10 * large), 0.6 * large
    # letters are a whole number of pixels high, so widths do not follow the scale exactly
    while cv2.getTextSize(title, _FONT, scale, 1)[0][0] > canvas.shape[1] - 2 * left and scale > _LEAST_TITLE:
        scale *= 0.95
    _text(canvas, title, (left, round(22 * large)), scale, centred=False)


def _draw_shadows(canvas: NDArray[np.uint8], lamp: "Lamp", layout: Layout, found: "FoundBoard", large: float) -> None:
    """An arrow the way that shadows fall in the middle of the board, so many times as large as usual; for each lamp
    one, side by side."""
    middle = np.array(layout.centres_mm).mean(axis=0)
    (x, y), aside = np.round(large * np.array(_ARROW_PX)).astype(int).tolist(), round(26 * large)
    for each in lamp.both():
        way, _ = each.shadows(middle[None])
        ends = np.array([[*middle, 0.0], [*(middle + layout.pitch_mm * way[0]), 0.0]])
        tail, tip = found.pose.project(ends)
        step = large * _ARROW_HALF_PX * (tip - tail) / max(float(np.hypot(*(tip - tail))), 1e-6)
        dx, dy = np.round(step).astype(int).tolist()
        for ink, width in ((_INK, round(4 * large)), (_PAPER, round(2 * large))):
            cv2.arrowedLine(canvas, (x - dx, y - dy), (x + dx, y + dy), ink, width, cv2.LINE_AA, tipLength=0.4)
        x += 2 * aside
    _text(canvas, "shadows", (x - aside, y + round(5 * large)), 0.5 * large, centred=False)


def _project(layout: Layout, found: "FoundBoard") -> tuple[float, NDArray[np.float64]]:
    """Typical distance of neighbouring cells, and all centres, in pixels."""
    centres = found.pose.project(np.array([(x, y, 0.0) for x, y in layout.centres_mm]))
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    return float(np.median(apart.min(axis=1))), centres


def _outlines(layout: Layout, found: "FoundBoard") -> NDArray[np.float64]:
    """Corners of every cell in pixels, (cells, corners, 2): hexagons, or circles where cells are no hexagons."""
    count, radius = (6, layout.pitch_mm / np.sqrt(3)) if layout.board else (24, layout.pitch_mm / 2)
    angles = np.radians(np.arange(count) * 360 / count + 30)
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1) * radius
    centres = np.array([(x, y, 0.0) for x, y in layout.centres_mm])
    return found.pose.project(centres[:, None] + ring)


def _shown_confidence(reading: CellReading | None) -> float:
    return 1.0 if reading is None or reading.unseen else reading.confidence()


def _confidence_bgr(reading: CellReading | None) -> Bgr:
    if reading is None or reading.unseen:
        return _UNSEEN_BGR
    confidence = reading.confidence()
    return _SURE_BGR if confidence >= _SURE else _DOUBTFUL_BGR if confidence >= _DOUBTFUL else _WRONG_BGR


def _draw_reading(
    canvas: NDArray[np.uint8], reading: CellReading, at: Point, unit: float, material: "Material"
) -> None:
    """Badge, square and, where there is doubt, the confidence in percent."""
    x, y = at
    below = y + round(0.3 * unit)
    if reading.unseen:
        _text(canvas, "?", (x, below), unit / 130)
        return
    look = reading.best()
    side = max(3, round(0.08 * unit))
    square = (x - round(0.22 * unit), below)
    corners = (square[0] - side, square[1] - side), (square[0] + side, square[1] + side)
    disk = _disk_rgb(look.surface, material)
    if disk is not None:
        cv2.rectangle(canvas, *corners, disk[::-1], -1)
    cv2.rectangle(canvas, *corners, _PAPER if disk is None or sum(disk) < 300 else _INK, 1, cv2.LINE_AA)
    if look.height:
        rgb = material.colours[look.men].rgb
        badge = (x + round(0.2 * unit), below)
        ink = _INK if sum(rgb) > 330 else _PAPER
        cv2.circle(canvas, badge, round(0.15 * unit), rgb[::-1], -1, cv2.LINE_AA)
        cv2.circle(canvas, badge, round(0.15 * unit), ink, 1, cv2.LINE_AA)
        _text(canvas, str(look.height), badge, unit / 180, ink, halo=False)
    if reading.confidence() < _SURE:
        _text(canvas, f"{100 * reading.confidence():.0f}%", (x, y + round(0.02 * unit)), unit / 180)


def _disk_rgb(surface: Surface, material: "Material") -> tuple[int, int, int] | None:
    if surface is Surface.BARE or material.disks is None:
        return None
    return material.disks[1 if surface is Surface.DARK else 0].rgb


def _summary(layout: Layout, found: "FoundBoard", cells: Sequence[CellReading] | None) -> str:
    parts = [layout.name, f"{found.pose.tilt_deg:.0f}° off the vertical"]
    parts += [f"residual {found.residual_px:.2f} px", f"board {found.confidence:.0%}"]
    if found.stretched:
        parts.append(f"pixels {found.pose.lens.pixel_width:.2f} times as wide as high")
    if found.markers_used:
        parts.append(f"markers {', '.join(map(str, found.markers_used))}")
    if cells is not None:
        unseen = sum(cell.unseen for cell in cells)
        sure = sum(not cell.unseen and cell.confidence() >= _SURE for cell in cells)
        parts.append(f"{sure} cells sure, {len(cells) - sure - unseen} doubtful, {unseen} unseen")
    return " | ".join(parts)


def _text(
    canvas: NDArray[np.uint8],
    text: str,
    at: Point,
    scale: float,
    ink: Bgr = _PAPER,
    centred: bool = True,
    halo: bool = True,
) -> None:
    """Text with a dark halo, so that it is legible on everything."""
    thick = max(1, round(scale / 0.9))
    (width, height), _ = cv2.getTextSize(text, _FONT, scale, thick)
    place = (at[0] - width // 2, at[1] + height // 2) if centred else at
    if halo:
        for x, y in ((-thick, -thick), (-thick, thick), (thick, -thick), (thick, thick)):
            cv2.putText(canvas, text, (place[0] + x, place[1] + y), _FONT, scale, _INK, thick, cv2.LINE_AA)
    cv2.putText(canvas, text, place, _FONT, scale, ink, thick, cv2.LINE_AA)
