"""Calibrating from the page: the same commands as on the command line, run beside the server, their words passed on."""

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from companion.errors import InputError

#: The calibrations there are; those about the table also want to know board and colours.
KINDS = ("lens", "board", "colours", "leds")
_LINES_KEPT = 60


class Calibration:
    """One calibration at a time: `start`, `stop` (what was seen so far is used), and what it says meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._kind = ""

    def start(self, kind: str, arguments: Sequence[str], then: Callable[[], None] = lambda: None) -> None:
        """Run `storisende calibrate KIND ARGUMENTS`, `then` do that. Raises `InputError` while another one runs."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                raise InputError(f"the calibration of the {self._kind} is still running; stop it first")
            self._kind = kind
            self._lines.clear()
            command = [sys.executable, "-m", "companion", "calibrate", kind, *arguments]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            listen = threading.Thread(target=self._listen, args=(self._process, then), name="calibration", daemon=True)
            listen.start()

    def _listen(self, process: "subprocess.Popen[str]", then: Callable[[], None]) -> None:
        for line in process.stdout or ():
            self._lines.append(line.rstrip()[:300])
        process.wait()
        then()

    def stop(self) -> None:
        """Enough has been shown. Not SIGINT: where the server was begun in the background, that is ignored."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._process.terminate()

    def close(self) -> None:
        """End it whatever it is doing."""
        self.stop()
        if self._process is not None:
            try:
                self._process.wait(5.0)
            except subprocess.TimeoutExpired:
                self._process.kill()

    def state(self) -> dict[str, Any]:
        """Which one it is, whether it runs, whether it went well, and what it said last."""
        status = self._process.poll() if self._process is not None else None
        running = self._process is not None and status is None
        return {"kind": self._kind, "running": running, "good": status == 0, "lines": list(self._lines)}
