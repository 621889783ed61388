"""Board and colour calibration on rendered and drawn tables, through the commands a user types."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.board import calibrate_board
from calibration.colours import material_with
from calibration.errors import CalibrationError
from calibration.profile import load_profile
from companion.commands import calibrate_board as board_command
from companion.commands import calibrate_colours as colours_command
from engine.layout import layout_of, named_layout
from tests.footage_places import SAMPLES, footage
from tests.vision import drawn_men
from tests.vision.drawn_board import camera, draw
from vision.finding.refine import cell_points
from vision.palette import Material, parse_colour
from vision.picture import load_picture

LAYOUT = named_layout("hexhex-4")
WITHOUT_DISKS = Path(__file__).parents[1] / "companion" / "films" / "without_disks.mp4"
MATERIAL = Material((parse_colour("red"), parse_colour("purple")))


def test_a_drawn_board_in_true_millimetres() -> None:
    """With the true pitch the camera's distance comes out in true millimetres; given dimensions are kept."""
    assert LAYOUT.board is not None
    layout = layout_of(LAYOUT.board, 50.0, disk_mm=(43.0, 2.25), man_mm=(35.0, 8.0))
    pose = camera(layout, 30, 15)
    board = calibrate_board([draw(layout, pose)] * 2, layout, pose.lens, MATERIAL)
    assert np.linalg.norm(board.pose.camera_mm - pose.camera_mm) < 0.02 * np.linalg.norm(pose.camera_mm)
    assert (board.pitch_mm, board.disk_mm, board.man_mm) == (50.0, (43.0, 2.25), (35.0, 8.0))
    assert board.residual_px < 1.5


def test_a_board_that_moves_is_refused() -> None:
    """Two pictures between which the board went elsewhere, or in which there is none."""
    poses = [camera(LAYOUT, 30, 15), camera(LAYOUT, 36, 20)]
    pictures = [draw(LAYOUT, pose) for pose in poses]
    with pytest.raises(CalibrationError, match="moved"):
        calibrate_board(pictures, LAYOUT, None, MATERIAL)
    with pytest.raises(CalibrationError, match="no hexhex-4 board"):
        calibrate_board([np.full((540, 960, 3), 90, np.uint8)], LAYOUT, None, MATERIAL)


def test_a_man_is_measured_only_where_he_is_seen_well() -> None:
    """How thick men are is true wherever it is told; in copies two fifths as wide it is left open more often."""
    told = {1.0: 0, 0.4: 0}
    for path in sorted((footage() / "stills").glob("10[0-2][0-9].json"))[::3]:
        truth = json.loads(path.read_text())
        if not truth["board"].startswith("hexhex") or sum(c["height"] > 0 for c in truth["cells"]) < 3:
            continue
        layout = named_layout(truth["board"])
        colours = [parse_colour(word) for word in (*truth["players"], truth["beige"], truth["dark"])]
        material = Material((colours[0], colours[1]), (colours[2], colours[3]))
        picture, (diameter, thickness) = load_picture(path.with_suffix(".jpg")), truth["checker_mm"]
        for scale in told:
            small = np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
            man_mm = calibrate_board([small], layout, None, material).man_mm
            if man_mm is not None:
                told[scale] += 1
                assert man_mm[1] / man_mm[0] == pytest.approx(thickness / diameter, abs=0.03), (path.name, scale)
    assert 0 < told[0.4] < told[1.0]


@pytest.mark.parametrize(("thickness", "told"), [(0.12, False), (0.15, False), (0.25, True)])
def test_men_that_may_be_thinner_than_any_it_looks_for_are_left_open(thickness: float, told: bool) -> None:
    """A thickness in the profile is taken for certain."""
    picture, _ = drawn_men.men_on_board(thickness, 32)
    man_mm = calibrate_board([picture], drawn_men.LAYOUT, None, drawn_men.MATERIAL).man_mm
    assert (man_mm is not None) == told
    assert man_mm is None or man_mm[1] / man_mm[0] == pytest.approx(thickness, abs=0.04)


def test_the_board_of_a_still(tmp_path: Path) -> None:
    """The command keeps the pose to within the finder's accuracy, beside what the file already holds."""
    still = footage() / "stills" / "1026.jpg"
    truth = json.loads(still.with_suffix(".json").read_text())
    out = tmp_path / "table.toml"
    out.write_text('version = 1\n[options]\nboard = "hexhex-4"\n')
    words = ["--board", truth["board"], "--men", ",".join(truth["players"]), "--out", str(out), "--json"]
    result = CliRunner().invoke(board_command.command, [str(still), *words], catch_exceptions=False)
    assert json.loads(result.stdout)["name"] == "hexhex-4"
    profile = load_profile(out)
    assert profile.options["board"] == "hexhex-4"
    assert profile.board is not None
    seen = profile.board.pose.project(cell_points(LAYOUT))
    true = np.array([c["px"] for c in truth["cells"]]) - 0.5
    assert np.linalg.norm(true[:, None] - seen[None], axis=2).min(axis=1).mean() < 2


def test_a_board_without_disks_is_told_nothing_of_disks(tmp_path: Path) -> None:
    """No disk is missed there, and no spare men are asked for: they are looked at only beside disks."""
    out = tmp_path / "table.toml"
    words = [str(WITHOUT_DISKS), "--board", "hexhex-4", "--men", "yellow,blue", "--disks", "none", "--out", str(out)]
    told = CliRunner().invoke(board_command.command, words, catch_exceptions=False).stdout
    assert "hexhex-4 found" in told
    assert "disk:" not in told
    assert "spare" not in told
    board = load_profile(out).board
    assert board is not None
    assert board.disk_mm is None


def test_the_colours_of_the_sample(tmp_path: Path) -> None:
    """Both players' men are learned, near their words, and a material takes them over."""
    truth = json.loads((SAMPLES / "sample.json").read_text())
    out = tmp_path / "table.toml"
    words = ["--board", truth["board"], "--men", ",".join(truth["players"]), "--out", str(out)]
    CliRunner().invoke(colours_command.command, [str(SAMPLES / "sample.mp4"), *words], catch_exceptions=False)
    section = load_profile(out).colours
    assert set(section["men_rgb"]) == set(truth["players"])
    named = Material((parse_colour(truth["players"][0]), parse_colour(truth["players"][1])))
    learned = material_with(named, section)
    for before, after in zip(named.men, learned.men, strict=True):
        assert after.word == before.word
        assert np.abs(np.array(after.rgb) - np.array(before.rgb)).max() < 60


def test_a_colour_that_is_not_there_is_named(tmp_path: Path) -> None:
    """An empty board teaches no colours."""
    picture = tmp_path / "empty.png"
    cv2.imwrite(str(picture), draw(LAYOUT, camera(LAYOUT, 25)))
    words = ["--board", "hexhex-4", "--men", "red,purple", "--out", str(tmp_path / "table.toml")]
    with pytest.raises(CalibrationError, match=r"no (red|purple) men"):
        CliRunner().invoke(colours_command.command, [str(picture), *words], catch_exceptions=False)
    assert not (tmp_path / "table.toml").exists()
