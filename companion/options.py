"""Options that several commands share, and how their texts become values.

Every long option may also stand in the profile file, in the table `[options]`: a user types it once.
"""

import re
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from companion.errors import InputError
from companion.files import check_writable, read_text
from engine.board import from_picture
from engine.game import load_game
from engine.layout import Layout, layout_of, named_layout, parse_layout

if TYPE_CHECKING:
    from calibration.profile import Profile
    from vision.frame import SourceSettings
    from vision.palette import Material

F = TypeVar("F", bound=Callable[..., Any])

#: The colour of men who belong to nobody, where none is given.
USUAL_NEUTRAL = "grey"


def read_layout(text: str) -> Layout:
    """The layout of a board name, a board file (.toml) or a board drawn with characters (.txt).

    Raises `InputError` or `BoardError`.
    """
    path = Path(text)
    if path.suffix == ".txt":
        return layout_of(from_picture(read_text(path, "board picture"), path.stem))
    if path.suffix != ".toml":
        return named_layout(text)
    return parse_layout(read_text(path, "board file"), text)


def check_profile_out(path: Path) -> None:
    """Refuse a profile that could not be written or holds what cannot be kept, before the work begins.

    Raises `InputError` or `ProfileError`.
    """
    from calibration.profile import load_profile

    check_writable(path, "profile")
    if path.exists():
        load_profile(path)


def read_material(men: str, disks: str, neutral: str | None = None) -> "Material":
    """The colours of men and disks; `neutral`: of the men on the table, where these belong to nobody.

    Raises `ColourError` for an unknown word, `InputError` for a wrong number of words or the same colour twice.
    """
    from vision.palette import Material, parse_colour

    words = [word.strip() for word in men.split(",")]
    if len(words) != 2:
        raise InputError(f"--men takes two colours, first player first, such as red,purple; got '{men}'")
    first, second = (parse_colour(word) for word in words)
    if first.rgb == second.rgb:
        raise InputError(f"--men: both players have the same colour, '{men}'")
    nobody = None if neutral is None else parse_colour(neutral)
    if disks.strip() == "none":
        return Material((first, second), None, nobody)
    faces = [word.strip() for word in disks.split(",")]
    if len(faces) != 2:
        raise InputError(f"--disks takes the two faces of a disk, such as beige,dark, or 'none'; got '{disks}'")
    beige, dark = (parse_colour(word) for word in faces)
    if beige.rgb == dark.rgb:
        raise InputError(f"--disks: both faces have the same colour, '{disks}'")
    return Material((first, second), (beige, dark), nobody)


def disks_for(game: str, disks: str) -> str:
    """The faces of the disks that lie on the table of a game, as typed; `none` for a game that has none.

    Raises `EngineError` for an unknown game.
    """
    return disks if load_game(game).needs_disks else "none"


def neutral_men(game: str, word: str | None) -> str | None:
    """The colour of men who belong to nobody, as typed or the usual one, where a game has such men; None elsewhere.

    Raises `InputError` where it was typed for a game without them, `EngineError` for an unknown game.
    """
    played = load_game(game)
    if played.neutral_men:
        return word or USUAL_NEUTRAL
    if word is not None:
        raise InputError(f"--neutral {word}: in {played.title} all men belong to the players")
    return None


def _load_profile(ctx: click.Context, _: click.Parameter, value: Path | None) -> "Profile | None":
    """Read the profile and let its `[options]` stand in for options that were not typed."""
    if value is None:
        return None
    from calibration.profile import load_profile

    profile = load_profile(value)
    params = {opt.lstrip("-"): str(param.name) for param in ctx.command.params for opt in param.opts}
    typed_once = {params[key]: value for key, value in profile.options.items() if key in params}
    ctx.default_map = {**(ctx.default_map or {}), **typed_once}
    return profile


def _to_layout(_: click.Context, __: click.Parameter, value: str | None) -> Layout | None:
    return None if value is None else read_layout(value)


FILE = click.Path(path_type=Path, dir_okay=False)

