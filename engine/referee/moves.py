"""What the cells of an action may look like on the table while people carry it out, and when they are done.

All of it is the same for equal positions, so it is worked out once and kept for as long as the position is asked about.
What an action leads to is not: a repetition also depends on how the position came about.
"""

from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache

from engine.game import Action, Position
from engine.look import CellLook
from engine.referee.lines import named_cells

# Log-priors of what people leave undone, at least for a while.
FORGOTTEN = -1.5  #: a disk that should have been turned
NOT_SET = -2.0  #: a new man that should have been set


class Stages:
    """The looks that a cell goes through, from the first to the last; any of them may lie on the table meanwhile."""

    def __init__(self, looks: tuple[CellLook, ...]) -> None:
        self.first, self.last = looks[0], looks[-1]
        self._looks = looks
        self._on: dict[tuple[int, int], tuple[CellLook, ...]] = {}
        self._ends: dict[tuple[int, int], tuple[tuple[CellLook, float], ...]] = {}

    def on(self, table: CellLook) -> tuple[CellLook, ...]:
        """The stages of a cell that lay so before; a disk that lay wrong may lie wrong all the while."""
        found = self._on.get(table.places)
        if found is None:
            found = self._on[table.places] = _stages(self._looks, table)
        return found

    def ends(self, table: CellLook) -> tuple[tuple[CellLook, float], ...]:
        """The looks at the end of a cell that lay so before, with the log-priors of what people leave undone."""
        found = self._ends.get(table.places)
        if found is None:
            found = self._ends[table.places] = _ends(self._looks, table)
        return found


_shared = lru_cache(maxsize=4096)(Stages)


class Move:
    """One legal action: what it names, and what it changes on the table."""

    __slots__ = ("_material", "_position", "action", "named")

    def __init__(self, position: Position, action: Action) -> None:
        self.action = action
        self.named: AbstractSet[int] = frozenset(map(position.board.by_name.__getitem__, named_cells(action)))
        self._position: Position | None = position
        self._material: tuple[tuple[int, Stages], ...] = ()

    @property
    def material(self) -> tuple[tuple[int, Stages], ...]:
        """The cells that change, each with the looks it goes through."""
        if self._position is not None:
            looks = self._position.material(self.action)
            self._material, self._position = tuple((cell, _shared(stages)) for cell, stages in looks.items()), None
        return self._material

    @property
    def cells(self) -> AbstractSet[int]:
        """The cells that suggest the action when they have changed."""
        return self.named or frozenset(cell for cell, _ in self.material)


@lru_cache(maxsize=128)
def moves(position: Position) -> tuple[Move, ...]:
    """The legal actions of a position."""
    return tuple(Move(position, action) for action in position.actions())


def _stages(stages: tuple[CellLook, ...], table: CellLook) -> tuple[CellLook, ...]:
    if table == stages[0]:
        return stages
    wrong = tuple(CellLook(table.surface, s.men, s.height) for s in stages if s.surface is stages[0].surface)
    return (table, *wrong, *stages)


def _ends(stages: tuple[CellLook, ...], table: CellLook) -> tuple[tuple[CellLook, float], ...]:
    first, last = stages[0], stages[-1]
    ends = [(last, 0.0)]
    if last.surface is not first.surface:
        ends.append((replace(last, surface=first.surface), FORGOTTEN))
    if table.surface not in (first.surface, last.surface):
        ends.append((replace(last, surface=table.surface), 0.0 if last.surface is first.surface else FORGOTTEN))
    elif table.surface is not first.surface and last.surface is first.surface:
        ends.append((replace(last, surface=table.surface), 0.0))
    if first.men == last.men and last.height == 1 and any(s.men == 0 for s in stages):
        ends += [(CellLook(last.surface), NOT_SET), (CellLook(first.surface), NOT_SET + FORGOTTEN / 2)]
    if table.men == first.men == last.men and table.height != first.height:
        height = last.height + table.height - first.height
        if height >= 1:
            ends.append((replace(last, height=height), 0.0))
    return tuple(ends)
