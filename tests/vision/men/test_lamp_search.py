"""The lamps that explain the light about stacks: against shadows that are drawn as polygons, and a rendered board."""

import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import MAX_HEIGHT
from tests.vision.drawn_board import camera
from tests.vision.drawn_light import DISK_MM, LAMP, LAYOUT, MAN_MM, RATIO, SURFACE, drawn_shades, picture
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.lamplight.falloff import Falloff
from vision.lamplight.ground import GroundMaps
from vision.lamplight.lamp import Lamp
from vision.lamplight.shade import Stand
from vision.men.lamp_search import LampSearch
from vision.men.shades import Guess, Shades
from vision.palette import Material, parse_colour
from vision.picture import load_picture
from vision.reading.first_look import first_look

STACKS = {"d4": 3, "b2": 6, "f5": 5, "e2": 4}
#: From straight above, low stacks in light that comes from lower look much the same.
LOW = {"d4": 2, "b2": 1, "f5": 3, "e2": 4}
#: Of an open board without cells nothing is told.
OPEN = Falloff(np.zeros((0, 2)), np.zeros(0, int), np.zeros(0), np.zeros(0), np.zeros(3), 40.0)
REACHES = np.exp(np.linspace(-0.36, 0.36, 13))
#: Lamps beside LAMP: on the other side, and to its right.
ACROSS, RIGHT = Lamp(600.0, -500.0, 900.0, 60.0), Lamp(450.0, 700.0, 850.0, 30.0)


def _check_is(lamp: Lamp | None, true: Lamp, turn_deg: float, longer: float) -> None:
    """That a lamp is one, to such an angle and such a part of its reach."""
    assert lamp is not None
    turn = np.angle(complex(lamp.x_mm, lamp.y_mm) / complex(true.x_mm, true.y_mm))
    assert abs(np.degrees(turn)) < turn_deg
    assert lamp.reach() == pytest.approx(true.reach(), rel=longer)


def _check_heights(shades: Shades, lamps: list[Lamp], stacks: dict[str, int]) -> None:
    """That the light tells how high all stacks are."""
    told = shades.heights(np.zeros((len(stacks), 1, MAX_HEIGHT)), lamps, lamps[6], np.array([RATIO]))
    assert told.shape == (len(stacks), 1, len(REACHES), MAX_HEIGHT)
    together = np.logaddexp.reduce(told[:, 0], axis=2).sum(axis=0)
    assert (1 + np.argmax(told[:, 0, np.argmax(together)], axis=1)).tolist() == list(stacks.values())


@pytest.mark.parametrize(("tilt_deg", "stacks"), [(5, STACKS), (20, STACKS), (40, STACKS), (20, LOW), (40, LOW)])
@pytest.mark.parametrize("known", [True, False])
def test_lamp_and_heights_are_found_by_the_light(tilt_deg: float, stacks: dict[str, int], known: bool) -> None:
    """From a lamp that is 6° and a fifth off: its direction to 2°, its reach to a tenth, every height; and no other
    one."""
    shades = drawn_shades(camera(LAYOUT, tilt_deg), picture(tilt_deg, tuple(stacks.items())), stacks)
    lamps = LampSearch(shades, OPEN).lamps(LAMP.turned(0.1).reaching(1.2), REACHES, known)
    _check_is(lamps[6], LAMP, 2, 0.1)
    assert [lamp.reach() / lamps[6].reach() for lamp in lamps] == pytest.approx(REACHES.tolist())
    assert {lamp.other for lamp in lamps} == {None}
    _check_heights(shades, lamps, stacks)


@pytest.mark.parametrize("stacks", [STACKS, LOW])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("other", [ACROSS, RIGHT])
def test_two_lamps_are_found_by_the_light(stacks: dict[str, int], known: bool, other: Lamp) -> None:
    """Where stacks throw two shadows: both, from about where one of them is (low stacks tell it less well), and
    tall stacks' heights; and both reach farther or less far together where it is not known how thick men are."""
    lit = Lamp(LAMP.x_mm, LAMP.y_mm, LAMP.z_mm, LAMP.radius_mm, other)
    shades = drawn_shades(camera(LAYOUT, 20), picture(20, tuple(stacks.items()), lit), stacks)
    lamps = LampSearch(shades, OPEN).lamps(LAMP.turned(0.1).reaching(1.1), REACHES, known)
    turn_deg = 7 if stacks == STACKS else 15
    first, second = sorted(lamps[6].both(), key=lambda lamp: np.hypot(lamp.x_mm - LAMP.x_mm, lamp.y_mm - LAMP.y_mm))
    _check_is(first, LAMP, turn_deg, 0.15)
    _check_is(second, other, turn_deg, 0.15)
    farther = [lamp.other.reach() / lamps[6].other.reach() for lamp in lamps if lamp.other and lamps[6].other]
    assert farther == pytest.approx([1.0] * 13 if known else REACHES.tolist())
    if known and stacks == STACKS:
        _check_heights(shades, lamps, stacks)


def test_a_lamp_is_found_where_nothing_is_known_of_it() -> None:
    """By the light about all stacks, which may be a man higher or lower than they are, all together; not in light from
    everywhere."""
    pose = camera(LAYOUT, 20)
    lit = drawn_shades(pose, picture(20, tuple(STACKS.items())), STACKS)
    _check_is(LampSearch(lit, OPEN).only(1200.0), LAMP, 7, 0.6)
    above = drawn_shades(pose, picture(20, tuple(STACKS.items()), Lamp(1.0, 0.0, 1e6)), STACKS)
    assert LampSearch(above, OPEN).only(1200.0) is None


def test_what_cannot_be_seen_tells_nothing_of_lamps() -> None:
    """With something foreign over all of the board the lamp stays, alone, and none is found where none is known."""
    pose = camera(LAYOUT, 20)
    image, maps = picture(20, tuple(STACKS.items())), GroundMaps(pose, LAYOUT, DISK_MM)
    ground = maps.ground(image, SURFACE, np.arange(len(SURFACE)), None, np.ones(image.shape[:2], bool))
    guess = Guess(np.array([DISK_MM + MAN_MM]), np.zeros(1))
    search = LampSearch(Shades(maps.men(28.0), ground, [Stand(np.zeros(2), DISK_MM)], [guess], RATIO), OPEN)
    lamp = search.lamps(LAMP, REACHES, True)[6]
    assert lamp.reach() == pytest.approx(LAMP.reach(), rel=0.02)
    assert lamp.other is None
    assert search.only(1200.0) is None


def test_heights_below_two_lamps() -> None:
    """A rendered board below two lamps: two of its stacks of two were three while one lamp was looked for."""
    image, layout = load_picture(PICTURES / "two_lamps_modular-5.jpg"), named_layout("modular-5")
    red, purple, beige, dark = (parse_colour(word) for word in ("red", "purple", "beige", "dark"))
    material = Material((red, purple), (beige, dark))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    seen = first_look(image, found.pose, layout, material)
    assert seen.table.lamp is not None
    assert len(seen.table.lamp.both()) == 2
    looks = [reading.best() for reading in seen.cells]
    assert sorted((look.men, look.height) for look in looks if look.men) == [(1, 2), (1, 4), (2, 1), (2, 1), (2, 2)]
