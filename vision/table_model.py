"""What is learned from the table as it stands: the light, the men's colours and dimensions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import NEUTRAL, SURFACES, CellLook, Surface
from vision.foot_colours import MIDDLE
from vision.geometry import BoardPose, Floats
from vision.heights import (
    THICKNESSES,
    USUAL_THICKNESS,
    Rims,
    Shadows,
    Size,
    likely_sizes,
    mean_growth,
    mean_thickness,
    read_strips,
)
from vision.lamp import Lamp, find_lamp
from vision.layers import Singles
from vision.light import Light, light_of
from vision.men_colours import MenColours, learn_men
from vision.net import FootBelief, StackBelief, foot_input, picture_input, reader_net
from vision.palette import Material
from vision.rim_net import rim_net
from vision.sampling import (
    REACH,
    CellViews,
    Image,
    around_maps,
    cell_views,
    foot_maps,
    gather,
    moved,
    raised,
    rim_maps,
    shadow_maps,
    side_maps,
    strip_maps,
    top_middles,
    views_of_places,
)
from vision.shadow_net import shadow_net
from vision.side_net import side_net
from vision.spares import spare_tops
from vision.top_colours import top_colours

#: Cells whose foot shows a man with less than this log-odds are empty without a look at their strip.
MAYBE_OCCUPIED = -6.0
#: The networks learned from more men than stand on boards, so all that speaks for men is worth less (log-odds).
_SELDOM = -2.5
#: Without disks no foot is compared with what this table's surfaces look like: then feet count for so much.
_FEET_WITHOUT_DISKS = 0.5
#: What a man and a disk measure in cell pitches before anything is known of them.
_MAN_PITCHES = 0.71
_DISK_THICKNESS_PITCHES = 0.045

#: Least and greatest diameter of a man in pitches.
_WIDTHS = (0.55, 0.98)
#: How far off the logarithm of a man's diameter is before each look at the table, and after them all.
_DIAMETER_UNSURE, _DIAMETER_MEASURED = (0.05, 0.02, 0.01), 0.01
_LOOKS_AT_RIMS = 2
#: A round thing beside the board is a spare man when its rim looks as large as a man's (logarithm), no farther away
#: than this from where its outline is, and when no other one is as near as this, in diameters.
_SPARE_SIZE, _SPARE_MOVED, _SAME_SPARE = 0.07, 0.15, 0.6
#: So often it is something else; and so much less their votes count since they err together (found on rendered stills).
_NO_SPARE, _SPARES_TEMPERATURE = 0.05, 2.5
#: Cells show what a surface looks like that are open with such log-odds at most, and of that surface so surely.
_SURELY_OPEN, _SURELY_THIS = -2.0, 0.9


@dataclass(frozen=True, slots=True)
class TableModel:
    """A table in its light. Lengths are in the layout's millimetres.

    `light`: what white and black look like, the yardstick of all colours; `men`: the colours of the owners' men
    against it; `surfaces`: what may lie on a cell of this table. `man_thickness_mm` is the mean of what it may be, and
    `sizes` are its likely values. `surface_colours` (4, 3) against the light, NaN for those that no open cell shows.
    `lamp` where the shadows of the men tell where it stands.
    """

    light: Light
    man_diameter_mm: float
    man_thickness_mm: float
    disk_thickness_mm: float
    men: MenColours
    surfaces: tuple[Surface, ...]
    owners: tuple[int, ...]
    sizes: tuple[Size, ...]
    surface_colours: Floats
    lamp: Lamp | None = None

    @property
    def has_disks(self) -> bool:
        """Whether disks may lie on this table."""
        return self.surfaces != (Surface.BARE,)

    def occupied(self, foot: Floats | Singles, strip: Singles) -> Floats:
        """Log-odds of men (n,) by what the networks for feet and strips say of them, (n,) each."""
        weight = 1.0 if self.has_disks else _FEET_WITHOUT_DISKS
        return np.asarray(weight * (foot + _SELDOM) + strip, dtype=np.float64)

    def thicknesses(self) -> tuple[Floats, Floats]:
        """What a man's thickness may be, in diameters, and how likely each is, (G,) each."""
        values = np.array(sorted({size.thickness for size in self.sizes}))
        weights = np.zeros(len(values))
        for size in self.sizes:
            weights[np.searchsorted(values, size.thickness)] += size.weight
        return values, weights

    def thickness_spread(self) -> float:
        """How far off `man_thickness_mm` may be, in diameters: the standard deviation of what it may be."""
        values, weights = self.thicknesses()
        mean = float(weights @ values)
        return float(np.sqrt(weights @ (values - mean) ** 2))

    def possible(self, surface: NDArray[np.floating]) -> Floats:
        """Logits of surfaces (n, 4) without those that the table has not."""
        there = np.array([s in self.surfaces for s in SURFACES])
        return np.where(there, surface.astype(np.float64), -1e9)

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

    def shadow_view(self, views: CellViews, pitch_mm: float, lamp: Lamp) -> Singles:
        """How shadows fall and are seen, as the network for shadows wants it, (N, 8)."""
        way, reach = lamp.shadows(views.centres_mm)
        ahead, aside = (way * views.away).sum(axis=1), (way * views.across).sum(axis=1)
        near = np.full(len(reach), 10 * self.man_diameter_mm / lamp.z_mm)
        columns = [ahead, aside, *views.tilt(), reach, *self._size(views, pitch_mm), near]
        return np.stack(columns, axis=1, dtype=np.float32)

    def rim_view(self, pose: BoardPose, views: CellViews, pitch_mm: float) -> Singles:
        """The viewing geometry as the network for rims wants it, (N, 5)."""
        near = np.full(len(views.slope), 10 * self.man_diameter_mm / pose.camera_mm[2])
        return np.stack([*views.tilt(), *self._size(views, pitch_mm), near], axis=1, dtype=np.float32)

    def camera_above(self, pose: BoardPose) -> float:
        """How far above the disks the camera is, in a man's diameters."""
        return float(pose.camera_mm[2] - self.disk_thickness_mm) / self.man_diameter_mm

    def _size(self, views: CellViews, pitch_mm: float) -> tuple[Floats, Floats]:
        """A man's diameter in pitches, and the logarithm of what it is in 40 pixels."""
        width = np.full(len(views.slope), self.man_diameter_mm / pitch_mm)
        return width, np.log(views.px_per_mm * self.man_diameter_mm / 40)


