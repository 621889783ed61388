"""Something keeps moving in a small part of the board: the rest of it is followed all the same."""

from collections.abc import Iterator
from itertools import pairwise

import cv2
import numpy as np
import pytest

from tests.vision.truthful_eye import TRUTH, Table, of_kind, truthful_eye, watched
from vision.eye import Eye
from vision.finding.find import FoundBoard
from vision.following.motion import Window
from vision.frame import Frame
from vision.picture import Picture
from vision.sights import Found, Lost, Moving, Still

PIXELS = TRUTH.pose().project(np.array([(x, y, 0.0) for x, y in TRUTH.layout.centres_mm]))
PITCH_PX = float(np.linalg.norm(PIXELS[:, None] - PIXELS, axis=2)[0].max() / 6)
#: The cell farthest to the right, where nothing is played in the film's first plies.
CORNER = int(PIXELS[:, 0].argmax())
PLIES = 4
Spot = tuple[float, float]


def with_finger(picture: Picture, t_s: float, at: Spot, radius_px: float, swing_px: float) -> Picture:
    """A finger, or more, that comes in from the right and moves up and down two and a half times a second."""
    out, x = picture.copy(), round(at[0])
    y = round(at[1] + swing_px * np.sin(2 * np.pi * 2.5 * t_s))
    for place, turn in ((picture.shape[1], 0), (x, 1)):
        cv2.line(out, (place, y), (x, y + turn), (110, 140, 200), round(2 * radius_px), cv2.LINE_AA)
    return out


def slow_film(hold_s: float) -> Iterator[Frame]:
    """The film's first plies, every picture that stands before the next reach held for so long."""
    number, last = 0, {visit.still_to for visit in TRUTH.visits()}
    pictures = cv2.VideoCapture(str(TRUTH.film))
    end = TRUTH.visits()[PLIES * 2].still_to
    for index in range(end + 1):
        picture = np.asarray(pictures.read()[1], np.uint8)
        for _ in range(round(hold_s * TRUTH.fps) if index in last else 1):
            yield Frame(picture, number / TRUTH.fps, index)
            number += 1


def fidgeting(frames: Iterator[Frame], from_s: float, to_s: float = np.inf) -> Iterator[Frame]:
    """Frames with a finger that lies on the cell in the corner and does not stop."""
    for frame in frames:
        there = from_s <= frame.t_s < to_s
        at = PIXELS[CORNER] + (0.4 * PITCH_PX, 0)
        picture = with_finger(frame.image, frame.t_s, at, 0.2 * PITCH_PX, 0.2 * PITCH_PX) if there else frame.image
        yield Frame(picture, frame.t_s, frame.index)


def near_the_corner() -> set[int]:
    """The cell in the corner, and those beside it."""
    return set(np.flatnonzero(np.linalg.norm(PIXELS - PIXELS[CORNER], axis=1) < 1.3 * PITCH_PX).tolist())


def unseen_in(sight: Still) -> set[int]:
    """The cells that are unseen."""
    return {i for i, cell in enumerate(sight.reading.cells) if cell.unseen}


def test_moves_are_seen_beside_a_finger_that_does_not_lie_still() -> None:
    """The cells that it moves over, and only those, are unseen, and the others right, whenever the rest is still."""
    table = Table()
    stills = of_kind(watched(truthful_eye(table), table, fidgeting(slow_film(3.0), 1.0)), Still)
    for visit in TRUTH.visits()[: PLIES * 2]:
        now = [sight for index, sight in stills if visit.gone - 4 <= index <= visit.still_to]
        assert now, f"nothing seen in frames {visit.gone} to {visit.still_to}"
        table.frame = visit.still_to
        assert CORNER in unseen_in(now[-1]) <= near_the_corner()
        told = [None if cell.unseen else cell.best() for cell in now[-1].reading.cells]
        assert all(look in (None, truth) for look, truth in zip(told, table.now(), strict=True))
    for (_, before), (_, after) in pairwise(stills):
        if unseen_in(after) < unseen_in(before):  # not one by one
            assert after.reading.t_s - before.reading.t_s > 0.2


