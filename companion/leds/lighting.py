"""The lights of a game: follows a session, draws what its state asks for, and hands the frames to driver and twin.

Everything runs in a thread of its own: a game never waits for its lights.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType

from calibration.glow import GlowMaps
from companion.game.session import Session
from companion.leds.lights import LightsState, is_steady, lights, lights_at, lights_state_of, timed
from companion.leds.palette import Palette
from hardware.driver import LedDriver
from hardware.frame import LedFrame, Rgb
from hardware.layout import LedLayout
from hardware.link import LinkState, LinkStatus
from hardware.power import limited
from vision.arrays import Floats
from vision.finding.find import FoundBoard
from vision.frame import Frame, FrameSource
from vision.geometry import BoardPose, plane_homography

#: How often patterns are drawn anew.
_FRAME_S = 0.05
#: Cameras show what was a moment ago, those in a network longer.
_DARK_AGAIN_S = 1.0

Sink = Callable[[LedFrame], None]


class ClearSource:
    """A source of frames with the expected glow of the LEDs taken off where the board is found; `asking` tells whether
    LEDs are lit to be seen: then frames stay as they are."""

    def __init__(
        self,
        source: FrameSource,
        glow: GlowMaps,
        cells_lit: Callable[[], list[Rgb]],
        found: Callable[[], FoundBoard | None],
        asking: Callable[[], bool],
    ) -> None:
        self._source, self._glow, self._cells_lit, self._found, self._asking = source, glow, cells_lit, found, asking
        self._measured_at: BoardPose | None = glow.pose
        self.live, self.frames = source.live, source.frames

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._source:
            if frame.trouble or self._asking():
                yield frame
                continue
            image = self._glow.without_glow(frame.image, self._cells_lit(), self._moved())
            yield replace(frame, image=image)

    def _moved(self) -> Floats | None:
        """The homography (3, 3) from where the board was when its glow was measured, or was found at first where the
        glow does not say, to where it is; None where that is there."""
        found = self._found()
        if found is None:
            return None
        if self._measured_at is None:
            self._measured_at = found.pose
        return None if found.pose is self._measured_at else plane_homography(self._measured_at, found.pose)

    def close(self) -> None:
        """Close the source."""
        self._source.close()


class Lighting:
    """Shows states on a driver, a twin or both. A context manager: on the way out the LEDs go dark."""

    def __init__(
        self,
        layout: LedLayout,
        palette: Palette,
        brightness: int = 255,
        driver: LedDriver | None = None,
        twin: Sink | None = None,
        glow: GlowMaps | None = None,
    ) -> None:
        self.layout, self.palette, self.brightness, self.driver = layout, palette, brightness, driver
        self._twin, self._glow = twin, glow
        self._state = LightsState()
        self._pointed: tuple[int, ...] | None = None
        self.remark = ""  # what a person should know besides the state of the line
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
        """Wait until the device has greeted, at most a few seconds: before anything is watched or shown. If it was only
        starting, until a camera sees no more of what its LEDs did meanwhile, too."""
        if self.driver is not None and self.driver.status.state is LinkState.WAITING:
            self.driver.wait_ready()
            time.sleep(_DARK_AGAIN_S)

    def clear(self, source: FrameSource, found: Callable[[], FoundBoard | None]) -> FrameSource:
        """The source without what the LEDs add to its pictures, where that has been measured; `found` tells where the
        board is by now."""
        if self._glow is None:
            return source
        return ClearSource(source, self._glow, self._cells_lit, found, lambda: self._pointed is not None)

    def _cells_lit(self) -> list[Rgb]:
        """The colours that the cells' main LEDs have by now, limits included."""
        sent = self.driver.sent if self.driver is not None else None
        frame = limited(sent or LedFrame.black(self.layout.count), self.layout.limit_ma, self.layout.ceiling)
        return [frame[leds[0]] for leds in self.layout.cells]

    def follow(self, session: Session) -> None:
        """Show every newer state of a session until the lighting ends."""
        subscription = session.subscribe()
        with self._lock:
            self._state = LightsState(since_s=time.monotonic())

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

    @property
    def can_ask(self) -> bool:
        """Whether the camera may see what these lights show: there are LEDs."""
        return self.driver is not None

    def point_at(self, cells: tuple[int, ...] | None) -> None:
        """Light these cells and nothing else, until told to show the state again by None."""
        with self._lock:
            self._pointed = cells
            self._draw()

    def _begin(self, work: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _animate(self) -> None:
        while not self._stopping.wait(_FRAME_S):
            with self._lock:
                if self._pointed is None and not is_steady(self._state, self.layout, self.palette):
                    self._draw()

    def _draw(self) -> None:
        if self._pointed is None:
            frame = lights(self._state, self.layout, self.palette, time.monotonic(), self.brightness)
        else:
            frame = lights_at(self._pointed, self.layout, self.palette, self.brightness)
        if self.driver is not None:
            self.driver.show(frame)
        if self._twin is not None:
            self._twin(frame)
