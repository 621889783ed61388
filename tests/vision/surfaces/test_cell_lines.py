"""Lines between cells that are lighter than these: told from dark ones, taken off, and bare cells read as such."""

import cv2
import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import Surface
from tests.vision.drawn_board import camera, draw
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.palette import Material, parse_colour
from vision.picture import load_picture
from vision.reading.first_look import first_look
from vision.reading.learn import learn_table, relit_table
from vision.surfaces.cell_lines import LightLines, light_lines

LAYOUT = named_layout("hexhex-4")
POSE = camera(LAYOUT, 25, azimuth_deg=40)
#: Cream, sky blue and orange, blue-green-red.
LINES = [(180, 220, 235), (220, 190, 150), (40, 120, 220)]


@pytest.mark.parametrize("line", LINES)
def test_light_lines_are_told_from_dark_ones(line: tuple[int, int, int]) -> None:
    """Of any hue; dark lines, none at all, and the steps between cells of three colours are none."""
    assert light_lines(draw(LAYOUT, POSE, line=line), POSE, LAYOUT) is not None
    assert light_lines(draw(LAYOUT, POSE), POSE, LAYOUT) is None
    assert light_lines(draw(LAYOUT, POSE, lined=False), POSE, LAYOUT) is None
    three = ((70, 120, 66), (110, 160, 150), (150, 200, 215))
    assert light_lines(draw(LAYOUT, POSE, three=three, lined=False, disk=None), POSE, LAYOUT) is None


@pytest.mark.parametrize("line", LINES)
def test_without_its_light_lines_a_board_looks_as_if_it_had_none(line: tuple[int, int, int]) -> None:
    """Nine tenths of what they add to it are gone; disks stay as they are."""
    lined, plain = draw(LAYOUT, POSE, line=line, noise=0), draw(LAYOUT, POSE, lined=False, noise=0)
    cleared = LightLines(POSE, LAYOUT).off(lined)
    middle = np.array([[*LAYOUT.centres_mm[18], 0.0]])
    rows, columns = np.mgrid[: lined.shape[0], : lined.shape[1]]
    far_px = np.hypot(columns - POSE.project(middle)[0, 0], rows - POSE.project(middle)[0, 1])
    inner = far_px < 2.2 * POSE.pitch_px(middle, LAYOUT.pitch_mm)
    before, after = (cv2.subtract(image, plain)[inner].mean() for image in (lined, cleared))
    assert after < 0.1 * before
    assert cv2.subtract(plain, cleared)[inner].mean() < 2


def test_bare_cells_between_light_lines_are_no_dark_disks() -> None:
    """A rendered board with white lines: twelve of its fifteen bare cells were taken for dark disks, most of them
    surely."""
    image = load_picture(PICTURES / "light_lines_hexhex-4.jpg")
    material = Material((parse_colour("teal"), parse_colour("maroon")), (parse_colour("birch"), parse_colour("walnut")))
    found = find_board(image, LAYOUT, None, material)
    assert isinstance(found, FoundBoard)
    look = first_look(image, found.pose, LAYOUT, material)
    assert look.table.light_lines
    surfaces = [cell.best().surface for cell in look.cells]
    assert [surfaces.count(kind) for kind in (Surface.BEIGE, Surface.BARE, Surface.DARK)] == [19, 15, 3]
    assert relit_table(look.table, image, found.pose, LAYOUT).light_lines
    assert not learn_table(draw(LAYOUT, POSE), POSE, LAYOUT, material).light_lines
