"""What the lights show: the contract's colours, patterns, palettes, panels; a pure function throughout."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import InputError
from companion.leds.lights import (
    ALARM_BLINK,
    IDLE_PERIOD_S,
    PERIOD_S,
    REMINDER_BLINK,
    WINNER_AFTER_S,
    WINNER_PERIOD_S,
    Blink,
    LightsState,
    is_on,
    is_steady,
    lights,
    timed,
)
from companion.leds.palette import PALETTES, Palette, named_palette, parse_palette
from companion.leds.text import FONT, GLYPH_WIDTH, draw_score, text_width
from engine.board import hexhex
from engine.game import load_game, play_turn
from engine.layout import layout_of
from hardware.frame import BLACK
from hardware.layout import plain_layout, preset_layout
from hardware.power import limited
from vision.eye import EyeSettings

BOARD = hexhex(4)
PLAIN = plain_layout(BOARD.names)
DEFAULT = named_palette("default")
GREEN, BROWN, BLUE, WHITE, RED = (0, 96, 0), (96, 32, 0), (0, 0, 96), (96, 96, 96), (96, 0, 0)
COLOUR_OF_TILE = {"virgin": BLACK, "territory": GREEN, "wall": BROWN}

times = st.floats(0, 1e6)
tiles = st.lists(st.sampled_from(sorted(COLOUR_OF_TILE)), min_size=37, max_size=37).map(tuple)

some_cells = st.lists(st.integers(0, 36), max_size=3).map(tuple)


def cells(names: str) -> tuple[int, ...]:
    """Indices of cells by name."""
    return tuple(BOARD.parse(name) for name in names.split())


@given(tiles, times, st.integers(1, 2), st.lists(st.integers(0, 36), max_size=3))
def test_a_position_is_exactly_the_contracts_colours(
    some: tuple[str, ...], now_s: float, player: int, last: list[int]
) -> None:
    """With one LED a cell, whoever is to move and whatever the last move was, at any time, nothing else shows."""
    state = LightsState(some, (12, 7), player, tuple(last))
    frame = lights(state, PLAIN, DEFAULT, now_s)
    assert frame.colours() == tuple(COLOUR_OF_TILE[tile] for tile in some)
    assert limited(frame) == frame


def test_every_position_of_a_game() -> None:
    """A random game, ply by ply: LED i has the colour of the tile of the i-th cell in the order of names."""
    rng = random.Random(5)
    position = load_game("storisende").start(BOARD)
    for text in ("c3,c3,d4", "e4,e4,f4"):
        position = play_turn(position, text)
    for _ in range(40):
        position = play_turn(position, rng.choice([t for t in position.legal_texts() if t != "pass"] or ["pass"]))
        words = tuple(tile for tile, _, _ in position.tiles())
        frame = lights(LightsState(words, position.score(), position.player), PLAIN, DEFAULT, rng.random())
        assert frame.colours() == tuple(COLOUR_OF_TILE[tile] for tile in words)


def test_a_lifted_piece_and_its_targets() -> None:
    """The lifted piece's cell white, its targets blue, the rest as before; all gone when it is put back."""
    state = LightsState(("territory",) * 37, (3, 4), 1)
    up = replace(state, lifted=cells("d4")[0], targets=tuple((c, "wall") for c in cells("d5 d6 c4")))
    frame = lights(up, PLAIN, DEFAULT, 12.3)
    for i in range(37):
        assert frame[i] == (WHITE if i == up.lifted else BLUE if i in cells("d5 d6 c4") else GREEN)
    assert set(lights(state, PLAIN, DEFAULT, 12.4).colours()) == {GREEN}


def test_spare_leds_show_what_a_move_leaves_behind_and_the_last_move() -> None:
    """With three LEDs a cell one of them is a mark; the main one keeps its meaning."""
    layout = preset_layout(BOARD.names, per_cell=3)
    target, last = cells("d5 a3")
    state = LightsState(("virgin",) * 37, (0, 0), 1, (last,), cells("d4")[0], ((target, "wall"),))
    frame = lights(state, layout, DEFAULT, 0.0)
    assert [frame[led] for led in layout.cells[target]] == [BLUE, BLUE, BROWN]
    assert [frame[led] for led in layout.cells[last]] == [BLACK, BLACK, DEFAULT.last]


