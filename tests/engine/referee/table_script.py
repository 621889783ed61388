"""A scripted table for tests of the referee: exact looks, shown frame by frame, with a hand between them."""

from collections.abc import Callable, Mapping, Sequence

from engine.board import hexhex
from engine.game import Game, Position, load_game, play_turn
from engine.look import UNSEEN, CellLook, CellReading, Reading, Surface, certain
from engine.referee.patience import Patience
from engine.referee.reconcile import Reconciler
from engine.referee.verdict import Verdict

COLOURS = ("red", "white")
GAME, BOARD = load_game("storisende"), hexhex(4)
FRAME_S = 1 / 12


class Script:
    """What lies on the table, changed by hand; `show` lets the referee see it for some seconds."""

    def __init__(self, game: Game, position: Position, patience: Patience | None = None) -> None:
        self.game = game
        self.names = position.board.names
        self.looks: dict[str, CellLook] = dict(zip(self.names, position.look(), strict=True))
        self.referee = Reconciler(game, position, COLOURS, patience)
        self.eye: Callable[[CellLook], CellReading] = certain
        self.said: list[Verdict] = []
        self.frame = 0

    def put(self, **cells: tuple[Surface, int, int]) -> None:
        """Lay these cells so: name=(surface, men, height)."""
        for name, (surface, men, height) in cells.items():
            self.looks[name] = CellLook(surface, men, height)

    def lay(self, looks: Sequence[CellLook]) -> None:
        """Lay the whole table so."""
        self.looks = dict(zip(self.names, looks, strict=True))

    def hand(self, seconds: float = 0.5) -> list[Verdict]:
        """A hand moves over the table."""
        said: list[Verdict] = []
        for _ in range(round(seconds / FRAME_S)):
            said += self.referee.moving(self.frame * FRAME_S, self.frame)
            self.frame += 1
        self.said += said
        return said

    def show(
        self, seconds: float = 0.5, hidden: Sequence[str] = (), **misread: tuple[Surface, int, int]
    ) -> list[Verdict]:
        """The still table for so long; `misread`: cells that the eye takes for something else."""
        said: list[Verdict] = []
        for _ in range(max(1, round(seconds / FRAME_S))):
            looks = {**self.looks, **{name: CellLook(*look) for name, look in misread.items()}}
            cells = tuple(UNSEEN if name in hidden else self.eye(look) for name, look in looks.items())
            said += self.referee.observe(Reading(self.frame * FRAME_S, self.frame, cells))
            self.frame += 1
        self.said += said
        return said

    def step(self, seconds: float = 0.5, **cells: tuple[Surface, int, int]) -> list[Verdict]:
        """A hand lays these cells and goes."""
        before = self.hand()
        self.put(**cells)
        return before + self.show(seconds)

    @property
    def record(self) -> list[str]:
        """The turns so far."""
        return [ply.text for ply in self.referee.plies]


def opened(*placements: str) -> Script:
    """A table after these placements, as the referee sees it from its first frame."""
    position = GAME.start(BOARD)
    for text in placements or ("d2,d2,b3", "d6,d6,f4"):
        position = play_turn(position, text)
    script = Script(GAME, GAME.start(BOARD))
    script.lay(position.look())
    return script


def kinds(said: Sequence[Verdict]) -> list[str]:
    """The names of the verdicts."""
    return [type(verdict).__name__ for verdict in said]


def only(said: Sequence[Verdict], kind: type) -> Verdict:
    """The one verdict of a kind."""
    found = [verdict for verdict in said if isinstance(verdict, kind)]
    assert len(found) == 1, kinds(said)
    return found[0]


def tiles_position(game: Game, board: object, cells: Mapping[str, tuple[str, int, int]], player: int) -> Position:
    """A position of Storisende with these cells; all others are virgin and empty."""
    names = board.names  # type: ignore[attr-defined]
    tiles = [cells.get(name, ("virgin", 0, 0)) for name in names]
    return game.from_tiles(board, tiles, player)  # type: ignore[attr-defined, no-any-return]
