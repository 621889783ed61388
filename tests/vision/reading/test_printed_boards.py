"""Printed boards without disks, and with fields of two colours: rendered pictures as a cheap webcam gives them."""

from functools import lru_cache

import pytest

from engine.layout import Layout, parse_layout
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.geometry import BoardPose
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.first_look import FirstLook, first_look

#: Men by field, player and height. From nearly above only shadows told that three of them are one man, not two.
LOW_STACKS = {
    "a3": (2, 1), "a7": (1, 2), "b2": (2, 3), "b4": (1, 2), "c3": (2, 2), "e1": (1, 1), "e3": (2, 2), "e7": (1, 1),
    "f2": (2, 1), "f4": (1, 2), "f6": (1, 1), "g3": (2, 2), "g5": (1, 1), "g7": (2, 2), "h2": (2, 2),
}  # fmt: skip
#: Five open fields before these men were tall stacks with the tops of men behind them, which they hid.
CROWDED = {
    "a1": (1, 2), "a5": (1, 1), "a7": (1, 2), "b4": (2, 3), "b6": (1, 2), "b8": (1, 2), "c1": (2, 2), "c7": (1, 2),
    "d2": (2, 2), "d4": (1, 2), "d6": (2, 2), "e3": (2, 1), "e5": (1, 2), "f2": (1, 1), "f4": (1, 1), "f6": (2, 2),
    "g1": (2, 2), "g3": (2, 1), "g5": (2, 2), "g7": (2, 1), "h2": (1, 2), "h8": (1, 3),
}  # fmt: skip


def printed(fields: set[str] | None = None, pitch_mm: float = 40.0, men: str = "man_mm = [38, 11]") -> Layout:
    """A board of eight by eight fields with markers about it, or some of its fields only, and what is known of men."""
    points = [
        f"{row}{column} = [{40 * column - 20}, {40 * i + 20}]"
        for i, row in enumerate("abcdefgh")
        for column in range(1, 9)
        if fields is None or f"{row}{column}" in fields
    ]
    corners = [(-60, 380), (380, 380), (380, -60), (-60, -60)]
    markers = [f"{i} = [{x}, {y}]" for i, (x, y) in enumerate(corners)]
    head = ['name = "printed"', f"pitch_mm = {pitch_mm}", men, "marker_size_mm = 40"]
    return parse_layout("\n".join([*head, "[markers_mm]", *markers, "[points_mm]", *points]), "printed.toml")


@lru_cache
def found(name: str) -> tuple[Picture, BoardPose, Material]:
    """A picture, where its board lies, and its men, which are yellow and blue."""
    image, material = load_picture(PICTURES / name), Material((parse_colour("yellow"), parse_colour("blue")), None)
    board = find_board(image, printed(), None, material)
    assert isinstance(board, FoundBoard)
    return image, board.pose, material


def seen(name: str, layout: Layout) -> tuple[FirstLook, dict[str, tuple[int, int]]]:
    """A first look, and the men it saw."""
    image, pose, material = found(name)
    look = first_look(image, pose, layout, material)
    looks = zip(layout.names, (reading.best() for reading in look.cells), strict=True)
    return look, {field: (best.men, best.height) for field, best in looks if best.men}


@pytest.mark.parametrize("known", ["man_mm = [38, 11]", ""], ids=["size given", "size unknown"])
@pytest.mark.parametrize(
    ("name", "men"), [("printed_board_low_stacks.jpg", LOW_STACKS), ("printed_board_crowded.jpg", CROWDED)]
)
def test_all_men_are_seen_and_no_others(name: str, men: dict[str, tuple[int, int]], known: str) -> None:
    """With their colours and heights, whether or not the board file says how large men are."""
    assert seen(name, printed(men=known))[1] == men


def test_a_board_without_an_open_field() -> None:
    """What fields look like is not known then; the men are read none the less."""
    assert seen("printed_board_low_stacks.jpg", printed(set(LOW_STACKS)))[1] == LOW_STACKS


def test_men_wider_than_places_are_apart() -> None:
    """On boards of points men may cover those beside them; how wide they are is measured (37.7 mm, they are said to be
    38)."""
    table = seen("printed_board_low_stacks.jpg", printed(pitch_mm=36.0))[0].table
    assert table.man_diameter_mm == pytest.approx(37.7, rel=0.02)
