"""Which lines of play explain what lies on the table: a search over the actions that the changed cells suggest.

A line begins at the present position or some plies back, plays whole turns, and may end in the middle of an action
(a captured piece taken off, a disk not yet turned) or in one slip that no rule allows. Its score is the
log-likelihood of the evidence given the looks the line leads to, plus log-priors for everything unlikely about it.
The search counts its steps and stops after so many, so that it answers in time whatever lies on the table.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count

from engine.game import PASS, PlaysOn, Position
from engine.look import BoardLook, CellLook
from engine.referee.evidence import Evidence
from engine.referee.lines import Base, Line, Partial, Turn
from engine.referee.moves import FORGOTTEN, Move, moves
from engine.referee.slips import find_slip

# Log-priors of what people do between two looks at a still table.
TURN = -0.5  #: one turn
MISSED = -3.0  #: each further turn that was played meanwhile
PASSED = -4.0  #: a turn left out silently …
PASSED_WITHOUT_DISKS = -6.0  #: … where no disk shows later which men went on and which went back (tried from -4 to -8)
PARTIAL = -1.0  #: an action that is half done
HELD = -3.0  #: and of the moving men being nowhere on the table, with no hand in sight
TRACELESS = -3.0  #: men having gone on from a cell where nothing shows that they were there
PLAYED_ON = -1.0  #: play going on after an end that nobody noticed

DEPTH = 12  #: actions a line may be long
EFFORT = 600  #: steps of a search, of which a base may take half of what is left, and as many for the lines' ends
_EXPANDED = 4  #: steps that it takes to list the actions of a line; every action tried is one more …
_FITS = 3  #: … and every one that explains something is so many more
_LEAST_GAIN = 1.0  #: an action is tried only if it explains the evidence that much better
_HOPELESS = 12.0  #: a line that is so much worse than the best one is given up
_TAILED = 6  #: lines that are tried with half an action or a slip at their end
_STEMS = 2  #: and so many are also tried with their last action half done
_HAND_COVERS = 3  #: so many unseen cells are a hand that rests over the table
_DOUBT = 1.5  #: a cell whose look lacks more likelihood than this has changed
_GOOD = -2.0  #: no deeper search once a line scores this well
_NEAR = 4.0  #: where turns were missed lines are followed until they are surely so much worse than the best one
_LENT = 2  #: cells that may be wrong for the time being where several turns were missed
_MENDS = 0.7  #: and this share of what a line lacks is taken to be explained by further turns
_MISSED_EFFORT = 2  #: that search may take so many times the effort of others


def passed(evidence: Evidence) -> float:
    """The log-prior of a turn left out silently on the table of which this was seen."""
    return PASSED if evidence.tells_surfaces else PASSED_WITHOUT_DISKS


class Explainer:
    """The search for one piece of evidence. `explain` gives the lines, best first; `steps` counts the work.

    `unwatched`: the table was not seen for so long that somebody may have moved more than once. The same men may have
    gone on then, over cells where nobody saw them.
    """

    def __init__(self, evidence: Evidence, effort: int = EFFORT, *, unwatched: bool = False) -> None:
        self.evidence = evidence
        self.effort = effort
        self.unwatched = unwatched
        self.steps = 0
        self._limit = 0
        self._lends = False
        self._hand = sum(not evidence.seen(c) for c in range(evidence.size)) >= _HAND_COVERS

    def explain(self, bases: Sequence[Base]) -> list[Line]:
        """The best lines from any of the bases, with every way they may end, best first."""
        left, found = self.effort, list[Line]()
        for base in bases:
            before = self.steps
            found += (self._left_lying(line, base) for line in self._search(base, left // 2))
            left -= self.steps - before
        if self.unwatched and min(found, key=_badness).fit <= _GOOD:
            found += self._missed_turns(bases[-1])
        found.sort(key=_badness)
        stems = {_stem(line) for line in found[:_STEMS]}
        likely = [
            line
            for i, line in enumerate(found)
            if i < _TAILED or not (line.unseen_turns or line.opened) or _kind(line) in stems
        ]
        tails = [tail for line in likely for tail in self._tails(line, self.effort // len(likely))]
        ended = [line for line in found if not line.opened]
        return sorted(ended + tails, key=_badness)

    # -- actions -----------------------------------------------------------------------------------------------

    def _search(self, base: Base, effort: int) -> list[Line]:
        """The lines from one base: at first with the player who is to move, then with his turn left out."""
        root = self._root(base)
        self._limit = self.steps + effort
        found = self._follow(root)
        if not root.opened and not base.back and _best(found) <= _GOOD:
            for silent in self._silent_turns(root):
                self._limit = self.steps + effort // 2
                found += self._follow(silent)[1:]
        return found

    def _root(self, base: Base) -> Line:
        """The line on which nothing has been played."""
        fit = self.evidence.total(base.looks)
        opened = base.position.turn
        return Line(base.back, base.turns, base.position, base.looks, base.prior + fit, opened, base=base, fit=fit)

    def _missed_turns(self, base: Base) -> list[Line]:
        """The lines from a base on which men may go where they are not seen, as they may have gone on since."""
        root = self._root(base)
        self._limit, self._lends = self.steps + _MISSED_EFFORT * self.effort, True
        found = self._follow(root)[1:]
        self._lends = False
        return found

    def _follow(self, root: Line) -> list[Line]:
        """The root and the lines that go on from it: always the best one is followed first.

        Once a line is good, only those are followed that need no more actions than it.
        """
        found: dict[object, Line] = {_kind(root): root}
        order = count()
        waiting = [(-self._promise(root), 0, next(order), root)]
        best, longest = root.score, DEPTH
        while waiting and self.steps < self._limit:
            _, length, _, line = heappop(waiting)
            if self._is_hopeless(line, best) or length >= longest:
                continue
            for child in self._children(line):
                kind = _kind(child)
                if kind in found and found[kind].hope >= child.hope:
                    continue
                found[kind] = child
                heappush(waiting, (-self._promise(child), length + 1, next(order), child))
                if child.score > best:
                    best = child.score
                    longest = length + 1 if best > _GOOD else DEPTH
        return list(found.values())

    def _promise(self, line: Line) -> float:
        """What a line may come to."""
        return line.hope + _MENDS * (line.score - line.hope - line.fit) if self._lends else line.score

    def _is_hopeless(self, line: Line, best: float) -> bool:
        """Whether a line is given up, as it will not do better than the best one, or hardly."""
        return line.prior < best - _NEAR if self._lends else line.score < best - _HOPELESS

    def _silent_turns(self, line: Line) -> Iterator[Line]:
        """The line after a turn that does not show on the table: a pass, or a side that somebody chose."""
        legal = moves(line.position)
        for move in legal:
            if move.cells or (after := line.position.after(move.action)).outcome is not None:
                continue
            turn = Turn(line.position.player, (move.action,), after, line.looks)
            prior = passed(self.evidence) if str(move.action) == PASS and len(legal) > 1 else 0.0
            yield replace(line, turns=(*line.turns, turn), position=after, score=line.score + prior)

    def _children(self, line: Line) -> Iterator[Line]:
        """The line with one more action, and with the turn ended where it may end."""
        lacks = self._lacks(line.looks)
        if max(lacks) <= _DOUBT:
            return
        if line.position.outcome is not None and isinstance(line.position, PlaysOn):
            line = replace(line, position=line.position.played_on(), score=line.score + PLAYED_ON)
        for move in self._suggested(line.position, lacks, _LEAST_GAIN):
            if (child := self._acted(line, move, _LEAST_GAIN)) is not None:
                yield from self._ends(line, child)
        if line.begun is not None:
            yield from self._with_first(line, line.begun, lacks)

    def _with_first(self, line: Line, begun: Line, lacks: Sequence[float]) -> Iterator[Line]:
        """The line with an action put before those of its last turn, where the rules allow them then.

        The table does not show their order: what must come first may be noticed last.
        """
        actions = line.opened or line.turns[-1].actions
        legal = {move.action for move in moves(line.position) if line.opened}
        for move in self._suggested(begun.position, lacks, _LEAST_GAIN):
            if move.action in legal:
                continue
            now = self._acted(begun, move)
            if now is None or not now.position.turn:
                return  # turns of a single action
            for action in actions:
                again = next((m for m in moves(now.position) if m.action == action), None) if now else None
                now = self._acted(now, again) if now and again else None
            if now is not None and now.hope > line.hope + _LEAST_GAIN:
                yield from self._ends(begun, now)

    def _lacks(self, looks: BoardLook) -> list[float]:
        """How much likelihood every cell's look lacks; 0 is the best possible."""
        score = self.evidence.score
        return [-score(c, look) for c, look in enumerate(looks)]

    def _suggested(self, position: Position, lacks: Sequence[float], gain: float) -> Iterator[Move]:
        """The legal actions that name a changed cell and may gain so much, as long as there is effort left.

        Those come first that name the most changed and fewest other cells.
        """
        self.steps += _EXPANDED
        changed = {c for c, lack in enumerate(lacks) if lack > _DOUBT}
        rated = [
            (len(move.cells) - 2 * len(move.cells & changed), i, move)
            for i, move in enumerate(moves(position))
            if not changed.isdisjoint(move.cells)
        ]
        rated.sort()
        for _, _, move in rated:
            if self.steps >= self._limit:
                return
            self.steps += 1
            if sum(lacks[cell] for cell, _ in move.material) > gain:
                yield move

    def _done(self, looks: BoardLook, move: Move) -> tuple[float, dict[int, CellLook], bool, bool]:
        """The gain of an action fully done, the looks it leaves, whether nothing is undone, whether it was seen."""
        score = self.evidence.score
        gain, finals, whole, sighted = 0.0, {}, True, True
        for cell, stages in move.material:
            best, look, undone = -1e9, stages.last, False
            for end, cost in stages.ends(looks[cell]):
                if (worth := score(cell, end) + cost) > best:
                    best, look, undone = worth, end, cost < 0.0
            gain += best - score(cell, looks[cell])
            finals[cell] = look
            whole = whole and not undone
            if (stages.first.men, stages.first.height) != (stages.last.men, stages.last.height):
                sighted = sighted and self.evidence.seen(cell)
        return gain, finals, whole, sighted

    def _acted(self, line: Line, move: Move, least_gain: float = float("-inf")) -> Line | None:
        """The line with an action done, its turn left open; None where that gains too little."""
        score = self.evidence.score
        gain, finals, whole, sighted = self._done(line.looks, move)
        lent = self._lent(line, finals) if self._lends else ()
        surface = self.evidence.surface_score
        gain += TRACELESS * sum(c in finals and surface(c, line.looks[c]) > -_DOUBT for c, _ in lent)
        if max(gain, gain + sum(worth for _, worth in lent) - (line.hope - line.score)) <= least_gain:
            return None
        self.steps += _FITS
        return Line(
            line.back,
            line.turns,
            line.position.after(move.action),
            _changed(line.looks, finals),
            line.score + gain,
            (*line.opened, move.action),
            base=line.base,
            whole=line.whole and whole,
            sighted=line.sighted and sighted,
            begun=line.begun if line.opened else line,
            fit=line.fit + sum(score(c, look) - score(c, line.looks[c]) for c, look in finals.items()),
            lent=lent,
        )

    def _lent(self, line: Line, finals: Mapping[int, CellLook]) -> tuple[tuple[int, float], ...]:
        """Cells whose men are not those that were seen after the moves so far, and what each of them lacks."""
        score, men_score = self.evidence.score, self.evidence.men_score
        lent = [(c, worth) for c, worth in line.lent if c not in finals]
        lent += [(c, -score(c, look)) for c, look in finals.items() if men_score(c, look) < -_DOUBT]
        return tuple(lent) if len(lent) <= _LENT else ()

    def _ends(self, line: Line, child: Line) -> Iterator[Line]:
        """The line with one more action as it is, and with its turn ended where that may be."""
        if not child.position.turn:
            yield from self._ended(line, child, child.position, continues=False)
            return
        yield child
        if child.position.may_end:
            yield from self._ended(line, child, child.position.end_turn(), continues=True)

    def _ended(self, line: Line, child: Line, after: Position, *, continues: bool) -> Iterator[Line]:
        """The child with its turn finished and paid for; none where that only repeats what begins one ply later."""
        actions = child.opened
        turn = Turn(line.position.player, actions, after, child.looks, child.whole, child.sighted, continues)
        played = len(line.turns)
        prior = TURN + self._missed(line)
        if line.base is not None and turn.key in line.base.replays[played : played + 1]:
            if played == 0:
                return
            prior = 0.0
        if child.score + prior > line.score or child.hope + prior > line.hope:
            turns, begun = (*line.turns, turn), None if continues else child.begun
            score = child.score + prior
            ended = Line(line.back, turns, after, child.looks, score, base=line.base, begun=begun)
            yield replace(ended, fit=child.fit, lent=child.lent)

    def _left_lying(self, line: Line, base: Base) -> Line:
        """The line with those disks left as they lie that should have been put back with the men, and were not."""
        if base.table is None:
            return line
        looks, score = list(line.looks), line.score
        for c, (look, before, table) in enumerate(zip(line.looks, base.looks, base.table, strict=True)):
            if look is before and look.surface is not table.surface:
                left = replace(look, surface=table.surface)
                gain = self.evidence.score(c, left) + FORGOTTEN - self.evidence.score(c, look)
                if gain > 0.0:
                    looks[c], score = left, score + gain
        return replace(line, looks=tuple(looks), score=score)

    def _missed(self, line: Line) -> float:
        """What it costs that a turn goes on from turns that nobody saw finished."""
        return MISSED if any(not turn.is_silent for turn in line.unseen_turns) else 0.0

    # -- ends --------------------------------------------------------------------------------------------------

    def _tails(self, line: Line, effort: int) -> Iterator[Line]:
        """The line followed by half an action, or by a slip."""
        self._limit = self.steps + effort
        if line.opened and not line.position.may_end:
            yield replace(line, score=line.score + PARTIAL)
        lacks = self._lacks(line.looks)
        if max(lacks) <= _DOUBT:
            return
        if line.position.outcome is None and (part := self._partial(line, lacks)) is not None:
            yield part
        slip = find_slip(line.position, line.looks, self.evidence)
        if slip is not None:
            gain = sum(self.evidence.score(c, now) + lacks[c] for c, now in slip.cells)
            yield replace(line, score=line.score + gain + slip.prior, tail=slip)

    def _partial(self, line: Line, lacks: Sequence[float]) -> Line | None:
        """The line with the likeliest action half done; None where there is none."""
        best: Line | None = None
        prior = PARTIAL + self._missed(line)
        for move in self._suggested(line.position, lacks, _LEAST_GAIN):
            part = self._begun(line, move, prior)
            if part is not None and (best is None or part.score > best.score):
                best = part
        return best

    def _begun(self, line: Line, move: Move, prior: float) -> Line | None:
        """The line with this action half done, or None where it would be done or not yet begun.

        An action that lacks only what people forget counts as done (`Stages.ends`). Men never come from nowhere.
        """
        score, player = self.evidence.score, line.position.player
        gain, finals, lacking = prior, {}, {}
        men = due = 0
        for cell, stages in move.material:
            table = line.looks[cell]
            _, _, look = max((score(cell, stage), i, stage) for i, stage in enumerate(stages.on(table)))
            gain += score(cell, look) - score(cell, table)
            finals[cell] = look
            men += _men(look, player) - _men(table, player)
            due += _men(stages.last, player) - _men(stages.first, player)
            if look not in [end for end, _ in stages.ends(table)]:
                lacking[cell] = (look, stages.last)
        if not lacking or gain < prior + _LEAST_GAIN or men > max(0, due):
            return None
        if men < 0 and not self._hand:
            gain += HELD
        looks = _changed(line.looks, finals)
        return replace(line, score=line.score + gain, tail=Partial(move.action, lacking), looks=looks)


def _badness(line: Line) -> float:
    return -line.score


def _best(lines: Iterable[Line]) -> float:
    return max(line.score for line in lines)


def _changed(looks: BoardLook, cells: Mapping[int, CellLook]) -> BoardLook:
    """A board with some cells changed."""
    now = list(looks)
    for cell, look in cells.items():
        now[cell] = look
    return tuple(now)


def _men(look: CellLook, player: int) -> int:
    return look.height if look.men == player else 0


def _kind(line: Line) -> object:
    """What tells lines apart: their turns, and the actions of the open turn in whatever order."""
    return line.back, line.keys, frozenset(map(str, line.opened))


def _stem(line: Line) -> object:
    """What tells the line before its last action apart."""
    if line.opened or not line.turns:
        return line.back, line.keys, frozenset(map(str, line.opened[:-1]))
    return line.back, line.keys[:-1], frozenset(map(str, line.turns[-1].actions[:-1]))
