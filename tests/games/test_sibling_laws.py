"""Laws of castle, Phalanx and Hexteroyd on tables strewn at random: refusals, what is conserved, what never changes."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import hexhex
from engine.errors import IllegalActionError
from engine.game import PASS, Action, Position
from engine.games._castle_moves import ManMove
from engine.games._castle_moves import Place as CastlePlace
from engine.games._hexteroyd_moves import FILL, TakeBack, Turn
from engine.games._hexteroyd_moves import Place as PawnPlace
from engine.games._moves import LineMove
from engine.games._phalanx_moves import CHOICES, Extra, Grow
from engine.games._phalanx_moves import Place as PhalanxPlace
from engine.games.hexteroyd import HexteroydPosition
from engine.games.phalanx import PhalanxPosition
from tests.games import test_castle_literal, test_hexteroyd_literal, test_phalanx_literal

SEEDS = st.integers(0, 1_000_000)
some = settings(max_examples=60, deadline=None)
_BOARD = hexhex(4)


def castle_actions(dice: random.Random) -> Iterable[Action]:
    """All single moves and placements, and many phalanx moves, most of them senseless."""
    names = _BOARD.names
    yield PASS
    yield from map(CastlePlace, names)
    yield from (ManMove(a, b) for a in names for b in names)
    yield from (LineMove(*dice.choices(names, k=3)) for _ in range(300))
    yield from line_moves()


def line_moves() -> Iterable[LineMove]:
    """Every tail, head and goal that are in line in this order."""
    for tail in range(len(_BOARD)):
        for ray in _BOARD.rays[tail]:
            for i, head in enumerate(ray):
                yield from (LineMove(_BOARD.names[tail], _BOARD.names[head], _BOARD.names[g]) for g in ray[i + 1 :])


def phalanx_actions(dice: random.Random) -> Iterable[Action]:
    """Growth anywhere, placements, choices and phalanx moves."""
    names = _BOARD.names
    yield PASS
    yield from CHOICES
    yield from map(Grow, names)
    yield from map(Extra, names)
    yield from (PhalanxPlace(colour, name) for colour in (1, 2) for name in names)
    yield from (LineMove(*dice.choices(names, k=3)) for _ in range(300))
    yield from line_moves()


def hexteroyd_actions(dice: random.Random) -> Iterable[Action]:
    """Pawns anywhere with any disks, taking back, filling and turning."""
    names = _BOARD.names
    yield PASS
    yield FILL
    yield from map(TakeBack, names)
    for _ in range(600):
        cell = dice.randrange(len(names))
        near = [names[n] for n in _BOARD.neighbours[cell]]
        turned = dice.sample(near, min(len(near), dice.choice((1, 1, 2, 3))))
        ordered = tuple(sorted(turned, key=_BOARD.parse))
        yield PawnPlace(dice.choice((len(ordered), len(ordered), 1, 2, 3)), names[cell], ordered)
        yield Turn(ordered)


def check_refusals(position: Position, conceivable: Iterable[Action]) -> None:
    """Exactly the actions that are listed are accepted; all others are refused with a sentence that names them."""
    legal = set(position.actions())
    for action in conceivable:
        if action in legal:
            position.after(action)
            continue
        with pytest.raises(IllegalActionError) as error:
            position.after(action)
        assert str(error.value).startswith(f"{action}: ")
        assert "is free" not in str(error.value)


@given(seed=SEEDS)
@some
def test_castle_refuses_what_it_does_not_list(seed: int) -> None:
    """With the rule's sentence."""
    dice = random.Random(seed)
    check_refusals(test_castle_literal.random_table(_BOARD, 4, dice)[0], castle_actions(dice))


@given(seed=SEEDS)
@some
def test_phalanx_refuses_what_it_does_not_list(seed: int) -> None:
    """At the start of a turn and inside it."""
    dice = random.Random(seed)
    position = test_phalanx_literal.random_table(_BOARD, 4, dice)[0]
    check_refusals(position, phalanx_actions(dice))
    inside = [a for a in position.actions() if a != PASS]
    if inside:
        check_refusals(position.after(dice.choice(inside)), phalanx_actions(dice))


@given(seed=SEEDS)
@some
def test_hexteroyd_refuses_what_it_does_not_list(seed: int) -> None:
    """At the start of a turn and after a placement."""
    dice = random.Random(seed)
    position = test_hexteroyd_literal.random_table(_BOARD, 4, dice)[0]
    check_refusals(position, hexteroyd_actions(dice))
    placements = [a for a in position.actions() if isinstance(a, PawnPlace)]
    if placements:
        check_refusals(position.after(dice.choice(placements)), hexteroyd_actions(dice))


@given(seed=SEEDS)
@some
def test_castle_men_are_conserved_but_for_those_taken_off(seed: int) -> None:
    """The opponent never loses or wins a man; the mover loses some only where a phalanx ends its move inside."""
    position = test_castle_literal.random_table(_BOARD, 4, random.Random(seed))[0]
    mine, other = position.player, 3 - position.player
    for action in position.actions():
        after = position.after(action)
        assert after.men.count(other) == position.men.count(other)
        lost = position.men.count(mine) - after.men.count(mine)
        assert lost >= 0
        if lost:
            assert isinstance(action, LineMove)
            assert position.ground.inside[position.board.parse(action.goal)]


@given(seed=SEEDS)
@some
def test_castle_the_throne_stays_vacant_until_it_is_won(seed: int) -> None:
    """Nobody stands on it but the winner."""
    position = test_castle_literal.random_table(_BOARD, 4, random.Random(seed))[0]
    for action in position.actions():
        after = position.after(action)
        assert (after.men[after.ground.throne] != 0) == (after.outcome is not None)


@given(seed=SEEDS)
@some
def test_phalanx_men_and_wall_are_conserved_but_for_growth_and_capture(seed: int) -> None:
    """Growth adds one man; capture turns as many men of each side into as many cells of the lasting wall."""
    dice = random.Random(seed)
    position: PhalanxPosition = test_phalanx_literal.random_table(_BOARD, 4, dice)[0]
    for action in position.actions():
        after = position.after(action)
        walled = after.wall.bit_count() - position.wall.bit_count()
        assert after.wall & position.wall == position.wall
        sides = [(position.red, after.red), (position.yellow, after.yellow)]
        gains = [new.bit_count() - old.bit_count() for old, new in sides]
        other = 2 - position.player
        assert gains[other] == -walled
        assert gains[1 - other] == -walled + isinstance(action, Grow)
        assert after.lost[other] - position.lost[other] == walled


@given(seed=SEEDS)
@some
def test_hexteroyd_pawns_are_conserved_and_disks_never_leave(seed: int) -> None:
    """On the board and in the hands there are always the same values; covered cells stay covered."""

    def values(position: HexteroydPosition) -> list[int]:
        return sorted([*(v for v in position.pawns if v), *position.hands[0], *position.hands[1]])

    dice = random.Random(seed)
    position = test_hexteroyd_literal.random_table(_BOARD, 4, dice)[0]
    for action in position.actions():
        after = position.after(action)
        assert values(after) == values(position)
        assert not after.free & ~position.free
        assert not after.light & after.dark
        assert (position.light | position.dark) & ~(after.light | after.dark) == 0
