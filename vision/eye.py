"""The eye: frames in, sights out. Finds the board, waits out hands, reads what changed, follows light and bumps."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from engine.layout import Layout
from engine.look import UNSEEN, BoardLook, CellReading, Reading
from vision.change import Change, Zones, compare, find_shift
from vision.find import FoundBoard, NotFound, find_board, refine_pose
from vision.frame import Frame
from vision.geometry import BoardPose, Lens
from vision.motion import Bools, Stillness, Window, scaled
from vision.palette import Material
from vision.picture import Picture
from vision.read import CellReader, TableModel, learn_table


@dataclass(frozen=True, slots=True)
class Found:
    """The board is in the picture, and its colours are known."""

    found: FoundBoard
    table: TableModel


@dataclass(frozen=True, slots=True)
class Lost:
    """The board cannot be seen, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Bumped:
    """Camera or board were knocked; the board was found again, moved by (x, y) pixels."""

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


@dataclass(frozen=True, slots=True)
class EyeSettings:
    """`still_s`: so long the board must be still to be read. `lift_rate_hz`: readings a second while something moves."""

    still_s: float = 0.2
    lift_rate_hz: float = 0.0


#: Pauses between attempts to find the board, the last one for good.
_SEARCH_S = (0.5, 1.0, 2.0, 4.0)
#: A board of which more cells than this part have changed was knocked, or it is lit quite differently.
_MOST_CHANGED = 0.4
#: Covered or changed as a whole for so long: look whether the board is still there.
_COVERED_S = 4.0
#: A cell read with less confidence is read again after so long, from more frames.
_SURE, _AGAIN_S = 0.98, 0.6
_AVERAGED = 3
_TIME_SLACK_S = 1e-3


@dataclass(slots=True)
class _View:
    """All that belongs to one place of the camera before the board."""

    found: FoundBoard
    window: Window
    zones: Zones
    stillness: Stillness
    reader: CellReader | None = None


