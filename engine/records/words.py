"""Parts of a record as words: boards, positions set up by hand, referees' rulings. Both file formats use them."""

import re
from collections.abc import Sequence

from engine.board import Board, from_cells, from_modules, modules_of, named_board
from engine.errors import BoardError, RecordError

#: (tile, owner, height) as `engine.game.Position.tiles` gives them.
Tile = tuple[str, int, int]

_OWNERS = "-ABN"
_TILE = re.compile(r"([a-z]\d{1,2})=([a-z]+)(?:\+([ABN])(\d{1,3}))?")
_PAIR = re.compile(r"(-?\d{1,3}),(-?\d{1,3})")


def layout_words(board: Board) -> str:
    """`modules 0,0 3,-1` or `cells 0,0 1,0` for a board; empty where its name says all."""
    try:
        if named_board(board.name) == board and not board.name.startswith("modular"):
            return ""
    except BoardError:
        pass
    centres = modules_of(board)
    what, pairs = ("cells", board.cells) if centres is None else ("modules", centres)
    return " ".join([what, *(f"{q},{r}" for q, r in pairs)])


def parse_layout_words(words: str, name: str) -> Board:
    """The board that `layout_words` describes. Raises `RecordError` or `BoardError`."""
    what, *pairs = words.split()
    matches = [_PAIR.fullmatch(pair) for pair in pairs]
    if what not in ("modules", "cells") or not matches:
        raise RecordError(f"'{words}' is no layout; it is 'modules' or 'cells' and pairs like 0,0 3,-1")
    cells = []
    for pair, match in zip(pairs, matches, strict=True):
        if match is None:
            raise RecordError(f"layout: '{pair}' is no pair of axial coordinates like 3,-1")
        cells.append((int(match[1]), int(match[2])))
    return (from_modules if what == "modules" else from_cells)(cells, name)


def tile_words(board: Board, tiles: Sequence[Tile]) -> str:
    """Every cell as `c4=territory+A2` (`A` player 1, `B` player 2, `N` neutral), joined by commas."""
    return ",".join(_tile_word(name, tile) for name, tile in zip(board.names, tiles, strict=True))


def parse_tile_words(words: str, board: Board) -> list[tuple[int, Tile]]:
    """(cell, tile) of every word. Raises `RecordError` or `NotationError`."""
    found = []
    for word in words.split(","):
        match = _TILE.fullmatch(word)
        if match is None:
            raise RecordError(f"'{word}' is no cell with its tile; write c4=territory or c7=virgin+A2")
        owner = _OWNERS.index(match[3]) if match[3] else 0
        found.append((board.parse(match[1]), (match[2], owner, int(match[4] or 0))))
    return found


def ruling_words(board: Board, before: Sequence[Tile], after: Sequence[Tile], player: int) -> str:
    """A referee's ruling as a turn, `!c4=wall,c7=virgin+A2>2`: the cells that differ afterwards, the player to move."""
    changed = [_tile_word(name, new) for name, old, new in zip(board.names, before, after, strict=True) if old != new]
    return f"!{','.join(changed)}>{player}"


def parse_ruling(text: str, board: Board) -> tuple[list[tuple[int, Tile]], int]:
    """The changed cells and the player to move of a ruling. Raises `RecordError` or `NotationError`."""
    words, _, player = text.removeprefix("!").rpartition(">")
    if player not in ("1", "2"):
        raise RecordError(f"'{text}' is no ruling; it looks like !c4=wall,c7=virgin+A2>2 (2: the player to move)")
    return (parse_tile_words(words, board) if words else []), int(player)


def _tile_word(name: str, tile: Tile) -> str:
    what, owner, height = tile
    return f"{name}={what}" + (f"+{_OWNERS[owner]}{height}" if height else "")
