"""Beginning games for the page of `storisende serve`: which sources there are, and a session with what watches it."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import InputError
from companion.following import ByHand, Follower
from companion.game.clock import ClockSettings
from companion.game.journal import Journal
from companion.game.session import Session, Setup
from companion.game.setups import parse_setup
from companion.leds.lighting import Lighting
from companion.leds.options import LedChoice
from companion.options import disks_for, neutral_men, read_layout, read_material
from companion.page.actions import Calibrate, Start
from companion.page.calibration import KINDS
from companion.page.table import Watcher
from companion.record_files import playable
from companion.seeing import fit_for, make_eye
from engine.board import Board
from engine.layout import Layout, layout_of, named_layout, parse_layout
from vision.eye import Eye, EyeSettings
from vision.frame import FrameSource, SourceSettings
from vision.palette import Material
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


@dataclass(frozen=True, slots=True)
class Equipment:
    """What the command line said about the table: boards of files by name, the profile, and the lights.

    `profile_out` is the profile that calibrations on the page write and later games use; `leds_out` the LED layout.
    """

    boards: Mapping[str, Path] = field(default_factory=dict)
    profile: "Profile | None" = None
    profile_out: Path = Path("storisende-profile.toml")
    leds: LedChoice = LedChoice()  # noqa: RUF009 (immutable)
    leds_out: Path = Path("storisende-leds.toml")


class TableOpener:
    """Opens sources and begins sessions; `journal` keeps their games."""

    def __init__(
        self, sources: Sequence[Source], journal: Journal | None = None, equipment: Equipment | None = None
    ) -> None:
        self._sources = tuple(sources)
        self._journal = journal
        self._equipment = equipment or Equipment()

    @property
    def sources(self) -> tuple[str, ...]:
        """What can be chosen; number 0 is a game without a camera."""
        return (BY_HAND, *(source.title for source in self._sources))

    @property
    def boards(self) -> tuple[str, ...]:
        """The boards of files that the command line named."""
        return tuple(self._equipment.boards)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """The calibrations that make sense: none without a camera, lights only where there are some."""
        if not self._sources:
            return ()
        return KINDS if self._equipment.leds.leds is not None else KINDS[:-1]

    def layout(self, words: str) -> Layout:
        """The board a request asks for: one of ours, a plain name, or the text of a board file; never a path."""
        if words in self._equipment.boards:
            return read_layout(str(self._equipment.boards[words]))
        if "=" in words:
            return parse_layout(words, "the board file")
        return named_layout(words.strip())

    @property
    def unfinished(self) -> str:
        """The last game of the journal in a few words, if it was broken off; else empty."""
        rows = self._journal.games() if self._journal is not None else []
        if not rows or rows[-1].ended or not rows[-1].moves:
            return ""
        setup = parse_setup(rows[-1].setup)
        return f"{setup.game} on {setup.board.name}, {rows[-1].moves} turns, begun {rows[-1].started}"

    def open(self, request: Start) -> tuple[Session, Watcher]:
        """A session for the request and what watches it. Raises the packages' errors."""
        going_on = self._journal if request.resume and self.unfinished else None
        if request.resume and going_on is None:
            raise InputError("there is no game to go on with")
        if going_on is not None:
            setup = parse_setup(going_on.last_game().setup)
            layout = self._layout_of(setup.board)
        else:
            layout = self.layout(request.board)
            setup = self._setup(request, layout)
        disks = "none" if setup.disks is None else ",".join(setup.disks)
        material = self._material(setup.colours, disks, setup.neutral)
        with ExitStack() as opened:
            eye = self._eye(layout, material)
            frames = self._open_source(request.source, eye) if request.source else None
            if frames is not None:
                opened.callback(frames.close)
            if going_on is None:
                if request.under_way and not request.source:
                    raise InputError("a game under way is taken from the table: choose a camera")
                session = Session(setup, self._journal, under_way=request.under_way)
            else:
                session = Session.resume(going_on)
            lighting = self._lighting(layout)
            watcher: ByHand | Follower
            if frames is None:
                watcher = ByHand(session, lighting)
            else:
                title = self._sources[request.source - 1].title
                watcher = Follower(frames, eye, session, layout, material, title, lighting)
            opened.pop_all()
        watcher.start()
        return session, watcher

    def _setup(self, request: Start, layout: Layout) -> Setup:
        """What the form says is played."""
        neutral = neutral_men(request.game, request.neutral or None) or ""
        material = self._material(request.colours, disks_for(request.game, request.disks), neutral)
        disks = None if material.disks is None else (material.disks[0].word, material.disks[1].word)
        return Setup(
            playable(layout),
            request.colours,
            request.names,
            request.game,
            request.rules,
            request.options,
            disks,
            neutral,
            clock=ClockSettings(request.clock_s, request.increment_s) if request.clock_s else None,
        )

    def _layout_of(self, board: Board) -> Layout:
        """The layout of a board of the journal: with true dimensions where one of our board files has them."""
        ours = [self.layout(name) for name in self._equipment.boards]
        return next((layout for layout in ours if layout.board == board), layout_of(board))

    def _open_source(self, number: int, eye: Eye) -> FrameSource:
        """One of the offered sources. Raises what opening it raises."""
        lights = self._equipment.leds.leds  # what LEDs add to pictures is known at full size
        settings = SourceSettings(fit=fit_for(eye) if lights is None else None)
        return open_source(self._sources[number - 1].spec, settings)

    def _eye(self, layout: Layout, material: Material) -> Eye:
        return make_eye(layout, material, self._profile(), EyeSettings(lift_rate_hz=8.0))

    def calibration(self, request: Calibrate) -> list[str]:
        """The words of the command line for a calibration. Raises `InputError` or `BoardError` for what cannot be."""
        if request.kind not in self.calibrations or not 1 <= request.source <= len(self._sources):
            raise InputError("choose a camera, and one of the calibrations on offer")
        spec = self._sources[request.source - 1].spec
        if spec.startswith("-"):
            raise InputError(f"{spec} is no source")
        equipment = self._equipment
        if request.kind == "lens":
            return [spec, "--out", str(equipment.profile_out)]
        if request.board not in equipment.boards:
            named_layout(request.board)
        board = ["--board", str(equipment.boards.get(request.board, request.board))]
        if request.kind == "leds":
            return [spec, *board, "--leds", str(equipment.leds.leds), "--out", str(equipment.leds_out)]
        self._material(request.colours, request.disks)
        men = ["--men", ",".join(request.colours), "--disks", request.disks]
        return [spec, *board, *men, "--out", str(equipment.profile_out)]

    def _material(self, colours: tuple[str, str], disks: str, neutral: str = "") -> Material:
        if any("," in word for word in colours):
            raise InputError("a colour is one word or #rrggbb")
        return read_material(",".join(colours), disks, neutral or None)

    def _profile(self) -> "Profile | None":
        """The newest profile: the one calibrated from the page, else the one of the command line."""
        from calibration.profile import load_profile

        made = self._equipment.profile_out
        return load_profile(made) if made.exists() else self._equipment.profile

    def _lighting(self, layout: Layout) -> Lighting | None:
        """The lights, not yet begun; None without any."""
        choice = self._equipment.leds
        if choice.leds is None:
            return None
        if choice.led_layout is None and self._equipment.leds_out.exists():
            choice = replace(choice, led_layout=self._equipment.leds_out)
        return choice.lighting(layout, patient=True)
