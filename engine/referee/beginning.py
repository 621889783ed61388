"""How a game begins on the table: a finished placement recognised, or followed, or left to the first moves to tell."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from engine.game import Action, Game, Position
from engine.look import BoardLook, CellLook, Surface
from engine.referee.belief import Belief
from engine.referee.evidence import MEN_FLOOR, Evidence, Misread
from engine.referee.explain import Explainer
from engine.referee.lines import Base
from engine.referee.opening import Opening, likely_openings, recognise
from engine.referee.outlook import Outlook
from engine.referee.patience import Patience
from engine.referee.replays import Replay
from engine.referee.slips import Slip
from engine.referee.verdict import Illegal, Ply, Verdict

_SLOW_START = 4.0  #: so many times slower the margin asked of an opening falls: the first moves will tell
_FIRST_PLIES = 2  #: a trial must have explained so many plies
_PLY_TELLS = 1.0  #: so much less lead is asked of a trial for every ply it has explained
_TRIALS = 6  #: likely openings that are followed side by side
_STILL_LIKELY = 8.0  #: a trial that is so much worse than the best one has no say in an alarm
_ASKED = 100  #: steps of the search in which another opening must explain the table
_TURNED = -9.0  #: log-prior of a disk that was taken off or turned too soon
_SURELY_NOT = -4.0  #: log-likelihood of a look where surely another one is seen
_PLAYED, _SURELY = 2, 3  #: where so many disks are gone, or one is turned, a game may be, and surely is, under way
_HAND_COVERS = 3  #: so many unseen cells side by side are a hand that rests over the table
_NAMED = 5  #: so many cells are named in a sentence
_REARRANGED = -4.0  #: log-prior of men that were moved about while they were set
_ODD = -3.5  #: what explains the table worse than this, without what is misread, has not proved right
_TOO_ODD = -8.0  #: so odd is no opening of which a disk is gone: rather a game is under way
_HOPELESS = -30.0  #: when even the best of them fits worse than this, the board is looked at anew


@dataclass(slots=True)
class Trial:
    """A likely opening, and what is believed if the game has begun so."""

    prior: float
    opening: Opening
    belief: Belief

    @property
    def worth(self) -> float:
        """The log-likelihood of all that was seen so far."""
        return self.prior + self.belief.worth

    @property
    def told(self) -> int:
        """How many plies have been found since the opening."""
        return len(self.belief.plies) - len(self.opening.plies)


@dataclass(frozen=True, slots=True)
class Finished:
    """A placement that looked finished, and the cells whose disks were not as they should be even then."""

    opening: Opening
    turned: frozenset[int]


class Beginning:
    """The search for the beginning of a game in which whole sides are placed.

    `trials` are the openings that only the first moves can tell apart; while there are any, feed them with `feed`.
    The openings that were left when one was chosen are kept, with how much likelier (or less) they seemed.
    `guesses`: where a placement was watched, the games as they would be if it had been finished when it last looked so,
    some stacks perhaps misread; feed them with `feed_guesses`.
    """

    def __init__(self, game: Game, position: Position, patience: Patience, follow: Callable[[Opening], Belief]) -> None:
        self.game, self.position, self.patience = game, position, patience
        self.trials: list[Trial] = []
        self.guesses: list[Trial] = []
        self._placed = -math.inf  # how likely it is that men are still being set
        self._others: list[tuple[float, Replay]] = []
        self._follow = follow
        self._seen_empty = False
        self._set: Finished | None = None
        self._gone: frozenset[int] = frozenset()
        self._odd = self._under_way = False
        self.doubt = ""  #: a sentence where the table looks as if the game had begun before
        self._key = ""
        self._stood_s = self._turned_s = 0.0
        self._asked: Outlook | None = None
        self._searched: tuple[Evidence | None, int] = None, 0
        self._found: list[tuple[float, Opening]] = []

    def judge(self, evidence: Evidence, waited_s: float, t_s: float, frame: int) -> Opening | str | None:
        """The opening that may begin now; a sentence that says what is missing; None to go on looking."""
        looks = placed_looks(self.position, evidence)
        if not any(look.men for look in looks):
            self._seen_empty = self._seen_empty or all(map(evidence.seen, range(evidence.size)))
            return None
        if hidden := _under_a_hand(self.position, evidence):
            return f"{_named(self.position, hidden)} cannot be seen"
        turned = _turned_disks(self.position, evidence)
        new = self._set is not None and bool(turned - self._set.turned)
        self._turned_s = self._turned_s + waited_s if new else 0.0
        if self._set is not None and new and self._turned_s >= self.patience.one_cell_after_s:
            return self._begun(self._set.opening)  # nobody turns a disk before the first move
        openings = self._likely(looks, evidence, t_s, frame)
        exact = bool(openings) and openings[0][0] >= 0.0
        self._note_disks(frozenset() if self._seen_empty else turned, evidence, exact)
        if self._under_way:
            return self.doubt
        key = " ".join(ply.text for ply in openings[0][1].plies) if openings else ""
        self._stood_s = self._stood_s + waited_s if key == self._key else 0.0
        self._key = key
        if self._seen_empty and openings and self._stood_s >= self.patience.one_cell_after_s:
            self._note_placement(openings, looks, turned)
        self._placed = self._placed_worth(looks, turned) if exact else -math.inf
        if not exact:  # not what is seen: only its first moves can prove it
            why = str(recognise(self.game, self.position, looks, t_s, frame))
            return f"{why}; {self.doubt}" if self.doubt else why
        if any(guess.told and guess.worth > self._placed for guess in self.guesses):
            return None
        patience = self.patience.placed_after_s if self._seen_empty else self.patience.start_after_s
        if self._stood_s < patience or lead(openings) < self.patience.margin_after(self._stood_s / _SLOW_START):
            return None
        return self._choose(openings)

    def _likely(self, looks: BoardLook, evidence: Evidence, t_s: float, frame: int) -> list[tuple[float, Opening]]:
        """The likely openings, searched for only when there is something new to see."""
        evidence_before, readings = self._searched
        if evidence_before is not evidence or readings != evidence.readings:
            self._searched = evidence, evidence.readings
            self._found = likely_openings(self.game, self.position, looks, evidence, t_s, frame)
        return self._found

    def _note_placement(
        self, openings: Sequence[tuple[float, Opening]], looks: BoardLook, turned: frozenset[int]
    ) -> None:
        """The placement may be finished, and the game begin so: remember that, unless all that is new since it last
        looked so may be the first move."""
        exact, best = openings[0][0] >= 0.0, openings[0][1]
        finished = [guess.opening for guess in self.guesses] + ([self._set.opening] if self._set else [])
        moved = any(_moved(opening, men) for opening in finished for men in (looks, best.position.look()))
        played = any(guess.told and guess.worth > _TOO_ODD for guess in self.guesses)
        if moved or played or (turned and not exact):
            return
        self._set = Finished(best, turned) if exact else None
        likely = openings[:1] if exact else openings[:_TRIALS]
        self.guesses = [Trial(prior, opening, self._follow(opening)) for prior, opening in likely]
        self._others = [(prior, Replay(opening)) for prior, opening in openings]

    def _placed_worth(self, looks: BoardLook, turned: frozenset[int]) -> float:
        """How likely (logarithm) it is that men which may be a placement are one, not what a guess comes to."""
        gone = any(_men_gone(guess.opening, looks) for guess in self.guesses if guess.told)
        return (_REARRANGED if gone else 0.0) + _SURELY_NOT * len(turned)

    def feed_guesses(self, step: Callable[[Belief], list[Verdict]]) -> Trial | None:
        """Let the guesses go a step on; gives the one that has proved right: by a move of either player, or by one
        after which the table stood for as long as a finished placement must. A move that no rule allows proves it
        wrong; after a first one that counts only when the table then stands for so long."""
        stood = self._stood_s >= self.patience.placed_after_s
        for guess in self.guesses:
            step(guess.belief)
        self.guesses = [g for g in self.guesses if not isinstance(g.belief.open, Illegal) or (g.told and not stood)]
        ranked = sorted(self.guesses, key=lambda guess: -guess.worth)
        if not ranked or isinstance(ranked[0].belief.open, Illegal):
            return None
        best = ranked[0]
        odd = best.prior < 0.0 and best.belief.worth < _ODD
        if odd or _ahead(ranked) < self.patience.margin - _PLY_TELLS * best.told:
            return None
        proved = best.told >= _FIRST_PLIES or (best.told and stood)
        return best if proved and best.worth > self._placed else None

    def _choose(self, openings: Sequence[tuple[float, Opening]]) -> Opening:
        """Take the first opening and keep the others in mind."""
        self._others = [(prior, Replay(opening)) for prior, opening in openings]
        return self._begun(openings[0][1])

    def _begun(self, opening: Opening) -> Opening:
        """The game has begun so; how much likelier or less were the others?"""
        best = max((prior for prior, other in self._others if other.opening is opening), default=0.0)
        self._others = [(prior - best, other) for prior, other in self._others if other.opening is not opening]
        return opening

    def _note_disks(self, gone: frozenset[int], evidence: Evidence, exact: bool) -> None:
        """These disks are not as before the first move: note what that means. `exact`: the men are an opening's."""
        looks = evidence.best_looks(self.position.look())
        played = len(gone) >= _PLAYED or any(looks[c].surface is not Surface.BARE for c in gone)
        self._gone, self._odd = gone, self._odd or bool(gone and not exact)
        self._under_way = len(gone) >= _SURELY or (played and self._odd)
        self.doubt = _doubt(self.position, gone) if played or (gone and not exact) else ""

    def hand_comes(self, evidence: Evidence, t_s: float, frame: int) -> Opening | None:
        """A hand comes: what looks finished was finished, unless men were still being set, or it only moves that rested
        over the board.

        Where several openings are likely, all are followed, and the first moves decide.
        """
        if self._seen_empty or self.trials or _under_a_hand(self.position, evidence):
            return None
        openings = self._likely(placed_looks(self.position, evidence), evidence, t_s, frame)
        self._note_disks(_turned_disks(self.position, evidence), evidence, bool(openings) and openings[0][0] == 0.0)
        if self._under_way:
            return None
        if openings and openings[0][0] == 0.0 and lead(openings) >= self.patience.margin:
            return self._choose(openings)
        self.trials = [Trial(prior, opening, self._follow(opening)) for prior, opening in openings[:_TRIALS]]
        self._others = [(prior, Replay(opening)) for prior, opening in openings]
        return None

    def proved(self, trial: Trial) -> None:
        """This trial is the game; the openings left are kept in mind, for it may yet turn out to be wrong."""
        self.trials, self.guesses = [], []
        self._begun(trial.opening)

    def feed(self, step: Callable[[Belief], list[Verdict]]) -> Trial | None:
        """Let every trial go a step on; gives the one that has proved right."""
        for trial in self.trials:
            step(trial.belief)
        ranked = sorted(self.trials, key=lambda trial: -trial.worth)
        if ranked[0].told >= _FIRST_PLIES and self._too_odd(ranked[0]):
            self.trials, self._odd = [], True
        elif ranked[0].worth < _HOPELESS:
            self.trials = []
        elif ranked[0].told >= _FIRST_PLIES:
            asked = self.patience.margin - _PLY_TELLS * ranked[0].told
            return ranked[0] if _ahead(ranked) >= asked else None
        return None

    def _too_odd(self, trial: Trial) -> bool:
        """Whether a trial explains the table so badly that the disks rather tell of a game under way."""
        return trial.worth < _TOO_ODD and bool(self._gone or _turned_too_soon(trial.belief))

    @property
    def alarm(self) -> Illegal | None:
        """The move on the table that no rule allows, whichever of the likely openings it was."""
        best: Illegal | None = None
        ranked = sorted(self.trials, key=lambda trial: trial.worth)
        for trial in (trial for trial in ranked if trial.worth > ranked[-1].worth - _STILL_LIKELY):
            now = trial.belief.open
            if not isinstance(now, Illegal):
                return None
            if best is not None and (now.source, now.target) != (best.source, best.target):
                return None
            best = now
        return best

    def settle(self) -> Trial | None:
        """Nothing more will be seen: the best of the trials that make sense and the guesses that explain a move."""
        sound = [trial for trial in self.trials if not self._too_odd(trial)]
        told = [guess for guess in self.guesses if guess.told and guess.worth > self._placed]
        return max((*sound, *told), key=lambda trial: trial.worth, default=None)

    def otherwise(self, belief: Belief) -> tuple[Sequence[Ply], float, Misread] | None:
        """Where the table makes no sense: the game from another opening that explains it, how much better, and what is
        misread then.

        Perhaps stacks were misread at the start. The moves stay as they were seen, from cell to cell. None when no
        other opening does better.
        """
        outlook = belief.outlook() if self._others else None
        if outlook is None or outlook is self._asked:
            return None
        turned = _turned_too_soon(belief)
        if not (turned or belief.at_a_loss):
            return None
        self._asked = outlook
        believed = outlook.best.score + _TURNED * len(turned)
        # an alarm must be the best explanation there is; anything else must be beaten clearly
        alarm = isinstance(outlook.best.tail, Slip)
        score = believed + (0.0 if alarm else self.patience.margin)
        unsure = {*belief.deviations, *_unlike_seen(belief)}
        plies: tuple[Ply, ...] = ()
        misread: Misread = {}
        for prior, other in self._others:
            if prior < score:  # nothing can explain the table better than perfectly
                continue
            again = other.follow(belief.plies, unsure)
            if again is None:
                continue
            here = Base(0, again[-1].after, again[-1].after.look())
            evidence = belief.evidence if alarm else belief.evidence.excusing(here.looks, other.opening.misread)
            explained = Explainer(evidence, _ASKED).explain([here])[0].score
            if explained + prior >= score and (alarm or explained >= _ODD):
                score, plies, misread = explained + prior, again, other.opening.misread
        if not plies:
            return None
        self._others = [
            (p, other) for p, other in self._others if other.opening.plies != plies[: len(other.opening.plies)]
        ]
        return plies, score - believed, misread


