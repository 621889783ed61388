"""The eye: frames in, sights out. Finds the board, waits out hands, reads what changed, follows light and bumps."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.board import modules_of
from engine.layout import Layout
from engine.look import BoardLook, CellLook
from vision.finding.find import FoundBoard, NotFound, find_board, refine_pose
from vision.finding.refine import cell_points, movement_px
from vision.finding.turning import better_turn
from vision.following.board_light import BoardLight, mean_picture
from vision.following.change import find_shift, shows_board
from vision.following.difference import estimate_gains
from vision.following.motion import SAME_LIGHT, Gains, combined
from vision.frame import Frame
from vision.lamplight.cast_shade import cast_shade
from vision.memory import Memory, View
from vision.palette import Material
from vision.picture import Picture
from vision.reading.covered import covered_cells, largest_open_part
from vision.reading.learn import learn_table, relit_table
from vision.reading.read import CellReader
from vision.reading.table_model import TableModel
from vision.search import LensFor, Search
from vision.sights import Bumped, Found, Lost, Moving, Sight, Still
from vision.surfaces.cell_marks import cell_marks


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
#: Which confirmations by the referee are learned from.
_LEARN_AT = frozenset({1, 3, 9, 27, 81})
#: So many times as many stacks as the table was learned from are worth learning it anew.
_FAR_MORE = 3
#: So often the table is learned anew when something has changed while all stacks look equally high, and again when the
#: referee knows how the game begins.
_ALIKE = 3
#: So many cells that changed last are looked at for marks that have not been met.
_LAST_CHANGED = 8
#: A board that moved by less has not; by how much it seems to when a hand covers most of it.
_LEAST_BUMP_PX, _LEAST_TURN_PX = 0.7, 2.5
#: A board that moved further, in pitches, may lie otherwise under the lamp.
_OTHERWISE_LIT_PITCHES = 0.5
#: So many times brighter or darker may mean another lamp.
_OTHER_LAMP = 1.1
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
        self._refine, self._make_reader = refine, make_reader
        self._learn, self._relight = learn, relight
        self._view: View | None = None
        self._memory: Memory | None = None
        self._table: TableModel | None = None
        self._learned: TableModel | None = None  # before its lamp was looked for again
        self._lamp_light = BoardLight()  # in which the lamp was found
        self._recent: deque[Frame] = deque(maxlen=_AVERAGED)
        self._lost, self._settled = "", False  # why the board cannot be seen
        self._before: Sequence[CellLook | None] | None = None  # what stood on the board where it lay before …
        self._newly_laid = False  # … it was found where it is
        self._met = 0
        self._may_be_alike = self._alike = 0 if layout.man_mm else _ALIKE
        self._last_changed: tuple[int, ...] = ()
        self._unmet = False  # whether cells have changed since marks were looked for
        self._found_s = float("-inf")
        self._next_glimpse_s = float("-inf")
        self._confirmed = 0
        self._look_closer_s, self._looks = float("inf"), 1

    @property
    def found(self) -> FoundBoard | None:
        """Where the board is, once it is found."""
        return self._view.found if self._view else None

    @property
    def table(self) -> TableModel | None:
        """The colours as they look on this table, once they are learned."""
        return self._table

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
        """The referee knows what surely lies on the table now: learn colours and sizes anew, if that fits it better.

        Learning takes as long as a few readings, so it is done ever more rarely.
        """
        memory = self._memory
        if memory is None or not self._settled or memory.hidden or memory.unknown:
            return
        self._confirmed += 1
        self._alike = self._may_be_alike if self._confirmed == 1 else self._alike
        if self._confirmed not in _LEARN_AT:
            return
        learned, table = self._learned_anew(memory, looks)
        if learned.log_likelihood(looks) > memory.log_likelihood(looks):
            self._go_on_with(learned, table)

    def _learned_anew(self, memory: Memory, looks: BoardLook | None = None) -> tuple[Memory, TableModel]:
        """The table learned from what stands there now, and all cells as they are read by that."""
        table, reader, light = self._learn_now(memory, looks)
        learned = Memory(memory.view, reader, memory.reference, light)
        learned.read(range(len(self.layout.names)), self._recent, patient=True)
        return learned, table

    def _learn_now(self, memory: Memory, looks: BoardLook | None) -> tuple[TableModel, CellReader, BoardLight]:
        """The table learned from what stands there now, its reader, and the light that it was learned in."""
        view, light = memory.view, BoardLight(shade=memory.light.shade)
        picture = mean_picture(self._recent, view.window, light)
        table = self._learn(picture, view.found.pose, self.layout, self.material, looks)
        return table, self._make_reader(view.found.pose, self.layout, table), light

    def _go_on_with(self, learned: Memory, table: TableModel) -> None:
        """From now on this is what is known of the table."""
        self._table = self._learned = table
        self._memory, self._lamp_light = learned, learned.light

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
        self._table = self._learned = self._memory = None
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
        self._before, self._newly_laid = self._memory.looks() if self._memory else None, True
        self._memory, table = self._read_all(sample, view, gains)
        self._lost, self._settled = "", True
        return [Found(view.found, table), Still(self._memory.reading(frame))]

    def _read_all(self, sample: Picture, view: View, gains: Gains) -> tuple[Memory, TableModel]:
        """Read every cell; where something foreign lies over some, only and by themselves those that it leaves open."""
        seen, before = mean_picture(self._recent, view.window, BoardLight()), self._table
        where = seen, view.found.pose, self.layout, self.material
        memory, table = self._read_open(seen, sample, view, gains, view.restless.cells)
        while more := covered_cells(*where, memory.reader, memory.all_known()) - memory.unknown:
            self._table = before
            memory, table = self._read_open(seen, sample, view, gains, memory.unknown | more)
        self._met = self._met or memory.stacks()
        return memory, table

    def _read_open(
        self, seen: Picture, sample: Picture, view: View, gains: Gains, covered: frozenset[int]
    ) -> tuple[Memory, TableModel]:
        """Learn the table's colours when they are new, and read all cells that are not `covered`."""
        pose, (part, cells) = view.found.pose, largest_open_part(self.layout, covered)
        shade = cast_shade(seen, pose, part, self.material, view.window)
        light, table = BoardLight(gains if self._table is not None else SAME_LIGHT, shade), self._table
        if table is None:
            table = self._learn(mean_picture(self._recent, view.window, light), pose, part, self.material)
            table = self._learned = table.on_whole(self.layout, cells) if covered else table
            self._lamp_light = light
        elif self._memory is None:  # the board was searched for: nobody knows where it was meanwhile
            table = self._look_for_lamp(view, light)
        self._table = table
        self._lamp_light = BoardLight(self._lamp_light.gains, shade)  # other shades were those of another window
        memory = Memory(view, self._make_reader(pose, self.layout, table), sample, light, covered)
        memory.read(set(range(len(self.layout.names))) - covered, self._recent, patient=True)
        return memory, table

    def _settle(self, frame: Frame, sample: Picture, memory: Memory) -> list[Sight]:
        """The board has become still: read what is new on it."""
        change, memory.restless = memory.compare(sample), memory.view.restless.cells
        part = (len(change.cells) + len(change.hidden)) / len(self.layout.names)
        tile = self._tiled and len(change.cells) >= _TILE and not change.hidden
        if (tile or part > _MANY_CHANGED) and (sights := self._elsewhere(frame, sample, memory, tile)):
            return sights
        self._settled = True
        if memory.unknown - memory.restless and part <= _MOST_CHANGED:
            self._memory = memory = self._meet_the_rest(sample, memory, change.gains)
        elif part > _MOST_CHANGED:
            memory.hidden = frozenset(range(len(self.layout.names)))
            self._look_closer_s, self._looks = frame.t_s + _REST_S[0], 0
            if not change.hidden and (sights := self._look_closer(frame, sample, memory)):
                return sights  # nothing has come in from outside: only the light or the camera has changed
        else:
            memory.accept(sample, change, self._recent)
            if not memory.hidden and memory.light.times(self._lamp_light, memory.view.window) > _OTHER_LAMP:
                self._under_another_lamp(memory)
            elif not memory.hidden and change.cells and self._men_have_come(memory):
                self._meet_men(memory)
            elif not (memory.hidden or memory.unknown) and change.cells and self._alike and memory.alike():
                memory = self._meet_heights(memory)
            self._meet_marks(memory, change.cells)
        between = [Moving(None)] if frame.snapshot and (change.cells or change.hidden) else []
        return [*between, *self._found_again(memory), Still(memory.reading(frame))]

    def _meet_the_rest(self, sample: Picture, memory: Memory, gains: Gains) -> Memory:
        """What covered cells from the beginning has moved: read all that can be seen now. When nothing is covered any
        more learn the table anew, unless the referee has told of it. `gains`: the light now, to that before."""
        memory, _ = self._read_all(sample, memory.view, memory.light.after(gains, None).gains)
        if not (memory.unknown or self._confirmed):
            self._meet_men(memory)
        return memory

    def _men_have_come(self, memory: Memory) -> bool:
        """Whether there may be far more men than the table was learned from: where something has changed on a board
        without any, perhaps the first. Once the referee knows what lies there this is his to say."""
        return self._met == 0 or (self._confirmed == 0 and memory.stacks() >= _FAR_MORE * self._met)

    def _meet_men(self, memory: Memory) -> None:
        """Learn the table anew from the men that have come."""
        table, reader, light = self._learn_now(memory, None)
        self._table, self._learned, self._lamp_light = table, table, light
        memory.take(reader, light, self._recent)
        self._met = memory.stacks()

    def _meet_heights(self, memory: Memory) -> Memory:
        """All stacks have looked equally high so far: from above single men and doubles of men half as thick look much
        the same. If they surely do not to somebody who sees the table for the first time now, believe him."""
        self._alike -= 1
        learned, table = self._learned_anew(memory)
        if learned.alike() or learned.doubtful or learned.owners() != memory.owners():
            return memory
        self._go_on_with(learned, table)
        return learned

    def _meet_marks(self, memory: Memory, changed: Iterable[int]) -> None:
        """Where cells have changed that may lie open for the first time, look for marks on the last such cells."""
        if cells := tuple(changed):
            last = tuple(dict.fromkeys((*cells, *self._last_changed)))
            self._last_changed, self._unmet = last[: max(_LAST_CHANGED, len(cells))], True
        table, learned, view = self._table, self._learned, memory.view
        if memory.hidden or memory.unknown or not self._unmet:
            return
        if table is None or learned is None or table.marks is not None:
            return
        picture = mean_picture(self._recent, view.window, memory.light)
        marks = cell_marks(picture, view.found.pose, self.layout, table.has_disks, sorted(self._last_changed))
        self._unmet = False
        if marks is not None:
            self._table, self._learned = replace(table, marks=marks), replace(learned, marks=marks)
            memory.take(self._make_reader(view.found.pose, self.layout, self._table), memory.light, self._recent)

    def _under_another_lamp(self, memory: Memory) -> None:
        """Perhaps another lamp lights the board: read all of it anew.

        Uneven light may be a shadow's, too, below the same lamp: whichever of the two leaves less doubt is kept.
        """
        cells, view, light = range(len(self.layout.names)), memory.view, BoardLight(memory.light.gains)
        table = self._look_for_lamp(view, light)
        reader = self._make_reader(view.found.pose, self.layout, table)
        if memory.light.shade is not None:
            lit = Memory(view, reader, memory.reference, light)
            lit.read(cells, self._recent)
            memory.read(cells, self._recent)
            if memory.sureness() > lit.sureness():
                self._lamp_light = memory.light
                return
        self._table = table
        memory.take(reader, light, self._recent)

    def _look_for_lamp(self, view: View, light: BoardLight) -> TableModel:
        """The lamp may be another, or stand elsewhere: find it anew, in the light of now.

        Always from the table as it was learned: the same stacks shall not vote on their thickness over and over.
        """
        self._lamp_light = light
        picture = mean_picture(self._recent, view.window, light)
        return self._relight(self._learned, picture, view.found.pose, self.layout)

    def _found_again(self, memory: Memory) -> list[Sight]:
        """Say that the board is back after it was lost, as soon as a good part of it can be seen."""
        if not self._lost or self._table is None or len(memory.hidden) > _MOST_CHANGED * len(self.layout.names):
            return []
        self._lost, self._newly_laid = "", False
        return [Found(memory.view.found, self._table)]

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
            self._memory = memory = self._meet_the_rest(sample, memory, SAME_LIGHT)
        elif len(cells) > _MOST_CHANGED * len(self.layout.names):
            self._under_another_lamp(memory)
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
            self._table = self._look_for_lamp(view, BoardLight(light))
        _, still = self._first_reading(frame, sample, view, light)
        return [Bumped((float(moved_px[0]), float(moved_px[1]))), still]
