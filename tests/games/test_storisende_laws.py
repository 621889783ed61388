"""Laws of Storisende: what a turn may and may not change, in random games under both rule sets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bits import components, neighbour_bits
from engine.games._storisende_moves import Move
from engine.games.storisende import StorisendePosition
from tests.games.walks import walk

both = pytest.mark.parametrize("rules", ["mindsports", "ersatz"])
boards = pytest.mark.parametrize("board", ["hexhex-3", "modular-5"])
few = settings(max_examples=8, deadline=None)


def moves(rules: str, board: str, seed: int) -> list[tuple[StorisendePosition, Move, StorisendePosition]]:
    """The moves of a random game, with the positions before and after."""
    found = []
    for before, action, after in walk("storisende", rules, seed, 90, board):
        if isinstance(action, Move):
            assert isinstance(before, StorisendePosition)
            assert isinstance(after, StorisendePosition)
            found.append((before, action, after))
    return found


def territories(position: StorisendePosition) -> list[int]:
    """The connected sets of established cells."""
    return list(components(neighbour_bits(position.board), position.territory))


@both
@boards
@given(seed=st.integers(0, 10_000))
@few
def test_wall_and_pasture_never_change_back(rules: str, board: str, seed: int) -> None:
    """Established cells stay what they are; at most one cell a move becomes established, and only an emptied one."""
    for before, move, after in moves(rules, board, seed):
        assert before.territory & ~after.territory == 0
        assert before.wall & ~after.wall == 0
        fresh = (after.territory | after.wall) & ~(before.territory | before.wall)
        assert fresh in (0, 1 << move.source)
        assert bool(fresh) == (not move.part and before.tile(move.source) == "virgin")


@both
@boards
@given(seed=st.integers(0, 10_000))
@few
def test_a_territory_never_merges(rules: str, board: str, seed: int) -> None:
    """Every territory lies in one later territory, and no two in the same."""
    for before, _, after in moves(rules, board, seed):
        later = territories(after)
        homes = [next(part for part in later if old & part == old) for old in territories(before)]
        assert len(set(homes)) == len(homes)


@both
@boards
@given(seed=st.integers(0, 10_000))
@few
def test_men_are_conserved_but_for_sprouts_and_captures(rules: str, board: str, seed: int) -> None:
    """The mover gains one man where a double leaves a virgin cell; the other loses the men on the target."""
    for before, move, after in moves(rules, board, seed):
        mover, other = before.player, 3 - before.player
        height, met = before.stacks[move.source], before.stacks[move.target]
        sprout = not move.part and abs(height) == 2 and before.tile(move.source) == "virgin"
        captured = abs(met) if met * height < 0 else 0
        assert after.men(mover) == before.men(mover) + sprout
        assert after.men(other) == before.men(other) - captured


@both
@boards
@given(seed=st.integers(0, 10_000))
@few
def test_men_on_the_wall_grew_there(rules: str, board: str, seed: int) -> None:
    """A piece from the ground never lands on the wall; under ersatz rules nobody does."""
    for before, move, _ in moves(rules, board, seed):
        if before.tile(move.target) == "wall":
            assert before.tile(move.source) == "wall"
            assert rules == "mindsports"


@both
@given(seed=st.integers(0, 10_000))
@few
def test_equal_positions_reached_in_another_order_are_equal(rules: str, seed: int) -> None:
    """The order in which men are placed does not matter; hash and equality know it."""
    placed = [step for step in walk("storisende", rules, seed, 12, "hexhex-3") if step.before.stage == "placement"]
    men = [step.action for step in placed if step.action is not None and step.before.player == 1]
    position = other = placed[0].before
    for man in men:
        position = position.after(man)
    for man in reversed(men):
        other = other.after(man)
    assert position == other
    assert hash(position) == hash(other)


@both
@boards
@given(seed=st.integers(0, 10_000))
@few
def test_material_shows_capture_disk_and_sprout_as_steps(rules: str, board: str, seed: int) -> None:
    """A capture empties the target first; a vacated virgin cell is bare of men before its disk changes."""
    for before, move, after in moves(rules, board, seed):
        stages = before.material(move)
        assert set(stages) == {move.source, move.target}
        source, target = stages[move.source], stages[move.target]
        if before.stacks[move.target] * before.stacks[move.source] < 0:
            assert [look.men for look in target] == [3 - before.player, 0, before.player]
        else:
            assert len(target) == 2
        if not move.part and before.tile(move.source) == "virgin":
            assert [look.height for look in source][:3] == [abs(before.stacks[move.source]), 0, 0]
            assert source[1].surface != source[2].surface
            assert len(source) == (4 if after.stacks[move.source] else 3)
        else:
            assert len(source) == 2