def _ahead(ranked: Sequence[Trial]) -> float:
    """How much likelier the first trial is than the second."""
    return ranked[0].worth - ranked[1].worth if len(ranked) > 1 else -MEN_FLOOR


def _turned_too_soon(belief: Belief) -> list[int]:
    """Cells whose disk was taken off or turned though no rule asks for it yet: people forget disks, not this."""
    rule = belief.position.look()
    return [c for c, look in belief.deviations.items() if rule[c].surface is Surface.BEIGE is not look.surface]


def _unlike_seen(belief: Belief) -> set[int]:
    """Cells that surely look otherwise than is believed."""
    evidence = belief.evidence
    return {c for c, look in enumerate(belief.table) if evidence.seen(c) and evidence.score(c, look) <= _SURELY_NOT}


def _turned_disks(position: Position, evidence: Evidence) -> frozenset[int]:
    """Cells that surely have another surface than before the first move."""
    looks = enumerate(position.look())
    return frozenset(c for c, look in looks if evidence.seen(c) and evidence.surface_score(c, look) <= _SURELY_NOT)


def _under_a_hand(position: Position, evidence: Evidence) -> set[int]:
    """The unseen cells, where a hand rests over them: three or more side by side. Stacks hide cells here and there."""
    unseen = {c for c in range(evidence.size) if not evidence.seen(c)}
    beside = (len(unseen.intersection(position.board.neighbours[c])) for c in unseen)
    return unseen if max(beside, default=0) >= _HAND_COVERS - 1 else set()


