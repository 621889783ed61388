"""A first look at a picture of a board whose place is known: shadows taken off, the table learned, every cell read."""

from dataclasses import dataclass

from engine.layout import Layout
from engine.look import CellReading
from vision.cast_shade import without_shade
from vision.geometry import BoardPose
from vision.learn import learn_table
from vision.palette import Material
from vision.picture import Picture
from vision.read import CellReader
from vision.table_model import TableModel


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
    """Learn the table from a picture (H, W, 3) and read every cell patiently."""
    picture = without_shade(picture, pose, layout, material)
    table = learn_table(picture, pose, layout, material)
    reader = CellReader(pose, layout, table)
    return FirstLook(picture, table, reader, reader.read(picture, patient=True))
