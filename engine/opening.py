"""Placements found on the table: games in which each side sets all its men in one turn."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from engine.errors import EngineError
from engine.game import Game, Position
from engine.look import BoardLook, CellLook
from engine.verdict import Ply


@runtime_checkable
class PlacedBySides(Protocol):
    """A position of a game in which one turn sets all the men of a side."""

    def placement_limits(self) -> tuple[int, int]:
        """Least and greatest number of men of the placement under way."""
        ...


@dataclass(frozen=True, slots=True)
class Opening:
    """A finished placement: its turns and the position in which play begins."""

    plies: tuple[Ply, ...]
    position: Position


def men_on(looks: BoardLook, player: int) -> int:
    """How many men of a player lie on the table."""
    return sum(look.height for look in looks if look.men == player)


def placement_text(position: Position, looks: BoardLook, player: int) -> str:
    """The placement turn that sets a player's men as they lie on the table; a repeated cell makes a stack."""
    names = position.board.names
    return ",".join(names[c] for c, look in enumerate(looks) if look.men == player for _ in range(look.height))


def slightly_other(look: CellLook) -> list[CellLook]:
    """What a cell with a misread height, colour or man may really look like."""
    if look.men == 0:
        return [CellLook(look.surface, player, height) for player in (1, 2) for height in (1, 2, 3)]
    others = [CellLook(look.surface), CellLook(look.surface, 3 - look.men, look.height)] if look.men < 3 else []
    heights = [h for h in (look.height - 1, look.height + 1, look.height + 2) if h > 0]
    return others + [CellLook(look.surface, look.men, h) for h in heights]


def recognise(game: Game, position: Position, looks: BoardLook, t_s: float, frame: int) -> Opening | str:
    """The finished placement on the table, or a plain sentence that says why it is none yet."""
    plies: list[Ply] = []
    while position.stage == "placement":
        text = placement_text(position, looks, position.player)
        if not text:
            return "the board is empty" if not plies else "the second placement is missing"
        try:
            actions = position.parse_turn(text)
            player, after = position.player, position
            for action in actions:
                after = after.after(action)
            if after.turn:
                after = after.end_turn()
        except EngineError as error:
            return str(error)
        plies.append(Ply(player, game.format_turn(actions), actions, after, t_s=t_s, frame=frame))
        position = after
    wrong = [c for c, (a, b) in enumerate(zip(position.look(), looks, strict=True)) if a != b]
    if wrong:
        name = position.board.names[wrong[0]]
        return f"{name} does not look like the beginning of a game"
    return Opening(tuple(plies), position)
