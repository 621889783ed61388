"""Whose men these are by their sides, which do not mirror the lamp.

Where exactly a top lies is not known, and pictures are blurred: below its near edge a place shows the man's side, the
top itself or what lies about him, each in some shade. So each owner says how likely the colour there is (a mixture).
Where a top mirrors the lamp so does its edge, and blends of top and side have a colour between the two.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Bools, Floats, Singles
from vision.light import GAMMA
from vision.surfaces.ring_colours import alike_in_shade, likeness

#: How much darker or brighter than a man's top his side may look, and what lies about him, and the top beside it.
_SHADES, _SHADES_ABOUT, _SHADES_OF_TOPS = (0.3, 1.2), (0.2, 1.5), (0.5, 1.2)
#: Dark sides are not known so exactly: they mirror something of all that is about them.
_DARK_SIDES = 0.8
#: How often a place shows the side, and something that is not known.
_SIDE, _ELSE = 0.8, 0.04
#: How likely a place that the side, or the side and a mirroring top, explain is a blend of these.
_BLENDED = 0.7
#: So much keeps shares of a man and of his top known where these are of one colour, or black.
_LEAST_APART = 1e-4
#: In their darkest shades a man and his top give such shares of their light.
_DARKEST_SHARES = np.array([[_SHADES[0]], [_SHADES_OF_TOPS[0]]]) ** GAMMA
#: Fewer places count for less; and how often all of them show something else.
_FEW, _MISTAKEN = 20, 0.003


@dataclass(frozen=True, slots=True)
class Sides:
    """m places about the sides of n men: their colours (n, 3, m) against the light; where nothing is in front, (n, m);
    how much they look like anything else than sides, (n, m); the colours of the men's `tops` (n, 3); and how much the
    places count together, (n,)."""

    colours: Singles
    seen: NDArray[np.bool_]
    other: Singles
    tops: Floats
    weight: Floats

    def told(self, men: Floats, mirroring: Bools) -> Floats:
        """Log-likelihoods (n, owners), relative to the best, of men of such colours (owners, 3) against the light;
        `mirroring` (n, owners): whether their tops mirror the lamp if they are each owner's."""
        if not len(self.weight):
            return np.zeros((0, len(men)))
        alike = alike_in_shade(self.colours, men, _SHADES, _DARK_SIDES)
        rows, owners = np.nonzero(mirroring)
        if len(rows):
            blends = _alike_to_blends(self.colours[rows], men[owners], self.tops[rows])
            alike[rows, owners] = np.maximum(alike[rows, owners], _BLENDED * blends)
        likely = _SIDE * alike + (1 - _SIDE) * self.other[:, None] + _ELSE
        told = (np.log(likely) * self.seen[:, None]).sum(axis=2) / np.maximum(self.seen.sum(axis=1), _FEW)[:, None]
        told = self.weight[:, None] * (told - told.max(axis=1, keepdims=True)).astype(np.float64)
        return np.asarray(np.logaddexp(told, np.log(_MISTAKEN)))


def sides_of(colours: Singles, seen: NDArray[np.bool_], surfaces: Floats, tops: Floats, weight: Floats) -> Sides:
    """What is seen about the sides of men whose tops have such colours (n, 3).

    `surfaces` (k, 3): the colours of the table's surfaces, NaN where they are not known; see `Sides`.
    """
    known = surfaces[np.isfinite(surfaces).all(axis=1)]
    about = alike_in_shade(colours, known, _SHADES_ABOUT).max(axis=1, initial=0.0)
    top = alike_in_shade(colours, tops[:, None], _SHADES_OF_TOPS)[:, 0]
    return Sides(colours, seen, np.maximum(about, top), tops, weight)


def _alike_to_blends(colours: Singles, men: Floats, tops: Floats) -> Singles:
    """How much colours (n, 3, m) look like a blend of the colours of men (n, 3) and of their tops (n, 3), each in some
    shade, (n, m): by least squares in linear light, a share below 0 left out."""
    both = np.stack([men, tops], axis=2) ** GAMMA
    light = colours.clip(0).astype(np.float64) ** GAMMA
    gram = both.swapaxes(1, 2) @ both + _LEAST_APART * np.eye(2)
    shares = np.linalg.solve(gram, both.swapaxes(1, 2) @ light).clip(0, _SHADES[1] ** GAMMA)
    of_darkest = (shares / _DARKEST_SHARES).sum(axis=1, keepdims=True).clip(_LEAST_APART, 1)
    blends = (both @ (shares / of_darkest)) ** (1 / GAMMA)
    apart = np.abs(colours - blends).sum(axis=1).astype(np.float32)
    return likeness(apart, colours.sum(axis=1), _DARK_SIDES)
