"""The self-test of a WLED device: show a frame, read the pixels back, compare; ask how many LEDs it has."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import serial

from hardware.errors import PortError
from hardware.frame import LedFrame
from hardware.layout import LedLayout
from hardware.link import ASK_AGAIN_S, frame_interval_s
from hardware.ports import GONE, close_port, open_port
from hardware.power import limited
from hardware.protocols import wled

Answer = TypeVar("Answer")

_ANSWER_S = 4.0
#: How far a channel may come back from what was sent: the device scales by its own brightness and back.
TOLERANCE = 4


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the device said: its name, its LED count (None when it does not tell), and the LEDs that came back wrong."""

    device: str
    leds: int | None
    wrong: tuple[int, ...]
    read_back: int


def wled_self_test(url: str, layout: LedLayout) -> SelfTest:
    """Test the WLED at a port with a frame in which every LED differs from its neighbours, then turn it dark.

    Raises `PortError` when the port cannot be opened, or the device does not answer or goes away.
    """
    frame = limited(LedFrame.of((7 * i % 96, 11 * i % 96, 13 * i % 96) for i in range(1, layout.count + 1)))
    sent = wled.PROTOCOL.encode(layout.wired(frame))
    gap_s = frame_interval_s(len(sent), layout.count, layout.baud, 20.0)
    line = open_port(url, layout.baud)
    try:
        name = _ask(line, wled.ASK_VERSION, wled.PROTOCOL.greeting)
        if name is None:
            raise PortError(f"{url}: no WLED answered at {layout.baud} baud")
        state = _ask(line, wled.ASK_STATE, wled.decode_state)
        line.write(sent)
        time.sleep(gap_s)
        shown = _ask(line, wled.ASK_PIXELS, wled.decode_pixels)
        line.write(wled.PROTOCOL.encode(LedFrame.black(layout.count)))
        time.sleep(gap_s)
    except GONE as error:
        raise PortError(f"{url}: the device went away: {error}") from None
    finally:
        close_port(line)
    if shown is None:
        raise PortError(f"{url}: {name} does not send its pixels back")
    expected = layout.wired(frame)
    wrong = tuple(i for i in range(layout.count) if i >= len(shown) or not _alike(expected, shown, i))
    return SelfTest(name, _led_count(state), wrong, len(shown))


def _alike(a: LedFrame, b: LedFrame, led: int) -> bool:
    return all(abs(x - y) <= TOLERANCE for x, y in zip(a[led], b[led], strict=True))


def _led_count(state: dict[str, object] | None) -> int | None:
    info = state.get("info") if state else None
    leds = info.get("leds") if isinstance(info, dict) else None
    count = leds.get("count") if isinstance(leds, dict) else None
    return count if isinstance(count, int) else None


def _ask(line: serial.Serial, question: bytes, decode: Callable[[bytes], Answer | None]) -> Answer | None:
    """Ask until the answer is complete; None after a while."""
    heard, until_s, ask_s = b"", time.monotonic() + _ANSWER_S, 0.0
    while (now_s := time.monotonic()) < until_s:
        if now_s >= ask_s:
            line.write(question)
            ask_s = now_s + 2 * ASK_AGAIN_S
        heard += line.read(4096)
        answer = decode(heard)
        if answer is not None:
            return answer
        time.sleep(0.01)
    return None
