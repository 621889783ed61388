"""A first look at a picture of a board whose place is known: shadows taken off, the table learned, every cell read."""

from collections.abc import Set
from dataclasses import dataclass

from engine.layout import Layout
from engine.look import CellReading
from vision.geometry import BoardPose
from vision.lamplight.cast_shade import without_shade
from vision.palette import Material
from vision.picture import Picture
from vision.reading.covered import covered_cells, largest_open_part
from vision.reading.learn import learn_table
from vision.reading.read import CellReader
from vision.reading.table_model import TableModel


@dataclass(frozen=True, slots=True)
class FirstLook:
    """What a picture alone tells: what the `table` looks like, and what its `reader` read on the `cells`.

    `picture` (H, W, 3): without shadows that lay over part of the board.
    """

    picture: Picture
    table: TableModel
    reader: CellReader
    cells: tuple[CellReading, ...]


def first_look(picture: Picture, pose: BoardPose, layout: Layout, material: Material) -> FirstLook:
    """Learn the table from a picture (H, W, 3) and read every cell patiently; those that a hand covers are unseen."""
    look, covered = _look(picture, pose, layout, material, frozenset()), frozenset[int]()
    while more := covered_cells(picture, pose, layout, material, look.reader, look.cells) - covered:
        covered |= more
        look = _look(picture, pose, layout, material, covered)
    return look


def _look(picture: Picture, pose: BoardPose, layout: Layout, material: Material, covered: Set[int]) -> FirstLook:
    """A look at cells but those that are covered."""
    part, cells = largest_open_part(layout, covered)
    picture = without_shade(picture, pose, part, material)
    table = learn_table(picture, pose, part, material).on_whole(layout, cells)
    reader = CellReader(pose, layout, table)
    seen = [i for i in range(len(layout.names)) if i not in covered]
    return FirstLook(picture, table, reader, reader.read(picture, cells=seen, patient=True))
