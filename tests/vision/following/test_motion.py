"""The motion gate and the comparison with the reference, on the sample film with its true pose."""

import itertools
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from tests.footage_places import SAMPLES
from tests.vision.film_truth import FilmTruth
from vision.following.change import Zones, compare, find_shift, shows_board
from vision.following.difference import difference, estimate_gains
from vision.following.motion import SAME_LIGHT, Stillness, Window, combined, scaled
from vision.geometry import BoardPose
from vision.picture import Picture

TRUTH = FilmTruth(SAMPLES / "sample.mp4")


@pytest.fixture(scope="module")
def pose() -> BoardPose:
    """The true pose."""
    return TRUTH.pose()


@pytest.fixture(scope="module")
def window(pose: BoardPose) -> Window:
    """The board's part of the sample film."""
    return Window(pose, TRUTH.layout, 960, 540)


@pytest.fixture(scope="module")
def zones(window: Window, pose: BoardPose) -> Zones:
    """Its cells' zones."""
    return Zones(window, pose, TRUTH.layout)


def _frames() -> Iterator[Picture]:
    capture = cv2.VideoCapture(str(TRUTH.film))
    while (read := capture.read())[0]:
        yield np.asarray(read[1], np.uint8)


@pytest.fixture(scope="module")
def samples(window: Window) -> list[Picture]:
    """The small picture of every frame."""
    return [window.sample(image) for image in _frames()]


def test_the_small_picture_shows_cells_where_it_says(window: Window, samples: list[Picture]) -> None:
    """A mark drawn at a cell's centre in the full picture is found there in the small one."""
    image = np.zeros((540, 960, 3), np.uint8)
    step = window.step_px
    for x, y in window.centres:
        at = (round((x + 0.5) * step + window.origin_px[0]), round((y + 0.5) * step + window.origin_px[1]))
        cv2.circle(image, at, step, (255, 255, 255), -1)
    small = window.sample(image)[..., 0]
    for x, y in window.centres:
        assert small[round(y), round(x)] > 100
    assert samples[0].shape == (window.size[1], window.size[0], 3)
    assert 7 <= window.pitch <= 14.2


def test_masks_are_enlarged_to_where_their_samples_came_from(window: Window) -> None:
    """Drawing an enlarged mask and sampling it gives the mask back."""
    rng = np.random.default_rng(5)
    mask = rng.random(window.size[::-1]) < 0.3
    full = window.enlarge(mask)
    assert full.shape == (540, 960)
    back = window.sample(np.repeat(full[..., None] * np.uint8(255), 3, axis=2))[..., 0] > 127
    assert np.array_equal(back, mask)


def test_a_board_outside_the_picture_is_refused(pose: BoardPose) -> None:
    """A picture too small to hold any of the board."""
    with pytest.raises(ValueError, match="outside the picture of 20×10"):
        Window(pose, TRUTH.layout, 20, 10)


def test_hands_move_and_the_settled_board_is_still(window: Window, samples: list[Picture]) -> None:
    """Every settled interval is still soon after the hand has left, and every reach of a hand moves."""
    gate = Stillness(window)
    still_s = [gate.update(sample, i / TRUTH.fps) for i, sample in enumerate(samples)]
    for visit in TRUTH.visits():
        assert min(still_s[visit.first : visit.gone]) == 0
        settled = still_s[visit.gone + 4 : visit.still_to + 1]
        assert min(settled, default=1.0) >= 0.2


def _below_a_fan(samples: list[Picture]) -> list[Picture]:
    """The first of some small pictures for three seconds, then all, while the shadows of three blades turn."""
    height, width = samples[0].shape[:2]
    rows, columns = np.mgrid[:height, :width]
    bearing = np.arctan2(rows - 0.4 * height, columns - 0.55 * width)
    turns = [bearing - 2 * np.pi * 1.3 * i / TRUTH.fps for i in range(3 * TRUTH.fps + len(samples))]
    light = [1 - 0.2 * np.clip(np.cos(3 * turn), 0, 1)[..., None] ** 2 for turn in turns]
    film = [samples[0]] * (3 * TRUTH.fps) + samples
    return [(sample * shade).astype(np.uint8) for sample, shade in zip(film, light, strict=True)]


