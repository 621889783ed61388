"""The network that weighs heights against one another: how well does each fit a stack's side and its shadow?

It looks at an upright picture that reaches down from where the top was seen, and along the shadow. For every height and
every thickness of a man geometry says where edges, foot and end of the shadow must be then; the network sees what is
there. No men at all are one more height: then a disk or a shadow was taken for some. Lengths are in diameters of a man.
Weights come from `benchmarks/reader_training`.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engine.look import MAX_HEIGHT
from vision.arrays import Floats, Singles
from vision.networks.layers import Layer, Layers
from vision.networks.logs import log_sum
from vision.networks.net import stored_weights
from vision.sampling import COLUMN_ENDS, SHADOW_ENDS, SHADOW_ROWS, STRIP_ROWS

_SHADOW_LAYERS = (
    Layer("o.c1", (5, 5), (2, 2)),
    Layer("o.c2", (3, 3), (1, 2)),
    Layer("o.c3", (3, 3), pad=2, spread=2),
    Layer("o.c4", (3, 4), pad=1),
)
#: Row j of what the convolutions give lies at row 2 j + 3 of a column and 2 j + 4 of a shadow; how many there are.
COLUMN_FIRST, COLUMN_FEATURES = 3, 53
SHADOW_FIRST, SHADOW_FEATURES = 4, 36
#: So many rows are averaged for an overview.
TOGETHER = 4
#: How much farther down the ground below a foot is looked at, and about a shadow's end.
_BELOW, _ABOUT_END = 0.07, 0.12


def column_layers(prefix: str) -> tuple[Layer, ...]:
    """What looks at an upright picture that hangs from a top; its weights' names begin with a `prefix`."""
    return (
        Layer(f"{prefix}.c1", (5, 5), (1, 2)),
        Layer(f"{prefix}.c2", (3, 3), (2, 2)),
        Layer(f"{prefix}.c3", (3, 3), pad=1),
        Layer(f"{prefix}.c4", (3, 6), pad=2, spread=2),
        Layer(f"{prefix}.c5", (3, 1), pad=2, added=True, spread=2),
    )


@dataclass(frozen=True, slots=True)
class HeightBelief:
    """What n stacks show: features of their columns and shadows (n, rows, E), a `code` (n, E); how they were seen,
    `view` (n, 10), and `up` (n,), where in their strips the tops' middles are."""

    column: Singles
    shadow: Singles
    code: Singles
    view: Singles
    up: Floats


