"""The networks that look at shadows: where the lamp stands, and how long a stack's shadow is.

One looks at what surrounds a stack and says from where the light comes. The other looks along the shadow, on a strip of
the board that runs away from the lamp, and says how far the top's shadow reaches; seen from above, a shadow tells more
of a stack's height than its side does. Lengths are in diameters of a man. Weights come from
`benchmarks/reader_training`.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from engine.look import MAX_HEIGHT
from vision.arrays import Floats, Singles
from vision.networks.layers import Layer, Layers
from vision.networks.logs import log_mean, log_one_more, log_sum
from vision.networks.mixture import Mixture, met
from vision.networks.net import stored_weights

_LAMP_LAYERS = (Layer("l.c1", (4, 4), (2, 2)), Layer("l.c2", (3, 3), (2, 2)), Layer("l.c3", (3, 3)))
_SHADOW_LAYERS = (Layer("h.c1", (5, 5), (2, 2)), Layer("h.c2", (3, 3), (2, 2)), Layer("h.c3", (3, 3)))
#: Directions from which light may come, counted from away from the camera to its right, …
DIRECTIONS = 24
#: … and how far a shadow may reach per unit of height.
REACHES = np.geomspace(0.2, 1.6, 6)
#: Where the parts of the mixture of a shadow's length lie, before the network moves them.
_PARTS = (0.3 * np.arange(1, 6, dtype=np.float32) ** 1.2).astype(np.float32)

#: Mirrored, what lies to the right of the camera's way lies to its left: the second column of the view.
_MIRRORED = np.array([1, -1, 1, 1, 1, 1, 1, 1], np.float32)


@dataclass(frozen=True, slots=True)
class ShadowBelief:
    """What n shadows show: how far the shadows of the tops reach; `code` (n, E) and `view` serve `heights`; `mirrored`:
    what the same shadows show mirrored, if asked."""

    length: Mixture
    code: Singles
    view: Singles
    mirrored: "ShadowBelief | None" = None


class ShadowNet:
    """The networks with their weights; see the module's docstring."""

    def __init__(self, weights: dict[str, Singles]) -> None:
        self._lamps, self._shadows = Layers(weights, _LAMP_LAYERS), Layers(weights, _SHADOW_LAYERS)

    def lamps(self, pictures: Singles, view: Singles) -> Singles:
        """Log-probabilities (n, DIRECTIONS, REACHES) of where the light comes from.

        `pictures` (n, 4, AROUND, AROUND), `view` (n, 4): the first columns of `TableModel.strip_view`.
        """
        x = self._lamps.convolved(pictures, view)
        out = self._lamps.dense("l.g2", self._lamps.relu("l.g1", np.concatenate([x.reshape(len(x), -1), view], axis=1)))
        told: Singles = out - np.logaddexp.reduce(out, axis=1, keepdims=True)
        return told.reshape(len(x), DIRECTIONS, len(REACHES))

    def shadows(self, pictures: Singles, view: Singles, both: bool = False) -> ShadowBelief:
        """`pictures` (n, 4, SHADOW_ROWS, SHADOW_COLUMNS), `view` (n, 8): see `TableModel.shadow_view`. `both`: look at
        them mirrored too."""
        mirrored = None
        if both:
            mirrored = self.shadows(np.ascontiguousarray(pictures[..., ::-1]), view * _MIRRORED)
        x = self._shadows.convolved(pictures, view)
        code = self._shadows.relu("h.g1", np.concatenate([x.reshape(len(x), -1), view], axis=1))
        parts = self._shadows.dense("h.m", np.concatenate([code, view], axis=1)).reshape(len(x), -1, 3)
        length = Mixture(
            weight=parts[..., 0] - np.logaddexp.reduce(parts[..., 0], axis=1, keepdims=True),
            middle=_PARTS + np.float32(0.3) * parts[..., 1],
            spread=np.exp(np.clip(parts[..., 2] - 2, -4, np.float32(0.3))),
        )
        return ShadowBelief(length, code, view, mirrored)

    def heights(self, belief: ShadowBelief, man: Floats, sunk: Floats) -> Singles:
        """Log-likelihoods (n, S, 8) of one, two, … men, as probabilities that add up to one.

        `man` (n, S): how far the shadow of one man reaches; `sunk` (n, S): by how much a shadow is shorter because the
        stack stands below the disks.
        """
        if belief.mirrored is not None:
            other = self.heights(belief.mirrored, man, sunk)
            return log_mean(self.heights(replace(belief, mirrored=None), man, sunk), other)
        weight, bias = self._shadows.weights["h.k1.weight"], self._shadows.weights["h.k1.bias"]
        same = np.concatenate([belief.code, belief.view], axis=1) @ weight[:-2] + bias
        given = np.stack([man, sunk], axis=2).astype(np.float32)
        hidden = np.maximum(same[:, None] + 4 * given @ weight[-2:], 0)
        out = self._shadows.dense("h.k2", hidden)
        tops = man[..., None] * np.arange(1, MAX_HEIGHT + 1) - sunk[..., None]
        density = belief.length.log_density(tops)
        logits = out[..., :MAX_HEIGHT] + log_one_more(out[..., MAX_HEIGHT:] + np.float32(0.5)) * density
        told: Singles = logits - self._shadows.weights["h.often"]
        return told - log_sum(told, axis=2, keepdims=True)

    def lengths(self, belief: ShadowBelief, ends: Floats, reach: Floats) -> Floats:
        """Log-likelihoods (n, …) of shadows that reach as far as `ends`, each stack up to a constant.

        `reach` (n,): how far they would reach per unit of height by the lamp's estimated place.
        """
        heights = ends / reach.reshape(-1, *[1] * (ends.ndim - 1))
        density = belief.length.log_density(ends)
        if belief.mirrored is not None:
            density = log_mean(density, belief.mirrored.length.log_density(ends))
        return density - met(self._shadows.weights["h.met"], heights)


@lru_cache(maxsize=1)
def shadow_net() -> ShadowNet:
    """The networks with the weights that come with the program."""
    return ShadowNet(stored_weights())
