"""From frames to the session: the loop that follows a game, and the same loop in a thread for the page."""

import math
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from companion.drawing.overlay import draw_sight
from companion.game.session import Session
from companion.table_checks import Check, table_checks
from engine.layout import Layout
from engine.look import Reading
from vision.errors import VisionError
from vision.eye import Eye
from vision.finding.find import FoundBoard
from vision.frame import Frame, FrameSource
from vision.palette import Material
from vision.picture import Picture
from vision.sights import Bumped, Found, Lost, Moving, Sight, Still

if TYPE_CHECKING:
    from companion.leds.lighting import Lighting
    from companion.leds.which_way import WhichWay

_TICK_S = 0.1
_WORDS = {
    "searching": "looking for the board",
    "watching": "camera sees the board",
    "moving": "hand over the board",
    "lost": "board out of sight",
}


#: The referee's clock goes on by so much at a time while a photographed table stands.
_STOOD_STEP_S = 0.25


@dataclass(frozen=True, slots=True)
class View:
    """What was seen last: the frame, the eye's reading of it, and why there is no board where there is none."""

    frame: Frame
    reading: Reading | None = None
    why_not: str = ""


def tell(session: Session, frame: Frame, sights: Iterable[Sight]) -> None:
    """Hand what came of a frame to the session; a frame that brought nothing is a tick of its clock."""
    quiet = True
    for sight in sights:
        quiet = False
        match sight:
            case Found():
                session.found(frame.t_s, frame.index)
            case Lost(reason):
                session.lost(frame.t_s, frame.index, reason)
            case Bumped():
                session.bumped(frame.t_s, frame.index)
            case Moving(reading):
                session.moving(frame.t_s, frame.index, reading)
            case Still(reading):
                session.still(reading, lambda: _jpeg(frame.image))
    if quiet:
        session.tick(frame.t_s, frame.index)


def _jpeg(image: Picture) -> bytes:
    """A picture as it is kept for evidence."""
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])[1])


def follow(frames: Iterable[Frame], eye: Eye, session: Session, which_way: "WhichWay | None" = None) -> Iterator[View]:
    """Follow a game to the end of the source; gives what was seen of every frame. The caller finishes the session.

    `which_way` asks the lights of a board that may lie in several ways.

    The time of the frames is from now on that of the game, which is later where an earlier one is gone on with.
    """
    reading, why_not = None, ""
    for taken in frames:
        frame = replace(taken, t_s=session.begins_s + taken.t_s)
        sights = eye.step(frame) if which_way is None else which_way.look(frame, eye, session)
        if any(isinstance(sight, Found | Bumped) for sight in sights):
            sights = _in_place(sights, eye, session, frame)
        for sight in sights:
            if isinstance(sight, Still | Moving) and sight.reading is not None:
                reading, why_not = sight.reading, ""
            elif isinstance(sight, Lost):
                why_not = sight.reason
        plies = len(session.state.history)
        tell(session, frame, sights)
        stand(session, frame)
        if len(session.state.history) != plies and (looks := session.known_looks()) is not None:
            eye.confirm(looks)
        yield View(frame, reading, why_not)


def stand(session: Session, frame: Frame) -> None:
    """Let the referee's clock run for as long as the table stood as a picture shows it that was taken by itself."""
    for step in range(1, 1 + round(frame.stood_s / _STOOD_STEP_S)):
        session.tick(frame.t_s + step * _STOOD_STEP_S, frame.index)


def _in_place(sights: Sequence[Sight], eye: Eye, session: Session, frame: Frame) -> Sequence[Sight]:
    """What was seen of a board in a new place, the way round that it lies; that it was moved is told at once."""
    if moved := [sight for sight in sights if isinstance(sight, Bumped | Moving)]:
        tell(session, frame, moved)  # what was finished before, such as the placement, counts from now on
    seen = [sight for sight in sights if not isinstance(sight, Bumped | Moving)]
    turned = eye.take_turned(session.believed_looks(), frame)
    if not turned:
        return seen
    kept = [sight for sight in seen if not isinstance(sight, Found | Still)]
    found = any(isinstance(sight, Found) for sight in seen)
    return [*kept, *(sight for sight in turned if found or not isinstance(sight, Found))]


def paced(frames: FrameSource, stop: threading.Event) -> Iterator[Frame]:
    """The frames of a film at the speed it was taken, so that people can follow; live ones as they come."""
    began = time.monotonic()
    for frame in frames:
        ahead_s = 0.0 if frames.live else frame.t_s - (time.monotonic() - began)
        if stop.wait(ahead_s) if ahead_s > 0 else stop.is_set():
            return
        yield frame


def which_way_of(frames: FrameSource, lighting: "Lighting | None", layout: Layout) -> "WhichWay | None":
    """What asks the lights which way round the board lies, where there are any and pictures show them."""
    if lighting is None or not frames.live:
        return None
    from companion.leds.which_way import WhichWay

    return WhichWay(lighting, layout)


@contextmanager
def lit(lighting: "Lighting | None", session: Session) -> Iterator[None]:
    """While it lasts the lights, if there are any, follow the session."""
    if lighting is None:
        yield
        return
    with lighting:
        lighting.follow(session)
        yield


