"""The referee's reasoning: readings of the table in, verdicts out. Pure: time is an argument, no file is touched.

Belief is kept over lines of play (`engine.explain`). A prefix of the best line becomes part of the game once every
line without it is far less likely; what is half done waits, what no rule allows raises an alarm, a wrong disk is a
reminder. The rules decide what a cell is; the table only shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from engine.errors import EngineError
from engine.evidence import MEN_FLOOR, Evidence
from engine.explain import FORGOTTEN, Base, Explainer, Line, Partial, Turn, turn_key
from engine.game import Game, Position
from engine.look import BoardLook, CellLook, Reading
from engine.opening import Opening, PlacedBySides, likely_openings, men_on, recognise
from engine.slips import Slip, strange_cells, why_illegal
from engine.verdict import (
    Accepted,
    Ambiguous,
    Corrected,
    How,
    Illegal,
    Pending,
    Ply,
    PutRight,
    Reminder,
    Resolved,
    Started,
    Step,
    TookBack,
    Unread,
    Verdict,
)
from engine.words import instruction

BACK = -4.0  #: log-prior of going back one ply
MISREAD = 3.0  #: what speaks for going back when the replaced ply was not seen clearly
BACK_MORE = -0.5  #: and of every further one
FARTHEST_BACK = 6  #: plies that are considered for it
_TROUBLE = -4.0  #: earlier positions are considered only when nothing explains the table better than this
_TROUBLED = "trouble"
_TROUBLE_S = 0.25  #: and only when that has stood so long
_SLOW_START = 4.0  #: so many times slower the margin asked of an opening falls: the first moves will tell
_GRACE_S = 0.5  #: what is not so for no longer than this still counts as standing
_CLEAR = -3.0  #: a surface that explains the evidence worse than this is surely another


_NOT_HURRIED = ("margin", "least_margin", "margin_for_s", "illegal_after_s", "ambiguous_after_s", "strange_after_s")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long (seconds of stillness) the referee waits before it says something, and the margin it asks for."""

    margin: float = 3.0
    least_margin: float = 1.0  #: what is left of it after `margin_for_s`
    margin_for_s: float = 1.0
    illegal_after_s: float = 1.5
    unfinished_after_s: float = 2.0  #: a disk or a new man still missing
    unseen_after_s: float = 2.0  #: a turn whose cells nobody could see
    turn_after_s: float = 2.5  #: a turn that may end here, but could go on
    taken_back_after_s: float = 0.4
    several_after_s: float = 0.3  #: turns that were played while nobody could see the table
    passed_after_s: float = 0.6
    ambiguous_after_s: float = 1.5
    strange_after_s: float = 4.0  #: a cell that differs though nobody moved
    start_after_s: float = 0.5
    placed_after_s: float = 3.0  #: a placement that was followed man by man and looks finished

    def hurried(self) -> "Patience":
        """Nothing more will be seen: no more waiting for what may still be done, but no complaint sooner."""
        at_once = dict.fromkeys((f.name for f in fields(self) if f.name not in _NOT_HURRIED), 0.0)
        return replace(self, margin=self.least_margin, **at_once)

    def margin_after(self, stood_s: float) -> float:
        """The margin asked of an explanation that has stood so long."""
        return self.margin - (self.margin - self.least_margin) * min(1.0, stood_s / self.margin_for_s)


@dataclass(slots=True)
class _Memory:
    """What was known when a ply was accepted: the evidence then (for corrections)."""

    evidence: Evidence


