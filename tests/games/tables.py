"""Positions of castle, Phalanx and Hexteroyd written as words, for tests of single sentences."""

from engine.bits import bits_of, components, neighbour_bits
from engine.board import Board, hexhex
from engine.games import castle, hexteroyd, phalanx


def _cells(board: Board, names: str) -> list[int]:
    return [board.parse(name) for name in names.split()]


def castle_table(
    first: str = "", second: str = "", player: int = 1, base: int = 6, options: dict[str, str] | None = None
) -> castle.CastlePosition:
    """The play proper of the castle game with the men of both players on these cells."""
    board = hexhex(base)
    men = [0] * len(board)
    for owner, names in ((1, first), (2, second)):
        for cell in _cells(board, names):
            men[cell] = owner
    ground = castle.GAME.start(board, options=options).ground
    return castle.CastlePosition(ground, tuple(men), player, placing=False)


def phalanx_table(
    red: str = "", yellow: str = "", wall: str = "", player: int = 1, base: int = 5
) -> phalanx.PhalanxPosition:
    """The start of a turn of Phalanx with these men and this wall."""
    board = hexhex(base)
    sets = [bits_of(_cells(board, names)) for names in (red, yellow, wall)]
    groups = tuple(components(neighbour_bits(board), sets[player - 1]))
    return phalanx.PhalanxPosition(board, (1, 2), *sets, player, phalanx.PLAY, unchanged=groups)


def hexteroyd_table(
    light: str = "",
    dark: str = "",
    pawns: str = "",
    hands: tuple[tuple[int, ...], tuple[int, ...]] = (hexteroyd.HAND, hexteroyd.HAND),
    player: int = 1,
) -> hexteroyd.HexteroydPosition:
    """A position of Hexteroyd on the board of 61 cells; pawns as `d4:2 e5:1`."""
    board = hexhex(5)
    values = [0] * len(board)
    for cell, value in (word.split(":") for word in pawns.split()):
        values[board.parse(cell)] = int(value)
    white, black = bits_of(_cells(board, light)), bits_of(_cells(board, dark))
    return hexteroyd.HexteroydPosition(board, False, white, black, tuple(values), hands, player)
