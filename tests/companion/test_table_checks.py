"""The set-up helper's checks on the sample film's first picture, as it is and spoilt in the ways they are made for."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.table_checks import Check, table_checks
from engine.layout import named_layout
from engine.look import UNSEEN, CellLook, Surface, certain
from tests.footage_places import SAMPLES
from tests.vision.drawn_board import camera
from vision.finding.find import FoundBoard, find_board
from vision.palette import Material, parse_colour

LAYOUT = named_layout("hexhex-4")
MATERIAL = Material((parse_colour("red"), parse_colour("white")))


@pytest.fixture(scope="module")
def picture() -> NDArray[np.uint8]:
    """The first picture of the sample film."""
    got, image = cv2.VideoCapture(str(SAMPLES / "sample.mp4")).read()
    assert got
    return np.asarray(image, np.uint8)


@pytest.fixture(scope="module")
def found(picture: NDArray[np.uint8]) -> FoundBoard:
    """The board in it."""
    board = find_board(picture, LAYOUT, material=MATERIAL)
    assert isinstance(board, FoundBoard)
    return board


def failed(checks: list[Check]) -> dict[str, str]:
    """The checks that failed, with what to do."""
    return {check.what: check.todo for check in checks if not check.good}


def test_the_sample_table_is_good(picture: NDArray[np.uint8], found: FoundBoard) -> None:
    """Nothing to do; also not when some cells are covered."""
    cells = [certain(CellLook(Surface.BEIGE))] * 30 + [UNSEEN] * 7
    checks = table_checks(picture, LAYOUT, MATERIAL, found, cells=cells)
    assert failed(checks) == {}
    assert len(checks) == 7


def test_no_board(picture: NDArray[np.uint8]) -> None:
    """The eye's reason and what to do."""
    checks = failed(table_checks(picture, LAYOUT, MATERIAL, None, "no lattice of disks in the picture"))
    assert checks["The board is found"].startswith("No lattice of disks in the picture. Point the camera")


def test_a_board_at_the_edge(picture: NDArray[np.uint8], found: FoundBoard) -> None:
    """Cut the picture just beside the board: the side that is too tight is named."""
    xs = found.pose.project(np.array([(x, y, 0.0) for x, y in LAYOUT.centres_mm]))[:, 0]
    cut = picture[:, : int(xs.max()) + 5]
    todo = failed(table_checks(np.ascontiguousarray(cut), LAYOUT, MATERIAL, found))
    assert "right of the picture" in todo["The whole board is in the picture"]


@pytest.mark.parametrize(
    ("tilt_deg", "says"),
    [(8.0, "hang it farther aside"), (14.0, "14° off"), (16.0, ""), (49.0, ""), (54.0, "raise it")],
)
def test_the_angle(picture: NDArray[np.uint8], tilt_deg: float, says: str) -> None:
    """From nearly above heights are hard to tell, from the side stacks hide too much; in between nothing is said."""
    seen = FoundBoard(camera(LAYOUT, tilt_deg=tilt_deg), 0.3, 0.97)
    todo = failed(table_checks(picture, LAYOUT, MATERIAL, seen)).get("The camera looks from a good angle", "")
    assert says in todo
    assert bool(says) == bool(todo)


@pytest.mark.parametrize(("factor", "says"), [(0.1, "too dark"), (4.0, "washed out")])
def test_light(picture: NDArray[np.uint8], found: FoundBoard, factor: float, says: str) -> None:
    """A tenth of the light, or four times as much."""
    spoilt = np.clip(picture * factor, 0, 255).astype(np.uint8)
    assert says in failed(table_checks(spoilt, LAYOUT, MATERIAL, found))["The light is good"]


def test_colours_too_much_alike(picture: NDArray[np.uint8], found: FoundBoard) -> None:
    """Ivory against cream."""
    alike = Material((parse_colour("ivory"), parse_colour("cream")))
    assert "ivory and cream" in failed(table_checks(picture, LAYOUT, alike, found))["The colours are far enough apart"]


@pytest.mark.parametrize(("men", "alike"), [("red purple", True), ("red white", False)])
def test_colours_in_black_and_white(men: str, alike: bool, picture: NDArray[np.uint8], found: FoundBoard) -> None:
    """Red and purple, which are as bright as each other, can hardly be told apart there."""
    first, second = (parse_colour(word) for word in men.split())
    grey = np.repeat(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)[..., None], 3, axis=2)
    told = [failed(table_checks(each, LAYOUT, Material((first, second)), found)) for each in (picture, grey)]
    assert "The colours are far enough apart" not in told[0]
    assert ("in black and white" in told[1].get("The colours are far enough apart", "")) is alike


def test_doubtful_cells_are_named(picture: NDArray[np.uint8], found: FoundBoard) -> None:
    """Cells that the eye half knows are listed."""
    half = certain(CellLook(Surface.BEIGE), doubt=0.2)
    todo = failed(table_checks(picture, LAYOUT, MATERIAL, found, cells=[half] * 37))["The cells can be read"]
    assert LAYOUT.names[0] in todo