def test_pulsing_palettes_show_marks_on_single_leds() -> None:
    """Palettes that ask for it show the marks for a moment, and the cell's colour most of the time."""
    palette = named_palette("high-contrast")
    state = LightsState(("territory",) * 37, (0, 0), 1, cells("d4"))
    shown = [lights(state, PLAIN, palette, 0.05 * i)[cells("d4")[0]] for i in range(300)]
    assert set(shown) == {palette.pasture, palette.last}
    assert shown.count(palette.pasture) > 3 * shown.count(palette.last)


def test_reminder_and_alarm_have_different_rhythms() -> None:
    """A reminder blinks slowly over its cell's colour, an alarm flashes over black; both begin lit."""
    reminder = LightsState(("territory",) * 37, (0, 0), 1, reminders=cells("d4"), since_s=100.0)
    alarm = LightsState(("territory",) * 37, (0, 0), 1, alarms=cells("d4"), since_s=100.0)
    clock = [100.0 + 0.05 * i for i in range(96)]
    (cell,) = cells("d4")
    slow = [lights(reminder, PLAIN, DEFAULT, t)[cell] for t in clock]
    fast = [lights(alarm, PLAIN, DEFAULT, t)[cell] for t in clock]
    assert slow[0] == fast[0] == RED
    assert set(slow) == {RED, GREEN}
    assert set(fast) == {RED, BLACK}

    def changes(seen: list[tuple[int, int, int]]) -> int:
        return sum(a != b for a, b in itertools.pairwise(seen))

    assert changes(fast) > 2 * changes(slow) > 0


def test_missing_material_is_pointed_out_after_a_while() -> None:
    """What the turn under way lacks shows only when it has been lacking for some time."""
    state = LightsState(("virgin",) * 37, (0, 0), 1, missing=cells("c3"), since_s=50.0)
    (cell,) = cells("c3")
    assert lights(state, PLAIN, DEFAULT, 51.0)[cell] == BLACK
    assert RED in {lights(state, PLAIN, DEFAULT, 53.0 + 0.1 * i)[cell] for i in range(20)}


def test_the_winner() -> None:
    """The final position stays as it is for a while, then the winner's areas swell, and never any other cell."""
    won = cells("d4 d5")
    state = LightsState(("territory",) * 37, (20, 9), 1, winner=1, won=won, ended_s=10.0)
    assert set(lights(state, PLAIN, DEFAULT, 10.0 + WINNER_AFTER_S - 0.1).colours()) == {GREEN}
    later = [lights(state, PLAIN, DEFAULT, 20.0 + 0.1 * i).colours() for i in range(20)]
    assert len({colours[won[0]] for colours in later}) > 3
    assert {colours[i] for colours in later for i in range(37) if i not in won} == {GREEN}


def test_idle_is_quiet() -> None:
    """A faint wave runs over every cell now and then; before the first the board is dark, as a camera wants it."""
    frames = [lights(LightsState(), PLAIN, DEFAULT, 0.02 * t) for t in range(round(IDLE_PERIOD_S / 0.02))]
    assert {max(frame.rgb) for frame in frames} <= set(range(max(DEFAULT.idle) + 1))
    for cell in range(37):
        assert max(max(frame[cell]) for frame in frames) > max(DEFAULT.idle) // 2
    begun = LightsState(since_s=50.0)
    assert not any(any(lights(begun, PLAIN, DEFAULT, 50.0 + 0.1 * t).rgb) for t in range(70))


@given(
    st.builds(
        LightsState,
        tiles,
        last_move=some_cells,
        lifted=st.none() | st.integers(0, 36),
        reminders=some_cells,
        alarms=some_cells,
        missing=some_cells,
        winner=st.sampled_from([None, 0, 1, 2]),
        won=some_cells,
        since_s=st.floats(0, 10),
    ),
    st.sampled_from(sorted(PALETTES)),
    st.floats(20, 100),
)
def test_lights_rest_so_that_the_camera_can_read_the_board(state: LightsState, palette: str, now_s: float) -> None:
    """Whatever blinks, the cells stay as they are for three times as long as the eye asks for, again and again."""
    within_s, step_s = 2 * WINNER_PERIOD_S, 0.02
    frames = [lights(state, PLAIN, PALETTES[palette], now_s + step_s * i).rgb for i in range(round(within_s / step_s))]
    longest = max(len(list(same)) for _, same in itertools.groupby(frames))
    assert longest * step_s >= 3 * EyeSettings().still_s


