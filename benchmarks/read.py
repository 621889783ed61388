"""How well boards are read: a row a still and a row a film of the shared footage, and how true the confidences are.

Stills are found and read from nothing but the picture, the board's name and the men's colours, patiently, as
`storisende read` reads them; both that and a reading as it is made in games are timed. Films are learned from
their first frame and the known start, then every settled position is read. Without the shared footage only the sample
film is read. With `--tables` `benchmarks/results/read-*.csv` are written.

A cell counts when at least a fifth of its top can be seen; the surface below a man counts when at least 15 % of the
ring about its foot can be seen (cylinders of the true dimensions at the nominal places).
"""

import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks._footage import asked, films
from engine.board import from_cells
from engine.layout import Layout, layout_of
from engine.look import CellLook, CellReading, Surface
from vision.finding.find import NotFound, find_board
from vision.geometry import BoardPose
from vision.palette import Material, parse_colour
from vision.picture import load_picture
from vision.reading.first_look import FirstLook, first_look
from vision.reading.learn import learn_table
from vision.reading.read import CellReader

SURFACES = {"virgin": Surface.BEIGE, "wall": Surface.DARK, "territory": Surface.BARE, "light": Surface.LIGHT}
BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0 + 1e-9)
_AROUND = np.linspace(0, 2 * np.pi, 36, endpoint=False)
#: So many readings of each still are timed.
_TIMES = 5


@dataclass(frozen=True)
class Truth:
    """What lies on a cell, how much of its top and of the ring about its foot can be seen."""

    look: CellLook
    top: float
    ring: float

    def right(self, reading: CellReading) -> bool:
        """Whether the likeliest look is the true one, as far as it can be seen."""
        best = reading.best()
        surface = best.surface == self.look.surface or (self.look.height > 0 and self.ring < 0.15)
        return surface and (best.men, best.height) == (self.look.men, self.look.height)


def truths(data: dict[str, Any], layout: Layout, pose: BoardPose, looks: list[CellLook]) -> list[Truth]:
    """Truth and visibility of every cell, in the layout's order; rays against the true cylinders.

    `data` may have `thickness_mm`: how thick each cell's men are, in the layout's order, where they differ.
    """
    scale = layout.pitch_mm / data["pitch_mm"]
    disk, man = np.array(data["disk_mm"]) * scale, np.array(data["checker_mm"]) * scale
    thickness = np.broadcast_to(np.array(data.get("thickness_mm", data["checker_mm"][1])) * scale, len(looks))
    centres = np.array(layout.centres_mm)
    foot = np.array([0.0 if look.surface is Surface.BARE else disk[1] for look in looks])
    tops = foot + np.array([look.height for look in looks]) * thickness
    stacks = [(centres[i], foot[i], tops[i]) for i in range(len(looks)) if looks[i].height]
    out = []
    for i, look in enumerate(looks):
        radius = (man[0] if look.height else disk[0]) / 2
        top = [_circle(centres[i], radius * f, tops[i]) for f in (0.3, 0.6, 0.9)]
        ring = _circle(centres[i], (man[0] + disk[0]) / 4, foot[i])
        seen = [_seen(p, pose.camera_mm, stacks, man[0] / 2) for p in (np.concatenate(top), ring)]
        out.append(Truth(look, float(seen[0].mean()), float(seen[1].mean())))
    return out


def _circle(centre: Any, radius: float, z: float) -> Any:
    xy = centre + radius * np.stack([np.cos(_AROUND), np.sin(_AROUND)], axis=1)
    return np.column_stack([xy, np.full(len(xy), z + 0.01)])


def _seen(points: Any, camera: Any, stacks: list[Any], radius: float) -> Any:
    """Whether the camera sees each point: no stack's cylinder is in between."""
    free = np.ones(len(points), bool)
    ray = camera - points
    for centre, low, high in stacks:
        off = points[:, :2] - centre
        a, b = (ray[:, :2] ** 2).sum(axis=1), 2 * (off * ray[:, :2]).sum(axis=1)
        c = (off**2).sum(axis=1) - (0.98 * radius) ** 2
        inside = b * b - 4 * a * c
        root = np.sqrt(np.maximum(inside, 0))
        first, last = np.maximum((-b - root) / (2 * a), 1e-4), np.minimum((-b + root) / (2 * a), 1.0)
        z0, z1 = points[:, 2] + first * ray[:, 2], points[:, 2] + last * ray[:, 2]
        free &= ~((inside > 0) & (first < last) & (z1 > low) & (z0 < high - 1e-6))
    return free


