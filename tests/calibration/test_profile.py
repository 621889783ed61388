"""The profile file: what is saved is read back, other sections stay, wrong files are refused with a reason."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.errors import CalibrationError
from calibration.profile import (
    BoardProfile,
    LensProfile,
    board_values,
    lens_values,
    load_profile,
    save_section,
    section_text,
)
from engine.layout import named_layout
from tests.vision.drawn_board import camera
from vision.geometry import Lens

LENS = LensProfile(Lens(1280, 720, 918.352, 907.553, 646.061, 370.1, (-0.37, 0.3, -0.008, 0.002, 0.0)), 0.17, 40)
POSE = camera(named_layout("hexhex-4"), 30, 20, 5)
BOARD = BoardProfile("hexhex-4", POSE, 40.0, (34.5, 1.8), None, 0.61, 0.98)

plain = st.one_of(
    st.text(max_size=20),
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.floats(-1e6, 1e6), max_size=4),
)
names = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=12)


def test_lens_and_board_come_back(tmp_path: Path) -> None:
    """A calibrated lens and board are read as they were written."""
    path = tmp_path / "table.toml"
    save_section(path, "lens", lens_values(LENS))
    save_section(path, "board", board_values(BOARD))
    profile = load_profile(path)
    assert profile.lens == LENS
    assert profile.board is not None
    assert (profile.board.name, profile.board.disk_mm, profile.board.man_mm) == ("hexhex-4", (34.5, 1.8), None)
    assert np.allclose(profile.board.pose.rotation, POSE.rotation, atol=1e-8)
    assert np.allclose(profile.board.pose.translation_mm, POSE.translation_mm, atol=1e-3)
    assert profile.board.pose.lens.fx_px == pytest.approx(POSE.lens.fx_px, abs=1e-3)


@given(st.dictionaries(names, plain, max_size=5), st.dictionaries(names, st.dictionaries(names, plain), max_size=2))
def test_section_text_is_toml(values: dict[str, object], tables: dict[str, dict[str, object]]) -> None:
    """Whatever a section holds, a TOML reader gets the same back."""
    both = {**values, **tables}
    assert tomllib.loads(section_text("colours", both)).get("colours", {}) == both


def test_the_rest_of_the_file_stays_as_typed(tmp_path: Path) -> None:
    """Rewriting a section leaves comments, order and spelling of all others alone."""
    path = tmp_path / "table.toml"
    typed = '# my table\nversion = 1 # first\n\n[options]\nboard = "hexhex-5" # the oak one\nmen = "red,purple"\n'
    path.write_text(typed)
    save_section(path, "lens", lens_values(LENS))
    save_section(path, "board", board_values(BOARD))
    save_section(path, "lens", {**lens_values(LENS), "views": 12})
    text = path.read_text()
    assert text.startswith(typed)
    assert text.count("[lens]") == text.count("[board]") == text.count("[board.lens]") == 1
    profile = load_profile(path)
    assert profile.options == {"board": "hexhex-5", "men": "red,purple"}
    assert profile.lens is not None
    assert profile.lens.views == 12
    assert [p.name for p in tmp_path.iterdir()] == ["table.toml"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[lens]\n", "no 'version = 1'"),
        ("version = 0\n", "version 0 instead of 1, an old one"),
        ("version = 2\n", "newer than this program"),
        ("version = 1\n[lamp]\n", "unknown section 'lamp'"),
        ("version = 1\nlens = 3\n", "lens is a table"),
        ("version = 1\n[lens]\nsize_px = [1280, 720]\n", "distortion is missing"),
        ("version = 1\n[options]\nmen = ['red']\n", "options.men is a text"),
        ("version = \n", "not a TOML file"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, text: str, why: str) -> None:
    """Each refusal says which file and what is wrong, and a section is not saved into such a file."""
    path = tmp_path / "table.toml"
    path.write_text(text)
    with pytest.raises(CalibrationError, match=r"table\.toml") as error:
        load_profile(path)
    assert why in str(error.value)


def test_a_profile_of_another_version_is_never_overwritten(tmp_path: Path) -> None:
    """Saving into an old or foreign file leaves it untouched."""
    path = tmp_path / "table.toml"
    path.write_text("version = 7\n")
    with pytest.raises(CalibrationError):
        save_section(path, "lens", lens_values(LENS))
    assert path.read_text() == "version = 7\n"


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    """A missing file, a folder that is not there, and a file of bytes have their own lines."""
    with pytest.raises(CalibrationError, match="No such file"):
        load_profile(tmp_path / "none.toml")
    with pytest.raises(CalibrationError, match="cannot be written"):
        save_section(tmp_path / "nowhere" / "table.toml", "lens", lens_values(LENS))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CalibrationError, match="not a text file"):
        load_profile(tmp_path / "bytes.toml")


def test_the_lens_fits_pictures_of_its_shape_only(tmp_path: Path) -> None:
    """Half the size is the same lens scaled; another shape is refused."""
    path = tmp_path / "table.toml"
    save_section(path, "lens", lens_values(LENS))
    profile = load_profile(path)
    half = profile.lens_for(640, 360)
    assert half is not None
    assert half.fx_px == pytest.approx(LENS.lens.fx_px / 2)
    with pytest.raises(CalibrationError, match="1280×720"):
        profile.lens_for(640, 480)


def test_dimensions_go_to_the_board_they_belong_to(tmp_path: Path) -> None:
    """A layout without dimensions gets the calibrated ones, another board's does not."""
    path = tmp_path / "table.toml"
    save_section(path, "board", board_values(BOARD))
    profile = load_profile(path)
    assert profile.layout_for(named_layout("hexhex-4")).disk_mm == (34.5, 1.8)
    assert profile.layout_for(named_layout("hexhex-5")).disk_mm is None
