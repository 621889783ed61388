"""A playing clock that the moves press by themselves: a pure function of the settings and the events of the game."""

from collections.abc import Iterable
from dataclasses import dataclass

from companion.errors import InputError
from companion.game.events import Event

_LONGEST_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """Time for the whole game and what each finished turn adds, in seconds (`increment_s` 0: sudden death).

    Raises `InputError` for times that cannot be.
    """

    main_s: float
    increment_s: float = 0.0

    def __post_init__(self) -> None:
        if not 10 <= self.main_s <= _LONGEST_S or not 0 <= self.increment_s <= 3600:
            raise InputError(
                f"a clock has 10 s to 24 h, an increment up to an hour; not {self.main_s:g} s + {self.increment_s:g} s"
            )

    @property
    def words(self) -> str:
        """As records have it: `300+5`."""
        return f"{self.main_s:.9g}+{self.increment_s:.9g}"


def read_clock(words: str) -> ClockSettings | None:
    """The clock that a record names; None for no words. Raises `InputError` for times that cannot be."""
    if not words:
        return None
    main, _, increment = words.partition("+")
    try:
        return ClockSettings(float(main), float(increment))
    except ValueError:
        raise InputError(f"'{words}' is no clock, such as 300+5: seconds for the game and for a turn") from None


@dataclass(frozen=True, slots=True)
class ClockState:
    """Both players' remaining seconds at `t_s`; `running` is the player whose time goes, 0 for nobody."""

    remaining_s: tuple[float, float]
    running: int
    t_s: float

    def at(self, now_s: float) -> "ClockState":
        """The same clock at a later time."""
        if self.running == 0 or now_s <= self.t_s:
            return self
        left = list(self.remaining_s)
        left[self.running - 1] -= now_s - self.t_s
        return ClockState((left[0], left[1]), self.running, now_s)

    @property
    def flag(self) -> int:
        """The player whose time is over, 0 for nobody."""
        return next((i + 1 for i, left in enumerate(self.remaining_s) if left <= 0), 0)


def clock_after(settings: ClockSettings, events: Iterable[Event]) -> ClockState:
    """The clock after these events. It starts with the first turn of the play and stands while the game is paused.

    A turn presses the clock: the player's time stops, the increment is added, the other's time runs. A take-back gives
    the turn back, but no time: as at a tournament, only the arbiter may give time.
    """
    clock = ClockState((settings.main_s, settings.main_s), 0, 0.0)
    stopped = 0
    for event in events:
        clock = clock.at(event.t_s)
        if event.kind in ("move", "pass"):
            player = int(event.fields["player"])
            left = list(clock.remaining_s)
            if clock.running == player:
                left[player - 1] += settings.increment_s
            clock = ClockState((left[0], left[1]), 3 - player, event.t_s)
        elif event.kind == "takeback" and clock.running and int(event.fields["plies"]) % 2:
            clock = ClockState(clock.remaining_s, 3 - clock.running, event.t_s)
        elif event.kind == "paused":
            stopped, clock = clock.running or stopped, ClockState(clock.remaining_s, 0, event.t_s)
        elif event.kind == "resumed" and stopped:
            clock, stopped = ClockState(clock.remaining_s, stopped, event.t_s), 0
        elif event.kind == "end":
            clock = ClockState(clock.remaining_s, 0, event.t_s)
    return clock
