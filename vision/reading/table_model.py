"""What is known of a table: its light, the men's colours and dimensions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import SURFACES, Surface
from vision.arrays import Floats, Singles
from vision.geometry import BoardPose
from vision.lamplight.lamp import Lamp
from vision.light import Light
from vision.men.heights import THICKNESSES, Size
from vision.men.men_colours import MenColours
from vision.palette import DEFAULT_DISKS, Colour
from vision.sampling import USUAL_PX, CellViews
from vision.surfaces.cell_marks import CellMarks
from vision.surfaces.disk_faces import DiskFaces
from vision.surfaces.disks import Disks
from vision.surfaces.three_colours import ThreeColours

#: How much the foot's log-odds of men count, the strip's, and how strange the colour of the top is for a man; and what
#: the log-odds are before (fitted on 2,700 cells of rendered boards; feet are seldom fooled by round shadows). Without
#: disks no foot is compared with what this table's surfaces look like.
_PRESENCE, _PRESENCE_WITHOUT_DISKS = (0.7, 0.35, 1.0, -2.75), (0.25, 0.5, 0.5, -0.625)
#: Between these widths, in pitches, men beside disks are known to the networks for feet.
_KNOWN_BESIDE_DISKS = (0.64, 0.8)
#: Men that surely look as thin as the thinnest that are looked for may be thinner (of 22 rendered tables of men 0.09 to
#: 0.18 diameters thick fifteen look so, of 64 of usual men none).
_SURELY_THIN = 0.9
#: Boards are darker than light disks that have less of their light than this (green ones half, 150 rendered boards).
DARKER = 0.75


@dataclass(frozen=True, slots=True)
class TableModel:
    """A table in its light. Lengths are in the layout's millimetres.

    `light`: what white and black look like, the yardstick of all colours; `men`: the colours of the owners' men
    against it; `surfaces`: what may lie on a cell of this table. `man_thickness_mm` is the mean of what it may be, and
    `sizes` are its likely values. `surface_colours` (4, 3) against the light, NaN for those that no open cell shows;
    `field_colours` (k, 3) likewise, those of open fields on a board without disks; `named_colours` (4, 3) what disks
    are likely to look like by their names; `bright`: what the brighter faces of the disks, beige ones here, are called
    where they are read; `disk_names`: the colours that light and dark ones are said to have; `board`: the colours of
    the cells where these are three. `lamp` where the shadows of the men tell where it stands, and then `disks` where
    they could be measured. `light_lines`: whether lines between cells are brighter than these; `faces`: how wide disks
    are, and what rings they have; `marks`: what is printed on cells, as far as it has been seen.
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
    field_colours: Floats
    named_colours: Floats
    bright: Surface = Surface.BEIGE
    disk_names: tuple[Colour, Colour] = DEFAULT_DISKS
    lamp: Lamp | None = None
    disks: Disks | None = None
    board: ThreeColours | None = None
    light_lines: bool = False
    faces: DiskFaces = field(default_factory=DiskFaces)
    marks: CellMarks | None = None
    _thicknesses: tuple[Floats, Floats] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = np.array(sorted({size.thickness for size in self.sizes}))
        weights = np.zeros(len(values))
        for size in self.sizes:
            weights[np.searchsorted(values, size.thickness)] += size.weight
        object.__setattr__(self, "_thicknesses", (values, weights))

    def on_whole(self, layout: Layout, cells: Sequence[int]) -> "TableModel":
        """The table of a whole board, learned from some of its cells."""
        disks, board = self.disks, self.board
        if disks is not None:
            disks = disks.among(cells, np.asarray(layout.centres_mm))
        if board is not None and layout.board is not None:
            board = board.on(layout.board)
        return replace(self, disks=disks, board=board)

    @property
    def has_disks(self) -> bool:
        """Whether disks may lie on this table."""
        return self.surfaces != (Surface.BARE,)

    @property
    def any_board(self) -> bool:
        """Whether the board may be as bright as light disks: unless it is known to be darker, or there are no disks."""
        bare, beige = (self.surface_colours[SURFACES.index(kind)].sum() for kind in (Surface.BARE, Surface.BEIGE))
        if self.board is not None:
            bare = self.board.against(self.light).sum(axis=1).max()
        return self.has_disks and not bool(bare < DARKER * (3.0 if np.isnan(beige) else beige))

    def colours_on(self, cells: NDArray[np.int_]) -> Floats:
        """What the surfaces look like on some cells against the light: (4, 3), or (n, 4, 3) on a board of three
        colours."""
        if self.board is None:
            return self.surface_colours
        colours = np.repeat(self.surface_colours[None], len(cells), axis=0)
        colours[:, SURFACES.index(Surface.BARE)] = self.board.against(self.light)[self.board.kinds[cells]]
        return colours

    def colours_about(self) -> Floats:
        """What the surfaces look like that may lie about men, (k, 3) against the light, NaN for unknown ones."""
        if self.board is None:
            return self.surface_colours
        return np.concatenate([self.surface_colours, self.board.against(self.light)])

    def occupied(self, foot: Floats | Singles, strip: Singles, strange: Floats | float = 0.0) -> Floats:
        """Log-odds of men (n,) by what the networks for feet and strips say of them, (n,) each, and by how `strange`
        the colours of the tops are for men, (n,) log-likelihoods, 0 at most."""
        by_foot, by_strip, by_colour, before = _PRESENCE if self.has_disks else _PRESENCE_WITHOUT_DISKS
        return np.asarray(by_foot * foot + by_strip * strip + by_colour * strange + before, dtype=np.float64)

    def thicknesses(self) -> tuple[Floats, Floats]:
        """What a man's thickness may be, in diameters, and how likely each is, (G,) each."""
        return self._thicknesses

    def thickness_spread(self) -> float:
        """How far off `man_thickness_mm` may be, in diameters: the standard deviation of what it may be."""
        values, weights = self.thicknesses()
        mean = float(weights @ values)
        return float(np.sqrt(weights @ (values - mean) ** 2))

    def perhaps_thinner(self) -> bool:
        """Whether men look as thin as the thinnest that are looked for where it is not given, and so may be thinner."""
        values, weights = self.thicknesses()
        return bool(weights[values == THICKNESSES[0]].sum() > _SURELY_THIN)

    def possible(self, surface: NDArray[np.floating]) -> Floats:
        """Logits of surfaces (n, 4) without those that the table has not."""
        there = np.array([s in self.surfaces for s in SURFACES])
        return np.where(there, surface.astype(np.float64), -1e9)

    def foot_mm(self, pitch_mm: float) -> float:
        """How wide a man is in whose diameters feet are looked at: as wide as men are, but beside disks no narrower or
        wider than the networks know them."""
        low, high = (w * pitch_mm * self.faces.scale for w in _KNOWN_BESIDE_DISKS)
        return float(np.clip(self.man_diameter_mm, low, high)) if self.has_disks else self.man_diameter_mm

    def disk_radius(self, unit_mm: float) -> float | None:
        """The radius of the disks in such units, where they could be measured."""
        return None if self.disks is None else self.disks.radius_mm / unit_mm

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

    def height_view(self, pose: BoardPose, views: CellViews, pitch_mm: float) -> Singles:
        """How stacks are seen and lit, as the network that weighs heights wants it, (N, 10); the last five columns are
        0 where no lamp is known."""
        lit = np.zeros((len(views.slope), 5), np.float32)
        if self.lamp is not None:
            shadow = self.shadow_view(views, pitch_mm, self.lamp)
            lit = np.column_stack([shadow[:, [0, 1, 4, 7]], np.ones(len(lit), np.float32)])
        return np.column_stack([self.strip_view(pose, views, pitch_mm), lit])

    def rim_view(self, pose: BoardPose, views: CellViews, pitch_mm: float) -> Singles:
        """The viewing geometry as the network for rims wants it, (N, 5)."""
        near = np.full(len(views.slope), 10 * self.man_diameter_mm / pose.camera_mm[2])
        return np.stack([*views.tilt(), *self._size(views, pitch_mm), near], axis=1, dtype=np.float32)

    def camera_above(self, pose: BoardPose) -> float:
        """How far above the disks the camera is, in a man's diameters."""
        return float(pose.camera_mm[2] - self.disk_thickness_mm) / self.man_diameter_mm

    def _size(self, views: CellViews, pitch_mm: float) -> tuple[Floats, Floats]:
        """A man's diameter in pitches, as if disks were as wide as usual, and the logarithm of what it is in
        `USUAL_PX`."""
        width = np.full(len(views.slope), self.man_diameter_mm / (pitch_mm * self.faces.scale))
        return width, np.log(views.px_per_mm * self.man_diameter_mm / USUAL_PX)
