"""Following hands: is every reach of a hand seen, how soon, and is a hand ever taken for material?

Films with known truth, clean and with added sensor noise. The reader answers from the truth at once, so that the
figures are the follower's alone: a reach is seen when the whole board is read after it and before the next one. A cell
under a hand is one whose samples look neither as before the reach nor as after it.
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks._footage import films
from engine.look import CellLook, CellReading, Surface, certain
from tests.vision.film_truth import FilmTruth, Visit
from vision.eye import Eye, EyeSettings
from vision.finding.find import FoundBoard
from vision.following.motion import Window
from vision.frame import Frame
from vision.picture import Picture
from vision.sights import Moving, Still
from vision.sources import open_source

_NOISES = (0.0, 6.0, 12.0)
_HAND_LEVELS, _HAND_PART = 40, 0.1


@dataclass(frozen=True, slots=True)
class Figures:
    """Reaches, those seen, seconds from each hand's leaving to the reading, readings and cells under a hand."""

    visits: int
    lags_s: Sequence[float]
    readings_under_hand: int
    cells_under_hand: int


class _Empty:
    """Reads an empty board wherever it is asked."""

    def __init__(self, count: int) -> None:
        self._answer = tuple(certain(CellLook(Surface.BEIGE)) for _ in range(count))

    def free(self, maps: NDArray[np.float32], without: object = ()) -> NDArray[np.bool_]:
        """No corner of the board shows beside its men: nobody can tell what covers it from the beginning."""
        return np.zeros(maps.shape[:-1], bool)

    def read(self, image: Picture, **_: object) -> tuple[CellReading, ...]:
        return self._answer


def noisy_frames(film: Path, noise: float) -> Iterator[Frame]:
    """A film's frames with noise of so many levels (standard deviation) added."""
    rng, fields = np.random.default_rng(1), []
    for frame in open_source(str(film)):
        if noise and not fields:
            fields = [rng.normal(0, noise, frame.image.shape).astype(np.float32) for _ in range(6)]
        if noise:
            image = cv2.add(frame.image, fields[frame.index % len(fields)], dtype=cv2.CV_8U)
            frame = replace(frame, image=np.asarray(image, np.uint8))
        yield frame


def measure(film: Path, noise: float) -> Figures:
    """Follow a film from its true pose."""
    truth = FilmTruth(film)
    found, reader = FoundBoard(truth.pose(), 0.1, 1.0), _Empty(len(truth.board))
    eye = Eye(
        truth.layout,
        truth.material,
        settings=EyeSettings(lift_rate_hz=8.0),
        find=lambda *_: found,
        learn=lambda *_: None,
        relight=lambda table, *_: table,
        make_reader=lambda *_: reader,
    )
    lens = found.pose.lens
    window = Window(found.pose, truth.layout, lens.width_px, lens.height_px)
    samples, stills, readings = [], [], []
    for frame in noisy_frames(film, noise):
        samples.append(window.sample(frame.image).astype(np.int16))
        for sight in eye.step(frame):
            if isinstance(sight, Still) and not any(cell.unseen for cell in sight.reading.cells):
                stills.append(frame.index)
            if isinstance(sight, Still | Moving) and sight.reading is not None:
                readings.append((frame.index, sight.reading.cells))
    visits = truth.visits()
    lags_s = []
    for visit in visits:
        after = [index for index in stills if visit.gone - 4 <= index <= visit.still_to]
        lags_s += [(after[0] - visit.gone) / truth.fps] if after else []
    under = [_cells_under_hand(visit, readings, samples, window) for visit in visits]
    return Figures(len(visits), lags_s, sum(n for n, _ in under), sum(cells for _, cells in under))


def _cells_under_hand(
    visit: Visit,
    readings: Sequence[tuple[int, Sequence[CellReading]]],
    samples: Sequence[NDArray[np.int16]],
    window: Window,
) -> tuple[int, int]:
    """Readings given during a reach, and the cells in them that a hand covers but that were given as seen."""
    rows, columns = np.mgrid[: window.size[1], : window.size[0]]
    discs = [np.hypot(columns - x, rows - y) < 0.42 * window.pitch for x, y in window.centres]
    count = cells = 0
    for index, reading in readings:
        if visit.first <= index < visit.gone and visit.gone + 1 < len(samples):
            before, now, after = (samples[i] for i in (visit.first - 1, index, visit.gone + 1))
            apart = np.minimum(np.abs(now - before).max(axis=2), np.abs(now - after).max(axis=2))
            count += 1
            cells += sum(
                not cell.unseen and bool((apart[disc] > _HAND_LEVELS).mean() > _HAND_PART)
                for cell, disc in zip(reading, discs, strict=True)
            )
    return count, cells


def main(write: Callable[[str], None] = print) -> None:
    """Print a line a film and noise."""
    for film in films():
        for noise in _NOISES:
            figures = measure(film, noise)
            lags_s = figures.lags_s
            write(
                f"follow: {film.stem}, noise {noise:.0f}: {len(lags_s)} of {figures.visits} reaches seen, "
                f"{statistics.median(lags_s):.2f} s after the hand is gone, at most {max(lags_s):.2f} s; "
                f"{figures.cells_under_hand} cells under a hand in {figures.readings_under_hand} readings"
            )


if __name__ == "__main__":
    main()
