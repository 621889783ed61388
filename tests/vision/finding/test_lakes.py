"""Boards with small lakes or missing corners lie the right way round."""

from dataclasses import replace

import numpy as np
import pytest

from engine.board import Board, from_cells, named_board
from engine.layout import layout_of, named_layout
from tests.vision.drawn_board import camera, draw
from tests.vision.finding.test_find import LIMIT, centres, crowded, errors, found
from vision.finding.blobs import find_blobs
from vision.finding.edges import edge_map
from vision.finding.find import find_board
from vision.finding.lakes import told_apart
from vision.finding.place import Evidence, Placement, gather_evidence, placements
from vision.picture import Picture

#: Cells that are left out of hexagons.
LEFT_OUT = {
    "a lake of a cell": ("hexhex-4", [(1, 0)]),
    "a lake of two cells": ("hexhex-4", [(1, -2), (2, -2)]),
    "no corner": ("hexhex-4", [(3, 0)]),
    "inlets": ("hexhex-5", [(4, -1), (-3, 4)]),
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("left_out", list(LEFT_OUT))
def test_boards_that_differ_from_a_hexagon_by_a_cell_or_two(left_out: str, seed: int) -> None:
    """Wherever the camera stands, with stacks in front: by outlines alone eleven of these twenty came out turned, since
    the cells about a lake give it all of its sides."""
    name, cells = LEFT_OUT[left_out]
    layout = layout_of(from_cells([c for c in named_board(name).cells if (c.q, c.r) not in cells], left_out))
    image, pose = crowded(layout, seed, 0.15)
    seen = found(find_board(image, layout)).pose.project(centres(layout))
    assert errors(seen, pose.project(centres(layout))).mean() < LIMIT


def hexagon() -> tuple[Board, list[Placement], Evidence, Picture]:
    """A drawn hexagon, the ways to lay it, and what shows about it."""
    layout = named_layout("hexhex-3")
    assert layout.board is not None
    pose = camera(layout, 20)
    image = draw(layout, pose)
    edges = edge_map(image)
    cells = np.array(layout.board.cells)
    looked = cells.min(0) - 2, cells.max(0) + 2
    evidence = gather_evidence(edges, find_blobs(image, edges), *looked, pose, layout.pitch_mm)
    return layout.board, placements(layout.board, evidence), evidence, image


def test_ways_that_are_the_same_are_all_kept() -> None:
    """A hexagon lies equally well in all six ways, whatever the colours."""
    told = told_apart(*hexagon())
    assert {way.turns for way in told} == set(range(6))
    assert len({way.score for way in told}) == 1


def test_a_way_beyond_what_was_looked_at_is_none() -> None:
    """However well it is said to fit."""
    board, ways, evidence, image = hexagon()
    beyond = replace(ways[0], offset=(9, 9), score=ways[0].score + 1)
    assert told_apart(board, [beyond, *ways], evidence, image) == told_apart(board, ways, evidence, image)
