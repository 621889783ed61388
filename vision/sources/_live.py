"""Live pictures: a thread that always holds the newest one, notices trouble, and opens the device again."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median
from typing import Any, Protocol

import numpy as np

from vision.frame import Frame, frame_after
from vision.picture import Picture

#: After so long without a new picture, or with the very same one, the source is in trouble.
FROZEN_S = 3.0
#: The very same one may come for longer where a stream tells only what changed: of a table at rest nothing, until it
#: gives a whole picture again.
FROZEN_STREAM_S = 30.0
BLACK_S = 1.0
_BLACK_LEVEL = 10
_BACK_OFF_S = (0.5, 1.0, 2.0, 4.0)
_EVERY_PIXELS = 16
#: How far apart pictures come is told by so many, but not by so few.
_USUAL_OF, _FEW = 9, 3


class Capture(Protocol):
    """What gives one picture after the other: a `cv2.VideoCapture`, or what reads like one."""

    def read(self) -> tuple[bool, Any]:
        """Whether there is a picture, and the next one, (H, W, 3) blue-green-red."""
        ...

    def release(self) -> None:
        """Let go of the device."""
        ...


Opener = Callable[[], Capture | None]


class Health:
    """Tells from a picture now and then whether a camera is black or frozen. Times in seconds."""

    def __init__(self, frozen_after_s: float = FROZEN_S) -> None:
        self._frozen_after_s = frozen_after_s
        self._sample: Picture | None = None
        self._changed_s = self._lit_s = float("-inf")

    def trouble(self, image: Picture, now_s: float) -> str:
        """What is wrong after this picture; empty when nothing is."""
        sample = image[::_EVERY_PIXELS, ::_EVERY_PIXELS]
        # Sensor noise changes every picture of a working camera, even of a table at rest.
        if self._sample is None or sample.shape != self._sample.shape or not np.array_equal(sample, self._sample):
            self._changed_s = now_s
            self._sample = sample.copy()
        if int(sample.max()) >= _BLACK_LEVEL:
            self._lit_s = now_s
        elif self._lit_s == float("-inf"):
            self._lit_s = now_s - BLACK_S
        if now_s - self._lit_s >= BLACK_S:
            return "its picture is black: is the lens covered, or the light off?"
        if now_s - self._changed_s >= self._frozen_after_s:
            return "its picture is frozen"
        return ""


class Live:
    """Newest frame first, from anything that reads like a `cv2.VideoCapture`.

    `opener` gives an opened capture or None; it is called again, with growing pauses, whenever the device goes away.
    `name` stands in messages. Frames count the pictures that the device gave; those nobody fetched in time are gone.
    After `frozen_after_s` of the very same picture it is taken for frozen. `every_s`: so far apart pictures are wanted;
    the time to the next one is no trouble.
    """

    live = True
    frames = None

    def __init__(
        self, name: str, opener: Opener, first: Capture, frozen_after_s: float = FROZEN_S, every_s: float = 0.0
    ) -> None:
        self._name, self._opener = name, opener
        self._frozen_after_s, self._late_after_s = frozen_after_s + every_s, FROZEN_S + every_s
        self._news = threading.Condition()
        self._frame: Frame | None = None
        self._closed = False
        self._began_s = time.monotonic()
        self._thread = threading.Thread(target=self._grab, args=(first,), name=name)
        self._thread.start()

    def __iter__(self) -> Iterator[Frame]:
        """The newest picture whenever there is a newer one; in trouble, twice a second, a frame that says so."""
        given = -1
        while True:
            with self._news:
                if not self._closed and (self._frame is None or self._frame.index == given):
                    self._news.wait(timeout=0.5)
                if self._closed:
                    return
                frame = self._frame
            if frame is None:
                continue
            if frame.index == given:
                late_s = self._now_s() - frame.t_s
                if late_s < self._late_after_s and not frame.trouble:
                    continue
                why = frame.trouble or f"{self._name}: no new picture for {late_s:.0f} s"
                frame = Frame(frame.image, self._now_s(), frame.index, why)
            given = frame.index
            yield frame

    def close(self) -> None:
        """Stop grabbing and let go of the device."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._thread.join(timeout=2.0)

    def _wanted(self) -> bool:
        """Whether anybody will take further frames; a program that is ending will not, even if it never said so."""
        return not self._closed and threading.main_thread().is_alive()

    def _now_s(self) -> float:
        return time.monotonic() - self._began_s

    def _grab(self, capture: Capture) -> None:
        """The thread: read, judge, publish; on a failure open again."""
        index, health = 0, Health(self._frozen_after_s)
        times_s: deque[float] = deque(maxlen=_USUAL_OF)
        while self._wanted():
            ok, image = capture.read()
            if not ok:
                capture.release()
                self._publish_trouble(f"{self._name} gives no picture: unplugged or switched off?")
                again = self._reopen()
                if again is None:
                    return
                capture, health = again, Health(self._frozen_after_s)
                continue
            now_s, picture = self._now_s(), np.asarray(image, np.uint8)
            times_s.append(now_s)
            gap_s = median(after - before for before, after in pairwise(times_s)) if len(times_s) > _FEW else 0.0
            trouble = health.trouble(picture, now_s)
            self._publish(frame_after(gap_s, picture, now_s, index, trouble and f"{self._name}: {trouble}"))
            index += 1
        capture.release()

    def _publish(self, frame: Frame) -> None:
        with self._news:
            self._frame = frame
            self._news.notify_all()

    def _publish_trouble(self, why: str) -> None:
        last = self._frame
        image = last.image if last else np.zeros((1, 1, 3), np.uint8)
        self._publish(Frame(image, self._now_s(), last.index if last else -2, why))

    def _reopen(self) -> Capture | None:
        """The device again, however long it takes; None once closed."""
        tries = 0
        while True:
            with self._news:
                pause_s = _BACK_OFF_S[min(tries, len(_BACK_OFF_S) - 1)]
                self._news.wait_for(lambda: not self._wanted(), timeout=pause_s)
            if not self._wanted():
                return None
            tries += 1
            capture = self._opener()
            if capture is not None:
                return capture