def learn_table(
    image: Image, pose: BoardPose, layout: Layout, material: Material, looks: Sequence[CellLook] | None = None
) -> TableModel:
    """The table's light, colours and dimensions from one still picture (blue-green-red) of it.

    `looks`, when the referee knows them, are what stands on the cells, in the layout's order. One picture seldom tells
    the men's thickness where the layout does not: the table keeps all that are likely. How wide men look is measured
    even where the layout says how wide they are: figures are a little off, and blooming widens what is bright.
    """
    views = cell_views(pose, layout)
    table = _nominal(layout, material)
    men, owners, seen = np.zeros((0, 3)), np.zeros(0, dtype=int), None
    for unsure in _DIAMETER_UNSURE:
        feet = gather(image, foot_maps(pose, views, table.disk_thickness_mm, table.half_side_mm))
        table = replace(table, light=light_of(image, pose, layout, None if material.disks is None else feet))
        foot = _look_at_feet(feet, table, views, layout.pitch_mm)
        table = replace(table, surface_colours=_surface_colours(feet, foot, table))
        seen = _look_at_stacks(image, pose, layout, table, foot, looks)
        if seen is None:
            break
        men = top_colours(seen.strips, seen.stacks, table.light)
        owners = np.array([looks[i].men if looks else 0 for i in seen.cells.tolist()])
        table = _measured(table, image, pose, layout, seen, unsure)
    table = replace(table, men=learn_men(men, owners, material))
    ratios, likely = _thicknesses(table, layout)
    if seen is not None and table.has_disks and len(ratios) > 1:
        told = np.log(likely) + _look_at_spares(image, pose, layout, table, ratios)
        likely = np.exp(told - np.logaddexp.reduce(told))
    return _lit(table, image, pose, layout, seen, (ratios, likely))


def relit_table(table: TableModel, image: Image, pose: BoardPose, layout: Layout) -> TableModel:
    """The same table seen from another place or under another lamp: where is the lamp now?"""
    views = cell_views(pose, layout)
    feet = gather(image, foot_maps(pose, views, table.disk_thickness_mm, table.half_side_mm))
    foot = _look_at_feet(feet, table, views, layout.pitch_mm)
    table = replace(table, surface_colours=_surface_colours(feet, foot, table))
    seen = _look_at_stacks(image, pose, layout, table, foot, None)
    return _lit(table, image, pose, layout, seen, table.thicknesses())


