"""Watching films from the command line, as a user would: the main job, and everything that can be wrong with a film."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from samples.truth import compare
from tests.companion.test_main import run
from tests.footage_places import SAMPLES, footage

FILM = SAMPLES / "sample.mp4"
MATERIAL = ["--board", "hexhex-4", "--men", "red,white", "--disks", "beige,dark"]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The sample film watched once, without a terminal; what was printed, and the folder with record and events."""
    folder = tmp_path_factory.mktemp("watched")
    done = run("watch", str(FILM), *MATERIAL, "--record", "game.json", "--events", "events.jsonl", cwd=folder)
    return done, folder


def test_the_record_of_the_sample_film_is_exact(
    watched: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    """Opening and all plies agree with the film's truth."""
    done, folder = watched
    assert done.returncode == 0, done.stderr
    assert compare(SAMPLES / "sample.json", folder / "game.json").exact


def test_events_are_lines_of_the_contract(watched: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    """One object a line with kind, time and frame; moves carry ply, player, move and score."""
    _, folder = watched
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert all({"kind", "t", "frame"} <= event.keys() for event in events)
    moves = [event for event in events if event["kind"] == "move"]
    assert len(moves) == 16
    assert all({"ply", "player", "move", "score"} <= move.keys() for move in moves)
    assert [event["frame"] for event in events] == sorted(event["frame"] for event in events)
    assert events[-1]["kind"] == "end"
    assert {"score", "winner"} <= events[-1].keys()


def test_without_a_terminal_there_are_plain_lines(
    watched: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    """A line a move, no control characters."""
    done, _ = watched
    assert "\x1b" not in done.stdout
    assert sum("red:" in line or "white:" in line for line in done.stdout.splitlines()) >= 16


def film_of(pictures: list[np.ndarray], path: Path) -> Path:
    """A short film of some pictures."""
    height, width = pictures[0].shape[:2]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 12, (width, height))
    for picture in pictures:
        writer.write(picture)
    writer.release()
    return path


def test_a_4k_film_begins_as_the_same_one_in_fewer_pixels_does(
    watched: tuple[subprocess.CompletedProcess[str], Path], tmp_path: Path
) -> None:
    """Its pictures are halved once the board is found, which makes no difference to what is told."""
    capture = cv2.VideoCapture(str(FILM))
    pictures = [cv2.resize(capture.read()[1], (3840, 2160), interpolation=cv2.INTER_CUBIC) for _ in range(16)]
    film = film_of(pictures, tmp_path / "4k.mp4")
    done = run("watch", str(film), *MATERIAL, "--events", "events.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    begun, whole = (
        [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
        for folder in (tmp_path, watched[1])
    )
    assert [event["kind"] for event in begun] == ["found", "start", "end"]
    assert {k: v for k, v in begun[1].items() if k not in ("t", "frame")} == {
        k: v for k, v in whole[1].items() if k not in ("t", "frame")
    }


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["none.mp4", *MATERIAL], 2, "none.mp4"),
        (["notes.mp4", *MATERIAL], 2, "notes.mp4"),
        ([str(FILM), "--board", "hexhex-4", "--men", "red,red"], 2, "same colour"),
        ([str(FILM), "--board", "hexhex-4", "--men", "red,octarine"], 2, "octarine"),
        ([str(FILM), *MATERIAL, "--record", "no/such/folder.json"], 2, "no folder no/such"),
        ([str(FILM), *MATERIAL, "--record", "game.doc"], 2, "ends in .json or .txt"),
        ([str(FILM), *MATERIAL, "--game", "chess"], 2, "unknown game 'chess'"),
        ([str(FILM), *MATERIAL, "--resume"], 2, "--resume needs the journal"),
        ([str(FILM), *MATERIAL, "--leds", "adalight:/dev/no-such-port"], 4, "/dev/no-such-port"),
        (["/dev/video99", *MATERIAL], 4, "/dev/video99"),
    ],
)
def test_what_cannot_be_watched_is_one_line(words: list[str], status: int, message: str, tmp_path: Path) -> None:
    """The documented exit status and one line on standard error that says what and where."""
    (tmp_path / "notes.mp4").write_text("not a film")
    done = run("watch", *words, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_film_without_a_board_is_status_3(tmp_path: Path) -> None:
    """The line says why no board was found."""
    noise = np.random.default_rng(5).integers(0, 255, (360, 640, 3), dtype=np.uint8)
    film_of([cv2.GaussianBlur(noise, (0, 0), 5)] * 12, tmp_path / "table.mp4")
    done = run("watch", "table.mp4", *MATERIAL, cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr.startswith("storisende: no hexhex-4 board found: ")


def test_a_board_that_does_not_fit_the_picture_is_status_3() -> None:
    """A smaller board lies in the sample film than the one that is asked for."""
    done = run("watch", str(FILM), "--board", "hexhex-5", "--men", "red,white")
    assert done.returncode == 3
    assert "no hexhex-5 board found" in done.stderr


def test_a_film_that_breaks_off_keeps_what_came(tmp_path: Path) -> None:
    """Half a film gives half a record, and one line that says that it broke off."""
    whole = FILM.read_bytes()
    (tmp_path / "half.mp4").write_bytes(whole[: len(whole) // 2])
    done = run("watch", "half.mp4", *MATERIAL, "--record", "half.json", "--headless", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "half.mp4" in done.stderr
    assert len(json.loads((tmp_path / "half.json").read_text())["moves"]) >= 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_watching_with_a_record(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C in mid-game: exit status 0, and the moves so far are in the record."""
    words = ["watch", str(FILM), *MATERIAL, "--record", "game.json", "--events", "events.jsonl", "--real-time"]
    process = subprocess.Popen([sys.executable, "-m", "companion", *words], cwd=tmp_path, stdout=subprocess.DEVNULL)
    until_s = time.monotonic() + 60
    while time.monotonic() < until_s and '"move"' not in _text(tmp_path / "events.jsonl"):
        time.sleep(0.1)
    process.send_signal(number)
    assert process.wait(20) == 0
    assert json.loads((tmp_path / "game.json").read_text())["moves"]


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize(
    ("name", "board", "men", "disks"),
    [
        ("game-01", "hexhex-4", "red,purple", "cream,charcoal"),
        ("game-02", "hexhex-4", "red,white", "cream,charcoal"),
        ("game-03", "boards/modular-7.toml", "red,white", "beige,dark"),
    ],
)
def test_the_shared_films_are_exact(name: str, board: str, men: str, disks: str, tmp_path: Path) -> None:
    """Plain and messy games, with markers and without, on a board of modules."""
    place = footage()
    words = ["--board", str(place / board) if "/" in board else board, "--men", men, "--disks", disks, "--headless"]
    done = run("watch", str(place / "clips" / f"{name}.mp4"), *words, "--record", "game.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert compare(place / "clips" / f"{name}.json", tmp_path / "game.json").exact


def test_a_game_under_way_is_not_begun_but_taken_up(tmp_path: Path) -> None:
    """A picture from the middle of the game is no placement: one line says what is wrong with it and what to do. Done
    so, the record begins with the table; who does not play cannot move next."""
    film = cv2.VideoCapture(str(FILM))
    film.set(cv2.CAP_PROP_POS_FRAMES, json.loads((SAMPLES / "sample.json").read_text())["plies"][5]["settled"])
    cv2.imwrite(str(tmp_path / "table.png"), film.read()[1])
    done = run("watch", "table.png", *MATERIAL, "--headless", "--record", "game.json", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == (
        "no game has begun: the disks of 6 cells look as if a game were under way "
        "(if a game is under way: --under-way and the colour that moves next, or --from RECORD)\n"
    )
    assert (tmp_path / "game.json").exists()
    words = ("watch", "table.png", *MATERIAL, "--headless", "--record", "game.json", "--under-way")
    done = run(*words, "red", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "game.json").read_text())["header"]["startingPosition"].endswith("; player 1")
    done = run(*words, "purple", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "storisende: 'purple' is no player; they are red and white\n")
    done = run(*words, "red", "--from", "game.json", cwd=tmp_path)
    assert done.stderr == "storisende: --under-way takes the game from the table; leave --from and --resume away\n"
