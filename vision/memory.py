"""What is known of a board in view: where it is, how it looked when it was last still, and what every cell read."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from engine.layout import Layout
from engine.look import UNSEEN, BoardLook, CellLook, CellReading, Reading
from vision.arrays import Bools
from vision.finding.find import FoundBoard
from vision.following.board_light import BoardLight, mean_picture
from vision.following.change import Change, Zones, compare
from vision.following.motion import Stillness, Window, scaled
from vision.following.restless import Restless
from vision.following.steady import Steady
from vision.frame import Frame
from vision.picture import Picture
from vision.reading.read import CellReader

#: A cell read with less confidence is worth another look.
SURE = 0.98
#: Where two views show the plane of a board is told by the corners of a square about its middle, so far to all sides.
_REACH_PITCHES = 2.0


@dataclass(frozen=True, slots=True)
class View:
    """Where the board is in the picture, and what watches it there."""

    found: FoundBoard
    window: Window
    zones: Zones
    stillness: Stillness
    restless: Restless
    steady: Steady

    @classmethod
    def of(cls, found: FoundBoard, layout: Layout) -> "View":
        """The view of a board that has just been found."""
        lens = found.pose.lens
        window = Window(found.pose, layout, lens.width_px, lens.height_px)
        zones, stillness = Zones(window, found.pose, layout), Stillness(window)
        return cls(found, window, zones, stillness, Restless(window, zones, stillness), Steady(window))

    def fits(self, frame: Frame) -> bool:
        """Whether a frame is of the size in which the board was found."""
        lens = self.found.pose.lens
        return frame.image.shape[:2] == (lens.height_px, lens.width_px)


class Memory:
    """The last still picture of a board (the reference), the light in it, and the last reading of every cell.

    `light` is that of the reference. `hidden` are the cells that something covers now: what was read of them stays
    known, but is not given out. Cells that are `unknown` have been covered from the beginning. `restless` are those on
    which something kept moving when the others were read.
    """

    def __init__(
        self,
        view: View,
        reader: CellReader,
        sample: Picture,
        light: BoardLight,
        unknown: frozenset[int] = frozenset(),
    ) -> None:
        self.view, self.reader, self.reference, self.light = view, reader, sample, light
        self.unknown = unknown
        self.hidden: frozenset[int] = frozenset()
        self.restless = view.restless.cells
        self.doubtful: frozenset[int] = frozenset()
        self._cells: list[CellReading] = [UNSEEN] * len(view.zones.samples)
        # Cells that the reader, which remembers what stands in front of what, was shown with something foreign on them.
        self._misled: frozenset[int] = frozenset()

    def compare(self, sample: Picture) -> Change:
        """What is different from the reference; where something keeps moving is foreign."""
        restless = self.view.restless
        change = compare(sample, self.reference, self.view.window, self.view.zones, self.view.stillness.noise)
        return change.without(restless.cells, restless.where) if restless.cells else change

    def seen_from(self, view: View, layout: Layout) -> Picture:
        """The reference as the plane of the board would look in the window of another view, (h, w, 3); black where
        nothing is known."""
        corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]) * _REACH_PITCHES * layout.pitch_mm
        corners[:, :2] += np.mean(layout.centres_mm, axis=0)
        here, there = (v.window.to_sample(v.found.pose.project(corners)).astype(np.float32) for v in (self.view, view))
        turned = cv2.warpPerspective(self.reference, cv2.getPerspectiveTransform(here, there), view.window.size)
        return np.asarray(turned, np.uint8)

    def accept(self, sample: Picture, change: Change, frames: Sequence[Frame]) -> None:
        """A still picture becomes the reference, except where something covers cells; changed cells are read."""
        self.light = self.light.after(change.gains, change.light)
        kept = change.foreign | self.view.zones.mask(change.hidden)
        self.reference = np.where(kept[..., None], scaled(self.reference, change.gains), sample)
        self.hidden = frozenset(change.hidden)
        self.read({*change.cells, *self._misled} - self.hidden, frames, change.foreign)

    def read(
        self, cells: Iterable[int], frames: Sequence[Frame], foreign: Bools | None = None, patient: bool = False
    ) -> None:
        """Read some cells from still frames; `foreign` is where the small picture shows no board, `patient` as for
        `CellReader.read`."""
        wanted = tuple(sorted(cells))
        self._misled -= frozenset(wanted)
        for i, reading in zip(wanted, self._readings(wanted, frames, self.light, foreign, patient), strict=True):
            self._cells[i] = reading
        self.doubtful = frozenset(i for i in wanted if self._cells[i].confidence() < SURE)

    def take(self, reader: CellReader, light: BoardLight, frames: Sequence[Frame]) -> None:
        """Go on with another reader and its light; it reads all cells anew from still frames."""
        self.reader, self.light = reader, light
        self.read(range(len(self._cells)), frames)

    def glimpse(self, sample: Picture, frame: Frame) -> Reading:
        """What can be seen while something moves; nothing of it is kept."""
        change = self.compare(sample)
        cells = list(self._cells)
        self._misled |= frozenset(change.cells)
        light = self.light.after(change.gains, change.light)
        for i, seen in zip(change.cells, self._readings(change.cells, [frame], light, change.foreign), strict=True):
            cells[i] = seen
        return _reading(frame, cells, change.hidden)

    def uncovered(self, frames: Sequence[Frame], light: BoardLight) -> tuple[CellReading, ...]:
        """The hidden cells, in order, read as if nothing covered them, in such a light."""
        self._misled |= self.hidden
        return self._readings(sorted(self.hidden), frames, light, None)

    def reading(self, frame: Frame) -> Reading:
        """All that is known of the cells nothing covers."""
        return _reading(frame, self._cells, self.hidden)

    def known(self, cell: int) -> CellReading:
        """The last reading of a cell, whether or not it is covered now."""
        return self._cells[cell]

    def all_known(self) -> Sequence[CellReading]:
        """The last reading of every cell, whether or not it is covered now."""
        return tuple(self._cells)

    def looks(self) -> tuple[CellLook | None, ...]:
        """What every cell looked like when it was last read; None where it never was."""
        return tuple(None if cell.unseen else cell.best() for cell in self._cells)

    def log_likelihood(self, looks: BoardLook) -> float:
        """How well some looks explain all that was read."""
        return sum(cell.log_likelihood(look) for cell, look in zip(self._cells, looks, strict=True))

    def stacks(self) -> int:
        """On how many cells men stand."""
        return sum(cell.best().height > 0 for cell in self._cells)

    def alike(self) -> bool:
        """Whether there are several stacks, all equally high."""
        heights = [cell.best().height for cell in self._cells if cell.best().height]
        return len(heights) > 1 and len(set(heights)) == 1

    def owners(self) -> list[int]:
        """Whose men stand on every cell."""
        return [cell.best().men for cell in self._cells]

    def sureness(self) -> float:
        """How probable all that was read is, in nats."""
        return sum(math.log(cell.confidence()) for cell in self._cells)

    def _readings(
        self,
        cells: Sequence[int],
        frames: Sequence[Frame],
        light: BoardLight,
        foreign: Bools | None,
        patient: bool = False,
    ) -> tuple[CellReading, ...]:
        if not cells:
            return ()
        window = self.view.window
        hidden = window.enlarge(foreign) if foreign is not None and foreign.any() else None
        picture = mean_picture(frames, window, light)
        readings = self.reader.read(picture, hidden=hidden, cells=tuple(cells), patient=patient)
        return tuple(readings[i] for i in cells)


def _reading(frame: Frame, cells: Sequence[CellReading], hidden: Iterable[int]) -> Reading:
    covered = frozenset(hidden)
    return Reading(frame.t_s, frame.index, tuple(UNSEEN if i in covered else c for i, c in enumerate(cells)))
