"""What is learned from the table as it stands: the light, the men's colours and dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.layout import Layout
from engine.look import MAX_HEIGHT, NEUTRAL, CellLook, Surface
from vision.geometry import BoardPose, Floats
from vision.light import Light, light_of
from vision.men_colours import MenColours, learn_men
from vision.net import Singles, TopBelief, network_input, reader_net
from vision.palette import Material
from vision.sampling import COLUMNS, REACH, ROWS, CellViews, Image, cell_views, gather, patch_maps

#: What a man and a disk measure in cell pitches before anything is known of them.
_MAN_PITCHES = 0.71
_MAN_THICKNESS = 0.25
_DISK_THICKNESS_PITCHES = 0.045

#: Least and greatest thickness of a man in diameters, and how finely it is searched.
_THICKNESSES = np.arange(0.195, 0.3075, 0.0025)
_WIDTHS = (0.55, 0.98)
#: How often heights one, two, … are met on tables, and the spread of a measured height in men.
_HEIGHTS_MET = np.array([0.55, 0.18, 0.09, 0.06, 0.05, 0.04, 0.02, 0.01])
_RISE_SPREAD = 0.25
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class TableModel:
    """A table in its light. Lengths are in the layout's millimetres.

    `light`: what white and black look like, the yardstick of all colours; `men`: the colours of the owners' men
    against it; `surfaces`: what may lie on a cell of this table. `thicknesses_mm`: what the
    men's thickness may be, each with its weight first; empty where `man_thickness_mm` is sure.
    """

    light: Light
    man_diameter_mm: float
    man_thickness_mm: float
    disk_thickness_mm: float
    men: MenColours
    surfaces: tuple[Surface, ...]
    owners: tuple[int, ...]
    thicknesses_mm: tuple[tuple[float, float], ...] = ()

    def variants(self) -> list[tuple[float, "TableModel"]]:
        """The table with each thickness that the men may have, and its weight; itself where there is no doubt."""
        if len(self.thicknesses_mm) < 2:
            return [(1.0, self)]
        return [(w, replace(self, man_thickness_mm=t, thicknesses_mm=())) for w, t in self.thicknesses_mm]

    @property
    def half_side_mm(self) -> float:
        """Half the side of the patches that are looked at."""
        return REACH * self.man_diameter_mm

    def tops_mm(self) -> Floats:
        """Heights of the tops of 0, 1, … men above the bare board."""
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


def learn_as_it_looks(
    image: Image, pose: BoardPose, layout: Layout, material: Material, looks: Sequence[CellLook] | None = None
) -> TableModel:
    """The table's light, colours and dimensions from one still picture (blue-green-red) of it.

    `looks`, when the referee knows them, are what stands on the cells, in the layout's order.
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
        belief = net.feet(net.foot_codes(network_input(feet, cover, table.light)), view)
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
            table = _measured(table, layout, tops, level, None if looks is None else _heights(looks, cells))
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
    thickness = layout.man_mm[1] if layout.man_mm else _MAN_THICKNESS * diameter
    disk = layout.disk_mm[1] if layout.disk_mm else _DISK_THICKNESS_PITCHES * layout.pitch_mm
    surfaces: tuple[Surface, ...] = (Surface.BARE,)
    if material.disks is not None:
        surfaces = (Surface.BEIGE, Surface.BARE, Surface.DARK, *([Surface.LIGHT] if material.light else []))
    owners = (1, 2, *([NEUTRAL] if material.neutral else []))
    unknown = learn_men(np.zeros((0, 3)), np.zeros(0, dtype=int), material)
    return TableModel(Light((255.0, 255.0, 255.0)), diameter, thickness, disk, unknown, surfaces, owners)


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
    table: TableModel, layout: Layout, tops: TopBelief, level: np.ndarray, heights: np.ndarray | None
) -> TableModel:
    """The table with the men's diameter and thickness that explain all tops best."""
    n = np.arange(len(level))
    widen = float(np.median(tops.widen[n, level]))
    low, high = (w * layout.pitch_mm for w in _WIDTHS)
    diameter = float(np.clip(table.man_diameter_mm * np.exp(np.clip(widen, -0.1, 0.1)), low, high))
    rise = (level + np.clip(tops.rise[n, level], -0.7, 0.7)) * table.man_thickness_mm / diameter
    candidates = _THICKNESSES[:, None]
    if heights is None:
        possible = np.arange(1, MAX_HEIGHT + 1)
        off = (rise[None, :, None] / _THICKNESSES[:, None, None] - possible) / (_RISE_SPREAD * (1 + 0.25 * possible))
        fit = np.log((_HEIGHTS_MET * np.exp(-0.5 * off**2)).sum(axis=2) + 1e-3).sum(axis=1)
    else:
        fit = -(((rise / candidates - heights) / (_RISE_SPREAD * (1 + 0.25 * heights))) ** 2).sum(axis=1)
    fit = fit - ((_THICKNESSES - _MAN_THICKNESS) / 0.03) ** 2
    thickness = float(_THICKNESSES[np.argmax(fit)]) * diameter
    return replace(table, man_diameter_mm=diameter, man_thickness_mm=thickness)
