"""Games that go on from a record: the board may have been put down another way round since."""

import json
import re
from collections.abc import Iterator

import pytest

from companion.following import follow
from companion.options import read_material
from companion.seeing import make_eye
from companion.session import Session, Setup, with_record
from engine.board import Board, Cell, hexhex
from engine.layout import layout_of
from engine.record import Record, Turn
from tests.footage_places import SAMPLES
from vision.frame import Frame
from vision.sources import open_source

BOARD = hexhex(4)
PLIES = 7  #: so many have been made when the game is taken up


def turned(text: str, sixths: int, board: Board = BOARD) -> str:
    """A turn as it is called where the board lies turned by so many sixths."""

    def name(match: re.Match[str]) -> str:
        cell = board.cells[board.by_name[match[0]]]
        for _ in range(sixths):
            cell = Cell(-cell.r, cell.q + cell.r)
        return board.names[board.index[cell]]

    return re.sub(r"[a-z]\d+", name, text)


def sample_game() -> tuple[list[str], int]:
    """The turns of the sample film, placements first, as its truth names them, and the frame after `PLIES` plies."""
    truth = json.loads((SAMPLES / "sample.json").read_text())
    names = {(cell.q, cell.r): name for cell, name in zip(BOARD.cells, BOARD.names, strict=True)}
    placed = {1: list[str](), 2: list[str]()}
    for q, r, _, owner, height in truth["start"]:
        if owner:
            placed[owner] += [names[q, r]] * height
    turns = [",".join(sorted(placed[owner])) for owner in (1, 2)]
    for ply in truth["plies"]:
        (q, r), (to_q, to_r), men = ply["move"]
        turns.append(f"{names[q, r]}:{men}-{names[to_q, to_r]}")
    return turns, truth["plies"][PLIES - 1]["settled"]


def frames_from(first: int) -> Iterator[Frame]:
    """The sample film from a frame on."""
    for frame in open_source(str(SAMPLES / "sample.mp4")):
        if frame.index >= first:
            yield frame


@pytest.mark.parametrize("sixths", [0, 1, 4])
def test_a_game_goes_on_whichever_way_round_the_board_lies_now(sixths: int) -> None:
    """What the record says stands on the table tells, where no marker does: the rest is recorded in its names."""
    turns, settled = sample_game()
    layout, setup = layout_of(BOARD), Setup(BOARD, ("red", "white"))
    record = Record(BOARD, turns=tuple(Turn(turned(text, sixths)) for text in turns[: PLIES + 2]))
    session = Session(with_record(setup, record))
    eye = make_eye(layout, read_material("red,white", "beige,dark"), None)
    for _ in follow(frames_from(settled - 4), eye, session):
        pass
    session.finish(60.0, 720)
    played = [turn.text for turn in session.record().turns[PLIES + 2 :]]
    wanted = [turned(text, sixths) for text in turns[PLIES + 2 :]]
    assert [re.sub(r":\d", "", text) for text in played] == [re.sub(r":\d", "", text) for text in wanted]
