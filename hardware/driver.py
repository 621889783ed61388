"""The driver: takes frames from the program at any rate and keeps the device showing the newest one.

All waiting happens in a thread of the driver's own; `show` returns at once whatever the device does. On the way out
every frame passes the current limit and the channel ceiling.
"""

import atexit
import contextlib
import logging
import threading
import time
from queue import Empty, SimpleQueue
from types import TracebackType

import serial

from hardware.errors import LedSizeError, PortError
from hardware.frame import LedFrame
from hardware.layout import LedLayout
from hardware.link import ANSWER_S, ASK_AGAIN_S, BackOff, LinkState, LinkStatus, Listener, frame_interval_s
from hardware.ports import (
    GONE,
    PortInfo,
    close_port,
    open_port,
    place_of,
    present_ports,
    resets_when_opened,
    same_device,
)
from hardware.power import limited
from hardware.protocol import LedProtocol

KEEP_ALIVE_S = 1.0
#: A new picture is repeated this soon, once, in case its first frame was lost on the line.
_AGAIN_S = 0.2
DEFAULT_RATE_HZ = 20.0
#: How often the thread looks at what the device has sent.
_LISTEN_S = 0.05
_LOOK_FOR_PORT_S = 0.25
_READ_BYTES = 4096
_DRAIN_S = 0.05
#: A write that hangs takes its time-out; then the device is given up.
_STOP_S = 3.0
#: A line that has held this long counts as sound; the next failure is tried again soon.
_SOUND_S = 2.0

_log = logging.getLogger(__name__)


