"""The page: from an accepted turn to its place in the page, and what ten spectators cost the loop that follows a film.

The loop decodes the sample film and shows its turns to a session; its time is compared with the page closed, with the
page served to nobody, and with ten streams being read, in one run.
"""

import shutil
import socket
import statistics
import threading
import time

import cv2

from companion.page.server import PageServer, start_page
from tests.browser.tables import ShownTable, begun
from tests.footage_places import SAMPLES

_ROUNDS = 3
_SPECTATORS = 10
_FRAMES_A_TURN = 40


def _seconds(table: ShownTable, turns: list[str]) -> float:
    """Seconds for decoding the film while turns are played at the table."""
    film = cv2.VideoCapture(str(SAMPLES / "sample.mp4"))
    waiting = list(turns)
    began, frames = time.perf_counter(), 0
    while film.read()[0]:
        frames += 1
        if frames % _FRAMES_A_TURN == 0 and waiting:
            table.play(waiting.pop(0))
    return time.perf_counter() - began


class Reader(threading.Thread):
    """A spectator: reads the stream as fast as it comes."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.line = socket.create_connection(("127.0.0.1", port))
        self.line.sendall(f"GET /api/feed HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        self.bytes = 0

    def run(self) -> None:
        """Until the server closes."""
        while received := self.line.recv(65536):
            self.bytes += len(received)


def spectators() -> None:
    """The loop alone, with a page, with ten spectators."""
    times: dict[str, list[float]] = {"no page": [], "page, nobody": [], f"page, {_SPECTATORS} spectators": []}
    for _ in range(_ROUNDS):
        for name, seconds in times.items():
            session, table, rest = begun(0)
            server = start_page(session, port=0) if name != "no page" else None
            readers = [Reader(server.port) for _ in range(_SPECTATORS)] if server and "nobody" not in name else []
            for reader in readers:
                reader.start()
            seconds.append(_seconds(table, rest))
            if server is not None:
                server.stop()
    alone = statistics.median(times["no page"])
    for name, seconds in times.items():
        middle = statistics.median(seconds)
        print(f"film followed with {name}: {middle:.2f} s, {middle / alone:.3f} of the time without a page")


def latency() -> None:
    """From the moment the session publishes a turn to the moment its text is in the page."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("no chromium: the way into the page is not measured")
        return
    from playwright.sync_api import sync_playwright

    session, table, rest = begun(0)
    published: dict[str, float] = {}
    session.on_event(lambda event: published.setdefault(str(event.fields.get("move")), time.time()))
    server: PageServer = start_page(session, port=0)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(server.url)
        page.locator("#moves td button").nth(1).wait_for()
        page.evaluate(
            """() => { window.seen = {}; new MutationObserver(() => {
            for (const button of document.querySelectorAll('#moves td button'))
                seen[button.firstChild.textContent] ??= performance.timeOrigin + performance.now();
            }).observe(document.getElementById('moves'), {childList: true, subtree: true}); }"""
        )
        for turn in rest:
            table.play(turn)
            page.wait_for_timeout(150)
        seen = page.evaluate("window.seen")
        browser.close()
    server.stop()
    delays = sorted(seen[turn] - published[turn] * 1000 for turn in rest if turn in seen and rest.count(turn) == 1)
    print(f"turn published to turn in the page: median {statistics.median(delays):.0f} ms, longest {delays[-1]:.0f} ms")


def main() -> None:
    """Both figures."""
    latency()
    spectators()


if __name__ == "__main__":
    main()
