"""Storisende against outside games and against a literal transcription of the rule texts: no difference allowed."""

from random import Random

import pytest

from engine.board import Board, hexhex, named_board
from engine.game import load_game, play_turn
from tests.games import literal_storisende as literal
from tests.games.outside import OutsideGame, outside_games


@pytest.mark.parametrize("outside", outside_games(), ids=lambda g: g.name)
def test_outside_games_agree_in_every_position(outside: OutsideGame) -> None:
    """Positions, scores and all legal moves of AbstractPlay's games, ply by ply."""
    position = load_game("storisende").start(outside.board)
    for expected in outside.positions:
        assert position.tiles() == expected.tiles
        assert position.score() == expected.score
        if expected.legal is not None:
            assert position.legal_texts() == expected.legal
        if expected.move is not None:
            position = play_turn(position, expected.move)


def test_the_outside_games_are_worth_comparing() -> None:
    """The fixture has walls, men on walls, tall stacks and lakes, on three kinds of boards."""
    positions = [p for game in outside_games() for p in game.positions]
    tiles = {tile for p in positions for tile in p.tiles}
    assert len(positions) > 3000
    assert max(height for _, _, height in tiles) >= 5
    assert {("wall", 1, 1), ("wall", 2, 2)} <= tiles
    assert len({len(game.board) for game in outside_games()}) == 3


BOARDS = (hexhex(3), hexhex(4), named_board("modular-3"), named_board("modular-5"), named_board("diamond-6"))


@pytest.mark.parametrize("rules", ["mindsports", "ersatz"])
@pytest.mark.parametrize("board", BOARDS, ids=lambda b: b.name)
def test_random_games_agree_with_the_literal_rules(rules: str, board: Board) -> None:
    """Random play on small boards, where walls come early: legal moves, tables and scores of every position."""
    for seed in range(3):
        random = Random(f"{rules} {board.name} {seed}")
        position = load_game("storisende").start(board, rules)
        while position.stage == "placement":
            position = position.after(random.choice(position.actions()))
            if position.turn and position.may_end and random.random() < 0.4:
                position = position.end_turn()
        for _ in range(90):
            if position.outcome:
                break
            state = literal.state_of(position)
            legal = literal.legal_moves(board, state, rules)
            assert position.legal_texts() == legal
            assert position.score() == literal.score(state)
            text = random.choice([move for move in legal if move != "pass"] or legal)
            position = play_turn(position, text)
            assert literal.state_of(position) == literal.play(board, state, text)
