"""Sources by real parts: the sample film, pictures on disk, and motion JPEG from a server on the loopback."""

import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.referee.patience import Patience
from tests.footage_places import SAMPLES
from tests.vision.kept import FILMS, PICTURES
from vision.errors import CameraError, SourceError
from vision.frame import Frame, SourceSettings
from vision.sources import kinds, open_source
from vision.sources._live import BLACK_S, FROZEN_S, Health

FILM = SAMPLES / "sample.mp4"
FILM_FRAMES, FILM_FPS = 884, 12


def test_every_kind_is_found_by_its_file() -> None:
    """A new file in the folder is a new kind."""
    assert {"camera", "film", "folder", "stream"} <= set(kinds())


def test_a_film_gives_every_frame_with_its_number_and_time() -> None:
    """Frame i of a film with 12 frames a second was taken at i / 12 s; the pictures are those that OpenCV decodes."""
    source = open_source(str(FILM))
    assert source.frames == FILM_FRAMES
    assert not source.live
    plain, count = cv2.VideoCapture(str(FILM)), 0
    for frame in source:
        assert frame.index == count
        assert frame.t_s == pytest.approx(count / FILM_FPS, abs=1e-6)
        ok, image = plain.read()
        if count % 100 == 0:
            assert ok
            assert np.array_equal(frame.image, image)
        count += 1
    assert count == FILM_FRAMES


@pytest.mark.parametrize("interval_s", [None, 2.0])
def test_pictures_of_a_film_are_made_to_fit(interval_s: float | None) -> None:
    """Each as it is decoded; those that are moments each stay as they are."""
    settings = SourceSettings(interval_s=interval_s, fit=lambda image: image[:90, :160])
    source = open_source(str(FILM), settings)
    frame = next(iter(source))
    source.close()
    assert frame.image.shape == ((540, 960, 3) if interval_s else (90, 160, 3))


def test_a_frame_that_stood_is_given_for_as_long() -> None:
    """A film that leaves out frames like the one before: 13 frames 1/12 s apart, two seconds of the last, 13 more."""
    frames = list(open_source(str(FILMS / "uneven.mp4")))
    assert sorted({frame.index for frame in frames}) == list(range(26))
    times = [frame.t_s for frame in frames if frame.index <= 13]
    assert max(after - before for before, after in pairwise(times)) < 0.25
    assert [frame.index for frame in frames] == sorted(frame.index for frame in frames)
    counts = Counter(frame.index for frame in frames)
    assert {index for index, count in counts.items() if count > 1} == {12, 25}
    assert 14 <= counts[12] <= 17


