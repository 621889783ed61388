"""Sights: what the eye tells of a frame."""

from dataclasses import dataclass

from engine.look import Reading
from vision.finding.find import FoundBoard
from vision.reading.table_model import TableModel


@dataclass(frozen=True, slots=True)
class Found:
    """The board is in the picture, and its colours are known."""

    found: FoundBoard
    table: TableModel


@dataclass(frozen=True, slots=True)
class Lost:
    """The board cannot be seen, and why; comes again when the reason becomes another."""

    reason: str


@dataclass(frozen=True, slots=True)
class Bumped:
    """Camera or board were knocked; the board was found again, moved by (x, y) pixels on average."""

    shift_px: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Moving:
    """Something moves over the board; `reading` is of what can be seen meanwhile, when asked for."""

    reading: Reading | None


@dataclass(frozen=True, slots=True)
class Still:
    """The board is still; cells that a hand at rest covers are unseen."""

    reading: Reading


Sight = Found | Lost | Bumped | Moving | Still