def score(truth: list[Truth], readings: list[CellReading], confidences: list[tuple[float, bool]]) -> Counter[str]:
    """Counts of what was right; `confidences` gets a pair a cell."""
    out: Counter[str] = Counter()
    for t, reading in zip(truth, readings, strict=True):
        if t.top < 0.2:
            out["hidden"] += 1
            continue
        right, best = t.right(reading), reading.best()
        out["cells"] += 1
        out["right"] += right
        out["height_right"] += best.height == t.look.height
        out["men_right"] += best.men == t.look.men
        if t.look.height >= 2:
            out["stacks"] += 1
            out["stacks_right"] += (best.men, best.height) == (t.look.men, t.look.height)
        confidences.append((reading.confidence(), right))
    return out


def material_of(data: dict[str, Any], disks: bool) -> Material:
    """The material by its words; without `disks` as a user gives it who names only the men."""
    first, second = (parse_colour(word) for word in data["players"])
    if disks:
        return Material((first, second), (parse_colour(data["beige"]), parse_colour(data["dark"])))
    return Material((first, second))


def read_still(path: Path, disks: bool, confidences: list[tuple[float, bool]]) -> dict[str, Any]:
    """One row of the table of stills."""
    data = json.loads(path.read_text())
    image = load_picture(path.with_suffix(".jpg"))
    layout = layout_of(from_cells([(c["q"], c["r"]) for c in data["cells"]], data["board"]))
    material = material_of(data, disks)
    row: dict[str, Any] = {"picture": path.stem, "board": data["board"], "men": "/".join(data["players"])}
    found = find_board(image, layout, None, material)
    if isinstance(found, NotFound):
        return {**row, "found": found.reason}
    look = first_look(image, found.pose, layout, material)
    row["ms"] = round(_usual_ms(look, patient=False), 1)
    row["patient_ms"] = round(_usual_ms(look, patient=True), 1)
    seen = found.pose.project(np.column_stack([layout.centres_mm, np.zeros(len(layout.names))]))
    pixels = np.array([c["px"] for c in data["cells"]])
    order = [int(np.argmin(np.linalg.norm(pixels - p, axis=1))) for p in seen]
    looks = [_look(data["cells"][i]) for i in order]
    counts = score(truths(data, layout, found.pose, looks), list(look.cells), confidences)
    return {**row, "found": "yes", "tilt_deg": round(found.pose.tilt_deg, 1), **counts}


def _usual_ms(look: FirstLook, patient: bool) -> float:
    """How long a reading takes, the median of some."""
    times = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        look.reader.read(look.picture, patient=patient)
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times)


def read_film(path: Path, confidences: list[tuple[float, bool]]) -> dict[str, Any]:
    """One row of the table of films."""
    data = json.loads(path.read_text())
    layout = layout_of(from_cells([(c["q"], c["r"]) for c in data["cells"]], data["board"]))
    row: dict[str, Any] = {"film": path.stem, "board": data["board"], "men": "/".join(data["players"])}
    capture = cv2.VideoCapture(str(path.with_suffix(".mp4")))
    first = _frame(capture, 5)
    material = material_of(data, True)
    found = find_board(first, layout, None, material)
    if isinstance(found, NotFound):
        return {**row, "found": found.reason}
    cells = {(c["q"], c["r"]): c["px"] for c in data["cells"]}
    seen = found.pose.project(np.column_stack([layout.centres_mm, np.zeros(len(layout.names))]))
    keys = [min(cells, key=lambda k: float(np.linalg.norm(np.array(cells[k]) - p))) for p in seen]
    start = _film_looks(data["start"], keys)
    reader = CellReader(found.pose, layout, learn_table(first, found.pose, layout, material, start))
    total: Counter[str] = Counter()
    bumped = min((e["frame"] for e in data["events"] if e["kind"] == "bump"), default=data["frames"])
    geometry = {**data["geometry"], **data}
    for frame, looks in _positions(data, keys):
        if frame >= bumped:
            break
        readings = list(reader.read(_frame(capture, frame)))
        counts = score(truths(geometry, layout, found.pose, looks), readings, confidences)
        total += counts
        total["positions"] += 1
        total["perfect"] += counts["right"] == counts["cells"]
    return {**row, "found": "yes", **total}


