"""What lies under men, by what shows around them."""

import cv2
import numpy as np
import pytest

from engine.look import SURFACES, Surface
from vision.light import BRIGHTEST
from vision.sampling import COLUMNS, ROWS, foot_places
from vision.surfaces.ring_colours import strange_around_men, told_around_men

BEIGE, BARE, DARK, LIGHT = (SURFACES.index(s) for s in (Surface.BEIGE, Surface.BARE, Surface.DARK, Surface.LIGHT))
KNOWN = np.full((4, 3), np.nan)
KNOWN[BEIGE], KNOWN[BARE], KNOWN[DARK] = (0.8, 0.9, 1.0), (0.4, 0.6, 0.35), (0.3, 0.25, 0.2)
NO_DARK = np.where(np.arange(4)[:, None] == DARK, np.nan, KNOWN)
MEN = np.array([(0.2, 0.2, 0.8), (0.7, 0.4, 0.1)])
UP, ACROSS = foot_places()
FAR = np.hypot(UP, ACROSS)


def foot(ring: np.ndarray, beyond: np.ndarray = KNOWN[BARE], disk: float = 0.65) -> np.ndarray:
    """A foot, (3, ROWS, COLUMNS): a red man on something that ends at a radius, in diameters."""
    colours = np.where(
        FAR < 0.5, MEN[0][:, None, None], np.where(disk > FAR, ring[:, None, None], beyond[:, None, None])
    )
    return colours.astype(np.float32)


def told(*feet: np.ndarray, surfaces: np.ndarray = KNOWN, disk: float | None = None) -> np.ndarray:
    """Odds of feet that nothing is in front of."""
    return told_around_men(np.stack(feet), np.ones((len(feet), ROWS, COLUMNS), bool), surfaces, MEN, disk)


def test_what_shows_around_men_lies_under_them() -> None:
    """Every kind, in the light and in the shade of men."""
    for kind in (BEIGE, BARE, DARK):
        for shade in (1.0, 0.6, 0.3):
            odds = told(foot(shade * KNOWN[kind]))[0]
            assert odds[kind] == 0
            assert np.delete(odds, kind).max() < -5


def test_in_the_light_a_surface_is_as_bright_as_in_the_light() -> None:
    """A dark disk of the board's hue looks like the board in the shade; where no shadow can fall it is none."""
    surfaces, everywhere = KNOWN.copy(), np.ones((1, ROWS, COLUMNS), bool)
    surfaces[DARK] = 0.45 * surfaces[BARE]
    feet = foot(surfaces[DARK])[None], foot(surfaces[BARE])[None]
    anywhere = [told_around_men(shown, everywhere, surfaces, MEN, 0.65)[0] for shown in feet]
    lit = [told_around_men(shown, everywhere, surfaces, MEN, 0.65, everywhere)[0] for shown in feet]
    shaded = [told_around_men(shown, everywhere, surfaces, MEN, 0.65, ~everywhere)[0] for shown in feet]
    assert anywhere[0][DARK] - anywhere[0][BARE] < 2
    assert lit[0][DARK] - lit[0][BARE] > 5
    assert lit[1][BARE] - lit[1][DARK] > 5
    assert shaded == [pytest.approx(odds) for odds in anywhere]


def test_a_man_who_stands_aside_tells_nothing() -> None:
    """All that shows is he, in some shade: no surface is likelier for it."""
    odds = told(foot(MEN[0]), foot(0.4 * MEN[1]))
    assert odds[:, :LIGHT] == pytest.approx(np.zeros((2, LIGHT)), abs=0.5)
    assert odds[:, LIGHT].max() > -3


def test_men_brighter_than_what_is_told_apart_do_not_pass_for_the_board() -> None:
    """A white man aside on an oak disk on an ivory cell: what shows of him is cut off as he is, and tells nothing."""
    surfaces = KNOWN.copy()
    surfaces[BEIGE], surfaces[BARE] = (0.91, 0.94, 0.95), (1.75, 1.41, 1.21)
    man = np.array((2.2, 1.5, 1.2))
    below = np.where(FAR[..., None] < 0.62, surfaces[BEIGE], surfaces[BARE])
    seen = np.where(np.hypot(UP + 0.1, ACROSS)[..., None] < 0.5, man, below)
    shown = np.minimum(np.moveaxis(seen, 2, 0), BRIGHTEST)[None].astype(np.float32)
    odds = told_around_men(shown, np.ones((1, ROWS, COLUMNS), bool), surfaces, np.stack([man, MEN[1]]), 0.62)[0]
    assert odds[BARE] < odds[BEIGE] - 2


