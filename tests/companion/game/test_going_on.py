"""Games that go on with the board another way round: taken up from a record, or turned on the table amid the game."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.following import follow
from companion.game.clock import ClockSettings, clock_after
from companion.game.journal import Journal
from companion.game.session import Session, Setup
from companion.game.setups import with_record
from companion.options import read_material
from companion.seeing import make_eye
from engine.board import Board, Cell, hexhex
from engine.layout import layout_of
from engine.records.record import Record, Turn
from tests.footage_places import SAMPLES
from vision.frame import Frame
from vision.sources import open_source

BOARD = hexhex(4)
#: So many plies have been made when the game is taken up or the board is turned, and when the watching ends.
PLIES, LAST = 7, 11


def turned(text: str, sixths: int, board: Board = BOARD) -> str:
    """A turn as it is called where the board lies turned by so many sixths."""

    def name(match: re.Match[str]) -> str:
        cell = board.cells[board.by_name[match[0]]]
        for _ in range(sixths):
            cell = Cell(-cell.r, cell.q + cell.r)
        return board.names[board.index[cell]]

    return re.sub(r"[a-z]\d+", name, text)


def sample_game() -> tuple[list[str], int, int]:
    """The turns of the sample film up to the last, placements first, as its truth names them, and the frames in which
    the board is still after `PLIES` plies and after the last."""
    truth = json.loads((SAMPLES / "sample.json").read_text())
    names = {(cell.q, cell.r): name for cell, name in zip(BOARD.cells, BOARD.names, strict=True)}
    placed = {1: list[str](), 2: list[str]()}
    for q, r, _, owner, height in truth["start"]:
        if owner:
            placed[owner] += [names[q, r]] * height
    turns = [",".join(sorted(placed[owner])) for owner in (1, 2)]
    for ply in truth["plies"][:LAST]:
        (q, r), (to_q, to_r), men = ply["move"]
        turns.append(f"{names[q, r]}:{men}-{names[to_q, to_r]}")
    return turns, truth["plies"][PLIES - 1]["settled"], truth["plies"][LAST - 1]["settled"]


def played(session: Session) -> list[str]:
    """The turns of a session's record, without how many men of a stack moved."""
    return [re.sub(r":\d", "", turn.text) for turn in session.record().turns]


def frames_between(first: int, last: int) -> Iterator[Frame]:
    """The sample film from one frame to another."""
    source = open_source(str(SAMPLES / "sample.mp4"))
    for frame in source:
        if frame.index > last:
            source.close()
            return
        if frame.index >= first:
            yield frame


@pytest.mark.parametrize("sixths", [1, 4])
def test_a_game_goes_on_whichever_way_round_the_board_lies_now(sixths: int) -> None:
    """What the record says stands on the table tells, where no marker does: the rest is recorded in its names."""
    turns, settled, last = sample_game()
    layout, setup = layout_of(BOARD), Setup(BOARD, ("red", "white"))
    record = Record(BOARD, turns=tuple(Turn(turned(text, sixths)) for text in turns[: PLIES + 2]))
    session = Session(with_record(setup, record))
    eye = make_eye(layout, read_material("red,white", "beige,dark"), None)
    for _ in follow(frames_between(settled - 4, last), eye, session):
        pass
    session.finish(60.0, 720)
    assert played(session)[PLIES + 2 :] == [re.sub(r":\d", "", turned(text, sixths)) for text in turns[PLIES + 2 :]]


def turned_from(first: int, last: int, degrees: float) -> Iterator[Frame]:
    """The sample film; from a frame on its picture is turned about the board's middle and made smaller."""
    middle = np.mean([cell["px"] for cell in json.loads((SAMPLES / "sample.json").read_text())["cells"]], axis=0)
    about = cv2.getRotationMatrix2D(tuple(middle.tolist()), degrees, 0.75)
    for frame in frames_between(0, last):
        if frame.index < first:
            yield frame
            continue
        size = frame.image.shape[1], frame.image.shape[0]
        about[:, 2] += (np.array(size) / 2 - middle) * (frame.index == first)
        yield replace(frame, image=cv2.warpAffine(frame.image, about, size, flags=cv2.INTER_AREA))


def test_a_board_may_be_turned_round_amid_a_game() -> None:
    """By far more than a sixth: it is found again, and the cells keep their names."""
    turns, settled, last = sample_game()
    session = Session(Setup(BOARD, ("red", "white")))
    eye = make_eye(layout_of(BOARD), read_material("red,white", "beige,dark"), None)
    for _ in follow(turned_from(settled - 3, last, 80.0), eye, session):
        pass
    session.finish(60.0, 720)
    assert [event.kind for event in session.events()].count("bump") == 1
    found = played(session)
    assert found[2:] in [[re.sub(r":\d", "", turned(text, sixths)) for text in turns[2:]] for sixths in range(6)]


def test_the_time_of_a_game_goes_on_too(tmp_path: Path) -> None:
    """Begun for the second time its source counts from 0 again: record and clock do not."""
    with Journal(tmp_path / "journal.db") as journal:
        before = Session(Setup(BOARD, ("red", "white"), clock=ClockSettings(60.0, 0.5)), journal)
        for t_s, turn in ((20.0, "a3,a3,b2"), (30.0, "g6,g6,f4"), (40.0, "a3-a5")):
            before.tick(t_s, 0)
            before.enter(turn)
        session = Session.resume(journal)
        eye = make_eye(layout_of(BOARD), read_material("red,white", "beige,dark"), None)
        nothing = Frame(np.zeros((90, 160, 3), np.uint8), 2.5, 30)
        list(follow([nothing], eye, session))
        assert [(event.kind, event.t_s, event.frame) for event in session.events()[-1:]] == [("lost", 42.5, 30)]
        assert session.state.lost.startswith("nothing in the picture has the regular pattern")
        assert session.setup.clock is not None
        clock = clock_after(session.setup.clock, session.events())
        assert clock.at(session.state.t_s).remaining_s == (50.5, 48.0)
        assert session.record().clock == "60+0.5"
