"""Camera geometry against OpenCV's own projection, and the laws between its parts."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.layout import named_layout
from tests.vision.drawn_board import camera
from vision.geometry import BoardPose, Lens, scaled_lens

LAYOUT = named_layout("hexhex-5")

cameras = st.builds(
    camera,
    st.just(LAYOUT),
    tilt_deg=st.floats(0, 55),
    azimuth_deg=st.floats(0, 360),
    roll_deg=st.floats(-180, 180),
    hfov_deg=st.floats(45, 78),
    k1=st.floats(-0.12, 0.03),
)
places = st.lists(st.tuples(st.floats(-150, 150), st.floats(-150, 150), st.floats(-6, 60)), min_size=1, max_size=8)


def points(values: list[tuple[float, float, float]]) -> np.ndarray:
    """The values as (N, 3) float64."""
    return np.array(values, np.float64)


@given(cameras, places)
def test_projection_is_opencvs(pose: BoardPose, values: list[tuple[float, float, float]]) -> None:
    """Pixels agree with cv2.projectPoints, with all five distortion terms."""
    lens = replace(pose.lens, distortion=(-0.08, 0.03, 0.001, -0.002, 0.004))
    pose = replace(pose, lens=lens)
    turn = cv2.Rodrigues(pose.rotation)[0]
    wanted = cv2.projectPoints(points(values), turn, pose.translation_mm, lens.matrix, np.array(lens.distortion))[0]
    assert np.allclose(pose.project(points(values)), wanted.reshape(-1, 2), atol=1e-6)


@given(cameras, places)
def test_unproject_undoes_project_on_the_board(pose: BoardPose, values: list[tuple[float, float, float]]) -> None:
    """A point of the board plane, projected and brought back, is where it was."""
    flat = points(values) * [1, 1, 0]
    assert np.allclose(pose.unproject(pose.project(flat)), flat[:, :2], atol=0.01)


@given(cameras, places, st.floats(0.4, 3))
def test_the_same_picture_shows_a_table_where_everything_is_higher(
    pose: BoardPose, values: list[tuple[float, float, float]], times: float
) -> None:
    """Points that are so many times as high are seen at the same pixels, from a camera that is, too; what lies on the
    board stays where it is."""
    other = pose.heightened(times)
    assert np.allclose(other.project(points(values) * [1, 1, times]), pose.project(points(values)), atol=1e-6)
    assert np.allclose(other.camera_mm, pose.camera_mm * [1, 1, times])
    flat = points(values) * [1, 1, 0]
    assert np.allclose(other.unproject(pose.project(flat)), flat[:, :2], atol=0.01)


@given(cameras)
def test_the_camera_projects_from_its_place(pose: BoardPose) -> None:
    """Every point on the line from the camera to a point is seen at the same pixel, and the tilt is that line's."""
    target = np.array([30.0, -20.0, 0.0])
    between = 0.5 * (target + pose.camera_mm)
    assert np.allclose(pose.project(between[None]), pose.project(target[None]), atol=1e-6)
    height = pose.camera_mm[2] / np.linalg.norm(pose.camera_mm)
    assert np.cos(np.radians(pose.tilt_deg)) == pytest.approx(height)


@given(cameras, st.integers(320, 3840))
def test_a_larger_picture_shows_the_same(pose: BoardPose, width: int) -> None:
    """Pixel coordinates scale about the picture's corner, which is half a pixel off its first pixel's centre."""
    larger = replace(pose, lens=scaled_lens(pose.lens, width, width * 9 // 16))
    factor = width / pose.lens.width_px
    corner = points([(10, 20, 0), (-90, 40, 10)])
    assert np.allclose(larger.project(corner) + 0.5, (pose.project(corner) + 0.5) * factor, atol=1e-6)


def test_pitch_from_straight_above_is_focal_length_over_distance() -> None:
    """Seen from straight above a length's pixels are f · length / distance everywhere."""
    pose = camera(LAYOUT, tilt_deg=0)
    wanted = pose.lens.fx_px * 40.0 / pose.camera_mm[2]
    assert pose.pitch_px(points([(0, 0, 0), (120, 60, 0)]), 40.0) == pytest.approx(wanted)


def test_impossible_lenses_and_poses_are_refused() -> None:
    """Sizes and shapes that cannot be raise ValueError."""
    with pytest.raises(ValueError, match="no such lens"):
        Lens(1280, 720, -1.0, 900.0, 640.0, 360.0)
    lens = Lens(1280, 720, 900.0, 900.0, 640.0, 360.0)
    with pytest.raises(ValueError, match="3×3"):
        BoardPose(lens, np.eye(2), np.zeros(3))
