"""What a game under way looks like from outside: the immutable values that page, lights and terminal show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from companion.game.clock import ClockSettings
from engine.board import Board
from engine.game import Outcome, Position
from engine.look import BoardLook, CellLook, Reading, Surface
from engine.records.record import Record
from engine.referee.verdict import Ambiguous, Difference, How, Illegal, Pending, Reminder

#: A cell surely looks different when its expected look explains the reading worse than this.
_SURE = -3.0


@dataclass(frozen=True, slots=True)
class Setup:
    """What is being played, by whom, with what. `colours` are the words of `--men`, first player first.

    `disks` are the words for their two faces, None for a board that is played without them: then the men alone count.
    `neutral` is the word for men who belong to nobody, where the game has such men, and then only these stand there.
    `begin` is a game to go on with (`--from`): a record whose turns are this game's first, or a position in mid-game.
    """

    board: Board
    colours: tuple[str, str] = ("red", "purple")
    names: tuple[str, str] = ("", "")  #: the players' names; the colours where empty
    game: str = "storisende"
    rules: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    disks: tuple[str, str] | None = ("beige", "dark")
    neutral: str = ""
    begin: Record | None = None
    clock: ClockSettings | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A legal target of a lifted piece: cell, how many men go there, and what the cell left behind then looks like."""

    cell: int
    count: int
    leaves: Surface
    text: str


@dataclass(frozen=True, slots=True)
class Lifted:
    """A piece that is off its cell now: `count` men are gone from `cell`."""

    cell: int
    count: int
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class PlyInfo:
    """A line of the move list. `ply` counts from 1, placements included."""

    ply: int
    player: int
    text: str
    how: How
    t_s: float
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SessionState:
    """Everything that page, lights and terminal show, at one moment. Immutable; replaced whole.

    `seq` is the number of the last event in it. `phase`: `looking` (no board or no start yet), `placement`, `play`,
    `paused`, `over`. `eye`: `searching`, `watching`, `moving`, `lost`. `expected` is the board as the rules have it,
    `table` as the eye read it last (cells never seen are as expected); both in the board's order.
    """

    seq: int
    t_s: float
    frame: int
    phase: str
    eye: str
    setup: Setup
    position: Position
    expected: BoardLook
    table: BoardLook
    score: tuple[int, int]
    player: int
    history: tuple[PlyInfo, ...] = ()
    last_move: tuple[int, ...] = ()  #: cells that the last ply changed
    pending: Pending | None = None
    ambiguous: Ambiguous | None = None
    alarm: Illegal | None = None
    reminders: tuple[Reminder, ...] = ()
    differences: tuple[Difference, ...] = ()  #: where table and game differ though no turn is under way
    lifted: Lifted | None = None
    outcome: Outcome | None = None
    lost: str = ""  #: why the board cannot be seen, while it cannot
    unkept: str = ""  #: why the journal lacks the last events, while it does
    doubt: str = ""  #: why the game may have begun before it was watched, where something says so

    def side_name(self, player: int) -> str:
        """What a player is called: the name given, else the colour of the men."""
        return self.setup.names[player - 1] or self.setup.colours[player - 1]


def find_lifted(position: Position, expected: BoardLook, reading: Reading) -> Lifted | None:
    """The piece of the player to move that is in somebody's hand, if that is what the reading shows."""
    if position.stage != "play" or position.outcome is not None:
        return None
    lifted: tuple[int, int] | None = None
    for c, (look, cell) in enumerate(zip(expected, reading.cells, strict=True)):
        if cell.unseen or cell.log_likelihood(CellLook(cell.best().surface, look.men, look.height)) > _SURE:
            continue
        now = cell.best()
        if look.men == position.player and now.height < look.height and now.men in (0, look.men) and lifted is None:
            lifted = c, look.height - now.height
        elif now.men == position.player or look.men == position.player:
            return None
    return None if lifted is None else Lifted(*lifted, tuple(_targets(position, *lifted)))


def _targets(position: Position, cell: int, lifted: int) -> Sequence[Target]:
    """Where the men lifted from a cell, or some of them, may legally go."""
    name, found = position.board.names[cell], []
    for action in position.actions():
        if name not in str(action):
            continue
        material = position.material(action)
        stages = material.get(cell)
        if stages is None or stages[0].men != position.player:
            continue
        for goal, looks in material.items():
            if goal == cell or looks[-1].men != position.player:
                continue
            count = looks[-1].height - (looks[0].height if looks[0].men == position.player else 0)
            if 0 < count <= lifted:
                found.append(Target(goal, count, stages[-1].surface, str(action)))
    return found
