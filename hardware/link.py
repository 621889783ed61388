"""The state of the line to a device: what has been heard from it, when the next frame may go, when to try again.

Everything here is a function of the time handed in; the thread that waits is in `driver.py`.
"""

from dataclasses import dataclass
from enum import StrEnum

from hardware.protocol import LedProtocol

#: How long a device has to say something before its silence is worth a word.
ANSWER_S = 3.2
#: How often a device that has not answered is asked again, or sent the same picture again.
ASK_AGAIN_S = 0.5
_HEARD_BYTES = 512


class LinkState(StrEnum):
    """How the line to the device stands."""

    CONNECTED = "connected"
    WAITING = "waiting"
    WRONG_BAUD = "wrong baud"
    NO_ANSWER = "no answer"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The state of the line, what is known about it, and what a person can do."""

    state: LinkState
    detail: str
    advice: str = ""

    @property
    def needs_help(self) -> bool:
        """Whether somebody has to do something."""
        return self.state not in (LinkState.CONNECTED, LinkState.WAITING)

    def __str__(self) -> str:
        return f"{self.state}: {self.detail}" + (f"; {self.advice}" if self.advice else "")


def frame_interval_s(frame_bytes: int, leds: int, baud: int, rate_hz: float) -> float:
    """The shortest time from one frame to the next.

    10 bits a byte on the line, then 30 µs a LED on the strip (a small microcontroller hears nothing meanwhile), then
    5 ms of quiet; never more often than `rate_hz`.
    """
    return max(frame_bytes * 10 / baud + 30e-6 * leds + 5e-3, 1 / rate_hz)


@dataclass(slots=True)
class BackOff:
    """Waiting times between attempts: 0.5 s, doubled each time, at most 5 s."""

    first_s: float = 0.5
    most_s: float = 5.0
    tried: int = 0

    def next_s(self) -> float:
        """The time to wait after one more failure."""
        self.tried += 1
        return float(min(self.first_s * 2 ** min(self.tried - 1, 10), self.most_s))

    def succeeded(self) -> None:
        """Begin again with the short wait."""
        self.tried = 0


def _is_garbage(heard: bytes) -> bool:
    """Whether bytes look like text at another baud rate; a lone 00 or FF is only the click of a plug."""
    unprintable = sum(byte not in b"\t\r\n" and not 32 <= byte < 127 for byte in heard)
    return heard not in (b"\0", b"\xff") and unprintable > 0 and 3 * unprintable >= len(heard)


class Listener:
    """What a device has said since its port was opened."""

    def __init__(self, protocol: LedProtocol, url: str, baud: int, opened_s: float) -> None:
        self.protocol, self.url, self.baud, self.opened_s = protocol, url, baud, opened_s
        self.name: str | None = None
        self._heard = b""

    def hear(self, received: bytes) -> bool:
        """Take what has come in; True when a greeting has just been completed (the device may have started anew)."""
        self._heard = (self._heard + received)[-_HEARD_BYTES:]
        name = self.protocol.greeting(self._heard)
        if name is None:
            return False
        self.name, self._heard = name, b""
        return True

    def status(self, now_s: float) -> LinkStatus:
        """How the line stands at a moment."""
        if self.name is not None:
            return LinkStatus(LinkState.CONNECTED, f"{self.name} on {self.url}")
        if not self.protocol.greets:
            return LinkStatus(LinkState.CONNECTED, f"{self.url} is open; {self.protocol.title} devices say nothing")
        if now_s - self.opened_s < ANSWER_S:
            return LinkStatus(LinkState.WAITING, f"{self.url} is open, waiting for the device to start")
        if _is_garbage(self._heard):
            return LinkStatus(
                LinkState.WRONG_BAUD,
                f"{self.url} answers, but not in text at {self.baud} baud",
                "set 'baud' in the layout file, or --led-baud, to the rate in the firmware",
            )
        said = self._heard.decode("ascii", "replace").split()
        return LinkStatus(
            LinkState.NO_ANSWER,
            f"no {self.protocol.title} greeting from {self.url}"
            + (f", it said '{' '.join(said)[-40:]}'" if said else ""),
            f"frames are sent all the same; if the lights stay dark, check their power, that the firmware speaks "
            f"{self.protocol.title}, and its baud rate",
        )
