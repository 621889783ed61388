"""The referee's reasoning: readings of the table in, verdicts out. Pure: time is an argument, no file is touched.

Belief is kept over lines of play (`engine.explain`). A prefix of the best line becomes part of the game once every
line without it is far less likely; what is half done waits, what no rule allows raises an alarm, a wrong disk is a
reminder. The rules decide what a cell is; the table only shows it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.beginning import Beginning, Trial, placed_looks, replayed
from engine.errors import EngineError
from engine.evidence import Evidence
from engine.explain import FORGOTTEN, PASSED, Base, Explainer, Line, Partial, Turn, turn_key
from engine.game import Game, Position
from engine.look import BoardLook, CellLook, Reading, Surface
from engine.opening import Opening, PlacedBySides, men_on
from engine.patience import Patience
from engine.slips import Slip, strange_cells
from engine.speech import Speech
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

BACK = -4.0  #: log-prior of going back one ply
MISREAD = 3.0  #: what speaks for going back when the replaced ply was not seen clearly
BACK_MORE = -0.5  #: and of every further one
FARTHEST_BACK = 6  #: plies that are considered for it
TURNED = -9.0  #: log-prior of a disk that was taken off or turned too soon
WRONG = -3.0  #: log-prior of a disk or man that lies wrong on the table
_TROUBLE = -4.0  #: earlier positions are considered only when nothing explains the table better than this
_TROUBLED = "trouble"
_TROUBLE_S = 0.25  #: and only when that has stood so long
_GRACE_S = 0.5  #: what is not so for no longer than this still counts as standing
_CLEAR = -3.0  #: a surface that explains the evidence worse than this is surely another


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
        self, game: Game, position: Position, colours: tuple[str, str], patience: Patience | None = None
    ) -> None:
        self.game = game
        self.start = position
        self.colours = colours
        self._speech = Speech(game, position.board, colours)
        self.patience = patience or Patience()
        self.plies: list[Ply] = []
        self.deviations: dict[int, CellLook] = {}
        self.standing: Verdict | None = None
        self._evidence = Evidence(len(position.board))
        self._memory: list[_Memory] = []
        self._lines: list[Line] | None = None
        self._tentative: Base | None = None
        self._in_trouble = self._looked_back = self._asked_others = False
        self._fresh = True
        self._still_at: float | None = None
        self._stood: dict[object, tuple[float, float]] = {}
        self._now_s = 0.0
        self._shown: set[object] = set()
        self._alarm_key: object = None
        self._beginning = Beginning(game, position, self.patience, self._trial)
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
        if self.placing and self._beginning.trials:
            return self._try(lambda referee: referee.observe(reading))
        return self._judge(reading.t_s, reading.frame)

    def moving(self, now_s: float, frame: int) -> list[Verdict]:
        """Something moves over the board: what was seen counts no more."""
        if self.placing and self._beginning.trials:
            verdicts = self._try(lambda referee: referee.moving(now_s, frame))
        else:
            verdicts = [] if self._fresh else [*self._finish_opening(), *self._finish_turn()]
        self._fresh, self._still_at = True, None
        self._t_s, self._frame = now_s, frame
        return verdicts

    def tick(self, now_s: float, frame: int) -> list[Verdict]:
        """The table is still as it was at the last reading; only time has gone by."""
        if self.placing and self._beginning.trials:
            return self._try(lambda referee: referee.tick(now_s, frame))
        if self._fresh or self._still_at is None:
            return []
        return self._judge(now_s, frame)

    def conclude(self, now_s: float, frame: int) -> list[Verdict]:
        """Nothing more will be seen: accept at once what would have been accepted with more patience."""
        settled = self._beginning.settle() if self.placing else None
        said = self._adopt(settled) if settled else []
        patience, self.patience = self.patience, self.patience.hurried()
        try:
            return [*said, *self.tick(now_s, frame)]
        finally:
            self.patience = patience or Patience()

    # -- people ------------------------------------------------------------------------------------------------

    def play(self, text: str, now_s: float, frame: int, how: How = How.TYPED) -> Ply:
        """Play a whole turn given in notation. Raises `NotationError` or `IllegalActionError`."""
        position = self.position
        actions = position.parse_turn(text)
        after = position
        for action in actions:
            after = after.after(action)
        if after.turn and after.may_end:
            after = after.end_turn()
        ply = Ply(position.player, self.game.format_turn(actions), actions, after, how, now_s, frame)
        self.put(ply)
        return ply

    def put(self, ply: Ply) -> None:
        """Add a ply made elsewhere: from the journal, or an irregular move that the referee lets stand."""
        self.standing = None
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
        self.standing = None
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
        self._lines = self._tentative = None
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
            if (again := self._begin_otherwise(lines)) is not None:
                said += again
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
            lines = explainer.explain([here, self._tentative] if self._tentative else [here])
            self._in_trouble = lines[0].score < _TROUBLE and bool(self.plies)
            self._lines, self._looked_back, self._asked_others = lines, False, False
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
        if best.turns:
            self._shown.add((best.back, best.keys))
        keys += [_lacks(best)] if best.turns and not best.turns[-1].whole else []
        keys += ["ambiguous"] if len(self._rivals(self._lines or [])) > 1 else []
        keys += [_TROUBLED] if self._in_trouble else []
        self._let_stand(keys, waited)

    def _let_stand(self, keys: Sequence[object], waited: float) -> None:
        """Let these stand for some seconds more; forget what has not been so for a while (one frame may err)."""
        now = self._now_s
        if waited == 0.0:  # a hand was over the table: that time does not count
            self._stood = {key: (seconds, now) for key, (seconds, _) in self._stood.items()}
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
        if best.tail is not None and (
            isinstance(self.standing, Illegal) or (isinstance(best.tail, Slip) and any(t.is_silent for t in best.turns))
        ):
            return None
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
        if any(turn.is_silent for turn in turns):
            wait = max(wait, self.patience.passed_after_s)
        if not turns or len(line.turns) > count or line.tail is not None or line.opened:
            return wait
        if not turns[-1].sighted:
            wait = max(wait, self.patience.unseen_after_s)
        if not turns[-1].whole and self._standing_s(_lacks(line)) < self.patience.unfinished_after_s:
            return float("inf")
        if turns[-1].continues:
            wait = max(wait, self.patience.turn_after_s)
        return wait

    def _finish_turn(self) -> list[Verdict]:
        """A hand comes: a turn that looked finished, though not beyond doubt, was finished; play goes on."""
        if self.placing or self._lines is None or self._still_at is None:
            return []
        best = self._lines[0]
        if best.back or not best.turns or best.tail is not None or not all(t.whole and t.sighted for t in best.turns):
            return []
        if any(turn.continues for turn in best.turns):
            prior = best.score - Explainer(self._evidence).total(best.looks)
            self._tentative = Base(0, best.position, best.looks, prior, turns=best.turns)
            return []
        rival = max((x.score for x in self._lines if x.keys != best.keys), default=-1e9)
        if best.score - rival < self.patience.least_margin:
            return []
        return self._accept(best, len(best.turns), best.score - rival)

    # -- accepting ---------------------------------------------------------------------------------------------

    def _accept(self, line: Line, count: int, margin: float) -> list[Verdict]:
        """Make the first turns of a line part of the game."""
        shown = [(line.back, line.keys[: k + 1]) in self._shown for k in range(count)]
        back, turns = line.back, list(line.turns[:count])
        replaced = bool(back) and len(turns) >= back and self._was_misread(back, turns[0])
        if back:
            del self.plies[-back:]
            del self._memory[-back:]
            self._changed()
        looks = turns[-1].looks if turns else line.base.looks if line.base else line.looks
        plies = tuple(self._ply(turn, seen=shown[i] or i == len(turns) - 1) for i, turn in enumerate(turns))
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
        how = How.INFERRED if turn.is_silent or not seen else How.SEEN
        text = self.game.format_turn(turn.actions)
        return Ply(turn.player, text, turn.actions, turn.after, how, self._t_s, self._frame)

    def _was_misread(self, back: int, turn: Turn) -> bool:
        """Whether what was seen at the first replaced ply speaks for the new turn nearly as well as for the old."""
        old, memory = self.plies[-back], self._memory[-back].evidence
        if turn.continues or set(map(str, old.actions)) < set(map(str, turn.actions)):
            return True
        looks = zip(turn.after.look(), old.after.look(), strict=True)
        return sum(memory.score(c, look) for c, (look, before) in enumerate(looks) if look != before) > -10.0

    def _new_deviations(self, looks: BoardLook) -> list[Verdict]:
        """Remember where the table differs from the rules after accepted plies."""
        rule = self.position.look()
        old, self.deviations = self.deviations, {c: now for c, now in enumerate(looks) if now != rule[c]}
        gone = [Resolved(c) for c in old if c not in self.deviations]
        return [*gone, *(self._reminder(c) for c in self.deviations if c not in old)]

    def _reminder(self, cell: int) -> Reminder:
        return self._speech.reminder(cell, self.deviations[cell], self.position.look()[cell])

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
                return self._speech.illegal(best, best.tail)
            return self.standing if isinstance(self.standing, Illegal) else None
        strange = strange_cells(best.looks, self._evidence)
        if isinstance(self.standing, Illegal) and self._alarm_key in self._stood and strange:
            return self.standing
        if isinstance(best.tail, Partial) or best.turns or best.opened:
            rivals = self._rivals(lines)
            if len(rivals) > 1 and self._standing_s("ambiguous") >= self.patience.ambiguous_after_s:
                return Ambiguous(tuple(self._speech.line_text(line) for line in rivals))
            return self._speech.pending(best, self.deviations)
        if strange and all(self._standing_s(("strange", c)) >= self.patience.strange_after_s for c in strange):
            return self._speech.inexplicable(best.looks, self._evidence, strange, self.position.player)
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

    @property
    def worth(self) -> float:
        """The log-likelihood of what is believed: of the table as it is, and of everything unlikely on the way."""
        odd = sum(ply.how is How.INFERRED for ply in self.plies)
        wrong = len(self.deviations)
        return (self._lines[0].score if self._lines else 0.0) + odd * PASSED + wrong * WRONG

    @property
    def told(self) -> int:
        """How many plies have been played since the placement."""
        return max(0, sum(ply.after.stage != "placement" for ply in self.plies) - 1)

    def _judge_opening(self, waited: float) -> list[Verdict]:
        """Recognise the finished placement, or say what is missing."""
        found = self._beginning.judge(self._evidence, waited, self._t_s, self._frame)
        if isinstance(found, Opening):
            return self._begin(found)
        if found is None:
            return self._stand(None)
        looks = placed_looks(self.position, self._evidence)
        player = 1 if men_on(looks, 1) < 2 or men_on(looks, 2) > men_on(looks, 1) else 2
        return self._stand(Pending(player, "", (Step(-1, looks[0], found),)))

    def _finish_opening(self) -> list[Verdict]:
        """A hand comes: perhaps the placement is finished."""
        if not self.placing:
            return []
        found = self._beginning.hand_comes(self._evidence, self._t_s, self._frame)
        return self._begin(found) if found is not None else []

    def _begin(self, opening: Opening) -> list[Verdict]:
        for ply in opening.plies:
            self._append(ply)
        self.standing = None
        return [Started(opening.position, opening.plies)]

    def _try(self, step: Callable[["Reconciler"], list[Verdict]]) -> list[Verdict]:
        """Follow the likely openings side by side; go on with the one that proves right."""
        proved = self._beginning.feed(step)
        return [] if proved is None else self._adopt(proved)

    def _adopt(self, proved: Trial["Reconciler"]) -> list[Verdict]:
        """Become the referee that has followed the right opening."""
        referee, placed = proved.referee, len(proved.opening.plies)
        self.plies, self._memory = referee.plies, referee._memory
        self.deviations, self.standing = referee.deviations, referee.standing
        self._evidence, self._lines, self._stood = referee._evidence, referee._lines, referee._stood
        self._fresh, self._still_at, self._now_s = referee._fresh, referee._still_at, referee._now_s
        self._beginning.proved(proved)
        played = tuple(self.plies[placed:])
        said: list[Verdict] = [Started(proved.opening.position, proved.opening.plies)]
        said += [Accepted(played, self.patience.margin)] if played else []
        return said + [self._reminder(cell) for cell in self.deviations] + [v for v in [self.standing] if v is not None]

    def _begin_otherwise(self, lines: list[Line]) -> list[Verdict] | None:
        """Where the table makes no sense: perhaps stacks were misread at the start, and another opening explains it.

        The moves of the game stay as they were seen, from cell to cell. None when no other opening does better.
        """
        turned = self._turned_too_soon()
        if self._asked_others or not (turned or (self._in_trouble and self._looked_back)):
            return None
        self._asked_others = True
        # an alarm must be the best explanation there is; anything else must be beaten clearly
        asked = 0.0 if isinstance(lines[0].tail, Slip) else self.patience.margin
        believed = lines[0].score + TURNED * len(turned)
        score = believed + asked
        plies: tuple[Ply, ...] = ()
        for prior, opening in self._beginning.others:
            if prior < score:  # nothing can explain the table better than perfectly
                continue
            again = replayed(opening, self.plies, self.deviations)
            if again is None:
                continue
            here = Base(0, again[-1].after, again[-1].after.look())
            worth = Explainer(self._evidence).explain([here])[0].score + prior
            if worth >= score:
                score, plies = worth, again
        if not plies:
            return None
        self._beginning.others = [(p, o) for p, o in self._beginning.others if o.plies != plies[: len(o.plies)]]
        self.plies = list(plies)
        self.deviations = {}
        self._changed()
        return [Corrected(1, plies, score - believed)]

    def _turned_too_soon(self) -> list[int]:
        """Cells whose disk was taken off or turned though no rule asks for it yet: people forget disks, not this."""
        rule = self.position.look()
        return [c for c, look in self.deviations.items() if rule[c].surface is Surface.BEIGE is not look.surface]

    def _trial(self, opening: Opening) -> "Reconciler":
        """A referee that takes this opening for granted."""
        twin = Reconciler(self.game, self.start, self.colours, self.patience)
        for ply in opening.plies:
            twin.put(ply)
        return twin


def _lacks(line: Line) -> tuple[str, BoardLook]:
    """What stands while nobody finishes the turn: every step towards its end begins the waiting anew."""
    return "lacks", line.looks


def _only_goes_on(best: Line, other: Line) -> bool:
    """Whether the other line shows the same table, of a turn that is not finished yet."""
    unfinished = bool(other.opened) or isinstance(other.tail, Partial)
    return unfinished and best.tail is None and not best.opened and other.looks == best.looks
