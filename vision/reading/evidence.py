"""What a picture shows of a table, by the networks: feet, stacks, rims, sides, shadows, and things beside the board."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import SURFACES, CellLook, Surface
from vision.arrays import Floats, Singles
from vision.finding.spares import spare_tops
from vision.geometry import BoardPose
from vision.lamplight.falloff import Falloff
from vision.lamplight.ground import CLIPPED, LIGHT, GroundMaps
from vision.lamplight.lamp import Lamp, find_lamp
from vision.lamplight.shade import Stand
from vision.light import Light, about_board
from vision.men.heights import Rims, Shadows
from vision.men.shades import Guess, Shades
from vision.networks.net import FootBelief, StackBelief, foot_input, picture_input, reader_net
from vision.networks.rim_net import rim_net
from vision.networks.shadow_net import shadow_net
from vision.networks.side_net import side_net
from vision.picture import Picture
from vision.reading.open_cells import SURELY_OPEN, middles_of, surface_colours
from vision.reading.table_model import TableModel
from vision.sampling import (
    COLUMNS,
    REACH,
    ROWS,
    CellViews,
    around_maps,
    cell_views,
    foot_maps,
    foot_offsets,
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
from vision.surfaces.between import between_disks
from vision.surfaces.disk_faces import RingsSeen
from vision.surfaces.disks import Disks, measure_disks
from vision.surfaces.ring_colours import strange_around_men

#: Cells whose foot shows a man with less than this log-odds are empty without a look at their strip.
MAYBE_OCCUPIED = -6.0
#: Rims are looked at so often, each time where their middles were found.
_LOOKS_AT_RIMS = 2
#: How wide disks usually are, in pitches, and how much wider or narrower, in parts of it, one beside the board may be.
_DISK_PITCHES, _UNLIKE_DISKS = 0.85, 0.12
#: This part of what lies on and about a board is bright.
_BRIGHT = 0.1
#: How far about the middle of a round thing its colour is taken, in diameters.
_MIDDLE = 0.15
#: Heights less likely than the likeliest by this are not thought of when the lamp is looked for (logarithm).
_UNLIKELY_HEIGHT = -4.0
#: Men surely stand on cells with such log-odds, and likely on dark disks with such ones; so many of these tell what
#: dark disks look like.
_SURELY_MEN, _LIKELY_DARK, _DARK_DISKS = 2.0, 4.0, 2
#: The edges of disks with rings are looked for from so much nearer than where they seem to end, in pitches.
_BEFORE_END = 0.03
#: Samples of a foot that are well on a disk; no more of them than so many may be too bright to tell.
_WITHIN, _FEW_CLIPPED = (slice(ROWS // 4, -(ROWS // 4)), slice(COLUMNS // 4, -(COLUMNS // 4))), 0.1
_BARE, _BEIGE, _DARK = (SURFACES.index(kind) for kind in (Surface.BARE, Surface.BEIGE, Surface.DARK))


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture (H, W, 3), blue-green-red, of a board whose place is known, and the same without light lines; and the
    rings on disks where there are any."""

    image: Picture
    pose: BoardPose
    layout: Layout
    plain: Picture
    ringed: RingsSeen | None = None

    def views(self) -> CellViews:
        """How the camera sees each cell."""
        return cell_views(self.pose, self.layout)

    def feet(self, table: TableModel) -> Picture:
        """The feet of all cells, (n, ROWS, COLUMNS, 3)."""
        half_side_mm = REACH * table.foot_mm(self.layout.pitch_mm)
        feet = gather(self.plain, foot_maps(self.pose, self.views(), table.disk_thickness_mm, half_side_mm))
        if self.ringed is None:
            return feet
        unit_mm = self.layout.pitch_mm * table.faces.scale
        return self.ringed.off(feet, foot_offsets(self.views(), half_side_mm / unit_mm))


@dataclass(frozen=True, slots=True)
class Seen:
    """Cells where men stand, how they are seen, their strips and what the network says of them; how far below the
    disk they stand, in diameters; their heights where they are known; which of `SURFACES` each cell of the board is."""

    cells: NDArray[np.int_]
    views: CellViews
    strips: Picture
    stacks: StackBelief
    sunk: Floats
    heights: NDArray[np.int_] | None
    surface: NDArray[np.int_]


