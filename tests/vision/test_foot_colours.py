"""What lies on a cell by colour alone."""

import numpy as np
import pytest

from vision.foot_colours import MIDDLE, told_by_colours
from vision.sampling import COLUMNS, REACH, ROWS

FAR_OPEN, FAR_OCCUPIED = -20.0, 20.0


def foot(middle: int | None, around: int | None) -> np.ndarray:
    """Unlikeness (ROWS, COLUMNS, 4) of a foot whose inner and outer part look exactly like one surface each."""
    up, across = ((np.arange(n) + 0.5) / n * 2 * REACH - REACH for n in (ROWS, COLUMNS))
    inner = np.hypot(up[:, None], across) < 0.5
    unlike = np.ones((ROWS, COLUMNS, 4), np.float32)
    for part, surface in ((inner, middle), (~inner, around)):
        if surface is not None:
            unlike[part, surface] = 0.0
    return unlike


def told(unlike: np.ndarray, occupied: float, cover: int = 0) -> np.ndarray:
    """The odds of one foot that is covered everywhere or nowhere."""
    covered = np.full((1, ROWS, COLUMNS), cover, np.float32)
    return told_by_colours(unlike[None], covered, np.array([occupied], np.float32))[0]


def test_an_open_cell_is_what_its_middle_looks_like() -> None:
    """Whatever lies around it."""
    assert told(foot(0, 2), FAR_OPEN) == pytest.approx([3, 0, 0, 0], abs=1e-3)


def test_beneath_men_lies_what_shows_around_them() -> None:
    """Their own colour does not count."""
    assert told(foot(0, 2), FAR_OCCUPIED) == pytest.approx([0, 0, 4, 0], abs=1e-3)


def test_nothing_is_told_where_nothing_is_known_or_seen() -> None:
    """Unknown colours, shade that looks like nothing on this table, and what nearer stacks cover."""
    assert told(foot(None, None), FAR_OPEN) == pytest.approx([0] * 4, abs=1e-3)
    assert told(foot(0, 2), FAR_OCCUPIED, cover=1) == pytest.approx([0] * 4, abs=1e-3)


def test_the_middle_lies_in_the_middle() -> None:
    """As many samples on either side."""
    for samples, size in zip(MIDDLE, (ROWS, COLUMNS), strict=True):
        assert samples.start + samples.stop == size
