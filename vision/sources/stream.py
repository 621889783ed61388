"""A stream's URL (http, rtsp …): the newest picture, reconnecting when it breaks; or a whole film behind a URL."""

import re

import cv2

from vision.errors import CameraError
from vision.frame import SourceSettings
from vision.live import Live
from vision.sources.film import Film

_TIMEOUT_MS = 5000


def claims(spec: str) -> bool:
    """Anything with a scheme."""
    return re.match(r"[a-z][a-z0-9+.-]*://", spec, re.IGNORECASE) is not None


def open_source(spec: str, settings: SourceSettings) -> Live | Film:
    """Open a stream. Raises `CameraError` when nothing answers or it is no stream of pictures."""
    capture = _open(spec)
    if capture is None:
        raise CameraError(f"stream {spec}: nothing there that OpenCV can play")
    if capture.get(cv2.CAP_PROP_FRAME_COUNT) > 0:  # a whole film behind a URL: it has an end
        return Film(f"film {spec}", capture, settings.interval_s)
    return Live(f"stream {spec}", lambda: _open(spec), capture)


def _open(spec: str) -> cv2.VideoCapture | None:
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _TIMEOUT_MS]
    capture = cv2.VideoCapture(spec, cv2.CAP_FFMPEG, limits)
    return capture if capture.isOpened() else None
