"""Boards that lie partly beyond the borders of the picture."""

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import CellLook
from tests.footage_places import SAMPLES
from vision.eye import Eye, EyeSettings
from vision.finding.beyond import cells_beyond, why_not_whole
from vision.finding.find import FoundBoard, find_board
from vision.finding.refine import cell_points
from vision.frame import Frame
from vision.geometry import BoardPose
from vision.palette import Material, parse_colour
from vision.picture import Picture
from vision.reading.first_look import FirstLook, first_look
from vision.sights import Found, Lost, Sight, Still
from vision.sources import open_source

LAYOUT = named_layout("hexhex-4")
MATERIAL = Material((parse_colour("red"), parse_colour("white")))
FIRST = next(iter(open_source(str(SAMPLES / "sample.mp4")))).image
#: With so much cut off at the left, px, two and seven cells' middles lie beyond the picture or at its border.
TWO_OUT, MANY_OUT = 310, 370


@cache
def whole() -> tuple[BoardPose, FirstLook]:
    """Where the board is in the film's first picture, and what is read there."""
    found = find_board(FIRST, LAYOUT, None, MATERIAL)
    assert isinstance(found, FoundBoard)
    return found.pose, first_look(FIRST, found.pose, LAYOUT, MATERIAL)


def cut(left_px: int) -> tuple[Picture, BoardPose]:
    """The picture without so much at its left, and the board's place in it."""
    pose, _ = whole()
    lens = replace(pose.lens, width_px=pose.lens.width_px - left_px, cx_px=pose.lens.cx_px - left_px)
    return np.ascontiguousarray(FIRST[:, left_px:]), BoardPose(lens, pose.rotation, pose.translation_mm)


def moved(by_px: int) -> Picture:
    """The picture as a camera sees it that was turned to the right: its left part is lost."""
    shift = np.array([[1, 0, -by_px], [0, 1, 0]], np.float64)
    size = FIRST.shape[1], FIRST.shape[0]
    return np.asarray(cv2.warpAffine(FIRST, shift, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def seen_by(eye: Eye, picture: Picture, from_s: float, to_s: float) -> list[Sight]:
    """What the eye makes of a picture that stays so long."""
    times = np.arange(from_s, to_s, 0.1)
    return [sight for t in times for sight in eye.step(Frame(picture, float(t), round(10 * t)))]


def of_cells(look: FirstLook) -> list[CellLook | None]:
    """What stands on every cell; None where it is unseen."""
    return [None if cell.unseen else cell.best() for cell in look.cells]


def test_a_board_in_the_picture_has_no_cells_beyond_it() -> None:
    """Nor is there anything to say of it."""
    pose, _ = whole()
    assert (cells_beyond(pose, LAYOUT), why_not_whole(pose, LAYOUT)) == (frozenset(), "")


@pytest.mark.parametrize("left_px", [300, TWO_OUT, 330, MANY_OUT])
def test_cells_beyond_each_border(left_px: int) -> None:
    """Those whose middles are, whichever border it is: the picture is turned, too."""
    _, pose = cut(left_px)
    expected = frozenset(np.flatnonzero(pose.project(cell_points(LAYOUT))[:, 0] < 0).tolist())
    beyond = cells_beyond(pose, LAYOUT)
    assert expected <= beyond
    assert len(beyond - expected) <= 1
    lens = pose.lens
    about = np.diag([-1.0, -1.0, 1.0])
    turned = replace(lens, cx_px=lens.width_px - 1 - lens.cx_px, cy_px=lens.height_px - 1 - lens.cy_px)
    assert cells_beyond(BoardPose(turned, about @ pose.rotation, about @ pose.translation_mm), LAYOUT) == beyond


@pytest.mark.parametrize("left_px", [TWO_OUT, MANY_OUT])
def test_cells_beyond_the_picture_are_unseen(left_px: int) -> None:
    """And those in it are what they are in the whole picture."""
    picture, pose = cut(left_px)
    beyond = cells_beyond(pose, LAYOUT)
    read = of_cells(first_look(picture, pose, LAYOUT, MATERIAL))
    full = of_cells(whole()[1])
    assert beyond
    assert {i for i, look in enumerate(read) if look is None and full[i] is not None} == beyond
    assert all(read[i] == full[i] for i in range(len(read)) if i not in beyond)


def test_it_is_said_which_cells_lie_beyond_the_picture() -> None:
    """Not all of them by name when they are many."""
    few, many = (why_not_whole(cut(left_px)[1], LAYOUT) for left_px in (TWO_OUT, MANY_OUT))
    assert few.endswith("move the camera so that all of the board shows")
    assert "…" not in few
    assert "…)" in many
    assert f"{len(cells_beyond(cut(MANY_OUT)[1], LAYOUT))} of the 37 cells of hexhex-4 lie beyond" in many


def test_no_game_is_followed_until_all_of_the_board_shows() -> None:
    """But the board can be looked at as it lies."""
    eye, other = Eye(LAYOUT, MATERIAL), Eye(LAYOUT, MATERIAL, settings=EyeSettings(whole=False))
    partly = seen_by(eye, moved(TWO_OUT), 0.0, 1.0)
    assert [type(sight) for sight in partly] == [Lost]
    assert isinstance(partly[0], Lost)
    assert "lie beyond the picture" in partly[0].reason
    assert any(isinstance(sight, Found) for sight in seen_by(eye, FIRST, 1.0, 4.0))
    assert any(isinstance(sight, Still) for sight in seen_by(other, moved(TWO_OUT), 0.0, 1.0))


@pytest.mark.parametrize("from_px", [0, 275])
def test_a_board_that_is_pushed_partly_out_of_the_picture_is_lost_until_it_is_back(from_px: int) -> None:
    """Nothing is read meanwhile, and at last it is said why."""
    eye = Eye(LAYOUT, MATERIAL)
    before = [sight for sight in seen_by(eye, moved(from_px), 0.0, 1.0) if isinstance(sight, Still)]
    pushed = seen_by(eye, moved(TWO_OUT), 1.0, 9.0)
    assert all(cell.unseen for sight in pushed if isinstance(sight, Still) for cell in sight.reading.cells)
    assert any(isinstance(sight, Lost) and "lie beyond the picture" in sight.reason for sight in pushed)
    back = [sight for sight in seen_by(eye, moved(from_px), 9.0, 13.0) if isinstance(sight, Still)]
    best = [[cell.best() for cell in sights[-1].reading.cells] for sights in (before, back)]
    assert best[0] == best[1]
