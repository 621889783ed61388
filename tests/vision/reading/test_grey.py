"""Black-and-white pictures, as cameras give them at night: men are told apart by how bright they are."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.layout import named_layout
from tests.vision.finding.test_find import found
from tests.vision.kept import PICTURES
from tests.vision.reading.test_read import sample
from vision.finding.find import find_board
from vision.palette import WORDS, Colour, Material, parse_colour
from vision.picture import Picture, is_grey, load_picture
from vision.reading.first_look import first_look


def in_grey(picture: Picture) -> Picture:
    """The picture in black and white."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return np.repeat(np.asarray(grey, np.uint8)[..., None], 3, axis=2)


@pytest.mark.parametrize(
    ("name", "men"),
    [
        ("sample", "red white"),
        ("narrow_men_hexhex-4", "red purple"),
        ("late_light_disks_hexhex-4", "yellow blue"),
    ],
)
def test_men_are_told_apart_by_how_bright_they_are(name: str, men: str) -> None:
    """All cells are read as they are in colour. (In each of these a man or two were taken for the other's.)"""
    picture, layout = (
        sample()[3] if name == "sample" else load_picture(PICTURES / f"{name}.jpg"),
        named_layout("hexhex-4"),
    )
    first, second = (parse_colour(word) for word in men.split())
    material = Material((first, second))
    pose = found(find_board(picture, layout)).pose
    colour, grey = (first_look(each, pose, layout, material).cells for each in (picture, in_grey(picture)))
    assert {cell.best().men for cell in colour} == {0, 1, 2}
    assert [cell.best() for cell in grey] == [cell.best() for cell in colour]


def test_which_pictures_are_black_and_white() -> None:
    """Those without colours, compressed and noisy alike; not one in which only a man is coloured."""
    picture = sample()[3]
    grey = in_grey(picture)
    compressed = cv2.imdecode(cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, 40])[1], cv2.IMREAD_COLOR)
    assert compressed is not None
    one_man = grey.copy()
    one_man[200:230, 300:330] = picture[200:230, 300:330] // [4, 4, 1]
    assert [is_grey(each) for each in (picture, one_man)] == [False, False]
    assert is_grey(grey)
    assert is_grey(np.asarray(compressed, np.uint8))


@given(st.sampled_from(sorted(WORDS)), st.sampled_from(sorted(WORDS)))
def test_colours_in_grey(one: str, other: str) -> None:
    """They keep their words and their order of brightness, have no hue, and are never refused for being alike."""
    first, second = parse_colour(one), parse_colour(other)
    for colour in (first, second):
        assert len(set(colour.in_grey.rgb)) == 1
        assert min(colour.rgb) <= colour.in_grey.rgb[0] <= max(colour.rgb)
    brighter, darker = Colour("brighter", (200, 210, 220)), Colour("darker", (90, 80, 70))
    material = Material((brighter, darker), (brighter, darker)).in_grey()
    assert [colour.word for colour in material.men] == ["brighter", "darker"]
    assert material.men[0].rgb > material.men[1].rgb
    assert Material((first, second), None, grey=True).in_grey().men == (first.in_grey, second.in_grey)
