"""The emulated Arduino Uno as tests use it: builds firmware and emulator, starts it, collects what its LEDs show."""

import shutil
import subprocess
import threading
import time
from functools import cache
from pathlib import Path

import pytest

PACKAGES = "gcc-avr avr-libc libsimavr-dev libelf-dev gcc"
FIRMWARE = Path(__file__).resolve().parents[2] / "hardware" / "firmware" / "adalight_ws2812.c"
SOURCE = Path(__file__).with_name("uno.c")


@cache
def missing() -> str:
    """What is not installed of the tools that the emulator needs; empty when all is there."""
    lacking = [tool for tool in ("gcc", "avr-gcc") if shutil.which(tool) is None]
    headers = ("simavr/sim_avr.h", "libelf.h")
    if not lacking:
        probe = "".join(f"#include <{header}>\n" for header in headers)
        made = subprocess.run(["gcc", "-fsyntax-only", "-xc", "-"], input=probe, text=True, capture_output=True)
        lacking += ["simavr or libelf headers"] * (made.returncode != 0)
    return ", ".join(lacking)


def build_emulator(folder: Path) -> Path:
    """Compile the emulator. Skips the test, loudly, where its packages are missing."""
    if missing():
        pytest.skip(f"SKIPPED: no emulated device, {missing()} not found; on Debian: apt install {PACKAGES}")
    program = folder / "emulator"  # not the name of a device: those are links in the same folder
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(program), str(SOURCE)]
    subprocess.run([*command, "-lsimavr", "-lelf", "-lutil"], check=True)
    return program


def build_firmware(folder: Path, **defines: int) -> Path:
    """Compile the reference firmware as its Makefile does, with other values for some of its constants."""
    target = folder / ("firmware" + "".join(f"-{name}-{value}" for name, value in sorted(defines.items())) + ".elf")
    flags = ["-mmcu=atmega328p", "-DF_CPU=16000000UL", "-Os", "-std=gnu11", "-Wall", "-Wextra", "-Werror"]
    flags += [f"-D{name}={value}UL" for name, value in defines.items()]
    subprocess.run(["avr-gcc", *flags, "-o", str(target), str(FIRMWARE)], check=True)
    return target


class EmulatedUno:
    """A running emulator. `pictures` are the colours shown so far with their time in milliseconds."""

    def __init__(self, emulator: Path, firmware: Path, path: Path, boot_ms: int = 1600) -> None:
        self.path = path
        self.pictures: list[tuple[int, bytes]] = []
        self.lost = 0
        self.glitches: list[str] = []
        self.rates = ""
        self._process = subprocess.Popen(
            [str(emulator), str(firmware), str(path), str(boot_ms)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        until_s = time.monotonic() + 10
        while not path.exists() and time.monotonic() < until_s:
            time.sleep(0.01)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word, _, rest = line.strip().partition(" ")
            if word == "picture":
                when, _, colours = rest.partition(" ")
                self.pictures.append((int(when), bytes.fromhex(colours)))
            elif word == "lost":
                self.lost = int(rest)
            elif word == "glitch":
                self.glitches.append(rest)
            elif word == "baud":
                self.rates = rest

    def tell(self, command: str) -> None:
        """`unplug`, `plug`, `stall` or `resume`."""
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        time.sleep(0.05)

    def shows(self, rgb: bytes, within_s: float) -> bool:
        """Whether the LEDs come to show these colours within a time."""
        until_s = time.monotonic() + within_s
        while time.monotonic() < until_s:
            if self.pictures and self.pictures[-1][1] == rgb:
                return True
            time.sleep(0.01)
        return False

    def close(self) -> None:
        """End the emulator."""
        self._process.terminate()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        self.path.unlink(missing_ok=True)
