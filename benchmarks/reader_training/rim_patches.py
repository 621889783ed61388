"""What the network for rims learns from: circles about the tops of a picture whose men's places are known."""

import math
from typing import Any

import numpy as np

from benchmarks.reader_training.paint import Painted
from vision.geometry import BoardPose
from vision.sampling import CellViews, gather, rim_maps

#: How far from a top's middle a reader may look, in diameters: mostly, and sometimes.
_OFF, _FAR_OFF, _SELDOM = 0.03, 0.08, 0.15


def rim_patches(
    scene: Painted,
    image: Any,
    pose: BoardPose,
    views: CellViews,
    stacks: Any,
    assumed: tuple[float, float],
    random: Any,
) -> dict[str, Any]:
    """Arrays over the cells `stacks` (n,). `assumed`: the disk's thickness and the man's diameter in millimetres."""
    height_mm, diameter = assumed
    some, n = views.of(stacks), len(stacks)
    _, height, _ = scene.stacks(stacks)
    seen_at, larger = tops_seen(scene, pose, some, stacks, height_mm)
    off = random.normal(0, 1, (n, 2)) * np.where(random.random(n) < _SELDOM, _FAR_OFF, _OFF)[:, None] * diameter
    maps = rim_maps(pose, some, seen_at + off, height_mm, diameter)
    return {
        "rim": gather(image, maps),
        "rim_maps": maps,
        "rview": scene.seen_from(some, diameter, pose.camera_mm[2]),
        "size": np.log(larger) - math.log(diameter / scene.diameter_mm),
        "off": -np.stack([(off * some.away).sum(1), (off * some.across).sum(1)], 1) * 2 / diameter,
        "men": np.clip(height - 1, 0, 7),
    }


def tops_seen(scene: Painted, pose: BoardPose, views: CellViews, stacks: Any, height_mm: float) -> tuple[Any, Any]:
    """Where the middles of tops appear to lie on the plane `height_mm` above the board, (n, 2), and how much larger
    they look there, (n,)."""
    camera = pose.camera_mm
    larger = (camera[2] - height_mm) / (camera[2] - scene.stacks(stacks)[2])
    return camera[:2] + (views.centres_mm + scene.highest[stacks] - camera[:2]) * larger[:, None], larger
