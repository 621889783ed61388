"""Draws boards as a camera with a known lens and pose would see them: cells, disks with thickness, printed markers."""

import cv2
import numpy as np

from engine.layout import Layout
from vision.arrays import Floats
from vision.geometry import BoardPose, Lens
from vision.picture import Picture

_SUB = 4  # bits of sub-pixel drawing
_HEXAGON = np.array([(np.cos(a), np.sin(a)) for a in np.radians(np.arange(30, 390, 60))])
_CIRCLE = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 49)])


def camera(
    layout: Layout,
    tilt_deg: float,
    azimuth_deg: float = 0.0,
    roll_deg: float = 0.0,
    hfov_deg: float = 60.0,
    k1: float = 0.0,
    size: tuple[int, int] = (1280, 720),
    room: float = 1.25,
) -> BoardPose:
    """A camera that looks at the board's middle and sees all of it, with `room` to spare."""
    width, height = size
    f = width / 2 / np.tan(np.radians(hfov_deg) / 2)
    lens = Lens(width, height, f, f, (width - 1) / 2, (height - 1) / 2, (k1, 0.0, 0.0, 0.0, 0.0))
    centres = np.array(layout.centres_mm)
    middle = np.append((centres.max(0) + centres.min(0)) / 2, 0.0)
    tilt, azimuth, roll = np.radians([tilt_deg, azimuth_deg, roll_deg])
    back = np.array([np.sin(tilt) * np.sin(azimuth), -np.sin(tilt) * np.cos(azimuth), np.cos(tilt)])
    across = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    down = np.cross(-back, across)
    level = np.stack([across, down, -back])
    spin = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    rotation = spin @ level
    points = np.column_stack([centres, np.zeros(len(centres))])
    for distance in np.geomspace(200, 8000, 200):
        pose = BoardPose(lens, rotation, -rotation @ (middle + distance * back))
        reach = np.abs(pose.project(points) - [lens.cx_px, lens.cy_px]) * room + 30
        if (reach < [width / 2, height / 2]).all() and (pose.depth_mm(points) > 0).all():
            return pose
    raise ValueError("no such camera")


def draw(
    layout: Layout,
    pose: BoardPose,
    cell: tuple[int, int, int] = (70, 120, 66),
    disk: tuple[int, int, int] | None = (150, 190, 214),
    table: tuple[int, int, int] = (60, 50, 45),
    every: int = 3,
    noise: float = 1.5,
    three: tuple[tuple[int, int, int], ...] | None = None,
    lined: bool = True,
    line: tuple[int, int, int] | None = None,
    width: float = 0.86,
    ring: tuple[float, float] | None = None,
    ink: tuple[int, int, int] = (40, 40, 150),
    printed: tuple[float, float] | None = None,
) -> Picture:
    """The board on a plain table; every `every`-th cell has no disk (all of them for `disk=None`). `three`: the colours
    of its cells where no two neighbours are alike; `lined`: whether there are lines between them, darker than cells, or
    of the colour `line`. Disks are `width` pitches wide; `ring`: between which radii, in pitches, these are of the
    colour `ink`, and `printed`: between which cells are."""
    image = np.full((pose.lens.height_px, pose.lens.width_px, 3), table, np.uint8)
    radius = layout.pitch_mm / np.sqrt(3)
    between = line or tuple(int(0.55 * v) for v in cell)
    cells = [cell] * len(layout.names)
    if three is not None and layout.board is not None:
        cells = [three[(c.q - c.r) % 3] for c in layout.board.cells]
    for centre in layout.centres_mm if lined else ():
        _polygon(image, pose, np.array(centre) + _HEXAGON * (radius + 0.4), between)
    for i, centre in enumerate(layout.centres_mm):
        _polygon(image, pose, np.array(centre) + _HEXAGON * (radius - (1.0 if lined else 0.0)), cells[i])
        for radius_mm, colour in zip(np.multiply(printed or (), layout.pitch_mm)[::-1], (ink, cells[i]), strict=False):
            _polygon(image, pose, np.array(centre) + _CIRCLE * radius_mm, colour)
        if disk is not None and i % every:
            thick_mm = 0.045 * layout.pitch_mm
            draw_round(image, pose, centre, width * layout.pitch_mm, thick_mm, disk)
            for radius_mm, colour in zip(np.multiply(ring or (), layout.pitch_mm)[::-1], (ink, disk), strict=False):
                rim_mm = np.array(centre) + _CIRCLE * radius_mm
                _fill(image, pose.project(np.column_stack([rim_mm, np.full(len(rim_mm), thick_mm)])), colour)
    if noise:
        grain = np.random.default_rng(5).normal(0, noise, image.shape)
        image = np.clip(image + grain, 0, 255).astype(np.uint8)
    return image


