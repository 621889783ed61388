"""Server-sent events of the page: one thread listens to the session, any number of browsers take the newest state.

Every state and event is turned into text once, whoever is watching; a browser that is slow skips states but no events.
After a broken connection the browser says which event it saw last and gets those after it.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from companion.game.clock import clock_after
from companion.game.events import Event
from companion.game.session import SessionState
from companion.page.sentences import player_names, sentence
from companion.page.state import state_json
from companion.page.table import Game, Table

_KEEP_ALIVE_S = 15.0
_PATIENCE_S = 0.5


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What every browser gets next: the game's number, the events so far with their texts, the newest state's text."""

    game: str
    version: int
    events: tuple[tuple[int, str], ...]
    seq: int
    state: str


_NOTHING_YET = Snapshot("", 0, (), 0, "")


def event_json(event: Event, players: tuple[str, str]) -> dict[str, Any]:
    """An event with its number and its sentence."""
    return {**event.as_dict(), "seq": event.seq, "text": sentence(event, players)}


class Feed:
    """Follows the table's session in a thread of its own; `stream` is one browser's side of it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.snapshot = _NOTHING_YET
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="page-feed", daemon=True)

    def start(self) -> None:
        """Begin to follow; call it in the server's event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def stop(self) -> None:
        """End the thread and all streams."""
        self._stop.set()
        self._publish()

    def _publish(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _follow(self) -> None:
        """Follow one session after the other until the page stops."""
        while not self._stop.is_set():
            game = self.table.game
            if game is None:
                self._idle()
                time.sleep(_PATIENCE_S / 2)
            else:
                self._follow_session(game)

    def _idle(self) -> None:
        """No game: only the status of camera and lights can change."""
        text = json.dumps({"phase": "none", "status": self.table.status()})
        if text != self.snapshot.state:
            self.snapshot = Snapshot("", self.snapshot.version + 1, (), 0, text)
            self._publish()

    def _follow_session(self, game: Game) -> None:
        session = game.session
        players = player_names(session.state.setup.colours, session.state.setup.names)
        events: list[Event] = []
        texts: list[tuple[int, str]] = []
        shown: tuple[SessionState, Any] | None = None
        subscription = session.subscribe(0)
        try:
            while not self._stop.is_set() and self._on_table(game):
                asked_s = time.monotonic()
                got = subscription.wait(0.0 if shown is None else _PATIENCE_S)
                if got is None and shown is not None and time.monotonic() - asked_s < _PATIENCE_S / 2:
                    self._stop.wait(_PATIENCE_S)  # the session has ended: nothing comes any more, nothing is waited for
                state, new = got if got is not None else (shown[0] if shown is not None else session.state, ())
                status = self.table.status()
                if shown is not None and not new and state is shown[0] and status == shown[1]:
                    continue
                events += new
                texts += [(e.seq, json.dumps(event_json(e, players), ensure_ascii=False)) for e in new]
                self._show(game, state, events, texts, status)
                shown = (state, status)
        finally:
            subscription.close()

    def _on_table(self, game: Game) -> bool:
        """Whether it is still this game that the table shows; the watcher may have gone."""
        return self.table.game is not None and self.table.game.name == game.name

    def _show(
        self, game: Game, state: SessionState, events: list[Event], texts: list[tuple[int, str]], status: dict[str, Any]
    ) -> None:
        data = {"gameId": game.name, "status": status, "clock": None, **state_json(state)}
        if state.setup.clock is not None:
            clock = clock_after(state.setup.clock, events).at(state.t_s)
            data["clock"] = {"left": [round(v, 2) for v in clock.remaining_s], "running": clock.running}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        self.snapshot = Snapshot(game.name, self.snapshot.version + 1, tuple(texts), len(texts), text)
        self._publish()

    async def stream(self, last_event_id: str, gone: Callable[[], Any]) -> AsyncIterator[str]:
        """One browser's events as text, beginning after `last_event_id` (`GAME.SEQ`, empty for all)."""
        game, _, number = last_event_id.rpartition(".")
        seen = int(number) if number.isdecimal() else 0
        version, fresh = _NOTHING_YET.version, True
        yield "retry: 1000\n\n"
        while not self._stop.is_set():
            changed, now = self._changed, self.snapshot
            if now.game != game and now is not _NOTHING_YET:
                game, seen, fresh = now.game, 0, True
            for seq, text in now.events:
                if seq > seen:
                    kind = "past" if fresh else "happened"
                    yield f"id: {game}.{seq}\nevent: {kind}\ndata: {text}\n\n"
            if now.version != version:
                seen, fresh, version = max(seen, now.seq), False, now.version
                yield f"id: {game}.{seen}\nevent: game\ndata: {now.state}\n\n"
            try:
                await asyncio.wait_for(changed.wait(), _KEEP_ALIVE_S)
            except TimeoutError:
                if await gone():
                    return
                yield ": still here\n\n"