@dataclass(frozen=True, slots=True)
class RimsSeen:
    """Rims of n tops, where the tops' middles appear to lie on the disks, (n, 2) mm, and pixel maps of the rims."""

    rims: Rims
    middles_mm: Floats
    maps: Singles

    def of(self, rows: NDArray[np.bool_]) -> "RimsSeen":
        """The rims of some of the tops."""
        return RimsSeen(replace(self.rims, size=self.rims.size.of(rows)), self.middles_mm[rows], self.maps[rows])


def look_at_feet(shot: Shot, table: TableModel, feet: Picture) -> FootBelief:
    """What the network says of all feet (n, ROWS, COLUMNS, 3), as if nothing covered them."""
    surfaces = table.colours_on(np.arange(len(feet)))
    pictures = foot_input(feet, _uncovered(feet), table.light, surfaces)
    view = table.foot_view(shot.views(), shot.layout.pitch_mm)
    open_ = None if shot.ringed is None else shot.ringed.kinds >= 0
    return reader_net().feet(pictures, view, surfaces, table.men.shown(), any_board=table.any_board, open_=open_)


def look_at_surfaces(shot: Shot, table: TableModel, feet: Picture, foot: FootBelief) -> Floats:
    """What this table's surfaces look like, (4, 3) against the light: on open cells, and where no cell is bare, the
    board between disks. NaN for those that show nowhere."""
    colours = surface_colours(feet, foot, table, partial(things_beside, shot, table))
    if table.has_disks and table.board is None and not np.isfinite(colours[_BARE]).all():
        open_, disks = foot.occupied < SURELY_OPEN, colours[_BEIGE]
        colours[_BARE] = between_disks(shot.plain, shot.pose, shot.layout, open_, table.light, disks)
    return colours


def things_beside(shot: Shot, table: TableModel) -> tuple[Singles, Singles, Singles]:
    """The colours of round things beside the board that are as large as its disks, (n, 3), that of what is bright on
    and about it, (3,), and that of the board between most of its disks, (3,), as the picture has them."""
    layout = shot.layout
    width_mm = layout.disk_mm[0] if layout.disk_mm else _DISK_PITCHES * table.faces.scale * layout.pitch_mm
    round_things = spare_tops(shot.image, shot.pose, layout, width_mm, _UNLIKE_DISKS)
    bright = np.quantile(about_board(shot.plain, shot.pose, layout), 1 - _BRIGHT, axis=0).astype(np.float32)
    most, levels = np.median(middles_of(shot.feet(table)), axis=0), Light((1.0, 1.0, 1.0))
    every = np.ones(len(layout.names), bool)
    between = between_disks(shot.plain, shot.pose, layout, every, levels, most.astype(np.float64))
    return colours_of_middles(shot, round_things, 0.0, width_mm), bright, between.astype(np.float32)


def look_at_fields(shot: Shot, table: TableModel) -> Floats:
    """What open fields of a board without disks look like, (k, 3) against the light; none of a board with disks."""
    if table.has_disks:
        return table.field_colours
    feet = shot.feet(table)
    open_ = look_at_feet(shot, table, feet).occupied < MAYBE_OCCUPIED
    return np.asarray(table.light.relative(middles_of(feet)[open_]), dtype=np.float64)


def with_covered_disks(shot: Shot, table: TableModel) -> TableModel:
    """The table with what dark disks look like, if they only show around men."""
    if not table.has_disks or np.isfinite(table.surface_colours[_DARK]).all():
        return table
    feet = shot.feet(table)
    foot, men = look_at_feet(shot, table, feet), table.men.shown()
    others = np.delete(table.possible(foot.surface), _DARK, axis=1).max(axis=1)
    cells = np.flatnonzero((foot.occupied > _SURELY_MEN) & (foot.surface[:, _DARK] - others > _LIKELY_DARK))
    shown = np.moveaxis(table.light.relative(feet[cells]), 3, 1)
    strange = strange_around_men(shown, table.colours_on(cells), men)
    strange = strange[np.isfinite(strange).all(axis=1)]
    if len(strange) < _DARK_DISKS:
        return table
    colours = table.surface_colours.copy()
    colours[_DARK] = np.median(strange, axis=0)
    return replace(table, surface_colours=colours)


