"""Hexteroyd of the engine against its literal transcription, on games and on random tables."""

import random

import pytest

from engine.bits import bits_of
from engine.board import Board, hexhex
from engine.game import play_turn
from engine.games.hexteroyd import GAME, HexteroydPosition
from tests.games import literal_hexteroyd as literal


def random_table(board: Board, base: int, dice: random.Random) -> tuple[HexteroydPosition, literal.State]:
    """Disks strewn over the board, some of the twelve pawns on free cells, the others in one hand or the other."""
    crowd, share = dice.uniform(0.1, 0.98), dice.uniform(0.3, 0.7)
    covered = [(c.q, c.r) for c in board.cells if dice.random() < crowd]
    disks = {cell: 1 + (dice.random() < share) for cell in dice.sample(covered, min(len(covered), 60))}
    free = [(c.q, c.r) for c in board.cells if (c.q, c.r) not in disks]
    dice.shuffle(free)
    pawns, hands = {}, ([], [])
    for value in (1, 1, 1, 2, 2, 3) * 2:
        if free and dice.random() < 0.5:
            pawns[free.pop()] = value
        else:
            hands[dice.randrange(2)].append(value)
    held = tuple(sorted(hands[0])), tuple(sorted(hands[1]))
    player, turn_all = dice.choice((1, 2)), dice.random() < 0.2
    light, dark = (bits_of(i for i, c in enumerate(board.cells) if disks.get((c.q, c.r)) == k) for k in (1, 2))
    values = tuple(pawns.get((c.q, c.r), 0) for c in board.cells)
    position = HexteroydPosition(board, turn_all, light, dark, values, held, player)
    return position, literal.State(base, disks, pawns, held, player, turn_all=turn_all)


def assert_same(position: HexteroydPosition, state: literal.State) -> dict[str, literal.State]:
    """The legal turns, the table, the hands, the score and the end agree; gives the literal turns."""
    turns = literal.turns(state)
    assert position.legal_texts() == sorted(turns)
    cells = [(c.q, c.r) for c in position.board.cells]
    words = ("open", "light", "dark")
    for cell, (word, owner, height) in zip(cells, position.tiles(), strict=True):
        value = state.pawns.get(cell, 0)
        assert (word, owner, height) == (words[state.disks.get(cell, 0)], 3 if value else 0, value)
    assert (position.player, position.passes, position.hands) == (state.player, state.passes, state.hands)
    assert position.score() == literal.score(state)
    assert (position.outcome is not None) == (state.passes == 2)
    return turns


@pytest.mark.parametrize(("base", "count"), [(3, 250), (4, 150), (5, 100), (6, 40)])
def test_random_tables(base: int, count: int) -> None:
    """Disks and pawns strewn at random: the same legal turns, and the same table after each of some of them."""
    dice, board = random.Random(base), hexhex(base)
    for _ in range(count):
        position, state = random_table(board, base, dice)
        turns = assert_same(position, state)
        for text in dice.sample(sorted(turns), min(3, len(turns))):
            assert_same(play_turn(position, text), turns[text])


@pytest.mark.parametrize("seed", range(6))
def test_random_games(seed: int) -> None:
    """Whole games from the start, with few passes."""
    dice, base = random.Random(seed), (4, 5, 5, 5, 6, 5)[seed]
    position, state = GAME.start(hexhex(base)), literal.start(base)
    for _ in range(60):
        turns = assert_same(position, state)
        if not turns:
            return
        text = dice.choice([t for t in turns if t != "pass" or dice.random() < 0.2] or ["pass"])
        position, state = play_turn(position, text), turns[text]
