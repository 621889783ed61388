"""The network that weighs heights for PyTorch: `vision.networks.height_net` in a form that learns, and its loss."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from engine.look import MAX_HEIGHT
from vision.networks.height_net import COLUMN_FEATURES, SHADOW_FEATURES, TOGETHER, places_of

_VIEW, _MAPS, _CODE = 10, 64, 128
_COLUMN_PLACES, _SHADOW_PLACES, _KNOWN = 8, 5, 8
_DENSE = ("g", "h1", "h2", "h3")
#: How far off the thicknesses of a man (diameters) and the reaches of shadows (logarithm) are that are asked about, how
#: far off the reach is that pictures are looked at with, and how often no lamp is known.
_THICKNESS_OFF, _REACH_OFF, _REACH_UNSURE, _NO_LAMP = 0.005, 0.03, 0.12, 0.12
Batch = Mapping[str, torch.Tensor]


class HeightNetwork(nn.Module):
    """Convolutions that shrink a column and a shadow to rows of features, and dense layers that compare heights.

    The convolutions are those of the networks for strips and for shadows with rows twice as close together, and begin
    with `stored` weights of these.
    """

    def __init__(self, stored: Mapping[str, np.ndarray]) -> None:
        super().__init__()
        self.column = column_convolutions()
        self.shadow = Convolutions(
            nn.Conv2d(4, 16, 5, 2),
            nn.Conv2d(16, 32, 3, (1, 2)),
            nn.Conv2d(32, 48, 3, padding=(2, 0), dilation=(2, 1)),
            nn.Conv2d(48, _MAPS, (3, 4), padding=(1, 0)),
        )
        self.column.begin_with(stored, "s", 5, [0, 1, 2, 3, 4])
        self.shadow.begin_with(stored, "h", 3, [5, 6, 0, 1, 7, 2, 3, 8])
        pooled = COLUMN_FEATURES // TOGETHER + SHADOW_FEATURES // TOGETHER
        self.g = nn.Linear(pooled * _MAPS + _VIEW, _CODE)
        each = (_COLUMN_PLACES + _SHADOW_PLACES) * _MAPS + _KNOWN
        self.h1, self.h2, self.h3 = nn.Linear(each + _CODE + _VIEW, 96), nn.Linear(96, 48), nn.Linear(48, 1)
        self.drop = nn.Dropout(0.2)

    def begun(self) -> list[nn.Parameter]:
        """What began with stored weights, and so learns more slowly."""
        shadow = [*self.shadow.layers[:3].parameters(), *self.shadow.f3.parameters()]
        return [*self.column.parameters(), *shadow]

    def forward(
        self,
        column: torch.Tensor,
        shadow: torch.Tensor,
        view: torch.Tensor,
        up: torch.Tensor,
        ratio: torch.Tensor,
        sunk: torch.Tensor,
        reach: torch.Tensor,
    ) -> torch.Tensor:
        """Logits (n, 9) of no, one, two, … men. `column`, `shadow`, `view`: see `HeightNet.look`; the others (n,)."""
        x, y = self.column(column, view), self.shadow(shadow, view) * view[:, 9, None, None]
        overview = [functional.avg_pool1d(part, TOGETHER).transpose(1, 2).flatten(1) for part in (x, y)]
        code = self.drop(torch.relu(self.g(torch.cat([*overview, view], 1))))
        columns = [view[:, k, None] for k in range(_VIEW)]
        counts = torch.arange(MAX_HEIGHT + 1)[None].float()
        given = [part[:, None] for part in (up, ratio, sunk, reach)]
        rows, falls, known = places_of(columns, *given, counts)
        seen = [features_at(x, row) for row in rows] + [features_at(y, row) for row in falls]
        each = torch.cat([*seen, *(part.expand(-1, MAX_HEIGHT + 1)[..., None] for part in known)], 2)
        same = torch.cat([code, view], 1)[:, None].expand(-1, MAX_HEIGHT + 1, -1)
        hidden = torch.relu(self.h2(torch.relu(self.h1(torch.cat([self.drop(each), same], 2)))))
        out: torch.Tensor = self.h3(hidden)[..., 0]
        return out


class Convolutions(nn.Module):
    """Convolutions, the last of which leave one column: (n, 4, rows, columns) → (n, E, rows). From the third on they
    know the view; a fifth one's input is added to what comes out."""

    def __init__(self, *layers: nn.Conv2d, view: int = _VIEW) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.f3, self.f4 = nn.Linear(view, 48, bias=False), nn.Linear(view, _MAPS, bias=False)
        self.blank = nn.Dropout2d(0.05)

    def begin_with(self, stored: Mapping[str, np.ndarray], prefix: str, count: int, view: list[int]) -> None:
        """Take the first `count` layers' weights from a stored network, whose view is these columns of ours."""
        for k, layer in enumerate(self.layers[:count], 1):
            shape = layer.weight.shape
            layer.weight.data = torch.from_numpy(
                stored[f"{prefix}.c{k}.weight"].astype(np.float32).T.reshape(shape).copy()
            )
            layer.bias.data = torch.from_numpy(stored[f"{prefix}.c{k}.bias"].astype(np.float32).copy())
            if f"{prefix}.c{k}.view" in stored:
                weight = getattr(self, f"f{k}").weight.data
                weight.zero_()
                weight[:, view] = torch.from_numpy(stored[f"{prefix}.c{k}.view"].astype(np.float32).T.copy())

    def forward(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        """See the class."""
        x = self.blank(torch.relu(self.layers[1](torch.relu(self.layers[0](x)))))
        x = torch.relu(self.layers[2](x) + self.f3(view)[:, :, None, None])
        x = torch.relu(self.layers[3](x) + self.f4(view)[:, :, None, None])
        for layer in self.layers[4:]:
            x = x + torch.relu(layer(x))
        return x[..., 0]

    def go_on(self, stored: Mapping[str, np.ndarray], prefix: str) -> None:
        """Take all weights as the program reads them."""
        self.begin_with(stored, prefix, len(self.layers), list(range(self.f3.in_features)))

    def exported(self, prefix: str) -> dict[str, np.ndarray]:
        """The weights as the program reads them."""
        out = {}
        for k, layer in enumerate(self.layers, 1):
            out[f"{prefix}.c{k}.weight"] = layer.weight.detach().flatten(1).T.numpy()
            out[f"{prefix}.c{k}.bias"] = layer.bias.detach().numpy()
        for k in (3, 4):
            out[f"{prefix}.c{k}.view"] = getattr(self, f"f{k}").weight.detach().T.numpy()
        return out


def column_convolutions(view: int = _VIEW) -> Convolutions:
    """What looks at an upright picture that hangs from a top, seen from so many columns of a `view`."""
    return Convolutions(
        nn.Conv2d(4, 16, 5, (1, 2)),
        nn.Conv2d(16, 32, 3, 2),
        nn.Conv2d(32, 48, 3, padding=(1, 0)),
        nn.Conv2d(48, _MAPS, (3, 6), padding=(2, 0), dilation=(2, 1)),
        nn.Conv2d(_MAPS, _MAPS, (3, 1), padding=(2, 0), dilation=(2, 1)),
        view=view,
    )


def features_at(rows: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
    """Features (n, E, rows) at places (n, m) between rows, (n, m, E)."""
    place = place.clamp(0, rows.shape[2] - 1.001)
    above = place.floor().long()
    share = (place - above)[..., None]
    rows = rows.transpose(1, 2)
    low, high = (torch.gather(rows, 1, at[..., None].expand(-1, -1, rows.shape[2])) for at in (above, above + 1))
    return low * (1 - share) + high * share


def height_loss(
    net: HeightNetwork, column: torch.Tensor, shadow: torch.Tensor, side: torch.Tensor, batch: Batch, doubt: bool = True
) -> torch.Tensor:
    """How many men are there? (n,) losses. `side` (n,) is −1 where pictures are mirrored; without `doubt` thickness and
    lamp are known exactly."""
    n, view, ratio, reach = len(side), batch["tview"].clone(), batch["thick"], batch["reach"]
    view[:, 6] *= side
    view[:, 7] = reach
    if doubt:
        view[:, 7] *= torch.exp(_REACH_UNSURE * torch.randn(n))
        ratio = ratio + _THICKNESS_OFF * torch.randn(n)
        reach = reach * torch.exp(_REACH_OFF * torch.randn(n))
        view[:, 8] *= torch.exp(0.2 * torch.randn(n))
        view[:, 5:] *= (torch.rand(n, 1) >= _NO_LAMP).float()
    told = net(column, shadow, view, batch["up"], ratio, batch["deep"], reach)
    return functional.cross_entropy(told, batch["men"].long(), reduction="none")


def go_on(net: HeightNetwork, stored: Mapping[str, np.ndarray]) -> None:
    """Let the network go on from stored weights of its own: the inverse of `exported`."""
    net.column.go_on(stored, "t")
    net.shadow.go_on(stored, "o")
    for name in _DENSE:
        layer = getattr(net, name)
        weight, bias = (stored[f"t.{name}.{part}"].astype(np.float32) for part in ("weight", "bias"))
        layer.weight.data, layer.bias.data = torch.from_numpy(weight.T.copy()), torch.from_numpy(bias)


def exported(net: HeightNetwork) -> dict[str, np.ndarray]:
    """The network's weights as the program reads them."""
    out = net.column.exported("t") | net.shadow.exported("o")
    for name in _DENSE:
        layer = getattr(net, name)
        out[f"t.{name}.weight"], out[f"t.{name}.bias"] = layer.weight.detach().T.numpy(), layer.bias.detach().numpy()
    return out
