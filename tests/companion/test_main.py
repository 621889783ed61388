"""The command line's frame: errors are one line with the documented exit status."""

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.footage_places import SAMPLES


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the installed command as a user would."""
    command = [sys.executable, "-m", "companion", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=110, check=False)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["frobnicate"], 2, "No such command 'frobnicate'"),
        (["read"], 2, "Missing argument 'IMAGE'"),
        (["read", "x.jpg", "--men", "red,blue"], 2, "Missing option '--board'"),
        (["read", "x.jpg", "--board", "square-8", "--men", "red,blue"], 2, "unknown board 'square-8'"),
        (["read", "x.jpg", "--board", "none.toml", "--men", "red,blue"], 2, "board file none.toml: No such file"),
        (["read", "x.jpg", "--board", "hexhex-4", "--men", "red,blue"], 2, "picture x.jpg: No such file"),
        (["read", "x.jpg", "--board", "hexhex-4", "--men", "red"], 2, "--men takes two colours"),
        (["play", "--record", "game.doc"], 2, "record game.doc: the name of a record file ends in .json or .txt"),
        (["read", "x.jpg", "--board", "hexhex-4", "--men", "red,red"], 2, "both players have the same colour"),
        (["read", "x.jpg", "--board", "hexhex-4", "--men", "red,octarine"], 2, "octarine"),
        (["read", "x.jpg", "--board", "hexhex-4", "--men", "red,blue", "--disks", "dark"], 2, "two faces of a disk"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(words: list[str], status: int, message: str, tmp_path: Path) -> None:
    """One line on standard error that says what is wrong, nothing on standard output."""
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_a_file_that_is_no_picture_is_refused(tmp_path: Path) -> None:
    """The line names the file."""
    (tmp_path / "notes.jpg").write_text("not a picture")
    done = run("read", "notes.jpg", "--board", "hexhex-4", "--men", "red,blue", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip() == "storisende: picture notes.jpg: not a picture that can be read"


def test_a_picture_without_a_board_is_status_3(tmp_path: Path) -> None:
    """Exit status 3 and one line that says why."""
    noise = np.random.default_rng(3).integers(0, 255, (360, 640, 3), dtype=np.uint8)
    cv2.imwrite(str(tmp_path / "noise.png"), cv2.GaussianBlur(noise, (0, 0), 4))
    done = run("read", "noise.png", "--board", "hexhex-4", "--men", "red,blue", "--json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert "no hexhex-4 board found" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_doctor_looks_at_this_machine() -> None:
    """Here, where the tests run, nothing is at fault."""
    done = run("doctor")
    assert done.returncode == 0, done.stdout
    for what in ("Python", "opencv-python", "disk space"):
        assert what in done.stdout


def test_what_a_hand_covers_is_said_to_be_unseen(tmp_path: Path) -> None:
    """Cells under a hand are drawn with a question mark and named, not counted among the doubtful ones."""
    film = cv2.VideoCapture(str(SAMPLES / "sample.mp4"))
    film.set(cv2.CAP_PROP_POS_FRAMES, 349)
    cv2.imwrite(str(tmp_path / "hand.png"), film.read()[1])
    done = run("read", "hand.png", "--board", "hexhex-4", "--men", "red,white", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    drawn, _, said = done.stdout.partition("unseen: ")
    assert drawn.count("?") > 10
    assert drawn.count("?") == len(said.split("doubtful")[0].split(","))
    assert "1%" not in said
