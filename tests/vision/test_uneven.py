"""Boards that do not lie flat, or whose tiles lie askew, are read where their cells really are."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import Layout, named_layout
from tests.vision.drawn_board import camera, draw
from tests.vision.test_find import errors, found
from tests.vision.test_read import sample
from vision.find import find_board, refine_pose
from vision.first_look import first_look
from vision.geometry import BoardPose, Floats
from vision.refine import cell_points
from vision.turning import middle_mm
from vision.uneven import unevenness
from vision.warp import Warp

LAYOUT = named_layout("hexhex-4")


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


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.sampled_from(["hexhex-4", "hexhex-5", "modular-5"]), st.floats(8, 40), st.integers(0, 999))
def test_a_wavy_board_lies_where_it_lies(name: str, tilt: float, seed: int) -> None:
    """Cells 0.03 of a pitch off on average are found to half of that."""
    layout = named_layout(name)
    true = replace(camera(layout, tilt, azimuth_deg=float(seed % 360)), warp=wavy(layout, seed, 0.03))
    seen = found(find_board(draw(layout, true), layout))
    assert off(layout, seen.pose, true) < 0.015
    assert unevenness(seen.pose, layout) > 0.02


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
