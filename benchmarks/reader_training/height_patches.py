"""What the network that weighs heights learns from: stacks, and what may be taken for them, seen from their tops down,
and their shadows."""

from typing import Any

import numpy as np

from benchmarks.reader_training.paint import Painted
from benchmarks.reader_training.rim_patches import tops_seen
from vision.geometry import BoardPose
from vision.lamplight.lamp import Lamp
from vision.light import Light
from vision.networks.net import picture_input, reader_net
from vision.networks.rim_net import rim_net
from vision.sampling import (
    CellViews,
    column_maps,
    gather,
    moved,
    rim_maps,
    shadow_maps,
    strip_maps,
    strip_places,
    top_middles,
)

#: How far from a top's middle a reader may look, in diameters: mostly, and sometimes.
_OFF, _FAR_OFF, _SELDOM = 0.012, 0.04, 0.15
#: So often a stack's top is looked for by the networks for strips and rims instead.
_SEEN = 0.5
#: What the network for strips takes for men with such log-odds may be taken for them, and so much of all else.
_MAYBE_MEN, _ANY = -4.0, 0.15
#: A reader errs by so much in the way that shadows fall, in radians: all cells of a picture alike.
_TURNED = 0.03


def height_patches(
    scene: Painted,
    image: Any,
    pose: BoardPose,
    views: CellViews,
    cells: Any,
    middles: Any,
    assumed: tuple[float, float],
    random: Any,
) -> dict[str, Any]:
    """Arrays over `cells` (n,), the middles of whose tops are taken to appear at `middles` (n, 2) on the disks.
    `assumed`: the disk's thickness and the man's diameter in millimetres."""
    height_mm, diameter = assumed
    some, n = views.of(cells), len(cells)
    bare, height, _ = scene.stacks(cells)
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
        "thick": scene.thickness_mm[cells] / diameter,
        "reach": reach,
        "deep": np.where(bare, height_mm / diameter, 0.0),
        "men": height,
    }


def tops_taken(
    scene: Painted,
    image: Any,
    pose: BoardPose,
    views: CellViews,
    visible: Any,
    light: Light,
    cover: Any,
    assumed: tuple[float, float],
    random: Any,
) -> tuple[Any, Any]:
    """Cells (n,) with stacks and with what may be taken for one, of those that are `visible` (N,), and where the
    middles of their tops are taken to appear on the disks, (n, 2). `cover`: what covers pictures at pixel maps of some
    cells."""
    height_mm, diameter = assumed
    cells = np.flatnonzero(visible)
    some, stands = views.of(cells), scene.stacks(cells)[1] > 0
    strips = strip_maps(pose, some, height_mm, diameter)
    seen = scene.seen_from(some, diameter, 1.0)[:, :4]
    nearing = 10 * diameter * seen[:, 1:2] / np.hypot(some.distance_mm, pose.camera_mm[2])[:, None]
    pictures = picture_input(gather(image, strips), cover(strips, cells), light)
    told = reader_net().stacks(pictures, np.concatenate([seen, nearing], 1, dtype=np.float32))
    kept = stands | (told.occupied > _MAYBE_MEN) | (random.random(len(cells)) < _ANY)
    cells, some, stands = cells[kept], views.of(cells[kept]), stands[kept]
    middles = top_middles(pose, some, told.top[kept], height_mm, diameter)
    rview = scene.seen_from(some, diameter, pose.camera_mm[2]).astype(np.float32)
    for _ in range(2):
        maps = rim_maps(pose, some, middles, height_mm, diameter)
        rims = rim_net().rims(picture_input(gather(image, maps), cover(maps, cells), light), rview)
        middles = moved(middles, some, rims.off, diameter)
    n = len(cells)
    true, _ = tops_seen(scene, pose, some, cells, height_mm)
    true += random.normal(0, diameter, (n, 2)) * np.where(random.random(n) < _SELDOM, _FAR_OFF, _OFF)[:, None]
    return cells, np.where((stands & (random.random(n) >= _SEEN))[:, None], true, middles)
