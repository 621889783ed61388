"""Reading with the lights on: glow added to the sample film's first picture in linear light, measured, taken off."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.glow import GAMMA, GlowMaps, load_glow, measure_glow
from engine.layout import named_layout
from engine.look import CellLook
from hardware.frame import LedFrame, Rgb
from hardware.layout import plain_layout
from tests.footage_places import SAMPLES
from vision.finding.find import FoundBoard, find_board
from vision.palette import Material, parse_colour
from vision.picture import Picture
from vision.reading.learn import learn_table
from vision.reading.read import CellReader

BOARD = named_layout("hexhex-4")
MATERIAL = Material((parse_colour("red"), parse_colour("white")), (parse_colour("beige"), parse_colour("dark")))
PALETTE: tuple[Rgb, ...] = ((0, 96, 0), (96, 32, 0), (0, 0, 96), (96, 96, 96), (96, 0, 0), (0, 0, 0))
#: Blue, green, red of the picture from red, green, blue of the LEDs; cameras mix the colours a little.
CAMERA = np.array([[0.02, 0.10, 0.90], [0.10, 0.85, 0.08], [0.90, 0.05, 0.02]])


class GlowingTable:
    """The sample film's first picture with LEDs under its cells."""

    def __init__(self) -> None:
        capture = cv2.VideoCapture(str(SAMPLES / "sample.mp4"))
        ok, image = capture.read()
        capture.release()
        assert ok
        self.dark: Picture = np.asarray(image, np.uint8)
        self.linear = ((self.dark / 255.0) ** GAMMA).astype(np.float32)
        found = find_board(self.dark, BOARD)
        assert isinstance(found, FoundBoard)
        self.pose = found.pose
        centres = np.array([(x, y, 0.0) for x, y in BOARD.centres_mm])
        rows, columns = np.mgrid[: self.dark.shape[0], : self.dark.shape[1]]
        spread = 0.35 * self.pose.pitch_px(centres, BOARD.pitch_mm)
        self.shapes = np.array(
            [
                np.exp(-0.5 * ((columns - x) ** 2 + (rows - y) ** 2) / s**2)
                for (x, y), s in zip(self.pose.project(centres), spread, strict=True)
            ],
            np.float32,
        )
        self.rng = np.random.default_rng(1)

    def picture(self, frame: LedFrame) -> Picture:
        """What the camera sees while the LEDs show a frame; a LED at full is as bright as half of full white."""
        linear = self.linear.copy()
        for shape, colour in zip(self.shapes, frame.colours(), strict=True):
            if any(colour):
                linear += 0.5 * shape[..., None] * (CAMERA @ np.array(colour) / 255).astype(np.float32)
        seen = 255 * cv2.pow(np.minimum(linear, 1), 1 / GAMMA) + self.rng.standard_normal(linear.shape, np.float32)
        return np.asarray(np.clip(seen, 0, 255), np.uint8)


@pytest.fixture(scope="module")
def table() -> GlowingTable:
    """The table of the sample film."""
    return GlowingTable()


@pytest.fixture(scope="module")
def maps(table: GlowingTable) -> GlowMaps:
    """Its glow, measured as a calibration does."""
    return measure_glow(table.picture, plain_layout(BOARD.names), table.pose)


def some_colours(seed: int) -> list[Rgb]:
    """Any colours of the lights under the cells."""
    return [PALETTE[i] for i in np.random.default_rng(seed).integers(0, len(PALETTE), len(BOARD.names))]


def test_the_expected_glow_is_taken_off(table: GlowingTable, maps: GlowMaps) -> None:
    """Where LEDs add light and nothing is clipped, less than a quarter of the difference to the dark picture stays."""
    colours = some_colours(1)
    lit = table.picture(LedFrame.of(colours))
    glowing = (maps.expected(colours).max(axis=2) > 0.02) & (lit.max(axis=2) < 250)
    before = np.abs(lit.astype(int) - table.dark)[glowing].mean()
    after = np.abs(maps.without_glow(lit, colours).astype(int) - table.dark)[glowing].mean()
    assert before > 8
    assert after < before / 4


