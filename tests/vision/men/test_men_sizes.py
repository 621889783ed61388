"""Men much narrower or wider than usual are measured, and read: rendered boards with disks, of unknown sizes."""

import pytest

from engine.layout import named_layout
from engine.look import Surface
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.palette import Material, parse_colour
from vision.picture import load_picture
from vision.reading.first_look import first_look


@pytest.mark.parametrize(
    ("name", "board", "men", "disks", "pitches", "stacks", "beige"),
    [
        ("narrow_men", "hexhex-4", "oak,blue", "beige,dark", 0.512, [(1, 1), (1, 3), (2, 3), (2, 3)], 26),
        ("wide_men", "hexhex-3", "brown,teal", "cream,slate", 0.861, [(1, 2), (1, 4), (2, 1)], 4),
    ],
)
def test_men_of_any_width(
    name: str, board: str, men: str, disks: str, pitches: float, stacks: list[tuple[int, int]], beige: int
) -> None:
    """Three stacks of the narrow men were a man too low, and one of the wide ones a man too high."""
    image, layout = load_picture(PICTURES / f"{name}_{board}.jpg"), named_layout(board)
    first, second = (parse_colour(word) for word in men.split(","))
    light, dark = (parse_colour(word) for word in disks.split(","))
    material = Material((first, second), (light, dark))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    seen = first_look(image, found.pose, layout, material)
    assert seen.table.man_diameter_mm / layout.pitch_mm == pytest.approx(pitches, rel=0.04)
    looks = [reading.best() for reading in seen.cells]
    assert sorted((look.men, look.height) for look in looks if look.men) == stacks
    assert sum(look.surface is Surface.BEIGE for look in looks) == beige
