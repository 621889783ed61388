"""What networks say by habit where nothing can be seen."""

import numpy as np
import pytest

from vision.men.heights import THICKNESSES, read_strips
from vision.networks.habit import habit
from vision.networks.net import reader_net
from vision.sampling import STRIP_COLUMNS, STRIP_ROWS


def view(tilt_deg: float, px: float = 40.0) -> np.ndarray:
    """Men so many pixels wide that are seen from so far beside straight above."""
    tilt = np.radians(tilt_deg)
    return np.array([[np.sin(tilt), np.cos(tilt), 0.7, np.log(px / 40), 0.4]], np.float32)


def test_sides_that_are_seen_are_believed() -> None:
    """Sixteen degrees are enough for men of forty pixels, and eight for men of eighty; not for smaller ones."""
    assert not habit(view(16.0), THICKNESSES).any()
    assert not habit(view(8.0, 80.0), THICKNESSES).any()
    assert habit(view(8.0), THICKNESSES).any()


def test_from_straight_above_thick_men_are_called_likelier_by_habit() -> None:
    """By 2.2 a diameter at most, and by half of that where half of a side is seen."""
    flat, steep = (np.ptp(habit(view(tilt), THICKNESSES)) for tilt in (3.0, np.degrees(np.arcsin(9 / 40))))
    assert flat == pytest.approx(2.2 * np.ptp(THICKNESSES))
    assert steep == pytest.approx(flat / 2)


def test_habit_is_taken_off_what_strips_vote() -> None:
    """The same strip seen from straight above votes for thinner men than without."""
    strip, net = np.zeros((1, 4, STRIP_ROWS, STRIP_COLUMNS), np.float32), reader_net()
    belief = net.stacks(strip, view(4.0))
    votes = read_strips(net, belief, THICKNESSES, np.zeros(1)).votes
    other = read_strips(net, belief, THICKNESSES, np.zeros(1), habit(view(4.0), THICKNESSES)).votes
    assert np.diff((other - votes)[0]) == pytest.approx(np.full(12, 2.2 * 0.01 / 2))
