"""Serial ports: what is plugged in, opening one for ourselves alone, and finding a device again after a replug."""

import contextlib
import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass

import serial
from serial.tools import list_ports

from hardware.errors import PortBusyError, PortError

#: What reading and writing raise when the device is gone or does not take bytes any more.
GONE: tuple[type[Exception], ...] = (serial.SerialException, OSError)
with contextlib.suppress(ImportError):  # POSIX only
    import termios

    GONE = (*GONE, termios.error)

WRITE_TIMEOUT_S = 1.0
_BUSY = {errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK}


@dataclass(frozen=True, slots=True)
class PortInfo:
    """A port as the system lists it; `location` is the place of the USB socket."""

    device: str
    description: str = ""
    vid: int | None = None
    pid: int | None = None
    serial_number: str | None = None
    location: str | None = None


def present_ports() -> list[PortInfo]:
    """The serial ports of this machine, by name."""
    ports = (
        PortInfo(p.device, p.description or "", p.vid, p.pid, p.serial_number, p.location)
        for p in list_ports.comports()
    )
    return sorted(ports, key=lambda port: port.device)


def same_device(known: PortInfo, present: Sequence[PortInfo]) -> PortInfo | None:
    """The port at which a device known from before is now: by its serial number, else by the socket it was in."""
    if known.vid is None:
        return None
    alike = [port for port in present if (port.vid, port.pid) == (known.vid, known.pid)]
    if known.serial_number:
        return next((port for port in alike if port.serial_number == known.serial_number), None)
    return next((port for port in alike if port.location == known.location), None)


def open_port(url: str, baud: int) -> serial.Serial:
    """Open a port for this program alone; reads never block, writes at most `WRITE_TIMEOUT_S`.

    Raises `PortBusyError` when somebody else holds it, `PortError` with the reason otherwise.
    """
    try:
        return serial.serial_for_url(url, baudrate=baud, timeout=0, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
    except GONE as error:
        number = getattr(error, "errno", None)
        if number in _BUSY or "Access is denied" in str(error):
            raise PortBusyError(f"{url} is in use by another program: close that program first") from None
        if number == errno.EACCES:
            raise PortError(f"{url}: no permission; on Linux, add your user to the group 'dialout'") from None
        if number == errno.ENOENT:
            raise PortError(
                f"{url}: no such port; is the device plugged in? 'storisende leds find' lists them"
            ) from None
        raise PortError(f"{url}: cannot be opened: {error}") from None
    except ValueError as error:
        raise PortError(f"{url}: cannot be opened: {error}") from None


def resets_when_opened(port: serial.Serial) -> bool:
    """Whether opening may have reset the device: a real port with modem lines, unlike a pty or a network address."""
    if not isinstance(port, serial.Serial):
        return False
    try:
        _ = port.cts
    except GONE:
        return False
    return True


def close_port(port: serial.Serial) -> None:
    """Close a port whether or not its device is still there, without waiting for bytes nobody takes."""
    for step in (port.reset_output_buffer, port.close):
        with contextlib.suppress(*GONE):
            step()


def place_of(url: str) -> tuple[int, ...] | None:
    """What stands at a device path now, to notice that something was plugged in; None for nothing or no path."""
    try:
        found = os.stat(url)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_rdev, found.st_ctime_ns
