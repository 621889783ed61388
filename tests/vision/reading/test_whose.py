"""Whose men stand there, by drawn tops."""

from dataclasses import replace

import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import MAX_HEIGHT
from vision.light import Light
from vision.men.men_colours import TOP_PARTS, MenColours
from vision.men.side_colours import Sides
from vision.networks.mixture import Mixture
from vision.networks.net import StackBelief
from vision.palette import Material, parse_colour
from vision.reading.learn import nominal_table
from vision.reading.whose import Tops, whose
from vision.sampling import REACH, STRIP_COLUMNS, STRIP_ENDS, STRIP_ROWS

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


def tops(picture: np.ndarray, cover: np.ndarray = OPEN, tilt: float = 0.0, rise: float = 0.0, up: float = UP) -> Tops:
    """The top in a strip, where it must be by its height."""
    stack = belief(tilt, rise, up)
    return Tops(picture, cover, stack.view, stack.risen(), measured=True)


def side(picture: np.ndarray, cover: np.ndarray = OPEN, tilt: float = 0.0) -> Sides:
    """What is seen of its side, on a board whose surfaces nobody knows."""
    top = tops(picture, cover, tilt)
    return top.sides(LIGHT, np.full((4, 3), np.nan), top.colours(LIGHT))


def told(picture: np.ndarray, cover: np.ndarray = OPEN, tilt: float = 0.0) -> np.ndarray:
    """Log-likelihoods (owners,) of whose man is there."""
    top = tops(picture, cover, tilt)
    return MEN.log_likelihoods(top.colours(LIGHT), side(picture, cover, tilt), np.zeros(1))[0]


def test_the_middle_of_a_top_has_the_colour_of_the_man() -> None:
    """Whatever its rim looks like, and a small mark on it."""
    marked = strip(YELLOW, BLUE)
    marked[:, STRIP_ROWS * 2 // 9 : STRIP_ROWS * 2 // 9 + 5, STRIP_COLUMNS // 2 - 2 : STRIP_COLUMNS // 2 + 2] = BLUE
    assert (marked != strip(YELLOW, BLUE)).any()
    assert tops(marked).colours(LIGHT)[0] * 255 == pytest.approx(np.array(YELLOW), abs=1)
    assert told(strip(YELLOW, BLUE)).argmax() == 0
    assert told(strip(BLUE, YELLOW)).argmax() == 1


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
    seen = tops(picture, OPEN, tilt, rise, middle - 0.15).colours(LIGHT)[0] * 255
    assert seen == pytest.approx(np.array(YELLOW), abs=1)


@pytest.mark.parametrize(("colour", "k"), [(YELLOW, 0), (BLUE, 1)])
def test_men_that_mirror_the_lamp_show_their_colour_beside_it(colour: tuple[int, int, int], k: int) -> None:
    """Where nearly two thirds of a top are lamp the rest tells; where all is, either player's man may be there."""
    picture = strip(colour, colour)
    picture[:, :, STRIP_COLUMNS * 2 // 5 :] = LAMP
    assert tops(picture).colours(LIGHT)[0] * 255 == pytest.approx(np.array(colour), abs=1)
    beside, nothing = told(picture), told(strip(LAMP, LAMP))
    assert beside.argmax() == k
    assert beside[k] - beside[1 - k] > nothing[k] - nothing[1 - k] + 10


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
    seen = side(picture, OPEN, tilt)
    assert np.median(seen.colours[0], axis=1) * 255 == pytest.approx(np.array(BLUE), abs=1)
    assert seen.weight[0] > 4.5
    assert side(picture).weight == pytest.approx(0)
    assert told(picture, OPEN, tilt)[1] > told(picture, OPEN, tilt)[0] + 2


def test_a_top_half_in_the_shade_is_judged_by_the_other_half() -> None:
    """Shade of another hue than the lamp looks like no man's colour; with all of a top like that it is no man's."""
    material = Material((parse_colour("yellow"), parse_colour("blue")))
    table = replace(nominal_table(named_layout("hexhex-3"), material), light=LIGHT, men=MEN)
    shade, off = (60, 110, 45), np.zeros(1)
    for colour, k in ((YELLOW, 0), (BLUE, 1)):
        picture = strip(colour, colour)
        picture[:, :, : STRIP_COLUMNS // 2] = shade
        likely = whose(table, tops(picture), off)[0]
        assert likely.argmax() == k
        assert likely.max() > -2
    assert whose(table, tops(strip(shade, shade)), off).max() < -8
    behind, cover = strip(shade, shade), OPEN.copy()
    cover[:, :, STRIP_COLUMNS // 2 :] = 1
    behind[cover > 0] = YELLOW
    assert whose(table, tops(behind, cover), off).max() < -8


def test_the_part_of_a_top_that_shows_men_best_has_a_say() -> None:
    """Blue ink on yellow men misleads where the darkest part of tops is asked, not where a brighter one is; nor does a
    nearer stack then, of which the brightest is seen."""
    material = Material((parse_colour("yellow"), parse_colour("blue")))
    dark = replace(nominal_table(named_layout("hexhex-3"), material), light=LIGHT, men=MEN)
    bright = replace(dark, men=replace(MEN, part=TOP_PARTS[-1]))
    picture, cover = strip(YELLOW, YELLOW), OPEN.copy()
    picture[:, :, STRIP_COLUMNS * 9 // 20 : STRIP_COLUMNS * 11 // 20] = BLUE
    assert whose(dark, tops(picture), np.zeros(1))[0].argmax() == 1
    assert whose(bright, tops(picture), np.zeros(1))[0].argmax() == 0
    cover[:, :, STRIP_COLUMNS * 11 // 20 :] = 1
    picture[cover > 0] = LAMP
    assert whose(bright, tops(picture, cover), np.zeros(1))[0].argmax() == 0
    assert tops(picture, cover).colours(LIGHT, TOP_PARTS[-1])[0] * 255 == pytest.approx(np.array(YELLOW), abs=1)


@pytest.mark.parametrize("tilt", [0.0, 0.6])
def test_a_nearer_stack_in_front_has_no_say(tilt: float) -> None:
    """The lower right of a yellow top is behind a nearer stack of blue men; so is most of its side."""
    picture, cover = strip(YELLOW, YELLOW), OPEN.copy()
    cover[:, : STRIP_ROWS * 2 // 5, STRIP_COLUMNS * 2 // 5 :] = 1
    picture[cover > 0] = BLUE
    assert tops(picture, cover, tilt).colours(LIGHT)[0] * 255 == pytest.approx(np.array(YELLOW), abs=1)
    assert side(picture, cover, tilt).seen.mean() < 0.5
    assert told(picture, cover, tilt).argmax() == 0
    assert told(picture, OPEN, tilt).argmax() == 1
