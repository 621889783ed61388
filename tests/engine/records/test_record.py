"""Records: replay, errors at their ply, games that go on after their end, rulings, games taken up in the middle."""

from dataclasses import replace

import pytest

from engine.board import Board, hexhex
from engine.errors import EngineError, RecordError
from engine.game import Outcome, load_game, play_turn
from engine.records.record import (
    Player,
    Record,
    Start,
    Turn,
    check_date,
    final_outcome,
    position_at,
    replay,
)
from engine.records.words import ruling_words

HEX4 = hexhex(4)
OPENING = ("d1,d1", "d7,d7")


def record(*turns: str, board: Board = HEX4, **fields: object) -> Record:
    """A record on hexhex-4 with these turns after a short opening."""
    return replace(Record(board, turns=tuple(map(Turn, (*OPENING, *turns)))), **fields)  # type: ignore[arg-type]


def test_replay_gives_the_start_and_every_ply_with_its_player() -> None:
    """Players alternate; the start has nobody's."""
    steps = list(replay(record("d1-d3", "d7-d5", "pass")))
    assert [(s.ply, s.text, s.mover) for s in steps] == [
        (0, "", 0),
        (1, "d1,d1", 1),
        (2, "d7,d7", 2),
        (3, "d1-d3", 1),
        (4, "d7-d5", 2),
        (5, "pass", 1),
    ]


def test_a_broken_record_says_at_which_ply_and_why_after_the_plies_before_it() -> None:
    """Nothing before the error is lost."""
    steps = replay(record("d1-d3", "d7-d6", "d3-d5"))
    assert [next(steps).ply for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(RecordError, match=r"^ply 4 \(d7-d6, player 2\): d7-d6 moves 1 cell but the piece is 2 high$"):
        next(steps)


def test_an_unknown_game_rule_set_or_option_is_named() -> None:
    """And what is known instead."""
    for fields, words in (
        ({"game": "chess"}, "unknown game 'chess'; known are .*storisende"),
        ({"rules": "modern"}, "no rule set 'modern'; known are mindsports, ersatz"),
        ({"options": (("speed", "fast"),)}, "no option 'speed'"),
        ({"options": (("men", "9"),)}, "not '9'"),
    ):
        with pytest.raises(EngineError, match=words):
            list(replay(record(**fields)))


def test_a_record_that_goes_on_after_two_passes_stays_over_and_lists_moves() -> None:
    """People played on; the first end is remembered, the last position is as the rules have it."""
    steps = list(replay(record("pass", "pass", "d1-d3", "d7-d5")))
    assert [s.outcome and s.outcome.end for s in steps] == [None] * 4 + ["passes"] * 3
    assert "d1-d3" in steps[4].position.legal_texts()
    assert steps[-1].position.legal_texts()


def test_a_record_that_ends_with_two_passes_has_no_moves_at_the_end() -> None:
    """Terminal means no actions."""
    *_, last = replay(record("pass", "pass"))
    assert last.position.legal_texts() == []
    assert last.outcome == Outcome("passes", 0)


def test_a_record_that_goes_on_after_a_threefold_repetition_replays() -> None:
    """Nobody noticed it."""
    walk = ["d1-d2", "d7-d6", "d2-d1", "d6-d7"] * 4
    *_, last = replay(record("d1-d3", "d7-d5", *walk))
    assert last.outcome is not None
    assert last.outcome.end == "threefold"
    assert last.ply == 20


def test_position_at_a_ply_and_at_the_end() -> None:
    """0 is the start, −1 the last; others are refused with the plies there are."""
    played = record("d1-d3")
    assert position_at(played, 0).position.stage == "placement"
    assert position_at(played, -1).text == "d1-d3"
    for ply in (4, -2):
        with pytest.raises(RecordError, match="has plies 0 to 3"):
            position_at(played, ply)


def test_declared_ends_belong_to_the_record() -> None:
    """Resignation, agreement and time count; any other word in a record does not override the rules."""
    for end, counts in (("resignation", True), ("agreement", True), ("time", True), ("cannot catch up", False)):
        played = record("d1-d3", outcome=Outcome(end, 2))
        outcome = final_outcome(played, position_at(played, -1))
        assert outcome == (Outcome(end, 2) if counts else None)


def test_a_referees_ruling_sets_cells_and_the_player_to_move() -> None:
    """An irregular move that was let stand: one man went two cells."""
    played = record("d1:1-d2")
    before = position_at(played, -1).position
    tiles = list(before.tiles())
    tiles[HEX4.parse("d7")] = ("territory", 0, 0)
    tiles[HEX4.parse("d4")] = ("virgin", 2, 2)
    text = ruling_words(HEX4, before.tiles(), tiles, 1)
    assert text == "!d4=virgin+B2,d7=territory>1"
    *_, last = replay(played.with_turn(Turn(text, note="irregular")))
    assert (last.mover, last.position.player) == (2, 1)
    assert list(last.position.tiles()) == tiles
    assert "d2-d3" in last.position.legal_texts()


@pytest.mark.parametrize("text", ["!d4=virgin+B2", "!d4>1", "!d4=lava>1", "!z9=wall>1", "!d4=wall+C2>1"])
def test_a_ruling_that_is_none_is_refused(text: str) -> None:
    """With its ply."""
    with pytest.raises(RecordError, match="ply 3"):
        list(replay(record(text)))


def test_a_game_taken_up_in_the_middle() -> None:
    """Start tiles and player instead of placements; no placement is asked for."""
    position = load_game("storisende").start(HEX4)
    for turn in (*OPENING, "d1-d3"):
        position = play_turn(position, turn)
    taken_up = Record(HEX4, start=Start(position.tiles(), 2), turns=(Turn("d7-d5"),))
    *_, last = replay(taken_up)
    assert last.position.tiles() == play_turn(position, "d7-d5").tiles()


def test_a_turn_is_one_word_and_a_note_one_line() -> None:
    """Others could not be written down."""
    for text in ("", "d1 d2"):
        with pytest.raises(RecordError, match="one word"):
            Turn(text)
    with pytest.raises(RecordError, match="without parentheses"):
        Turn("pass", note="a (b)")


@pytest.mark.parametrize("text", ["5 min", "300", "300+", "-1+0"])
def test_a_clock_is_seconds_for_the_game_and_for_a_turn(text: str) -> None:
    """Both, and no other unit."""
    with pytest.raises(RecordError, match=r"such as 300\+5"):
        record(clock=text)
    assert record(clock="300+5").clock == "300+5"


@pytest.mark.parametrize("text", ["yesterday", "2026-05-01", "2026-05-01T12:00:00"])
def test_dates_are_rfc_3339(text: str) -> None:
    """With time and zone."""
    with pytest.raises(RecordError, match="2026-05-01T19:30:00Z"):
        check_date(text)
    assert check_date("2026-05-01T12:00:00+02:00")


def test_players_have_names() -> None:
    """Defaults that say who is who."""
    assert record().players == (Player("Player 1"), Player("Player 2"))
