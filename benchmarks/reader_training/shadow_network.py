"""The networks that look at shadows for PyTorch: `networks.shadow_net` in a form that learns, and their losses."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from benchmarks.reader_training.met import REACH_BLUR
from vision.networks.shadow_net import DIRECTIONS, REACHES

_VIEW, _LAMP_VIEW, _PARTS = 8, 4, 5
_LAMP_CODE, _CODE, _MAPS = 64, 96, 48
_MIDDLES = 0.3 * torch.arange(1, _PARTS + 1).float() ** 1.2
Batch = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class ShadowAnswer:
    """What `ShadowNetwork` says of n shadows: `code` (n, 96) and the raw `mixture` (n, parts, 3) of their lengths."""

    view: torch.Tensor
    code: torch.Tensor
    mixture: torch.Tensor


class LampNetwork(nn.Module):
    """Three convolutions and two dense layers: (n, 4, AROUND, AROUND) → logits (n, DIRECTIONS, REACHES)."""

    def __init__(self) -> None:
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(4, 12, 4, 2, bias=False), nn.BatchNorm2d(12)
        self.c2, self.n2 = nn.Conv2d(12, 24, 3, 2, bias=False), nn.BatchNorm2d(24)
        self.c3, self.n3 = nn.Conv2d(24, 32, 3, bias=False), nn.BatchNorm2d(32)
        self.g1 = nn.Linear(7 * 7 * 32 + _LAMP_VIEW, _LAMP_CODE)
        self.g2 = nn.Linear(_LAMP_CODE, DIRECTIONS * len(REACHES))
        self.drop, self.blank = nn.Dropout(0.3), nn.Dropout2d(0.1)

    def forward(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        """`x` (n, 4, AROUND, AROUND), `view` (n, 4)."""
        x = self.blank(torch.relu(self.n2(self.c2(torch.relu(self.n1(self.c1(x)))))))
        x = torch.relu(self.n3(self.c3(x)))
        code = self.drop(torch.relu(self.g1(torch.cat([x.flatten(1), view], 1))))
        out: torch.Tensor = self.g2(code)
        return out.view(-1, DIRECTIONS, len(REACHES))


class ShadowNetwork(nn.Module):
    """Three convolutions and heads on them; see `vision.networks.shadow_net.ShadowBelief`."""

    def __init__(self) -> None:
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(4, 16, 5, 2, bias=False), nn.BatchNorm2d(16)
        self.c2, self.n2 = nn.Conv2d(16, 32, 3, 2, bias=False), nn.BatchNorm2d(32)
        self.c3, self.n3 = nn.Conv2d(32, _MAPS, 3, bias=False), nn.BatchNorm2d(_MAPS)
        self.f3 = nn.Linear(_VIEW, _MAPS)
        self.g1, self.m = nn.Linear(16 * 4 * _MAPS + _VIEW, _CODE), nn.Linear(_CODE + _VIEW, 3 * _PARTS)
        self.k1, self.k2 = nn.Linear(_CODE + _VIEW + 2, 40), nn.Linear(40, 9)
        self.drop, self.blank = nn.Dropout(0.3), nn.Dropout2d(0.05)

    def forward(self, x: torch.Tensor, view: torch.Tensor) -> ShadowAnswer:
        """`x` (n, 4, SHADOW_ROWS, SHADOW_COLUMNS), `view` (n, 8)."""
        x = self.blank(torch.relu(self.n2(self.c2(torch.relu(self.n1(self.c1(x)))))))
        x = torch.relu(self.n3(self.c3(x)) + self.f3(view)[:, :, None, None])
        code = self.drop(torch.relu(self.g1(torch.cat([x.flatten(1), view], 1))))
        return ShadowAnswer(view, code, self.m(torch.cat([code, view], 1)).view(-1, _PARTS, 3))

    def heights(self, answer: ShadowAnswer, man: torch.Tensor, sunk: torch.Tensor) -> torch.Tensor:
        """`networks.shadow_net.ShadowNet.heights` for tensors: logits (n, 8) for one size, `man` and `sunk` (n,)."""
        given = torch.stack([4 * man, 4 * sunk], 1)
        out = self.k2(torch.relu(self.k1(torch.cat([answer.code, answer.view, given], 1))))
        dense = shadow_density(answer.mixture, man[:, None] * torch.arange(1, 9) - sunk[:, None])
        logits: torch.Tensor = out[:, :8] + functional.softplus(out[:, 8:] + 0.5) * dense
        return logits


def shadow_density(mixture: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    """Log-density of raw mixtures (n, parts, 3) of lengths at `at` (n, m)."""
    weight = functional.log_softmax(mixture[..., 0], 1)
    middle = _MIDDLES + 0.3 * mixture[..., 1]
    log_spread = (mixture[..., 2] - 2).clamp(-4, 0.3)
    off = (at[:, :, None] - middle[:, None]) / log_spread.exp()[:, None]
    near = -0.5 * off * off - log_spread[:, None] - 0.5 * math.log(2 * math.pi)
    return torch.logsumexp(weight[:, None] + torch.logaddexp(near, torch.full_like(near, -5.0)), 2)


def lamp_loss(net: LampNetwork, shown: torch.Tensor, side: torch.Tensor, batch: Batch) -> torch.Tensor:
    """From where does the light come? `side` (n,) is −1 where the picture is mirrored."""
    told = net(shown, batch["sview"][:, :_LAMP_VIEW]).flatten(1).log_softmax(1)
    return -(_where(batch["direction"] * side, batch["reach"]).flatten(1) * told).sum(1).mean()


def _where(direction: torch.Tensor, reach: torch.Tensor) -> torch.Tensor:
    """The truth as weights (n, DIRECTIONS, REACHES) of the nearest directions and reaches."""
    column = direction / (2 * math.pi) * DIRECTIONS % DIRECTIONS
    row = (torch.log(reach / REACHES[0]) / math.log(REACHES[1] / REACHES[0])).clamp(0, len(REACHES) - 1.001)
    left, low = column.floor(), row.floor()
    out, n = torch.zeros(len(direction), DIRECTIONS, len(REACHES)), torch.arange(len(direction))
    for right, across in ((0, 1 - column + left), (1, column - left)):
        for high, up in ((0, 1 - row + low), (1, row - low)):
            out[n, (left.long() + right) % DIRECTIONS, low.long() + high] += across * up
    return out


def shadow_loss(net: ShadowNetwork, shown: torch.Tensor, side: torch.Tensor, batch: Batch) -> torch.Tensor:
    """How far does the top's shadow reach, how many men are there? The lamp's height is known roughly only."""
    n, reach = len(side), batch["reach"]
    doubt = torch.ones(n, _VIEW)
    doubt[:, 1] = side
    doubt[:, 4], doubt[:, 7] = torch.exp(REACH_BLUR * torch.randn(n)), torch.exp(0.2 * torch.randn(n))
    answer = net(shown, batch["hview"] * doubt)
    length = -shadow_density(answer.mixture, (batch["rise"] * reach)[:, None])[:, 0]
    man = batch["thick"] * reach * torch.exp(0.02 * torch.randn(n))
    counted = net.heights(answer, man, batch["deep"] * reach)
    return (length + functional.cross_entropy(counted, batch["men"], reduction="none")).mean()
