"""What the network that weighs heights learns from: stacks seen from their tops down, and their shadows."""

from typing import Any

import numpy as np

from benchmarks.reader_training.paint import Painted
from benchmarks.reader_training.rim_patches import tops_seen
from vision.geometry import BoardPose
from vision.lamp import Lamp
from vision.sampling import CellViews, column_maps, gather, shadow_maps, strip_places

#: How far from a top's middle a reader may look, in diameters: mostly, and sometimes.
_OFF, _FAR_OFF, _SELDOM = 0.012, 0.04, 0.15
#: A reader errs by so much in the way that shadows fall, in radians: all cells of a picture alike.
_TURNED = 0.03


def height_patches(
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
    bare, height, _ = scene.stacks(stacks)
    middles, _ = tops_seen(scene, pose, some, stacks, height_mm)
    middles += random.normal(0, diameter, (n, 2)) * np.where(random.random(n) < _SELDOM, _FAR_OFF, _OFF)[:, None]
    places = strip_places(pose, some, middles, height_mm, diameter)
    lamp = Lamp(*(float(v) for v in scene.lamp))
    way, reach = lamp.shadows(some.centres_mm)
    turn = random.normal(0, _TURNED)
    way = way * np.cos(turn) + np.column_stack([-way[:, 1], way[:, 0]]) * np.sin(turn)
    column = column_maps(pose, some, places, height_mm, diameter)
    fall = shadow_maps(pose, middles, way, height_mm, diameter)
    seen = scene.seen_from(some, diameter, lamp.z_mm)
    far_mm = np.hypot(some.distance_mm, pose.camera_mm[2])
    nearing = 10 * diameter * seen[:, 1] / far_mm
    ahead, aside = (way * some.away).sum(1), (way * some.across).sum(1)
    lit = [ahead, aside, reach, seen[:, 4], np.ones(n)]
    return {
        "column": gather(image, column),
        "column_maps": column,
        "fall": gather(image, fall),
        "fall_maps": fall,
        "tview": np.column_stack([seen[:, :4], nearing, *lit]),
        "up": places[:, 1],
        "thick": scene.thickness_mm[stacks] / diameter,
        "reach": reach,
        "deep": np.where(bare, height_mm / diameter, 0.0),
        "men": np.clip(height - 1, 0, 7),
    }
