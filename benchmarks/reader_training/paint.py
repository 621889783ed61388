"""Paints labelled pictures of boards for training: every colour, light, lens and stack, in under a second each.

Painter's algorithm on a picture of twice the size: hexagons or squares, disks, shadows of the stacks for some points
of the lamp, then the men from the far side to the near one, each with its side, edge bevels, grooves and gloss.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from engine.board import named_board
from engine.layout import Layout, layout_of
from engine.look import CellLook, Surface
from vision.geometry import BoardPose, Lens
from vision.palette import WORDS
from vision.sampling import CellViews

PITCH_MM = 40.0
_OVERSAMPLE = 2
_AROUND = np.linspace(0, 2 * math.pi, 48, endpoint=False)
_CIRCLE = np.column_stack([np.cos(_AROUND), np.sin(_AROUND)])
_SIDES = 40
_LAMPS = [(255, 244, 229), (255, 214, 170), (255, 197, 143), (235, 242, 255), (212, 228, 255)]
_MEN = "red purple white black yellow blue orange ivory walnut grey teal maroon birch green olive sand espresso slate"
_LIGHT_DISKS, _DARK_DISKS = "beige sand cream birch ivory white", "dark espresso charcoal walnut slate black"
_BRIGHT_BOARDS = "white white ivory cream beige birch sand oak silver"
#: Least and greatest thickness of a man, in diameters.
_THICKNESSES = (0.155, 0.375)
_SURFACES = (Surface.BEIGE, Surface.BARE, Surface.DARK, Surface.LIGHT)


@dataclass(frozen=True)
class Man:
    """Where a cell's stack stands: axis offsets of its men in millimetres, lowest first."""

    cell: int
    owner: int
    offsets: tuple[Any, ...]


@dataclass(frozen=True)
class Painted:
    """A picture and its truth: looks in the layout's order; how thick each cell's men are, (N,); offset (N, 2) of
    lowest and highest man, NaN for none; the lamp's place (3,), NaN where it is not known. All in millimetres."""

    image: Any
    layout: Layout
    pose: BoardPose
    looks: tuple[CellLook, ...]
    diameter_mm: float
    thickness_mm: Any
    disk_mm: tuple[float, float]
    lowest: Any
    highest: Any
    lamp: Any

    def stacks(self, cells: Any) -> tuple[Any, Any, Any]:
        """Of some cells (n,): have they no disk, how many men, and how high the top is in millimetres, (n,) each."""
        bare = np.array([self.looks[i].surface is Surface.BARE for i in cells], bool)
        height = np.array([self.looks[i].height for i in cells])
        return bare, height, np.where(bare, 0.0, self.disk_mm[1]) + height * self.thickness_mm[cells]

    def seen_from(self, views: CellViews, diameter: float, above_mm: float) -> Any:
        """The viewing geometry of n cells, (n, 5): sine and cosine of the tilt; a man's `diameter` in pitches, the
        logarithm of what it is in 40 pixels, and ten times its share of the height of a camera or lamp."""
        n = len(views.slope)
        size = [np.full(n, diameter / self.layout.pitch_mm), np.log(views.px_per_mm * diameter / 40)]
        return np.stack([*views.tilt(), *size, np.full(n, 10 * diameter / above_mm)], 1)


