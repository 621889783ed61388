"""The network that looks at the sides of the topmost men: how thick are men?

A side is shown unrolled, so that its upper and lower edge are straight lines wherever the camera is: the lower one lies
a man's thickness below the upper one. Weights come from `benchmarks/reader_training`.
"""

from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Singles
from vision.networks.habit import habit
from vision.networks.layers import Layer, Layers
from vision.networks.logs import log_mean
from vision.networks.net import stored_weights
from vision.sampling import SIDE_ENDS, SIDE_ROWS

_LAYERS = (
    Layer("d.c1", (5, 3), (1, 2)),
    Layer("d.c2", (3, 3), (1, 2)),
    Layer("d.c3", (3, 5)),
    Layer("d.c4", (5, 1), pad=2, added=True),
    Layer("d.c5", (5, 1), pad=2, added=True),
)
#: The thicknesses that are compared, in diameters.
THICKNESSES = np.geomspace(0.15, 0.39, 20).astype(np.float32)
#: Row j of what the convolutions give lies at row j + 4 of the side; so many of them are averaged for an overview.
_FIRST_ROW, _TOGETHER = 4, 4
#: Where features are taken about the upper edge, and about where the lower one would be, in diameters below it.
_ABOUT = np.array([-0.04, 0.0, 0.04], np.float32)


class SideNet:
    """The network with its weights; see the module's docstring."""

    def __init__(self, weights: dict[str, Singles]) -> None:
        self._layers = Layers(weights, _LAYERS)

    def thicknesses(self, pictures: Singles, view: Singles, ratios: Floats) -> Floats:
        """Log-likelihoods (n, G) of men that are `ratios` (G,) diameters thick, each up to a constant.

        `pictures` (n, 4, SIDE_ROWS, SIDE_COLUMNS), `view` (n, 5): see `TableModel.rim_view`. They are looked at
        mirrored too.
        """
        told = log_mean(self._told(pictures, view), self._told(np.ascontiguousarray(pictures[..., ::-1]), view))
        told = told - self._layers.weights["d.usual"]
        place = np.interp(np.log(ratios), np.log(THICKNESSES), np.arange(len(THICKNESSES)))
        below = np.minimum(place.astype(int), len(THICKNESSES) - 2)
        share = place - below
        likely: Floats = told[:, below] * (1 - share) + told[:, below + 1] * share - habit(view, ratios)
        return likely

    def _told(self, pictures: Singles, view: Singles) -> Singles:
        """Log-probabilities of the THICKNESSES, (n, 20)."""
        told = self._compared(self._layers.convolved(pictures, view)[:, :, 0], view)
        return np.asarray(told - np.logaddexp.reduce(told, axis=1, keepdims=True))

    def _compared(self, rows: Singles, view: Singles) -> Singles:
        """What the features (n, rows, E) below a top say of each of the THICKNESSES, (n, 20)."""
        n, planes = len(rows), len(THICKNESSES)
        overview = rows.reshape(n, -1, _TOGETHER, rows.shape[2]).mean(axis=2).reshape(n, -1)
        code = self._layers.relu("d.g", np.concatenate([overview, view], axis=1))
        edges = np.concatenate(
            [THICKNESSES[:, None] + _ABOUT, 2 * THICKNESSES[:, None], np.tile(_ABOUT, (planes, 1))], axis=1
        )
        step = (SIDE_ENDS[1] - SIDE_ENDS[0]) / SIDE_ROWS
        place = np.clip((edges - SIDE_ENDS[0]) / step - 0.5 - _FIRST_ROW, 0, rows.shape[1] - 1.001)
        above = place.astype(int)
        share = (place - above)[..., None].astype(np.float32)
        about = (rows[:, above] * (1 - share) + rows[:, above + 1] * share).reshape(n, planes, -1)
        same = np.repeat(np.concatenate([code, view], axis=1)[:, None], planes, axis=1)
        which = np.broadcast_to(np.log(THICKNESSES) + np.float32(1.4), (n, planes))[..., None]
        hidden = self._layers.relu("d.h1", np.concatenate([about, same, which], axis=2))
        return self._layers.dense("d.h3", self._layers.relu("d.h2", hidden))[..., 0]


@lru_cache(maxsize=1)
def side_net() -> SideNet:
    """The network with the weights that come with the program."""
    return SideNet(stored_weights())
