"""A film: every frame, with its exact number and time, decoded ahead in a thread of its own."""

import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.errors import SourceError
from vision.frame import Frame, SourceSettings, frame_every

#: So much is decoded ahead: while the eye learns a table, decoding goes on.
_AHEAD_BYTES = 80_000_000


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
    capture = cv2.VideoCapture(spec, cv2.CAP_FFMPEG)
    if empty or not capture.isOpened():
        raise SourceError(f"film {spec}: {'an empty file' if empty else 'not a film that OpenCV can decode'}")
    return Film(f"film {spec}", capture, settings.interval_s)


class Film:
    """Every frame of a film, or of a time-lapse film whose frames were taken `interval_s` seconds apart.

    Frames are decoded ahead, so that decoding and analysis overlap.
    """

    live = False

    def __init__(self, name: str, capture: cv2.VideoCapture, interval_s: float | None) -> None:
        self._name, self._capture, self._interval_s = name, capture, interval_s
        fps = capture.get(cv2.CAP_PROP_FPS)
        self._fps = fps if 0 < fps < 1000 else 25.0
        count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.frames = count if count > 0 else None
        self._closed = threading.Event()

    def __iter__(self) -> Iterator[Frame]:
        """The frames in order. Raises `SourceError` at the end when the film holds fewer than it promises."""
        ahead: queue.Queue[Frame | None] = queue.Queue(self._ahead())
        threading.Thread(target=self._decode, args=(ahead,), name="film").start()
        came = 0
        try:
            while (frame := self._next(ahead)) is not None:
                came += 1
                yield frame
            if self._closed.is_set():
                return
        finally:
            self._closed.set()
        if came == 0:
            raise SourceError(f"{self._name}: no frame in it can be decoded")
        # Containers that only estimate their length are a frame or two off.
        if self.frames is not None and self.frames - came > max(2, self.frames // 100):
            raise SourceError(f"{self._name}: breaks off after {came} of {self.frames} frames; what came is kept")

    def _ahead(self) -> int:
        """How many frames are decoded ahead."""
        width_px, height_px = self._capture.get(cv2.CAP_PROP_FRAME_WIDTH), self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
        return max(2, int(_AHEAD_BYTES / max(1.0, 3 * width_px * height_px)))

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
        index, last_s = 0, -1.0
        while self._wanted():
            ok, image = self._capture.read()
            if not ok:
                break
            t_s = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if t_s <= last_s:
                t_s = last_s + 1 / self._fps
            frame = Frame(np.asarray(image, np.uint8), t_s, index)
            if self._interval_s is not None:
                frame = frame_every(self._interval_s, frame.image, index)
            if not self._put(ahead, frame):
                break
            index, last_s = index + 1, t_s
        self._capture.release()
        self._put(ahead, None)

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
