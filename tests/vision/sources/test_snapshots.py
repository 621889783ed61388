"""Cameras that give one picture a request, by a web server on the loopback that does so."""

import base64
import hashlib
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
import pytest

from vision.errors import CameraError
from vision.frame import Frame, SourceSettings
from vision.sources import open_source
from vision.sources._snapshots import Snapshots, without_password

_NAME, _PASSWORD, _REALM, _NONCE = "arbiter", "p@ss/word", "table", "abc"


class SnapshotCamera(ThreadingHTTPServer):
    """Gives a picture a request, each filled with its number; `asks` for a password ("Basic", "Digest") or not."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asks, self.sent, self.failing, self.kind = "", 0, 0, "image/jpeg"
        self.asked, self.hangs_s = 0, 0.0
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def url(self, person: str = "") -> str:
        """Where its pictures are."""
        return f"http://{person}127.0.0.1:{self.server_address[1]}/cgi/snapshot"


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        camera = self.server
        assert isinstance(camera, SnapshotCamera)
        camera.asked += 1
        time.sleep(camera.hangs_s)
        if not self._welcome(camera.asks, self.headers.get("Authorization", "")):
            nonce = f', nonce="{_NONCE}", algorithm=MD5' if camera.asks == "Digest" else ""
            self.send_response(401)
            self.send_header("WWW-Authenticate", f'{camera.asks} realm="{_REALM}"{nonce}')
            self.end_headers()
            return
        if camera.failing:
            camera.failing -= 1
            self.send_error(503)
            return
        camera.sent += 1
        picture = np.full((24, 32, 3), 40 + camera.sent % 200, np.uint8)
        data = cv2.imencode(".jpg", picture)[1].tobytes() if camera.kind.startswith("image") else b"<p>a page</p>"
        self.send_response(200)
        self.send_header("Content-Type", camera.kind)
        self.end_headers()
        self.wfile.write(data)

    def _welcome(self, asks: str, told: str) -> bool:
        """Whether who asks is known, by RFC 7617 and RFC 2069's digest."""
        if asks == "Basic":
            return told == "Basic " + base64.b64encode(f"{_NAME}:{_PASSWORD}".encode()).decode()
        if asks == "Digest":
            person, place = (_md5(text) for text in (f"{_NAME}:{_REALM}:{_PASSWORD}", f"GET:{self.path}"))
            given = re.search(r'response="(\w+)"', told)
            return given is not None and given[1] == _md5(f"{person}:{_NONCE}:{place}")
        return True


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@pytest.fixture
def camera() -> Iterator[SnapshotCamera]:
    """A camera that is running."""
    server = SnapshotCamera()
    yield server
    server.shutdown()
    server.server_close()


def _frames(url: str, count: int, fps: float = 50.0) -> list[Frame]:
    source = open_source(url, SourceSettings(fps=fps))
    frames = []
    try:
        for frame in source:
            frames.append(frame)
            if len(frames) == count:
                break
    finally:
        source.close()
    return frames


def test_pictures_are_asked_for_again_and_again(camera: SnapshotCamera) -> None:
    """A live source whose pictures are new ones; it does not end after the first."""
    frames = _frames(camera.url(), 5)
    levels = [int(frame.image[0, 0, 0]) for frame in frames]
    assert levels == sorted(set(levels))
    assert not any(frame.trouble for frame in frames)
    assert frames[0].image.shape == (24, 32, 3)


def test_a_camera_that_is_asked_rarely_is_not_lost(camera: SnapshotCamera, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time until it is asked again is no trouble, however long."""
    monkeypatch.setattr("vision.sources._live.FROZEN_S", 0.2)
    assert not any(frame.trouble for frame in _frames(camera.url(), 3, fps=1.25))


@pytest.mark.parametrize("asks", ["Basic", "Digest"])
def test_a_password_in_the_address_is_given_and_never_shown(camera: SnapshotCamera, asks: str) -> None:
    """Whichever way the camera asks for it; without one, and with a wrong one, one line says what to do."""
    camera.asks = asks
    assert len(_frames(camera.url("arbiter:p%40ss%2Fword@"), 3)) == 3
    for person in ("", "arbiter:secret@"):
        with pytest.raises(
            CameraError, match=r": name and password go into the address, http://name:password@…$"
        ) as no:
            open_source(camera.url(person))
        assert "secret" not in str(no.value)


def test_a_request_that_is_lost_is_made_again(camera: SnapshotCamera) -> None:
    """One or two are nothing; after three in turn there is no picture."""
    snapshots = Snapshots(camera.url(), 100.0)
    camera.failing = 2
    assert snapshots.read()[0]
    camera.failing = 3
    assert not snapshots.read()[0]
    assert snapshots.read()[0]


def test_a_camera_that_hangs_is_asked_once(camera: SnapshotCamera, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three times in turn would hold the program up for three times as long."""
    monkeypatch.setattr("vision.sources._snapshots._TIMEOUT_S", 0.3)
    camera.hangs_s = 0.8
    assert not Snapshots(camera.url(), 100.0).read()[0]
    assert camera.asked == 1


def test_an_address_that_gives_no_picture_is_no_camera(camera: SnapshotCamera) -> None:
    """A page of text, and a server that answers with an error."""
    camera.kind = "text/html"
    with pytest.raises(CameraError, match="nothing there that OpenCV can play"):
        open_source(camera.url())
    camera.failing = 10
    with pytest.raises(CameraError, match="the answer is 503"):
        open_source(camera.url())


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("rtsp://me:word@cam.local:554/live@1", "rtsp://cam.local:554/live@1"),
        ("http://me:w@rd@10.0.0.7", "http://10.0.0.7"),
        ("http://me:w/rd@cam/a.jpg", "http://cam/a.jpg"),
        ("http://cam/a@b", "http://cam/a@b"),
        ("http://cam:80/a@b", "http://cam:80/a@b"),
        ("pictures/a@b.jpg", "pictures/a@b.jpg"),
        ("0", "0"),
    ],
)
def test_addresses_are_shown_without_their_password(given: str, shown: str) -> None:
    """What stands before the host goes; the rest stays."""
    assert without_password(given) == shown
