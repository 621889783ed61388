"""The network that looks at rims for PyTorch: `vision.networks.rim_net` in a form that learns, and its loss."""

import math
from collections.abc import Mapping

import torch
from torch import nn
from torch.nn import functional

from vision.sampling import RIM_CIRCLES, RIM_DIRECTIONS, RIM_RADII

_VIEW, _PARTS, _ROUND = 5, 3, 6
_MAPS, _PLACES, _CODE = 48, 84, 80
#: A rim is shown larger by so much (logarithm), and off its middle by so many radii, mostly and sometimes.
_LARGER, _OFF, _FAR_OFF = 0.035, 0.03, 0.1
Batch = Mapping[str, torch.Tensor]


class RimNetwork(nn.Module):
    """Three convolutions and three dense layers: (n, 4, RIM_CIRCLES, RIM_DIRECTIONS) → `networks.rim_net.RimBelief`."""

    def __init__(self) -> None:
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(4, 20, (5, 4), 2, bias=False), nn.BatchNorm2d(20)
        self.c2, self.n2 = nn.Conv2d(20, 32, 3, (1, 2), bias=False), nn.BatchNorm2d(32)
        self.c3, self.n3 = nn.Conv2d(32, _MAPS, 3, (2, 1), bias=False), nn.BatchNorm2d(_MAPS)
        self.f1, self.f3 = nn.Linear(_VIEW, 20), nn.Linear(_VIEW, _MAPS)
        self.g1, self.g2 = nn.Linear(_PLACES * _MAPS + _VIEW, _CODE), nn.Linear(_CODE + _VIEW, 64)
        self.m = nn.Linear(64, 3 * _PARTS + 2)
        self.drop = nn.Dropout(0.2)

    def forward(self, x: torch.Tensor, view: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The raw mixture (n, parts, 3) of sizes, and how far off the middle is (n, 2)."""
        x = torch.cat([x, x[..., :_ROUND]], 3)
        x = torch.relu(self.n1(self.c1(x)) + self.f1(view)[:, :, None, None])
        x = torch.relu(self.n2(self.c2(x)))
        x = torch.relu(self.n3(self.c3(x)) + self.f3(view)[:, :, None, None])
        code = self.drop(torch.relu(self.g1(torch.cat([x.flatten(1), view], 1))))
        out = self.m(torch.relu(self.g2(torch.cat([code, view], 1))))
        return out[:, :-2].view(-1, _PARTS, 3), out[:, -2:]


def displaced(batch: Batch) -> dict[str, torch.Tensor]:
    """The same tops seen from other assumptions: shown larger or smaller and off their middles."""
    n = len(batch["rim"])
    larger = torch.randn(n) * _LARGER
    off = torch.randn(n, 2) * torch.where(torch.rand(n, 1) < 0.4, _FAR_OFF, _OFF)
    low, high = RIM_RADII
    turn = 2 * math.pi * (torch.arange(RIM_DIRECTIONS) + 0.5) / RIM_DIRECTIONS
    radius = low + (torch.arange(RIM_CIRCLES) + 0.5) / RIM_CIRCLES * (high - low)
    grown = radius.view(1, -1, 1) * torch.exp(larger).view(n, 1, 1)
    ahead, aside = grown * turn.cos() + off[:, 0].view(n, 1, 1), grown * turn.sin() + off[:, 1].view(n, 1, 1)
    row = (torch.hypot(ahead, aside) - low) / (high - low) * RIM_CIRCLES - 0.5
    column = torch.atan2(aside, ahead) % (2 * math.pi) / (2 * math.pi) * RIM_DIRECTIONS + 1.5
    grid = torch.stack([column / (RIM_DIRECTIONS + 3) * 2 - 1, row / (RIM_CIRCLES - 1) * 2 - 1], -1)
    picture = torch.cat([batch["rim"].float(), batch["rim_cover"].float()[..., None]], -1).movedim(-1, 1)
    picture = torch.cat([picture[..., -2:], picture, picture[..., :2]], 3)
    seen = functional.grid_sample(picture, grid, padding_mode="border", align_corners=True).movedim(1, -1)
    return {
        **batch,
        "rim": seen[..., :3],
        "rim_cover": seen[..., 3],
        "size": batch["size"] - larger,
        "off": batch["off"] - off,
    }


def rim_loss(net: RimNetwork, shown: torch.Tensor, side: torch.Tensor, batch: Batch) -> torch.Tensor:
    """How large does the top look, where is its middle? `side` (n,) is −1 where the picture is mirrored."""
    mixture, off = net(shown, batch["rview"])
    weight = functional.log_softmax(mixture[..., 0], 1)
    middle, log_spread = 0.04 * (1 + mixture[..., 1]), (mixture[..., 2] - 4).clamp(-6.5, -2)
    apart = (batch["size"][:, None] - middle) / log_spread.exp()
    near = -0.5 * apart * apart - log_spread - 0.5 * math.log(2 * math.pi)
    size = -torch.logsumexp(weight + torch.logaddexp(near, torch.full_like(near, -5.0)), 1)
    wanted = batch["off"] * torch.stack([torch.ones_like(side), side], 1)
    place = functional.smooth_l1_loss(off, wanted, beta=0.02, reduction="none").sum(1)
    return (size + 10 * place).mean()
