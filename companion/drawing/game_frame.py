"""A position of a game as a picture (BGR): names, score and turn at the top, the board below."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.drawing.draw import Style
from companion.drawing.showing import cells_of_turn, style_of
from engine.look import CellLook, Surface
from engine.records.record import Record, Step

Picture = NDArray[np.uint8]
Bgr = tuple[int, int, int]

_PAPER: Bgr = (230, 239, 243)
_INK: Bgr = (23, 29, 35)
_SOFT: Bgr = (86, 97, 108)
_LAST: Bgr = (0, 180, 240)
_SHIFT = 4  # fractional bits of OpenCV's drawing coordinates
_FONT = cv2.FontFace("sans")


@dataclass(frozen=True, slots=True)
class Canvas:
    """Where a board goes in a picture: its size in pixels and the scale and offset of the cells."""

    width_px: int
    height_px: int
    scale_px: float
    left_px: float
    top_px: float


def frame(record: Record, step: Step, width_px: int = 960) -> Picture:
    """The position after a ply, `width_px` wide and three quarters as high."""
    height = round(width_px * 0.75)
    picture = np.full((height, width_px, 3), _PAPER, np.uint8)
    style, looks = style_of(record), step.position.look()
    canvas = _fit(record, width_px, height)
    marked = cells_of_turn(record.board, step.text) if not step.text.startswith("!") else ()
    for i in range(len(looks)):
        _cell(picture, canvas, record, i, style, i in marked)
    for i in sorted(range(len(looks)), key=lambda i: record.board.cells[i].r):
        _contents(picture, canvas, record, i, looks[i], style)
    _headline(picture, record, step, style)
    return picture


def _fit(record: Record, width: int, height: int) -> Canvas:
    """The largest scale at which the board fits below the headline."""
    places = [_axial(record, i) for i in range(len(record.board))]
    xs, ys = [x for x, _ in places], [y for _, y in places]
    wide, high = max(xs) - min(xs) + 1.2, max(ys) - min(ys) + 1.5
    top = height * 0.15
    scale = min(width * 0.96 / wide, (height - top - height * 0.02) / high)
    left = width / 2 - scale * (max(xs) + min(xs)) / 2
    return Canvas(width, height, scale, left, top + (height - top) / 2 - scale * ((max(ys) + min(ys)) / 2 - 0.1))


def _axial(record: Record, i: int) -> tuple[float, float]:
    q, r = record.board.cells[i]
    return q + r / 2, r * sqrt(3) / 2


def _centre(canvas: Canvas, record: Record, i: int) -> tuple[float, float]:
    x, y = _axial(record, i)
    return canvas.left_px + x * canvas.scale_px, canvas.top_px + y * canvas.scale_px


def _fixed(*values: float) -> tuple[int, ...]:
    """Pixels as OpenCV's fixed-point numbers."""
    return tuple(round(v * (1 << _SHIFT)) for v in values)


def _disc(picture: Picture, x: float, y: float, radius: float, colour: Bgr, width: int = -1) -> None:
    cv2.circle(picture, _fixed(x, y)[:2], _fixed(radius)[0], colour, width, cv2.LINE_AA, _SHIFT)


def _bgr(rgb: Sequence[float], light: float = 1.0) -> Bgr:
    red, green, blue = (min(255, round(v * light)) for v in rgb)
    return blue, green, red


def _cell(picture: Picture, canvas: Canvas, record: Record, i: int, style: Style, marked: bool) -> None:
    x, y = _centre(canvas, record, i)
    reach = canvas.scale_px / sqrt(3)

    def hexagon(size: float) -> list[NDArray[np.int32]]:
        corners = [_fixed(x + size * sin(k * pi / 3), y + size * cos(k * pi / 3)) for k in range(6)]
        return [np.array(corners, np.int32)]

    cv2.fillPoly(picture, hexagon(reach), _bgr(style.cell), cv2.LINE_AA, _SHIFT)
    thick = max(1, round(canvas.scale_px / 32))
    cv2.polylines(picture, hexagon(reach), True, _bgr(style.edge), thick, cv2.LINE_AA, _SHIFT)
    if marked:
        cv2.polylines(picture, hexagon(reach * 0.91), True, _LAST, 2 * thick, cv2.LINE_AA, _SHIFT)


def _contents(picture: Picture, canvas: Canvas, record: Record, i: int, look: CellLook, style: Style) -> None:
    """Disk and stack, seen a little from the front; a stack has its height on it."""
    (x, y), unit = _centre(canvas, record, i), canvas.scale_px
    if look.surface is not Surface.BARE:
        rgb = style.disks[look.surface]
        _disc(picture, x, y, unit * 0.43, _bgr(rgb, 0.75))
        _disc(picture, x, y, unit * 0.415, _bgr(rgb))
        if look.surface is Surface.DARK:
            _disc(picture, x, y, unit * 0.36, _bgr(rgb, 1.7), max(1, round(unit / 40)))
    if not look.men:
        return
    rgb = style.men[look.men]
    for level in range(look.height):
        up = level * unit * 0.09
        _disc(picture, x, y - up + unit * 0.045, unit * 0.325, _bgr(rgb, 0.5))
        _disc(picture, x, y - up - unit * 0.02, unit * 0.325, _bgr(rgb))
    top = y - (look.height - 1) * unit * 0.09 - unit * 0.02
    ink = _ink(rgb)
    (b, g, r), face = ink, _bgr(rgb)
    groove = (b + 2 * face[0]) // 3, (g + 2 * face[1]) // 3, (r + 2 * face[2]) // 3
    _disc(picture, x, top, unit * 0.25, groove, max(1, round(unit / 40)))
    if look.height > 1:
        _write(picture, str(look.height), (x, top + unit * 0.13), unit * 0.36, ink, 800, 0.5)


def _ink(rgb: Sequence[int]) -> Bgr:
    return (22, 22, 22) if 0.3 * rgb[0] + 0.6 * rgb[1] + 0.1 * rgb[2] > 120 else (255, 255, 255)


def _write(
    picture: Picture, text: str, at: tuple[float, float], size: float, ink: Bgr, weight: int = 400, align: float = 0.0
) -> None:
    """Text with its baseline at a point; `align` 0 begins there, 0.5 is centred, 1 ends there."""
    height = max(8, round(size))
    box = cv2.getTextSize((10_000, 1_000), text, (0, 0), _FONT, height, weight)
    left = round(at[0] - align * (box[0] + box[2]))
    cv2.putText(picture, text, (left, round(at[1])), ink, _FONT, height, weight)


def _headline(picture: Picture, record: Record, step: Step, style: Style) -> None:
    """Both players with their scores, and the turn that led here."""
    height, width = picture.shape[:2]
    size, line = height * 0.075, height * 0.095
    for side, align in ((0, 0.0), (1, 1.0)):
        edge = width * (0.025 if side == 0 else 0.975)
        inwards = 1 if side == 0 else -1
        _disc(picture, edge + inwards * size * 0.4, line - size * 0.36, size * 0.42, _bgr(style.men[side + 1]))
        _write(picture, record.players[side].name[:18], (edge + inwards * size, line), size * 0.62, _INK, 600, align)
        score = "0" if step.position.stage == "placement" else str(step.position.score()[side])
        _write(picture, score, (width / 2 - inwards * width * 0.15, line), size, _INK, 800, 0.5)
    turn = f"{step.ply}. {step.text}" if step.ply else "start"
    _write(picture, turn[:26], (width / 2, height * 0.034), size * 0.4, _SOFT, 400, 0.5)
    _write(picture, ":", (width / 2, line), size, _SOFT, 600, 0.5)
