"""The network that looks at the rims of tops: how large they look, and so how near to the camera they are.

A stack's top is nearer to the camera than the board, and looks larger by one or two hundredths with every man: that
tells heights from straight above too, where neither sides nor where the top is in the picture say much. Weights come
from `benchmarks/reader_training`.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vision.arrays import Singles
from vision.networks.layers import Layer, Layers
from vision.networks.mixture import Mixture
from vision.networks.net import stored_weights

_LAYERS = (Layer("r.c1", (5, 4), (2, 2)), Layer("r.c2", (3, 3), (1, 2)), Layer("r.c3", (3, 3), (2, 1)))
#: So many directions come twice, since there is no first and last.
_ROUND = 6


@dataclass(frozen=True, slots=True)
class RimBelief:
    """What n rims show: `size`, the logarithm of the diameter that a top appears to have over what it is assumed to be,
    and `off` (n, 2), how far from the assumed place its middle is: away from the camera and to its right, in radii."""

    size: Mixture
    off: Singles


class RimNet:
    """The network with its weights; see the module's docstring."""

    def __init__(self, weights: dict[str, Singles]) -> None:
        self._layers = Layers(weights, _LAYERS)

    def rims(self, pictures: Singles, view: Singles) -> RimBelief:
        """`pictures` (n, 4, RIM_CIRCLES, RIM_DIRECTIONS), `view` (n, 5): see `TableModel.rim_view`."""
        x = self._layers.convolved(np.concatenate([pictures, pictures[..., :_ROUND]], axis=3), view)
        code = self._layers.relu("r.g1", np.concatenate([x.reshape(len(x), -1), view], axis=1))
        hidden = self._layers.relu("r.g2", np.concatenate([code, view], axis=1))
        out = self._layers.dense("r.m", hidden)
        parts = out[:, :-2].reshape(len(x), -1, 3)
        size = Mixture(
            weight=parts[..., 0] - np.logaddexp.reduce(parts[..., 0], axis=1, keepdims=True),
            middle=np.float32(0.04) * (1 + parts[..., 1]),
            spread=np.exp(np.clip(parts[..., 2] - 4, -6.5, -2)),
        )
        return RimBelief(size, out[:, -2:])


@lru_cache(maxsize=1)
def rim_net() -> RimNet:
    """The network with the weights that come with the program."""
    return RimNet(stored_weights())
