"""Grow hexagonal lattices through candidate regions: which regions are neighbours in one regular pattern?

A lattice is grown from a seed with its six neighbours and followed outwards by a homography that is fitted anew in
every round, so that perspective and a moderate lens distortion do no harm.
"""

from dataclasses import dataclass

import numpy as np

from vision.arrays import Floats, Ints
from vision.finding.blobs import OUTLINE_INSET_PX, Blobs
from vision.hexagons import AXIAL_TO_PLANE, SIX

_MATCH = 0.2  # of the pitch
#: Regions with smaller radii, in pitches, are tops of men; so many others are enough for a lattice.
_TOP, _FEWEST = 0.385, 5
#: Nearest regions that may be a seed's neighbours, seeds that are followed, and rounds of following one.
_NEAREST, _TRIES, _ROUNDS = 12, 12, 25
#: Boards have hardly more cells than this, and lattices are followed to so many regions at least.
_ANY_BOARD, _LARGEST = 140, 200
#: On so many of its six places a seed has neighbours; a doubtful one on so many. They are no farther away than this, in
#: its radii, and where disks are narrow.
_NEIGHBOURS, _FEWER_NEIGHBOURS, _NEAR_NEIGHBOURS, _FAR_NEIGHBOURS = 4, 3, 3.4, 5.0


@dataclass(frozen=True, slots=True)
class Lattice:
    """Regions on one lattice: `blobs` (N,) indices, `sites` (N, 2) axial coordinates from an arbitrary origin,
    `homography` 3×3 from the plane with unit pitch to pixels."""

    blobs: Ints
    sites: Ints
    homography: Floats

    def __len__(self) -> int:
        return len(self.blobs)

    def all_but_one(self) -> list["Lattice"]:
        """The lattice without each of its regions in turn."""
        rest = [np.arange(len(self)) != i for i in range(len(self))]
        return [Lattice(self.blobs[some], self.sites[some], self.homography) for some in rest]


def grow_lattices(
    blobs: Blobs, wanted: int, most: int = 3, every: bool = False, doubtful: bool = False, narrow: bool = False
) -> list[Lattice]:
    """Up to `most` lattices, the largest first; stops early at one that has `wanted` regions, unless `every` one is
    asked for: the table may have a pattern of its own. Of two that share most of their regions there is one then.

    The number of seeds tried and the size of a lattice are bounded, and so is the time. `doubtful`: seeds with fewer
    neighbours, and regions of other lattices, are followed, too: a top of a stack may have led those astray. `narrow`:
    disks may be narrow, or look so within their rims.
    """
    lattices: list[Lattice] = []
    used: set[int] = set()
    tries = 0
    least = _FEWER_NEIGHBOURS if doubtful else _NEIGHBOURS
    for seed, neighbours in _seeds(blobs, least, _FAR_NEIGHBOURS if narrow else _NEAR_NEIGHBOURS):
        if seed in used:
            continue
        tries += 1
        lattice = _grow(blobs, seed, neighbours, max(3 * wanted + 60, _LARGEST), narrow)
        if lattice is not None and not (every and _mostly(lattice, used)):
            used.update(() if doubtful else (int(i) for i in lattice.blobs))
            lattices.append(lattice)
        if tries >= _TRIES or (lattice is not None and len(lattice) >= wanted and not every):
            break
    return sorted(lattices, key=len, reverse=True)[:most]


def beyond_any_board(lattice: Lattice, wanted: int) -> bool:
    """Whether a lattice has more regions than a board of which `wanted` are enough, with the spare disks about it, and
    than another board."""
    return len(lattice) > max(2 * wanted + 40, _ANY_BOARD)


def _mostly(lattice: Lattice, used: set[int]) -> bool:
    """Whether most of a lattice's regions are used."""
    return 2 * sum(int(i) in used for i in lattice.blobs) > len(lattice)


def fit_homography(plane: Floats, pixels: Floats) -> Floats:
    """Least-squares homography (normalised direct linear transform), 3×3; affine for fewer than eight points."""
    middle, scale = pixels.mean(0), max(float(pixels.std()), 1e-9)
    p, (x, y) = (pixels - middle) / scale, plane.T
    one, zero = np.ones_like(x), np.zeros_like(x)
    back = np.array([[scale, 0, middle[0]], [0, scale, middle[1]], [0, 0, 1.0]])
    if len(x) < 8:
        affine, *_ = np.linalg.lstsq(np.stack([x, y, one], 1), p, rcond=None)
        return np.asarray(back @ np.vstack([affine.T, [0, 0, 1.0]]), np.float64)
    u, v = p.T
    rows = np.concatenate(
        [
            np.stack([x, y, one, zero, zero, zero, -u * x, -u * y], 1),
            np.stack([zero, zero, zero, x, y, one, -v * x, -v * y], 1),
        ]
    )
    h, *_ = np.linalg.lstsq(rows, np.concatenate([u, v]), rcond=None)
    return np.asarray(back @ np.append(h, 1.0).reshape(3, 3), np.float64)


def apply_homography(homography: Floats, plane: Floats) -> Floats:
    """Pixels (…, 2) of points (…, 2)."""
    p = plane @ homography[:, :2].T + homography[:, 2]
    out: Floats = p[..., :2] / p[..., 2:]
    return out


