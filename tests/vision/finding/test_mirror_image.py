"""Pictures that are mirrored: told by markers, told by a board that is not its own mirror image, and turned back."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.board import named_board
from engine.layout import named_layout
from tests.vision.drawn_board import camera, draw, draw_markers
from vision.errors import SourceError
from vision.eye import Eye, EyeSettings
from vision.finding.find import FoundBoard, NotFound, find_board
from vision.finding.mirror_image import MIRRORED, is_chiral, markers_mirrored, mirror_image
from vision.frame import Frame
from vision.palette import Material, parse_colour
from vision.picture import Picture
from vision.sights import Found, Lost
from vision.sources import open_source

MATERIAL = Material((parse_colour("red"), parse_colour("purple")), (parse_colour("beige"), parse_colour("dark")))


def _marked(name: str, ids: tuple[int, ...]) -> Picture:
    """A board between some of its markers."""
    layout = named_layout(name)
    pose = camera(layout, 25, azimuth_deg=20, room=2.3)
    image = draw(layout, pose)
    reach = 1.25 * np.abs(np.array(layout.centres_mm)).max() + 20
    corners = {0: (-1, -1), 1: (1, -1), 2: (1, 1), 3: (-1, 1)}
    draw_markers(image, pose, {i: (corners[i][0] * reach, corners[i][1] * reach) for i in ids}, 46.0)
    return image


@pytest.mark.parametrize(
    ("name", "chiral"),
    [("hexhex-4", False), ("diamond-5", False), ("modular-3", True), ("modular-5", True), ("modular-7", True)],
)
def test_boards_that_are_not_their_own_mirror_image(name: str, chiral: bool) -> None:
    """A hexagon is, however it is turned; seven-cell modules never lie so."""
    assert is_chiral(named_board(name)) == chiral


def test_mirrored_markers_are_said_and_nothing_is_found() -> None:
    """The names of cells would be those of a mirrored board. As it is the board is found between its markers."""
    image = _marked("hexhex-4", (0, 1, 2, 3))
    answer = find_board(image, named_layout("hexhex-4"))
    assert isinstance(answer, FoundBoard)
    assert answer.markers_used == (0, 1, 2, 3)
    assert find_board(mirror_image(image), named_layout("hexhex-4")) == NotFound(MIRRORED)


def test_one_marker_does_not_tell() -> None:
    """Nor do markers that can be read, or those with other numbers."""
    one = mirror_image(_marked("hexhex-4", (2,)))
    assert not markers_mirrored(one, {0, 1, 2, 3})
    assert isinstance(find_board(one, named_layout("hexhex-4")), FoundBoard)
    two = mirror_image(_marked("hexhex-4", (1, 2)))
    assert markers_mirrored(two, {0, 1, 2, 3})
    assert not markers_mirrored(two, {1, 3})
    assert not markers_mirrored(mirror_image(two), {0, 1, 2, 3})


def test_a_mirrored_board_of_modules_is_told_by_its_shape() -> None:
    """The eye says so whenever it looks; when the picture is no longer mirrored it finds the board."""
    layout = named_layout("modular-5")
    image = draw(layout, camera(layout, 30, azimuth_deg=40))
    eye = Eye(layout, MATERIAL, settings=EyeSettings(whole=False))
    lost = [sight for t in (0.0, 1.0) for sight in eye.step(Frame(mirror_image(image), t, 0))]
    assert lost == [Lost(MIRRORED)]
    sights = [sight for t in (3.0, 3.1, 3.2, 3.3) for sight in eye.step(Frame(image, t, 0))]
    assert any(isinstance(sight, Found) for sight in sights)


def test_a_board_that_is_just_not_there_is_not_said_to_be_mirrored() -> None:
    """An empty table."""
    layout = named_layout("modular-5")
    eye = Eye(layout, MATERIAL)
    (lost,) = eye.step(Frame(np.full((720, 1280, 3), 90, np.uint8), 0.0, 0))
    assert isinstance(lost, Lost)
    assert lost.reason != MIRRORED


def test_the_word_before_a_source_turns_its_pictures_back(tmp_path: Path) -> None:
    """As many frames, of the same times; whatever kind of source it is."""
    image = np.random.default_rng(3).integers(0, 255, (24, 32, 3), np.uint8)
    for i in range(3):
        cv2.imwrite(str(tmp_path / f"{i}.png"), image + np.uint8(i))
    plain, turned = open_source(str(tmp_path)), open_source(f"mirrored:{tmp_path}")
    assert (turned.live, turned.frames) == (plain.live, plain.frames) == (False, 3)
    for one, other in zip(plain, turned, strict=True):
        assert (one.index, one.t_s, one.snapshot) == (other.index, other.t_s, other.snapshot)
        assert np.array_equal(one.image[:, ::-1], other.image)
    turned.close()


def test_a_source_is_not_mirrored_twice_and_must_exist() -> None:
    """Each with the name as it was typed."""
    with pytest.raises(SourceError, match="mirrored:mirrored:0: mirrored twice"):
        open_source("mirrored:mirrored:0")
    with pytest.raises(SourceError, match=r"nothing\.mp4: no such file"):
        open_source("mirrored:nothing.mp4")
