"""The whole way: a film is watched, and the emulated device's LEDs show the game."""

import json
import subprocess
import sys
from pathlib import Path

from companion.record_files import load_record
from engine.records.record import replay
from hardware.frame import LedFrame
from tests.emulator.uno import EmulatedUno
from tests.footage_places import SAMPLES

COLOUR_OF_TILE = {"virgin": (0, 0, 0), "territory": (0, 96, 0), "wall": (96, 32, 0)}
BLACK = bytes(111)


def test_the_sample_film_on_the_lights(emulator: Path, firmware: Path, tmp_path: Path) -> None:
    """The positions of the record appear on the LEDs in their order.

    The film runs at many times its own speed and the LEDs take twenty frames a second at most, so a position may be
    passed over when the next move follows at once; the last one has to be there. At the end the LEDs are dark.
    """
    film = json.loads((SAMPLES / "sample.json").read_text())
    uno = EmulatedUno(emulator, firmware, tmp_path / "uno", boot_ms=50)
    record = tmp_path / "record.json"
    try:
        command = [sys.executable, "-m", "companion", "watch", str(SAMPLES / "sample.mp4"), "--headless"]
        command += ["--board", film["board"], "--men", ",".join(film["players"])]
        command += ["--leds", f"adalight:{uno.path}", "--record", str(record)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=110)
        assert done.returncode == 0, done.stderr
        assert uno.shows(BLACK, 3)
    finally:
        uno.close()
    shown = [colours for _, colours in uno.pictures]
    steps = list(replay(load_record(record)))
    positions = [LedFrame.of(COLOUR_OF_TILE[tile] for tile, _, _ in step.position.tiles()).rgb for step in steps]
    assert len(positions) > len(film["plies"])
    at, found = 0, 0
    for position in positions:
        if position in shown[at:]:
            at, found = shown.index(position, at), found + 1
    assert found > len(positions) / 2
    assert positions[-1] in shown
