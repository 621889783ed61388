"""Cameras that tremble, that are still being set up, and that never come to rest; on the sample film."""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.truthful_eye import (
    LAST_S,
    TRUTH,
    Table,
    film_frames,
    of_kind,
    seen_after_every_visit,
    truthful_eye,
    turned_pose,
    watched,
)
from vision.finding.find import FoundBoard, NotFound
from vision.following.motion import Window
from vision.following.steady import Steady, small_movement
from vision.frame import Frame
from vision.picture import Picture
from vision.sights import Bumped, Found, Lost, Still

TREMBLES = np.random.default_rng(4).normal(0, 1, (2000, 3))
FIRST = next(film_frames()).image
END = int(LAST_S * TRUTH.fps) - 12


def _moved(image: Picture, x_px: float, y_px: float) -> Picture:
    matrix = np.array([[1, 0, x_px], [0, 1, y_px]])
    moved = cv2.warpAffine(image, matrix, (960, 540), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def _trembling(image: Picture, index: int, size_px: float = 0.7, turn_deg: float = 0.0) -> Picture:
    matrix = cv2.getRotationMatrix2D((480, 270), turn_deg * TREMBLES[index, 2], 1.0)
    matrix[:, 2] += size_px * TREMBLES[index, :2]
    moved = cv2.warpAffine(image, matrix, (960, 540), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


@pytest.mark.parametrize(("size_px", "turn_deg"), [(0.5, 0.0), (2.0, 0.0), (0.5, 0.05)])
def test_a_camera_that_trembles_sees_every_step(size_px: float, turn_deg: float) -> None:
    """Each frame lies elsewhere, up to five pixels: every step is seen as soon as ever, nothing is called a bump."""
    table = Table()
    sights = watched(truthful_eye(table), table, film_frames(lambda image, i: _trembling(image, i, size_px, turn_deg)))
    assert len(of_kind(sights, Found)) == 1
    assert not of_kind(sights, Bumped)
    assert not of_kind(sights, Lost)
    seen_after_every_visit(sights, END)


def test_a_cheap_camera_that_trembles_sees_every_step() -> None:
    """Its pictures are noisy, sharpened and strongly compressed, each by itself: nothing stays quite alike at edges."""
    table, noises = Table(), np.random.default_rng(6).normal(0, 5, (9, *FIRST.shape)).astype(np.float32)

    def cheap(image: Picture, index: int) -> Picture:
        noisy = _trembling(image, index) + noises[index % len(noises)]
        sharp = np.clip(2 * noisy - cv2.GaussianBlur(noisy, (0, 0), 1.2), 0, 255).astype(np.uint8)
        return np.asarray(cv2.imdecode(cv2.imencode(".jpg", sharp, (cv2.IMWRITE_JPEG_QUALITY, 60))[1], 1), np.uint8)

    sights = watched(truthful_eye(table), table, film_frames(cheap, to_s=20.0))
    assert not of_kind(sights, Bumped)
    seen_after_every_visit(sights, int(20.0 * TRUTH.fps) - 12)


def test_a_trembling_camera_that_is_bumped_is_followed() -> None:
    """From frame 130 on it trembles about another place."""
    table = Table()

    def bumped(image: Picture, index: int) -> Picture:
        return _trembling(image if index < 130 else _moved(image, 12.0, -8.0), index)

    sights = watched(truthful_eye(table), table, film_frames(bumped))
    ((index, sight),) = of_kind(sights, Bumped)
    assert isinstance(sight, Bumped)
    assert 130 <= index <= 140
    assert sight.shift_px == pytest.approx((12.0, -8.0), abs=2.5)
    seen_after_every_visit(sights, END)


def test_a_camera_that_has_come_to_rest_elsewhere_was_bumped() -> None:
    """It trembles, comes to rest three pixels aside, and stays there: that is said, and every step is seen."""
    table = Table()

    def rests(image: Picture, index: int) -> Picture:
        return _trembling(image, index) if index < 130 else _moved(image, 3.0, 0.0)

    sights = watched(truthful_eye(table), table, film_frames(rests))
    ((index, sight),) = of_kind(sights, Bumped)
    assert isinstance(sight, Bumped)
    assert index < 220
    seen_after_every_visit(sights, END)


def test_a_board_is_where_it_is_when_the_camera_stands_still_at_last() -> None:
    """While the board is found somebody still sets up the camera: the first reading is of where it is afterwards."""
    table, early = Table(), turned_pose(TRUTH.pose(), np.array([[1, 0, 40.0], [0, 1, -20.0]]))
    found = iter([FoundBoard(early, 0.1, 1.0)])
    eye = truthful_eye(table, find=lambda *_: next(found, FoundBoard(TRUTH.pose(), 0.1, 1.0)))

    def set_up() -> Iterator[Frame]:
        for i in range(24):
            yield Frame(_moved(FIRST, 40 - 40 * i / 24, -20 + 20 * i / 24), i / TRUTH.fps, 0)
        for frame in film_frames():
            yield replace(frame, t_s=frame.t_s + 2.0)

    sights = watched(eye, table, set_up())
    assert eye.found is not None
    np.testing.assert_allclose(eye.found.pose.translation_mm, TRUTH.pose().translation_mm)
    (first, *_), ((_, at), *_) = of_kind(sights, Still), of_kind(sights, Found)
    assert isinstance(at, Found)
    assert first[1].reading.t_s > 1.9
    assert at.found.pose is eye.found.pose


@pytest.mark.parametrize("searched", [False, True])
def test_a_picture_that_never_stands_still_is_said_once(searched: bool) -> None:
    """Someone carries the camera about: after ten seconds there is one reason, and nothing is read. So it is when the
    board had been searched for before, and that was said."""
    table, found = Table(), FoundBoard(TRUTH.pose(), 0.1, 1.0)
    finds = iter([NotFound("no board")] if searched else [])
    eye = truthful_eye(table, find=lambda *_: next(finds, found))
    places = 60 * np.random.default_rng(2).uniform(-1, 1, (400, 2))
    sights = watched(eye, table, film_frames(lambda image, i: _moved(image, *places[i])))
    *before, (index, lost) = of_kind(sights, Lost)
    assert [sight for _, sight in before] == ([Lost("no board")] if searched else [])
    assert isinstance(lost, Lost)
    assert "never stands still" in lost.reason
    assert 10 <= index / TRUTH.fps <= 11
    assert not of_kind(sights, Still)


@pytest.mark.parametrize("turn_deg", [0.0, 0.2])
@pytest.mark.parametrize("shift_px", [(0.0, 0.0), (0.6, -1.1), (-2.0, 1.0), (2.0, 2.0)])
def test_small_movements_are_told_whatever_is_in_front(shift_px: tuple[float, float], turn_deg: float) -> None:
    """To a fifth of a pixel in every cell, in other light, with a hand's worth of something else over the board."""
    window = Window(TRUTH.pose(), TRUTH.layout, 960, 540)
    x, y = (np.asarray(window.origin_px) + window.step_px * window.centres.mean(axis=0)).astype(int)
    turn = cv2.getRotationMatrix2D((float(x), float(y)), turn_deg, 1.0)
    turn[:, 2] += shift_px
    turned = cv2.warpAffine(FIRST, turn, (960, 540), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    now = np.asarray(cv2.convertScaleAbs(turned, alpha=0.8), np.uint8)
    cv2.rectangle(now, (x, y), (x + 90, y + 200), (110, 140, 190), -1)
    told = small_movement(window.sample(now), window.sample(FIRST), window.board > 0)
    assert told is not None
    cells_px = TRUTH.pose().project(np.array([(x, y, 0.0) for x, y in TRUTH.layout.centres_mm]))
    moved_px = window.step_px * (window.to_sample(cells_px) @ told[:, :2].T + told[:, 2] - window.to_sample(cells_px))
    np.testing.assert_allclose(moved_px, cells_px @ turn[:, :2].T + turn[:, 2] - cells_px, atol=0.2)


def test_no_small_movement_is_told_of_a_large_one_or_of_another_picture() -> None:
    """Twenty pixels aside, and noise."""
    window = Window(TRUTH.pose(), TRUTH.layout, 960, 540)
    noise = np.random.default_rng(1).integers(0, 255, FIRST.shape, dtype=np.uint8)
    for other in (_moved(FIRST, 20.0, 0.0), noise):
        assert small_movement(window.sample(other), window.sample(FIRST), window.board > 0) is None


def test_frames_of_a_camera_at_rest_are_left_as_they_are() -> None:
    """Also with hands over the board."""
    window = Window(TRUTH.pose(), TRUTH.layout, 960, 540)
    steady = Steady(window)
    for frame in film_frames(to_s=15.0):
        assert steady.take(frame, None) is frame
        steady.watch(frame, window.sample(frame.image), moved=True)
