"""What is taken for white and for black, and that a washed-out picture is read like a clear one."""

import json
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import named_board
from engine.layout import layout_of, named_layout, parse_layout
from engine.look import Surface
from tests.footage_places import footage, photos
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.light import Light, light_of, light_without_disks
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.evidence import Shot
from vision.reading.learn import learn_table
from vision.reading.read import CellReader


@settings(max_examples=20, deadline=None)
@given(haze=st.floats(0.0, 0.5), level=st.integers(60, 220))
def test_haze_does_not_change_relative_colours(haze: float, level: int) -> None:
    """A white table and a black thing on the board are 1 and 0 through any haze."""
    layout = layout_of(named_board("hexhex-3"))
    pose = camera(layout, 25.0)
    picture = draw(layout, pose, disk=None, table=(240, 240, 240))
    u, v = np.rint(pose.project(np.array([*layout.centres_mm[0], 0.0]))).astype(int)
    picture[v - 60 : v + 60, u - 60 : u + 60] = 12
    hazy = (picture * (1 - haze) + haze * level).astype(np.uint8)
    light = light_of(hazy, pose, layout, None)
    shown = light.relative(hazy[[5, v], [5, u]])
    assert shown[0] == pytest.approx(1.0, abs=0.05)
    assert shown[1] == pytest.approx(0.0, abs=0.14)  # a little haze is let be


def test_light_disks_are_white_where_there_are_some() -> None:
    """On a board with disks the brighter cells are the yardstick, whatever lies beside the board."""
    layout = layout_of(named_board("hexhex-3"))
    pose = camera(layout, 25.0)
    picture = draw(layout, pose, table=(250, 250, 250))
    feet = np.full((20, 36, 24, 3), (150, 190, 214), np.uint8)
    assert light_of(picture, pose, layout, feet).white_bgr == pytest.approx((150, 190, 214))


def test_what_was_taken_for_white_may_have_a_colour() -> None:
    """Where yellow disks were taken for white, white has more blue than they; haze has the same."""
    light = Light((80.0, 170.0, 210.0), 20.0)
    white = light.where_white_is(np.array([0.3, 0.75, 1.0]))
    assert white.haze == light.haze
    assert white.relative(np.array([[80, 170, 210]], np.uint8)) == pytest.approx(np.array([[0.3, 0.75, 1.0]]), abs=1e-5)


def test_a_clear_picture_has_no_haze() -> None:
    """Colours are simply in proportion to white then."""
    shown = Light((200.0, 100.0, 50.0)).relative(np.array([[100, 100, 100]], np.uint8))
    assert shown == pytest.approx(np.array([[0.5, 1.0, 2.0]]))


def _washed(picture: Picture) -> Picture:
    """A veil of grey and strong compression."""
    veiled = (picture * 0.65 + 0.35 * 170).astype(np.uint8)
    coded = cv2.imencode(".jpg", veiled, [cv2.IMWRITE_JPEG_QUALITY, 40])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


def _uneven(picture: Picture) -> Picture:
    """Darker to the left."""
    return (picture * np.linspace(0.6, 1.0, picture.shape[1])[:, None]).astype(np.uint8)


#: What becomes of photographs.
COPIES: dict[str, Callable[[Picture], Picture]] = {
    "as they are": lambda picture: picture,
    "washed out": _washed,
    "uneven": _uneven,
    "darker": lambda picture: (255 * (picture / 255) ** 1.4).astype(np.uint8),
    "warm": lambda picture: np.minimum(picture * np.array([0.75, 0.95, 1.1]), 255).astype(np.uint8),
    "smaller": lambda picture: np.asarray(cv2.resize(picture, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)),
}


def _read_photograph(name: str, copy: Callable[[Picture], Picture]) -> tuple[int, int, int, list[str]]:
    """Pieces on the photograph, those of the right colour, those of the right height too, and cells of false ones."""
    men = json.loads((photos() / f"draughts-{name}.json").read_text())["men"]
    layout = parse_layout((footage() / "boards" / "draughts-8x8.toml").read_text(), "draughts-8x8")
    picture = copy(load_picture(photos() / f"draughts-{name}.jpg"))
    words = (None, "ivory", "black")
    material = Material((parse_colour("ivory"), parse_colour("black")), None)
    found = find_board(picture, layout, None, material)
    assert isinstance(found, FoundBoard)
    cells = CellReader(found.pose, layout, learn_table(picture, found.pose, layout, material)).read(picture)
    best = {cell: reading.best() for cell, reading in zip(layout.names, cells, strict=True)}
    coloured = sum(words[best[cell].men] == owner for cell, (owner, _) in men.items())
    right = sum((words[best[cell].men], best[cell].height) == (owner, height) for cell, (owner, height) in men.items())
    return len(men), coloured, right, [cell for cell, look in best.items() if look.men and cell not in men]


@pytest.mark.parametrize("copy", list(COPIES))
def test_real_photographs(copy: str) -> None:
    """Men on a printed draughts board: all have the right colour and height, and there is no false piece. (By shapes
    alone a man of the 25 was missed on each of the last four copies.)"""
    for name in ("full-board", "whites2"):
        there, coloured, right, false = _read_photograph(name, COPIES[copy])
        assert (there, there, []) == (coloured, right, false)


