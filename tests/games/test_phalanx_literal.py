"""Phalanx of the engine against its literal transcription: turns, action by action, on games and random tables."""

import random

import pytest

from engine.bits import bits_of, components, neighbour_bits
from engine.board import Board, hexhex
from engine.game import PASS
from engine.games.phalanx import GAME, PLAY, PhalanxPosition
from tests.games import literal_phalanx as literal
from tests.games.literal_castle import Cell


def cells_of(position: PhalanxPosition) -> dict[Cell, int]:
    """The men and the wall of the engine's position by axial coordinates."""
    words = {"wall": literal.WALL}
    tiles = zip(position.board.cells, position.tiles(), strict=True)
    return {(c.q, c.r): owner or words[word] for c, (word, owner, _) in tiles if owner or word in words}


def position_of(board: Board, cells: dict[Cell, int], player: int) -> PhalanxPosition:
    """The engine's position at the start of a turn with these cells."""
    red, yellow, wall = (bits_of(board.index[c] for c in board.cells if cells.get((c.q, c.r)) == k) for k in (1, 2, 3))
    groups = tuple(components(neighbour_bits(board), red if player == 1 else yellow))
    seen = ((red, yellow, wall, player),)
    return PhalanxPosition(board, (1, 2), red, yellow, wall, player, PLAY, swapped=True, unchanged=groups, seen=seen)


def random_table(board: Board, base: int, dice: random.Random) -> tuple[PhalanxPosition, literal.State]:
    """Men and wall strewn over the board, thinly or thickly."""
    weights = [dice.uniform(0.5, 6), dice.uniform(0.2, 2), dice.uniform(0.2, 2), dice.choice((0, 0.2, 0.5))]
    owners = dice.choices((0, 1, 2, literal.WALL), weights, k=len(board))
    cells = {(c.q, c.r): owner for c, owner in zip(board.cells, owners, strict=True) if owner}
    player = dice.choice((1, 2))
    return position_of(board, cells, player), literal.State(base, cells, player, "play")


def compare_turn(
    position: PhalanxPosition, state: literal.State, dice: random.Random
) -> tuple[PhalanxPosition, literal.State]:
    """One random turn, all that is open compared at every step; gives the next turn's position and state."""
    assert cells_of(position) == state.cells
    assert (position.player, position.lost, position.passes) == (state.player, state.lost, state.passes)
    assert position.score() == literal.score(state)
    done: list[literal.Growth | literal.Movement] = []
    while True:
        could = {literal.text(state, action): action for action in literal.open_actions(state, done)}
        if done and not could:
            assert position.player != state.player, "the turn ends by itself"
            break
        assert [str(a) for a in position.turn] == [literal.text(state, a) for a in done]
        assert sorted(str(a) for a in position.actions() if a != PASS) == sorted(could) == position.legal_texts()
        assert position.may_end == bool(done)
        if not could or dice.random() < 0.1:
            position = position.end_turn() if done else position.after(PASS)
            break
        moves = [text for text in could if not text.startswith("+")]
        text = dice.choice(moves if moves and dice.random() < 0.5 else sorted(could))
        done.append(could[text])
        position = position.after(next(action for action in position.actions() if str(action) == text))
    after = literal.turn_done(state, done)
    assert (position.outcome.end if position.outcome else "") == after.end
    return position, after


@pytest.mark.parametrize("base", [3, 4, 5])
def test_random_tables(base: int) -> None:
    """On tables strewn at random a whole turn agrees, and the table after it."""
    dice, board = random.Random(base), hexhex(base)
    for _ in range(TABLES[base]):
        position, state = compare_turn(*random_table(board, base, dice), dice)
        assert cells_of(position) == state.cells
        assert position.lost == state.lost


@pytest.mark.parametrize("seed", range(6))
def test_random_games(seed: int) -> None:
    """Games from an opening on, to their end or for sixty turns."""
    dice, base = random.Random(seed), (3, 4, 3, 4, 3, 5)[seed]
    board = hexhex(base)
    four = dice.sample(board.cells, 4)
    cells = {(c.q, c.r): 1 + (k > 1) for k, c in enumerate(four)}
    position, state = position_of(board, cells, 2), literal.State(base, cells, 2, "play")
    for _ in range(60):
        position, state = compare_turn(position, state, dice)
        if state.end:
            assert position.actions() == ()
            return


def test_the_default_opening_has_as_many_placements_as_cells_allow() -> None:
    """One red man and two yellow ones on 61 cells: 61 · (60 over 2) placements, each once, sorted."""
    texts = GAME.start(hexhex(5)).legal_texts()
    assert len(texts) == len(set(texts)) == 61 * 60 * 59 // 2
    assert texts == sorted(texts)


#: Random tables for every base.
TABLES = {3: 250, 4: 100, 5: 12}
