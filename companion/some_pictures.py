"""A few pictures of a source, for commands that look at a table only once."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vision.picture import Picture

#: Seconds between two pictures of a camera, and its first ones that are left out while exposure settles.
_PAUSE_S, _SETTLING_S = 0.3, 1.0


def some_pictures(source: str, count: int) -> "list[Picture]":
    """Up to `count` pictures of one size: of a camera as time goes by, of a film its first ones, else as they come.

    Raises `SourceError` or `CameraError` for a source that cannot be used.
    """
    from vision.sources import open_source

    frames = open_source(source)
    pictures: list[Picture] = []
    next_s = _SETTLING_S if frames.live else 0.0
    try:
        for frame in frames:
            if frame.trouble or frame.t_s < next_s or (pictures and frame.image.shape != pictures[0].shape):
                continue
            pictures.append(frame.image)
            next_s = frame.t_s + _PAUSE_S if frames.live else 0.0
            if len(pictures) == count:
                break
    finally:
        frames.close()
    return pictures
