"""LED layouts: presets, files, wiring of panels, and what a broken file is told."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import hexhex
from hardware.errors import LedLayoutError
from hardware.frame import LedFrame
from hardware.layout import ORDERS, WIRINGS, LedLayout, Panel, parse_led_layout, plain_layout, preset_layout

NAMES = hexhex(4).names


def test_plain_layout_follows_the_names() -> None:
    """LED i is the i-th cell in the order of names: a3, a4 … g6."""
    layout = plain_layout(NAMES)
    assert (layout.names[0], layout.cells[0]) == ("a3", (0,))
    assert (layout.names[-1], layout.cells[-1]) == ("g6", (36,))


def test_serpentine_turns_every_second_row() -> None:
    """Row a runs left to right, row b right to left."""
    layout = preset_layout(NAMES, serpentine=True)
    leds = dict(zip(layout.names, layout.cells, strict=True))
    assert [leds[name] for name in ("a3", "a6", "b6", "b2", "c2")] == [(0,), (3,), (4,), (8,), (9,)]


def test_three_leds_a_cell_have_the_middle_one_first() -> None:
    """The main LED of a cell is the middle of its three."""
    layout = preset_layout(NAMES, per_cell=3)
    assert layout.cells[1] == (4, 3, 5)
    assert layout.count == 111


@given(
    st.integers(3, 8),
    st.booleans(),
    st.integers(1, 15),
    st.sampled_from(["", "8x8", "32x8"]),
)
def test_a_written_layout_reads_back(base: int, serpentine: bool, per_cell: int, panel: str) -> None:
    """Writing a preset as a file and reading it gives the same layout."""
    layout = preset_layout(hexhex(base).names, serpentine, per_cell, panel)
    assert parse_led_layout(layout.as_toml(), "leds.toml", layout.names) == layout


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from(WIRINGS))
def test_every_pixel_of_a_panel_has_its_own_led(width: int, height: int, wiring: str) -> None:
    """A panel's wiring is a one-to-one map, and serpentine ones step to a neighbouring pixel."""
    panel = Panel("score", width, height, 5, wiring)
    places = {panel.led(x, y): (x, y) for x in range(width) for y in range(height)}
    assert sorted(places) == list(panel.leds)
    if wiring.startswith("serpentine"):
        order = [places[led] for led in panel.leds]
        assert all(abs(ax - bx) + abs(ay - by) == 1 for (ax, ay), (bx, by) in pairwise(order))


def test_colour_orders() -> None:
    """GRB sends green first; each order is a permutation."""
    frame = LedFrame.of([(1, 2, 3), (4, 5, 6)])
    for order in ORDERS:
        wired = LedLayout(2, ("a1", "a2"), ((0,), (1,)), order=order).wired(frame)
        assert wired[0] == tuple(1 + "RGB".index(letter) for letter in order)
        assert sorted(wired[1]) == [4, 5, 6]


def broken(text: str) -> str:
    """What a broken layout file of the board a1, a2 is told."""
    with pytest.raises(LedLayoutError) as caught:
        parse_led_layout(text, "leds.toml", ("a1", "a2"))
    assert str(caught.value).startswith("leds.toml: ")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("leds = [", "not a TOML file"),
        ("leds = 2\nlamps = 3", "unknown key 'lamps'"),
        ("[cells]\na1 = 0\na2 = 1", "leds is missing"),
        ("leds = 2", r"\[cells\] is missing"),
        ("leds = true\n[cells]\na1 = 0\na2 = 1", "leds is a whole number, not True"),
        ("leds = 2\n[cells]\na1 = 0", "cell a2 has no LED"),
        ("leds = 2\n[cells]\na1 = 0\na2 = []", "cell a2 has no LED"),
        ("leds = 2\n[cells]\na1 = 0\na2 = 1\nz9 = 1", r"cell z9 is not on this board \(a1 … a2\)"),
        ("leds = 2\n[cells]\na1 = 0\na2 = 0", "LED 0 is used twice: by cell a1 and by cell a2"),
        ("leds = 2\n[cells]\na1 = 0\na2 = 2", "cell a2 uses LED 2, but there are only LEDs 0 to 1"),
        ("leds = 4\n[cells]\na1 = 0\na2 = 1", "no cell or panel uses LED 2, 3"),
        ("leds = 3\nunused = [1]\n[cells]\na1 = 0\na2 = 1", "LED 1 is used twice: by cell a2 and by the list 'unused'"),
        ('leds = 2\n[cells]\na1 = 0\na2 = "1"', r"cells\.a2 is a whole number, not '1'"),
        ('leds = 2\ncolor_order = "RGBW"\n[cells]\na1 = 0\na2 = 1', "color_order is one of RGB"),
        ("leds = 2\nceiling = 255\n[cells]\na1 = 0\na2 = 1", "ceiling is 1 to 175, not 255"),
        ("leds = 2\nlimit_ma = 0\n[cells]\na1 = 0\na2 = 1", "current limit is more than 0"),
        ("leds = 2\nbaud = 7\n[cells]\na1 = 0\na2 = 1", "baud is"),
        ("leds = 6\n[cells]\na1 = 0\na2 = 1\n[[panels]]\nwidth = 2\nheight = 2", r"panels\[0\].first is missing"),
        (
            "leds = 6\n[cells]\na1 = 0\na2 = 1\n[[panels]]\nwidth = 2\nheight = 2\nfirst = 1",
            "LED 1 is used twice: by cell a2 and by panel 'score'",
        ),
        (
            'leds = 6\n[cells]\na1 = 0\na2 = 1\n[[panels]]\nwidth = 2\nheight = 2\nfirst = 2\nwiring = "spiral"',
            "wiring is one of rows",
        ),
        ("leds = 2\n[cells]\na1 = 0\na2 = 1\n[panels]\nwidth = 1", r"written as \[\[panels\]\]"),
    ],
)
def test_broken_files_are_told_what_and_where(text: str, says: str) -> None:
    """Each mistake in a layout file has its own sentence."""
    with pytest.raises(LedLayoutError, match=says):
        parse_led_layout(text, "leds.toml", ("a1", "a2"))
    assert "\n" not in broken(text)


@pytest.mark.parametrize("panel", ["8", "x8", "8x", "0x8", "ax8"])
def test_a_panel_is_two_numbers(panel: str) -> None:
    """WIDTHxHEIGHT or an error that shows the form."""
    with pytest.raises(LedLayoutError, match="panel"):
        preset_layout(NAMES, panel=panel)
