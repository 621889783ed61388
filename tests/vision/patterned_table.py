"""Lays drawn boards on tables with a pattern: checked and dotted cloths, honeycombs and grained wood."""

import cv2
import numpy as np

from engine.layout import Layout
from tests.vision.drawn_board import draw
from vision.geometry import BoardPose
from vision.picture import Picture

#: How far a cloth reaches, mm.
_FAR_MM = 900.0


def on_checked_cloth(layout: Layout, pose: BoardPose, apart_mm: float, turn_deg: float, **drawn: object) -> Picture:
    """A board, drawn as by `draw`, on a cloth with lines so far apart, both ways."""
    cloth = np.full((pose.lens.height_px, pose.lens.width_px, 3), (62, 70, 96), np.uint8)
    turn = np.radians(turn_deg)
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    for one, other in ((along, across), (across, along)):
        for off in np.arange(-_FAR_MM, _FAR_MM, apart_mm):
            places = off * one + np.linspace(-_FAR_MM, _FAR_MM, 80)[:, None] * other
            points = np.column_stack([places, np.zeros(len(places))])
            points = points[pose.depth_mm(points) > 0]
            cv2.polylines(cloth, [np.rint(pose.project(points)).astype(int)], False, (96, 150, 96), 4, cv2.LINE_AA)
    return _under(cloth, layout, pose, drawn)


def on_dotted_cloth(layout: Layout, pose: BoardPose, apart_mm: float, turn_deg: float, **drawn: object) -> Picture:
    """A board, drawn as by `draw`, on a cloth with dots so far apart, each amid six others."""
    circle = 0.38 * apart_mm * np.exp(1j * np.linspace(0, 2 * np.pi, 33))
    cloth = np.full((pose.lens.height_px, pose.lens.width_px, 3), (200, 206, 212), np.uint8)
    for outline in _outlines(pose, circle, apart_mm, turn_deg):
        cv2.fillPoly(cloth, [outline], (60, 58, 160), cv2.LINE_AA)
    return _under(cloth, layout, pose, drawn)


def on_honeycomb(layout: Layout, pose: BoardPose, apart_mm: float, turn_deg: float, **drawn: object) -> Picture:
    """A board, drawn as by `draw`, on hexagonal tiles so far apart."""
    hexagon = apart_mm / 3**0.5 * np.exp(1j * np.radians(np.arange(30, 390, 60)))
    tiles = np.full((pose.lens.height_px, pose.lens.width_px, 3), (122, 92, 62), np.uint8)
    for outline in _outlines(pose, hexagon, apart_mm, turn_deg):
        cv2.polylines(tiles, [outline], True, (44, 40, 40), 2, cv2.LINE_AA)
    return _under(tiles, layout, pose, drawn)


def _outlines(pose: BoardPose, shape: np.ndarray, apart_mm: float, turn_deg: float) -> list[np.ndarray]:
    """Where a shape (n,), complex mm, shows in the picture that lies all over a table, in rows that are shifted."""
    count = int(_FAR_MM / apart_mm)
    q, r = (part.ravel() for part in np.meshgrid(np.arange(-count, count), np.arange(-count, count)))
    middles = apart_mm * (q + r / 2 + 0.3 + 1j * (r * 3**0.5 / 2 + 0.2))
    places = (middles[:, None] + shape) * np.exp(1j * np.radians(turn_deg))
    points = np.stack([places.real, places.imag, 0 * places.real], axis=2)
    before = (pose.depth_mm(points) > 50).all(axis=1) & (np.abs(middles) < _FAR_MM)
    pixels = np.rint(pose.project(points[before])).astype(int)
    limit = 2 * np.array([pose.lens.width_px, pose.lens.height_px])
    return list(pixels[(np.abs(pixels) < limit).all(axis=(1, 2))])


def on_wood(layout: Layout, pose: BoardPose, seed: int, **drawn: object) -> Picture:
    """A board, drawn as by `draw`, on wood with a strong grain."""
    height, width = pose.lens.height_px, pose.lens.width_px
    rng = np.random.default_rng(seed)
    side = int(np.hypot(height, width)) + 2
    grain = cv2.resize(rng.normal(0, 1, (side // 4, side // 30)), (side, side), interpolation=cv2.INTER_CUBIC)
    turned = cv2.getRotationMatrix2D((side / 2, side / 2), rng.uniform(0, 180), 1.0)
    grain = cv2.warpAffine(grain, turned, (side, side), borderMode=cv2.BORDER_REFLECT)[:height, :width]
    wood = np.clip(np.array([130, 170, 205]) * (1 + 0.22 * grain[..., None]), 0, 255).astype(np.uint8)
    return _under(wood, layout, pose, drawn)


def _under(table: Picture, layout: Layout, pose: BoardPose, drawn: dict[str, object]) -> Picture:
    """The board on such a table, with some noise."""
    black, white = (
        draw(layout, pose, table=(v, v, v), noise=0, **drawn).astype(np.float64)  # type: ignore[arg-type]
        for v in (0, 255)
    )
    noise = np.random.default_rng(5).normal(0, 1.5, black.shape)
    return np.clip(black + (white - black) / 255 * table + noise, 0, 255).astype(np.uint8)
