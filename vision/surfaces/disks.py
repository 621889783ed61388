"""Where exactly disks lie on their cells: circles fitted to their edges in a picture.

Disks are put down by hand, a little beside the middles of their cells, and nobody says how wide they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from engine.look import SURFACES, Surface
from vision.arrays import Floats, Singles
from vision.geometry import BoardPose
from vision.picture import Picture
from vision.sampling import gather

#: Edges are looked for so far from the middles of cells, in pitches, in so many directions.
_FROM, _TO, _STEP, _DIRECTIONS = 0.36, 0.50, 0.008, 40
#: Edges are where colours change over so many steps, by so many grey levels at least.
_OVER, _LEAST_CHANGE = 3, 18.0
#: The first change counts that is so great a part of the greatest: farther out are the lines between cells.
_FIRST_PEAK = 0.6
#: How far edges may be from a circle at first and at last, in pitches, and how often it is fitted.
_ASTRAY, _SHRUNK, _FITS = (0.02, 0.004), 0.6, 8
#: A circle is found when so many directions are this near to it, in pitches; a table's width from so many disks.
_FEWEST, _NEAR, _FEWEST_DISKS = 10, 0.008, 3
#: How weakly middles are drawn to those of the cells.
_DRAWN = 0.3
#: How far beside the middles of their cells disks may lie that were not measured, in a disk's radii.
_ASIDE = 0.045

_TURNS = 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
_WAYS = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)
_CIRCLE = np.concatenate([np.ones((_DIRECTIONS, 1)), _WAYS], axis=1)


@dataclass(frozen=True, slots=True)
class Disks:
    """Disks on n cells: which of `SURFACES` these are, (n,), −1 where nobody knows; the disks' middles, (n, 2), and how
    far beside these they may lie, (n,) (0 where they were measured; the others are those of the cells); their radius;
    in millimetres."""

    surface: NDArray[np.int_]
    middles_mm: Floats
    aside_mm: Floats
    radius_mm: float

    def now(self, surface: NDArray[np.int_], centres_mm: Floats) -> "Disks":
        """The disks when the cells, with `centres_mm` (n, 2), are such: where they changed, disks were moved."""
        same = surface == self.surface
        middles = np.where(same[:, None], self.middles_mm, centres_mm)
        return replace(
            self, surface=surface, middles_mm=middles, aside_mm=np.where(same, self.aside_mm, _ASIDE * self.radius_mm)
        )

    def among(self, cells: Sequence[int], centres_mm: Floats) -> "Disks":
        """The disks of a whole board, with the cells' `centres_mm` (m, 2), of which these are on some `cells` (n,)."""
        surface, middles = np.full(len(centres_mm), -1), centres_mm.copy()
        aside = np.full(len(centres_mm), _ASIDE * self.radius_mm)
        surface[cells], middles[cells], aside[cells] = self.surface, self.middles_mm, self.aside_mm
        return replace(self, surface=surface, middles_mm=middles, aside_mm=aside)

    def of(self, cells: NDArray[np.int_]) -> "Disks":
        """Those on some of the cells."""
        return replace(
            self, surface=self.surface[cells], middles_mm=self.middles_mm[cells], aside_mm=self.aside_mm[cells]
        )


def measure_disks(
    image: Picture,
    pose: BoardPose,
    layout: Layout,
    disk_mm: float,
    surface: NDArray[np.int_],
    empty: NDArray[np.bool_],
    scale: float = 1.0,
    least: float | None = None,
) -> Disks | None:
    """The disks on a board, `disk_mm` thick; of each of its cells: `surface` (n,), which of `SURFACES` it is, and
    `empty` (n,), whether nothing stands there. They are about `scale` times as wide as usual; their edges are looked
    for no nearer to the middles than `least`, in pitches times that.

    None when too few of them can be made out.
    """
    cells = np.flatnonzero(surface != SURFACES.index(Surface.BARE))
    every, pitch = np.asarray(layout.centres_mm), layout.pitch_mm * scale
    least = _FROM if least is None else least
    centres, empty = every[cells], empty[cells]
    radii = np.arange(least, _TO, _STEP)
    points = np.empty((len(cells), _DIRECTIONS, len(radii), 3))
    points[..., :2] = centres[:, None, None] + pitch * radii[:, None] * _WAYS[:, None]
    points[..., 2] = disk_mm
    inner, clear = _edges(gather(image, pose.project(points).astype(np.float32)).astype(np.float32))
    edges = least + inner
    free, found = _circles(edges[empty], clear[empty], None)
    if found.sum() < _FEWEST_DISKS:
        return None
    radius = float(np.median(free[found, 0]))
    circles, found = _circles(edges, clear, radius)
    middles, aside = every.copy(), np.full(len(every), _ASIDE * pitch * radius)
    middles[cells[found]] += pitch * circles[found, 1:]
    aside[cells[found]] = 0.0
    return Disks(surface, middles, aside, pitch * radius)


def _edges(values: Singles) -> tuple[Floats, NDArray[np.bool_]]:
    """How far beyond the first of some values edges are, in pitches, (n, DIRECTIONS), and whether they are clear."""
    steep = np.abs(values[:, :, _OVER:] - values[:, :, :-_OVER]).sum(axis=3)
    middle = steep[..., 1:-1]
    peak = (middle >= steep[..., :-2]) & (middle >= steep[..., 2:])
    peak &= middle >= _FIRST_PEAK * steep.max(axis=2, keepdims=True)
    inner = 1 + peak.argmax(axis=2)
    before, here, after = (np.take_along_axis(steep, (inner + k)[..., None], axis=2)[..., 0] for k in (-1, 0, 1))
    clear = peak.any(axis=2) & (here > _LEAST_CHANGE)
    bend = np.minimum(before - 2 * here + after, -1e-3)
    shift = np.clip(0.5 * (before - after) / bend, -1, 1)
    return np.asarray(_STEP * (_OVER / 2 + inner + shift), dtype=np.float64), clear


def _circles(edges: Floats, clear: NDArray[np.bool_], radius: float | None) -> tuple[Floats, NDArray[np.bool_]]:
    """Circles (n, 3) about edges (n, DIRECTIONS), of radius and middle, in pitches, and which were found; robust least
    squares. Their `radius` is kept when it is known."""
    first = np.median(edges, axis=1) if radius is None else np.full(len(edges), radius)
    usual = np.stack([first, 0 * first, 0 * first], axis=1)
    drawn = np.diag([1e-9 if radius is None else 1e9, _DRAWN, _DRAWN])
    circles = usual
    for k in range(_FITS):
        off = edges - circles @ _CIRCLE.T
        astray = max(_ASTRAY[1], _ASTRAY[0] * _SHRUNK**k)
        weights = clear / (1 + (off / astray) ** 2) ** 2
        square = np.einsum("nd,di,dj->nij", weights, _CIRCLE, _CIRCLE) + drawn
        side = (weights * off) @ _CIRCLE - (circles - usual) @ drawn
        circles = circles + np.linalg.solve(square, side[..., None])[..., 0]
    near = (np.abs(edges - circles @ _CIRCLE.T) < _NEAR) & clear
    return circles, near.sum(axis=1) >= _FEWEST
