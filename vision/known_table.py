"""What the eye knows of a table, and when it learns more: men, marks or heights that are new, another lamp."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from engine.layout import Layout
from engine.look import BoardLook
from vision.following.board_light import BoardLight, mean_picture
from vision.following.motion import SAME_LIGHT, Gains
from vision.frame import Frame
from vision.lamplight.cast_shade import cast_shade
from vision.memory import Memory, View
from vision.palette import Material
from vision.picture import Picture
from vision.reading.covered import covered_cells, largest_open_part
from vision.reading.learn import learn_table, relit_table
from vision.reading.read import CellReader
from vision.reading.table_model import TableModel
from vision.surfaces.cell_marks import cell_marks

#: Which confirmations by the referee are learned from.
_LEARN_AT = frozenset({1, 3, 9, 27, 81})
#: So many times as many stacks as the table was learned from are worth learning it anew.
_FAR_MORE = 3
#: So often the table is learned anew when something has changed while all stacks look equally high, and again when the
#: referee knows how the game begins.
_ALIKE = 3
#: So many cells that changed last are looked at for marks that have not been met.
_LAST_CHANGED = 8
#: So many times brighter or darker may mean another lamp.
_OTHER_LAMP = 1.1

Frames = Sequence[Frame]


class KnownTable:
    """What is known of one table, `table`, None as long as nothing is.

    What stands on it is in a `Memory`; the methods that take one read it anew where they have learned something, from
    the still `frames` they are given. `learn`, `relight` and `make_reader` are the parts that do the seeing.
    """

    def __init__(
        self,
        layout: Layout,
        material: Material,
        *,
        learn: Callable[..., TableModel] = learn_table,
        relight: Callable[..., TableModel] = relit_table,
        make_reader: Callable[..., CellReader] = CellReader,
    ) -> None:
        self.layout, self.material = layout, material
        self.table: TableModel | None = None
        self._learn, self._relight, self._make_reader = learn, relight, make_reader
        self._learned: TableModel | None = None  # before its lamp was looked for again
        self._lamp_light = BoardLight()  # in which the lamp was found
        self._confirmed = 0
        self._met = 0
        self._may_be_alike = self._alike = 0 if layout.man_mm else _ALIKE
        self._last_changed: tuple[int, ...] = ()
        self._unmet = False  # whether cells have changed since marks were looked for

    def forget(self) -> None:
        """Nothing is known of colours, sizes and the lamp any more."""
        self.table = self._learned = None

    # Reading the whole board

    def read_all(
        self, sample: Picture, view: View, gains: Gains, frames: Frames, searched: bool
    ) -> tuple[Memory, TableModel]:
        """Read every cell; where something foreign lies over some, only and by themselves those that it leaves open.

        The table's colours are learned when they are new. `gains`: the light now, to the colours'; `searched`: nobody
        knows where the board was before.
        """
        seen, before = mean_picture(frames, view.window, BoardLight()), self.table
        where = seen, view.found.pose, self.layout, self.material
        memory, table = self._read_open(seen, sample, view, gains, frames, searched, view.restless.cells)
        while more := covered_cells(*where, memory.reader, memory.all_known()) - memory.unknown:
            self.table = before
            memory, table = self._read_open(seen, sample, view, gains, frames, searched, memory.unknown | more)
        self._met = self._met or memory.stacks()
        return memory, table

    def _read_open(
        self,
        seen: Picture,
        sample: Picture,
        view: View,
        gains: Gains,
        frames: Frames,
        searched: bool,
        covered: frozenset[int],
    ) -> tuple[Memory, TableModel]:
        """Learn the table's colours when they are new, and read all cells that are not `covered`."""
        pose, (part, cells) = view.found.pose, largest_open_part(self.layout, covered)
        shade = cast_shade(seen, pose, part, self.material, view.window)
        light, table = BoardLight(gains if self.table is not None else SAME_LIGHT, shade), self.table
        if table is None:
            table = self._learn(mean_picture(frames, view.window, light), pose, part, self.material)
            table = self._learned = table.on_whole(self.layout, cells) if covered else table
            self._lamp_light = light
        elif searched:
            table = self._lamp_anew(view, light, frames)
        self.table = table
        self._lamp_light = BoardLight(self._lamp_light.gains, shade)  # other shades were those of another window
        memory = Memory(view, self._make_reader(pose, self.layout, table), sample, light, covered)
        memory.read(set(range(len(self.layout.names))) - covered, frames, patient=True)
        return memory, table

    def read_the_rest(self, sample: Picture, memory: Memory, gains: Gains, frames: Frames) -> Memory:
        """What covered cells from the beginning has moved: read all that can be seen now. When nothing is covered any
        more learn the table anew, unless the referee has told of it. `gains`: the light now, to that before."""
        gains = memory.light.after(gains, None).gains
        memory, _ = self.read_all(sample, memory.view, gains, frames, searched=False)
        if not (memory.unknown or self._confirmed):
            self._meet_men(memory, frames)
        return memory

    # Learning more

    def confirm(self, memory: Memory, looks: BoardLook, frames: Frames) -> Memory:
        """The referee knows what surely lies on the table now: learn colours and sizes anew, if that fits it better.

        Learning takes as long as a few readings, so it is done ever more rarely.
        """
        self._confirmed += 1
        self._alike = self._may_be_alike if self._confirmed == 1 else self._alike
        if self._confirmed not in _LEARN_AT:
            return memory
        learned, table = self._learned_anew(memory, frames, looks)
        if learned.log_likelihood(looks) <= memory.log_likelihood(looks):
            return memory
        return self._go_on_with(learned, table)

    def meet(self, memory: Memory, changed: Iterable[int], frames: Frames) -> Memory:
        """Some cells have changed and are read: learn of the table what they show for the first time."""
        if not memory.hidden and memory.light.times(self._lamp_light, memory.view.window) > _OTHER_LAMP:
            self.under_another_lamp(memory, frames)
        elif not memory.hidden and changed and self._men_have_come(memory):
            self._meet_men(memory, frames)
        elif not (memory.hidden or memory.unknown) and changed and self._alike and memory.alike():
            memory = self._meet_heights(memory, frames)
        self._meet_marks(memory, changed, frames)
        return memory

    def _learned_anew(
        self, memory: Memory, frames: Frames, looks: BoardLook | None = None
    ) -> tuple[Memory, TableModel]:
        """The table learned from what stands there now, and all cells as they are read by that."""
        table, reader, light = self._learn_now(memory, frames, looks)
        learned = Memory(memory.view, reader, memory.reference, light)
        learned.read(range(len(self.layout.names)), frames, patient=True)
        return learned, table

    def _learn_now(
        self, memory: Memory, frames: Frames, looks: BoardLook | None
    ) -> tuple[TableModel, CellReader, BoardLight]:
        """The table learned from what stands there now, its reader, and the light that it was learned in."""
        view, light = memory.view, BoardLight(shade=memory.light.shade)
        picture = mean_picture(frames, view.window, light)
        table = self._learn(picture, view.found.pose, self.layout, self.material, looks)
        return table, self._make_reader(view.found.pose, self.layout, table), light

    def _go_on_with(self, learned: Memory, table: TableModel) -> Memory:
        """From now on this is what is known of the table."""
        self.table, self._learned, self._lamp_light = table, table, learned.light
        return learned

    def _men_have_come(self, memory: Memory) -> bool:
        """Whether there may be far more men than the table was learned from: where something has changed on a board
        without any, perhaps the first. Once the referee knows what lies there this is his to say."""
        return self._met == 0 or (self._confirmed == 0 and memory.stacks() >= _FAR_MORE * self._met)

    def _meet_men(self, memory: Memory, frames: Frames) -> None:
        """Learn the table anew from the men that have come."""
        table, reader, light = self._learn_now(memory, frames, None)
        self.table, self._learned, self._lamp_light = table, table, light
        memory.take(reader, light, frames)
        self._met = memory.stacks()

    def _meet_heights(self, memory: Memory, frames: Frames) -> Memory:
        """All stacks have looked equally high so far: from above single men and doubles of men half as thick look much
        the same. If they surely do not to somebody who sees the table for the first time now, believe him."""
        self._alike -= 1
        learned, table = self._learned_anew(memory, frames)
        if learned.alike() or learned.doubtful or learned.owners() != memory.owners():
            return memory
        return self._go_on_with(learned, table)

    def _meet_marks(self, memory: Memory, changed: Iterable[int], frames: Frames) -> None:
        """Where cells have changed that may lie open for the first time, look for marks on the last such cells."""
        if cells := tuple(changed):
            last = tuple(dict.fromkeys((*cells, *self._last_changed)))
            self._last_changed, self._unmet = last[: max(_LAST_CHANGED, len(cells))], True
        table, learned, view = self.table, self._learned, memory.view
        if memory.hidden or memory.unknown or not self._unmet:
            return
        if table is None or learned is None or table.marks is not None:
            return
        picture = mean_picture(frames, view.window, memory.light)
        marks = cell_marks(picture, view.found.pose, self.layout, table.has_disks, sorted(self._last_changed))
        self._unmet = False
        if marks is not None:
            self.table, self._learned = replace(table, marks=marks), replace(learned, marks=marks)
            memory.take(self._make_reader(view.found.pose, self.layout, self.table), memory.light, frames)

    # The lamp

    def under_another_lamp(self, memory: Memory, frames: Frames) -> None:
        """Perhaps another lamp lights the board: read all of it anew.

        Uneven light may be a shadow's, too, below the same lamp: whichever of the two leaves less doubt is kept.
        """
        cells, view, light = range(len(self.layout.names)), memory.view, BoardLight(memory.light.gains)
        table = self._lamp_anew(view, light, frames)
        reader = self._make_reader(view.found.pose, self.layout, table)
        if memory.light.shade is not None:
            lit = Memory(view, reader, memory.reference, light)
            lit.read(cells, frames)
            memory.read(cells, frames)
            if memory.sureness() > lit.sureness():
                self._lamp_light = memory.light
                return
        self.table = table
        memory.take(reader, light, frames)

    def look_for_lamp(self, view: View, light: BoardLight, frames: Frames) -> None:
        """The lamp may be another, or stand elsewhere: find it anew, in the light of now."""
        self.table = self._lamp_anew(view, light, frames)

    def _lamp_anew(self, view: View, light: BoardLight, frames: Frames) -> TableModel:
        """The table below the lamp of now. Always from the table as it was learned: the same stacks shall not vote on
        their thickness over and over."""
        self._lamp_light = light
        picture = mean_picture(frames, view.window, light)
        return self._relight(self._learned, picture, view.found.pose, self.layout)
