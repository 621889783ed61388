"""Mixtures of normal distributions, in which the networks say how long or high something is (Bishop 1994).

What a network says is a posterior: it leans towards what was met often in training. Divided by how often that was, it
is a likelihood.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Singles

#: The density that is left for anything else, and the logarithm of a spread times its density in the middle.
_ANYWHERE, _PER_SPREAD = np.float32(np.exp(-5.0)), np.float32(0.5 * np.log(2 * np.pi))
#: Of which values it is stored how often they were met in training.
MET_AT = np.linspace(0.05, 3.0, 60)


@dataclass(frozen=True, slots=True)
class Mixture:
    """One mixture for each of n things: logarithms of the `weight` (all together 1), the `middle` and the `spread` of
    its parts, (n, parts) each."""

    weight: Singles
    middle: Singles
    spread: Singles

    def of(self, rows: NDArray[np.int_] | NDArray[np.bool_]) -> "Mixture":
        """The mixtures of some of the things."""
        return Mixture(self.weight[rows], self.middle[rows], self.spread[rows])

    def log_density(self, at: Floats) -> Singles:
        """Log-density of each thing at `at` (n, …), of that shape."""
        places = at.reshape(len(at), int(np.prod(at.shape[1:])), 1).astype(np.float32)
        spread = self.spread[:, None]
        off = (places - self.middle[:, None]) / spread
        off *= off
        off *= np.float32(-0.5)
        off += (self.weight - np.log(self.spread))[:, None] - _PER_SPREAD
        near = np.exp(off, out=off) @ np.ones(off.shape[2], np.float32)
        density: Singles = np.log(near + _ANYWHERE)
        return density.reshape(at.shape)

    def likeliest(self) -> Singles:
        """The middle of each thing's weightiest part, (n,)."""
        best: Singles = np.take_along_axis(self.middle, np.argmax(self.weight, axis=1)[:, None], axis=1)[:, 0]
        return best


def met(stored: Singles, at: Floats) -> Floats:
    """How often values `at` were met in training, log-densities of that shape; `stored` (60,): those at `MET_AT`."""
    return np.interp(at, MET_AT, stored)
