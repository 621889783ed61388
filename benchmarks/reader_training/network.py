"""The reader's networks for PyTorch: `vision.networks.net` in a form that learns, and their export."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from benchmarks.reader_training.rim_network import RimNetwork
from benchmarks.reader_training.shadow_network import LampNetwork, ShadowNetwork
from benchmarks.reader_training.side_network import SideNetwork
from vision.networks.net import PLANES
from vision.sampling import STRIP_ENDS, STRIP_ROWS

_CODE, _VIEW, _MAPS, _ROWS = 64, 5, 64, 27
_ABOUT_TOP = torch.tensor([-0.55, -0.25, 0.0, 0.25, 0.5])
_PLANES = torch.from_numpy(PLANES)


@dataclass(frozen=True)
class StripAnswer:
    """What `StripNetwork` says of n strips: `code` (n, 96); `told` (n, 4): log-odds of men, the logarithm of their true
    over assumed diameter (only learned from), place of the top; raw `mixture` (n, planes, 3); logits `count` (n, 8);
    how many edges a row, `seams` (n, rows)."""

    view: torch.Tensor
    code: torch.Tensor
    told: torch.Tensor
    mixture: torch.Tensor
    count: torch.Tensor
    seams: torch.Tensor


class FootNetwork(nn.Module):
    """Three convolutions and three dense layers: (n, 9, ROWS, COLUMNS) → (n, 5): log-odds of a man, four surfaces."""

    def __init__(self) -> None:
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(9, 16, (5, 4), 2, bias=False), nn.BatchNorm2d(16)
        self.c2, self.n2 = nn.Conv2d(16, 32, 3, 2, bias=False), nn.BatchNorm2d(32)
        self.c3, self.n3 = nn.Conv2d(32, 64, 3, bias=False), nn.BatchNorm2d(64)
        self.f = nn.Linear(64 * 15, _CODE)
        self.hb1, self.hb2 = nn.Linear(_CODE + _VIEW, 48), nn.Linear(48, 5)
        self.drop, self.blank = nn.Dropout(0.25), nn.Dropout2d(0.05)

    def forward(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        """`x` (n, 9, ROWS, COLUMNS), `view` (n, 5)."""
        x = self.blank(torch.relu(self.n2(self.c2(torch.relu(self.n1(self.c1(x)))))))
        x = torch.relu(self.n3(self.c3(x)))
        code = self.drop(torch.relu(self.f(x.flatten(1))))
        out: torch.Tensor = self.hb2(torch.relu(self.hb1(torch.cat([code, view], 1))))
        return out


class AnyFootNetwork(FootNetwork):
    """The same for boards that may be as bright as light disks."""


class StripNetwork(nn.Module):
    """Convolutions that shrink a strip to a column of features, and heads on it; see `networks.net.StackBelief`."""

    def __init__(self) -> None:
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(4, 16, 5, (1, 2), bias=False), nn.BatchNorm2d(16)
        self.c2, self.n2 = nn.Conv2d(16, 32, 3, 2, bias=False), nn.BatchNorm2d(32)
        self.c3, self.n3 = nn.Conv2d(32, 48, 3, (2, 1), padding=(1, 0), bias=False), nn.BatchNorm2d(48)
        self.c4, self.n4 = nn.Conv2d(48, _MAPS, (3, 6), padding=(1, 0), bias=False), nn.BatchNorm2d(_MAPS)
        self.c5, self.n5 = nn.Conv2d(_MAPS, _MAPS, (3, 1), padding=(1, 0), bias=False), nn.BatchNorm2d(_MAPS)
        self.f3, self.f4 = nn.Linear(_VIEW, 48), nn.Linear(_VIEW, _MAPS)
        self.r = nn.Linear(_MAPS, 1)
        self.g1, self.g2 = nn.Linear(_ROWS * (_MAPS + 1) + _VIEW, 96), nn.Linear(96, 3)
        self.u1, self.u2 = nn.Linear(96 + _VIEW + 1, 48), nn.Linear(48, 8)
        self.p1 = nn.Linear(5 * _MAPS + 96 + _VIEW + 2, 64)
        self.p2, self.p3 = nn.Linear(64, 48), nn.Linear(48, 3)
        self.k1, self.k2 = nn.Linear(96 + _VIEW + 2 + 8, 48), nn.Linear(48, 9)
        self.drop, self.blank = nn.Dropout(0.2), nn.Dropout2d(0.05)

    def forward(self, x: torch.Tensor, view: torch.Tensor) -> StripAnswer:
        """`x` (n, 4, STRIP_ROWS, STRIP_COLUMNS), `view` (n, 5)."""
        x = self.blank(torch.relu(self.n2(self.c2(torch.relu(self.n1(self.c1(x)))))))
        x = torch.relu(self.n3(self.c3(x)) + self.f3(view)[:, :, None, None])
        x = torch.relu(self.n4(self.c4(x)) + self.f4(view)[:, :, None, None])
        x = (x + torch.relu(self.n5(self.c5(x))))[..., 0]
        rows = x.transpose(1, 2)
        seams = functional.softplus(self.r(rows)[..., 0] - 2)
        code = self.drop(torch.relu(self.g1(torch.cat([x.flatten(1), seams, view], 1))))
        counted = torch.cat([code, view, seams.sum(1, keepdim=True)], 1)
        count = self.u2(torch.relu(self.u1(counted)))
        return StripAnswer(view, code, self.g2(code), self._tops(rows, code, view), count, seams)

    def _tops(self, rows: torch.Tensor, code: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        n, planes = len(rows), len(_PLANES)
        up = _PLANES * view[:, 0:1] / (1 - _PLANES * view[:, 4:5] / 10)
        step = (STRIP_ENDS[1] - STRIP_ENDS[0]) / STRIP_ROWS
        row = (up[:, :, None] + _ABOUT_TOP * view[:, 1, None, None] - STRIP_ENDS[0]) / step - 0.5
        place = ((row - 3) / 4).clamp(0, _ROWS - 1.001).flatten(1)
        below = place.floor().long()
        share = (place - below)[..., None]
        low, high = (torch.gather(rows, 1, at[..., None].expand(-1, -1, _MAPS)) for at in (below, below + 1))
        about = self.drop((low * (1 - share) + high * share).view(n, planes, -1))
        same = torch.cat([code, view], 1)[:, None].expand(-1, planes, -1)
        plane = (_PLANES / 2).expand(n, -1)[..., None]
        joined = torch.cat([about, same, plane, up[..., None]], 2)
        out: torch.Tensor = self.p3(torch.relu(self.p2(torch.relu(self.p1(joined)))))
        return out

    def heights(self, answer: StripAnswer, ratio: torch.Tensor, sunk: torch.Tensor) -> torch.Tensor:
        """`vision.networks.net.ReaderNet.heights` for tensors: logits (n, 8) for men `ratio` (n,) thick."""
        tops = ratio[:, None] * torch.arange(1, 9) - sunk[:, None]
        given = torch.stack([4 * ratio, 4 * sunk], 1)
        count = answer.count.log_softmax(1).clamp(min=-8)
        out = self.k2(torch.relu(self.k1(torch.cat([answer.code, answer.view, given, count], 1))))
        dense = log_density(answer.mixture, tops)
        logits: torch.Tensor = out[:, :8] + functional.softplus(out[:, 8:] + 0.5) * dense
        return logits


def log_density(mixture: torch.Tensor, tops: torch.Tensor) -> torch.Tensor:
    """`vision.men.heights.log_density` for tensors: raw mixtures (n, planes, 3) at `tops` (n, m)."""
    weight = functional.log_softmax(mixture[..., 0], 1)
    middle = _PLANES + 0.25 * mixture[..., 1].clamp(-2, 2)
    log_spread = (mixture[..., 2] - 2.5).clamp(-4.6, -0.7)
    off = (tops[:, :, None] - middle[:, None]) / log_spread.exp()[:, None]
    near = -0.5 * off * off - log_spread[:, None] - 0.5 * math.log(2 * math.pi)
    return torch.logsumexp(weight[:, None] + torch.logaddexp(near, torch.full_like(near, -5.0)), 2)


@dataclass(frozen=True)
class Stored:
    """How a network is stored: the prefix of its weights' names, how many convolutions it has, its dense layers; which
    of these sees all features, in how many channels and places."""

    prefix: str
    convolutions: int
    dense: tuple[str, ...]
    last: str
    channels: int
    places: int


_STRIP_DENSE = ("r", "g1", "g2", "u1", "u2", "p1", "p2", "p3", "k1", "k2")
_STORED: dict[type[nn.Module], Stored] = {
    FootNetwork: Stored("b", 3, ("f", "hb1", "hb2"), "f", 64, 15),
    AnyFootNetwork: Stored("p", 3, ("f", "hb1", "hb2"), "f", 64, 15),
    StripNetwork: Stored("s", 5, _STRIP_DENSE, "g1", _MAPS, _ROWS),
    LampNetwork: Stored("l", 3, ("g1", "g2"), "g1", 32, 49),
    ShadowNetwork: Stored("h", 3, ("g1", "m", "k1", "k2"), "g1", 48, 64),
    RimNetwork: Stored("r", 3, ("g1", "g2", "m"), "g1", 48, 84),
    SideNetwork: Stored("d", 5, ("g", "h1", "h2", "h3"), "g", 48, 14),
}


def export(nets: Iterable[nn.Module], met: Mapping[str, np.ndarray], path: Path) -> None:
    """The weights as the program reads them; batch normalisation becomes part of the convolutions.

    `met`: how often values were met in training, by the name under which that is stored.
    """
    out = dict(met)
    for net in nets:
        out |= _exported(net)
        if isinstance(net, SideNetwork):
            out["d.usual"] = torch.log(net.usual / net.usual.sum()).numpy()
    np.savez_compressed(path, **halved(out))  # type: ignore[arg-type]


def go_on(net: nn.Module, weights: Mapping[str, np.ndarray]) -> None:
    """Let a network go on from stored weights: the inverse of `export`. What was batch normalisation is learned on as
    part of the convolutions."""
    how = _STORED[type(net)]
    for k in range(1, how.convolutions + 1):
        layer, norm, seen_from = getattr(net, f"c{k}"), getattr(net, f"n{k}"), getattr(net, f"f{k}", None)
        name = f"{how.prefix}.c{k}"
        layer.weight.data = _tensor(weights[f"{name}.weight"].T).view_as(layer.weight).clone()
        norm.weight.data.fill_(1.0)
        norm.bias.data = _tensor(weights[f"{name}.bias"])
        norm.running_var.fill_(1.0 - norm.eps)
        norm.running_mean.zero_()
        norm.eval()
        if seen_from:
            seen_from.weight.data = _tensor(weights[f"{name}.view"].T)
            seen_from.bias.data.zero_()
    for name in how.dense:
        layer, weight = getattr(net, name), _tensor(weights[f"{how.prefix}.{name}.weight"].T)
        if name == how.last:
            weight = _turned(weight, how.places, how.channels)
        layer.weight.data, layer.bias.data = weight, _tensor(weights[f"{how.prefix}.{name}.bias"])
    if isinstance(net, SideNetwork):
        net.usual = torch.exp(_tensor(weights["d.usual"]))


def halved(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Weights in the form in which they are stored."""
    return {k: v.astype(np.float16) if k.endswith(("weight", "view")) else v for k, v in weights.items()}


