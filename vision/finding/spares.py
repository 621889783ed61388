"""Spare men and disks that lie beside the board: where their tops are. They are like those on the board."""

import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Floats
from vision.finding.blobs import OUTLINE_INSET_PX, find_blobs, search_size, smaller
from vision.finding.edges import edge_map
from vision.geometry import BoardPose
from vision.picture import Picture

#: Spare men lie so far from the middle of the nearest cell, in pitches.
_NEAREST, _FARTHEST = 0.8, 12.0
#: The outline of a top is as long and as wide as one of a man there would be, usually within this share.
_UNLIKE = 0.2
#: Smaller outlines than this, in pixels from the middle, are no use.
_LEAST_PX = 2.0


def spare_tops(image: Picture, pose: BoardPose, layout: Layout, diameter_mm: float, unlike: float = _UNLIKE) -> Floats:
    """Where the middles of round things of such a diameter, but for a share `unlike` of it, appear to lie on the
    board's plane, (n, 2) mm, off the board.

    `image` (H, W, 3), blue-green-red. Disks are larger than men; a pile of men is one thing.
    """
    if (size := search_size(image)) is not None:
        image, pose = smaller(image, size), pose.resized(*size)
    blobs = find_blobs(image, edge_map(image))
    if not len(blobs):
        return np.zeros((0, 2))
    places = pose.unproject(blobs.centres)
    apart = np.linalg.norm(places[:, None] - np.array(layout.centres_mm), axis=2).min(axis=1) / layout.pitch_mm
    before = pose.depth_mm(np.column_stack([places, np.zeros(len(places))])) > 0
    beside = np.flatnonzero(before & (apart > _NEAREST) & (apart < _FARTHEST))
    places, shapes = places[beside], 4 * blobs.shapes[beside]
    inside, wanted = _outlines(pose, places, diameter_mm)
    whiten = np.linalg.inv(np.linalg.cholesky(wanted))
    axes = np.sqrt(np.linalg.eigvalsh(whiten @ shapes @ whiten.swapaxes(1, 2)))
    like: Floats = places[inside & (np.abs(axes - 1) < unlike).all(axis=1)]
    return like


def _outlines(pose: BoardPose, places: Floats, diameter_mm: float) -> tuple[NDArray[np.bool_], Floats]:
    """Whether circles about places (n, 2) on the board's plane are large enough in the picture, and their outlines as
    regions have them: matrices (n, 2, 2) whose eigenvalues are squared semi-axes in pixels."""
    ends = np.array([[diameter_mm / 2, 0.0], [0.0, diameter_mm / 2]])
    around = np.zeros((2, 2, len(places), 3))
    around[0, ..., :2], around[1, ..., :2] = places + ends[:, None], places - ends[:, None]
    pixels = pose.project(around)
    half = (pixels[0] - pixels[1]).transpose(1, 2, 0) / 2
    squared, axes = np.linalg.eigh(half @ half.swapaxes(1, 2))
    radii = np.sqrt(squared) - OUTLINE_INSET_PX
    shrunk = (axes * np.maximum(radii, _LEAST_PX)[:, None] ** 2) @ axes.swapaxes(1, 2)
    return radii.min(axis=1) > _LEAST_PX, shrunk
