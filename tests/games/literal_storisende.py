"""Storisende written down sentence by sentence from the two rule texts: slow, literal, and only for the tests.

A state is a plain dictionary: `tile` and `men` by axial coordinates (`men` holds (player, height)), and `player`.
It shares nothing with the engine but the names of the cells.
"""

from typing import Any

from engine.board import Board

Coordinates = tuple[int, int]
State = dict[str, Any]

SIX = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def state_of(position: Any) -> State:
    """The state that a position's tiles describe."""
    tile, men = {}, {}
    for cell, (what, owner, height) in zip(position.board.cells, position.tiles(), strict=True):
        tile[tuple(cell)] = what
        if owner:
            men[tuple(cell)] = (owner, height)
    return {"tile": tile, "men": men, "player": position.player}


def legal_moves(board: Board, state: State, rules: str) -> list[str]:
    """Every legal turn, sorted by code point."""
    name = dict(zip(map(tuple, board.cells), board.names, strict=True))
    found = ["pass"]
    for cell, (owner, height) in state["men"].items():
        if owner != state["player"]:
            continue
        for part in range(1, height + 1):  # a stack may split: any number from the top
            for target in _targets(state, cell, part, rules):
                left = name[cell] if part == height else f"{name[cell]}:{part}"
                found.append(f"{left}-{name[target]}")
    return sorted(found)


def _targets(state: State, cell: Coordinates, part: int, rules: str) -> list[Coordinates]:
    """Where `part` men that leave a cell may land."""
    on_wall = state["tile"][cell] == "wall"
    targets = []
    for dq, dr in SIX:
        # ersatz: "A stack leaving a wall cell may move any distance"; all others exactly their own height
        distances = range(1, 60) if on_wall and rules == "ersatz" else [part]
        for distance in distances:
            target = (cell[0] + dq * distance, cell[1] + dr * distance)
            jumped = [(cell[0] + dq * k, cell[1] + dr * k) for k in range(1, distance)]
            if target in state["tile"] and _may(state, on_wall, target, jumped, rules):
                targets.append(target)
    return targets


def _may(state: State, on_wall: bool, target: Coordinates, jumped: list[Coordinates], rules: str) -> bool:
    tile, men, player = state["tile"], state["men"], state["player"]
    if rules == "ersatz" and tile[target] == "wall":
        return False  # "Stacks may not move onto wall cells, even if a stack is already on the wall cell."
    if on_wall:
        return True  # over anything; mindsports: onto any cell
    if tile[target] == "wall":
        return False  # "A piece down in the territories may never jump up on the Wall."
    # over a wall cell only where a piece of the mover's colour stands; gaps are no wall
    return all(tile.get(c) != "wall" or men.get(c, (0, 0))[0] == player for c in jumped)


def play(board: Board, state: State, text: str) -> State:
    """The state after a turn."""
    after = {"tile": dict(state["tile"]), "men": dict(state["men"]), "player": 3 - state["player"]}
    if text == "pass":
        return after
    cell_of = dict(zip(board.names, map(tuple, board.cells), strict=True))
    left, to = text.split("-")
    source, _, part = left.partition(":")
    cell, target = cell_of[source], cell_of[to]
    owner, height = after["men"].pop(cell)
    leaving = int(part or height)
    if leaving < height:
        after["men"][cell] = (owner, height - leaving)
    there = after["men"].get(target, (0, 0))
    after["men"][target] = (owner, leaving + (there[1] if there[0] == owner else 0))
    if leaving == height and after["tile"][cell] == "virgin":
        beside = {_territory_of(after["tile"], n) for n in _around(cell) if after["tile"].get(n) == "territory"}
        after["tile"][cell] = "territory" if len(beside) <= 1 else "wall"
        if height == 2:  # "only doubles breed offspring"
            after["men"][cell] = (owner, 1)
    return after


def _around(cell: Coordinates) -> list[Coordinates]:
    return [(cell[0] + dq, cell[1] + dr) for dq, dr in SIX]


def _territory_of(tile: dict[Coordinates, str], cell: Coordinates) -> frozenset[Coordinates]:
    """The connected set of established cells that a cell belongs to."""
    return _connected(tile, cell, {"territory"})


def _connected(tile: dict[Coordinates, str], cell: Coordinates, kinds: set[str]) -> frozenset[Coordinates]:
    found, todo = {cell}, [cell]
    while todo:
        for n in _around(todo.pop()):
            if tile.get(n) in kinds and n not in found:
                found.add(n)
                todo.append(n)
    return frozenset(found)


def score(state: State) -> tuple[int, int]:
    """Virgin cells turn to territory; an area counts for the only colour inside it."""
    areas = {_connected(state["tile"], c, {"territory", "virgin"}) for c, t in state["tile"].items() if t != "wall"}
    points = [0, 0]
    for area in areas:
        colours = {state["men"][c][0] for c in area if c in state["men"]}
        if len(colours) == 1:
            points[colours.pop() - 1] += len(area)
    return points[0], points[1]
