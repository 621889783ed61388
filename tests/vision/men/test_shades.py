"""The light about stacks: against shadows that are drawn as polygons, and against rays that are walked along."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.look import MAX_HEIGHT
from tests.vision.drawn_board import camera
from tests.vision.drawn_light import (
    DISK_MM,
    LAMP,
    LAYOUT,
    MAN_MM,
    RADIUS_MM,
    RATIO,
    SURFACE,
    drawn_shades,
    picture,
    sky,
)
from vision.lamplight.ground import GroundMaps
from vision.lamplight.lamp import Lamp
from vision.lamplight.shade import Men, Stand, lamp_faces
from vision.men.heights import Size
from vision.men.shades import Guess, Shades

STACKS = {"d4": 3, "b2": 6, "f5": 5, "e2": 4}


def test_each_size_has_its_heights() -> None:
    """What is one of three thick men is one of four thinner ones, and heights not asked for are unlikely."""
    pose = camera(LAYOUT, 20)
    shades = drawn_shades(pose, picture(20, tuple(STACKS.items())), STACKS)
    sizes = tuple(Size(0.5, ratio, 1.0, 0.0) for ratio in (RATIO, 0.75 * RATIO))
    told = shades.heights_by_size(0, np.arange(1, 5), LAMP, sizes)
    assert np.argmax(told, axis=1).tolist() == [2, 3]
    assert (told[:, [0, 5, 6, 7]] <= told.min()).all()


def test_what_cannot_be_seen_tells_nothing() -> None:
    """With something foreign over all of the board no height is likelier than another."""
    pose = camera(LAYOUT, 20)
    image, maps = picture(20, tuple(STACKS.items())), GroundMaps(pose, LAYOUT, DISK_MM)
    everything = np.ones(image.shape[:2], bool)
    ground = maps.ground(image, SURFACE, np.arange(len(SURFACE)), None, everything)
    assert not len(ground.points)
    middle = Stand(np.zeros(2), DISK_MM)
    shades = Shades(maps.men(28.0), ground, [middle], [Guess(np.array([DISK_MM + MAN_MM]), np.zeros(1))], RATIO)
    assert not shades.heights(np.zeros((1, 2, MAX_HEIGHT)), [LAMP] * 3, LAMP, np.array([0.2, 0.3])).any()
    assert not shades.heights_by_size(0, np.arange(3), LAMP, (Size(1.0, 0.25, 1.0, 0.0),)).any()
    assert not shades.about_all([LAMP])


@settings(deadline=None, max_examples=60)
@given(
    st.tuples(st.floats(-60, 60), st.floats(-60, 60)),
    st.tuples(st.floats(-900, 900), st.floats(-900, 900), st.floats(300, 1500)),
    st.floats(5, 60),
)
def test_a_stack_blocks_the_rays_that_meet_it(
    place: tuple[float, float], source: tuple[float, float, float], top_mm: float
) -> None:
    """As walking along the ray in small steps says; its edge apart, which is soft."""
    men = Men(camera(LAYOUT, 20), 0.0, RADIUS_MM, 0.5)
    middle, top = np.zeros(2), np.array([top_mm])
    axis = men.axes(middle, top)[0]
    point = np.array([*place, 0.0])
    share = 1 - men.left(point[None].astype(np.float32), np.array([[source]], np.float32), middle, top).item()
    steps = np.linspace(0, (top_mm - 0.02 * 2 * RADIUS_MM) / source[2], 4000)[:, None]
    nearest = np.linalg.norm(point[:2] + steps * (np.array(source[:2]) - point[:2]) - axis, axis=1).min()
    assert 0 <= share <= 1
    if abs(nearest - RADIUS_MM) > 0.4:
        assert share == (nearest < RADIUS_MM)


@settings(deadline=None, max_examples=40)
@given(st.floats(1.05, 4), st.floats(0.3, 6), st.floats(0, 2 * np.pi))
def test_a_stack_hides_the_sky_as_the_rays_say_that_it_blocks(apart: float, high: float, turn: float) -> None:
    """`apart`, `high`: how far from its middle and how far below its top a place is, in its radii."""
    men = Men(camera(LAYOUT, 20), 0.0, RADIUS_MM, 0.01)
    tops = np.array([high * RADIUS_MM])
    middle = np.zeros(2)
    axis = men.axes(middle, tops)[0]
    aside = apart * RADIUS_MM * np.array([np.cos(turn), np.sin(turn)])
    point = np.array([[*(axis + aside), 0.0]], np.float32)
    hidden = men.sky_hidden(point, middle, tops).item()
    rays = (1e5 * sky(4000)).astype(np.float32)[None]
    assert hidden == pytest.approx(1 - men.left(point, rays, middle, tops).mean().item(), abs=0.03)


@settings(deadline=None, max_examples=60)
@given(
    st.tuples(st.floats(-60, 60), st.floats(-60, 60)),
    st.tuples(st.floats(-900, 900), st.floats(-900, 900), st.floats(600, 1500)),
    st.floats(5, 60),
    st.floats(-0.3, 0.3),
    st.floats(0.7, 1.4),
)
def test_all_shaded_places_are_ones_that_a_stack_may_shade(
    place: tuple[float, float], lamp: tuple[float, float, float], top_mm: float, turn: float, longer: float
) -> None:
    """Even when the lamp is turned by up to 0.3, is lower or higher, and has a face."""
    men, stack, taken = Men(camera(LAYOUT, 30), 0.0, RADIUS_MM, 0.5), Stand(np.array(place), 0.0), Lamp(*lamp)
    side = np.arange(-250, 250, 5)
    grid = np.stack(np.meshgrid(side, side, [0]), axis=-1).reshape(-1, 3).astype(np.float32)
    there = taken.turned(turn).reaching(longer)
    faces = lamp_faces([replace(there, radius_mm=0.08 * there.far_mm())])
    dark = np.flatnonzero(men.left(grid, faces, stack.middle_mm, np.array([top_mm])).min(axis=(0, 1)) < 1)
    assert set(dark.tolist()) <= set(men.may_shade(grid, stack, top_mm, [taken]).tolist())


def test_a_neighbours_shadow_is_no_riddle() -> None:
    """Where the shadow of a stack falls about another, that one's height is told as well."""
    stacks = {"d4": 2, "c4": 5}
    pose = camera(LAYOUT, 20)
    shades = drawn_shades(pose, picture(20, tuple(stacks.items())), stacks)
    told = shades.heights_by_size(0, np.arange(1, 4), LAMP, (Size(1.0, RATIO, 1.0, 0.0),))
    assert np.argmax(told[0]) == 1
    assert told[0, 1] > max(told[0, 0], told[0, 2]) + 2
