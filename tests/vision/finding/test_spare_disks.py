"""Boards are found among spare disks that lie right beside them."""

import numpy as np
import pytest

from engine.board import from_cells
from engine.layout import Layout, layout_of, named_layout
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.finding.test_find import LIMIT, centres, errors, found
from vision.arrays import Floats
from vision.finding.blobs import find_blobs
from vision.finding.edges import edge_map
from vision.finding.find import NotFound, find_board
from vision.finding.lakes import by_colours
from vision.finding.place import gather_evidence, judge, ring_of
from vision.geometry import BoardPose
from vision.hexagons import AXIAL_TO_PLANE
from vision.picture import Picture

COLOURS = (150, 190, 214), (40, 48, 58)


def beside(layout: Layout) -> Floats:
    """Where cells would be beside a board, (n, 2) mm."""
    assert layout.board is not None
    return layout.pitch_mm * (ring_of(np.array(layout.board.cells)) @ AXIAL_TO_PLANE)


def among_spares(layout: Layout, pose: BoardPose, seed: int, table: tuple[int, int, int]) -> Picture:
    """A board with disks on four in ten of the places where more cells would be, or near them."""
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


@pytest.mark.parametrize("tilt_deg", [25, 40])
@pytest.mark.parametrize("cell", [(70, 120, 66), (60, 84, 104)])
def test_a_larger_board_has_no_spare_disks(cell: tuple[int, int, int], tilt_deg: float) -> None:
    """Between the disks of its outer cells it shows itself."""
    image = draw(named_layout("hexhex-5"), camera(named_layout("hexhex-5"), tilt_deg), cell=cell)
    assert isinstance(find_board(image, named_layout("hexhex-4")), NotFound)


def test_a_row_of_cells_has_no_corners_between_them() -> None:
    """So nothing is told by these, on a table where other things speak against the board, too."""
    layout = layout_of(from_cells([(q, 0) for q in range(5)], "row"))
    pose = camera(layout, 20, room=1.6)
    image = among_spares(layout, pose, 0, (60, 50, 45))
    edges, cells = edge_map(image), np.array([(q, 0) for q in range(5)])
    looked = cells.min(0) - 2, cells.max(0) + 2
    evidence = gather_evidence(edges, find_blobs(image, edges), *looked, pose, layout.pitch_mm)
    look = judge(cells, evidence, image)
    assert by_colours(cells, look, evidence, image).inside == look.inside
