"""The referee: readings of the table in, verdicts out. Pure: time is an argument, no file is touched.

A game begins with a placement that is recognised or followed (`beginning`); from then on it is a matter of `belief`.
Both stay open: an opening that the moves prove wrong is replaced by another.
"""

from collections.abc import Callable

from engine.game import Game, Position
from engine.look import BoardLook, CellLook, Reading
from engine.referee.beginning import Beginning, Trial, placed_looks
from engine.referee.belief import Belief
from engine.referee.explain import EFFORT
from engine.referee.opening import Opening, PlacedBySides, men_on
from engine.referee.patience import Patience
from engine.referee.verdict import (
    NO_CELL,
    Accepted,
    How,
    Illegal,
    Pending,
    Ply,
    PutRight,
    Reminder,
    Started,
    Step,
    Verdict,
)


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
        self.patience = patience or Patience()
        self._belief = Belief(game, position, colours, self.patience)
        self._beginning = Beginning(game, position, self.patience, self._trial)

    # -- what is known -----------------------------------------------------------------------------------------

    @property
    def plies(self) -> list[Ply]:
        """The game so far."""
        return self._belief.plies

    @property
    def position(self) -> Position:
        """The position after the last accepted ply."""
        return self._belief.position

    @property
    def table(self) -> BoardLook:
        """The board as it is believed to lie on the table: the rules' look with the known wrong disks and men."""
        return self._belief.table

    @property
    def deviations(self) -> dict[int, CellLook]:
        """The cells where the table is known to differ from the rules, with what lies there."""
        return self._belief.deviations

    @property
    def standing(self) -> Verdict | None:
        """What has been said of the table and is not over yet."""
        return self._belief.open

    @property
    def reminders(self) -> tuple[Reminder, ...]:
        """What the table lacks at the moment."""
        return self._belief.reminders

    @property
    def placing(self) -> bool:
        """Whether the placement of whole sides is still to be recognised."""
        return self.position.stage == "placement" and isinstance(self.position, PlacedBySides)

    @property
    def doubt(self) -> str:
        """Why the game may have begun before it was watched, while its placement is sought; empty else."""
        return self._beginning.doubt if self.placing else ""

    def seen_looks(self) -> BoardLook:
        """The table as it was read last; unseen cells as believed."""
        return self._belief.evidence.best_looks(self.table)

    # -- the eye -----------------------------------------------------------------------------------------------

    def observe(self, reading: Reading) -> list[Verdict]:
        """A reading of the still table. Raises `ValueError` for one of another board."""
        self._belief.see(reading)
        if self.placing and self._beginning.trials:
            return self._try(lambda belief: belief.observe(reading))
        return self._guessed(lambda belief: belief.observe(reading)) or self._judge(reading.t_s, reading.frame)

    def moving(self, now_s: float, frame: int) -> list[Verdict]:
        """Something moves over the board: what was seen counts no more."""
        if not self.placing:
            return self._belief.moving(now_s, frame)
        if self._beginning.trials:
            said = self._try(lambda belief: belief.moving(now_s, frame))
        else:
            guessed = self._guessed(lambda belief: belief.moving(now_s, frame))
            said = guessed or self._finish_opening(now_s, frame)
        self._belief.moving(now_s, frame)
        return said

    def tick(self, now_s: float, frame: int) -> list[Verdict]:
        """The table is still as it was at the last reading; only time has gone by."""
        if self.placing and self._beginning.trials:
            return self._try(lambda belief: belief.tick(now_s, frame))
        if guessed := self._guessed(lambda belief: belief.tick(now_s, frame)):
            return guessed
        return self._judge(now_s, frame) if self._belief.standing.still else []

    def conclude(self, now_s: float, frame: int) -> list[Verdict]:
        """Nothing more will be seen: accept at once what would have been accepted with more patience."""
        settled = self._beginning.settle() if self.placing else None
        said = self._adopt(settled) if settled else []
        if self.placing or not self._belief.standing.still:
            return [*said, *self.tick(now_s, frame)]
        return [*said, *self._begin_otherwise(), *self._belief.conclude(now_s, frame)]

    def _judge(self, now_s: float, frame: int) -> list[Verdict]:
        if self.placing:
            return self._judge_opening(now_s, frame)
        return [*self._begin_otherwise(), *self._belief.judge(now_s, frame)]

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
        self._belief.put(ply)

    def choose(self, candidate: int) -> list[Verdict]:
        """Take a candidate of the ambiguous verdict (from 0). Raises `EngineError` where there is none."""
        return self._belief.choose(candidate)

    def take_back(self, count: int) -> None:
        """Go back by `count` plies. Raises `EngineError` when there are not so many."""
        self._belief.take_back(count)

    # -- the start ---------------------------------------------------------------------------------------------

    def _judge_opening(self, now_s: float, frame: int) -> list[Verdict]:
        """Recognise the finished placement, or say what is missing."""
        evidence = self._belief.evidence
        found = self._beginning.judge(evidence, self._belief.standing.look(now_s), now_s, frame)
        if isinstance(found, Opening):
            return self._begin(found)
        if found is None:
            return self._belief.say(None)
        looks = placed_looks(self.position, evidence)
        player = 1 if men_on(looks, 1) < 2 or men_on(looks, 2) > men_on(looks, 1) else 2
        return self._belief.say(Pending(player, "", (Step(NO_CELL, looks[0], found),)))

    def _finish_opening(self, now_s: float, frame: int) -> list[Verdict]:
        """A hand comes: perhaps the placement is finished."""
        if not self._belief.standing.still:
            return []
        found = self._beginning.hand_comes(self._belief.evidence, now_s, frame)
        return self._begin(found) if found is not None else []

    def _begin(self, opening: Opening) -> list[Verdict]:
        for ply in opening.plies:
            self.put(ply)
        return [Started(opening.position, opening.plies, self._beginning.doubt)]

    def _try(self, step: Callable[[Belief], list[Verdict]]) -> list[Verdict]:
        """Follow the likely openings side by side; go on with the one that proves right."""
        proved = self._beginning.feed(step)
        if proved is not None:
            return self._adopt(proved)
        alarm, said = self._beginning.alarm, self.standing
        if not isinstance(said, Illegal):
            return self._belief.say(alarm) if alarm is not None else []
        same = alarm is not None and (alarm.source, alarm.target) == (said.source, said.target)
        return [] if same else self._belief.say(alarm)

    def _guessed(self, step: Callable[[Belief], list[Verdict]]) -> list[Verdict]:
        """Follow what the game would be if the placement was finished; go on with that when it proves right."""
        proved = self._beginning.feed_guesses(step) if self.placing else None
        return self._adopt(proved) if proved is not None else []

    def _adopt(self, proved: Trial) -> list[Verdict]:
        """Believe what follows from the opening that proved right."""
        alarm = self.standing if isinstance(self.standing, Illegal) else None
        self._belief, self._belief.effort = proved.belief, EFFORT
        self._beginning.proved(proved)
        played = tuple(self.plies[len(proved.opening.plies) :])
        said: list[Verdict] = [Started(proved.opening.position, proved.opening.plies, self._beginning.doubt)]
        said += [Accepted(played, self.patience.margin)] if played else []
        said += self.reminders
        if alarm is not None and not isinstance(self.standing, Illegal):
            said.append(PutRight())
        return said if self.standing in (None, alarm) else [*said, self.standing]

    def _begin_otherwise(self) -> list[Verdict]:
        """Where the table makes no sense: perhaps the game has begun otherwise."""
        found = self._beginning.otherwise(self._belief)
        return [self._belief.correct(*found)] if found is not None else []

    def _trial(self, opening: Opening) -> Belief:
        """What is believed if this opening is taken for granted."""
        belief = Belief(self.game, self.start, self.colours, self.patience, EFFORT // 2)
        belief.seen_s = self._belief.seen_s
        for ply in opening.plies:
            belief.put(ply)
        belief.misread = opening.misread
        return belief
