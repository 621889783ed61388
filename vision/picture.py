"""Pictures from files: JPEG, PNG and whatever else OpenCV reads, and HEIC, as telephones take them."""

from pathlib import Path

import cv2
import numpy as np
import pi_heif  # type: ignore[import-untyped]
from numpy.typing import NDArray

from vision.errors import SourceError

Picture = NDArray[np.uint8]

#: The brands of HEIF files at their twelfth byte (ISO/IEC 23008-12) that hold a picture.
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1")
#: A picture is black and white when hardly any of its pixels, of every so many, are coloured by more than this (0–255).
_EVERY, _COLOURED, _HARDLY_ANY = 4, 3, 0.001
_HEIF_ERRORS = (ValueError, EOFError, SyntaxError, RuntimeError)


def is_grey(picture: Picture) -> bool:
    """Whether a picture (H, W, 3) is black and white, as cameras give it at night."""
    few = picture[::_EVERY, ::_EVERY].astype(np.int16)
    return bool(np.mean(np.ptp(few, axis=2) > _COLOURED) < _HARDLY_ANY)


def load_picture(path: Path) -> Picture:
    """A picture file as (H, W, 3) uint8, blue-green-red. Raises `SourceError` that says which file and why."""
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise SourceError(f"picture {path}: {error.strerror}") from None
    image = decode(data)
    if image is None:
        raise SourceError(f"picture {path}: not a picture that can be read")
    return image


def decode(data: NDArray[np.uint8]) -> Picture | None:
    """The bytes (n,) of a picture file as (H, W, 3) uint8, blue-green-red; None where they are none."""
    head = data[:12].tobytes()
    if head[4:8] == b"ftyp" and head[8:] in _HEIF_BRANDS:
        return _decode_heif(data.tobytes())
    image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    return None if image is None else image.astype(np.uint8, copy=False)


def _decode_heif(data: bytes) -> Picture | None:
    try:
        picture = np.asarray(pi_heif.open_heif(data, bgr_mode=True), np.uint8)
    except _HEIF_ERRORS:
        return None
    if picture.ndim == 2:
        return np.repeat(picture[..., None], 3, axis=2)
    return np.ascontiguousarray(picture[..., :3])