def _lights(lighting: "Lighting | None") -> dict[str, Any]:
    """The state of the line to the LEDs in plain words, where there are any."""
    if lighting is None:
        return {}
    status, remark = lighting.status, lighting.remark
    return {"lights": f"lights: {remark or status}", "lightsBad": bool(remark) or status.needs_help}


def _sixths(found: FoundBoard) -> int:
    """By how many sixths, counter-clockwise, the board is turned in the picture."""
    middle, right = found.pose.project(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    return round(math.atan2(middle[1] - right[1], right[0] - middle[0]) / (math.pi / 3)) % 6


class Onlooker:
    """What the page asks about the watching: newest picture, state of the camera, checks. `look` tells it the news."""

    def __init__(self, eye: Eye, session: Session, layout: Layout, material: Material, source: str) -> None:
        self.eye, self.session, self.layout, self.material, self.source = eye, session, layout, material, source
        self.lighting: Lighting | None = None
        self._view: View | None = None
        self._trouble = ""
        self._over = False

    def look(self, view: View) -> None:
        """This is what was seen last."""
        self._view = view

    def end(self, trouble: str = "") -> None:
        """The source has ended, or broken off for a reason."""
        self._over, self._trouble = True, trouble

    @property
    def again(self) -> bool:
        """Somebody else does the watching."""
        return False

    def stop(self) -> None:
        """Nothing to stop: somebody else does the watching."""

    def picture(self) -> Picture | None:
        """The newest picture with the reading drawn over it; None before the first."""
        view, found = self._view, self.eye.found
        if view is None or found is None:
            return view.frame.image if view is not None else None
        cells = view.reading.cells if view.reading is not None else None
        lamp = self.eye.table.lamp if self.eye.table is not None else None
        return draw_sight(view.frame.image, self.layout, found, self.material, cells, lamp)

    def status(self) -> Mapping[str, Any]:
        """The state of camera and lights in plain words; `turn`: how many sixths the board is turned in the picture."""
        lights = _lights(self.lighting)
        turn = _sixths(self.eye.found) if self.eye.found is not None else 0
        if self._trouble:
            return {"camera": self._trouble, "cameraBad": True, "turn": turn, **lights}
        if self._over:
            return {"camera": f"{self.source} has ended", "cameraBad": False, "turn": turn, **lights}
        state = self.session.state
        return {"camera": _WORDS[state.eye], "cameraBad": state.eye == "lost", "turn": turn, **lights}

    def checks(self) -> list[Check]:
        """The live checks of the newest picture; none before the first."""
        view = self._view
        if view is None:
            return []
        cells = view.reading.cells if view.reading is not None else None
        return table_checks(view.frame.image, self.layout, self.material, self.eye.found, view.why_not, cells)


class Background:
    """Work in a thread of its own, from `start` to `stop` or until it is done. Subclasses define `work`."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.work, name="following", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End it and wait for the end; the session is finished."""
        self._stop.set()
        self._thread.join(5.0)

    def work(self) -> None:
        """What the thread does."""


class Follower(Background, Onlooker):
    """Follows a source in a thread of its own, for the page."""

    def __init__(
        self,
        frames: FrameSource,
        eye: Eye,
        session: Session,
        layout: Layout,
        material: Material,
        source: str,
        lighting: "Lighting | None" = None,
    ) -> None:
        Onlooker.__init__(self, eye, session, layout, material, source)
        Background.__init__(self)
        self.frames = frames if lighting is None else lighting.clear(frames, lambda: eye.found)
        self.lighting = lighting

    @property
    def again(self) -> bool:
        """A camera shows the table as it is then; a film, or one that has ended, does not."""
        return self.frames.live and not self._over

    def work(self) -> None:
        """Follow the source to its end."""
        trouble = "an error in the program ended the watching"
        with lit(self.lighting, self.session):
            if self.lighting is not None:
                self.lighting.wait_ready()  # many devices flash all LEDs while they start
            try:
                for view in follow(paced(self.frames, self._stop), self.eye, self.session, self._which_way()):
                    self.look(view)
                trouble = ""
            except VisionError as error:
                trouble = str(error)
            finally:
                self.end(trouble)
                self.frames.close()
                frame = self._view.frame if self._view is not None else None
                self.session.finish(frame.t_s if frame else 0.0, frame.index if frame else 0)

    def _which_way(self) -> "WhichWay | None":
        return which_way_of(self.frames, self.lighting, self.layout)


class ByHand(Background):
    """Watches nothing: a game without a camera, whose time goes on nevertheless."""

    def __init__(self, session: Session, lighting: "Lighting | None" = None) -> None:
        super().__init__()
        self.session, self.lighting = session, lighting

    def work(self) -> None:
        """Let the time run."""
        began = time.monotonic() - self.session.begins_s
        with lit(self.lighting, self.session):
            while not self._stop.wait(_TICK_S):
                self.session.tick(time.monotonic() - began, 0)
            self.session.finish(time.monotonic() - began, 0)

    @property
    def again(self) -> bool:
        """A game by hand goes on at any time."""
        return True

    def picture(self) -> None:
        """There is no camera."""

    def status(self) -> Mapping[str, Any]:
        """The state of the lights; there is no camera."""
        return _lights(self.lighting)

    def checks(self) -> list[Check]:
        """Nothing to check."""
        return []
