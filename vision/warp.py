"""How a board that does not lie flat, or whose tiles lie askew, differs from a flat one."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats

#: Places are looked up in rows of so many, as OpenCV wants them.
_ROW = 1024


@dataclass(frozen=True, slots=True)
class Warp:
    """Where places of a board lie along it beside where they would on a flat one, as it looks from where the camera is
    (a place that lies higher looks farther from the camera's foot).

    `offsets_mm` (n, n, 2) float32, row by row upwards, about `middle_mm` (2,), `step_mm` apart; between them they are
    interpolated, beyond them they are as at the border. Raises ValueError for other shapes.
    """

    middle_mm: Floats
    step_mm: float
    offsets_mm: NDArray[np.float32]

    def __post_init__(self) -> None:
        shape = self.offsets_mm.shape
        if shape != (len(self.offsets_mm), len(self.offsets_mm), 2) or self.middle_mm.shape != (2,):
            raise ValueError(f"a warp is (n, n, 2) about (2,), got {shape} about {self.middle_mm.shape}")

    def at(self, places_mm: Floats) -> Floats:
        """The offsets (…, 2) of places (…, 2), all in mm."""
        flat = ((places_mm - self.middle_mm) / self.step_mm).reshape(-1, 2) + (len(self.offsets_mm) - 1) / 2
        rows = -(-len(flat) // _ROW) or 1
        where = np.zeros((rows * _ROW, 2), np.float32)
        where[: len(flat)] = flat
        x, y = where.reshape(rows, _ROW, 2).transpose(2, 0, 1)
        found = cv2.remap(self.offsets_mm, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(found.reshape(-1, 2)[: len(flat)].reshape(places_mm.shape), np.float64)

    def places_mm(self) -> Floats:
        """The places (n, n, 2) of its offsets."""
        n = len(self.offsets_mm)
        steps = (np.arange(n) - (n - 1) / 2) * self.step_mm
        return np.asarray(np.stack(np.meshgrid(steps, steps), axis=-1) + self.middle_mm)

    def turned(self, turn: Floats, middle_mm: Floats) -> "Warp":
        """The warp of the same board in a frame that is turned by `turn` (2, 2) about a point (2,)."""
        there = middle_mm + (self.places_mm() - middle_mm) @ turn.T
        return Warp(self.middle_mm, self.step_mm, (self.at(there) @ turn).astype(np.float32))