class Reconciler:
    """The referee of one game. Feed it `observe`, `moving` and `tick`; each gives what is new to say.

    `colours` are the words for the two players' men. The position may be that of an empty board: the placement is
    then recognised or followed. Times must not run backwards.
    """

    def __init__(
        self, game: Game, position: Position, colours: tuple[str, str], patience: Patience = Patience()
    ) -> None:
        self.game = game
        self.start = position
        self.colours = colours
        self.patience = patience
        self.plies: list[Ply] = []
        self.deviations: dict[int, CellLook] = {}
        self.standing: Verdict | None = None
        self._evidence = Evidence(len(position.board))
        self._memory: list[_Memory] = []
        self._lines: list[Line] | None = None
        self._in_trouble = self._looked_back = False
        self._fresh = True
        self._still_at: float | None = None
        self._stood: dict[object, tuple[float, float]] = {}
        self._now_s = 0.0
        self._alarm_key: object = None
        self._seen_empty = False
        self._possible: list[tuple[float, Opening]] = []
        self._t_s, self._frame = 0.0, 0

    # -- what is known -----------------------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """The position after the last accepted ply."""
        return self.plies[-1].after if self.plies else self.start

    @property
    def table(self) -> BoardLook:
        """The board as it is believed to lie on the table: the rules' look with the known wrong disks and men."""
        looks = list(self.position.look())
        for cell, look in self.deviations.items():
            looks[cell] = look
        return tuple(looks)

    def seen_looks(self) -> BoardLook:
        """The table as it was read last; unseen cells as believed."""
        return self._evidence.best_looks(self.table)

    @property
    def reminders(self) -> tuple[Reminder, ...]:
        """What the table lacks at the moment."""
        return tuple(self._reminder(cell) for cell in sorted(self.deviations))

    # -- the eye -----------------------------------------------------------------------------------------------

    def observe(self, reading: Reading) -> list[Verdict]:
        """A reading of the still table. Raises `ValueError` for one of another board."""
        if self._fresh:
            self._evidence = Evidence(len(self.position.board))
            self._fresh = False
        self._evidence.add(reading)
        self._lines = None
        return self._judge(reading.t_s, reading.frame)

    def moving(self, now_s: float, frame: int) -> list[Verdict]:
        """Something moves over the board: what was seen counts no more."""
        verdicts = [] if self._fresh else [*self._finish_opening(), *self._finish_turn()]
        self._fresh, self._still_at = True, None
        self._t_s, self._frame = now_s, frame
        return verdicts

    def tick(self, now_s: float, frame: int) -> list[Verdict]:
        """The table is still as it was at the last reading; only time has gone by."""
        if self._fresh or self._still_at is None:
            return []
        return self._judge(now_s, frame)

    def conclude(self, now_s: float, frame: int) -> list[Verdict]:
        """Nothing more will be seen: accept at once what would have been accepted with more patience."""
        patience, self.patience = self.patience, self.patience.hurried()
        try:
            return self.tick(now_s, frame)
        finally:
            self.patience = patience

    # -- people ------------------------------------------------------------------------------------------------

    def play(self, text: str, how: How = How.TYPED) -> Ply:
        """Play a whole turn given in notation. Raises `NotationError` or `IllegalActionError`."""
        position = self.position
        actions = position.parse_turn(text)
        after = position
        for action in actions:
            after = after.after(action)
        if after.turn and after.may_end:
            after = after.end_turn()
        ply = Ply(position.player, self.game.format_turn(actions), actions, after, how, self._t_s, self._frame)
        self._append(ply)
        return ply

    def put(self, ply: Ply) -> None:
        """Add a ply made elsewhere: from the journal, or an irregular move that the referee lets stand."""
        self._append(ply)

    def choose(self, candidate: int) -> list[Verdict]:
        """Take a candidate of the ambiguous verdict (from 0). Raises `EngineError` where there is none."""
        rivals = self._rivals(self._lines or []) if isinstance(self.standing, Ambiguous) else []
        if not 0 <= candidate < len(rivals):
            raise EngineError(f"there is no candidate {candidate + 1}: {len(rivals)} to choose from")
        line = rivals[candidate]
        said = self._accept(line, len(line.turns), 0.0)
        self._lines = None
        return said

    def take_back(self, count: int) -> None:
        """Go back by `count` plies. Raises `EngineError` when there are not so many."""
        if not 0 < count <= len(self.plies):
            raise EngineError(f"cannot take back {count} plies: {len(self.plies)} have been played")
        del self.plies[-count:]
        del self._memory[-count:]
        self._changed()

    def _append(self, ply: Ply) -> None:
        self.plies.append(ply)
        self._memory.append(_Memory(self._evidence.copy()))
        self._changed()

    def _changed(self) -> None:
        """The position is another: forget what was thought about the old one."""
        rule = self.position.look()
        self.deviations = {c: look for c, look in self.deviations.items() if rule[c] != look}
        self._lines = None
        self._stood.clear()

    # -- judging -----------------------------------------------------------------------------------------------

    def _judge(self, now_s: float, frame: int) -> list[Verdict]:
        waited = 0.0 if self._still_at is None else min(1.0, max(0.0, now_s - self._still_at))
        self._still_at = self._now_s = self._t_s = now_s
        self._frame = frame
        if self.placing:
            return self._judge_opening(waited)
        said: list[Verdict] = []
        for _ in range(20):
            lines = self._explain()
            self._age(lines[0], waited)
            waited = 0.0
            taken = self._acceptable(lines)
            if taken is None:
                break
            said += self._accept(lines[0], *taken)
        said += self._mind_disks(lines[0])
        said += self._stand(self._open_verdict(lines))
        return said

    def _explain(self) -> list[Line]:
        if self._lines is None:
            explainer = Explainer(self._evidence)
            here = Base(0, self.position, self.table)
            lines = explainer.explain([here])
            self._in_trouble = lines[0].score < _TROUBLE and bool(self.plies)
            self._lines, self._looked_back = lines, False
        if self._in_trouble and not self._looked_back and self._standing_s(_TROUBLED) >= _TROUBLE_S:
            earlier = Explainer(self._evidence).explain(self._earlier_bases())
            weighed = [
                replace(line, score=line.score + MISREAD)
                if line.turns and line.back and self._was_misread(line.back, line.turns[0])
                else line
                for line in earlier
            ]
            self._lines = sorted([*self._lines, *weighed], key=lambda line: -line.score)
            self._looked_back = True
        return self._lines

    def _earlier_bases(self) -> list[Base]:
        """The positions some plies back, as the table would look if it had been put back to them."""
        now, table = self.position.look(), self.table
        bases = []
        for back in range(1, min(FARTHEST_BACK, len(self.plies)) + 1):
            position = self.plies[-back - 1].after if back < len(self.plies) else self.start
            if position.stage == "placement":
                break
            looks, prior = [], BACK + BACK_MORE * (back - 1)
            for c, look in enumerate(position.look()):
                kept = replace(look, surface=table[c].surface)
                if look == now[c]:
                    looks.append(table[c])
                elif self._evidence.score(c, kept) + FORGOTTEN > self._evidence.score(c, look):
                    looks.append(kept)
                    prior += FORGOTTEN
                else:
                    looks.append(look)
            replays = tuple(turn_key(ply.player, ply.actions) for ply in self.plies[-back:])
            bases.append(Base(back, position, tuple(looks), prior, replays))
        return bases

    def _age(self, best: Line, waited: float) -> None:
        """Let everything that the best line says stand for some seconds more; forget the rest."""
        keys: list[object] = [(best.back, best.keys[:k]) for k in range(len(best.turns) + 1)]
        if isinstance(best.tail, Slip):
            keys.append((best.tail.player, best.tail.source, best.tail.target))
        keys += [("strange", c) for c in strange_cells(best.looks, self._evidence)]
        keys += [("disk", c) for c in self._wrong_disks(best)]
        keys += ["ambiguous"] if len(self._rivals(self._lines or [])) > 1 else []
        keys += [_TROUBLED] if self._in_trouble else []
        self._let_stand(keys, waited)

    def _let_stand(self, keys: Sequence[object], waited: float) -> None:
        """Let these stand for some seconds more; forget what has not been so for a while (one frame may err)."""
        now = self._now_s
        for key in keys:
            seconds, _ = self._stood.get(key, (0.0, now))
            self._stood[key] = (seconds + (waited if key in self._stood else 0.0), now)
        self._stood = {key: s for key, s in self._stood.items() if now - s[1] <= _GRACE_S}

    def _standing_s(self, key: object) -> float:
        """For how many seconds of stillness something has been so."""
        return self._stood.get(key, (0.0, 0.0))[0]

    def _acceptable(self, lines: Sequence[Line]) -> tuple[int, float] | None:
        """How many turns of the best line may be accepted now and with what margin; None for nothing new."""
        best = lines[0]
        if len(strange_cells(best.looks, self._evidence)) > 2 + len(best.looks) // 20:
            return None
        for count in range(len(best.turns), -1, -1):
            if count == 0 and (best.back == 0 or best.tail is not None or best.opened or best.turns):
                return None
            prefix = (best.back, best.keys[:count])
            stood = self._standing_s(prefix)
            rivals = (x for x in lines if (x.back, x.keys[:count]) != prefix)
            if stood >= self.patience.turn_after_s:
                rivals = (x for x in rivals if not _only_goes_on(best, x))
            margin = best.score - max((x.score for x in rivals), default=-1e9)
            if margin >= self.patience.margin_after(stood) and stood >= self._wait(best, count):
                return count, margin
        return None

    def _wait(self, line: Line, count: int) -> float:
        """How long the first turns of a line must have stood."""
        wait = self.patience.taken_back_after_s if line.back else 0.0
        turns = line.turns[:count]
        if len(line.turns) > 1 or line.tail is not None or line.opened:
            wait = max(wait, self.patience.several_after_s)
        if any(turn.is_pass for turn in turns):
            wait = max(wait, self.patience.passed_after_s)
        if not turns or len(line.turns) > count or line.tail is not None or line.opened:
            return wait
        if not turns[-1].sighted:
            wait = max(wait, self.patience.unseen_after_s)
        if not turns[-1].whole:
            wait = max(wait, self.patience.unfinished_after_s)
        if turns[-1].continues:
            wait = max(wait, self.patience.turn_after_s)
        return wait

    def _finish_turn(self) -> list[Verdict]:
        """A hand comes: a turn that looked finished, though not beyond doubt, was finished; play goes on."""
        if self.placing or self._lines is None or self._still_at is None:
            return []
        best = self._lines[0]
        whole = best.turns and best.tail is None and all(t.whole and t.sighted and not t.continues for t in best.turns)
        if not whole or best.back:
            return []
        rival = max((x.score for x in self._lines if x.keys != best.keys), default=-1e9)
        if best.score - rival < self.patience.least_margin:
            return []
        return self._accept(best, len(best.turns), best.score - rival)

    # -- accepting ---------------------------------------------------------------------------------------------

    def _accept(self, line: Line, count: int, margin: float) -> list[Verdict]:
        """Make the first turns of a line part of the game."""
        stood = [self._standing_s((line.back, line.keys[: k + 1])) for k in range(count)]
        back, turns = line.back, list(line.turns[:count])
        replaced = bool(back) and len(turns) >= back and self._was_misread(back, turns[0])
        if back:
            del self.plies[-back:]
            del self._memory[-back:]
            self._changed()
        looks = turns[-1].looks if turns else line.base.looks if line.base else line.looks
        plies = tuple(
            self._ply(turn, seen=i == len(turns) - 1 or stood[i] > 0.0 or not turn.whole)
            for i, turn in enumerate(turns)
        )
        first = len(self.plies) + 1
        for ply in plies:
            self._append(ply)
        said: list[Verdict] = []
        if replaced:
            said.append(Corrected(first, plies, margin))
        else:
            said += [TookBack(back)] if back else []
            said += [Accepted(plies, margin)] if plies else []
        said = [*self._stand(None), *said]
        return said + self._new_deviations(looks)

    def _ply(self, turn: Turn, *, seen: bool) -> Ply:
        how = How.INFERRED if turn.is_pass or not seen else How.SEEN
        text = self.game.format_turn(turn.actions)
        return Ply(turn.player, text, turn.actions, turn.after, how, self._t_s, self._frame)

    def _was_misread(self, back: int, turn: Turn) -> bool:
        """Whether what was seen at the first replaced ply speaks for the new turn nearly as well as for the old."""
        old, memory = self.plies[-back], self._memory[-back].evidence
        if turn.continues or set(map(str, old.actions)) < set(map(str, turn.actions)):
            return True
        looks = turn.after.look()
        return sum(memory.score(c, look) for c, look in enumerate(looks) if look != old.after.look()[c]) > -10.0

    def _new_deviations(self, looks: BoardLook) -> list[Verdict]:
        """Remember where the table differs from the rules after accepted plies."""
        rule = self.position.look()
        old, self.deviations = self.deviations, {c: now for c, now in enumerate(looks) if now != rule[c]}
        gone = [Resolved(c) for c in old if c not in self.deviations]
        return [*gone, *(self._reminder(c) for c in self.deviations if c not in old)]

    def _reminder(self, cell: int) -> Reminder:
        expected = self.position.look()[cell]
        text = instruction(self.position.board, cell, self.deviations[cell], expected, self.colours)
        return Reminder(cell, expected, text)

    # -- disks -------------------------------------------------------------------------------------------------

    def _wrong_disks(self, line: Line) -> list[int]:
        """Cells with the men that the line expects, but surely another surface."""
        if line.tail is not None or line.turns or line.back or line.opened:
            return []
        score = self._evidence.surface_score
        return [c for c, look in enumerate(line.looks) if self._evidence.seen(c) and score(c, look) < _CLEAR]

    def _mind_disks(self, line: Line) -> list[Verdict]:
        """Remind of disks that lie wrong; notice when they are put right."""
        said: list[Verdict] = []
        rule = self.position.look()
        for c in self._wrong_disks(line):
            now = replace(line.looks[c], surface=self._evidence.best(c, line.looks[c]).surface)
            if now == rule[c]:
                del self.deviations[c]
                said.append(Resolved(c))
            elif self._standing_s(("disk", c)) >= self.patience.unfinished_after_s:
                known = c in self.deviations
                self.deviations[c] = now
                said += [] if known else [self._reminder(c)]
        for c in [c for c in self.deviations if self._is_now(c, rule[c])]:
            del self.deviations[c]
            said.append(Resolved(c))
        if said:
            self._lines = None
        return said

    def _is_now(self, cell: int, look: CellLook) -> bool:
        """Whether a cell that deviated surely looks like that now."""
        score = self._evidence.score
        return self._evidence.seen(cell) and score(cell, look) > -0.5 and score(cell, self.deviations[cell]) < _CLEAR

    # -- what is open ------------------------------------------------------------------------------------------

    def _open_verdict(self, lines: Sequence[Line]) -> Verdict | None:
        """What is to be said of a table that is not (yet) a finished turn."""
        best = lines[0]
        if isinstance(best.tail, Slip):
            key = (best.tail.player, best.tail.source, best.tail.target)
            if self._standing_s(key) >= self.patience.illegal_after_s:
                self._alarm_key = key
                return self._illegal(best, best.tail)
            return self.standing if isinstance(self.standing, Illegal) else None
        if isinstance(self.standing, Illegal) and self._alarm_key in self._stood:
            return self.standing
        if isinstance(best.tail, Partial) or best.turns or best.opened:
            rivals = self._rivals(lines)
            if len(rivals) > 1 and self._standing_s("ambiguous") >= self.patience.ambiguous_after_s:
                return Ambiguous(tuple(self._line_text(line) for line in rivals))
            return self._pending(best)
        strange = strange_cells(best.looks, self._evidence)
        if strange and all(self._standing_s(("strange", c)) >= self.patience.strange_after_s for c in strange):
            return self._inexplicable(best, strange)
        return None

    def _rivals(self, lines: Sequence[Line]) -> list[Line]:
        """Finished turns that explain the table about as well as the best line, one of each kind."""
        least = lines[0].score - self.patience.margin if lines else 0.0
        near = [
            line
            for line in lines
            if line.turns and line.tail is None and line.score > least and all(turn.sighted for turn in line.turns)
        ]
        return list({line.keys: line for line in reversed(near)}.values())[::-1]

    def _line_text(self, line: Line) -> str:
        return " ".join(self.game.format_turn(turn.actions) for turn in line.turns)

    def _illegal(self, line: Line, slip: Slip) -> Illegal:
        now = dict(slip.cells)
        repair = tuple(self._step(c, now[c], line.looks[c]) for c in (slip.source, slip.target))
        return Illegal(slip.player, why_illegal(line.position, slip, self.colours), slip.source, slip.target, repair)

    def _inexplicable(self, line: Line, strange: Sequence[int]) -> Verdict:
        """Cells that differ though no move and no slip explains them."""
        if len(strange) > 3:
            return Unread(tuple(strange))
        steps = tuple(self._step(c, self._evidence.best(c, line.looks[c]), line.looks[c]) for c in strange)
        names = ", ".join(self.position.board.names[c] for c in strange)
        return Illegal(self.position.player, f"no move explains what stands on {names}", None, None, steps)

    def _pending(self, line: Line) -> Pending:
        turn, steps = "", []
        if isinstance(line.tail, Partial):
            turn = self.game.format_turn((*line.opened, line.tail.action))
            steps = [self._step(c, now, then) for c, (now, then) in line.tail.lacking.items()]
        elif line.turns:
            last = line.turns[-1]
            turn, rule = self.game.format_turn(last.actions), last.after.look()
            steps = [self._step(c, now, rule[c]) for c, now in enumerate(last.looks) if now != rule[c]]
            steps = [step for step in steps if step.cell not in self.deviations]
        elif line.opened:
            turn = self.game.format_turn(line.opened)
        return Pending(line.position.player if not line.turns else line.turns[-1].player, turn, tuple(steps))

    def _step(self, cell: int, now: CellLook, then: CellLook) -> Step:
        return Step(cell, then, instruction(self.position.board, cell, now, then, self.colours))

    def _stand(self, verdict: Verdict | None) -> list[Verdict]:
        """Say an open verdict once; say when it is over."""
        if verdict == self.standing:
            return []
        over = isinstance(self.standing, Illegal | Unread | Ambiguous | Pending) and verdict is None
        self.standing = verdict
        return [verdict] if verdict is not None else [PutRight()] if over else []

    # -- the start ---------------------------------------------------------------------------------------------

    @property
    def placing(self) -> bool:
        """Whether the placement of whole sides is still to be recognised."""
        return self.position.stage == "placement" and isinstance(self.position, PlacedBySides)

    def _judge_opening(self, waited: float) -> list[Verdict]:
        """Recognise the finished placement, or say what is missing."""
        looks = self._placed_looks()
        if not any(look.men for look in looks):
            self._seen_empty = True
            return self._stand(None)
        openings = likely_openings(self.game, self.position, looks, self._evidence, self._t_s, self._frame)
        if self._possible:
            return self._begin_late(openings)
        if not openings:
            why = recognise(self.game, self.position, looks, self._t_s, self._frame)
            steps = (Step(-1, CellLook(looks[0].surface), str(why)),)
            return self._stand(Pending(self._next_placer(looks), "", steps))
        key = openings[0][1].plies[-1].text
        self._let_stand([key], waited)
        patience = self.patience.placed_after_s if self._seen_empty else self.patience.start_after_s
        stood = self._standing_s(key)
        if stood < patience or _lead(openings) < self.patience.margin_after(stood / _SLOW_START):
            return self._stand(None)
        return self._begin(openings[0][1])

    def _placed_looks(self) -> BoardLook:
        """The men as they are seen, on the surfaces of the empty board."""
        empty = self.position.look()
        seen = self._evidence.best_looks(empty)
        return tuple(replace(now, surface=look.surface) for now, look in zip(seen, empty, strict=True))

    def _next_placer(self, looks: BoardLook) -> int:
        return 1 if men_on(looks, 1) < 2 or men_on(looks, 2) > men_on(looks, 1) else 2

    def _finish_opening(self) -> list[Verdict]:
        """A hand comes: a placement that looks finished was finished, unless men were still being set.

        Where several are likely, keep them in mind, and let the first moves decide.
        """
        if not self.placing or self._seen_empty or self._possible:
            return []
        openings = likely_openings(
            self.game, self.position, self._placed_looks(), self._evidence, self._t_s, self._frame
        )
        if openings and openings[0][0] == 0.0 and _lead(openings) >= self.patience.margin:
            return self._begin(openings[0][1])
        self._possible = openings
        return []

    def _begin_late(self, now: Sequence[tuple[float, Opening]]) -> list[Verdict]:
        """Begin with the opening from which the table as it is now is best explained."""
        openings = [*self._possible, *((score + MEN_FLOOR, opening) for score, opening in now[:1])]
        bases = [Base(i, o.position, o.position.look(), prior) for i, (prior, o) in enumerate(openings)]
        lines = Explainer(self._evidence).explain(bases)
        best = lines[0]
        rival = max((line.score for line in lines if line.back != best.back), default=-1e9)
        if best.score - rival < self.patience.margin or not best.turns:
            return self._stand(None)
        return [*self._begin(openings[best.back][1]), *self._judge(self._now_s, self._frame)]

    def _begin(self, opening: Opening) -> list[Verdict]:
        for ply in opening.plies:
            self._append(ply)
        self._possible = []
        self.standing = None
        return [Started(opening.position, opening.plies)]


def _lead(openings: Sequence[tuple[float, Opening]]) -> float:
    """How much likelier the first opening is than the second."""
    return openings[0][0] - openings[1][0] if len(openings) > 1 else -MEN_FLOOR


def _only_goes_on(best: Line, other: Line) -> bool:
    """Whether the other line shows the same table, of a turn that is not finished yet."""
    unfinished = bool(other.opened) or isinstance(other.tail, Partial)
    return unfinished and best.tail is None and not best.opened and other.looks == best.looks
