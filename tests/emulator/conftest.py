"""The emulator and the firmware are compiled once a test session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulator.uno import EmulatedUno, build_emulator, build_firmware


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled emulator."""
    return build_emulator(tmp_path_factory.mktemp("emulator"))


@pytest.fixture(scope="session")
def firmware(emulator: Path) -> Path:
    """The compiled reference firmware."""
    return build_firmware(emulator.parent)


@pytest.fixture
def uno(emulator: Path, firmware: Path, tmp_path: Path) -> Iterator[EmulatedUno]:
    """An Uno with the reference firmware, on a pseudo-terminal at `tmp_path/uno`."""
    device = EmulatedUno(emulator, firmware, tmp_path / "uno", boot_ms=300)
    yield device
    device.close()
