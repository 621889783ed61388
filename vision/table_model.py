"""What is learned from the table as it stands: the light, the men's colours and dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.layout import Layout
from engine.look import NEUTRAL, SURFACES, CellLook, Surface
from vision.geometry import BoardPose, Floats
from vision.heights import THICKNESSES, USUAL_THICKNESS, thickness_weights
from vision.light import Light, light_of
from vision.men_colours import MenColours, learn_men
from vision.net import Singles, StackBelief, foot_input, reader_net, strip_input
from vision.palette import Material
from vision.sampling import (
    REACH,
    STRIP_COLUMNS,
    STRIP_ENDS,
    STRIP_ROWS,
    CellViews,
    Image,
    cell_views,
    foot_maps,
    gather,
    strip_maps,
)

#: What a man and a disk measure in cell pitches before anything is known of them.
_MAN_PITCHES = 0.71
_DISK_THICKNESS_PITCHES = 0.045

#: Least and greatest diameter of a man in pitches.
_WIDTHS = (0.55, 0.98)
#: Thicknesses that are less likely than this are not thought of any more.
_LEAST_WEIGHT = 0.01
_ROUNDS = 3
#: The part of a top whose colour is taken: half its width in diameters, and where samples lie in it.
_TOP_HALF = 0.22
_SPAN = np.linspace(-1, 1, 9)


@dataclass(frozen=True, slots=True)
class TableModel:
    """A table in its light. Lengths are in the layout's millimetres.

    `light`: what white and black look like, the yardstick of all colours; `men`: the colours of the owners' men
    against it; `surfaces`: what may lie on a cell of this table. `man_thickness_mm` is the likeliest; `thicknesses`
    has what it may be as parts of the diameter, each with its weight first.
    """

    light: Light
    man_diameter_mm: float
    man_thickness_mm: float
    disk_thickness_mm: float
    men: MenColours
    surfaces: tuple[Surface, ...]
    owners: tuple[int, ...]
    thicknesses: tuple[tuple[float, float], ...]

    @property
    def half_side_mm(self) -> float:
        """Half the side of the feet that are looked at."""
        return REACH * self.man_diameter_mm

    def foot_view(self, views: CellViews, pitch_mm: float) -> Singles:
        """The viewing geometry as the network for feet wants it, (N, 5)."""
        n = len(views.slope)
        thickness = self.man_thickness_mm / self.man_diameter_mm
        width, scale = self._size(views, pitch_mm)
        return np.stack(
            [views.slope, views.slope * thickness, np.full(n, thickness), width, scale], axis=1, dtype=np.float32
        )

    def strip_view(self, pose: BoardPose, views: CellViews, pitch_mm: float) -> Singles:
        """The viewing geometry as the network for strips wants it, (N, 5).

        The last column is by how much, times ten, things look larger that are a diameter higher.
        """
        sine, cosine = views.tilt()
        far_mm = np.hypot(views.distance_mm, pose.camera_mm[2])
        nearing = 10 * self.man_diameter_mm * cosine / far_mm
        return np.stack([sine, cosine, *self._size(views, pitch_mm), nearing], axis=1, dtype=np.float32)

    def _size(self, views: CellViews, pitch_mm: float) -> tuple[Floats, Floats]:
        """A man's diameter in pitches, and the logarithm of what it is in 40 pixels."""
        width = np.full(len(views.slope), self.man_diameter_mm / pitch_mm)
        return width, np.log(views.px_per_mm * self.man_diameter_mm / 40)


