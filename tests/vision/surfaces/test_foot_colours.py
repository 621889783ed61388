"""What lies on a cell by colour alone."""

import numpy as np
import pytest

from vision.sampling import COLUMNS, REACH, ROWS
from vision.surfaces.foot_colours import LOWERED, MIDDLE, told_by_colours
from vision.surfaces.ring_colours import told_around_men

#: Beige, green and brown; light disks are not known.
SURFACES = np.array([[0.7, 0.8, 0.9], [0.3, 0.6, 0.3], [0.15, 0.2, 0.3], [np.nan] * 3])
FAR_OPEN, FAR_OCCUPIED = -20.0, 20.0
NO_MEN = np.zeros((0, 3))
#: Where a foot's rows and columns are, in diameters of a man.
AXES = [(np.arange(n) + 0.5) / n * 2 * REACH - REACH for n in (ROWS, COLUMNS)]


def foot(middle: int | None, around: int | None) -> np.ndarray:
    """Unlikeness (4, ROWS, COLUMNS) of a foot whose inner and outer part look exactly like one surface each."""
    inner = np.hypot(*np.meshgrid(*AXES, indexing="ij")) < 0.5
    unlike = np.ones((4, ROWS, COLUMNS), np.float32)
    for part, surface in ((inner, middle), (~inner, around)):
        if surface is not None:
            unlike[surface, part] = 0.0
    return unlike


def told(unlike: np.ndarray, occupied: float, cover: int = 0) -> np.ndarray:
    """The odds of one foot that is covered everywhere or nowhere, of a colour that no surface has in any shade."""
    covered, colours = np.full((1, ROWS, COLUMNS), cover, np.float32), np.full((1, 3, ROWS, COLUMNS), -LOWERED)
    colours[:, 2] += 1.0
    return told_by_colours(colours, unlike[None], covered, SURFACES, np.array([occupied], np.float32), NO_MEN)[0]


def test_an_open_cell_is_what_its_middle_looks_like() -> None:
    """Whatever lies around it."""
    assert told(foot(0, 2), FAR_OPEN) == pytest.approx([3, 0, 0, 0], abs=1e-3)


def test_beneath_men_lies_what_shows_around_them() -> None:
    """Whatever the middle looks like, as far as there are men."""
    colours = np.broadcast_to((SURFACES[2] - LOWERED)[:, None, None], (1, 3, ROWS, COLUMNS)).astype(np.float32)
    unlike, open_everywhere = foot(0, 0)[None], np.zeros((1, ROWS, COLUMNS), np.float32)
    around = told_around_men(colours + LOWERED, open_everywhere == 0, SURFACES, NO_MEN, None)
    for occupied, share in ((FAR_OCCUPIED, 1.0), (0.0, 0.5)):
        told = told_by_colours(colours, unlike, open_everywhere, SURFACES, np.array([occupied], np.float32), NO_MEN)
        middle = (1 - share) * np.array([3, 0, 3, 0])
        assert told == pytest.approx(middle + share * around, abs=1e-3)


def test_a_stack_in_front_of_a_cell_is_not_what_lies_there() -> None:
    """A light stack hides the near half of a dark disk, its middle too: what shows of the disk tells."""
    unlike, colours = foot(2, 1)[None], np.full((1, 3, ROWS, COLUMNS), -LOWERED)
    colours[:, 2] += 1.0
    cover = np.zeros((1, ROWS, COLUMNS), np.float32)
    near = slice(0, ROWS // 2 + 3)
    cover[:, near] = 1
    unlike[:, :, near], unlike[:, 0, near] = 1.0, 0.0
    colours[:, :, near] = (SURFACES[0] - LOWERED)[None, :, None, None]
    told = told_by_colours(colours, unlike, cover, SURFACES, np.array([FAR_OPEN], np.float32), NO_MEN)[0]
    assert told == pytest.approx([0, 0, 3, 0], abs=0.01)


def test_nothing_is_told_where_nothing_is_known_or_seen() -> None:
    """Unknown colours, shade that looks like nothing on this table, and what nearer stacks cover."""
    assert told(foot(None, None), FAR_OPEN) == pytest.approx([0] * 4, abs=1e-3)
    for occupied in (FAR_OCCUPIED, FAR_OPEN):
        assert told(foot(0, 2), occupied, cover=1) == pytest.approx([0] * 4, abs=1e-3)


def test_shade_leaves_the_hue() -> None:
    """A green board at half its brightness is no brown disk, even if no colour is exactly one that is known."""
    shade = (0.5 * SURFACES[1] - LOWERED).astype(np.float32)
    colours = np.broadcast_to(shade[:, None, None], (1, 3, ROWS, COLUMNS))
    unlike, open_everywhere = np.ones((1, 4, ROWS, COLUMNS), np.float32), np.zeros((1, ROWS, COLUMNS), np.float32)
    told = told_by_colours(colours, unlike, open_everywhere, SURFACES, np.array([FAR_OPEN], np.float32), NO_MEN)[0]
    assert told[1] == pytest.approx(3, abs=0.01)
    assert told[[0, 2, 3]].max() < 0.1


def test_the_middle_lies_in_the_middle() -> None:
    """As many samples on either side."""
    for samples, size in zip(MIDDLE, (ROWS, COLUMNS), strict=True):
        assert samples.start + samples.stop == size


def test_what_is_as_bright_as_beige_disks_is_no_dark_one() -> None:
    """Open cells a little dimmer than beige disks, of whatever hue; dark disks are much dimmer."""
    unlike, open_everywhere = np.ones((1, 4, ROWS, COLUMNS), np.float32), np.zeros((1, ROWS, COLUMNS), np.float32)
    for share, against in ((0.85, 8), (0.6, 0)):
        colour = (share * SURFACES[0].sum() * np.array([0.6, 0.3, 0.1]) - LOWERED).astype(np.float32)
        colours = np.broadcast_to(colour[:, None, None], (1, 3, ROWS, COLUMNS))
        told = told_by_colours(colours, unlike, open_everywhere, SURFACES, np.array([FAR_OPEN], np.float32), NO_MEN)[0]
        assert told == pytest.approx([0, 0, -against, 0], abs=0.01)
