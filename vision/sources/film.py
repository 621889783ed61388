"""A film: every frame, with its exact number and time, decoded ahead in a thread of its own.

Films of uneven pace (of a meeting or a screen, from a recorder that keeps what changed) leave out frames that look like
the one before. What such a film shows in a gap it goes on showing: that frame is given again.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median

import cv2
import numpy as np

from vision.errors import SourceError
from vision.frame import SNAPSHOT_S, Frame, SourceSettings, frame_every
from vision.picture import Picture

#: So much is decoded ahead: while the eye learns a table, decoding goes on.
_AHEAD_BYTES = 25_000_000
#: FFmpeg keeps pictures for each of its threads, and would take one for every core.
_THREADS = [cv2.CAP_PROP_N_THREADS, 2]
#: A frame stood in the gap after it, if that is as long as this, and as so many of the film's usual ones …
_GAP_S, _GAP_FRAMES = 0.5, 4.0
#: … of which so many tell what is usual. It is given again every so often, and for so long at most.
_USUAL_OF, _AGAIN_S, _AGAIN_FOR_S = 25, 0.125, 10.0
#: Frames come evenly when no gap is so many times as long as another.
_EVEN = 1.5
#: OpenCV (5.0.0) gives pictures without content of interlaced films, mostly black ones, and says nothing.
_BLACK = (
    "its pictures are black; if they are not in a player, the film is interlaced, as camcorders write them: "
    "ffmpeg -i FILM -vf yadif NEW.mp4 makes one that can be read"
)
_EVERY_PIXELS = 16
#: OpenCV's decoder knows no AV1, as screen recorders write it, and finds out only at the first frame.
_UNKNOWN = (
    "no frame in it can be decoded (its codec is {codec}); if a player shows it, "
    "ffmpeg -i FILM NEW.mp4 makes one that can be read"
)


def claims(spec: str) -> bool:
    """Any other kind has a name of its own; a film is a file."""
    return Path(spec).is_file() and not _is_picture(spec)


def _is_picture(spec: str) -> bool:
    from vision.sources.folder import PICTURES

    return Path(spec).suffix.lower() in PICTURES


def open_source(spec: str, settings: SourceSettings) -> "Film":
    """Open a film. Raises `SourceError` when it cannot be read or is none."""
    try:
        with Path(spec).open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise SourceError(f"film {spec}: {error.strerror}") from None
    capture = cv2.VideoCapture(spec, cv2.CAP_FFMPEG, _THREADS)
    if empty or not capture.isOpened():
        raise SourceError(f"film {spec}: {'an empty file' if empty else 'not a film that OpenCV can decode'}")
    return Film(f"film {spec}", capture, settings.interval_s or _moments_apart_s(spec), settings.fit)


def _moments_apart_s(spec: str) -> float | None:
    """How far apart the frames of a film are in which each is a moment of its own; None for what moves as films do."""
    capture = cv2.VideoCapture(spec, cv2.CAP_FFMPEG, _THREADS)
    times_s: list[float] = []
    while len(times_s) < _USUAL_OF and capture.grab():
        times_s.append(capture.get(cv2.CAP_PROP_POS_MSEC) / 1000)
    capture.release()
    gaps_s = [after - before for before, after in pairwise(times_s)]
    even = bool(gaps_s) and max(gaps_s) < _EVEN * min(gaps_s)
    return median(gaps_s) if even and median(gaps_s) >= SNAPSHOT_S else None


class Film:
    """Every frame of a film, or of a time-lapse film whose frames were taken `interval_s` seconds apart.

    Frames are decoded ahead, so that decoding and analysis overlap.
    """

    live = False

    def __init__(
        self,
        name: str,
        capture: cv2.VideoCapture,
        interval_s: float | None,
        fit: Callable[[Picture], Picture] | None = None,
    ) -> None:
        self._name, self._capture, self._interval_s = name, capture, interval_s
        self._fit = fit if fit is not None and interval_s is None else np.asarray
        fps = capture.get(cv2.CAP_PROP_FPS)
        self._fps = fps if 0 < fps < 1000 else 25.0
        count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.frames = count if count > 0 else None
        self._codec = int(capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little").decode("latin-1").strip()
        self._closed = threading.Event()

    def __iter__(self) -> Iterator[Frame]:
        """The frames in order, those that stood several times.

        Raises `SourceError` at the end when the film holds fewer than it promises.
        """
        ahead: queue.Queue[Frame | None] = queue.Queue(self._ahead())
        threading.Thread(target=self._decode, args=(ahead,), name="film").start()
        came = reached = 0
        try:
            while (frame := self._next(ahead)) is not None:
                came = frame.index + 1
                # Frames that a recorder left out are counted by some containers, too: time tells how far it has come.
                reached = came if self._interval_s is not None else max(came, round(frame.t_s * self._fps) + 1)
                yield frame
            if self._closed.is_set():
                return
        finally:
            self._closed.set()
        if came == 0:
            raise SourceError(f"{self._name}: {_UNKNOWN.format(codec=self._codec)}")
        # Containers that only estimate their length are a frame or two off.
        if self.frames is not None and self.frames - reached > max(2, self.frames // 100):
            raise SourceError(f"{self._name}: breaks off after {came} of {self.frames} frames; what came is kept")

    def _ahead(self) -> int:
        """How many frames are decoded ahead."""
        width_px, height_px = self._capture.get(cv2.CAP_PROP_FRAME_WIDTH), self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
        return max(1, int(_AHEAD_BYTES / max(1.0, 3 * width_px * height_px)))

    def _next(self, ahead: "queue.Queue[Frame | None]") -> Frame | None:
        """The next frame; None at the end of the film and once closed."""
        while not self._closed.is_set():
            try:
                return ahead.get(timeout=0.2)
            except queue.Empty:
                continue
        return None

    def _decode(self, ahead: "queue.Queue[Frame | None]") -> None:
        """Fill the queue until the film ends or its reader has gone."""
        pace, last = _Pace(), None
        while self._wanted():
            ok, image = self._capture.read()
            if not ok:
                break
            frame = self._frame(self._fit(np.asarray(image, np.uint8)), last)
            if last is not None and self._interval_s is None:
                self._put_again(ahead, last, pace.stood_s(last, frame))
            if not self._put(ahead, frame):
                break
            last = frame
        self._capture.release()
        if last is not None:
            self._put_again(ahead, last, _GAP_S if pace.uneven else 0.0)
        self._put(ahead, None)

    def _frame(self, image: Picture, last: Frame | None) -> Frame:
        """The frame that was decoded after another, or first."""
        index = 0 if last is None else last.index + 1
        if self._interval_s is not None:
            return frame_every(self._interval_s, image, index)
        t_s, last_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000, -1.0 if last is None else last.t_s
        never_lit = (last is None or last.trouble) and not image[::_EVERY_PIXELS, ::_EVERY_PIXELS].any()
        trouble = f"{self._name}: {_BLACK}" if never_lit else ""
        return Frame(image, t_s if t_s > last_s else last_s + 1 / self._fps, index, trouble)

    def _put_again(self, ahead: "queue.Queue[Frame | None]", frame: Frame, stood_s: float) -> None:
        """Give a frame again for as long as it stood."""
        for step in range(1, int(stood_s / _AGAIN_S)):
            self._put(ahead, replace(frame, t_s=frame.t_s + step * _AGAIN_S))

    def _wanted(self) -> bool:
        """Whether anybody will take further frames; a program that is ending will not, even if it never said so."""
        return not self._closed.is_set() and threading.main_thread().is_alive()

    def _put(self, ahead: "queue.Queue[Frame | None]", item: Frame | None) -> bool:
        while self._wanted():
            try:
                ahead.put(item, timeout=0.2)
            except queue.Full:
                continue
            return True
        return False

    def close(self) -> None:
        """Stop decoding."""
        self._closed.set()


class _Pace:
    """Knows how far apart a film's frames usually are, and whether there were longer gaps in which one stood."""

    def __init__(self) -> None:
        self._gaps_s: deque[float] = deque(maxlen=_USUAL_OF)
        self.uneven = False

    def stood_s(self, before: Frame, after: Frame) -> float:
        """How long a frame stood before the next one came: 0 where that came as usual."""
        gap_s = after.t_s - before.t_s
        stood = gap_s >= _GAP_S and bool(self._gaps_s) and gap_s > _GAP_FRAMES * median(self._gaps_s)
        self._gaps_s.append(gap_s)
        self.uneven |= stood
        return min(gap_s, _AGAIN_FOR_S) if stood else 0.0
