"""Why an action of Hexteroyd is illegal: one sentence a referee can read aloud."""

from typing import TYPE_CHECKING

from engine.game import PASS, Action
from engine.games._hexteroyd_moves import Fill, Place, TakeBack, Turn

if TYPE_CHECKING:
    from engine.games.hexteroyd import HexteroydPosition


def why_not(position: "HexteroydPosition", action: Action) -> str:
    """The sentence that says which rule forbids an illegal action."""
    if position.ended:
        return f"{action}: the game is over ({position.ended})"
    if isinstance(action, Fill | Turn):
        if not position.turn:
            return f"{action}: disks are filled in or turned only after a pawn has been placed in the same turn"
        why = _why_not_filled(position) if isinstance(action, Fill) else _why_not_turned(position, action)
        return f"{action}: {why}"
    if position.turn:
        return f"{action}: a pawn has been placed; the turn goes on with filling or turning disks, or ends"
    if isinstance(action, Place):
        return f"{action}: {_why_not_placed(position, action)}"
    if isinstance(action, TakeBack):
        return f"{action}: {_why_not_taken(position, action)}"
    if action == PASS:
        return "pass: passing is always allowed"
    return f"{action} is no action of Hexteroyd"


def _disks(count: int) -> str:
    return "1 disk" if count == 1 else f"{count} disks"


def _why_not_placed(position: "HexteroydPosition", action: Place) -> str:
    board, value = position.board, action.value
    cell = board.parse(action.cell)
    if value not in position.hands[position.player - 1]:
        return f"the player to move has no pawn of value {value} in hand"
    if position.pawns[cell]:
        return f"a pawn stands on {action.cell} already"
    if not position.free >> cell & 1:
        return f"a disk lies on {action.cell}; a pawn is placed on a free cell"
    own = [board.names[i] for i in position.beside(cell, position.own)]
    if len(own) < value:
        return (
            f"a pawn of value {value} needs {_disks(value)} of the player next to it, and {action.cell} has {len(own)}"
        )
    if len(action.turned) != value or len(set(action.turned)) != value:
        return f"exactly {_disks(value)} of the player turn over for a pawn of value {value}"
    other = next(name for name in action.turned if name not in own)
    return f"{other} does not hold a disk of the player next to {action.cell}"


def _why_not_filled(position: "HexteroydPosition") -> str:
    placed = position.turn[0]
    count = len(position.beside(position.board.parse(placed.cell), position.free))
    if not count:
        return f"no free cell is next to {placed.cell}"
    return f"{_disks(count)} are needed, but only {position.disks_left} are left"


def _why_not_turned(position: "HexteroydPosition", action: Turn) -> str:
    placed = position.turn[0]
    names = position.board.names
    opposing = [names[i] for i in position.beside(position.board.parse(placed.cell), position.others)]
    for cell in action.cells:
        if cell in placed.turned:
            return f"the disk on {cell} was just turned for the pawn"
        if cell not in opposing:
            return f"{cell} does not hold an opposing disk next to {placed.cell}"
    if len(set(action.cells)) != len(action.cells) or not action.cells:
        return "every disk is named once"
    return f"a pawn of value {placed.value} turns {_disks(placed.value)} at most"


def _why_not_taken(position: "HexteroydPosition", action: TakeBack) -> str:
    cell = position.board.parse(action.cell)
    value = position.pawns[cell]
    if not value:
        return f"no pawn stands on {action.cell}"
    own, others = len(position.beside(cell, position.own)), len(position.beside(cell, position.others))
    if own < others + value:
        return (
            f"the pawn of value {value} next to {_disks(others)} of the opponent needs {others + value} of the player, "
            f"and there are {own}"
        )
    return "no disk is left to put in its place"
