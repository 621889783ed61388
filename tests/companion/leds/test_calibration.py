"""`storisende calibrate leds` as a user runs it: a network camera before a drawn board whose LEDs an emulated Arduino
lights; the order of the strip is found by what glows."""

import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.glow import load_glow
from engine.layout import named_layout
from hardware.layout import parse_led_layout
from tests.emulator.uno import EmulatedUno, build_emulator, build_firmware
from tests.footage_places import SAMPLES
from tests.vision.drawn_board import camera, draw
from vision.picture import Picture

LAYOUT = named_layout("hexhex-4")


class GlowCamera(ThreadingHTTPServer):
    """A network camera (motion JPEG) that sees a board and the glow of the emulated device's LEDs."""

    daemon_threads = True

    def __init__(self, uno: EmulatedUno, cells: list[int]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.uno = uno
        self.pose = pose = camera(LAYOUT, 20, size=(640, 480))
        self.rng = np.random.default_rng(1)
        self.grain = self.rng.normal(0, 1.5, (480, 740, 3)).astype(np.float32)
        self.board = draw(LAYOUT, pose).astype(np.float32)
        centres = np.array([(x, y, 0.0) for x, y in LAYOUT.centres_mm])
        self.leds_px = pose.project(centres)[cells]
        self.spread_px = 0.25 * float(np.median(pose.pitch_px(centres, LAYOUT.pitch_mm)))
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def picture(self) -> Picture:
        """What the camera sees now."""
        image, reach = self.board.copy(), 4 * self.spread_px
        colours = self.uno.pictures[-1][1] if self.uno.pictures else b""
        for led, (x, y) in enumerate(self.leds_px):
            level = max(colours[3 * led : 3 * led + 3], default=0)
            if level:
                left, top = int(x - reach), int(y - reach)
                rows, columns = np.ogrid[top : int(y + reach), left : int(x + reach)]
                near = np.exp(-0.5 * ((columns - x) ** 2 + (rows - y) ** 2) / self.spread_px**2)
                image[top : int(y + reach), left : int(x + reach)] += level * near[..., None]
        image += self.rng.normal(0, 1.5, (1, 1, 3)) + self.grain[:, self.rng.integers(100) :][:, : image.shape[1]]
        return np.clip(image, 0, 255).astype(np.uint8)


class _Handler(BaseHTTPRequestHandler):
    server: GlowCamera

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        try:
            while True:
                _, jpeg = cv2.imencode(".jpg", self.server.picture())
                self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + jpeg.tobytes() + b"\r\n")
                time.sleep(0.04)
        except OSError:
            pass

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def uno(tmp_path: Path) -> Iterator[EmulatedUno]:
    """An emulated Uno."""
    device = EmulatedUno(build_emulator(tmp_path), build_firmware(tmp_path), tmp_path / "uno", boot_ms=200)
    yield device
    device.close()


def test_the_strip_is_found_by_camera(uno: EmulatedUno, tmp_path: Path) -> None:
    """LEDs in a random order under the cells: the written layout has each under its true cell, and the glow file says
    where the board was and that each cell is brightest at its own place."""
    cells = list(range(37))
    random.Random(2).shuffle(cells)
    eye = GlowCamera(uno, cells)
    out, glow = tmp_path / "leds.toml", tmp_path / "leds.npz"
    command = [sys.executable, "-m", "companion", "calibrate", "leds", f"http://127.0.0.1:{eye.server_address[1]}/live"]
    command += ["--board", "hexhex-4", "--leds", f"adalight:{uno.path}", "--out", str(out), "--settle", "0.3"]
    command += ["--glow", str(glow)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=110)
    finally:
        eye.shutdown()
        eye.server_close()
    assert done.returncode == 0, done.stderr
    assert "37 LEDs in 17 pictures" in done.stdout
    assert re.search(r"looking for the LEDs: \d+ pictures", done.stdout)  # how far it is, while it lasts
    layout = parse_led_layout(out.read_text(), "leds.toml", LAYOUT.names)
    assert [layout.cells[cell] for cell in cells] == [(led,) for led in range(37)]
    maps, centres = load_glow(glow), np.array([(x, y, 0.0) for x, y in LAYOUT.centres_mm])
    assert maps.pose is not None
    places = maps.pose.project(centres)
    assert np.abs(places - eye.pose.project(centres)).max() < 2.0
    brightest = [np.unravel_index(int(shape.argmax()), shape.shape)[::-1] for shape in maps.shapes]
    assert np.abs(8 * np.array(brightest) + 3.5 - places).max() < 8.0


def test_a_film_is_no_camera(tmp_path: Path) -> None:
    """LEDs have to be seen as they are lit: a film is refused in one line."""
    sample = SAMPLES / "sample.mp4"
    command = [sys.executable, "-m", "companion", "calibrate", "leds", str(sample), "--board", "hexhex-4"]
    command += ["--leds", "adalight:/dev/null", "--out", str(tmp_path / "leds.toml")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is no camera" in done.stderr
