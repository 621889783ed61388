"""Games played by an outside program, kept as fixtures: every position, every legal move, the score, the move.

`data/storisende-outside.jsonl.gz` was made from random games of AbstractPlay's public implementation of Storisende.
One line is a game: `{"name", "cells": [[q, r], …], "positions": [[tokens, score, legal or null, move or null], …]}`; a
token is `v`, `t` or `w`, then `A` or `B` and the height. Cells are in the order of their names.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.board import Board, from_cells

DATA = Path(__file__).parent / "data"
_TILES = {"v": "virgin", "t": "territory", "w": "wall"}


@dataclass(frozen=True)
class OutsidePosition:
    """One line of an outside game; `legal` is None in placements and at the end, `move` at the end."""

    tiles: tuple[tuple[str, int, int], ...]
    score: tuple[int, int]
    legal: list[str] | None
    move: str | None


@dataclass(frozen=True)
class OutsideGame:
    """A whole outside game."""

    name: str
    board: Board
    positions: tuple[OutsidePosition, ...]


def _tile(token: str) -> tuple[str, int, int]:
    owner = " AB".index(token[1]) if len(token) > 1 else 0
    return _TILES[token[0]], owner, int(token[2:] or 0)


@cache
def outside_games() -> tuple[OutsideGame, ...]:
    """All outside games of Storisende."""
    return tuple(_read())


def _read() -> Iterator[OutsideGame]:
    with gzip.open(DATA / "storisende-outside.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            game = json.loads(line)
            positions = tuple(
                OutsidePosition(tuple(map(_tile, tokens.split())), tuple(score), legal and legal.split(), move)
                for tokens, score, legal, move in game["positions"]
            )
            yield OutsideGame(game["name"], from_cells(game["cells"], game["name"]), positions)
