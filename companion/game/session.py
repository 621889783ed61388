"""One game being watched: readings and people's corrections in; events, record and the newest state out.

The session owns the game, the reconciler and the journal. Whoever shows something (page, lights, terminal) subscribes
and takes the newest state when it is ready; nobody can delay the eye.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from companion.game.events import Event
from companion.game.feed import Feed, Subscription
from companion.game.gamelog import GameLog
from companion.game.journal import Journal
from companion.game.keeping import Keeper, PictureMaker
from companion.game.setups import parse_setup, setup_text
from companion.game.state import Lifted, PlyInfo, SessionState, Setup, Target, find_lifted
from companion.game.taking_up import Waiting, refuse_unfit, taken_up
from engine.errors import EngineError
from engine.game import PASS, Outcome, load_game
from engine.look import BoardLook, CellLook, Reading, Surface
from engine.records.record import Record
from engine.referee.patience import Patience
from engine.referee.verdict import (
    Accepted,
    Ambiguous,
    Corrected,
    How,
    Illegal,
    Pending,
    PutRight,
    Reminder,
    Resolved,
    Started,
    TookBack,
    Verdict,
    differences,
)

__all__ = ["Lifted", "PlyInfo", "Session", "SessionState", "Setup", "Subscription", "Target"]


class Session:
    """A game under way. All methods may be called from any thread; each returns only after the journal has it,
    or the newest state says why it has not.

    Eye side: `still`, `moving`, `tick`, `bumped`, `lost`, `found`, `finish`. People's side: `accept`, `enter`,
    `take_back`, `set_cell`, `pass_turn`, `resign`, `agree`, `pause`, `go_on`, `accept_irregular`, `take_up`. All raise
    `EngineError` with a plain sentence when what a person asks for cannot be. Raises `EngineError` for a setup that
    fits no game, `InputError` when the journal cannot be written at the beginning.

    `under_way`: the game has begun before; it is taken up from the table as it first stands, this player to move.
    """

    def __init__(
        self, setup: Setup, journal: Journal | None = None, patience: Patience | None = None, under_way: int = 0
    ) -> None:
        if under_way:
            refuse_unfit(load_game(setup.game), setup)
        started = _now_text()
        game = journal.new_game(setup_text(setup), started) if journal is not None else 0
        self._open(setup, journal, game, started, patience or Patience(), ())
        self._waiting: Waiting | None = Waiting(under_way, self.patience.start_after_s) if under_way else None

    @classmethod
    def resume(cls, journal: Journal, game: int | None = None, patience: Patience | None = None) -> "Session":
        """Go on with a game of the journal (the last one if not given) at the ply where it stopped.

        The first reading then shows, as the event `resumed`, where table and record differ.
        """
        row = journal.last_game() if game is None else journal.row(game)
        session = cls.__new__(cls)
        session._open(
            parse_setup(row.setup), journal, row.game, row.started, patience or Patience(), journal.events(row.game)
        )
        session._compare = True
        return session

    def _open(
        self,
        setup: Setup,
        journal: Journal | None,
        number: int,
        started: str,
        patience: Patience,
        past: Sequence[Event],
    ) -> None:
        self.setup, self.patience = setup, patience
        self.started = started
        self._game = load_game(setup.game)
        self._keeper = Keeper(journal, number)
        self._lock = threading.RLock()
        self._log = GameLog(self._game, setup, patience)
        for event in past:
            self._log.replay(event)
        last = past[-1] if past else None
        self._t_s, self._frame = (last.t_s, last.frame) if last else (0.0, 0)
        self.begins_s = self._t_s  #: when its watching begins, in seconds of the game: a game gone on with has some
        self._eye, self._why_lost = "searching", ""
        self._paused = self._compare = self._closed = False
        self._waiting = None
        self.why_not_taken_up = ""
        self._last: Reading | None = None
        self._lifted: Lifted | None = None
        self._table: BoardLook | None = None
        self._jpeg: bytes | None = None
        self._picture: PictureMaker | None = None
        self._feed = Feed(self._make_state(past[-1].seq if past else 0), tuple(past))

    # -- outputs -----------------------------------------------------------------------------------------------

    @property
    def state(self) -> SessionState:
        """The newest state."""
        return self._feed.state

    def subscribe(self, after_seq: int = 0) -> Subscription:
        """Listen; events after `after_seq` come first (replay after a reconnect)."""
        return Subscription(self._feed, after_seq)

    def on_event(self, callback: Callable[[Event], None]) -> None:
        """Call `callback` for every event, in the eye's thread, after it is in the journal: for quick things only."""
        self._feed.on_event(callback)

    def events(self, after_seq: int = 0) -> tuple[Event, ...]:
        """The events of this game after a sequence number."""
        return self._feed.events(after_seq)

    def known_looks(self) -> BoardLook | None:
        """What surely lies on the table now (for `Eye.confirm`); None while a turn is open or an alarm stands."""
        with self._lock:
            return self.believed_looks() if self._log.referee.standing is None else None

    def believed_looks(self) -> BoardLook | None:
        """What lies on the table but for a turn that is open (for `Eye.take_turned`); None while men are placed or
        what happens does not count."""
        with self._lock:
            referee = self._log.referee
            if referee.position.stage == "placement" or self._paused:
                return None
            if self.setup.disks is None:
                return tuple(CellLook(Surface.BARE, look.men, look.height) for look in referee.table)
            return referee.table

    def record(self) -> Record:
        """The record of the game so far, placements first."""
        with self._lock:
            return self._log.record(self.started, _now_text())

    def evidence(self, ply: int, moment: str) -> bytes | None:
        """The picture (JPEG) kept of the board `before` or `after` a ply; None where there is none."""
        with self._lock:
            return self._keeper.picture(ply - 1 if moment == "before" else ply)

    # -- the eye's side ----------------------------------------------------------------------------------------

    def still(self, reading: Reading, picture: PictureMaker | None = None) -> tuple[Event, ...]:
        """The table is still and reads like this. Gives the events that follow from it."""
        reading = self._heeded(reading)
        with self._lock:
            self._at(reading.t_s, reading.frame)
            self._eye, self._lifted, self._picture = "watching", None, picture
            self._last = reading
            if self._waiting is not None:
                self._waiting.still(reading, self._log.referee.table)
                self._show_table(reading)
                return self._publish([])
            if self._paused:
                told = self._disturbed()
                self._show_table(reading)
                return self._publish(told)
            told = self._told_differences(reading) if self._compare else []
            if not self._log.started and not self._log.referee.placing:
                told = [self._log.start_event(), *told]
            verdicts = self._log.referee.observe(reading)
            self._table = self._log.referee.seen_looks()
            if isinstance(self._log.referee.standing, Pending) or not self._log.referee.standing:
                self._lifted = find_lifted(self._log.referee.position, self._log.referee.table, reading)
            return self._publish([*told, *self._events_of(verdicts)])

    def moving(self, now_s: float, frame: int, reading: Reading | None = None) -> tuple[Event, ...]:
        """Something moves over the board; `reading`: the cells that can be seen meanwhile, hidden ones unseen."""
        with self._lock:
            self._at(now_s, frame)
            told = self._disturbed()
            before = self._eye, self._lifted
            self._eye = "moving"
            if reading is not None and not self._paused:
                reading = self._heeded(reading)
                self._lifted = find_lifted(self._log.referee.position, self._log.referee.table, reading)
            if not told and before == (self._eye, self._lifted):
                return ()
            return self._publish(told)

    def tick(self, now_s: float, frame: int) -> tuple[Event, ...]:
        """Time goes by and the table is as at the last `still`: call it for every frame without another sight."""
        with self._lock:
            self._at(now_s, frame)
            if self._paused:
                return ()
            if self._waiting is not None:
                return self._publish(self._take_up(self._waiting)) if self._waiting.over(now_s) else ()
            standing = self._log.referee.standing
            verdicts = self._log.referee.tick(now_s, frame)
            if not verdicts and self._log.referee.standing == standing:
                return ()
            return self._publish(self._events_of(verdicts))

    def bumped(self, now_s: float, frame: int) -> tuple[Event, ...]:
        """The camera or the board was knocked; the eye has found the board again."""
        with self._lock:
            self._at(now_s, frame)
            return self._publish([*self._disturbed(), ("bump", {})])

    def lost(self, now_s: float, frame: int, reason: str) -> tuple[Event, ...]:
        """The board cannot be seen. An event the first time; after that only the state tells a new reason."""
        with self._lock:
            self._at(now_s, frame)
            known, self._eye, self._why_lost = self._eye == "lost", "lost", reason
            return self._publish([] if known else [*self._disturbed(), ("lost", {"why": reason})])

    def found(self, now_s: float, frame: int) -> tuple[Event, ...]:
        """The board is in the picture."""
        with self._lock:
            self._at(now_s, frame)
            self._eye = "watching"
            return self._publish([("found", {})])

    def finish(self, now_s: float, frame: int) -> tuple[Event, ...]:
        """The source has ended or somebody pressed Ctrl-C: what is complete is accepted, then `end`. Once."""
        with self._lock:
            if self._closed:
                return ()
            self._at(max(now_s, self._t_s), max(frame, self._frame))
            events = self._take_up(self._waiting) if self._waiting is not None else []
            verdicts = [] if self._paused else self._log.referee.conclude(self._t_s, self._frame)
            events += self._events_of(verdicts)
            if not self._log.over and not any(kind == "end" for kind, _ in events):
                position = self._log.referee.position
                events.append(("end", {"score": list(position.score()), "winner": None, "reason": "stopped"}))
            published = self._publish(events)
            if self._log.over:
                self._keeper.over()
            self._closed = True
            self._feed.close()
            return published

    def _heeded(self, reading: Reading) -> Reading:
        """What counts of a reading: without disks on the board the men alone."""
        return reading if self.setup.disks else reading.of_men()

    # -- people's side -----------------------------------------------------------------------------------------

    def accept(self, candidate: int) -> None:
        """Take the candidate with that number (from 0) of the ambiguous verdict."""
        with self._lock:
            self._publish(self._events_of(self._log.referee.choose(candidate)))

    def enter(self, text: str) -> None:
        """Play a turn given in notation for the player to move."""
        with self._lock:
            self._refuse_when_over()
            ply = self._log.referee.play(text.strip(), self._t_s, self._frame)
            self._publish(self._events_of([Accepted((ply,), 0.0)]))

    def take_back(self, plies: int = 1) -> None:
        """Go back by so many plies."""
        with self._lock:
            self._log.referee.take_back(plies)
            self._publish(self._events_of([TookBack(plies)]))

    def set_cell(self, cell: int, tile: str, owner: int, height: int) -> None:
        """Say what a cell is (`tile`, `owner`, `height` in the contract's words)."""
        with self._lock:
            position = self._log.referee.position
            if not 0 <= cell < len(position.board):
                raise EngineError(f"cell number {cell}: the board has {len(position.board)} cells")
            ruling = self._log.ruling({cell: (tile, owner, height)}, position.player)
            self._log.tell_set(self._log.rule(ruling, How.TYPED, self._t_s))
            look = {"tile": tile, "owner": owner, "height": height}
            self._publish([("set", {"cell": position.board.names[cell], "look": look, "move": ruling})])

    def pass_turn(self) -> None:
        """The player to move passes."""
        self.enter(PASS)

    def resign(self, player: int) -> None:
        """A player gives up."""
        if player not in (1, 2):
            raise EngineError(f"player 1 or 2 resigns, not {player}")
        self._declare(Outcome("resignation", 3 - player))

    def agree(self, winner: int) -> None:
        """Both agree on a result: the winner, 0 for a draw."""
        if winner not in (0, 1, 2):
            raise EngineError(f"the winner is 1, 2, or 0 for a draw, not {winner}")
        self._declare(Outcome("agreement", winner))

    def pause(self) -> None:
        """Whatever happens on the table now does not count."""
        with self._lock:
            if not self._paused:
                self._paused = True
                self._publish([*self._disturbed(), ("paused", {})])

    def go_on(self) -> None:
        """The table counts again; the next reading shows where it differs from the game."""
        with self._lock:
            if self._paused:
                self._paused, self._compare = False, True
                self._publish([])

    def accept_irregular(self) -> None:
        """Let the illegal move on the table stand."""
        with self._lock:
            alarm = self._log.referee.standing
            if not isinstance(alarm, Illegal):
                raise EngineError("there is no illegal move on the table that could stand")
            seen = self._log.referee.seen_looks()
            cells = {step.cell: self._log.tile_of(step.cell, seen[step.cell]) for step in alarm.repair}
            ply = self._log.rule(self._log.ruling(cells, 3 - alarm.player), How.IRREGULAR, self._t_s)
            self._publish(self._events_of([Accepted((ply,), 0.0)]))

    def take_up(self, player: int) -> None:
        """The game was under way before: go on from the table as it stands, this player to move."""
        with self._lock:
            if self._log.played and not self._log.doubt:
                raise EngineError("this game has been watched from its start; end it and begin another")
            if self._last is None:
                raise EngineError("the board has not been read yet")
            self._publish(self._begin_anew(taken_up(self._game, self.setup, self._last, player)))

    def _declare(self, outcome: Outcome) -> None:
        with self._lock:
            self._refuse_when_over()
            score = list(self._log.referee.position.score())
            self._publish([("end", {"score": score, "winner": outcome.winner, "reason": outcome.end})])

    def _refuse_when_over(self) -> None:
        if self._log.over:
            raise EngineError("the game is over; take a ply back to go on")

    # -- events ------------------------------------------------------------------------------------------------

    def _at(self, now_s: float, frame: int) -> None:
        self._t_s, self._frame = now_s, frame

    def _disturbed(self) -> list[tuple[str, dict[str, Any]]]:
        """The table is not still any more: the events of what was finished by then, such as a placement."""
        if self._waiting is not None:
            told = self._take_up(self._waiting) if self._waiting.over(self._t_s) else []
            if self._waiting is not None:
                self._waiting.disturbed()
            return told
        return self._events_of(self._log.referee.moving(self._t_s, self._frame))

    def _take_up(self, waiting: Waiting) -> list[tuple[str, dict[str, Any]]]:
        """The game under way is taken up, if the table as it was read last allows it."""
        if self._last is None or self._log.played:
            return []
        try:
            setup = taken_up(self._game, self.setup, self._last, waiting.player)
        except EngineError as error:
            self.why_not_taken_up = str(error)
            return []
        return self._begin_anew(setup)

    def _begin_anew(self, setup: Setup) -> list[tuple[str, dict[str, Any]]]:
        """The game is this one, as it stands on the table: the events that follow."""
        log = GameLog(self._game, setup, self.patience)
        self._keeper.begin_anew(setup_text(setup), self.started, self._log.played)
        self.setup, self._log, self._waiting, self.why_not_taken_up = setup, log, None, ""
        start = log.start_event()
        if self._eye != "watching" or self._last is None:
            return [start]
        return [start, *self._events_of(log.referee.observe(self._last))]

    def _events_of(self, verdicts: Sequence[Verdict]) -> list[tuple[str, dict[str, Any]]]:
        """The events of verdicts, in the contract's words."""
        return [event for verdict in verdicts for event in self._event_of(verdict)]

    def _event_of(self, verdict: Verdict) -> list[tuple[str, dict[str, Any]]]:
        names, log = self.setup.board.names, self._log
        match verdict:
            case Started():
                return [log.start_event(verdict)]
            case Accepted():
                return log.ply_events(verdict.plies)
            case Corrected():
                return [log.corrected(verdict.first, verdict.plies), *log.end_events()]
            case TookBack():
                return [log.taken_back(verdict.count)]
            case Illegal():
                where = {
                    "from": None if verdict.source is None else names[verdict.source],
                    "to": None if verdict.target is None else names[verdict.target],
                }
                repair = [step.text for step in verdict.repair]
                return [("illegal", {"player": verdict.player, "why": verdict.why, **where, "repair": repair})]
            case Reminder():
                look = verdict.expected
                expected = _look_words(look)
                now = _look_words(log.referee.deviations.get(verdict.cell, look))
                cell = names[verdict.cell]
                return [("reminder", {"cell": cell, "expected": expected, "now": now, "text": verdict.text})]
            case Resolved():
                return [("resolved", {"cell": names[verdict.cell]})]
            case Ambiguous():
                return [("ambiguous", {"candidates": list(verdict.candidates)})]
            case PutRight():
                return [("put-right", {})] if log.alarmed else []
            case _:
                return []

    def _told_differences(self, reading: Reading) -> list[tuple[str, dict[str, Any]]]:
        """The event that tells where table and game differ after a pause or a restart."""
        self._compare = False
        expected = self._log.referee.table
        if self._log.referee.position.stage == "placement":
            return []
        names = self.setup.board.names
        told = [
            {"cell": names[d.cell], "expected": _look_words(d.expected), "seen": _look_words(d.seen)}
            for d in differences(expected, reading.looks(expected))
        ]
        return [("resumed", {"ply": len(self._log.referee.plies), "differences": told})]

    def _publish(self, happened: Sequence[tuple[str, dict[str, Any]]]) -> tuple[Event, ...]:
        """Write events to the journal, then show them with the newest state."""
        kinds = {kind for kind, _ in happened}
        if not self._log.started and "start" not in kinds and kinds & {"move", "pass", "set"}:
            happened = [self._log.start_event(), *happened]
        seq = self._feed.next_seq
        events = tuple(
            Event(seq + i, kind, self._t_s, self._frame, fields) for i, (kind, fields) in enumerate(happened)
        )
        self._keeper.keep(events, len(self._log.referee.plies), self._picture)
        for event in events:
            self._log.note(event)
        self._feed.publish(self._make_state(seq + len(events) - 1), events)
        return events

    # -- the state ---------------------------------------------------------------------------------------------

    def _show_table(self, reading: Reading) -> None:
        self._table = reading.looks(self._log.referee.table)

    def _make_state(self, seq: int) -> SessionState:
        log, referee = self._log, self._log.referee
        position, standing = referee.position, referee.standing
        expected = position.look()
        quiet = standing is None or isinstance(standing, Illegal) or self._paused
        return SessionState(
            seq=seq,
            t_s=self._t_s,
            frame=self._frame,
            phase=self._phase(),
            eye=self._eye,
            setup=self.setup,
            position=position,
            expected=expected,
            table=self._table or expected,
            score=position.score(),
            player=position.player,
            history=log.history(),
            last_move=log.last_move(),
            pending=standing if isinstance(standing, Pending) else None,
            ambiguous=standing if isinstance(standing, Ambiguous) else None,
            alarm=standing if isinstance(standing, Illegal) else None,
            reminders=referee.reminders,
            differences=differences(referee.table, self._table) if self._table and quiet else (),
            lifted=self._lifted,
            outcome=log.outcome,
            lost=self._why_lost if self._eye == "lost" else "",
            doubt=log.doubt,
            unkept=self._keeper.trouble,
        )

    def _phase(self) -> str:
        if self._paused:
            return "paused"
        if self._log.over:
            return "over"
        if self._log.referee.position.stage == "placement":
            return "looking" if self._eye in ("searching", "lost") or self._table is None else "placement"
        return "play"


def _now_text() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _look_words(look: CellLook) -> dict[str, Any]:
    return {"surface": look.surface.value, "men": look.men, "height": look.height}
