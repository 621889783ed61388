"""The network that looks at piles of spare men for PyTorch: `networks.spare_net` in a form that learns; its loss."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from benchmarks.reader_training.height_network import column_convolutions, features_at
from vision.networks.height_net import COLUMN_FEATURES, TOGETHER, places_of
from vision.networks.spare_net import COUNTS, KNOWN, SUNK, TAUGHT

_VIEW, _MAPS, _CODE, _PLACES = 5, 64, 128, 8
#: So much of its inputs the network that weighs heights sees of shadows.
_SHADOWS = 5 * _MAPS
_POOLED = COLUMN_FEATURES // TOGETHER * _MAPS
_DENSE = ("g", "h1", "h2", "h3")
#: How many men a pile has counts so much where it is known; the rest is how thick they are, whatever their number.
_COUNT = 0.5


class SpareNetwork(nn.Module):
    """Convolutions that shrink a column to rows of features, and dense layers that compare thicknesses and numbers of
    men. It begins with the `stored` weights of the network that weighs heights, without its shadows and lamp."""

    def __init__(self, stored: Mapping[str, np.ndarray]) -> None:
        super().__init__()
        self.column = column_convolutions(_VIEW)
        self.column.go_on({k: v[:_VIEW] if k.endswith("view") else v for k, v in stored.items()}, "t")
        each = _PLACES * _MAPS
        self.g = nn.Linear(_POOLED + _VIEW, _CODE)
        self.h1, self.h2, self.h3 = (
            nn.Linear(each + len(KNOWN) + _CODE + _VIEW, 96),
            nn.Linear(96, 48),
            nn.Linear(48, 1),
        )
        self.drop = nn.Dropout(0.2)
        rows = len(stored["t.g.weight"])
        taken = {"g": [*range(_POOLED), *range(rows - 2 * _VIEW, rows - _VIEW)]}
        known, code = each + _SHADOWS, each + _SHADOWS + 8
        taken["h1"] = [*range(each), *(known + k for k in KNOWN), *range(code, code + _CODE + _VIEW)]
        for name in _DENSE:
            weight, bias = (stored[f"t.{name}.{part}"].astype(np.float32) for part in ("weight", "bias"))
            layer = getattr(self, name)
            layer.weight.data = torch.from_numpy(weight[taken.get(name, slice(None))].T.copy())
            layer.bias.data = torch.from_numpy(bias)

    def forward(self, column: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        """Logits (n, G, K) of the thicknesses and numbers of men that are taught. `column`, `view`: see `SpareNet`."""
        x = self.column(column, view)
        overview = functional.avg_pool1d(x, TOGETHER).transpose(1, 2).flatten(1)
        code = self.drop(torch.relu(self.g(torch.cat([overview, view], 1))))
        ratios = torch.from_numpy(TAUGHT).float().repeat_interleave(len(COUNTS))[None]
        counts = torch.from_numpy(COUNTS).float().repeat(len(TAUGHT))[None]
        seen_from = [*(view[:, k, None] for k in range(_VIEW)), *torch.zeros(5, len(view), 1)]
        rows, _, known = places_of(seen_from, 0.0, ratios, SUNK, 1.0, counts)
        shape = (len(view), ratios.shape[1])
        seen = [features_at(x, row) for row in rows]
        told = [known[k].expand(shape)[..., None] for k in KNOWN]
        same = torch.cat([code, view], 1)[:, None].expand(-1, shape[1], -1)
        each = self.drop(torch.cat([*seen, *told], 2))
        out: torch.Tensor = self.h3(torch.relu(self.h2(torch.relu(self.h1(torch.cat([each, same], 2))))))[..., 0]
        return out.reshape(len(view), len(TAUGHT), len(COUNTS))


def spare_loss(
    net: SpareNetwork, column: torch.Tensor, view: torch.Tensor, thick: torch.Tensor, men: torch.Tensor
) -> torch.Tensor:
    """How thick are the men of a pile? (n,) losses. `thick` (n,), in diameters; `men` (n,): how many, 0 where nobody
    knows."""
    out = net(column, view)
    likely = torch.log_softmax(out.flatten(1), 1).reshape(out.shape)
    place = ((thick - TAUGHT[0]) / (TAUGHT[1] - TAUGHT[0])).clamp(0, len(TAUGHT) - 1.001)
    below, every = place.floor().long(), torch.arange(len(thick))
    share = (place - below)[:, None]
    told = torch.logaddexp(
        likely[every, below] + torch.log1p(-share), likely[every, below + 1] + share.clamp(min=1e-6).log()
    )
    any_number = torch.logsumexp(told, 1)
    this_number = told[every, (men - 1).clamp(min=0)]
    return -torch.where(men > 0, _COUNT * this_number + (1 - _COUNT) * any_number, any_number)


def exported(net: SpareNetwork) -> dict[str, np.ndarray]:
    """The network's weights as the program reads them."""
    out = net.column.exported("q")
    for name in _DENSE:
        layer = getattr(net, name)
        out[f"q.{name}.weight"], out[f"q.{name}.bias"] = layer.weight.detach().T.numpy(), layer.bias.detach().numpy()
    return out
