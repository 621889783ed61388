"""Reading a board whose place is known: for every cell, how likely each surface, colour and height is."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import MAX_HEIGHT, SURFACES, UNSEEN, CellReading, Surface
from vision.arrays import Bools, Floats, Singles
from vision.finding.beyond import cells_beyond
from vision.geometry import BoardPose
from vision.lamplight.ground import GroundMaps
from vision.lamplight.lamp import Lamp
from vision.lamplight.mirror import off_mirror
from vision.lamplight.phantoms import Thrown, unlike_ground
from vision.men.heights import MET, Fits, Shadows, fit_of_men, fit_table, rim_table, shadow_table
from vision.men.shades import Guess, Shades, about_stack
from vision.networks.height_net import height_net
from vision.networks.net import COVER_CHANNEL, foot_input, picture_input, reader_net
from vision.networks.shadow_net import shadow_net
from vision.picture import Picture
from vision.reading.cell_beliefs import PERHAPS_MEN, PERHAPS_SHADOWS, CellBeliefs
from vision.reading.evidence import MAYBE_OCCUPIED, RimsSeen, look_at_rims
from vision.reading.standing import Standing
from vision.reading.table_model import TableModel
from vision.reading.whose import Tops, whose
from vision.sampling import (
    COLUMNS,
    REACH,
    ROWS,
    SHADOW_COLUMNS,
    SHADOW_ROWS,
    STRIP_ROWS,
    cell_views,
    column_maps,
    foot_maps,
    foot_offsets,
    foot_points,
    gather,
    shadow_maps,
    strip_maps,
    strip_places,
)
from vision.surfaces.cell_lines import LightLines
from vision.surfaces.disk_edges import edge_maps, told_at_edges
from vision.surfaces.disk_faces import RoundCells
from vision.surfaces.field_colours import for_men
from vision.surfaces.foot_colours import LOWERED
from vision.surfaces.marks_off import MarksOff
from vision.surfaces.ring_colours import told_around_men

#: What shadows tell beside strips is divided by this (calibrated on held-out pictures).
_SHADOW_TEMPERATURE = 0.65
#: How much strips count where it is known how well each height fits, and how much rims and these fits do: on boards
#: with disks (fitted on 52 rendered stills) and without (tried on 72 rendered ones and copies of two photographs).
_BESIDE, _BESIDE_WITHOUT_DISKS = (0.3, 1.0, 1.0), (1.0, 0.3, 0.4)
#: A place is in the light when so much of the lamp's face is in sight there.
_LIT = 0.5
#: A cell is read again when nearer stacks cover, or farther ones show in, more of its foot than this (with 0.02
#: as many of 157 rendered boards are right, with 0.2 of 159).
_DISTURBED = 0.07
#: So often at most, since what stands there now may cover others otherwise than what was taken to stand there.
_LOOKS_AGAIN = 2
#: Something foreign is over a picture when it hides more of it than this.
_HIDDEN = 0.02
#: How many times as far apart places on the ground are as when a table is learned.
_SPARSE = 2.0
#: So many rows of a strip are as much as the top of a stack.
_ROWS_OF_A_TOP = 36


@dataclass(frozen=True, slots=True)
class _Floor:
    """Where shadows of stacks on all cells fall in the light of a lamp: pixel `maps` and the nearest `pixels`; how the
    network for shadows is told of them, and their length per unit of height, (cells, …) each."""

    maps: Singles
    pixels: NDArray[np.int32]
    view: Singles
    reach: Floats


class CellReader:
    """Reads cells of one table from one place of the camera. Pixel maps are made once."""

    def __init__(self, pose: BoardPose, layout: Layout, table: TableModel) -> None:
        self.pose, self.layout, self.table = pose, layout, table
        self._net = reader_net()
        self._views = cell_views(pose, layout)
        self._beyond = cells_beyond(pose, layout)
        self._foot_mm = table.foot_mm(layout.pitch_mm)
        self._feet = foot_maps(pose, self._views, table.disk_thickness_mm, REACH * self._foot_mm)
        self._strips = strip_maps(pose, self._views, table.disk_thickness_mm, table.man_diameter_mm)
        self._foot_view = table.foot_view(self._views, layout.pitch_mm)
        self._strip_view = table.strip_view(pose, self._views, layout.pitch_mm)
        self._standing = Standing(pose, self._views, table, self._feet)
        self._off = np.zeros(len(layout.names))
        if table.lamp is not None:
            self._off = off_mirror(table.lamp, pose.camera_mm, self._views.centres_mm)
            self._floors = [self._floor(lamp) for lamp in table.lamp.both()]
        disk = table.disk_radius(table.man_diameter_mm)
        self._edges = None
        if disk is not None:
            self._edges = edge_maps(pose, self._views, disk, table.disk_thickness_mm, table.man_diameter_mm)
        self._strip_pixels = self._standing.pixels(self._strips)
        self._ground_maps: GroundMaps | None = None
        self._lines = LightLines(pose, layout) if table.light_lines else None
        self._marks = MarksOff(pose, layout, table.marks) if table.marks is not None else None
        if table.faces.ringed:
            self._round = RoundCells(pose, layout, table.disk_thickness_mm, table.faces.scale)
            unit_mm = layout.pitch_mm * table.faces.scale
            self._places = foot_offsets(self._views, REACH * self._foot_mm / unit_mm)

    def read(
        self, image: Picture, hidden: Bools | None = None, cells: Sequence[int] | None = None, patient: bool = False
    ) -> tuple[CellReading, ...]:
        """The readings of all cells, in the layout's order, from a picture (H, W, 3), blue-green-red; cells beyond it
        are unseen.

        `hidden` (H, W): pixels where something foreign is in front. `cells`: read only these; the others
        are unseen in the answer, but their last reading still tells what stands in front of what. `patient`: look
        closely at every stack that leaves any doubt, however long that takes.
        """
        every = range(len(self.layout.names)) if cells is None else cells
        asked = np.array(sorted(set(every) - self._beyond), dtype=int)
        if not len(asked):
            return (UNSEEN,) * len(self.layout.names)
        plain = image if self._lines is None else self._lines.off(image)
        plain = plain if self._marks is None else self._marks.off(plain, asked)
        colours = gather(plain, self._feet[asked])
        open_ = None
        if self.table.faces.ringed:
            ringed = self._round.seen(self.table.faces, plain, asked)
            colours, open_ = ringed.off(colours, self._places[asked]), ringed.kinds >= 0
        nothing = np.zeros(colours.shape[:3], np.int8)
        feet = foot_input(colours, nothing, self.table.light, self.table.colours_on(asked))
        work = CellBeliefs(asked, feet, self.table, patient, open_)
        self._look_around(plain, work)
        self._miss_dark_disks(work)
        self._look_for_men(image, work, hidden)
        self._ask_disk_edges(plain, work)
        self._look_closer(image, work, hidden)
        self._doubt_shadows(image, work, hidden)
        self._ask_lit_rings(work)
        covered = self._covered(work, hidden)
        readings = dict(zip(work.cells.tolist(), work.readings(covered), strict=True))
        return tuple(readings.get(i, UNSEEN) for i in range(len(self.layout.names)))

    def free(self, maps: Singles, without: Collection[int] = ()) -> Bools:
        """At which places of `maps` (…, 2) in the picture that was read last no stack stands, `without` those that were
        made out on some cells."""
        return self._standing.free(maps, without)

    def _look_around(self, image: Picture, work: CellBeliefs) -> None:
        """Look at all cells, where stacks that were seen there last cover them as these do, and again at those that
        what stands there now covers otherwise."""
        standing, rows = self._standing, np.arange(len(work.cells))
        standing.draw()
        cover, covered = standing.foot_cover(work.cells), standing.touched(work.cells) > _DISTURBED
        work.put_cover(np.where(covered[:, None, None], cover, np.int8(0)))
        self._look(image, work, rows, covered)
        for _ in range(_LOOKS_AGAIN):
            self._note_and_draw(work)
            cover = standing.foot_cover(work.cells)
            again = (cover != work.cover).mean(axis=(1, 2)) > _DISTURBED
            work.put_cover(cover)
            if not again.any():
                return
            self._look(image, work, rows[again], np.ones(again.sum(), dtype=bool))
        self._note_and_draw(work)
        work.put_cover(standing.foot_cover(work.cells))

    def _look(self, image: Picture, work: CellBeliefs, rows: NDArray[np.int_], covered: Bools) -> None:
        """Run the networks on some rows of the work; stacks that are drawn cover strips that are `covered` (rows,)."""
        cells, table = work.cells[rows], self.table
        colours = table.colours_on(cells), table.men.shown()
        view, radius = self._foot_view[cells], table.disk_radius(self._foot_mm)
        foot = self._net.feet(work.some_feet(rows), view, *colours, radius, table.any_board, work.open[rows])
        work.put_feet(rows, foot)
        maybe = np.flatnonzero(foot.occupied > MAYBE_OCCUPIED)
        if not len(maybe):
            return
        some = cells[maybe]
        strips = gather(image, self._strips[some])
        cover, behind = np.zeros(strips.shape[:3], np.int8), covered[maybe]
        cover[behind] = self._standing.cover(some[behind], self._strip_pixels[some[behind]])
        stacks = self._net.stacks(picture_input(strips, cover, table.light), self._strip_view[some])
        tops = Tops(strips, cover, stacks.view, stacks.risen(), measured=False)
        owners = whose(table, tops, self._off[some])
        sunk = self._sunk(foot.surface[maybe])
        thicknesses, _ = table.thicknesses()
        heights = self._net.heights(stacks, thicknesses, sunk)
        work.put_stacks(rows[maybe], stacks, heights, owners)
        self._mind_colours(work, rows[maybe])

    def _miss_dark_disks(self, work: CellBeliefs) -> None:
        """Where no dark disk lies open, hardly any lies under men."""
        standing = self._standing
        if not ((standing.heights == 0) & (standing.surface == SURFACES.index(Surface.DARK))).any():
            work.put_no_open_dark()
            self._note(work)

    def _look_for_men(self, image: Picture, work: CellBeliefs, hidden: Bools | None) -> None:
        """Where it is in doubt whether men stand there at all, ask how well they fit what is seen below a top and along
        a shadow, unless something foreign is over these."""
        rows = work.perhaps_men(PERHAPS_MEN)
        rows = rows[work.occupied[rows] > MAYBE_OCCUPIED]
        if not len(rows) or not self.table.has_disks:
            return
        around = self._around(image, work, rows)
        fits, free = self._fits(image, work, rows, around.middles_mm, hidden)
        men = fit_of_men(fits, self.table.sizes, self._sunk(work.surface[rows]))
        for row, more in zip(rows[free].tolist(), men[free].tolist(), strict=True):
            work.put_doubt(row, -more)
        self._note_and_draw(work)

    def _ask_disk_edges(self, image: Picture, work: CellBeliefs) -> None:
        """What lies under men by how colours change where a disk would end."""
        rows, table = work.asked_of_edges(), self.table
        disk = table.disk_radius(table.man_diameter_mm)
        if self._edges is None or disk is None or not len(rows):
            return
        cells = work.cells[rows]
        maps = self._edges[cells]
        seen = self._standing.free(maps)
        men = table.men.shown()[work.likeliest_owners()[rows]]
        colours, looks = table.light.relative(gather(image, maps)), (table.colours_on(cells), table.named_colours)
        wide_px = self._views.px_per_mm[cells] * table.man_diameter_mm
        told = told_at_edges(colours, seen, *looks, men, wide_px, disk)
        work.put_more_surface(rows, told)
        self._note(work)

    def _look_closer(self, image: Picture, work: CellBeliefs, hidden: Bools | None) -> None:
        """How high the stacks are by their shadows too, and where that leaves doubt, by their rims and by how well each
        height fits what is seen below these, and at last by the light about them, unless something foreign is over
        them; and whose those are of which that is in doubt, by their sides below their rims."""
        rows = np.flatnonzero(work.heights())
        if not len(rows):
            return
        strips, rims, fits = _BESIDE if self.table.has_disks else _BESIDE_WITHOUT_DISKS
        told = np.zeros((len(rows), len(self.table.sizes), MAX_HEIGHT))
        if self.table.lamp is not None:
            told = self._by_shadows(image, work, rows, hidden)
        work.put_more(rows, told / _SHADOW_TEMPERATURE)
        doubtful, others = work.doubtful(rows), work.perhaps_others(rows) & self.table.has_disks
        either = doubtful | others
        if either.any():
            every = self._around(image, work, rows[either])
        if others.any():
            around = every.of(others[either])
            work.put_colour(rows[others], self._by_sides(image, work, rows[others], around.middles_mm))
        if doubtful.any():
            rows, around = rows[doubtful], every.of(doubtful[either])
            told = told[doubtful] / _SHADOW_TEMPERATURE + rims * self._by_rims(work, rows, around, hidden)
            seen, free = self._fits(image, work, rows, around.middles_mm, hidden)
            told[free] += fits * fit_table(seen, self.table.sizes, self._sunk(work.surface[rows]))[free]
            by_strips = np.where(free, strips, 1.0)
            work.put_more(rows, told, by_strips)
            self._note(work)
            still = work.doubtful(rows)
            if self.table.has_disks and self.table.lamp is not None and still.any():
                rows, told, around = rows[still], told[still], around.of(still)
                told += self._by_light(image, work, rows, around.middles_mm, hidden)
                work.put_more(rows, told, by_strips[still])
        self._note(work)

    def _by_sides(self, image: Picture, work: CellBeliefs, rows: NDArray[np.int_], middles_mm: Floats) -> Floats:
        """Log-likelihoods (n, owners) of whose men stand there, the middles of whose tops appear to lie on the disks at
        `middles_mm` (n, 2)."""
        cells = work.cells[rows]
        place = self.table.disk_thickness_mm, self.table.man_diameter_mm
        places = strip_places(self.pose, self._views.of(cells), middles_mm, *place)
        strips, cover = gather(image, self._strips[cells]), self._standing.cover(cells, self._strip_pixels[cells])
        tops = Tops(strips, cover, self._strip_view[cells], places, measured=True)
        return whose(self.table, tops, self._off[cells])

    def _floor(self, lamp: Lamp) -> "_Floor":
        """Where shadows fall in the light of a lamp."""
        way, reach = lamp.shadows(self._views.centres_mm)
        place = self.table.disk_thickness_mm, self.table.man_diameter_mm
        maps = shadow_maps(self.pose, self._views.centres_mm, way, *place)
        view = self.table.shadow_view(self._views, self.layout.pitch_mm, lamp)
        return _Floor(maps, self._standing.pixels(maps), view, reach)

    def _by_shadows(
        self,
        image: Picture,
        work: CellBeliefs,
        rows: NDArray[np.int_],
        hidden: Bools | None,
    ) -> NDArray[np.float64]:
        """Log-likelihoods (n, S, 8) of heights for each of the table's sizes by shadows; 0 where they are hidden."""
        cells, net, sunk = work.cells[rows], shadow_net(), self._sunk(work.surface[rows])
        told = np.zeros((len(rows), len(self.table.sizes), MAX_HEIGHT))
        for floor in self._floors:
            maps = floor.maps[cells]
            pictures = self._pictures(image, cells, maps, floor.pixels[cells])
            shadows = Shadows(net, net.shadows(pictures, floor.view[cells]), floor.reach[cells])
            seen = shadow_table((shadows,), self.table.sizes, sunk)
            told += np.where(_free(hidden, maps)[:, None, None], seen, 0.0)
        return told

    def _around(self, image: Picture, work: CellBeliefs, rows: NDArray[np.int_]) -> RimsSeen:
        """The rims of some tops."""
        cells = work.cells[rows]

        def shown(maps: Singles) -> Singles:
            return self._pictures(image, cells, maps, self._standing.pixels(maps))

        views = self._views.of(cells)
        middles = self._standing.middles_mm(cells)
        return look_at_rims(self.table, self.pose, views, self.layout.pitch_mm, middles, shown, 0.0)

    def _by_rims(
        self, work: CellBeliefs, rows: NDArray[np.int_], around: RimsSeen, hidden: Bools | None
    ) -> NDArray[np.float64]:
        """Log-likelihoods (n, S, 8) of heights for each of the table's sizes by rims; 0 where they are hidden."""
        told = rim_table(around.rims, self.table.sizes, self._sunk(work.surface[rows]))
        return np.where(_free(hidden, around.maps)[:, None, None], told, 0.0)

    def _fits(
        self,
        image: Picture,
        work: CellBeliefs,
        rows: NDArray[np.int_],
        middles_mm: Floats,
        hidden: Bools | None,
    ) -> tuple[Fits, Bools]:
        """What is seen below the tops and along the shadows of stacks, and of which of them nothing foreign hides that.

        `middles_mm` (n, 2): where the middles of the tops appear to lie on the disks.
        """
        cells, table = work.cells[rows], self.table
        place, views = (table.disk_thickness_mm, table.man_diameter_mm), self._views.of(cells)
        tops = strip_places(self.pose, views, middles_mm, *place)
        columns = column_maps(self.pose, views, tops, *place)
        shown, free = self._pictures(image, cells, columns, self._standing.pixels(columns)), _free(hidden, columns)
        shadows, reach = np.zeros((len(rows), 4, SHADOW_ROWS, SHADOW_COLUMNS), np.float32), np.ones(len(rows))
        if table.lamp is not None:
            way, reach = table.lamp.shadows(views.centres_mm)
            falls = shadow_maps(self.pose, middles_mm, way, *place)
            shadows = self._pictures(image, cells, falls, self._standing.pixels(falls))
            free &= _free(hidden, falls)
        seen = height_net().look(shown, shadows, table.height_view(self.pose, views, self.layout.pitch_mm), tops[:, 1])
        return Fits(height_net(), seen, reach), free

    def _by_light(
        self, image: Picture, work: CellBeliefs, rows: NDArray[np.int_], middles_mm: Floats, hidden: Bools | None
    ) -> NDArray[np.float64]:
        """Log-likelihoods (n, S, 8) of heights for each of the table's sizes by the light about the stacks.

        `middles_mm` (n, 2): where the middles of their tops appear to lie on the disks.
        """
        table, heights = self.table, self._standing.heights.copy()
        heights[work.cells[rows]] = [1 + work.likely_heights(row)[0] for row in rows]
        cells = np.flatnonzero(heights)
        told = np.zeros((len(rows), len(table.sizes), MAX_HEIGHT))
        if table.lamp is None:
            return told
        middles = self._standing.middles_mm(cells)
        asked = np.searchsorted(cells, work.cells[rows])
        middles[asked] = middles_mm
        stands = self._standing.stands(cells, middles)
        likely = {int(k): work.likely_heights(row) for k, row in zip(asked, rows, strict=True)}
        guesses = []
        for k, (stand, height) in enumerate(zip(stands, heights[cells].tolist(), strict=True)):
            some = 1 + likely[k] if k in likely else np.array([height])
            tops = np.asarray(stand.foot_mm + table.man_thickness_mm * some, dtype=np.float64)
            guesses.append(Guess(tops, -np.arange(len(some), dtype=np.float64)))
        longest = max(size.reach for size in table.sizes)
        circles = [
            about_stack(
                middles[k], float(guesses[k].tops_mm.max()), longest * lamp.reach(), lamp, table.man_diameter_mm
            )
            for k in asked.tolist()
            for lamp in table.lamp.both()
        ]
        maps = self._ground()
        ground = maps.ground(image, self._standing.surface, maps.cells_near(circles), table.disks, hidden)
        ratio = table.man_thickness_mm / table.man_diameter_mm
        shades = Shades(maps.men(table.man_diameter_mm), ground, stands, guesses, ratio)
        for i, k in enumerate(asked.tolist()):
            told[i] = shades.heights_by_size(k, likely[k], table.lamp, table.sizes)
        return told

    def _doubt_shadows(self, image: Picture, work: CellBeliefs, hidden: Bools | None) -> None:
        """Believe less in men that look like open ground in the shadow of a stack; and where men look like that ground,
        do not wonder at their colours there."""
        rows, table = work.perhaps_men(PERHAPS_SHADOWS), self.table
        if table.lamp is None or not table.has_disks or not len(rows):
            return
        stacks, maps, shaded = self._standing.stacks(), self._ground(), []
        for row, cell in zip(rows.tolist(), work.cells[rows].tolist(), strict=True):
            others = [stack for k, stack in stacks.items() if k != cell]
            thrown = Thrown(maps.men(table.man_diameter_mm), table.lamp, others)
            if others and thrown.fall_on(maps.places_of(cell)):
                shaded.append((row, cell, thrown))
        if not shaded:
            return
        ground = maps.ground(image, self._standing.surface, np.arange(len(self.layout.names)), table.disks, hidden)
        men, owners = table.men.shown(), work.likeliest_owners()
        for row, cell, thrown in shaded:
            kind = int(self._standing.surface[cell])
            against = thrown.against_men(ground, maps.on_cell(ground, cell), kind)
            looks = table.colours_on(np.array([cell])).reshape(-1, 3)
            unlike = unlike_ground(men[owners[row]], looks[kind])
            work.put_doubt(row, unlike * against + (1 - unlike) * work.strange[row])
        self._note(work)

    def _ask_lit_rings(self, work: CellBeliefs) -> None:
        """Where it is in doubt what lies under men, ask what shows around them once more, knowing where it is
        lit: shaded ground of one kind looks like lit ground of another."""
        rows, table = work.perhaps_other_surfaces(), self.table
        if table.lamp is None or not table.has_disks or not len(rows):
            return
        thrown = Thrown(self._ground().men(table.man_diameter_mm), table.lamp, list(self._standing.stacks().values()))
        views = self._views.of(work.cells[rows])
        points = foot_points(views, table.disk_thickness_mm, self._foot_mm).reshape(-1, 3)
        lit = (thrown.lit(points) > _LIT).reshape(-1, ROWS, COLUMNS)
        colours, seen = work.feet[rows, :COVER_CHANNEL] + LOWERED, work.cover[rows] == 0
        known = table.colours_on(work.cells[rows]), table.men.shown(), table.disk_radius(self._foot_mm)
        told = told_around_men(colours, seen, *known, lit) - told_around_men(colours, seen, *known)
        work.put_more_surface(rows, told)
        self._note(work)

    def _mind_colours(self, work: CellBeliefs, rows: NDArray[np.int_]) -> None:
        """On boards without disks, believe more in men where a cell has a man's colour and no field's, less where it
        has a field's and no man's, and less in tall stacks: mostly those are tops that stand behind."""
        table, rows = self.table, np.intersect1d(rows, work.perhaps_men(PERHAPS_SHADOWS))
        if table.has_disks or not len(rows):
            return
        colours = work.feet[rows, :COVER_CHANNEL] + LOWERED
        more = for_men(colours, work.cover[rows] == 0, table.field_colours, table.men.shown())
        for row, favour in zip(rows.tolist(), more.tolist(), strict=True):
            rare = MET[0] - MET[work.likely_heights(row)[0]]
            work.put_doubt(row, rare - favour)

    def _ground(self) -> GroundMaps:
        """Where the board's places are in the picture; told when it is first wanted."""
        if self._ground_maps is None:
            self._ground_maps = GroundMaps(self.pose, self.layout, self.table.disk_thickness_mm, _SPARSE)
        return self._ground_maps

    def _pictures(self, image: Picture, cells: NDArray[np.int_], maps: Singles, pixels: NDArray[np.int32]) -> Singles:
        """What lies at `maps` of some cells, as networks want it; `pixels`: the nearest ones."""
        return picture_input(gather(image, maps), self._standing.cover(cells, pixels), self.table.light)

    def _sunk(self, surface: NDArray[np.floating]) -> NDArray[np.float64]:
        """How far below the disks stacks stand, in diameters, by logits of the surfaces (n, 4) under them."""
        odds = self.table.possible(surface)
        bare = np.exp(odds[:, SURFACES.index(Surface.BARE)] - np.logaddexp.reduce(odds, axis=1))
        sunk: NDArray[np.float64] = bare * self.table.disk_thickness_mm / self.table.man_diameter_mm
        return sunk

    def _note(self, work: CellBeliefs) -> None:
        """Note what stands where."""
        self._standing.note(work.cells, work.heights(), work.surfaces(), work.top)

    def _note_and_draw(self, work: CellBeliefs) -> bool:
        """Note what stands where, and draw it; whether that is not what was drawn before."""
        self._note(work)
        return self._standing.draw()

    def _covered(self, work: CellBeliefs, hidden: Bools | None) -> NDArray[np.float64]:
        """Share of each cell's foot (n, 2: middle, whole) that stacks or foreign things cover."""
        behind = work.cover == 1
        middle = behind[:, ROWS // 4 : -(ROWS // 4), COLUMNS // 4 : -(COLUMNS // 4)]
        shares = np.stack([middle.mean(axis=(1, 2)), behind.mean(axis=(1, 2))], axis=1)
        if hidden is not None:
            shade = hidden.astype(np.uint8) * 255
            foot = (gather(shade, self._feet[work.cells]) > 127).mean(axis=(1, 2))
            strip = gather(shade, self._strips[work.cells]) > 127
            standing = np.arange(STRIP_ROWS) < work.rows_of_men[:, None]
            top = (strip.mean(axis=2) * standing).sum(axis=1) / _ROWS_OF_A_TOP
            shares = np.where((np.maximum(top, foot) > 0.1)[:, None], 1.0, shares)
        return shares


def _free(hidden: Bools | None, maps: Singles) -> Bools:
    """Which of n pictures nothing foreign is over."""
    if hidden is None:
        return np.ones(len(maps), dtype=bool)
    free: Bools = (gather(hidden.astype(np.uint8) * 255, maps) > 127).mean(axis=(1, 2)) < _HIDDEN
    return free
