"""`storisende calibrate board`: where the board lies before the camera and what its pieces measure."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion import options
from engine.layout import Layout

if TYPE_CHECKING:
    from calibration.profile import Profile
    from vision.palette import Material

_PICTURES = 5


@click.command("board")
@click.argument("source")
@options.profile_option
@options.board_option
@options.material_options
@click.option("--pitch-mm", type=float, help="Distance between the centres of neighbouring cells.")
@click.option("--disk-mm", nargs=2, type=float, metavar="DIAMETER THICKNESS", help="What a disk measures.")
@click.option("--man-mm", nargs=2, type=float, metavar="DIAMETER THICKNESS", help="What a man measures.")
@click.option("--out", type=options.FILE, required=True, help="The profile to write its [board] into.")
@click.option("--json", "as_json", is_flag=True, help="Print the [board] section as one JSON line.")
def command(
    source: str,
    profile: "Profile | None",
    layout: Layout,
    material: "Material",
    pitch_mm: float | None,
    disk_mm: tuple[float, float] | None,
    man_mm: tuple[float, float] | None,
    out: Path,
    as_json: bool,
) -> None:
    """Find the board in SOURCE and keep its pose and dimensions.

    Without --pitch-mm lengths are in proportion to a pitch of 40 mm; a man that is not given is measured from the
    pieces on the board, if they show surely how thick they are.
    """
    from calibration.board import calibrate_board
    from calibration.profile import board_values, save_section
    from companion.some_pictures import some_pictures

    options.check_profile_out(out)
    layout = _with_dimensions(layout, pitch_mm, disk_mm, man_mm)
    pictures = some_pictures(source, _PICTURES)
    height, width = pictures[0].shape[:2]
    board = calibrate_board(pictures, layout, profile.lens_for(width, height) if profile else None, material)
    values = board_values(board)
    save_section(out, "board", values)
    if as_json:
        click.echo(json.dumps(values))
        return
    verdict = "very good" if board.residual_px < 1 else "good" if board.residual_px < 2.5 else "poor"
    click.echo(
        f"{board.name} found: residual {board.residual_px:.2f} px ({verdict}), confidence {board.confidence:.0%}"
    )
    click.echo(f"camera {board.pose.tilt_deg:.0f}° from straight above, focal length {board.pose.lens.fx_px:.0f} px")
    spares = "lay spare men beside the board, or " if material.disks else ""
    unclear = f"too few, perhaps too thin, or their sides are not seen well enough; {spares}give --man-mm"
    sizes = [("man", board.man_mm, unclear)]
    if material.disks:
        sizes.insert(0, ("disk", board.disk_mm, "not measured"))
    for what, size, unknown in sizes:
        click.echo(f"{what} {size[0]:.1f} × {size[1]:.1f} mm" if size else f"{what}: {unknown}")
    click.echo(f"written to [board] of {out}")


def _with_dimensions(
    layout: Layout,
    pitch_mm: float | None,
    disk_mm: tuple[float, float] | None,
    man_mm: tuple[float, float] | None,
) -> Layout:
    """The layout with what was measured by hand."""
    from dataclasses import replace

    from companion.errors import InputError
    from engine.layout import layout_of

    for what, values in (("--pitch-mm", [pitch_mm]), ("--disk-mm", disk_mm), ("--man-mm", man_mm)):
        if any(v is not None and v <= 0 for v in values or ()):
            raise InputError(f"{what} takes lengths above 0 mm")
    if pitch_mm is not None and layout.board is None:
        raise InputError("--pitch-mm: the places of this board's cells are in its board file")
    if pitch_mm is not None and layout.board is not None:
        layout = layout_of(layout.board, pitch_mm, disk_mm=layout.disk_mm, man_mm=layout.man_mm)
    return replace(layout, disk_mm=disk_mm or layout.disk_mm, man_mm=man_mm or layout.man_mm)
