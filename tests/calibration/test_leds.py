"""LED calibration by camera: rendered glow, few LEDs and many, refusals with reasons, and one loop through the
emulated device, whose decoded LED signal is what glows in the picture."""

import random
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.leds import layout_from, locate_leds
from engine.board import hexhex
from engine.layout import Layout, layout_of
from hardware.driver import LedDriver
from hardware.frame import LedFrame
from hardware.layout import plain_layout
from hardware.protocol import load_protocol
from tests.calibration.glowing_board import GlowingBoard
from tests.emulator.uno import EmulatedUno, build_emulator, build_firmware
from vision.picture import Picture

LAYOUT = layout_of(hexhex(3))
NAMES = LAYOUT.names


def wired(layout: Layout, per_cell: int, seed: int) -> tuple[GlowingBoard, list[int]]:
    """A board with its LEDs in a random order of cells, up to a quarter of the pitch off the centres; their cells."""
    rng = random.Random(seed)
    order = list(range(len(layout.names)))
    rng.shuffle(order)
    cells = [cell for cell in order for _ in range(per_cell)]
    offsets = [0.0] if per_cell == 1 else [(i / (per_cell - 1) - 0.5) / 2 for i in range(per_cell)]
    places = [
        (x + (offsets[i % per_cell] + rng.uniform(-0.05, 0.05)) * layout.pitch_mm, y)
        for i, (x, y) in enumerate(layout.centres_mm[cell] for cell in cells)
    ]
    spread = 0.22 if per_cell == 1 else 0.12
    return GlowingBoard(layout, np.array(places), seed, spread), cells


@pytest.mark.parametrize(("gray", "most"), [(False, 24), (True, 15)])
def test_every_led_is_found(gray: bool, most: int) -> None:
    """One after another or by Gray code, each LED's cell is the true one."""
    board, cells = wired(LAYOUT, 1, 3)
    found = locate_leds(board.picture, 19, NAMES, board.centres_px, board.pitch_px, gray)
    assert [place.cell for place in found.leds] == cells
    assert found.pictures <= most
    assert found.weakest > 20


def test_three_leds_a_cell() -> None:
    """Many LEDs, three in each cell: all found with far fewer pictures than LEDs, the middle one first."""
    board, cells = wired(LAYOUT, 3, 4)
    found = locate_leds(board.picture, 57, NAMES, board.centres_px, board.pitch_px)
    assert [place.cell for place in found.leds] == cells
    assert found.pictures < 30
    layout = layout_from(found, NAMES, plain_layout(NAMES), "8x8")
    assert (layout.count, layout.panels[0].first) == (57 + 64, 57)
    assert all(leds[0] % 3 == 1 for leds in layout.cells)


def refused(shoot_of: GlowingBoard, count: int, **how: bool) -> str:
    """Why a board's LEDs make no layout."""
    found = locate_leds(shoot_of.picture, count, NAMES, shoot_of.centres_px, shoot_of.pitch_px)
    with pytest.raises(CalibrationError) as caught:
        layout_from(found, NAMES, plain_layout(NAMES), **how)
    return str(caught.value)


def test_a_dead_led_is_refused() -> None:
    """A LED that does not glow is named."""
    board, _ = wired(LAYOUT, 1, 5)
    board.leds_px[7] = (-500, -500)
    assert "LED 7: no glow seen" in refused(board, 19)


def test_a_led_seen_twice_is_refused() -> None:
    """Two LEDs on one data line glow in two cells, which are both named."""
    board, cells = wired(LAYOUT, 1, 6)
    plain = board.picture

    def doubled(frame: LedFrame) -> Picture:
        colours = list(frame.colours())
        colours[4] = max(colours[4], colours[9])
        return plain(LedFrame.of(colours))

    board.picture = doubled  # type: ignore[method-assign]
    why = refused(board, 19)
    assert "LED 9: glow in" in why
    assert NAMES[cells[4]] in why
    assert NAMES[cells[9]] in why


def test_pictures_that_lag_behind_are_noticed() -> None:
    """A camera that shows each frame one picture too late gives no layout, but says what to do."""
    board, _ = wired(LAYOUT, 1, 12)
    late = [LedFrame.black(19)]

    def lagging(frame: LedFrame) -> Picture:
        late.append(frame)
        return board.picture(late[-2])

    with pytest.raises(CalibrationError, match="do not follow the LEDs"):
        locate_leds(lagging, 19, NAMES, board.centres_px, board.pitch_px)


def test_a_led_between_cells_may_be_unused() -> None:
    """LEDs in the turns of a strip are refused, or listed as unused where the user allows it."""
    board, cells = wired(LAYOUT, 1, 8)
    board.leds_px = np.insert(board.leds_px, 5, (450.0, 15.0), axis=0)
    assert "LED 5: no glow seen" in refused(board, 20)
    found = locate_leds(board.picture, 20, NAMES, board.centres_px, board.pitch_px)
    layout = layout_from(found, NAMES, plain_layout(NAMES), unseen_is_unused=True)
    assert layout.unused == (5,)
    assert layout.cells[cells[4]] == (4,)
    assert layout.cells[cells[5]] == (6,)


def test_a_cell_without_led_is_refused() -> None:
    """Too small a count leaves cells dark, and they are named."""
    board, cells = wired(LAYOUT, 1, 9)
    assert f"no LED glows in {NAMES[cells[18]]} (1 of 19 cells)" in refused(board, 18)


def test_lamps_that_change_do_not_matter() -> None:
    """A room that grows brighter between pictures is told from a glow."""
    board, cells = wired(LAYOUT, 1, 10)
    plain, taken = board.picture, [0]

    def brightening(frame: LedFrame) -> Picture:
        taken[0] += 1
        return np.clip(plain(frame).astype(int) + taken[0], 0, 255).astype(np.uint8)

    found = locate_leds(brightening, 19, NAMES, board.centres_px, board.pitch_px)
    assert [place.cell for place in found.leds] == cells


def test_through_the_emulated_device(tmp_path: Path) -> None:
    """The whole loop: driver, serial line, firmware, LED signal, glow, picture, layout."""
    uno = EmulatedUno(build_emulator(tmp_path), build_firmware(tmp_path), tmp_path / "uno", boot_ms=200)
    board, cells = wired(LAYOUT, 1, 11)
    layout = plain_layout(NAMES)
    try:
        with LedDriver(load_protocol("adalight"), str(uno.path), layout) as driver:

            def shoot(frame: LedFrame) -> Picture:
                driver.show(frame)
                assert driver.wait_shown(frame, 5.0)
                assert uno.shows(frame.rgb, 5.0)
                return board.picture(LedFrame(uno.pictures[-1][1]))

            found = locate_leds(shoot, 19, NAMES, board.centres_px, board.pitch_px)
    finally:
        uno.close()
    made = layout_from(found, NAMES, layout)
    assert [made.cells[cell] for cell in cells] == [(led,) for led in range(19)]
