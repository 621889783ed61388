"""Positions of Storisende for tests, written as words: `c4=wall c7=virgin+A2`, all other cells as `rest` says."""

from engine.board import Board
from engine.game import load_game
from engine.games.storisende import Storisende, StorisendePosition
from engine.records.words import parse_tile_words


def table(
    board: Board, words: str, player: int = 1, rules: str = "mindsports", rest: str = "virgin"
) -> StorisendePosition:
    """The position of play with these cells, `player` to move."""
    game = load_game("storisende")
    assert isinstance(game, Storisende)
    tiles = [(rest, 0, 0)] * len(board)
    for cell, tile in parse_tile_words(",".join(words.split()), board):
        tiles[cell] = tile
    return game.from_tiles(board, tiles, player, rules)


def tile(position: StorisendePosition, name: str) -> tuple[str, int, int]:
    """(tile, owner, height) of a cell."""
    return position.tiles()[position.board.parse(name)]


def targets(position: StorisendePosition, source: str) -> set[str]:
    """Where the piece on a cell may go, whole or in part: the texts after the cell's name."""
    return {
        text.removeprefix(source) for text in position.legal_texts() if text.startswith((f"{source}-", f"{source}:"))
    }
