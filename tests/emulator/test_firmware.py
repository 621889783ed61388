"""The reference firmware in an emulated ATmega328P, driven by the real driver through a pseudo-terminal.

Every picture in these tests has been decoded from the pulses on the LED pin.
"""

import random
import time
from pathlib import Path

import pytest

from engine.board import hexhex
from hardware.driver import LedDriver
from hardware.frame import LedFrame
from hardware.layout import plain_layout
from hardware.link import LinkState
from hardware.ports import open_port
from hardware.protocol import load_protocol
from tests.emulator.uno import FIRMWARE, EmulatedUno, build_firmware

NAMES = hexhex(5).names
ADALIGHT = load_protocol("adalight")
BLACK = bytes(3 * len(NAMES))


def picture(seed: int, leds: int = len(NAMES)) -> LedFrame:
    """A frame of random colours below the ceiling and within the current limit."""
    rng = random.Random(seed)
    return LedFrame(bytes(rng.randrange(96) for _ in range(3 * leds)))


def driver_of(uno: EmulatedUno, baud: int = 115200, protocol: str = "adalight") -> LedDriver:
    """The real driver on the emulated device."""
    return LedDriver(load_protocol(protocol), str(uno.path), plain_layout(NAMES, baud))


def reaches(driver: LedDriver, state: LinkState, within_s: float) -> bool:
    """Whether the line comes into a state."""
    until_s = time.monotonic() + within_s
    while driver.status.state is not state and time.monotonic() < until_s:
        time.sleep(0.02)
    return driver.status.state is state


def test_firmware_is_short() -> None:
    """The reference firmware stays under 200 lines."""
    assert len(FIRMWARE.read_text().splitlines()) < 200


def nothing_lost(uno: EmulatedUno, driver: LedDriver) -> bool:
    """Whether a quick change of pictures arrives without a lost byte.

    The emulated chip keeps real time as long as this machine lets it; one run without a loss shows that the driver's
    gaps are wide enough, since too narrow ones lose bytes in every frame.
    """
    lost = uno.lost
    for seed in range(1, 100):
        driver.show(picture(seed))
        time.sleep(0.013)
    assert uno.shows(picture(99).rgb, 2)
    return uno.lost == lost


def test_pictures_arrive_as_they_were_sent(uno: EmulatedUno) -> None:
    """Through boot, greeting and a quick change of pictures to black at the end, with clean pulses and nothing lost."""
    with driver_of(uno) as driver:
        driver.show(picture(0))
        assert uno.shows(picture(0).rgb, 5)
        assert reaches(driver, LinkState.CONNECTED, 1)
        assert any(nothing_lost(uno, driver) for _ in range(3))
    assert uno.shows(BLACK, 2)
    sent = {picture(seed).rgb for seed in range(100)}
    assert all(colours in sent or not any(colours) for _, colours in uno.pictures)
    assert not uno.glitches


def test_colours_full_of_ada(uno: EmulatedUno) -> None:
    """Colours that spell the magic word are colours."""
    with driver_of(uno) as driver:
        for colours in (b"Ada" * 30 + bytes(93), bytes(93) + b"daA" * 30, b"\0Ad" + b"a\0\0" * 60):
            driver.show(LedFrame(colours))
            assert uno.shows(colours, 5)


def test_all_white_is_limited(uno: EmulatedUno) -> None:
    """All white arrives under the ceiling and under 850 mA."""
    with driver_of(uno) as driver:
        driver.show(LedFrame(b"\xff" * 183))
        assert uno.shows(bytes([uno_value := int(0xAF * 850 / (61 * 60 * 0xAF / 255))]) * 183, 5)
        assert uno_value * 183 * 20 / 255 <= 850


def test_wrong_baud(uno: EmulatedUno) -> None:
    """At another rate than the firmware's nothing is shown, and the state says why and what to do."""
    with driver_of(uno, baud=57600) as driver:
        driver.show(picture(1))
        assert reaches(driver, LinkState.WRONG_BAUD, 9)
        assert "57600" in driver.status.detail
        assert "--led-baud" in driver.status.advice
    assert uno.rates.startswith("57600 ")
    assert picture(1).rgb not in [colours for _, colours in uno.pictures]
    with driver_of(uno) as driver:
        driver.show(picture(1))
        assert uno.shows(picture(1).rgb, 5)


