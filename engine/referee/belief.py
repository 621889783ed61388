"""What is believed of one game from a known position on: readings of the table in, verdicts out.

Belief is kept over lines of play (`explain`). A prefix of the best line becomes part of the game once every line
without it is far less likely; what is half done waits, what no rule allows raises an alarm, a wrong disk is a reminder.
The rules decide what a cell is; the table only shows it.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import EngineError
from engine.game import Game, Position, forced_pass
from engine.look import BoardLook, CellLook, Reading
from engine.referee.evidence import Evidence, Misread, excused
from engine.referee.explain import EFFORT, TURN, Explainer, passed
from engine.referee.hindsight import MISREAD, REWRITTEN, earlier_bases, was_misread
from engine.referee.lines import Base, Line, Partial, Turn
from engine.referee.outlook import AMBIGUOUS, Outlook, disk_key, lacks_key, prefix, slip_key, strange_key
from engine.referee.patience import Patience
from engine.referee.slips import Slip
from engine.referee.speech import Speech
from engine.referee.standing import Standing
from engine.referee.verdict import (
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
    TookBack,
    Unread,
    Verdict,
)

WRONG = -3.0  #: log-prior of a disk or man that lies wrong on the table
_TROUBLE = -4.0  #: earlier positions are considered only when nothing explains the table better than this
_TROUBLED = "trouble"
_TROUBLE_S = 0.25  #: and only when that has stood so long
_FAR = 15.0  #: lines from earlier positions that are so much worse than the best one are not looked at
_CLEAR = -3.0  #: a look that explains the evidence worse than this is surely another
_UNWATCHED_S = 4.0  #: when the table was not seen for so long, somebody may have moved twice
_MOST_VERDICTS = 20  #: so many times in a row a look at the table may change the game


class Belief:
    """The game as it is believed to stand. Feed it `observe`, `moving` and `tick`; each gives what is new to say.

    `plies` are the game so far, `deviations` the cells where the table is known to differ from it, `open` what has
    been said of the table and is not over yet, `seen_s` when the table was last seen. `misread` are stacks that are
    taken for something else, and for what: while they stand there that is no sign against them. `effort` is how
    long it may think about each reading, in steps of the search. Times must not run backwards.
    """

    def __init__(
        self, game: Game, start: Position, colours: tuple[str, str], patience: Patience, effort: int = EFFORT
    ) -> None:
        self.game, self.start, self.patience, self.effort = game, start, patience, effort
        self.plies: list[Ply] = []
        self.deviations: dict[int, CellLook] = {}
        self.misread: Misread = {}
        self.open: Verdict | None = None
        self.evidence = Evidence(len(start.board))
        self.standing = Standing()
        self._speech = Speech(game, start.board, colours)
        self._seen: list[Evidence] = []  # what was seen when each ply was accepted
        self._fresh = True
        self._outlook: Outlook | None = None
        self._in_trouble = self._looked_back = False
        self._tentative: list[Base] = []
        self._unwatched = False
        self._shown: set[object] = set()
        self._alarm_key: object = None
        self._t_s, self._frame = 0.0, 0
        self.seen_s = float("-inf")

    # -- what is known -----------------------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """The position after the last accepted ply."""
        return self._before(0)

    def _before(self, back: int) -> Position:
        """The position so many plies ago."""
        return self.plies[-back - 1].after if back < len(self.plies) else self.start

    @property
    def table(self) -> BoardLook:
        """The board as it is believed to lie on the table: the rules' look with the known wrong disks and men."""
        looks = list(self.position.look())
        for cell, look in self.deviations.items():
            looks[cell] = look
        return tuple(looks)

    @property
    def reminders(self) -> tuple[Reminder, ...]:
        """What the table lacks at the moment."""
        return tuple(self._reminder(cell) for cell in sorted(self.deviations))

    @property
    def worth(self) -> float:
        """The log-likelihood of what is believed: of the table as it is, and of everything unlikely on the way."""
        odd = sum(ply.how is How.INFERRED for ply in self.plies)
        wrong = len(self.deviations)
        return (self._outlook.best.score if self._outlook else 0.0) + odd * passed(self.evidence) + wrong * WRONG

    # -- the eye -----------------------------------------------------------------------------------------------

    def see(self, reading: Reading) -> None:
        """Take in a reading of the still table. Raises `ValueError` for one of another board."""
        if self._fresh:
            self.evidence, self._fresh = Evidence(len(self.start.board)), False
        self.evidence.add(self._excused(reading))
        self._outlook = None
        self._unwatched |= reading.t_s - self.seen_s >= _UNWATCHED_S
        self.seen_s = reading.t_s

    def _excused(self, reading: Reading) -> Reading:
        """A reading in which stacks that are taken for something else may as well be what they are."""
        cells = list(reading.cells)
        for c, men in excused([cell.men for cell in cells], self.position.look(), self.misread).items():
            cells[c] = replace(cells[c], men=men)
        return replace(reading, cells=tuple(cells))

    def observe(self, reading: Reading) -> list[Verdict]:
        """Take in a reading and say what is new."""
        self.see(reading)
        return self.judge(reading.t_s, reading.frame)

    def tick(self, now_s: float, frame: int) -> list[Verdict]:
        """The table is still as it was at the last reading; only time has gone by."""
        return self.judge(now_s, frame) if self.standing.still else []

    def moving(self, now_s: float, frame: int) -> list[Verdict]:
        """Something moves over the table: what was seen counts no more."""
        said = [] if self._fresh else self._finish_turn()
        self._fresh = True
        self.standing.disturb()
        self._t_s, self._frame = now_s, frame
        return said

    def conclude(self, now_s: float, frame: int) -> list[Verdict]:
        """Nothing more will be seen: accept at once what would have been accepted with more patience."""
        patience, self.patience = self.patience, self.patience.hurried()
        try:
            return self.tick(now_s, frame)
        finally:
            self.patience = patience

    # -- people ------------------------------------------------------------------------------------------------

    def put(self, ply: Ply) -> None:
        """Add a ply made elsewhere."""
        self.open = None
        self._append(ply)

    def take_back(self, count: int) -> None:
        """Go back by `count` plies. Raises `EngineError` when there are not so many."""
        if not 0 < count <= len(self.plies):
            raise EngineError(f"cannot take back {count} plies: {len(self.plies)} have been played")
        self.open = None
        self._drop(count)

    def choose(self, candidate: int) -> list[Verdict]:
        """Take a candidate of the ambiguous verdict (from 0). Raises `EngineError` where there is none."""
        rivals = self._outlook.rivals if isinstance(self.open, Ambiguous) and self._outlook else []
        if not 0 <= candidate < len(rivals):
            raise EngineError(f"there is no candidate {candidate + 1}: {len(rivals)} to choose from")
        return self._accept(rivals[candidate], len(rivals[candidate].turns), 0.0)

    def correct(self, plies: Sequence[Ply], margin: float, misread: Misread) -> Corrected:
        """The game turns out to have been this one from its first ply on."""
        self.plies = list(plies)
        self.deviations, self.misread = {}, misread
        self._changed()
        return Corrected(1, tuple(plies), margin)

    def _append(self, ply: Ply) -> None:
        self.plies.append(ply)
        self._seen.append(self.evidence.copy())
        self._changed()

    def _drop(self, count: int) -> None:
        del self.plies[-count:]
        del self._seen[-count:]
        self._changed()

    def _changed(self) -> None:
        """The position is another: forget what was thought about the old one."""
        rule = self.position.look()
        self.deviations = {c: look for c, look in self.deviations.items() if rule[c] != look}
        self._outlook = None
        self._tentative = []
        self.standing.forget()

    # -- judging -----------------------------------------------------------------------------------------------

    def judge(self, now_s: float, frame: int) -> list[Verdict]:
        """What is new to say of the still table at this moment."""
        waited = self.standing.look(now_s)
        self._t_s, self._frame, self.seen_s = now_s, frame, now_s
        said: list[Verdict] = []
        for _ in range(_MOST_VERDICTS):
            outlook = self.outlook()
            self._age(outlook, waited)
            waited = 0.0
            taken = self._acceptable(outlook)
            if taken is None:
                self._unwatched &= not outlook.quiet
                break
            said += self._accept(outlook.best, *taken)
        said += self._forced_passes(outlook)
        said += self._mind_disks(outlook)
        said += self.say(self._open_verdict(outlook))
        return said

    def _forced_passes(self, outlook: Outlook) -> list[Verdict]:
        """Whoever can do nothing but pass has passed, when the table has agreed with the game for a moment."""
        best, said = outlook.best, list[Verdict]()
        if not outlook.quiet or self.standing.seconds(prefix(best, 0)) < self.patience.passed_after_s:
            return said
        while (forced := forced_pass(self.position)) is not None:
            position = self.position
            ply = Ply(
                position.player, str(forced), (forced,), position.after(forced), How.INFERRED, self._t_s, self._frame
            )
            self._append(ply)
            said.append(Accepted((ply,), 0.0))
        return said

    def outlook(self) -> Outlook:
        """What explains the evidence; earlier positions are considered when nothing else has for a moment."""
        if self._outlook is None:
            here = Base(0, self.position, self.table)
            explainer = Explainer(self.evidence, self.effort, unwatched=self._unwatched)
            lines = explainer.explain([*self._tentative, here])
            self._outlook = Outlook.of(lines, self.evidence, self.patience.margin)
            self._in_trouble = lines[0].score < _TROUBLE and bool(self.plies)
            self._looked_back = False
        if self._in_trouble and not self._looked_back and self.standing.seconds(_TROUBLED) >= _TROUBLE_S:
            bases = earlier_bases(self.start, self.plies, self.table, passed(self.evidence))
            earlier = Explainer(self.evidence, self.effort).explain(bases)
            best = max(line.score for line in (*earlier[:1], self._outlook.best))
            weighed = [self._weighed(line) for line in earlier if line.score > best - _FAR]
            lines = sorted([*self._outlook.lines, *weighed], key=lambda line: -line.score)
            self._outlook = Outlook.of(lines, self.evidence, self.patience.margin)
            self._looked_back = True
        return self._outlook

    @property
    def at_a_loss(self) -> bool:
        """Whether neither the present position nor earlier ones explain the table well."""
        return self._in_trouble and self._looked_back

    def _weighed(self, line: Line) -> Line:
        """A line from an earlier position, likelier where the plies that it replaces were not seen clearly."""
        if self._was_misread(line.back, line.turns):
            return replace(line, score=line.score + MISREAD)
        return replace(line, score=line.score + REWRITTEN) if line.back > 1 and line.turns else line

    def _was_misread(self, back: int, turns: Sequence[Turn]) -> bool:
        if not back or not turns:
            return False
        return was_misread(self._before(back), self.plies[-back:], self._seen[-back:], turns)

    def _age(self, outlook: Outlook, waited: float) -> None:
        """Let everything that the best line says stand for some seconds more."""
        if outlook.best.turns:
            self._shown.add(prefix(outlook.best, len(outlook.best.turns)))
        self.standing.add([*outlook.standing, _TROUBLED] if self._in_trouble else outlook.standing, waited)

    def _acceptable(self, outlook: Outlook) -> tuple[int, float] | None:
        """How many turns of the best line may be accepted now and with what margin; None for nothing new."""
        best = outlook.best
        if best.tail is not None and (
            isinstance(self.open, Illegal) or (isinstance(best.tail, Slip) and any(t.is_silent for t in best.turns))
        ):
            return None
        if len(outlook.strange) > 2 + len(best.looks) // 20:
            return None
        for count in range(len(best.turns), -1, -1):
            if count == 0 and (best.back == 0 or best.tail is not None or best.opened or best.turns):
                return None
            stood = self.standing.seconds(prefix(best, count))
            margin = outlook.margin(count, finished=stood >= self.patience.turn_after_s)
            if margin < self.patience.margin_after(stood) or stood < self._wait(best, count):
                continue
            sure = not self.evidence.contradictory and not outlook.hangs_on_a_glance(count, self.evidence)
            if sure or stood >= self.patience.one_cell_after_s:
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
        if not turns[-1].whole and self.standing.seconds(lacks_key(line)) < self.patience.unfinished_after_s:
            return float("inf")
        if turns[-1].continues:
            wait = max(wait, self.patience.turn_after_s)
        return wait

    def _finish_turn(self) -> list[Verdict]:
        """A hand comes: a turn that looked finished, though not beyond doubt, was finished; play goes on."""
        if self._outlook is None or not self.standing.still:
            return []
        lines, best = self._outlook.lines, self._outlook.best
        if not best.turns or best.tail is not None or not all(t.whole and t.sighted for t in best.turns):
            return []
        margin = best.score - max((x.score for x in lines if x.keys != best.keys), default=-1e9)
        over = not best.back and not any(turn.continues for turn in best.turns)
        if over and margin >= self.patience.least_margin:
            return self._accept(best, len(best.turns), margin)
        self._tentative = self._open_to_both(best)
        return []

    def _open_to_both(self, line: Line) -> list[Base]:
        """The end of a line as the beginning of others: its last turn may go on, or be over."""
        prior, back, turns = line.score - self.evidence.total(line.looks), line.back, line.turns
        position = turns[-2].after if len(turns) > 1 else self._before(back)
        for action in turns[-1].actions:
            position = position.after(action)
        over = Base(back, line.position, line.looks, prior, turns=turns)
        return [Base(back, position, line.looks, prior - TURN, turns=turns[:-1]), over] if position.turn else [over]

    # -- accepting ---------------------------------------------------------------------------------------------

    def _accept(self, line: Line, count: int, margin: float) -> list[Verdict]:
        """Make the first turns of a line part of the game."""
        shown = [prefix(line, k + 1) in self._shown for k in range(count)]
        back, turns = line.back, list(line.turns[:count])
        replaced = len(turns) >= back and self._was_misread(back, turns)
        if back:
            self._drop(back)
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
        said = [*self.say(None), *said]
        return said + self._new_deviations(looks)

    def _ply(self, turn: Turn, *, seen: bool) -> Ply:
        how = How.INFERRED if turn.is_silent or not seen else How.SEEN
        text = self.game.format_turn(turn.actions)
        return Ply(turn.player, text, turn.actions, turn.after, how, self._t_s, self._frame)

    def _new_deviations(self, looks: BoardLook) -> list[Verdict]:
        """Remember where the table differs from the rules after accepted plies."""
        rule = self.position.look()
        old, self.deviations = self.deviations, {c: now for c, now in enumerate(looks) if now != rule[c]}
        gone = [Resolved(c) for c in old if c not in self.deviations]
        return [*gone, *(self._reminder(c) for c in self.deviations if c not in old)]

    def _reminder(self, cell: int) -> Reminder:
        return self._speech.reminder(cell, self.deviations[cell], self.position.look()[cell])

    # -- disks -------------------------------------------------------------------------------------------------

    def _mind_disks(self, outlook: Outlook) -> list[Verdict]:
        """Remind of disks that lie wrong; notice when they are put right."""
        said: list[Verdict] = []
        rule, looks = self.position.look(), outlook.best.looks
        for c in outlook.wrong_disks:
            now = replace(looks[c], surface=self.evidence.best(c, looks[c]).surface)
            if now == rule[c]:
                del self.deviations[c]
                said.append(Resolved(c))
            elif self.standing.seconds(disk_key(c)) >= self.patience.unfinished_after_s:
                known = c in self.deviations
                self.deviations[c] = now
                said += [] if known else [self._reminder(c)]
        for c in [c for c in self.deviations if self._is_now(c, rule[c])]:
            del self.deviations[c]
            said.append(Resolved(c))
        if said:
            self._outlook = None
        return said

    def _is_now(self, cell: int, look: CellLook) -> bool:
        """Whether a cell that deviated surely looks like that now."""
        score = self.evidence.score
        return self.evidence.seen(cell) and score(cell, look) > -0.5 and score(cell, self.deviations[cell]) < _CLEAR

    # -- what is open ------------------------------------------------------------------------------------------

    def _open_verdict(self, outlook: Outlook) -> Verdict | None:
        """What is to be said of a table that is not (yet) a finished turn."""
        best, strange = outlook.best, outlook.strange
        if isinstance(best.tail, Slip):
            key = slip_key(best.tail)
            if self.standing.seconds(key) >= self.patience.illegal_after_s:
                self._alarm_key = key
                return self._speech.illegal(best, best.tail)
            return self.open if isinstance(self.open, Illegal) else None
        if isinstance(self.open, Illegal) and self._alarm_key in self.standing and strange:
            return self.open
        if isinstance(best.tail, Partial) or best.turns or best.opened:
            if len(outlook.rivals) > 1 and self.standing.seconds(AMBIGUOUS) >= self.patience.ambiguous_after_s:
                return Ambiguous(tuple(self._speech.line_text(line) for line in outlook.rivals))
            return self._speech.pending(best, self.deviations)
        if strange and all(self.standing.seconds(strange_key(c)) >= self.patience.strange_after_s for c in strange):
            return self._speech.inexplicable(best.looks, self.evidence, strange, self.position.player)
        return None

    def say(self, verdict: Verdict | None) -> list[Verdict]:
        """Say an open verdict once; say when it is over."""
        if verdict == self.open:
            return []
        over = isinstance(self.open, Illegal | Unread | Ambiguous | Pending) and verdict is None
        self.open = verdict
        return [verdict] if verdict is not None else [PutRight()] if over else []
