"""Boards are found among spare disks that lie right beside them."""

import numpy as np
import pytest

from engine.layout import Layout, named_layout
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.test_find import LIMIT, centres, errors, found
from vision.find import NotFound, find_board
from vision.geometry import BoardPose, Floats
from vision.lattice import AXIAL_TO_PLANE
from vision.picture import Picture
from vision.place import ring_of

COLOURS = (150, 190, 214), (40, 48, 58)


def beside(layout: Layout) -> Floats:
    """Where cells would be beside a board, (n, 2) mm."""
    assert layout.board is not None
    return layout.pitch_mm * (ring_of(np.array(layout.board.cells)) @ AXIAL_TO_PLANE)


def among_spares(layout: Layout, pose: BoardPose, seed: int, table: tuple[int, int, int]) -> Picture:
    """A board with disks on most of the places where more cells would be, or near them."""
    rng = np.random.default_rng(seed)
    image = draw(layout, pose, table=table, noise=0)
    middle = np.mean(layout.centres_mm, axis=0)
    for place in beside(layout)[rng.random(len(beside(layout))) < 0.4]:
        out = (place - middle) / np.linalg.norm(place - middle) * 0.05 + rng.uniform(-0.12, 0.12, 2)
        x, y = place + layout.pitch_mm * out
        draw_round(image, pose, (x, y), 0.86 * layout.pitch_mm, 2.0, COLOURS[rng.integers(2)])
    return np.clip(image + rng.normal(0, 1.5, image.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("table", [(60, 50, 45), (190, 205, 210), (110, 70, 40)])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("name", "tilt_deg"), [("hexhex-4", 12), ("modular-7", 30), ("hexhex-5", 40)])
def test_among_spare_disks(name: str, tilt_deg: float, seed: int, table: tuple[int, int, int]) -> None:
    """They lie where more cells would be, but the table shows about them."""
    layout = named_layout(name)
    pose = camera(layout, tilt_deg, azimuth_deg=25, room=1.6)
    seen = found(find_board(among_spares(layout, pose, seed, table), layout)).pose.project(centres(layout))
    assert errors(seen, pose.project(centres(layout))).mean() < LIMIT


@pytest.mark.parametrize("cell", [(70, 120, 66), (60, 84, 104)])
def test_a_larger_board_has_no_spare_disks(cell: tuple[int, int, int]) -> None:
    """Between the disks of its outer cells it shows itself."""
    image = draw(named_layout("hexhex-5"), camera(named_layout("hexhex-5"), 25), cell=cell)
    assert isinstance(find_board(image, named_layout("hexhex-4")), NotFound)
