"""The search for the board in a stream of frames: how often it is looked for, and when one that is found counts."""

from collections.abc import Callable

from engine.layout import Layout
from vision.finding.beyond import why_not_whole
from vision.finding.find import FoundBoard, NotFound
from vision.finding.mirror_image import MIRRORED, board_mirrored
from vision.frame import Frame
from vision.geometry import Lens
from vision.palette import Material
from vision.picture import Picture

#: Pauses between attempts to find the board, the last one for good.
_PAUSES_S = (0.5, 1.0, 2.0, 4.0)

#: The lens for a picture's width and height, where it is calibrated.
LensFor = Callable[[int, int], Lens | None]


class Search:
    """Looks for one board with `find`. `whole`: a board that lies partly beyond the picture is none."""

    def __init__(
        self,
        layout: Layout,
        material: Material,
        lens_for: LensFor | None,
        find: Callable[..., FoundBoard | NotFound],
        *,
        whole: bool,
    ) -> None:
        self._layout, self._material, self._lens_for, self._find = layout, material, lens_for, find
        self._whole = whole
        self._tries, self._next_try_s, self._mirrored = 0, float("-inf"), False

    def due(self, frame: Frame) -> bool:
        """Whether it is time to look again; at a picture by itself it always is."""
        return frame.snapshot or frame.t_s >= self._next_try_s

    def anywhere(self, frame: Frame) -> FoundBoard | NotFound:
        """Look for a board that has not been seen before; each time in vain makes the next pause longer. The first time
        a board that only the mirror image shows is said to be mirrored, and from then on."""
        found = self.at_once(frame, None)
        if isinstance(found, FoundBoard):
            self._tries = 0
            return found
        self._next_try_s = frame.t_s + _PAUSES_S[min(self._tries, len(_PAUSES_S) - 1)]
        if self._tries == 0:
            self._mirrored = board_mirrored(frame.image, self._layout, self._shown)
        self._tries += 1
        return NotFound(MIRRORED) if self._mirrored else found

    def at_once(self, frame: Frame, previous: FoundBoard | None) -> FoundBoard | NotFound:
        """Find the board in a frame, turned as it was when it was found as `previous`."""
        height_px, width_px = frame.image.shape[:2]
        lens = self._lens_for(width_px, height_px) if self._lens_for else None
        return self.if_whole(self._find(frame.image, self._layout, lens, self._material, previous))

    def if_whole(self, found: FoundBoard | NotFound) -> FoundBoard | NotFound:
        """A board that was found, if no part of it lies beyond the picture, or where that does not matter."""
        why = why_not_whole(found.pose, self._layout) if self._whole and isinstance(found, FoundBoard) else ""
        return NotFound(why) if why else found

    def _shown(self, image: Picture) -> bool:
        return isinstance(self._find(image, self._layout, None, self._material, None), FoundBoard)
