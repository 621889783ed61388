"""What the networks for shadows learn from: surroundings and shadows of the stacks of a picture whose lamp is known."""

import math
from typing import Any

import numpy as np

from benchmarks.reader_training.paint import Painted
from vision.geometry import BoardPose
from vision.lamplight.lamp import Lamp
from vision.sampling import CellViews, around_maps, gather, shadow_maps

#: A reader errs by so much in the way that shadows fall, in radians: all cells of a picture alike, and each.
_TURNED, _TURNED_EACH = 0.07, 0.026


def shadow_patches(
    scene: Painted,
    image: Any,
    pose: BoardPose,
    views: CellViews,
    stacks: Any,
    assumed: tuple[float, float],
    random: Any,
) -> dict[str, Any]:
    """Arrays over the cells `stacks` (n,). `assumed`: the disk's thickness and the man's diameter in millimetres."""
    thickness, diameter = assumed
    some = views.of(stacks)
    lamp = Lamp(*(float(v) for v in scene.lamp))
    true_way, reach = lamp.shadows(some.centres_mm)
    turn = random.normal(0, _TURNED) + random.normal(0, _TURNED_EACH, len(stacks))
    cosine, sine = np.cos(turn)[:, None], np.sin(turn)[:, None]
    way = true_way * cosine + np.column_stack([-true_way[:, 1], true_way[:, 0]]) * sine
    ahead, aside = (way * some.away).sum(1), (way * some.across).sum(1)
    bare, height, top = scene.stacks(stacks)
    around = around_maps(pose, some, thickness, diameter)
    floor = shadow_maps(pose, some.centres_mm, way, thickness, diameter)
    seen = scene.seen_from(some, diameter, lamp.z_mm)
    return {
        "around": gather(image, around),
        "around_maps": around,
        "floor": gather(image, floor),
        "floor_maps": floor,
        "sview": seen,
        "hview": np.column_stack([ahead, aside, seen[:, :2], reach, seen[:, 2:]]),
        "direction": np.arctan2((true_way * some.across).sum(1), (true_way * some.away).sum(1)),
        "reach": reach,
        "rise": (top - thickness) / diameter,
        "thick": scene.thickness_mm[stacks] / diameter,
        "deep": np.where(bare, scene.disk_mm[1] / diameter, 0.0),
        "men": np.clip(height - 1, 0, 7),
    }


def lamp_of(data: dict[str, Any], scale: float) -> Any:
    """The lamp's place (3,) in the board frame by a labelled still's `key` (x, y, z in millimetres), else NaN."""
    if "key" not in data:
        return np.full(3, np.nan)
    turn = math.radians(data.get("turn_deg", 0.0))
    x, y, z = (scale * v for v in data["key"])
    return np.array([x * math.cos(turn) + y * math.sin(turn), -x * math.sin(turn) + y * math.cos(turn), z])
