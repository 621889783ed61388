"""The sample game as turns, and a table that shows positions to a real session as the eye would."""

import json
from collections.abc import Sequence

from companion.game.session import Session, Setup
from engine.board import Cell, hexhex
from engine.look import BoardLook, CellLook, Reading, certain
from tests.footage_places import SAMPLES

BOARD = hexhex(4)
FPS = 12.0


def sample_turns() -> list[str]:
    """Both placements and the sixteen moves of the sample film, from its truth file."""
    truth = json.loads((SAMPLES / "sample.json").read_text(encoding="utf-8"))

    def name(cell: Sequence[int]) -> str:
        return BOARD.names[BOARD.index[Cell(cell[0], cell[1])]]

    turns = [",".join(name(c) for c in truth["start"] if c[3] == p for _ in range(c[4])) for p in (1, 2)]
    heights = {tuple(c[:2]): c[4] for c in truth["start"]}
    for ply in truth["plies"]:
        source, target, count = ply["move"]
        split = "" if heights[tuple(source)] == count else f":{count}"
        turns.append(f"{name(source)}{split}-{name(target)}")
        heights = {tuple(c[:2]): c[4] for c in ply["after"]}
    return turns


class ShownTable:
    """A table before a session: hands come and go, and in between the board lies still. Time is simulated."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.t_s, self.frame = 0.0, 0

    def hand(self, seconds: float = 0.5) -> None:
        """A hand moves over the board."""
        for _ in range(round(seconds * FPS)):
            self._next()
            self.session.moving(self.t_s, self.frame)

    def still(self, looks: BoardLook, seconds: float = 3.0) -> None:
        """The board lies still and looks like this."""
        self._next()
        self.session.still(Reading(self.t_s, self.frame, tuple(map(certain, looks))))
        for _ in range(round(seconds * FPS)):
            self._next()
            self.session.tick(self.t_s, self.frame)

    def play(self, text: str) -> None:
        """Somebody carries out a legal turn at the table, disk and all."""
        position = self.session.state.position
        for action in position.parse_turn(text):
            position = position.after(action)
        self.hand()
        self.still(position.look())

    def _next(self) -> None:
        self.frame += 1
        self.t_s = self.frame / FPS


def new_session(**setup: object) -> Session:
    """A session on the sample's board."""
    return Session(Setup(BOARD, ("red", "white"), **setup))  # type: ignore[arg-type]


def begun(plies: int = 4, **setup: object) -> tuple[Session, ShownTable, list[str]]:
    """The sample game after the placement and some turns, its table, and the turns that are left."""
    session = new_session(names=("Anna", "Ben"), **setup)
    table, turns = ShownTable(session), sample_turns()
    session.found(0.0, 0)
    for text in turns[:2]:
        session.enter(text)
    table.still(session.state.position.look())
    for text in turns[2 : 2 + plies]:
        table.play(text)
    return session, table, turns[2 + plies :]


def changed(looks: BoardLook, **cells: CellLook) -> BoardLook:
    """The same board with other looks on the named cells."""
    return tuple(cells.get(name, look) for name, look in zip(BOARD.names, looks, strict=True))
