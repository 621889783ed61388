"""The clock is pressed by the moves: laws of the fold over events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import InputError
from companion.game.clock import ClockSettings, clock_after, read_clock
from companion.game.events import Event


def turns(*moves: tuple[int, float]) -> list[Event]:
    """Turns (player, time) as events."""
    return [Event(i, "move", t, 0, {"player": p}) for i, (p, t) in enumerate(moves, start=1)]


def test_sudden_death_counts_down_the_player_to_move() -> None:
    """The first turn starts the other's clock; each turn stops its player's."""
    clock = clock_after(ClockSettings(60.0), turns((1, 5.0), (2, 15.0), (1, 18.0)))
    assert clock.remaining_s == (57.0, 50.0)
    assert clock.running == 2
    assert clock.at(88.0).remaining_s == (57.0, -20.0)
    assert clock.at(88.0).flag == 2


def test_increment_is_added_when_the_clock_is_pressed() -> None:
    """Five seconds for each finished turn, but none for a turn made while the clock did not run."""
    clock = clock_after(ClockSettings(60.0, 5.0), turns((1, 5.0), (2, 15.0), (1, 18.0)))
    assert clock.remaining_s == (62.0, 55.0)


def test_pause_stops_and_resumed_goes_on_with_the_same_player() -> None:
    """Time during a pause is nobody's."""
    events = [*turns((1, 0.0)), Event(2, "paused", 10.0, 0), Event(3, "resumed", 500.0, 0)]
    clock = clock_after(ClockSettings(60.0), events)
    assert clock.remaining_s == (60.0, 50.0)
    assert clock.running == 2


def test_a_takeback_gives_the_turn_back() -> None:
    """One turn taken back: the clock of its player runs again. Two: nothing changes."""
    one = [*turns((1, 0.0), (2, 10.0)), Event(3, "takeback", 12.0, 0, {"plies": 1})]
    two = [*turns((1, 0.0), (2, 10.0)), Event(3, "takeback", 12.0, 0, {"plies": 2})]
    assert clock_after(ClockSettings(60.0), one).running == 2
    assert clock_after(ClockSettings(60.0), two).running == 1


@given(st.lists(st.floats(0, 1000), max_size=30), st.floats(0, 60))
def test_no_time_is_lost_or_made(gaps: list[float], increment_s: float) -> None:
    """Both clocks together have lost the time since the first turn, less the increments."""
    times = [sum(gaps[: i + 1]) for i in range(len(gaps))]
    events = turns(*((1 + i % 2, t) for i, t in enumerate(times)))
    clock = clock_after(ClockSettings(600.0, increment_s), events)
    passed = times[-1] - times[0] if times else 0.0
    pressed = max(0, len(times) - 1)
    assert sum(clock.remaining_s) == pytest.approx(1200.0 - passed + pressed * increment_s, abs=1e-6)


def test_times_that_cannot_be() -> None:
    """A clock of five seconds is refused with both numbers."""
    with pytest.raises(InputError, match="5 s"):
        ClockSettings(5.0)


def test_a_clock_is_written_as_records_have_it() -> None:
    """And read again; words that are none, or times that cannot be, are refused."""
    for clock in (ClockSettings(300.0), ClockSettings(90.0, 2.5)):
        assert read_clock(clock.words) == clock
    assert read_clock("") is None
    for words in ("soon", "300", "1+0"):
        with pytest.raises(InputError):
            read_clock(words)
