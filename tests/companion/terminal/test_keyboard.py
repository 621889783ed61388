"""Corrections typed while a game is watched, on a real session."""

import pytest

from companion.game.session import Session, Setup
from companion.terminal.keyboard import HELP, run_line
from engine.board import hexhex


def session() -> Session:
    """A game after both placements, entered by hand."""
    game = Session(Setup(hexhex(4), ("red", "white"), ("Ann", "Bob")))
    game.enter("d1,d7")
    game.enter("a3,g6")
    return game


def test_moves_are_entered_and_taken_back() -> None:
    """`enter` plays, `back` undoes, and the answer repeats what was done."""
    game = session()
    assert run_line(game, "enter d1-d2") == "done: enter d1-d2"
    assert [ply.text for ply in game.state.history] == ["d1,d7", "a3,g6", "d1-d2"]
    run_line(game, "back")
    assert len(game.state.history) == 2
    run_line(game, "enter d1-d2")
    run_line(game, "back 2")
    assert len(game.state.history) == 1


def test_two_passes_end_the_game() -> None:
    """`pass` twice."""
    game = session()
    run_line(game, "pass")
    run_line(game, "pass")
    assert game.state.outcome is not None
    assert game.state.outcome.end == "passes"


@pytest.mark.parametrize(("word", "winner"), [("red", 2), ("Ann", 2), ("2", 1), ("", 2)])
def test_players_resign_by_colour_name_or_number(word: str, winner: int) -> None:
    """Without a name it is the player to move who resigns."""
    game = session()
    run_line(game, f"resign {word}")
    assert game.state.outcome is not None
    assert (game.state.outcome.end, game.state.outcome.winner) == ("resignation", winner)


def test_a_draw_is_agreed() -> None:
    """`agree` without a winner is a draw."""
    game = session()
    run_line(game, "agree draw")
    assert game.state.outcome is not None
    assert game.state.outcome.winner == 0


def test_a_cell_is_set() -> None:
    """`set` takes cell, tile, player and height."""
    game = session()
    run_line(game, "set d4 wall white 2")
    assert game.state.position.tiles()[hexhex(4).parse("d4")] == ("wall", 2, 2)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("enter d1-d3", "d1-d3"),
        ("enter z9-d1", "z9"),
        ("resign green", "'green' is no player; they are red and white"),
        ("back many", "'many' is no number"),
        ("set d4", "set takes a cell and a tile"),
        ("dance", "'dance' is not known"),
        ("help", HELP),
        ("", ""),
    ],
)
def test_what_cannot_be_done_is_answered(line: str, answer: str) -> None:
    """Nothing changes, and the answer says why."""
    game = session()
    assert answer in run_line(game, line)
    assert len(game.state.history) == 2
