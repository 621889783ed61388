"""What the referee says: values for accepted, pending, ambiguous, illegal, taken back, reminders and the start."""

from dataclasses import dataclass
from enum import StrEnum

from engine.game import Action, Position
from engine.look import BoardLook, CellLook


class How(StrEnum):
    """Where a ply in the record comes from."""

    SEEN = "seen"  #: the table showed it
    INFERRED = "inferred"  #: nobody saw it, but only with it does the table make sense (a silent pass, a missed ply)
    TYPED = "typed"  #: a person entered or chose it
    IRREGULAR = "irregular"  #: no rule allows it; the referee let it stand


@dataclass(frozen=True, slots=True)
class Ply:
    """One finished turn: who played it, its actions, its notation and the position after it."""

    player: int
    text: str
    actions: tuple[Action, ...]
    after: Position
    how: How = How.SEEN
    t_s: float = 0.0
    frame: int = 0


#: The cell of a step that has none: what is to be done is said in words alone.
NO_CELL = -1


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do on the table: the cell or `NO_CELL`, what should lie there, and a plain sentence that says so."""

    cell: int
    expected: CellLook
    text: str


@dataclass(frozen=True, slots=True)
class Started:
    """The board was recognised and the game begins (or goes on) at `position`; `plies` are placements found on it.

    `doubt`: a sentence where the table looks as if the game had begun before.
    """

    position: Position
    plies: tuple[Ply, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Plies that are now part of the game; `margin` is the log-likelihood ratio to the best other explanation."""

    plies: tuple[Ply, ...]
    margin: float


@dataclass(frozen=True, slots=True)
class Corrected:
    """Later observation changed earlier plies: ply number `first` (from 1) and those after it become `plies`."""

    first: int
    plies: tuple[Ply, ...]
    margin: float


@dataclass(frozen=True, slots=True)
class TookBack:
    """The table went back by `count` plies."""

    count: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A turn is under way: the likeliest turn as text (empty when open) and what the table still lacks for it."""

    player: int
    turn: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several turns explain the table equally well."""

    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Illegal:
    """The table shows what no rule allows. `source` and `target` are cell indices, None where it is not one move."""

    player: int
    why: str
    source: int | None
    target: int | None
    repair: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class PutRight:
    """What was illegal, pending or ambiguous is gone: the table agrees with the game again."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """The table lacks what the rules ask for on one cell; play may go on."""

    cell: int
    expected: CellLook
    text: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """The cell of a reminder now looks as it should."""

    cell: int


@dataclass(frozen=True, slots=True)
class Unread:
    """The table cannot be explained by any turn or slip: these cells look different from the game."""

    cells: tuple[int, ...]


Verdict = (
    Started | Accepted | Corrected | TookBack | Pending | Ambiguous | Illegal | PutRight | Reminder | Resolved | Unread
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One cell where the table and the game differ: a line of the difference map."""

    cell: int
    expected: CellLook
    seen: CellLook


def differences(expected: BoardLook, seen: BoardLook) -> tuple[Difference, ...]:
    """The cells where two boards look different, in the board's order."""
    return tuple(Difference(i, a, b) for i, (a, b) in enumerate(zip(expected, seen, strict=True)) if a != b)