def _positions(data: dict[str, Any], keys: list[tuple[int, int]]) -> Iterator[tuple[int, list[CellLook]]]:
    """After each ply in which something moved, the frame that shows it and what stands there; a disk that a player
    forgot to turn or to take away lies there until the next one."""
    before, last = _film_looks(data["start"], keys), 0
    for ply in data["plies"]:
        looks, there = _film_looks(ply["after"], keys), dict(zip(keys, before, strict=True))
        late = {
            tuple(e["cell"])
            for e in data["events"]
            if e["kind"] == "forgot-disk" and last < e["frame"] <= ply["settled"]
        }
        seen = [
            replace(look, surface=there[k].surface) if k in late else look for k, look in zip(keys, looks, strict=True)
        ]
        if ply["steps"]:
            yield ply["settled"], seen
        before, last = looks, ply["settled"]


def _frame(capture: cv2.VideoCapture, number: int) -> Any:
    capture.set(cv2.CAP_PROP_POS_FRAMES, number)
    return capture.read()[1]


def _film_looks(rows: list[Any], keys: list[tuple[int, int]]) -> list[CellLook]:
    there = {(q, r): CellLook(SURFACES[tile], owner, height) for q, r, tile, owner, height in rows}
    return [there[key] for key in keys]


def _look(cell: dict[str, Any]) -> CellLook:
    return CellLook(SURFACES[cell["tile"]], cell["owner"], cell["height"])


def calibration(confidences: list[tuple[float, bool]]) -> list[dict[str, Any]]:
    """Of the cells read with so much confidence, how many are right."""
    out = []
    for low, high in pairwise(BINS):
        inside = [right for confidence, right in confidences if low <= confidence < high]
        share = round(statistics.mean(inside), 5) if inside else None
        out.append({"from": low, "to": min(high, 1.0), "cells": len(inside), "right": share})
    return out


def main(arguments: Sequence[str] = ()) -> None:
    """`python -m benchmarks.read [--tables] [FOLDER_OF_STILLS …]`; without folders all footage, the sample film too."""
    cv2.setNumThreads(1)
    wanted = asked(arguments)
    confidences: list[tuple[float, bool]] = []
    rows = [read_still(path, False, confidences) for path in wanted.stills()]
    if rows:
        wanted.write_table("read-stills.csv", rows)
        _report(rows)
    if not wanted.folders:
        read = [read_film(path.with_suffix(".json"), confidences) for path in films()]
        wanted.write_table("read-films.csv", read)
        for film in read:
            print(film)
    curve = calibration(confidences)
    wanted.write_table("read-confidence.csv", curve)
    for row in curve:
        print(f"confidence {row['from']:.3f} … {row['to']:.3f}: {row['cells']} cells, right {row['right']}")


def _report(rows: list[dict[str, Any]]) -> None:
    """What came of all stills together."""
    found = [row for row in rows if row["found"] == "yes"]
    counted = ("cells", "right", "stacks", "stacks_right")
    total = {key: sum(row.get(key, 0) for row in found) for key in counted}
    perfect = sum(row["right"] == row["cells"] for row in found)
    print(f"{len(found)} of {len(rows)} stills found, {perfect} perfect")
    print(f"cells right {total['right'] / total['cells']:.5f} of {total['cells']}")
    print(f"stacks right {total['stacks_right'] / max(1, total['stacks']):.4f} of {total['stacks']}")
    usual, patient = (statistics.median(row[kind] for row in found) for kind in ("ms", "patient_ms"))
    print(f"a reading takes {usual:.1f} ms, a patient one {patient:.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
