"""Boards are found on tables whose pattern looks like cells itself."""

from collections.abc import Callable

import numpy as np
import pytest

from engine.layout import Layout, named_layout
from tests.vision.drawn_board import camera, draw
from tests.vision.finding.test_find import LIMIT, centres, errors, found
from tests.vision.patterned_table import on_checked_cloth, on_dotted_cloth, on_honeycomb, on_wood
from vision.finding.blobs import find_blobs
from vision.finding.edges import edge_map
from vision.finding.find import NotFound, find_board
from vision.finding.lattice import beyond_any_board, grow_lattices
from vision.finding.table_pattern import regions_of
from vision.geometry import BoardPose
from vision.picture import Picture

DISK = (150, 190, 214)


@pytest.mark.parametrize("disk", [None, DISK])
@pytest.mark.parametrize("apart_mm", [22, 33, 45])
@pytest.mark.parametrize(("name", "tilt_deg"), [("hexhex-4", 12), ("modular-7", 30), ("hexhex-5", 42)])
def test_on_a_checked_cloth(name: str, tilt_deg: float, apart_mm: float, disk: tuple[int, int, int] | None) -> None:
    """Its squares have lattices of their own, larger than the board's, and some lie beside it where cells would."""
    layout = named_layout(name)
    pose = camera(layout, tilt_deg, azimuth_deg=25, room=1.5)
    image = on_checked_cloth(layout, pose, apart_mm, 10, disk=disk, cell=(70, 110, 60))
    seen = found(find_board(image, layout)).pose.project(centres(layout))
    assert errors(seen, pose.project(centres(layout))).mean() < LIMIT


@pytest.mark.parametrize("disk", [None, DISK])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("name", "tilt_deg"), [("hexhex-4", 12), ("modular-7", 30), ("hexhex-5", 42)])
def test_on_wood_with_a_strong_grain(name: str, tilt_deg: float, seed: int, disk: tuple[int, int, int] | None) -> None:
    """It has as many edges as cells have sides, so it looks like cells everywhere to who only sees outlines."""
    layout = named_layout(name)
    pose = camera(layout, tilt_deg, azimuth_deg=25, room=1.5)
    image = on_wood(layout, pose, seed, disk=disk, cell=(50, 80, 40))
    seen = found(find_board(image, layout)).pose.project(centres(layout))
    assert errors(seen, pose.project(centres(layout))).mean() < LIMIT


@pytest.mark.parametrize("table", [on_dotted_cloth, on_honeycomb])
@pytest.mark.parametrize("apart_mm", [14, 24, 45])
@pytest.mark.parametrize(("name", "tilt_deg"), [("hexhex-4", 12), ("modular-7", 30), ("hexhex-5", 42)])
def test_on_dots_and_hexagons(
    name: str, tilt_deg: float, apart_mm: float, table: Callable[[Layout, BoardPose, float, float], Picture]
) -> None:
    """They are the more regular lattice, and there are many more of them than cells."""
    layout = named_layout(name)
    pose = camera(layout, tilt_deg, azimuth_deg=25, room=1.5)
    image = table(layout, pose, apart_mm, 17)
    seen = found(find_board(image, layout)).pose.project(centres(layout))
    assert errors(seen, pose.project(centres(layout))).mean() < LIMIT


def test_the_pattern_of_a_table_is_set_aside() -> None:
    """All of its dots and hardly a cell of the board on it."""
    layout = named_layout("hexhex-4")
    pose = camera(layout, 30, azimuth_deg=25, room=1.5)
    image = on_dotted_cloth(layout, pose, 24, 17)
    blobs = find_blobs(image, edge_map(image))
    (pattern, *_) = grow_lattices(blobs, 30)
    assert beyond_any_board(pattern, 30)
    pixels = pose.project(centres(layout))
    apart = np.linalg.norm(blobs.centres[:, None] - pixels, axis=2).min(axis=1)
    on_board = apart < 0.5 * pose.pitch_px(centres(layout), layout.pitch_mm).min()
    of_table = np.isin(np.arange(len(blobs)), regions_of(blobs, pattern))
    assert of_table[~on_board].mean() > 0.9
    assert (on_board & ~of_table).sum() > 0.8 * len(layout.names)


@pytest.mark.parametrize("apart_mm", [22, 33, 45])
def test_no_board_is_found_in_a_cloth(apart_mm: float) -> None:
    """Nor where only a board of another shape lies on it."""
    small, layout = named_layout("hexhex-3"), named_layout("hexhex-5")
    for table in (on_checked_cloth, on_dotted_cloth):
        image = table(small, camera(small, 20, room=3.0), apart_mm, 25)
        assert isinstance(find_board(image, layout), NotFound)
        left = np.ascontiguousarray(image[:, : image.shape[1] // 3])
        assert isinstance(find_board(left, small), NotFound)


def test_a_board_inside_a_larger_one_is_not_found() -> None:
    """Although bare cells beside its disks look otherwise than its cells do."""
    larger, layout = named_layout("hexhex-6"), named_layout("hexhex-4")
    pose = camera(larger, 20)
    image = draw(larger, pose, disk=None)
    inner = draw(layout, pose, every=99)
    disks = (np.abs(inner.astype(int) - DISK) < 12).all(axis=2)
    image[disks] = DISK
    assert isinstance(find_board(image, layout), NotFound)


@pytest.mark.parametrize("asked", ["modular-7", "hexhex-5"])
@pytest.mark.parametrize("every", [2, 5])
def test_no_larger_board_is_found_on_a_table_of_the_boards_colour(asked: str, every: int) -> None:
    """A green board on green felt: where the larger one would go on there is no line and no disk."""
    layout = named_layout("hexhex-4")
    pose = camera(layout, 25, room=1.8)
    image = draw(layout, pose, table=(74, 128, 70), every=every)
    assert isinstance(find_board(image, named_layout(asked)), NotFound)