def _doubt(position: Position, gone: frozenset[int]) -> str:
    """A sentence that says which disks make one think that the game has begun before."""
    disks, look = ("disk", "looks") if len(gone) == 1 else ("disks", "look")
    return f"the {disks} of {_named(position, gone)} {look} as if a game were under way"


def _named(position: Position, cells: Collection[int]) -> str:
    """Some cells' names in a sentence."""
    names = [position.board.names[c] for c in sorted(cells)]
    if len(names) > _NAMED:
        return f"{len(names)} cells"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _as_seen(opening: Opening) -> list[CellLook]:
    """The men of an opening as they looked when it stood on the table."""
    return [opening.misread[c][1] if c in opening.misread else look for c, look in enumerate(opening.position.look())]


def _moved(opening: Opening, looks: BoardLook) -> bool:
    """Whether the men that are seen are those of an opening, or have got there by one legal action or a part of it.
    Misread ones need not look as if they had become more or fewer."""
    then = _as_seen(opening)
    new = {c for c, (now, was) in enumerate(zip(looks, then, strict=True)) if now.places[1] != was.places[1]}

    def leads_there(action: Action) -> bool:
        stages = opening.position.material(action)
        if not new <= stages.keys():
            return False
        if not opening.misread:
            return all(looks[c].places[1] in {s.places[1] for s in stages[c]} for c in new)
        seen = all(looks[c].men in {s.men for s in stages[c]} for c in new)
        return seen and stages.keys() - new <= opening.misread.keys()

    return not new or any(map(leads_there, opening.position.actions()))


def _men_gone(opening: Opening, looks: BoardLook) -> bool:
    """Whether men have gone from where they stood in an opening: who sets men seldom takes any away."""
    pairs = zip(_as_seen(opening), looks, strict=True)
    return any(was.men and (now.men != was.men or now.height < was.height) for was, now in pairs)


def placed_looks(position: Position, evidence: Evidence) -> BoardLook:
    """The men as they are seen, on the surfaces of the empty board."""
    empty = position.look()
    seen = evidence.best_looks(empty)
    return tuple(type(now)(look.surface, now.men, now.height) for now, look in zip(seen, empty, strict=True))


def lead(openings: Sequence[tuple[float, Opening]]) -> float:
    """How much likelier the first opening is than the second."""
    return openings[0][0] - openings[1][0] if len(openings) > 1 else -MEN_FLOOR
