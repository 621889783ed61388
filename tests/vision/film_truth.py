"""The truth of a film of the footage: where the board is, what lies on it, when hands are over it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.board import Board, from_cells
from engine.layout import Layout, layout_of
from engine.look import BoardLook, CellLook, Surface
from vision.geometry import BoardPose, Lens
from vision.palette import Material, parse_colour
from vision.picture import Picture

_SURFACES = {"virgin": Surface.BEIGE, "wall": Surface.DARK, "territory": Surface.BARE}


@dataclass(frozen=True)
class Visit:
    """One reach of a hand: frames `first` to `gone` − 1, `still_to` the last frame before the next one."""

    first: int
    gone: int
    still_to: int


class FilmTruth:
    """What NAME.json says about NAME.mp4."""

    def __init__(self, film: Path) -> None:
        self.film = film
        self._data: dict[str, Any] = json.loads(film.with_suffix(".json").read_text())
        self.fps: int = self._data["fps"]
        self.board: Board = from_cells([(c["q"], c["r"]) for c in self._data["cells"]], self._data["board"])
        self.layout: Layout = layout_of(self.board, self._data["geometry"]["pitch_mm"])
        self.material = Material(
            tuple(parse_colour(word) for word in self._data["players"]),  # type: ignore[arg-type]
            (parse_colour(self._data["beige"]), parse_colour(self._data["dark"])),
        )

    def pose(self) -> BoardPose:
        """The true pose, from the true camera matrix and the true pixels of the cells' centres."""
        camera, (width, height) = self._data["geometry"]["camera"], self._data["size"]
        matrix = np.array(camera["K"])
        distortion = tuple(camera["dist"])
        pixels = {(c["q"], c["r"]): c["px"] for c in self._data["cells"]}
        points = np.array([(x, y, 0.0) for x, y in self.layout.centres_mm])
        image = np.array([pixels[cell] for cell in self.board.cells])
        _, turn, shift = cv2.solvePnP(points, image, matrix, np.array(distortion), flags=cv2.SOLVEPNP_IPPE)
        lens = Lens(width, height, matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], distortion)
        return BoardPose(lens, np.asarray(cv2.Rodrigues(turn)[0], np.float64), np.ravel(shift).astype(np.float64))

    def frame(self, number: int) -> Picture:
        """One frame of the film."""
        capture = cv2.VideoCapture(str(self.film))
        capture.set(cv2.CAP_PROP_POS_FRAMES, number)
        there, frame = capture.read()
        assert there
        return np.asarray(frame, np.uint8)

    def looks(self, ply: int) -> BoardLook:
        """What lies on the cells after a ply; −1 for the start."""
        cells = self._data["start"] if ply < 0 else self._data["plies"][ply]["after"]
        there = {(q, r): CellLook(_SURFACES[tile], owner, height) for q, r, tile, owner, height in cells}
        return tuple(there[cell] for cell in self.board.cells)

    def visits(self) -> list[Visit]:
        """Every reach of a hand that changes something, in order."""
        steps = [(s["first"], s["hand_gone"], p["settled"]) for p in self._data["plies"] for s in p["steps"]]
        return [
            Visit(first, gone, min(settled, steps[i + 1][0] - 1 if i + 1 < len(steps) else settled))
            for i, (first, gone, settled) in enumerate(steps)
        ]

    def changes(self) -> list[tuple[int, int, CellLook]]:
        """When each cell comes to look different: frame, cell, look; when a hand still hides it, at that time."""
        out = []
        for number, ply in enumerate(self._data["plies"]):
            before, after = self.looks(number - 1), self.looks(number)
            for i, cell in enumerate(self.board.cells):
                if before[i] != after[i]:
                    steps = [s for s in ply["steps"] if tuple(s["cell"]) == cell]
                    if not steps and ply["move"] and tuple(ply["move"][0]) == cell:
                        steps = [s for s in ply["steps"] if s["cell"] == ply["move"][1]]
                    # The hand takes at least three frames to leave after its work is done.
                    out.append(((steps or ply["steps"])[-1]["hand_gone"] - 4, i, after[i]))
        return sorted(out, key=lambda change: change[:2])

    def settled(self) -> Iterator[tuple[int, int, int]]:
        """For every ply played with the hand: its number, and the first and last frame that show its result."""
        for number, ply in enumerate(self._data["plies"]):
            if ply["steps"]:
                yield number, ply["steps"][-1]["hand_gone"], ply["settled"]


def turned(board: Board, looks: BoardLook, turns: int) -> BoardLook:
    """The looks of the same board turned by 60° steps: a bare hexagon has no 'up'."""
    out = list(looks)
    for i, (q, r) in enumerate(board.cells):
        for _ in range(turns):
            q, r = -r, q + r
        out[board.index[(q, r)]] = looks[i]  # type: ignore[index]
    return tuple(out)