@dataclass(frozen=True, slots=True)
class _Seen:
    """Cells where men stand, how they are seen, their strips and what the network says of them; how far below the
    disk they stand, in diameters; their heights where they are known."""

    cells: NDArray[np.int_]
    views: CellViews
    strips: Image
    stacks: StackBelief
    sunk: Floats
    heights: NDArray[np.int_] | None


@dataclass(frozen=True, slots=True)
class RimsSeen:
    """Rims of n tops, where the tops' middles appear to lie on the disks, (n, 2) mm, and pixel maps of the rims."""

    rims: Rims
    middles_mm: Floats
    maps: Singles


def _look_at_feet(feet: Image, table: TableModel, views: CellViews, pitch_mm: float) -> FootBelief:
    pictures = foot_input(feet, _uncovered(feet), table.light, table.surface_colours)
    return reader_net().feet(pictures, table.foot_view(views, pitch_mm), table.surface_colours)


def _surface_colours(feet: Image, foot: FootBelief, table: TableModel) -> Floats:
    """What surfaces look like in the middle of open cells, (4, 3); NaN for those of which no cell is surely one.

    Nothing is said of boards without disks: their fields have colours of many kinds.
    """
    odds = table.possible(foot.surface)
    sure = (foot.occupied < _SURELY_OPEN) & (
        odds.max(axis=1) - np.logaddexp.reduce(odds, axis=1) > np.log(_SURELY_THIS)
    )
    middles = np.median(feet[:, *MIDDLE].reshape(len(feet), -1, 3), axis=1).astype(np.float32)
    colours = np.full((len(SURFACES), 3), np.nan)
    for k in range(len(SURFACES) if table.has_disks else 0):
        mine = sure & (np.argmax(odds, axis=1) == k)
        if mine.any():
            colours[k] = np.median(table.light.relative(middles[mine]), axis=0)
    return colours


def _look_at_stacks(
    image: Image,
    pose: BoardPose,
    layout: Layout,
    table: TableModel,
    foot: FootBelief,
    looks: Sequence[CellLook] | None,
) -> _Seen | None:
    """All stacks, as far as they can be told from a first look; None on an empty board."""
    net, views = reader_net(), cell_views(pose, layout)
    cells = np.flatnonzero(foot.occupied > MAYBE_OCCUPIED if looks is None else [look.men > 0 for look in looks])
    if not len(cells):
        return None
    some = views.of(cells)
    strips = gather(image, strip_maps(pose, some, table.disk_thickness_mm, table.man_diameter_mm))
    pictures = picture_input(strips, _uncovered(strips), table.light)
    stacks = net.stacks(pictures, table.strip_view(pose, some, layout.pitch_mm))
    if looks is None:
        there = np.flatnonzero(table.occupied(foot.occupied[cells], stacks.occupied) > 0)
        if not len(there):
            return None
        cells, some, strips, stacks = cells[there], some.of(there), strips[there], stacks.of(there)
    bare = np.argmax(table.possible(foot.surface[cells]), axis=1) == SURFACES.index(Surface.BARE)
    sunk = np.where(bare, table.disk_thickness_mm / table.man_diameter_mm, 0.0)
    heights = None if looks is None else np.array([looks[i].height for i in cells.tolist()])
    return _Seen(cells, some, strips, stacks, sunk, heights)


def _uncovered(pictures: Image) -> NDArray[np.int8]:
    return np.zeros(pictures.shape[:3], np.int8)


def _uncovered_input(image: Image, maps: Singles, table: TableModel) -> Singles:
    """What lies at pixel maps as networks want it, as if nothing covered it."""
    pictures = gather(image, maps)
    return picture_input(pictures, _uncovered(pictures), table.light)


def _lit(
    table: TableModel,
    image: Image,
    pose: BoardPose,
    layout: Layout,
    seen: _Seen | None,
    thicknesses: tuple[Floats, Floats],
) -> TableModel:
    """The table with its lamp, and the sizes that explain all stacks, their shadows and rims best.

    `thicknesses`: what men may be, in diameters, and how likely that was before this look. Boards without disks have
    no lamp: lights below their cells outshine shadows. On printed ones shadows misled, and rims did where dark men look
    larger than light ones (measured on photographs).
    """
    if seen is None or not table.has_disks:
        return replace(table, lamp=None)
    lamp = _look_for_lamp(image, pose, layout, table, seen)
    shadows = None if lamp is None else _look_at_shadows(image, pose, layout, table, seen, lamp)
    around = _rims_seen(image, pose, layout, table, seen, _DIAMETER_MEASURED)
    rise = seen.stacks.rise.likeliest()
    sides = _look_at_sides(image, pose, layout, table, seen.views, around.middles_mm, rise, thicknesses[0])
    strips = read_strips(reader_net(), seen.stacks, thicknesses[0], seen.sunk, sides)
    sizes = likely_sizes(*thicknesses, strips, shadows, around.rims, seen.sunk, seen.heights)
    return replace(table, lamp=lamp, sizes=sizes, man_thickness_mm=mean_thickness(sizes) * table.man_diameter_mm)


