"""The same moves from another opening: from cell to cell, whatever the heights of the stacks."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from engine.game import Position
from engine.look import CellLook
from engine.referee.opening import Opening
from engine.referee.verdict import Ply


@dataclass(frozen=True, slots=True)
class _Step:
    """A ply as it was played, the same one from the other opening, and the cells that then differ but for height."""

    played: Ply
    again: Ply
    unlike: frozenset[int]


class Replay:
    """A game's moves from another opening, worked out ply by ply as the game goes on."""

    def __init__(self, opening: Opening) -> None:
        self.opening = opening
        self._steps: list[_Step] = []
        self._refused: Ply | None = None

    def follow(self, plies: Sequence[Ply], unsure: Collection[int]) -> tuple[Ply, ...] | None:
        """The game from this opening. `plies` are all of the game as it was played, its placements included.

        None where the rules forbid a move, or where the table would have looked different but for heights and the
        cells `unsure`.
        """
        moves = plies[len(self.opening.plies) :]
        same = 0
        while same < min(len(moves), len(self._steps)) and self._steps[same].played is moves[same]:
            same += 1
        if same < len(self._steps):
            del self._steps[same:]
            self._refused = None
        for ply in moves[same:]:
            step = None if ply is self._refused else self._step(ply)
            if step is None:
                self._refused = ply
                return None
            self._steps.append(step)
        if any(not step.unlike <= set(unsure) for step in self._steps):
            return None
        return (*self.opening.plies, *(step.again for step in self._steps))

    def _step(self, ply: Ply) -> _Step | None:
        position: Position = self._steps[-1].again.after if self._steps else self.opening.position
        action = next((a for a in position.actions() if _unsplit(str(a)) == _unsplit(ply.text)), None)
        if action is None:
            return None
        after = position.after(action)
        looks = list(zip(after.look(), ply.after.look(), strict=True))
        again = replace(ply, text=str(action), actions=(action,), after=after)
        return _Step(ply, again, frozenset(c for c, (a, b) in enumerate(looks) if _unlike(a, b)))


def _unlike(a: CellLook, b: CellLook) -> bool:
    """Whether two looks differ in more than their heights."""
    return a.surface is not b.surface or a.men != b.men


def _unsplit(text: str) -> str:
    """A move without the number of men: `d3:1-d4` → `d3-d4`."""
    return re.sub(r":\d+", "", text)