@dataclass
class _Table:
    """One random table: everything that a picture is painted from."""

    random: np.random.Generator
    squares: bool
    layout: Layout = field(init=False)
    centres: Any = field(init=False)

    def __post_init__(self) -> None:
        random = self.random
        if self.squares:
            places = {f"c{i}": ((i % 8) * PITCH_MM, (i // 8) * PITCH_MM) for i in range(64)}
            self.layout = Layout("squares", None, tuple(places), tuple(places.values()), PITCH_MM)
        else:
            names = ["hexhex-4", "hexhex-5", "hexhex-3", "modular-5", "modular-7"]
            self.layout = layout_of(named_board(str(random.choice(names, p=[0.4, 0.3, 0.1, 0.1, 0.1]))))
        self.centres = np.array(self.layout.centres_mm)
        self.patterned = self.squares or random.random() < 0.1
        wide = random.uniform(0.72, 1.0) if self.squares else random.uniform(0.66, 0.76)
        self.diameter = PITCH_MM * wide * (random.uniform(1, 1.25) if self.patterned and not self.squares else 1)
        # were all men of a table alike, a network might know the table instead of measuring its men
        self.thickness = self.diameter * np.exp(random.uniform(*np.log(_THICKNESSES), len(self.centres)))
        self.disk = (PITCH_MM * random.uniform(0.84, 0.9), random.uniform(1.2, 2.4))
        self.hard = random.choice([0.3, 0.6, 0.8, 1.0])
        self.style = int(random.integers(3))
        self.coat = random.uniform(0, 0.6) * (random.random() < 0.7)
        self.rough = random.uniform(0.2, 0.7)
        self._place_camera()
        self._place_lamp()
        self._pick_colours()
        self._place_men()

    def _place_camera(self) -> None:
        random = self.random
        width, height = (960, 540) if random.random() < 0.6 else (1280, 720)
        view = math.radians(random.uniform(48, 62 + 14 * self.hard))
        focal = width / 2 / math.tan(view / 2)
        k1 = random.uniform(-0.12, 0.03) * self.hard
        lens = Lens(width, height, focal, focal, width / 2 - 0.5, height / 2 - 0.5, (k1, 0.0, 0.0, 0.0, 0.0))
        tilt, turn = math.radians(random.uniform(4, 22 + 28 * self.hard)), random.uniform(0, 2 * math.pi)
        roll = math.radians(random.uniform(-6, 6))
        middle = np.array([*(self.centres.max(axis=0) + self.centres.min(axis=0)) / 2, 0.0])
        fill = random.uniform(0.5, 0.95)
        low, high = 100.0, 5000.0
        ground = np.column_stack([self.centres, np.zeros(len(self.centres))])
        for _ in range(30):
            distance = (low + high) / 2
            self.pose = _looking(lens, middle, distance, tilt, turn, roll)
            depth = (ground @ self.pose.rotation.T + self.pose.translation_mm)[:, 2]
            pixels = self.pose.project(ground) / [width, height]
            too_near = depth.min() < 50 or np.abs(pixels - 0.5).max() * 2 > fill
            low, high = (distance, high) if too_near else (low, distance)
        self.camera = self.pose.camera_mm

    def _place_lamp(self) -> None:
        random = self.random
        height, turn = math.radians(random.uniform(33, 78)), random.uniform(0, 2 * math.pi)
        flat = math.cos(height)
        self.lamp_distance = random.uniform(800, 1500)
        self.lamp = self.lamp_distance * np.array([flat * math.cos(turn), flat * math.sin(turn), math.sin(height)])
        self.soft = random.random() > 0.3
        self.lamp_size = random.uniform(200, 500) if self.soft else random.uniform(15, 60)
        self.lamp_rgb = linear(np.array(_LAMPS[random.integers(len(_LAMPS))]))
        self.ambient = linear(np.array([225, 235, 255])) * random.uniform(0.12, 0.45)
        to_lamp = self.lamp - np.column_stack([self.centres, np.zeros(len(self.centres))])
        far = np.linalg.norm(to_lamp, axis=1)
        self.lit = to_lamp[:, 2] / far * (self.lamp_distance / far) ** 2

    def _pick_colours(self) -> None:
        random = self.random
        self.light, self.dark = self._near_word(_LIGHT_DISKS, 7), self._near_word(_DARK_DISKS, 6)
        self.ground = self._board()
        first, second = self._man(), self._man()
        while np.abs(first - second).max() <= 45:
            first, second = self._man(), self._man()
        if random.random() < 0.12:
            first = _near(random, self.light, 6)
        if random.random() < 0.12:
            second = _near(random, self.dark, 6)
        self.men = [linear(first), linear(second), linear(self._man())]
        self.white = self._near_word("white", 6)
        self.squares_rgb = [linear(np.clip(random.uniform(-40, 260, 3), 8, 235)) for _ in range(2)]

    def _board(self) -> Any:
        """Green mostly, or paper or light wood, or any colour."""
        share = self.random.random()
        if share < 0.6:
            return self._near_word("green moss felt olive", 10)
        if share < 0.85:
            return self._near_word(_BRIGHT_BOARDS, 10)
        return self.random.uniform(30, 240, 3)

    def _man(self) -> Any:
        return self._near_word(_MEN, 8) if self.random.random() < 0.65 else self.random.uniform(15, 238, 3)

    def _near_word(self, words: str, spread: float) -> Any:
        return _near(self.random, WORDS[str(self.random.choice(words.split()))], spread)

    def _place_men(self) -> None:
        random = self.random
        density = random.choice([0.08, 0.15, 0.3, 0.45])
        mixes = [(8, 1, 1, 0), (4, 2, 2, 0), (1, 1, 1, 0), (2, 4, 2, 0.5), (1, 6, 1, 0), (5, 1, 3, 0.6)]
        mix = np.array(mixes[random.integers(len(mixes))], float)
        tall = random.random() < 0.6
        heights = np.array([9, 6, 5, 4, 3, 3, 2, 1.5] if tall else [30, 8, 4, 2, 1, 1, 0.3, 0.2], float)
        base = random.uniform(1, 10) if self.squares else random.uniform(0.5, 5)
        lean, slip = random.uniform(0.2, 5 if self.squares else 2.2), random.uniform(0.2, 1.2)
        self.surfaces, self.disk_at, self.stacks = [], [], []
        for i, centre in enumerate(self.centres):
            surface = 1 if self.patterned else int(random.choice(4, p=mix / mix.sum()))
            self.surfaces.append(_SURFACES[surface])
            self.disk_at.append(centre + _within(random, slip))
            if random.random() < density:
                owner = int(random.choice([1, 2, 3], p=[0.47, 0.47, 0.06]))
                height = 1 + int(random.choice(8, p=heights / heights.sum()))
                foot = centre + _within(random, base)
                offsets = [foot, *(foot + _within(random, lean) for _ in range(height - 1))]
                self.stacks.append(Man(i, owner, tuple(offsets)))
        self.order = np.argsort(-np.hypot(*(self.centres - self.camera[:2]).T))

    def foot_mm(self, cell: int) -> float:
        """Height of the surface that a cell's men stand on."""
        return 0.0 if self.surfaces[cell] is Surface.BARE else self.disk[1]


def paint(seed: int, squares: bool = False) -> Painted:
    """A random board; `squares` for a printed board of squares that is played without disks."""
    table = _Table(np.random.default_rng(seed), squares)
    picture = _ground(table)
    picture = _lit_ground(table, picture)
    stacks = {stack.cell: stack for stack in table.stacks}
    for cell in table.order:
        if cell in stacks:
            _paint_stack(table, stacks[cell], picture)
    lens = table.pose.lens
    picture = cv2.resize(picture, (lens.width_px, lens.height_px), interpolation=cv2.INTER_AREA)
    picture *= table.random.uniform(0.7, 1.1) / np.percentile(picture.max(axis=2), 97)
    shown = np.clip(picture, 0, 1)
    shown = np.where(shown <= 0.0031308, shown * 12.92, 1.055 * np.power(shown, 1 / 2.4) - 0.055)
    looks = [CellLook(surface) for surface in table.surfaces]
    lowest, highest = np.full((2, len(looks), 2), np.nan)
    for i, stack in stacks.items():
        looks[i] = CellLook(table.surfaces[i], stack.owner, len(stack.offsets))
        lowest[i], highest[i] = stack.offsets[0] - table.centres[i], stack.offsets[-1] - table.centres[i]
    image = np.ascontiguousarray((shown * 255).astype(np.uint8)[..., ::-1])
    return Painted(
        image=image,
        layout=table.layout,
        pose=table.pose,
        looks=tuple(looks),
        diameter_mm=table.diameter,
        thickness_mm=table.thickness,
        disk_mm=table.disk,
        lowest=lowest,
        highest=highest,
        lamp=table.lamp,
    )


def linear(srgb: Any) -> Any:
    """Linear light of sRGB values 0–255 (IEC 61966-2-1)."""
    value = np.asarray(srgb, float) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _near(random: np.random.Generator, rgb: Any, spread: float) -> Any:
    return np.clip(np.asarray(rgb) + random.normal(0, spread, 3), 8, 246)


def _within(random: np.random.Generator, radius: float) -> Any:
    turn, far = random.uniform(0, 2 * math.pi), radius * math.sqrt(random.random())
    return np.array([far * math.cos(turn), far * math.sin(turn)])


def _looking(lens: Lens, middle: Any, distance: float, tilt: float, turn: float, roll: float) -> BoardPose:
    away = np.array([math.sin(tilt) * math.sin(turn), -math.sin(tilt) * math.cos(turn), math.cos(tilt)])
    forward, right = -away, np.array([math.cos(turn), math.sin(turn), 0.0])
    down = np.cross(forward, right)
    c, s = math.cos(roll), math.sin(roll)
    rotation = np.stack([c * right + s * down, -s * right + c * down, forward])
    return BoardPose(lens, rotation, -rotation @ (middle + distance * away))


def _fill(table: _Table, points: Any, colour: Any, picture: Any, scale: float = _OVERSAMPLE) -> None:
    pixels = np.round((table.pose.project(np.asarray(points)) + 0.5) * scale * 16 - 8).astype(np.int32)
    cv2.fillConvexPoly(picture, pixels, [float(v) for v in np.atleast_1d(colour)], shift=4)


def _flat(points: Any, z: float) -> Any:
    return np.column_stack([points, np.full(len(points), z)])


def _noise(random: np.random.Generator, shape: tuple[int, int], grain_px: float, amount: float) -> Any:
    size = (max(2, int(shape[0] / grain_px)), max(2, int(shape[1] / grain_px)))
    coarse = random.normal(0, 1, size).astype(np.float32)
    return 1 + amount * cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)[..., None]


def _ground(table: _Table) -> Any:
    """Albedo of table, cells and disks at twice the size, linear RGB."""
    random, lens = table.random, table.pose.lens
    shape = (lens.height_px * _OVERSAMPLE, lens.width_px * _OVERSAMPLE)
    picture = np.empty((*shape, 3), np.float32)
    picture[:] = linear(_near(random, random.uniform(20, 230, 3), 1))
    picture *= _noise(random, shape, random.uniform(8, 80), random.uniform(0.02, 0.25))
    gap = 0.0 if table.patterned else random.uniform(0.4, 1.2)
    turn = np.radians(60 * np.arange(6) + 30)
    hexagon = np.column_stack([np.cos(turn), np.sin(turn)])
    square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * PITCH_MM
    size = PITCH_MM / math.sqrt(3)
    if table.squares:
        for edge, low in ((1.7, 90), (1.0, 30)):
            corners = np.array([(-edge, -edge), (7 + edge, -edge), (7 + edge, 7 + edge), (-edge, 7 + edge)])
            _fill(table, _flat(corners * PITCH_MM, 0.0), linear(random.uniform(low, 230, 3)), picture)
    else:
        for i in table.order:
            _fill(table, _flat(table.centres[i] + (size + 0.5) * hexagon, -0.3), linear(table.ground * 0.55), picture)
    for i in table.order:
        if table.squares:
            colour = table.squares_rgb[(i % 8 + i // 8) % 2] * random.uniform(0.95, 1.05)
            _fill(table, _flat(table.centres[i] + square, 0.0), colour, picture)
            continue
        patterned = table.squares_rgb[random.integers(2)]
        colour = patterned if table.patterned else linear(table.ground) * random.uniform(0.93, 1.07)
        _fill(table, _flat(table.centres[i] + (size - gap) * hexagon, 0.0), colour, picture)
    picture *= _noise(random, shape, 6 * _OVERSAMPLE, random.uniform(0, 0.08))
    for i in table.order:
        _paint_disk(table, i, picture)
    return picture


def _paint_disk(table: _Table, cell: int, picture: Any) -> None:
    colours = {Surface.BEIGE: table.light, Surface.DARK: table.dark, Surface.LIGHT: table.white}
    rgb = colours.get(table.surfaces[cell])
    if rgb is None:
        return
    radius, thickness = table.disk[0] / 2, table.disk[1]
    colour = linear(rgb) * table.random.uniform(0.95, 1.05)
    for r, z, shade in ((radius, 0.0, 0.45), (radius, thickness - 0.25, 0.8), (radius - 0.3, thickness, 1.0)):
        _fill(table, _flat(table.disk_at[cell] + r * _CIRCLE, z), colour * shade, picture)


def _lit_ground(table: _Table, albedo: Any) -> Any:
    """The ground in the light: ambient with contact shade, lamp with fall-off and the stacks' shadows."""
    random = table.random
    height, width = albedo.shape[:2]
    half = np.zeros((height // 2, width // 2), np.float32)
    points = 14 if table.soft else 3
    for _ in range(points):
        lamp = table.lamp + np.array([*_within(random, table.lamp_size / 2), 0.0])
        once = np.zeros(half.shape, np.uint8)
        for stack in table.stacks:
            _shadow(table, stack, lamp, once)
        half += once
    shadow = cv2.GaussianBlur(cv2.resize(half / points, (width, height)), (0, 0), 1.5)[..., None]
    contact = np.zeros((height // 4, width // 4), np.uint8)
    for stack in table.stacks:
        outline = _flat(stack.offsets[0] + _CIRCLE * table.diameter / 2 * 1.12, table.disk[1])
        _fill(table, outline, 1, contact, _OVERSAMPLE / 4)
    soft = cv2.GaussianBlur(contact.astype(np.float32), (0, 0), random.uniform(1.5, 4))
    contact_shade = cv2.resize(soft, (width, height))[..., None]
    ground = np.column_stack([table.centres, np.zeros(len(table.centres))])
    pixels = np.column_stack([table.pose.project(ground), np.ones(len(ground))])
    slope = np.linalg.lstsq(pixels, np.log(table.lit), rcond=None)[0]
    y, x = np.mgrid[0:height:8, 0:width:8].astype(np.float32) / _OVERSAMPLE
    fall = cv2.resize((slope[0] * x + slope[1] * y + slope[2]).astype(np.float32), (width, height))
    lamp_light = np.exp(np.clip(fall, -1.5, 1.5))[..., None] * (1 - shadow * random.uniform(0.9, 1.0))
    ambient = table.ambient.astype(np.float32) * (1 - 0.45 * contact_shade)
    return albedo * (ambient + table.lamp_rgb.astype(np.float32) * lamp_light)


def _shadow(table: _Table, stack: Man, lamp: Any, mask: Any) -> None:
    foot, ground = table.foot_mm(stack.cell), table.disk[1]
    outline = []
    for k, centre in enumerate(stack.offsets):
        for z in foot + table.thickness[stack.cell] * np.array([k, k + 1]):
            along = lamp - np.array([*centre, z])
            outline.append(centre + _CIRCLE * table.diameter / 2 - along[:2] * (z - ground) / max(along[2], 1.0))
    hull = cv2.convexHull(np.concatenate(outline).astype(np.float32))[:, 0]
    _fill(table, _flat(hull, ground * 0.7), 1, mask, _OVERSAMPLE / 2)


def _shade(table: _Table, stack: Man, k: int) -> float:
    """Share of the lamp's light that other stacks let through to the k-th man."""
    z = table.foot_mm(stack.cell) + (k + 0.6) * table.thickness[stack.cell]
    ray = table.lamp - np.array([*stack.offsets[k], z])
    light = 1.0
    for other in table.stacks:
        reach = (table.disk[1] + len(other.offsets) * table.thickness[other.cell] - z) / ray[2]
        if other.cell == stack.cell or reach <= 0:
            continue
        along = stack.offsets[k] + np.linspace(0, reach, 8)[:, None] * ray[:2]
        if np.hypot(*(along - other.offsets[0]).T).min() < table.diameter / 2:
            low, high = (0.1, 0.6) if table.soft else (0.0, 0.3)
            light = min(light, table.random.uniform(low, high))
    return light


def _paint_stack(table: _Table, stack: Man, picture: Any) -> None:
    centre = np.array([*table.centres[stack.cell], 0.0])
    to_lamp, to_camera = table.lamp - centre, table.camera - centre
    to_lamp, to_camera = to_lamp / np.linalg.norm(to_lamp), to_camera / np.linalg.norm(to_camera)
    lamp = table.lamp_rgb * table.lit[stack.cell] / max(to_lamp[2], 0.2)
    colour = table.men[stack.owner - 1] * table.random.uniform(0.95, 1.05)
    for k in range(len(stack.offsets)):
        light = lamp * _shade(table, stack, k)
        _paint_side(table, stack, k, colour, light, to_lamp, to_camera, picture)
        _paint_top(table, stack, k, colour, light, to_lamp, to_camera, picture)


def _paint_side(
    table: _Table, stack: Man, k: int, colour: Any, light: Any, to_lamp: Any, to_camera: Any, picture: Any
) -> None:
    bevel = 0.8 if table.style == 1 else 0.6
    thickness = table.thickness[stack.cell]
    low = table.foot_mm(stack.cell) + k * thickness
    high, centre, radius = low + thickness, stack.offsets[k], table.diameter / 2
    half = to_lamp + to_camera
    half = half / np.linalg.norm(half)
    gleam_rest = table.coat * table.ambient * 0.12
    ambient = table.ambient * (0.45 if k == 0 else 0.36)
    turns = np.linspace(0, 2 * math.pi, _SIDES + 1)
    for a, b in pairwise(turns):
        normal = np.array([math.cos((a + b) / 2), math.sin((a + b) / 2), 0.0])
        if normal @ to_camera < -0.02:
            continue
        ends = np.array([(math.cos(a), math.sin(a)), (math.cos(b), math.sin(b))])
        outer, inner = centre + radius * ends, centre + (radius - bevel) * ends
        shade = colour * (ambient + light * max(0.0, normal @ to_lamp))
        gleam = table.coat * 0.6 * max(0.0, normal @ half) ** (8 / table.rough) * light + gleam_rest
        edge = max(0.0, (0.7 * normal + [0, 0, 0.7]) @ to_lamp)
        _band(table, inner, low, outer, low + bevel, shade * 0.35, picture)
        _band(table, outer, low + bevel, outer, high - bevel, shade + gleam, picture)
        rim = colour * (table.ambient * 0.8 + light * edge) + gleam_rest
        _band(table, outer, high - bevel, inner, high, rim, picture)


def _band(table: _Table, lower: Any, low: float, upper: Any, high: float, colour: Any, picture: Any) -> None:
    corners = np.array([[*lower[0], low], [*lower[1], low], [*upper[1], high], [*upper[0], high]])
    _fill(table, corners, colour, picture)


def _paint_top(
    table: _Table, stack: Man, k: int, colour: Any, light: Any, to_lamp: Any, to_camera: Any, picture: Any
) -> None:
    random = table.random
    bevel = 0.8 if table.style == 1 else 0.6
    z = table.foot_mm(stack.cell) + (k + 1) * table.thickness[stack.cell]
    centre, radius = stack.offsets[k], table.diameter / 2
    mirrored = np.array([-to_camera[0], -to_camera[1], to_camera[2]])
    haze = random.uniform(0, 0.1) * (random.random() < 0.2)
    gloss = 0.18 * table.ambient.mean() + max(0.0, mirrored @ to_lamp) ** (6 / table.rough) * 0.6 * light + haze
    top = colour * (table.ambient * 0.95 + light * to_lamp[2]) + table.coat * gloss
    _fill(table, _flat(centre + _CIRCLE * (radius - bevel), z), top, picture)
    if k < len(stack.offsets) - 1 or table.style == 1:
        return
    for share, depth in [(0.84, -0.9), (0.60, -0.2), (0.38, -0.9)] if table.style == 0 else [(0.75, -1.2)]:
        wall = random.uniform(0.5, 0.8) if depth < -0.5 else random.uniform(1, 1.12)
        _fill(table, _flat(centre + _CIRCLE * radius * share, z), top * wall, picture)
        floor = centre + _CIRCLE * radius * (share - 0.03) - to_lamp[:2] * depth * 0.5
        _fill(table, _flat(floor, z + depth * 0.5), top * random.uniform(0.97, 1.03), picture)