def _look_for_lamp(image: Image, pose: BoardPose, layout: Layout, table: TableModel, seen: _Seen) -> Lamp | None:
    """Where the shadows of all stacks say the lamp is."""
    around = around_maps(pose, seen.views, table.disk_thickness_mm, table.man_diameter_mm)
    view = table.strip_view(pose, seen.views, layout.pitch_mm)[:, :4]
    told = shadow_net().lamps(_uncovered_input(image, around, table), view)
    return find_lamp(told, seen.views, layout.pitch_mm)


def _look_at_shadows(
    image: Image, pose: BoardPose, layout: Layout, table: TableModel, seen: _Seen, lamp: Lamp
) -> Shadows:
    """The shadows of all stacks."""
    way, reach = lamp.shadows(seen.views.centres_mm)
    maps = shadow_maps(pose, seen.views.centres_mm, way, table.disk_thickness_mm, table.man_diameter_mm)
    view = table.shadow_view(seen.views, layout.pitch_mm, lamp)
    net = shadow_net()
    return Shadows(net, net.shadows(_uncovered_input(image, maps, table), view), reach)


def _nominal(layout: Layout, material: Material) -> TableModel:
    diameter = layout.man_mm[0] if layout.man_mm else _MAN_PITCHES * layout.pitch_mm
    thickness = layout.man_mm[1] if layout.man_mm else USUAL_THICKNESS * diameter
    disk = layout.disk_mm[1] if layout.disk_mm else _DISK_THICKNESS_PITCHES * layout.pitch_mm
    surfaces: tuple[Surface, ...] = (Surface.BARE,)
    if material.disks is not None:
        surfaces = (Surface.BEIGE, Surface.BARE, Surface.DARK, *([Surface.LIGHT] if material.light else []))
    owners = (1, 2, *([NEUTRAL] if material.neutral else []))
    unknown = learn_men(np.zeros((0, 3)), np.zeros(0, dtype=int), material)
    sizes = (Size(1.0, thickness / diameter, 1.0, 0.0),)
    white, strange = Light((255.0, 255.0, 255.0)), np.full((len(SURFACES), 3), np.nan)
    return TableModel(white, diameter, thickness, disk, unknown, surfaces, owners, sizes, strange)


def look_at_rims(
    table: TableModel,
    pose: BoardPose,
    views: CellViews,
    pitch_mm: float,
    middles_mm: Floats,
    shown: Callable[[Singles], Singles],
    unsure: float,
) -> RimsSeen:
    """The rims of tops; a second look is taken where the first one found their middles.

    `middles_mm` (n, 2): about where those appear to lie on the disks. `shown` gives the networks' pictures at pixel
    maps. `unsure`: how far off the logarithm of the men's diameter may be.
    """
    place, view = (table.disk_thickness_mm, table.man_diameter_mm), table.rim_view(pose, views, pitch_mm)
    for _ in range(_LOOKS_AT_RIMS):
        maps = rim_maps(pose, views, middles_mm, *place)
        belief = rim_net().rims(shown(maps), view)
        middles_mm = moved(middles_mm, views, belief.off, table.man_diameter_mm)
    return RimsSeen(Rims(belief.size, table.camera_above(pose), unsure), middles_mm, maps)


def _rims_seen(
    image: Image, pose: BoardPose, layout: Layout, table: TableModel, seen: _Seen, unsure: float
) -> RimsSeen:
    """The rims of all tops, before it is known what covers them."""
    middles = top_middles(pose, seen.views, seen.stacks.top, table.disk_thickness_mm, table.man_diameter_mm)
    return _uncovered_rims(image, pose, layout, table, seen.views, middles, unsure)


