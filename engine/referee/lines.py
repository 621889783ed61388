"""Lines of play: what may have been played since a known position, as values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.game import Action, Position
from engine.look import BoardLook, CellLook
from engine.referee.slips import Slip

#: Who played which actions.
TurnKey = tuple[int, tuple[str, ...]]
_NAME = re.compile(r"[a-z]\d+")


def turn_key(player: int, actions: Sequence[Action]) -> TurnKey:
    """What tells turns apart; the order of actions does not, as the table does not show it."""
    return player, tuple(sorted(map(str, actions)))


def named_cells(action: Action) -> list[str]:
    """The cells that an action's notation names."""
    return _NAME.findall(str(action))


@dataclass(frozen=True, slots=True)
class Turn:
    """A finished turn of a line.

    `looks`: the table after it. `whole`: nothing that belongs to it was left undone. `sighted`: every cell
    whose men it changes was seen. `continues`: more actions could follow in it.
    """

    player: int
    actions: tuple[Action, ...]
    after: Position
    looks: BoardLook
    whole: bool = True
    sighted: bool = True
    continues: bool = False
    key: TurnKey = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", turn_key(self.player, self.actions))

    @property
    def is_silent(self) -> bool:
        """Whether nothing of it is seen on the table: a pass, or a side that somebody chose."""
        return len(self.actions) == 1 and not named_cells(self.actions[0])


@dataclass(frozen=True, slots=True)
class Partial:
    """An action that is half done: what the cells it still has to change look like now, and how they will."""

    action: Action
    lacking: Mapping[int, tuple[CellLook, CellLook]]


@dataclass(frozen=True, slots=True)
class Base:
    """Where a line may begin: `back` plies before the present, with the table's looks and a log-prior.

    `replays` are the keys of the turns that were taken to follow it: to keep a later one costs nothing. `turns` lead
    from the present to the base: they were seen, but might have gone on. `table` is the table before it was put back
    to the base, if it was; perhaps not every disk was put back.
    """

    back: int
    position: Position
    looks: BoardLook
    prior: float = 0.0
    replays: tuple[TurnKey, ...] = ()
    turns: tuple[Turn, ...] = ()
    table: BoardLook | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One explanation. `opened` are the actions of a turn that is not finished; `tail` what is half done or wrong.

    `begun` is the line at the beginning of its last turn, if that is unfinished or ended by itself. `fit` is the
    evidence's part of the score. `lent`: cells whose men are not what was seen and may still change, with the
    likelihood that would come back then.
    """

    back: int
    turns: tuple[Turn, ...]
    position: Position
    looks: BoardLook
    score: float
    opened: tuple[Action, ...] = ()
    tail: Partial | Slip | None = None
    base: Base | None = None
    whole: bool = True
    sighted: bool = True
    begun: "Line | None" = None
    fit: float = 0.0
    lent: tuple[tuple[int, float], ...] = ()

    @property
    def hope(self) -> float:
        """Its score if what was lent comes back."""
        return self.score + sum(worth for _, worth in self.lent)

    @property
    def prior(self) -> float:
        """The log-prior of what was played: no line that goes on from it scores better."""
        return self.score - self.fit

    @property
    def keys(self) -> tuple[TurnKey, ...]:
        """What tells its turns apart from those of other lines."""
        return tuple(turn.key for turn in self.turns)

    @property
    def unseen_turns(self) -> tuple[Turn, ...]:
        """The turns after those that the base was reached by."""
        return self.turns[len(self.base.turns) :] if self.base else self.turns
