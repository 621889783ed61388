"""Phalanx a second time: slow, literal, sentence by sentence, and without the engine. For comparison only.

Cells are axial coordinates, a cell's content is 1 (red), 2 (yellow) or 3 (wall). An unfinished turn is the state at its
start and the list of its actions; whether one more is allowed is found by carrying out the whole list again.
"""

from dataclasses import dataclass, replace

from tests.games.literal_castle import SIX, Cell, adjacent, board, name, on, row

WALL = 3


@dataclass(frozen=True)
class State:
    """The table at the start of a turn, whose turn it is, and what the rules remember."""

    base: int
    cells: dict[Cell, int]
    player: int = 1
    stage: str = "place"
    lost: tuple[int, int] = (0, 0)
    passes: int = 0
    past: tuple[tuple[frozenset[tuple[Cell, int]], int], ...] = ()
    end: str = ""


@dataclass(frozen=True)
class Growth:
    """A man added."""

    cell: Cell


@dataclass(frozen=True)
class Movement:
    """A phalanx moved."""

    tail: Cell
    head: Cell
    goal: Cell


def groups(cells: dict[Cell, int], colour: int) -> list[set[Cell]]:
    """'A group is a number of connected men of the same color. A single man is a group by definition.'"""
    found: list[set[Cell]] = []
    for cell in [c for c, owner in cells.items() if owner == colour]:
        touching = [g for g in found if any(adjacent(cell, c) for c in g)]
        found = [g for g in found if g not in touching] + [{cell}.union(*touching)]
    return found


def carry_out(state: State, actions: list[Growth | Movement]) -> tuple[dict[Cell, int], int] | None:
    """The cells after the actions and the men captured; None where a sentence forbids one of them."""
    player, at_start = state.player, groups(state.cells, state.player)
    cells = dict(state.cells)
    grown = [a.cell for a in actions if isinstance(a, Growth)]
    if actions[: len(grown)] != [Growth(c) for c in grown]:
        return None  # growth comes before movement
    for cell in grown:
        if cell in cells or not on(state.base, cell):
            return None
        if not any(adjacent(cell, c) for g in at_start for c in g):
            return None  # 'grow one man at each of his groups'
        cells[cell] = player
    for group in at_start:
        if len([cell for cell in grown if any(adjacent(cell, c) for c in group)]) > 1:
            return None  # 'provided none of the player's groups afterwards has had more than one man added to it'
    unchanged = [set(g) for g in at_start if not any(adjacent(cell, c) for cell in grown for c in g)]
    captured = 0
    for action in actions[len(grown) :]:
        assert isinstance(action, Movement)
        group = next((g for g in unchanged if action.head in g), None)
        after = None if group is None else move(state.base, cells, player, action)
        if group is None or after is None:
            return None  # 'A group has the right to move if it has remained unchanged in the growing stage.'
        captured += len([c for c in after if after[c] == WALL and cells.get(c) != WALL])
        there = [c for c in after if after[c] == player and (c in group or cells.get(c) != player)]
        cells = after
        # 'if a group by movement connects to another group, the latter loses the right of movement'
        unchanged = [g for g in unchanged if g is not group and not any(adjacent(a, b) for a in g for b in there)]
    return cells, captured


def move(base: int, cells: dict[Cell, int], player: int, action: Movement) -> dict[Cell, int] | None:
    """The cells after one phalanx has moved; None where a sentence forbids it."""
    for direction in SIX:
        for length in range(2, 2 * base):
            phalanx = [action.tail, *row(action.tail, direction, length - 1)]
            for steps in range(1, length):  # 'The maximum range of a moving phalanx is one less than its number.'
                way = row(phalanx[-1], direction, steps)
                if phalanx[-1] == action.head and way[-1] == action.goal:
                    return covered(base, cells, player, direction, phalanx, way)
    return None


def covered(
    base: int, cells: dict[Cell, int], player: int, direction: Cell, phalanx: list[Cell], way: list[Cell]
) -> dict[Cell, int] | None:
    """The cells after a phalanx has moved over a way, the men covered captured."""
    if any(cells.get(c) != player for c in phalanx) or not all(on(base, c) for c in way):
        return None
    if any(cells.get(c) in (player, WALL) for c in way):
        return None  # 'neither move onto nor over the Wall nor onto or over a man of like color'
    prisoners = [c for c in way if c in cells]
    for prisoner in prisoners:
        line = [prisoner]
        for side in (direction, (-direction[0], -direction[1])):
            cell = row(prisoner, side, 1)[0]
            while cells.get(cell) == 3 - player:
                line.append(cell)
                cell = row(cell, side, 1)[0]
        if len(phalanx) <= len(line):
            return None  # 'may only attack an opposing phalanx on the same line of movement if it is longer'
    after = {c: owner for c, owner in cells.items() if c not in phalanx}
    after |= dict.fromkeys((phalanx + way)[-len(phalanx) :], player)
    return after | dict.fromkeys(prisoners, WALL)  # the men on top return and are replaced by the wall


def open_actions(state: State, actions: list[Growth | Movement]) -> list[Growth | Movement]:
    """The actions that may follow in the turn."""
    own = [c for c, owner in state.cells.items() if owner == state.player]
    now = [c for g in [carry_out(state, actions)] if g for c, owner in g[0].items() if owner == state.player]
    conceivable: list[Growth | Movement] = [Growth(c) for c in board(state.base)]
    for head in {*own, *now}:
        for direction in SIX:
            back = [c for c in row(head, direction, 2 * state.base) if c in now]
            ahead = row(head, (-direction[0], -direction[1]), 2 * state.base)
            conceivable += [Movement(tail, head, goal) for tail in back for goal in ahead if on(state.base, goal)]
    return [a for a in conceivable if carry_out(state, [*actions, a]) is not None]


def text(state: State, action: Growth | Movement) -> str:
    """The notation of an action."""
    if isinstance(action, Growth):
        return f"+{name(state.base, action.cell)}"
    tail, head, goal = (name(state.base, c) for c in (action.tail, action.head, action.goal))
    return f"{tail}..{head}-{goal}"


def turn_done(state: State, actions: list[Growth | Movement]) -> State:
    """The state after a whole turn; no action is a pass."""
    result = carry_out(state, actions)
    assert result is not None
    cells, captured = result
    lost = list(state.lost)
    lost[2 - state.player] += captured
    past = state.past or ((frozenset(state.cells.items()), state.player),)
    now = (frozenset(cells.items()), 3 - state.player)
    passes = 0 if actions else state.passes + 1
    end = "passes" if passes == 2 else "threefold" if past.count(now) == 2 else ""
    return replace(
        state, cells=cells, player=3 - state.player, lost=(lost[0], lost[1]), passes=passes, past=(*past, now), end=end
    )


def score(state: State, cells: dict[Cell, int] | None = None, lost: tuple[int, int] | None = None) -> tuple[int, int]:
    """'Cells that are connectable with men of one color only', less the prisoners."""
    cells, lost = state.cells if cells is None else cells, lost or state.lost
    totals = [-lost[0], -lost[1]]
    for start in board(state.base):
        if start in cells:
            continue
        route, todo, colours = {start}, [start], set()
        while todo:
            cell = todo.pop()
            for direction in SIX:
                beside = row(cell, direction, 1)[0]
                if cells.get(beside) in (1, 2):
                    colours.add(cells[beside])
                elif beside not in cells and on(state.base, beside) and beside not in route:
                    route.add(beside)
                    todo.append(beside)
        if len(colours) == 1:
            totals[colours.pop() - 1] += 1
    return totals[0], totals[1]