def test_hands_move_and_the_settled_board_is_still_below_a_fan(window: Window, samples: list[Picture]) -> None:
    """Light that shimmers is told within three seconds; from then on hands are told from it."""
    gate, first = Stillness(window), 3 * TRUTH.fps
    still_s = [gate.update(sample, i / TRUTH.fps) for i, sample in enumerate(_below_a_fan(samples))]
    assert max(still_s[: TRUTH.fps]) < 0.2
    for visit in TRUTH.visits():
        assert min(still_s[first + visit.first : first + visit.gone]) == 0
        settled = still_s[first + visit.gone : first + visit.still_to + 1]
        assert max(settled) >= 0.2
    assert gate.shimmers


def test_light_that_comes_to_rest_is_worth_a_look(window: Window, samples: list[Picture]) -> None:
    """A fan is switched off: after five seconds light does not shimmer any more, and the board seems to have moved."""
    gate, fan = Stillness(window), _below_a_fan(samples[:1])
    for i, sample in enumerate(fan):
        gate.update(sample, i / TRUTH.fps)
    assert gate.shimmers
    since_s = [gate.update(fan[-1], (len(fan) + i) / TRUTH.fps) for i in range(7 * TRUTH.fps)]
    calm = since_s[2 * TRUTH.fps :]
    assert calm.count(0.0) == 1
    assert calm[-1] < 3
    assert not gate.shimmers


def test_a_lamp_that_is_switched_does_not_make_light_shimmer(window: Window, samples: list[Picture]) -> None:
    """On one side only, every three seconds: something has changed each time."""
    gate = Stillness(window)
    shade = np.linspace(0.7, 1.0, samples[0].shape[1])[:, None]
    for i in range(20 * TRUTH.fps):
        switched = i // (3 * TRUTH.fps) % 2 == 1
        still_s = gate.update((samples[0] * (shade if switched else 1.0)).astype(np.uint8), i / TRUTH.fps)
        assert (still_s == 0) == (i % (3 * TRUTH.fps) == 0)


def test_light_that_changes_now_and_then_does_not_shimmer(window: Window, samples: list[Picture]) -> None:
    """The blades stand still for a quarter of a second at a time, as a cheap camera's bands do: enough to read by."""
    gate, fan = Stillness(window), _below_a_fan(samples[:1])
    for i in range(len(fan)):
        gate.update(fan[i - i % 4], i / TRUTH.fps)
        assert not gate.shimmers


@pytest.mark.parametrize("gains", [(0.8, 0.8, 0.8), (1.15, 1.15, 1.15), (0.9, 1.0, 1.1)])
def test_light_that_changes_as_a_whole_is_no_motion(
    window: Window, samples: list[Picture], gains: tuple[float, float, float]
) -> None:
    """Brighter, darker, redder: the board is still; and the change is measured."""
    gate = Stillness(window)
    gate.update(samples[0], 0.0)
    assert gate.update(scaled(samples[1], gains), 1.0) == 1.0
    assert estimate_gains(scaled(samples[1], gains), samples[0]) == pytest.approx(gains, abs=0.03)


def test_a_camera_that_tells_colours_coarsely_sees_a_still_board(window: Window, samples: list[Picture]) -> None:
    """Noise in one channel only, as of a strongly compressed picture: once it is known, nothing moves."""
    gate, rng = Stillness(window), np.random.default_rng(3)
    for i in range(48):
        noise = np.zeros(samples[0].shape)
        noise[..., 0] = rng.normal(0.0, 3.0, samples[0].shape[:2])
        noisy = np.clip(np.round(samples[0] + noise), 0, 255).astype(np.uint8)
        still_s = gate.update(noisy, i / 12)
    assert still_s > 2.0


def test_a_man_that_moves_by_half_a_cell_is_motion(window: Window, samples: list[Picture]) -> None:
    """A dark disk as large as a man, drawn on a cell and beside it."""
    gate, here, there = Stillness(window), samples[0].copy(), samples[0].copy()
    x, y = (int(v) for v in window.centres[18])
    cv2.circle(here, (x, y), 3, (20, 20, 20), -1)
    cv2.circle(there, (x + 5, y), 3, (20, 20, 20), -1)
    gate.update(here, 0.0)
    assert gate.update(here, 1.0) == 1.0
    assert gate.update(there, 2.0) == 0.0


