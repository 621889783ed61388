"""What lies under men, by how colours change where a disk would end."""

import numpy as np
import pytest

from engine.board import hexhex
from engine.layout import layout_of
from engine.look import SURFACES, Surface
from tests.vision.drawn_board import camera, draw, draw_round
from vision.light import Light
from vision.sampling import cell_views, gather
from vision.surfaces.disk_edges import edge_maps, told_at_edges

BEIGE, BARE, DARK, LIGHT = (SURFACES.index(s) for s in (Surface.BEIGE, Surface.BARE, Surface.DARK, Surface.LIGHT))
KNOWN = np.full((4, 3), np.nan)
KNOWN[BEIGE], KNOWN[BARE], KNOWN[DARK] = (0.8, 0.9, 1.0), (0.4, 0.6, 0.35), (0.3, 0.25, 0.2)
NAMED = np.array([(1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (0.36, 0.3, 0.22), (1.0, 1.0, 1.0)])
LAYOUT = layout_of(hexhex(3))
MAN, DISK, PLACES = np.array((0.2, 0.2, 0.8)), 0.62, (3, 29)


def odds(
    inner: np.ndarray, outer: np.ndarray = KNOWN[BARE], surfaces: np.ndarray = KNOWN, wide_px: float = 45.0
) -> np.ndarray:
    """What a cell tells that shows such colours within and beyond a disk's edge, each (3,) or one for each place."""
    shown = np.concatenate([np.broadcast_to(part, (*PLACES, 3)) for part in (inner, outer)])[None]
    seen = np.ones(shown.shape[:3], bool)
    return told_at_edges(shown.astype(np.float32), seen, surfaces, NAMED, MAN[None], np.array([wide_px]), DISK)[0]


@pytest.mark.parametrize("shade", [1.0, 0.6, 0.3])
@pytest.mark.parametrize("kind", [BEIGE, BARE, DARK])
def test_what_ends_where_disks_do_is_one(kind: int, shade: float) -> None:
    """Whatever shade lies on both sides of the edge."""
    told = odds(shade * KNOWN[kind], shade * KNOWN[BARE])
    assert told.argmax() == kind
    assert np.delete(told, kind).max() < -2


def test_shade_that_looks_like_dark_disks_does_not_end_where_these_do() -> None:
    """A board whose shade is the dark disks' colour: what lies there is the same on both sides of the edge."""
    dim = KNOWN.copy()
    dim[DARK] = 0.5 * KNOWN[BARE]
    assert odds(dim[DARK], dim[DARK], dim).argmax() == BARE
    assert odds(dim[DARK], dim[BARE], dim).argmax() == DARK


def test_a_dark_disk_that_lies_nowhere_open_is_known_by_its_name() -> None:
    """A disk about as dark as its name says; men in the shade look otherwise."""
    nowhere = np.where(np.arange(4)[:, None] == DARK, np.nan, KNOWN)
    assert odds(0.8 * NAMED[DARK], surfaces=nowhere).argmax() == DARK
    assert odds(KNOWN[BEIGE], surfaces=nowhere).argmax() == BEIGE


def test_a_man_who_stands_aside_hides_one_side_only() -> None:
    """He covers the inner places on his side; the others still show a disk."""
    inner = np.where((np.arange(PLACES[1]) < 10)[:, None], 0.7 * MAN, KNOWN[BEIGE])
    told = odds(inner)
    assert told.argmax() == BEIGE
    assert np.delete(told, BEIGE).max() < -1


def test_all_that_is_covered_or_small_tells_nothing() -> None:
    """Where he covers all of them, where nothing can be seen, in small pictures, without the board's colour."""
    assert odds(0.7 * MAN) == pytest.approx(np.zeros(4), abs=1.0)
    assert odds(KNOWN[BEIGE], wide_px=24.0) == pytest.approx(np.zeros(4), abs=0.01)
    assert (odds(KNOWN[BEIGE], surfaces=np.full((4, 3), np.nan)) == 0).all()
    shown, unseen = np.ones((1, 6, 29, 3), np.float32), np.zeros((1, 6, 29), bool)
    assert told_at_edges(shown, unseen, KNOWN, NAMED, MAN[None], np.array([45.0]), DISK) == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("tilt_deg", [0, 30])
def test_the_places_lie_on_either_side_of_a_drawn_disk(tilt_deg: float) -> None:
    """Seen from anywhere: the inner ones show the disk, the outer ones the board."""
    pose, man_mm, k = camera(LAYOUT, tilt_deg), 0.7 * LAYOUT.pitch_mm, 9
    green, yellow = (70, 120, 66), (40, 200, 220)
    image = draw(LAYOUT, pose, cell=green, disk=None, noise=0)
    draw_round(image, pose, LAYOUT.centres_mm[k], 2 * DISK * man_mm, 0.0, yellow)
    maps = edge_maps(pose, cell_views(pose, LAYOUT), DISK, 0.0, man_mm)[k : k + 1]
    shown = 255 * Light((255.0, 255.0, 255.0)).relative(gather(image, maps))[0]
    assert np.abs(shown[:3] - np.array(yellow)).max() < 4
    assert np.abs(np.median(shown[3:], axis=(0, 1)) - np.array(green)).max() < 4