def look_at_stacks(shot: Shot, table: TableModel, foot: FootBelief, looks: Sequence[CellLook] | None) -> Seen | None:
    """All stacks, as far as they can be told from a first look; None on an empty board."""
    net, views = reader_net(), shot.views()
    cells = np.flatnonzero(foot.occupied > MAYBE_OCCUPIED if looks is None else [look.men > 0 for look in looks])
    if not len(cells):
        return None
    some = views.of(cells)
    strips = gather(shot.plain, strip_maps(shot.pose, some, table.disk_thickness_mm, table.man_diameter_mm))
    pictures = picture_input(strips, _uncovered(strips), table.light)
    stacks = net.stacks(pictures, table.strip_view(shot.pose, some, shot.layout.pitch_mm), both=True)
    if looks is None:
        there = np.flatnonzero(table.occupied(foot.occupied[cells], stacks.occupied) > 0)
        if not len(there):
            return None
        cells, some, strips, stacks = cells[there], some.of(there), strips[there], stacks.of(there)
    surface = np.argmax(table.possible(foot.surface), axis=1)
    bare = surface[cells] == _BARE
    sunk = np.where(bare, table.disk_thickness_mm / table.man_diameter_mm, 0.0)
    heights = None if looks is None else np.array([looks[i].height for i in cells.tolist()])
    return Seen(cells, some, strips, stacks, sunk, heights, surface)


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


def rims_of_stacks(shot: Shot, table: TableModel, seen: Seen, unsure: float) -> RimsSeen:
    """The rims of all tops, before it is known what covers them."""
    middles = top_middles(shot.pose, seen.views, seen.stacks.top, table.disk_thickness_mm, table.man_diameter_mm)
    return uncovered_rims(shot, table, seen.views, middles, unsure)


def look_at_sides(
    shot: Shot, table: TableModel, views: CellViews, middles_mm: Floats, rise: Floats | Singles, ratios: Floats
) -> Floats:
    """What the sides of the topmost men say of thicknesses `ratios` (G,) in diameters: log-likelihoods (n, G).

    `middles_mm` (n, 2): where the middles of the tops appear to lie on the disks; `rise` (n,): how high above them the
    tops are, in diameters.
    """
    if len(ratios) == 1 or not len(rise):
        return np.zeros((len(rise), len(ratios)))
    maps = maps_of_sides(shot.pose, table, views, middles_mm, rise)
    pictures, view = uncovered_input(shot, table, maps), table.rim_view(shot.pose, views, shot.layout.pitch_mm)
    return side_net().thicknesses(pictures, view, ratios)


def maps_of_sides(
    pose: BoardPose, table: TableModel, views: CellViews, middles_mm: Floats, rise: Floats | Singles
) -> Singles:
    """Pixels of the sides below tops, (n, SIDE_ROWS, SIDE_COLUMNS, 2); see `look_at_sides`."""
    disk, rise_mm = table.disk_thickness_mm, table.man_diameter_mm * rise.astype(np.float64)
    middles = raised(pose, middles_mm, disk, rise_mm)
    return side_maps(pose, views, middles, disk + rise_mm, table.man_diameter_mm)


def colours_of_middles(shot: Shot, places_mm: Floats, high_mm: float, width_mm: float) -> Singles:
    """The median colours (n, 3) about the middles of round things that appear to lie at places (n, 2) so high above the
    board and are so wide."""
    if not len(places_mm):
        return np.zeros((0, 3), np.float32)
    views = views_of_places(shot.pose, places_mm, shot.layout.pitch_mm)
    maps = foot_maps(shot.pose, views, high_mm, _MIDDLE * width_mm)
    colours: Singles = np.median(gather(shot.image, maps).reshape(len(maps), -1, 3), axis=1).astype(np.float32)
    return colours


def look_for_lamp(shot: Shot, table: TableModel, seen: Seen, falls: Floats) -> Lamp | None:
    """Where the shadows of all stacks say the lamp is; `falls`: how likely they fall each way by the open board."""
    around = around_maps(shot.pose, seen.views, table.disk_thickness_mm, table.man_diameter_mm)
    view = table.strip_view(shot.pose, seen.views, shot.layout.pitch_mm)[:, :4]
    told = shadow_net().lamps(uncovered_input(shot, table, around), view)
    return find_lamp(told, seen.views, shot.layout.pitch_mm, falls)


