"""Hexteroyd a second time: slow, literal, sentence by sentence, and without the engine. For comparison only.

Cells are axial coordinates; a disk is 1 (white) or 2 (black); turns are texts as in the command-line contract.
"""

from dataclasses import dataclass, field, replace
from itertools import combinations

from tests.games.literal_castle import SIX, Cell, adjacent, board, name


@dataclass(frozen=True)
class State:
    """Disks, pawns and hands, whose turn it is, and the passes in a row."""

    base: int
    disks: dict[Cell, int]
    pawns: dict[Cell, int] = field(default_factory=dict)
    hands: tuple[tuple[int, ...], tuple[int, ...]] = ((1, 1, 1, 2, 2, 3), (1, 1, 1, 2, 2, 3))
    player: int = 1
    passes: int = 0
    turn_all: bool = False


def start(base: int = 5) -> State:
    """Six disks round the centre, alternating: d5, e6, f5 white on the board of 61 cells."""
    return State(base, {cell: 1 + i % 2 for i, cell in enumerate(SIX)})


def neighbours(state: State, cell: Cell) -> list[Cell]:
    """The cells of the board next to a cell, in the order of their names."""
    return [c for c in board(state.base) if adjacent(c, cell)]


def turns(state: State) -> dict[str, State]:
    """Every legal turn as text, with the state after it."""
    if state.passes == 2:
        return {}
    names = {c: name(state.base, c) for c in board(state.base)}
    found = {"pass": replace(state, player=3 - state.player, passes=state.passes + 1)}
    for cell in board(state.base):
        if cell in state.pawns:
            if removable(state, cell):
                found[f"-{names[cell]}"] = removed(state, cell)
        elif cell not in state.disks:
            for value in state.hands[state.player - 1]:
                for chosen in combinations(neighbours(state, cell), value):
                    if all(state.disks.get(c) == state.player for c in chosen):
                        placed = pawn_placed(state, cell, value, chosen)
                        text = f"{value}@{names[cell]}({','.join(names[c] for c in chosen)})"
                        for more, after in completions(placed, cell, value, chosen, names).items():
                            found[text + more] = replace(after, player=3 - state.player, passes=0)
    return found


def pawn_placed(state: State, cell: Cell, value: int, chosen: tuple[Cell, ...]) -> State:
    """'The player places a pawn from his hand. He then turns these discs onto the opponent's side.'"""
    hand = list(state.hands[state.player - 1])
    hand.remove(value)
    hands = (tuple(hand), state.hands[1]) if state.player == 1 else (state.hands[0], tuple(hand))
    disks = state.disks | dict.fromkeys(chosen, 3 - state.player)
    return replace(state, disks=disks, pawns=state.pawns | {cell: value}, hands=hands)


def completions(
    placed: State, cell: Cell, value: int, chosen: tuple[Cell, ...], names: dict[Cell, str]
) -> dict[str, State]:
    """'After placing the pawn the player completes his move with one of these two actions', or with neither."""
    found = {"": placed}
    free = [c for c in neighbours(placed, cell) if c not in placed.disks and c not in placed.pawns]
    if free and len(placed.disks) + len(free) <= 60:
        found["*"] = replace(placed, disks=placed.disks | dict.fromkeys(free, placed.player))
    others = [c for c in neighbours(placed, cell) if placed.disks.get(c) == 3 - placed.player and c not in chosen]
    for count in range(1, (len(others) if placed.turn_all else value) + 1):
        for turned in combinations(others, count):
            disks = placed.disks | dict.fromkeys(turned, placed.player)
            found[f"[{','.join(names[c] for c in turned)}]"] = replace(placed, disks=disks)
    return found


def removable(state: State, cell: Cell) -> bool:
    """'a number of his discs at least equal to the number of opponent's discs increased by the value of the pawn'."""
    beside = [state.disks.get(c) for c in neighbours(state, cell)]
    enough = beside.count(state.player) >= beside.count(3 - state.player) + state.pawns[cell]
    return enough and len(state.disks) < 60


def removed(state: State, cell: Cell) -> State:
    """'The player puts one of his discs in place of the removed pawn', which goes to his hand."""
    pawns = {c: value for c, value in state.pawns.items() if c != cell}
    hand = tuple(sorted((*state.hands[state.player - 1], state.pawns[cell])))
    hands = (hand, state.hands[1]) if state.player == 1 else (state.hands[0], hand)
    disks = state.disks | {cell: state.player}
    return replace(state, disks=disks, pawns=pawns, hands=hands, player=3 - state.player, passes=0)


def score(state: State) -> tuple[int, int]:
    """'The value of his best group minus the sum of the values of the pieces still in his hand.'"""
    totals = []
    for colour in (1, 2):
        best, seen = 0, set()
        for first in [c for c, disk in state.disks.items() if disk == colour]:
            if first in seen:
                continue
            group = [first]
            for cell in group:
                group += [c for c in neighbours(state, cell) if state.disks.get(c) == colour and c not in group]
            seen |= set(group)
            value = sum(v for pawn, v in state.pawns.items() if any(adjacent(pawn, c) for c in group))
            best = max(best, value)
        totals.append(best - sum(state.hands[colour - 1]))
    return totals[0], totals[1]
