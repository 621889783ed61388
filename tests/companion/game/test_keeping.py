"""What becomes of a game when there is no more room for its journal, its events or its record."""

import json
import subprocess
from pathlib import Path

import cv2
import pytest

from companion.game.journal import Journal
from companion.game.session import Session, Setup
from companion.page.state import state_json
from companion.terminal.live_view import status_text
from engine.board import hexhex
from tests.companion.game.test_taking_up import BOARD, COLOURS, moved, stands
from tests.companion.test_watch import FILM, MATERIAL, film_of, run

TURNS = ("b4,e2,e2,f6", "d1,d1,g6,g6", "f6-g6", "d1-b2")


def test_a_full_journal_does_not_stop_a_game(tmp_path: Path) -> None:
    """It says so while it is full, and has everything as soon as there is room again."""
    with Journal(tmp_path / "games.journal") as journal:
        session = Session(Setup(hexhex(4), ("red", "white")), journal)
        for turn in TURNS[:2]:
            session.enter(turn)
        journal._db.execute("PRAGMA max_page_count = 1")  # no larger than it is now
        while not session.state.unkept:
            session.enter(TURNS[2])
            session.take_back(1)
        assert "games.journal: cannot be written: database or disk is full" in session.state.unkept
        assert state_json(session.state)["unkept"] == session.state.unkept
        assert "the game goes on" in str(status_text(session.state))
        missing = session.events()[-1]
        assert missing not in journal.events(1)
        journal._db.execute("PRAGMA max_page_count = 100000")
        session.enter(TURNS[2])
        assert session.state.unkept == ""
        assert journal.events(1) == session.events()
        assert Session.resume(journal).state.history == session.state.history


def test_a_game_that_is_taken_up_without_room_is_played_unkept(tmp_path: Path) -> None:
    """Its events would be taken for those of the game that was watched before."""
    with Journal(tmp_path / "games.journal") as journal:
        session = Session(Setup(BOARD, COLOURS), journal, under_way=2)
        journal._db.execute("PRAGMA query_only = ON")
        stands(session, moved(), 0.0)
        session.enter("pass")
        session.finish(9.0, 108)
        assert session.state.expected == moved()
        assert "games.journal: cannot be written" in session.state.unkept
        assert [event.kind for event in session.events()] == ["start", "pass", "end"]
        assert journal.events(1) == ()


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first seconds of the sample film: a placement."""
    film, pictures = cv2.VideoCapture(str(FILM)), []
    while len(pictures) < 40:
        pictures.append(film.read()[1])
    return film_of(pictures, tmp_path_factory.mktemp("short") / "short.mp4")


def _placements(text: str) -> list[str]:
    return [turn["move"] if isinstance(turn, dict) else turn for turn in json.loads(text)["moves"][0]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_for_the_events_costs_no_record(short: Path, tmp_path: Path) -> None:
    """The record is whole, and one line says what is not."""
    done = run(
        "watch", str(short), *MATERIAL, "--headless", "--events", "/dev/full", "--record", "r.json", cwd=tmp_path
    )
    assert _refused(done) == "storisende: events /dev/full: cannot be written: No space left on device; " + (
        "what is missing there stands in the record, if one was asked for"
    )
    assert _placements((tmp_path / "r.json").read_text()) == list(TURNS[:2])


def test_a_record_that_cannot_be_written_is_printed(short: Path, tmp_path: Path) -> None:
    """Its last refuge is the terminal."""
    (tmp_path / "r.json.part").mkdir()
    done = run("watch", str(short), *MATERIAL, "--headless", "--record", "r.json", cwd=tmp_path)
    assert _refused(done).startswith("storisende: record r.json: cannot be written: ")
    assert f"2. {TURNS[1]}" in done.stdout


def _refused(done: "subprocess.CompletedProcess[str]") -> str:
    """The one line that says why."""
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    return line
