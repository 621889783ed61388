"""The eye on the sample film: once with all its real parts, else with a reader that answers from the film's truth.

With the truthful reader, a wrong cell in a reading is a cell that was not read when it should have been, or was read
while a hand covered it: what is tested is the following, not the reading.
"""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.layout import named_layout
from engine.look import BoardLook, CellLook, CellReading, Surface, certain, men_index
from tests.footage_places import SAMPLES
from tests.vision.film_truth import turned
from tests.vision.truthful_eye import (
    LAST_S,
    TRUTH,
    Change,
    Learned,
    Table,
    film_frames,
    of_kind,
    seen_after_every_visit,
    truthful_eye,
    turned_pose,
    watched,
)
from vision.eye import Eye
from vision.finding.find import FoundBoard
from vision.following.motion import Window
from vision.frame import Frame
from vision.picture import Picture
from vision.sights import Bumped, Found, Lost, Moving, Sight, Still
from vision.sources import open_source

BLOTCHES = cv2.GaussianBlur(np.random.default_rng(9).normal(0, 200, (540, 960, 3)), (0, 0), 12).round()
NOISE = [np.random.default_rng(i).normal(0, 5, (540, 960, 3)).astype(np.float32) for i in range(5)]
#: Directions from the place below a fan.
BEARING = np.arctan2(np.arange(540)[:, None] - 216, np.arange(960) - 528)

FIRST = next(iter(open_source(str(SAMPLES / "sample.mp4")))).image


def test_every_step_of_the_film_is_seen_right_and_soon() -> None:
    """The whole film, light wandering as a camera's does, hands resting up to half a second."""
    table = Table()
    sights = watched(truthful_eye(table), table, film_frames(to_s=1e9))
    assert isinstance(sights[0][1], Found)
    seen_after_every_visit(sights, 10**9)
    assert not of_kind(sights, Lost)
    assert not of_kind(sights, Bumped)


def test_only_what_changed_is_read_again() -> None:
    """In all readings after the first, a small part of the board's cells is read."""
    table = Table()
    sights = watched(truthful_eye(table), table, film_frames())
    stills = len(of_kind(sights, Still))
    assert len(table.read_cells) - 37 < 0.3 * 37 * (stills - 1)


@pytest.mark.parametrize("factor", [1.0, 0.75])
def test_when_the_light_changes_the_lamp_is_looked_for_again(factor: float) -> None:
    """Once for each change, when the board is still and free. Not while the light stays the same."""
    table, lamps, learned, lit_otherwise = Table(), list[object](), Learned(), Learned()

    def relight(old: object, *_: object) -> Learned:
        lamps.append(old)
        return lit_otherwise

    found = FoundBoard(TRUTH.pose(), 0.1, 1.0)
    parts = {"find": lambda *_: found, "learn": lambda *_: learned, "make_reader": lambda *_: table}
    eye = Eye(TRUTH.layout, TRUTH.material, relight=relight, **parts)
    darker = film_frames(
        lambda image, n: np.asarray(cv2.convertScaleAbs(image, alpha=factor if 40 < n < 120 else 1)), 16.0
    )
    watched(eye, table, darker)
    assert lamps == ([learned, learned] if factor < 1 else []), "each time from the table as it was learned"
    assert eye.table is (lit_otherwise if factor < 1 else learned)


@pytest.mark.parametrize(
    "change",
    [
        lambda image, i: np.clip(image * (0.8 if i >= 60 else 1.0), 0, 255).astype(np.uint8),
        lambda image, i: np.clip(image * (np.array([0.88, 1.0, 1.1]) if i >= 60 else 1.0), 0, 255).astype(np.uint8),
        lambda image, i: np.clip(image * (1 + 0.04 * np.sin(1.7 * i)), 0, 255).astype(np.uint8),
        lambda image, i: np.asarray(cv2.add(image, NOISE[i % len(NOISE)], dtype=cv2.CV_8U), np.uint8),
        lambda image, i: np.asarray(cv2.add(image, 2.4 * NOISE[i % len(NOISE)], dtype=cv2.CV_8U), np.uint8),
    ],
    ids=["darker", "another white", "flicker", "noise", "much noise"],
)
def test_other_light_and_noise_change_nothing(change: Change) -> None:
    """Every step is seen just so when the light is switched, wanders or flickers, and in a noisy picture."""
    table = Table()
    seen_after_every_visit(watched(truthful_eye(table), table, film_frames(change)), int(LAST_S * TRUTH.fps) - 12)


