"""Placements found on the table: games in which each side sets all its men in one turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Protocol, runtime_checkable

from engine.errors import EngineError
from engine.game import Game, Position
from engine.look import MAX_HEIGHT, BoardLook, CellLook
from engine.referee.evidence import Evidence, Misread
from engine.referee.verdict import Ply

_MOST_MISREAD = 5
_ONE_OFF = -3.5  #: log-likelihood of a stack that is one man higher or lower than it looks
_ALL_HIGHER = -6.0  #: and of all being higher: doubles look much like single men twice as thick from above
_UNLIKELY = -10.0  #: openings that are so much less likely than what was seen are left out
_MOST_OTHERS = 40
_MOST_OPENINGS = 24
_MOST_TRIED = 10_000

#: Cells with what they really look like.
Changes = tuple[tuple[int, CellLook], ...]


@runtime_checkable
class PlacedBySides(Protocol):
    """A position of a game in which one turn sets all the men of a side."""

    def placement_limits(self) -> tuple[int, int]:
        """Least and greatest number of men of the placement under way."""
        ...


@dataclass(frozen=True, slots=True)
class Opening:
    """A finished placement: its turns, the position in which play begins, and the cells that are taken for something
    else, with what stands there and what it is taken for."""

    plies: tuple[Ply, ...]
    position: Position
    misread: Misread = field(default_factory=dict)


def men_on(looks: BoardLook, player: int) -> int:
    """How many men of a player lie on the table."""
    return sum(look.height for look in looks if look.men == player)


def placement_text(position: Position, looks: BoardLook, player: int) -> str:
    """The placement turn that sets a player's men as they lie on the table; a repeated cell makes a stack."""
    names = position.board.names
    return ",".join(names[c] for c, look in enumerate(looks) if look.men == player for _ in range(look.height))


def likely_openings(
    game: Game, position: Position, looks: BoardLook, evidence: Evidence, t_s: float, frame: int
) -> list[tuple[float, Opening]]:
    """The finished placements that the evidence allows, the likeliest first, with their log-likelihoods.

    `looks` is the likeliest look of every cell, on the surfaces of the empty board; up to `_MOST_MISREAD` cells may
    have been misread.
    """
    least, most = position.placement_limits() if isinstance(position, PlacedBySides) else (1, len(looks))
    rated = [
        (_likelihood(evidence, c, look, other), c, other)
        for c, look in enumerate(looks)
        if evidence.seen(c)
        for other in _other_men(look)
    ]
    # of equally likely misreadings, a stack taken for a lower or higher one comes before men from nothing
    others = sorted(
        (r for r in rated if r[0] > _UNLIKELY),
        key=lambda r: (-r[0], r[2].men != looks[r[1]].men, abs(r[2].height - looks[r[1]].height)),
    )[:_MOST_OTHERS]
    counts = men_on(looks, 1), men_on(looks, 2)
    balanced: list[tuple[float, int, BoardLook]] = []
    for score, changes in chain(islice(_misreadings(others), _MOST_TRIED), _all_higher(looks)):
        now = list(counts)
        for c, other in changes:
            for player in (1, 2):
                now[player - 1] += _height(other, player) - _height(looks[c], player)
        if now[0] == now[1] and least <= now[0] <= most:
            table = list(looks)
            for c, other in changes:
                table[c] = other
            balanced.append((score, len(changes), tuple(table)))
    found: list[tuple[float, Opening]] = []
    known = set()
    for score, _, placed in sorted(balanced, key=lambda b: (-b[0], b[1])):
        if placed in known:
            continue
        known.add(placed)
        opening = recognise(game, position, placed, t_s, frame)
        if isinstance(opening, Opening):
            misread = {c: (is_, look) for c, (is_, look) in enumerate(zip(placed, looks, strict=True)) if is_ != look}
            found.append((score, replace(opening, misread=misread)))
        if len(found) == _MOST_OPENINGS:
            break
    return found


def _misreadings(
    others: Sequence[tuple[float, int, CellLook]], first: int = 0, score: float = 0.0, cells: Changes = ()
) -> Iterator[tuple[float, Changes]]:
    """Every set of up to `_MOST_MISREAD` misread cells that is not too unlikely, from what they may really look like.

    `others` (log-likelihood, cell, look), the likeliest first.
    """
    yield score, cells
    if len(cells) == _MOST_MISREAD:
        return
    for k in range(first, len(others)):
        worse, c, look = others[k]
        if score + worse < _UNLIKELY:
            return
        if all(c != other for other, _ in cells):
            yield from _misreadings(others, k + 1, score + worse, (*cells, (c, look)))


def _all_higher(looks: BoardLook) -> Iterator[tuple[float, Changes]]:
    """All stacks one man higher than they look."""
    stacks = [(c, look) for c, look in enumerate(looks) if look.men]
    if all(look.height < MAX_HEIGHT for _, look in stacks):
        yield _ALL_HIGHER, tuple((c, CellLook(look.surface, look.men, look.height + 1)) for c, look in stacks)


def _likelihood(evidence: Evidence, cell: int, look: CellLook, other: CellLook) -> float:
    """How likely it is that a cell is other than it looks; an eye may well be wrong by one man, however sure it is."""
    score = evidence.men_score(cell, other) - evidence.men_score(cell, look)
    one_off = look.men == other.men and abs(look.height - other.height) == 1
    return max(score, _ONE_OFF) if one_off else score


def _height(look: CellLook, player: int) -> int:
    return look.height if look.men == player else 0


def _other_men(look: CellLook) -> list[CellLook]:
    """What a cell with a misread height, colour or man may really look like."""
    pairs = [(0, 0), *((player, height) for player in (1, 2) for height in range(1, 6))]
    return [CellLook(look.surface, men, height) for men, height in pairs if (men, height) != (look.men, look.height)]


def recognise(game: Game, position: Position, looks: BoardLook, t_s: float, frame: int) -> Opening | str:
    """The finished placement on the table, or a plain sentence that says why it is none yet."""
    plies: list[Ply] = []
    while position.stage == "placement":
        text = placement_text(position, looks, position.player)
        if not text:
            return "the board is empty" if not plies else "the second placement is missing"
        try:
            actions = position.parse_turn(text)
            player, after = position.player, position
            for action in actions:
                after = after.after(action)
            if after.turn:
                after = after.end_turn()
        except EngineError as error:
            return str(error)
        plies.append(Ply(player, game.format_turn(actions), actions, after, t_s=t_s, frame=frame))
        position = after
    wrong = [c for c, (a, b) in enumerate(zip(position.look(), looks, strict=True)) if a != b]
    if wrong:
        name = position.board.names[wrong[0]]
        return f"{name} does not look like the beginning of a game"
    return Opening(tuple(plies), position)