@pytest.mark.parametrize("disks", [(3, 12), (12,)])
def test_a_light_disk_or_two_among_dark_cells_are_white(disks: tuple[int, ...]) -> None:
    """Late in a game: three cells in ten are taken for white, most of them red men and green cells, until it is known
    where disks lie open. (White was a dull pink, and maroon men were yellow, on one of 210 rendered boards; it was
    olive, and a teal man below the mirrored lamp was ivory, on one of 28 that had two open light disks at most.)"""
    layout = named_layout("hexhex-3")
    pose, beige = camera(layout, 20.0), (150, 190, 214)
    image = draw(layout, pose, disk=None)
    for i, centre in enumerate(layout.centres_mm):
        if i in disks:
            draw_round(image, pose, centre, 0.86 * layout.pitch_mm, 0.045 * layout.pitch_mm, beige)
        elif i % 4 == 0:
            draw_round(image, pose, centre, 0.71 * layout.pitch_mm, 0.17 * layout.pitch_mm, (60, 50, 170))
    material = Material((parse_colour("yellow"), parse_colour("maroon")))
    table = learn_table(image, pose, layout, material)
    assert table.light.white_bgr == pytest.approx(beige, abs=8)
    feet = Shot(image, pose, layout, image).feet(table)
    assert light_of(image, pose, layout, feet).white_bgr[2] < 180


@pytest.mark.parametrize("men", ["#2e1c34,#a132ac", "maroon,orange", "ivory,walnut", "purple,red", "teal,orange"])
def test_white_is_known_where_no_light_disk_lies_open(men: str) -> None:
    """Late in a game: what light disks would look like follows from the board and the dark disks, and so whose the men
    are. (White was green, and dark violet men were bright ones, on a rendered board with one beige disk, under men.)"""
    layout = named_layout("hexhex-3")
    pose, beige = camera(layout, 20.0), (150, 190, 214)
    first, second = (parse_colour(word) for word in men.split(","))
    material = Material((first, second))
    image = draw(layout, pose, disk=None)
    owners = {}
    for i, (name, centre) in enumerate(zip(layout.names, layout.centres_mm, strict=True)):
        if i % 4 == 1:
            draw_round(image, pose, centre, 0.86 * layout.pitch_mm, 0.045 * layout.pitch_mm, (44, 52, 66))
        elif i % 4 == 3:
            owners[name] = 1 + i // 4 % 2
            colour = material.men[owners[name] - 1].rgb[::-1]
            draw_round(image, pose, centre, 0.71 * layout.pitch_mm, 0.17 * layout.pitch_mm, colour)
    table = learn_table(image, pose, layout, material)
    assert table.light.white_bgr == pytest.approx(beige, rel=0.4)
    read = dict(zip(layout.names, CellReader(pose, layout, table).read(image), strict=True))
    assert {name: reading.best().men for name, reading in read.items() if reading.best().men} == owners


def test_men_brighter_than_light_disks_say_that_these_are_none() -> None:
    """A rendered board late in a game without an open light disk, its true sizes known: a dark disk was taken for a
    light one and so for white, all other dark disks were beige ones, and maroon men ivory ones, some surely."""
    image = load_picture(PICTURES / "no_light_disk_hexhex-3.jpg")
    layout = replace(named_layout("hexhex-3"), man_mm=(28.9, 7.09), disk_mm=(34.9, 1.78))
    ivory, maroon, slate = (parse_colour(word) for word in ("ivory", "maroon", "slate"))
    material = Material((ivory, maroon), (ivory, slate))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    read = CellReader(found.pose, layout, learn_table(image, found.pose, layout, material)).read(image)
    looks = {name: reading.best() for name, reading in zip(layout.names, read, strict=True)}
    assert {name: (look.men, look.height) for name, look in looks.items() if look.men} == {"b2": (2, 6), "d5": (1, 5)}
    dark = {name for name, look in looks.items() if look.surface is Surface.DARK}
    assert dark == {"a2", "b3", "c3", "d4", "e3"}
    assert not {look.surface for look in looks.values()} & {Surface.BEIGE}


def test_disks_much_brighter_than_other_dark_ones_are_light() -> None:
    """A rendered board late in a game: sage green was taken for white, and five oak disks for dark ones, surely."""
    image = load_picture(PICTURES / "late_light_disks_hexhex-4.jpg")
    layout = named_layout("hexhex-4")
    material = Material((parse_colour("orange"), parse_colour("black")))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    read = CellReader(found.pose, layout, learn_table(image, found.pose, layout, material)).read(image)
    lies_open = [look.surface for look in (reading.best() for reading in read) if not look.men]
    assert (lies_open.count(Surface.BEIGE), lies_open.count(Surface.DARK)) == (5, 8)


def test_light_that_nothing_tells_is_let_be() -> None:
    """Where neither the bare board nor dark disks are known white stays what it was."""
    light, unknown = Light((90.0, 120.0, 80.0), 10.0), np.full(3, np.nan)
    assert light_without_disks(light, unknown, unknown) == light
    assert light_without_disks(light, np.full(3, 1.0), unknown).white_bgr > light.white_bgr


def test_a_board_of_paper_does_not_tell_what_light_disks_look_like() -> None:
    """Only dark disks do then: a board four times as bright as they are is no felt."""
    light, dark, unknown = Light((200.0, 200.0, 200.0)), np.full(3, 0.25), np.full(3, np.nan)
    by_dark = light_without_disks(light, unknown, dark)
    assert light_without_disks(light, np.full(3, 1.0), dark) == by_dark
    assert light_without_disks(light, np.full(3, 0.4), dark) != by_dark
