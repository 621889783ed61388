"""A lens is calibrated from the page: the target before a live camera, ended by the page's button."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import pytest

from calibration.profile import load_profile
from companion.page.calibration import Calibration
from tests.calibration.test_lens import LENS, POSES, photograph


class _TargetCamera(BaseHTTPRequestHandler):
    """A network camera that shows the target another way every 0.45 s."""

    pictures: tuple[bytes, ...] = ()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        picture = self.pictures[int(time.monotonic() / 0.45) % len(self.pictures)]
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg")
        self.send_header("Content-Length", str(len(picture)))
        self.end_headers()
        self.wfile.write(picture)


@pytest.fixture
def camera() -> Iterator[str]:
    """The address of the camera."""
    _TargetCamera.pictures = tuple(cv2.imencode(".jpg", photograph(pose))[1].tobytes() for pose in POSES)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _TargetCamera)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/picture.jpg"
    server.shutdown()


def test_a_lens_is_calibrated_until_enough_is_shown(camera: str, tmp_path: Path) -> None:
    """Stop uses what was seen, though the server was begun where Ctrl-C is ignored, as shells do in the background;
    what is missing is said meanwhile, and tilts are no longer when they were shown."""
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    calibration = Calibration()
    try:
        calibration.start("lens", [camera, "--out", str(tmp_path / "lens.toml")])
    finally:
        signal.signal(signal.SIGINT, usual)
    said: list[str] = []
    while not said or int(said[-1].split()[0]) < 14:
        assert calibration.state()["running"], said
        time.sleep(0.1)
        said = calibration.state()["lines"]
    assert "hold the target where it has not been yet" in said[0]
    assert "tilt" not in said[-1]
    calibration.stop()
    while (state := calibration.state())["running"]:
        time.sleep(0.1)
    assert state["good"], state
    profile = load_profile(tmp_path / "lens.toml")
    assert profile.lens is not None
    assert profile.lens.lens.fx_px == pytest.approx(LENS.fx_px, rel=0.02)


def test_a_calibration_that_fails_says_why() -> None:
    """The command's own sentence."""
    calibration = Calibration()
    calibration.start("lens", ["nowhere.mp4", "--out", os.devnull])
    while calibration.state()["running"]:
        time.sleep(0.05)
    time.sleep(0.1)
    assert not calibration.state()["good"]
    assert calibration.state()["lines"][-1].startswith("storisende:")
