"""What the network for sides learns from: sides below tops, cut where the program's other networks see the tops."""

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.reader_training.paint import Painted
from vision.geometry import BoardPose
from vision.light import Light
from vision.men.heights import USUAL_THICKNESS
from vision.palette import Material, parse_colour
from vision.reading.evidence import Shot, look_at_feet, look_at_stacks, maps_of_sides, rims_of_stacks
from vision.reading.learn import nominal_table
from vision.sampling import gather

#: Colours do not matter for where tops are.
_ANY = Material((parse_colour("white"), parse_colour("black")), (parse_colour("beige"), parse_colour("dark")))


def side_patches(
    scene: Painted,
    image: Any,
    pose: BoardPose,
    stacks: Any,
    feet: Any,
    light: Light,
    assumed: tuple[float, float],
) -> dict[str, Any]:
    """Arrays over the cells `stacks` (n,).

    `feet`: the pictures of all feet; `assumed`: the disk's thickness and the man's diameter in millimetres.
    """
    disk, diameter = assumed
    table = replace(
        nominal_table(scene.layout, _ANY),
        light=light,
        disk_thickness_mm=disk,
        man_diameter_mm=diameter,
        man_thickness_mm=USUAL_THICKNESS * diameter,
    )
    shot = Shot(image, pose, scene.layout, image)
    seen = look_at_stacks(shot, table, look_at_feet(shot, table, feet), scene.looks)
    assert seen is not None
    around = rims_of_stacks(shot, table, seen, 0.0)
    rows = np.searchsorted(seen.cells, stacks)
    maps = maps_of_sides(pose, table, seen.views, around.middles_mm, seen.stacks.rise.likeliest())[rows]
    return {
        "side": gather(image, maps),
        "side_maps": maps,
        "dview": scene.seen_from(shot.views().of(stacks), diameter, pose.camera_mm[2]),
        "thick": scene.thickness_mm[stacks] / diameter,
        "men": np.clip(np.array([scene.looks[i].height for i in stacks]) - 1, 0, 7),
    }