def test_below_a_fan_every_step_is_seen() -> None:
    """The shadows of three blades turn over the board all the time. That is known before the first hand comes."""
    table = Table()

    def shaded(image: Picture, n: int) -> Picture:
        return np.asarray(image * (1 - 0.2 * np.cos(1.5 * BEARING - 1.02 * n)[..., None] ** 2), np.uint8)

    waiting = [Frame(shaded(FIRST, n), n / TRUTH.fps, 0) for n in range(-3 * TRUTH.fps, 0)]
    sights = watched(truthful_eye(table), table, [*waiting, *film_frames(shaded)])
    assert not of_kind(sights, Lost)
    seen_after_every_visit(sights, int(LAST_S * TRUTH.fps) - 12, within_s=0.75, left_s=0.75)


def _mottled(image: Picture, index: int) -> Picture:
    """From frame 130 on there are faint blotches everywhere, as from a codec that changed its mind."""
    return image if index < 130 else np.clip(image + BLOTCHES, 0, 255).astype(np.uint8)


class UnsureOfHeights(Table):
    """A table whose reader is hardly ever sure how high a stack is."""

    def told(self, cell: int, look: CellLook) -> CellReading:
        """The truth, but one man more is almost as likely."""
        reading = super().told(cell, look)
        if not look.men:
            return reading
        more = men_index(look.men, look.height + 1)
        return replace(reading, men=tuple(-0.2 if i == more else v for i, v in enumerate(reading.men)))


def test_a_board_that_looks_a_little_different_everywhere_is_read_again_at_once() -> None:
    """Nobody has covered it: nothing is waited for, however unsure the heights are."""
    table = UnsureOfHeights()
    seen_after_every_visit(watched(truthful_eye(table), table, film_frames(_mottled)), int(LAST_S * TRUTH.fps) - 12)


class UnsureOfSome(Table):
    """A table whose reader is unsure of what stands on some cells under the new light."""

    unsure = 0

    def told(self, cell: int, look: CellLook) -> CellReading:
        """The truth; from frame 40 on with doubts."""
        return certain(look, doubt=0.37 if self.frame >= 40 and cell < self.unsure else 1e-4)


_SLOPE = np.linspace(0.3, 1.7, 960).reshape(1, 960, 1)


def test_light_that_falls_off_otherwise_is_nothing_in_front() -> None:
    """From a lamp elsewhere: the game goes on at once, with no cell unseen."""
    table = Table()

    def shaded(image: Picture, n: int) -> Picture:
        return image if n < 40 else np.clip(image * _SLOPE, 0, 255).astype(np.uint8)

    seen_after_every_visit(watched(truthful_eye(table), table, film_frames(shaded)), int(LAST_S * TRUTH.fps) - 12)


@pytest.mark.parametrize(("unsure", "goes_on"), [(0, True), (2, True), (12, False)])
def test_dappled_light_is_got_used_to(unsure: int, goes_on: bool) -> None:
    """Light and shade change places all over the board, as below leaves. After 1.5 s the game goes on although a cell
    or two are doubtful now; not when many are: that may be a cloth."""
    table = UnsureOfSome()
    table.unsure = unsure
    rows, columns = np.mgrid[:540, :960]
    leaves = _SLOPE * (1 + 0.35 * np.sin(columns / 9) * np.sin(rows / 8))[..., None]

    def shaded(image: Picture, n: int) -> Picture:
        return image if n < 40 else np.clip(FIRST * leaves, 0, 255).astype(np.uint8)

    eye = truthful_eye(table)
    sights = watched(eye, table, film_frames(shaded, 7.0))
    after = [sight.reading for index, sight in sights if isinstance(sight, Still) and index >= 40]
    assert all(cell.unseen for cell in after[0].cells)
    assert goes_on == any(not any(cell.unseen for cell in reading.cells) for reading in after)


@pytest.mark.parametrize("shift_px", [(9.0, -6.0), (-2.0, 1.5), (45.0, 30.0)])
def test_a_bump_is_said_and_the_game_goes_on(shift_px: tuple[float, float]) -> None:
    """From frame 130 on the picture is shifted: the real `refine_pose` follows, and every step is seen."""
    matrix = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]]])

    def bump(image: Picture, index: int) -> Picture:
        if index < 130:
            return image
        return np.asarray(cv2.warpAffine(image, matrix, (960, 540), borderMode=cv2.BORDER_REPLICATE), np.uint8)

    table = Table()
    eye = truthful_eye(table)
    sights = watched(eye, table, film_frames(bump))
    ((index, bumped),) = of_kind(sights, Bumped)
    assert isinstance(bumped, Bumped)
    assert 130 <= index <= 136
    assert bumped.shift_px == pytest.approx(shift_px, abs=1.0)
    assert eye.found is not None
    centres = np.array([(x, y, 0.0) for x, y in TRUTH.layout.centres_mm])
    apart = eye.found.pose.project(centres) - turned_pose(TRUTH.pose(), matrix).project(centres)
    assert np.hypot(*apart.T).mean() < 1.5
    seen_after_every_visit(sights, int(LAST_S * TRUTH.fps) - 12)