class Eye:
    """Follows one board through a stream of frames. `step` takes each frame in turn and returns what came of it.

    `find`, `refine`, `learn` and `make_reader` are the parts that do the seeing.
    """

    def __init__(
        self,
        layout: Layout,
        material: Material,
        lens: Lens | None = None,
        settings: EyeSettings | None = None,
        *,
        find: Callable[..., FoundBoard | NotFound] = find_board,
        refine: Callable[..., FoundBoard | NotFound] = refine_pose,
        learn: Callable[..., TableModel] = learn_table,
        make_reader: Callable[..., CellReader] = CellReader,
    ) -> None:
        self.layout, self.material, self.settings = layout, material, settings or EyeSettings()
        self._lens = lens
        self._find, self._refine, self._learn, self._make_reader = find, refine, learn, make_reader
        self._view: _View | None = None
        self._table: TableModel | None = None
        self._previous: BoardPose | None = None
        self._tries, self._next_try_s = 0, float("-inf")
        self._lost = False
        self._recent: deque[Frame] = deque(maxlen=_AVERAGED)
        self._forget()

    def _forget(self) -> None:
        """Nothing of the board's contents is known any more."""
        self._reference: Picture | None = None
        self._light = np.ones(3)
        self._cells: list[CellReading] = [UNSEEN] * len(self.layout.names)
        self._settled = False
        self._covered_since_s: float | None = None
        self._doubtful: set[int] = set()
        self._hidden: frozenset[int] = frozenset()
        self._next_lift_s = float("-inf")

    @property
    def found(self) -> FoundBoard | None:
        """Where the board is, once it is found."""
        return self._view.found if self._view else None

    @property
    def table(self) -> TableModel | None:
        """The colours as they look on this table, once they are learned."""
        return self._table

    def step(self, frame: Frame) -> list[Sight]:
        """What a frame brings; nothing, mostly. Frames come in the order of their times."""
        if frame.trouble:
            return self._lose(frame.trouble)
        if self._view is None:
            sights = self._search(frame)
            if self._view is None:
                return sights
        view = self._view
        if frame.image.shape[:2] != (view.found.pose.lens.height_px, view.found.pose.lens.width_px):
            self._view = None
            return self._lose("the picture has another size now")
        sample = view.window.sample(frame.image)
        still_s = view.stillness.update(sample, frame.t_s)
        if still_s == 0:
            self._recent.clear()
        self._recent.append(frame)
        if still_s + _TIME_SLACK_S < self.settings.still_s:
            return self._moving(frame, sample)
        if not self._settled:
            return self._settle(frame, sample)
        if self._doubtful and still_s >= _AGAIN_S:
            return self._look_again(frame)
        if self._covered_since_s is not None and frame.t_s - self._covered_since_s > _COVERED_S:
            return self._check_covered(frame)
        return []

    # Finding

    def _lose(self, reason: str) -> list[Sight]:
        """Say once that the board cannot be seen. What was known of it stays known."""
        if self._lost:
            return []
        self._lost, self._settled = True, False
        return [Lost(reason)]

    def _search(self, frame: Frame) -> list[Sight]:
        """Look for the board, at a gentle rate."""
        if frame.t_s < self._next_try_s:
            return []
        found = self._find(frame.image, self.layout, self._lens, self.material, self._previous)
        if isinstance(found, NotFound):
            self._next_try_s = frame.t_s + _SEARCH_S[min(self._tries, len(_SEARCH_S) - 1)]
            self._tries += 1
            return self._lose(found.reason)
        self._tries = 0
        self._take_view(found)
        return []

    def _take_view(self, found: FoundBoard) -> None:
        """Look at the board from where it has just been found; its contents have to be read anew."""
        lens = found.pose.lens
        window = Window(found.pose, self.layout, lens.width_px, lens.height_px)
        self._view = _View(found, window, Zones(window, found.pose, self.layout), Stillness(window))
        self._previous = found.pose
        self._recent.clear()
        self._forget()

    # Reading

    def _settle(self, frame: Frame, sample: Picture) -> list[Sight]:
        """The board has become still: read what is new."""
        view = self._view
        assert view is not None
        if self._reference is None or view.reader is None:
            return self._first_reading(frame, sample, view)
        change = compare(sample, self._reference, view.window, view.zones)
        count = len(self.layout.names)
        if len(change.cells) + len(change.hidden) > _MOST_CHANGED * count:
            shift = find_shift(sample, self._reference)
            if shift is not None:
                return self._bumped(frame, sample, shift)
        self._settled = True
        covered = len(change.hidden) > _MOST_CHANGED * count
        self._covered_since_s = frame.t_s if covered else None
        self._light = self._light * change.gains
        self._update_reference(sample, change)
        self._hidden = frozenset(change.hidden)
        self._read(change.cells, self._picture(), change.foreign if change.foreign.any() else None)
        found: list[Sight] = [Found(view.found, self._table)] if self._lost and self._table and not covered else []
        self._lost = self._lost and not found
        return [*found, self._still(frame)]

    def _first_reading(self, frame: Frame, sample: Picture, view: _View) -> list[Sight]:
        """Learn the table when it is new, and read every cell."""
        picture = self._picture()
        if self._table is None:
            self._table = self._learn(picture, view.found.pose, self.layout, self.material)
        view.reader = self._make_reader(view.found.pose, self.layout, self._table)
        self._reference, self._settled, self._lost = sample, True, False
        self._read(range(len(self.layout.names)), picture, None)
        return [Found(view.found, self._table), self._still(frame)]

    def _update_reference(self, sample: Picture, change: Change) -> None:
        """The reference becomes what is seen now, but keeps what it knows of cells that are covered."""
        assert self._reference is not None and self._view is not None
        keep = change.foreign | self._view.zones.mask(change.hidden)
        reference = scaled(self._reference, change.gains)
        self._reference = np.where(keep[..., None], reference, sample)

    def _read(self, cells: Sequence[int], picture: Picture, foreign: Bools | None) -> None:
        assert self._view is not None and self._view.reader is not None
        self._doubtful = set()
        if not cells:
            return
        hidden = None if foreign is None else self._view.window.enlarge(foreign)
        readings = self._view.reader.read(picture, hidden=hidden, cells=tuple(cells))
        for i in cells:
            self._cells[i] = readings[i]
            if readings[i].confidence() < _SURE:
                self._doubtful.add(i)

    def _picture(self) -> Picture:
        """Mean of the last still frames, under the light in which the table was learned."""
        assert self._view is not None
        picture = self._recent[-1].image
        crops = [self._view.window.crop(frame.image) for frame in self._recent]
        mean = crops[0].astype(np.float32)
        for crop in crops[1:]:
            cv2.accumulate(crop, mean)
        mean = cv2.multiply(mean, np.array((*(1 / (len(crops) * self._light)), 0.0)))
        picture = picture.copy()
        np.copyto(self._view.window.crop(picture), cv2.convertScaleAbs(mean))
        return picture

    def _still(self, frame: Frame) -> Still:
        cells = tuple(UNSEEN if i in self._hidden else cell for i, cell in enumerate(self._cells))
        return Still(Reading(frame.t_s, frame.index, cells))

    def _look_again(self, frame: Frame) -> list[Sight]:
        """Read the doubtful cells from more frames; say so when that tells more."""
        before = list(self._cells)
        again = sorted(self._doubtful - self._hidden)
        self._read(again, self._picture(), None)
        self._doubtful = set()
        changed = any(
            before[i].best() != self._cells[i].best() or self._cells[i].confidence() > before[i].confidence() + 0.05
            for i in again
        )
        return [self._still(frame)] if changed else []

    def _moving(self, frame: Frame, sample: Picture) -> list[Sight]:
        """Say once that something moves; when asked for, read meanwhile what can be seen."""
        began = self._settled
        self._settled = False
        view, rate_hz = self._view, self.settings.lift_rate_hz
        if (
            view is None
            or view.reader is None
            or self._reference is None
            or rate_hz <= 0
            or frame.t_s < self._next_lift_s
        ):
            return [Moving(None)] if began else []
        self._next_lift_s = frame.t_s + 1 / rate_hz
        change = compare(sample, self._reference, view.window, view.zones)
        cells: list[CellReading] = list(self._cells)
        hidden = {*change.hidden}
        if change.cells:
            light, self._light = self._light, self._light * change.gains
            readings = view.reader.read(self._picture(), hidden=view.window.enlarge(change.foreign), cells=change.cells)
            self._light = light
            for i in change.cells:
                cells[i] = readings[i]
        return [
            Moving(Reading(frame.t_s, frame.index, tuple(UNSEEN if i in hidden else c for i, c in enumerate(cells))))
        ]

    # Following

    def _bumped(self, frame: Frame, sample: Picture, shift: tuple[float, float]) -> list[Sight]:
        """The picture has moved: find the board from where it must be now, and read it anew."""
        view = self._view
        assert view is not None
        shift_px = (shift[0] * view.window.step_px, shift[1] * view.window.step_px)
        moved = _moved_pose(view.found.pose, shift_px)
        found = self._refine(frame.image, moved, self.layout, self.material)
        if isinstance(found, NotFound):
            found = self._find(frame.image, self.layout, self._lens, self.material, moved)
        if isinstance(found, NotFound):
            self._view = None
            return self._lose(found.reason)
        light, recent = self._light, list(self._recent)
        self._take_view(found)
        self._light = light
        self._recent.extend(recent)
        window = self._view.window
        self._view.stillness.update(sample, frame.t_s)
        return [Bumped(shift_px), *self._first_reading(frame, window.sample(frame.image), self._view)]

    def _check_covered(self, frame: Frame) -> list[Sight]:
        """Most of the board has looked different for long: is it still there?"""
        self._covered_since_s = frame.t_s
        found = self._find(frame.image, self.layout, self._lens, self.material, self._previous)
        if isinstance(found, NotFound):
            return self._lose(f"the board is covered: {found.reason}")
        self._table = None
        self._take_view(found)
        return []

    def confirm(self, looks: BoardLook) -> None:
        """The referee knows what is really on the board: learn the colours from it."""
        view = self._view
        if view is None or self._hidden or not self._settled or self._table is None:
            return


def _moved_pose(pose: BoardPose, shift_px: tuple[float, float]) -> BoardPose:
    """A pose whose board appears `shift_px` further right and down."""
    depth_mm = pose.translation_mm[2]
    step = np.array([shift_px[0] / pose.lens.fx_px, shift_px[1] / pose.lens.fy_px, 0.0]) * depth_mm
    return replace(pose, translation_mm=pose.translation_mm + step)