def test_men_who_stand_aside_show_beside_them_what_lies_under_them() -> None:
    """Drawn feet in colours, shades and places by chance, blurred and grainy: the mean log-loss of three surfaces."""
    dice, everywhere, losses = np.random.default_rng(3), np.ones((1, ROWS, COLUMNS), bool), []
    for _ in range(600):
        surfaces = np.full((4, 3), np.nan)
        surfaces[BEIGE] = dice.uniform(0.6, 1.0) * dice.uniform(0.8, 1.0, 3)
        surfaces[BARE] = dice.uniform(0.15, 0.6, 3)
        surfaces[DARK] = dice.uniform(0.12, 0.4) * dice.uniform(0.8, 1.2, 3)
        man, kind = dice.uniform(0.1, 0.9, 3), dice.integers(0, 3)
        turn, aside = dice.uniform(0, 2 * np.pi), dice.uniform(0.0, 0.13)
        on_man = np.hypot(UP - aside * np.cos(turn), ACROSS - aside * np.sin(turn)) < 0.5
        below = np.where(FAR[..., None] < 0.62, surfaces[kind], surfaces[BARE])
        sharp = np.where(on_man[..., None], man * dice.uniform(0.5, 1.0), below)
        grainy = cv2.GaussianBlur(sharp, (0, 0), 0.8) + dice.normal(0, 0.01, sharp.shape)
        seen = np.moveaxis(grainy, 2, 0)[None].astype(np.float32)
        odds = told_around_men(seen, everywhere, surfaces, np.stack([man, MEN[1]]), 0.62)[0, :LIGHT]
        losses.append(np.logaddexp.reduce(odds) - odds[kind])
    assert np.mean(losses) < 0.5


def test_beyond_a_disk_lies_the_board() -> None:
    """Where the disk ends early, what shows of the board outside does not speak against it."""
    narrow = foot(KNOWN[DARK], disk=0.54)
    assert told(narrow, disk=0.54)[0, DARK] == 0
    assert told(narrow, disk=0.65)[0, DARK] < -1


def test_dark_disks_that_no_open_cell_shows() -> None:
    """What looks like nothing that is known lies on a dark disk, if it is dark."""
    odds = told(foot(KNOWN[DARK]), foot(np.array([0.9, 0.6, 0.9])), surfaces=NO_DARK)
    assert odds[0].argmax() == DARK
    assert np.delete(odds[0], DARK).max() < -2
    assert odds[1, DARK] < odds[1].max()


def test_the_colour_of_what_looks_like_nothing_known() -> None:
    """Men, the board and other disks are left out; nothing is said where there is no more than these."""
    feet = np.stack([foot(KNOWN[DARK]), foot(KNOWN[DARK], disk=0.56), foot(KNOWN[BEIGE]), foot(0.5 * KNOWN[BARE])])
    strange = strange_around_men(feet, NO_DARK, MEN)
    assert strange[:2] == pytest.approx(np.tile(KNOWN[DARK], (2, 1)), abs=1e-3)
    assert np.isnan(strange[2:]).all()


def test_nothing_is_told_by_what_is_covered_or_not_there() -> None:
    """A stack in front hides the ring; no men at all are no trouble."""
    covered = told_around_men(foot(KNOWN[DARK])[None], np.zeros((1, ROWS, COLUMNS), bool), KNOWN, MEN, None)
    assert (covered == 0).all()
    nobody = np.zeros((0, 3, ROWS, COLUMNS), np.float32)
    assert told_around_men(nobody, np.zeros((0, ROWS, COLUMNS), bool), KNOWN, MEN, None).shape == (0, 4)
    assert strange_around_men(nobody, KNOWN, MEN).shape == (0, 3)
