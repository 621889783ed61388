"""Why an action of the castle game is illegal: one sentence a referee can read aloud."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.game import PASS, Action
from engine.games._castle_moves import ManMove, Place
from engine.games._moves import LineMove

if TYPE_CHECKING:
    from engine.games.castle import CastlePosition


def why_not(position: "CastlePosition", action: Action) -> str:
    """The sentence that says which rule forbids an illegal action."""
    if position.outcome:
        return f"{action}: the game is over"
    if action == PASS:
        return "pass: passing is allowed only where no move is possible"
    if isinstance(action, Place):
        return f"{action}: {_why_not_placed(position, position.board.parse(action.cell))}"
    if not isinstance(action, ManMove | LineMove):
        return f"{action} is no action of the castle game"
    if position.placing:
        return f"{action}: men are only placed before both players have set their last men"
    if isinstance(action, ManMove):
        return f"{action}: {_why_not_moved(position, action)}"
    return f"{action}: {_why_not_line_moved(position, action)}"


def _why_not_placed(position: "CastlePosition", cell: int) -> str:
    name = position.board.names[cell]
    if not position.placing:
        return "the placement is over; men now move"
    if position.ground.inside[cell]:
        return f"{name} is in the castle, which is excluded from placement"
    if position.men[cell]:
        return f"a man stands on {name} already"
    if position.turn:
        return f"the second man must be free, but {name} has a man next to it"
    return f"the first man must be bound: next to the man placed last, on {position.board.names[position.last or 0]}"


def _why_not_moved(position: "CastlePosition", action: ManMove) -> str:
    ground, names, men = position.ground, position.board.names, position.men
    start, goal = position.board.parse(action.start), position.board.parse(action.goal)
    if men[start] != position.player:
        return f"no man of the player to move stands on {action.start}"
    way = _way(position, start, goal)
    if isinstance(way, str):
        return way
    outside, before = not ground.inside[start], start
    for cell in way:
        if ground.inside[cell] and outside:
            if ground.inside[start]:
                return f"a single man may not leave the castle and enter it again, on {names[cell]}, in one move"
            return f"a single man may not enter or cross the castle, and {names[cell]} belongs to it"
        outside = not ground.inside[cell]
        if cell != goal:
            if men[cell]:
                return f"a man moves along an open line, but a man stands on {names[cell]}"
            before = cell
    if men[goal] == position.player:
        return f"an own man stands on {action.goal}"
    if not men[goal]:
        return "a single man may not halt on the Throne"
    if before == ground.throne:
        return f"the man on {action.goal} would be put on the Throne, and nobody is put there"
    return f"the man on {action.start} has just been switched and may not at once switch back"


def _why_not_line_moved(position: "CastlePosition", action: LineMove) -> str:
    ground, names, men = position.ground, position.board.names, position.men
    tail, head, goal = map(position.board.parse, (action.tail, action.head, action.goal))
    if tail == head:
        return "a phalanx has at least two men"
    back = _way(position, head, tail)
    if isinstance(back, str):
        return back
    phalanx = [head, *back]
    for cell in phalanx:
        if men[cell] != position.player:
            return f"a phalanx is an unbroken line of own men, but none stands on {names[cell]}"
    ahead = ground.toward(head, goal)
    if goal == head or ahead != ground.toward(tail, head):
        return f"a phalanx moves along its own line, head first; {action.goal} is not straight ahead of {action.head}"
    way = _way(position, head, goal)
    if isinstance(way, str):
        return way
    if len(way) >= len(phalanx):
        return f"the way is {len(way)} cells, but a phalanx of {len(phalanx)} men moves {len(phalanx) - 1} at most"
    barred = ground.throne
    steps, cell = next(
        (k, c) for k, c in enumerate(way, start=1) if men[c] or (c == barred and (k > 2 or not position.throne_open))
    )
    if cell == barred:
        return _why_not_throne(position, steps)
    if men[cell] == position.player:
        return f"a phalanx may not move over own men, and one stands on {names[cell]}"
    return _why_not_run_over(position, phalanx, cell, ahead)


def _why_not_throne(position: "CastlePosition", steps: int) -> str:
    mine, others, vacant = position.inside_counts()
    if steps > 2:
        return f"the Throne is {steps} cells ahead of the head; it can be reached from one or two cells away"
    if mine < others:
        return (
            f"the Throne asks for as many men inside the castle as the opponent has; they are {mine} against {others}"
        )
    return f"the Throne asks for more men inside the castle than vacant cells; {mine} men face {vacant} vacant cells"


def _why_not_run_over(position: "CastlePosition", phalanx: Sequence[int], first: int, ahead: int) -> str:
    ground, names = position.ground, position.board.names
    others = position.run((first, *position.board.rays[first][ahead]), position.men[first])
    last = names[others[-1]]
    if len(others) >= len(phalanx):
        return f"a phalanx of {len(phalanx)} men runs over smaller ones only, and {len(others)} men stand up to {last}"
    if any(ground.inside[i] for i in others) and not all(ground.inside[i] for i in phalanx):
        return "a phalanx outside or partly outside the castle may not switch men that are inside"
    return f"running over is all or nothing: the head halts on the last man of the opposing line, on {last}"


def _way(position: "CastlePosition", start: int, goal: int) -> Sequence[int] | str:
    """The cells after the start up to the goal on an open line, or the sentence that says why there is none."""
    ground, names = position.ground, position.board.names
    toward = ground.toward(start, goal)
    if start == goal or toward < 0:
        return f"{names[goal]} is not in a straight line with {names[start]}"
    line = ground.lines[start][toward]
    if goal not in line:
        if ground.doors == "tips":
            return f"a gap in the board or a wall of the castle is between {names[start]} and {names[goal]}"
        return f"the line from {names[start]} to {names[goal]} is broken by a gap in the board"
    return line[: line.index(goal) + 1]
