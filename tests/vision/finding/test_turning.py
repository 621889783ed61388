"""Boards that come to lie on themselves when turned: which way up they lie is told by what is known to stand there."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import hexhex, named_board
from engine.layout import layout_of, named_layout
from engine.look import CellLook, Surface, certain
from vision.finding.turning import better_turn, middle_mm, turns_of
from vision.geometry import BoardPose, Lens

LAYOUT = named_layout("hexhex-4")
EMPTY = tuple(CellLook(Surface.BEIGE) for _ in LAYOUT.names)


def with_men(*names: str) -> tuple[CellLook, ...]:
    """The board with a stack of two of the first player on some cells."""
    return tuple(CellLook(Surface.BEIGE, 1, 2) if name in names else CellLook(Surface.BEIGE) for name in LAYOUT.names)


@given(sixths=st.integers(1, 5), seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_board_that_was_found_turned_is_turned_back(sixths: int, seed: int) -> None:
    """Whatever stands there, as long as it does not look the same turned; as it is, it stays."""
    rng = np.random.default_rng(seed)
    names = rng.choice(LAYOUT.names, 5, replace=False).tolist()
    looks = with_men(*names)
    order = turns_of(LAYOUT)[sixths]
    read = [certain(EMPTY[0])] * len(EMPTY)
    for cell, look in enumerate(looks):
        read[order[cell]] = certain(look)
    turned = better_turn(LAYOUT, read, looks)
    back = [read[i] for i in (turns_of(LAYOUT)[turned] if turned else range(len(read)))]
    assert back == [certain(look) for look in looks]
    assert better_turn(LAYOUT, [certain(look) for look in looks], looks) == 0


def test_what_looks_alike_or_tells_little_is_left_as_it_is() -> None:
    """An empty board, and one man who was misread."""
    assert better_turn(LAYOUT, [certain(look) for look in EMPTY], EMPTY) == 0
    seen = [certain(look) for look in with_men("a3")]
    assert better_turn(LAYOUT, seen, EMPTY) == 0


def test_what_was_read_before_and_what_the_referee_knows_are_weighed_together() -> None:
    """Where one speaks for a turn and the other against it the board stays; unknown cells say nothing."""
    order = turns_of(LAYOUT)[3]
    looks = with_men("a3", "b4", "d2")
    read = [certain(look) for look in looks]
    turned = tuple(looks[i] for i in order)
    assert better_turn(LAYOUT, read, turned) == 3
    assert better_turn(LAYOUT, read, turned, looks) == 0
    assert better_turn(LAYOUT, read, turned, [None] * len(looks)) == 3
    assert better_turn(LAYOUT, read, [None] * len(looks)) == 0


def test_only_boards_that_lie_on_themselves_can_be_turned() -> None:
    """A hexagon six ways, seven modules in a ring too, a diamond by half a turn, five modules not at all."""
    assert sorted(turns_of(LAYOUT)) == [1, 2, 3, 4, 5]
    assert sorted(turns_of(layout_of(named_board("modular-7")))) == [1, 2, 3, 4, 5]
    assert sorted(turns_of(layout_of(named_board("diamond-7")))) == [3]
    lake = [cell for cell in hexhex(4).cells if tuple(cell) != (1, 0)]
    assert turns_of(layout_of(type(hexhex(4))("a lake aside", tuple(lake)))) == {}


def test_a_turned_pose_shows_each_cell_where_the_other_was() -> None:
    """The same pixels, other names."""
    lens = Lens(1280, 720, 900.0, 900.0, 640.0, 360.0)
    tilt = np.array([[1, 0, 0], [0, -0.8, 0.6], [0, -0.6, -0.8]])
    pose = BoardPose(lens, tilt, np.array([12.0, -30.0, 900.0]))
    centres = np.column_stack([np.array(LAYOUT.centres_mm), np.zeros(len(LAYOUT.names))])
    for sixths, order in turns_of(LAYOUT).items():
        turned = pose.turned(sixths, middle_mm(LAYOUT))
        assert np.allclose(turned.project(centres), pose.project(centres[order]), atol=1e-6)
