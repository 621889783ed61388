"""Watching a game from the command line: source, eye, session, and everything that listens, from start to end."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TextIO

import click

from companion.errors import InputError, NoBoardError
from companion.following import Onlooker, View, follow, paced, which_way_of
from companion.game.events import Event
from companion.game.session import Session
from companion.leds.options import LedChoice
from companion.record_files import save_or_print
from companion.terminal.keyboard import Typing
from companion.terminal.plain_lines import plain_line
from engine.layout import Layout
from vision.errors import VisionError
from vision.eye import Eye
from vision.frame import Frame, FrameSource
from vision.palette import Material

if TYPE_CHECKING:
    from companion.terminal.live_view import LiveView

_GOING_ON = "if a game is under way: --under-way and the colour that moves next, or --from RECORD"
#: The terminal and the keyboard are served every so many frames.
_SHOW_EVERY = 3
#: So long the lights show the end of the game before they go dark.
_LAST_PICTURE_S = 1.0


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a watch writes and shows besides the journal."""

    record: Path | None = None
    events: Path | None = None
    leds: LedChoice | None = None
    page_port: int | None = None
    headless: bool = False
    real_time: bool = False
    resumed: bool = False


@contextmanager
def stop_on_signal() -> Iterator[threading.Event]:
    """Ctrl-C and SIGTERM set the event; the frame that is being worked on is finished first."""
    stop = threading.Event()

    def ask(number: int, _: FrameType | None) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _until(frames: Iterator[Frame], stop: threading.Event) -> Iterator[Frame]:
    """The frames until somebody wants to stop."""
    for frame in frames:
        yield frame
        if stop.is_set():
            return


class Watch:
    """One game watched to the end of its source. `run` gives nothing back: what came of it is in the session."""

    def __init__(
        self, source: FrameSource, eye: Eye, session: Session, layout: Layout, material: Material, outputs: Outputs
    ) -> None:
        self.source, self.eye, self.session, self.outputs = source, eye, session, outputs
        self.layout, self.material = layout, material
        self._men_rgb = {owner: colour.rgb for owner, colour in material.colours.items()}
        self._why_not = ""
        self._lines: EventLines | None = None
        self._onlooker = Onlooker(eye, session, layout, material, "the source")

    def run(self) -> None:
        """Follow the game until the source ends or somebody stops it; then write the record.

        Raises `NoBoardError` when the board was never found, and what the source raised when it broke off (after the
        record is written).
        """
        broken: VisionError | None = None
        last: Frame | None = None
        with stop_on_signal() as stop, ExitStack() as stack:
            stack.callback(self.source.close)
            show = self._attach(stack)
            frames = paced(self.source, stop) if self.outputs.real_time else iter(self.source)
            try:
                ways = which_way_of(self.source, self._onlooker.lighting, self.layout)
                for view in follow(_until(frames, stop), self.eye, self.session, ways):
                    last = view.frame
                    self._why_not = view.why_not or self._why_not
                    self._onlooker.look(view)
                    show(view)
            except VisionError as error:
                broken = error
            self._onlooker.end(str(broken or ""))
            self.session.finish(last.t_s if last else 0.0, last.index if last else 0)
            if last is not None:
                show(View(last), True)
            if self._onlooker.lighting is not None:
                time.sleep(_LAST_PICTURE_S)
        self._conclude(broken)

    def _conclude(self, broken: VisionError | None) -> None:
        """Write the record, and say what went wrong if anything did."""
        if self.eye.found is None:
            raise broken or NoBoardError(f"no {self.layout.name} board found: {self._why_not or 'no picture came'}")
        state = self.session.state
        if self._onlooker.lighting is not None and self._onlooker.lighting.remark:
            click.echo(f"lights: {self._onlooker.lighting.remark}", err=True)
        if self.session.why_not_taken_up:
            click.echo(f"the game was not taken up: {self.session.why_not_taken_up}", err=True)
        elif state.pending is not None and not state.history:
            missing = "; ".join(step.text for step in state.pending.steps)
            click.echo(f"no game has begun: {missing} ({_GOING_ON})", err=True)
        if self.outputs.record is not None:
            save_or_print(self.session.record(), self.outputs.record)
        if broken is not None:
            raise broken
        if trouble := state.unkept or (self._lines.trouble if self._lines else ""):
            raise InputError(f"{trouble}; what is missing there stands in the record, if one was asked for")

    def _attach(self, stack: ExitStack) -> "Show":
        """Everything that listens; it is taken down again in the opposite order."""
        outputs = self.outputs
        if outputs.events is not None:
            file = outputs.events.open("a" if outputs.resumed else "w", encoding="utf-8", buffering=1)
            self._lines = EventLines(file)
            stack.callback(self._lines.close)
            self.session.on_event(self._lines.write)
        if outputs.leds is not None and outputs.leds.leds is not None:
            lighting = stack.enter_context(outputs.leds.lighting(self.layout))
            lighting.wait_ready()  # many devices flash all LEDs while they start: not what the eye should learn from
            lighting.follow(self.session)
            self.source = lighting.clear(self.source, lambda: self.eye.found)
            self._onlooker.lighting = lighting
        if outputs.page_port is not None:
            self._open_page(stack, outputs.page_port)
        return self._open_view(stack)

    def _open_page(self, stack: ExitStack, port: int) -> None:
        from companion.page.server import start_page

        server = start_page(self.session, self._onlooker, port=port)
        stack.callback(server.stop)
        click.echo(f"The page: {server.url}", err=True)

    def _open_view(self, stack: ExitStack) -> "Show":
        """The terminal: the live board, plain lines where there is no terminal, nothing when headless."""
        if self.outputs.headless:
            return Show()
        if not sys.stdout.isatty():
            self.session.on_event(lambda event: click.echo(plain_line(event, self.session.state)))
            return Show()
        from companion.terminal.live_view import LiveView

        view = stack.enter_context(LiveView(self._men_rgb, self.source.frames))
        typing = stack.enter_context(Typing(self.session))
        return Show(self.session, view, typing)


class EventLines:
    """The file of events, a line each as they happen; a full disk does not stop the game, `trouble` says so."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.trouble = ""

    def write(self, event: Event) -> None:
        """Write a line, unless one was lost before."""
        if not self.trouble:
            self._do(lambda: print(event.json(), file=self._file))

    def close(self) -> None:
        """Close the file."""
        self._do(self._file.close)

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            self.trouble = f"events {self._file.name}: cannot be written: {error.strerror}"


@dataclass(slots=True)
class Show:
    """Shows the newest state in the terminal, where there is one."""

    session: Session | None = None
    view: "LiveView | None" = None
    typing: Typing | None = None

    def __call__(self, seen: View, last: bool = False) -> None:
        if self.session is None or self.view is None or self.typing is None:
            return
        if last or seen.frame.index % _SHOW_EVERY == 0:
            self.view.typed = self.typing.line
            self.view.show(self.session.state, seen.frame.index + 1)
