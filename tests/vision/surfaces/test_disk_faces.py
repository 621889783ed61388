"""Narrow disks, and disks with rings or rims: told, taken off, and read as what they are."""

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.layout import named_layout
from engine.look import Surface
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.geometry import BoardPose
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.first_look import FirstLook, first_look
from vision.reading.learn import relit_table
from vision.sampling import REACH, cell_views, foot_maps, foot_offsets, gather
from vision.surfaces.disk_faces import DiskFaces, RoundCells, disk_faces
from vision.surfaces.wide_disks import wide_end

LAYOUT = named_layout("hexhex-4")
THICK_MM = 0.045 * LAYOUT.pitch_mm
EVERY = np.arange(len(LAYOUT.names))
TILTS_DEG = [10, 25, 40]
CIRCLE = np.array([(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 49)])


def faces_of(picture: Picture, pose: BoardPose) -> DiskFaces:
    """The faces of the disks in a drawn picture."""
    return disk_faces(picture, pose, LAYOUT, THICK_MM)


def look_at(name: str, board: str, men: str, disks: str) -> tuple[FirstLook, FoundBoard, Counter[tuple[Surface, int]]]:
    """The first look at a rendered picture, where its board was found, and of what surface with men or without how many
    cells are."""
    layout, picture = named_layout(board), load_picture(PICTURES / name)
    players, faces = (tuple(parse_colour(word) for word in words.split()) for words in (men, disks))
    material = Material((players[0], players[1]), (faces[0], faces[1]))
    found = find_board(picture, layout, None, material)
    assert isinstance(found, FoundBoard)
    look = first_look(picture, found.pose, layout, material)
    best = [cell.best() for cell in look.cells]
    return look, found, Counter((cell.surface, cell.height) for cell in best)


@pytest.mark.parametrize("tilt_deg", TILTS_DEG)
def test_how_wide_disks_are(tilt_deg: float) -> None:
    """Narrow ones are told, to a twentieth; usual ones are left as they are, and so is a board without any."""
    pose = camera(LAYOUT, tilt_deg, azimuth_deg=40)
    for width in (0.66, 0.74):
        assert faces_of(draw(LAYOUT, pose, width=width), pose).scale == pytest.approx(width / 0.87, rel=0.05)
    for usual in (draw(LAYOUT, pose), draw(LAYOUT, pose, width=0.9), draw(LAYOUT, pose, disk=None)):
        assert faces_of(usual, pose).scale == 1.0
        assert not faces_of(usual, pose).ringed


@pytest.mark.parametrize("tilt_deg", TILTS_DEG)
def test_how_wide_disks_are_that_touch_or_nearly_do(tilt_deg: float) -> None:
    """They are told by where the board shows between them, to a twentieth; cells have no such edges, whatever lines lie
    between them."""
    pose = camera(LAYOUT, tilt_deg, azimuth_deg=40)
    for width in (0.94, 0.97, 1.0):
        assert faces_of(draw(LAYOUT, pose, width=width), pose).scale == pytest.approx(width / 0.87, rel=0.05)
    for line in ((20, 30, 20), (200, 210, 205), None):
        for lined in (True, False):
            bare = draw(LAYOUT, pose, disk=None, lined=lined, line=line)
            assert wide_end(bare, pose, LAYOUT, THICK_MM) is None


def test_the_board_file_says_how_wide_disks_are() -> None:
    """Where they do not themselves."""
    pose = camera(LAYOUT, 25, azimuth_deg=40)
    for width, scale in ((0.7, 0.35 / 0.435), (0.88, 1.0), (0.98, 0.49 / 0.435)):
        known = replace(LAYOUT, disk_mm=(width * LAYOUT.pitch_mm, THICK_MM))
        assert disk_faces(draw(LAYOUT, pose), pose, known, THICK_MM).scale == pytest.approx(scale)
        narrow = disk_faces(draw(LAYOUT, pose, width=0.72), pose, known, THICK_MM)
        assert narrow.scale == pytest.approx(0.72 / 0.87, rel=0.05)


@pytest.mark.parametrize("tilt_deg", TILTS_DEG)
@pytest.mark.parametrize("ring", [(0.22, 0.25), (0.31, 0.35), (0.33, 0.43)])
def test_rings_are_taken_off(tilt_deg: float, ring: tuple[float, float]) -> None:
    """Without their rings most of what these change is as if disks never had any; bare cells stay as they are."""
    pose = camera(LAYOUT, tilt_deg, azimuth_deg=40)
    ringed, plain = (draw(LAYOUT, pose, ring=some, noise=0.5) for some in (ring, None))
    faces = faces_of(ringed, pose)
    assert faces.ringed
    assert faces.scale == 1.0
    seen = RoundCells(pose, LAYOUT, THICK_MM).seen(faces, ringed, EVERY)
    assert ((seen.kinds >= 0) == (EVERY % 3 > 0)).all()
    views, half_side_mm = cell_views(pose, LAYOUT), REACH * 0.7 * LAYOUT.pitch_mm
    maps = foot_maps(pose, views, THICK_MM, half_side_mm)
    before, wanted = gather(ringed, maps), gather(plain, maps)
    after = seen.off(before, foot_offsets(views, half_side_mm / LAYOUT.pitch_mm))
    off = [np.abs(feet.astype(int) - wanted)[EVERY % 3 > 0].mean() for feet in (before, after)]
    assert off[1] < 0.5 * off[0]
    assert (after[::3] == before[::3]).all()


