"""A game's setup as text, in the form of our own records: what the journal keeps of it."""

from dataclasses import replace

from companion.game.clock import read_clock
from companion.game.state import Setup
from engine.records.record import Player, Record
from engine.records.text_format import read_text, write_text


def setup_record(setup: Setup, started: str = "") -> Record:
    """The record of a game before its first ply, or what it went on from."""
    begin = setup.begin
    players = tuple(Player(name or colour, colour) for name, colour in zip(setup.names, setup.colours, strict=True))
    return Record(
        setup.board,
        setup.game,
        setup.rules,
        tuple(sorted(setup.options.items())),
        (players[0], players[1]),
        setup.disks,
        setup.neutral,
        setup.clock.words if setup.clock else "",
        started=started,
        start=begin.start if begin else None,
        turns=begin.turns if begin else (),
    )


def setup_text(setup: Setup) -> str:
    """The setup as text."""
    return write_text(setup_record(setup))


def parse_setup(text: str) -> Setup:
    """The setup that `setup_text` wrote. Raises `RecordError`."""
    record = read_text(text, "the journal's setup")
    first, second = record.players
    names = tuple("" if player.name == player.colour else player.name for player in record.players)
    return Setup(
        record.board,
        (first.colour, second.colour),
        (names[0], names[1]),
        record.game,
        record.rules,
        dict(record.options),
        record.disks,
        record.neutral,
        record if record.turns or record.start else None,
        read_clock(record.clock),
    )


def with_record(setup: Setup, record: Record) -> Setup:
    """The setup of a game that goes on from a record: its board, game, rules and options."""
    return replace(
        setup, board=record.board, game=record.game, rules=record.rules, options=dict(record.options), begin=record
    )
