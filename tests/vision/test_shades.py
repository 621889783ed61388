"""The light about stacks: against shadows that are drawn as polygons, and against rays that are walked along."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.layout import named_layout
from engine.look import MAX_HEIGHT, SURFACES, Surface
from tests.vision.drawn_board import camera
from vision.geometry import BoardPose, Floats
from vision.ground import GroundMaps
from vision.heights import Size
from vision.lamp import Lamp
from vision.picture import Picture
from vision.shade import Men, Stand, lamp_faces
from vision.shades import Guess, Shades

LAYOUT = named_layout("hexhex-4")
DISK_MM, MAN_MM, RADIUS_MM = 1.8, 7.0, 14.0
RATIO = MAN_MM / (2 * RADIUS_MM)
SURFACE = np.full(len(LAYOUT.names), SURFACES.index(Surface.BEIGE))
#: Tall ones: here stacks hide no sky from the board, and close to low ones that tells most.
STACKS = {"d4": 3, "b2": 6, "f5": 5, "e2": 4}
REACHES = np.exp(np.linspace(-0.36, 0.36, 13))
LAMP = Lamp(-520.0, 430.0, 980.0, 40.0)
_CIRCLE = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 60, endpoint=False)])


def _fill(pose: BoardPose, circles: list[tuple[Floats, float, float]]) -> NDArray[np.bool_]:
    """Which pixels the hull of some circles (centre, radius, height) covers."""
    rims = [np.column_stack([centre + radius * _CIRCLE, np.full(60, z)]) for centre, radius, z in circles]
    hull = cv2.convexHull(pose.project(np.concatenate(rims)).astype(np.float32))
    mask = np.zeros((pose.lens.height_px, pose.lens.width_px), np.uint8)
    cv2.fillConvexPoly(mask, np.rint(hull * 16).astype(np.int32), 1, shift=4)
    return mask > 0


def _picture(pose: BoardPose, lamp: Lamp, stacks: dict[str, int]) -> Picture:
    """Disks everywhere, stacks on some, and the shadows that many points of the lamp throw; its sky is even."""
    random = np.random.default_rng(3)
    lit = np.zeros((pose.lens.height_px, pose.lens.width_px))
    samples = lamp_faces([replace(lamp, radius_mm=lamp.radius_mm * r) for r in np.sqrt(random.random(6))]).reshape(
        -1, 3
    )
    places = {name: np.array(LAYOUT.centres_mm[LAYOUT.names.index(name)]) for name in stacks}
    tops = {name: DISK_MM + MAN_MM * height for name, height in stacks.items()}
    for x, y, z in samples.astype(np.float64):
        dark = np.zeros(lit.shape, bool)
        for name, place in places.items():
            nearer = z / (z - tops[name] + DISK_MM)
            end = np.array([x, y]) + (place - [x, y]) * nearer
            dark |= _fill(pose, [(place, RADIUS_MM, DISK_MM), (end, RADIUS_MM * nearer, DISK_MM)])
        lit += ~dark
    colour = np.where(np.arange(3) == 0, 0.45, 0.6)
    light = colour * (0.3 + 0.7 * lit / len(samples))[..., None]
    image = 255 * np.clip(light + random.normal(0, 0.004, light.shape), 0, 1) ** (1 / 2.2)
    for name, place in places.items():
        image[_fill(pose, [(place, RADIUS_MM, DISK_MM), (place, RADIUS_MM, tops[name])])] = (30, 30, 120)
    return np.rint(image).astype(np.uint8)


def _shades(pose: BoardPose, image: Picture, stacks: dict[str, int]) -> Shades:
    """The stacks where the camera sees their tops, each of them possibly one man higher or lower."""
    maps, stands, guesses = GroundMaps(pose, LAYOUT, DISK_MM), [], []
    for name, height in stacks.items():
        top = DISK_MM + MAN_MM * height
        nearer = (pose.camera_mm[2] - DISK_MM) / (pose.camera_mm[2] - top)
        place = np.array(LAYOUT.centres_mm[LAYOUT.names.index(name)])
        stands.append(Stand(pose.camera_mm[:2] + (place - pose.camera_mm[:2]) * nearer, DISK_MM))
        some = np.array([h for h in (height - 1, height, height + 1) if h])
        guesses.append(Guess(DISK_MM + MAN_MM * some, np.zeros(len(some))))
    empty = np.array([name not in stacks for name in LAYOUT.names])
    return Shades(maps.men(2 * RADIUS_MM), maps.whole_ground(image, SURFACE, empty, LAMP), stands, guesses, RATIO)


@pytest.mark.parametrize("tilt_deg", [5, 20, 40])
@pytest.mark.parametrize("known", [True, False])
def test_lamp_and_heights_are_found_by_the_light(tilt_deg: float, known: bool) -> None:
    """From a lamp that is 6° and a fifth off: its direction to 2°, its reach to a tenth, and every height."""
    pose = camera(LAYOUT, tilt_deg)
    shades = _shades(pose, _picture(pose, LAMP, STACKS), STACKS)
    lamps = shades.lamps(LAMP.turned(0.1).reaching(1.2), REACHES, known)
    best = lamps[6]
    turn = np.angle(complex(best.x_mm, best.y_mm) / complex(LAMP.x_mm, LAMP.y_mm))
    assert abs(np.degrees(turn)) < 2
    assert best.reach() == pytest.approx(LAMP.reach(), rel=0.1)
    assert [lamp.reach() / best.reach() for lamp in lamps] == pytest.approx(REACHES.tolist())
    anything = np.zeros((len(STACKS), 1, MAX_HEIGHT))
    told = shades.heights(anything, lamps, np.array([RATIO]))
    assert told.shape == (len(STACKS), 1, len(REACHES), MAX_HEIGHT)
    together = np.logaddexp.reduce(told[:, 0], axis=2).sum(axis=0)
    assert (1 + np.argmax(told[:, 0, np.argmax(together)], axis=1)).tolist() == list(STACKS.values())


def test_each_size_has_its_heights() -> None:
    """What is one of three thick men is one of four thinner ones, and heights not asked for are unlikely."""
    pose = camera(LAYOUT, 20)
    shades = _shades(pose, _picture(pose, LAMP, STACKS), STACKS)
    sizes = tuple(Size(0.5, ratio, 1.0, 0.0) for ratio in (RATIO, 0.75 * RATIO))
    told = shades.heights_by_size(0, np.arange(1, 5), LAMP, sizes)
    assert np.argmax(told, axis=1).tolist() == [2, 3]
    assert (told[:, [0, 5, 6, 7]] <= told.min()).all()


def test_what_cannot_be_seen_tells_nothing() -> None:
    """With something foreign over all of the board no height is likelier than another, and the lamp stays."""
    pose = camera(LAYOUT, 20)
    image, maps = _picture(pose, LAMP, STACKS), GroundMaps(pose, LAYOUT, DISK_MM)
    everything = np.ones(image.shape[:2], bool)
    ground = maps.ground(image, SURFACE, np.arange(len(SURFACE)), everything)
    assert not len(ground.points)
    stand = Stand(np.zeros(2), DISK_MM)
    shades = Shades(maps.men(28.0), ground, [stand], [Guess(np.array([DISK_MM + MAN_MM]), np.zeros(1))], RATIO)
    assert not shades.heights(np.zeros((1, 2, MAX_HEIGHT)), [LAMP] * 3, np.array([0.2, 0.3])).any()
    assert not shades.heights_by_size(0, np.arange(3), LAMP, (Size(1.0, 0.25, 1.0, 0.0),)).any()
    assert shades.lamps(LAMP, REACHES, True)[6].reach() == pytest.approx(LAMP.reach(), rel=0.02)


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
    stand = Stand(np.zeros(2), 0.0)
    axis = men.axes(stand, np.array([top_mm]))[0]
    point = np.array([*place, 0.0])
    share = men.blocked(
        point[None].astype(np.float32), np.array([[source]], np.float32), stand, np.array([top_mm])
    ).item()
    steps = np.linspace(0, (top_mm - 0.02 * 2 * RADIUS_MM) / source[2], 4000)[:, None]
    nearest = np.linalg.norm(point[:2] + steps * (np.array(source[:2]) - point[:2]) - axis, axis=1).min()
    assert 0 <= share <= 1
    if abs(nearest - RADIUS_MM) > 0.4:
        assert share == (nearest < RADIUS_MM)
