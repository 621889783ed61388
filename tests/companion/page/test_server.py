"""The server with a real session behind it: the event stream and its replay, requests, downloads, the command."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.game.journal import Journal
from companion.game.session import Session, Setup
from companion.page.game import DOWNLOADS
from companion.page.opening import Equipment, Source, TableOpener
from companion.page.server import PageServer, start_page
from companion.page.table import Game, Table
from engine.board import hexhex
from engine.records.json_format import read_json
from engine.records.text_format import read_text
from tests.companion.page.page_client import Answer, post, request
from tests.footage_places import SAMPLES

TURNS = ["a3,a3", "g6,g6", "a3-a5", "g6-g4"]
Serve = Callable[..., PageServer]


@pytest.fixture
def session() -> Session:
    """A game after four turns."""
    session = Session(Setup(hexhex(4), ("red", "purple"), ("Anna", "")))
    for turn in TURNS:
        session.enter(turn)
    return session


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves a table on a free port until the test ends."""
    servers = []

    def served(table: Table) -> PageServer:
        server = PageServer(table, "127.0.0.1", 0, lan=False)
        server.start()
        servers.append(server)
        return server

    yield served
    for server in servers:
        server.table.close()
        server.stop()


@pytest.fixture
def page(serve: Serve, session: Session) -> PageServer:
    """A page about the session."""
    return serve(Table(Game(session, name="one")))


class Stream:
    """One browser's event stream, read message by message."""

    def __init__(self, port: int, last: str = "") -> None:
        self._line = socket.create_connection(("127.0.0.1", port), timeout=10)
        extra = f"Last-Event-ID: {last}\r\n" if last else ""
        self._line.sendall(f"GET /api/feed HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{extra}\r\n".encode())
        self._text = ""

    def message(self) -> tuple[str, str, dict[str, Any]]:
        """The next message: id, kind, data."""
        while True:
            match = re.search(r"id: (\S+)\r?\nevent: (\w+)\r?\ndata: (.*)\r?\n\r?\n", self._text)
            if match:
                self._text = self._text[match.end() :]
                return match[1], match[2], json.loads(match[3])
            received = self._line.recv(65536)
            assert received, "the stream has ended"
            # chunk lengths of the transfer encoding stand on lines of their own
            self._text += re.sub(r"(?m)^[0-9a-f]+\r\n", "", received.decode())

    def until(self, kind: str) -> list[tuple[str, str, dict[str, Any]]]:
        """All messages up to and with the next one of a kind."""
        messages = [self.message()]
        while messages[-1][1] != kind:
            messages.append(self.message())
        return messages

    def close(self) -> None:
        """Hang up."""
        self._line.close()


def test_the_stream_brings_past_events_then_the_game_then_news(page: PageServer, session: Session) -> None:
    """A new browser: everything so far marked as past, the newest state, then what happens."""
    stream = Stream(page.port)
    first = stream.until("game")
    assert [kind for _, kind, _ in first] == ["past"] * session.state.seq + ["game"]
    state = first[-1][2]
    assert [entry["text"] for entry in state["history"]] == TURNS
    assert state["setup"]["players"] == ["Anna", "Purple"]
    session.enter("a5:1-b5")
    identity, kind, event = stream.message()
    assert (identity, kind) == (f"one.{session.state.seq}", "happened")
    assert event["text"].startswith("Anna: one man from a5 to b5.")
    assert stream.until("game")[-1][2]["history"][-1]["text"] == "a5:1-b5"
    stream.close()


def test_a_reconnect_brings_only_what_was_missed(page: PageServer, session: Session) -> None:
    """`Last-Event-ID` of the same game: the events after it; of another game: all."""
    seen = session.state.seq
    first = Stream(page.port)
    session.enter("a5:1-b5")
    while first.message()[2].get("move") != "a5:1-b5":
        pass
    first.close()
    stream = Stream(page.port, f"one.{seen}")
    assert [data["seq"] for _, kind, data in stream.until("game") if kind == "past"] == [seen + 1]
    stream.close()
    for stranger in ("two.3", "one.x", "..", "9" * 50):
        stream = Stream(page.port, stranger)
        assert len(stream.until("game")) == session.state.seq + 1
        stream.close()


def test_everybody_gets_everything(page: PageServer, session: Session) -> None:
    """Ten spectators at once see the same turn."""
    streams = [Stream(page.port) for _ in range(10)]
    for stream in streams:
        stream.until("game")
    session.enter("a5:1-b5")
    for stream in streams:
        assert stream.message()[2]["move"] == "a5:1-b5"
        stream.close()


