"""Whose men these are by their sides, which do not mirror the lamp.

Where exactly a top lies is not known, and pictures are blurred: below its near edge a place shows the man's side, the
top itself or what lies about him, each in some shade. So each owner says how likely the colour there is (a mixture).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Singles
from vision.surfaces.ring_colours import alike_in_shade

#: How much darker or brighter than a man's top his side may look, and what lies about him, and the top beside it.
_SHADES, _SHADES_ABOUT, _SHADES_OF_TOPS = (0.3, 1.2), (0.2, 1.5), (0.5, 1.2)
#: Dark sides are not known so exactly: they mirror something of all that is about them.
_DARK_SIDES = 0.8
#: How often a place shows the side, and something that is not known.
_SIDE, _ELSE = 0.8, 0.04
#: Fewer places count for less; and how often all of them show something else.
_FEW, _MISTAKEN = 20, 0.003


@dataclass(frozen=True, slots=True)
class Sides:
    """m places about the sides of n men: their colours (n, 3, m) against the light; where nothing is in front, (n, m);
    how much they look like anything else than sides, (n, m); and how much they count together, (n,)."""

    colours: Singles
    seen: NDArray[np.bool_]
    other: Singles
    weight: Floats

    def told(self, men: Floats) -> Floats:
        """Log-likelihoods (n, owners), relative to the best, of men of such colours (owners, 3) against the light."""
        if not len(self.weight):
            return np.zeros((0, len(men)))
        likely = (
            _SIDE * alike_in_shade(self.colours, men, _SHADES, _DARK_SIDES) + (1 - _SIDE) * self.other[:, None] + _ELSE
        )
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
    return Sides(colours, seen, np.maximum(about, top), weight)
