"""One game being watched: readings and people's corrections in; events, record and the newest state out.

The session owns the game, the reconciler and the journal. Whoever shows something (page, lights, terminal) subscribes
and takes the newest state when it is ready; nobody can delay the eye.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from companion.events import Event
from engine.board import Board
from engine.game import Outcome, Position
from engine.look import BoardLook, Reading, Surface
from engine.verdict import Ambiguous, Difference, How, Illegal, Pending, Reminder


@dataclass(frozen=True, slots=True)
class Setup:
    """What is being played, by whom, with what. `colours` are the words of `--men`, first player first."""

    board: Board
    colours: tuple[str, str] = ("red", "purple")
    names: tuple[str, str] = ("", "")  #: the players' names; the colours where empty
    game: str = "storisende"
    rules: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


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


class Subscription:
    """A subscriber's side: waits for something newer than it has seen. Safe to use from another thread."""

    def wait(self, timeout_s: float | None = None) -> tuple[SessionState, tuple[Event, ...]] | None:
        """The newest state and the events since the last call; None when nothing came in time or all is over."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop listening."""
        raise NotImplementedError


class Session:
    """A game under way. All methods may be called from any thread; each returns only after the journal has it.

    Eye side: `still`, `moving`, `tick`, `bumped`, `lost`, `found`, `finish`. People's side: `accept`, `enter`,
    `take_back`, `set_cell`, `pass_turn`, `resign`, `agree`, `pause`, `go_on`, `accept_irregular`. All raise
    `EngineError` with a plain sentence when what a person asks for cannot be.
    """

    # --- outputs ---
    @property
    def state(self) -> SessionState:
        """The newest state."""
        raise NotImplementedError

    def subscribe(self, after_seq: int = 0) -> Subscription:
        """Listen; events after `after_seq` come first (replay after a reconnect)."""
        raise NotImplementedError

    def on_event(self, callback: Callable[[Event], None]) -> None:
        """Call `callback` for every event, in the eye's thread, after it is in the journal: for quick things only."""
        raise NotImplementedError

    def events(self, after_seq: int = 0) -> tuple[Event, ...]:
        """The events of this game after a sequence number."""
        raise NotImplementedError

    def known_looks(self) -> BoardLook | None:
        """What surely lies on the table now (for `Eye.confirm`); None while a turn is open or an alarm stands."""
        raise NotImplementedError

    # --- the eye's side ---
    def still(self, reading: Reading) -> tuple[Event, ...]:
        """The table is still and reads like this. Gives the events that follow from it."""
        raise NotImplementedError

    def moving(self, now_s: float, frame: int, reading: Reading | None = None) -> tuple[Event, ...]:
        """Something moves over the board; `reading`: the cells that can be seen meanwhile, hidden ones unseen."""
        raise NotImplementedError

    def tick(self, now_s: float, frame: int) -> tuple[Event, ...]:
        """Time goes by and the table is as at the last `still`: call it for every frame without another sight."""
        raise NotImplementedError

    def bumped(self, now_s: float, frame: int) -> tuple[Event, ...]: ...

    def lost(self, now_s: float, frame: int, reason: str) -> tuple[Event, ...]: ...

    def found(self, now_s: float, frame: int) -> tuple[Event, ...]: ...

    def finish(self, now_s: float, frame: int) -> tuple[Event, ...]:
        """The source has ended or somebody pressed Ctrl-C: what is complete is accepted, then `end`."""
        raise NotImplementedError

    # --- people's side ---
    def accept(self, candidate: int) -> None:
        """Take the candidate with that number (from 0) of the ambiguous verdict."""

    def enter(self, text: str) -> None:
        """Play a turn given in notation for the player to move."""

    def take_back(self, plies: int = 1) -> None: ...

    def set_cell(self, cell: int, tile: str, owner: int, height: int) -> None:
        """Say what a cell is (`tile`, `owner`, `height` in the contract's words)."""

    def pass_turn(self) -> None: ...

    def resign(self, player: int) -> None: ...

    def agree(self, winner: int) -> None:
        """Both agree on a result: the winner, 0 for a draw."""

    def pause(self) -> None: ...

    def go_on(self) -> None: ...

    def accept_irregular(self) -> None:
        """Let the illegal move on the table stand."""
