"""`storisende see`: what the program sees, drawn over the picture."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion import options
from engine.layout import Layout

if TYPE_CHECKING:
    from calibration.profile import Profile
    from engine.look import Reading
    from vision.eye import Eye
    from vision.finding.find import FoundBoard
    from vision.frame import Frame, FrameSource
    from vision.palette import Material
    from vision.reading.table_model import TableModel

#: From this standard deviation on, in a man's diameters, it is worth saying that the men's thickness is not clear.
_UNCLEAR = 0.015
#: A board is worth flattening from so much on, in pitches.
_UNEVEN = 0.05


@click.command("see")
@click.argument("source")
@options.profile_option
@options.board_option
@options.material_options
@click.option("--out", type=options.FILE, required=True, help="The picture to write (.png or .jpg).")
@click.option("--at", "at_s", type=float, default=0.0, show_default=True, help="Look at this second of a film.")
def command(
    source: str,
    profile: "Profile | None",
    layout: Layout,
    material: "Material",
    out: Path,
    at_s: float,
) -> None:
    """Draw what is seen in SOURCE over its picture: lattice, names, readings, confidences, residual, light.

    SOURCE is a picture, a film, a folder of pictures, a camera number or a stream's URL;
    where its pictures are mirrored write 'mirrored:' before it.
    """
    import cv2

    from companion.drawing.overlay import draw_sight
    from companion.errors import InputError, NoBoardError
    from companion.files import check_writable
    from companion.seeing import make_eye
    from vision.eye import EyeSettings
    from vision.finding.beyond import why_not_whole
    from vision.picture import is_grey
    from vision.sources import open_source
    from vision.sources._snapshots import without_password

    check_writable(out, "picture")
    if not cv2.haveImageWriter(str(out)):
        raise InputError(f"picture {out}: unknown kind of picture; its name should end in .png or .jpg")
    eye = make_eye(layout, material, profile, EyeSettings(whole=False))
    frames = open_source(source)
    try:
        frame, reading, why = _look(eye, frames, at_s)
    finally:
        frames.close()
    if eye.found is None or reading is None:
        raise NoBoardError(f"{without_password(source)}: no {layout.name} board found: {why}")
    lamp = eye.table.lamp if eye.table is not None else None
    picture = draw_sight(frame.image, layout, eye.found, material, reading.cells, lamp)
    if not cv2.imwrite(str(out), picture):
        raise InputError(f"picture {out}: cannot be written")
    click.echo(f"{out}: {layout.name} seen at {frame.t_s:.1f} s")
    if beyond := why_not_whole(eye.found.pose, eye.layout):
        click.echo(beyond)
    if is_grey(frame.image):
        click.echo("the picture is black and white: men are told apart by how bright they are, and by nothing else")
    for hint in hints(eye.found, eye.table, layout):
        click.echo(hint)


def hints(found: "FoundBoard", table: "TableModel | None", layout: Layout) -> Iterator[str]:
    """What makes readings of such a picture less sure, and what helps, a sentence each."""
    from companion.table_checks import LEAST_TILT_DEG
    from vision.finding.uneven import unevenness

    if (aside := unevenness(found.pose, layout)) > _UNEVEN:
        yield f"the board does not lie flat, or its tiles lie askew: cells are up to {aside:.2f} of their width aside"
    if found.stretched:
        yield f"the picture is stretched: its pixels are {found.pose.lens.pixel_width:.2f} times as wide as high"
    if found.pose.tilt_deg < LEAST_TILT_DEG:
        yield (
            f"seen from {found.pose.tilt_deg:.0f}° off the vertical, where heights of stacks are hard to tell: "
            "15° to 35° is best"
        )
    if table is not None and table.perhaps_thinner():
        yield "men look as thin as a fifth of their width, or thinner: measure one and give man_mm in the board file"
    if table is not None and (unclear := table.thickness_spread()) > _UNCLEAR:
        thick = table.man_thickness_mm / table.man_diameter_mm
        yield (
            f"how thick men are is not clear ({thick:.2f} ± {unclear:.2f} of their width), and heights hang on it: "
            "leave spare men beside the board, or give man_mm in the board file"
        )


def _look(eye: "Eye", frames: "FrameSource", at_s: float) -> "tuple[Frame, Reading | None, str]":
    """The first frame from `at_s` on in which the board is still and shows, its reading, and else why there is none.

    Raises `InputError` when the source ends before.
    """
    from dataclasses import replace

    from companion.errors import InputError
    from vision.sights import Found, Lost, Still

    frame, why, seen = None, "nothing was still for long enough", None
    for frame in frames:
        for sight in eye.step(frame):
            if isinstance(sight, Lost):
                why = sight.reason
            if not isinstance(sight, Found):
                seen = sight.reading if isinstance(sight, Still) else None
        if seen is not None and frame.t_s >= at_s and not all(cell.unseen for cell in seen.cells):
            return frame, seen, ""
    if frame is None:
        raise AssertionError("a source without frames raises an error of its own")
    if frame.t_s < at_s:
        raise InputError(f"--at {at_s:g}: the last picture is of {frame.t_s:.1f} s")
    # The last picture of a film that never came to rest is as still as it gets.
    for sight in eye.step(replace(frame, snapshot=True)):
        if isinstance(sight, Still):
            return frame, sight.reading, ""
    return frame, seen, why