def _resting_hand(seconds: float) -> Iterator[Frame]:
    """The film until a hand is over the board, which then rests; the rest of the film follows."""
    visit, rng, late = TRUTH.visits()[4], np.random.default_rng(3), 0
    for frame in film_frames():
        yield Frame(frame.image, frame.t_s + late / TRUTH.fps, frame.index)
        if frame.index == visit.first + 5:
            for late in range(1, round(seconds * TRUTH.fps)):
                noisy = np.clip(frame.image + rng.normal(0, 2, frame.image.shape), 0, 255).astype(np.uint8)
                yield Frame(noisy, frame.t_s + late / TRUTH.fps, frame.index)


def test_a_hand_at_rest_is_no_material() -> None:
    """For eight seconds a hand lies still over the board: cells below it are unseen all the time, then all is well."""
    table = Table()
    visit = TRUTH.visits()[4]
    sights = watched(truthful_eye(table), table, _resting_hand(8.0))
    resting = [s.reading for i, s in sights if isinstance(s, Still) and i == visit.first + 5]
    assert resting
    for reading in resting:
        assert sum(cell.unseen for cell in reading.cells) >= 3
    seen_after_every_visit(sights, int(LAST_S * TRUTH.fps) - 12)


def test_no_cell_under_a_hand_is_given_out() -> None:
    """What looks neither as before a reach of the hand nor as after it is the hand: no reading holds such a cell."""
    window = Window(TRUTH.pose(), TRUTH.layout, 960, 540)
    samples = [window.sample(frame.image).astype(np.int16) for frame in film_frames()]
    table = Table()
    sights = watched(truthful_eye(table, lift_rate_hz=8.0), table, film_frames())
    readings = [(i, s.reading) for i, s in sights if isinstance(s, Still | Moving) and s.reading]
    rows, columns = np.mgrid[: window.size[1], : window.size[0]]
    discs = [np.hypot(columns - x, rows - y) < 0.42 * window.pitch for x, y in window.centres]
    looked_at = 0
    for visit in TRUTH.visits():
        for index, reading in readings:
            if not visit.first <= index < visit.gone or visit.gone + 1 >= len(samples):
                continue
            before, now, after = (samples[i] for i in (visit.first - 1, index, visit.gone + 1))
            hand = np.minimum(np.abs(now - before).max(axis=2), np.abs(now - after).max(axis=2)) > 40
            for cell, disc in zip(reading.cells, discs, strict=True):
                assert cell.unseen or hand[disc].mean() < 0.1, f"frame {index}"
                looked_at += 1
    assert looked_at > 37 * 50


def test_a_hand_over_the_board_gives_partial_readings_when_asked() -> None:
    """With a lift rate, `Moving` carries readings while the hand is there, some of their cells unseen."""
    table = Table()
    sights = watched(truthful_eye(table, lift_rate_hz=6.0), table, film_frames(to_s=15))
    readings = [s.reading for _, s in sights if isinstance(s, Moving) and s.reading]
    assert len(readings) > 10
    assert any(0 < sum(cell.unseen for cell in reading.cells) < 30 for reading in readings)


@pytest.mark.parametrize("better", [True, False])
def test_what_the_referee_confirms_is_learned_when_it_explains_more(better: bool) -> None:
    """A table learned from confirmed looks replaces the first one only if its reader agrees better with them."""
    truth = TRUTH.looks(-1)
    wrong = tuple(CellLook(Surface.DARK) for _ in truth)
    asked: list[object] = []

    def learn(*arguments: object) -> str:
        asked.append(arguments[4] if len(arguments) > 4 else None)
        return "learned again" if len(arguments) > 4 else "learned"

    class Reader:
        def __init__(self, pose: object, layout: object, table: str) -> None:
            self.looks = truth if (table == "learned again") == better else wrong

        def free(self, maps: NDArray[np.float32], without: object = ()) -> NDArray[np.bool_]:
            """No corner of the board shows beside its men: nobody can tell what covers it from the beginning."""
            return np.zeros(maps.shape[:-1], bool)

        def read(self, image: Picture, **_: object) -> tuple[CellReading, ...]:
            return tuple(certain(look) for look in self.looks)

    found = FoundBoard(TRUTH.pose(), 0.1, 1.0)
    eye = Eye(TRUTH.layout, TRUTH.material, find=lambda *_: found, learn=learn, make_reader=Reader)
    for frame in film_frames(to_s=0.9):
        eye.step(frame)
    eye.confirm(truth)
    assert asked == [None, truth]
    assert eye.table == ("learned again" if better else "learned")


