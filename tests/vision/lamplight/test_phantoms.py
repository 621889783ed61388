"""Round shadows are no men: on drawn boards, and in pictures in which they were taken for men."""

import cv2
import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import SURFACES, Surface
from tests.vision.drawn_board import camera
from tests.vision.drawn_light import DISK_MM, LAYOUT, MAN_MM, RADIUS_MM, SURFACE, picture, place, stand
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.geometry import BoardPose
from vision.lamplight.ground import GroundMaps
from vision.lamplight.lamp import Lamp
from vision.lamplight.phantoms import Thrown, unlike_ground
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.learn import learn_table
from vision.reading.read import CellReader

#: In the light of this lamp the shadow of six men on the first of these cells falls on the second.
LAMP = Lamp(-800.0, 0.0, 900.0, 30.0)
TALL, SHADED = "d4", "d5"
STACKS = {TALL: 6, "b2": 3}
BEIGE = SURFACES.index(Surface.BEIGE)


def against_men(image: Picture, pose: BoardPose, cell: str, lamp: Lamp = LAMP) -> float:
    """What speaks against men on a cell that no stack stands on."""
    maps = GroundMaps(pose, LAYOUT, DISK_MM)
    ground = maps.ground(image, SURFACE, np.arange(len(SURFACE)), None)
    thrown = Thrown(maps.men(2 * RADIUS_MM), lamp, [stand(pose, name, height) for name, height in STACKS.items()])
    return thrown.against_men(ground, maps.on_cell(ground, LAYOUT.names.index(cell)), BEIGE)


def with_a_man(image: Picture, pose: BoardPose, cell: str, colour: tuple[int, int, int]) -> Picture:
    """The picture with a man on a cell, his side a little darker than his top."""
    image = image.copy()
    turns = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    rim = place(cell) + RADIUS_MM * np.column_stack([np.cos(turns), np.sin(turns)])
    foot, top = (
        pose.project(np.column_stack([rim, np.full(60, z)])).astype(np.int32) for z in (DISK_MM, DISK_MM + MAN_MM)
    )
    cv2.fillConvexPoly(image, cv2.convexHull(np.concatenate([foot, top])), tuple(v // 2 for v in colour))
    cv2.fillConvexPoly(image, top, colour)
    return image


@pytest.mark.parametrize("tilt_deg", [5, 20, 40])
def test_a_shadow_on_an_open_cell_speaks_against_men(tilt_deg: float) -> None:
    """Even where the lamp is taken to be a little off."""
    image, pose = picture(tilt_deg, tuple(STACKS.items()), LAMP), camera(LAYOUT, tilt_deg)
    assert against_men(image, pose, SHADED) > 4
    assert against_men(image, pose, SHADED, LAMP.turned(0.04).reaching(1.05)) > 4


@pytest.mark.parametrize("tilt_deg", [5, 40])
def test_what_is_lit_is_bright(tilt_deg: float) -> None:
    """Places that see most of the lamp look much brighter than those that see little of it; some lie in between."""
    image, pose = picture(tilt_deg, tuple(STACKS.items()), LAMP), camera(LAYOUT, tilt_deg)
    maps = GroundMaps(pose, LAYOUT, DISK_MM)
    stacks = [stand(pose, name, height) for name, height in STACKS.items()]
    free = [i for i, name in enumerate(LAYOUT.names) if name not in STACKS]
    ground = maps.ground(image, SURFACE, np.array(free), None)
    lit, light = Thrown(maps.men(2 * RADIUS_MM), LAMP, stacks).lit(ground.points), ground.light.mean(axis=1)
    dark, bright = light[lit < 0.1], light[lit > 0.9]
    assert len(dark) > 50
    assert np.quantile(dark, 0.9) < 0.5 * np.quantile(bright, 0.1)
    assert 0 < ((lit > 0.1) & (lit < 0.9)).sum() < len(dark)


@pytest.mark.parametrize("colour", [(25, 25, 25), (230, 235, 235), (40, 40, 160), (120, 60, 40)])
@pytest.mark.parametrize("tilt_deg", [5, 20, 40])
def test_a_man_in_a_shadow_is_no_shadow(tilt_deg: float, colour: tuple[int, int, int]) -> None:
    """Black, white, red or blue, he looks otherwise than the disk under him would."""
    image, pose = picture(tilt_deg, tuple(STACKS.items()), LAMP), camera(LAYOUT, tilt_deg)
    assert against_men(with_a_man(image, pose, SHADED, colour), pose, SHADED) < 1


def test_without_a_shadow_nothing_speaks_against_men() -> None:
    """An open cell in the light says nothing, be it asked or not."""
    image, pose = picture(20, tuple(STACKS.items()), LAMP), camera(LAYOUT, 20)
    assert against_men(image, pose, "f2") == 0
    maps = GroundMaps(pose, LAYOUT, DISK_MM)
    thrown = Thrown(maps.men(2 * RADIUS_MM), LAMP, [stand(pose, TALL, STACKS[TALL])])
    asked = [name for i, name in enumerate(LAYOUT.names) if name != TALL and thrown.fall_on(maps.places_of(i))]
    assert asked == [SHADED]


@pytest.mark.parametrize(
    ("file", "men", "disks", "open_cells"),
    [
        ("round_shadow_hexhex-4.jpg", ("orange", "teal"), ("cream", "espresso"), ["f5"]),
        ("round_shadows_hexhex-6.jpg", ("red", "purple"), ("beige", "dark"), ["i6", "j4"]),
    ],
)
def test_round_shadows_in_pictures(
    file: str, men: tuple[str, str], disks: tuple[str, str], open_cells: list[str]
) -> None:
    """Rendered boards in hard light: these shadows were taken for men."""
    image = load_picture(PICTURES / file)
    layout = named_layout(file.removesuffix(".jpg").split("_")[-1])
    first, second, beige, dark = (parse_colour(word) for word in (*men, *disks))
    material = Material((first, second), (beige, dark))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    readings = CellReader(found.pose, layout, learn_table(image, found.pose, layout, material)).read(image)
    assert [readings[layout.names.index(name)].best().height for name in open_cells] == [0] * len(open_cells)


def test_a_man_half_in_a_shadow_on_a_disk_that_looks_like_him() -> None:
    """A rendered board in hard light: an ivory man on a birch disk looks like it, in the light and in the shade, so
    where the shadow of the stack beside him falls says nothing of whether he is there. (He was surely none.)"""
    image = load_picture(PICTURES / "half_shaded_man_modular-5.jpg")
    layout = named_layout("modular-5")
    ivory, birch, walnut = (parse_colour(word) for word in ("ivory", "birch", "walnut"))
    material = Material((ivory, walnut), (birch, walnut))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    readings = CellReader(found.pose, layout, learn_table(image, found.pose, layout, material)).read(image)
    looks = [reading.best() for reading in readings]
    assert sorted(look.height for look in looks if look.men == 1) == [1, 1, 3, 6]
    assert sorted(look.height for look in looks if look.men == 2) == [1, 2, 3]


def test_men_like_the_ground_are_not_told_from_it() -> None:
    """A man a little brighter than a disk is not, a white one on a beige disk and a black one on a dark disk are; from
    ground that shows nowhere any is told."""
    beige, dark = np.array([0.7, 0.8, 0.9]), np.array([0.15, 0.2, 0.25])
    assert unlike_ground(1.05 * beige, beige) == 0
    assert unlike_ground(np.array([1.0, 1.05, 1.05]), beige) > 0.9
    assert unlike_ground(np.array([0.08, 0.08, 0.08]), dark) == 1
    assert unlike_ground(beige, np.full(3, np.nan)) == 1