@pytest.mark.parametrize(
    ("request_", "check"),
    [
        ({"do": "pass"}, lambda s: s.history[-1].text == "pass"),
        ({"do": "enter", "text": "a5:1-b5", "after": 4}, lambda s: s.history[-1].text == "a5:1-b5"),
        ({"do": "take-back", "plies": 2}, lambda s: len(s.history) == 2),
        ({"do": "resign", "player": 1}, lambda s: s.outcome.winner == 2),
        ({"do": "agree", "winner": 0}, lambda s: s.outcome.winner == 0),
        ({"do": "pause"}, lambda s: s.phase == "paused"),
        (
            {"do": "set-cell", "cell": 10, "tile": "wall", "owner": 0, "height": 0},
            lambda s: s.expected[10].surface == "dark",
        ),
    ],
    ids=lambda value: value["do"] if isinstance(value, dict) else "",
)
def test_players_requests_are_done(
    page: PageServer, session: Session, request_: dict[str, Any], check: Callable[[Any], bool]
) -> None:
    """Each request changes the game once it has been answered; the answer names the event that shows it."""
    before = session.state.seq
    answer = post(page.port, "/api/act", json.dumps(request_).encode())
    assert answer.status == 200
    assert check(session.state)
    assert before < json.loads(answer.body)["seq"] <= session.state.seq


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "enter", "text": "d4-d5"},
        {"do": "enter", "text": "nonsense"},
        {"do": "take-back", "plies": 100},
        {"do": "accept", "candidate": 0},
        {"do": "accept-irregular"},
        {"do": "set-cell", "cell": 300, "tile": "wall", "owner": 0, "height": 0},
        {"do": "set-cell", "cell": 3, "tile": "lava", "owner": 0, "height": 0},
        {"do": "pass", "after": 3},
    ],
    ids=lambda value: json.dumps(value),
)
def test_what_cannot_be_done_is_answered_with_a_sentence(
    page: PageServer, session: Session, request_: dict[str, Any]
) -> None:
    """The refusal is one line; the game is as before."""
    answer = post(page.port, "/api/act", json.dumps(request_).encode())
    assert answer.status == 422
    assert len(answer.body) > 10
    assert b"\n" not in answer.body
    assert len(session.state.history) == 4


def body(answer: Answer) -> Any:
    """The JSON of an answer that is fine."""
    assert answer.status == 200, answer.body
    return json.loads(answer.body)


def test_earlier_positions_and_legal_turns(page: PageServer, session: Session) -> None:
    """What stepping and entering by click need."""
    start = body(request(page.port, "GET", "/api/ply/0"))
    assert all(men == 0 for _, men, _ in start["cells"])
    placed = body(request(page.port, "GET", "/api/ply/1"))
    assert placed["cells"][0] == ["beige", 1, 2]
    assert placed["last"] == [0]
    assert request(page.port, "GET", "/api/ply/5").status == 422
    legal = body(request(page.port, "GET", "/api/legal"))
    assert legal == {"legal": session.state.position.legal_texts(), "complete": True, "ply": 4}


@pytest.mark.parametrize("name", list(DOWNLOADS))
def test_downloads(page: PageServer, session: Session, name: str) -> None:
    """Every format has its type and begins as such a file does; records read back with the same turns."""
    answer = request(page.port, "GET", f"/api/record/{name}")
    assert answer.status == 200
    assert answer.headers["content-type"] == DOWNLOADS[name]
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    starts = {"png": b"\x89PNG", "gif": b"GIF8", "svg": b"<svg", "jsonl": b'{"kind"'}
    assert answer.body.startswith(starts.get(name.rpartition(".")[2], b""))
    if name == "record.json":
        assert [turn.text for turn in read_json(answer.body.decode(), name).turns] == TURNS
    if name == "record.txt":
        assert [turn.text for turn in read_text(answer.body.decode(), name).turns] == TURNS
    if name == "game.mp4":
        assert answer.body[4:8] == b"ftyp"


def test_the_form_offers_every_game(page: PageServer) -> None:
    """Storisende first, then the siblings, each with rules and options."""
    choices = body(request(page.port, "GET", "/api/choices"))
    assert choices["games"][0]["name"] == "storisende"
    assert {game["name"] for game in choices["games"]} == {"storisende", "castle", "phalanx", "hexteroyd"}
    assert choices["colours"]["red"].startswith("#")


