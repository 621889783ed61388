"""Castle, Phalanx and Hexteroyd on a simulated table that is read without error: the referee's record is exact."""

import pytest

from companion.simulator import Habits, Noise, Table
from engine.board import named_board
from engine.game import Position, load_game, play_turn
from engine.reconcile import Reconciler
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
