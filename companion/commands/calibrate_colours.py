"""`storisende calibrate colours`: what the men's colours look like on this table, from the table as it stands."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion import options
from engine.layout import Layout

if TYPE_CHECKING:
    from calibration.profile import Profile


@click.command("colours")
@click.argument("source")
@options.profile_option
@options.board_option
@options.men_option
@options.disks_option
@options.neutral_option
@click.option("--out", type=options.FILE, required=True, help="The profile to write its [colours] into.")
@click.option("--json", "as_json", is_flag=True, help="Print the [colours] section as one JSON line.")
def command(
    source: str,
    profile: "Profile | None",
    layout: Layout,
    men: str,
    disks: str,
    neutral: str | None,
    out: Path,
    as_json: bool,
) -> None:
    """Learn from SOURCE how the men look on this table. Some of both colours must stand on the board."""
    from calibration.colours import calibrate_colours, colours_values
    from calibration.profile import load_profile, save_section
    from companion.errors import NoBoardError
    from companion.some_pictures import some_pictures
    from vision.find import NotFound, find_board

    options.check_writable(out, "profile")
    if out.exists():
        load_profile(out)  # an unusable one is refused before the work begins
    material = options.read_material(men, disks, neutral)
    picture = some_pictures(source, 1)[0]
    lens = profile.lens_for(picture.shape[1], picture.shape[0]) if profile else None
    found = find_board(picture, layout, lens, material)
    if isinstance(found, NotFound):
        raise NoBoardError(f"{source}: no {layout.name} board found: {found.reason}")
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
