"""The on-screen twin of the LEDs: the same `LedFrame` drawn in a terminal, to try everything without hardware."""

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.console import Group
from rich.style import Style
from rich.text import Text

from engine.layout import Layout
from hardware.frame import LedFrame, Rgb
from hardware.layout import LedLayout, Panel

#: LEDs are far brighter than a screen: what the usual 96 looks like.
_GAIN = 2.4
_HALF_CELL = 2


def draw_twin(frame: LedFrame, leds: LedLayout, board: Layout) -> Group:
    """The board's cells where they lie, a block for each LED of a cell, and the panels below."""
    rows: dict[int, list[int]] = {}
    row_mm = board.pitch_mm * 3**0.5 / 2
    for i, (_, y) in enumerate(board.centres_mm):
        rows.setdefault(round(-y / row_mm), []).append(i)
    left_mm = min(x for x, _ in board.centres_mm)
    lines = [_row(frame, leds, board, cells, left_mm) for _, cells in sorted(rows.items())]
    return Group(*lines, *(_panel(frame, panel) for panel in leds.panels))


def _row(frame: LedFrame, leds: LedLayout, board: Layout, cells: list[int], left_mm: float) -> Text:
    line = Text()
    width = max(len(lit) for lit in leds.cells)
    step = max(_HALF_CELL, (width + 2) // 2)
    for i in sorted(cells, key=lambda i: board.centres_mm[i][0]):
        column = round((board.centres_mm[i][0] - left_mm) / (board.pitch_mm / 2)) * step
        line.append(" " * max(column - len(line), 0))
        shown = sorted(leds.cells[i]) if len(leds.cells[i]) > 1 else leds.cells[i] * 2
        for led in shown:
            line.append("█", Style(color=_screen(frame[led])))
    return line


def _panel(frame: LedFrame, panel: Panel) -> Text:
    """Two rows of pixels to a line of text."""
    text = Text()
    for y in range(0, panel.height, 2):
        text.append("\n")
        for x in range(panel.width):
            lower = frame[panel.led(x, y + 1)] if y + 1 < panel.height else (0, 0, 0)
            text.append("▀", Style(color=_screen(frame[panel.led(x, y)]), bgcolor=_screen(lower)))
    return text


def _screen(colour: Rgb) -> Color:
    """A LED's colour on a screen; a dark LED stays visible as a dark grey dot."""
    return Color.from_triplet(ColorTriplet(*(max(24, min(255, round(channel * _GAIN))) for channel in colour)))
