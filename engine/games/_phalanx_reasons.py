"""Why an action of Phalanx is illegal: one sentence a referee can read aloud."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.bits import neighbour_bits
from engine.game import PASS, Action
from engine.games._moves import LineMove
from engine.games._phalanx_moves import Choice, Extra, Grow, Place, open_lines

if TYPE_CHECKING:
    from engine.games.phalanx import PhalanxPosition

_COLOURS = ("red", "yellow")
_DUE = {
    "place": "the placer first sets his men",
    "choose": "the chooser now takes red or yellow",
    "extra": "the owner of red now sets the extra red man",
    "play": "the play proper has begun",
}


def why_not(position: "PhalanxPosition", action: Action) -> str:
    """The sentence that says which rule forbids an illegal action."""
    if position.ended:
        return f"{action}: the game is over ({position.ended})"
    due = {Place: "place", Choice: "choose", Extra: "extra"}.get(type(action), "play")
    if due != position.phase:
        return f"{action}: {_DUE[position.phase]}"
    if isinstance(action, Place):
        return f"{action}: {_why_not_placed(position, action)}"
    if isinstance(action, Extra):
        return f"{action}: a man stands on {action.cell} already"
    if isinstance(action, Grow):
        return f"{action}: {_why_not_grown(position, action)}"
    if isinstance(action, LineMove):
        return f"{action}: {_why_not_moved(position, action)}"
    if action == PASS:
        return "pass: the turn has begun; it may be ended, but a pass is a turn without an action"
    return f"{action} is no action of Phalanx"


def _why_not_placed(position: "PhalanxPosition", action: Place) -> str:
    if not position.men_left()[action.colour - 1]:
        count = position.opening[action.colour - 1]
        return f"the placer sets {count} {_COLOURS[action.colour - 1]} {'man' if count == 1 else 'men'} only"
    return f"a man stands on {action.cell} already"


def _why_not_grown(position: "PhalanxPosition", action: Grow) -> str:
    if position.moving:
        return "growth comes before movement, and a group has moved in this turn"
    cell = position.board.parse(action.cell)
    if position.wall >> cell & 1:
        return f"{action.cell} belongs to the wall"
    if not position.vacant >> cell & 1:
        return f"a man stands on {action.cell} already"
    if neighbour_bits(position.board)[cell] & position.grown:
        return "the new man would touch a group that has grown in this turn already"
    return "a new man must touch an own group that stood there when the turn began"


def _why_not_moved(position: "PhalanxPosition", action: LineMove) -> str:
    board, own = position.board, position.own
    tail, head, goal = map(board.parse, (action.tail, action.head, action.goal))
    if tail == head:
        return "a phalanx has at least two men: its head and its tail are different ones"
    line: Sequence[int] = next((ray for ray in open_lines(board)[tail] if head in ray), ())
    if not line:
        return f"{action.tail} and {action.head} are not on an unbroken straight line"
    phalanx = [tail, *line[: line.index(head) + 1]]
    for cell in phalanx:
        if not own >> cell & 1:
            return f"a phalanx is an unbroken line of own men, but none stands on {board.names[cell]}"
    if goal not in line or goal in phalanx:
        return f"a phalanx moves along its own line, head first; {action.goal} is not straight ahead of {action.head}"
    if right := _why_no_right(position, action, head):
        return right
    way = line[line.index(head) + 1 : line.index(goal) + 1]
    if len(way) >= len(phalanx):
        return f"the way is {len(way)} cells, but a phalanx of {len(phalanx)} men moves {len(phalanx) - 1} at most"
    return _why_blocked(position, way, line, len(phalanx))


def _why_no_right(position: "PhalanxPosition", action: LineMove, head: int) -> str:
    """Why the group of the head may not move in this turn; empty where it may."""
    if any(group >> head & 1 for group in position.unchanged):
        return ""
    if position.joined >> head & 1:
        return f"the group on {action.head} has lost its right to move: another group has moved into it"
    if position.grown >> head & 1 or not position.moving:
        return f"the group on {action.head} has grown in this turn and may not move"
    return f"the group on {action.head} has grown or moved in this turn and may not move"


def _why_blocked(position: "PhalanxPosition", way: Sequence[int], line: Sequence[int], length: int) -> str:
    """What is in a phalanx's way: own men, the wall, or opposing men in too long a line."""
    names = position.board.names
    for cell in way:
        if position.wall >> cell & 1:
            return f"a phalanx may not move onto or over the wall, and {names[cell]} belongs to it"
        if position.own >> cell & 1:
            return f"a phalanx may not move onto or over own men, and one stands on {names[cell]}"
        row = position.row(line[line.index(cell) :], position.others).bit_count()
        if row >= length:
            return (
                f"{length} men attack only a shorter line, but {row} opposing men stand in line from {names[cell]} on"
            )
    return "the way is free"
