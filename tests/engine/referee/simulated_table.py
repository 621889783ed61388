"""A table without a camera: any game of any kind becomes a seeded stream of noisy readings with hands and slips.

People carry a turn out in steps and in one or several reaches of the hand; they hover, forget a disk, move against
the rules and put it back, take a move back, or play while the camera is covered. The eye misreads single cells of
single frames, and now and then one cell for as long as nothing moves.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations

from engine.board import Board
from engine.errors import EngineError
from engine.game import PASS, Action, Game, Position, forced_pass, play_turn
from engine.look import MAX_HEIGHT, CellLook, CellReading, Reading, Surface, certain
from engine.referee.opening import PlacedBySides
from engine.referee.reconcile import Reconciler
from engine.referee.verdict import Illegal, Verdict

#: Of so many random actions the one with the most to see is played.
_CHOICES = 3
#: So many orders of a turn's actions are tried when turns are compared: all those of seven.
_MOST_ORDERS = 5040


@dataclass(frozen=True, slots=True)
class Noise:
    """How the eye errs."""

    misread: float = 0.02  #: share of cells misread independently in each frame
    stuck: float = 0.01  #: probability that one cell is misread for a whole ply
    stuck_cells: float = 0.0  #: or: share of cells misread for a whole ply
    doubt: float = 1e-3  #: probability that the eye gives to every other look
    placed: float = 0.0  #: share of stacks taken, from when they are placed, for a man higher or lower while they stand


@dataclass(frozen=True, slots=True)
class Habits:
    """What people do, as probabilities a ply. All zero: every turn is done at once and well."""

    several_reaches: float = 0.5
    hover: float = 0.0
    forgotten_disk: float = 0.0
    illegal: float = 0.0
    take_back: float = 0.0
    covered: float = 0.0
    silent_pass: float = 0.0


#: What the scripted films do, roughly.
MESSY = Habits(0.5, hover=0.12, forgotten_disk=0.12, illegal=0.08, take_back=0.05, covered=0.03, silent_pass=0.02)


@dataclass(frozen=True, slots=True)
class Moment:
    """One frame: a reading of a still table, or `reading` None while a hand moves over it."""

    t_s: float
    frame: int
    reading: Reading | None


@dataclass(slots=True)
class Truth:
    """What really happened, filled in while the stream is drawn. Frames are those of the stream."""

    turns: list[str] = field(default_factory=list)
    hand_gone: list[int] = field(default_factory=list)
    illegal: list[tuple[int, int]] = field(default_factory=list)
    forgotten: list[tuple[int, int]] = field(default_factory=list)


def _richness(position: Position) -> int:
    """How much there is to see: men, and cells that are no longer as in the beginning."""
    return sum(look.height + (look.surface is not Surface.BEIGE) for look in position.look())


def random_turn(position: Position, rng: random.Random) -> tuple[Action, ...]:
    """A whole legal turn, passes avoided, with a liking for new men and changed cells, so that boards fill up."""
    actions: list[Action] = []
    player = position.player
    while True:
        legal = [a for a in position.actions() if str(a) != PASS]
        if not legal or (actions and position.may_end and rng.random() < 0.5):
            break
        tried = [rng.choice(legal) for _ in range(_CHOICES)]
        actions.append(max(tried, key=lambda a: (_richness(position.after(a)), rng.random())))
        position = position.after(actions[-1])
        if not position.turn or position.player != player or position.outcome:
            break
    return tuple(actions) or tuple(a for a in position.actions() if str(a) == PASS)[:1]


class Table:
    """A simulated table: plays random turns from `position` and shows them. Iterate `play(plies)`."""

    def __init__(
        self,
        game: Game,
        position: Position,
        seed: int,
        noise: Noise = Noise(),
        habits: Habits = Habits(),
        frames_per_s: float = 12.0,
    ) -> None:
        self.game = game
        self.position = position
        self.rng = random.Random(seed)
        self.noise, self.habits = noise, habits
        self.frames_per_s = frames_per_s
        self.truth = Truth()
        self.looks: list[CellLook] = list(position.look())
        self._frame = 0
        self._stuck: dict[int, CellLook] = {}
        self._placed: dict[int, tuple[CellLook, CellLook]] = {}  # what stands there since when, and what it looks like
        self._owed: dict[int, CellLook] = {}

    # -- what the eye gets -------------------------------------------------------------------------------------

    def still(self, low: int, high: int) -> Iterator[Moment]:
        """Some frames of a still table."""
        for _ in range(self.rng.randint(low, high)):
            yield self._moment(self._reading())

    def hand(self) -> Iterator[Moment]:
        """Some frames with a hand over the table."""
        for _ in range(self.rng.randint(4, 9)):
            yield self._moment(None)

    def _moment(self, reading: Reading | None) -> Moment:
        moment = Moment(self._frame / self.frames_per_s, self._frame, reading)
        self._frame += 1
        return moment

    def _reading(self) -> Reading:
        rng, noise = self.rng, self.noise
        cells: list[CellReading] = []
        for c, look in enumerate(self.looks):
            shown = self._stuck.get(c, self._as_placed(c, look) if noise.placed else look)
            if rng.random() < noise.misread:
                shown = self.misread(look)
            cells.append(certain(shown, noise.doubt))
        return Reading(self._frame / self.frames_per_s, self._frame, tuple(cells))

    def _as_placed(self, cell: int, look: CellLook) -> CellLook:
        """What a stack looks like, which may have been misread since it was placed."""
        stands, seen = self._placed.get(cell, (CellLook(look.surface), CellLook(look.surface)))
        if (stands.men, stands.height) != (look.men, look.height):
            wrong = look.men and self.position.stage == "placement" and self.rng.random() < self.noise.placed
            seen = self._higher_or_lower(look) if wrong else look
            self._placed[cell] = look, seen
        return CellLook(look.surface, seen.men, seen.height)

    def _higher_or_lower(self, look: CellLook) -> CellLook:
        height = max(1, min(MAX_HEIGHT, look.height + self.rng.choice((-1, 1))))
        return CellLook(look.surface, look.men, height if height != look.height else look.height + 1)

    def misread(self, look: CellLook) -> CellLook:
        """A look that an erring eye may take another for: the surface, the height, the colour, or men from nothing."""
        rng = self.rng
        kind = rng.randrange(3)
        if kind == 0:
            return CellLook(rng.choice([s for s in Surface if s is not look.surface]), look.men, look.height)
        if look.men == 0:
            return CellLook(look.surface, rng.choice((1, 2)), rng.randint(1, 3))
        if kind == 1:
            return self._higher_or_lower(look)
        return rng.choice(
            [CellLook(look.surface), CellLook(look.surface, 3 - look.men if look.men < 3 else 1, look.height)]
        )

    # -- what people do ----------------------------------------------------------------------------------------

    def play(self, plies: int) -> Iterator[Moment]:
        """The stream of a game of so many plies (fewer if it ends); `truth` tells afterwards what happened."""
        yield from self.still(10, 14)
        for _ in range(plies):
            if self.position.outcome is not None:
                break
            yield from self._ply()
        while (forced := forced_pass(self.position)) is not None:  # nobody leaves the table before it
            self._record((forced,))
        self._stuck.clear()
        yield from self._pay(self._owed)
        yield from self.still(12, 12)

    def _ply(self) -> Iterator[Moment]:
        rng, habits = self.rng, self.habits
        self._choose_stuck()
        if rng.random() < habits.hover:
            yield from self.hand()
            yield from self.still(4, 10)
        if rng.random() < habits.illegal:
            yield from self._slip()
        if rng.random() < habits.silent_pass and self._may_pass_silently():
            self._record((next(a for a in self.position.actions() if str(a) == PASS),))
        if rng.random() < habits.take_back and self.position.stage == "play":
            before = list(self.looks)
            yield from self._turn(random_turn(self.position, rng), record=False)
            yield from self.still(8, 14)
            self.looks = before
            yield from self.hand()
            yield from self.still(8, 14)
        covered = rng.random() < habits.covered
        yield from self._turn(random_turn(self.position, rng), record=True, shown=not covered)
        if covered and self.position.outcome is None:
            yield from self._turn(random_turn(self.position, rng), record=True)

    def _may_pass_silently(self) -> bool:
        turns = self.truth.turns
        return (
            self.position.stage == "play"
            and bool(turns)
            and turns[-1] != PASS
            and any(str(a) == PASS for a in self.position.actions())
        )

    def _choose_stuck(self) -> None:
        rng, size = self.rng, len(self.looks)
        self._stuck = {}
        if rng.random() < self.noise.stuck:
            c = rng.randrange(size)
            self._stuck[c] = self.misread(self.looks[c])
        for c in range(size):
            if rng.random() < self.noise.stuck_cells:
                self._stuck[c] = self.misread(self.looks[c])

    def _record(self, actions: Sequence[Action]) -> None:
        position = self.position
        for action in actions:
            position = position.after(action)
        if position.turn:
            position = position.end_turn()
        self.truth.turns += canonical(self.game, self.position, [self.game.format_turn(actions)])
        self.position = position

    def _turn(self, actions: Sequence[Action], *, record: bool, shown: bool = True) -> Iterator[Moment]:
        """Carry a turn out in steps; what was owed from an earlier turn is put right with its last step."""
        rng, position, owed, gone = self.rng, self.position, dict(self._owed), self._frame
        for n, action in enumerate(actions):
            steps = _steps(position.material(action), rng)
            position = position.after(action)
            forgets = record and not owed and shown and rng.random() < self.habits.forgotten_disk
            forgotten = self._forget(steps) if forgets and n == len(actions) - 1 else {}
            for k, step in enumerate(steps):
                for cell, look in step.items():
                    self.looks[cell] = look
                for cell in [c for c in owed if c in step]:
                    del owed[cell]
                last = n == len(actions) - 1 and k == len(steps) - 1
                if last:
                    self._pay_now(owed)
                elif rng.random() >= self.habits.several_reaches:
                    continue
                if shown:
                    yield from self.hand()
                    gone = self._frame
                    yield from self.still(*((7, 18) if last else (4, 9)))
            self._owed = forgotten if record else self._owed
        if record:
            self._record(actions)
            self.truth.hand_gone.append(gone)

    def _forget(self, steps: list[dict[int, CellLook]]) -> dict[int, CellLook]:
        """Leave out a last step that only turns a disk; gives what is owed."""
        if len(steps) < 2 or len(steps[-1]) != 1:
            return {}
        cell, look = next(iter(steps[-1].items()))
        before = next((s[cell] for s in reversed(steps[:-1]) if cell in s), self.looks[cell])
        if (before.men, before.height) != (look.men, look.height):
            return {}
        steps.pop()
        self.truth.forgotten.append((self._frame, cell))
        return {cell: look}

    def _pay_now(self, owed: dict[int, CellLook]) -> None:
        for cell, look in owed.items():
            now = self.looks[cell]
            self.looks[cell] = CellLook(look.surface, now.men, now.height)

    def _pay(self, owed: dict[int, CellLook]) -> Iterator[Moment]:
        if owed:
            self._pay_now(owed)
            yield from self.hand()

    def _slip(self) -> Iterator[Moment]:
        """A piece moves where it may not, often its disk is turned too; two seconds later all is put back."""
        position, rng = self.position, self.rng
        own = [c for c, (_, owner, _) in enumerate(position.tiles()) if owner == position.player]
        empty = [c for c, look in enumerate(self.looks) if not look.men]
        names = position.board.names
        wrong = [(a, b) for a in own for b in empty if not _is_legal(position, names[a], names[b])]
        if position.stage != "play" or not wrong:
            return
        source, target = rng.choice(wrong)
        before = list(self.looks)
        piece = before[source]
        turned = self.game.needs_disks and rng.random() < 0.5
        self.looks[source] = CellLook(
            rng.choice([s for s in Surface if s is not piece.surface] if turned else [piece.surface])
        )
        self.looks[target] = CellLook(before[target].surface, piece.men, piece.height)
        yield from self.hand()
        first = self._frame
        yield from self.still(24, 24)
        self.truth.illegal.append((first, self._frame))
        self.looks = before
        yield from self.hand()
        yield from self.still(12, 12)


def _is_legal(position: Position, source: str, target: str) -> bool:
    """Whether any legal action leads from one cell to the other."""
    return any(str(a).startswith(source) and str(a).endswith("-" + target) for a in position.actions())


def _steps(material: Mapping[int, Sequence[CellLook]], rng: random.Random) -> list[dict[int, CellLook]]:
    """The physical steps of an action: captured men off, the piece moved, then disks and new men, some at once."""
    stages = {c: list(looks) for c, looks in material.items()}
    steps: list[dict[int, CellLook]] = []
    cleared = {c: s[1] for c, s in stages.items() if len(s) > 2 and s[1].men == 0 and 0 != s[0].men != s[-1].men != 0}
    if cleared and rng.random() < 0.4:
        steps.append(cleared)
    moved: dict[int, CellLook] = {}
    rest: list[dict[int, CellLook]] = []
    for c, s in stages.items():
        if c in cleared or len(s) == 2:
            moved[c] = s[-1]
            continue
        moved[c] = s[1]
        rest += [{c: look} for look in s[2:]]
    if len(rest) > 1 and rng.random() < 0.5:
        rest = rest[1:] if len({next(iter(r)) for r in rest}) == 1 else rest
    return [*steps, moved, *rest] if moved else steps


# -- the referee at the table ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Watched:
    """What a referee made of a simulated game."""

    truth: Truth
    recorded: list[str]
    verdicts: list[tuple[int, Verdict]]
    lags_s: list[float]
    thought_s: list[float]
    flagged: int
    false_alarms: int


def played_opening(game: Game, board: Board, seed: int, rules: str = "") -> Position:
    """The position after a random placement."""
    rng = random.Random(seed)
    position = game.start(board, rules)
    while position.stage == "placement":
        for action in random_turn(position, rng):
            position = position.after(action)
        if position.turn and position.may_end:
            position = position.end_turn()
    return position


def canonical(game: Game, start: Position, turns: Sequence[str]) -> list[str]:
    """Turns with the order of those actions made uniform that may be done in any order: the first legal one. The cells
    of a side that is placed in one turn are sorted."""
    out, position = [], start
    for text in turns:
        after = play_turn(position, text)
        if isinstance(position, PlacedBySides):
            text = ",".join(sorted(text.split(",")))
        ordered = _first_order(position, sorted(text.split(",")), after)
        out.append(ordered if position.stage == "play" and ordered else text)
        position = after
    return out


def _first_order(position: Position, actions: Sequence[str], goal: Position) -> str:
    """The first legal order, by the alphabet, in which these actions lead to the goal; empty where there is none."""
    for order in islice(permutations(actions), _MOST_ORDERS):
        text = ",".join(order)
        try:
            if play_turn(position, text).look() == goal.look():
                return text
        except EngineError:
            continue
    return ""


def watch_table(
    game: Game,
    opening: Position,
    seed: int,
    noise: Noise,
    habits: Habits,
    plies: int,
    clock: Callable[[], float] = lambda: 0.0,
    *,
    disks: bool = True,
) -> Watched:
    """Let a referee watch a simulated game from its opening position to its end, on a board with disks or without."""
    table = Table(game, opening, seed, noise, habits)
    referee = Reconciler(game, opening, ("red", "white"))
    verdicts: list[tuple[int, Verdict]] = []
    thought: list[float] = []
    moment = Moment(0.0, 0, None)
    for moment in table.play(plies):
        before = clock()
        reading = moment.reading if disks or moment.reading is None else moment.reading.of_men()
        said = referee.observe(reading) if reading else referee.moving(moment.t_s, moment.frame)
        thought.append(clock() - before)
        verdicts += [(moment.frame, verdict) for verdict in said]
    verdicts += [(moment.frame, verdict) for verdict in referee.conclude(moment.t_s, moment.frame)]
    alarms = [frame for frame, verdict in verdicts if isinstance(verdict, Illegal)]
    near = [(first, last + 4 * table.frames_per_s) for first, last in table.truth.illegal]
    told = [ply.frame for ply in referee.plies]
    return Watched(
        table.truth,
        canonical(game, opening, [ply.text for ply in referee.plies]),
        verdicts,
        [(f - gone) / table.frames_per_s for f, gone in zip(told, table.truth.hand_gone, strict=False)],
        thought,
        sum(any(a <= f <= b for f in alarms) for a, b in near),
        sum(not any(a <= f <= b for a, b in near) for f in alarms),
    )
