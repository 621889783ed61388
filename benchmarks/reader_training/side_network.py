"""The network that looks at sides for PyTorch: `vision.networks.side_net` in a form that learns, and its loss."""

from collections.abc import Mapping

import torch
from torch import nn
from torch.nn import functional

from vision.networks.side_net import THICKNESSES
from vision.sampling import SIDE_COLUMNS, SIDE_ENDS, SIDE_ROWS

_VIEW, _MAPS, _CODE, _PLACES = 5, 48, 64, 14
_NODES = torch.log(torch.from_numpy(THICKNESSES))
_STEP = (SIDE_ENDS[1] - SIDE_ENDS[0]) / SIDE_ROWS
_ABOUT = torch.tensor([-0.04, 0.0, 0.04])
#: Thicknesses are changed by so much (logarithm), most of the time; edges lie so far off, in diameters, more seldom so.
_THICKER, _MOSTLY, _OFF, _FAR_OFF, _SELDOM = 0.16, 0.85, 0.003, 0.012, 0.1
_MOST_STRETCHED = 1.14
Batch = Mapping[str, torch.Tensor]


class SideNetwork(nn.Module):
    """Five convolutions and four dense layers: (n, 4, SIDE_ROWS, SIDE_COLUMNS) → logits of THICKNESSES."""

    #: How often each thickness was shown.
    usual: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(4, 20, (5, 3), (1, 2), bias=False), nn.BatchNorm2d(20)
        self.c2, self.n2 = nn.Conv2d(20, 32, 3, (1, 2), bias=False), nn.BatchNorm2d(32)
        self.c3, self.n3 = nn.Conv2d(32, _MAPS, (3, 5), bias=False), nn.BatchNorm2d(_MAPS)
        self.c4, self.n4 = nn.Conv2d(_MAPS, _MAPS, (5, 1), padding=(2, 0), bias=False), nn.BatchNorm2d(_MAPS)
        self.c5, self.n5 = nn.Conv2d(_MAPS, _MAPS, (5, 1), padding=(2, 0), bias=False), nn.BatchNorm2d(_MAPS)
        self.f1, self.f3 = nn.Linear(_VIEW, 20), nn.Linear(_VIEW, _MAPS)
        self.g = nn.Linear(_PLACES * _MAPS + _VIEW, _CODE)
        self.h1, self.h2, self.h3 = nn.Linear(7 * _MAPS + _CODE + _VIEW + 1, 64), nn.Linear(64, 32), nn.Linear(32, 1)
        self.drop, self.drop_maps = nn.Dropout(0.15), nn.Dropout2d(0.05)
        self.register_buffer("usual", torch.full((len(_NODES),), 1 / len(_NODES)))

    def forward(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        """Logits (n, 20) of the thicknesses."""
        x = torch.relu(self.n1(self.c1(x)) + self.f1(view)[:, :, None, None])
        x = self.drop_maps(torch.relu(self.n2(self.c2(x))))
        x = torch.relu(self.n3(self.c3(x)) + self.f3(view)[:, :, None, None])
        x = x + torch.relu(self.n4(self.c4(x)))
        rows = (x + torch.relu(self.n5(self.c5(x))))[..., 0]
        n, planes, thick = len(rows), len(_NODES), _NODES.exp()
        code = self.drop(torch.relu(self.g(torch.cat([functional.avg_pool1d(rows, 4).flatten(1), view], 1))))
        edges = torch.cat([thick[:, None] + _ABOUT, 2 * thick[:, None], _ABOUT.expand(planes, 3)], 1)
        place = ((edges - SIDE_ENDS[0]) / _STEP - 4.5).clamp(0, rows.shape[2] - 1.001)
        above = place.floor().long()
        share = place - above
        about = (rows[:, :, above] * (1 - share) + rows[:, :, above + 1] * share).movedim(1, 3).flatten(2)
        same = torch.cat([code, view], 1)[:, None].expand(-1, planes, -1)
        joined = torch.cat([about, same, (_NODES + 1.4).expand(n, -1)[..., None]], 2)
        told: torch.Tensor = self.h3(torch.relu(self.h2(torch.relu(self.h1(joined)))))[..., 0]
        return told


def displaced(batch: Batch) -> dict[str, torch.Tensor]:
    """The same sides as flatter or steeper views of thicker or thinner men, and with their upper edges a little off.

    Stretched upright, a picture is one of a flatter view of thicker men: circles look rounder, sides higher.
    """
    side, view, thick = batch["side"].float(), batch["dview"].clone(), batch["thick"]
    n, (sine, cosine) = len(side), batch["dview"][:, :2].T
    low, high = _NODES[0].exp() + 1e-3, _NODES[-1].exp() - 1e-3
    wanted = thick * torch.exp(torch.randn(n) * _THICKER)
    wanted = torch.where(wanted < low, low * low / wanted, wanted)
    wanted = torch.where(wanted > high, high * high / wanted, wanted).clamp(low, high)
    stretch = 1 / torch.sqrt(cosine**2 + (sine * thick / wanted) ** 2)
    right = (stretch * cosine < 0.9999) & (stretch > 1 / _MOST_STRETCHED) & (stretch < _MOST_STRETCHED)
    right &= torch.rand(n) < _MOSTLY
    shown = torch.where(right, wanted, thick)
    view[:, 1] = torch.where(right, stretch * cosine, cosine)
    view[:, 0] = torch.where(right, torch.sqrt((1 - view[:, 1] ** 2).clamp(min=1e-8)), sine)
    off = (
        torch.randn(n) * torch.where(torch.rand(n) < _SELDOM, _FAR_OFF, _OFF) * view[:, 1] / view[:, 0].clamp(min=0.05)
    )
    down = SIDE_ENDS[0] + _STEP * (torch.arange(SIDE_ROWS) + 0.5)
    source = (down - off.clamp(-0.1, 0.1)[:, None]) / (shown / thick)[:, None]
    row = ((source - SIDE_ENDS[0]) / _STEP - 0.5) / (SIDE_ROWS - 1) * 2 - 1
    column = torch.linspace(-1, 1, SIDE_COLUMNS)
    grid = torch.stack([column.expand(n, SIDE_ROWS, -1), row[:, :, None].expand(-1, -1, SIDE_COLUMNS)], -1)
    picture = torch.cat([side, batch["side_cover"].float()[..., None]], -1).movedim(-1, 1)
    seen = functional.grid_sample(picture, grid, padding_mode="border", align_corners=True).movedim(1, -1)
    return {"side": seen[..., :3], "side_cover": seen[..., 3], "dview": view, "thick": shown}


def side_loss(net: SideNetwork, shown: torch.Tensor, batch: Batch) -> torch.Tensor:
    """How thick are the men?"""
    first, step = _NODES[0], _NODES[1] - _NODES[0]
    place = ((torch.log(batch["thick"]) - first) / step).clamp(0, len(_NODES) - 1.001)
    below = place.floor().long()
    share = (place - below)[:, None]
    nodes = functional.one_hot(below, len(_NODES)) * (1 - share) + functional.one_hot(below + 1, len(_NODES)) * share
    net.usual.mul_(0.999).add_(0.001 * nodes.mean(0))
    return -(nodes * functional.log_softmax(net(shown, batch["dview"]), 1)).sum(1).mean()
