"""What the network for sides learns from: the sides below the tops of a picture whose men's places are known."""

from typing import Any

import numpy as np

from benchmarks.reader_training.paint import Painted
from vision.geometry import BoardPose
from vision.sampling import CellViews, gather, raised, side_maps

#: How far off a reader takes tops to be, in diameters: aside; in height, mostly and sometimes.
_ASIDE, _HIGHER, _MUCH_HIGHER, _SELDOM = 0.006, 0.035, 0.1, 0.2


def side_patches(
    scene: Painted, image: Any, pose: BoardPose, views: CellViews, stacks: Any, diameter: float, random: Any
) -> dict[str, Any]:
    """Arrays over the cells `stacks` (n,). `diameter`: what a man's is taken to be, in millimetres."""
    some, n = views.of(stacks), len(stacks)
    _, height, top = scene.stacks(stacks)
    aside = random.normal(0, _ASIDE * diameter, (n, 1)) * some.across
    higher = random.normal(0, 1, n) * np.where(random.random(n) < _SELDOM, _MUCH_HIGHER, _HIGHER) * diameter
    middles = raised(pose, some.centres_mm + scene.highest[stacks], top, higher) + aside
    maps = side_maps(pose, some, middles, top + higher, diameter)
    return {
        "side": gather(image, maps),
        "side_maps": maps,
        "dview": scene.seen_from(some, diameter, pose.camera_mm[2]),
        "thick": scene.thickness_mm[stacks] / diameter,
        "men": np.clip(height - 1, 0, 7),
    }
