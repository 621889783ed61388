"""A web camera's URL (http, rtsp …): the newest picture, connecting again when it breaks; or a whole film there."""

import re

import cv2

from vision.errors import CameraError
from vision.frame import SourceSettings
from vision.sources._live import FROZEN_S, FROZEN_STREAM_S, Live
from vision.sources._snapshots import Snapshots, without_password
from vision.sources.film import Film

_TIMEOUT_MS = 5000
#: So many pictures a second are asked of a camera that gives one a request.
_SNAPSHOTS_PER_S = 5.0


def claims(spec: str) -> bool:
    """Anything with a scheme."""
    return re.match(r"[a-z][a-z0-9+.-]*://", spec, re.IGNORECASE) is not None


def open_source(spec: str, settings: SourceSettings) -> Live | Film:
    """Open a stream, or an address that gives a picture a request.

    Raises `CameraError` when nothing answers or what is there is neither.
    """
    shown, why = without_password(spec), "nothing there that OpenCV can play"
    if spec.lower().startswith("http"):
        fps = settings.fps or _SNAPSHOTS_PER_S
        snapshots = Snapshots(spec, fps)
        try:
            if snapshots.kind().startswith("image/"):
                return Live(f"camera {shown}", lambda: snapshots, snapshots, every_s=1 / fps)
        except CameraError as error:  # perhaps the server does not like to be asked so
            why = str(error)
    capture = _open(spec)
    if capture is None:
        raise CameraError(f"stream {shown}: {why}")
    if capture.get(cv2.CAP_PROP_FRAME_COUNT) > 0:  # a whole film behind a URL: it has an end
        return Film(f"film {shown}", capture, settings.interval_s, settings.fit)
    whole = int(capture.get(cv2.CAP_PROP_FOURCC)) == cv2.VideoWriter.fourcc(*"MJPG")  # each picture for itself
    return Live(f"stream {shown}", lambda: _open(spec), capture, FROZEN_S if whole else FROZEN_STREAM_S)


def _open(spec: str) -> cv2.VideoCapture | None:
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _TIMEOUT_MS]
    capture = cv2.VideoCapture(spec, cv2.CAP_FFMPEG, limits)
    return capture if capture.isOpened() else None