profile_option: Callable[[F], F] = click.option(
    "--profile",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    is_eager=True,
    callback=_load_profile,
    help="Profile file (TOML): lens, board, colours, and any option under [options].",
)
board_option: Callable[[F], F] = click.option(
    "--board",
    "layout",
    required=True,
    metavar="B",
    callback=_to_layout,
    help="hexhex-3 … hexhex-10, a module preset, a board file (.toml), or a drawn board (.txt).",
)
some_board_option: Callable[[F], F] = click.option(
    "--board",
    "layout",
    metavar="B",
    callback=_to_layout,
    help="Board name or file, instead of what the record or the game says.",
)
game_option: Callable[[F], F] = click.option(
    "--game", metavar="G", help="storisende, castle, phalanx or hexteroyd, instead of what the record says."
)
rules_option: Callable[[F], F] = click.option(
    "--rules", metavar="R", help="Rule set of the game: for storisende mindsports (default) or ersatz."
)
men_option: Callable[[F], F] = click.option(
    "--men", required=True, metavar="A,B", help="Colours of the men, first player first: words or #rrggbb."
)
neutral_option: Callable[[F], F] = click.option(
    "--neutral",
    metavar="C",
    help=f"Colour of the men where they belong to nobody: Hexteroyd's pawns, {USUAL_NEUTRAL} for 'watch' unless given.",
)
disks_option: Callable[[F], F] = click.option(
    "--disks",
    default="beige,dark",
    show_default=True,
    metavar="BEIGE,DARK",
    help="Colours of the two faces of the disks, or 'none' for a board without disks.",
)

_GAME_OPTIONS = (
    click.option("--game", default="storisende", show_default=True, help="storisende, castle, phalanx or hexteroyd."),
    click.option("--rules", default="", metavar="R", help="Rule set; the game's first one unless given."),
    click.option("--option", "game_settings", multiple=True, metavar="KEY=VALUE", help="An option of the game."),
)
_CAMERA_OPTIONS = (
    click.option("--size", metavar="WxH", help="Resolution to ask of a camera, such as 1280x720."),
    click.option("--fps", type=float, help="Frames a second to ask of a camera."),
    click.option("--exposure", type=float, help="Exposure to ask of a camera, in its driver's units."),
    click.option(
        "--every",
        type=float,
        help="Seconds between pictures of a time-lapse film, or of a folder if they were not taken after each turn.",
    ),
)


def game_options(function: F) -> F:
    """Add `--game`, `--rules` and `--option`; the command takes `game`, `rules`, `game_settings`."""
    for option in reversed(_GAME_OPTIONS):
        function = option(function)
    return function


def material_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--men`, `--disks` and `--neutral`; the command takes the `material` that they describe."""

    @wraps(function)
    def with_material(*args: Any, men: str, disks: str, neutral: str | None, **kwargs: Any) -> None:
        function(*args, material=read_material(men, disks, neutral), **kwargs)

    return men_option(disks_option(neutral_option(with_material)))


def camera_options(function: F) -> F:
    """Add `--size`, `--fps`, `--exposure` and `--every`; `camera_settings` makes one value of them."""
    for option in reversed(_CAMERA_OPTIONS):
        function = option(function)
    return function


def camera_settings(
    size: str | None, fps: float | None, exposure: float | None, every: float | None
) -> "SourceSettings":
    """What is asked of a camera or a folder. Raises `InputError` or `SourceError`."""
    from vision.frame import SourceSettings

    size_px = None
    if size is not None:
        match = re.fullmatch(r"(\d{2,5})[x×](\d{2,5})", size)
        if match is None:
            raise InputError(f"--size is width x height in pixels, such as 1280x720; got '{size}'")
        size_px = int(match[1]), int(match[2])
    return SourceSettings(size_px, fps, exposure, every)


def parse_game_settings(words: Sequence[str]) -> dict[str, str]:
    """`key=value` words as a table. Raises `InputError`."""
    table = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise InputError(f"--option is key=value; got '{word}'")
        table[key] = value
    return table
