"""Straight lines on a board: distance and cells between two cells, gaps counted and jumped."""

from functools import lru_cache

from engine.board import Board

#: (distance, set of the cells of the board strictly between) of a target on a straight line.
Line = tuple[int, int]


@lru_cache(maxsize=64)
def lines(board: Board) -> tuple[dict[int, Line], ...]:
    """For each cell a mapping from every other cell on one of its six lines to the line between them."""
    out: list[dict[int, Line]] = []
    for rays in board.rays:
        reached: dict[int, Line] = {}
        for ray in rays:
            between = 0
            for k, cell in enumerate(ray, start=1):
                if cell >= 0:
                    reached[cell] = (k, between)
                    between |= 1 << cell
        out.append(reached)
    return tuple(out)
