"""The sibling games on a table: films of them are followed, whose men belong to nobody, and which need no disks."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.drawing.showing import style_of
from companion.errors import InputError
from companion.game.session import Session, Setup
from companion.game.setups import parse_setup, setup_text
from companion.options import disks_for, neutral_men, read_material
from engine.board import hexhex
from engine.look import NEUTRAL, Surface
from tests.companion.test_watch import run

FILMS = Path(__file__).parent / "films"
PAWNS = ["--board", "hexhex-5", "--men", "white,black", "--disks", "ivory,charcoal"]


def test_a_film_of_hexteroyd_is_followed(tmp_path: Path) -> None:
    """A rendered game without markers, found lying a sixth turned, and begun with no pawn on the board: pawns are set,
    disks turned and filled in; every turn is exact, none is missed."""
    words = [*PAWNS, "--game", "hexteroyd", "--headless", "--record", "game.txt", "--events", "events.jsonl"]
    done = run("watch", str(FILMS / "hexteroyd.mp4"), *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [event["kind"] for event in events] == ["found", "start", *["move"] * 5, "end"]
    moves = [event["move"] for event in events if event["kind"] == "move"]
    assert moves == ["1@g4(f5)", "3@e5(e4,f5,f6)[d5,e6]", "2@g5(f5,f6)*", "1@f4(f5)", "1@i5(h6)"]
    assert "neutral: grey" in (tmp_path / "game.txt").read_text()


def _knocked(film: Path, out: Path) -> None:
    """A copy of a film whose camera is knocked at any moment, every three seconds, by up to 50 px and 12°, below a lamp
    that is switched."""
    frames, rng, matrix = cv2.VideoCapture(str(film)), np.random.default_rng(5), np.eye(2, 3)
    size = int(frames.get(cv2.CAP_PROP_FRAME_WIDTH)), int(frames.get(cv2.CAP_PROP_FRAME_HEIGHT))
    copy = cv2.VideoWriter(str(out), cv2.VideoWriter.fourcc(*"MJPG"), 12.0, size)
    knock, index = int(12 * rng.uniform(4, 7)), 0
    while True:
        there, image = frames.read()
        if not there:
            break
        if index == knock:
            right, down, turn_deg = rng.uniform((-50, -50, -12), (50, 50, 12))
            matrix = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), turn_deg, 1)
            matrix[:, 2] += right, down
            knock += int(36 * rng.uniform(0.6, 1.4)) if index < 290 else 999
        knocked = cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        copy.write(np.clip(knocked * ((0.44, 0.55, 0.63) if index // 180 % 2 else 1.0), 0, 255).astype(np.uint8))
        index += 1
    copy.release()


def test_hexteroyd_survives_knocks_though_markers_come_into_view(tmp_path: Path) -> None:
    """Its start looks the same three ways, turns take many reaches, and of the markers two come into view only later:
    the board stays as it lay."""
    _knocked(FILMS / "hexteroyd.mp4", tmp_path / "knocked.avi")
    done = run("watch", "knocked.avi", *PAWNS, "--game", "hexteroyd", "--headless", "--events", "e.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    moves = [event["move"] for event in events if event["kind"] == "move"]
    assert moves == ["1@g4(f5)", "3@e5(e4,f5,f6)[d5,e6]", "2@g5(f5,f6)*", "1@f4(f5)", "1@i5(h6)"]
    assert len([event for event in events if event["kind"] == "bump"]) >= 7


def test_pawns_are_read_from_one_picture(tmp_path: Path) -> None:
    """`read` and `see` call men of nobody by their colour and the faces light and dark."""
    film = cv2.VideoCapture(str(FILMS / "hexteroyd.mp4"))
    for _ in range(50):
        film.read()
    cv2.imwrite(str(tmp_path / "table.png"), film.read()[1])
    done = run("read", "table.png", *PAWNS, "--neutral", "grey", "--json", cwd=tmp_path)
    cells = json.loads(done.stdout)["cells"]
    assert [(cell["men"], cell["height"], cell["surface"]) for cell in cells if cell["height"]] == [("grey", 1, "bare")]
    assert sorted(cell["surface"] for cell in cells if cell["surface"] != "bare") == ["dark"] * 3 + ["light"] * 2
    seen = run("see", "table.png", *PAWNS, "--neutral", "grey", "--out", "seen.png", cwd=tmp_path)
    assert (seen.returncode, (tmp_path / "seen.png").exists()) == (0, True), seen.stderr


def test_a_film_of_the_castle_game_needs_no_word_of_disks(tmp_path: Path) -> None:
    """A rendered game from the empty board on, the castle painted brown and gold: it has no disks, whatever the usual
    material is. Which game it is a record says that goes on, here one without a turn."""
    (tmp_path / "begun.txt").write_text("Storisende record 1\ngame: castle\nboard: hexhex-6\n")
    words = ["--board", "hexhex-6", "--men", "yellow,blue", "--from", "begun.txt", "--headless"]
    done = run("watch", str(FILMS / "castle.mp4"), *words, "--events", "events.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    moves = [event["move"] for event in events if event["kind"] == "move"]
    assert moves == ["h8", "i9,g3", "g4,e8", "d8,k5", "j5,h6"]


def test_what_lies_on_the_table_follows_from_the_game() -> None:
    """Castle has no disks; Hexteroyd's men are nobody's, grey unless said otherwise; elsewhere no man is nobody's."""
    assert (disks_for("castle", "beige,dark"), disks_for("phalanx", "sand,dark")) == ("none", "sand,dark")
    assert (neutral_men("hexteroyd", None), neutral_men("hexteroyd", "red")) == ("grey", "red")
    assert neutral_men("castle", None) is None
    with pytest.raises(InputError, match="--neutral red: in Phalanx all men belong to the players"):
        neutral_men("phalanx", "red")


def test_pawns_are_remembered_with_the_game() -> None:
    """The setup in the journal, the record and its drawing know their colour; the eye is taught them as nobody's."""
    setup = Setup(hexhex(5), ("white", "black"), game="hexteroyd", disks=("ivory", "charcoal"), neutral="orange")
    assert parse_setup(setup_text(setup)) == setup
    session = Session(setup)
    session.enter("1@g4(f5)")
    assert style_of(session.record()).men[NEUTRAL] == read_material("white,black", "none", "orange").owners[NEUTRAL].rgb
    known = session.known_looks()
    assert known is not None
    pawn = known[setup.board.by_name["g4"]]
    assert (pawn.men, pawn.height, pawn.surface) == (NEUTRAL, 1, Surface.BARE)
