"""A whole `storisende watch` against decoding the same film and doing nothing; time a frame by stage; memory.

Both are whole processes, Python's start and all imports included, run in turn a few times; the smaller of each counts,
since everything else on the machine only adds. The stages are measured in one more run in this process.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vision  # first: it settles how many threads NumPy's library uses
from benchmarks._footage import SAMPLE
from engine.layout import named_layout
from vision.eye import Eye
from vision.finding.find import find_board
from vision.following.motion import Stillness, Window
from vision.memory import Memory
from vision.palette import Material, parse_colour
from vision.reading.learn import learn_table
from vision.reading.read import CellReader
from vision.sights import Still
from vision.sources import open_source

__all__ = ["main"]
assert vision

_ROUNDS = 3
_DECODE = """
import sys
import cv2
film = cv2.VideoCapture(sys.argv[1])
while film.read()[0]:
    pass
"""


def process(command: list[str]) -> tuple[float, float]:
    """Seconds and peak megabytes of a whole process. Raises CalledProcessError when it fails."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(child.pid, 0)
    took_s = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command, stderr=child.stderr and child.stderr.read())
    return took_s, usage.ru_maxrss / 1024


def whole(film: Path, board: str, men: str, disks: str) -> tuple[float, float, float]:
    """Seconds to watch a film, seconds to decode it, and peak megabytes of watching it."""
    with tempfile.TemporaryDirectory() as place:
        watch = [sys.executable, "-m", "companion", "watch", str(film), "--board", board, "--men", men]
        watch += ["--disks", disks, "--headless", "--record", f"{place}/record.json"]
        watch += ["--events", f"{place}/events.jsonl", "--journal", f"{place}/journal.sqlite"]
        watched, decoded = [], []
        for _ in range(_ROUNDS):
            decoded.append(process([sys.executable, "-c", _DECODE, str(film)])[0])
            watched.append(process(watch))
    return min(s for s, _ in watched), min(decoded), max(mb for _, mb in watched)


class Stages:
    """Adds up the time that calls of functions take."""

    def __init__(self) -> None:
        self.calls_s: dict[str, list[float]] = defaultdict(list)

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its time counted."""

        def call(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.calls_s[stage].append(time.perf_counter() - began)

        return call

    def time_methods(self, *methods: tuple[str, type, str]) -> Callable[[], None]:
        """Count the time of methods, (stage, class, name) each; the answer puts them back."""
        originals = [(owner, name, getattr(owner, name)) for _, owner, name in methods]
        for (stage, owner, name), (_, _, original) in zip(methods, originals, strict=True):
            setattr(owner, name, self.timed(stage, original))

        def restore() -> None:
            for owner, name, original in originals:
                setattr(owner, name, original)

        return restore


def stages(film: Path, board: str, men: str, disks: str) -> tuple[int, int, float, Stages]:
    """Frames, readings, seconds and stages of following a film in this process."""
    first, second = (parse_colour(word) for word in men.split(","))
    beige, dark = (parse_colour(word) for word in disks.split(","))
    count = Stages()
    restore = count.time_methods(
        ("make small", Window, "sample"), ("motion gate", Stillness, "update"), ("compare", Memory, "compare")
    )
    restore_reader = count.time_methods(("read cells", CellReader, "read"))
    eye = Eye(
        named_layout(board),
        Material((first, second), (beige, dark)),
        find=count.timed("find the board", find_board),
        learn=count.timed("learn the table", learn_table),
    )
    frames = stills = 0
    began = time.perf_counter()
    step = count.timed("eye, all together", eye.step)
    for frame in open_source(str(film)):
        stills += sum(isinstance(sight, Still) for sight in step(frame))
        frames += 1
    took_s = time.perf_counter() - began
    restore()
    restore_reader()
    return frames, stills, took_s, count


def main(write: Callable[[str], None] = print, film: Path = SAMPLE) -> None:
    """Print the ratio and the stages."""
    truth = json.loads(film.with_suffix(".json").read_text())
    table = truth["board"], ",".join(truth["players"]), f"{truth['beige']},{truth['dark']}"
    watched_s, decoded_s, peak_mb = whole(film, *table)
    write(
        f"watch: {film.name}: {watched_s / decoded_s:.2f} × the time of decoding alone "
        f"({watched_s:.2f} s, {decoded_s:.2f} s), at most {peak_mb:.0f} MB"
    )
    frames, stills, took_s, count = stages(film, *table)
    write(f"watch: {frames} frames, {stills} readings, {1000 * took_s / frames:.2f} ms a frame with decoding")
    for stage, calls_s in sorted(count.calls_s.items(), key=lambda item: -sum(item[1])):
        a_frame_ms, a_call_ms = 1000 * sum(calls_s) / frames, 1000 * statistics.median(calls_s)
        write(f"watch: {stage}: {a_frame_ms:.3f} ms a frame, {len(calls_s)} calls of {a_call_ms:.2f} ms")


if __name__ == "__main__":
    main(film=Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE)
