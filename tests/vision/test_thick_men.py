"""Men much thicker than usual, on drawn boards: how thick they are is told without being given."""

import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import CellLook, Surface
from tests.vision.drawn_board import camera, draw, draw_round
from vision.learn import learn_table
from vision.palette import Material, parse_colour
from vision.picture import Picture

LAYOUT = named_layout("hexhex-4")
MAN_MM, COLOURS = 28.0, ((40, 30, 170), (215, 225, 230))
MATERIAL = Material((parse_colour("red"), parse_colour("white")))


def men_on_board(thickness: float, tilt_deg: float, every: int = 3) -> tuple[Picture, list[CellLook]]:
    """A picture of single men, so thick in their diameters, on every so-manieth cell, and what stands where."""
    pose = camera(LAYOUT, tilt_deg, room=1.8)
    image, looks = draw(LAYOUT, pose), [CellLook(Surface.BEIGE)] * len(LAYOUT.names)
    depths = pose.depth_mm(np.column_stack([LAYOUT.centres_mm, np.zeros(len(looks))]))
    for k, i in enumerate(np.argsort(-depths)[1::every].tolist()):
        draw_round(image, pose, LAYOUT.centres_mm[i], MAN_MM, thickness * MAN_MM, COLOURS[k % 2])
        looks[i] = CellLook(Surface.BEIGE, 1 + k % 2, 1)
    return image, looks


def told(image: Picture, tilt_deg: float, looks: list[CellLook] | None = None) -> float:
    """How thick the men are by the picture, in diameters."""
    table = learn_table(image, camera(LAYOUT, tilt_deg, room=1.8), LAYOUT, MATERIAL, looks)
    return table.man_thickness_mm / table.man_diameter_mm


@pytest.mark.parametrize("tilt_deg", [24, 32])
@pytest.mark.parametrize("thickness", [0.40, 0.46, 0.52])
def test_thick_men_are_not_taken_for_two(thickness: float, tilt_deg: float) -> None:
    """To a twenty-fifth of a diameter; two men of half the thickness would look the same but for the line between."""
    image, _ = men_on_board(thickness, tilt_deg)
    assert told(image, tilt_deg) == pytest.approx(thickness, abs=0.04)


@pytest.mark.parametrize("tilt_deg", [24, 32, 40])
@pytest.mark.parametrize("thickness", [0.22, 0.26, 0.30])
def test_usual_men_stay_usual(thickness: float, tilt_deg: float) -> None:
    """No man is taken to be much thicker than he is."""
    image, _ = men_on_board(thickness, tilt_deg)
    assert told(image, tilt_deg) == pytest.approx(thickness, abs=0.04)


@pytest.mark.parametrize("thickness", [0.46, 0.52])
def test_where_the_referee_knows_heights_few_men_tell(thickness: float) -> None:
    """Three single men are enough; without knowing that they are single, they leave it open."""
    image, looks = men_on_board(thickness, 32, every=14)
    assert told(image, 32) < 0.32
    assert told(image, 32, looks) == pytest.approx(thickness, abs=0.04)
