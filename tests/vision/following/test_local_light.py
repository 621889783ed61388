"""Shadows and lamps that fall on part of the board are light, whatever their edges; an arm is not, even in a shadow."""

from typing import Any

import cv2
import numpy as np
import pytest

from tests.footage_places import SAMPLES
from tests.vision.film_truth import FilmTruth
from tests.vision.shaded import SHADES, in_shade
from vision.arrays import Floats
from vision.following.board_light import BoardLight
from vision.following.change import Change, Zones, compare
from vision.following.local_light import local_light, unlike
from vision.following.motion import SAME_LIGHT, Window
from vision.picture import Picture

TRUTH = FilmTruth(SAMPLES / "sample.mp4")
WINDOW = Window(TRUTH.pose(), TRUTH.layout, 960, 540)
ZONES = Zones(WINDOW, TRUTH.pose(), TRUTH.layout)


def _small_pictures() -> tuple[Picture, Picture, set[int]]:
    """The board at the beginning and after the first turn, and the cells that this changed."""
    _, _, settled = next(iter(TRUTH.settled()))
    capture, pictures = cv2.VideoCapture(str(TRUTH.film)), []
    for _ in range(settled + 1):
        pictures.append(WINDOW.sample(np.asarray(capture.read()[1], np.uint8)))
    before, after = TRUTH.looks(-1), TRUTH.looks(0)
    return (
        pictures[0],
        pictures[settled],
        {i for i, looks in enumerate(zip(before, after, strict=True)) if len(set(looks)) > 1},
    )


FIRST, AFTER_TURN, CHANGED = _small_pictures()


def _in_shade(picture: Picture, shade: tuple[float, float, float], turn_deg: float, soft_pitches: float) -> Picture:
    return in_shade(picture, shade, turn_deg, soft_pitches * WINDOW.pitch)


def _with_arm(picture: Picture) -> Picture:
    """A picture with an arm's sleeve from the upper edge to the board's middle."""
    arm = picture.copy()
    height, width = arm.shape[:2]
    cv2.rectangle(arm, (width // 2 - 7, 0), (width // 2 + 7, height // 2), (110, 70, 60), -1)
    return arm


def _compared(now: Picture, before: Picture) -> Change:
    return compare(now, before, WINDOW, ZONES)


@pytest.mark.parametrize("shade", SHADES.values(), ids=SHADES)
@pytest.mark.parametrize("turn_deg", [0, 70, 200])
@pytest.mark.parametrize("soft_pitches", [0.0, 1.0, 5.0])
def test_a_shadow_over_half_the_board_changes_and_hides_no_cell(
    shade: tuple[float, float, float], turn_deg: float, soft_pitches: float
) -> None:
    """When it comes and when it goes, sharp or soft."""
    dark = _in_shade(FIRST, shade, turn_deg, soft_pitches)
    for now, before in ((dark, FIRST), (FIRST, dark)):
        change = _compared(now, before)
        assert not change.hidden
        assert not change.cells
        assert len(change.lit) > len(ZONES.samples) / 5


@pytest.mark.parametrize("turn_deg", [0, 70, 200])
def test_a_turn_made_while_a_shadow_came_is_seen(turn_deg: float) -> None:
    """The cells that changed are to be read, hardly any others, and none is hidden."""
    change = _compared(_in_shade(AFTER_TURN, SHADES["bluish"], turn_deg, 1.0), FIRST)
    assert set(change.cells) >= CHANGED
    assert len(change.cells) <= 6 * len(CHANGED)
    assert not change.hidden


@pytest.mark.parametrize("turn_deg", [0, 70, 200])
@pytest.mark.parametrize("soft_pitches", [0.0, 1.0, 5.0])
def test_an_arm_in_a_shadow_hides_what_it_covers(turn_deg: float, soft_pitches: float) -> None:
    """As it does without one."""
    covered = set(_compared(_with_arm(FIRST), FIRST).hidden)
    change = _compared(_in_shade(_with_arm(FIRST), SHADES["bluish"], turn_deg, soft_pitches), FIRST)
    assert covered
    assert covered <= set(change.hidden)


def test_an_arm_is_no_light() -> None:
    """Where it is, no factor is believed; so little else has changed that there is none."""
    assert local_light(_with_arm(FIRST), FIRST, SAME_LIGHT, WINDOW) is None


def test_the_factors_of_a_shadow_are_found() -> None:
    """Far from its edge, on both sides, to three hundredths."""
    light = local_light(_in_shade(FIRST, SHADES["bluish"], 0, 0.0), FIRST, SAME_LIGHT, WINDOW)
    assert light is not None
    xs = WINDOW.centres[:, 0]
    for cell, expected in ((xs.argmin(), SAME_LIGHT), (xs.argmax(), SHADES["bluish"])):
        x, y = np.round(WINDOW.centres[cell]).astype(int)
        assert light[y, x] == pytest.approx(expected, abs=0.03)


def test_what_became_brighter_is_unlike_in_levels_of_the_darker_picture() -> None:
    """Twice the light doubles the noise of the reference, too."""
    reference, now = np.full((4, 4, 3), 60, np.uint8), np.full((4, 4, 3), 140, np.uint8)
    assert unlike(now, reference, np.full((4, 4, 3), 2.0)) == pytest.approx(10.0)
    assert unlike(reference, now, np.full((4, 4, 3), 0.5)) == pytest.approx(10.0)


def _lit_by_halves(left: float, right: float) -> Floats:
    light = np.full((*FIRST.shape[:2], 3), right)
    light[:, : FIRST.shape[1] // 2] = left
    return light


def test_a_shadow_that_has_gone_leaves_even_light() -> None:
    """Also when it was measured a little otherwise on its way back, and the lamp was turned up meanwhile."""
    came = BoardLight().after(SAME_LIGHT, _lit_by_halves(0.5, 1.0))
    assert came.shade is not None
    turned_up = came.after((1.2, 1.2, 1.2), None)
    gone = turned_up.after(SAME_LIGHT, _lit_by_halves(1.97, 1.0))
    assert gone.gains == pytest.approx((1.2, 1.2, 1.2))
    assert gone.shade is None


def test_light_is_another_when_half_of_the_board_says_so() -> None:
    """A shadow over a third is none, one over nearly all of it is; so is a lamp turned down, but not by a little."""
    shade = np.ones((*FIRST.shape[:2], 3))
    shade[:, : FIRST.shape[1] // 3] = 0.5
    assert BoardLight(SAME_LIGHT, shade).times(BoardLight(), WINDOW) == pytest.approx(1.0)
    assert BoardLight(SAME_LIGHT, 1.5 - shade).times(BoardLight(), WINDOW) == pytest.approx(2.0)
    assert BoardLight().times(BoardLight(SAME_LIGHT, 1.5 - shade), WINDOW) == pytest.approx(2.0)
    assert BoardLight((0.9, 0.8, 0.9)).times(BoardLight(), WINDOW) == pytest.approx(1.25)


@pytest.mark.parametrize("light", [{"gains": (1.0, 0.0, 1.0)}, {"shade": np.zeros((2, 2, 3))}, {"shade": np.ones(4)}])
def test_what_no_light_has_is_refused(light: dict[str, Any]) -> None:
    """Factors that are not positive, or not in the form of a picture."""
    with pytest.raises(ValueError, match="no light"):
        BoardLight(**light)
