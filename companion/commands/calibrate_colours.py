"""`storisende calibrate colours`: what the men's colours look like on this table, from the table as it stands."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion import options
from engine.layout import Layout

if TYPE_CHECKING:
    from calibration.profile import Profile
    from vision.palette import Material


@click.command("colours")
@click.argument("source")
@options.profile_option
@options.board_option
@options.material_options
@click.option("--out", type=options.FILE, required=True, help="The profile to write its [colours] into.")
@click.option("--json", "as_json", is_flag=True, help="Print the [colours] section as one JSON line.")
def command(
    source: str,
    profile: "Profile | None",
    layout: Layout,
    material: "Material",
    out: Path,
    as_json: bool,
) -> None:
    """Learn from SOURCE how the men look on this table. Some of both colours must stand on the board."""
    from calibration.colours import calibrate_colours, colours_values
    from calibration.profile import save_section
    from companion.seeing import find_in
    from companion.some_pictures import some_pictures

    options.check_profile_out(out)
    picture = some_pictures(source, 1)[0]
    found = find_in(picture, source, layout, material, profile)
    colours = calibrate_colours(picture, found.pose, layout, material)
    values = colours_values(colours)
    save_section(out, "colours", values)
    if as_json:
        click.echo(json.dumps(values))
        return
    for word, rgb in colours.men.items():
        click.echo(f"{word}: #{rgb[0]:02x}{rgb[1]:02x}{rgb[2]:02x}, seen on {colours.cells[word]} cells")
    verdict = "very good" if colours.confidence > 0.99 else "good" if colours.confidence > 0.95 else "doubtful"
    click.echo(f"told apart with a mean confidence of {colours.confidence:.1%}: {verdict}")
    click.echo(f"written to [colours] of {out}")
