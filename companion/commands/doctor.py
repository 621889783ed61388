"""`storisende doctor`: what this machine has and lacks, with what to do about it."""

import importlib
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import click

_LEAST_FREE_BYTES = 500_000_000
_LIBRARIES = {
    "cv2": "opencv-python",
    "numpy": "numpy",
    "onnxruntime": "onnxruntime",
    "serial": "pyserial",
    "starlette": "starlette",
}
_MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "fault": "[bold red]fault[/]"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: a fault stops the program from working, a note only limits it."""

    state: Literal["ok", "note", "fault"]
    what: str
    text: str


def check_python() -> Iterator[Finding]:
    """Python's version and the libraries the program needs."""
    new_enough = sys.version_info >= (3, 11)
    yield Finding("ok" if new_enough else "fault", "Python", f"{platform.python_version()} (3.11 or newer is needed)")
    for module, package in _LIBRARIES.items():
        try:
            importlib.import_module(module)
            yield Finding("ok", package, version(package))
        except PackageNotFoundError:
            yield Finding("note", package, "works, but is not installed as a package")
        except ImportError as error:
            hint = "apt install libgl1 libglib2.0-0" if ".so" in str(error) else f"pip install {package}"
            yield Finding("fault", package, f"{error}; try: {hint}")


def check_cameras(devices: Path = Path("/dev")) -> Iterator[Finding]:
    """Camera devices, and whether this user may open them (Linux names them; elsewhere the first is tried)."""
    if not sys.platform.startswith("linux"):
        yield Finding("note", "camera", "cannot be listed on this system; try: storisende see 0 --out picture.png …")
        return
    found = sorted(devices.glob("video*"))
    if not found:
        yield Finding("note", "camera", "none found; films and pictures work without one")
    for device in found:
        if os.access(device, os.R_OK | os.W_OK):
            yield Finding("ok", "camera", str(device))
        else:
            yield Finding(
                "fault", "camera", f"{device}: no permission; try: sudo usermod -aG video $USER, then log in again"
            )


def check_serial_ports() -> Iterator[Finding]:
    """Serial ports that may hold an LED board."""
    from serial.tools.list_ports import comports

    ports = [port for port in comports() if port.hwid != "n/a"]
    if not ports:
        yield Finding("note", "serial port", "none found; the game works without lights")
    for port in ports:
        if os.access(port.device, os.R_OK | os.W_OK) or not sys.platform.startswith("linux"):
            yield Finding("ok", "serial port", f"{port.device}: {port.description}")
        else:
            help_ = "no permission; try: sudo usermod -aG dialout $USER, then log in again"
            yield Finding("fault", "serial port", f"{port.device}: {help_}")


def check_disk(folder: Path) -> Iterator[Finding]:
    """Free space for journals and evidence pictures, and whether this folder takes a file."""
    free = shutil.disk_usage(folder).free
    enough = free >= _LEAST_FREE_BYTES
    yield Finding("ok" if enough else "fault", "disk space", f"{free / 1e9:.1f} GB free in {folder}")
    if not os.access(folder, os.W_OK):
        yield Finding("note", "this folder", f"{folder} cannot be written; give --record and --journal another place")


def examine() -> list[Finding]:
    """Everything the doctor looks at, in order."""
    findings = list(check_python())
    findings += check_cameras()
    if not any(f.what == "pyserial" and f.state == "fault" for f in findings):
        findings += check_serial_ports()
    return findings + list(check_disk(Path.cwd()))


@click.command("doctor")
def command() -> None:
    """Check libraries, camera access, serial ports and disk space.

    Exit status 1 when something would stop the program from working.
    """
    from rich.console import Console
    from rich.table import Table

    findings = examine()
    table = Table(box=None, show_header=False, pad_edge=False)
    for finding in findings:
        table.add_row(_MARKS[finding.state], finding.what, finding.text)
    Console().print(table)
    if any(f.state == "fault" for f in findings):
        sys.exit(1)
