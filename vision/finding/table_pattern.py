"""The pattern of a table, as dotted cloths and tiles have one: a lattice that is larger than any board's.

It has more regions than the board, and more regular ones, so that every lattice would be grown on it. What belongs to
it is set aside, and the board is looked for among the rest.
"""

import numpy as np

from vision.arrays import Floats, Ints
from vision.finding.blobs import Blobs
from vision.finding.lattice import Lattice, fit_homography, local_pitch
from vision.hexagons import AXIAL_TO_PLANE

#: Regions belong to a pattern that are no farther from its places than this, in pitches, and as large as those about
#: them within these factors.
_NEAR, _SIZES = 0.25, (0.6, 1.6)
#: A pattern is followed so many sites beyond what is known of it, and so often.
_BEYOND, _ROUNDS = 8, 12


def regions_of(blobs: Blobs, lattice: Lattice) -> Ints:
    """All regions (n,) of the pattern that a lattice is a part of."""
    members, sites = lattice.blobs, lattice.sites
    for _ in range(_ROUNDS):
        homography = fit_homography(sites @ AXIAL_TO_PLANE, blobs.centres[members])
        places, before = _on_plane(homography, blobs.centres)
        nearest = np.rint(places @ np.linalg.inv(AXIAL_TO_PLANE)).astype(np.intp)
        near = np.linalg.norm(places - nearest @ AXIAL_TO_PLANE, axis=1) < _NEAR
        low, high = sites.min(axis=0) - _BEYOND, sites.max(axis=0) + _BEYOND
        near &= before & ((nearest >= low) & (nearest <= high)).all(axis=1)
        size = np.sqrt(blobs.areas) / local_pitch(homography, places)
        like = size / np.median(size[members])
        found = np.flatnonzero(near & (like > _SIZES[0]) & (like < _SIZES[1]))
        if len(found) <= len(members):
            break
        members, sites = found, nearest[found]
    return members


def _on_plane(homography: Floats, pixels: Floats) -> tuple[Floats, np.ndarray]:
    """Where pixels (n, 2) lie on a lattice's plane, (n, 2) pitches, and whether that is before the camera, (n,)."""
    back = np.linalg.inv(homography)
    x, y, depth = (np.column_stack([pixels, np.ones(len(pixels))]) @ back.T).T
    before = depth * np.sign(np.median(depth)) > 0
    depth = np.where(before, depth, 1.0)
    return np.column_stack([x / depth, y / depth]), before
