"""What surfaces look like, learned from the cells that are open."""

import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import SURFACES, Surface
from vision.evidence import surface_colours
from vision.learn import nominal_table
from vision.net import FootBelief
from vision.palette import Material, parse_colour
from vision.sampling import COLUMNS, ROWS

TABLE = nominal_table(named_layout("hexhex-3"), Material((parse_colour("red"), parse_colour("purple"))))
BARE, BEIGE, DARK = (SURFACES.index(kind) for kind in (Surface.BARE, Surface.BEIGE, Surface.DARK))


def _colours(cells: list[tuple[int, int]]) -> np.ndarray:
    """By cells that are surely of a kind and so bright (0–255)."""
    feet = np.zeros((len(cells), ROWS, COLUMNS, 3), np.uint8)
    logits = np.zeros((len(cells), len(SURFACES)), np.float32)
    for i, (kind, level) in enumerate(cells):
        feet[i], logits[i, kind] = level, 12.0
    return surface_colours(feet, FootBelief(np.full(len(cells), -9.0, np.float32), logits), TABLE)


def test_each_surface_looks_like_the_middle_of_its_open_cells() -> None:
    """Dark disks among others; nobody knows what surfaces look like that no cell shows."""
    colours = _colours([(BEIGE, 180), (BEIGE, 190), (BEIGE, 200), (DARK, 60), (BARE, 90)])
    assert colours[BEIGE] == pytest.approx([190 / 255] * 3)
    assert colours[DARK] == pytest.approx([60 / 255] * 3)
    assert colours[BARE] == pytest.approx([90 / 255] * 3)
    assert np.isnan(colours[SURFACES.index(Surface.LIGHT)]).all()


def test_beige_disks_nearer_to_the_lamp_are_not_dark_ones() -> None:
    """What is taken for dark disks is brighter than the others: all are beige."""
    colours = _colours([(BEIGE, 150), (BEIGE, 160), (BEIGE, 170), (DARK, 200), (DARK, 210)])
    assert colours[BEIGE] == pytest.approx([170 / 255] * 3)
    assert np.isnan(colours[DARK]).all()
