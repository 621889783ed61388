"""The castle game a second time: slow, literal, sentence by sentence, and without the engine. For comparison only.

Cells are axial coordinates; a state is a `State`; turns are texts as in the command-line contract.
"""

from dataclasses import dataclass, replace
from functools import cache

Cell = tuple[int, int]

SIX = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
THRONE: Cell = (0, 0)
CASTLE = {THRONE} | {(q * k, r * k) for q, r in SIX for k in (1, 2)}


@dataclass(frozen=True)
class State:
    """Who stands where, whose turn it is, and what the rules remember."""

    base: int
    men: dict[Cell, int]
    player: int = 1
    stage: str = "placement"
    last: Cell | None = None
    switched: tuple[Cell, Cell] | None = None
    past: tuple[tuple[frozenset[tuple[Cell, int]], int], ...] = ()
    end: str = ""
    winner: int = 0


@cache
def board(base: int) -> list[Cell]:
    """All cells of the hexagon, in the order of their names."""
    n = base - 1
    return [(q, r) for r in range(-n, n + 1) for q in range(-n, n + 1) if abs(q + r) <= n]


@cache
def name(base: int, cell: Cell) -> str:
    """The cell's name: letter of its row, then its number in 'odd-r' columns."""
    q, r = cell
    columns = [x + (y + y % 2) // 2 for x, y in board(base)]
    return "abcdefghijklmnopqrstuvwxyz"[r + base - 1] + str(q + (r + r % 2) // 2 - min(columns) + 1)


def on(base: int, cell: Cell) -> bool:
    """Whether a cell is on the board."""
    q, r = cell
    return max(abs(q), abs(r), abs(q + r)) <= base - 1


def adjacent(a: Cell, b: Cell) -> bool:
    """Whether two cells touch."""
    return (b[0] - a[0], b[1] - a[1]) in SIX


def row(start: Cell, direction: Cell, steps: int) -> list[Cell]:
    """The next cells from a start in a direction, the start itself not among them."""
    return [(start[0] + direction[0] * k, start[1] + direction[1] * k) for k in range(1, steps + 1)]


def placements(state: State) -> list[tuple[Cell, ...]]:
    """'One man adjacent to the last man placed, and one man on a cell with only vacant adjacencies.'"""
    cells = [c for c in board(state.base) if c not in CASTLE and c not in state.men]
    if state.last is None:
        return [(c,) for c in cells]
    turns: list[tuple[Cell, ...]] = []
    for bound in cells:
        if not adjacent(bound, state.last):
            continue
        men = {*state.men, bound}
        free = [c for c in cells if c != bound and not any(adjacent(c, m) for m in men)]
        turns += [(bound, second) for second in free] or [(bound,)]
    return turns


def man_moves(state: State) -> dict[tuple[Cell, Cell], dict[Cell, int]]:
    """Every move of a single man with the men after it."""
    found = {}
    for start in [c for c, owner in state.men.items() if owner == state.player]:
        for direction in SIX:
            for steps in range(1, 2 * state.base):
                path = row(start, direction, steps)
                goal = path[-1]
                if not on(state.base, goal) or any(c in state.men for c in path[:-1]):
                    continue  # 'A man may move along open lines'
                if start not in CASTLE and any(c in CASTLE for c in path):
                    continue  # 'It may not enter or traverse the castle.'
                sides = ["in" if c in CASTLE else "out" for c in [start, *path]]
                if "out" in sides and "in" in sides[sides.index("out") :]:
                    continue  # may leave the castle, but not leave and re-enter it in one move
                after = {c: owner for c, owner in state.men.items() if c != start}
                if goal not in state.men:
                    if goal == THRONE:
                        continue  # 'The Throne can only be occupied with a move of a phalanx'
                    after[goal] = state.player
                elif state.men[goal] != state.player:
                    last_vacant = path[-2] if steps > 1 else start
                    if last_vacant == THRONE or state.switched == (start, goal):
                        continue  # nobody is put on the Throne; no 'switching back'
                    after[goal] = state.player
                    after[last_vacant] = 3 - state.player
                else:
                    continue
                found[start, goal] = after
    return found


def phalanx_moves(state: State) -> dict[tuple[Cell, Cell, Cell], dict[Cell, int]]:
    """Every move of a phalanx (tail, head, goal) with the men after it."""
    found = {}
    own = [c for c, owner in state.men.items() if owner == state.player]
    for tail in own:
        for direction in SIX:
            for length in range(2, 2 * state.base):
                phalanx = [tail, *row(tail, direction, length - 1)]
                if any(state.men.get(c) != state.player for c in phalanx):
                    break  # 'An unbroken straight line of like coloured men'
                for steps in range(1, length):  # 'Its maximum range is one less than its length.'
                    after = run_over(state, phalanx, direction, steps)
                    if after is not None:
                        found[tail, phalanx[-1], row(phalanx[-1], direction, steps)[-1]] = after
    return found


def run_over(state: State, phalanx: list[Cell], direction: Cell, steps: int) -> dict[Cell, int] | None:
    """The men after a phalanx has moved that many steps; None where a sentence forbids it."""
    base, men, player = state.base, state.men, state.player
    way = row(phalanx[-1], direction, steps)
    if not all(on(base, c) for c in way) or any(men.get(c) == player for c in way):
        return None  # 'A phalanx may not move over its own men.'
    opposing = [c for c in way if c in men]
    if opposing:
        whole = [opposing[0]]
        while men.get(row(whole[-1], direction, 1)[0]) == 3 - player:
            whole += row(whole[-1], direction, 1)
        if len(whole) >= len(phalanx):
            return None  # 'an opposing smaller phalanx'
        if way[-1] != whole[-1]:
            return None  # 'The last man of the opposing phalanx halts the move'
        if any(c in CASTLE for c in whole) and not all(c in CASTLE for c in phalanx):
            return None  # 'A phalanx outside or partly outside the castle may not switch men that are inside.'
        opposing = whole
    moved = (phalanx + way)[-len(phalanx) :]
    behind = (phalanx + way)[: -len(phalanx)][::-1]
    if THRONE in moved and not throne_allowed(state, phalanx[-1]):
        return None
    after = {c: owner for c, owner in men.items() if c not in phalanx and c not in opposing}
    after |= dict.fromkeys(moved, player)
    after |= dict.fromkeys(behind[: len(opposing)], 3 - player)  # 'placed immediately behind the moved phalanx'
    if way[-1] in CASTLE:
        for c in moved:
            if c not in CASTLE:
                del after[c]  # 'the remainder that is outside the castle is taken off the board'
    return after


def throne_allowed(state: State, head: Cell) -> bool:
    """'Capturing the Throne': where the head must be, and the two conditions before the move."""
    near = head in SIX
    for q, r in SIX:
        if head == (2 * q, 2 * r) and (q, r) not in state.men:
            near = True  # 'or one cell further down that main diagonal if the cell in between is vacant'
    mine = len([c for c in CASTLE if state.men.get(c) == state.player])
    others = len([c for c in CASTLE if state.men.get(c) == 3 - state.player])
    vacant = len([c for c in CASTLE if c not in state.men])
    return near and mine >= others and mine > vacant


def turns(state: State) -> dict[str, State]:
    """Every legal turn as text, with the state after it."""
    names = {c: name(state.base, c) for c in board(state.base)}
    if state.end:
        return {}
    if state.stage == "placement":
        return {",".join(names[c] for c in cells): placed(state, cells) for cells in placements(state)}
    found = {}
    for (start, goal), men in man_moves(state).items():
        behind = None
        if goal in state.men:
            behind = next(c for c in men if men[c] == 3 - state.player and state.men.get(c) != 3 - state.player)
        switched = (behind, goal) if behind else None
        found[f"{names[start]}-{names[goal]}"] = handed_over(state, men, switched)
    for (tail, head, goal), men in phalanx_moves(state).items():
        found[f"{names[tail]}..{names[head]}-{names[goal]}"] = handed_over(state, men, None)
    return found or {"pass": handed_over(state, state.men, None)}


def placed(state: State, cells: tuple[Cell, ...]) -> State:
    """The state after a placement; a second placement that cannot be made ends the stage."""
    men = state.men | dict.fromkeys(cells, state.player)
    player = 3 - state.player
    if state.last is not None and len(cells) == 1:
        return replace(state, men=men, player=player, stage="movement", last=None)
    return replace(state, men=men, player=player, last=cells[-1])


def handed_over(state: State, men: dict[Cell, int], switched: tuple[Cell, Cell] | None) -> State:
    """The other's turn, unless the Throne is taken or the position comes up for the third time."""
    past = state.past or ((frozenset(state.men.items()), state.player),)
    now = (frozenset(men.items()), 3 - state.player)
    after = replace(state, men=men, player=3 - state.player, switched=switched, past=(*past, now))
    if THRONE in men:
        return replace(after, end="throne", winner=state.player, switched=None)
    if past.count(now) == 2:
        return replace(after, end="threefold")
    return after


def score(state: State) -> tuple[int, int]:
    """Men inside the castle."""
    inside = [state.men[c] for c in CASTLE if c in state.men]
    return inside.count(1), inside.count(2)