@given(tiles, st.integers(0, 255), st.sampled_from(sorted(PALETTES)))
def test_brightness_scales_every_channel(some: tuple[str, ...], brightness: int, name: str) -> None:
    """Brightness 0 is black, 255 is the palette, in between is in proportion."""
    full = lights(LightsState(some), PLAIN, PALETTES[name], 0.0)
    dim = lights(LightsState(some), PLAIN, PALETTES[name], 0.0, brightness)
    assert all(abs(d - f * brightness / 255) <= 0.5 for d, f in zip(dim.rgb, full.rgb, strict=True))


def test_steady_states_need_no_redrawing() -> None:
    """What is called steady is the same at all times; what blinks, scrolls or swells is not called steady."""
    steady = LightsState(("wall",) * 37, (1, 2), 1, lifted=3, targets=((4, "wall"),))
    assert is_steady(steady, PLAIN, DEFAULT)
    assert len({lights(steady, PLAIN, DEFAULT, 0.07 * i).rgb for i in range(100)}) == 1
    small_panel = preset_layout(BOARD.names, panel="8x8")
    for state, layout, palette in (
        (replace(steady, reminders=(5,)), PLAIN, DEFAULT),
        (replace(steady, alarms=(5,)), PLAIN, DEFAULT),
        (replace(steady, missing=(5,)), PLAIN, DEFAULT),
        (replace(steady, winner=1, won=(5,)), PLAIN, DEFAULT),
        (LightsState(), PLAIN, DEFAULT),
        (steady, small_panel, DEFAULT),
        (steady, PLAIN, PALETTES["high-contrast"]),
    ):
        assert not is_steady(state, layout, palette)


def test_blinking_keeps_its_rhythm_while_its_cells_stay() -> None:
    """A new move does not restart a reminder that stands; a new reminder starts anew."""
    first = timed(LightsState(("wall",) * 37, reminders=(3,)), None, 10.0)
    moved = timed(LightsState(("virgin",) * 37, reminders=(3,)), first, 20.0)
    more = timed(LightsState(("virgin",) * 37, reminders=(3, 4)), moved, 30.0)
    assert [state.since_s for state in (first, moved, more)] == [10.0, 10.0, 30.0]


@given(st.sampled_from([REMINDER_BLINK, ALARM_BLINK]), st.floats(0, 1000))
def test_patterns_repeat(pattern: Blink, age_s: float) -> None:
    """A pattern is on at its beginning and periodic."""
    assert is_on(pattern, 0.0)
    for from_s, to_s in pattern:
        assert is_on(pattern, math.floor(age_s / PERIOD_S) * PERIOD_S + (from_s + to_s) / 2)


@pytest.mark.parametrize(
    ("kind", "matrix"),
    [
        # Machado, Oliveira and Fernandes (2009), severity 1.0, linear RGB.
        (
            "protanopia",
            ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
        ),
        (
            "deuteranopia",
            ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
        ),
        (
            "tritanopia",
            ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
        ),
    ],
)
def test_colour_blind_palette_stays_apart(kind: str, matrix: tuple[tuple[float, ...], ...]) -> None:
    """Seen through each kind of colour blindness no two meanings of a cell come closer than these; LEDs are linear."""
    palette = PALETTES["colour-blind"]
    meanings = ("virgin", "pasture", "wall", "target", "lifted")
    seen = {name: np.array(matrix) @ np.array(getattr(palette, name)) for name in meanings}
    for a, b in itertools.combinations(meanings, 2):
        assert np.linalg.norm(seen[a] - seen[b]) > 45, (kind, a, b)


def lit(score: tuple[int, int], width: int, height: int, now_s: float = 0.0, **how: int | None) -> set[tuple[int, int]]:
    """The pixels of a score."""
    shown = draw_score(score, how.get("player") or 0, how.get("winner"), DEFAULT, width, height, now_s)
    return set(shown)


