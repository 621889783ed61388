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
from vision.lamplight.lamp import Lamp
from vision.lamplight.shade import Stand, lamp_faces
from vision.picture import Picture

LAYOUT = named_layout("hexhex-4")
DISK_MM, MAN_MM, RADIUS_MM = 1.8, 7.0, 14.0
SURFACE = np.full(len(LAYOUT.names), SURFACES.index(Surface.BEIGE))
LAMP = Lamp(-520.0, 430.0, 980.0, 40.0)
_CIRCLE = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 60, endpoint=False)])


def _fill(pose: BoardPose, mask: Picture, circles: list[tuple[Floats, float, float]]) -> None:
    """Set those pixels of a mask that the hull of some circles (centre, radius, height) covers."""
    rims = [np.column_stack([centre + radius * _CIRCLE, np.full(60, z)]) for centre, radius, z in circles]
    hull = cv2.convexHull(pose.project(np.concatenate(rims)).astype(np.float32))
    cv2.fillConvexPoly(mask, np.rint(hull * 16).astype(np.int32), 1, shift=4)


@lru_cache
def picture(tilt_deg: float, stacks: tuple[tuple[str, int], ...], lamp: Lamp = LAMP) -> Picture:
    """LAYOUT's board in a lamp's light: disks everywhere, stacks on some, and the shadows that many points of the lamp
    and of an even sky throw."""
    random, pose = np.random.default_rng(3), camera(LAYOUT, tilt_deg)
    faces = lamp_faces([replace(lamp, radius_mm=lamp.radius_mm * r) for r in np.sqrt(random.random(6))])
    sources = faces.reshape(-1, 3).astype(np.float64), 1e5 * sky(100)
    lit, even = (_lit(pose, stacks, each) for each in sources)
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
