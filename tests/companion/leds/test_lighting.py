"""The lights of a game on a device at a pseudo-terminal, and the `leds` commands."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from calibration.glow import GlowMaps
from companion.game.session import Lifted, SessionState, Setup, Target
from companion.leds.lighting import Lighting
from companion.leds.lights import LightsState, lights, lights_state_of
from companion.leds.options import LedChoice
from companion.leds.palette import named_palette
from companion.leds.twin import draw_twin
from companion.main import main
from engine.board import hexhex
from engine.game import Outcome, load_game, play_turn
from engine.layout import layout_of
from engine.look import CellLook, Surface
from engine.referee.verdict import NO_CELL, Illegal, Pending, Reminder, Step
from hardware.driver import LedDriver
from hardware.frame import LedFrame
from hardware.layout import parse_led_layout, plain_layout, preset_layout
from hardware.protocol import load_protocol
from tests.hardware.pty_device import PtyDevice
from tests.vision.drawn_board import camera
from vision.finding.find import FoundBoard
from vision.frame import Frame

BOARD = hexhex(4)
LAYOUT = layout_of(BOARD)
COLOUR_OF_TILE = {"virgin": (0, 0, 0), "territory": (0, 96, 0), "wall": (96, 32, 0)}
RECORD = """storisende record 1
game: storisende
board: hexhex-4
player 1: Ann
player 2: Bob

  1. c3,c3,d4
  2. e4,e4,f4
  3. c3:1-c4
  4. f4-g5