def _seeds(blobs: Blobs, least: int, farthest: float) -> list[tuple[int, Ints]]:
    """Regions with neighbours on at least so many of six regular places, the most regular first.

    Distances are measured in each region's own ellipse, which undoes the tilt; (index, six neighbour indices or −1).
    """
    if len(blobs) < 4:
        return []
    whiten = np.linalg.inv(np.linalg.cholesky(blobs.shapes)) / 2  # a disk becomes the unit circle
    found = []
    for i in range(len(blobs)):
        d = (blobs.centres - blobs.centres[i]) @ whiten[i].T
        r = np.hypot(*d.T)
        ratio = blobs.areas / blobs.areas[i]
        near = np.flatnonzero((r > 1.6) & (r < farthest) & (ratio > 0.4) & (ratio < 2.5))
        if len(near) < 3:
            continue
        near = near[np.argsort(r[near])[:_NEAREST]]
        best = _best_star(d, near, least)
        if best is not None:
            found.append((best[0], i, best[1]))
    found.sort(key=lambda s: s[0])
    return [(i, neighbours) for _, i, neighbours in found]


def _best_star(d: Floats, near: Ints, least: int) -> tuple[float, Ints] | None:
    """The most regular six-pointed star of neighbour offsets: (cost, indices in the order of the six directions)."""
    at = d[near]
    x, y = at.T
    length = np.hypot(x, y)
    sine = (x[:, None] * y - y[:, None] * x) / (length[:, None] * length)
    cosine, ratio = (at @ at.T) / (length[:, None] * length), length[:, None] / length
    # b about 60° counter-clockwise (in whitened picture axes) from a
    a, b = np.nonzero((sine >= 0.7) & (cosine >= 0.1) & (ratio > 0.75) & (ratio < 1.33))
    if not len(a):
        return None
    va, vb = at[a], at[b]
    star = np.stack([va, vb, vb - va, -va, -vb, va - vb], axis=1)
    gap = np.hypot(*np.moveaxis(at - star[:, :, None], 3, 0))
    j = gap.argmin(axis=2)
    miss = gap.min(axis=2) / length[a][:, None]
    hit = miss < _MATCH
    hits = hit.sum(axis=1)
    off = (miss * hit).sum(axis=1) / np.maximum(hits, 1)
    cost = np.where(hits >= least, -hits + 4 * off, np.inf)
    best = int(cost.argmin())
    return (float(cost[best]), np.where(hit[best], near[j[best]], -1)) if np.isfinite(cost[best]) else None


def _grow(blobs: Blobs, seed: int, star: Ints, largest: int, narrow: bool) -> Lattice | None:
    """Follow the pattern outwards from a seed until nothing more fits, or it is larger than any board."""
    # the star runs counter-clockwise in picture axes (y down), so the reverse of the board's directions
    order = SIX[[0, 5, 4, 3, 2, 1]]
    hit = star >= 0
    members = {(0, 0): seed} | {(int(q), int(r)): int(j) for (q, r), j in zip(order[hit], star[hit], strict=True)}
    homography = fit_homography(np.array(list(members)) @ AXIAL_TO_PLANE, blobs.centres[list(members.values())])
    for _ in range(_ROUNDS):
        index, sites = _flat_ones(blobs, members, homography, narrow)
        homography = fit_homography(sites @ AXIAL_TO_PLANE, blobs.centres[index])
        grown = _assign(blobs, homography, np.array(list(members)))
        if len(grown) < 4:
            return None
        done = grown == members or len(grown) > largest
        members = grown
        if done:
            break
    return Lattice(*_flat_ones(blobs, members, homography, narrow), homography)


def _flat_ones(
    blobs: Blobs, members: dict[tuple[int, int], int], homography: Floats, narrow: bool
) -> tuple[Ints, Ints]:
    """The regions of a lattice that are as wide as disks or cells, and their sites; all of them where these are few, or
    disks are `narrow`.

    Tops of stacks are smaller, and seen beside their cells.
    """
    index, sites = np.array(list(members.values())), np.array(list(members))
    size = np.sqrt(blobs.areas[index] / np.pi) + OUTLINE_INSET_PX
    wide = size > _TOP * local_pitch(homography, sites @ AXIAL_TO_PLANE)
    return (index[wide], sites[wide]) if wide.sum() >= _FEWEST and not narrow else (index, sites)


def _assign(blobs: Blobs, homography: Floats, sites: Ints) -> dict[tuple[int, int], int]:
    """The regions nearest to the sites and to the sites next to them, where they fit in place."""
    all_sites = np.unique(np.concatenate([sites, *(sites + s for s in SIX)]), axis=0)
    plane = all_sites @ AXIAL_TO_PLANE
    at = apply_homography(homography, plane)
    pitch = local_pitch(homography, plane)
    x, y = blobs.centres.T
    nearest = ((x - at[:, :1]) ** 2 + (y - at[:, 1:]) ** 2).argmin(1)
    fits = np.hypot(*(blobs.centres[nearest] - at).T) < _MATCH * pitch
    size = np.sqrt(blobs.areas[nearest]) / pitch
    usual = np.median(size[fits]) if fits.any() else 1.0
    fits &= (size > 0.5 * usual) & (size < 1.6 * usual)
    return {(int(q), int(r)): int(j) for (q, r), j in zip(all_sites[fits], nearest[fits], strict=True)}


def local_pitch(homography: Floats, plane: Floats) -> Floats:
    """Geometric mean of the pitch in pixels about each point of the plane, (N,)."""
    here = apply_homography(homography, plane)
    ex = apply_homography(homography, plane + np.array([0.5, 0])) - here
    ey = apply_homography(homography, plane + np.array([0, 0.5])) - here
    out: Floats = 2 * np.sqrt(np.abs(ex[:, 0] * ey[:, 1] - ex[:, 1] * ey[:, 0]) + 1e-9)
    return out
