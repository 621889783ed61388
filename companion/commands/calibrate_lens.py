"""`storisende calibrate lens`: intrinsics and distortion from a ChArUco target held before the camera."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibration.targets import CHARUCO
from companion import options

if TYPE_CHECKING:
    from calibration.lens import LensCalibration, TargetViews
    from vision.frame import Frame

#: At most so many pictures of a film are looked at, evenly spread, and so many views of a camera are waited for.
_MOST_PICTURES, _ENOUGH_VIEWS = 240, 60
#: Seconds between two pictures of a camera that are looked at, and after which it is enough in any case.
_PAUSE_S, _LONGEST_S = 0.4, 180.0


@click.command("lens")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--charuco",
    "squares",
    default=f"{CHARUCO.columns}x{CHARUCO.rows}",
    show_default=True,
    metavar="COLUMNSxROWS",
    help="Squares of the target.",
)
@click.option("--dictionary", default=CHARUCO.dictionary, show_default=True, help="ArUco dictionary of its markers.")
@click.option("--square-mm", type=float, default=CHARUCO.square_mm, show_default=True, help="Side of a square.")
@click.option("--marker-mm", type=float, default=CHARUCO.marker_mm, show_default=True, help="Side of a marker.")
@click.option("--inverted", is_flag=True, help="The target is printed white on black.")
@click.option("--out", type=options.FILE, required=True, help="The profile to write its [lens] into.")
@click.option("--json", "as_json", is_flag=True, help="Print the [lens] section as one JSON line.")
def command(
    sources: tuple[str, ...],
    squares: str,
    dictionary: str,
    square_mm: float,
    marker_mm: float,
    inverted: bool,
    out: Path,
    as_json: bool,
) -> None:
    """Calibrate the lens with pictures, films or a camera that see the ChArUco target.

    `storisende print charuco` makes the target. Show it in all parts of the picture, tilted towards every side, near
    and far; with a camera, Ctrl-C ends the showing.
    """
    from calibration.lens import TargetViews
    from calibration.profile import lens_values, save_section
    from calibration.targets import parse_target
    from companion.errors import InputError

    try:
        target = parse_target(squares, dictionary, square_mm, marker_mm)
    except ValueError as error:
        raise InputError(str(error)) from None
    options.check_profile_out(out)
    views = TargetViews(target, inverted)
    for source in sources:
        _collect(source, views, quiet=as_json)
    calibration = views.calibrate()
    values = lens_values(calibration.profile)
    save_section(out, "lens", values)
    if as_json:
        click.echo(json.dumps(values))
    else:
        _report(calibration, out)


def _collect(source: str, views: "TargetViews", quiet: bool) -> None:
    """Look for the target in the frames of a source, with guidance for who holds it before a camera."""
    from vision.sources import open_source

    frames = open_source(source)
    try:
        for frame in _some(iter(frames), frames.live, frames.frames):
            if frame.trouble:
                click.echo(frame.trouble, err=True)
                continue
            view = views.add(frame.image, source)
            if frames.live and not quiet:
                advice = views.coverage().advice()
                state = "seen" if view else "not seen"
                click.echo(f"{len(views.views)} views, target {state}; {'; '.join(advice) or 'enough, stop (Ctrl-C)'}")
            if frames.live and len(views.views) >= _ENOUGH_VIEWS:
                break
    except KeyboardInterrupt:
        if not frames.live:
            raise
    finally:
        frames.close()


def _some(frames: "Iterator[Frame]", live: bool, count: int | None) -> "Iterator[Frame]":
    """The frames worth looking at: of a camera one every so often, of a film so many, evenly spread."""
    if live:
        last_s = -_PAUSE_S
        for frame in frames:
            if frame.t_s > _LONGEST_S:
                return
            if not frame.trouble and frame.t_s - last_s >= _PAUSE_S:
                last_s = frame.t_s
                yield frame
        return
    step = max(1, (count or 0) // _MOST_PICTURES)
    for frame in frames:
        if frame.index % step == 0:
            yield frame


def _report(calibration: "LensCalibration", out: Path) -> None:
    """What was found, in words that a person can judge."""
    profile, lens = calibration.profile, calibration.profile.lens
    verdict = "very good" if profile.rms_px < 0.3 else "good" if profile.rms_px < 0.6 else "poor: calibrate again"
    click.echo(f"focal length {lens.fx_px:.1f} × {lens.fy_px:.1f} px, middle {lens.cx_px:.1f}, {lens.cy_px:.1f} px")
    click.echo(f"distortion {', '.join(f'{v:.4f}' for v in lens.distortion)}")
    aside = f", {calibration.put_aside} put aside" if calibration.put_aside else ""
    click.echo(f"reprojection error {profile.rms_px:.2f} px RMS over {profile.views} views{aside}: {verdict}")
    for sentence in calibration.coverage.advice():
        click.echo(f"for a better one {sentence}")
    click.echo(f"written to [lens] of {out}")
