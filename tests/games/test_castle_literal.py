"""The castle game of the engine against its literal transcription, on games and on random tables."""

import random

import pytest

from engine.board import Board, Cell, hexhex
from engine.games.castle import GAME, CastlePosition
from tests.games import literal_castle as literal


def men_of(position: CastlePosition) -> dict[literal.Cell, int]:
    """The men of the engine's position by axial coordinates."""
    return {tuple(cell): owner for cell, owner in zip(position.board.cells, position.men, strict=True) if owner}


def random_table(board: Board, base: int, dice: random.Random) -> tuple[CastlePosition, literal.State]:
    """Men strewn over the board, many of them in and about the castle, sometimes with a ban on switching back."""
    crowd, core = dice.uniform(0.1, 0.7), dice.uniform(0.1, 0.9)
    share = dice.uniform(0.3, 0.7)
    men: dict[literal.Cell, int] = {}
    for q, r in board.cells:
        near = max(abs(q), abs(r), abs(q + r)) <= 2
        if (q, r) != literal.THRONE and dice.random() < (core if near else crowd):
            men[q, r] = 1 if dice.random() < share else 2
    player = dice.choice((1, 2))
    beside = [(a, b) for a in men for b in men if men[a] == player != men[b] and literal.adjacent(a, b)]
    switched = dice.choice(beside) if beside and dice.random() < 0.5 else None
    owners = tuple(men.get((q, r), 0) for q, r in board.cells)
    banned = (board.index[Cell(*switched[0])], board.index[Cell(*switched[1])]) if switched else None
    position = CastlePosition(GAME.start(board).ground, owners, player, placing=False, banned=banned)
    return position, literal.State(base, men, player, "movement", switched=switched)


def assert_same(position: CastlePosition, state: literal.State) -> dict[str, literal.State]:
    """The legal turns, the table, the score, the memory and the end agree; gives the literal turns."""
    turns = literal.turns(state)
    names = position.board.names
    assert position.legal_texts() == sorted(turns)
    assert men_of(position) == state.men
    assert position.player == state.player
    assert position.score() == literal.score(state)
    if not state.end:
        assert position.stage == {"placement": "placement", "movement": "play"}[state.stage]
        banned = tuple(names[i] for i in position.banned) if position.banned else None
        assert banned == (tuple(literal.name(state.base, c) for c in state.switched) if state.switched else None)
    end = (position.outcome.end, position.outcome.winner) if position.outcome else ("", 0)
    assert end == (state.end, state.winner)
    return turns


@pytest.mark.parametrize("base", [3, 4, 5, 6])
def test_random_tables(base: int) -> None:
    """Men strewn at random: the same legal turns, and the same table after each of some of them."""
    dice, board = random.Random(base), hexhex(base)
    for _ in range(TABLES[base]):
        position, state = random_table(board, base, dice)
        turns = assert_same(position, state)
        for text in dice.sample(sorted(turns), min(4, len(turns))):
            after = position.after(position.parse_turn(text)[0])
            assert men_of(after) == turns[text].men, text
            assert (after.outcome.end if after.outcome else "") == turns[text].end


@pytest.mark.parametrize("seed", range(8))
def test_random_games(seed: int) -> None:
    """Whole games, from the placement on, that like to go inward."""
    dice, base = random.Random(seed), (4, 4, 5, 6)[seed % 4]
    position, state = GAME.start(hexhex(base)), literal.State(base, {})
    for _ in range(60):
        turns = assert_same(position, state)
        if not turns:
            break
        texts = sorted(turns)
        inward = [t for t in texts if sum(literal.score(turns[t])) > sum(literal.score(state))]
        text = dice.choice(inward if inward and dice.random() < 0.7 else texts)
        for action in position.parse_turn(text):
            position = position.after(action)
        state = turns[text]


#: Random tables for every base.
TABLES = {3: 500, 4: 400, 5: 150, 6: 100}