class LedDriver:
    """One device, one owner. Use it as a context manager, or call `start` and `stop`.

    `start` opens the port and raises `PortError` (`PortBusyError` for a second owner) unless `patient`, in which case
    an absent device is waited for. From then on nothing that the device does raises anything in the caller.
    """

    def __init__(
        self,
        protocol: LedProtocol,
        url: str,
        layout: LedLayout,
        *,
        rate_hz: float = DEFAULT_RATE_HZ,
        patient: bool = False,
    ) -> None:
        protocol.check_count(layout.count)
        self.protocol, self.url, self.layout, self.patient = protocol, url, layout, patient
        frame_bytes = len(protocol.encode(LedFrame.black(layout.count)))
        self._interval_s = frame_interval_s(frame_bytes, layout.count, layout.baud, rate_hz)
        self._pokes: SimpleQueue[None] = SimpleQueue()  # wakes the thread; putting never waits for a lock of ours
        self._news = threading.Condition()  # of what has been sent
        self._wanted = LedFrame.black(layout.count)
        self._sent: LedFrame | None = None
        self._stopping = False
        self._status = LinkStatus(LinkState.CLOSED, f"{url} is not open yet")
        self._thread: threading.Thread | None = None
        self._known: PortInfo | None = None
        self._tried_place: tuple[int, ...] | None = None

    def __enter__(self) -> "LedDriver":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def status(self) -> LinkStatus:
        """How the line to the device stands, for people to read."""
        return self._status

    @property
    def sent(self) -> LedFrame | None:
        """The frame that the device was sent last, before the limits; None while nothing has been sent."""
        return self._sent

    def start(self) -> None:
        """Open the port and begin. Raises `PortError` unless the driver is patient."""
        port = None
        try:
            port = self._open()
        except PortError:
            if not self.patient:
                raise
        self._thread = threading.Thread(target=self._run, args=(port,), name="led-driver", daemon=True)
        self._thread.start()
        atexit.register(self.stop)

    def show(self, frame: LedFrame) -> None:
        """Make `frame` the picture to show; returns at once. Raises `LedSizeError` for a wrong number of LEDs."""
        if len(frame) != self.layout.count:
            raise LedSizeError(f"the layout has {self.layout.count} LEDs, the frame {len(frame)}")
        if frame != self._wanted:
            self._wanted = frame
            self._poke()

    def wait_ready(self, timeout_s: float = ANSWER_S) -> None:
        """Wait until the device has greeted, for programs that have the time; no longer than the time-out."""
        until_s = time.monotonic() + timeout_s
        while self.status.state is LinkState.WAITING and time.monotonic() < until_s:
            time.sleep(_LISTEN_S)

    def wait_shown(self, frame: LedFrame, timeout_s: float) -> bool:
        """Wait until the device has been sent a frame; whether it has been within the time."""
        with self._news:
            return self._news.wait_for(lambda: self._sent == frame, timeout_s)

    def stop(self) -> None:
        """Turn the LEDs dark, close the port, end the thread; a device that does not take it is left alone."""
        self._stopping = True
        self._poke()
        if self._thread is not None:
            self._thread.join(_STOP_S + 3 * self._interval_s)
            self._thread = None
            atexit.unregister(self.stop)

    def _run(self, port: serial.Serial | None) -> None:
        back_off = BackOff()
        while not self._stopping:
            opened_s = time.monotonic()
            try:
                port = port or self._open()
                self._serve(port)
            except PortError as error:
                self._status = LinkStatus(LinkState.WAITING, str(error), "it is tried again by itself")
            except GONE as error:
                what = "takes no more bytes" if isinstance(error, serial.SerialTimeoutException) else "is gone"
                self._status = LinkStatus(
                    LinkState.WAITING,
                    f"the device on {self.url} {what}",
                    "check its cable; it is tried again by itself",
                )
                _log.info("%s: %s", self.url, error)
            finally:
                if port is not None:
                    close_port(port)
                    port = None
            if time.monotonic() - opened_s > _SOUND_S:
                back_off.succeeded()
            self._wait_for_port(back_off.next_s())
        self._status = LinkStatus(LinkState.CLOSED, f"{self.url} is closed")

    def _open(self) -> serial.Serial:
        """Open the port, wherever the device is by now."""
        present = present_ports()
        found = same_device(self._known, present) if self._known else None
        url = found.device if found else self.url
        self._tried_place = place_of(self.url)
        port = open_port(url, self.layout.baud)
        self._known = found or next((info for info in present if info.device == url), None)
        return port

    def _wait_for_port(self, seconds: float) -> None:
        """Sleep, but wake up early to stop, or when something new has been plugged in at the port's path."""
        until_s = time.monotonic() + seconds
        while not self._stopping and (left_s := until_s - time.monotonic()) > 0:
            if place_of(self.url) not in (None, self._tried_place):
                return
            self._rest(min(left_s, _LOOK_FOR_PORT_S))

    def _serve(self, port: serial.Serial) -> None:
        """Keep an open port showing the newest frame until the driver stops; raises what `GONE` lists."""
        opened_s = time.monotonic()
        listener = Listener(self.protocol, self.url, self.layout.baud, opened_s)
        deaf_until_s = opened_s + (self.protocol.boot_s if resets_when_opened(port) else 0.0)
        shown = self._sent = None
        next_s = repeat_s = ask_s = opened_s
        while not self._stopping:
            now_s = time.monotonic()
            if listener.hear(port.read(_READ_BYTES)):
                shown, deaf_until_s = None, now_s
            self._status = listener.status(now_s)
            silent = self.protocol.greets and listener.name is None
            if self.protocol.question and silent and now_s >= ask_s:
                port.write(self.protocol.question)
                ask_s = now_s + ASK_AGAIN_S
            wanted = self._wanted
            if now_s >= max(next_s, deaf_until_s) and (wanted != shown or now_s >= repeat_s):
                if shown is None:
                    self._resynchronise(port)
                self._write(port, wanted)
                again_s = _AGAIN_S if wanted != shown else ASK_AGAIN_S if silent else KEEP_ALIVE_S
                with self._news:
                    shown = self._sent = wanted
                    self._news.notify_all()
                now_s = time.monotonic()
                next_s = now_s + self._interval_s
                repeat_s = now_s + again_s
            self._sleep(shown, max(next_s, deaf_until_s))
        time.sleep(max(next_s - time.monotonic(), 0))
        self._go_dark(port)

    def _sleep(self, shown: LedFrame | None, next_s: float) -> None:
        """Wait for a new frame, for the moment the next may go, or for the next look at what has come in."""
        wait_s = _LISTEN_S
        if self._wanted != shown:
            wait_s = min(next_s - time.monotonic(), _LISTEN_S)
        if wait_s > 0 and not self._stopping:
            self._rest(wait_s)

    def _poke(self) -> None:
        """Wake the thread up, if it is not about to be."""
        if self._pokes.empty():
            self._pokes.put(None)

    def _rest(self, seconds: float) -> None:
        """Wait until poked."""
        with contextlib.suppress(Empty):
            self._pokes.get(timeout=seconds)

    def _write(self, port: serial.Serial, frame: LedFrame) -> None:
        safe = limited(frame, self.layout.limit_ma, self.layout.ceiling)
        port.write(self.protocol.encode(self.layout.wired(safe)))

    def _go_dark(self, port: serial.Serial) -> None:
        """Send a black frame and let it leave the machine: closing the port discards what is still in its buffers."""
        self._resynchronise(port)
        self._write(port, LedFrame.black(self.layout.count))
        time.sleep(self._interval_s + _DRAIN_S)

    def _resynchronise(self, port: serial.Serial) -> None:
        """Fill up a frame that may have been cut off before: as many zero bytes as a frame has, then the usual gap."""
        port.write(bytes(3 * self.layout.count))
        time.sleep(self._interval_s)
