"""Learning a table as it stands from a picture: the light, the men's colours and dimensions, the lamp."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import MAX_HEIGHT, SURFACES, CellLook, Surface
from vision.arrays import Floats
from vision.geometry import BoardPose
from vision.lamplight.falloff import Falloff
from vision.lamplight.lamp import BEARINGS, FAR_PITCHES, Lamp, places_of
from vision.lamplight.mirror import off_mirror
from vision.light import GAMMA, Light, light_of, light_without_disks
from vision.men.heights import (
    NO_AGREEMENT,
    THICKNESSES,
    USUAL_THICKNESS,
    Lit,
    Shadows,
    Size,
    Strips,
    agreement,
    likely_sizes,
    mean_growth,
    mean_reach,
    mean_thickness,
    read_strips,
    rim_table,
    shadow_table,
)
from vision.men.lamp_search import LampSearch
from vision.men.men_colours import TOP_PARTS, Part, best_learned, learn_men
from vision.men.side_colours import Sides
from vision.networks.net import reader_net
from vision.palette import DEFAULT_DISKS, Material
from vision.picture import Picture, is_grey
from vision.reading.evidence import (
    RimsSeen,
    Seen,
    Shot,
    look_at_disks,
    look_at_falloff,
    look_at_feet,
    look_at_fields,
    look_at_shadows,
    look_at_sides,
    look_at_stacks,
    look_at_surfaces,
    look_for_lamp,
    rims_of_stacks,
    shades_of,
    things_beside,
    with_covered_disks,
)
from vision.reading.open_cells import open_light_disks
from vision.reading.spare_men import look_at_spares
from vision.reading.table_model import TableModel
from vision.reading.thick_men import LOWERED, Looked, thick_men
from vision.reading.whose import Tops
from vision.sampling import strip_places
from vision.surfaces.cell_lines import LightLines, light_lines
from vision.surfaces.cell_marks import cell_marks
from vision.surfaces.disk_faces import DiskFaces, RoundCells, disk_faces
from vision.surfaces.marks_off import MarksOff
from vision.surfaces.three_colours import three_colours

#: What a man on cells, one on points and a disk measure in pitches before anything is known of them.
_MAN_PITCHES, _MAN_ON_POINTS, _DISK_THICKNESS_PITCHES = 0.71, 0.85, 0.045
#: Least and greatest diameter of a man in pitches; men on points may cover those beside them.
_WIDTHS, _WIDTHS_ON_POINTS = (0.45, 0.98), (0.4, 1.42)
#: By what share of it men may be narrower or wider than the layout says (those of two photographs look 6 % wider).
_FIGURES_OFF = 0.12
#: By what factors shadows may be longer than the lamp says that explains the light about all stacks best; and where
#: no stack seems to be a single man: below a lamp half as high single men would throw the shadows of two.
_REACHES = np.exp(np.linspace(-0.36, 0.36, 25))
_TWICE_AS_FAR = np.exp(np.linspace(-0.36, 1.08, 49))
#: Men are no brighter than this against beige disks (1.23 at most on 172 rendered boards); so few disks are doubted.
_OUTSHINE, _FEW_DISKS = 1.4, 3
#: Heights that the referee rules out are so unlikely (logarithm).
_RULED_OUT = -100.0
#: How far off the logarithm of a man's diameter is before each look at the table: when it is given, on cells and on
#: points; and after all looks. Where it moved by less than `_FAR` all that comes before the last two is left out.
_GIVEN = (0.05, 0.02, 0.01)
_ON_CELLS = (0.05, 0.1, 0.1, *_GIVEN)
_ON_POINTS = (0.2, 0.1, *_GIVEN)
_DIAMETER_MEASURED, _LAST_BUT_ONE, _FAR = 0.01, 0.02, 0.05
#: Where shadows agree with strips and rims less than this, it is asked whether the light on the open board misleads:
#: that is believed if they agree so much better without (logarithms, for each stack and for all).
_DISAGREE, _ASTRAY = -0.4, 1.0
#: Dark disks look so much brighter than their names, since they mirror some light (the median of 111 rendered boards).
_DARK_MIRRORS = 1.2
#: Nothing gives back less of any light (a share), whatever it is called.
_LEAST_LIGHT = 0.01
_BARE, _BEIGE, _DARK = (SURFACES.index(kind) for kind in (Surface.BARE, Surface.BEIGE, Surface.DARK))


def nominal_table(
    layout: Layout, material: Material, faces: DiskFaces | None = None, heightened: float = 1.0
) -> TableModel:
    """What may be said of a table before it was seen, but for the faces of its disks; these are taken to be
    `heightened` times as thick as they are."""
    faces = DiskFaces() if faces is None else faces
    pitches = _MAN_ON_POINTS if layout.board is None else _MAN_PITCHES * faces.scale
    diameter = layout.man_mm[0] if layout.man_mm else pitches * layout.pitch_mm
    thickness = layout.man_mm[1] if layout.man_mm else USUAL_THICKNESS * diameter
    disk = layout.disk_mm[1] if layout.disk_mm else _DISK_THICKNESS_PITCHES * faces.scale * layout.pitch_mm
    surfaces: tuple[Surface, ...] = (Surface.BARE,)
    if material.disks is not None:
        surfaces = (Surface.BEIGE, Surface.BARE, Surface.DARK)
    white = Light((255.0, 255.0, 255.0))
    unknown = learn_men(np.zeros((0, 3)), None, np.zeros(0, dtype=int), material, white.brightest())
    sizes = (Size(1.0, thickness / diameter, 1.0, 0.0),)
    strange = np.full((len(SURFACES), 3), np.nan)
    fields, named = np.zeros((0, 3)), _named_colours(material)
    return TableModel(
        white,
        diameter,
        thickness,
        heightened * disk,
        unknown,
        surfaces,
        tuple(material.owners),
        sizes,
        strange,
        fields,
        named,
        material.bright,
        material.disks or DEFAULT_DISKS,
        faces=faces,
    )


def learn_table(
    image: Picture, pose: BoardPose, layout: Layout, material: Material, looks: Sequence[CellLook] | None = None
) -> TableModel:
    """The table's light, colours and dimensions from one still picture (blue-green-red) of it.

    `looks`, when the referee knows them, are what stands on the cells, in the layout's order. One picture seldom tells
    the men's thickness where the layout does not: the table keeps all that are likely. How wide men look is measured
    even where the layout says how wide they are: figures are a little off, and blooming widens what is bright. In a
    black-and-white picture colours are told by their brightness.
    """
    if is_grey(image):
        material = material.in_grey()
    looked = _looked(image, pose, layout, material, looks)
    shot, table, seen = looked.shot, looked.table, looked.seen
    ratios, likely = _thicknesses(table, layout)
    if len(ratios) > 1:
        lowered = partial(_looked, image, pose.heightened(LOWERED), layout, material, looks, LOWERED)
        if (thick := thick_men(looked, lowered)) is not None:
            ratios = thick * THICKNESSES / USUAL_THICKNESS
    if seen is not None and table.has_disks and len(ratios) > 1:
        told = np.log(likely) + look_at_spares(shot, table, ratios)
        likely = np.exp(told - np.logaddexp.reduce(told))
    return _lit(table, shot, seen, looked.around, (ratios, likely))


def _looked(
    image: Picture,
    pose: BoardPose,
    layout: Layout,
    material: Material,
    looks: Sequence[CellLook] | None,
    heightened: float = 1.0,
) -> Looked:
    """What can be made out of a table before it is known how thick its men are, as if all were `heightened` times as
    high as it is (see `BoardPose.heightened`)."""
    table, plain = nominal_table(layout, material, heightened=heightened), image
    if table.has_disks and (lines := light_lines(image, pose, layout)) is not None:
        plain, table = lines.off(image), replace(table, light_lines=True)
    marks = cell_marks(plain, pose, layout, table.has_disks)
    if marks is not None:
        plain = MarksOff(pose, layout, marks).off(plain)
    shot = Shot(image, pose, layout, plain)
    if table.has_disks:
        faces = disk_faces(plain, pose, layout, table.disk_thickness_mm)
        table = replace(nominal_table(layout, material, faces, heightened), light_lines=table.light_lines)
        shot = _with_rings(shot, table)
        table = replace(table, board=three_colours(plain, pose, layout))
    table = replace(table, marks=marks)
    seen = light_disks = around = None
    moved = np.inf
    for unsure in _GIVEN if layout.man_mm else _ON_POINTS if layout.board is None else _ON_CELLS:
        if unsure > _LAST_BUT_ONE and moved < _FAR:
            continue
        feet = shot.feet(table)
        table = replace(table, light=_light(shot, table, feet, light_disks))
        foot = look_at_feet(shot, table, feet)
        light_disks = open_light_disks(foot, table, feet, partial(things_beside, shot, table))
        table = replace(table, surface_colours=look_at_surfaces(shot, table, feet, foot))
        seen = look_at_stacks(shot, table, foot, looks)
        if seen is None:
            break
        if light_disks.sum() <= _FEW_DISKS and _outshine(_tops(table, shot, seen, None), table):
            light_disks = np.zeros_like(light_disks)
        before, table = table, _measured(table, shot, seen, unsure)
        moved = abs(float(np.log(table.man_diameter_mm / before.man_diameter_mm)))
    if seen is not None:
        around = rims_of_stacks(shot, table, seen, _DIAMETER_MEASURED)
        tops = _tops(table, shot, seen, around if table.has_disks else None)
        parts = [(part, *_colours(table, tops, part)) for part in TOP_PARTS]
        known = [looks[i].men if looks else 0 for i in seen.cells.tolist()]
        owners = np.array([1 + table.owners.index(owner) if owner in table.owners else 0 for owner in known])
        table = replace(table, men=best_learned(parts, owners, material, table.light.brightest()))
    table = replace(with_covered_disks(shot, table), field_colours=look_at_fields(shot, table))
    return Looked(shot, table, seen, around)


def relit_table(table: TableModel, image: Picture, pose: BoardPose, layout: Layout) -> TableModel:
    """The same table seen from another place or under another lamp: where is the lamp now?"""
    plain = LightLines(pose, layout).off(image) if table.light_lines else image
    if table.marks is not None:
        plain = MarksOff(pose, layout, table.marks).off(plain)
    shot = Shot(image, pose, layout, plain)
    shot = _with_rings(shot, table)
    if table.board is not None:
        table = replace(table, board=three_colours(plain, pose, layout, surely=True))
    feet = shot.feet(table)
    foot = look_at_feet(shot, table, feet)
    table = with_covered_disks(shot, replace(table, surface_colours=look_at_surfaces(shot, table, feet, foot)))
    table = replace(table, field_colours=look_at_fields(shot, table))
    seen = look_at_stacks(shot, table, foot, None)
    around = None if seen is None else rims_of_stacks(shot, table, seen, _DIAMETER_MEASURED)
    return _lit(table, shot, seen, around, table.thicknesses())


def _with_rings(shot: Shot, table: TableModel) -> Shot:
    """The shot with the rings on its disks, if these have any."""
    if not table.faces.ringed:
        return shot
    cells = RoundCells(shot.pose, shot.layout, table.disk_thickness_mm, table.faces.scale)
    return replace(shot, ringed=cells.seen(table.faces, shot.plain, np.arange(len(shot.layout.names))))


def _named_colours(material: Material) -> Floats:
    """What disks are likely to look like by their names, (4, 3) against what is taken for white; NaN where there are
    none."""
    if material.disks is None:
        return np.full((len(SURFACES), 3), np.nan)
    light, dark, white = (np.array(colour.linear[::-1]) for colour in (*material.disks, material.yardstick))
    named = np.ones((len(SURFACES), 3))
    named[_BEIGE] = (np.maximum(light, _LEAST_LIGHT) / white) ** (1 / GAMMA)
    named[_DARK] = _DARK_MIRRORS * (dark / white) ** (1 / GAMMA)
    return named


def _light(shot: Shot, table: TableModel, feet: Picture, light_disks: NDArray[np.bool_] | None) -> Light:
    """The light on a table; `light_disks` (n,): on which cells these surely lie open, once that is known."""
    if not table.has_disks:
        return light_of(shot.plain, shot.pose, shot.layout, None)
    if light_disks is not None and not light_disks.any():
        return light_without_disks(table.light, table.surface_colours[_BARE], table.surface_colours[_DARK])
    return light_of(shot.plain, shot.pose, shot.layout, feet, light_disks).where_white_is(table.named_colours[_BEIGE])


def _outshine(tops: Tops, table: TableModel) -> bool:
    """Whether men are so much brighter than what was taken for beige disks that these were none."""
    return bool(((tops.colours(table.light) / table.surface_colours[_BEIGE]).min(axis=1) > _OUTSHINE).any())


def _tops(table: TableModel, shot: Shot, seen: Seen, around: RimsSeen | None) -> Tops:
    """All tops, where their rims are, if these were looked at."""
    places, cover = seen.stacks.risen(), np.zeros(seen.strips.shape[:3], np.int8)
    if around is not None:
        size = table.disk_thickness_mm, table.man_diameter_mm
        places = strip_places(shot.pose, seen.views, around.middles_mm, *size).astype(np.float32)
    return Tops(seen.strips, cover, seen.stacks.view, places, measured=around is not None)


def _colours(table: TableModel, tops: Tops, part: Part) -> tuple[Floats, Sides]:
    """What a part of all tops, and the men's sides, look like."""
    colours = tops.colours(table.light, part)
    return colours, tops.sides(table.light, table.colours_about(), colours)


