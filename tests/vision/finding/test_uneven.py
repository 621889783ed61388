"""Boards that do not lie flat, or whose tiles lie askew, are read where their cells really are."""

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import modules_of
from engine.layout import Layout, named_layout
from tests.vision.drawn_board import camera, draw
from tests.vision.finding.test_find import errors, found
from tests.vision.reading.test_read import sample
from vision.arrays import Floats
from vision.eye import Eye
from vision.finding import find
from vision.finding.blobs import Blobs
from vision.finding.find import find_board, refine_pose
from vision.finding.lattice import Lattice, grow_lattices
from vision.finding.refine import cell_points
from vision.finding.turning import middle_mm
from vision.finding.uneven import unevenness
from vision.frame import Frame
from vision.geometry import BoardPose
from vision.palette import Material, parse_colour
from vision.reading.first_look import first_look
from vision.sights import Bumped, Found, Moving, Still
from vision.warp import Warp

LAYOUT = named_layout("hexhex-4")
SOLVE = np.linalg.solve


def wavy(layout: Layout, seed: int, much: float, wave: float = 4.5) -> Warp:
    """A board in three random waves, so many pitches long, its cells `much` of a pitch off (root mean square)."""
    random, middle, n = np.random.default_rng(seed), middle_mm(layout), 81
    flat = Warp(middle, 0.25 * layout.pitch_mm, np.zeros((n, n, 2), np.float32))
    angle, phase = random.uniform(0, 2 * np.pi, (2, 3))
    way = 2 * np.pi / (wave * layout.pitch_mm) * np.stack([np.cos(angle), np.sin(angle)])
    offsets = np.sin(flat.places_mm() @ way + phase) @ random.normal(size=(3, 2))
    warp = replace(flat, offsets_mm=offsets.astype(np.float32))
    there = warp.at(np.array(layout.centres_mm))
    size = much * layout.pitch_mm / np.sqrt((there**2).sum(axis=1).mean())
    return replace(flat, offsets_mm=(size * offsets).astype(np.float32))


def off(layout: Layout, seen: BoardPose, true: BoardPose) -> float:
    """How far the cells of one pose are from those of another, on average, in pitches; turned by sixths or not."""
    points = cell_points(layout)
    return float(errors(seen.project(points), true.project(points)).mean())


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.sampled_from(["hexhex-4", "hexhex-5", "modular-5"]), st.floats(8, 40), st.integers(0, 999))
def test_a_wavy_board_lies_where_it_lies(name: str, tilt: float, seed: int) -> None:
    """Cells 0.03 of a pitch off on average are found to half of that."""
    layout = named_layout(name)
    true = replace(camera(layout, tilt, azimuth_deg=float(seed % 360)), warp=wavy(layout, seed, 0.03))
    seen = found(find_board(draw(layout, true), layout))
    assert off(layout, seen.pose, true) < 0.015
    assert unevenness(seen.pose, layout) > 0.02


def test_a_wavy_board_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as it is clear where it lies, though not on a plane; nothing is laid on other lattices."""
    grown = list[int]()

    def counted(blobs: Blobs, wanted: int, **how: Any) -> list[Lattice]:
        grown.append(wanted)
        return grow_lattices(blobs, wanted, **how)

    monkeypatch.setattr(find, "grow_lattices", counted)
    layout = named_layout("hexhex-6")
    true = replace(camera(layout, 25, azimuth_deg=7), warp=wavy(layout, 7, 0.03))
    seen = found(find_board(draw(layout, true), layout))
    assert off(layout, seen.pose, true) < 0.015
    assert seen.residual_px < 0.3
    assert len(grown) == 1


def test_a_large_wavy_board_takes_no_more_memory_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its 760 lines and more no more are compared at once than some hundred, and it lies where it lies."""
    most = 0

    def measured(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        nonlocal most
        most = max(most, len(one))
        return np.asarray(SOLVE(one, other))

    layout = named_layout("hexhex-10")
    flat = camera(layout, 25, size=(1920, 1080))
    true = replace(flat, warp=wavy(layout, 7, 0.03))
    monkeypatch.setattr(np.linalg, "solve", measured)
    seen = found(refine_pose(draw(layout, true), flat, layout))
    assert off(layout, seen.pose, true) < 0.015
    assert 300 < most <= 600


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.floats(8, 40), st.sampled_from([1.5, 6.0, 16.0]))
def test_a_flat_board_is_flat(tilt: float, noise: float) -> None:
    """However noisy the picture is."""
    seen = found(find_board(draw(LAYOUT, camera(LAYOUT, tilt, azimuth_deg=10 * tilt), noise=noise), LAYOUT))
    assert seen.pose.warp is None
    assert unevenness(seen.pose, LAYOUT) == 0


