"""Where frames come from, one file a kind.

A kind is a module here with two functions: `claims(spec)` says whether a source's name is of this kind,
`open_source(spec, settings)` opens it. Adding a file adds the kind; nothing else has to know it.
"""

import importlib
import os
import pkgutil

import cv2

from vision.errors import SourceError
from vision.frame import FrameSource, SourceSettings

# FFmpeg and OpenCV would print warnings of their own; what is wrong with a source is said once, by us.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def kinds() -> tuple[str, ...]:
    """Names of the kinds of source there are."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")))


def open_source(spec: str, settings: SourceSettings | None = None) -> FrameSource:
    """Open a camera number or device, a film, a picture or folder of pictures, or a stream's URL.

    Raises `SourceError` for a film, folder or name that cannot be read, `CameraError` for a device or stream that
    cannot be opened.
    """
    for kind in kinds():
        module = importlib.import_module(f"{__name__}.{kind}")
        if module.claims(spec):
            source: FrameSource = module.open_source(spec, settings or SourceSettings())
            return source
    raise SourceError(f"{spec}: no such file; a source is a camera number, a film, a folder of pictures or a URL")
