"""Who listens to a session: each subscriber takes the newest state when it is ready, and nobody is waited for."""

import threading
from collections.abc import Callable

from companion.game.events import Event
from companion.game.state import SessionState


class Feed:
    """The newest state and all events of a game. Safe to use from any thread."""

    def __init__(self, state: SessionState, events: tuple[Event, ...] = ()) -> None:
        self._state = state
        self._events = list(events)
        self._version = 0
        self._over = False
        self._news = threading.Condition()
        self._callbacks: list[Callable[[Event], None]] = []

    @property
    def state(self) -> SessionState:
        """The newest state."""
        return self._state

    @property
    def next_seq(self) -> int:
        """The number of the next event."""
        return len(self._events) + 1

    def events(self, after_seq: int = 0) -> tuple[Event, ...]:
        """The events after a sequence number."""
        with self._news:
            return tuple(self._events[after_seq:])

    def on_event(self, callback: Callable[[Event], None]) -> None:
        """Call back for every event, in the thread that publishes."""
        self._callbacks.append(callback)

    def publish(self, state: SessionState, events: tuple[Event, ...]) -> None:
        """The newest state and what led to it."""
        with self._news:
            self._state = state
            self._events.extend(events)
            self._version += 1
            self._news.notify_all()
        for event in events:
            for callback in self._callbacks:
                callback(event)

    def close(self) -> None:
        """Nothing more will come: wake everybody up."""
        with self._news:
            self._over = True
            self._news.notify_all()

    def wait(
        self, version: int, seq: int, timeout_s: float | None, stopped: Callable[[], bool]
    ) -> tuple[int, SessionState, tuple[Event, ...]] | None:
        """What is newer than that version and event; None when nothing comes in time or all is over."""
        with self._news:
            self._news.wait_for(lambda: self._version != version or self._over or stopped(), timeout_s)
            if self._version == version or stopped():
                return None
            return self._version, self._state, tuple(self._events[seq:])

    def wake(self) -> None:
        """Let those who wait look again whether they are to stop."""
        with self._news:
            self._news.notify_all()


class Subscription:
    """A subscriber's side: waits for something newer than it has seen. Safe to use from another thread."""

    def __init__(self, feed: Feed, after_seq: int = 0) -> None:
        self._feed = feed
        self._seq = after_seq
        self._version = -1
        self._closed = False

    def wait(self, timeout_s: float | None = None) -> tuple[SessionState, tuple[Event, ...]] | None:
        """The newest state and the events since the last call; None when nothing came in time or all is over."""
        news = self._feed.wait(self._version, self._seq, timeout_s, lambda: self._closed)
        if news is None:
            return None
        self._version, state, events = news
        self._seq += len(events)
        return state, events

    def close(self) -> None:
        """Stop listening."""
        self._closed = True
        self._feed.wake()