def test_what_a_turn_changed_is_read_again_and_little_else(
    window: Window, zones: Zones, samples: list[Picture]
) -> None:
    """Between two settled moments the cells that changed are among those to read; cells far from them are not."""
    before = samples[0]
    looks = TRUTH.looks(-1)
    for ply, gone, settled in TRUTH.settled():
        change = compare(samples[settled], before, window, zones)
        after = TRUTH.looks(ply)
        changed = {i for i in range(len(looks)) if looks[i] != after[i]}
        assert changed <= set(change.cells), f"ply {ply}, frames {gone} to {settled}"
        assert not change.hidden
        assert len(change.cells) <= 6 * len(changed)
        before, looks = samples[settled], after


def test_an_arm_that_reaches_in_hides_cells_and_gives_none_to_read_below_it(
    window: Window, zones: Zones, samples: list[Picture]
) -> None:
    """A skin-coloured bar from the window's edge to the middle: the cells below it are hidden, not read."""
    arm = samples[0].copy()
    height, width = arm.shape[:2]
    cv2.rectangle(arm, (width // 2 - 5, 0), (width // 2 + 5, height // 2), (110, 150, 200), -1)
    change = compare(arm, samples[0], window, zones)
    below = {i for i, (x, y) in enumerate(window.centres) if abs(x - width / 2) < 5 and y < height / 2 - 3}
    assert below
    assert below <= set(change.hidden)
    assert not below & set(change.cells)
    assert not shows_board(arm, samples[0], change.foreign, zones)


def test_a_soft_shadow_changes_no_cell(window: Window, zones: Zones, samples: list[Picture]) -> None:
    """A third of the light gone over a third of the board, with a soft edge; cells within are only lit differently."""
    height, width = samples[0].shape[:2]
    shade = np.ones((height, width), np.float32)
    shade[:, : width // 3] = 0.7
    shade = cv2.GaussianBlur(shade, (0, 0), 8)
    dark = (samples[0] * shade[..., None]).astype(np.uint8)
    change = compare(dark, samples[0], window, zones)
    assert not change.cells
    assert len(change.lit) >= 4
    assert shows_board(dark, samples[0], np.ones(dark.shape[:2], bool), zones)


@pytest.mark.parametrize("shift_px", [(9.0, -6.0), (1.5, -1.0), (-30.0, 12.0)])
def test_a_bump_is_measured(window: Window, samples: list[Picture], shift_px: tuple[float, float]) -> None:
    """A shifted picture tells its shift, to half a pixel; also when a man has moved meanwhile."""
    image = next(_frames())
    matrix = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]]])
    moved = np.asarray(cv2.warpAffine(image, matrix, (960, 540), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    for reference in (samples[0], samples[next(TRUTH.settled())[2]]):
        shift = find_shift(window.sample(moved), reference)
        assert shift is not None
        assert np.hypot(*(np.array(shift) * window.step_px - shift_px)) < 0.5


def test_nothing_is_a_bump_when_only_men_move(window: Window, samples: list[Picture]) -> None:
    """From ply to ply of the sample film, nothing has shifted."""
    ends = [settled for _, _, settled in TRUTH.settled()]
    for before, after in itertools.pairwise(ends):
        assert find_shift(samples[after], samples[before]) is None


def test_clipped_highlights_are_no_difference() -> None:
    """What was clipped and is now just below the limit may be the same thing under less light."""
    reference = np.full((4, 4, 3), 255, np.uint8)
    now = np.full((4, 4, 3), 240, np.uint8)
    assert difference(now, reference, (0.85, 0.85, 0.85)).max() == 0
    assert difference(np.full_like(now, 120), reference, (0.85, 0.85, 0.85)).min() > 80


def test_changes_of_light_combine() -> None:
    """One after another multiplies."""
    assert combined(SAME_LIGHT, (0.5, 2.0, 1.0)) == (0.5, 2.0, 1.0)
    assert combined((0.5, 2.0, 1.0), (2.0, 0.5, 3.0)) == (1.0, 1.0, 3.0)
