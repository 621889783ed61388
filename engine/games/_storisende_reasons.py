"""Why a move or placement of Storisende is illegal: one sentence a referee can read aloud."""

from typing import TYPE_CHECKING

from engine.bits import cells_of
from engine.games._storisende_moves import Move, Place

if TYPE_CHECKING:
    from engine.games.storisende import StorisendePosition


def _men(count: int) -> str:
    return "1 man" if count == 1 else f"{count} men"


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def why_no_place(position: "StorisendePosition", place: Place) -> str:
    """Why a man may not be set there now."""
    if position.ended:
        return f"{place}: the game is over ({position.ended})"
    if position.stage == "play":
        return f"{place}: the placement is over, men are no longer set down"
    if position.actions() and isinstance(position.actions()[0], Place):
        owner = 1 if position.stacks[place.cell] > 0 else 2 if position.stacks[place.cell] else 0
        if owner not in (0, position.player):
            return f"{place}: a man of the other player stands there"
        if position.setup.rules == "ersatz":
            return f"{place}: the two men of a placement form one stack"
        return f"{place}: a man stands there already and the second placement is of singles"
    return f"{place}: the chooser must first take or leave the side of the first placement"


def why_no_move(position: "StorisendePosition", move: Move) -> str:
    """Why a piece may not move so now."""
    names = position.board.names
    source, target = names[move.source], names[move.target]
    if position.ended:
        return f"{move}: the game is over ({position.ended})"
    if position.stage == "placement":
        return f"{move}: pieces move only after both placements"
    height = position.stacks[move.source] if position.player == 1 else -position.stacks[move.source]
    if height == 0:
        return f"{move}: no man stands on {source}"
    if height < 0:
        return f"{move}: the piece on {source} belongs to the other player"
    if move.part > height:
        return f"{move} takes {_men(move.part)} but the piece on {source} is {height} high"
    line = position.setup.lines[move.source].get(move.target)
    if line is None:
        return f"{move}: {source} and {target} are not on a straight line"
    return _why_not_along(position, move, height, *line)


def _why_not_along(position: "StorisendePosition", move: Move, height: int, distance: int, between: int) -> str:
    """Why the straight line of an illegal move is forbidden: its length, where it lands, or what it jumps."""
    names, wall = position.board.names, position.wall
    ersatz = position.setup.rules == "ersatz"
    climbed = wall >> move.source & 1
    if distance != (move.part or height) and not (climbed and ersatz):
        what = (
            f"only {_men(move.part)} of it move" if move.part and move.part < height else f"the piece is {height} high"
        )
        return f"{move} moves {_cells(distance)} but {what}"
    if wall >> move.target & 1:
        if ersatz:
            return f"{move} lands on the wall at {names[move.target]}, where nobody may land"
        return f"{move} lands on the wall at {names[move.target]}; a piece on the ground may never jump up on the wall"
    barred = next(i for i in cells_of(between & wall) if position.stacks[i] * position.stacks[move.source] <= 0)
    return f"{move} jumps the wall at {names[barred]}, where no piece of the mover's colour stands"
