"""The eye: frames in, sights out. Finds the board, waits out hands, reads what changed, follows light and bumps."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.board import modules_of
from engine.layout import Layout
from engine.look import BoardLook, CellLook
from vision.finding.find import FoundBoard, NotFound, find_board, refine_pose
from vision.finding.refine import cell_points, movement_px
from vision.finding.turning import better_turn
from vision.following.board_light import BoardLight
from vision.following.change import find_shift, shows_board
from vision.following.difference import estimate_gains
from vision.following.motion import SAME_LIGHT, Gains, combined
from vision.frame import Frame
from vision.known_table import KnownTable
from vision.memory import Memory, View
from vision.palette import Material
from vision.picture import Picture
from vision.reading.learn import learn_table, relit_table
from vision.reading.read import CellReader
from vision.reading.table_model import TableModel
from vision.search import LensFor, Search
from vision.sights import Bumped, Found, Lost, Moving, Sight, Still


@dataclass(frozen=True, slots=True)
class EyeSettings:
    """`still_s`: so long the board must be still to be read. `lift_rate_hz`: readings a second during movement.
    `whole`: whether a board that lies partly beyond the picture is none: no game can be followed on it."""

    still_s: float = 0.2
    lift_rate_hz: float = 0.0
    whole: bool = True


#: A picture in which the board was found and that never stands still for so long shakes too much.
_NEVER_STILL_S = 10.0
#: Where the board was found so long ago it need not be any more, if it has not been still since.
_STALE_S = 0.5
#: When more cells than this part have changed, perhaps the whole picture has shifted …
_MANY_CHANGED = 0.15
#: … or, on a board of tiles, when so many have and nothing covers any, one of these was pushed aside.
_TILE = 4
#: When more than this part have and it has not moved, the board is covered, gone, or lit quite differently.
_MOST_CHANGED = 0.5
#: What covers most cells and does not stir for so long may be a board that has turned: look closer; then again after
#: such pauses, and at what covers fewer cells, which may be scenery, after all but the first.
_REST_S = (0.3, 1.5, 4.0)
#: Doubtful cells are read again after so long, from more frames.
_AGAIN_S = 0.6
#: What lies uncovered after all is surely this or that with at least this confidence, or with what it had before …
_PLAUSIBLE = 0.8
#: … but for this part of the cells.
_DOUBTED = 0.08
_AVERAGED = 5
#: A board that moved by less has not; by how much it seems to when a hand covers most of it.
_LEAST_BUMP_PX, _LEAST_TURN_PX = 0.7, 2.5
#: A board that moved further, in pitches, may lie otherwise under the lamp.
_OTHERWISE_LIT_PITCHES = 0.5
#: Frame times are sums of fractions.
_TIME_SLACK_S = 1e-3


class Eye:
    """Follows one board through a stream of frames: `step` takes each in turn and returns what came of it.

    `lens_for` gives the lens for a picture's width and height, when it is calibrated (`Profile.lens_for`).
    `find`, `refine`, `learn`, `relight` and `make_reader` are the parts that do the seeing.
    """

    def __init__(
        self,
        layout: Layout,
        material: Material,
        lens_for: LensFor | None = None,
        settings: EyeSettings | None = None,
        *,
        find: Callable[..., FoundBoard | NotFound] = find_board,
        refine: Callable[..., FoundBoard | NotFound] = refine_pose,
        learn: Callable[..., TableModel] = learn_table,
        relight: Callable[..., TableModel] = relit_table,
        make_reader: Callable[..., CellReader] = CellReader,
    ) -> None:
        self.layout, self.material, self.settings = layout, material, settings or EyeSettings()
        self._tiled = layout.board is not None and modules_of(layout.board) is not None
        self._board_search = Search(layout, material, lens_for, find, whole=self.settings.whole)
        self._refine = refine
        self._known = KnownTable(layout, material, learn=learn, relight=relight, make_reader=make_reader)
        self._view: View | None = None
        self._memory: Memory | None = None
        self._recent: deque[Frame] = deque(maxlen=_AVERAGED)
        self._lost, self._settled = "", False  # why the board cannot be seen
        self._before: Sequence[CellLook | None] | None = None  # what stood on the board where it lay before …
        self._newly_laid = False  # … it was found where it is
        self._found_s = float("-inf")
        self._next_glimpse_s = float("-inf")
        self._look_closer_s, self._looks = float("inf"), 1

    @property
    def found(self) -> FoundBoard | None:
        """Where the board is, once it is found."""
        return self._view.found if self._view else None

    @property
    def table(self) -> TableModel | None:
        """The colours as they look on this table, once they are learned."""
        return self._known.table

    def step(self, frame: Frame) -> list[Sight]:
        """What a frame brings; mostly nothing. Frames come in the order of their times."""
        if frame.trouble:
            return self._lose(frame.trouble)
        sights: list[Sight] = []
        if self._view is not None and not self._view.fits(frame):
            self._view = self._memory = None
            sights.append(Moving(None))  # whatever was seen last was seen before that
        if self._view is None:
            sights += self._search(frame)
            if self._view is None:
                return sights
        return [*sights, *self._follow(frame, self._view)]

    def confirm(self, looks: BoardLook) -> None:
        """The referee knows what surely lies on the table now: what is known of the table may be improved by that."""
        memory = self._memory
        if memory is None or not self._settled or memory.hidden or memory.unknown:
            return
        self._memory = self._known.confirm(memory, looks, self._recent)

    def take_turned(self, looks: BoardLook | None, frame: Frame) -> list[Sight]:
        """A board that has just been found, here or elsewhere, may lie another way round: where what was read before
        and what the referee knows, `looks`, clearly say so, take it so. Gives what is seen then, nothing otherwise."""
        memory, known = self._memory, [seen for seen in (looks, self._before) if seen is not None]
        if memory is None or not self._newly_laid or not known:
            return []
        sixths = better_turn(self.layout, memory.reading(frame).cells, *known)
        return self.turn(sixths, frame) if sixths else []

    def turn(self, sixths: int, frame: Frame) -> list[Sight]:
        """The board that has been found lies otherwise, turned by so many sixths: take it so from now on. Gives what is
        seen then; nothing where no board was found."""
        view = self._view
        if view is None:
            return []
        self._view = view = View.of(view.found.turned(sixths, self.layout), self.layout)
        self._memory = None
        self._known.forget()
        sample = view.window.sample(frame.image)
        view.stillness.update(sample, frame.t_s - self.settings.still_s)
        return self._first_reading(frame, sample, view)

    # Finding

    def _lose(self, reason: str) -> list[Sight]:
        """Say that the board cannot be seen, once for each reason. What is known of it stays known."""
        said = self._lost == reason
        self._lost, self._settled = reason, False
        return [] if said else [Lost(reason)]

    def _search(self, frame: Frame) -> list[Sight]:
        """Look for the board when it is time to; a board that is found is watched from now on."""
        if not self._board_search.due(frame):
            return []
        found = self._board_search.anywhere(frame)
        if isinstance(found, NotFound):
            return self._lose(found.reason)
        self._found_s, self._lost = frame.t_s, ""
        self._view, self._memory = View.of(found, self.layout), None
        return []

    # Following

    def _follow(self, frame: Frame, view: View) -> list[Sight]:
        memory = self._memory
        frame = view.steady.take(frame, memory.reference if memory else None)
        sample = view.window.sample(frame.image)
        still_s, trembles = view.stillness.update(sample, frame.t_s, view.steady.trembles), view.steady.trembles
        view.steady.watch(frame, sample, moved=still_s == 0)
        enough_s = self.settings.still_s - _TIME_SLACK_S
        still_s = view.restless.update(sample, frame.t_s, still_s, enough_s, trembles) + _TIME_SLACK_S
        if still_s <= _TIME_SLACK_S:
            self._recent.clear()
            self._look_closer_s, self._looks = frame.t_s + _REST_S[1], 1
            self._settled = self._settled and not frame.snapshot
        if view.stillness.shimmers:
            self._recent.clear()  # they show another light
        self._recent.append(frame)
        if still_s < self.settings.still_s and not frame.snapshot:
            if memory is None and frame.t_s > self._found_s + _NEVER_STILL_S:
                return self._lose("the picture never stands still: the camera shakes, or something moves before it")
            return self._moving(frame, sample)
        if memory is None:
            return self._first_look(frame, sample, view)
        if not self._settled or memory.restless != view.restless.cells:
            return self._settle(frame, sample, memory)
        if memory.doubtful and still_s >= _AGAIN_S:
            return self._look_again(frame, memory)
        if memory.hidden and not memory.restless and frame.t_s >= self._look_closer_s:
            return self._look_closer(frame, sample, memory)
        return []

    def _first_look(self, frame: Frame, sample: Picture, view: View) -> list[Sight]:
        """Read a board that was found and is still now; whoever set up the camera may have moved it meanwhile."""
        if frame.t_s > self._found_s + _STALE_S:
            found = self._board_search.at_once(frame, None)
            if isinstance(found, NotFound):
                self._view = None
                return self._lose(found.reason)
            if movement_px(self.layout, view.found.pose, found.pose) > _LEAST_BUMP_PX:
                self._view = view = View.of(found, self.layout)
                sample = view.window.sample(frame.image)
                view.stillness.update(sample, frame.t_s - self.settings.still_s)
        return self._first_reading(frame, sample, view)

    def _first_reading(self, frame: Frame, sample: Picture, view: View, gains: Gains = SAME_LIGHT) -> list[Sight]:
        """Learn the table's colours when they are new, and read every cell. `gains`: the light now, to the colours'."""
        before = self._memory
        self._before, self._newly_laid = before.looks() if before else None, True
        self._memory, table = self._known.read_all(sample, view, gains, self._recent, searched=before is None)
        self._lost, self._settled = "", True
        return [Found(view.found, table), Still(self._memory.reading(frame))]

    def _settle(self, frame: Frame, sample: Picture, memory: Memory) -> list[Sight]:
        """The board has become still: read what is new on it."""
        change, memory.restless = memory.compare(sample), memory.view.restless.cells
        part = (len(change.cells) + len(change.hidden)) / len(self.layout.names)
        tile = self._tiled and len(change.cells) >= _TILE and not change.hidden
        if (tile or part > _MANY_CHANGED) and (sights := self._elsewhere(frame, sample, memory, tile)):
            return sights
        self._settled = True
        if memory.unknown - memory.restless and part <= _MOST_CHANGED:
            self._memory = memory = self._known.read_the_rest(sample, memory, change.gains, self._recent)
        elif part > _MOST_CHANGED:
            memory.hidden = frozenset(range(len(self.layout.names)))
            self._look_closer_s, self._looks = frame.t_s + _REST_S[0], 0
            if not change.hidden and (sights := self._look_closer(frame, sample, memory)):
                return sights  # nothing has come in from outside: only the light or the camera has changed
        else:
            memory.accept(sample, change, self._recent)
            self._memory = memory = self._known.meet(memory, change.cells, self._recent)
        between = [Moving(None)] if frame.snapshot and (change.cells or change.hidden) else []
        return [*between, *self._found_again(memory), Still(memory.reading(frame))]

    def _found_again(self, memory: Memory) -> list[Sight]:
        """Say that the board is back after it was lost, as soon as a good part of it can be seen."""
        if not self._lost or self.table is None or len(memory.hidden) > _MOST_CHANGED * len(self.layout.names):
            return []
        self._lost, self._newly_laid = "", False
        return [Found(memory.view.found, self.table)]

    def _look_again(self, frame: Frame, memory: Memory) -> list[Sight]:
        """Read doubtful cells from more frames, and look closely at them; say so when that tells more."""
        again = memory.doubtful - memory.hidden
        before = {i: memory.known(i) for i in again}
        memory.read(again, self._recent, patient=True)
        memory.doubtful = frozenset()
        news = any(
            memory.known(i).best() != old.best() or memory.known(i).confidence() > old.confidence() + 0.05
            for i, old in before.items()
        )
        return [Still(memory.reading(frame))] if news else []

    def _moving(self, frame: Frame, sample: Picture) -> list[Sight]:
        """Say once that something moves; when asked for, read meanwhile what can be seen."""
        began, self._settled = self._settled, False
        if self._memory is None or self.settings.lift_rate_hz <= 0 or frame.t_s < self._next_glimpse_s:
            return [Moving(None)] if began else []
        self._next_glimpse_s = frame.t_s + 1 / self.settings.lift_rate_hz
        return [Moving(self._memory.glimpse(sample, frame))]

    def _look_closer(self, frame: Frame, sample: Picture, memory: Memory) -> list[Sight]:
        """Something has covered cells for long without stirring: a hand, or another light, or the camera was turned?"""
        early, self._looks = self._looks < len(_REST_S) - 1, min(self._looks + 1, len(_REST_S) - 1)
        self._look_closer_s = frame.t_s + _REST_S[self._looks]
        if len(memory.hidden) > _MOST_CHANGED * len(self.layout.names):
            found = self._board_search.at_once(frame, memory.view.found)
            if isinstance(found, NotFound):
                return [] if early else self._lose(f"the board is covered or gone: {found.reason}")
            if movement_px(self.layout, memory.view.found.pose, found.pose) > _LEAST_TURN_PX:
                return self._moved_to(found, frame, memory)
        cells, change = sorted(memory.hidden), memory.compare(sample)
        light = memory.light.after(change.gains, change.light)
        seen = memory.uncovered(self._recent, light)
        doubted = sum(
            now.kind_confidence() < min(_PLAUSIBLE, memory.known(i).kind_confidence())
            for i, now in zip(cells, seen, strict=True)
        )
        shown = shows_board(sample, memory.reference, change.foreign, memory.view.zones)
        if doubted > _DOUBTED * len(cells) or not shown:
            return []
        memory.reference, memory.light, memory.hidden = sample, light, frozenset()
        if memory.unknown:
            self._memory = memory = self._known.read_the_rest(sample, memory, SAME_LIGHT, self._recent)
        elif len(cells) > _MOST_CHANGED * len(self.layout.names):
            self._known.under_another_lamp(memory, self._recent)
        else:
            memory.read(cells, self._recent)
        return [*self._found_again(memory), Still(memory.reading(frame))]

    def _elsewhere(self, frame: Frame, sample: Picture, memory: Memory, tile: bool) -> list[Sight]:
        """Much has changed: where the board has moved, or perhaps a `tile` of it, read it anew. A picture by itself may
        be taken from anywhere."""
        shift = find_shift(sample, memory.reference) or ((0.0, 0.0) if tile else None)
        if shift is not None and (sights := self._bumped(frame, memory, shift)):
            return sights
        found = self._board_search.at_once(frame, memory.view.found) if frame.snapshot else None
        if found is None or isinstance(found, NotFound):
            return []
        if movement_px(self.layout, memory.view.found.pose, found.pose) < _LEAST_TURN_PX:
            return []
        return self._moved_to(found, frame, memory)

    def _bumped(self, frame: Frame, memory: Memory, shift: tuple[float, float]) -> list[Sight]:
        """The whole picture has shifted: find the board where it must be now, and read it anew."""
        old = memory.view.found
        start = old.pose.shifted(np.array(shift) * memory.view.window.step_px)
        found = self._board_search.if_whole(self._refine(frame.image, start, self.layout, self.material))
        if isinstance(found, NotFound):
            found = self._board_search.at_once(frame, replace(old, pose=start))
        else:
            found = replace(found, markers_used=old.markers_used, turn_deg=old.turn_deg)
        if isinstance(found, NotFound) or movement_px(self.layout, old.pose, found.pose) < _LEAST_BUMP_PX:
            return []
        return self._moved_to(found, frame, memory)

    def _moved_to(self, found: FoundBoard, frame: Frame, memory: Memory) -> list[Sight]:
        """Go on from where the board is now, in the light of now."""
        centres, old = cell_points(self.layout), memory.view.found.pose
        moved_px = (found.pose.project(centres) - old.project(centres)).mean(axis=0)
        self._view = view = View.of(found, self.layout)
        sample = view.window.sample(frame.image)
        light = combined(memory.light.gains, estimate_gains(sample, memory.seen_from(view, self.layout)))
        view.stillness.update(sample, frame.t_s - self.settings.still_s)
        turned_px = movement_px(self.layout, old, found.pose)
        pitch_px = float(np.median(found.pose.pitch_px(centres, self.layout.pitch_mm)))
        if turned_px > _OTHERWISE_LIT_PITCHES * pitch_px:
            self._known.look_for_lamp(view, BoardLight(light), self._recent)
        _, still = self._first_reading(frame, sample, view, light)
        return [Bumped((float(moved_px[0]), float(moved_px[1]))), still]