def with_men(pose: BoardPose, cells: list[int]) -> Picture:
    """A drawn board whose disks have dark rims that begin where men end; red men stand a little aside on some cells."""
    picture = draw(LAYOUT, pose, ring=(0.34, 0.43), ink=(30, 60, 20))
    for k, i in enumerate(cells):
        aside = 0.03 * LAYOUT.pitch_mm * np.array([np.cos(k), np.sin(k)])
        x, y = np.add(LAYOUT.centres_mm[i], aside)
        draw_round(picture, pose, (x, y), 0.68 * LAYOUT.pitch_mm, 0.2 * LAYOUT.pitch_mm, (60, 60, 190))
    return picture


def test_men_are_not_taken_for_rings() -> None:
    """On disks with rims that begin where men end, and on the bare board between these."""
    pose, there = camera(LAYOUT, 12, azimuth_deg=40), [3, 7, 10, 15, 20, 24, 30, 34]
    picture = with_men(pose, there)
    faces = faces_of(picture, pose)
    assert faces.ringed
    kinds = RoundCells(pose, LAYOUT, THICK_MM).seen(faces, picture, EVERY).kinds
    assert (kinds[there] == -1).all()
    assert (kinds >= 0).sum() == sum(i % 3 > 0 and i not in there for i in EVERY)


@pytest.mark.parametrize("tilt_deg", [6, 12, 25])
def test_men_on_a_bare_board_are_no_narrow_disks(tilt_deg: float) -> None:
    """Nor are the rings in their tops rings of disks, however many are alike: they are higher."""
    pose, place = camera(LAYOUT, tilt_deg, azimuth_deg=40), np.random.default_rng(7)
    picture = draw(LAYOUT, pose, disk=None)
    for i in EVERY[::2]:
        middle = LAYOUT.centres_mm[i] + place.normal(0, 0.03, 2) * LAYOUT.pitch_mm
        draw_round(picture, pose, (middle[0], middle[1]), 0.7 * LAYOUT.pitch_mm, 0.18 * LAYOUT.pitch_mm, (60, 60, 190))
        for radius, colour in ((0.27, (30, 30, 95)), (0.23, (60, 60, 190))):
            rim_mm = middle + radius * LAYOUT.pitch_mm * CIRCLE
            pixels = pose.project(np.column_stack([rim_mm, np.full(len(rim_mm), 0.18 * LAYOUT.pitch_mm)]))
            cv2.fillConvexPoly(picture, np.rint(pixels * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
    faces = faces_of(picture, pose)
    assert faces.scale == 1.0
    assert not faces.ringed


def test_rims_are_taken_off_around_men() -> None:
    """Most of what shows of the rims of the disks on which men stand looks like the disks then; what shows of the bare
    board about men stays as it is."""
    pose, there = camera(LAYOUT, 25, azimuth_deg=40), [7, 10, 15, 20, 24, 30, 34]
    picture, views, half_side_mm = with_men(pose, there), cell_views(pose, LAYOUT), REACH * 0.7 * LAYOUT.pitch_mm
    before = gather(picture, foot_maps(pose, views, THICK_MM, half_side_mm))
    seen = RoundCells(pose, LAYOUT, THICK_MM).seen(faces_of(picture, pose), picture, EVERY)
    after = seen.off(before, foot_offsets(views, half_side_mm / LAYOUT.pitch_mm))
    on_disks = [i for i in there if i % 3]
    inked = [(np.abs(feet[on_disks].astype(int) - (30, 60, 20)).max(axis=-1) < 15).sum() for feet in (before, after)]
    assert inked[1] < 0.3 * inked[0]
    on_board = [i for i in there if i % 3 == 0]
    assert (after[on_board] == before[on_board]).mean() > 0.97


def test_narrow_disks_are_no_men() -> None:
    """A rendered board with disks 0.68 pitches wide: all its 45 open ones were taken for men."""
    look, _, seen = look_at("narrow_disks_modular-7.jpg", "modular-7", "orange teal", "birch slate")
    assert look.table.faces.scale == pytest.approx(0.676 / 0.87, rel=0.05)
    assert seen == {(Surface.BEIGE, 0): 45, (Surface.BEIGE, 6): 1, (Surface.BEIGE, 5): 2, (Surface.BEIGE, 2): 1}


def test_wide_disks_are_no_bare_cells() -> None:
    """A rendered board with disks 0.96 pitches wide: its five open dark ones were taken for bare cells."""
    look, _, seen = look_at("wide_disks_hexhex-4.jpg", "hexhex-4", "ivory walnut", "birch walnut")
    assert look.table.faces.scale == pytest.approx(0.964 / 0.87, rel=0.05)
    open_ = [seen[surface, 0] for surface in (Surface.BEIGE, Surface.BARE, Surface.DARK)]
    assert open_ == [18, 10, 5]


def test_disks_with_rings_are_no_men() -> None:
    """A rendered board with golden rings on light and dark disks: 40 of its 41 open ones were taken for men."""
    name, layout = "ringed_disks_hexhex-5.jpg", named_layout("hexhex-5")
    look, found, seen = look_at(name, layout.name, "orange walnut", "birch walnut")
    assert look.table.faces.ringed
    open_ = [seen[surface, 0] for surface in (Surface.BEIGE, Surface.BARE, Surface.DARK)]
    assert np.abs(np.subtract(open_, [37, 10, 4])).sum() <= 1
    assert relit_table(look.table, load_picture(PICTURES / name), found.pose, layout).faces.ringed


def test_boards_with_rimmed_disks_are_found() -> None:
    """A rendered board whose disks' faces within their rims are 0.75 pitches wide was not."""
    _, _, seen = look_at("rimmed_disks_modular-7.jpg", "modular-7", "ivory walnut", "birch walnut")
    assert seen[Surface.BEIGE, 0] >= 42