def test_a_game_on_a_film_is_started_and_followed(serve: Serve) -> None:
    """The sample film as the camera: the board is found, the picture comes, the checks are there."""
    opener = TableOpener([Source("the sample", str(SAMPLES / "sample.mp4"))])
    page = serve(Table(opener=opener))
    start = {"board": "hexhex-4", "colours": ["red", "white"], "source": 1}
    assert post(page.port, "/api/start", json.dumps(start).encode()).status == 200
    stream = Stream(page.port)
    while stream.message()[2].get("kind") != "found":
        pass
    stream.close()
    assert request(page.port, "GET", "/api/picture.jpg").body.startswith(b"\xff\xd8")
    checks = {check["what"]: check["good"] for check in body(request(page.port, "GET", "/api/checks"))["checks"]}
    assert checks["The whole board is in the picture"]
    assert post(page.port, "/api/stop", b"{}").status == 200
    assert page.table.game is not None
    assert page.table.game.watcher is None


@pytest.mark.parametrize(
    ("start", "says"),
    [
        ({"board": "hexhex-99"}, "hexhex-99"),
        ({"board": "/etc/passwd.toml"}, "unknown board"),
        ({"board": "cells = [[0, 0], [9, 9]]"}, "contiguous"),
        ({"board": "[points_mm]\na = [0, 0]\nb = [9, 9]\nc = [0, 9]"}, "not played"),
        ({"colours": ["red", "red"]}, "same colour"),
        ({"colours": ["red", "puce"]}, "puce"),
        ({"game": "chess"}, "chess"),
        ({"rules": "house"}, "house"),
        ({"options": {"men": "77"}}, "77"),
        ({"clock_s": 5.0}, "5 s"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_game_that_cannot_be(serve: Serve, start: dict[str, Any], says: str) -> None:
    """What is wrong with the form is said; no game begins."""
    page = serve(Table(opener=TableOpener([])))
    answer = post(page.port, "/api/start", json.dumps(start).encode())
    assert answer.status == 422
    assert says in answer.body.decode()
    assert page.table.game is None


def test_a_game_that_was_broken_off_goes_on(serve: Serve, tmp_path: Path) -> None:
    """A second start of the program offers the journal's last game and goes on at the same turn."""
    with Journal(tmp_path / "games.journal") as journal:
        broken_off = Session(Setup(hexhex(4), ("red", "purple"), ("Anna", "")), journal)
        for turn in TURNS:
            broken_off.enter(turn)
    with Journal(tmp_path / "games.journal") as journal:
        page = serve(Table(opener=TableOpener([], journal)))
        assert "hexhex-4, 4 turns" in body(request(page.port, "GET", "/api/choices"))["unfinished"]
        assert post(page.port, "/api/start", b'{"resume":true}').status == 200
        game = page.table.game
        assert game is not None
        assert [entry.text for entry in game.session.state.history] == TURNS
        assert post(page.port, "/api/act", b'{"do":"pass","after":4}').status == 200
        page.table.close()  # adjourned: it may go on another time
        assert "hexhex-4, 5 turns" in body(request(page.port, "GET", "/api/choices"))["unfinished"]
        assert post(page.port, "/api/start", b'{"resume":true}').status == 200
        assert post(page.port, "/api/act", b'{"do":"agree","winner":0}').status == 200
        page.table.close()
        assert body(request(page.port, "GET", "/api/choices"))["unfinished"] == ""
        assert post(page.port, "/api/start", b'{"resume":true}').status == 422


def test_a_board_file_can_be_pasted(serve: Serve) -> None:
    """The text of a board file is a board."""
    page = serve(Table(opener=TableOpener([])))
    start = {"board": 'name = "ours"\nmodules = [[0, 0], [3, -1], [1, 2]]'}
    assert post(page.port, "/api/start", json.dumps(start).encode()).status == 200
    assert page.table.game is not None
    assert len(page.table.game.session.state.setup.board) == 21


def test_calibration_from_the_page(serve: Serve, tmp_path: Path) -> None:
    """The board of the sample film is calibrated into the profile, and what it says comes to the page."""
    out = tmp_path / "profile.toml"
    opener = TableOpener([Source("sample", str(SAMPLES / "sample.mp4"))], equipment=Equipment(profile_out=out))
    page = serve(Table(opener=opener))
    assert body(request(page.port, "GET", "/api/calibration"))["kinds"] == ["lens", "board", "colours"]
    assert post(page.port, "/api/calibrate", b'{"kind":"leds","source":1}').status == 422
    assert post(page.port, "/api/calibrate", b'{"kind":"board","source":1,"board":"--help"}').status == 422
    wish = {"kind": "board", "source": 1, "board": "hexhex-4", "colours": ["red", "white"]}
    assert post(page.port, "/api/calibrate", json.dumps(wish).encode()).status == 200
    assert b"still running" in post(page.port, "/api/calibrate", json.dumps(wish).encode()).body
    while (state := body(request(page.port, "GET", "/api/calibration")))["running"]:
        time.sleep(0.1)
    assert state["good"], state["lines"]
    assert "[board]" in out.read_text(encoding="utf-8")
    assert any("residual" in line for line in state["lines"])


def test_a_game_waits_for_a_calibration_and_goes_on(serve: Serve, tmp_path: Path) -> None:
    """Amid a game the board is calibrated: meanwhile the page says why nothing is watched, then the game goes on."""
    wish = b'{"kind":"board","source":1,"board":"hexhex-4","colours":["red","white"]}'
    with Journal(tmp_path / "games.journal") as journal:
        sources = [Source("sample", str(SAMPLES / "sample.mp4"))]
        opener = TableOpener(sources, journal, Equipment(profile_out=tmp_path / "profile.toml"))
        page = serve(Table(opener=opener))

        def history() -> list[str]:
            assert page.table.game is not None
            return [entry.text for entry in page.table.game.session.state.history]

        def calibrate() -> None:
            assert post(page.port, "/api/calibrate", wish).status == 200
            assert page.table.status()["camera"] == "the game waits for the calibration"
            while page.table.status().get("camera"):
                time.sleep(0.1)
            assert body(request(page.port, "GET", "/api/calibration"))["good"]

        assert post(page.port, "/api/start", b'{"board":"hexhex-4"}').status == 200
        calibrate()  # no turn yet: the game begins anew
        for turn in TURNS:
            act = {"do": "enter", "text": turn}
            assert post(page.port, "/api/act", json.dumps(act).encode()).status == 200
        calibrate()
        assert history() == TURNS
        assert post(page.port, "/api/act", b'{"do":"pass","after":4}').status == 200
        assert len(history()) == 5
        assert post(page.port, "/api/calibrate", wish).status == 200
        page.table.close()
        time.sleep(0.3)
        assert page.table.game is not None
        assert page.table.game.watcher is None  # the page closes: nothing is taken up again


def test_a_game_that_cannot_go_on_after_a_calibration_says_why(serve: Serve, tmp_path: Path) -> None:
    """Nothing kept it."""
    source = Source("sample", str(SAMPLES / "sample.mp4"))
    page = serve(Table(opener=TableOpener([source], equipment=Equipment(profile_out=tmp_path / "profile.toml"))))
    assert post(page.port, "/api/start", b'{"board":"hexhex-4"}').status == 200
    assert post(page.port, "/api/act", b'{"do":"enter","text":"a3,a3"}').status == 200
    wish = b'{"kind":"board","source":1,"board":"hexhex-4","colours":["red","white"]}'
    assert post(page.port, "/api/calibrate", wish).status == 200
    while page.table.status()["camera"] == "the game waits for the calibration":
        time.sleep(0.1)
    assert page.table.status()["camera"] == "the game does not go on: there is no game to go on with"
    assert page.table.status()["cameraBad"]
    assert page.table.game is not None
    assert [entry.text for entry in page.table.game.session.state.history] == ["a3,a3"]


def test_start_page_for_one_session(session: Session) -> None:
    """What `watch --page` uses: a page without the form for new games."""
    server = start_page(session, port=0)
    assert server.url == f"http://127.0.0.1:{server.port}/"
    answer = post(server.port, "/api/start", b"{}")
    assert answer.status == 422
    server.stop()
    assert server.wait(5.0)


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    """`storisende serve` says where the page is, answers there, and ends in order on Ctrl-C."""
    command = [sys.executable, "-u", "-m", "companion", "serve", "--port", "0", "--journal", str(tmp_path / "games")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path)
    assert process.stdout is not None
    line = process.stdout.readline()
    port = int(line.strip().rstrip("/").rpartition(":")[2])
    assert request(port, "GET", "/").status == 200
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 0
    assert "Traceback" not in process.stdout.read()


def test_the_profile_of_the_command_line_counts(tmp_path: Path) -> None:
    """A profile that lies in the folder from another day is not used instead."""
    (tmp_path / "storisende-profile.toml").write_text("version = 99\n", encoding="utf-8")
    (tmp_path / "mine.toml").write_text("version = 1\n", encoding="utf-8")
    command = [sys.executable, "-u", "-m", "companion", "serve", str(SAMPLES / "sample.mp4"), "--port", "0"]
    command += ["--journal", str(tmp_path / "games"), "--profile", "mine.toml"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path)
    assert process.stdout is not None
    port = int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
    start = {"source": 1, "board": "hexhex-4", "colours": ["red", "white"]}
    answer = post(port, "/api/start", json.dumps(start).encode())
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 0
    assert answer.status == 200, answer.body


def test_a_port_that_is_taken(session: Session) -> None:
    """One line and the exit status of a device that could not be opened."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "companion", "serve", "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 4
    assert str(port) in done.stderr
    assert done.stderr.count("\n") == 1
