"""The `LedProtocol` protocol: how a frame becomes bytes on the wire, and how a device says that it is there.

A new protocol is one file in `hardware/protocols/` that defines `PROTOCOL`; it is found by its file name.
"""

import importlib
import pkgutil
from typing import Protocol, runtime_checkable

import hardware.protocols
from hardware.errors import LedSpecError
from hardware.frame import LedFrame


@runtime_checkable
class LedProtocol(Protocol):
    """What the driver needs of a protocol. No method keeps state or touches a port."""

    name: str
    title: str
    #: What to send at opening, and again while nothing has come back; empty where devices greet by themselves.
    question: bytes
    #: Whether a device of this kind says anything at all.
    greets: bool
    #: How long after opening a device may be deaf; meanwhile nothing is sent unless it has greeted.
    boot_s: float

    def check_count(self, count: int) -> None:
        """Raises `LedSizeError` for a number of LEDs that this protocol, or its usual firmware, cannot carry."""
        ...

    def encode(self, frame: LedFrame) -> bytes:
        """The bytes of one frame. Raises `LedSizeError` as `check_count` does."""
        ...

    def decode(self, received: bytes) -> tuple[list[LedFrame], bytes]:
        """The whole frames in a stream of bytes, and the rest that may be the beginning of one more."""
        ...

    def greeting(self, received: bytes) -> str | None:
        """What the device calls itself in what it has sent, or None if no greeting is in it."""
        ...


def protocol_names() -> list[str]:
    """The known protocols: the modules of `hardware/protocols/` whose names do not begin with an underscore."""
    return sorted(m.name for m in pkgutil.iter_modules(hardware.protocols.__path__) if not m.name.startswith("_"))


def load_protocol(name: str) -> LedProtocol:
    """The protocol of that name. Raises `LedSpecError` that lists the known ones."""
    if name not in protocol_names():
        raise LedSpecError(f"unknown LED protocol '{name}'; known are {', '.join(protocol_names())}")
    protocol = importlib.import_module(f"hardware.protocols.{name}").PROTOCOL
    if not isinstance(protocol, LedProtocol):
        raise LedSpecError(f"hardware/protocols/{name}.py does not define a protocol in PROTOCOL")
    return protocol


def parse_leds(text: str) -> tuple[LedProtocol, str]:
    """The protocol and the port of `PROTOCOL:PORT`. Raises `LedSpecError`."""
    name, colon, port = text.partition(":")
    if not colon or not port:
        raise LedSpecError(f"'{text}' is not PROTOCOL:PORT, as in adalight:/dev/ttyUSB0 or wled:COM3")
    return load_protocol(name), port