def test_the_glow_goes_along_with_a_board_that_is_bumped(table: GlowingTable, maps: GlowMaps) -> None:
    """A copy of the lit picture, shifted and turned, is cleared as well as the picture itself where the board is
    known to have gone, and far worse where it is not."""
    colours = some_colours(4)
    lit, height, width = table.picture(LedFrame.of(colours)), *table.dark.shape[:2]
    matrix = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), 4.0, 1.0), (0, 0, 1)])
    matrix[:2, 2] += (31, -18)
    bumped, dark = (cv2.warpPerspective(image, matrix, (width, height)) for image in (lit, table.dark))
    there = cv2.warpPerspective(maps.expected(colours), matrix, (width, height)).max(axis=2)
    glowing = (there > 0.02) & (bumped.max(axis=2) < 250)
    left = [np.abs(maps.without_glow(bumped, colours, m).astype(int) - dark)[glowing].mean() for m in (matrix, None)]
    there = (maps.expected(colours).max(axis=2) > 0.02) & (lit.max(axis=2) < 250)
    usual = np.abs(maps.without_glow(lit, colours).astype(int) - table.dark)[there].mean()
    assert left[0] < 1.1 * usual
    assert left[1] > 2 * left[0]


def looks(table: GlowingTable, image: Picture) -> list[CellLook]:
    """What the reader sees in a picture of the table, its colours learned from that same picture."""
    model = learn_table(image, table.pose, BOARD, MATERIAL)
    return [cell.best() for cell in CellReader(table.pose, BOARD, model).read(image)]


def test_the_board_is_read_with_the_lights_on(table: GlowingTable, maps: GlowMaps) -> None:
    """Under light that is twice as bright as usual, cells are read as in the dark once the glow is taken off.

    Every disk and colour, and every height but one at most.
    """
    colours = [(min(2 * red, 255), min(2 * green, 255), min(2 * blue, 255)) for red, green, blue in some_colours(6)]
    lit = table.picture(LedFrame.of(colours))
    by_light, by_dark = looks(table, maps.without_glow(lit, colours)), looks(table, table.dark)
    assert [(look.surface, look.men) for look in by_light] == [(look.surface, look.men) for look in by_dark]
    assert sum(a.height != b.height for a, b in zip(by_light, by_dark, strict=True)) <= 1


def test_maps_are_kept_in_a_file(maps: GlowMaps, tmp_path: Path) -> None:
    """Saved and loaded the maps expect the same glow where the board was, which older files do not say; what is no such
    file is refused with its name."""
    maps.save(tmp_path / "leds.glow.npz")
    loaded = load_glow(tmp_path / "leds.glow.npz")
    colours = some_colours(3)
    assert np.allclose(loaded.expected(colours), maps.expected(colours), atol=2e-3)
    assert loaded.pose is not None
    assert maps.pose is not None
    assert loaded.pose.lens == maps.pose.lens
    assert (loaded.pose.rotation == maps.pose.rotation).all()
    assert (loaded.pose.translation_mm == maps.pose.translation_mm).all()
    replace(maps, pose=None).save(tmp_path / "older.npz")
    assert load_glow(tmp_path / "older.npz").pose is None
    with np.load(tmp_path / "leds.glow.npz") as data:
        np.savez(tmp_path / "no_lens.npz", **{name: data[name] for name in data if name != "lens"})
    (tmp_path / "other").write_text("no maps")
    for name in ("other", "nowhere", "no_lens"):
        with pytest.raises(CalibrationError, match=name):
            load_glow(tmp_path / name)
    with pytest.raises(CalibrationError, match="37 cells was measured, not of 3"):
        maps.expected(colours[:3])
    with pytest.raises(CalibrationError, match="the picture has"):
        maps.without_glow(np.zeros((10, 10, 3), np.uint8), colours)
