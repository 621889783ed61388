"""How the referee puts what it found into verdicts with plain sentences and steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.board import Board
from engine.game import Game
from engine.look import BoardLook, CellLook
from engine.referee.evidence import Evidence
from engine.referee.lines import Line, Partial
from engine.referee.slips import Slip, why_illegal
from engine.referee.verdict import Illegal, Pending, Reminder, Step, Unread
from engine.referee.words import instruction

_MOST_NAMED = 3  #: when more cells than this are strange, naming them helps nobody


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of one game: its board, its notation, the colours of the men."""

    game: Game
    board: Board
    colours: tuple[str, str]

    def line_text(self, line: Line) -> str:
        """The turns of a line in notation."""
        return " ".join(self.game.format_turn(turn.actions) for turn in line.turns)

    def step(self, cell: int, now: CellLook, then: CellLook) -> Step:
        """One thing to do on the table."""
        return Step(cell, then, instruction(self.board, cell, now, then, self.colours))

    def reminder(self, cell: int, now: CellLook, expected: CellLook) -> Reminder:
        """What a cell lacks."""
        return Reminder(cell, expected, instruction(self.board, cell, now, expected, self.colours))

    def illegal(self, line: Line, slip: Slip) -> Illegal:
        """A move that no rule allows, after the turns of a line."""
        now = dict(slip.cells)
        repair = tuple(self.step(c, now[c], line.looks[c]) for c in (slip.source, slip.target))
        return Illegal(slip.player, why_illegal(line.position, slip, self.colours), slip.source, slip.target, repair)

    def inexplicable(
        self, looks: BoardLook, evidence: Evidence, strange: Sequence[int], player: int
    ) -> Illegal | Unread:
        """Cells that differ though no move and no slip explains them."""
        if len(strange) > _MOST_NAMED:
            return Unread(tuple(strange))
        steps = tuple(self.step(c, evidence.best(c, looks[c]), looks[c]) for c in strange)
        names = ", ".join(self.board.names[c] for c in strange)
        return Illegal(player, f"no move explains what stands on {names}", None, None, steps)

    def pending(self, line: Line, known: Mapping[int, CellLook]) -> Pending:
        """The turn under way and what it still lacks; `known` are cells that people were reminded of already."""
        turn, steps = "", []
        if isinstance(line.tail, Partial):
            turn = self.game.format_turn((*line.opened, line.tail.action))
            steps = [self.step(c, now, then) for c, (now, then) in line.tail.lacking.items()]
        elif line.turns:
            last = line.turns[-1]
            turn, rule = self.game.format_turn(last.actions), last.after.look()
            lacking = [(c, now) for c, now in enumerate(last.looks) if now != rule[c] and c not in known]
            steps = [self.step(c, now, rule[c]) for c, now in lacking]
        elif line.opened:
            turn = self.game.format_turn(line.opened)
        return Pending(line.turns[-1].player if line.turns else line.position.player, turn, tuple(steps))
