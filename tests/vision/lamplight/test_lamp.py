"""The lamp's place, from what cells are told to see and from the sample film."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import hexhex
from engine.layout import layout_of, named_layout
from tests.vision.kept import PICTURES
from tests.vision.reading.test_read import sample
from vision.arrays import Floats, Singles
from vision.finding.find import FoundBoard, find_board
from vision.lamplight.falloff import Falloff
from vision.lamplight.lamp import BEARINGS, Lamp, find_lamp
from vision.networks.shadow_net import DIRECTIONS, REACHES
from vision.palette import Material, parse_colour
from vision.picture import load_picture
from vision.reading.first_look import first_look
from vision.reading.learn import learn_table, relit_table
from vision.sampling import CellViews

PITCH_MM = 40.0
EVEN = np.zeros(len(BEARINGS))


def views() -> CellViews:
    """Cells of a small board seen from the side of −y."""
    centres = np.array(layout_of(hexhex(4)).centres_mm)
    n = len(centres)
    away, across = np.tile([0.0, 1.0], (n, 1)), np.tile([1.0, 0.0], (n, 1))
    return CellViews(centres, away, across, np.full(n, 0.5), np.ones(n), np.full(n, 400.0))


def told_of(lamp: Lamp, seen: CellViews) -> Singles:
    """What a good network says of cells under a lamp: a bump of probability about the truth."""
    way, reach = lamp.shadows(seen.centres_mm)
    direction = np.arctan2((way * seen.across).sum(axis=1), (way * seen.away).sum(axis=1))
    column = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    off = (direction[:, None] - column + np.pi) % (2 * np.pi) - np.pi
    far = np.log(reach[:, None] / REACHES)
    told = -0.5 * (off[:, :, None] / 0.3) ** 2 - 0.5 * (far[:, None] / 0.4) ** 2
    told -= np.logaddexp.reduce(told.reshape(len(told), -1), axis=1)[:, None, None]
    return np.asarray(told, np.float32)


def bearing_deg(lamp: Lamp) -> float:
    """Which way shadows fall in the middle of the board."""
    return float(np.degrees(np.arctan2(-lamp.y_mm, -lamp.x_mm)))


@settings(deadline=None, max_examples=30)
@given(st.floats(-180, 180), st.floats(0.3, 1.3), st.floats(900, 1500))
def test_a_lamp_is_found_by_its_shadows(bearing: float, reach: float, far_mm: float) -> None:
    """Its direction to a few degrees, the reach of its shadows to a fifth, however far it is."""
    z = far_mm / np.hypot(1, reach)
    turn = np.radians(bearing)
    true = Lamp(float(-z * reach * np.cos(turn)), float(-z * reach * np.sin(turn)), float(z))
    seen = views()
    found = find_lamp(told_of(true, seen), seen, PITCH_MM, EVEN)
    assert found is not None
    assert (bearing_deg(found) - bearing + 180) % 360 - 180 == pytest.approx(0, abs=6)
    middle: Floats = np.zeros((1, 2))
    assert found.shadows(middle)[1][0] == pytest.approx(reach, rel=0.2)


def test_no_lamp_where_shadows_tell_nothing() -> None:
    """Light from everywhere; or every cell tells another story."""
    seen = views()
    n = len(seen.slope)
    even = np.full((n, DIRECTIONS, len(REACHES)), -np.log(DIRECTIONS * len(REACHES)), np.float32)
    assert find_lamp(even, seen, PITCH_MM, EVEN) is None
    assert find_lamp(even[:0], seen.of(np.arange(0)), PITCH_MM, EVEN) is None


def test_falling_light_helps_to_find_a_lamp_but_is_none_by_itself() -> None:
    """Shadows that hardly tell anything are enough where the light falls off the same way, but none are not."""
    bearing = 1.0
    seen, true = views(), Lamp(-400 * np.cos(bearing), -400 * np.sin(bearing), 800.0)
    places = seen.centres_mm
    lamp = np.array([true.x_mm, true.y_mm, true.z_mm])
    way = lamp - np.column_stack([places, np.zeros(len(places))])
    light = 0.3 + way @ lamp / true.far_mm() ** 2 * (true.far_mm() / np.linalg.norm(way, axis=1)) ** 4
    plain, camera_mm = np.zeros(len(places)), np.array([0.0, 0.0, 900.0])
    falls = Falloff(places, plain.astype(int), light, plain, camera_mm, PITCH_MM).bearings()
    even = np.full((len(places), DIRECTIONS, len(REACHES)), -np.log(DIRECTIONS * len(REACHES)), np.float32)
    hints = even + np.float32(0.03) * np.maximum(told_of(true, seen), -8)
    assert find_lamp(even, seen, PITCH_MM, falls) is None
    assert find_lamp(hints, seen, PITCH_MM, EVEN) is None
    found = find_lamp(hints, seen, PITCH_MM, falls)
    assert found is not None
    assert bearing_deg(found) == pytest.approx(np.degrees(bearing), abs=10)


def test_shadows_fall_away_from_the_lamp() -> None:
    """By hand: 300 mm from under a lamp 600 mm high, a shadow is half as long as a stack is high."""
    way, reach = Lamp(300.0, 0.0, 600.0).shadows(np.array([[0.0, 0.0], [300.0, 600.0]]))
    assert way == pytest.approx(np.array([[-1.0, 0.0], [0.0, 1.0]]))
    assert reach == pytest.approx([0.5, 1.0])


def test_the_lamp_of_the_sample_film_is_found() -> None:
    """The film was rendered with a lamp whose shadows fall towards −95° on the board, 0.60 times a height long."""
    truth, layout, pose, first = sample()
    table = learn_table(first, pose, layout, truth.material)
    for lamp in (table.lamp, relit_table(table, first, pose, layout).lamp):
        assert lamp is not None
        assert (bearing_deg(lamp) + 94.8 + 180) % 360 - 180 == pytest.approx(0, abs=10)
        assert lamp.shadows(np.zeros((1, 2)))[1][0] == pytest.approx(0.60, rel=0.4)


def test_a_lamp_may_be_half_as_high_as_it_seems() -> None:
    """Four single men seen from nearly above, whose shadows looked like those of two men each under a higher lamp."""
    image, layout = (
        load_picture(PICTURES / "low_lamp_hexhex-3.jpg"),
        named_layout("hexhex-3"),
    )
    white, black, sand, espresso = (parse_colour(word) for word in ("white", "black", "sand", "espresso"))
    material = Material((white, black), (sand, espresso))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    looks = [cell.best() for cell in first_look(image, found.pose, layout, material).cells]
    assert sorted((look.men, look.height) for look in looks if look.men) == [(1, 1), (1, 1), (2, 1), (2, 1)]
