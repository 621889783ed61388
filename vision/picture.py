"""Pictures from files."""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import SourceError

Picture = NDArray[np.uint8]


def load_picture(path: Path) -> Picture:
    """A picture file as (H, W, 3) uint8, blue-green-red. Raises `SourceError` that says which file and why."""
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise SourceError(f"picture {path}: {error.strerror}") from None
    image = decode(data)
    if image is None:
        raise SourceError(f"picture {path}: not a picture that OpenCV can read")
    return image


def decode(data: NDArray[np.uint8]) -> Picture | None:
    """The bytes (n,) of a picture file as (H, W, 3) uint8, blue-green-red; None where they are none."""
    image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    return None if image is None else image.astype(np.uint8, copy=False)
