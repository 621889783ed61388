"""Hands that lie on a board before anything is known of it: the cells below them are unseen, the others are read."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.layout import named_layout
from engine.look import Reading
from tests.footage_places import SAMPLES
from tests.vision.film_truth import FilmTruth, Visit
from tests.vision.kept import PICTURES
from tests.vision.shaded import SHADES, in_shade
from vision.eye import Eye
from vision.finding.find import FoundBoard, find_board
from vision.frame import Frame
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.covered import covered_cells, largest_open_part
from vision.reading.first_look import FirstLook, first_look
from vision.sights import Still

TRUTH = FilmTruth(SAMPLES / "sample.mp4")
LAYOUT, MATERIAL, POSE, VISITS = TRUTH.layout, TRUTH.material, TRUTH.pose(), TRUTH.visits()
MIDDLES_PX = POSE.project(np.column_stack([LAYOUT.centres_mm, np.zeros(len(LAYOUT.names))]))
FIRST = TRUTH.frame(0)
#: Every so many reaches of a hand one is looked at: some over the middle of the board, some over its edge.
SOME = VISITS[2::9]


@pytest.fixture(scope="module")
def free() -> FirstLook:
    """The board before the first hand comes."""
    return first_look(FIRST, POSE, LAYOUT, MATERIAL)


def under_hand(visit: Visit, picture: Picture, part: float) -> set[int]:
    """The cells of which more than a part looks neither as before a reach nor as after it."""
    before, after = (TRUTH.frame(n).astype(int) for n in (visit.first - 1, visit.gone + 1))
    apart = np.minimum(np.abs(picture - before).max(axis=2), np.abs(picture - after).max(axis=2))
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    radius_px = 0.42 * np.median(POSE.pitch_px(np.column_stack([LAYOUT.centres_mm, 0 * MIDDLES_PX[:, 0]]), 40.0))
    discs = [np.hypot(columns - x, rows - y) < radius_px for x, y in MIDDLES_PX]
    return {c for c, disc in enumerate(discs) if (apart[disc] > 40).mean() > part}


@pytest.mark.parametrize("visit", SOME, ids=[str(visit.first) for visit in SOME])
def test_what_a_hand_covers_in_the_first_picture_is_unseen(visit: Visit) -> None:
    """Every cell of which it covers a good part, and few others; what is seen is right, but for men under way."""
    picture = TRUTH.frame((visit.first + visit.gone) // 2)
    cells = first_look(picture, POSE, LAYOUT, MATERIAL).cells
    unseen = {c for c, cell in enumerate(cells) if cell.unseen}
    covered = under_hand(visit, picture, 0.3)
    assert covered
    assert covered <= unseen
    assert len(unseen - under_hand(visit, picture, 0.05)) <= 2
    ply = next(n for n, settled, _ in TRUTH.settled() if settled >= visit.gone)
    before, after = TRUTH.looks(ply - 1), TRUTH.looks(ply)
    stays = [c for c in range(len(cells)) if c not in unseen and before[c] == after[c]]
    assert [LAYOUT.names[c] for c in stays if cells[c].best() != before[c]] == []


@pytest.mark.parametrize("shade", SHADES.values(), ids=SHADES)
@pytest.mark.parametrize("turn_deg", [0, 110, 250])
def test_shadows_and_lamps_cover_nothing(free: FirstLook, shade: tuple[float, float, float], turn_deg: float) -> None:
    """They leave the lines between cells; so does light as red as no shadow is, but for a cell or two at the border."""
    assert not covered_cells(in_shade(FIRST, shade, turn_deg, 10.0), POSE, LAYOUT, MATERIAL, free.reader, free.cells)
    red = (0.45, 0.6, 1.0)
    assert (
        len(covered_cells(in_shade(FIRST, red, turn_deg, 10.0), POSE, LAYOUT, MATERIAL, free.reader, free.cells)) <= 2
    )


def sheet(picture: Picture, lined: bool = False, part: float = 0.33) -> Picture:
    """A sheet of grey paper over the left part of the board; `lined`: the lines between cells are drawn on it."""
    middle = int(np.quantile(MIDDLES_PX[:, 0], part))
    covered = picture.copy()
    covered[:, :middle] = (128, 124, 131)
    if lined:
        dark = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)) < 45
        covered[:, :middle][dark[:, :middle]] = (30, 30, 30)
    return covered


def test_a_sheet_of_paper_covers_a_board_unless_its_lines_show_through(free: FirstLook) -> None:
    """A third of the board is under it; where cells are coloured so, hardly one is taken for covered."""
    covered = covered_cells(sheet(FIRST), POSE, LAYOUT, MATERIAL, free.reader, free.cells)
    x_px = np.sort(MIDDLES_PX[sorted(covered), 0])
    assert len(covered) >= len(LAYOUT.names) // 3
    assert x_px[-1] < np.quantile(MIDDLES_PX[:, 0], 0.55)
    assert len(covered_cells(sheet(FIRST, lined=True), POSE, LAYOUT, MATERIAL, free.reader, free.cells)) <= 2


@pytest.mark.parametrize("scale", [1.0, 1.2])
def test_colours_that_run_into_one_another_cover_nothing(scale: float) -> None:
    """On a board of small cells corners look a little like the disks beside them, the outermost ones like the table."""
    kept, layout = load_picture(PICTURES / "blurred_colours_hexhex-4.jpg"), named_layout("hexhex-4")
    picture = np.asarray(cv2.resize(kept, None, fx=scale, fy=scale), np.uint8)
    material = Material((parse_colour("yellow"), parse_colour("purple")))
    found = find_board(picture, layout, None, material)
    assert isinstance(found, FoundBoard)
    cells = first_look(picture, found.pose, layout, material).cells
    assert [name for name, cell in zip(layout.names, cells, strict=True) if cell.unseen] == []


def test_nothing_is_told_without_disks_or_lines(free: FirstLook) -> None:
    """Fields have colours of many kinds on a board without disks; in a picture out of focus lines are not seen."""
    hand = TRUTH.frame((SOME[0].first + SOME[0].gone) // 2)
    assert covered_cells(hand, POSE, LAYOUT, MATERIAL, free.reader, free.cells)
    assert not covered_cells(hand, POSE, LAYOUT, Material(MATERIAL.men, None), free.reader, free.cells)
    blurred = np.asarray(cv2.GaussianBlur(hand, (0, 0), 12), np.uint8)
    assert not covered_cells(blurred, POSE, LAYOUT, MATERIAL, free.reader, free.cells)


def test_a_hand_that_lies_there_from_the_beginning_goes() -> None:
    """What it covers is unseen until it has gone; then all is read, right, and the table is learned from all of it."""
    visit = VISITS[0]
    pictures = [TRUTH.frame(n) for n in range(visit.first - 1, visit.first + 4)]
    frames = [pictures[-1]] * 8 + pictures[::-1] + [pictures[0]] * 6
    eye, seen = Eye(LAYOUT, MATERIAL, find=lambda *_: FoundBoard(POSE, 0.1, 1.0)), list[Reading]()
    tables = []
    for n, picture in enumerate(frames):
        seen += [sight.reading for sight in eye.step(Frame(picture, n / 12, n)) if isinstance(sight, Still)]
        tables.append(eye.table)
    unseen = {c for c, cell in enumerate(seen[0].cells) if cell.unseen}
    assert under_hand(visit, pictures[-1], 0.3) <= unseen
    assert seen[1].frame <= 8 + len(pictures) + 3
    assert tuple(cell.best() for cell in seen[-1].cells) == TRUTH.looks(-1)
    assert tables[7] is not None
    assert tables[7] is not tables[-1]


def test_a_hand_goes_and_a_cloth_comes() -> None:
    """What covers most of the board hides it, whatever covered some of it before."""
    pictures = [TRUTH.frame(VISITS[0].first + 3)] * 8 + [sheet(FIRST, part=0.8)] * 8 + [FIRST] * 8
    eye, seen = Eye(LAYOUT, MATERIAL, find=lambda *_: FoundBoard(POSE, 0.1, 1.0)), list[Reading]()
    for n, picture in enumerate(pictures):
        seen += [sight.reading for sight in eye.step(Frame(picture, n / 12, n)) if isinstance(sight, Still)]
    assert [all(cell.unseen for cell in reading.cells) for reading in seen] == [False, True, False]
    assert tuple(cell.best() for cell in seen[-1].cells) == TRUTH.looks(-1)


@pytest.mark.parametrize("light", [1.0, 0.6])
def test_a_hand_stays_while_all_looks_a_little_different(light: float) -> None:
    """As from a codec that changed its mind: the board is read anew, what the hand covers is unseen still."""
    hand = TRUTH.frame(VISITS[0].first + 3)
    blotches = cv2.GaussianBlur(np.random.default_rng(9).normal(0, 260, hand.shape), (0, 0), 12)
    pictures = [hand] * 8 + [np.clip(light * hand + blotches, 0, 255).astype(np.uint8)] * 40
    eye, seen = Eye(LAYOUT, MATERIAL, find=lambda *_: FoundBoard(POSE, 0.1, 1.0)), list[Reading]()
    for n, picture in enumerate(pictures):
        seen += [sight.reading for sight in eye.step(Frame(picture, n / 12, n)) if isinstance(sight, Still)]
    unseen = [{c for c, cell in enumerate(reading.cells) if cell.unseen} for reading in seen]
    assert all(under_hand(VISITS[0], hand, 0.3) <= cells for cells in unseen)
    assert len(unseen[-1]) < len(LAYOUT.names) / 2
    assert len(unseen) > 1


@given(st.sets(st.integers(0, 36), max_size=36))
def test_the_largest_open_part_of_a_board(covered: set[int]) -> None:
    """It is in one piece, as its board demands, no cell of it is covered, and no larger one is left."""
    layout = named_layout("hexhex-4")
    part, cells = largest_open_part(layout, covered)
    assert part.board is not None
    assert part.names == tuple(layout.names[c] for c in cells)
    assert part.centres_mm == tuple(layout.centres_mm[c] for c in cells)
    assert [part.board.cells[i] for i in range(len(cells))] == [layout.board.cells[c] for c in cells]  # type: ignore[union-attr]
    assert not covered.intersection(cells)
    neighbours = layout.board.neighbours  # type: ignore[union-attr]
    rest = set(range(len(layout.names))) - covered - set(cells)
    assert not rest.intersection(n for c in cells for n in neighbours[c])
    if rest:
        assert len(largest_open_part(layout, covered.union(cells))[1]) <= len(cells)
