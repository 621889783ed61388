"""A game that was photographed by hand: a picture after every ply, each from elsewhere."""

import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.following import follow, stand, tell
from companion.game.session import Session, Setup
from companion.options import read_material
from companion.seeing import make_eye
from engine.layout import layout_of
from engine.look import CellLook, Reading, Surface, certain
from tests.companion.game.test_going_on import BOARD, PLIES, frames_between, played, sample_game, turned
from tests.footage_places import SAMPLES
from vision.frame import Frame, SourceSettings
from vision.sights import Moving, Still
from vision.sources import open_source


def photographed(folder: Path, most_degrees: float | None, seed: int) -> None:
    """Pictures of the sample game, of the placement and after every ply, each turned, nearer or farther and aside,
    every third one on end.

    None: as they are, by a camera on a tripod.
    """
    random = np.random.default_rng(seed)
    truth = json.loads((SAMPLES / "sample.json").read_text())
    middle = np.mean([cell["px"] for cell in truth["cells"]], axis=0)
    wanted = [truth["start_frames"][1] - 2, *(ply["settled"] for ply in truth["plies"][:PLIES])]
    for frame in frames_between(0, wanted[-1]):
        if frame.index not in wanted:
            continue
        if most_degrees is None:
            cv2.imwrite(str(folder / f"IMG_{frame.index}.png"), frame.image)
            continue
        size = frame.image.shape[1], frame.image.shape[0]
        angle, scale = random.uniform(-most_degrees, most_degrees), random.uniform(0.65, 0.8)
        about = cv2.getRotationMatrix2D(tuple(middle.tolist()), angle, scale)
        about[:, 2] += np.array(size) / 2 - middle + random.uniform(-30, 30, 2)
        picture = cv2.warpAffine(frame.image, about, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
        if wanted.index(frame.index) % 3 == 1:
            picture = cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE)
        cv2.imwrite(str(folder / f"IMG_{frame.index}.png"), picture)


@pytest.mark.parametrize(("most_degrees", "seed"), [(None, 0), (25.0, 1), (180.0, 2)])
def test_a_picture_after_every_ply_records_the_game(tmp_path: Path, most_degrees: float | None, seed: int) -> None:
    """Whoever takes it, from their own side of the table or another."""
    photographed(tmp_path, most_degrees, seed)
    session = Session(Setup(BOARD, ("red", "white")))
    eye = make_eye(layout_of(BOARD), read_material("red,white", "beige,dark"), None)
    for _ in follow(open_source(str(tmp_path)), eye, session):
        pass
    session.finish(60.0, 60)
    turns, _, _ = sample_game()
    made = turns[2 : 2 + PLIES]
    names = [[re.sub(r":\d", "", turned(text, sixths)) for text in made] for sixths in range(6)]
    assert played(session)[2:] in names
    assert not [event for event in session.events() if event.kind in ("illegal", "lost")]


def test_a_photographed_table_stood_long_enough_for_an_alarm() -> None:
    """One picture of an illegal move is enough for a referee who wants it to stand for a second and a half."""
    session = Session(Setup(BOARD, ("red", "white")))
    for text in ("b3,d2,d2", "d6,d6,f4"):
        session.enter(text)
    looks = list(session.state.expected)
    looks[BOARD.by_name["b3"]], looks[BOARD.by_name["c6"]] = CellLook(Surface.BEIGE), CellLook(Surface.BEIGE, 1, 1)
    picture = Frame(np.zeros((8, 8, 3), np.uint8), 6.0, 1, snapshot=True, stood_s=5.0)
    tell(session, picture, [Moving(None), Still(Reading(6.0, 1, tuple(map(certain, looks))))])
    assert not [event for event in session.events() if event.kind == "illegal"]
    stand(session, picture)
    assert [event.fields["to"] for event in session.events() if event.kind == "illegal"] == ["c6"]


def test_a_time_lapse_film_is_followed_when_its_pace_is_known(tmp_path: Path) -> None:
    """A picture a second, played at twenty-four: too quick for a table to stand still, but each picture counts."""
    turns, _, last = sample_game()
    size = next(frames_between(0, 0)).image.shape[1::-1]
    film = cv2.VideoWriter(str(tmp_path / "lapse.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 24.0, size)
    for frame in frames_between(0, last):
        if frame.index % 12 == 0 or frame.index == last:
            film.write(frame.image)
    film.release()
    session = Session(Setup(BOARD, ("red", "white")))
    eye = make_eye(layout_of(BOARD), read_material("red,white", "beige,dark"), None)
    for _ in follow(open_source(str(tmp_path / "lapse.avi"), SourceSettings(interval_s=1.0)), eye, session):
        pass
    session.finish(200.0, 200)
    names = [[re.sub(r":\d", "", turned(text, sixths)) for text in turns[2:]] for sixths in range(6)]
    assert played(session)[2:] in names
    assert not [event for event in session.events() if event.kind == "illegal"]
