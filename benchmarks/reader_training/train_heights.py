"""Trains the network that weighs heights and writes it beside the others into `vision/networks/reader_weights.npz`.

    python -m benchmarks.reader_training.train_heights OUT.npz MINUTES PAINTED [FOLDER_OF_LABELLED_STILLS …]

The stills tell the lamp's place (`key`) and where stacks stand (`at`); one in eight is kept apart for measuring.
Where OUT.npz exists, its network learns on.
Needs PyTorch (`pip install torch`), which the program itself does not.
"""

import multiprocessing
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.read import truths
from benchmarks.reader_training.height_network import HeightNetwork, exported, go_on, height_loss
from benchmarks.reader_training.height_patches import height_patches, tops_taken
from benchmarks.reader_training.met import often_drawn
from benchmarks.reader_training.network import halved
from benchmarks.reader_training.paint import Painted, paint
from benchmarks.reader_training.patches import DISK_MM, Doubt, as_data, cover_of, load_still, shaken, webcam
from benchmarks.reader_training.train import AsItIs, Batch, train
from engine.look import MAX_HEIGHT
from vision.light import light_of
from vision.men.silhouette import Stack, label_stacks
from vision.networks.net import WEIGHTS
from vision.sampling import REACH, cell_views, foot_maps, gather

_BATCH = 128
#: Each still is shown so many times, in another sensor's noise and seen from a little elsewhere, and counts so much.
_COPIES, _STILL_WEIGHT = 5, 2.5
#: One still in so many is kept apart.
_APART = 8
#: How often no man, one and more are drawn.
_DRAWN = torch.tensor([0.5, 0.7, 1.2])
_PARTS = ("column", "fall")
Data = dict[str, torch.Tensor]


def record(scene: Painted, image: Any, doubt: Doubt, random: np.random.Generator) -> dict[str, Any]:
    """Columns and shadows of the stacks of a picture that can be seen and of what may be taken for them, and the truth
    about them."""
    pose = shaken(scene, doubt.pose, random)
    diameter = scene.diameter_mm * float(np.exp(doubt.diameter))
    views = cell_views(pose, scene.layout)
    bare, height, top = scene.stacks(range(len(scene.looks)))
    foot = np.where(bare, 0.0, scene.disk_mm[1])
    stacks = [Stack(int(i), foot[i], top[i], scene.diameter_mm / 2) for i in np.flatnonzero(height)]
    visible = np.array([t.top for t in truths(as_data(scene), scene.layout, scene.pose, list(scene.looks))])
    labels = label_stacks(pose, views, stacks)
    feet = gather(image, foot_maps(pose, views, DISK_MM, REACH * diameter))
    light = light_of(image, pose, scene.layout, None if bare.all() else feet)

    def cover(maps: Any, some: Any) -> Any:
        return cover_of(labels, maps, some, views.distance_mm)

    assumed = DISK_MM, diameter
    cells, middles = tops_taken(scene, image, pose, views, visible >= 0.3, light, cover, assumed, random)
    if not len(cells):
        return {}
    out = height_patches(scene, image, pose, views, cells, middles, assumed, random)
    for part in _PARTS:
        out[f"{part}_cover"] = cover(out.pop(f"{part}_maps"), cells)
    out["white"] = np.repeat(np.array(light.white_bgr, np.float32)[None], len(cells), 0)
    out["haze"] = np.full(len(cells), light.haze, np.float32)
    return {key: value.astype(np.float32) if value.dtype == np.float64 else value for key, value in out.items()}


def _doubt(random: np.random.Generator) -> Doubt:
    """What a reader may know who has learned the table."""
    return Doubt(float(random.choice([0.001, 0.002, 0.004])), random.normal(0, 0.006), 0.25)


def painted_record(seed: int) -> dict[str, Any]:
    """A painted board's."""
    random = np.random.default_rng(seed)
    scene = paint(seed)
    return record(scene, webcam(scene.image, random, poor=seed % 8 == 0), _doubt(random), random)


