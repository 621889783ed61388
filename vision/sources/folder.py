"""A folder of pictures in the order of their names, or a single picture."""

import re
from collections.abc import Iterator
from pathlib import Path

from vision.errors import SourceError
from vision.frame import Frame, SourceSettings, frame_every
from vision.picture import load_picture

#: Where nobody says how far apart they are each was taken after a turn: so far apart, and the table stood so long.
_AFTER_A_TURN_S, _STOOD_S = 6.0, 5.0

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".heic", ".heif", ".avif"})


def claims(spec: str) -> bool:
    """A folder, or a file with a picture's ending."""
    path = Path(spec)
    return path.is_dir() or (path.is_file() and path.suffix.lower() in PICTURES)


def open_source(spec: str, settings: SourceSettings) -> "Folder":
    """Open a folder or picture. Raises `SourceError` when there is no picture in it."""
    return Folder(spec, settings.interval_s)


def _name_order(path: Path) -> list[tuple[int, str]]:
    """Sorts names as people number them: frame2 before frame10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.name)]


class Folder:
    """Every picture of a folder, `interval_s` seconds apart; None: each was taken after a turn."""

    live = False

    def __init__(self, path: str, interval_s: float | None) -> None:
        place = Path(path)
        try:
            found = [place] if place.is_file() else [p for p in place.iterdir() if p.suffix.lower() in PICTURES]
        except OSError as error:
            raise SourceError(f"folder {path}: {error.strerror}") from None
        if not found:
            raise SourceError(f"folder {path}: no pictures in it ({', '.join(sorted(PICTURES))})")
        self._paths = sorted(found, key=_name_order)
        self._interval_s = interval_s
        self.frames = len(self._paths)

    def __iter__(self) -> Iterator[Frame]:
        """The pictures in order; one that cannot be read is trouble. Raises `SourceError` when that is the first."""
        image = None
        for index, path in enumerate(self._paths):
            trouble = ""
            try:
                image = load_picture(path)
            except SourceError as error:
                if image is None:
                    raise
                trouble = str(error)
            if self._interval_s is None:
                yield Frame(image, index * _AFTER_A_TURN_S, index, trouble, snapshot=True, stood_s=_STOOD_S)
            else:
                yield frame_every(self._interval_s, image, index, trouble)

    def close(self) -> None:
        """Give no further pictures."""
        self._paths = []
