"""Trains the reader's network and writes `vision/reader_weights.npz`.

    python -m benchmarks.reader_training.train OUT.npz MINUTES PAINTED [FOLDER_OF_LABELLED_STILLS …]

PAINTED is how many boards are painted (every eighth of squares); labelled stills have the format of the shared
footage. Needs PyTorch (`pip install torch`), which the program itself does not.
"""

import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from benchmarks.reader_training.paint import paint
from benchmarks.reader_training.patches import Doubt, load_still, patches_of, webcam
from vision.net import MIDDLE
from vision.sampling import COLUMNS, ROWS

_BATCH, _EXTRA_FEET = 48, 24
_STILL_WEIGHT, _STILL_COPIES = 4.0, 4
_CODE, _VIEW, _PLANES = 48, 5, 9
_ORDERS = torch.tensor([[0, 1, 2]] * 2 + [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
Data = dict[str, torch.Tensor]


class Trunk(nn.Module):
    """Three convolutions and a dense layer: a patch becomes a code."""

    def __init__(self) -> None:
        super().__init__()
        self.c1, self.c2, self.c3 = nn.Conv2d(5, 12, (5, 4), 2), nn.Conv2d(12, 32, 3, 2), nn.Conv2d(32, 48, 3)
        self.f = nn.Linear(48 * 15, _CODE)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(n, 5, ROWS, COLUMNS) → (n, code)."""
        for layer in (self.c1, self.c2, self.c3):
            x = torch.relu(layer(x))
        return torch.relu(self.f(x.permute(0, 2, 3, 1).flatten(1)))


class Network(nn.Module):
    """The network of `vision.net`; the names of its parts are the names of the weights."""

    def __init__(self) -> None:
        super().__init__()
        self.b, self.t = Trunk(), Trunk()
        self.hb1, self.hb2 = nn.Linear(_CODE + _VIEW, 48), nn.Linear(48, 7)
        self.hl1, self.hl2, self.hl3 = nn.Linear(2 * _CODE + _VIEW + 10, 64), nn.Linear(64, 48), nn.Linear(48, 6)
        self.drop = nn.Dropout(0.1)

    def feet(self, x: torch.Tensor, view: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Codes, and (n, 7): log-odds of a man, four surfaces, offset of the lowest man."""
        code = self.b(x)
        return code, self.hb2(torch.relu(self.hb1(torch.cat([code, view], 1))))

    def tops(
        self, code: torch.Tensor, x: torch.Tensor, view: torch.Tensor, plane: torch.Tensor, change: torch.Tensor
    ) -> torch.Tensor:
        """(n, planes, 6): score, rise, widening and offset of the top, spread of the rise."""
        n, count = plane.shape
        top = self.drop(self.t(x.flatten(0, 1))).view(n, count, -1)
        along = (plane * view[:, 1:2])[..., None]
        cell = torch.cat([self.drop(code), view], 1)[:, None].expand(-1, count, -1)
        parts = [cell[..., :_CODE], top, cell[..., _CODE:], plane[..., None] / 8, along, change]
        return self.hl3(self.drop(torch.relu(self.hl2(torch.relu(self.hl1(torch.cat(parts, 2)))))))


def channels(patches: torch.Tensor, cover: torch.Tensor, white: torch.Tensor, haze: torch.Tensor) -> torch.Tensor:
    """`vision.net.network_input` for tensors, channels first."""
    shape = (len(patches), *[1] * (patches.dim() - 2), 3)
    haze = haze.view(len(patches), *[1] * (patches.dim() - 1))
    colour = ((patches.float() - haze) / (white.view(shape) - haze)).clamp(0, 1.6) - 0.6
    middle = colour[..., *MIDDLE, :].mean((-3, -2), keepdim=True)
    apart = (colour - middle).abs().sum(-1, keepdim=True) / (middle.sum(-1, keepdim=True) + 1.95)
    return torch.cat([colour, cover.float()[..., None], apart.clamp(max=1.0)], -1).movedim(-1, -3)


def changes(planes: torch.Tensor) -> torch.Tensor:
    """`vision.net._changes` for tensors (n, planes, 5, ROWS, COLUMNS)."""
    colour = planes[:, :, :3, *MIDDLE].mean((-2, -1)) + 0.6
    parts = []
    for value in (colour, 2 * colour / (colour.sum(-1, keepdim=True) + 0.15)):
        step = (value[:, 1:] - value[:, :-1]).abs().sum(-1)
        none = torch.zeros_like(step[:, :1])
        parts += [(value - value[:, k : k + 1]).abs().sum(-1) for k in (0, 1)]
        parts += [torch.cat([none, step], 1), torch.cat([step, none], 1)]
    return torch.stack(parts, -1).clamp(max=2.0)


def gather_data(painted: int, folders: list[Path]) -> tuple[Data, torch.Tensor]:
    """All patches and truths, and how often each cell with tops is to be drawn."""
    random = np.random.default_rng(1)
    records, weights = [], []
    for seed in range(painted):
        scene = paint(seed, squares=seed % 8 == 0)
        image = webcam(scene.image, random, poor=seed % 8 == 0)
        records += [patches_of(scene, image, _doubt(random), random, 0.06) for _ in range(2)]
        weights += [1.0, 1.0]
    for path in (p for folder in folders for p in sorted(folder.glob("*.json"))):
        scene = load_still(path)
        records += [patches_of(scene, scene.image, _doubt(random), random, 0.12) for _ in range(_STILL_COPIES)]
        weights += [_STILL_WEIGHT] * _STILL_COPIES
    data = _joined(records)
    drawn = np.repeat(weights, [len(r["sel"]) for r in records])
    height = data["h"][data["lid"]].numpy()
    return data, torch.from_numpy(drawn * np.select([height == 0, height == 1], [0.6, 0.7], 1.2))


def _doubt(random: np.random.Generator) -> Doubt:
    pose = float(random.choice([0.003, 0.006, 0.015]))
    return Doubt(pose, random.normal(0, 0.02), random.uniform(0.19, 0.31))


def _joined(records: list[dict[str, Any]]) -> Data:
    first = np.cumsum([0] + [len(r["h"]) for r in records])
    columns: dict[str, list[Any]] = {"lid": [], "view": [], "white": [], "haze": [], "dd": []}
    for r, start in zip(records, first, strict=False):
        n = len(r["h"])
        columns["lid"].append(r["sel"] + start)
        size = [np.full(n, r["T"]), np.full(n, r["D"])]
        view = np.stack([r["slope"], r["slope"] * r["T"], *size, np.log(r["pxd"] / 40)], 1)
        columns["view"].append(view.astype(np.float32))
        columns["white"].append(np.repeat(r["white"][None].astype(np.float32), n, 0))
        columns["haze"].append(np.full(n, r["haze"], np.float32))
        columns["dd"].append(np.full(n, r["dd"], np.float32))
        for key in ("base", "bmask", "levels", "lmask", "h", "surf", "top", "ring", "z", "at"):
            value = r[key].astype(np.float32) if r[key].dtype == np.float64 else r[key]
            columns.setdefault(key, []).append(value)
    data = {key: torch.from_numpy(np.concatenate(values)) for key, values in columns.items()}
    plane = data["z"].round().clamp(1, _PLANES - 1)
    data["plane"] = torch.where(data["h"] > 0, plane, torch.zeros_like(plane)).long()
    return data


def loss_of(net: Network, data: Data, tops: torch.Tensor, extra: torch.Tensor) -> torch.Tensor:
    """The loss of a batch: cells `tops` with planes, and `extra` feet."""
    ids = data["lid"][tops]
    every, n = torch.cat([ids, extra]), len(ids)
    order, mirror = _ORDERS[torch.randint(0, len(_ORDERS), (len(every),))], torch.rand(len(every)) < 0.5
    gain = torch.exp(torch.randn(len(every), 1) * 0.1 + torch.randn(len(every), 3) * 0.05)
    known = (torch.rand(len(every)) < 0.6).to(torch.int8)

    def shown(patches: torch.Tensor, cover: torch.Tensor, rows: slice) -> torch.Tensor:
        shape = (-1, *[1] * (patches.dim() - 2), 3)
        x = torch.gather(patches, -1, order[rows].view(shape).expand_as(patches))
        white = torch.gather(data["white"][every[rows]] / gain[rows], 1, order[rows])
        haze = data["haze"][every[rows]]
        x = channels(x, cover * known[rows].view(-1, *[1] * (cover.dim() - 1)), white, haze)
        return torch.where(mirror[rows].view(-1, *[1] * (x.dim() - 1)), x.flip(-1), x)

    view = data["view"][every]
    feet = shown(data["base"][every], data["bmask"][every], slice(None))
    code, foot = net.feet(feet, view)
    planes = torch.cat([feet[:n, None], shown(data["levels"][tops], data["lmask"][tops], slice(n))], 1)
    level = torch.arange(_PLANES).expand(n, -1).float()
    out = net.tops(code[:n], planes, view[:n], level, changes(planes))
    side = 1 - 2 * mirror[:n].float()
    return _foot_loss(data, every, foot) + _top_loss(data, ids, out, foot[:n, 5:7], side)


def log_density(out: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-density of a top at z spacings, and log-probability of no men: `vision.heights.log_density` for tensors."""
    weight = functional.log_softmax(out[..., 0], 1)
    middle = torch.arange(1, _PLANES) + out[:, 1:, 1].clamp(-1.5, 1.5)
    log_spread = (out[:, 1:, 5] - 1.2).clamp(-3.5, 1.0)
    near = -0.5 * ((z[:, None] - middle) / log_spread.exp()) ** 2 - log_spread - 0.5 * math.log(2 * math.pi)
    anywhere = torch.full_like(near, -6.0)
    return torch.logsumexp(weight[:, 1:] + torch.logaddexp(near, anywhere), 1), weight[:, 0]


def _foot_loss(data: Data, every: torch.Tensor, foot: torch.Tensor) -> torch.Tensor:
    stands, seen = data["h"][every] > 0, data["top"][every] >= 0.2
    occupied = functional.binary_cross_entropy_with_logits(foot[:, 0], stands.float(), reduction="none")
    surface = functional.cross_entropy(foot[:, 1:5], data["surf"][every].long(), reduction="none")
    told = seen & ((data["ring"][every] >= 0.15) | ~stands)
    return (occupied * seen).mean() + (surface * told).mean()


def _top_loss(
    data: Data, ids: torch.Tensor, out: torch.Tensor, foot_at: torch.Tensor, side: torch.Tensor
) -> torch.Tensor:
    def distance(a: torch.Tensor, b: torch.Tensor, beta: float) -> torch.Tensor:
        return functional.smooth_l1_loss(a, b, beta=beta, reduction="none")

    z, stands, plane = data["z"][ids], data["h"][ids] > 0, data["plane"][ids]
    fits = (data["top"][ids] >= 0.2) & ((z < 8.8) | ~stands)
    top, empty = log_density(out, z)
    height = -torch.where(stands, top, empty) * fits
    nearest = functional.cross_entropy(out[..., 0], plane, reduction="none") * fits
    there = (fits & stands).float()
    widen = distance(out[torch.arange(len(ids)), plane, 2] * 0.1, -data["dd"][ids], 0.02) * there * 10
    at = data["at"][ids]
    known = torch.isfinite(at[:, 0]).float() * there
    at = torch.nan_to_num(at) * torch.stack([side, torch.ones_like(side)] * 2, 1)
    away = at[:, None, 3] + (z[:, None] - torch.arange(_PLANES)) * data["view"][ids][:, 1:2]
    off = distance(out[..., 4], away, 0.05) + distance(out[..., 3], at[:, None, 2].expand_as(away), 0.05)
    offsets = (off * (away.abs() < 0.7) * known[:, None]).sum(1) + distance(foot_at, at[:, :2], 0.05).sum(1) * known
    return height.mean() + 0.3 * (nearest.mean() + widen.mean() + offsets.mean())


def export(net: Network, path: Path) -> None:
    """The weights as `vision.net` reads them."""
    out = {}
    for name, value in net.state_dict().items():
        array = value.numpy()
        out[name] = (array.reshape(len(array), -1).T if name.endswith("weight") else array).astype(np.float16)
    np.savez_compressed(path, **out)  # type: ignore[arg-type]


def main(arguments: list[str]) -> None:
    """See the module's docstring."""
    path, minutes, painted = Path(arguments[0]), float(arguments[1]), int(arguments[2])
    data, drawn = gather_data(painted, [Path(a) for a in arguments[3:]])
    assert data["base"].shape[1:3] == (ROWS, COLUMNS)
    net = Network()
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=5e-2)
    began, step = time.monotonic(), 0
    while (done := (time.monotonic() - began) / 60 / minutes) < 1:
        rate = 2e-3 * min(1.0, (step + 1) / 100) * (0.02 + 0.49 * (1 + np.cos(np.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        feet = torch.randint(0, len(data["h"]), (_EXTRA_FEET,))
        loss = loss_of(net, data, torch.multinomial(drawn, _BATCH), feet)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        step += 1
        if step % 500 == 0:
            print(f"step {step}, {done:.0%}: loss {loss.item():.3f}", flush=True)
    export(net, path)


if __name__ == "__main__":
    main(sys.argv[1:])
