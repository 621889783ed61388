"""`storisende watch`: follow a game by camera or film, referee it, write its record."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion import options
from companion.leds.options import LedChoice, led_options
from engine.layout import Layout

if TYPE_CHECKING:
    from calibration.profile import Profile
    from companion.game.journal import Journal
    from companion.game.session import Session, Setup
    from engine.records.record import Record
    from engine.referee.patience import Patience


@click.command("watch")
@click.argument("source")
@options.profile_option
@options.board_option
@options.men_option
@options.disks_option
@options.neutral_option
@options.game_options
@click.option("--names", default=",", metavar="A,B", help="The players' names, first player first.")
@click.option("--record", type=options.FILE, help="Write the game's record here (.json or .txt).")
@click.option("--events", type=options.FILE, help="Write events here, one JSON object a line, as they happen.")
@click.option("--journal", type=options.FILE, help="Keep the game in this file; it survives a crash.")
@click.option("--resume", is_flag=True, help="Go on with the last game of the journal.")
@click.option("--from", "begin", type=options.FILE, help="Go on from the end of this record.")
@click.option("--under-way", metavar="COLOUR", help="A game is under way: take it from the table; COLOUR moves next.")
@click.option("--illegal-after", type=float, default=1.5, show_default=True, metavar="S", help="Alarm after seconds.")
@led_options
@click.option("--page", "page_port", type=int, is_flag=False, flag_value=8377, metavar="[PORT]", help="Serve a page.")
@click.option("--headless", is_flag=True, help="Show nothing in the terminal.")
@click.option("--real-time", is_flag=True, help="Play a film at its own speed, for lights and page.")
@options.camera_options
def command(
    source: str,
    profile: "Profile | None",
    layout: Layout,
    men: str,
    disks: str,
    neutral: str | None,
    game: str,
    rules: str,
    game_settings: tuple[str, ...],
    names: str,
    record: Path | None,
    events: Path | None,
    journal: Path | None,
    resume: bool,
    begin: Path | None,
    under_way: str | None,
    illegal_after: float,
    leds: str | None,
    led_layout: Path | None,
    led_baud: int | None,
    brightness: int,
    palette: str,
    led_glow: Path | None,
    page_port: int | None,
    headless: bool,
    real_time: bool,
    size: str | None,
    fps: float | None,
    exposure: float | None,
    every: float | None,
) -> None:
    """Follow the game in SOURCE: a camera number, a film, a folder of pictures or a stream's URL.

    Where its pictures are mirrored write 'mirrored:' before it, as in 'mirrored:0'.

    The record is written when the source ends or on Ctrl-C. While it runs, type 'help' for corrections by hand.
    """
    from companion.files import check_writable
    from companion.game.setups import parse_setup
    from companion.record_files import check_record, load_record
    from companion.seeing import fit_for, make_eye
    from companion.watching import Outputs, Watch
    from engine.referee.patience import Patience
    from vision.eye import EyeSettings
    from vision.sources import open_source

    begun = None if begin is None else load_record(begin, layout)
    kept = _open_journal(journal, resume) if resume else None
    played = None if kept is None else parse_setup(kept.last_game().setup)
    game, neutral = _game_played(game, neutral, begun, played)
    disks = options.disks_for(game, disks)
    material = options.read_material(men, disks, neutral)
    check_record(record)
    check_writable(events, "events file")
    choice = LedChoice(leds, led_layout, led_baud, brightness, palette, led_glow)
    setup = _setup(layout, men, disks, neutral, names, game, rules, game_settings, begun)
    mover = _mover(under_way, setup, begun is not None or resume)
    lift_rate_hz = 8.0 if leds is not None or page_port is not None else 0.0
    eye = make_eye(layout, material, profile, EyeSettings(lift_rate_hz=lift_rate_hz))
    fit = fit_for(eye) if leds is None else None  # what LEDs add is known at full size
    frames = open_source(source, replace(options.camera_settings(size, fps, exposure, every), fit=fit))
    try:
        kept = kept or _open_journal(journal, resume)
        session = _session(setup, kept, resume, Patience(illegal_after_s=illegal_after), mover)
        outputs = Outputs(record, events, choice, page_port, headless, real_time, resume)
        Watch(frames, eye, session, layout, material, outputs).run()
        if not headless:
            _say_result(session, record)
    finally:
        frames.close()


def _game_played(
    game: str, neutral: str | None, begun: "Record | None", played: "Setup | None"
) -> "tuple[str, str | None]":
    """What is played, and the colour of men who belong to nobody: as a game that goes on says, else as typed."""
    if played is not None:
        return played.game, options.neutral_men(played.game, neutral or played.neutral or None)
    game = game if begun is None else begun.game
    known = "" if begun is None else begun.neutral
    return game, options.neutral_men(game, neutral or known or None)


def _setup(
    layout: Layout,
    men: str,
    disks: str,
    neutral: str | None,
    names: str,
    game: str,
    rules: str,
    settings: tuple[str, ...],
    begun: "Record | None",
) -> "Setup":
    """What is played, from the words of the command line. Raises `InputError`."""
    from companion.errors import InputError
    from companion.game.session import Setup
    from companion.game.setups import with_record
    from companion.record_files import playable

    first, second = (word.strip() for word in men.split(","))
    players = [name.strip() for name in names.split(",")]
    if len(players) != 2:
        raise InputError(f"--names takes two names, first player first, such as Ann,Bob; got '{names}'")
    faces = None if disks.strip() == "none" else tuple(word.strip() for word in disks.split(","))
    setup = Setup(
        playable(layout),
        (first, second),
        (players[0], players[1]),
        game,
        rules,
        options.parse_game_settings(settings),
        None if faces is None else (faces[0], faces[1]),
        neutral or "",
    )
    return setup if begun is None else with_record(setup, begun)


def _open_journal(path: Path | None, resume: bool) -> "Journal | None":
    from companion.errors import InputError
    from companion.game.journal import Journal

    if path is None:
        if resume:
            raise InputError("--resume needs the journal of the game: --journal FILE")
        return None
    if resume and not path.exists():
        raise InputError(f"journal {path}: no such file")
    return Journal(path)


def _session(
    setup: "Setup", journal: "Journal | None", resume: bool, patience: "Patience", under_way: int
) -> "Session":
    from companion.game.session import Session

    if resume and journal is not None:
        return Session.resume(journal, patience=patience)
    return Session(setup, journal, patience, under_way)


def _mover(word: str | None, setup: "Setup", going_on: bool) -> int:
    """The player who moves next in a game under way, by colour, name or number; 0 for another game.

    Raises `InputError` where the game goes on from elsewhere, `NotationError` for somebody who does not play.
    """
    from companion.errors import InputError
    from companion.terminal.keyboard import player_number

    if word is None:
        return 0
    if going_on:
        raise InputError("--under-way takes the game from the table; leave --from and --resume away")
    return player_number(setup, word)


def _say_result(session: "Session", record: Path | None) -> None:
    """The score and where the record is, when all is over."""
    state = session.state
    sides = " – ".join(f"{state.side_name(player)} {state.score[player - 1]}" for player in (1, 2))
    plies = f"{len(state.history)} {'ply' if len(state.history) == 1 else 'plies'}"
    click.echo(f"{plies}, {sides}" + (f"; record: {record}" if record else ""))