"""


@pytest.fixture
def device(tmp_path: Path) -> Iterator[PtyDevice]:
    """An Adalight device that greets shortly after the start."""
    made = PtyDevice(tmp_path / "leds", boot_s=0.3)
    yield made
    made.close()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A `storisende leds` command as a user runs it."""
    command = [sys.executable, "-m", "companion", "leds", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def position_frame(*turns: str) -> bytes:
    """The colours of the position after some turns."""
    position = load_game("storisende").start(BOARD)
    for text in turns:
        position = play_turn(position, text)
    return LedFrame.of(COLOUR_OF_TILE[tile] for tile, _, _ in position.tiles()).rgb


def test_states_reach_the_device_and_leave_it_dark(device: PtyDevice) -> None:
    """Each state shown is the device's picture soon afterwards; at the end the LEDs are black."""
    with LedChoice(leds=f"adalight:{device.path}").lighting(LAYOUT) as lighting:
        for tile in ("territory", "wall", "virgin", "wall"):
            lighting.show(LightsState((tile,) * 37, (0, 0), 1))
            assert device.shows(bytes(COLOUR_OF_TILE[tile]) * 37, 3)
    assert device.shows(bytes(111), 2)


def session_state(**known: object) -> SessionState:
    """A session's state in the middle of a game."""
    position = load_game("storisende").start(BOARD)
    for text in ("c3,c3,d4", "e4,e4,f4"):
        position = play_turn(position, text)
    look = position.look()
    fields = {
        "phase": "play", "eye": "watching", "setup": Setup(BOARD), "position": position, "expected": look,
        "table": look, "score": position.score(), "player": position.player,
    }  # fmt: skip
    return SessionState(seq=1, t_s=1.0, frame=1, **{**fields, **known})  # type: ignore[arg-type]


def test_glue_to_the_session() -> None:
    """Lifted piece, targets, reminders, alarms and missing material arrive as cells."""
    bare = CellLook(Surface.BARE)
    step = Step(9, bare, "take the disk off")
    state = lights_state_of(
        session_state(
            lifted=Lifted(9, 2, (Target(11, 2, Surface.DARK, "c3-c5"), Target(0, 2, Surface.BARE, "c3-a4"))),
            reminders=(Reminder(5, bare, ""),),
            pending=Pending(1, "c3-c5", (step,)),
            last_move=(7, 8),
        )
    )
    assert (state.lifted, state.targets) == (9, ((11, "wall"), (0, "territory")))
    assert (state.reminders, state.missing, state.last_move) == ((5,), (9,), (7, 8))
    alarmed = lights_state_of(session_state(alarm=Illegal(1, "no", 9, None, (step, Step(12, bare, "")))))
    assert alarmed.alarms == (9, 12)
    wrong_placement = Pending(1, "", (Step(NO_CELL, bare, "seven men of one colour"),))
    assert lights_state_of(session_state(pending=wrong_placement)).missing == ()
    assert lights_state_of(session_state(phase="looking")) == LightsState()
    assert lights_state_of(session_state(outcome=Outcome("passes", 2))).winner == 2


def test_leds_show_plays_a_record(device: PtyDevice, tmp_path: Path) -> None:
    """Every position of the record appears on the device in turn, lifted pieces between, black at the end."""
    record = tmp_path / "game.txt"
    record.write_text(RECORD)
    done = run("show", str(record), "--leds", f"adalight:{device.path}", "--pace", "0.4")
    assert done.returncode == 0, done.stderr
    assert "4 f4-g5" in done.stdout
    turns = ("c3,c3,d4", "e4,e4,f4", "c3:1-c4", "f4-g5")
    wanted = [position_frame(*turns[:n]) for n in (2, 4)]
    shown = iter(device.pictures)
    assert all(any(picture == frame for picture in shown) for frame in wanted)
    lifted = [p for p in device.pictures if bytes((96, 96, 96)) in p and bytes((0, 0, 96)) in p]
    assert lifted
    assert device.shows(bytes(111), 2)


def test_leds_test_and_find(device: PtyDevice) -> None:
    """`find` says which protocol answered; `test` says how the line stands; a wrong port is exit status 4."""
    found = run("find", str(device.path), str(device.path) + "x")
    assert f"use --leds adalight:{device.path}" in found.stdout
    assert "no such port" in found.stdout
    device.boot_s = 0.0
    tested = run("test", "--board", "hexhex-4", "--leds", f"adalight:{device.path}", "--seconds", "1")
    assert tested.returncode == 0, tested.stderr
    assert "waiting: " in tested.stdout
    assert any(picture.count(96) == 3 for picture in device.pictures)
    missing = run("test", "--board", "hexhex-4", "--leds", f"adalight:{device.path}x")
    assert (missing.returncode, missing.stderr.count("\n")) == (4, 1)


def test_wled_self_test(device: PtyDevice) -> None:
    """A WLED is asked its name and LED count and sends its pixels back; a wrong pixel is named."""
    device.greeting = b""
    device.answers = {
        b"v": b"WLED 2405180\r\n",
        b'{"v":true}': b'{"state":{"on":true},"info":{"leds":{"count":30}}}\r\n',
    }
    colours = bytearray(c for i in range(1, 38) for c in (7 * i % 96, 11 * i % 96, 13 * i % 96))
    colours[3 * 20] += 40
    device.answers[b"L"] = b"\xc9\xda\x00\x6f" + bytes(colours) + b"\x36\n"
    done = run("test", "--board", "hexhex-4", "--leds", f"wled:{device.path}", "--seconds", "0.2")
    assert done.returncode == 0, done.stderr
    assert "set up for 30 LEDs, the layout has 37" in done.stdout
    assert "36 of 37 LEDs read back as sent; the first wrong one is LED 20" in done.stdout
    del device.answers[b"v"]
    silent = run("test", "--board", "hexhex-4", "--leds", f"wled:{device.path}")
    assert silent.returncode == 4
    assert "no WLED answered" in silent.stderr


def test_leds_layout_writes_a_file_and_a_picture(tmp_path: Path) -> None:
    """The written layout reads back, and the picture shows every LED's number and every cell's name."""
    out = tmp_path / "leds.toml"
    done = run("layout", "--board", "hexhex-5", "--per-cell", "3", "--panel", "8x8", "--out", str(out))
    assert done.returncode == 0, done.stderr
    names = hexhex(5).names
    assert parse_led_layout(out.read_text(), "leds.toml", names) == preset_layout(names, True, 3, "8x8")
    texts = [text.text for text in ET.parse(out.with_suffix(".svg")).iter() if text.tag.endswith("text")]
    assert set(names) <= set(texts)
    assert {str(led) for led in range(3 * 61 + 64)} <= set(texts)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--leds", "artnet:x"), "known are adalight, tpm2, wled"),
        (("--leds", "adalight"), "PROTOCOL:PORT"),
        ((), "give --leds"),
        (("--twin", "--palette", "neon"), "unknown palette 'neon'"),
        (("--twin", "--led-layout", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each mistake gives one line and exit status 2."""
    monkeypatch.setattr(sys, "argv", ["storisende", "leds", "test", "--board", "hexhex-4", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    told = capsys.readouterr().err
    assert (left.value.code, told.count("\n")) == (2, 1)
    assert says in told


def test_the_twin_draws_every_led() -> None:
    """A block for each LED of a cell, in its colour, and the panel in half blocks."""
    layout = preset_layout(BOARD.names, per_cell=3, panel="8x8")
    frame = lights(LightsState(("wall",) * 37, (1, 2), 1), layout, named_palette("default"), 0.0)
    console = Console(width=80, force_terminal=True, color_system="truecolor")
    with console.capture() as drawn:
        console.print(draw_twin(frame, layout, LAYOUT))
    text = drawn.get()
    assert text.count("█") == 111
    assert text.count("▀") == 32
    plain = lights(LightsState(("territory",) * 37), plain_layout(BOARD.names), named_palette("default"), 0.0)
    with console.capture() as drawn:
        console.print(draw_twin(plain, plain_layout(BOARD.names), LAYOUT))
    assert "38;2;24;230;24" in drawn.get()


def test_a_source_is_cleared_of_the_lights(device: PtyDevice) -> None:
    """With a measured glow the frames lose what the LEDs add at the moment; without one the source is left alone."""
    maps = GlowMaps(np.full((37, 12, 16), 0.01, np.float32), np.eye(3, dtype=np.float32)[::-1].copy(), (128, 96))
    grey = np.full((96, 128, 3), 128, np.uint8)

    class Camera:
        live, frames = True, None

        def __iter__(self) -> Iterator[Frame]:
            yield Frame(grey, 0.0, 0)
            yield Frame(grey, 0.1, 1, "the lens is covered")

        def close(self) -> None: ...

    bare = Camera()
    driver = LedDriver(load_protocol("adalight"), str(device.path), plain_layout(BOARD.names))
    with Lighting(plain_layout(BOARD.names), named_palette("default"), driver=driver, glow=maps) as lighting:
        lighting.show(LightsState(("territory",) * 37))
        assert device.shows(bytes((0, 96, 0)) * 37, 3)
        cleared, covered = (frame.image for frame in lighting.clear(bare, lambda: None))
    assert list(cleared[0, 0]) == [128, 81, 128]  # 255 · ((128 / 255)^2.2 − 37 · 0.01 · 96 / 255)^(1 / 2.2)
    assert covered is grey
    assert Lighting(plain_layout(BOARD.names), named_palette("default")).clear(bare, lambda: None) is bare


@pytest.mark.parametrize("told", [False, True])
def test_the_glow_follows_the_board(device: PtyDevice, told: bool) -> None:
    """Measured where its file says that the board was, or where it was found at first, it is taken off where the board
    is found later."""
    shapes = np.zeros((37, 12, 16), np.float32)
    shapes[:, 3, 4] = 0.01
    first = camera(LAYOUT, 20, size=(128, 96))
    pose = first.shifted(np.array([-16.0, 8.0])) if told else None
    maps = GlowMaps(shapes, np.eye(3, dtype=np.float32)[::-1].copy(), (128, 96), pose)
    grey = np.full((96, 128, 3), 128, np.uint8)
    found: list[FoundBoard | None] = []

    class Camera:
        live, frames = True, None

        def __iter__(self) -> Iterator[Frame]:
            for at in (None, first, first.shifted(np.array([40.0, 24.0]))):
                found[:] = [None if at is None else FoundBoard(at, 0.1, 1.0)]
                yield Frame(grey, 0.0, 0)

        def close(self) -> None: ...

    driver = LedDriver(load_protocol("adalight"), str(device.path), plain_layout(BOARD.names))
    with Lighting(plain_layout(BOARD.names), named_palette("default"), driver=driver, glow=maps) as lighting:
        lighting.show(LightsState(("territory",) * 37))
        assert device.shows(bytes((0, 96, 0)) * 37, 3)
        images = [frame.image for frame in lighting.clear(Camera(), lambda: found[0])]
    darkest = [np.unravel_index(int(image[..., 1].argmin()), (96, 128)) for image in images]
    gone = np.subtract(darkest[1:], [darkest[0]] * 2) - ([[-8, 16], [16, 56]] if told else [[0, 0], [24, 40]])
    assert np.abs(gone).max() <= 6
