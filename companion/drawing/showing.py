"""A position of a record for people: as a picture file, or in the terminal."""

import re
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from companion.drawing.draw import DEFAULT_MEN, DEFAULT_SURFACES, Marks, Style, draw
from companion.errors import InputError
from companion.terminal.board import board_text, ground_of
from engine.board import Board
from engine.game import load_game
from engine.layout import Layout, layout_of
from engine.look import NEUTRAL, Surface
from engine.records.record import Record, Step, final_outcome
from vision.errors import ColourError
from vision.palette import RGB, parse_colour

_CELL = re.compile(r"[a-z]\d{1,2}")
_WAY = re.compile(r"([a-z]\d{1,2})(?::\d+)?-([a-z]\d{1,2})")


def style_of(record: Record) -> Style:
    """Colours of the record's men and disks; a colour that is unknown or missing is the drawing's own."""
    men, disks = dict(DEFAULT_MEN), dict(DEFAULT_SURFACES)
    for seat, player in enumerate(record.players, start=1):
        men[seat] = _rgb(player.colour, men[seat])
    men[NEUTRAL] = _rgb(record.neutral, men[NEUTRAL])
    if record.disks:
        for bright in (Surface.BEIGE, Surface.LIGHT):
            disks[bright] = _rgb(record.disks[0], disks[bright])
        disks[Surface.DARK] = _rgb(record.disks[1], disks[Surface.DARK])
    return Style(men=men, disks=disks)


def _rgb(word: str, otherwise: RGB) -> RGB:
    try:
        return parse_colour(word).rgb if word else otherwise
    except ColourError:
        return otherwise


def cells_of_turn(board: Board, text: str) -> tuple[int, ...]:
    """The cells that a turn names, in its order: what a picture marks as the last move."""
    return tuple(board.by_name[name] for name in _CELL.findall(text) if name in board.by_name)


def marks_of_turn(board: Board, text: str) -> Marks:
    """The cells that a turn names, and an arrow for every move in it; nothing for a referee's ruling."""
    if text.startswith("!"):
        return Marks()
    arrows = [(board.by_name[a], board.by_name[b]) for a, b in _WAY.findall(text) if {a, b} <= set(board.names)]
    return Marks(cells_of_turn(board, text), tuple(arrows))


def step_title(record: Record, step: Step) -> str:
    """Ply, turn, score and end as a headline."""
    first, second = step.position.score()
    where = f"{step.ply}. {step.text}" if step.ply else "Start"
    outcome = final_outcome(record, step) if step.ply == len(record.turns) else step.outcome
    end = "" if outcome is None else f" · {outcome.end}"
    return f"{load_game(record.game).title} · {where} · {first} : {second}{end}"


def step_svg(record: Record, step: Step, layout: Layout | None = None, style: Style | None = None) -> str:
    """The position after a ply as SVG."""
    where, marks = layout or layout_of(record.board), marks_of_turn(record.board, step.text)
    return draw(
        where,
        step.position.look(),
        style or style_of(record),
        replace(marks, cells=ground_of(step.position.tiles())),
        step_title(record, step),
    )


def write_svg(record: Record, step: Step, path: Path, layout: Layout | None = None) -> None:
    """Write the picture of a position. Raises `InputError` for a place that cannot be written."""
    try:
        path.write_text(step_svg(record, step, layout), encoding="utf-8")
    except OSError as error:
        raise InputError(f"picture {path}: cannot be written: {error.strerror}") from None


def print_step(record: Record, step: Step) -> None:
    """The position in the terminal."""
    console = Console()
    console.print(step_title(record, step))
    marked = frozenset(cells_of_turn(record.board, step.text))
    ground = ground_of(step.position.tiles())
    console.print(board_text(record.board, step.position.look(), dict(style_of(record).men), marked, ground))
