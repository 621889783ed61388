"""The light on a board to that in which its colours were learned, and pictures turned to that."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Floats
from vision.following.motion import SAME_LIGHT, Gains, Window, combined
from vision.frame import Frame
from vision.picture import Picture

#: What is off by less (logarithm) is the same light.
LEAST_LOG = 0.06
#: Still frames are averaged so many rows at a time.
_BAND_ROWS = 128


@dataclass(frozen=True, slots=True, eq=False)
class BoardLight:
    """The light on a board to that in which its colours were learned.

    `gains` is what most of it has, a factor for each channel, `shade` what falls of that on every sample of the
    window's small picture, (h, w, 3), None where that is even. Raises ValueError for factors that no light has.
    """

    gains: Gains = SAME_LIGHT
    shade: Floats | None = None

    def __post_init__(self) -> None:
        if min(self.gains) <= 0:
            raise ValueError(f"no light: {self.gains}")
        if self.shade is not None and (self.shade.ndim != 3 or not (self.shade > 0).all()):
            raise ValueError(f"no light: factors of shape {self.shade.shape}, least {self.shade.min(initial=np.inf)}")

    def after(self, gains: Gains, light: Floats | None) -> "BoardLight":
        """This light when it has changed by `gains`, and in every place by `light`, as `local_light` has it."""
        now = combined(self.gains, gains)
        if light is None:
            return BoardLight(now, self.shade)
        shade = _evened(light / np.array(gains))
        shade = shade if self.shade is None else _evened(self.shade * shade)
        return BoardLight(now, shade if (shade != 1.0).any() else None)

    def times(self, other: "BoardLight", window: Window) -> float:
        """How many times brighter or darker than another light this is on half of the board, in some channel."""
        ratios = np.array(self.gains) / np.array(other.gains)
        for shade, sign in ((self.shade, 1), (other.shade, -1)):
            ratios = ratios if shade is None else ratios * shade[window.board > 0] ** sign
        return float(np.exp(np.median(np.abs(np.log(ratios)).max(axis=-1))))


def _evened(factors: Floats) -> Floats:
    """Factors without those that hardly say that the light is another."""
    return np.where((np.abs(np.log(factors)) > LEAST_LOG).any(axis=2, keepdims=True), factors, 1.0)


def mean_picture(frames: Sequence[Frame], window: Window, light: BoardLight) -> Picture:
    """The last of some still frames with their mean in the window, in the light in which colours were learned."""
    crops = [window.crop(frame.image) for frame in frames]
    picture = frames[-1].image.copy()
    target = window.crop(picture)
    shade = None if light.shade is None else cv2.resize(light.shade.astype(np.float32), target.shape[1::-1])
    factors = np.array([1 / (len(crops) * gain) for gain in light.gains] + [0.0])
    for top in range(0, len(target), _BAND_ROWS):  # single floats of all of a large picture take much memory
        rows = slice(top, top + _BAND_ROWS)
        mean = crops[0][rows].astype(np.float32)
        for crop in crops[1:]:
            cv2.accumulate(crop[rows], mean)
        if shade is not None:
            mean /= shade[rows]
        np.copyto(target[rows], cv2.convertScaleAbs(cv2.multiply(mean, factors, dst=mean)))
    return picture
