"""Which sites of a lattice are the board's cells? Lay the board's shape where every cell shows and nothing beside it.

The evidence is colour-blind: a site looks like a cell when a region of the right size lies in it or when an outline
runs along its six sides. The table beside the board has neither in the lattice's places.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from vision.arrays import Floats, Ints
from vision.finding.blobs import Blobs
from vision.finding.edges import Edges, sample
from vision.geometry import BoardPose
from vision.hexagons import AXIAL_TO_PLANE, SIX
from vision.picture import Picture

#: Places along (4 … 6 of the pitch) and across a cell's side where its outline is looked for, in pitches.
_ALONG, _ACROSS = np.linspace(-0.2, 0.2, 7), np.array([-0.04, 0.0, 0.04])
#: Strength of a site's outline (third weakest of its sides, against the usual): below the first none, above the
#: second sure.
_FAINT, _CLEAR = 0.25, 0.6
#: Where a site's colour is taken, about its middle, in distances between cells.
_AROUND = np.linspace(-0.15, 0.15, 5)
#: Rotation by 60° counter-clockwise of axial coordinates given as rows.
_TURN = np.array([[1, -1], [1, 0]])


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much each site of a rectangle of axial coordinates looks like a cell.

    `likeness` (Q, R) 0 … 1; `filled` (Q, R) 1 where a region of a cell's size lies in the site, else 0; both NaN
    outside the picture. `outline` (Q, R): strength of the third weakest of the site's sides against the usual.
    `pixels` (Q, R, 2): the sites' middles. `origin` (2,): coordinates of the first site.
    """

    likeness: Floats
    filled: Floats
    outline: Floats
    pixels: Floats
    origin: Ints

    def by_regions(self) -> "Evidence":
        """The same, but only regions make a site look like a cell."""
        return replace(self, likeness=self.filled)


@dataclass(frozen=True, slots=True)
class Look:
    """A shape (N, 2) laid on the sites: mean likeness of its cells (beyond the picture counts as none) and of the sites
    just beside it, the share of those that are filled, and which of its cells look like the table instead, (N,)."""

    inside: float
    outside: float
    filled_outside: float
    absent: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Placement:
    """The board's shape on the lattice: site = cell turned `turns` × 60° counter-clockwise, plus `offset`; `score` is
    what its cells and the sites beside it are worth together."""

    turns: int
    offset: tuple[int, int]
    score: float


def turn_cells(cells: Ints, turns: int) -> Ints:
    """Axial coordinates (N, 2) turned by `turns` × 60° counter-clockwise about (0, 0)."""
    out = cells
    for _ in range(turns % 6):
        out = out @ _TURN
    return out


def gather_evidence(edges: Edges, blobs: Blobs, low: Ints, high: Ints, pose: BoardPose, pitch_mm: float) -> Evidence:
    """Evidence at the sites from `low` to `high` (both (2,), inclusive); `pose` is that of the sites' own frame."""
    ranges = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    sites = np.stack(np.meshgrid(*ranges, indexing="ij"), -1).reshape(-1, 2)
    centres = pitch_mm * (sites @ AXIAL_TO_PLANE)
    with np.errstate(all="ignore"):  # sites far beside the board may lie behind the camera
        pixels = pose.project(_flat(centres))
        pitch_px = pose.pitch_px(_flat(centres), pitch_mm)
        side_px = pose.project(_flat(centres[:, None, None, None] + pitch_mm * side_points()))
    good = np.isfinite(side_px).all(axis=(1, 2, 3, 4)) & (pose.depth_mm(_flat(centres)) > 0)
    side_px[~good] = -9.0
    sides = sample(edges, side_px, -1.0)
    good &= (sides >= 0).all(axis=(1, 2, 3))
    strength = np.median(sides.max(axis=3), axis=2)  # (sites, 6)
    filled = np.zeros(len(sites))
    filled[good] = _filled(blobs, pixels[good], pitch_px[good])
    usual = float(np.median(strength[filled > 0])) if filled.any() else float(np.max(strength))
    outline = np.sort(strength, axis=1)[:, 2] / max(usual, 1.0)
    likeness = np.maximum(np.clip((outline - _FAINT) / (_CLEAR - _FAINT), 0, 1), 0.9 * filled)
    likeness[~good] = filled[~good] = np.nan
    shape = tuple(high - low + 1)
    return Evidence(
        likeness.reshape(shape),
        filled.reshape(shape),
        outline.reshape(shape),
        pixels.reshape(*shape, 2),
        np.asarray(low, np.intp),
    )


def judge(shape: Ints, evidence: Evidence, image: Picture) -> Look:
    """How a shape (N, 2) looks where it lies; `evidence` must cover it and the sites beside it."""
    inside, ring = tuple((shape - evidence.origin).T), tuple((ring_of(shape) - evidence.origin).T)
    seen = np.nan_to_num(evidence.likeness, nan=0.0)
    filled = np.nan_to_num(evidence.filled, nan=0.0)
    bare = 0.03 + 1.3 * float(np.percentile(evidence.outline[ring], 80))
    absent = (filled[inside] == 0) & (evidence.outline[inside] < bare)
    absent &= _table_like(image, evidence.pixels[ring], evidence.pixels[inside])
    return Look(float(seen[inside].mean()), float(seen[ring].mean()), float(filled[ring].mean()), absent)


