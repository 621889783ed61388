"""What the lights cost the rest of the program, and how soon they show a change.

Prints the time to draw and to limit a frame; the time the caller spends in `LedDriver.show` while the device reads,
stops reading and is absent, against an empty function call in the same run; and, where the emulator's packages are
installed, the time from `show` to the last pulse of the picture on the emulated device's LED pin.
"""

import contextlib
import os
import pty
import statistics
import tempfile
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

from companion.leds.lights import LightsState, lights
from companion.leds.palette import named_palette
from engine.board import hexhex
from hardware.driver import LedDriver
from hardware.frame import LedFrame
from hardware.layout import LedLayout, plain_layout, preset_layout
from hardware.power import limited
from hardware.protocol import load_protocol

_CALLS = 300


def _median_us(call: Callable[[int], object], pause_s: float = 0.0) -> tuple[float, float]:
    """Median and longest time of a call, microseconds."""
    times = []
    for i in range(_CALLS):
        begun_s = time.perf_counter()
        call(i)
        times.append((time.perf_counter() - begun_s) * 1e6)
        time.sleep(pause_s)
    return statistics.median(times), max(times)


def _drawing() -> None:
    palette = named_palette("default")
    for name, layout in (
        ("hexhex-5, 61 LEDs", plain_layout(hexhex(5).names)),
        ("hexhex-8, 763 LEDs with panel", preset_layout(hexhex(8).names, True, 3, "32x8")),
    ):
        state = LightsState(("territory",) * len(layout.names), (12, 7), 1)
        draw = _median_us(lambda i, s=state, to=layout: lights(s, to, palette, i / 20))[0]  # type: ignore[misc]
        frame = lights(state, layout, palette, 0.0)
        print(f"{name}: drawing {draw:.0f} µs, limiting {_median_us(lambda _, f=frame: limited(f))[0]:.0f} µs")  # type: ignore[misc]


@contextlib.contextmanager
def _terminal() -> Iterator[tuple[Path, int]]:
    """A pseudo-terminal that nobody reads unless told to: its path and its other end."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    try:
        yield Path(os.ttyname(slave)), master
    finally:
        for end in (master, slave):
            with contextlib.suppress(OSError):
                os.close(end)


def _showing() -> None:
    layout = LedLayout(1000, ("all",), (tuple(range(1000)),), limit_ma=1e6, baud=4_000_000)
    frames = [LedFrame(bytes((i % 96,)) * 3000) for i in range(_CALLS)]
    print(f"an empty call: {_median_us(lambda _: None)[0]:.2f} µs")
    with _terminal() as (path, master):
        driver = LedDriver(load_protocol("adalight"), str(path), layout)
        driver.start()
        for what in ("stops reading", "is gone"):
            if what == "is gone":
                os.close(master)
            median, longest = _median_us(lambda i: driver.show(frames[i]), 0.01)
            print(f"show() while the device {what}: median {median:.1f} µs, longest {longest:.0f} µs")
        driver.stop()


def _arriving(folder: Path) -> None:
    """From `show` to the decoded picture; needs the emulator's packages."""
    from tests.emulator.uno import EmulatedUno, build_emulator, build_firmware, missing

    if missing():
        print(f"from show() to the LEDs: not measured, {missing()} not found")
        return
    uno = EmulatedUno(build_emulator(folder), build_firmware(folder), folder / "leds", boot_ms=100)
    try:
        with LedDriver(load_protocol("adalight"), str(uno.path), plain_layout(hexhex(5).names)) as driver:
            driver.wait_ready()
            times = []
            for i in range(40):
                frame = LedFrame(bytes((i + j) % 96 for j in range(183)))
                begun_s = time.perf_counter()
                driver.show(frame)
                if uno.shows(frame.rgb, 3):
                    times.append((time.perf_counter() - begun_s) * 1e3)
                time.sleep(0.1)
            line_ms = (6 + 183) * 10 / 115.2 + 0.03 * 61
            print(f"from show() to 61 LEDs at 115200 baud: median {statistics.median(times):.0f} ms,", end=" ")
            print(f"longest {max(times):.0f} ms, {len(times)} of 40; line and strip alone take {line_ms:.0f} ms")
    finally:
        uno.close()


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        _drawing()
        _showing()
        _arriving(Path(name))


if __name__ == "__main__":
    main()