def _lit(
    table: TableModel, shot: Shot, seen: Seen | None, around: RimsSeen | None, thicknesses: tuple[Floats, Floats]
) -> TableModel:
    """The table with its lamp, and the sizes that explain all stacks, their shadows and rims best.

    `thicknesses`: what men may be, in diameters, and how likely that was before this look.
    """
    table = replace(table, lamp=None, men=replace(table.men, mirror=None))
    if seen is None or around is None:
        return table
    rise = seen.stacks.rise.likeliest()
    sides = look_at_sides(shot, table, seen.views, around.middles_mm, rise, thicknesses[0])
    look = _Look(seen, around, read_strips(reader_net(), seen.stacks, thicknesses[0], seen.sunk, sides), *thicknesses)
    if not table.has_disks:
        return _by_shadows(table, shot, look)
    falloff = look_at_falloff(shot, seen, shot.feet(table))
    lit, agree = _by_lamp(table, shot, look, falloff)
    if agree < _DISAGREE:
        other, better = _by_lamp(table, shot, look, falloff.silent())
        if (better - agree) * len(seen.cells) > _ASTRAY:
            return other
    return lit


def _by_shadows(table: TableModel, shot: Shot, look: "_Look") -> TableModel:
    """The table with the lamp that shadows alone tell, and how men mirror it: what fields of many colours give back of
    its light is not known."""
    lamp = look_for_lamp(shot, table, look.seen, np.zeros(len(BEARINGS)))
    if lamp is None:
        return _sized(table, None, look.sizes(()))
    sizes = look.sizes(look_at_shadows(shot, table, look.seen, lamp))
    likely = lamp.reaching(mean_reach(sizes))
    table = _mirroring(table, shot, look.seen, None, likely)
    return _sized(table, likely, _nearer(sizes, lamp.reach() / likely.reach()))


