"""Random play for tests: any game, seeded."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from engine.board import named_board
from engine.game import PASS, Action, Position, game_names, load_game

#: Every game with every rule set.
KINDS = [(name, rules) for name in game_names() for rules in load_game(name).rule_sets]


class WalkStep(NamedTuple):
    """One action of a random game; `action` None: the turn was ended."""

    before: Position
    action: Action | None
    after: Position


def walk(name: str, rules: str, seed: int, actions: int, board: str = "") -> Iterator[WalkStep]:
    """Up to so many random actions from the start of a game; passes are rare."""
    random = Random(f"{name} {rules} {seed}")
    game = load_game(name)
    position = game.start(named_board(board or game.default_board), rules)
    for _ in range(actions):
        if position.outcome is not None:
            return
        choices = list(position.actions())
        if position.may_end and (not choices or random.random() < 0.4):
            step = WalkStep(position, None, position.end_turn())
        else:
            moves = [a for a in choices if str(a) != PASS]
            action = random.choice(moves if moves and random.random() < 0.97 else choices)
            step = WalkStep(position, action, position.after(action))
        yield step
        position = step.after


def turns_of(steps: list[WalkStep]) -> Iterator[tuple[Position, tuple[Action, ...]]]:
    """The finished turns of a walk: the position at the start of each, and its actions."""
    start, actions = None, []
    for step in steps:
        if start is None:
            start = step.before
        if step.action is not None:
            actions.append(step.action)
        if not step.after.turn:
            yield start, tuple(actions)
            start, actions = None, []
