"""Games that were under way before anybody watched: taken up from the table, by the camera, by hand, from the page."""

import json
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from companion.following import follow
from companion.game.journal import Journal
from companion.game.session import Session, Setup
from companion.options import read_material
from companion.page.actions import perform, read_act
from companion.page.state import state_json
from companion.seeing import make_eye
from companion.terminal.keyboard import run_line
from companion.terminal.live_view import status_text
from engine.board import named_board
from engine.errors import EngineError
from engine.layout import layout_of
from engine.look import UNSEEN, BoardLook, CellLook, Reading, Surface, certain
from engine.records.json_format import read_json, write_json
from engine.records.record import replay
from tests.companion.game.test_going_on import BOARD, PLIES, frames_between, played, sample_game, turned
from tests.companion.game.test_session import COLOURS, opened, see
from tests.footage_places import SAMPLES

MOVED = ("d2-d4", "f4-f5", "b3-c3")


def moved(*more: str) -> BoardLook:
    """What lies on the table after a few moves; the second player moves next."""
    return opened(*MOVED, *more).state.expected


def stands(session: Session, looks: BoardLook, t_s: float, seconds: float = 1.0, hidden: str = "") -> None:
    """The table stands like this for so long; the cell `hidden` cannot be seen."""
    cells = [UNSEEN if name == hidden else certain(look) for name, look in zip(BOARD.names, looks, strict=True)]
    session.still(Reading(t_s, round(12 * t_s), tuple(cells)))
    for i in range(1, round(12 * seconds) + 1):
        session.tick(t_s + i / 12, round(12 * t_s) + i)


def starts(session: Session) -> list[dict[str, object]]:
    """What the events say of starts."""
    return [dict(event.fields) for event in session.events() if event.kind == "start"]


def test_the_sample_game_is_taken_up_from_the_table() -> None:
    """After seven plies, the players resting for a second, without a record that leads there: terrain and men, and all
    that follows, in the names of the side of the board that is taken to be up."""
    truth = json.loads((SAMPLES / "sample.json").read_text())
    turns, settled, last = sample_game()
    session = Session(Setup(BOARD, COLOURS), under_way=truth["plies"][PLIES]["player"])
    eye = make_eye(layout_of(BOARD), read_material("red,white", "beige,dark"), None)
    rest = next(frames_between(settled, settled))
    rests = [replace(rest, t_s=rest.t_s - k / 12, index=settled - k) for k in range(12, 0, -1)]
    for _ in follow(chain(rests, frames_between(settled, last)), eye, session):
        pass
    session.finish(200.0, last)
    ways = [[re.sub(r":\d", "", turned(text, sixths)) for text in turns[2 + PLIES :]] for sixths in range(6)]
    sixths = ways.index(played(session))
    names = {(cell.q, cell.r): turned(name, sixths) for cell, name in zip(BOARD.cells, BOARD.names, strict=True)}
    start = session.record().start
    assert start is not None
    assert dict(zip(BOARD.names, start.tiles, strict=True)) == {
        names[q, r]: (tile, owner, height) for q, r, tile, owner, height in truth["plies"][PLIES - 1]["after"]
    }


def test_a_table_that_stands_is_taken_up_and_played_on() -> None:
    """No placements, the mover as told; the record begins with what stood there and replays as JSON."""
    session = Session(Setup(BOARD, COLOURS), under_way=2)
    stands(session, moved(), 0.0)
    (start,) = starts(session)
    assert (start["placements"], start["to_move"]) == ([], 2)
    see(session, list(moved("d6-d4")), 2.0)
    session.finish(4.0, 48)
    record = read_json(write_json(session.record(), "2026-05-01T19:30:00Z"), "the record")
    assert [turn.text for turn in record.turns] == ["d6-d4"]
    assert tuple(replay(record))[-1].position.look() == moved("d6-d4")


def test_a_hand_over_the_board_is_waited_for() -> None:
    """What stood for a moment only, or was half hidden, is not the table."""
    session = Session(Setup(BOARD, COLOURS), under_way=2)
    stands(session, moved("d6-d4"), 0.0, seconds=0.2)
    session.moving(0.3, 4)
    for i in range(12):
        session.tick(0.4 + i / 12, 5 + i)
    stands(session, moved(), 2.0, hidden="e4")
    assert starts(session) == []
    session.moving(3.1, 37)
    stands(session, moved(), 4.0)
    assert len(starts(session)) == 1
    assert session.state.expected == moved()


def test_a_table_that_is_never_seen_whole_is_not_taken_up() -> None:
    """The reason is kept; nothing is invented."""
    session = Session(Setup(BOARD, COLOURS), under_way=2)
    stands(session, moved(), 0.0, hidden="e4")
    session.finish(2.0, 24)
    assert session.why_not_taken_up == "e4 cannot be seen"
    assert starts(session) == []


def test_a_false_start_is_put_right_by_hand(tmp_path: Path) -> None:
    """The men look like a placement, two disks are gone: the start says so; `under-way white` begins anew from the
    table, also in the journal, and the game goes on after a crash."""
    looks = list(opened().state.expected)
    looks[BOARD.by_name["c5"]] = looks[BOARD.by_name["e5"]] = CellLook(Surface.BARE)
    with Journal(tmp_path / "games.journal") as journal:
        session = Session(Setup(BOARD, COLOURS), journal)
        stands(session, tuple(looks), 0.0)
        (start,) = starts(session)
        assert start["doubt"] == "the disks of c5 and e5 look as if a game were under way"
        assert state_json(session.state)["doubt"] == start["doubt"]
        assert run_line(session, "under-way") == "'' is no player; they are red and white"
        assert run_line(session, "under-way white") == "done: under-way white"
        assert state_json(session.state)["doubt"] == ""
        assert session.state.expected == tuple(looks)
        assert (session.state.player, session.state.history, len(journal.games())) == (2, (), 1)
        session.enter("f4-f5")
        again = Session.resume(journal)
        assert [ply.text for ply in again.state.history] == ["f4-f5"]
        assert again.state.expected == session.state.expected
        again.enter("pass")
        assert [event.seq for event in journal.events(2)] == [1, 2, 3]
        with pytest.raises(EngineError, match="has been watched from its start"):
            session.take_up(1)


def test_what_is_no_placement_waits_until_somebody_says_who_moves() -> None:
    """Unequal sides and turned disks: no game begins by itself, neither at rest nor by a hand; a press on the page
    takes it up."""
    looks = moved("d6-d4")
    session = Session(Setup(BOARD, COLOURS))
    stands(session, looks, 0.0)
    session.moving(1.5, 18)
    stands(session, looks, 2.0)
    assert starts(session) == []
    assert "look as if a game were under way" in state_json(session.state)["doubt"]
    assert str(status_text(session.state)).endswith("under way (if so, type under-way and who moves next)")
    perform(session, read_act(b'{"do": "take-up", "player": 1}'))
    assert session.state.expected == looks
    assert session.state.player == 1


def test_what_no_table_shows_cannot_be_taken_up() -> None:
    """Before a reading; without disks; and games whose state does not lie on the table."""
    with pytest.raises(EngineError, match="the board has not been read yet"):
        Session(Setup(BOARD, COLOURS)).take_up(1)
    with pytest.raises(EngineError, match="without disks"):
        Session(Setup(BOARD, COLOURS, disks=None), under_way=1)
    with pytest.raises(EngineError, match="Phalanx cannot be taken up"):
        Session(Setup(named_board("hexhex-6"), COLOURS, game="phalanx"), under_way=1)