def with_cell(image: Picture, other: Picture, layout: Layout, cell: int, pose: BoardPose) -> Picture:
    """The picture with one cell of another."""
    out, mask = image.copy(), np.zeros(image.shape[:2], np.uint8)
    x, y = layout.centres_mm[cell]
    angles = np.radians(np.arange(30, 390, 60))
    corners = np.array([x, y]) + 0.56 * layout.pitch_mm * np.column_stack([np.cos(angles), np.sin(angles)])
    cv2.fillConvexPoly(mask, np.rint(pose.project(np.column_stack([corners, np.zeros(6)]))).astype(np.int32), 1)
    out[mask > 0] = other[mask > 0]
    return out


def draw_markers(
    image: Picture, pose: BoardPose, places: dict[int, tuple[float, float]], size_mm: float, turn_deg: float = 0.0
) -> None:
    """Print DICT_4X4_50 markers flat on the table, upright in the board's frame turned by `turn_deg` clockwise."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    turn = np.radians(-turn_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    for i, place in places.items():
        printed = cv2.copyMakeBorder(
            cv2.aruco.generateImageMarker(dictionary, i, 48), 8, 8, 8, 8, cv2.BORDER_CONSTANT, value=255
        )
        half = size_mm * 64 / 48 / 2
        corners = np.array(place) + np.array([(-half, half), (half, half), (half, -half), (-half, -half)]) @ spin.T
        pixels = pose.project(np.column_stack([corners, np.zeros(4)])).astype(np.float32)
        source = np.array([(-0.5, -0.5), (63.5, -0.5), (63.5, 63.5), (-0.5, 63.5)], np.float32)
        warp = cv2.getPerspectiveTransform(source, pixels)
        size = (image.shape[1], image.shape[0])
        colour = cv2.warpPerspective(cv2.cvtColor(printed, cv2.COLOR_GRAY2BGR), warp, size, flags=cv2.INTER_LINEAR)
        mask = cv2.warpPerspective(np.full_like(printed, 255), warp, size)
        image[mask > 127] = colour[mask > 127]


def draw_round(
    image: Picture,
    pose: BoardPose,
    centre_mm: tuple[float, float],
    diameter_mm: float,
    thickness_mm: float,
    colour: tuple[int, ...],
    top: tuple[int, ...] | None = None,
) -> None:
    """A disk or man lying flat: what shows of its side, a little darker, then its top, which may mirror something."""
    side = tuple(int(0.7 * v) for v in colour)
    rim_mm = np.array(centre_mm) + _CIRCLE * diameter_mm / 2
    both = [pose.project(np.column_stack([rim_mm, np.full(len(rim_mm), z)])) for z in (0.0, thickness_mm)]
    hull = cv2.convexHull(np.concatenate(both).astype(np.float32)).reshape(-1, 2)
    _fill(image, np.asarray(hull, np.float64), side)
    _fill(image, both[1], colour if top is None else top)


def _polygon(image: Picture, pose: BoardPose, corners_mm: Floats, colour: tuple[int, ...]) -> None:
    _fill(image, pose.project(np.column_stack([corners_mm, np.zeros(len(corners_mm))])), colour)


def _fill(image: Picture, pixels: Floats, colour: tuple[int, ...]) -> None:
    points = np.round(pixels * (1 << _SUB)).astype(np.int32)
    cv2.fillConvexPoly(image, points, colour, cv2.LINE_AA, _SUB)
