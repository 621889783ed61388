"""What is believed of cells: what a board has and has not makes other surfaces likely."""

import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import MAX_HEIGHT, SURFACES, Surface
from tests.vision.drawn_board import camera, draw_round
from tests.vision.drawn_light import DISK_MM, LAYOUT, place
from tests.vision.drawn_light import picture as drawn
from vision.networks.mixture import Mixture
from vision.networks.net import FootBelief, StackBelief
from vision.palette import Material, parse_colour
from vision.reading.cell_beliefs import CellBeliefs
from vision.reading.learn import learn_table, nominal_table
from vision.reading.read import CellReader
from vision.sampling import COLUMNS, ROWS

MATERIAL = Material((parse_colour("red"), parse_colour("purple")))
#: From where two cells' strips are seen; that makes no difference here.
SEEN_FROM = np.full((2, 5), 0.5, np.float32)
BARE, DARK = SURFACES.index(Surface.BARE), SURFACES.index(Surface.DARK)


def beliefs(occupied: list[float]) -> CellBeliefs:
    """Of cells that have men with such log-odds and are rather dark than bare."""
    n, table = len(occupied), nominal_table(named_layout("hexhex-3"), MATERIAL)
    work = CellBeliefs(np.arange(n), np.zeros((n, 9, ROWS, COLUMNS), np.float32), table, patient=False)
    surface = np.full((n, len(SURFACES)), -20.0, np.float32)
    surface[:, BARE], surface[:, DARK] = 0.0, 3.0
    work.put_feet(np.arange(n), FootBelief(np.array(occupied, np.float32), surface))
    return work


def test_hardly_any_dark_disk_lies_under_men_where_none_lies_open() -> None:
    """Bare cells are likelier under men then; what lies open is not asked again."""
    work = beliefs([12.0, -12.0])
    assert work.surfaces().tolist() == [DARK, DARK]
    open_before = work.surface[1].copy()
    work.put_no_open_dark()
    assert work.surfaces().tolist() == [BARE, DARK]
    assert np.allclose(work.surface[1], open_before, atol=1e-4)


def test_a_dark_disk_is_no_rarer_where_men_turn_out_not_to_stand() -> None:
    """What was taken for a man counts as little against the disk as one that was never thought of."""
    work = beliefs([3.0, -12.0])
    assert work.surface[0, DARK] < work.surface[1, DARK] - 1
    work.put_doubt(0, 20.0)
    assert np.allclose(work.surface[0], work.surface[1], atol=1e-4)


@pytest.mark.parametrize("dark", [False, True])
def test_readers_know_whether_a_dark_disk_lies_open(monkeypatch: pytest.MonkeyPatch, dark: bool) -> None:
    """The one that lies far from the men counts."""
    pose, asked = camera(LAYOUT, 25), []
    image = drawn(25, (("d4", 2),)).copy()
    if dark:
        draw_round(image, pose, tuple(place("b2")), 0.86 * LAYOUT.pitch_mm, DISK_MM, (34, 42, 58))
    monkeypatch.setattr(CellBeliefs, "put_no_open_dark", lambda work: asked.append(len(work.cells)))
    CellReader(pose, LAYOUT, learn_table(image, pose, LAYOUT, MATERIAL)).read(image)
    assert asked == ([] if dark else [len(LAYOUT.names)])


def test_men_are_believed_in_less_the_more_speaks_against_them() -> None:
    """As log-odds: what speaks for them again undoes it."""
    work = beliefs([1.0, 1.0])
    before = work.height.copy()
    work.put_doubt(0, 4.0)
    men = np.logaddexp.reduce(work.height[:, 1:], axis=1) - work.height[:, 0]
    assert men[1] - men[0] == pytest.approx(4.0)
    work.put_doubt(0, -4.0)
    assert np.allclose(work.height[0] - work.height[0, 0], before[0] - before[0, 0])
    assert work.height.shape == (2, MAX_HEIGHT + 1)


@pytest.mark.parametrize(("strips", "height"), [(1.0, 2), (0.5, 3), (0.0, 3)])
def test_strips_count_less_beside_what_knows_more(strips: float, height: int) -> None:
    """Strips say two men, something else says three, two thirds as loudly; another cell's strips count in full."""
    work, rows, n = beliefs([9.0, 9.0]), np.arange(2), 2
    by_strip, told = np.zeros((n, 1, MAX_HEIGHT)), np.zeros((n, 1, MAX_HEIGHT))
    by_strip[:, :, 1], told[:, :, 2] = 6.0, 4.0
    part = np.zeros((n, 1), np.float32)
    seen = StackBelief(np.full(n, 9.0, np.float32), np.zeros((n, 2)), Mixture(part, part, part), part, part, SEEN_FROM)
    work.put_stacks(rows, seen, by_strip, np.zeros((n, 2)))
    work.put_more(rows, told, np.array([strips, 1.0]))
    assert work.heights().tolist() == [height, 2]


def test_men_stand_where_any_height_is_likelier_than_none() -> None:
    """Though none is the likeliest of nine answers."""
    work = beliefs([0.4, -0.4])
    assert (work.height[:, 0] > work.height[:, 1:].max(axis=1)).all()
    assert work.heights().astype(bool).tolist() == [True, False]
    work.put_doubt(0, 1.0)
    assert work.heights().tolist() == [0, 0]