def read_panel(pixels: set[tuple[int, int]], left: int, top: int, letters: int) -> str:
    """The text in lit pixels, letter by letter."""
    glyphs = {rows: letter for letter, rows in FONT.items()}
    text = ""
    for i in range(letters):
        rows = tuple(
            "".join("#" if (left + 4 * i + x, top + y) in pixels else "." for x in range(GLYPH_WIDTH)) for y in range(5)
        )
        text += glyphs[rows]
    return text


@given(st.integers(0, 199), st.integers(0, 99))
def test_a_wide_panel_shows_the_whole_score(a: int, b: int) -> None:
    """32 × 8 holds the longest score of a hexhex-8 board, such as 107-63, and it reads back."""
    text = f"{a}-{b}"
    pixels = lit((a, b), 32, 8)
    assert all(0 <= x < 32 and 0 <= y < 8 for x, y in pixels)
    assert read_panel(pixels, (32 - text_width(text)) // 2, 1, len(text)) == text


def test_a_small_panel_scrolls() -> None:
    """On 8 × 8 every column of the text passes by, and nothing is ever outside the panel."""
    seen: set[tuple[int, ...]] = set()
    for i in range(200):
        pixels = lit((10, 9), 8, 8, i / 6)
        assert all(0 <= x < 8 and 0 <= y < 8 for x, y in pixels)
        seen.add(tuple(sorted(y for x, y in pixels if x == 0)))
    whole = lit((10, 9), 32, 8)
    assert {tuple(sorted(y for x, y in whole if x == column)) for column in range(32)} <= seen


def test_the_player_to_move_is_underlined_and_the_winner_blinks() -> None:
    """The underline is under the mover's number only; at the end the winner's number comes and goes."""
    assert {x for x, y in lit((7, 5), 16, 8, player=2) if y == 7} == {10, 11, 12}
    on, off = lit((7, 5), 16, 8, 0.0, winner=1), lit((7, 5), 16, 8, 0.6, winner=1)
    assert off < on
    assert {x for x, _ in on - off} == {2, 3, 4}


def test_the_panel_is_drawn_through_its_wiring() -> None:
    """A frame with a panel shows the score on the panel's LEDs and the cells on theirs."""
    layout = preset_layout(BOARD.names, panel="16x8")
    frame = lights(LightsState(("territory",) * 37, (7, 5), 1), layout, DEFAULT, 0.0)
    panel = layout.panels[0]
    assert {frame[i] for i in range(37)} == {GREEN}
    assert {(x, y) for x in range(16) for y in range(8) if frame[panel.led(x, y)] != BLACK} == lit(
        (7, 5), 16, 8, player=1
    )


def test_custom_palettes() -> None:
    """A file changes what it names and takes the rest from its base."""
    palette = parse_palette('base = "high-contrast"\nwall = "#102030"\nlast = [1, 2, 3]\npulse_marks = false', "p.toml")
    assert (palette.wall, palette.last, palette.pulse_marks) == ((16, 32, 48), (1, 2, 3), False)
    assert palette.pasture == PALETTES["high-contrast"].pasture


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("wall = [1, 2]", r"p.toml: wall is"),
        ("wall = [1, 2, 256]", "wall is"),
        ('wall = "orange"', "wall is '#rrggbb'"),
        ("fence = [1, 2, 3]", "unknown colour 'fence'; known are virgin"),
        ('base = "neon"', "unknown palette 'neon'; known are default, high-contrast, colour-blind"),
        ("pulse_marks = 1", "pulse_marks is true or false"),
        ("wall = [", "not a TOML file"),
    ],
)
def test_broken_palettes(text: str, says: str) -> None:
    """Each mistake in a palette file has its own sentence."""
    with pytest.raises(InputError, match=says):
        parse_palette(text, "p.toml")


def test_every_tile_of_every_game_has_a_colour() -> None:
    """The start positions of all games can be shown, and an unknown tile is an error, not black."""
    for name in ("storisende", "castle", "phalanx", "hexteroyd"):
        game = load_game(name)
        board = hexhex(int(game.default_board.rpartition("-")[2]))
        words = tuple(tile for tile, _, _ in game.start(board).tiles())
        assert len(lights(LightsState(words), plain_layout(layout_of(board).names), DEFAULT, 0.0)) == len(board)
    with pytest.raises(KeyError):
        Palette().tile("swamp")
