"""Games that were under way before anybody watched: taken up from the table as it stands."""

from dataclasses import replace

from companion.game.setups import setup_record
from companion.game.state import Setup
from engine.errors import EngineError
from engine.game import Game, Resumable, tile_seen
from engine.look import BoardLook, Reading
from engine.records.record import Start, start_position


def refuse_unfit(game: Game, setup: Setup) -> None:
    """Raises `EngineError` for games of which the table does not show all."""
    if not isinstance(game, Resumable):
        raise EngineError(f"{game.title} cannot be taken up from the table: it does not show what else belongs to it")
    if setup.disks is None and game.tile_words:
        raise EngineError(f"{game.title} cannot be taken up from a table without disks: they tell what was played")


def taken_up(game: Game, setup: Setup, reading: Reading, player: int) -> Setup:
    """The setup of a game that goes on from what a reading shows, this player to move.

    Raises `EngineError` where that cannot be: no such game, a cell that nobody could see, men where none may stand.
    """
    refuse_unfit(game, setup)
    fresh = replace(setup_record(setup), start=None, turns=())
    unseen = [name for name, cell in zip(setup.board.names, reading.cells, strict=True) if cell.unseen]
    if unseen:
        raise EngineError(f"{unseen[0]} cannot be seen")
    start = start_position(fresh)
    looks = reading.looks(start.look())
    tiles = tuple(tile_seen(game, look, own) for look, (own, _, _) in zip(looks, start.tiles(), strict=True))
    begin = replace(fresh, start=Start(tiles, player))
    start_position(begin)
    return replace(setup, begin=begin)


class Waiting:
    """Waits until the table of a game under way has stood for a while with every cell in sight, `player` to move."""

    def __init__(self, player: int, stands_for_s: float) -> None:
        self.player = player
        self._stands_for_s = stands_for_s
        self._last: Reading | None = None
        self._since_s = float("inf")

    def still(self, reading: Reading, table: BoardLook) -> None:
        """The table is still and reads like this; `table`: what is taken for cells that nobody can see."""
        if self._since_s > reading.t_s or self._last is None or self._last.looks(table) != reading.looks(table):
            self._since_s = reading.t_s
        self._last = reading

    def disturbed(self) -> None:
        """The table is not still any more."""
        self._since_s = float("inf")

    def over(self, now_s: float) -> bool:
        """Whether the table has stood for long enough."""
        return now_s - self._since_s >= self._stands_for_s