def places_of(
    view: Any, up: Any, ratio: Any, sunk: Any, reach: Any, heights: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """Where to look if there are `heights` men: rows of a column's features and of a shadow's; and what else is known.

    All arguments are arrays, or tensors, that fit one another: `view` its ten columns, `up` where in the strip the
    middle of the top is, `ratio` a man's thickness, `sunk` how far below the disks the stack stands, `reach` how long
    shadows are per unit of height.
    """
    sine, cosine, near, scale, ahead, aside, lamp = (view[k] for k in (0, 1, 4, 3, 5, 6, 9))
    top, foot, near = ratio * heights - sunk, -sunk, near / 10
    flat = up * (1 - top * near) - top * sine

    def seen(z: Any, off: float) -> Any:
        return (flat + off * cosine + z * sine) / (1 - z * near) - up

    low, lowest = seen(top, -0.5), seen(foot, -0.5)
    edges = [
        seen(top, 0.5),
        seen(top, 0.0),
        low,
        seen(top - ratio, -0.5),
        (low + lowest) / 2,
        seen(foot + ratio, -0.5),
        lowest,
        lowest - _BELOW,
    ]
    step = (COLUMN_ENDS[1] - COLUMN_ENDS[0]) / STRIP_ROWS
    rows = [((edge - COLUMN_ENDS[0]) / step - 0.5 - COLUMN_FIRST) / 2 for edge in edges]
    back = -top * sine / (cosine - top * near / cosine)
    axis = back * ahead
    end = axis + top * reach + 0.5
    ends = [end - _ABOUT_END, end, end + _ABOUT_END, end - ratio * reach, axis + foot * reach + 0.5]
    step = (SHADOW_ENDS[1] - SHADOW_ENDS[0]) / SHADOW_ROWS
    falls = [((place - SHADOW_ENDS[0]) / step - 0.5 - SHADOW_FIRST) / 2 for place in ends]
    side = back * aside
    known = [top, sunk + 0 * top, 4 * ratio - 1 + 0 * top, heights / 8 + 0 * top, low - lowest, end * lamp, side * lamp]
    return rows, falls, [*known, (low - lowest) * math.e**scale]


class HeightNet:
    """The network with its weights; see the module's docstring."""

    def __init__(self, weights: dict[str, Singles]) -> None:
        self._columns, self._shadows = Layers(weights, column_layers("t")), Layers(weights, _SHADOW_LAYERS)

    def look(self, columns: Singles, shadows: Singles, view: Singles, up: Floats) -> HeightBelief:
        """What stacks show.

        `columns` (n, 4, STRIP_ROWS, STRIP_COLUMNS), `shadows` (n, 4, SHADOW_ROWS, SHADOW_COLUMNS), `view` (n, 10): see
        `TableModel.height_view`; `up` (n,): where in their strips the tops' middles are.
        """
        column = self._columns.convolved(columns, view)[:, :, 0]
        shadow = self._shadows.convolved(shadows, view)[:, :, 0] * view[:, 9, None, None]
        overview = [averaged(part) for part in (column, shadow)]
        code = self._columns.relu("t.g", np.concatenate([*overview, view], axis=1))
        return HeightBelief(column, shadow, code, view, up)

    def heights(self, belief: HeightBelief, ratios: Floats, reaches: Floats, sunk: Floats) -> Floats:
        """Log-likelihoods (n, S, 9) of no, one, two, … men that are `ratios` (S,) thick and throw shadows `reaches`
        (n, S) times as long as they are high; `sunk` (n,): how far below the disks they stand."""
        n, view = len(belief.view), belief.view.astype(np.float64)
        columns = [view[:, k, None, None] for k in range(view.shape[1])]
        counts = np.arange(MAX_HEIGHT + 1)[None, None]
        given = belief.up[:, None, None], ratios[None, :, None], sunk[:, None, None], reaches[:, :, None]
        rows, falls, known = places_of(columns, *given, counts)
        seen = [features_at(belief.column, row) for row in rows] + [features_at(belief.shadow, row) for row in falls]
        same = np.concatenate([belief.code, belief.view], axis=1)
        shape = (n, len(ratios), MAX_HEIGHT + 1)
        told = [np.broadcast_to(part, shape)[..., None].astype(np.float32) for part in known]
        each = np.concatenate([*seen, *told], axis=3)
        weight, bias = self._columns.weights["t.h1.weight"], self._columns.weights["t.h1.bias"]
        hidden = each @ weight[: each.shape[3]] + (same @ weight[each.shape[3] :] + bias)[:, None, None]
        hidden = self._columns.relu("t.h2", np.maximum(hidden, 0, out=hidden))
        out = self._columns.dense("t.h3", hidden)[..., 0] - self._columns.weights["t.often"]
        return np.asarray(out - log_sum(out, axis=2, keepdims=True), np.float64)


def averaged(rows: Singles) -> Singles:
    """Rows of features (n, rows, E), some together, (n, fewer · E)."""
    whole = rows.shape[1] // TOGETHER * TOGETHER
    mean = rows[:, :whole].reshape(len(rows), -1, TOGETHER, rows.shape[2]).mean(axis=2)
    return np.asarray(mean.reshape(len(rows), -1), np.float32)


def features_at(rows: Singles, place: Floats) -> Singles:
    """Features (n, rows, E) at places (n, …) between rows, (n, …, E)."""
    place = np.clip(place, 0, rows.shape[1] - 1.001)
    above = place.astype(int)
    share = (place - above)[..., None].astype(np.float32)
    cell = np.arange(len(rows)).reshape(-1, *[1] * (place.ndim - 1))
    out: Singles = rows[cell, above] * (1 - share) + rows[cell, above + 1] * share
    return out


@lru_cache(maxsize=1)
def height_net() -> HeightNet:
    """The network with the weights that come with the program."""
    return HeightNet(stored_weights())
