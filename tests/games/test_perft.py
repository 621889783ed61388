"""Perft tables of Storisende: how many lines of play there are, counted by the engine and by the literal rules."""

from pathlib import Path
from typing import NamedTuple

import pytest

from engine.board import named_board
from engine.game import Position, load_game, play_turn
from tests.games import literal_storisende as literal

TABLE = Path(__file__).parent / "perft" / "storisende.txt"


class Row(NamedTuple):
    """One line of the table."""

    rules: str
    board: str
    turns: list[str]
    counts: list[int]

    def position(self) -> Position:
        """The position that the lines are counted from."""
        position = load_game("storisende").start(named_board(self.board), self.rules)
        for text in self.turns:
            position = play_turn(position, text)
        return position


def rows() -> list[Row]:
    """The table's lines that are no comments."""
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            rules, board, turns, counts = (part.strip() for part in line.split("|"))
            found.append(Row(rules, board, turns.split(), list(map(int, counts.split()))))
    return found


def perft(position: Position, depth: int) -> int:
    """The number of lines of play of so many turns; a game that ends sooner has none."""
    if depth == 0:
        return 1
    actions = position.actions()
    if depth == 1:
        return len(actions)
    return sum(perft(position.after(action), depth - 1) for action in actions)


def literal_perft(row: Row, state: literal.State, depth: int) -> int:
    """The same by the literal transcription, which knows no ends: only for depths before any."""
    board = named_board(row.board)
    moves = literal.legal_moves(board, state, row.rules)
    if depth == 1:
        return len(moves)
    return sum(literal_perft(row, literal.play(board, state, move), depth - 1) for move in moves)


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.rules} {row.board} {len(row.turns)}")
def test_perft(row: Row) -> None:
    """Every depth of the table."""
    position = row.position()
    assert [perft(position, depth) for depth in range(1, len(row.counts) + 1)] == row.counts
    state = literal.state_of(position)
    assert [literal_perft(row, state, depth) for depth in (1, 2)] == row.counts[:2]
