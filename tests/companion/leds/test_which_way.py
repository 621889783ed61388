"""Which way round a board lies, asked of its lights: a device on a pty, a real eye, pictures that show its LEDs."""

import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibration.glow import GlowMaps
from companion.following import follow, which_way_of
from companion.game.session import Session, Setup
from companion.leds.options import LedChoice
from companion.options import read_material
from companion.seeing import make_eye
from engine.board import hexhex
from engine.layout import named_layout
from tests.footage_places import SAMPLES
from tests.hardware.pty_device import PtyDevice
from vision.eye import Eye
from vision.finding.find import FoundBoard, find_board
from vision.finding.turning import CellLights, a_sixth_of, lit_turn, turns_of
from vision.frame import Frame

LAYOUT = named_layout("hexhex-4")
CENTRES = np.array([(x, y, 0.0) for x, y in LAYOUT.centres_mm])
MATERIAL = read_material("red,purple", "beige,dark")
HEXAGONS = ["hexhex-3", "hexhex-4", "hexhex-5"]


class LitTable:
    """A live camera over the sample film's first table, on which a device's LEDs show: LED i at cell `order[i]` of the
    board as it is found; `order` None: they do not show at all."""

    live, frames = True, None

    def __init__(self, device: PtyDevice, order: NDArray[np.intp] | None) -> None:
        ok, self.picture = cv2.VideoCapture(str(SAMPLES / "sample.mp4")).read()
        assert ok
        found = find_board(self.picture, LAYOUT, None, MATERIAL)
        assert isinstance(found, FoundBoard)
        self.pose, self.device, self.order = found.pose, device, order
        self.lit = 0

    def __iter__(self) -> Iterator[Frame]:
        rng, begun_s = np.random.default_rng(1), time.monotonic()
        for index in range(240):
            time.sleep(0.03)
            light = self._light() if self.order is not None else 0.0
            noise = rng.normal(0, 1.5, self.picture.shape)
            image = np.clip(self.picture + light + noise, 0, 255).astype(np.uint8)
            yield Frame(image, time.monotonic() - begun_s, index)

    def _light(self) -> NDArray[np.float64]:
        """What the LEDs that are on add, (H, W, 1)."""
        light = np.zeros(self.picture.shape[:2], np.uint8)
        shown = self.device.pictures[-1] if self.device.pictures else bytes(3 * len(CENTRES))
        assert self.order is not None
        for led, cell in enumerate(self.order):
            if level := max(shown[3 * led : 3 * led + 3]):
                outline = LAYOUT.pitch_mm / 3**0.5 * np.exp(1j * np.radians(30 + 60 * np.arange(6)))
                corners = CENTRES[cell] + np.stack([outline.real, outline.imag, 0 * outline.real], 1)
                cv2.fillConvexPoly(light, np.round(self.pose.project(corners)).astype(np.int32), level // 4)
        return light[..., None].astype(np.float64)

    def close(self) -> None:
        pass


@pytest.fixture
def device(tmp_path: Path) -> Iterator[PtyDevice]:
    """A device that greets after half a second."""
    made = PtyDevice(tmp_path / "tty", boot_s=0.5)
    yield made
    made.close()


def _watch(table: LitTable, glow: Path | None = None) -> tuple[Eye, Session, str]:
    """The eye and the session once the board has been told to the session, and what is remarked about the lights."""
    eye, session = make_eye(LAYOUT, MATERIAL, None), Session(Setup(hexhex(4), ("red", "purple")))
    choice = LedChoice(leds=f"adalight:{table.device.path}", led_glow=glow)
    with choice.lighting(LAYOUT) as lighting:
        lighting.follow(session)
        lighting.wait_ready()
        frames = lighting.clear(table, lambda: eye.found)
        for _ in follow(frames, eye, session, which_way_of(frames, lighting, LAYOUT)):
            if session.state.phase != "looking":
                break
        return eye, session, lighting.remark


@pytest.mark.parametrize("sixths", [0, 2, 5])
def test_the_board_is_taken_as_its_lights_lie(device: PtyDevice, sixths: int) -> None:
    """The cell of LED i is called the i-th, whichever way round the strip lies before the camera."""
    order = turns_of(LAYOUT)[sixths] if sixths else np.arange(len(CENTRES))
    table = LitTable(device, order)
    eye, session, remark = _watch(table)
    assert eye.found is not None
    assert np.abs(eye.found.pose.project(CENTRES) - table.pose.project(CENTRES[order])).max() < 3.0
    assert [event.kind for event in session.events()] == ["found"]
    assert remark == ""


def test_lights_whose_glow_is_known_are_asked_too(device: PtyDevice, tmp_path: Path) -> None:
    """While they are asked their light stays in the pictures, however bright it was when it was measured."""
    shapes = np.ones((len(CENTRES), 68, 120), np.float32)
    ok, picture = cv2.VideoCapture(str(SAMPLES / "sample.mp4")).read()
    assert ok
    size_px = picture.shape[1], picture.shape[0]
    GlowMaps(shapes, np.eye(3, dtype=np.float32), size_px).save(tmp_path / "leds.npz")
    order = turns_of(LAYOUT)[2]
    table = LitTable(device, order)
    eye, _, remark = _watch(table, tmp_path / "leds.npz")
    assert eye.found is not None
    assert np.abs(eye.found.pose.project(CENTRES) - table.pose.project(CENTRES[order])).max() < 3.0
    assert remark == ""


def test_lights_that_are_not_seen_hold_nothing_up(device: PtyDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """The board stays as it lies in the picture, and people are told."""
    monkeypatch.setattr("companion.leds.which_way._SHOWS_S", 0.5)
    table = LitTable(device, None)
    eye, session, remark = _watch(table)
    assert eye.found is not None
    assert np.abs(eye.found.pose.project(CENTRES) - table.pose.project(CENTRES)).max() < 3.0
    assert session.state.phase == "placement"
    assert remark.startswith("the camera does not see which way round they lie; ")


@pytest.mark.parametrize("name", HEXAGONS)
def test_a_sixth_shares_no_cell_with_itself_turned(name: str) -> None:
    """All six together are the board but for its middle."""
    layout = named_layout(name)
    sixth = list(a_sixth_of(layout))
    cells = [*sixth, *(int(cell) for order in turns_of(layout).values() for cell in order[sixth])]
    assert len(cells) == len(set(cells)) == len(layout.names) - 1


@given(
    st.sampled_from([*HEXAGONS[1:], "diamond-6"]),
    st.integers(0, 5),
    st.floats(5, 60),
    st.integers(0, 2**32 - 1),
    st.floats(-30, 30),
)
def test_the_turn_is_read_from_what_became_brighter(
    name: str, sixths: int, gain: float, seed: int, drift: float
) -> None:
    """Whatever the light in the room does meanwhile, and though men stand on a quarter of the lit cells; nothing is
    read from a board that became brighter or darker as a whole."""
    layout, rng = named_layout(name), np.random.default_rng(seed)
    lit = a_sixth_of(layout)
    orders = {0: np.arange(len(layout.names)), **turns_of(layout)}
    sixths, order = list(orders.items())[sixths % len(orders)]
    rises = rng.normal(drift, 0.5, len(layout.names))
    assert lit_turn(layout, rises, lit) is None
    free = rng.permutation(np.array(lit))[: max(1, len(lit) * 3 // 4)]
    rises[order[free]] += gain
    assert lit_turn(layout, rises, lit) == sixths


def test_the_light_of_a_cell_is_its_own() -> None:
    """A cell that is painted brighter, and no other, has a higher level."""
    table = cv2.VideoCapture(str(SAMPLES / "sample.mp4")).read()[1]
    found = find_board(table, LAYOUT, None, MATERIAL)
    assert isinstance(found, FoundBoard)
    cells = CellLights(found.pose, LAYOUT, table.shape[1], table.shape[0])
    before = cells.levels(table)
    x, y = found.pose.project(CENTRES)[17]
    cv2.circle(table, (round(x), round(y)), 8, (255, 255, 255), -1)
    assert [cell for cell, rise in enumerate(cells.levels(table) - before) if abs(rise) > 1.0] == [17]
