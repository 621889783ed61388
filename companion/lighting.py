"""The lights of a game: follows a session, draws what its state asks for, and hands the frames to driver and twin.

Everything runs in a thread of its own: a game never waits for its lights.
"""

import threading
import time
from collections.abc import Callable
from types import TracebackType

from companion.led_palette import Palette
from companion.lights import LightsState, is_steady, lights, lights_state_of, timed
from companion.session import Session
from hardware.driver import LedDriver
from hardware.frame import LedFrame
from hardware.layout import LedLayout
from hardware.link import LinkState, LinkStatus

#: How often patterns are drawn anew.
_FRAME_S = 0.05

Sink = Callable[[LedFrame], None]


class Lighting:
    """Shows states on a driver, a twin or both. A context manager: on the way out the LEDs go dark."""

    def __init__(
        self,
        layout: LedLayout,
        palette: Palette,
        brightness: int = 255,
        driver: LedDriver | None = None,
        twin: Sink | None = None,
    ) -> None:
        self.layout, self.palette, self.brightness, self.driver, self._twin = layout, palette, brightness, driver, twin
        self._state = LightsState()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> "Lighting":
        """Open the device and begin. Raises `PortError` when it cannot be opened."""
        if self.driver is not None:
            self.driver.start()
        self._begin(self._animate, "lights")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join(2.0)
        if self.driver is not None:
            self.driver.stop()

    @property
    def status(self) -> LinkStatus:
        """How the line to the device stands."""
        return self.driver.status if self.driver else LinkStatus(LinkState.CLOSED, "no LEDs are connected")

    def wait_ready(self) -> None:
        """Wait until the device has greeted, at most a few seconds: for films and records, which have the time."""
        if self.driver is not None:
            self.driver.wait_ready()

    def follow(self, session: Session) -> None:
        """Show every newer state of a session until the lighting ends."""
        subscription = session.subscribe()

        def listen() -> None:
            try:
                while not self._stopping.is_set():
                    news = subscription.wait(0.2)
                    if news is not None:
                        self.show(lights_state_of(news[0]))
                    else:
                        self._stopping.wait(_FRAME_S)  # a session that is over answers at once
            finally:
                subscription.close()

        self.show(lights_state_of(session.state))
        self._begin(listen, "lights-listen")

    def show(self, state: LightsState) -> None:
        """Show a state from now on; blinking that goes on keeps its rhythm."""
        with self._lock:
            self._state = timed(state, self._state, time.monotonic())
            self._draw()

    def _begin(self, work: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _animate(self) -> None:
        while not self._stopping.wait(_FRAME_S):
            with self._lock:
                if not is_steady(self._state, self.layout, self.palette):
                    self._draw()

    def _draw(self) -> None:
        frame = lights(self._state, self.layout, self.palette, time.monotonic(), self.brightness)
        if self.driver is not None:
            self.driver.show(frame)
        if self._twin is not None:
            self._twin(frame)
