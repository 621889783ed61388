"""Films, sheets and curves of a game: as many pictures as turns, each of its own position."""

from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from companion.drawing.game_film import END_S, TURN_S, curve_svg, picture_bytes, write_film, write_gif, write_sheet
from companion.drawing.game_frame import frame
from companion.errors import InputError
from engine.board import hexhex
from engine.records.record import Player, Record, Turn, replay

TURNS = ["a3,a3", "g6,g6", "a3-a5", "g6-g4", "a5-c4", "g4-e5", "pass", "pass"]


@pytest.fixture
def record() -> Record:
    """A short game that two passes end."""
    players = (Player("Anna", "yellow"), Player("Ben", "blue"))
    return Record(hexhex(4), players=players, turns=tuple(map(Turn, TURNS)))


def test_a_film_stays_a_second_on_each_turn(record: Record, tmp_path: Path) -> None:
    """The film decodes to one picture a turn and the last one for longer; neighbours differ."""
    write_film(record, tmp_path / "game.mp4", 320)
    film = cv2.VideoCapture(str(tmp_path / "game.mp4"))
    pictures = []
    while True:
        got, picture = film.read()
        if not got:
            break
        pictures.append(picture)
    seconds = len(pictures) / film.get(cv2.CAP_PROP_FPS)
    assert seconds == pytest.approx(len(TURNS) * TURN_S + END_S, abs=0.1)
    assert pictures[0].shape == (240, 320, 3)
    assert np.abs(pictures[0].astype(int) - pictures[1]).max() > 60


def test_a_moving_picture_has_a_picture_a_turn(record: Record, tmp_path: Path) -> None:
    """The GIF reads back with the start and every turn."""
    write_gif(record, tmp_path / "game.gif")
    read, animation = cv2.imreadanimation(str(tmp_path / "game.gif"))
    assert read
    assert len(animation.frames) == len(TURNS) + 1


def test_the_sheet_shows_every_position(record: Record, tmp_path: Path) -> None:
    """Nine positions in three rows of three; each is the picture of its turn."""
    write_sheet(record, tmp_path / "game.png")
    sheet = cv2.imread(str(tmp_path / "game.png"))
    height, width = sheet.shape[0] // 3, sheet.shape[1] // 3
    for ply, step in enumerate(replay(record)):
        row, column = divmod(ply, 3)
        tile = sheet[row * height : (row + 1) * height, column * width : (column + 1) * width]
        assert np.array_equal(tile, frame(record, step, width))


def test_a_frame_has_the_players_colours_where_their_men_stand(record: Record) -> None:
    """The yellow stack of two on a3 and the blue one on g6 are in the picture after the placement."""
    steps = list(replay(record))
    empty, placed = (frame(record, steps[ply], 480).astype(int) for ply in (0, 2))
    changed = np.abs(empty - placed).max(axis=2) > 40
    board = changed[round(360 * 0.16) :]
    ys, xs = np.nonzero(board)
    upper, lower = ys < board.shape[0] / 2, ys >= board.shape[0] / 2
    assert xs[upper].max() < 480 / 2 < xs[lower].min()


def test_the_curve_is_a_drawing_with_both_scores(record: Record) -> None:
    """Well-formed SVG; two lines with a point a ply; nobody has points before the play begins."""
    svg = ElementTree.fromstring(curve_svg(record))
    lines = [p.get("d", "") for p in svg.iter("{http://www.w3.org/2000/svg}path") if p.get("stroke-width") == "3.5"]
    assert [line.count("L") for line in lines] == [len(TURNS)] * 2
    starts = [line[1:].split("L")[ply].split()[1] for line in lines for ply in (0, 1, 2)]
    assert len(set(starts)) == 1


def test_places_that_cannot_be_written(record: Record, tmp_path: Path) -> None:
    """A wrong ending or a missing folder is one clear line."""
    with pytest.raises(InputError, match=r"\.mp4"):
        write_film(record, tmp_path / "game.avi")
    with pytest.raises(InputError, match="folder"):
        write_sheet(record, tmp_path / "nowhere" / "game.png")
    assert picture_bytes(record, "gif").startswith(b"GIF8")
