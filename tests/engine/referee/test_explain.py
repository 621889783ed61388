"""The search for lines of play: whole turns are found however long they are, and it never works for long."""

import random

import pytest

from engine.board import named_board
from engine.game import Position, load_game, play_turn
from engine.look import BoardLook, Reading, certain
from engine.referee.evidence import Evidence
from engine.referee.explain import EFFORT, Explainer
from engine.referee.lines import Base
from tests.engine.referee.simulated_table import Table, played_opening, random_turn

GAMES = [("storisende", ""), ("storisende", "ersatz"), ("castle", ""), ("phalanx", ""), ("hexteroyd", "")]


def seen(looks: BoardLook) -> Evidence:
    """What one look at such a table tells."""
    evidence = Evidence(len(looks))
    evidence.add(Reading(0.0, 0, tuple(map(certain, looks))))
    return evidence


def in_mid_game(name: str, rules: str, seed: int, plies: int) -> Position:
    """A position after so many random turns on hexhex-6."""
    game, rng = load_game(name), random.Random(seed)
    position = played_opening(game, named_board("hexhex-6"), seed, rules)
    for _ in range(plies):
        if position.outcome is None:
            position = play_turn(position, game.format_turn(random_turn(position, rng)))
    return position


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_the_turn_that_was_played_explains_the_table(name: str, rules: str, seed: int) -> None:
    """Of a turn in any number of actions only the table after it is seen: the best line leads there, in one turn."""
    position = in_mid_game(name, rules, seed, 20)
    after = play_turn(position, load_game(name).format_turn(random_turn(position, random.Random(seed))))
    best = Explainer(seen(after.look())).explain([Base(0, position, position.look())])[0]
    assert best.looks == after.look()
    assert len(best.turns) == (after.look() != position.look())
    assert best.tail is None


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rules", ["", "ersatz"])
def test_turns_in_which_men_go_on_unseen_explain_the_table(rules: str, seed: int) -> None:
    """Two turns of one player and one between them, of the same men or of others: the best line leaves nothing open."""
    position, game, rng = in_mid_game("storisende", rules, seed, 12), load_game("storisende"), random.Random(seed)
    after = position
    for _ in range(3):
        after = play_turn(after, game.format_turn(random_turn(after, rng)))
    found = Explainer(seen(after.look()), unwatched=True).explain([Base(0, position, position.look())])
    assert found[0].looks == after.look()
    assert found[0].tail is None


@pytest.mark.parametrize("unwatched", [False, True])
@pytest.mark.parametrize("part", [0.05, 0.4, 1.0])
@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_the_search_is_bounded_whatever_lies_on_the_table(name: str, rules: str, part: float, unwatched: bool) -> None:
    """Some or all cells misread: the steps stay within the effort for the search and for the ends of its lines."""
    position, rng = in_mid_game(name, rules, 1, 30), random.Random(1)
    table = Table(load_game(name), position, 1)
    looks = tuple(table.misread(look) if rng.random() < part else look for look in position.look())
    explainer = Explainer(seen(looks), unwatched=unwatched)
    explainer.explain([Base(back, position, position.look()) for back in range(6)])
    assert explainer.steps <= (4.5 if unwatched else 2.5) * EFFORT