def _by_lamp(table: TableModel, shot: Shot, look: "_Look", falloff: Falloff) -> tuple[TableModel, float]:
    """The table with the lamp that shadows and the light on the open board tell, and how well heights by shadows agree
    with those by strips and rims (see `agreement`)."""
    lamp = look_for_lamp(shot, table, look.seen, falloff.bearings())
    if lamp is None:
        lamp = _only_lamp(table, shot, look, falloff)
    if lamp is None:
        return _sized(table, None, look.sizes(())), NO_AGREEMENT
    return _in_light(table, shot, look, lamp, falloff)


def _only_lamp(table: TableModel, shot: Shot, look: "_Look", falloff: Falloff) -> Lamp | None:
    """The lamp that explains the light about all stacks, if any does: shadows that fall two ways are told from none."""
    sizes = look.sizes(())
    table = _sized(replace(table, disks=look_at_disks(shot, table, look.seen)), None, sizes)
    shades = shades_of(shot, table, look.seen, look.around.middles_mm, look.heights((), sizes))
    return LampSearch(shades, falloff).only(FAR_PITCHES * shot.layout.pitch_mm)


def _in_light(table: TableModel, shot: Shot, look: "_Look", lamp: Lamp, falloff: Falloff) -> tuple[TableModel, float]:
    """The table by its stacks, their shadows and the light about them, near where a lamp is taken to be, and how men
    mirror it; and how well heights by shadows agree with the others."""
    table = replace(table, disks=look_at_disks(shot, table, look.seen))
    shadows = look_at_shadows(shot, table, look.seen, lamp)
    sizes = look.sizes(shadows)
    first = _sized(table, lamp, sizes)
    likely_heights = look.heights(shadows, sizes)
    shades = shades_of(shot, first, look.seen, look.around.middles_mm, likely_heights)
    reaches = _REACHES if (likely_heights.argmax(axis=1) == 0).any() else _TWICE_AS_FAR
    lamps = LampSearch(shades, falloff).lamps(lamp.reaching(mean_reach(sizes)), reaches, len(look.ratios) == 1)
    best = lamps[int(np.argmin(np.abs(np.log(reaches))))]
    falloff = falloff if best.other is None else falloff.silent()
    heights = shades.heights(look.heights_by_thickness(mean_growth(sizes)), lamps, best, look.ratios)
    lit = Lit(heights, reaches, -falloff.unlikely(places_of(lamps)), float(np.log(best.reach() / lamp.reach())))
    shadows = look_at_shadows(shot, table, look.seen, best)
    sizes = look.sizes(shadows, lit)
    agree = look.agreement(shadows, sizes, lit)
    likely = lamps[int(np.argmin(np.abs(reaches - mean_reach(sizes))))]
    table = _mirroring(table, shot, look.seen, look.around, likely)
    return _sized(table, likely, _nearer(sizes, best.reach() / likely.reach())), agree


