"""What stands on a board covers what is behind it; seen by the camera of the sample film."""

from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.layout import Layout, layout_of
from engine.look import SURFACES, Surface
from tests.footage_places import SAMPLES
from tests.vision.film_truth import FilmTruth
from vision.geometry import BoardPose
from vision.reading.learn import learn_table
from vision.reading.standing import Standing
from vision.reading.table_model import TableModel
from vision.sampling import REACH, cell_views, foot_maps, strip_maps

BEIGE, BARE = SURFACES.index(Surface.BEIGE), SURFACES.index(Surface.BARE)


@lru_cache(maxsize=1)
def table() -> tuple[Layout, BoardPose, TableModel]:
    """The layout, the camera and the table of the film."""
    truth = FilmTruth(SAMPLES / "sample.mp4")
    layout = layout_of(truth.board)
    pose = truth.pose()
    pose = BoardPose(pose.lens, pose.rotation, pose.translation_mm * layout.pitch_mm / truth.layout.pitch_mm)
    return layout, pose, learn_table(truth.frame(6), pose, layout, truth.material, truth.looks(-1))


def empty() -> Standing:
    """Nothing stands there yet."""
    layout, pose, model = table()
    views = cell_views(pose, layout)
    feet = foot_maps(pose, views, model.disk_thickness_mm, REACH * model.foot_mm(layout.pitch_mm))
    return Standing(pose, views, model, feet)


def note(standing: Standing, cell: int, height: int, surface: int = BEIGE) -> None:
    """Note one stack, the middle of its top where the middle of its cell is."""
    some = np.array([cell])
    standing.note(some, np.array([height]), np.array([surface]), np.zeros((1, 2), np.float32))


def front_and_back() -> tuple[int, int]:
    """The cell that is nearest to the camera, and the one that a tall stack there hides most of."""
    layout, pose, _ = table()
    centres = np.array(layout.centres_mm)
    front = int(np.argmin(cell_views(pose, layout).distance_mm))
    away = cell_views(pose, layout).away[front]
    off = centres - centres[front]
    ahead = (off @ away) / np.maximum(np.linalg.norm(off, axis=1), 1e-9)
    near = np.linalg.norm(off, axis=1) < 1.5 * layout.pitch_mm
    return front, int(np.argmax(np.where(near, ahead, -1)))


def cover_of_strip(standing: Standing, cell: int) -> NDArray[np.int8]:
    """What covers the upright picture of whatever stands on a cell."""
    layout, pose, model = table()
    some = np.array([cell])
    views = cell_views(pose, layout).of(some)
    strip = strip_maps(pose, views, model.disk_thickness_mm, model.man_diameter_mm)
    return standing.cover(some, standing.pixels(strip))


def test_nothing_covers_an_empty_board() -> None:
    """Nor is anything in the way anywhere."""
    standing = empty()
    standing.draw()
    cells = np.arange(len(table()[0].names))
    assert not standing.foot_cover(cells).any()
    assert standing.stacks() == {}


def test_a_stack_covers_the_cell_behind_it_and_shows_there_before_it() -> None:
    """Of its own cell it covers nothing; a farther stack shows in the nearer cell's picture as such."""
    front, back = front_and_back()
    standing = empty()
    note(standing, front, 8)
    standing.draw()
    covered = standing.foot_cover(np.array([back]))
    assert set(np.unique(covered)) == {0, 1}
    assert standing.touched(np.array([back])) == pytest.approx(covered.mean())
    assert covered.mean() > 0.1
    assert not standing.foot_cover(np.array([front])).any()
    note(standing, front, 0)
    note(standing, back, 3)
    standing.draw()
    assert set(np.unique(cover_of_strip(standing, front))) == {-1, 0}
    assert not cover_of_strip(standing, back).any()


def test_only_what_is_drawn_covers() -> None:
    """What was noted since shows as soon as it is drawn, and goes with it."""
    front, back = front_and_back()
    standing = empty()
    standing.draw()
    note(standing, front, 8)
    assert not standing.foot_cover(np.array([back])).any()
    standing.draw()
    drawn = standing.foot_cover(np.array([back]))
    assert drawn.any()
    standing.draw()
    assert np.array_equal(standing.foot_cover(np.array([back])), drawn)
    note(standing, front, 0)
    standing.draw()
    assert not standing.foot_cover(np.array([back])).any()


@pytest.mark.parametrize(("surface", "raised"), [(BEIGE, 1.0), (BARE, 0.0)])
def test_stacks_stand_on_disks_or_on_the_board(surface: int, raised: float) -> None:
    """Their tops are as high as their men, and the disk below them."""
    _, _, model = table()
    standing, (front, _) = empty(), front_and_back()
    note(standing, front, 4, surface)
    ((stand, top_mm),) = standing.stacks().values()
    foot_mm = raised * model.disk_thickness_mm
    assert stand.foot_mm == pytest.approx(foot_mm)
    assert top_mm == pytest.approx(foot_mm + 4 * model.man_thickness_mm)
