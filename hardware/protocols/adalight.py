"""Adalight: `Ada`, the LED count minus one in two bytes, a check byte, then red, green, blue of every LED.

Source: Adafruit's Adalight (LEDstream.pde): magic word, `hi`, `lo`, `hi ^ lo ^ 0x55`; the device prints `Ada` and a
line feed when it is ready, and again every idle second. There is no checksum over the colours and no acknowledgement.
"""

import re
from dataclasses import dataclass

from hardware.errors import LedSizeError
from hardware.frame import LedFrame

MAGIC = b"Ada"
HEADER_BYTES = 6
MOST_LEDS = 0x10000
_MAYBE_HEADER = re.compile(rb"(?s)(?=Ada(...))")


def header(count: int) -> bytes:
    """The six bytes before the colours of `count` LEDs."""
    hi, lo = divmod(count - 1, 256)
    return MAGIC + bytes((hi, lo, hi ^ lo ^ 0x55))


def _is_count(tail: bytes) -> bool:
    """Whether the three bytes after the magic word are a count with its check byte."""
    return tail[0] ^ tail[1] ^ 0x55 == tail[2]


def _without_false_headers(frame: bytes) -> bytes:
    """The frame with no complete header inside its colours, nor across its end into the next frame.

    A device that has lost its place would take such colours for the start of a frame of up to 65,536 LEDs and stay
    dark for seconds. One channel is made one step darker instead, which nobody sees.
    """
    stream, out = frame[1:] + MAGIC, bytearray(frame)
    for match in _MAYBE_HEADER.finditer(stream):
        if _is_count(match[1]):
            out[match.start() + 3] -= 1
    return bytes(out)


@dataclass(frozen=True, slots=True)
class Adalight:
    """The Adalight protocol."""

    name: str = "adalight"
    title: str = "Adalight"
    question: bytes = b""
    greets: bool = True
    boot_s: float = 2.0

    def check_count(self, count: int) -> None:
        if not 1 <= count <= MOST_LEDS:
            raise LedSizeError(f"Adalight carries 1 to {MOST_LEDS} LEDs, not {count}")

    def encode(self, frame: LedFrame) -> bytes:
        self.check_count(len(frame))
        return _without_false_headers(header(len(frame)) + frame.rgb)

    def decode(self, received: bytes) -> tuple[list[LedFrame], bytes]:
        frames: list[LedFrame] = []
        at = 0
        while (found := received.find(MAGIC, at)) >= 0:
            tail = received[found + 3 : found + HEADER_BYTES]
            if len(tail) < 3:
                return frames, received[found:]
            if not _is_count(tail):
                at = found + 1
                continue
            end = found + HEADER_BYTES + 3 * (tail[0] * 256 + tail[1] + 1)
            if end > len(received):
                return frames, received[found:]
            frames.append(LedFrame(received[found + HEADER_BYTES : end]))
            at = end
        rest = received[at:]
        keep = next((n for n in (2, 1) if rest[-n:] == MAGIC[:n]), 0)
        return frames, rest[len(rest) - keep :]

    def greeting(self, received: bytes) -> str | None:
        return "Ada" if b"Ada\n" in received.replace(b"\r", b"") else None


PROTOCOL = Adalight()
