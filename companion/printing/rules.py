"""The one-page sheet that lies beside the board: set-up, material and rules of a game in short."""

from math import cos, pi, sin
from typing import TYPE_CHECKING

from companion.errors import InputError
from companion.printing.pages import Drawing, paper
from engine.board import hexhex
from engine.layout import axial_to_mm

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

Section = tuple[str, list[str]]

_COMMON = """
# Material
A board of hexagons (base 4 for beginners, 5 or 6) or of seven-cell modules.

A thin disk for every cell, beige above and dark below; about 20 flat men for each of two players.

Every cell begins with its disk beige side up: <b>virgin</b>. A cell without a disk is <b>pasture</b>, a cell with the
dark side up is <b>wall</b>.

# Set-up
{setup}

# What a move does
A piece is a man or a stack of one colour. Move one of your pieces, or pass. It goes straight, in one of six
directions, <b>as many cells as it is high</b>. You may split a stack: the top part moves by its own height.

Landing on your own piece joins it; landing on the other colour captures, whatever the heights.

Gaps in the board count as cells. They may be jumped but not landed on.

# What the leaving does
A virgin cell that becomes empty changes at once. It turns into pasture (take the disk away) if it touches no
pasture or only one territory; if it would join two territories it turns into wall (dark side up).

<b>Sprout:</b> if exactly two men leave a virgin cell together, one new man of their colour is set on it.

# The wall
{wall}

# The end
Two passes in a row end the game; so does the third time the same position with the same player to move.

Virgin cells now count as territory. A territory belongs to the player who alone has men in it: one point a cell.
Men on the wall control nothing.

"""

_TABLE = """
# Camera and table
Set the camera above the table or on a tripod, up to 50° from straight above, with the whole board in the picture.

Even light; no lamp mirrored in the men.

Open the companion with <b>storisende serve</b> and follow its set-up page. Take the hand away after each move.
"""

_CASTLE = """
# Material and set-up
A hexagon board with six cells a side; the castle is its middle: the Throne, the six cells about it and the six
cells two steps away on the straight lines. Men of two colours.

White sets one man. Then the players take turns to set two men: one next to the man set last, one with no
neighbours at all. Nobody sets men in the castle. Who cannot set the second man ends the placement; the other
begins to play.

# Moving
A man goes any distance along an open line. From outside it may neither enter nor cross the castle.

An unbroken line of men of one colour is a phalanx. It moves as a whole along its line, at most its length less
one cells, not over its own men. A part of it may move as a phalanx, too. A phalanx may enter the castle; its
men that then are still outside are taken off.

# Switching
A man may halt on the first man of the other colour on its line; that man goes to the last vacant cell before it
and may not switch back at once.

A phalanx may run over a smaller one on its line; the men run over go behind it. From outside nobody inside is
switched.

# The Throne
Who has a man on the Throne at the end of his turn wins. Only a phalanx gets there: its head must stand next to
the Throne or one cell further on the straight line, with a vacant cell between.

Before the move its player must have at least as many men in the castle as the other, and more men there than
vacant cells are left, the Throne included.

# The end
The Throne. The third time the same position with the same player to move is a draw. Nobody passes unless he has
no move.
"""

_PHALANX = """
# Material and set-up
A hexagon board, base 6 on most tables; men of two colours, and dark disks for the wall.

One player sets one red and two yellow men (or two and three). The other chooses his colour; then whoever has
Red sets one more red man, and Yellow moves.

# A turn
Men of one colour that touch are a group. In a turn you may grow any of your groups by one man, then move any of
those that did not grow; or pass.

A new man may join groups; each of them then has grown. No group may grow twice in a turn.

# Moving
One straight unbroken line of a group, a phalanx, moves along its line, head first, at most its length less one
cells, not onto or over the wall or its own men. One phalanx a group. A group that another one moves into may
not move any more.

# Capturing
A phalanx moves over men of the other colour if it is longer than each of their unbroken lines on its way. The
men covered are prisoners. The men on top go back to their owner, and their cells become wall for both.

# The end
Two passes in a row end the game. Vacant regions that touch men of one colour only count for that colour, less
the men it has lost as prisoners. The third time the same position ends the game and the score counts.
"""

_HEXTEROYD = """
# Material and set-up
A hexagon board with five cells a side, sixty disks that are white on one side and dark on the other, and for
each player pawns of the values 1, 1, 1, 2, 2, 3 (a pawn of value n may be a stack of n neutral men).

Six disks lie about the middle, white and dark by turns. White begins.

# Placing a pawn
Set a pawn from your hand on a free cell next to at least as many of your disks as its value; exactly so many of
them, of your choice, are turned over.

Then, if you like, one of two things: put your disks on all free cells next to it, or turn up to its value of
the other player's disks next to it that were not just turned.

# Taking a pawn back
You may take a pawn into your hand that has at least as many of your disks about it as the other's plus its
value. One of your disks takes its place.

# The end
Pass when you like; two passes in a row end the game. Disks of one colour that touch are a group; a group is
worth the pawns next to it. Your score is your best group less the pawns in your hand.
"""


