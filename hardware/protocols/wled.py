"""WLED over USB: frames as Adalight, a version question, the JSON state, and the pixels read back for a self-test.

Source: WLED's `wled_serial.cpp`: `v` answers `WLED <build>`; `{"v":true}` answers the state and info as one JSON line;
`L` answers `C9 DA`, the byte count, the colours, `36 0A`; `l` answers the colours as a list of numbers. A stream of
frames expires after 2.5 s, so that the last frame has to be repeated.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from hardware.frame import LedFrame
from hardware.protocols import tpm2
from hardware.protocols.adalight import PROTOCOL as ADALIGHT

ASK_VERSION = b"v"
ASK_PIXELS = b"L"
ASK_STATE = b'{"v":true}'
_VERSION = re.compile(rb"WLED ([ -~]{1,40})\r?\n")


@dataclass(frozen=True, slots=True)
class Wled:
    """The serial side of WLED."""

    name: str = "wled"
    title: str = "WLED"
    question: bytes = ASK_VERSION
    greets: bool = True
    boot_s: float = 2.0

    def check_count(self, count: int) -> None:
        ADALIGHT.check_count(count)

    def encode(self, frame: LedFrame) -> bytes:
        return ADALIGHT.encode(frame)

    def decode(self, received: bytes) -> tuple[list[LedFrame], bytes]:
        return ADALIGHT.decode(received)

    def greeting(self, received: bytes) -> str | None:
        found = _VERSION.search(received)
        return f"WLED {found[1].decode('ascii').strip()}" if found else None


def decode_pixels(received: bytes) -> LedFrame | None:
    """The colours in the answer to `ASK_PIXELS`, or None while the answer is not complete."""
    frames, _ = tpm2.PROTOCOL.decode(received)
    return frames[0] if frames else None


def decode_state(received: bytes) -> dict[str, Any] | None:
    """The object with `state` and `info` in the answer to `ASK_STATE`, or None while it is not complete."""
    for line in received.splitlines():
        begin = line.find(b'{"state"')
        if begin < 0:
            continue
        try:
            answer = json.loads(line[begin:])
        except ValueError:
            continue
        if isinstance(answer, dict) and "info" in answer:
            return answer
    return None


PROTOCOL = Wled()
