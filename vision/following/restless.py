"""What keeps moving in a small part of the board, as a hand that lies at its edge and plays with a man: all else may be
still, and is worth a look."""

import cv2
import numpy as np

from vision.arrays import Bools
from vision.following.change import Zones
from vision.following.motion import Stillness, Window
from vision.picture import Picture

#: A place is restless for so long after something last moved there.
_RESTLESS_S = 1.0
#: All else must have been still for so long: hands that move a man go on sooner.
_ELSE_STILL_S = 0.4
#: Where more than this part of the cells is restless somebody makes a move.
_MOST_CELLS = 0.25
#: Places that are restless no more are given out after so long: not one by one.
_AGAIN_S = 0.5
#: Grown by one sample: what moves does not come to lie exactly where it was.
_GROWN = np.ones((3, 3), np.uint8)


class Restless:
    """Which cells of a board are restless while all others are still, and for how long these have been."""

    def __init__(self, window: Window, zones: Zones, stillness: Stillness) -> None:
        self._window, self._zones, self._stillness = window, zones, stillness
        self._moved_s = np.full(window.size[::-1], -np.inf)
        self._anchor: Picture | None = None
        self._since_s = self._named_s = 0.0
        self.where = np.zeros(window.size[::-1], bool)
        self.cells: frozenset[int] = frozenset()

    def update(self, sample: Picture, t_s: float, still_s: float, enough_s: float, trembles: bool) -> float:
        """Seconds for which the board has been still where it is not restless: `still_s`, for which all of it has been,
        when these are `enough_s`, or when too much is restless. `cells` are the restless ones and `where` shows them in
        the small picture, (h, w); none when all the board is still, or nothing is."""
        before, self.cells = self.cells, frozenset()
        if still_s >= enough_s or self._anchor is None:
            self._anchor, self._since_s = sample, t_s
            return still_s
        where = cv2.dilate((self._moved_s > t_s - _RESTLESS_S).astype(np.uint8), _GROWN) > 0
        if still_s == 0:
            self._moved_s[self._stillness.changed > 0] = t_s
        if self._elsewhere(sample, self._anchor, where, trembles):
            self._anchor, self._since_s = sample, t_s
        else_s = t_s - self._since_s - _ELSE_STILL_S
        if else_s < 0:
            return still_s
        cells = frozenset(np.flatnonzero(self._zones.touched(where)).tolist())
        if len(cells) > _MOST_CELLS * len(self._zones.samples):
            return still_s
        if cells < before and t_s < self._named_s + _AGAIN_S:
            self.cells = before
        else:
            self._named_s = self._named_s if cells == before else t_s
            self.cells, self.where = cells, where
        return max(still_s, else_s)

    def _elsewhere(self, sample: Picture, anchor: Picture, restless: Bools, trembles: bool) -> bool:
        """Whether something has moved where nothing had before."""
        apart = self._stillness.apart(sample, anchor, trembles)
        apart[restless] = 0
        return self._window.motion(apart)
