"""A camera by number or device path; always the newest picture."""

import re
import sys
from pathlib import Path

import cv2

from vision.errors import CameraError
from vision.frame import SourceSettings
from vision.sources._live import Live


def claims(spec: str) -> bool:
    """A number, or a path into /dev."""
    return spec.isdecimal() or spec.startswith("/dev/")


def open_source(spec: str, settings: SourceSettings) -> Live:
    """Open a camera. Raises `CameraError` when there is none or it gives no picture."""
    capture = _open(spec, settings)
    if capture is None:
        raise CameraError(f"camera {spec}: {_why(spec)}")
    return Live(f"camera {spec}", lambda: _open(spec, settings), capture)


def _open(spec: str, settings: SourceSettings) -> cv2.VideoCapture | None:
    """An opened camera that has given a picture, or None."""
    backend = cv2.CAP_V4L2 if sys.platform.startswith("linux") else cv2.CAP_ANY
    number = int(spec) if spec.isdecimal() else _number(spec)
    capture = cv2.VideoCapture(spec if number is None else number, backend)
    if not capture.isOpened():
        return None
    # Motion JPEG first: raw pictures of a larger size do not fit through USB 2 at full rate.
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    if settings.size_px:
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, settings.size_px[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.size_px[1])
    if settings.fps:
        capture.set(cv2.CAP_PROP_FPS, settings.fps)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    if settings.exposure is not None:
        capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)  # V4L2: 1 is manual, 3 is automatic
        capture.set(cv2.CAP_PROP_EXPOSURE, settings.exposure)
    if not capture.grab():
        capture.release()
        return None
    return capture


def _number(path: str) -> int | None:
    match = re.fullmatch(r"/dev/video(\d+)", str(Path(path).resolve()))
    return int(match[1]) if match else None


def _why(spec: str) -> str:
    """What to do about a camera that does not open."""
    device = Path(f"/dev/video{spec}" if spec.isdecimal() else spec)
    if sys.platform.startswith("linux") and not device.exists():
        there = sorted(str(p) for p in Path("/dev").glob("video*"))
        return f"there is no {device}" + (f"; there are {', '.join(there)}" if there else " and no other camera")
    return "cannot be opened: is another program using it, and may this user read it (group 'video')?"
