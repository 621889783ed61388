"""Whether the record of a film is exactly the game that was played in it.

A film's truth (`sample.json`) lists the cells by axial coordinates, the opening position and every ply. A bare
hexagonal board has no 'up', so the record may be turned by any of the six rotations.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.record_files import load_record
from engine.board import Board, Cell
from engine.records.record import Record


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a record compares with the truth, in the rotation that suits it best."""

    plies: int
    recorded: int
    right_from_start: int
    start_right: bool

    @property
    def exact(self) -> bool:
        """The opening and every ply are right, and nothing is missing or too much."""
        return self.start_right and self.right_from_start == self.plies == self.recorded


def compare(truth_file: Path, record_file: Path) -> Comparison:
    """Compare a record with a film's truth. Raises `InputError` or `RecordError` for an unreadable record."""
    truth = json.loads(truth_file.read_text(encoding="utf-8"))
    record = load_record(record_file)
    return max(
        (_compare(truth, record, names) for names in _rotations(truth, record.board)),
        key=lambda c: (c.exact, c.start_right, c.right_from_start),
        default=Comparison(len(truth["plies"]), len(record.turns), 0, False),
    )


def _rotations(truth: dict[str, Any], board: Board) -> Iterator[dict[Cell, str]]:
    """The ways to lay the truth's cells on the board: cell of the truth → name on the board."""
    cells = [Cell(c["q"], c["r"]) for c in truth["cells"]]
    for turns in range(6):
        turned = {c: _turned(c, turns) for c in cells}
        dq = min(c.q for c in board.cells) - min(c.q for c in turned.values())
        dr = min(c.r for c in board.cells) - min(c.r for c in turned.values())
        placed = {c: Cell(t.q + dq, t.r + dr) for c, t in turned.items()}
        if set(placed.values()) == set(board.cells):
            yield {c: board.names[board.index[t]] for c, t in placed.items()}


def _turned(cell: Cell, turns: int) -> Cell:
    for _ in range(turns):
        cell = Cell(-cell.r, cell.q + cell.r)
    return cell


def _compare(truth: dict[str, Any], record: Record, names: dict[Cell, str]) -> Comparison:
    opening = Counter({names[Cell(q, r)]: height for q, r, _, _, height in truth["start"] if height})
    wanted = [_move_text(ply["move"], names) for ply in truth["plies"] if ply["move"]]
    turns = [turn.text for turn in record.turns if turn.text != "pass"]
    placements = [text for text in turns if "-" not in text]
    played = [_parts(text) for text in turns if "-" in text]
    right = 0
    while right < min(len(wanted), len(played)) and played[right] in wanted[right]:
        right += 1
    placed = Counter(name for text in placements for name in text.split(","))
    return Comparison(len(wanted), len(played), right, placed == opening)


def _move_text(move: list[Any], names: dict[Cell, str]) -> set[tuple[str, str, str]]:
    """What a ply of the truth may look like in a record: with and without the number of men."""
    (q, r), (to_q, to_r), men = move
    source, target = names[Cell(q, r)], names[Cell(to_q, to_r)]
    return {(source, target, ""), (source, target, str(men))}


def _parts(text: str) -> tuple[str, str, str]:
    left, _, target = text.partition("-")
    source, _, men = left.partition(":")
    return source, target, men
