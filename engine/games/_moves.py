"""The actions that castle and Phalanx share: a line of men that moves along itself, and their notation."""

import re
from dataclasses import dataclass

_LINE_MOVE = re.compile(r"([a-z]\d+)\.\.([a-z]\d+)-([a-z]\d+)")


@dataclass(frozen=True, slots=True)
class LineMove:
    """A phalanx, from its tail to its head, moves along its line until the head is on the goal: `c3..c6-c8`."""

    tail: str
    head: str
    goal: str

    def __str__(self) -> str:
        return f"{self.tail}..{self.head}-{self.goal}"


def parse_line_move(text: str) -> LineMove | None:
    """The phalanx move that a text writes, or None for a text of another form."""
    match = _LINE_MOVE.fullmatch(text)
    return LineMove(*match.groups()) if match else None
