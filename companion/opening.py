"""Beginning games for the page of `storisende serve`: which sources there are, and a session with what watches it."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import InputError
from companion.following import ByHand, Follower
from companion.options import read_material
from companion.page_actions import Start
from companion.record_files import playable
from companion.session import Session, Setup
from companion.table import Watcher
from engine.layout import Layout, named_layout, parse_layout
from vision.eye import Eye, EyeSettings
from vision.sources import open_source

if TYPE_CHECKING:
    from calibration.profile import Profile

BY_HAND = "no camera: enter the moves by hand"


@dataclass(frozen=True, slots=True)
class Source:
    """Something that can be watched: what the page calls it, and what `open_source` calls it (no browser sees that)."""

    title: str
    spec: str


def find_cameras(devices: Path = Path("/dev")) -> list[Source]:
    """The cameras of this computer: on Linux by their devices, elsewhere the first two numbers."""
    if not sys.platform.startswith("linux"):
        return [Source(f"camera {number}", str(number)) for number in (0, 1)]
    found = sorted(devices.glob("video[0-9]*"), key=lambda device: int(device.name[5:]))
    return [Source(f"camera {device.name[5:]}", device.name[5:]) for device in found]


class TableOpener:
    """Opens sources and begins sessions. `make_session` puts a new game into the journal."""

    def __init__(
        self,
        sources: Sequence[Source],
        make_session: Callable[[Setup], Session],
        boards: Sequence[Layout] = (),
        profile: "Profile | None" = None,
    ) -> None:
        self._sources = tuple(sources)
        self._make_session = make_session
        self._boards = {layout.name: layout for layout in boards}
        self._profile = profile

    @property
    def sources(self) -> tuple[str, ...]:
        """What can be chosen; number 0 is a game without a camera."""
        return (BY_HAND, *(source.title for source in self._sources))

    @property
    def boards(self) -> tuple[str, ...]:
        """The boards of files that the command line named."""
        return tuple(self._boards)

    def layout(self, words: str) -> Layout:
        """The board a request asks for: one of ours, a plain name, or the text of a board file; never a path."""
        if words in self._boards:
            return self._boards[words]
        if "=" in words:
            return parse_layout(words, "the board file")
        return named_layout(words.strip())

    def open(self, request: Start) -> tuple[Session, Watcher]:
        """A session for the request and what watches it. Raises the packages' errors."""
        layout = self.layout(request.board)
        material = read_material(",".join(request.colours), request.disks)
        if any("," in word for word in request.colours):
            raise InputError("a colour is one word or #rrggbb")
        disks = None if material.disks is None else (material.disks[0].word, material.disks[1].word)
        setup = Setup(
            playable(layout), request.colours, request.names, request.game, request.rules, request.options, disks
        )
        if request.source == 0:
            by_hand = ByHand(self._make_session(setup))
            by_hand.start()
            return by_hand.session, by_hand
        source = self._sources[request.source - 1]
        frames = open_source(source.spec)
        try:
            session = self._make_session(setup)
        except BaseException:
            frames.close()
            raise
        eye = Eye(layout, material, self._profile.lens_for if self._profile else None, EyeSettings(lift_rate_hz=8.0))
        follower = Follower(frames, eye, session, layout, material, source.title)
        follower.start()
        return session, follower
