"""Draws light and shade on a board of disks: the shadows that stacks throw, as polygons."""

from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np

from engine.layout import named_layout
from engine.look import SURFACES, Surface
from tests.vision.drawn_board import camera
from vision.arrays import Floats
from vision.geometry import BoardPose
from vision.lamplight.ground import GroundMaps
from vision.lamplight.lamp import Lamp
from vision.lamplight.shade import Stand, lamp_faces
from vision.men.shades import Guess, Shades
from vision.picture import Picture
from vision.surfaces.disks import measure_disks

LAYOUT = named_layout("hexhex-4")
DISK_MM, MAN_MM, RADIUS_MM = 1.8, 7.0, 14.0
SURFACE = np.full(len(LAYOUT.names), SURFACES.index(Surface.BEIGE))
#: How thick men are, in diameters.
RATIO = MAN_MM / (2 * RADIUS_MM)
LAMP = Lamp(-520.0, 430.0, 980.0, 40.0)
_CIRCLE = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 60, endpoint=False)])


def _fill(pose: BoardPose, mask: Picture, circles: list[tuple[Floats, float, float]]) -> None:
    """Set those pixels of a mask that the hull of some circles (centre, radius, height) covers."""
    rims = [np.column_stack([centre + radius * _CIRCLE, np.full(60, z)]) for centre, radius, z in circles]
    hull = cv2.convexHull(pose.project(np.concatenate(rims)).astype(np.float32))
    cv2.fillConvexPoly(mask, np.rint(hull * 16).astype(np.int32), 1, shift=4)


@lru_cache
def picture(tilt_deg: float, stacks: tuple[tuple[str, int], ...], lamp: Lamp = LAMP) -> Picture:
    """LAYOUT's board in a lamp's light, or in that of two that are as bright: disks everywhere, stacks on some, and the
    shadows that many points of the lamps and of an even sky throw."""
    random, pose = np.random.default_rng(3), camera(LAYOUT, tilt_deg)
    sizes = np.sqrt(random.random(6))
    faces = [lamp_faces([replace(each, radius_mm=each.radius_mm * r) for r in sizes]) for each in lamp.both()]
    lit = np.mean([_lit(pose, stacks, each.reshape(-1, 3).astype(np.float64)) for each in faces], axis=0)
    even = _lit(pose, stacks, 1e5 * sky(100))
    colour = np.where(np.arange(3) == 0, 0.45, 0.6)
    light = colour * (0.3 * even + 0.7 * lit)[..., None]
    image = 255 * np.clip(light + random.normal(0, 0.004, light.shape), 0, 1) ** (1 / 2.2)
    men = np.zeros(lit.shape, np.uint8)
    for name, height in stacks:
        _fill(pose, men, [(place(name), RADIUS_MM, z) for z in (DISK_MM, DISK_MM + MAN_MM * height)])
    image[men > 0] = (30, 30, 120)
    return np.rint(image).astype(np.uint8)


def _lit(pose: BoardPose, stacks: tuple[tuple[str, int], ...], sources: Floats) -> Floats:
    """How much of the light of some sources (n, 3) comes to each pixel of the disks."""
    lit = np.zeros((pose.lens.height_px, pose.lens.width_px))
    for x, y, z in sources:
        dark = np.zeros(lit.shape, np.uint8)
        for name, height in stacks:
            middle = place(name)
            nearer = (z - DISK_MM) / (z - DISK_MM - MAN_MM * height)
            end = np.array([x, y]) + (middle - [x, y]) * nearer
            _fill(pose, dark, [(middle, RADIUS_MM, DISK_MM), (end, RADIUS_MM * nearer, DISK_MM)])
        lit += 1 - dark
    return lit / len(sources)


def sky(count: int) -> Floats:
    """Directions (n, 3) into an even sky, as many as their light counts (cosine law); none below six degrees."""
    k = np.arange(count) + 0.5
    aside, turn = np.sqrt(k / count), k * np.pi * (3 - np.sqrt(5))
    return np.column_stack([aside * np.cos(turn), aside * np.sin(turn), np.maximum(np.sqrt(1 - aside**2), 0.1)])


def place(name: str) -> Floats:
    return np.array(LAYOUT.centres_mm[LAYOUT.names.index(name)])


def stand(pose: BoardPose, name: str, height: int) -> tuple[Stand, float]:
    """So many men on a cell as a camera sees them, and how high their top is."""
    top = DISK_MM + MAN_MM * height
    nearer = (pose.camera_mm[2] - DISK_MM) / (pose.camera_mm[2] - top)
    return Stand(pose.camera_mm[:2] + (place(name) - pose.camera_mm[:2]) * nearer, DISK_MM), top


def drawn_shades(pose: BoardPose, image: Picture, stacks: dict[str, int]) -> Shades:
    """The stacks where the camera sees their tops, each of them possibly one man higher or lower."""
    maps, stands, guesses = GroundMaps(pose, LAYOUT, DISK_MM), [], []
    for name, height in stacks.items():
        stands.append(stand(pose, name, height)[0])
        some = np.array([h for h in (height - 1, height, height + 1) if h])
        guesses.append(Guess(DISK_MM + MAN_MM * some, np.zeros(len(some))))
    empty = np.array([name not in stacks for name in LAYOUT.names])
    disks = measure_disks(image, pose, LAYOUT, DISK_MM, SURFACE, empty)
    ground = maps.ground(image, SURFACE, np.arange(len(SURFACE)), disks)
    return Shades(maps.men(2 * RADIUS_MM), ground, stands, guesses, RATIO)
