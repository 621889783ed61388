"""What has been seen of a still table: per cell, log-likelihoods gathered over consecutive readings.

Nothing is trusted beyond `…_FLOOR`, however long it is seen: an eye that errs once in a while may also err for as long
as nothing moves. A later frame that contradicts the first ones counts only up to `…_FRAME_FLOOR`, and older frames
count less (`DECAY`): what two readings in a row agree on outweighs what was seen before, what only one says does not.
"""

from collections.abc import Mapping, Sequence

from engine.look import MEN_LOOKS, SURFACES, BoardLook, CellLook, Reading, men_of_index

SURFACE_FRAME_FLOOR, SURFACE_FLOOR = -4.5, -6.0
MEN_FRAME_FLOOR, MEN_FLOOR = -6.0, -8.0
DECAY = 0.8
_UNDECIDED = -3.0  #: a look that explains the readings no worse than this may well be the true one


#: Cells that are taken for something else: what is really there, and what it is taken for.
Misread = Mapping[int, tuple[CellLook, CellLook]]


class Evidence:
    """The gathered likelihoods of every cell.

    `frames[c]` is how many readings of cell c count at the moment, `readings` how many there were in all.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.surface: list[Sequence[float]] = [(0.0,) * len(SURFACES)] * size
        self.men: list[Sequence[float]] = [(0.0,) * MEN_LOOKS] * size
        self.frames = [0] * size
        self.readings = 0

    def copy(self) -> "Evidence":
        """A snapshot that later readings do not change."""
        twin = Evidence(self.size)
        twin.surface, twin.men, twin.frames = list(self.surface), list(self.men), list(self.frames)
        return twin

    def add(self, reading: Reading) -> None:
        """Take in one reading of the still table. Raises `ValueError` for one of another board."""
        if len(reading.cells) != self.size:
            raise ValueError(f"a reading of {len(reading.cells)} cells for a board of {self.size}")
        self.readings += 1
        for c, cell in enumerate(reading.cells):
            if cell.unseen:
                self.surface[c], self.men[c], self.frames[c] = cell.surface, cell.men, 0
                continue
            first = not self.frames[c]
            self.surface[c] = _gathered(
                self.surface[c], cell.surface, SURFACE_FLOOR if first else SURFACE_FRAME_FLOOR, SURFACE_FLOOR
            )
            self.men[c] = _gathered(self.men[c], cell.men, MEN_FLOOR if first else MEN_FRAME_FLOOR, MEN_FLOOR)
            self.frames[c] += 1

    def excusing(self, looks: BoardLook, misread: Misread) -> "Evidence":
        """The same where stacks that are misread, and still stand there, may as well be what they are taken for."""
        twin = self.copy()
        for cell, men in excused(self.men, looks, misread).items():
            twin.men[cell] = men
        return twin

    def seen(self, cell: int) -> bool:
        """Whether anything is known of the men on a cell."""
        return self.frames[cell] > 0

    @property
    def contradictory(self) -> bool:
        """Whether the readings of a cell so far leave its men undecided between what they say."""
        return any(
            frames > 1 and sorted(men)[-2] > _UNDECIDED for frames, men in zip(self.frames, self.men, strict=True)
        )

    @property
    def tells_surfaces(self) -> bool:
        """Whether the readings say what lies below men; they do not of a board that is played without disks."""
        return any(min(surface) < 0.0 for surface in self.surface)

    def score(self, cell: int, look: CellLook) -> float:
        """How well a look explains what was seen of a cell; 0 is the best possible."""
        surface, men = look.places
        return self.surface[cell][surface] + self.men[cell][men]

    def men_score(self, cell: int, look: CellLook) -> float:
        """The same for the men alone."""
        return self.men[cell][look.places[1]]

    def surface_score(self, cell: int, look: CellLook) -> float:
        """The same for the surface alone."""
        return self.surface[cell][look.places[0]]

    def total(self, looks: BoardLook) -> float:
        """How well a whole board explains what was seen."""
        return sum(self.score(c, look) for c, look in enumerate(looks))

    def best(self, cell: int, otherwise: CellLook) -> CellLook:
        """The likeliest look of a cell; what is unknown or undecided is taken from `otherwise`."""
        surface, men = self.surface[cell], self.men[cell]
        kind, owner, height = otherwise.surface, otherwise.men, otherwise.height
        if surface[otherwise.places[0]] < 0.0:
            kind = SURFACES[surface.index(max(surface))]
        if men[otherwise.places[1]] < 0.0:
            owner, height = men_of_index(men.index(max(men)))
        return CellLook(kind, owner, height)

    def best_looks(self, otherwise: BoardLook) -> BoardLook:
        """The likeliest look of every cell."""
        return tuple(self.best(c, look) for c, look in enumerate(otherwise))


def excused(men: Sequence[Sequence[float]], looks: BoardLook, misread: Misread) -> dict[int, tuple[float, ...]]:
    """Log-likelihoods of the men on cells that are misread, from those of all cells, where they still stand by `looks`:
    what they are taken for is as good a sign of what is there as of itself."""
    told: dict[int, tuple[float, ...]] = {}
    for cell, (real, seen) in misread.items():
        (_, is_), (_, looks_like), of_cell = real.places, seen.places, men[cell]
        if looks[cell].places[1] == is_:
            told[cell] = (*of_cell[:is_], max(of_cell[is_], of_cell[looks_like]), *of_cell[is_ + 1 :])
    return told


def _gathered(old: Sequence[float], new: Sequence[float], frame_floor: float, floor: float) -> list[float]:
    """Old and new log-likelihoods together, each limited, the best again 0."""
    both = [a * DECAY + (b if b > frame_floor else frame_floor) for a, b in zip(old, new, strict=True)]
    top = max(both)
    return [v - top if v - top > floor else floor for v in both]
