"""Sets of cells as the bits of an int: cell index i is bit i."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from engine.board import Board


def bits_of(cells: Iterable[int]) -> int:
    """The set of the given cell indices."""
    mask = 0
    for i in cells:
        mask |= 1 << i
    return mask


def cells_of(mask: int) -> Iterator[int]:
    """The cell indices in a set, smallest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@lru_cache(maxsize=64)
def neighbour_bits(board: Board) -> tuple[int, ...]:
    """For each cell the set of its neighbours."""
    return tuple(bits_of(n) for n in board.neighbours)


def component(neighbours: tuple[int, ...], seed: int, within: int) -> int:
    """The connected part of the set `within` that the set `seed` belongs to (`seed` itself lies in `within`)."""
    part = frontier = seed
    while frontier:
        reached = 0
        for i in cells_of(frontier):
            reached |= neighbours[i]
        frontier = reached & within & ~part
        part |= frontier
    return part


def components(neighbours: tuple[int, ...], within: int) -> Iterator[int]:
    """The connected parts of a set, each once, in the order of their smallest cells."""
    while within:
        part = component(neighbours, within & -within, within)
        yield part
        within &= ~part
