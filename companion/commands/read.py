"""`storisende read`: one picture in, what stands on every cell out."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion import options
from engine.layout import Layout
from engine.look import CellReading

if TYPE_CHECKING:
    from calibration.profile import Profile
    from vision.finding.find import FoundBoard
    from vision.palette import Material


def men_word(material: "Material", men: int) -> str | None:
    """The user's own word for the owner of some men; None for an empty cell."""
    return material.colours[men].word if men else None


def reading_json(
    layout: Layout, found: "FoundBoard", material: "Material", cells: Sequence[CellReading]
) -> dict[str, object]:
    """The object that `read --json` prints, as the command-line contract has it."""
    import numpy as np

    centres = np.array([(x, y, 0.0) for x, y in layout.centres_mm])
    out = []
    for i, (name, reading, px) in enumerate(zip(layout.names, cells, found.pose.project(centres), strict=True)):
        look = reading.best()
        cell = layout.board.cells[i] if layout.board else None
        out.append(
            {
                "name": name,
                "q": cell.q if cell else None,
                "r": cell.r if cell else None,
                # counted from the picture's corner, as other programs count: our first pixel's centre is (0, 0)
                "px": [round(float(px[0]) + 0.5, 2), round(float(px[1]) + 0.5, 2)],
                "surface": str(look.surface),
                "men": men_word(material, look.men),
                "height": look.height,
                "confidence": round(reading.confidence(), 4),
            }
        )
    return {"board": layout.name, "cells": out}


@click.command("read")
@click.argument("image", type=click.Path(path_type=Path, dir_okay=False))
@options.profile_option
@options.board_option
@options.material_options
@click.option("--json", "as_json", is_flag=True, help="Print the reading as one JSON object.")
def command(image: Path, profile: "Profile | None", layout: Layout, material: "Material", as_json: bool) -> None:
    """Read what stands on every cell of the board in the picture IMAGE."""
    from companion.seeing import find_in, with_profile
    from vision.finding.beyond import why_not_whole
    from vision.picture import load_picture
    from vision.reading.first_look import first_look

    layout, material = with_profile(layout, material, profile)
    picture = load_picture(image)
    found = find_in(picture, image, layout, material, profile)
    cells = first_look(picture, found.pose, layout, material).cells
    if as_json:
        click.echo(json.dumps(reading_json(layout, found, material, cells)))
    else:
        _show(layout, material, cells)
        if beyond := why_not_whole(found.pose, layout):
            click.echo(beyond)


def _show(layout: Layout, material: "Material", cells: Sequence[CellReading]) -> None:
    """The board drawn in the terminal, and the cells that are doubtful."""
    from rich.console import Console

    from companion.terminal.board import board_text, looks_table

    console = Console()
    looks = [cell.best() for cell in cells]
    unseen = [i for i, cell in enumerate(cells) if cell.unseen]
    if layout.board:
        colours = {owner: colour.rgb for owner, colour in material.colours.items()}
        console.print(board_text(layout.board, looks, colours, unseen=unseen))
    else:
        console.print(looks_table(layout.names, looks, [men_word(material, look.men) for look in looks]))
    if unseen:
        console.print(f"unseen: {', '.join(layout.names[i] for i in unseen)}")
    doubtful = [
        f"{name} ({cell.confidence():.0%})"
        for name, cell in zip(layout.names, cells, strict=True)
        if not cell.unseen and cell.confidence() < 0.9
    ]
    if doubtful:
        console.print(f"doubtful: {', '.join(doubtful)}")