def test_a_wavy_board_that_is_bumped_is_found_again() -> None:
    """With its waves, at another place in the picture."""
    before = replace(camera(LAYOUT, 25), warp=wavy(LAYOUT, 3, 0.03))
    after = before.shifted(np.array([14.0, -9.0]))
    first = found(find_board(draw(LAYOUT, before), LAYOUT))
    again = found(refine_pose(draw(LAYOUT, after), first.pose, LAYOUT))
    assert off(LAYOUT, again.pose, after) < 0.01
    assert again.pose.lens == first.pose.lens


def test_men_on_a_wavy_board_are_read() -> None:
    """A frame of the sample film, in waves: all of its cells are right."""
    truth, layout, nearly, first = sample()
    pose = found(refine_pose(first, nearly, layout)).pose
    points, wavy_pose = cell_points(layout), replace(pose, warp=wavy(layout, 4, 0.03))
    image = _waved(first, pose, wavy_pose)
    seen = found(refine_pose(image, pose, layout))
    assert off(layout, seen.pose, wavy_pose) < 0.005
    assert np.linalg.norm(wavy_pose.project(points) - pose.project(points), axis=1).max() > 2.5
    cells = first_look(image, seen.pose, layout, truth.material).cells
    assert tuple(cell.best() for cell in cells) == truth.looks(-1)


def pushed(layout: Layout, tile: int, shift: tuple[float, float], turn_deg: float) -> Warp:
    """One tile of a board of tiles pushed aside so far, in pitches, and turned."""
    assert layout.board is not None
    modules = modules_of(layout.board)
    assert modules is not None
    cells, places = np.array(layout.centres_mm), {(c.q, c.r): i for c, i in layout.board.index.items()}
    n = 161
    flat = Warp(middle_mm(layout), 0.1 * layout.pitch_mm, np.zeros((n, n, 2), np.float32))
    nearest = np.linalg.norm(flat.places_mm()[:, :, None] - cells, axis=3).argmin(axis=2)
    tiles = np.linalg.norm(cells[:, None] - cells[[places[m] for m in modules]], axis=2).argmin(axis=1)
    aside = (flat.places_mm() - cells[places[modules[tile]]]) * np.radians(turn_deg)
    offsets = np.array(shift) * layout.pitch_mm + np.stack([-aside[..., 1], aside[..., 0]], axis=-1)
    return replace(flat, offsets_mm=(offsets * (tiles[nearest] == tile)[..., None]).astype(np.float32))


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.integers(0, 4), st.floats(0, 6.28), st.floats(-2, 2), st.sampled_from([0.05, 0.1, 0.16]))
def test_a_tile_that_was_pushed_is_found_where_it_is(tile: int, way: float, turn_deg: float, far: float) -> None:
    """However far, while its disks lie nearer to their own cells than to others; the other tiles have not moved."""
    layout = named_layout("modular-5")
    flat = camera(layout, 25, azimuth_deg=15)
    true = replace(flat, warp=pushed(layout, tile, (far * np.cos(way), far * np.sin(way)), turn_deg))
    seen = found(refine_pose(draw(layout, true), flat, layout))
    points = cell_points(layout)
    apart = np.linalg.norm(seen.pose.project(points) - true.project(points), axis=1)
    assert (apart / true.pitch_px(points, layout.pitch_mm)).max() < 0.03


