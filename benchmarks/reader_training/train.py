"""Trains the reader's networks and writes `vision/networks/reader_weights.npz`.

    python -m benchmarks.reader_training.train OUT.npz MINUTES PAINTED [FOLDER_OF_LABELLED_STILLS …]

PAINTED is how many boards are painted (every eighth of squares); labelled stills have the format of the shared
footage, JPEG or PNG; those that tell the lamp's place (`key`, in millimetres) serve the networks for shadows too.
Where OUT.npz exists, its networks learn on. Needs PyTorch (`pip install torch`), which the program itself does not.
Once OUT.npz is where the program reads it, `train_heights` adds the network that weighs heights, which begins with some
of these weights.
"""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from benchmarks.reader_training.met import REACH_BLUR, met_densities, often_drawn
from benchmarks.reader_training.network import AnyFootNetwork, FootNetwork, StripNetwork, export, go_on, log_density
from benchmarks.reader_training.paint import paint
from benchmarks.reader_training.patches import Doubt, load_still, patches_of, webcam
from benchmarks.reader_training.rim_network import RimNetwork, rim_loss
from benchmarks.reader_training.rim_network import displaced as displaced_rims
from benchmarks.reader_training.shadow_network import LampNetwork, ShadowNetwork, lamp_loss, shadow_loss
from benchmarks.reader_training.side_network import SideNetwork, side_loss
from benchmarks.reader_training.side_network import displaced as displaced_sides
from engine.look import MAX_HEIGHT, SURFACES, Surface
from vision.networks.net import COVER_CHANNEL, FIRST_SURFACE_CHANNEL
from vision.reading.table_model import DARKER
from vision.sampling import STRIP_ENDS, STRIP_ROWS
from vision.surfaces.foot_colours import LOWERED, MIDDLE, told_by_colours

