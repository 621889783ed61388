"""What the LEDs show: a pure function from the state of a game, a palette and a layout to one `LedFrame`.

Patterns are functions of the time handed in, so that the same arguments always give the same frame. An alarm differs
from a reminder by its rhythm as well as by its colour. The default palette changes nothing about the contract's colours
of cells: marks such as the last move go to a cell's spare LEDs, and palettes that ask for it show them as short pulses.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.game.session import SessionState, Target
from companion.leds.palette import Palette
from companion.leds.text import draw_score
from engine.look import Surface
from engine.referee.verdict import NO_CELL, Step
from hardware.frame import BLACK, LedFrame, Rgb
from hardware.layout import LedLayout

#: The camera sees the lights, too, and reads a board only when it has been the same for a moment. Therefore all that
#: blinks does so in one rhythm, and every pattern leaves the lights as they are in one part of each period, in seconds.
PERIOD_S, REST = 1.6, (0.5, 1.2)
#: The parts of a period, in seconds, in which a blinking pattern is on. It begins with one.
Blink = tuple[tuple[float, float], ...]
REMINDER_BLINK: Blink = ((0.0, REST[1]),)
ALARM_BLINK: Blink = ((0.0, 0.1), (0.2, 0.3), (0.4, REST[0]))
MARK_PULSE: Blink = ((0.0, 0.25),)
#: Missing material of a turn under way is pointed out when it has been missing this long.
MISSING_AFTER_S = 2.0
WINNER_PERIOD_S = 2 * PERIOD_S
#: The final position stays as it is for this long before the winner's areas begin to pulse.
WINNER_AFTER_S = 4.0
#: The wave on a board without a game takes so long, at the end of each such period: when the board is found at once it
#: is dark, as the eye wants it. The wave is so wide, as a part of the board.
IDLE_WAVE_S, IDLE_PERIOD_S, _IDLE_WIDTH = 0.9, 8.0, 0.5

_TILE_OF_SURFACE: Mapping[Surface, str] = {
    Surface.BEIGE: "virgin",
    Surface.BARE: "territory",
    Surface.DARK: "wall",
    Surface.LIGHT: "light",
}


@dataclass(frozen=True, slots=True)
class LightsState:
    """What the lights need to know of a game. Cells are indices in the board's order; empty `tiles`: no game.

    `targets` are (cell, tile that the move leaves behind, "" when unknown). `missing` are cells on which the turn under
    way still lacks something. `won` are the winner's cells. `since_s` is when reminders, alarms and missing cells last
    changed, `ended_s` when the game ended.
    """

    tiles: tuple[str, ...] = ()
    score: tuple[int, int] | None = None
    player: int = 0
    last_move: tuple[int, ...] = ()
    lifted: int | None = None
    targets: tuple[tuple[int, str], ...] = ()
    reminders: tuple[int, ...] = ()
    alarms: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    winner: int | None = None
    won: tuple[int, ...] = ()
    since_s: float = 0.0
    ended_s: float = 0.0

    @property
    def marks_key(self) -> tuple[object, ...]:
        """What `since_s` is the time of."""
        return self.reminders, self.alarms, self.missing


def is_on(pattern: Blink, age_s: float) -> bool:
    """Whether a blinking pattern is in one of its on parts; it begins with one at age 0."""
    return any(from_s <= age_s % PERIOD_S < to_s for from_s, to_s in pattern)


def lights(state: LightsState, layout: LedLayout, palette: Palette, now_s: float, brightness: int = 255) -> LedFrame:
    """The frame that shows a state at a moment; cells the state does not know stay dark."""
    frame = [BLACK] * layout.count
    mains, marks = _cells(state, len(layout.names), palette, now_s)
    pulse = palette.pulse_marks and is_on(MARK_PULSE, now_s - state.since_s)
    for leds, main, mark in zip(layout.cells, mains, marks, strict=True):
        for led in leds:
            frame[led] = main
        if mark is not None and (len(leds) > 1 or pulse):
            frame[leds[-1]] = mark
    if state.score is not None:
        for panel in layout.panels:
            for (x, y), colour in draw_score(
                state.score, state.player, state.winner, palette, panel.width, panel.height, now_s
            ).items():
                frame[panel.led(x, y)] = colour
    return LedFrame.of(dimmed(colour, brightness) for colour in frame)


def lights_at(cells: Sequence[int], layout: LedLayout, palette: Palette, brightness: int = 255) -> LedFrame:
    """The frame that lights some cells as a lifted piece, and nothing else."""
    lit = {led for cell in cells for led in layout.cells[cell]}
    return LedFrame.of(dimmed(palette.lifted, brightness) if led in lit else BLACK for led in range(layout.count))


def is_steady(state: LightsState, layout: LedLayout, palette: Palette) -> bool:
    """Whether the frame of a state stays the same as time goes by."""
    moving = state.marks_key != ((), (), ()) or state.winner is not None or len(state.tiles) != len(layout.names)
    return not (moving or palette.pulse_marks or layout.panels)


def dimmed(colour: Rgb, brightness: int) -> Rgb:
    """A colour at a brightness of 0 to 255."""
    red, green, blue = (round(channel * brightness / 255) for channel in colour)
    return red, green, blue


def _cells(state: LightsState, count: int, palette: Palette, now_s: float) -> tuple[list[Rgb], list[Rgb | None]]:
    """For every cell its colour, and the mark that goes to a spare LED or shows as a pulse."""
    marks: list[Rgb | None] = [None] * count
    if len(state.tiles) != count:
        return _idle(count, palette, now_s - state.since_s), marks
    mains = [palette.tile(tile) for tile in state.tiles]
    if state.winner and now_s - state.ended_s > WINNER_AFTER_S:
        part = (now_s - state.since_s - REST[1]) % WINNER_PERIOD_S / (WINNER_PERIOD_S - (REST[1] - REST[0]))
        swell = 0.65 + 0.35 * math.cos(2 * math.pi * min(1.0, part))
        for cell in state.won:
            mains[cell] = dimmed(mains[cell], round(255 * swell))
    for cell in state.last_move:
        marks[cell] = palette.last
    age_s = now_s - state.since_s
    overdue = state.missing if age_s >= MISSING_AFTER_S else ()
    if is_on(REMINDER_BLINK, age_s):
        for cell in (*state.reminders, *overdue):
            mains[cell] = palette.reminder
    for cell, leaves in state.targets:
        mains[cell] = palette.target
        marks[cell] = palette.tile(leaves) if leaves else None
    if state.lifted is not None:
        mains[state.lifted], marks[state.lifted] = palette.lifted, None
    for cell in state.alarms:
        mains[cell], marks[cell] = (palette.alarm if is_on(ALARM_BLINK, age_s) else BLACK), None
    return mains, marks


def _idle(count: int, palette: Palette, age_s: float) -> list[Rgb]:
    """No game: now and then a faint wave over the board, which is dark meanwhile, as it is when a game begins."""
    front = (1 - (IDLE_PERIOD_S - age_s % IDLE_PERIOD_S) / IDLE_WAVE_S) * (1 + _IDLE_WIDTH)
    behind = [(front - i / count) / _IDLE_WIDTH for i in range(count)]
    return [dimmed(palette.idle, round(255 * max(0.0, 1 - abs(2 * part - 1)))) for part in behind]


def lights_state_of(state: SessionState) -> LightsState:
    """What the lights need of a session's state; its times are set by `timed`."""
    if state.phase == "looking":
        return LightsState()
    alarm, lifted, outcome = state.alarm, state.lifted, state.outcome
    alarms = set() if alarm is None else {alarm.source, alarm.target, *_cells_of(alarm.repair)} - {None}
    winner = None if outcome is None else outcome.winner
    return LightsState(
        tiles=tuple(tile for tile, _, _ in state.position.tiles()),
        score=state.score,
        player=state.player,
        last_move=state.last_move,
        lifted=None if lifted is None else lifted.cell,
        targets=() if lifted is None else _targets(lifted.targets),
        reminders=tuple(sorted(reminder.cell for reminder in state.reminders)),
        alarms=tuple(sorted(cell for cell in alarms if cell is not None)),
        missing=() if state.pending is None else tuple(sorted(_cells_of(state.pending.steps))),
        winner=winner,
        won=()
        if not winner
        else tuple(sorted(c for who, area in state.position.areas() if who == winner for c in area)),
    )


def _cells_of(steps: Sequence[Step]) -> set[int]:
    """The cells at which something is to be done; a placement that the rules do not allow is wrong at none."""
    return {step.cell for step in steps} - {NO_CELL}


def _targets(targets: Sequence[Target]) -> tuple[tuple[int, str], ...]:
    """The targets' cells, each with the tile that is left behind; a cell that several splits reach comes once."""
    return tuple({target.cell: (target.cell, _TILE_OF_SURFACE[target.leaves]) for target in targets}.values())


def timed(state: LightsState, before: LightsState | None, now_s: float) -> LightsState:
    """The state with the times at which its marks and its end began; `before` has them where nothing changed."""
    same = before is not None and before.marks_key == state.marks_key
    ended = before is not None and before.winner is not None
    return replace(
        state,
        since_s=before.since_s if before is not None and same else now_s,
        ended_s=before.ended_s if before is not None and ended else now_s,
    )
