"""A position drawn the way the table looks: hexagons, disks and stacks of men, as SVG.

The drawing is an orthographic view of the board plane tilted towards the viewer, in pixels of `Style.pitch_px` per
cell: heights can be counted, and the picture needs nothing outside itself.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from engine.layout import Layout
from engine.look import NEUTRAL, CellLook, Surface

RGB = tuple[int, int, int]

#: Colours that stand in where the material's own are unknown.
DEFAULT_SURFACES: Mapping[Surface, RGB] = {
    Surface.BEIGE: (214, 190, 150),
    Surface.DARK: (58, 42, 34),
    Surface.LIGHT: (236, 236, 228),
}
DEFAULT_MEN: Mapping[int, RGB] = {1: (176, 32, 38), 2: (88, 42, 120), NEUTRAL: (128, 128, 130)}


@dataclass(frozen=True, slots=True)
class Style:
    """Colours and proportions of a drawing. Lengths with `_share` are shares of the distance between two cells."""

    men: Mapping[int, RGB] = field(default_factory=lambda: DEFAULT_MEN)
    disks: Mapping[Surface, RGB] = field(default_factory=lambda: DEFAULT_SURFACES)
    cell: RGB = (98, 138, 92)
    edge: RGB = (62, 92, 60)
    paper: RGB | None = None
    names: bool = True
    pitch_px: float = 64.0
    tilt_deg: float = 32.0
    man_share: float = 0.66
    disk_share: float = 0.84
    man_thickness_share: float = 0.16
    disk_thickness_share: float = 0.07


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands out: the cells of the last turn, arrows from cell to cell, and cells with a colour of their own."""

    last: tuple[int, ...] = ()
    arrows: tuple[tuple[int, int], ...] = ()
    cells: Mapping[int, RGB] = field(default_factory=dict)


NO_MARKS = Marks()


def draw(
    layout: Layout, looks: Sequence[CellLook], style: Style | None = None, marks: Marks = NO_MARKS, title: str = ""
) -> str:
    """The board with what lies on it as an SVG text. `looks` has one entry a cell, in the layout's order."""
    pen = _Pen(layout, style or Style())
    body = [pen.cell(i, marks) for i in pen.order]
    body += [pen.name(i, marks) for i in pen.order if pen.style.names]
    body += [pen.contents(i, looks[i]) for i in pen.order]
    body += [pen.arrow(source, target, looks) for source, target in marks.arrows]
    return pen.sheet(body, title, _in_words(layout.names, looks))


def _in_words(names: Sequence[str], looks: Sequence[CellLook]) -> str:
    """The men on the board as a sentence, for readers that do not see the picture."""
    who = {1: "first player", 2: "second player", NEUTRAL: "neutral"}
    men = [f"{name} {who[look.men]} {look.height}" for name, look in zip(names, looks, strict=True) if look.men]
    return f"Men on {', '.join(men)}." if men else "No men on the board."


def css(rgb: Iterable[float], light: float = 1.0) -> str:
    """A colour as CSS, made lighter or darker."""
    return "#" + "".join(f"{min(255, max(0, round(v * light))):02x}" for v in rgb)


def _ink(paper: RGB) -> str:
    """Black or white, whichever can be read on a colour."""
    return "#161616" if 0.3 * paper[0] + 0.6 * paper[1] + 0.1 * paper[2] > 120 else "#f4f4f0"