def test_a_tile_that_is_pushed_in_a_game_is_noticed() -> None:
    """It is said that the board was bumped, and all of it is read where it is now."""
    layout, way = named_layout("modular-5"), (0.09, -0.05)
    flat = camera(layout, 25, azimuth_deg=15)
    true = replace(flat, warp=pushed(layout, 2, way, 1.0))
    before, after = (draw(layout, pose, every=99) for pose in (flat, true))
    eye = Eye(layout, Material((parse_colour("red"), parse_colour("white"))))
    sights = [s for i in range(36) for s in eye.step(Frame(before if i < 15 else after, i / 12, i))]
    assert [type(sight) for sight in sights] == [Found, Still, Moving, Bumped, Still]
    assert eye.found is not None
    points = cell_points(layout)
    apart = np.linalg.norm(eye.found.pose.project(points) - true.project(points), axis=1)
    assert (apart / true.pitch_px(points, layout.pitch_mm)).max() < 0.03
    cells = [s.reading.cells for s in sights if isinstance(s, Still)]
    assert [c.best() for c in cells[1]] == [c.best() for c in cells[0]]


@given(st.integers(1, 5), st.integers(0, 99))
def test_a_turned_warp_is_of_the_same_board(sixths: int, seed: int) -> None:
    """Its frame turned, every place of the board is seen where it was."""
    pose, middle = replace(camera(LAYOUT, 30), warp=wavy(LAYOUT, seed, 0.03)), middle_mm(LAYOUT)
    angle, centres = np.radians(60 * sixths), np.array(LAYOUT.centres_mm)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned = middle + (centres - middle) @ turn
    again = pose.turned(sixths, middle).project(_flat(turned))
    assert np.allclose(again, pose.project(_flat(centres)), atol=0.3)


@given(st.integers(0, 99))
def test_places_come_back_from_where_they_are_seen(seed: int) -> None:
    """`unproject` undoes `project`."""
    pose, centres = replace(camera(LAYOUT, 30), warp=wavy(LAYOUT, seed, 0.03)), np.array(LAYOUT.centres_mm)
    assert np.allclose(pose.unproject(pose.project(_flat(centres))), centres, atol=0.002 * LAYOUT.pitch_mm)


def test_a_warp_has_offsets_all_over_a_square() -> None:
    """Other shapes are refused, no places have no offsets, and places beyond it are off as its border is."""
    with pytest.raises(ValueError, match="a warp is"):
        Warp(np.zeros(2), 1.0, np.zeros((3, 4, 2), np.float32))
    offsets = np.zeros((3, 3, 2), np.float32)
    offsets[2, 2] = 5, 7
    warp = Warp(np.zeros(2), 10.0, offsets)
    assert warp.at(np.zeros((0, 2))).shape == (0, 2)
    assert warp.at(np.array([[10.0, 10.0], [99.0, 99.0], [0.0, 0.0], [10.0, 5.0]])) == pytest.approx(
        np.array([(5, 7), (5, 7), (0, 0), (2.5, 3.5)])
    )


def _flat(places_mm: Floats) -> Floats:
    return np.column_stack([places_mm, np.zeros(len(places_mm))])


def _waved(image: np.ndarray, flat: BoardPose, waved: BoardPose) -> np.ndarray:
    """A picture of a flat board as it would look in waves."""
    height, width = image.shape[:2]
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2).astype(float)
    source = flat.project(_flat(waved.unproject(pixels))).astype(np.float32).reshape(height, width, 2)
    return np.asarray(cv2.remap(image, source[..., 0], source[..., 1], cv2.INTER_CUBIC))