def test_only_what_changed_is_read_beside_a_finger_that_was_there_from_the_beginning() -> None:
    """What it hides is unknown, but no reason to read all of the board again and again."""
    table = Table()
    stills = of_kind(watched(truthful_eye(table), table, fidgeting(slow_film(3.0), 0.0)), Still)
    assert all(CORNER in unseen_in(sight) for _, sight in stills)
    assert len(stills) > 2 * PLIES
    assert len(table.read_cells) - 37 < 0.3 * 37 * (len(stills) - 1)


def test_a_spot_that_flickers_amid_the_board_is_not_read() -> None:
    """Nothing reaches in from beyond the board, but what moves there is no man."""
    table, cell = Table(), int(np.linalg.norm(PIXELS - PIXELS.mean(axis=0), axis=1).argmin())
    x, y = (round(v) for v in PIXELS[cell])
    held = [Frame(TRUTH.frame(2), i / 12, 2) for i in range(60)]
    for frame in held[12::2]:
        cv2.circle(frame.image, (x, y), round(0.3 * PITCH_PX), (255, 255, 255), -1)
    stills = of_kind(watched(truthful_eye(table), table, iter(held)), Still)
    assert [unseen_in(sight) for _, sight in stills] == [set(), {cell}]
    assert len(table.read_cells) == 37


def test_all_is_seen_again_when_the_finger_has_gone() -> None:
    """And nothing is hidden any more; it is said that it moves once, not with every frame."""
    table = Table()
    held = [Frame(TRUTH.frame(2), i / 12, 2) for i in range(84)]
    sights = watched(truthful_eye(table), table, fidgeting(iter(held), 1.0, 5.0))
    last = sights[-1][1]
    assert isinstance(last, Still)
    assert not unseen_in(last)
    assert len(of_kind(sights, Moving)) <= 3
    kinds = [type(sight) for _, sight in sights]
    assert not any(before is after is Moving for before, after in pairwise(kinds))


def test_a_board_beside_which_a_finger_never_rests_is_looked_at_all_the_same() -> None:
    """From the beginning on: the cells that it hides are unseen until it goes."""
    held = [Frame(TRUTH.frame(2), i / 12, 2) for i in range(240)]
    eye = Eye(TRUTH.layout, TRUTH.material, find=lambda *_: FoundBoard(TRUTH.pose(), 0.1, 1.0))
    sights = watched(eye, Table(), fidgeting(iter(held), 0.0, 15.0))
    assert not of_kind(sights, Lost)
    assert of_kind(sights, Found)
    first, last = (of_kind(sights, Still)[i][1] for i in (0, -1))
    assert CORNER in unseen_in(first) <= near_the_corner()
    assert not unseen_in(last)


@pytest.mark.parametrize("swing", [0.5, 1.5])
def test_nothing_is_read_while_much_of_the_board_moves(swing: float) -> None:
    """An arm across the middle: somebody makes a move."""
    table = Table()
    size = swing * PITCH_PX
    held = [Frame(TRUTH.frame(2), i / 12, 2) for i in range(60)]
    middle = PIXELS.mean(axis=0)
    over = [
        Frame(with_finger(frame.image, frame.t_s, middle, size, size) if i >= 12 else frame.image, frame.t_s, 2)
        for i, frame in enumerate(held)
    ]
    stills = of_kind(watched(truthful_eye(table), table, iter(over)), Still)
    assert [unseen_in(sight) for _, sight in stills] == [set()]
    assert all(sight.reading.t_s < 1.0 for _, sight in stills)


def test_the_finger_is_no_noise() -> None:
    """It moves enough to keep all of the board from being still: what the other tests need."""
    window = Window(TRUTH.pose(), TRUTH.layout, 960, 540)
    held = [Frame(TRUTH.frame(2), i / 12, 2) for i in range(12)]
    samples = [window.sample(frame.image) for frame in fidgeting(iter(held), 0.0)]
    apart = [np.asarray(cv2.absdiff(a, b), np.uint8) for a, b in pairwise(samples)]
    changed = [window.changed(d, (20.0, 10.0, 15.0), s, trembles=False) for d, s in zip(apart, samples, strict=False)]
    assert np.mean([window.motion(c) for c in changed]) > 0.7