def _uncovered_rims(
    image: Image,
    pose: BoardPose,
    layout: Layout,
    table: TableModel,
    views: CellViews,
    middles_mm: Floats,
    unsure: float,
) -> RimsSeen:
    """Rims about places (n, 2), as if nothing covered them."""

    def shown(maps: Singles) -> Singles:
        return _uncovered_input(image, maps, table)

    return look_at_rims(table, pose, views, layout.pitch_mm, middles_mm, shown, unsure)


def _look_at_sides(
    image: Image,
    pose: BoardPose,
    layout: Layout,
    table: TableModel,
    views: CellViews,
    middles_mm: Floats,
    rise: Floats | Singles,
    ratios: Floats,
) -> Floats:
    """What the sides of the topmost men say of thicknesses `ratios` (G,) in diameters: log-likelihoods (n, G).

    `middles_mm` (n, 2): where the middles of the tops appear to lie on the disks; `rise` (n,): how high above them the
    tops are, in diameters.
    """
    if len(ratios) == 1 or not len(rise):
        return np.zeros((len(rise), len(ratios)))
    disk, rise_mm = table.disk_thickness_mm, table.man_diameter_mm * rise.astype(np.float64)
    middles = raised(pose, middles_mm, disk, rise_mm)
    maps = side_maps(pose, views, middles, disk + rise_mm, table.man_diameter_mm)
    pictures, view = _uncovered_input(image, maps, table), table.rim_view(pose, views, layout.pitch_mm)
    return side_net().thicknesses(pictures, view, ratios)


def _look_at_spares(image: Image, pose: BoardPose, layout: Layout, table: TableModel, ratios: Floats) -> Floats:
    """What the sides of spare men beside the board say of thicknesses `ratios` (G,) in diameters, log-likelihoods (G,).

    A spare is what is round and as large as a man, on the board's plane or near it.
    """
    tops = spare_tops(image, pose, layout, table.man_diameter_mm)
    if not len(tops):
        return np.zeros(len(ratios))
    views = views_of_places(pose, tops, layout.pitch_mm)
    around = _uncovered_rims(image, pose, layout, table, views, tops, 0.0)
    size, middles = around.rims.size.likeliest(), around.middles_mm
    apart = np.linalg.norm(middles[:, None] - middles, axis=2) / table.man_diameter_mm
    again = np.triu(apart < _SAME_SPARE, 1).any(axis=0)
    moved_by = np.linalg.norm(middles - tops, axis=1) / table.man_diameter_mm
    spares = np.flatnonzero(~again & (np.abs(size) < _SPARE_SIZE) & (moved_by < _SPARE_MOVED))
    rise = around.rims.camera * -np.expm1(-size[spares])
    votes = _look_at_sides(image, pose, layout, table, views.of(spares), middles[spares], rise, ratios)
    votes -= np.logaddexp.reduce(votes, axis=1, keepdims=True)
    told = np.logaddexp(votes + np.log(1 - _NO_SPARE), np.log(_NO_SPARE / len(ratios))) / _SPARES_TEMPERATURE
    total: Floats = told.sum(axis=0)
    return total


def _measured(
    table: TableModel, image: Image, pose: BoardPose, layout: Layout, seen: _Seen, unsure: float
) -> TableModel:
    """The table with the men's diameter and thicknesses that explain the sides and rims of all stacks best."""
    rims = _rims_seen(image, pose, layout, table, seen, unsure).rims
    thicknesses = _thicknesses(table, layout)
    strips = read_strips(reader_net(), seen.stacks, thicknesses[0], seen.sunk)
    sizes = likely_sizes(*thicknesses, strips, None, rims, seen.sunk, seen.heights)
    low, high = (w * layout.pitch_mm for w in _WIDTHS)
    diameter = float(np.clip(table.man_diameter_mm * np.exp(mean_growth(sizes)), low, high))
    if layout.man_mm:
        return replace(table, man_diameter_mm=diameter, sizes=(Size(1.0, layout.man_mm[1] / diameter, 1.0, 0.0),))
    return replace(table, man_diameter_mm=diameter, man_thickness_mm=mean_thickness(sizes) * diameter, sizes=sizes)


def _thicknesses(table: TableModel, layout: Layout) -> tuple[Floats, Floats]:
    """What a man's thickness may be before anything was seen, in diameters, and how likely each is: any, or known."""
    if layout.man_mm:
        return np.array([layout.man_mm[1] / table.man_diameter_mm]), np.ones(1)
    return THICKNESSES, np.full(len(THICKNESSES), 1 / len(THICKNESSES))