def still_record(path: Path, copy: int) -> dict[str, Any]:
    """A labelled still's."""
    random = np.random.default_rng([copy, *path.stem.encode()])
    scene = load_still(path)
    return record(scene, webcam(scene.image, random, poor=False), _doubt(random), random)


def gathered(painted: int, stills: list[Path]) -> tuple[Data, Data]:
    """What is learned from, and what is measured on."""
    with multiprocessing.Pool(2) as pool:
        some = pool.imap(painted_record, range(painted), 4)
        rows: list[tuple[float, dict[str, Any]]] = [(1.0, row) for row in _shown(some, "painted", painted)]
        learn = [path for k, path in enumerate(stills) if k % _APART]
        for copy in range(_COPIES):
            some = pool.imap(partial(still_record, copy=copy), learn, 4)
            rows += [(_STILL_WEIGHT, row) for row in _shown(some, f"stills, {copy}", len(learn))]
        apart = pool.map(partial(still_record, copy=0), stills[::_APART])
    return _joined(rows), _joined([(1.0, row) for row in apart])


def _shown(rows: Iterator[Any], name: str, count: int) -> Iterator[Any]:
    for k, row in enumerate(rows):
        if k % 100 == 0:
            print(f"{name}: {k} of {count}", flush=True)
        yield row


def _joined(rows: list[tuple[float, dict[str, Any]]]) -> Data:
    rows = [(weight, row) for weight, row in rows if row]
    if not rows:
        return {}
    data = {k: torch.from_numpy(np.concatenate([row[k] for _, row in rows])) for k in rows[0][1]}
    weight = torch.from_numpy(np.concatenate([np.full(len(row["men"]), w) for w, row in rows]))
    data["drawn"] = weight * _DRAWN[data["men"].long().clamp(max=2)]
    return data


def loss(net: HeightNetwork, data: Data, rows: torch.Tensor, doubted: bool = True) -> torch.Tensor:
    """Losses (n,) of some stacks."""
    batch = (Batch if doubted else AsItIs)(data, rows)
    shown = [batch.shown(data[part][rows], data[f"{part}_cover"][rows]).movedim(-1, 1).contiguous() for part in _PARTS]
    known = {key: data[key][rows] for key in ("tview", "up", "thick", "reach", "deep", "men")}
    return height_loss(net, shown[0], shown[1], 1 - 2 * batch.mirrored.float(), known, doubted)


def measured(net: HeightNetwork, data: Data) -> str:
    """How well heights come out."""
    with torch.no_grad():
        losses = torch.cat([loss(net, data, rows, False) for rows in torch.arange(len(data["men"])).split(256)])
    unlikely = (losses > np.log(2)).float().mean()
    return f"{len(losses)} stacks kept apart: log-loss {losses.mean():.4f}, {unlikely:.4f} unlikely"


def main(arguments: list[str]) -> None:
    """See the module's docstring."""
    path, minutes, painted = Path(arguments[0]), float(arguments[1]), int(arguments[2])
    stills = sorted((p for folder in arguments[3:] for p in Path(folder).glob("*.json")), key=lambda p: int(p.stem))
    data, apart = gathered(painted, stills)
    print(f"{len(data['men'])} stacks to learn from", flush=True)
    with np.load(WEIGHTS) as stored:
        weights = dict(stored)
    net = HeightNetwork(weights)
    begun = net.begun()
    if path.exists():
        with np.load(path) as stored:
            go_on(net, dict(stored))
        begun = list(net.parameters())

    def step() -> torch.Tensor:
        return loss(net, data, torch.multinomial(data["drawn"], _BATCH, replacement=True)).mean()

    train(net, step, minutes, "heights", begun)
    if apart:
        print(measured(net, apart), flush=True)
    own = exported(net)
    own["t.often"] = often_drawn(data["men"].long(), data["drawn"], MAX_HEIGHT + 1)
    weights |= halved(own)
    np.savez_compressed(path, **weights)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1:])
