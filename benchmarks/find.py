"""How well and how fast boards are found cold: a row a still of the shared footage, as it is and made worse.

Prints per treatment how many boards are located (every true centre nearest to a found one of its own, within half a
cell), the mean centre error in pitches, and the time in this run against decoding the same JPEG. Then how often a
board of another shape is taken for the one asked for. With `--tables` `benchmarks/results/find-stills.csv` is written.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np

from benchmarks._footage import asked
from engine.board import from_cells
from engine.layout import Layout, layout_of, named_layout
from vision.finding.find import NotFound, find_board
from vision.finding.refine import cell_points
from vision.picture import Picture

OTHERS = ("hexhex-3", "hexhex-4", "hexhex-5", "hexhex-6", "modular-5", "modular-7", "diamond-6")


def _grainy(image: Picture, factor: float, noise: float) -> Picture:
    grain = np.random.default_rng(1).normal(0, noise, image.shape)
    return np.clip(image * factor + grain, 0, 255).astype(np.uint8)


def _jpeg(image: Picture, quality: int) -> Picture:
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return cv2.imdecode(data, cv2.IMREAD_COLOR).astype(np.uint8)


def _sized(image: Picture, width: int) -> Picture:
    size = width, image.shape[0] * width // image.shape[1]
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.uint8)


#: Name → what is done to a picture; true centres scale with its width.
TREATMENTS: dict[str, Callable[[Picture], Picture]] = {
    "as it is": lambda image: image,
    "960 px wide": lambda image: _sized(image, 960),
    "640 px wide": lambda image: _sized(image, 640),
    "dim (0.35) and grainy": lambda image: _grainy(image, 0.35, 2.5),
    "very dim (0.2) and grainy": lambda image: _grainy(image, 0.2, 2.0),
    "out of focus (2 px)": lambda image: cv2.GaussianBlur(image, (0, 0), 2.0).astype(np.uint8),
    "JPEG quality 15": lambda image: _jpeg(image, 15),
    "warm light": lambda image: (image * np.array([0.45, 0.8, 1.0])).astype(np.uint8),
}


def layout_in(data: dict[str, Any]) -> Layout:
    """The board of a truth file."""
    return layout_of(from_cells([(c["q"], c["r"]) for c in data["cells"]], data["board"]))


def find_one(image: Picture, data: dict[str, Any]) -> dict[str, Any]:
    """What came of one picture: why not, or the errors in pitches, the residual and the milliseconds."""
    layout = layout_in(data)
    began = time.perf_counter()
    found = find_board(image, layout)
    row: dict[str, Any] = {"ms": round(1e3 * (time.perf_counter() - began), 1)}
    if isinstance(found, NotFound):
        return {**row, "found": found.reason}
    # true pixels count from the picture's corner, ours from the middle of its first pixel
    true = np.array([c["px"] for c in data["cells"]]) * image.shape[1] / data["size"][0] - 0.5
    gap = np.linalg.norm(true[:, None] - found.pose.project(cell_points(layout))[None], axis=2)
    apart = np.linalg.norm(true[:, None] - true[None], axis=2)
    error = gap.min(axis=1) / apart[apart > 0].min()
    there = len(set(gap.argmin(axis=1))) == len(true) and error.max() < 0.5
    return {
        **row,
        "found": "yes" if there else "elsewhere",
        "mean_error": round(float(error.mean()), 4),
        "worst_error": round(float(error.max()), 4),
        "residual_px": round(found.residual_px, 3),
        "confidence": round(found.confidence, 3),
        "tilt_deg": round(found.pose.tilt_deg, 1),
        "focal_off": round(
            found.pose.lens.fx_px / (data["camera"]["K"][0][0] * image.shape[1] / data["size"][0]) - 1, 4
        ),
    }


def mistaken(image: Picture, data: dict[str, Any]) -> tuple[int, int]:
    """How many boards of other shapes were taken to be in the picture, of how many asked for."""
    others = [name for name in OTHERS if name != data["board"]]
    return sum(not isinstance(find_board(image, named_layout(n)), NotFound) for n in others), len(others)


def main(arguments: Sequence[str] = ()) -> None:
    """`python -m benchmarks.find [--tables] [FOLDER_OF_STILLS …]`; the shared footage when no folder is given."""
    cv2.setNumThreads(1)
    wanted = asked(arguments)
    truths = wanted.stills()
    if not truths:
        return
    rows: list[dict[str, Any]] = []
    decoding, wrong, tried = [], 0, 0
    for path in truths:
        data = json.loads(path.read_text())
        jpeg = np.frombuffer(path.with_suffix(".jpg").read_bytes(), np.uint8)
        began = time.perf_counter()
        image = cv2.imdecode(jpeg, cv2.IMREAD_COLOR).astype(np.uint8)
        decoding.append(1e3 * (time.perf_counter() - began))
        for name, treat in TREATMENTS.items():
            rows.append(
                {"picture": path.stem, "board": data["board"], "treatment": name, **find_one(treat(image), data)}
            )
        more, of = mistaken(image, data)
        wrong, tried = wrong + more, tried + of
    for name in TREATMENTS:
        _report(name, [row for row in rows if row["treatment"] == name], statistics.median(decoding))
    print(f"boards of other shapes: {wrong} of {tried} taken for the one asked for")
    untimed = [{key: value for key, value in row.items() if key != "ms"} for row in rows]
    wanted.write_table("find-stills.csv", untimed)


def _report(name: str, rows: list[dict[str, Any]], decoding_ms: float) -> None:
    """One line a treatment."""
    good = [row for row in rows if row["found"] == "yes"]
    error = statistics.mean(row["mean_error"] for row in good) if good else float("nan")
    ms = statistics.median(row["ms"] for row in rows)
    print(
        f"{name}: located {len(good)} of {len(rows)}, mean centre error {error:.4f} pitches, "
        f"worst board {max((row['mean_error'] for row in good), default=float('nan')):.4f}, "
        f"{ms:.0f} ms, {ms / decoding_ms:.1f} times decoding"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
