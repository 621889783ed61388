"""What `storisende leds test` and `leds show` put on the lights: test patterns, and recorded games."""

import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import replace

import click
from rich.console import Console
from rich.live import Live

from companion.leds.lighting import Lighting, Sink
from companion.leds.lights import LightsState
from companion.leds.options import LedChoice
from companion.leds.twin import draw_twin
from engine.board import Board
from engine.game import Position, play_turn
from engine.layout import Layout, layout_of
from engine.records.record import Record, final_outcome, replay
from hardware.frame import BLACK, LedFrame, Rgb
from hardware.layout import LedLayout
from hardware.link import LinkState
from hardware.protocol import parse_leds
from hardware.selftest import wled_self_test
from hardware.signals import end_on_sigterm

_PLAIN: tuple[Rgb, ...] = ((96, 0, 0), (0, 96, 0), (0, 0, 96), (96, 96, 96))
_STEP_S = 0.05
#: The part of a turn's time during which its piece is in the hand.
_LIFTED_SHARE = 0.4
_ONE_MOVE = re.compile(r"([a-z]\d+)(:\d+)?-([a-z]\d+)")


def self_test(choice: LedChoice, board: Layout) -> None:
    """Read the pixels of a WLED back and say what came of it; other protocols send nothing back."""
    protocol, port = parse_leds(choice.leds) if choice.leds else (None, "")
    if protocol is None or protocol.name != "wled":
        return
    layout = choice.layout_for(board)
    result = wled_self_test(port, layout)
    if result.leds is not None and result.leds != layout.count:
        click.echo(
            f"{result.device} is set up for {result.leds} LEDs, the layout has {layout.count}: change one of them"
        )
    right = layout.count - len(result.wrong)
    first = f"; the first wrong one is LED {result.wrong[0]}" if result.wrong else ""
    click.echo(f"{result.device}: {right} of {layout.count} LEDs read back as sent{first}")


def run_test(choice: LedChoice, board: Layout, seconds: float, twin: bool) -> None:
    """Run the test pattern for some time; a change in the state of the line is printed."""
    end_on_sigterm()
    with _twin_of(choice, board, twin) as sink, contextlib.ExitStack() as stack:
        driver = choice.lighting(board).driver
        if driver is not None:
            stack.enter_context(driver)
        said = LinkState.CLOSED
        begun_s = time.monotonic()
        while (age_s := time.monotonic() - begun_s) < seconds:
            frame = test_frame(choice.layout_for(board), choice, age_s / seconds)
            if sink is not None:
                sink(frame)
            if driver is not None:
                driver.show(frame)
                if driver.status.state is not said:
                    said = driver.status.state
                    click.echo(str(driver.status))
            time.sleep(_STEP_S)


def test_frame(layout: LedLayout, choice: LedChoice, progress: float) -> LedFrame:
    """The test picture at a progress from 0 to 1: a running dot, plain colours, then the palette's colours of cells."""
    if progress < 0.5:
        dot = int(progress * 2 * layout.count)
        return LedFrame.of((96, 96, 96) if led == dot else BLACK for led in range(layout.count))
    if progress < 0.8:
        return LedFrame.of([_PLAIN[int((progress - 0.5) / 0.3 * len(_PLAIN))]] * layout.count)
    palette = choice.palette_chosen()
    colours = (palette.pasture, palette.wall, palette.target, palette.lifted, palette.virgin)
    frame = [BLACK] * layout.count
    for i, leds in enumerate(layout.cells):
        for led in leds:
            frame[led] = colours[i % len(colours)]
    return LedFrame.of(frame)


def show_record(record: Record, choice: LedChoice, pace_s: float, twin: bool) -> None:
    """Play a record on the lights: each piece is lifted, shows its targets, and lands."""
    end_on_sigterm()
    board = layout_of(record.board)
    with _twin_of(choice, board, twin) as sink, choice.lighting(board, sink) as lighting:
        lighting.wait_ready()
        before, last = None, None
        for step in replay(record):
            if before is not None and (lifted := _lifted(before, step.text, record.board)) is not None:
                lighting.show(lifted)
                time.sleep(pace_s * _LIFTED_SHARE)
            _show_position(lighting, step.position, step.text, record.board)
            if not twin:
                first, second = step.position.score()
                click.echo(f"{step.ply} {step.text or 'start'} {first}-{second}; {lighting.status.state}")
            time.sleep(pace_s * (1 - _LIFTED_SHARE))
            before, last = step.position, step
        outcome = final_outcome(record, last) if last else None
        if last is not None and outcome is not None:
            _show_position(lighting, last.position, last.text, record.board, outcome.winner)
            time.sleep(3 * pace_s)


def _state(position: Position) -> LightsState:
    return LightsState(tuple(tile for tile, _, _ in position.tiles()), position.score(), position.player)


def _show_position(lighting: Lighting, position: Position, text: str, board: Board, winner: int | None = None) -> None:
    cells = tuple(board.by_name[name] for name in re.findall(r"[a-z]\d+", text) if name in board.by_name)
    won = tuple(cell for owner, area in position.areas() if winner and owner == winner for cell in area)
    lighting.show(replace(_state(position), last_move=cells, winner=winner, won=won))


def _lifted(before: Position, text: str, board: Board) -> LightsState | None:
    """The state with the piece of a plain move in the hand; None for other turns."""
    found = _ONE_MOVE.fullmatch(text)
    if found is None:
        return None
    head, source = text.partition("-")[0], board.parse(found[1])
    targets = tuple(
        (board.parse(move.rpartition("-")[2]), play_turn(before, move).tiles()[source][0])
        for move in before.legal_texts()
        if move.partition("-")[0] == head and _ONE_MOVE.fullmatch(move)
    )
    return replace(_state(before), lifted=source, targets=targets)


@contextlib.contextmanager
def _twin_of(choice: LedChoice, board: Layout, wanted: bool) -> Iterator[Sink | None]:
    """What draws frames in the terminal while it lasts, or None."""
    if not wanted:
        yield None
        return
    layout = choice.layout_for(board)
    with Live(console=Console(), refresh_per_second=15, transient=False) as live:
        yield lambda frame: live.update(draw_twin(frame, layout, board))