def learn_table(
    image: Image, pose: BoardPose, layout: Layout, material: Material, looks: Sequence[CellLook] | None = None
) -> TableModel:
    """The table's light, colours and dimensions from one still picture (blue-green-red) of it.

    `looks`, when the referee knows them, are what stands on the cells, in the layout's order. One picture seldom tells
    the men's thickness where the layout does not: the table keeps all that are likely.
    """
    views = cell_views(pose, layout)
    table = _nominal(layout, material)
    net = reader_net()
    men = np.zeros((0, 3))
    owners = np.zeros(0, dtype=int)
    for _ in range(_ROUNDS):
        feet = gather(image, foot_maps(pose, views, table.disk_thickness_mm, table.half_side_mm))
        table = replace(table, light=light_of(image, pose, layout, None if material.disks is None else feet))
        cover = np.zeros(feet.shape[:3], np.int8)
        foot = net.feet(foot_input(feet, cover, table.light), table.foot_view(views, layout.pitch_mm))
        cells = _standing(foot.occupied, looks)
        if not len(cells):
            break
        some = views.of(cells)
        strips = gather(image, strip_maps(pose, some, table.disk_thickness_mm, table.man_diameter_mm))
        cover = np.zeros(strips.shape[:3], np.int8)
        view = table.strip_view(pose, some, layout.pitch_mm)
        stacks = net.stacks(strip_input(strips, cover, table.light), view)
        men = top_colours(strips, stacks, table.light)
        owners = np.zeros(len(cells), dtype=int) if looks is None else np.array([looks[i].men for i in cells])
        if layout.man_mm is None:
            bare = np.argmax(foot.surface[cells], axis=1) == SURFACES.index(Surface.BARE)
            table = _measured(table, layout, stacks, bare, None if looks is None else _heights(looks, cells))
    return replace(table, men=learn_men(men, owners, material))


def top_colours(strips: Image, stacks: StackBelief, light: Light) -> Floats:
    """Median colour (n, 3) of the tops in strips (n, rows, columns, 3), in the table's light."""
    low, high = STRIP_ENDS
    across, up = stacks.top[:, 0, None], stacks.top[:, 1, None]
    rows = (up + _TOP_HALF * stacks.view[:, 1, None] * _SPAN - low) / (high - low) * STRIP_ROWS - 0.5
    columns = ((across + _TOP_HALF * _SPAN) / REACH + 1) / 2 * STRIP_COLUMNS - 0.5
    row = np.clip(np.rint(rows), 0, STRIP_ROWS - 1).astype(int)
    column = np.clip(np.rint(columns), 0, STRIP_COLUMNS - 1).astype(int)
    n = np.arange(len(strips))
    pixels = strips[n[:, None, None], row[:, :, None], column[:, None, :]]
    colours: Floats = light.relative(np.median(pixels.reshape(len(n), -1, 3), axis=1)).astype(np.float64)
    return colours


def _nominal(layout: Layout, material: Material) -> TableModel:
    diameter = layout.man_mm[0] if layout.man_mm else _MAN_PITCHES * layout.pitch_mm
    thickness = layout.man_mm[1] if layout.man_mm else USUAL_THICKNESS * diameter
    disk = layout.disk_mm[1] if layout.disk_mm else _DISK_THICKNESS_PITCHES * layout.pitch_mm
    surfaces: tuple[Surface, ...] = (Surface.BARE,)
    if material.disks is not None:
        surfaces = (Surface.BEIGE, Surface.BARE, Surface.DARK, *([Surface.LIGHT] if material.light else []))
    owners = (1, 2, *([NEUTRAL] if material.neutral else []))
    unknown = learn_men(np.zeros((0, 3)), np.zeros(0, dtype=int), material)
    known = ((1.0, thickness / diameter),)
    return TableModel(Light((255.0, 255.0, 255.0)), diameter, thickness, disk, unknown, surfaces, owners, known)


def _standing(occupied: Singles, looks: Sequence[CellLook] | None) -> np.ndarray:
    """The cells that men stand on."""
    if looks is not None:
        occupied = np.array([look.men - 0.5 for look in looks], np.float32)
    cells: np.ndarray = np.flatnonzero(occupied > 0)
    return cells


def _heights(looks: Sequence[CellLook], cells: np.ndarray) -> np.ndarray:
    return np.array([looks[i].height for i in cells])


def _measured(
    table: TableModel, layout: Layout, stacks: StackBelief, bare: np.ndarray, heights: np.ndarray | None
) -> TableModel:
    """The table with the men's diameter and thicknesses that explain all stacks best. `bare`: feet without a disk."""
    widen = float(np.median(stacks.widen))
    low, high = (w * layout.pitch_mm for w in _WIDTHS)
    diameter = float(np.clip(table.man_diameter_mm * np.exp(np.clip(widen, -0.1, 0.1)), low, high))
    sunk = np.where(bare, table.disk_thickness_mm / diameter, 0.0)
    weights = thickness_weights(stacks, sunk, heights)
    return replace(
        table,
        man_diameter_mm=diameter,
        man_thickness_mm=float(weights @ THICKNESSES) * diameter,
        thicknesses=tuple((float(w), float(t)) for w, t in zip(weights, THICKNESSES, strict=True) if w > _LEAST_WEIGHT),
    )
