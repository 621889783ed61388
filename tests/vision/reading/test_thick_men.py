"""Men much thicker than usual, on drawn boards: how thick they are is told without being given."""

import pytest

from engine.look import CellLook
from tests.vision.drawn_board import camera
from tests.vision.drawn_men import LAYOUT, MATERIAL, WITHOUT_DISKS, men_on_board
from vision.picture import Picture
from vision.reading.learn import learn_table


def told(image: Picture, tilt_deg: float, looks: list[CellLook] | None = None, disks: bool = True) -> float:
    """How thick the men are by the picture, in diameters."""
    material = MATERIAL if disks else WITHOUT_DISKS
    table = learn_table(image, camera(LAYOUT, tilt_deg, room=1.8), LAYOUT, material, looks)
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


@pytest.mark.parametrize("tilt_deg", [24, 32])
@pytest.mark.parametrize("thickness", [0.24, 0.30, 0.50, 0.54])
def test_boards_without_disks(thickness: float, tilt_deg: float) -> None:
    """Thick men are not taken for two there, either, nor usual ones for thick."""
    image, _ = men_on_board(thickness, tilt_deg, disks=False)
    assert told(image, tilt_deg, disks=False) == pytest.approx(thickness, abs=0.04)
