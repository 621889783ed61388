"""Ending in good order when the system asks for it, so that the LEDs go dark and files are closed."""

import signal
import threading
from types import FrameType


def end_on_sigterm() -> None:
    """Make SIGTERM interrupt the program as Ctrl-C does; a no-op outside the main thread."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
