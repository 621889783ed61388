"""What stands where on a board, as it was last read, and which pixels that covers."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from engine.look import SURFACES, Surface
from vision.arrays import Floats, Singles
from vision.geometry import BoardPose
from vision.lamplight.shade import Stand
from vision.men.silhouette import NO_STACK, Labels, Stack, label_stacks
from vision.reading.table_model import TableModel
from vision.sampling import CellViews, pixel_numbers, top_middles

_BARE = SURFACES.index(Surface.BARE)


class Standing:
    """The stacks of a board, the surfaces below them and where their tops are seen, cell by cell; and a drawing of
    those stacks.

    `heights` (cells,) in men; `surface` (cells,), places in `SURFACES`; `tops` (cells, 2): the middles of the tops in
    the cells' strips, across and up, in diameters.
    """

    def __init__(self, pose: BoardPose, views: CellViews, table: TableModel, feet: Singles) -> None:
        """`feet`: pixel maps of the cells' feet."""
        cells = len(views.slope)
        self._pose, self._views, self._table = pose, views, table
        self._feet, self._sides = self.pixels(feet), _sides(views.distance_mm)
        self.heights = np.zeros(cells, dtype=int)
        self.surface = np.full(cells, SURFACES.index(table.surfaces[0]))
        self.tops = np.zeros((cells, 2), np.float32)
        self._drawn: tuple[NDArray[np.int_], NDArray[np.int_]] | None = None
        self._labels: Labels = label_stacks(pose, views, [])
        self._foot_cover, self._touched = np.zeros(feet.shape[:3], np.int8), np.zeros(cells)

    def note(
        self, cells: NDArray[np.int_], heights: NDArray[np.int_], surface: NDArray[np.int_], tops: Singles
    ) -> None:
        """Note what stands on some cells."""
        self.heights[cells], self.surface[cells], self.tops[cells] = heights, surface, tops

    def draw(self) -> bool:
        """Draw what stands where, and tell whether that is not what was drawn before."""
        if self._drawn is not None and all(map(np.array_equal, self._drawn, (self.heights, self.surface))):
            return False
        self._drawn = self.heights.copy(), self.surface.copy()
        cells = np.flatnonzero(self.heights)
        feet = self._feet_mm(cells)
        tops = feet + self.heights[cells] * self._table.man_thickness_mm
        radius = self._table.man_diameter_mm / 2
        stacks = [Stack(*stack, radius) for stack in zip(cells.tolist(), feet.tolist(), tops.tolist(), strict=True)]
        self._labels = label_stacks(self._pose, self._views, stacks)
        self._foot_cover = self.cover(np.arange(len(self.heights)), self._feet)
        self._touched = (self._foot_cover != 0).mean(axis=(1, 2))
        return True

    def pixels(self, maps: Singles) -> NDArray[np.int32]:
        """The nearest pixels to `maps` (…, 2), counted row by row."""
        return pixel_numbers(maps, self._pose.lens.width_px, self._pose.lens.height_px)

    def cover(self, cells: NDArray[np.int_], pixels: NDArray[np.int32]) -> NDArray[np.int8]:
        """1 where a nearer stack covers a picture of a cell, −1 where a farther one shows, 0 elsewhere, as drawn;
        `pixels` (cells, rows, columns): the picture's places."""
        first = (cells * self._sides.shape[1] - NO_STACK).astype(np.int32)[:, None, None]
        cover: NDArray[np.int8] = self._sides.take(self._labels.ravel().take(pixels) + first)
        return cover

    def foot_cover(self, cells: NDArray[np.int_]) -> NDArray[np.int8]:
        """What covers the feet of some cells, as `cover`."""
        return self._foot_cover[cells]

    def touched(self, cells: NDArray[np.int_]) -> Floats:
        """On how much of the feet of some cells other stacks are drawn, before them or behind, (n,), 0 to 1."""
        return self._touched[cells]

    def free(self, maps: Singles, without: Collection[int] = ()) -> NDArray[np.bool_]:
        """At which places of `maps` (…, 2) no stack is drawn, `without` those on some cells."""
        drawn = self._labels.ravel().take(self.pixels(maps))
        return np.isin(drawn, [NO_STACK, *without])

    def middles_mm(self, cells: NDArray[np.int_]) -> Floats:
        """Where the middles of the tops on some cells appear to lie on the disks, (n, 2) mm, by their strips."""
        place = self._table.disk_thickness_mm, self._table.man_diameter_mm
        return top_middles(self._pose, self._views.of(cells), self.tops[cells], *place)

    def stands(self, cells: NDArray[np.int_], middles_mm: Floats) -> list[Stand]:
        """Where the stacks on some cells stand, the middles of whose tops appear to lie at `middles_mm` (n, 2)."""
        return [Stand(m, foot) for m, foot in zip(middles_mm, self._feet_mm(cells).tolist(), strict=True)]

    def stacks(self) -> dict[int, tuple[Stand, float]]:
        """Where the stacks stand and how high their tops are, in millimetres, by their cells."""
        cells = np.flatnonzero(self.heights)
        stands, heights = self.stands(cells, self.middles_mm(cells)), self.heights[cells].tolist()
        tops = [stand.foot_mm + h * self._table.man_thickness_mm for stand, h in zip(stands, heights, strict=True)]
        return dict(zip(cells.tolist(), zip(stands, tops, strict=True), strict=True))

    def _feet_mm(self, cells: NDArray[np.int_]) -> Floats:
        """How far above the bare board the stacks on some cells stand, (n,)."""
        return np.where(self.surface[cells] == _BARE, 0.0, self._table.disk_thickness_mm)


def _sides(distance_mm: NDArray[np.float64]) -> NDArray[np.int8]:
    """(cells, cells + 1): 1 where a stack on the second cell is nearer than the first, −1 where it is farther, 0 for
    the cell itself and, in the first column, for `NO_STACK`."""
    sides = np.where(distance_mm < distance_mm[:, None], 1, -1).astype(np.int8)
    np.fill_diagonal(sides, 0)
    return np.concatenate([np.zeros((len(sides), 1), np.int8), sides], axis=1)