@pytest.mark.parametrize("unlike", ["heights", "nothing", "unsure", "colours"])
def test_stacks_all_alike_are_looked_at_afresh_when_something_changes(unlike: str) -> None:
    """Doubles look like single men twice as thick from above: a table learned anew is believed where it surely tells
    several heights, of the same men, even when the referee has confirmed otherwise meanwhile. It is tried three times,
    and three times more once he knows how the game begins."""
    table, asked = Table(), [0]

    def learn(*arguments: object) -> Learned:
        asked[0] += 1
        return first if asked[0] == 1 or arguments[4] is not None else again

    class Reader(Table):
        """Takes all stacks for single men; when it is `again`, tells them as is asked for."""

        def __init__(self, pose: object, layout: object, learned: Learned) -> None:
            super().__init__()
            self.again = learned is again

        def now(self) -> BoardLook:
            self.frame = table.frame
            heights = self.again and unlike != "nothing"
            swapped = (0, 2, 1) if self.again and unlike == "colours" else (0, 1, 2)
            return tuple(
                CellLook(look.surface, swapped[look.men], look.height if heights else 1) if look.men else look
                for look in super().now()
            )

        def told(self, cell: int, look: CellLook) -> CellReading:
            unsure = self.again and unlike == "unsure" and look.height > 1
            men = [0.0 if i == look.places[1] else -2.0 for i in range(len(certain(look).men))]
            return CellReading(certain(look).surface, tuple(men)) if unsure else certain(look)

    first, again, found = Learned(), Learned(), FoundBoard(TRUTH.pose(), 0.1, 1.0)
    eye = Eye(TRUTH.layout, TRUTH.material, find=lambda *_: found, learn=learn, make_reader=Reader)
    for frame in film_frames(to_s=20.0):
        table.frame = frame.index
        eye.step(frame)
        if asked == [2]:
            eye.confirm(tuple(CellLook(look.surface, look.men, min(look.height, 1)) for look in table.now()))
    assert eye.table is (again if unlike == "heights" else first)
    assert asked == [4 if unlike == "heights" else 6]


def test_pictures_taken_one_by_one_are_each_read() -> None:
    """One picture of every settled moment, a second apart, as from a folder: each gives one reading, right."""
    table, ends = Table(), [settled for _, _, settled in TRUTH.settled()]
    eye = truthful_eye(table)
    pictures = [frame for frame in film_frames(to_s=1e9) if frame.index in ends]
    for number, picture in enumerate(pictures):
        table.frame = picture.index
        sights = eye.step(replace(picture, t_s=float(number), snapshot=True))
        (still,) = [sight for sight in sights if isinstance(sight, Still)]
        assert tuple(cell.best() for cell in still.reading.cells) == table.now()


def test_a_camera_in_trouble_loses_the_board_until_it_is_back() -> None:
    """Frames that say what is wrong give a `Lost` with each reason; the next good ones give `Found` and a reading."""
    table = Table()
    troubles = {**dict.fromkeys(range(60, 80), "its picture is frozen"), **dict.fromkeys(range(80, 100), "unplugged?")}
    frames = [replace(frame, trouble=troubles.get(frame.index, "")) for frame in film_frames(to_s=12)]
    sights = watched(truthful_eye(table), table, iter(frames))
    assert of_kind(sights, Lost) == [(60, Lost("its picture is frozen")), (80, Lost("unplugged?"))]
    back = [index for index, _ in of_kind(sights, Found)]
    assert len(back) == 2
    assert 100 <= back[1] <= 125