def _mirroring(table: TableModel, shot: Shot, seen: Seen, around: RimsSeen | None, lamp: Lamp) -> TableModel:
    """The table with how its men mirror a lamp."""
    off = off_mirror(lamp, shot.pose.camera_mm, seen.views.centres_mm)
    tops = _tops(table, shot, seen, around)
    return replace(table, men=table.men.mirroring(*_colours(table, tops, table.men.part), off))


def _nearer(sizes: tuple[Size, ...], factor: float) -> tuple[Size, ...]:
    """The same sizes beside a lamp by whose place shadows are shorter by a factor."""
    return tuple(replace(size, reach=size.reach * factor) for size in sizes)


@dataclass(frozen=True, slots=True)
class _Look:
    """Stacks of a table, their rims and strips, the thicknesses `ratios` (G,) that their men may have, and how likely
    those were before."""

    seen: Seen
    around: RimsSeen
    strips: Strips
    ratios: Floats
    prior: Floats

    def sizes(self, shadows: Sequence[Shadows], lit: Lit | None = None) -> tuple[Size, ...]:
        """The sizes that explain all stacks best; see `likely_sizes`."""
        seen, rims = self.seen, self.around.rims
        return likely_sizes(self.ratios, self.prior, self.strips, shadows, rims, seen.sunk, seen.heights, lit)

    def agreement(self, shadows: Sequence[Shadows], sizes: tuple[Size, ...], lit: Lit) -> float:
        """How well heights by shadows and light agree with those by strips and rims."""
        thickness = np.searchsorted(self.ratios, [size.thickness for size in sizes])
        reach = np.searchsorted(lit.reaches, [size.reach for size in sizes])
        by_men = self._known(self.strips.heights[:, thickness] + rim_table(self.around.rims, sizes, self.seen.sunk))
        by_lamp = shadow_table(shadows, sizes, self.seen.sunk) + lit.heights[:, thickness, reach]
        return agreement(by_men, by_lamp, sizes)

    def heights(self, shadows: Sequence[Shadows], sizes: tuple[Size, ...]) -> Floats:
        """Log-likelihoods (n, 8) of one, two, … men by strips, shadows and rims, unless they are known."""
        told = self.strips.heights[:, np.searchsorted(self.ratios, [size.thickness for size in sizes])]
        told = told + shadow_table(shadows, sizes, self.seen.sunk) + rim_table(self.around.rims, sizes, self.seen.sunk)
        told = self._known(told) + np.log([size.weight for size in sizes])[:, None]
        return np.asarray(np.logaddexp.reduce(told, axis=1))

    def heights_by_thickness(self, growth: float) -> Floats:
        """Log-likelihoods (n, G, 8) of one, two, … men so thick by strips and rims, unless they are known; `growth`: by
        how much men are wider than they are taken for (a logarithm)."""
        usual = tuple(Size(1.0, float(ratio), 1.0, growth) for ratio in self.ratios)
        return self._known(self.strips.heights + rim_table(self.around.rims, usual, self.seen.sunk))

    def _known(self, told: Floats) -> Floats:
        """Log-likelihoods of heights (n, …, 8), or what the referee knows of them."""
        if self.seen.heights is None:
            return np.asarray(told - np.logaddexp.reduce(told, axis=2, keepdims=True))
        known = np.minimum(self.seen.heights, MAX_HEIGHT)[:, None, None] - 1
        return np.where(np.arange(MAX_HEIGHT) == known, 0.0, _RULED_OUT) + np.zeros_like(told)