_BATCH, _RATE = 128, 3e-3
#: How much more often feet on boards are drawn that may be as bright as light disks.
_BRIGHT_BOARDS = 3.0
#: How much more slowly learns what has begun with stored weights.
_BEGUN = 0.25
_STILL_WEIGHT, _STILL_COPIES = 3.0, 4
_ORDERS = torch.tensor([[0, 1, 2]] * 3 + [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
#: Where an edge lies is known this well (diameters): the men between lowest and highest stand somewhere between them.
_SEAM_BLUR = 0.035
_FEET = ("base", "bmask", "view", "h", "surf", "top", "ring")
_STRIPS = ("strip", "smask", "sview", "T", "z", "sunk", "at")
Data = dict[str, torch.Tensor]


def gather_data(painted: int, folders: list[Path]) -> dict[str, Data]:
    """`cells` (feet, strips and truths), `shadows`, `rims` and `sides`; `drawn` has how often each is to be drawn."""
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
    data["drawn"] = torch.from_numpy(drawn * np.select([height == 0, height == 1], [0.3, 0.7], 1.2))
    return {"cells": data} | {part: _joined_parts(part, records, weights) for part in ("shadows", "rims", "sides")}


def _doubt(random: np.random.Generator) -> Doubt:
    pose = float(random.choice([0.001, 0.002, 0.004, 0.008]))
    return Doubt(pose, random.normal(0, 0.02), random.uniform(0.19, 0.31))


def _joined(records: list[dict[str, Any]]) -> Data:
    first = np.cumsum([0] + [len(r["h"]) for r in records])
    columns: dict[str, list[Any]] = {"lid": [], "white": [], "haze": [], "colours": []}
    for r, start in zip(records, first, strict=False):
        n = len(r["h"])
        columns["lid"].append(r["sel"] + start)
        columns["white"].append(np.repeat(r["white"][None].astype(np.float32), n, 0))
        columns["haze"].append(np.full(n, r["haze"], np.float32))
        columns["colours"].append(np.repeat(r["colours"][None], n, 0))
        for key in _FEET + _STRIPS:
            value = r[key].astype(np.float32) if r[key].dtype == np.float64 else r[key]
            columns.setdefault(key, []).append(value)
    return {key: torch.from_numpy(np.concatenate(values)) for key, values in columns.items()}


def _joined_parts(part: str, records: list[dict[str, Any]], weights: list[float]) -> Data:
    columns: dict[str, list[Any]] = {"white": [], "haze": [], "drawn": []}
    for r, weight in zip(records, weights, strict=True):
        n = len(r[part].get("men", ()))
        if not n:
            continue
        columns["white"].append(np.repeat(r["white"][None].astype(np.float32), n, 0))
        columns["haze"].append(np.full(n, r["haze"], np.float32))
        columns["drawn"].append(weight * np.where(r[part]["men"] == 0, 0.5, 1.2))
        for key, value in r[part].items():
            columns.setdefault(key, []).append(value.astype(np.float32) if value.dtype == np.float64 else value)
    return {key: torch.from_numpy(np.concatenate(values)) for key, values in columns.items()}


class Batch:
    """Cells of one step, and the changes of light, colours and side under which they are shown."""

    def __init__(self, data: Data, cells: torch.Tensor) -> None:
        n = len(cells)
        self.order, self.mirrored = _ORDERS[torch.randint(0, len(_ORDERS), (n,))], torch.rand(n) < 0.5
        gain = torch.exp(torch.randn(n, 1) * 0.12 + torch.randn(n, 3) * 0.05)
        self.white = torch.gather(data["white"][cells] / gain, 1, self.order)
        self.haze = data["haze"][cells]
        self.known = (torch.rand(n) < 0.7).float()
        mixed = torch.eye(3) + 0.12 * torch.randn(n, 3, 3) * (torch.rand(n, 1, 1) < 0.7)
        self.mixed = mixed / mixed.sum(2, keepdim=True).clamp(min=0.5)
        self.contrast = torch.exp(0.15 * torch.randn(n, 1, 1, 1))

    def shown(self, pictures: torch.Tensor, cover: torch.Tensor) -> torch.Tensor:
        """Pictures (n, rows, columns, 3) as colours against white and what covers them, channels last."""
        x = self._lit(self._seen(pictures.float())).clamp(0, 1.6) - 0.6
        x = torch.cat([x, (cover * self.known.view(-1, 1, 1))[..., None]], -1)
        return torch.where(self.mirrored.view(-1, 1, 1, 1), x.flip(2), x)

    def colours(self, colours: torch.Tensor) -> torch.Tensor:
        """The surfaces' colours (n, 4, 3) as they look then, a little off and some of them unknown (NaN)."""
        n = len(colours)
        seen = self._seen(colours[:, None])[:, 0] * torch.exp(0.03 * torch.randn(n, 4, 1))
        unknown = (torch.rand(n, 4) < 0.08) | (torch.rand(n, 1) < 0.2)
        return torch.where(unknown[..., None], torch.nan, seen.clamp(0, 1.6) - 0.6)

    def _seen(self, x: torch.Tensor) -> torch.Tensor:
        """Colours (n, rows, columns, 3) against white, mixed and in another contrast."""
        haze = self.haze.view(-1, 1, 1, 1)
        x = torch.gather(x, -1, self.order.view(-1, 1, 1, 3).expand_as(x))
        x = ((x - haze) / (self.white.view(-1, 1, 1, 3) - haze)).clamp(min=0)
        x = torch.einsum("nrck,njk->nrcj", x, self.mixed).clamp(min=0)
        return (x + 1e-3) ** self.contrast

    def _lit(self, x: torch.Tensor) -> torch.Tensor:
        """Light from a side, grain."""
        one = (len(x), 1, 1, 1)
        up, across = (
            torch.linspace(-1, 1, x.shape[1]).view(1, -1, 1, 1),
            torch.linspace(-1, 1, x.shape[2]).view(1, 1, -1, 1),
        )
        x = x * (1 + 0.12 * torch.randn(one) * up + 0.08 * torch.randn(one) * across)
        return x + torch.randn_like(x) * 0.04 * torch.rand(one) ** 2


class AsItIs(Batch):
    """Cells of one step as they are."""

    def __init__(self, data: Data, cells: torch.Tensor) -> None:
        n = len(cells)
        self.order, self.mirrored = torch.arange(3).expand(n, -1), torch.zeros(n, dtype=torch.bool)
        self.white, self.haze, self.known = data["white"][cells], data["haze"][cells], torch.ones(n)
        self.mixed, self.contrast = torch.eye(3).expand(n, -1, -1), torch.ones(n, 1, 1, 1)

    def _lit(self, x: torch.Tensor) -> torch.Tensor:
        return x


def foot_loss(net: FootNetwork, data: Data, cells: torch.Tensor) -> torch.Tensor:
    """Is there a man, what lies there: beyond what colours tell by themselves."""
    batch = Batch(data, cells)
    x = batch.shown(data["base"][cells], data["bmask"][cells])
    middle = x[:, *MIDDLE, :3].mean((1, 2), keepdim=True)
    apart = (x[..., :3] - middle).abs().sum(-1, keepdim=True) / (middle.sum(-1, keepdim=True) + 1.95)
    surfaces = batch.colours(data["colours"][cells])
    unlike = (x[..., None, :3] - surfaces[:, None, None]).abs().sum(-1) / (surfaces.sum(-1) + 1.95)[:, None, None]
    unlike = torch.nan_to_num(unlike, nan=1.0).clamp(max=1.0)
    x = torch.cat([x, apart.clamp(max=1.0), unlike], -1).movedim(-1, 1)
    parts = x[:, :3], x[:, FIRST_SURFACE_CHANNEL:], x[:, COVER_CHANNEL], surfaces + LOWERED
    out = net(x, data["view"][cells])
    told = told_by_colours(*(part.numpy() for part in parts), out[:, 0].detach().numpy(), np.zeros((0, 3)))
    colours = torch.from_numpy(told)
    stands, seen = data["h"][cells] > 0, data["top"][cells] >= 0.2
    occupied = functional.binary_cross_entropy_with_logits(out[:, 0], stands.float(), reduction="none")
    surface = functional.cross_entropy(out[:, 1:5] + colours, data["surf"][cells].long(), reduction="none")
    told = seen & ((data["ring"][cells] >= 0.15) | ~stands)
    return (occupied * seen).mean() + (surface * told).mean()


def strip_loss(net: StripNetwork, data: Data, strips: torch.Tensor) -> torch.Tensor:
    """Are there men, how high is the top and where, how many edges and men are there."""
    cells = data["lid"][strips]
    batch = Batch(data, cells)
    view, z, thickness = data["sview"][strips], data["z"][strips], data["T"][strips]
    x = batch.shown(data["strip"][strips], data["smask"][strips]).movedim(-1, 1)
    answer = net(x.contiguous(memory_format=torch.channels_last), view)
    height = data["h"][cells]
    stands = (height > 0).float()
    seen = stands * (data["top"][cells] >= 0.2)
    target = (height - 1).clamp(0, 7).long()
    occupied = functional.binary_cross_entropy_with_logits(answer.told[:, 0], stands)
    top = -(log_density(answer.mixture, z[:, None])[:, 0] * seen).mean()
    at = data["at"][strips]
    known = torch.isfinite(at[:, 0]) * seen
    at = torch.nan_to_num(at)
    nearer = 1 / (1 - z * view[:, 4] / 10)
    across = at[:, 2] * (1 - 2 * batch.mirrored.float()) * nearer
    up = (at[:, 3] * view[:, 1] + z * view[:, 0]) * nearer
    place = ((_apart(answer.told[:, 1], across, 0.05) + _apart(answer.told[:, 2], up, 0.05)) * known).mean()
    counted = net.heights(answer, thickness + torch.randn(len(cells)) * 0.006, data["sunk"][strips])
    count = (functional.cross_entropy(counted, target, reduction="none") * seen).mean()
    free = (functional.cross_entropy(answer.count, target, reduction="none") * seen).mean()
    wanted = _seams(view, z, thickness, height.float(), at)
    seams = (((answer.seams - wanted) ** 2).sum(1) * torch.where(stands > 0, known, 0.3)).mean()
    return 0.5 * occupied + top + place + count + free + 2 * seams


def lamp_step(net: LampNetwork, data: Data, rows: torch.Tensor) -> torch.Tensor:
    """The loss of some surroundings."""
    batch = Batch(data, rows)
    x = batch.shown(data["around"][rows], data["around_cover"][rows]).movedim(-1, 1)
    return lamp_loss(net, x, 1 - 2 * batch.mirrored.float(), _rows(data, rows))


def shadow_step(net: ShadowNetwork, data: Data, rows: torch.Tensor) -> torch.Tensor:
    """The loss of some shadows."""
    batch = Batch(data, rows)
    x = batch.shown(data["floor"][rows], data["floor_cover"][rows]).movedim(-1, 1)
    return shadow_loss(net, x, 1 - 2 * batch.mirrored.float(), _rows(data, rows))


def rim_step(net: RimNetwork, data: Data, rows: torch.Tensor) -> torch.Tensor:
    """The loss of some rims."""
    seen = displaced_rims({key: data[key][rows] for key in ("rim", "rim_cover", "rview", "size", "off")})
    batch = Batch(data, rows)
    x = batch.shown(seen["rim"], seen["rim_cover"]).movedim(-1, 1)
    return rim_loss(net, x, 1 - 2 * batch.mirrored.float(), seen)


def side_step(net: SideNetwork, data: Data, rows: torch.Tensor) -> torch.Tensor:
    """The loss of some sides."""
    seen = displaced_sides({key: data[key][rows] for key in ("side", "side_cover", "dview", "thick")})
    x = Batch(data, rows).shown(seen["side"], seen["side_cover"]).movedim(-1, 1)
    return side_loss(net, x, seen)


def _rows(data: Data, rows: torch.Tensor) -> Data:
    return {key: data[key][rows] for key in ("sview", "hview", "direction", "reach", "rise", "thick", "deep", "men")}


def _seams(
    view: torch.Tensor, z: torch.Tensor, thickness: torch.Tensor, height: torch.Tensor, at: torch.Tensor
) -> torch.Tensor:
    """How many edges of men, foot and top included, lie in each row of the network, (n, rows): a little blurred."""
    k = torch.arange(9)[None].float()
    there = (k <= height[:, None]) & (height[:, None] > 0)
    away = at[:, 1:2] + (at[:, 3:4] - at[:, 1:2]) * k / height[:, None].clamp(min=1)
    edge_z = (z - height * thickness)[:, None] + k * thickness[:, None]
    edge = ((away - 0.5) * view[:, 1:2] + edge_z * view[:, 0:1]) / (1 - edge_z * view[:, 4:5] / 10)
    step = (STRIP_ENDS[1] - STRIP_ENDS[0]) / STRIP_ROWS
    row = STRIP_ENDS[0] + (4 * torch.arange(27)[:, None] + 3.5) * step
    high, low = (
        0.5 * (1 + torch.erf((row + side - edge[:, None]) / _SEAM_BLUR / 2**0.5)) for side in (2 * step, -2 * step)
    )
    return ((high - low) * there[:, None]).sum(2)


def _apart(a: torch.Tensor, b: torch.Tensor, beta: float) -> torch.Tensor:
    return functional.smooth_l1_loss(a, b, beta=beta, reduction="none")


def train(
    net: nn.Module, loss_of: Callable[[], torch.Tensor], minutes: float, name: str, begun: Sequence[nn.Parameter] = ()
) -> None:
    """AdamW with a cosine schedule until the time is over; ends in evaluation mode. What has `begun` elsewhere learns
    more slowly."""
    slow = {id(parameter) for parameter in begun}
    others = [parameter for parameter in net.parameters() if id(parameter) not in slow]
    groups = [{"params": others, "share": 1.0}, {"params": list(begun), "share": _BEGUN}]
    optimiser = torch.optim.AdamW([g for g in groups if g["params"]], lr=_RATE, weight_decay=5e-2)
    began, step = time.monotonic(), 0
    while (done := (time.monotonic() - began) / 60 / minutes) < 1:
        rate = _RATE * min(1.0, (step + 1) / 200) * (0.01 + 0.495 * (1 + np.cos(np.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = rate * group["share"]
        loss = loss_of()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        if step % 500 == 0:
            print(f"{name}: step {step}, {done:.0%}: loss {loss.item():.3f}", flush=True)
    net.eval()


def main(arguments: list[str]) -> None:
    """See the module's docstring."""
    path, minutes, painted = Path(arguments[0]), float(arguments[1]), int(arguments[2])
    data = gather_data(painted, [Path(a) for a in arguments[3:]])
    cells, shadows, rims, sides = data["cells"], data["shadows"], data["rims"], data["sides"]
    on_darker, on_any = _boards(cells)
    foot, any_foot, strip = FootNetwork(), AnyFootNetwork(), StripNetwork()
    lamp, shadow, rim, side = LampNetwork(), ShadowNetwork(), RimNetwork(), SideNetwork()
    parts: dict[str, tuple[nn.Module, float, Callable[[], torch.Tensor]]] = {
        "feet": (foot, 1, lambda: foot_loss(foot, cells, _some(on_darker))),
        "any feet": (any_foot, 1, lambda: foot_loss(any_foot, cells, _some(on_any))),
        "strips": (strip, 2, lambda: strip_loss(strip, cells, _drawn(cells))),
        "lamps": (lamp, 1, lambda: lamp_step(lamp, shadows, _drawn(shadows))),
        "shadows": (shadow, 1, lambda: shadow_step(shadow, shadows, _drawn(shadows))),
        "rims": (rim, 1, lambda: rim_step(rim, rims, _drawn(rims))),
        "sides": (side, 1, lambda: side_step(side, sides, _drawn(sides))),
    }
    shares = sum(share for _, share, _ in parts.values())
    for name, (net, share, step) in parts.items():
        begun: list[nn.Parameter] = []
        if path.exists():
            with np.load(path) as stored:
                go_on(net, dict(stored))
            begun = list(net.parameters())
        train(net, step, minutes * share / shares, name, begun)
    export([net for net, _, _ in parts.values()], _met(cells, shadows), path)


def _met(cells: Data, shadows: Data) -> dict[str, NDArray[np.float32]]:
    """How often tops and shadows of any length and stacks of any height were met."""
    told = (cells["h"][cells["lid"]] > 0) & (cells["top"][cells["lid"]] >= 0.2)
    return {
        "s.met": met_densities(cells["z"][told], cells["drawn"][told]),
        "h.met": met_densities(shadows["rise"], shadows["drawn"], REACH_BLUR),
        "h.often": often_drawn(shadows["men"], shadows["drawn"], MAX_HEIGHT),
    }


def _boards(cells: Data) -> tuple[torch.Tensor, torch.Tensor]:
    """How often feet are drawn, (n,) each, for the network that knows boards darker than light disks and for the one
    that knows any: bright ones more often."""
    bare, beige = (cells["colours"][:, SURFACES.index(kind)].sum(1) for kind in (Surface.BARE, Surface.BEIGE))
    darker = (bare < DARKER * beige).float()
    return darker, darker + _BRIGHT_BOARDS * (1 - darker)


def _drawn(data: Data) -> torch.Tensor:
    return _some(data["drawn"])


def _some(weights: torch.Tensor) -> torch.Tensor:
    return torch.multinomial(weights, _BATCH, replacement=True)


if __name__ == "__main__":
    main(sys.argv[1:])
