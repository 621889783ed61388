"""What is learned from the table as it stands: the light, the men's colours and dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.layout import Layout
from engine.look import MAX_HEIGHT, NEUTRAL, SURFACES, CellLook, Surface
from vision.geometry import BoardPose, Floats
from vision.heights import THICKNESSES, USUAL_THICKNESS, height_table, thickness_weights
from vision.light import Light, light_of
from vision.men_colours import MenColours, learn_men
from vision.net import Singles, TopBelief, network_input, reader_net
from vision.palette import Material
from vision.sampling import COLUMNS, REACH, ROWS, CellViews, Image, cell_views, gather, patch_maps

#: What a man and a disk measure in cell pitches before anything is known of them.
_MAN_PITCHES = 0.71
_DISK_THICKNESS_PITCHES = 0.045

#: Least and greatest diameter of a man in pitches.
_WIDTHS = (0.55, 0.98)
#: Thicknesses that are less likely than this are not thought of any more.
_LEAST_WEIGHT = 0.01
_ROUNDS = 3


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
        """Half the side of the patches that are looked at."""
        return REACH * self.man_diameter_mm

    def tops_mm(self) -> Floats:
        """Heights above the bare board of the planes that are looked at: of the disk, and of the tops on it."""
        tops: Floats = self.disk_thickness_mm + self.man_thickness_mm * np.arange(MAX_HEIGHT + 1.0)
        return tops

    def view(self, views: CellViews, pitch_mm: float) -> Singles:
        """The viewing geometry as the network wants it, (N, 5)."""
        n = len(views.slope)
        thickness = self.man_thickness_mm / self.man_diameter_mm
        columns = (
            views.slope,
            views.slope * thickness,
            np.full(n, thickness),
            np.full(n, self.man_diameter_mm / pitch_mm),
            np.log(views.px_per_mm * self.man_diameter_mm / 40),
        )
        return np.stack(columns, axis=1).astype(np.float32)


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
        feet = gather(image, patch_maps(pose, views, np.array([table.disk_thickness_mm]), table.half_side_mm))[:, 0]
        table = replace(table, light=light_of(image, pose, layout, None if material.disks is None else feet))
        view = table.view(views, layout.pitch_mm)
        cover = np.zeros(feet.shape[:3], np.int8)
        belief = net.feet(network_input(feet, cover, table.light), view)
        cells = _standing(belief.occupied, looks)
        if not len(cells):
            break
        some = views.of(cells)
        planes = gather(image, patch_maps(pose, some, table.tops_mm(), table.half_side_mm))
        tops = net.tops(
            belief.code[cells], network_input(planes, np.zeros(planes.shape[:4], np.int8), table.light), view[cells]
        )
        level = _levels(tops, cells, looks)
        men = top_colours(planes, tops, level, table.light)
        owners = np.zeros(len(cells), dtype=int) if looks is None else np.array([looks[i].men for i in cells])
        if layout.man_mm is None:
            bare = np.argmax(belief.surface[cells], axis=1) == SURFACES.index(Surface.BARE)
            table = _measured(table, layout, tops, level, bare, None if looks is None else _heights(looks, cells))
    return replace(table, men=learn_men(men, owners, material))


def top_colours(planes: Image, tops: TopBelief, level: np.ndarray, light: Light) -> Floats:
    """Median colour (n, 3) of the tops at planes `level` of patches (n, K, P, P, 3), in the table's light."""
    n = np.arange(len(level))
    offset = np.clip(tops.offset[n, level], -0.25, 0.25) / (2 * REACH)
    rows = np.rint(ROWS * (0.5 + offset[:, 1, None]) + np.arange(-6, 6)).astype(int)
    columns = np.rint(COLUMNS * (0.5 + offset[:, 0, None]) + np.arange(-4, 4)).astype(int)
    pixels = planes[n[:, None, None], level[:, None, None], rows[:, :, None], columns[:, None, :]]
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


def _levels(tops: TopBelief, cells: np.ndarray, looks: Sequence[CellLook] | None) -> np.ndarray:
    """The plane on which each stack's top lies."""
    best: np.ndarray = 1 + np.argmax(tops.score[:, 1:], axis=1)
    if looks is not None:
        best = np.minimum(_heights(looks, cells), MAX_HEIGHT)
    return best


def _measured(
    table: TableModel,
    layout: Layout,
    tops: TopBelief,
    level: np.ndarray,
    bare: np.ndarray,
    heights: np.ndarray | None,
) -> TableModel:
    """The table with the men's diameter and thicknesses that explain all tops best. `bare`: feet without a disk."""
    n = np.arange(len(level))
    spacing_mm = table.man_thickness_mm
    widen = float(np.median(tops.widen[n, level]))
    low, high = (w * layout.pitch_mm for w in _WIDTHS)
    diameter = float(np.clip(table.man_diameter_mm * np.exp(np.clip(widen, -0.1, 0.1)), low, high))
    sunk = np.where(bare, table.disk_thickness_mm / spacing_mm, 0.0)
    weights = thickness_weights(height_table(tops, THICKNESSES * diameter / spacing_mm, sunk), heights)
    return replace(
        table,
        man_diameter_mm=diameter,
        man_thickness_mm=float(weights @ THICKNESSES) * diameter,
        thicknesses=tuple((float(w), float(t)) for w, t in zip(weights, THICKNESSES, strict=True) if w > _LEAST_WEIGHT),
    )