@pytest.mark.parametrize(("fps", "moments"), [(1.0, True), (2.0, True), (4.0, False)])
def test_frames_that_are_far_apart_are_moments_of_their_own(tmp_path: Path, fps: float, moments: bool) -> None:
    """As in a time-lapse film whose interval was told; what is told counts more."""
    writer = cv2.VideoWriter(str(tmp_path / "slow.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), fps, (320, 240))
    for level in range(60, 180, 10):
        writer.write(np.full((240, 320, 3), level, np.uint8))
    writer.release()
    frames = list(open_source(str(tmp_path / "slow.mp4")))
    assert [frame.t_s for frame in frames] == pytest.approx([i / fps for i in range(12)])
    assert all(frame.snapshot is moments for frame in frames)
    told = list(open_source(str(tmp_path / "slow.mp4"), SourceSettings(interval_s=5.0)))
    assert [frame.t_s for frame in told[:3]] == [0.0, 5.0, 10.0]


def test_a_black_film_says_what_may_be_the_matter(tmp_path: Path) -> None:
    """OpenCV gives black pictures of interlaced films, without a word."""
    writer = cv2.VideoWriter(str(tmp_path / "black.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), 12, (320, 240))
    for level in (0, 0, 90, 0):
        writer.write(np.full((240, 320, 3), level, np.uint8))
    writer.release()
    first, second, third, dark_again = open_source(str(tmp_path / "black.mp4"))
    assert "its pictures are black" in first.trouble
    assert "interlaced" in second.trouble
    assert (third.trouble, dark_again.trouble) == ("", "")


def test_a_film_in_a_codec_that_is_not_known_says_which_and_what_helps() -> None:
    """AV1, made by SVT-AV1: the container can be read, no frame can."""
    with pytest.raises(
        SourceError, match=r"av1\.mp4: no frame in it can be decoded \(its codec is AV01\); if a player"
    ):
        list(open_source(str(FILMS / "av1.mp4")))


def test_a_closed_film_ends() -> None:
    """A reader that stops lets go of the film at once, and nothing decodes on."""
    source = open_source(str(FILM))
    frames = iter(source)
    next(frames)
    began = threading.active_count()
    source.close()
    rest = list(frames)
    assert rest == []
    source.close()
    _wait_for(lambda: threading.active_count() < began)


def _with_frames_left_out(film: Path) -> None:
    """Put an empty chunk after every frame of an AVI: a frame that a recorder left out (RIFF, AVI 1.0)."""
    data = film.read_bytes()
    movi = data.index(b"movi")
    index = data.index(b"idx1", movi)
    chunks, at = [], movi + 4
    while data[at : at + 4] == b"00dc":
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        end = at + 8 + size + size % 2
        chunks += [data[at:end], b"00dc" + bytes(4)]
        at = end
    body, entries, offset = b"".join(chunks), b"", 4
    for chunk in chunks:
        entries += b"00dc" + struct.pack("<III", 16, offset, int.from_bytes(chunk[4:8], "little"))
        offset += len(chunk)
    head = bytearray(data[:movi])
    frames = struct.pack("<I", len(chunks))
    head[48:52], head[140:144] = frames, frames  # dwTotalFrames of avih, dwLength of strh
    head[-4:] = struct.pack("<I", 4 + len(body))
    assert data[index : index + 4] == b"idx1"
    made = bytes(head) + b"movi" + body + b"idx1" + struct.pack("<I", len(entries)) + entries
    film.write_bytes(made[:4] + struct.pack("<I", len(made) - 8) + made[8:])


def test_frames_that_a_recorder_left_out_are_not_missed(tmp_path: Path) -> None:
    """An AVI of which every other frame is empty: those that are there come at their times, and nothing broke off."""
    film = tmp_path / "left-out.avi"
    writer = cv2.VideoWriter(str(film), cv2.CAP_OPENCV_MJPEG, cv2.VideoWriter.fourcc(*"MJPG"), 24.0, (64, 48))
    for i in range(40):
        writer.write(np.full((48, 64, 3), 6 * i, np.uint8))
    writer.release()
    _with_frames_left_out(film)
    frames = list(open_source(str(film)))
    assert len(frames) == 40
    assert frames[-1].t_s == pytest.approx(78 / 24, abs=0.05)


def test_a_film_that_breaks_off_keeps_what_came(tmp_path: Path) -> None:
    """Half of a film gives its frames and then one clear error."""
    half = tmp_path / "half.mp4"
    half.write_bytes(FILM.read_bytes()[: FILM.stat().st_size // 2])
    last: deque[Frame] = deque(maxlen=1)
    with pytest.raises(SourceError, match=r"half\.mp4: breaks off after \d+ of 884 frames"):
        last.extend(open_source(str(half)))
    assert 100 < last[0].index < FILM_FRAMES


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("empty.mp4", b"", "an empty file"),
        ("text.mp4", b"this is no film\n" * 100, "not a film"),
        ("text.png", b"this is no picture", "not a picture"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    """One line that names the file and the reason."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=f"{name}: {why}") as error:
        list(open_source(str(tmp_path / name)))
    assert "\n" not in str(error.value)


def test_names_that_lead_nowhere_say_so(tmp_path: Path) -> None:
    """No such file, no picture in a folder, no such camera, nobody at a URL."""
    with pytest.raises(SourceError, match="no such file"):
        open_source(str(tmp_path / "missing.mp4"))
    with pytest.raises(SourceError, match="no pictures in it"):
        open_source(str(tmp_path))
    with pytest.raises(CameraError, match="there is no /dev/video97"):
        open_source("97")
    with pytest.raises(CameraError, match="nothing there"):
        open_source(f"http://127.0.0.1:{_free_port()}/video")


def test_settings_that_cannot_be_are_refused() -> None:
    """Negative sizes, rates and intervals."""
    for wrong in ({"size_px": (0, 480)}, {"fps": -1.0}, {"interval_s": 0.0}):
        with pytest.raises(SourceError):
            SourceSettings(**wrong)  # type: ignore[arg-type]


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    """Numbers in names count as numbers; the interval sets the times; other files are left alone."""
    for number in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"shot{number}.png"), np.full((8, 8, 3), number, np.uint8))
    (tmp_path / "notes.txt").write_text("no picture")
    frames = list(open_source(str(tmp_path), SourceSettings(interval_s=0.5)))
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [1, 2, 10]
    assert [(frame.index, frame.t_s) for frame in frames] == [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert all(frame.snapshot for frame in frames)
    assert not any(frame.snapshot for frame in open_source(str(tmp_path), SourceSettings(interval_s=0.1)))


def test_pictures_of_a_folder_show_how_the_table_stood(tmp_path: Path) -> None:
    """For longer than the referee waits for what a turn lacks, or a moment only when they are taken by the clock; it is
    over before the next picture."""
    for number in (1, 2):
        cv2.imwrite(str(tmp_path / f"shot{number}.png"), np.full((8, 8, 3), number, np.uint8))
    patience = Patience()
    for interval_s in (None, 0.5, 1.0, 60.0):
        first, second = open_source(str(tmp_path), SourceSettings(interval_s=interval_s))
        assert first.t_s + first.stood_s < second.t_s
        assert first.stood_s >= patience.one_cell_after_s
        long = max(patience.unfinished_after_s, patience.illegal_after_s, patience.placed_after_s)
        assert first.stood_s > long if interval_s is None else first.stood_s < patience.unfinished_after_s


def test_a_picture_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    """It is trouble, which says which and why; where it is the first the folder is refused."""
    for number in (1, 3):
        cv2.imwrite(str(tmp_path / f"shot{number}.png"), np.full((8, 8, 3), number, np.uint8))
    (tmp_path / "shot2.png").write_bytes(b"half a pict")
    frames = list(open_source(str(tmp_path)))
    assert [int(frame.image[0, 0, 0]) for frame in frames if not frame.trouble] == [1, 3]
    assert [(f.index, f.trouble) for f in frames if f.trouble] == [
        (1, f"picture {tmp_path / 'shot2.png'}: not a picture that can be read")
    ]
    (tmp_path / "shot0.png").write_bytes(b"")
    with pytest.raises(SourceError, match=r"shot0\.png: not a picture"):
        list(open_source(str(tmp_path)))


def test_a_telephones_pictures_are_read(tmp_path: Path) -> None:
    """HEIC, made by libheif's encoder: blue on the left, green above red on the right; half of one is no picture."""
    heic = PICTURES / "three_fields.heic"
    (tmp_path / "IMG_0001.HEIC").write_bytes(heic.read_bytes())
    (tmp_path / "IMG_0002.heic").write_bytes(heic.read_bytes()[:400])
    good, bad = open_source(str(tmp_path))
    assert good.image.shape == (48, 64, 3)
    for place, colour in (((20, 10), (200, 40, 20)), ((10, 50), (20, 180, 60)), ((40, 50), (30, 60, 210))):
        assert np.abs(good.image[place].astype(int) - colour).max() <= 3
    assert bad.trouble == f"picture {tmp_path / 'IMG_0002.heic'}: not a picture that can be read"


@pytest.mark.parametrize("name", ["one.png", "one.webp", "one.avif"])
def test_a_single_picture_is_a_source(tmp_path: Path, name: str) -> None:
    """A picture file gives one frame."""
    cv2.imwrite(str(tmp_path / name), np.full((64, 64, 3), 77, np.uint8))
    (frame,) = open_source(str(tmp_path / name))
    assert abs(int(frame.image.max()) - 77) <= 2


def test_a_camera_that_freezes_or_goes_black_is_noticed() -> None:
    """Noise keeps a picture alive; the very same picture for long is frozen; a dark one is black; both come back."""
    rng = np.random.default_rng(1)

    def alive() -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
        return rng.integers(90, 110, (64, 64, 3)).astype(np.uint8)

    health, stuck = Health(), alive()
    assert health.trouble(stuck, 0.0) == ""
    assert health.trouble(stuck, FROZEN_S / 2) == ""
    assert "frozen" in health.trouble(stuck, FROZEN_S + 0.1)
    assert health.trouble(alive(), FROZEN_S + 0.2) == ""
    black = (alive() // 40).astype(np.uint8)
    assert health.trouble(black, FROZEN_S + 0.3) == ""
    assert "black" in health.trouble(black, FROZEN_S + 0.4 + BLACK_S)
    assert health.trouble(alive(), FROZEN_S + 0.5 + BLACK_S) == ""


def test_a_quiet_table_in_a_compressed_stream_is_not_taken_for_frozen(tmp_path: Path) -> None:
    """MPEG video tells only what changed: of a table at rest the very same picture for many seconds."""
    film, size = tmp_path / "quiet.ts", (320, 240)
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"mp2v"), 12, size)
    for _ in range(12 * 60):
        writer.write(np.full((size[1], size[0], 3), 90, np.uint8))
    writer.release()
    server = QuietCam(film.read_bytes())
    source = open_source(f"http://127.0.0.1:{server.server_address[1]}/live.ts")
    try:
        assert source.live
        seen, first = 0, None
        for frame in source:
            assert not frame.trouble
            first, seen = first or frame, seen + 1
            if frame.t_s - first.t_s > FROZEN_S + 1:
                break
        assert seen > 30
    finally:
        source.close()
        server.shutdown()
        server.server_close()


class QuietCam(ThreadingHTTPServer):
    """A network camera that sends a film of a minute: a quarter at once, as those who open it wait for, then slowly."""

    daemon_threads = True

    def __init__(self, film: bytes) -> None:
        self.film = film
        super().__init__(("127.0.0.1", 0), _QuietHandler)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()


class _QuietHandler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        assert isinstance(self.server, QuietCam)
        film = self.server.film
        self.send_response(200)
        self.send_header("Content-Type", "video/mp2t")
        self.end_headers()
        at, step = len(film) // 4, len(film) // (12 * 60)
        try:
            self.wfile.write(film[:at])
            while at < len(film):
                time.sleep(1 / 12)
                self.wfile.write(film[at : at + step])
                at += step
        except OSError:
            return


class Cam(ThreadingHTTPServer):
    """A network camera: motion JPEG on the loopback, each picture filled with its number, 50 a second."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        self.on = threading.Event()
        self.on.set()
        self.stalled = threading.Event()
        self.sent, self.pause_s = 0, 0.02
        super().__init__(("127.0.0.1", port), _Handler)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        """Where its stream is."""
        return f"http://127.0.0.1:{self.server_address[1]}/stream.mjpg"

    def stop(self) -> None:
        """Pull the plug."""
        self.on.clear()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        cam = self.server
        assert isinstance(cam, Cam)
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        rng = np.random.default_rng(2)
        try:
            while cam.on.is_set():
                if cam.stalled.is_set():
                    time.sleep(0.05)
                    continue
                level = 40 + cam.sent % 180
                picture = np.clip(level + rng.normal(0, 2, (48, 64, 3)), 0, 255).astype(np.uint8)
                jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
                self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg))
                self.wfile.write(jpeg + b"\r\n")
                cam.sent += 1
                time.sleep(cam.pause_s)
        except OSError:
            return


@pytest.fixture
def cam() -> Iterator[Cam]:
    """A camera that is running."""
    server = Cam()
    yield server
    if server.on.is_set():
        server.stop()


def test_a_stream_always_gives_the_newest_picture(cam: Cam) -> None:
    """A reader that was busy gets what the camera sent last, not what has piled up."""
    source = open_source(cam.url)
    frames = iter(source)
    first = next(frames)
    assert source.live
    time.sleep(1.0)
    frame = next(frames)
    frame = next(frames)
    assert frame.index - first.index > 20
    assert cam.sent - frame.index < 25
    source.close()


def test_pictures_of_a_slow_camera_are_moments_of_their_own(cam: Cam) -> None:
    """As soon as it is clear how slow it is; those of a quick one never are."""
    source = open_source(cam.url)
    frames = iter(source)
    _until(frames, lambda f: f.index >= 20)
    assert not next(frames).snapshot
    cam.pause_s = 0.6
    slow = _until(frames, lambda f: f.snapshot)
    assert 0.25 < slow.stood_s < 0.5
    source.close()


def test_a_stream_that_goes_away_is_reported_and_comes_back(cam: Cam) -> None:
    """Unplugged: frames that say so, with the last picture; plugged in again: good ones, without opening anew."""
    source = open_source(cam.url)
    frames = iter(source)
    good = next(frames)
    port = cam.server_address[1]
    cam.stop()
    frame = _until(frames, lambda f: bool(f.trouble))
    assert "gives no picture" in frame.trouble
    assert frame.image.shape == good.image.shape
    again = Cam(int(port))
    try:
        frame = _until(frames, lambda f: not f.trouble)
        assert frame.index > good.index
        assert frame.t_s > good.t_s
    finally:
        source.close()
        again.stop()


def test_a_stream_that_stalls_is_reported_and_goes_on(cam: Cam) -> None:
    """The line is open but nothing comes: that is said, and said to be over when pictures come again."""
    source = open_source(cam.url)
    frames = iter(source)
    next(frames)
    cam.stalled.set()
    frame = _until(frames, lambda f: bool(f.trouble))
    assert "no new picture for 3 s" in frame.trouble
    cam.stalled.clear()
    _until(frames, lambda f: not f.trouble)
    source.close()


def test_closing_ends_a_live_source_at_once(cam: Cam) -> None:
    """Whoever waits for a frame is let go."""
    source = open_source(cam.url)
    threading.Timer(0.3, source.close).start()
    began = time.monotonic()
    for _ in source:
        pass
    assert time.monotonic() - began < 5


def _until(frames: Iterator[Frame], fits: "object") -> Frame:
    """The first frame that fits, within half a minute."""
    assert callable(fits)
    end = time.monotonic() + 30
    for frame in frames:
        if fits(frame):
            return frame
        assert time.monotonic() < end
    raise AssertionError("the source has ended")


def _wait_for(condition: "object") -> None:
    assert callable(condition)
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