def _sized(table: TableModel, lamp: Lamp | None, sizes: tuple[Size, ...]) -> TableModel:
    """The table with such a lamp and such men."""
    thickness = mean_thickness(sizes) * table.man_diameter_mm
    return replace(table, lamp=lamp, sizes=sizes, man_thickness_mm=thickness)


def _measured(table: TableModel, shot: Shot, seen: Seen, unsure: float) -> TableModel:
    """The table with the men's diameter and thicknesses that explain the sides and rims of all stacks best."""
    layout = shot.layout
    rims = rims_of_stacks(shot, table, seen, unsure).rims
    thicknesses = _thicknesses(table, layout)
    strips = read_strips(reader_net(), seen.stacks, thicknesses[0], seen.sunk)
    sizes = likely_sizes(*thicknesses, strips, (), rims, seen.sunk, seen.heights)
    diameter = float(
        np.clip(table.man_diameter_mm * np.exp(mean_growth(sizes)), *_widths_mm(layout, table.faces.scale))
    )
    if layout.man_mm:
        return replace(table, man_diameter_mm=diameter, sizes=(Size(1.0, layout.man_mm[1] / diameter, 1.0, 0.0),))
    return replace(table, man_diameter_mm=diameter, man_thickness_mm=mean_thickness(sizes) * diameter, sizes=sizes)


def _widths_mm(layout: Layout, disk_scale: float) -> tuple[float, float]:
    """How narrow and how wide men may be."""
    low, high = (w * layout.pitch_mm for w in (_WIDTHS_ON_POINTS if layout.board is None else _WIDTHS))
    low *= disk_scale
    if not layout.man_mm:
        return low, high
    return min(low, (1 - _FIGURES_OFF) * layout.man_mm[0]), max(high, (1 + _FIGURES_OFF) * layout.man_mm[0])


def _thicknesses(table: TableModel, layout: Layout) -> tuple[Floats, Floats]:
    """What a man's thickness may be before anything was seen, in diameters, and how likely each is: any, or known."""
    if layout.man_mm:
        return np.array([layout.man_mm[1] / table.man_diameter_mm]), np.ones(1)
    return THICKNESSES, np.full(len(THICKNESSES), 1 / len(THICKNESSES))
