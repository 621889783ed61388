"""Playing in the terminal, and the built-in opponent, in every game."""

import io
import sys
from pathlib import Path
from random import Random

import pytest
from rich.console import Console

from companion.main import main
from companion.terminal.playing import TerminalGame, new_record
from engine.board import hexhex, named_board
from engine.game import Outcome, load_game
from engine.opponent import choose_turn
from engine.records.text_format import read_text
from tests.games.walks import KINDS


def terminal_game(*lines: str, machine: int = 0, name: str = "storisende", rules: str = "") -> tuple[TerminalGame, str]:
    """A game after these lines were typed, and what was printed."""
    board = hexhex(4) if name == "storisende" else named_board(load_game(name).default_board)
    out = io.StringIO()
    record = new_record(board, name, rules, [], "Ann,Ben", "red,purple")
    console = Console(file=out, width=200, color_system=None)
    game = TerminalGame(record, machine, Random(5), {1: (255, 0, 0), 2: (0, 0, 255)}, console)
    waiting = iter(lines)
    game.run(lambda prompt: next(waiting, None))
    return game, out.getvalue()


def test_two_people_play_a_game_to_its_end() -> None:
    """Two passes end it; the score decides."""
    game, printed = terminal_game("d1,d1", "d7,d7,d6", "d7,d7", "d1-d3", "moves", "d7-d5", "pass", "pass")
    assert game.outcome == Outcome("passes", 0)
    assert "d7,d7,d6 places 3 men but 2 are to be placed" in printed
    assert "drawn (passes)" in printed
    assert [turn.text for turn in game.record.turns] == ["d1,d1", "d7,d7", "d1-d3", "d7-d5", "pass", "pass"]


def test_turns_are_taken_back() -> None:
    """One at a time between people; with the answer against the machine; nothing before the start."""
    game, printed = terminal_game("back", "d1,d1", "d7,d7", "d1-d3", "back", "d1:1-d2")
    assert "there is nothing to take back" in printed
    assert [turn.text for turn in game.record.turns] == ["d1,d1", "d7,d7", "d1:1-d2"]
    game, _ = terminal_game("d1,d1", "back", machine=2)
    assert game.record.turns == ()


@pytest.mark.parametrize(
    ("word", "outcome"), [("resign", Outcome("resignation", 2)), ("draw", Outcome("agreement", 0))]
)
def test_people_end_a_game(word: str, outcome: Outcome) -> None:
    """By resignation or agreement."""
    assert terminal_game("d1,d1", "d7,d7", word)[0].outcome == outcome


def test_a_game_is_saved_and_left(tmp_path: Path) -> None:
    """At any time; the record holds the turns so far."""
    path = tmp_path / "game.txt"
    game, _ = terminal_game("d1,d1", "d7,d7", f"save {path}", "quit", "d1-d3")
    assert game.left
    record = read_text(path.read_text(encoding="utf-8"), "game.txt")
    assert [turn.text for turn in record.turns] == ["d1,d1", "d7,d7"]
    assert [player.name for player in record.players] == ["Ann", "Ben"]


def test_a_place_that_cannot_be_written_does_not_end_the_game() -> None:
    """It is answered, and play goes on."""
    game, printed = terminal_game("d1,d1", "save no/where.txt", "d7,d7")
    assert "cannot be written" in printed
    assert len(game.record.turns) == 2


@pytest.mark.parametrize(("name", "rules"), KINDS)
def test_the_opponent_plays_every_game_legally_and_repeatably(name: str, rules: str) -> None:
    """Twenty turns on both sides; the same seed gives the same turns."""
    game = load_game(name)
    played = []
    for _ in range(2):
        random, texts = Random(11), []
        position = game.start(named_board(game.default_board), rules)
        while position.outcome is None and len(texts) < 20:
            actions, player = choose_turn(position, random), position.player
            texts.append(game.format_turn(actions))
            for action in actions:
                position = position.after(action)
            if position.turn and position.player == player:
                position = position.end_turn()
        played.append(texts)
    assert played[0] == played[1]
    assert played[0]


@pytest.mark.parametrize(("name", "rules"), KINDS)
def test_a_person_against_the_opponent(name: str, rules: str) -> None:
    """The machine opens, and answers nothing before the person has moved."""
    game, _ = terminal_game(machine=1, name=name, rules=rules)
    assert len(game.record.turns) == 1


def test_the_opponent_takes_a_won_game() -> None:
    """Ahead and passed to, it passes."""
    from tests.games.storisende_tables import table

    ahead = table(hexhex(4), "d4=virgin+A1 a3=wall+B1", player=2)
    after = ahead.after(next(a for a in ahead.actions() if str(a) == "pass"))
    assert [str(a) for a in choose_turn(after, Random(1))] == ["pass"]


def test_the_command_plays_from_standard_input(monkeypatch, capsys, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Lines in, boards out, a record at the end."""
    path = tmp_path / "r.json"
    monkeypatch.setattr(sys, "stdin", io.StringIO("d1,d1\nd7,d7\nresign\n"))
    monkeypatch.setattr(
        sys, "argv", ["storisende", "play", "--board", "hexhex-4", "--names", "Ann,Ben", "--record", str(path)]
    )
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    assert "Ben wins (resignation)" in capsys.readouterr().out
    assert '"end": "resignation"' in path.read_text(encoding="utf-8")


def test_a_record_that_cannot_be_written_at_the_end_is_printed(monkeypatch, capsys, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """As when a disk is full by then; one line says so."""
    path = tmp_path / "r.txt"
    (tmp_path / "r.txt.part").mkdir()
    monkeypatch.setattr(sys, "stdin", io.StringIO("d1,d1\nresign\n"))
    monkeypatch.setattr(sys, "argv", ["storisende", "play", "--board", "hexhex-4", "--record", str(path)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    said = capsys.readouterr()
    assert "1. d1,d1\n" in said.out
    (line,) = said.err.splitlines()
    assert line.startswith(f"storisende: record {path}: cannot be written: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--option", "men"], "--option takes NAME=VALUE"),
        (["--option", "men=9"], "not '9'"),
        (["--names", "Ann"], "--names takes two names"),
        (["--game", "go"], "unknown game 'go'"),
    ],
)
def test_wrong_usage_of_play_is_one_line(monkeypatch, capsys, words: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    """Exit status 2."""
    monkeypatch.setattr(sys, "argv", ["storisende", "play", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert message in capsys.readouterr().err
