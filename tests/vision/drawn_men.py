"""Draws single men of any thickness on a board, as a camera would see them."""

import numpy as np

from engine.layout import named_layout
from engine.look import CellLook, Surface
from tests.vision.drawn_board import camera, draw, draw_round
from vision.palette import Material, parse_colour
from vision.picture import Picture

LAYOUT = named_layout("hexhex-4")
MAN_MM, COLOURS = 28.0, ((40, 30, 170), (215, 225, 230))
MATERIAL = Material((parse_colour("red"), parse_colour("white")))
WITHOUT_DISKS = Material(MATERIAL.men, None)


def men_on_board(
    thickness: float, tilt_deg: float, every: int = 3, disks: bool = True
) -> tuple[Picture, list[CellLook]]:
    """A picture of single men, so thick in their diameters, on every so-manieth cell, and what stands where."""
    pose = camera(LAYOUT, tilt_deg, room=1.8)
    image = draw(LAYOUT, pose) if disks else draw(LAYOUT, pose, disk=None)
    looks = [CellLook(Surface.BEIGE if disks else Surface.BARE)] * len(LAYOUT.names)
    depths = pose.depth_mm(np.column_stack([LAYOUT.centres_mm, np.zeros(len(looks))]))
    for k, i in enumerate(np.argsort(-depths)[1::every].tolist()):
        draw_round(image, pose, LAYOUT.centres_mm[i], MAN_MM, thickness * MAN_MM, COLOURS[k % 2])
        looks[i] = CellLook(looks[i].surface, 1 + k % 2, 1)
    return image, looks