def _storisende(setup: str, wall: str) -> str:
    return _COMMON.format(setup=setup, wall=wall)


#: Rule set, or game with one rule set only → title and text.
_SHEETS = {
    "castle": ("Castle: the older Storisende", _CASTLE),
    "phalanx": ("Phalanx", _PHALANX),
    "hexteroyd": ("Hexteroyd", _HEXTEROYD),
    "mindsports": (
        "Storisende",
        _storisende(
            setup="""
Agree on a number from 2 to 5. The placer sets that many men of one colour, stacked as he likes.

The chooser takes that side, or the other. The other side then sets as many men of its colour. The side that was set
first makes the first move.
""",
            wall="""
From below nobody lands on the wall. A stack may jump a wall cell only where a piece of its own colour stands.

A piece on the wall jumps over anything and lands anywhere, exactly as far as it is high.
""",
        ),
    ),
    "ersatz": (
        "Storisende, Ersatz rules",
        _storisende(
            setup="""
The first player puts a stack of two on any cell. The second takes it over and moves first, or puts a stack of two of
his own on an empty cell.
""",
            wall="""
Nobody lands on a wall cell. A piece jumps wall cells only where a piece of its own colour stands on each.

A piece on the wall, a single too, moves any distance in a straight line over anything.
""",
        ),
    ),
}


def _sections(text: str) -> list[Section]:
    """Headings (lines with #) with their paragraphs (parted by empty lines)."""
    sections = []
    for part in text.split("# ")[1:]:
        heading, _, body = part.partition("\n")
        sections.append((heading, [" ".join(p.split()) for p in body.split("\n\n") if p.strip()]))
    return sections


def rules_drawing(rules: str, paper_name: str) -> Drawing:
    """The sheet of a rule set on one page. Raises `InputError` for a rule set without a sheet."""
    if rules not in _SHEETS:
        raise InputError(f"no sheet '{rules}'; known are {', '.join(_SHEETS)}")
    title, text = _SHEETS[rules]
    width, height = paper(paper_name).inner_mm

    def paint(canvas: "Canvas") -> None:
        canvas.setFillGray(0)
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(0, height - 9, title)
        canvas.setFont("Helvetica", 4)
        canvas.drawString(0, height - 16, "Rules and set-up on one page")
        _flower(canvas, width - 17.0, height - 14.0)
        _columns(canvas, _sections(text + _TABLE), width, height - 34.0)

    return Drawing(f"{title}: rules and set-up", width, height, paint)


def _columns(canvas: "Canvas", sections: list[Section], width: float, top: float) -> None:
    """The sections in two columns, the second beginning with the section that crosses the middle."""
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph

    heading = ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=4.6, leading=6.2, spaceBefore=2)
    body = ParagraphStyle("body", fontName="Helvetica", fontSize=3.7, leading=4.9)
    column = (width - 8.0) / 2
    blocks = []
    for name, texts in sections:
        parts = [Paragraph(name, heading), *(Paragraph(text, body) for text in texts)]
        sizes = [part.wrap(column, 1000.0)[1] + 1.6 for part in parts]
        blocks.append((parts, sizes, sum(sizes) + 4.0))
    total = sum(block[2] for block in blocks)
    used, left, y = 0.0, 0.0, top
    for parts, sizes, block_height in blocks:
        if left == 0.0 and used + block_height / 2 > total / 2:
            left, y = column + 8.0, top
        for part, size in zip(parts, sizes, strict=True):
            part.drawOn(canvas, left, y - size)
            y -= size
        used += block_height
        y -= 4.0


def _flower(canvas: "Canvas", x: float, y: float) -> None:
    """One module in the three states of a cell: the emblem of the sheet."""
    faces = ("#e3cfa4", "#5c8c4a", "#3b2a22", "#e3cfa4", "#5c8c4a", "#e3cfa4", "#5c8c4a")
    centres = [axial_to_mm(c, 9.0) for c in hexhex(3).cells if max(abs(c.q), abs(c.r), abs(c.q + c.r)) <= 1]
    for (dx, dy), face in zip(centres, faces, strict=True):
        path = canvas.beginPath()
        for k in range(6):
            corner = (x + dx + 5.0 * sin(k * pi / 3), y + dy + 5.0 * cos(k * pi / 3))
            (path.lineTo if k else path.moveTo)(*corner)
        path.close()
        canvas.setFillColor(face)
        canvas.setStrokeGray(1)
        canvas.setLineWidth(0.5)
        canvas.drawPath(path, stroke=1, fill=1)
