"""The recorded games of castle, Phalanx and Hexteroyd, kept as fixtures: every position with all that is legal in it.

`data/<game>-recorded.jsonl.gz` was made from random games that literal models of the rule texts played, five a game, a
line each: `{"board", "positions"}`. A position has `player`, `cells` (those that are not empty: the tile with owner and
height; castle: the owner), `score`, `legal` (separated by blanks) and what the table does not show; then the `move`, or
`over`, `winner` and `end`. Phalanx's first placements are too many to list: `legal_count` and `legal_md5` of the list.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.board import Board, named_board
from engine.game import Position, load_game, play_turn

DATA = Path(__file__).parent / "data"


def recorded_games(name: str) -> list[dict[str, Any]]:
    """All recorded games of that name."""
    with gzip.open(DATA / f"{name}-recorded.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def recorded_positions(name: str) -> Iterator[tuple[Position, dict[str, Any]]]:
    """Each position of the engine, played along the recorded moves, with what was recorded of it."""
    game = load_game(name)
    for recorded in recorded_games(name):
        position = game.start(named_board(recorded["board"]))
        for line in recorded["positions"]:
            yield position, line
            if "move" in line:
                assert game.format_turn(position.parse_turn(line["move"])) == line["move"]
                position = play_turn(position, line["move"])


def check_common(position: Position, line: dict[str, Any]) -> None:
    """Player, score, legal turns and the end agree with the record."""
    assert position.player == line["player"]
    assert list(position.score()) == line["score"]
    outcome = position.outcome
    assert (outcome.end if outcome else None) == line.get("end")
    if outcome:
        assert position.actions() == ()
        assert ([outcome.winner] if outcome.winner else [1, 2]) == line["winner"]
        assert position.legal_texts() == []
    elif "legal" in line:
        assert position.legal_texts() == line["legal"].split()
    elif "legal_md5" in line:
        texts = position.legal_texts()
        assert len(texts) == line["legal_count"]
        assert hashlib.md5("\n".join(texts).encode()).hexdigest() == line["legal_md5"]


def name_of(board: Board, cell: int | None) -> str | None:
    """The name of a cell, None for none."""
    return None if cell is None else board.names[cell]
