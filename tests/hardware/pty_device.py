"""A device at the other end of a pseudo-terminal that can be slow, deaf, noisy, stuck or unplugged at any moment."""

import contextlib
import os
import pty
import threading
import time
import tty
from pathlib import Path
from select import select

Picture = tuple[float, bytes]


class AdalightReceiver:
    """What LEDstream.pde does with its bytes, written literally: hunt for the header, check it, take the colours."""

    def __init__(self) -> None:
        self.window = b""
        self.left = 0
        self.colours = b""
        self.pictures: list[Picture] = []

    def take(self, byte: int) -> None:
        """One byte from the line."""
        if self.left:
            self.colours += bytes((byte,))
            self.left -= 1
            if not self.left:
                self.pictures.append((time.monotonic(), self.colours))
            return
        self.window = (self.window + bytes((byte,)))[-6:]
        if len(self.window) == 6 and self.window[:3] == b"Ada":
            hi, lo, check = self.window[3:]
            if check == hi ^ lo ^ 0x55:
                self.left, self.colours, self.window = 3 * (256 * hi + lo + 1), b"", b""


class PtyDevice:
    """A pseudo-terminal under a stable path, with a receiver behind it.

    `greeting` is sent `boot_s` after every plugging in, and again after every idle second, as LEDstream.pde does; what
    comes in before the first is lost, as in a boot loader.
    """

    IDLE_S = 1.0

    def __init__(self, path: Path, greeting: bytes = b"Ada\n", boot_s: float = 0.0) -> None:
        self.path, self.greeting, self.boot_s = path, greeting, boot_s
        self.receiver = AdalightReceiver()
        self.answers: dict[bytes, bytes] = {}
        self.reading = True
        self._lock = threading.Lock()
        self._master = self._slave = -1
        self._running = True
        self.plug()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def plug(self) -> None:
        """Plug the device in: a new terminal under the same path, a receiver that knows nothing."""
        with self._lock:
            self._master, self._slave = pty.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            self.receiver = AdalightReceiver()
            self._ready_s = time.monotonic() + self.boot_s
            self._greet_s = self._ready_s
            fresh = self.path.with_suffix(".new")
            fresh.symlink_to(os.ttyname(self._slave))
            fresh.replace(self.path)

    def unplug(self) -> None:
        """Pull the cable."""
        with self._lock:
            self.path.unlink()
            os.close(self._slave)
            os.close(self._master)
            self._master = -1

    def say(self, text: bytes) -> None:
        """Send something to the host."""
        with self._lock, contextlib.suppress(OSError):
            os.write(self._master, text)

    def close(self) -> None:
        """End the device."""
        self._running = False
        self._thread.join()
        if self._master >= 0:
            self.unplug()

    @property
    def pictures(self) -> list[bytes]:
        """The pictures shown since the last plugging in."""
        return [colours for _, colours in self.receiver.pictures]

    def shows(self, rgb: bytes, within_s: float) -> bool:
        """Whether the newest picture becomes `rgb` within a time."""
        until_s = time.monotonic() + within_s
        while time.monotonic() < until_s:
            if self.pictures[-1:] == [rgb]:
                return True
            time.sleep(0.01)
        return False

    def _run(self) -> None:
        while self._running:
            with self._lock:
                self._turn()
            time.sleep(0.002)

    def _turn(self) -> None:
        if self._master < 0:
            return
        now_s = time.monotonic()
        booted = now_s >= self._ready_s
        if now_s >= self._greet_s:
            self._greet_s = now_s + self.IDLE_S
            os.write(self._master, self.greeting)
        if not self.reading or not select([self._master], [], [], 0)[0]:
            return
        with contextlib.suppress(OSError):
            received = os.read(self._master, 4096)
            if not booted:
                return
            self._greet_s = now_s + self.IDLE_S
            for question, answer in self.answers.items():
                if question in received:
                    os.write(self._master, answer)
            for byte in received:
                self.receiver.take(byte)
