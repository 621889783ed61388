"""`storisende print`: true-to-scale PDFs of what a table needs."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from companion.files import check_writable
from companion.options import FILE, board_option

if TYPE_CHECKING:
    from companion.printing.pages import Drawing
    from engine.layout import Layout

F = TypeVar("F", bound=Callable[..., Any])

_paper: Callable[[F], F] = click.option(
    "--paper", type=click.Choice(["A4", "A3", "Letter"], case_sensitive=False), default="A4", show_default=True
)
_pitch: Callable[[F], F] = click.option(
    "--pitch-mm", type=float, help="Distance of two neighbouring cells; default the board file's, or 40."
)
_marker_size: Callable[[F], F] = click.option(
    "--marker-mm",
    type=click.FloatRange(10, 150),
    default=36.0,
    show_default=True,
    help="Side of a marker's black part.",
)


def _out(name: str) -> Callable[[F], F]:
    return click.option("--out", type=FILE, default=Path(name), show_default=True, help="The PDF to write.")


@click.group()
def command() -> None:
    """Print boards, disks, markers, the lens target and a rules sheet, true to scale."""


def _write(drawings: list["Drawing"], paper: str, out: Path) -> None:
    """Write the PDF and say what it is."""
    from companion.printing.pages import pdf_of, tiling

    check_writable(out, "PDF")
    pdf = pdf_of(drawings, paper)
    out.write_bytes(pdf)
    sheets = sum(columns * rows for _, columns, rows in (tiling(d, paper) for d in drawings))
    click.echo(f"{out}: {drawings[0].title}; {sheets} {'sheet' if sheets == 1 else 'sheets'} of {paper}")
    click.echo("Print at 100 % (actual size) and measure the ruler at the foot: 100 mm.")


def _placed(layout: "Layout", pitch_mm: float | None, marker_mm: float) -> "Layout":
    from companion.printing.parts import printed_layout, scaled

    return printed_layout(scaled(layout, pitch_mm), marker_mm)


@command.command()
@board_option
@_paper
@_pitch
@_marker_size
@click.option("--names/--no-names", default=True, help="Small cell names in the grooves.")
@click.option("--markers/--no-markers", default=True, help="The four markers at the corners.")
@click.option("--outline", is_flag=True, help="Only lines: saves ink, for coloured paper or cloth.")
@click.option("--board-file", type=FILE, help="Also write the board file (TOML) with the true dimensions.")
@_out("board.pdf")
def board(
    layout: "Layout",
    paper: str,
    pitch_mm: float | None,
    marker_mm: float,
    names: bool,
    markers: bool,
    outline: bool,
    board_file: Path | None,
    out: Path,
) -> None:
    """A board of any layout, cut into sheets with cutting marks."""
    from companion.printing import parts

    check_writable(board_file, "board file")
    placed = _placed(layout, pitch_mm, marker_mm) if markers else parts.scaled(layout, pitch_mm)
    _write([parts.board_drawing(placed, names, outline)], paper, out)
    if board_file is not None:
        board_file.write_text(parts.board_file(placed), encoding="utf-8")
        click.echo(f"{board_file}: give it as --board, and the eye knows the true dimensions")


@command.command()
@click.option("--count", type=int, default=40, show_default=True)
@click.option("--diameter-mm", type=float, default=34.0, show_default=True)
@click.option(
    "--disks", default="beige,dark", show_default=True, metavar="BEIGE,DARK", help="Colours of the two faces."
)
@_paper
@_out("disks.pdf")
def disks(count: int, diameter_mm: float, disks: str, paper: str, out: Path) -> None:
    """Two-sided disks to cut out: fronts and backs on following pages."""
    from companion.options import read_material
    from companion.printing.parts import disk_drawings

    faces = read_material("red,blue", disks).disks
    if faces is None:
        raise click.UsageError("--disks none: there is nothing to print")
    _write(disk_drawings(count, diameter_mm, (faces[0].rgb, faces[1].rgb), paper), paper, out)


@command.command()
@board_option
@_paper
@_pitch
@_marker_size
@_out("markers.pdf")
def markers(layout: "Layout", paper: str, pitch_mm: float | None, marker_mm: float, out: Path) -> None:
    """The four markers to lay beside a board that has none, with their places."""
    from companion.printing.parts import marker_drawing

    _write([marker_drawing(_placed(layout, pitch_mm, marker_mm))], paper, out)


@command.command()
@click.option("--charuco", "squares", default="4x5", show_default=True, metavar="COLUMNSxROWS")
@click.option("--dictionary", default="DICT_4X4_1000", show_default=True)
@click.option("--square-mm", type=float, default=45.0, show_default=True)
@click.option("--marker-mm", type=float, default=33.75, show_default=True)
@click.option("--inverted", is_flag=True, help="White on black.")
@_paper
@_out("charuco.pdf")
def charuco(
    squares: str, dictionary: str, square_mm: float, marker_mm: float, inverted: bool, paper: str, out: Path
) -> None:
    """The target for `storisende calibrate lens`; its defaults are that command's defaults."""
    from calibration.targets import parse_target
    from companion.errors import InputError
    from companion.printing.parts import charuco_drawing

    try:
        target = parse_target(squares, dictionary, square_mm, marker_mm)
    except ValueError as error:
        raise InputError(str(error)) from None
    _write([charuco_drawing(target, inverted)], paper, out)


@command.command()
@click.option(
    "--rules", default="mindsports", show_default=True, help="mindsports, ersatz, castle, phalanx or hexteroyd."
)
@_paper
@_out("sheet.pdf")
def sheet(rules: str, paper: str, out: Path) -> None:
    """Rules and set-up on one page."""
    from companion.printing.rules import rules_drawing

    _write([rules_drawing(rules, paper)], paper, out)
