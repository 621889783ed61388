"""Lens calibration: a lens that is known comes out again, a real webcam's agrees with its published figures."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.errors import CalibrationError
from calibration.lens import TargetViews, spread_views
from calibration.targets import CharucoTarget, charuco_squares, marker_bits
from companion.commands.calibrate_lens import command
from tests.footage_places import photos
from vision.cv import CharucoView
from vision.geometry import BoardPose, Lens
from vision.picture import Picture

TARGET = CharucoTarget()
LENS = Lens(960, 540, 700.0, 690.0, 470.0, 280.0, (-0.25, 0.08, 0.001, -0.001, 0.0))


def shown(tilt_deg: float, azimuth_deg: float, distance_mm: float, aside: tuple[float, float]) -> BoardPose:
    """The target held before the camera; its frame has x right and y down."""
    axis = np.radians(tilt_deg) * np.array([np.cos(np.radians(azimuth_deg)), np.sin(np.radians(azimuth_deg)), 0])
    rotation = np.asarray(cv2.Rodrigues(axis)[0], np.float64)
    middle = np.array([*(v / 2 for v in TARGET.size_mm), 0.0])
    at = np.array([aside[0] * distance_mm, aside[1] * distance_mm, distance_mm])
    return BoardPose(LENS, rotation, at - rotation @ middle)


def photograph(pose: BoardPose, inverted: bool = False) -> Picture:
    """The target as the lens sees it, drawn black on white with sub-pixel corners."""
    ink, paper = (235, 20) if inverted else (20, 235)
    fine = 5  # drawn so many times as large, then averaged
    image = np.full((LENS.height_px * fine, LENS.width_px * fine), 120, np.uint8)

    def fill(x: float, y: float, side: float, value: int, height: float | None = None) -> None:
        steps = np.linspace(0, 1, 7)
        wide, high = side, side if height is None else height
        edge = [(x + s * wide, y) for s in steps] + [(x + wide, y + s * high) for s in steps]
        edge += [(x + wide - s * wide, y + high) for s in steps] + [(x, y + high - s * high) for s in steps]
        pixels = pose.project(np.column_stack([np.array(edge), np.zeros(len(edge))]))
        cv2.fillPoly(image, [np.round((pixels + 0.5) * fine - 0.5).astype(np.int32)], value)

    width, height = TARGET.size_mm
    fill(-12, -12, width + 24, paper, height + 24)
    squares, markers = charuco_squares(TARGET)
    for x, y in squares:
        fill(x, y, TARGET.square_mm, ink)
    for marker_id, (x, y) in markers:
        fill(x, y, TARGET.marker_mm, ink)
        bits = marker_bits(TARGET.dictionary, marker_id)
        side = TARGET.marker_mm / len(bits)
        for row, column in zip(*np.nonzero(~bits), strict=True):
            fill(x + column * side, y + row * side, side, paper)
    small = cv2.resize(image, (LENS.width_px, LENS.height_px), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 0.6), cv2.COLOR_GRAY2BGR).astype(np.uint8)


POSES = [
    shown(tilt, 40 * i, distance, aside)
    for i, (tilt, distance, aside) in enumerate(
        [
            (0, 420, (0, 0)),
            (30, 500, (-0.3, -0.15)),
            (35, 480, (0.3, 0.12)),
            (40, 560, (0.25, -0.15)),
            (30, 600, (-0.35, 0.15)),
            (45, 520, (0, 0.1)),
            (25, 700, (0.35, 0.0)),
            (38, 450, (0.05, -0.05)),
            (30, 650, (-0.1, -0.2)),
        ]
    )
]


@pytest.mark.parametrize("inverted", [False, True])
def test_a_known_lens_comes_out(inverted: bool) -> None:
    """Nine drawn views give the focal length to 1 %, the middle to 8 px, and an error far below a pixel."""
    views = TargetViews(TARGET, inverted)
    for pose in POSES:
        assert views.add(photograph(pose, inverted)) is not None
    calibration = views.calibrate()
    lens = calibration.profile.lens
    assert calibration.profile.rms_px < 0.3
    assert lens.fx_px == pytest.approx(LENS.fx_px, rel=0.01)
    assert lens.fy_px == pytest.approx(LENS.fy_px, rel=0.01)
    assert np.allclose([lens.cx_px, lens.cy_px], [LENS.cx_px, LENS.cy_px], atol=8)
    assert calibration.coverage.tilt_deg == pytest.approx(45, abs=2)


def test_a_bad_view_is_put_aside() -> None:
    """Corners of one view moved by ten pixels here and there do not spoil the lens."""
    views = TargetViews(TARGET)
    for pose in POSES:
        views.add(photograph(pose))
    spoilt = views.views[3]
    wrong = spoilt.corners + np.random.default_rng(2).normal(0, 10, spoilt.corners.shape)
    views.views[3] = CharucoView(wrong, spoilt.ids)
    calibration = views.calibrate()
    assert calibration.put_aside == 1
    assert calibration.profile.lens.fx_px == pytest.approx(LENS.fx_px, rel=0.01)


def test_views_all_alike_are_refused() -> None:
    """The same view over and over says nothing of the focal length, and too few views nothing at all."""
    views = TargetViews(TARGET)
    with pytest.raises(CalibrationError, match="0 of 0 pictures"):
        views.calibrate()
    for _ in range(5):
        views.add(photograph(POSES[0]))
    with pytest.raises(CalibrationError, match="5 of 5 pictures, in 1 different ways"):
        views.calibrate()


def test_pictures_of_two_sizes_are_refused() -> None:
    """One camera at one size."""
    views = TargetViews(TARGET)
    views.add(photograph(POSES[0]))
    with pytest.raises(CalibrationError, match=r"second\.jpg: 640×480"):
        views.add(np.zeros((480, 640, 3), np.uint8), "second.jpg")


def test_spread_views_differ() -> None:
    """Of many views in one corner and one elsewhere, the other one is always among those chosen."""
    base = np.array([(0.0, 0.0), (40.0, 0.0), (0.0, 30.0), (40.0, 30.0)])
    crowd = [CharucoView(base + np.array([100 + 8 * i, 100]), np.arange(4)) for i in range(30)]
    other = CharucoView(base * 2 + np.array([700, 400]), np.arange(4))
    assert any(view is other for view in spread_views([*crowd, other], 3))
    assert len(spread_views(crowd, 3)) == 3
    assert len(spread_views([other] * 9, 3)) == 1


def test_advice_names_what_is_missing() -> None:
    """Seen only in the middle and only from the front, the target is asked for elsewhere, tilted and farther
    away; a tilt counts at once."""
    views = TargetViews(TARGET)
    views.add(photograph(shown(0, 0, 900, (0, 0))))
    advice = " ".join(views.coverage().advice())
    assert "upper left" in advice
    assert "tilt the target more, towards every side (so far 0°" in advice
    assert "farther" in advice
    views.add(photograph(shown(40, 30, 500, (0.1, 0))))
    assert views.coverage().tilt_deg == pytest.approx(40, abs=6)  # the lens is not known yet


def test_webcam_film_agrees_with_its_published_calibration(tmp_path: Path) -> None:
    """The film of caliscope's cam0: RMS under half a pixel, fx within 3 % of the 903.6 px its project published."""
    film = photos() / "charuco-cam0.mp4"
    out = tmp_path / "webcam.toml"
    words = "--charuco 4x5 --dictionary DICT_4X4_1000 --square-mm 54 --marker-mm 40.5 --inverted --json"
    result = CliRunner().invoke(command, [str(film), *words.split(), "--out", str(out)], catch_exceptions=False)
    values = json.loads(result.stdout)
    assert values["size_px"] == [1280, 720]
    assert values["rms_px"] < 0.5
    assert values["fx_px"] == pytest.approx(903.6, rel=0.03)
    assert out.exists()
