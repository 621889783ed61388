"""Plies a second of every game: the whole list of legal actions, then one of them, over whole games.

Storisende plays the outside games of the test fixtures on hexhex-5; the ratio beside it is to the slow literal
transcription of the rules that the tests hold, on the same games in the same run. The other games play random games
on their default boards; their ply is an action.
"""

import statistics
import time
from collections.abc import Callable

from engine.board import hexhex, named_board
from engine.game import Action, Position, game_names, load_game, play_turn
from tests.games import literal_storisende as literal
from tests.games.outside import outside_games
from tests.games.walks import walk

_ROUNDS = 5

Line = tuple[Position, list[Action]]


def storisende_lines() -> list[Line]:
    """Positions after the placements of the outside games on hexhex-5, and the actions played from there."""
    lines = []
    for game in outside_games():
        if game.board.names == hexhex(5).names:
            moves = [p.move for p in game.positions if p.move]
            position = start = load_game("storisende").start(hexhex(5))
            actions: list[Action] = []
            for text in moves:
                if position.stage == "placement":
                    position = start = play_turn(position, text)
                else:
                    (action,) = position.parse_turn(text)
                    actions.append(action)
                    position = position.after(action)
            lines.append((start, actions))
    return lines


def random_lines(name: str) -> list[Line]:
    """Random games on the default board, as far as their turns end by themselves."""
    lines = []
    for seed in range(4):
        steps = list(walk(name, "", seed, 120))
        start, actions = steps[0].before, []
        for step in steps:
            if step.action is None:
                lines.append((start, actions))
                start, actions = step.after, []
            else:
                actions.append(step.action)
        lines.append((start, actions))
    return lines


def plies_a_second(lines: list[Line]) -> float:
    """The median over a few rounds."""
    rates = []
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        for position, actions in lines:
            for action in actions:
                position.actions()
                position = position.after(action)
        rates.append(sum(len(actions) for _, actions in lines) / (time.perf_counter() - begun))
    return statistics.median(rates)


def literal_plies_a_second(lines: list[Line]) -> float:
    """The same games by the literal transcription, once."""
    board, plies, begun = hexhex(5), 0, time.perf_counter()
    for position, actions in lines[:3]:
        state = literal.state_of(position)
        for action in actions:
            literal.legal_moves(board, state, "mindsports")
            state = literal.play(board, state, str(action))
            plies += 1
    return plies / (time.perf_counter() - begun)


def main(write: Callable[[str], None] = print) -> None:
    """Print a line a game."""
    for name in game_names():
        lines = storisende_lines() if name == "storisende" else random_lines(name)
        board = hexhex(5) if name == "storisende" else named_board(load_game(name).default_board)
        rate = plies_a_second(lines)
        ratio = f", {rate / literal_plies_a_second(lines):.0f} × the literal rules" if name == "storisende" else ""
        write(f"engine: {name} on {board.name}: {rate:,.0f} plies a second{ratio}")


if __name__ == "__main__":
    main()