class _Pen:
    """Projects the board and writes its parts as SVG elements."""

    def __init__(self, layout: Layout, style: Style) -> None:
        self.layout, self.style = layout, style
        self.scale = style.pitch_px / layout.pitch_mm
        self.squash = math.cos(math.radians(style.tilt_deg))
        self.rise = math.sin(math.radians(style.tilt_deg)) * style.pitch_px
        self.order = sorted(range(len(layout.names)), key=lambda i: (-layout.centres_mm[i][1], i))

    def place(self, i: int, up_share: float = 0.0) -> tuple[float, float]:
        """The pixel of a cell's centre, `up_share` above the board plane."""
        x, y = self.layout.centres_mm[i]
        return x * self.scale, -y * self.scale * self.squash - up_share * self.rise

    def _outline(self, i: int, share: float) -> str:
        """The points of a cell's border: a hexagon on a lattice, a square on boards with free centres."""
        corners = 6 if self.layout.board is not None else 4
        radius = self.style.pitch_px * share / (2 * math.cos(math.pi / corners))
        x, y = self.place(i)
        turn = math.pi / 2 if corners == 6 else math.pi / 4
        angles = [turn + 2 * math.pi * k / corners for k in range(corners)]
        return " ".join(f"{x + radius * math.cos(a):.1f},{y + radius * math.sin(a) * self.squash:.1f}" for a in angles)

    def cell(self, i: int, marks: Marks) -> str:
        """The bare cell."""
        fill = marks.cells.get(i, self.style.cell)
        edge, width = (css((255, 214, 64)), 3.0) if i in marks.last else (css(self.style.edge), 1.5)
        points = self._outline(i, 0.96 if i in marks.last else 1.0)
        return f'<polygon points="{points}" fill="{css(fill)}" stroke="{edge}" stroke-width="{width}"/>'

    def name(self, i: int, marks: Marks) -> str:
        """The cell's name in its corner nearest to the viewer."""
        (x, y), size = self.place(i), self.style.pitch_px * 0.13
        return (
            f'<text x="{x:.1f}" y="{y + self.style.pitch_px * 0.56 * self.squash:.1f}" font-size="{size:.1f}" '
            f'text-anchor="middle" fill="{_ink(marks.cells.get(i, self.style.cell))}">'
            f"{escape(self.layout.names[i])}</text>"
        )

    def contents(self, i: int, look: CellLook) -> str:
        """Disk and men of a cell."""
        style, out, base = self.style, "", 0.0
        if look.surface is not Surface.BARE:
            rgb = style.disks[look.surface]
            out += self._cylinder(i, base, style.disk_thickness_share, style.disk_share, rgb)
            base = style.disk_thickness_share
        for _ in range(look.height):
            out += self._cylinder(i, base, style.man_thickness_share, style.man_share, style.men[look.men])
            base += style.man_thickness_share
        if look.height > 1:
            x, y = self.place(i, base)
            size = style.pitch_px * 0.3
            out += (
                f'<text x="{x:.1f}" y="{y + size * 0.35:.1f}" font-size="{size:.1f}" font-weight="bold" '
                f'text-anchor="middle" fill="{_ink(style.men[look.men])}">{look.height}</text>'
            )
        return out

    def _cylinder(self, i: int, base: float, thickness: float, share: float, rgb: RGB) -> str:
        """A flat round piece: its side band and its top."""
        rx = self.style.pitch_px * share / 2
        ry = rx * self.squash
        (x, low), (_, high) = self.place(i, base), self.place(i, base + thickness)
        side = (
            f"M{x - rx:.1f} {high:.1f}L{x - rx:.1f} {low:.1f}A{rx:.1f} {ry:.1f} 0 0 0 {x + rx:.1f} {low:.1f}"
            f"L{x + rx:.1f} {high:.1f}Z"
        )
        edge = css(rgb, 0.45)
        return (
            f'<path d="{side}" fill="{css(rgb, 0.7)}" stroke="{edge}"/>'
            f'<ellipse cx="{x:.1f}" cy="{high:.1f}" rx="{rx:.1f}" ry="{ry:.1f}" fill="{css(rgb)}" stroke="{edge}"/>'
        )

    def arrow(self, source: int, target: int, looks: Sequence[CellLook]) -> str:
        """The way of a move between two different cells, from what stands there to what stands there."""
        (x1, y1), (x2, y2) = self._top(source, looks), self._top(target, looks)
        length = math.hypot(x2 - x1, y2 - y1)
        ux, uy, size = (x2 - x1) / length, (y2 - y1) / length, self.style.pitch_px * 0.16
        bx, by = x2 - ux * size, y2 - uy * size
        head = f"M{x2:.1f} {y2:.1f}L{bx - uy * size / 2:.1f} {by + ux * size / 2:.1f}"
        head += f"L{bx + uy * size / 2:.1f} {by - ux * size / 2:.1f}Z"
        return (
            f'<path d="M{x1:.1f} {y1:.1f}L{bx:.1f} {by:.1f}" stroke="#ffd640" stroke-width="4" stroke-opacity="0.85" '
            f'stroke-linecap="round"/><path d="{head}" fill="#ffd640" fill-opacity="0.85"/>'
        )

    def _top(self, i: int, looks: Sequence[CellLook]) -> tuple[float, float]:
        thick = 0.0 if looks[i].surface is Surface.BARE else self.style.disk_thickness_share
        return self.place(i, thick + looks[i].height * self.style.man_thickness_share)

    def sheet(self, body: Sequence[str], title: str, words: str) -> str:
        """The whole picture about the given elements."""
        pitch = self.style.pitch_px
        places = [self.place(i) for i in self.order]
        left, right = min(x for x, _ in places) - pitch * 0.8, max(x for x, _ in places) + pitch * 0.8
        top, bottom = min(y for _, y in places) - pitch * 1.2, max(y for _, y in places) + pitch * 0.8
        head = ""
        if title:
            top -= pitch * 0.4
            head = (
                f'<text x="{(left + right) / 2:.1f}" y="{top + pitch * 0.45:.1f}" font-size="{pitch * 0.3:.1f}" '
                f'text-anchor="middle" fill="#555">{escape(title)}</text>'
            )
        width, height = right - left, bottom - top
        paper = self.style.paper
        ground = f'<rect x="{left:.1f}" y="{top:.1f}" width="100%" height="100%" fill="{css(paper)}"/>' if paper else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}" font-family="sans-serif" '
            'stroke-linejoin="round">\n'
            f"<title>{escape(title or self.layout.name)}</title><desc>{escape(words)}</desc>\n"
            + "\n".join(part for part in (ground, head, *body) if part)
            + "\n</svg>\n"
        )
