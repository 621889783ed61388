"""True-to-scale pages: paper sizes, drawings larger than a page, cutting marks, the control ruler.

All lengths are millimetres with y up, as on the board; reportlab writes them as vectors, so that 1 mm is 1 mm on paper
as long as the printer is told to print at 100 %.
"""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from typing import TYPE_CHECKING

from companion.errors import InputError

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

POINTS_PER_MM = 72 / 25.4

#: Paper sizes, (width, height) in mm, upright.
PAPERS: dict[str, tuple[float, float]] = {"A4": (210.0, 297.0), "A3": (297.0, 420.0), "Letter": (215.9, 279.4)}

SIDE_MM = 14.0
FOOT_MM = 24.0
BLEED_MM = 3.0
RULER_MM = 100.0
_MARK_MM = 5.0
_LARGEST_PAGES = 60


@dataclass(frozen=True, slots=True)
class Page:
    """A sheet of paper: its size, and the part of it that holds the drawing (the rest is margin, marks and ruler)."""

    width_mm: float
    height_mm: float

    @property
    def inner_mm(self) -> tuple[float, float]:
        """Width and height of the part for the drawing."""
        return self.width_mm - 2 * SIDE_MM, self.height_mm - SIDE_MM - FOOT_MM


@dataclass(frozen=True, slots=True)
class Drawing:
    """Something to print: its size in mm and the function that paints it with (0, 0) at its lower left corner."""

    title: str
    width_mm: float
    height_mm: float
    paint: Callable[["Canvas"], None]


def paper(name: str, landscape: bool = False) -> Page:
    """The sheet called A4, A3 or Letter. Raises `InputError` for another name."""
    for known, (width, height) in PAPERS.items():
        if known.lower() == name.lower():
            return Page(height, width) if landscape else Page(width, height)
    raise InputError(f"unknown paper '{name}'; known are {', '.join(PAPERS)}")


def tiling(drawing: Drawing, paper_name: str) -> tuple[Page, int, int]:
    """The page (upright or across) that needs the fewest sheets, and how many columns and rows of sheets.

    Raises `InputError` for a drawing that would need more than 60 sheets.
    """

    def sheets(page: Page) -> tuple[int, int]:
        width, height = page.inner_mm
        return ceil(drawing.width_mm / width - 1e-9), ceil(drawing.height_mm / height - 1e-9)

    pages = [paper(paper_name), paper(paper_name, landscape=True)]
    best = min(pages, key=lambda p: sheets(p)[0] * sheets(p)[1])
    columns, rows = sheets(best)
    if columns * rows > _LARGEST_PAGES:
        raise InputError(
            f"{drawing.title} is {drawing.width_mm:.0f} × {drawing.height_mm:.0f} mm and needs {columns * rows} sheets "
            f"of {paper_name}; at most {_LARGEST_PAGES} are printed: choose larger paper or a smaller pitch"
        )
    return best, columns, rows


def pdf_of(drawings: list[Drawing], paper_name: str) -> bytes:
    """A PDF with every drawing at true scale, larger ones cut into tiles. Raises `InputError`."""
    from reportlab.pdfgen.canvas import Canvas

    out = BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.setCreator("storisende")
    canvas.setTitle(drawings[0].title)
    for drawing in drawings:
        page, columns, rows = tiling(drawing, paper_name)
        for row in range(rows):
            for column in range(columns):
                canvas.setPageSize((page.width_mm * POINTS_PER_MM, page.height_mm * POINTS_PER_MM))
                canvas.scale(POINTS_PER_MM, POINTS_PER_MM)
                _tile(canvas, drawing, page, (column, row), (columns, rows))
                canvas.showPage()
    canvas.save()
    return out.getvalue()


def _tile(canvas: "Canvas", drawing: Drawing, page: Page, place: tuple[int, int], count: tuple[int, int]) -> None:
    """One sheet: its part of the drawing with a little bleed, cutting marks, ruler. Row 0 is the top row."""
    (column, row), (columns, rows) = place, count
    width, height = page.inner_mm
    tile_w, tile_h = drawing.width_mm / columns, drawing.height_mm / rows
    left, low = SIDE_MM + (width - tile_w) / 2, FOOT_MM + (height - tile_h) / 2
    canvas.saveState()
    clip = canvas.beginPath()
    clip.rect(left - BLEED_MM, low - BLEED_MM, tile_w + 2 * BLEED_MM, tile_h + 2 * BLEED_MM)
    canvas.clipPath(clip, stroke=0, fill=0)
    canvas.translate(left - column * tile_w, low - (rows - 1 - row) * tile_h)
    drawing.paint(canvas)
    canvas.restoreState()
    label = drawing.title
    if columns * rows > 1:
        _cutting_marks(canvas, left, low, tile_w, tile_h)
        label += f" · sheet {row * columns + column + 1} of {columns * rows}: row {row + 1}, column {column + 1}"
    _foot(canvas, page, label)


def _cutting_marks(canvas: "Canvas", left: float, low: float, width: float, height: float) -> None:
    """Hair lines outside the four corners of a tile: cut along them, butt the tiles, tape from behind."""
    canvas.setLineWidth(0.15)
    canvas.setStrokeGray(0)
    for x, outwards in ((left, -1), (left + width, 1)):
        for y, upwards in ((low, -1), (low + height, 1)):
            gap, end = BLEED_MM + 0.5, BLEED_MM + 0.5 + _MARK_MM
            canvas.line(x + outwards * gap, y, x + outwards * end, y)
            canvas.line(x, y + upwards * gap, x, y + upwards * end)


def _foot(canvas: "Canvas", page: Page, label: str) -> None:
    """The control ruler, 100 mm between the outer edges of its end strokes' centres, and what the sheet is."""
    left, y = (page.width_mm - RULER_MM) / 2, 10.0
    canvas.setStrokeGray(0)
    canvas.setFillGray(0)
    canvas.setLineWidth(0.2)
    canvas.line(left, y, left + RULER_MM, y)
    for mm in range(int(RULER_MM) + 1):
        length = 4.0 if mm % 50 == 0 else 3.0 if mm % 10 == 0 else 1.5
        if mm % 5 == 0:
            canvas.line(left + mm, y, left + mm, y + length)
    canvas.setFont("Helvetica", 2.6)
    canvas.drawCentredString(
        page.width_mm / 2, y - 3.4, "100 mm: measure it. If it is not 100 mm, print at 100 % (actual size)."
    )
    canvas.setFont("Helvetica-Bold", 2.8)
    canvas.drawCentredString(page.width_mm / 2, y + 5.2, label)
