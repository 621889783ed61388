"""The board and the game drawn in a terminal, in colour."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.style import Style
from rich.text import Text

from engine.board import Board
from engine.look import NEUTRAL, CellLook, Surface

RGB = tuple[int, int, int]

#: Colours of the surfaces where the material's own are unknown.
SURFACE_RGB: Mapping[Surface, RGB] = {
    Surface.BEIGE: (214, 190, 150),
    Surface.BARE: (62, 118, 62),
    Surface.DARK: (58, 42, 34),
    Surface.LIGHT: (236, 236, 228),
}
NEUTRAL_RGB: RGB = (128, 128, 130)
#: Cells that the board itself marks, whatever lies on them, by the word of their tile.
GROUND_RGB: Mapping[str, RGB] = {"castle": (150, 140, 112), "throne": (196, 160, 72)}
_TEXTURE = {Surface.BEIGE: "  ", Surface.BARE: "··", Surface.DARK: "▒▒", Surface.LIGHT: "  "}
#: A mark a player, so that the board can be read without colours as well.
_MEN = {1: "●", 2: "○", NEUTRAL: "◆"}
_CELL_WIDTH = 4
#: A cell of which nothing is known.
_UNSEEN = Text(" ?  ", Style(dim=True))


def _colour(rgb: RGB) -> Color:
    return Color.from_triplet(ColorTriplet(*rgb))


def _ink(paper: RGB) -> RGB:
    """Black or white, whichever can be read on `paper`."""
    return (20, 20, 20) if 0.3 * paper[0] + 0.6 * paper[1] + 0.1 * paper[2] > 110 else (240, 240, 240)


def ground_of(tiles: Iterable[tuple[str, int, int]]) -> dict[int, RGB]:
    """The cells that the board itself marks, with their colours."""
    return {i: GROUND_RGB[word] for i, (word, _, _) in enumerate(tiles) if word in GROUND_RGB}


def cell_text(
    look: CellLook, men_rgb: Mapping[int, RGB], marked: bool = False, bare: RGB = SURFACE_RGB[Surface.BARE]
) -> Text:
    """One cell, four columns wide: the surface as paper, the men as a mark a player, a stack with its height."""
    paper = bare if look.surface is Surface.BARE else SURFACE_RGB[look.surface]
    style = Style(color=_colour(_ink(paper)), bgcolor=_colour(paper), bold=marked)
    if not look.men:
        texture = "::" if paper in GROUND_RGB.values() else _TEXTURE[look.surface]
        return Text(f"<{texture}>" if marked else f" {texture} ", style)
    man = men_rgb[look.men]
    inside = Style(color=_colour(_ink(man)), bgcolor=_colour(man), bold=True, underline=marked)
    text = Text("", style)
    text.append(" ", style)
    text.append(f"{_MEN[look.men]}{look.height if look.height > 1 else ' '}", inside)
    text.append(" ", style)
    return text


def board_text(
    board: Board,
    looks: Sequence[CellLook],
    men_rgb: Mapping[int, RGB],
    marked: frozenset[int] = frozenset(),
    ground: Mapping[int, RGB] | None = None,
    unseen: Collection[int] = (),
) -> Text:
    """The whole board as coloured lines, rows half a cell apart.

    `marked` cells (the last move) stand out; `ground` has the colours of bare cells that the board marks; of `unseen`
    ones nobody knows what lies there.
    """
    bare = dict.fromkeys(range(len(board)), SURFACE_RGB[Surface.BARE]) | dict(ground or {})
    men_rgb = {NEUTRAL: NEUTRAL_RGB, **men_rgb}
    left = min(2 * c.q + c.r for c in board.cells)
    rows: dict[int, list[int]] = {}
    for i, cell in enumerate(board.cells):
        rows.setdefault(cell.r, []).append(i)
    lines = []
    for r, indices in sorted(rows.items()):
        line, column = Text(f"{board.names[indices[0]][0]} "), 0
        for i in indices:
            at = (2 * board.cells[i].q + r - left) * _CELL_WIDTH // 2
            line.append(" " * (at - column))
            line.append_text(_UNSEEN if i in unseen else cell_text(looks[i], men_rgb, i in marked, bare[i]))
            column = at + _CELL_WIDTH
        lines.append(line)
    return Text("\n").join(lines)


def looks_table(names: Sequence[str], looks: Sequence[CellLook], words: Sequence[str | None]) -> Text:
    """The cells that hold men, a line each; for boards that are not drawn in rows."""
    lines = [f"{n}  {look.height} {word}" for n, look, word in zip(names, looks, words, strict=True) if look.men]
    return Text("\n".join(lines) or "no men on the board")
