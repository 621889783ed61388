"""Poses fitted to points whose true pose is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import named_board
from engine.layout import layout_of
from vision.finding.pose import Fit, SeenPoints, fit_either_way, fit_pose, fit_stretched, moved
from vision.finding.refine import cell_points
from vision.geometry import BoardPose, Lens
from vision.warp import Warp

#: So many points about each cell are seen.
AROUND_CELL = 5


def seen_from(tilt_deg: float, way_deg: float, focal: float, distance_mm: float) -> BoardPose:
    """A board in the middle of a picture 1280 wide, tilted in some way, through a lens `focal` pictures long."""
    tilt, way = np.radians([tilt_deg, way_deg])
    turn = np.array([[np.cos(way), -np.sin(way), 0], [np.sin(way), np.cos(way), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    down = np.diag([1.0, -1.0, -1.0])
    lens = Lens(1280, 720, focal * 1280, focal * 1280, 639.5, 359.5, (-0.02, 0.0, 0.0, 0.0, 0.0))
    return BoardPose(lens, turn @ lean @ turn.T @ down, np.array([0.0, 0.0, distance_mm]))


@settings(deadline=None, max_examples=30)
@given(st.floats(6, 30), st.floats(0, 360), st.floats(0.72, 1.1), st.integers(0, 2**16))
def test_a_board_tilted_the_other_way_is_not_taken_for_the_true_one(
    tilt: float, way: float, focal: float, seed: int
) -> None:
    """From afar both look much the same, with another lens: whichever the start was, the true one is found."""
    points = cell_points(layout_of(named_board("hexhex-3")))
    turns = np.arange(AROUND_CELL)
    about = np.stack([8.0 * np.cos(turns), 8.0 * np.sin(turns), 0.0 * turns], axis=1)
    points = (points[:, None] + about).reshape(-1, 3)
    true = seen_from(tilt, way, focal, 859.0)
    pixels = true.project(points) + np.random.default_rng(seed).normal(0, 0.03, (len(points), 2))
    sigma = np.full(len(points), 0.1)
    for start in (seen_from(-tilt, way, 2.1, 859.0 * 2.1 / focal), seen_from(tilt, way, 0.88, 859.0 * 0.88 / focal)):
        fit = fit_either_way(start, SeenPoints(points, pixels, sigma, True))
        assert fit.pose.lens.fx_px == pytest.approx(true.lens.fx_px, rel=0.1)
        cosine = fit.pose.rotation[:, 2] @ true.rotation[:, 2]
        assert np.degrees(np.arccos(min(cosine, 1.0))) < 1.5


def test_one_start_alone_may_end_in_the_wrong_one() -> None:
    """What the second start is good for."""
    points = cell_points(layout_of(named_board("hexhex-3")))
    true, start = seen_from(11, 40, 0.8, 859.0), seen_from(-11, 40, 2.1, 859.0 * 2.1 / 0.8)
    fit = fit_pose(start, SeenPoints(points, true.project(points), np.full(len(points), 0.1), True))
    assert fit.pose.rotation[:, 2] @ true.rotation[:, 2] < np.cos(np.radians(5))


def fit_to(lens: Lens, tilt_deg: float, way_deg: float) -> tuple[Fit, Fit | None]:
    """Fits to cells seen through a lens: with square pixels, and with others if these explain them much better."""
    points = cell_points(layout_of(named_board("hexhex-4")))
    start = seen_from(tilt_deg, way_deg, 0.88, 859.0)
    pixels = BoardPose(lens, start.rotation, start.translation_mm).project(points)
    pixels += np.random.default_rng(0).normal(0, 0.03, pixels.shape)
    seen = SeenPoints(points, pixels, np.full(len(points), 0.1), True)
    fit = fit_either_way(start, seen)
    return fit, fit_stretched(fit, seen)


@pytest.mark.parametrize("wide", [0.75, 1.2, 1.4])
def test_pixels_that_are_not_square(wide: float) -> None:
    """It is told how wide they are, and the cells are where they are seen; square ones are not taken for others."""
    square = seen_from(15, 40, 0.88, 859.0).lens
    fit, stretched = fit_to(replace(square, fy_px=wide * square.fx_px), 15, 40)
    assert stretched is not None
    assert stretched.pose.lens.pixel_width == pytest.approx(wide, rel=0.01)
    assert stretched.rms_px < 0.1 < fit.rms_px
    assert fit_to(square, 15, 40)[1] is None


@pytest.mark.parametrize("tilt_deg", [25, 35])
def test_a_cut_picture_is_not_a_stretched_one(tilt_deg: float) -> None:
    """A lens that looks beside the middle explains the cells better than pixels that are not square."""
    lens = seen_from(tilt_deg, 250, 0.88, 859.0).lens
    fit, stretched = fit_to(replace(lens, cy_px=lens.cy_px + 128), tilt_deg, 250)
    assert fit.rms_px > 0.1
    assert stretched is None


@settings(deadline=None, max_examples=30)
@given(st.floats(0, 40), st.floats(0, 360), st.integers(0, 2**16), st.booleans())
def test_the_slope_of_a_fit_is_that_of_its_cost(tilt: float, way: float, seed: int, along_normals: bool) -> None:
    """Each part of a small step, of the place and of the lens, changes the cost as the slope says."""
    rng = np.random.default_rng(seed)
    points = cell_points(layout_of(named_board("hexhex-3"))) + np.array([0.0, 0.0, 5.0])
    pose = seen_from(tilt, way, 0.9, 859.0)
    distortion = (-0.1, 0.03, 0.002, -0.003, 0.01)
    lens = replace(pose.lens, fy_px=1.2 * pose.lens.fx_px, cx_px=600.0, distortion=distortion)
    bent = Warp(np.zeros(2), 40.0, rng.normal(0, 1, (9, 9, 2)).astype(np.float32))
    pose = replace(pose, lens=lens, warp=bent)
    pixels = pose.project(points) + rng.normal(0, 2, (len(points), 2))
    angles = rng.uniform(0, 2 * np.pi, len(points))
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=1) if along_normals else None
    seen = SeenPoints(points, pixels, np.full(len(points), 1.5), True, normals)
    _, slope = seen.linearised(seen.at(pose), seen.free(lens))
    h = 1e-6
    for part, step in zip(slope, h * np.eye(len(slope)), strict=True):
        rise = seen.at(moved(pose, step)).cost - seen.at(moved(pose, -step)).cost
        assert part == pytest.approx(rise / (4 * h), rel=1e-4, abs=1e-2)