def _exported(net: nn.Module) -> dict[str, np.ndarray]:
    """One network's weights."""
    out, how = {}, _STORED[type(net)]
    for k in range(1, how.convolutions + 1):
        layer, norm = getattr(net, f"c{k}"), getattr(net, f"n{k}")
        gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        bias = norm.bias - norm.running_mean * gain
        if seen_from := getattr(net, f"f{k}", None):
            bias = bias + seen_from.bias
            out[f"{how.prefix}.c{k}.view"] = _flat(seen_from.weight.detach())
        out[f"{how.prefix}.c{k}.weight"] = _flat((layer.weight * gain[:, None, None, None]).detach())
        out[f"{how.prefix}.c{k}.bias"] = bias.detach().numpy()
    for name in how.dense:
        layer = getattr(net, name)
        weight = layer.weight.detach()
        if name == how.last:  # place by place instead of channel by channel
            weight = _turned(weight, how.channels, how.places)
        out[f"{how.prefix}.{name}.weight"], out[f"{how.prefix}.{name}.bias"] = (
            _flat(weight),
            layer.bias.detach().numpy(),
        )
    return out


def _turned(weight: torch.Tensor, outer: int, inner: int) -> torch.Tensor:
    """A dense layer's weight (n, …) whose first `outer` · `inner` columns are sorted the other way round."""
    features = weight[:, : outer * inner].reshape(len(weight), outer, inner).transpose(1, 2).flatten(1)
    return torch.cat([features, weight[:, outer * inner :]], 1)


def _tensor(stored: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(stored, dtype=np.float32))


def _flat(weight: torch.Tensor) -> np.ndarray:
    return weight.reshape(len(weight), -1).T.numpy()
