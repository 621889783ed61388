"""Which lines of play explain what lies on the table: a beam search over the actions that the changed cells suggest.

A line begins at the present position or some plies back, plays whole turns, and may end in the middle of an action
(a captured piece taken off, a disk not yet turned) or in one slip that no rule allows. Its score is the
log-likelihood of the evidence given the looks the line leads to, plus log-priors for everything unlikely about it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.evidence import Evidence
from engine.game import PASS, Action, PlaysOn, Position
from engine.look import BoardLook, CellLook
from engine.slips import Slip, find_slip

# Log-priors of what people do between two looks at a still table.
TURN = -0.5  #: one turn
MISSED = -3.0  #: each further turn that was played meanwhile
PASSED = -4.0  #: a turn left out silently
PARTIAL = -1.0  #: an action that is half done
HELD = -3.0  #: and of the moving men being nowhere on the table, with no hand in sight
FORGOTTEN = -1.5  #: a disk that should have been turned, and was not (yet)
NOT_SET = -2.0  #: a new man that should have been set, and was not (yet)
PLAYED_ON = -1.0  #: play going on after an end that nobody noticed

BEAM = 16  #: lines kept at each depth
DEPTH = 12  #: actions a line may be long
SUGGESTED = 160  #: actions tried at each node
BUDGET = 1_500  #: actions tried in all, so that the referee answers in time whatever lies on the table
_LEAST_GAIN = 1.0  #: an action is tried only if it explains the evidence that much better
_HOPELESS = 12.0  #: a line that is so much worse than the best one is given up
_TAILED = 6  #: lines that are tried with half an action or a slip at their end
_HAND_COVERS = 3  #: so many unseen cells are a hand that rests over the table
_DOUBT = -1.5  #: a cell that explains the evidence worse than this has changed
_GOOD = -2.0  #: no deeper search once a line scores this well
_NAME = re.compile(r"[a-z]\d+")

Stages = tuple[CellLook, ...]


def turn_key(player: int, actions: Sequence[Action]) -> tuple[int, tuple[str, ...]]:
    """What tells turns apart; the order of actions does not, as the table does not show it."""
    return player, tuple(sorted(map(str, actions)))


@dataclass(frozen=True, slots=True)
class Turn:
    """A finished turn of a line.

    `looks`: the table after it. `whole`: nothing that belongs to it was left undone. `sighted`: every cell
    whose men it changes was seen. `continues`: more actions could follow in it.
    """

    player: int
    actions: tuple[Action, ...]
    after: Position
    looks: BoardLook
    whole: bool = True
    sighted: bool = True
    continues: bool = False

    @property
    def key(self) -> tuple[int, tuple[str, ...]]:
        """What tells turns apart: who played which actions, in whatever order."""
        return turn_key(self.player, self.actions)

    @property
    def is_silent(self) -> bool:
        """Whether nothing of it is seen on the table: a pass, or a side that somebody chose."""
        return len(self.actions) == 1 and not _NAME.search(str(self.actions[0]))


@dataclass(frozen=True, slots=True)
class Partial:
    """An action that is half done: what the cells it still has to change look like now, and how they will."""

    action: Action
    lacking: Mapping[int, tuple[CellLook, CellLook]]


@dataclass(frozen=True, slots=True)
class Base:
    """Where a line may begin: `back` plies before the present, with the table's looks and a log-prior.

    `replays` are the keys of the turns that were taken to follow it: to keep a later one costs nothing. `turns` lead
    from the present to the base: they were seen, but might have gone on.
    """

    back: int
    position: Position
    looks: BoardLook
    prior: float = 0.0
    replays: tuple[tuple[int, tuple[str, ...]], ...] = ()
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One explanation. `opened` are the actions of a turn that is not finished; `tail` what is half done or wrong."""

    back: int
    turns: tuple[Turn, ...]
    position: Position
    looks: BoardLook
    score: float
    opened: tuple[Action, ...] = ()
    tail: Partial | Slip | None = None
    base: Base | None = None
    whole: bool = True
    sighted: bool = True

    @property
    def keys(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        return tuple(turn.key for turn in self.turns)

    @property
    def unseen_turns(self) -> tuple[Turn, ...]:
        """The turns after those that the base was reached by."""
        return self.turns[len(self.base.turns) :] if self.base else self.turns


@lru_cache(maxsize=50_000)
def _material(position: Position, action: Action) -> tuple[tuple[int, Stages], ...]:
    return tuple(position.material(action).items())


@lru_cache(maxsize=256)
def _actions(position: Position) -> tuple[tuple[Action, frozenset[str]], ...]:
    """The legal actions, each with the cells its notation names; where it names none, with those that it changes."""
    names = position.board.names
    return tuple(
        (action, frozenset(_NAME.findall(str(action))) or frozenset(names[c] for c in position.material(action)))
        for action in position.actions()
    )


class Explainer:
    """The search for one piece of evidence. `explain` gives the lines, best first."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._tried = 0
        self._hand = sum(not evidence.seen(c) for c in range(evidence.size)) >= _HAND_COVERS

    def explain(self, bases: Sequence[Base]) -> list[Line]:
        """The best lines from any of the bases, with every way they may end, best first."""
        frontier = [
            Line(
                b.back,
                b.turns,
                b.position,
                b.looks,
                b.prior + self.evidence.total(b.looks),
                base=b,
                opened=b.position.turn,
            )
            for b in bases
        ]
        found = list(frontier)
        for depth in range(DEPTH):
            children = _distinct(c for line in frontier for c in self._children(line, depth))
            enough = max((line.score for line in found), default=0.0) - _HOPELESS
            frontier = sorted((c for c in children if c.score > enough), key=lambda line: -line.score)[:BEAM]
            found += frontier
            if not frontier or max(line.score for line in found) > _GOOD:
                break
        found.sort(key=lambda line: -line.score)
        likely = [line for i, line in enumerate(found) if i < _TAILED or not (line.unseen_turns or line.opened)]
        tails = [tail for line in likely for tail in self._tails(line)]
        ended = [line for line in found if not line.opened]
        return sorted(ended + tails, key=lambda line: -line.score)

    def changed(self, looks: BoardLook) -> set[int]:
        """The cells that do not look like that."""
        return {c for c, look in enumerate(looks) if self.evidence.score(c, look) < _DOUBT}

    # -- actions -----------------------------------------------------------------------------------------------

    def _children(self, line: Line, depth: int) -> Iterator[Line]:
        """The line with one more action, with a turn ended that may end, or with a silent pass before it."""
        changed = self.changed(line.looks)
        if not changed:
            return
        position, prior = line.position, 0.0
        if position.outcome is not None and isinstance(position, PlaysOn):
            position, prior = position.played_on(), PLAYED_ON
            line = replace(line, position=position, score=line.score + prior)
        if depth == 0 and not line.unseen_turns and not line.opened and line.back == 0:
            yield from self._silent_turns(line)
        for action in self._suggested(position, changed):
            self._tried += 1
            if self._tried > BUDGET:
                return
            gain, finals, whole, sighted = self._complete(line.looks, _material(position, action))
            if gain > _LEAST_GAIN:
                yield from self._with_action(line, action, gain, finals, whole, sighted)

    def _suggested(self, position: Position, changed: set[int]) -> list[Action]:
        """The legal actions that name a changed cell, those first that name the most changed and fewest others."""
        names = {position.board.names[c] for c in changed}
        rated = [
            (2 * len(named & names) - len(named), i, action)
            for i, (action, named) in enumerate(_actions(position))
            if named & names
        ]
        rated.sort(key=lambda r: (-r[0], r[1]))
        return [action for _, _, action in rated[:SUGGESTED]]

    def _silent_turns(self, line: Line) -> Iterator[Line]:
        for action, named in _actions(line.position):
            if not named:
                after = line.position.after(action)
                if after.outcome is None:
                    turn = Turn(line.position.player, (action,), after, line.looks)
                    prior = PASSED if str(action) == PASS and len(_actions(line.position)) > 1 else 0.0
                    passed = replace(line, turns=(*line.turns, turn), position=after, score=line.score + prior)
                    yield from self._children(passed, 1)

    def _with_action(
        self, line: Line, action: Action, gain: float, finals: Mapping[int, CellLook], whole: bool, sighted: bool
    ) -> Iterator[Line]:
        looks = list(line.looks)
        for cell, look in finals.items():
            looks[cell] = look
        after = line.position.after(action)
        actions = (*line.opened, action)
        child = replace(
            line,
            position=after,
            looks=tuple(looks),
            score=line.score + gain,
            opened=actions,
            whole=line.whole and whole,
            sighted=line.sighted and sighted,
        )
        if not after.turn:
            yield from self._ended(line, child, after, actions, continues=False)
            return
        yield child
        if after.may_end:
            yield from self._ended(line, child, after.end_turn(), actions, continues=True)

    def _ended(
        self, line: Line, child: Line, after: Position, actions: tuple[Action, ...], *, continues: bool
    ) -> Iterator[Line]:
        """The child with its turn finished and paid for; none where that only repeats what begins one ply later."""
        turn = Turn(line.position.player, actions, after, child.looks, child.whole, child.sighted, continues)
        played = len(line.turns)
        prior = TURN + (MISSED if any(not t.is_silent for t in line.unseen_turns) else 0.0)
        if line.base is not None and turn.key in line.base.replays[played : played + 1]:
            if played == 0:
                return
            prior = 0.0
        if child.score + prior <= line.score:
            return
        yield replace(
            child,
            turns=(*line.turns, turn),
            position=after,
            opened=(),
            score=child.score + prior,
            whole=True,
            sighted=True,
        )

    # -- cells -------------------------------------------------------------------------------------------------

    def _complete(
        self, looks: BoardLook, material: Iterable[tuple[int, Stages]]
    ) -> tuple[float, dict[int, CellLook], bool, bool]:
        """The gain of an action fully done, the looks it leaves, whether nothing is undone, whether it was seen."""
        gain, finals, whole, sighted = 0.0, {}, True, True
        for cell, stages in material:
            score, look, undone = max(
                (
                    (self.evidence.score(cell, look) + cost, look, cost < 0.0)
                    for look, cost in _ends(stages, looks[cell])
                ),
                key=lambda end: end[0],
            )
            gain += score - self.evidence.score(cell, looks[cell])
            finals[cell] = look
            whole = whole and not undone
            if (stages[0].men, stages[0].height) != (stages[-1].men, stages[-1].height):
                sighted = sighted and self.evidence.seen(cell)
        return gain, finals, whole, sighted

    # -- ends --------------------------------------------------------------------------------------------------

    def _tails(self, line: Line) -> Iterator[Line]:
        """The line followed by half an action, or by a slip."""
        changed = self.changed(line.looks)
        if line.opened and not line.position.may_end:
            yield replace(line, score=line.score + PARTIAL)
        if not changed:
            return
        best: Line | None = None
        if line.position.outcome is None:
            for action in self._suggested(line.position, changed):
                part = self._partial(line, action)
                if part is not None and (best is None or part.score > best.score):
                    best = part
        if best is not None:
            yield best
        slip = find_slip(line.position, line.looks, self.evidence)
        if slip is not None:
            gain = sum(self.evidence.score(c, now) - self.evidence.score(c, line.looks[c]) for c, now in slip.cells)
            yield replace(line, score=line.score + gain + slip.prior, tail=slip)

    def _partial(self, line: Line, action: Action) -> Line | None:
        """The line with this action half done, or None where it would be done or not yet begun.

        An action that lacks only what people forget counts as done (`_ends`). Men never come from nowhere.
        """
        prior = PARTIAL + (MISSED if any(not turn.is_silent for turn in line.unseen_turns) else 0.0)
        gain, lacking, looks, begun = prior, {}, list(line.looks), False
        player, material = line.position.player, _material(line.position, action)
        men = due = 0
        for cell, stages in material:
            table = line.looks[cell]
            options = _adapted(stages, table)
            scores = [self.evidence.score(cell, look) for look in options]
            at = max(range(len(options)), key=lambda i: (scores[i], i))
            gain += scores[at] - self.evidence.score(cell, table)
            looks[cell] = options[at]
            begun = begun or options[at] != table
            men += _men(options[at], player) - _men(table, player)
            due += _men(stages[-1], player) - _men(stages[0], player)
            if options[at] not in [look for look, _ in _ends(stages, table)]:
                lacking[cell] = (options[at], stages[-1])
        if not lacking or not begun or gain < prior + _LEAST_GAIN or men > max(0, due):
            return None
        if men < 0 and not self._hand:
            gain += HELD
        return replace(line, score=line.score + gain, tail=Partial(action, lacking), looks=tuple(looks))


def _men(look: CellLook, player: int) -> int:
    return look.height if look.men == player else 0


def _adapted(stages: Stages, table: CellLook) -> Stages:
    """The stages of a cell whose disk lay wrong from the beginning: it may lie wrong all the while."""
    if table == stages[0]:
        return stages
    wrong = tuple(CellLook(table.surface, s.men, s.height) for s in stages if s.surface is stages[0].surface)
    return (table, *wrong, *stages)


def _ends(stages: Stages, table: CellLook) -> list[tuple[CellLook, float]]:
    """The looks of a cell after an action, with the log-priors of what people leave undone."""
    first, last = stages[0], stages[-1]
    ends = [(last, 0.0)]
    if last.surface is not first.surface:
        ends.append((replace(last, surface=first.surface), FORGOTTEN))
    if table.surface not in (first.surface, last.surface):
        ends.append((replace(last, surface=table.surface), 0.0 if last.surface is first.surface else FORGOTTEN))
    elif table.surface is not first.surface and last.surface is first.surface:
        ends.append((replace(last, surface=table.surface), 0.0))
    if first.men == last.men and last.height == 1 and any(s.men == 0 for s in stages):
        ends += [(CellLook(last.surface), NOT_SET), (CellLook(first.surface), NOT_SET + FORGOTTEN / 2)]
    if table.men == first.men == last.men and table.height != first.height:
        height = last.height + table.height - first.height
        if height >= 1:
            ends.append((replace(last, height=height), 0.0))
    return ends


def _distinct(lines: Iterable[Line]) -> list[Line]:
    """One line of each kind: the same turns, and the same actions of the open turn in whatever order."""
    best: dict[object, Line] = {}
    for line in lines:
        key = (line.back, line.keys, frozenset(map(str, line.opened)), line.looks)
        if key not in best or best[key].score < line.score:
            best[key] = line
    return list(best.values())
