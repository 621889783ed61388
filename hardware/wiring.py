"""A wiring picture: the cells of a board and the panels with the order of their LEDs, as SVG seen from above."""

from collections.abc import Sequence
from itertools import pairwise
from xml.sax.saxutils import escape

from hardware.layout import LedLayout, Panel

_PITCH = 60.0
_MARGIN = 50.0
_PIXEL = 22.0

Point = tuple[float, float]


def wiring_svg(layout: LedLayout, centres_mm: Sequence[Point], pitch_mm: float) -> str:
    """The picture of a layout; `centres_mm` are the cells' centres (x right, y up) in the order of `layout.names`."""
    scale = _PITCH / pitch_mm
    left, top = min(x for x, _ in centres_mm), max(y for _, y in centres_mm)
    centres = [((x - left) * scale + _MARGIN, (top - y) * scale + _MARGIN) for x, y in centres_mm]
    leftwards = _leftwards(layout, centres)
    places: dict[int, Point] = {}
    shapes: list[str] = []
    for i, (name, leds, (x, y)) in enumerate(zip(layout.names, layout.cells, centres, strict=True)):
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_PITCH * 0.46:.1f}" class="cell"/>')
        shapes.append(f'<text x="{x:.1f}" y="{y - 12:.1f}" class="name">{escape(name)}</text>')
        places |= _in_cell(sorted(leds, reverse=i in leftwards), x, y)
    width = max(x for x, _ in centres) + _MARGIN
    bottom = max(y for _, y in centres) + _MARGIN
    for panel in layout.panels:
        shapes.append(f'<text x="{_MARGIN}" y="{bottom:.1f}" class="title">{escape(panel.name)}</text>')
        places |= _in_panel(panel, _MARGIN, bottom + _PIXEL)
        width = max(width, 2 * _MARGIN + panel.width * _PIXEL)
        bottom += (panel.height + 2) * _PIXEL
    shapes += _wire([places[led] for led in sorted(places)])
    for led, (x, y) in sorted(places.items()):
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" class="led"/>')
        shapes.append(f'<text x="{x:.1f}" y="{y + 3:.1f}" class="number">{led}</text>')
    return _document(width, bottom + _MARGIN / 2, shapes)


def _leftwards(layout: LedLayout, centres: list[Point]) -> set[int]:
    """The cells through which the wire runs from right to left, as far as their neighbours on it in the row tell."""
    wire = sorted(range(len(centres)), key=lambda i: min(layout.cells[i]))
    left: set[int] = set()
    for i, j in pairwise(wire):
        if abs(centres[i][1] - centres[j][1]) < 1 and centres[j][0] < centres[i][0]:
            left |= {i, j}
    return left


def _in_cell(leds: Sequence[int], x: float, y: float) -> dict[int, Point]:
    """The LEDs of a cell side by side, from the left."""
    gap = min(17.0, _PITCH * 0.8 / len(leds))
    return {led: (x + (i - (len(leds) - 1) / 2) * gap, y + 6) for i, led in enumerate(leds)}


def _in_panel(panel: Panel, left: float, top: float) -> dict[int, Point]:
    return {
        panel.led(x, y): (left + x * _PIXEL, top + y * _PIXEL) for x in range(panel.width) for y in range(panel.height)
    }


def _wire(points: list[Point]) -> list[str]:
    """The data line from the first LED to the last."""
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[0]
    return [
        f'<polyline points="{line}" class="wire"/>',
        f'<text x="{x:.1f}" y="{y + 20:.1f}" class="title">data in</text>',
    ]


def _document(width: float, height: float, shapes: list[str]) -> str:
    style = (
        "text{font-family:sans-serif;text-anchor:middle;fill:#222}.name{font-size:11px}.number{font-size:7px}"
        ".title{font-size:11px;fill:#06c}.cell{fill:#f4f0e6;stroke:#998}.led{fill:#fff;stroke:#c40}"
        ".wire{fill:none;stroke:#06c;stroke-width:1.5;stroke-linejoin:round}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}"><style>{style}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )
