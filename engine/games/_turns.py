"""What the sibling games share: rule sets, whole turns, repetition, and cells that change on the table."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from engine.board import Board
from engine.errors import EngineError, IllegalActionError
from engine.game import Action, Position
from engine.look import BoardLook, CellLook, Surface

P = TypeVar("P", bound=Position)
K = TypeVar("K")

BARE = CellLook(Surface.BARE)

#: (tile, owner, height) as `Position.tiles` gives them.
Tile = tuple[str, int, int]


def check_rules(game: str, rule_sets: Sequence[str], rules: str) -> None:
    """Raise `EngineError` for an unknown rule set; the empty text is the default."""
    if rules and rules not in rule_sets:
        raise EngineError(f"{game} has no rule set '{rules}'; known are {', '.join(rule_sets)}")


def check_whole_turn(position: P, actions: Iterable[Action], text: str, step: Callable[[P, Action], P]) -> None:
    """Raise `IllegalActionError` unless the actions, one step after the other, are one whole turn of the position."""
    now = position
    for done, action in enumerate(actions):
        if done and not now.turn:
            raise IllegalActionError(f"'{text}': the turn is already over before {action}")
        now = step(now, action)
    if now.turn and not now.may_end:
        raise IllegalActionError(f"'{text}' is only a part of a turn; more must follow")


def repeated(history: Sequence[K], key: K) -> bool:
    """Whether `key` occurs for the third time when it follows the keys in `history`."""
    return history.count(key) >= 2


def changes(before: BoardLook, after: BoardLook) -> dict[int, tuple[CellLook, ...]]:
    """For every cell that changes: its look before, the empty cell between when something gives way, its look after."""
    steps: dict[int, tuple[CellLook, ...]] = {}
    for cell, (old, new) in enumerate(zip(before, after, strict=True)):
        if old is not new and old != new:
            steps[cell] = (old, new) if BARE in (old, new) else (old, BARE, new)
    return steps


def check_tiles(board: Board, tiles: Sequence[Tile], player: int) -> None:
    """Raise `EngineError` unless there is a tile for every cell and the player is 1 or 2."""
    if len(tiles) != len(board) or player not in (1, 2):
        raise EngineError(f"{len(tiles)} tiles for the {len(board)} cells of {board.name}, player {player}")


def unknown_tile(game: str, cell: str, tile: Tile) -> EngineError:
    """The error for a tile that the game does not know."""
    what, owner, height = tile
    return EngineError(f"{cell}: no such tile in {game}: {what}, owner {owner}, height {height}")