def test_a_picture_without_a_board_is_lost_and_searched_at_a_gentle_rate() -> None:
    """The real finder on an empty table: one reason, few attempts."""
    eye = Eye(named_layout("hexhex-4"), TRUTH.material)
    rng = np.random.default_rng(1)
    sights: list[Sight] = []
    for i in range(60):
        table = np.clip(rng.normal(120, 3, (270, 480, 3)), 0, 255).astype(np.uint8)
        sights += eye.step(Frame(table, i / 10, i))
    assert len(sights) == 1
    assert isinstance(sights[0], Lost)


def test_the_real_eye_reads_the_sample_film() -> None:
    """Finder, reader and follower fit together: given the board's name and the colours' words, 95 % of cells are right.

    How well cells are read is the reader's own matter, measured elsewhere.
    """
    eye = Eye(named_layout("hexhex-4"), TRUTH.material)
    readings = [(f.index, s.reading) for f in film_frames(to_s=1e9) for s in eye.step(f) if isinstance(s, Still)]
    right = [0] * 6
    cells = 0
    for ply, gone, settled in TRUTH.settled():
        reading = [reading for index, reading in readings if gone - 4 <= index <= settled][-1]
        cells += len(reading.cells)
        for turn in range(6):
            looks = turned(TRUTH.board, TRUTH.looks(ply), turn)
            right[turn] += sum(cell.best() == look for cell, look in zip(reading.cells, looks, strict=True))
    assert cells == 16 * 37
    assert max(right) >= 0.95 * cells


def test_a_board_turned_while_the_light_is_switched_is_read_in_the_light_of_now() -> None:
    """First it is lit by half as much light, bluer; then it lies turned by eight degrees and is as bright as ever."""
    matrix = cv2.getRotationMatrix2D((480, 270), 8, 1)
    bright = cv2.warpAffine(FIRST, matrix, (960, 540), borderMode=cv2.BORDER_REPLICATE)
    dim = np.clip(FIRST * [0.63, 0.55, 0.44], 0, 255)
    eye = Eye(named_layout("hexhex-4"), TRUTH.material)
    sights = list[Sight]()
    for index in range(45):
        picture = np.clip((dim if index < 15 else bright) + NOISE[index % 5] / 3, 0, 255).astype(np.uint8)
        sights += eye.step(Frame(picture, index / 12, index))
    assert of_kind(list(enumerate(sights)), Bumped)
    still = [sight.reading for sight in sights if isinstance(sight, Still)][-1]
    looks = [turned(TRUTH.board, TRUTH.looks(-1), turn) for turn in range(6)]
    assert tuple(cell.best() for cell in still.cells) in looks


def _turned_by_far(eye: Eye) -> tuple[list[tuple[int, Sight]], Frame]:
    """What an eye sees of a board that lies turned by twelve degrees from frame 15 to 23, and the last frame."""
    matrix = cv2.getRotationMatrix2D((480, 270), 12, 1)
    after = cv2.warpAffine(FIRST, matrix, (960, 540), borderMode=cv2.BORDER_REPLICATE)
    sights = list[tuple[int, Sight]]()
    for index in range(24):
        picture = np.clip((FIRST if index < 15 else after) + NOISE[index % 5] / 3, 0, 255).astype(np.uint8)
        frame = Frame(picture, index / 12, index)
        sights += [(index, sight) for sight in eye.step(frame)]
    return sights, frame


def test_a_board_that_was_turned_by_far_is_read_before_the_next_hand_comes() -> None:
    """By twelve degrees, as far as no shift of the picture explains: it is found half a second after it lies still."""
    sights, _ = _turned_by_far(Eye(named_layout("hexhex-4"), TRUTH.material))
    assert len(of_kind(sights, Bumped)) == 1
    still = [sight.reading for _, sight in sights if isinstance(sight, Still)][-1]
    assert not any(cell.unseen for cell in still.cells)


def test_what_was_read_before_a_bump_speaks_against_a_referee_who_is_behind() -> None:
    """He knows of no turn that is open, and what he knows may fit the board turned: it stays as it was read before."""
    eye = Eye(named_layout("hexhex-4"), TRUTH.material)
    sights, frame = _turned_by_far(eye)
    read = tuple(cell.best() for cell in [s.reading for _, s in sights if isinstance(s, Still)][-1].cells)
    behind = turned(TRUTH.board, read, 3)
    assert behind != read
    for looks in (None, read, behind):
        assert eye.take_turned(looks, frame) == []
    eye.turn(2, frame)  # whoever says so: from now on only the referee knows
    assert eye.take_turned(None, frame) == []
    seen = [s.reading for s in eye.take_turned(read, frame) if isinstance(s, Still)]
    assert [tuple(cell.best() for cell in reading.cells) for reading in seen] == [read]