def _table_like(image: Picture, beside_px: Floats, cells_px: Floats) -> NDArray[np.bool_]:
    """Which cells (N, 2) have the colour that prevails beside the board, at `beside_px` (M, 2)."""
    spread = float(np.median(np.hypot(*(cells_px - np.roll(cells_px, 1, axis=0)).T)))
    around = np.stack(np.meshgrid(_AROUND, _AROUND), -1).reshape(-1, 2) * spread
    limit = np.array([image.shape[1] - 1, image.shape[0] - 1])

    def colours(pixels: Floats) -> Floats:
        x, y = np.clip(np.nan_to_num(pixels)[:, None] + around, 0, limit).round().astype(int).transpose(2, 0, 1)
        return np.asarray(image[y, x].mean(axis=1, dtype=np.float64))

    table = colours(beside_px)
    middle = np.median(table, axis=0)
    usual = float(np.median(np.abs(table - middle).max(axis=1)))
    alike: NDArray[np.bool_] = np.abs(colours(cells_px) - middle).max(axis=1) < 10 + 2.5 * usual
    return alike


def placements(board: Board, evidence: Evidence) -> list[Placement]:
    """The best places for the board's shape, one for each of its six rotations, best first."""
    out = []
    for turns, (shape, ring) in enumerate(_turned_shapes(board)):
        if (best := _best_offset(shape, ring, turns, evidence)) is not None:
            out.append(best)
    return sorted(out, key=lambda p: -p.score)


@lru_cache(maxsize=8)
def _turned_shapes(board: Board) -> tuple[tuple[Ints, Ints], ...]:
    """A board's cells in each of the six rotations, and the sites just beside them."""
    cells = np.array(board.cells, dtype=np.intp)
    turned = [turn_cells(cells, turns) for turns in range(6)]
    return tuple((shape, ring_of(shape)) for shape in turned)


def _best_offset(shape: Ints, ring: Ints, turns: int, evidence: Evidence) -> Placement | None:
    """The best place of one turned shape (N, 2) and the sites beside it (M, 2); cells beyond the evidence count as
    unlike a cell."""
    size = np.array(evidence.likeness.shape)
    low, high = ring.min(0), ring.max(0)
    pad = int((high - low).max()) // 2
    padded = np.pad(np.nan_to_num(evidence.likeness, nan=0.0), pad)
    starts = [np.arange(-pad, n - (b - a) + pad) for n, a, b in zip(size, low, high, strict=True)]
    if not all(len(s) for s in starts):
        return None
    offsets = np.stack(np.meshgrid(*starts, indexing="ij"), -1).reshape(-1, 2) - low
    inside = offsets[:, None] + shape[None] + pad
    outside = offsets[:, None] + ring[None] + pad
    score = (padded[inside[..., 0], inside[..., 1]] - 0.5).sum(1) - padded[outside[..., 0], outside[..., 1]].sum(1)
    best = int(score.argmax())
    q, r = offsets[best] + evidence.origin
    return Placement(turns, (int(q), int(r)), float(score[best]))


def ring_of(shape: Ints) -> Ints:
    """The sites just beside a shape, its lakes' too, (M, 2)."""
    inside = {(int(q), int(r)) for q, r in shape}
    return np.array(sorted({(q + int(a), r + int(b)) for q, r in inside for a, b in SIX} - inside), dtype=np.intp)


def side_points() -> Floats:
    """Points on the six sides of a cell about its centre, in pitches, (6, along, across, 2)."""
    to_neighbour = SIX @ AXIAL_TO_PLANE
    along = np.stack([-to_neighbour[:, 1], to_neighbour[:, 0]], axis=1)
    points: Floats = (
        to_neighbour[:, None, None] * (0.5 + _ACROSS[None, None, :, None])
        + along[:, None, None] * _ALONG[None, :, None, None]
    )
    return points


def _filled(blobs: Blobs, pixels: Floats, pitch_px: Floats) -> Floats:
    """Which sites (N,) have a region of a cell's or disk's size in their middle."""
    gap = np.hypot(*(blobs.centres[None] - pixels[:, None]).transpose(2, 0, 1))
    nearest = gap.argmin(1)
    size = np.sqrt(blobs.areas[nearest] / np.pi) / pitch_px
    filled: Floats = ((gap.min(1) < 0.2 * pitch_px) & (size > 0.25) & (size < 0.65)).astype(np.float64)
    return filled


def _flat(points_mm: Floats) -> Floats:
    """The points (…, 2) on the plane z = 0, (…, 3)."""
    return np.concatenate([points_mm, np.zeros((*points_mm.shape[:-1], 1))], axis=-1)
