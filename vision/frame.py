"""One picture of the table with its moment, and what every source of such pictures offers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from vision.errors import SourceError
from vision.picture import Picture

#: Pictures that are so far apart are no film: each is a moment of its own …
SNAPSHOT_S = 0.5
#: … that shows how the table stood for so long at least: not long enough to miss what a turn still lacks.
_MOMENT_S = 0.75


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture, (H, W, 3) uint8 blue-green-red, taken `t_s` seconds after the source began, the `index`-th from 0.

    `trouble` is empty for a good picture. A live source that has none says why here ("the camera is unplugged"),
    with the last picture it had, so that its reader neither waits for ever nor takes an old picture for news; so does a
    folder for a picture that cannot be read.
    A `snapshot` was taken by itself: no picture just before or after it tells whether anything moved. As
    far as the referee is concerned the table stood as it shows it for `stood_s` seconds.
    """

    image: Picture
    t_s: float
    index: int
    trouble: str = ""
    snapshot: bool = False
    stood_s: float = 0.0


class FrameSource(Protocol):
    """A film, folder, camera or stream.

    `live` tells whether frames pass by whether or not they are read: a live source always gives the newest one,
    any other gives every one. `frames` is how many will come, None when nobody knows. Iterating raises
    `SourceError` when a film breaks off (after every frame that came) and `CameraError` when a device is lost for good.
    """

    live: bool
    frames: int | None

    def __iter__(self) -> Iterator[Frame]: ...

    def close(self) -> None:
        """Let go of the device or file; iterating ends. May be called twice."""


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """What a user may ask of a source; a kind ignores what does not concern it.

    `size_px` (width, height), `fps` and `exposure` (the driver's own units) are for cameras; `interval_s` is the
    time from one picture of a folder or a time-lapse film to the next, None where each picture of a folder was taken
    after a turn. `fit` is what a film's pictures, unless they are moments each, are made into as they are decoded.
    Raises `SourceError` for values that cannot be.
    """

    size_px: tuple[int, int] | None = None
    fps: float | None = None
    exposure: float | None = None
    interval_s: float | None = None
    fit: Callable[[Picture], Picture] | None = None

    def __post_init__(self) -> None:
        if self.size_px is not None and min(self.size_px) <= 0:
            raise SourceError(f"no camera has a resolution of {self.size_px[0]}×{self.size_px[1]}")
        if self.fps is not None and self.fps <= 0:
            raise SourceError(f"no camera gives {self.fps:g} frames a second")
        if self.interval_s is not None and self.interval_s <= 0:
            raise SourceError(f"pictures cannot be {self.interval_s:g} s apart")


def frame_every(interval_s: float, image: Picture, index: int, trouble: str = "") -> Frame:
    """The `index`-th of pictures that were taken by the clock, `interval_s` seconds apart."""
    return frame_after(interval_s, image, index * interval_s, index, trouble)


def frame_after(gap_s: float, image: Picture, t_s: float, index: int, trouble: str = "") -> Frame:
    """A frame of those that come so far apart: of a film, or a moment of its own."""
    snapshot = gap_s >= SNAPSHOT_S
    return Frame(image, t_s, index, trouble, snapshot, min(_MOMENT_S, gap_s / 2) if snapshot else 0.0)
