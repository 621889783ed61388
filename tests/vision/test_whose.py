"""Whose men stand there, by drawn tops."""

import numpy as np
import pytest

from engine.look import MAX_HEIGHT
from vision.light import Light
from vision.men_colours import MenColours
from vision.mixture import Mixture
from vision.net import StackBelief
from vision.sampling import REACH, STRIP_COLUMNS, STRIP_ENDS, STRIP_ROWS
from vision.whose import side_colours, top_colours, whose

#: The top of something as high as the disk is, seen from anywhere.
UP = 0.0
YELLOW, BLUE, LAMP = (40, 180, 230), (200, 90, 30), (255, 255, 255)
LIGHT = Light((255.0, 255.0, 255.0))
MEN = MenColours(np.array([np.array(c) / 255.0 for c in (YELLOW, BLUE)]) ** 2.2, np.ones(3), np.full(3, 1.6))

#: Nothing is in front.
OPEN = np.zeros((1, STRIP_ROWS, STRIP_COLUMNS), np.int8)


def strip(middle: tuple[int, int, int], rim: tuple[int, int, int]) -> np.ndarray:
    """A strip (1, rows, columns, 3) with a top whose outermost tenth has another colour, on a grey board."""
    low, high = STRIP_ENDS
    up = low + (np.arange(STRIP_ROWS) + 0.5) / STRIP_ROWS * (high - low) - UP
    across = ((np.arange(STRIP_COLUMNS) + 0.5) / STRIP_COLUMNS * 2 - 1) * REACH
    far = np.hypot(up[:, None], across)
    picture = np.full((STRIP_ROWS, STRIP_COLUMNS, 3), 128, np.uint8)
    picture[far < 0.53], picture[far < 0.45] = rim, middle
    return picture[None]


def belief(tilt: float = 0.0, rise: float = 0.0, up: float = UP) -> StackBelief:
    """One stack so high, seen at such an angle from the vertical, with its top taken to be so far up the strip."""
    zeros, part = np.zeros(1, np.float32), np.zeros((1, 1), np.float32)
    top, view = np.array([[0.0, up]], np.float32), np.array([[np.sin(tilt), np.cos(tilt), 0.7, 0.0, 0.4]], np.float32)
    high = Mixture(part, part + np.float32(rise), part)
    return StackBelief(zeros, top, high, np.zeros((1, MAX_HEIGHT), np.float32), part, view)


def owner(picture: np.ndarray) -> int:
    """Whose man is most likely there."""
    return int(whose(MEN, picture, OPEN, belief(), LIGHT).argmax()) + 1


def test_the_middle_of_a_top_has_the_colour_of_the_man() -> None:
    """Whatever its rim looks like, and a small mark on it."""
    marked = strip(YELLOW, BLUE)
    marked[:, STRIP_ROWS * 2 // 9 : STRIP_ROWS * 2 // 9 + 5, STRIP_COLUMNS // 2 - 2 : STRIP_COLUMNS // 2 + 2] = BLUE
    assert (marked != strip(YELLOW, BLUE)).any()
    assert top_colours(marked, OPEN, belief(), LIGHT)[0] * 255 == pytest.approx(np.array(YELLOW), abs=1)
    assert owner(strip(YELLOW, BLUE)) == 1
    assert owner(strip(BLUE, YELLOW)) == 2


def test_a_top_is_looked_for_where_it_must_be_by_its_height() -> None:
    """A high stack seen at 45°: its side below, in deep shade, has no say, wherever the network took the top to be."""
    tilt, rise = float(np.radians(45)), 1.2
    low, high = STRIP_ENDS
    up = low + (np.arange(STRIP_ROWS) + 0.5) / STRIP_ROWS * (high - low)
    across = ((np.arange(STRIP_COLUMNS) + 0.5) / STRIP_COLUMNS * 2 - 1) * REACH
    middle = rise * np.sin(tilt) / (1 - 0.04 * rise)
    picture = np.full((1, STRIP_ROWS, STRIP_COLUMNS, 3), 128, np.uint8)
    picture[0][(up[:, None] < middle) & (np.abs(across) < 0.5)] = (20, 20, 20)
    picture[0][np.hypot((up[:, None] - middle) / np.cos(tilt), across) < 0.5] = YELLOW
    seen = top_colours(picture, OPEN, belief(tilt, rise, middle - 0.15), LIGHT)[0] * 255
    assert seen == pytest.approx(np.array(YELLOW), abs=1)


@pytest.mark.parametrize(("colour", "k"), [(YELLOW, 0), (BLUE, 1)])
def test_men_that_mirror_the_lamp_show_their_colour_beside_it(colour: tuple[int, int, int], k: int) -> None:
    """Where nearly two thirds of a top are lamp the rest tells; where all is, either player's man may be there."""
    picture = strip(colour, colour)
    picture[:, :, STRIP_COLUMNS * 2 // 5 :] = LAMP
    assert top_colours(picture, OPEN, belief(), LIGHT)[0] * 255 == pytest.approx(np.array(colour), abs=1)
    told, nothing = (whose(MEN, p, OPEN, belief(), LIGHT)[0] for p in (picture, strip(LAMP, LAMP)))
    assert told.argmax() == k
    assert told[k] - told[1 - k] > nothing[k] - nothing[1 - k] + 10


def test_the_side_is_looked_at_below_the_near_edge_of_the_top() -> None:
    """Its colour is what lies there, whatever the top looks like; seen from straight above there is none."""
    tilt = float(np.radians(45))
    low, high = STRIP_ENDS
    up = low + (np.arange(STRIP_ROWS) + 0.5) / STRIP_ROWS * (high - low) - UP
    across = ((np.arange(STRIP_COLUMNS) + 0.5) / STRIP_COLUMNS * 2 - 1) * REACH
    below = up[:, None] + 0.5 * np.cos(tilt) * np.sqrt(np.clip(1 - 4 * across**2, 0, None))
    picture = np.full((1, STRIP_ROWS, STRIP_COLUMNS, 3), 128, np.uint8)
    picture[0][np.abs(across) < 0.5 + 0 * up[:, None]] = LAMP
    picture[0][(below < -0.02) & (below > -0.25 * np.sin(tilt)) & (np.abs(across) < 0.5)] = BLUE
    assert side_colours(picture, OPEN, belief(tilt), LIGHT)[0] * 255 == pytest.approx(np.array(BLUE), abs=1)
    assert np.isnan(side_colours(picture, OPEN, belief(), LIGHT)).all()
    told = whose(MEN, picture, OPEN, belief(tilt), LIGHT)[0]
    assert told[1] > told[0] + 2


@pytest.mark.parametrize("tilt", [0.0, 0.6])
def test_a_nearer_stack_in_front_has_no_say(tilt: float) -> None:
    """The lower right of a yellow top is behind a nearer stack of blue men; so is most of its side."""
    picture, cover = strip(YELLOW, YELLOW), OPEN.copy()
    cover[:, : STRIP_ROWS * 2 // 5, STRIP_COLUMNS * 2 // 5 :] = 1
    picture[cover > 0] = BLUE
    assert top_colours(picture, cover, belief(tilt), LIGHT)[0] * 255 == pytest.approx(np.array(YELLOW), abs=1)
    assert np.isnan(side_colours(picture, cover, belief(tilt), LIGHT)).all()
    assert whose(MEN, picture, cover, belief(tilt), LIGHT).argmax() == 0
    assert whose(MEN, picture, OPEN, belief(tilt), LIGHT).argmax() == 1
