"""Pictures larger than the eye has any use for, as telephones film them in 4K: halved once the board is found."""

from collections.abc import Callable

import cv2
import numpy as np

from vision.geometry import BoardPose
from vision.picture import Picture

#: Pictures of more pixels are halved …
_LARGE_PX = 2_500_000
#: … when cells are still so far apart then.
_ENOUGH_PX = 75.0


class Downsized:
    """What a film's pictures are made into as they are decoded (`SourceSettings.fit`): a quarter of the pixels is
    quicker to look at, and takes a quarter of the memory.

    `pose` tells where the board is by now, None while nobody knows. One that is small in a large picture is wanted in
    full, so it counts how far cells, `pitch_mm` apart, are from one another in it. Whoever follows the film finds the
    board anew when the size of its pictures changes.
    """

    def __init__(self, pitch_mm: float, pose: Callable[[], BoardPose | None]) -> None:
        self._pitch_mm, self._pose, self._halves = pitch_mm, pose, False

    def __call__(self, picture: Picture) -> Picture:
        """The picture, at half its width and height from the one on after which the board has cells wide enough."""
        height_px, width_px = picture.shape[:2]
        self._halves = self._halves or (height_px * width_px > _LARGE_PX and self._wide_enough(width_px))
        if not self._halves:
            return picture
        return np.asarray(cv2.resize(picture, (width_px // 2, height_px // 2), interpolation=cv2.INTER_AREA), np.uint8)

    def _wide_enough(self, width_px: int) -> bool:
        pose = self._pose()
        if pose is None or pose.lens.width_px != width_px:
            return False
        return float(pose.pitch_px(np.zeros((1, 3)), self._pitch_mm)[0]) >= 2 * _ENOUGH_PX
