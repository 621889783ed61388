"""The network that looks at piles of spare men beside the board: how thick are men?

How high a pile's side is tells it, once one knows how many men it has, and seams tell that where they are seen. So for
every thickness and every number of men geometry says where edges, seams and foot must be in an upright picture that
hangs from the top, as for the network that weighs heights (`vision/networks/height_net.py`), from which this one
learned on; what it says of all numbers is added up. Weights come from `benchmarks/reader_training`.
"""

from functools import lru_cache

import numpy as np

from vision.arrays import Floats, Singles
from vision.networks.height_net import averaged, column_layers, features_at, places_of
from vision.networks.layers import Layers
from vision.networks.logs import log_mean, log_sum
from vision.networks.net import stored_weights

#: Thicknesses that it was taught, in diameters, and numbers of men.
TAUGHT = np.round(np.arange(0.15, 0.361, 0.01), 3)
COUNTS = np.arange(1, 6)
#: About how far below the disks the table lies, in diameters.
SUNK = 0.2
#: Columns of the view that tell of a lamp, of which this network knows nothing, and which of what is known it is told.
_LAMP, KNOWN = 5, (0, 1, 2, 3, 4, 7)


class SpareNet:
    """The network with its weights; see the module's docstring."""

    def __init__(self, weights: dict[str, Singles]) -> None:
        self._layers = Layers(weights, column_layers("q"))

    def thicknesses(self, columns: Singles, view: Singles, ratios: Floats) -> Floats:
        """Log-likelihoods (n, G) of men that are `ratios` (G,) diameters thick, within what was `TAUGHT`.

        `columns` (n, 4, STRIP_ROWS, STRIP_COLUMNS): see `column_maps`, from the middles of the tops down; `view`
        (n, 5): see `TableModel.strip_view`. They are looked at mirrored, too.
        """
        told = [self._told(seen, view, ratios) for seen in (columns, np.ascontiguousarray(columns[..., ::-1]))]
        return np.asarray(log_mean(*told), np.float64)

    def _told(self, columns: Singles, view: Singles, ratios: Floats) -> Singles:
        """The same of pictures one way round, as probabilities of `ratios` together, (n, G)."""
        column = self._layers.convolved(columns, view)[:, :, 0]
        code = self._layers.relu("q.g", np.concatenate([averaged(column), view], axis=1))
        seen_from = [*view.astype(np.float64).T[:, :, None, None], *np.zeros((_LAMP, 1, 1, 1))]
        rows, _, known = places_of(seen_from, 0.0, ratios[None, :, None], SUNK, 1.0, COUNTS[None, None])
        shape = (len(view), len(ratios), len(COUNTS))
        seen = [features_at(column, np.broadcast_to(row, shape)) for row in rows]
        told = [np.broadcast_to(known[k], shape)[..., None].astype(np.float32) for k in KNOWN]
        each, same = np.concatenate([*seen, *told], axis=3), np.concatenate([code, view], axis=1)
        weights = self._layers.weights
        parts = np.split(weights["q.h1.weight"], [each.shape[3]])
        hidden = each @ parts[0] + (same @ parts[1] + weights["q.h1.bias"])[:, None, None]
        hidden = self._layers.relu("q.h2", np.maximum(hidden, 0, out=hidden))
        likely = log_sum(self._layers.dense("q.h3", hidden)[..., 0], axis=2)
        return np.asarray(likely - log_sum(likely, axis=1, keepdims=True), np.float32)


@lru_cache(maxsize=1)
def spare_net() -> SpareNet:
    """The network with the weights that come with the program."""
    return SpareNet(stored_weights())
