"""What a cell looks like on a table: surface, men, height. The vocabulary that the engine and the eye share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Surface(StrEnum):
    """What lies on a cell below any men: a beige, dark or light disk, or the bare cell."""

    BEIGE = "beige"
    BARE = "bare"
    DARK = "dark"
    LIGHT = "light"


SURFACES: tuple[Surface, ...] = tuple(Surface)
_SURFACE_AT = {surface: i for i, surface in enumerate(SURFACES)}
MAX_HEIGHT = 8
NEUTRAL = 3
_OWNERS = (1, 2, NEUTRAL)

#: Number of things the men of a cell can look like: none, or owner 1–3 with height 1–8.
MEN_LOOKS = 1 + len(_OWNERS) * MAX_HEIGHT


@dataclass(frozen=True, slots=True)
class CellLook:
    """One cell as it lies on the table: `men` 0 none, 1 first player, 2 second, 3 neutral; `height` in men.

    `places` are those of its surface and of its men in a reading's tables.
    """

    surface: Surface
    men: int = 0
    height: int = 0
    places: tuple[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.men <= NEUTRAL or (self.men == 0) != (self.height == 0) or self.height < 0:
            raise ValueError(f"no such look: men {self.men}, height {self.height}")
        object.__setattr__(self, "places", (_SURFACE_AT[self.surface], men_index(self.men, self.height)))

    def __hash__(self) -> int:
        return hash(self.places)


BoardLook = tuple[CellLook, ...]


def men_index(men: int, height: int) -> int:
    """Place of (men, height) in a table of `MEN_LOOKS` likelihoods; stacks above `MAX_HEIGHT` count as that high."""
    return 0 if men == 0 else 1 + (men - 1) * MAX_HEIGHT + min(height, MAX_HEIGHT) - 1


def men_of_index(index: int) -> tuple[int, int]:
    """(men, height) of a place in a table of `MEN_LOOKS` likelihoods: the inverse of `men_index`."""
    if index == 0:
        return 0, 0
    return 1 + (index - 1) // MAX_HEIGHT, 1 + (index - 1) % MAX_HEIGHT


@dataclass(frozen=True, slots=True)
class CellReading:
    """What the eye believes of one cell: natural log-likelihoods, the best of each table 0.

    `surface` has one entry for each of `SURFACES`; `men` has `MEN_LOOKS` entries (`men_index`). A cell that a
    hand or a stack hides has flat tables: unseen, never empty.
    """

    surface: tuple[float, ...]
    men: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.surface) != len(SURFACES) or len(self.men) != MEN_LOOKS:
            raise ValueError(
                f"a reading has {len(SURFACES)} + {MEN_LOOKS} entries, got {len(self.surface)} + {len(self.men)}"
            )

    @property
    def unseen(self) -> bool:
        """Whether nothing is known of the men on this cell."""
        return _flat(self.men)

    def log_likelihood(self, look: CellLook) -> float:
        """How well a look explains what was seen; 0 is the best possible."""
        surface, men = look.places
        return self.surface[surface] + self.men[men]

    def best(self, otherwise: CellLook | None = None) -> CellLook:
        """The likeliest look; what nothing is known of, surface or men, is taken from `otherwise`."""
        surface = SURFACES[max(range(len(SURFACES)), key=self.surface.__getitem__)]
        men, height = men_of_index(max(range(MEN_LOOKS), key=self.men.__getitem__))
        if otherwise is not None and _flat(self.surface):
            surface = otherwise.surface
        if otherwise is not None and self.unseen:
            men, height = otherwise.men, otherwise.height
        return CellLook(surface, men, height)

    def confidence(self) -> float:
        """Probability of the best look, all looks being equally likely beforehand."""
        return 1.0 / (sum(map(math.exp, self.surface)) * sum(map(math.exp, self.men)))

    def kind_confidence(self) -> float:
        """The same for the surface and for whose men stand there, if any, whatever their height."""
        men = list(map(math.exp, self.men))
        kinds = [men[0], *(sum(men[i : i + MAX_HEIGHT]) for i in range(1, MEN_LOOKS, MAX_HEIGHT))]
        return max(kinds) / (sum(map(math.exp, self.surface)) * sum(kinds))


def _flat(table: Sequence[float]) -> bool:
    return max(table) - min(table) < 1e-9


UNSEEN = CellReading((0.0,) * len(SURFACES), (0.0,) * MEN_LOOKS)


@dataclass(frozen=True, slots=True)
class Reading:
    """The whole board at one moment, cells in the board's order."""

    t_s: float
    frame: int
    cells: tuple[CellReading, ...]

    def of_men(self) -> "Reading":
        """The same reading of a board that is played without disks: what lies below the men tells nothing."""
        flat = UNSEEN.surface
        return Reading(self.t_s, self.frame, tuple(CellReading(flat, cell.men) for cell in self.cells))

    def looks(self, otherwise: BoardLook) -> BoardLook:
        """The likeliest look of every cell; what was not seen of it is taken from `otherwise`."""
        return tuple(cell.best(look) for cell, look in zip(self.cells, otherwise, strict=True))

    def log_likelihood(self, looks: Sequence[CellLook]) -> float:
        """How well a whole board explains the reading, cells independent."""
        return sum(cell.log_likelihood(look) for cell, look in zip(self.cells, looks, strict=True))


def certain(look: CellLook, doubt: float = 1e-4) -> CellReading:
    """The reading of a cell seen without doubt: every other look has the probability `doubt`."""
    low = math.log(doubt)
    surface = tuple(0.0 if s is look.surface else low for s in SURFACES)
    at = men_index(look.men, look.height)
    return CellReading(surface, tuple(0.0 if i == at else low for i in range(MEN_LOOKS)))
