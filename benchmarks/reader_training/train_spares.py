"""Trains the network that looks at piles of spare men and writes it beside the others into
`vision/networks/reader_weights.npz`.

    python -m benchmarks.reader_training.train_spares OUT.npz EPOCHS FOLDER_OF_LABELLED_STILLS …

It learns from spare men that the program finds in the stills, which tell how thick men are (`checker_mm`). Where a
still has `spares`, these are all its piles: where the middle of the top is (`px`), how many men there are (`k`) and how
thick they are (`t`, in diameters). Needs PyTorch (`pip install torch`), which the program itself does not.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.read import material_of
from benchmarks.reader_training.network import halved
from benchmarks.reader_training.spare_network import SpareNetwork, exported, spare_loss
from engine.board import from_cells
from engine.layout import layout_of
from vision.finding.find import NotFound, find_board
from vision.networks.net import WEIGHTS
from vision.picture import load_picture
from vision.reading.evidence import Shot
from vision.reading.learn import learn_table
from vision.reading.spare_men import pictures_of_piles, spare_men

_BATCH, _RATE, _BEGUN, _DECAY = 64, 6e-4, 1 / 3, 1e-3
#: A pile is the one of the truth whose top is no farther away than this, in diameters.
_NEAR = 0.12
#: How far off the brightness and the colours of pictures may be, and how noisy they are.
_BRIGHTNESS, _COLOUR, _NOISE = 0.06, 0.03, 0.015
Data = dict[str, torch.Tensor]


def piles_of(path: Path) -> dict[str, Any]:
    """Pictures of the spare men that are found in a still, how they are seen, and what is true of them; empty where
    there are none."""
    data = json.loads(path.read_text())
    image = load_picture(path.with_suffix(".jpg"))
    layout = layout_of(from_cells([(c["q"], c["r"]) for c in data["cells"]], data["board"]))
    diameter, thickness = (length * layout.pitch_mm / data["pitch_mm"] for length in data["checker_mm"])
    layout = replace(layout, man_mm=(diameter, thickness))  # then spare men are not asked
    material = material_of(data, False)
    found = find_board(image, layout, None, material)
    if isinstance(found, NotFound):
        return {}
    table = learn_table(image, found.pose, layout, material)
    shot = Shot(image, found.pose, layout, image)
    men = spare_men(shot, table)
    if not len(men.middles_mm):
        return {}
    columns, view = pictures_of_piles(shot, table, men)
    count, usual = len(columns), thickness / diameter
    thick, number, known = np.full(count, usual), np.zeros(count, int), np.ones(count, bool)
    if "spares" in data:
        high = np.full(count, table.disk_thickness_mm)
        tops = found.pose.project(np.column_stack([men.middles_mm, high]))
        apart = np.linalg.norm(tops[:, None] - [s["px"] for s in data["spares"]], axis=2)
        known = apart.min(axis=1) < _NEAR * table.man_diameter_mm * men.views.px_per_mm
        which = [data["spares"][k] for k in apart.argmin(axis=1)]
        thick, number = np.array([s["t"] for s in which]), np.array([s["k"] for s in which])
    parts = {"column": columns.astype(np.float16), "view": view, "thick": thick.astype(np.float32), "men": number}
    return {name: part[known] for name, part in parts.items()}


def gathered(stills: list[Path]) -> Data:
    """What is learned from."""
    rows = []
    for k, path in enumerate(stills):
        if k % 50 == 0:
            print(f"stills: {k} of {len(stills)}", flush=True)
        if row := piles_of(path):
            rows.append(row)
    return {name: torch.from_numpy(np.concatenate([row[name] for row in rows])) for name in rows[0]}


def loss(net: SpareNetwork, data: Data, rows: torch.Tensor) -> torch.Tensor:
    """Losses (n,) of some piles, half of them mirrored, in slightly other light."""
    column, count = data["column"][rows].float(), len(rows)
    mirrored = torch.rand(count) < 0.5
    column[mirrored] = column[mirrored].flip(3)
    light = 1 + _BRIGHTNESS * torch.randn(count, 1, 1, 1) + _COLOUR * torch.randn(count, 3, 1, 1)
    column[:, :3] = column[:, :3] * light + _NOISE * torch.randn_like(column[:, :3])
    return spare_loss(net, column, data["view"][rows], data["thick"][rows], data["men"][rows])


def main(arguments: list[str]) -> None:
    """See the module's docstring."""
    path, epochs = Path(arguments[0]), int(arguments[1])
    torch.manual_seed(1)
    data = gathered(sorted(p for folder in arguments[2:] for p in Path(folder).glob("*.json")))
    print(f"{len(data['men'])} piles to learn from", flush=True)
    with np.load(WEIGHTS) as stored:
        weights = dict(stored)
    net = SpareNetwork(weights)
    begun = list(net.column.parameters())
    head = [p for p in net.parameters() if all(p is not q for q in begun)]
    groups = [{"params": head, "lr": _RATE}, {"params": begun, "lr": _BEGUN * _RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=_DECAY)
    steps = epochs * (len(data["men"]) // _BATCH)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for epoch in range(epochs):
        batches = torch.randperm(len(data["men"])).split(_BATCH)[: steps // epochs]
        total = 0.0
        for rows in batches:
            mean = loss(net, data, rows).mean()
            optimiser.zero_grad()
            mean.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += mean.item()
        print(f"spares: epoch {epoch + 1} of {epochs}: loss {total / len(batches):.3f}", flush=True)
    np.savez_compressed(path, **(weights | halved(exported(net))))  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1:])