def look_at_falloff(shot: Shot, seen: Seen, feet: Picture) -> Falloff:
    """How the light falls off over the open cells."""
    open_ = np.ones(len(seen.surface), dtype=bool)
    open_[seen.cells] = False
    middles = feet[:, *_WITHIN].reshape(len(open_), -1, 3)
    open_ &= (middles.max(axis=2) >= CLIPPED).mean(axis=1) < _FEW_CLIPPED
    light = LIGHT[middles[open_]].sum(axis=2).mean(axis=1)
    centres, lens = np.asarray(shot.layout.centres_mm)[open_], shot.pose.lens
    pixels = shot.pose.project(np.column_stack([centres, np.zeros(len(centres))]))
    off_axis = 2 * (pixels - [lens.width_px / 2, lens.height_px / 2]) / np.hypot(lens.width_px, lens.height_px)
    aside = (off_axis**2).sum(axis=1)
    return Falloff(centres, seen.surface[open_], light, aside, shot.pose.camera_mm, shot.layout.pitch_mm)


def look_at_shadows(shot: Shot, table: TableModel, seen: Seen, lamp: Lamp) -> tuple[Shadows, ...]:
    """The shadows of all stacks in the light of a lamp, and in that of the other one if there is one."""
    net, place, shadows = shadow_net(), (table.disk_thickness_mm, table.man_diameter_mm), []
    for each in lamp.both():
        way, reach = each.shadows(seen.views.centres_mm)
        maps = shadow_maps(shot.pose, seen.views.centres_mm, way, *place)
        view = table.shadow_view(seen.views, shot.layout.pitch_mm, each)
        shadows.append(Shadows(net, net.shadows(uncovered_input(shot, table, maps), view, both=True), reach))
    return tuple(shadows)


def look_at_disks(shot: Shot, table: TableModel, seen: Seen) -> Disks | None:
    """Where exactly the disks lie, unless too few can be made out."""
    empty = np.ones(len(seen.surface), dtype=bool)
    empty[seen.cells] = False
    least = table.faces.ends.min() - _BEFORE_END if table.faces.ringed else None
    place = shot.pose, shot.layout, table.disk_thickness_mm
    return measure_disks(shot.image, *place, seen.surface, empty, table.faces.scale, least)


def shades_of(shot: Shot, table: TableModel, seen: Seen, middles_mm: Floats, likely: Floats) -> Shades:
    """The light about all stacks.

    `middles_mm` (n, 2): where the middles of their tops appear to lie on the disks; `likely` (n, 8):
    log-likelihoods of one, two, … men.
    """
    disk, man, diameter = table.disk_thickness_mm, table.man_thickness_mm, table.man_diameter_mm
    stands = [Stand(m, disk - float(s) * diameter) for m, s in zip(middles_mm, seen.sunk, strict=True)]
    guesses = []
    for stand, told in zip(stands, likely - likely.max(axis=1, keepdims=True), strict=True):
        some = np.flatnonzero(told > _UNLIKELY_HEIGHT)
        guesses.append(Guess(np.asarray(stand.foot_mm + (some + 1) * man, dtype=np.float64), told[some]))
    maps, every = GroundMaps(shot.pose, shot.layout, disk), np.arange(len(seen.surface))
    ground = maps.ground(shot.image, seen.surface, every, table.disks)
    return Shades(maps.men(diameter), ground, stands, guesses, man / diameter)


def uncovered_rims(shot: Shot, table: TableModel, views: CellViews, middles_mm: Floats, unsure: float) -> RimsSeen:
    """Rims about places (n, 2), as if nothing covered them."""

    def shown(maps: Singles) -> Singles:
        return uncovered_input(shot, table, maps)

    return look_at_rims(table, shot.pose, views, shot.layout.pitch_mm, middles_mm, shown, unsure)


def uncovered_input(shot: Shot, table: TableModel, maps: Singles) -> Singles:
    """What lies at pixel maps as networks want it, as if nothing covered it."""
    pictures = gather(shot.image, maps)
    return picture_input(pictures, _uncovered(pictures), table.light)


def _uncovered(pictures: Picture) -> NDArray[np.int8]:
    return np.zeros(pictures.shape[:3], np.int8)
