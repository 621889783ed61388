"""LED calibration at a real table: the camera, the board in its picture, the driver, and what comes of them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from calibration.errors import CalibrationError
from calibration.glow import glow_pictures, measure_glow
from calibration.leds import LIT, layout_from, locate_leds
from calibration.profile import Profile
from companion.errors import DeviceError, InputError
from companion.leds.options import LedChoice
from companion.seeing import find_in
from engine.layout import Layout
from hardware.driver import LedDriver
from hardware.frame import LedFrame
from hardware.layout import LedLayout
from hardware.protocol import parse_leds
from vision.frame import Frame
from vision.picture import Picture
from vision.sources import open_source
from vision.sources._snapshots import without_password

#: Pictures that are averaged against the camera's noise.
_PICTURES = 3
_SENT_S = 5.0
#: So often it is said how far a long measurement is.
_TOLD_S = 5.0
#: LEDs that come on are seen when this share of the picture is this many grey levels brighter.
_SEEN_SHARE, _SEEN_RISE = 0.002, 12


class Shooter:
    """Shows a frame on the LEDs and takes a picture of it once it has arrived and the camera has settled."""

    def __init__(self, driver: LedDriver, frames: Iterator[Frame], settle_s: float) -> None:
        self._driver, self._frames, self._settle_s = driver, frames, settle_s

    def learn_delay(self, count: int) -> float:
        """Switch all LEDs on and see how long that takes to arrive; later pictures wait half as long again.

        Raises `CalibrationError` when the camera never sees it.
        """
        dark = self(LedFrame.black(count)).astype(np.int16)
        self._send(LedFrame.of([LIT] * count))
        begun_s = time.monotonic()
        for seen in self._frames:
            delay_s = time.monotonic() - begun_s
            if (seen.image - dark > _SEEN_RISE).any(axis=2).mean() > _SEEN_SHARE:
                self._settle_s = max(self._settle_s, 1.5 * delay_s + 0.1)
                return delay_s
            if delay_s > _SENT_S:
                break
        raise CalibrationError(
            "all LEDs are on and the picture does not change: can the camera see them, is it too bright?"
        )

    def _send(self, frame: LedFrame) -> None:
        self._driver.show(frame)
        if not self._driver.wait_shown(frame, _SENT_S):
            raise DeviceError(f"the LEDs do not take frames: {self._driver.status}")

    def __call__(self, frame: LedFrame) -> Picture:
        """The mean of a few pictures. Raises `DeviceError` when the LEDs or the camera do not answer any more."""
        self._send(frame)
        time.sleep(self._settle_s)
        pictures = []
        for seen in self._frames:
            if seen.trouble:
                raise DeviceError(seen.trouble)
            pictures.append(seen.image)
            if len(pictures) == _PICTURES:
                return np.asarray(np.rint(np.mean(pictures, axis=0)), np.uint8)
        raise DeviceError("the camera gives no more pictures")


class Telling:
    """The same pictures; every few seconds it is said what they are for, how many there are, and of how many."""

    def __init__(self, shoot: Shooter, what: str, of: int = 0) -> None:
        self._shoot, self._what, self._of = shoot, what, f" of {of}" if of else ""
        self._taken, self._told_s = 0, time.monotonic()

    def __call__(self, frame: LedFrame) -> Picture:
        """A picture, as the shooter takes it."""
        image = self._shoot(frame)
        self._taken += 1
        if time.monotonic() - self._told_s >= _TOLD_S:
            self._told_s = time.monotonic()
            click.echo(f"{self._what}: {self._taken}{self._of} pictures")
        return image


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be calibrated: the LEDs under the board, a panel after them, how to take pictures, what to write."""

    count: int
    panel: str = ""
    unseen_is_unused: bool = False
    settle_s: float = 0.25
    glow: Path | None = None


def calibrate_leds(source: str, board: Layout, choice: LedChoice, wanted: Wanted, profile: Profile | None) -> LedLayout:
    """Find the board and its LEDs; progress and residual are printed.

    Raises `NoBoardError`, `CalibrationError` with the reason, `InputError` for a source that is no camera, and the
    errors of camera and port.
    """
    protocol, port = parse_leds(choice.leds or "")
    count = wanted.count
    strip = LedLayout(count, ("strip",), (tuple(range(count)),), baud=choice.led_baud or choice.layout_for(board).baud)
    camera = open_source(source)
    try:
        if not camera.live:
            raise InputError(f"{without_password(source)} is no camera: the LEDs have to be seen as they are lit")
        with LedDriver(protocol, port, strip) as driver:
            driver.wait_ready()
            shoot = Shooter(driver, iter(camera), wanted.settle_s)
            delay_s = shoot.learn_delay(count)
            click.echo(f"the camera shows the LEDs after {delay_s:.2f} s")
            image = shoot(LedFrame.black(count))
            found = find_in(image, source, board, None, profile)
            centres = np.array([(x, y, 0.0) for x, y in board.centres_mm])
            pitch_px = found.pose.pitch_px(centres, board.pitch_mm)
            places = locate_leds(
                Telling(shoot, "looking for the LEDs"), count, board.names, found.pose.project(centres), pitch_px
            )
            made = layout_from(places, board.names, strip, wanted.panel, wanted.unseen_is_unused)
            click.echo(
                f"{count} LEDs in {places.pictures} pictures; the faintest glow is {places.weakest:.0f} grey levels"
            )
            if wanted.glow is not None:
                glows = Telling(shoot, "measuring the glow", glow_pictures(made))
                measure_glow(glows, replace(made, count=count, panels=()), found.pose).save(wanted.glow)
                click.echo(f"{wanted.glow}: the glow of {len(made.cells)} cells")
    finally:
        camera.close()
    return made
