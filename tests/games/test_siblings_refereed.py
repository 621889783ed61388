"""Castle, Phalanx and Hexteroyd on a simulated table that is read without error: the referee's record is exact."""

import pytest

from engine.board import named_board
from engine.game import Position, load_game, play_turn
from engine.look import Reading, certain
from engine.referee.reconcile import Reconciler
from engine.referee.verdict import Ambiguous, Verdict
from tests.engine.referee.simulated_table import Habits, Noise, Table
from tests.games.recorded import recorded_games


def after_the_placement(name: str, number: int) -> Position:
    """The first position of play of a recorded game."""
    game, recorded = load_game(name), recorded_games(name)[number]
    position = game.start(named_board(recorded["board"]))
    for line in recorded["positions"]:
        if position.stage != "placement":
            break
        position = play_turn(position, line["move"])
    return position


@pytest.mark.parametrize("name", ["castle", "phalanx", "hexteroyd"])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_turn_is_recorded(name: str, seed: int) -> None:
    """Turns of many actions as well, though the order of their actions does not show on the table."""
    game, position = load_game(name), after_the_placement(name, seed)
    table = Table(game, position, seed, Noise(0.0, 0.0), Habits(0.0))
    referee = Reconciler(game, position, ("red", "yellow"))
    for moment in table.play(14):
        if moment.reading is None:
            referee.moving(moment.t_s, moment.frame)
        else:
            referee.observe(moment.reading)
    referee.conclude(moment.t_s + 1.0, moment.frame + 1)
    played = [sorted(map(str, ply.actions)) for ply in referee.plies]
    truth, now = [], position
    for text in table.truth.turns:
        truth.append(sorted(map(str, now.parse_turn(text))))
        now = play_turn(now, text)
    assert played == truth
    assert referee.position == now


def show(referee: Reconciler, position: Position, begun_s: float) -> list[Verdict]:
    """Four seconds of a still table that looks like the position, without doubt."""
    said: list[Verdict] = []
    cells = tuple(certain(look) for look in position.look())
    for frame in range(40):
        now_s = begun_s + frame / 10
        said += referee.observe(Reading(now_s, frame, cells))
    return said


def test_a_castle_placement_is_followed_turn_by_turn() -> None:
    """From the empty board, the bound and the free man of each turn."""
    game, recorded = load_game("castle"), recorded_games("castle")[3]
    position = game.start(named_board(recorded["board"]))
    referee = Reconciler(game, position, ("red", "purple"))
    texts = [line["move"] for line in recorded["positions"][:6]]
    show(referee, position, 0.0)
    for number, text in enumerate(texts, start=1):
        position = play_turn(position, text)
        show(referee, position, 4.0 * number)
    assert [ply.text for ply in referee.plies] == texts


def test_the_side_chosen_in_phalanx_does_not_show_and_is_asked_for() -> None:
    """The placement is followed; after the extra red man both choices explain the table; a person tells."""
    game = load_game("phalanx")
    position = game.start(named_board("hexhex-5"))
    referee = Reconciler(game, position, ("red", "yellow"))
    show(referee, position, 0.0)
    position = play_turn(position, "r:c4,y:d5,y:f3")
    show(referee, position, 4.0)
    position = play_turn(play_turn(position, "yellow"), "e5")
    said = show(referee, position, 8.0)
    (asked,) = [verdict for verdict in said if isinstance(verdict, Ambiguous)]
    assert set(asked.candidates) == {"red e5", "yellow e5"}
    referee.choose(asked.candidates.index("yellow e5"))
    assert [ply.text for ply in referee.plies] == ["r:c4,y:d5,y:f3", "yellow", "e5"]