def test_unplugged_and_plugged_in_again(emulator: Path, firmware: Path, tmp_path: Path) -> None:
    """The whole picture is back within three seconds of power, a boot loader of 1.6 s included."""
    uno = EmulatedUno(emulator, firmware, tmp_path / "uno", boot_ms=1600)
    try:
        with driver_of(uno) as driver:
            driver.show(picture(3))
            assert uno.shows(picture(3).rgb, 5)
            uno.tell("unplug")
            assert reaches(driver, LinkState.WAITING, 3)
            uno.pictures.clear()
            driver.show(picture(13))
            uno.tell("plug")
            assert uno.shows(picture(13).rgb, 3)
    finally:
        uno.close()


def test_stalled_line(uno: EmulatedUno) -> None:
    """A line that takes nothing for a while shows the newest picture within three seconds afterwards."""
    with driver_of(uno) as driver:
        driver.show(picture(5))
        assert uno.shows(picture(5).rgb, 5)
        uno.tell("stall")
        for seed in range(60):
            driver.show(picture(seed))
            time.sleep(0.015)
        uno.tell("resume")
        assert uno.shows(picture(59).rgb, 3)


def test_cut_off_frames_and_noise(uno: EmulatedUno) -> None:
    """After half a frame, noise, or a header for thousands of LEDs, the next frame is shown."""
    port = open_port(str(uno.path), 115200)
    try:
        time.sleep(0.8)
        whole = ADALIGHT.encode(picture(7))
        noise = random.Random(1).randbytes(300)
        for before in (whole[:90], whole[:4], noise, bytes.fromhex("41 64 61 41 64 70"), b"AdAdA"):
            uno.pictures.clear()
            port.write(before)
            time.sleep(0.3)
            port.write(whole)
            assert uno.shows(picture(7).rgb, 2)
        assert b"Ada\n" in port.read(4096)
    finally:
        port.close()


def test_frames_too_close_are_dropped_not_garbled(uno: EmulatedUno) -> None:
    """Without gaps the chip loses bytes; what it shows is always a picture that was sent."""
    port = open_port(str(uno.path), 115200)
    try:
        time.sleep(0.8)
        for seed in range(30):
            port.write(ADALIGHT.encode(picture(seed)))
        time.sleep(1.0)
        port.write(ADALIGHT.encode(picture(31)))
        assert uno.shows(picture(31).rgb, 2)
    finally:
        port.close()
    assert uno.lost > 0
    sent = {picture(seed).rgb for seed in range(32)}
    assert all(colours in sent or not any(colours) for _, colours in uno.pictures)


def test_dark_without_a_host(emulator: Path, tmp_path: Path) -> None:
    """When the host falls silent the LEDs go dark by themselves (here after 1.2 s instead of 15 s)."""
    uno = EmulatedUno(emulator, build_firmware(tmp_path, DARK_MS=1200), tmp_path / "uno", boot_ms=100)
    try:
        port = open_port(str(uno.path), 115200)
        time.sleep(0.5)
        port.write(ADALIGHT.encode(picture(1)))
        assert uno.shows(picture(1).rgb, 2)
        assert uno.shows(bytes(3 * 512), 4)
        port.close()
    finally:
        uno.close()


@pytest.mark.parametrize("baud", [500_000, 1_000_000])
def test_faster_lines(emulator: Path, tmp_path: Path, baud: int) -> None:
    """The firmware built for a faster line works with the layout's baud set to it."""
    uno = EmulatedUno(emulator, build_firmware(tmp_path, BAUD_RATE=baud), tmp_path / "uno", boot_ms=200)
    try:
        with driver_of(uno, baud) as driver:
            driver.show(picture(2))
            assert uno.shows(picture(2).rgb, 5)
            assert reaches(driver, LinkState.CONNECTED, 3)
    finally:
        uno.close()
