"""Find the board in a picture: from the lattice of its disks and cells, or from printed markers at known places.

`find_board` starts from nothing, `refine_pose` follows a pose that was right a moment ago. Both answer with a value:
a picture without the board is no error.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.board import Board
from engine.layout import Layout
from vision.arrays import Floats
from vision.finding.blobs import SEARCH_WIDTH_PX, Blobs, find_blobs, search_size, smaller
from vision.finding.edges import Edges, edge_map
from vision.finding.lakes import by_colours, told_apart
from vision.finding.lattice import Lattice, beyond_any_board, fit_homography, grow_lattices
from vision.finding.markers import (
    BEARINGS_DEG,
    best_upright,
    nearest_turn,
    pose_from_markers,
    seen_markers,
    up_turn_deg,
)
from vision.finding.mirror_image import MIRRORED, markers_mirrored
from vision.finding.outline import grey_of
from vision.finding.place import Look, Placement, gather_evidence, judge, placements
from vision.finding.pose import Fit, SeenPoints, fit_either_way, nominal_lens, pose_from_homography
from vision.finding.refine import cell_points, coarse_shift, fit_cells, fit_lines
from vision.finding.table_pattern import regions_of
from vision.finding.turning import middle_mm
from vision.finding.uneven import fit_unevenly
from vision.geometry import BoardPose, Lens, scaled_lens
from vision.hexagons import AXIAL_TO_PLANE
from vision.palette import Material
from vision.picture import Picture

#: A board is found when this share of its cells looks like cells (less where it was a moment ago: a hand may hide the
#: others), and of the places beside it by this much fewer.
_LEAST_INSIDE, _LEAST_INSIDE_AGAIN, _LEAST_EDGE = 0.6, 0.5, 0.3
#: Cells that look like the table: more than this share of them means another, smaller board.
_MOST_ABSENT = 0.06
#: Places beside the board that are surely cells: more than this share of them means another, larger board.
_MOST_FILLED_OUTSIDE = 0.12
#: A board's place is clear with a smaller residual, px (0.24 at most on 319 pictures, two pixels out of focus or not;
#: 0.39 at least on ten drawn boards that came out in a wrong place).
_CLEAR_PX = 0.3
#: Where nothing but the cells' places is unclear, by a larger confidence, the board is perhaps uneven.
_PLAIN = 0.9
#: Lattices with so many regions at most are bent by one of them; so many are tried without one, which bounds the time.
_SMALL, _MOST_PARTS = 24, 30
#: So many lattices of a patterned table and the board on it are looked at, and the board is laid on so many of them.
_MOST_GROWN, _MOST_LAID = 6, 2
#: So many patterns of a table are set aside.
_MOST_PATTERNS = 3
#: Ways to lay the board that score so much less are as good, or nearly.
_SAME, _DOUBTFUL = 1e-6, 1.5
#: So many sites beside a lattice or a board are looked at, too, when a board is laid on it.
_BESIDE = 4
#: How far a bumped board is looked for, px at the search width.
_REACH_PX = 45.0
#: A picture is stretched when its pixels are so much wider than high, or higher: calibrated lenses are square to less.
_STRETCHED = 0.03


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A board in a picture. `residual_px`: robust RMS between the seen and the fitted places of cells (or markers);
    `confidence` 0 … 1: share of the cells that look like cells, less the share of places beside the board that do;
    `markers_used`: ids that tell where it is or how it lies; `turn_deg`: by how much it lies turned from upright
    between the markers 0–3 about it, as they last told."""

    pose: BoardPose
    residual_px: float
    confidence: float
    markers_used: tuple[int, ...] = ()
    turn_deg: float | None = None

    def turned(self, sixths: int, layout: Layout) -> "FoundBoard":
        """The same board, taken to lie turned by so many sixths about its middle."""
        pose = self.pose.turned(sixths, middle_mm(layout))
        if self.turn_deg is None or not self.markers_used:
            return replace(self, pose=pose)  # what markers told before was told of the board as it lies now
        return replace(self, pose=pose, turn_deg=self.turn_deg + 60 * sixths)

    @property
    def stretched(self) -> bool:
        """Whether the picture is stretched: its pixels are not nearly square."""
        return abs(self.pose.lens.pixel_width - 1) > _STRETCHED


@dataclass(frozen=True, slots=True)
class NotFound:
    """No board, and why, as a sentence without a full stop."""

    reason: str


def find_board(
    image: Picture,
    layout: Layout,
    lens: Lens | None = None,
    material: Material | None = None,
    previous: FoundBoard | None = None,
) -> FoundBoard | NotFound:
    """Find a board cold in a blue-green-red picture (H, W, 3) uint8.

    Without `lens` (of the picture's size) focal length and first radial term are estimated with the pose. A board that
    looks the same when turned comes out as it lay between the markers when it was found as `previous`; without markers,
    then or now, as it lay in the picture; where it has never been found as the markers say, or else the most upright.
    Raises ValueError for a picture of another kind or a lens of another size.
    """
    _check(image, lens)
    if (size := search_size(image)) is not None:
        return _find_smaller(image, size, layout, lens, material, previous)
    expected = {i for i, _ in layout.markers_mm}
    markers = seen_markers(image, expected)
    expected |= set(BEARINGS_DEG)
    if not expected & set(markers) and markers_mirrored(image, expected):
        return NotFound(MIRRORED)
    if layout.board is None:
        return _by_markers(markers, layout, image, lens)
    found = _by_lattice(image, layout, layout.board, lens, previous, markers)
    if isinstance(found, FoundBoard):
        if found.pose.warp is None:
            found = _unevenly(image, found, layout, layout.board, free_lens=lens is None)
        return _between_markers(found, layout, markers, previous)
    marked = _by_markers(markers, layout, image, lens) if layout.markers_mm else found
    return marked if isinstance(marked, FoundBoard) else found


def _find_smaller(
    image: Picture,
    size: tuple[int, int],
    layout: Layout,
    lens: Lens | None,
    material: Material | None,
    previous: FoundBoard | None,
) -> FoundBoard | NotFound:
    """`find_board` on a large picture, at the size for searching."""
    height, width = image.shape[:2]
    lens = None if lens is None else scaled_lens(lens, *size)
    before = None if previous is None else replace(previous, pose=previous.pose.resized(*size))
    found = find_board(smaller(image, size), layout, lens, material, before)
    if isinstance(found, NotFound):
        return found
    residual_px = found.residual_px * width / size[0]
    return replace(found, pose=found.pose.resized(width, height), residual_px=residual_px)


def refine_pose(
    image: Picture, pose: BoardPose, layout: Layout, material: Material | None = None
) -> FoundBoard | NotFound:
    """Find the board again after a small movement (up to about a cell), with the lens as it was."""
    lens = pose.lens
    _check(image, lens)
    if layout.board is None:
        return _by_markers(seen_markers(image, {i for i, _ in layout.markers_mm}), layout, image, lens)
    window, pose = _cropped(image, pose, layout)
    edges = edge_map(window)
    shift = coarse_shift(edges, pose, layout.board, layout.pitch_mm, _reach_px(image))
    blobs = find_blobs(window, edges)
    found: FoundBoard | NotFound = NotFound("the cells are no longer where they were, or something hides them")
    for narrow in (False, True):
        fit = fit_cells(blobs, pose.shifted(shift), layout, free_lens=False, near=0.35, narrow=narrow)
        if fit is None:
            continue
        fit = fit_lines(grey_of(window), fit, layout, layout.board, free_lens=False)
        found = _verified(window, fit, layout, layout.board, edges, blobs, _LEAST_INSIDE_AGAIN)
        if isinstance(found, FoundBoard):
            found = _unevenly(window, found, layout, layout.board, free_lens=False, blobs=blobs)
            return replace(found, pose=replace(found.pose, lens=lens))
    return found


def _cropped(image: Picture, pose: BoardPose, layout: Layout) -> tuple[Picture, BoardPose]:
    """The part of a picture where the board may be after a small movement, and the pose before it as seen there."""
    points = cell_points(layout)
    pixels = pose.project(points)
    margin = _reach_px(image) + 1.5 * float(pose.pitch_px(points, layout.pitch_mm).max())
    x0, y0 = np.clip(pixels.min(0) - margin, 0, [image.shape[1] - 1, image.shape[0] - 1]).astype(int)
    x1, y1 = np.clip(pixels.max(0) + margin, [x0 + 1, y0 + 1], [image.shape[1], image.shape[0]]).astype(int)
    lens = pose.lens
    part = replace(
        lens, width_px=int(x1 - x0), height_px=int(y1 - y0), cx_px=lens.cx_px - float(x0), cy_px=lens.cy_px - float(y0)
    )
    return image[y0:y1, x0:x1], replace(pose, lens=part)


def _reach_px(image: Picture) -> float:
    return _REACH_PX * max(1.0, float(image.shape[1]) / SEARCH_WIDTH_PX)


def _by_lattice(
    image: Picture,
    layout: Layout,
    board: Board,
    lens: Lens | None,
    previous: FoundBoard | None,
    markers: dict[int, Floats],
) -> FoundBoard | NotFound:
    """The board by its own cells; the markers only say which way it is turned.

    Where the lattices that come first give no clear place, others may; an unclear place is taken from the first only.
    """
    edges = edge_map(image)
    first: FoundBoard | NotFound | None = None
    tried: set[tuple[bytes, bool, bool]] = set()
    for search in _searches(find_blobs(image, edges), board):
        blobs = search.blobs
        for lattice, pose, ways in _laid(edges, search, layout, board, lens):
            if (lattice, search.narrow, search.regions) in tried:
                continue
            tried.add((lattice, search.narrow, search.regions))
            poses = [place_pose(pose, way, layout.pitch_mm) for way in ways]
            best, _ = _upright(poses, layout, previous, markers)
            fit = _settled(image, poses[best], layout, board, lens, blobs, search.narrow)
            if fit is not None:
                turned = _laid_again(image, fit.pose, layout, board, previous, markers, edges, blobs, search.regions)
                fit = fit if turned is None else _settled(image, turned, layout, board, lens, blobs, search.narrow)
            answer: FoundBoard | NotFound = NotFound(f"too few cells of {board.name} show")
            if fit is not None:
                answer = _verified(image, fit, layout, board, edges, blobs, _LEAST_INSIDE)
            if isinstance(answer, FoundBoard):
                if first is None and answer.residual_px >= _CLEAR_PX and answer.confidence > _PLAIN:
                    answer = _unevenly(image, answer, layout, board, free_lens=lens is None)
                if answer.residual_px < _CLEAR_PX:
                    return answer
            first = first or answer
    return first or NotFound("nothing in the picture has the regular pattern of a board's cells")


@dataclass(frozen=True, slots=True)
class _Search:
    """Lattices of some regions on which a board may lie, and on how many of them at most it is laid; whether disks are
    narrow, and whether regions alone make a cell, and outlines do not count."""

    blobs: Blobs
    lattices: list[Lattice]
    most: int = 1
    narrow: bool = False
    regions: bool = False


def _searches(blobs: Blobs, board: Board) -> Iterator[_Search]:
    """Where to look for a board: on lattices from clear seeds, without the pattern of the table where these show one;
    then on more of them, as patterned tables have some of their own, by outlines, and by regions alone, as grained wood
    is full of outlines; then on those from doubtful seeds, then on small ones of the first without each of their
    regions in turn, since one may be the top of a stack and bend the rest; and at last on those of disks that look
    narrow."""
    wanted = round(0.8 * len(board))
    grown = grow_lattices(blobs, wanted)
    for _ in range(_MOST_PATTERNS):
        if not (grown and beyond_any_board(grown[0], wanted)):
            break
        blobs = blobs.take(np.setdiff1d(np.arange(len(blobs)), regions_of(blobs, grown[0])))
        grown = grow_lattices(blobs, wanted)
    yield _Search(blobs, grown)
    more = grow_lattices(blobs, wanted, most=_MOST_GROWN, every=True)
    yield _Search(blobs, more, _MOST_LAID)
    yield _Search(blobs, more, _MOST_LAID, regions=True)
    yield _Search(blobs, grow_lattices(blobs, wanted, doubtful=True))
    parts = [part for lattice in grown if len(lattice) <= _SMALL for part in lattice.all_but_one()]
    yield _Search(blobs, parts[:_MOST_PARTS])
    yield _Search(blobs, grow_lattices(blobs, wanted, narrow=True), narrow=True)


def _laid(
    edges: Edges, search: _Search, layout: Layout, board: Board, lens: Lens | None
) -> list[tuple[bytes, BoardPose, list[Placement]]]:
    """The lattices on which the board's shape lies best, the best first: what tells them apart, their poses, and on
    each all equally good ways to lay the board."""
    laid: list[tuple[bytes, BoardPose, list[Placement]]] = []
    for lattice in search.lattices:
        fit = _fit_lattice(edges, search.blobs, lattice, layout.pitch_mm, lens)
        if fit is None:
            continue
        low, high = lattice.sites.min(0) - _BESIDE, lattice.sites.max(0) + _BESIDE
        evidence = gather_evidence(edges, search.blobs, low, high, fit.pose, layout.pitch_mm)
        if ways := placements(board, evidence.by_regions() if search.regions else evidence):
            same = [way for way in ways if way.score > ways[0].score - _SAME]
            laid.append((search.blobs.centres[np.sort(lattice.blobs)].tobytes(), fit.pose, same))
    return sorted(laid, key=lambda one: -one[2][0].score)[: search.most]


def _upright(
    poses: list[BoardPose], layout: Layout, previous: FoundBoard | None, markers: dict[int, Floats]
) -> tuple[int, bool]:
    """Which of some poses has the board turned as it was between the markers, or as they say; without them, or where it
    has been found without, as it was, else upright; and whether markers told."""
    middle = middle_mm(layout)
    turns = [up_turn_deg(markers, candidate, middle) for candidate in poses]
    known = [turn for turn in turns if turn is not None]
    before_deg = None if previous is None else previous.turn_deg
    if len(known) == len(poses) and (previous is None or before_deg is not None):
        best = best_upright(known) if before_deg is None else nearest_turn(known, before_deg)
        return best, True
    upright = np.eye(3) if previous is None else previous.pose.rotation
    return int(np.argmax([pose.rotation[0] @ upright[0] for pose in poses])), False


def _between_markers(
    found: FoundBoard, layout: Layout, markers: dict[int, Floats], previous: FoundBoard | None
) -> FoundBoard:
    """The board with what markers tell of how it lies; where they do not, with what they told before."""
    turn_deg = up_turn_deg(markers, found.pose, middle_mm(layout))
    if turn_deg is None:
        return replace(found, turn_deg=None if previous is None else previous.turn_deg)
    return replace(found, turn_deg=turn_deg, markers_used=tuple(sorted(set(markers) & set(BEARINGS_DEG))))


def _settled(
    image: Picture, pose: BoardPose, layout: Layout, board: Board, lens: Lens | None, blobs: Blobs, narrow: bool
) -> Fit | None:
    """The board by its cells and the lines between them, near a pose; None where too few cells show."""
    fit = fit_cells(blobs, pose, layout, free_lens=lens is None, narrow=narrow)
    return None if fit is None else fit_lines(grey_of(image), fit, layout, board, free_lens=lens is None)


def _unevenly(
    image: Picture, found: FoundBoard, layout: Layout, board: Board, free_lens: bool, blobs: Blobs | None = None
) -> FoundBoard:
    """The board, found as if it were flat, where it is not."""
    flat = Fit(found.pose, np.zeros(0), found.residual_px, 0.0)
    fit = fit_unevenly(image, flat, layout, board, free_lens, blobs)
    return replace(found, pose=fit.pose, residual_px=fit.rms_px)


def _laid_again(
    image: Picture,
    pose: BoardPose,
    layout: Layout,
    board: Board,
    previous: FoundBoard | None,
    markers: dict[int, Floats],
    edges: Edges,
    blobs: Blobs,
    regions: bool,
) -> BoardPose | None:
    """The pose of the board laid in the best way, now that its cells' places are exact; None where it lies so. Markers
    decide between ways that look nearly alike. `regions`: whether outlines of cells do not count."""
    cells = np.array(board.cells, dtype=np.intp)
    low, high = cells.min(0) - _BESIDE, cells.max(0) + _BESIDE
    evidence = gather_evidence(edges, blobs, low, high, pose, layout.pitch_mm)
    evidence = evidence.by_regions() if regions else evidence
    ways = told_apart(board, placements(board, evidence), evidence, image)
    if not ways:
        return None
    for doubt in (_DOUBTFUL, _SAME):
        near = [way for way in ways if way.score > ways[0].score - doubt]
        poses = [place_pose(pose, way, layout.pitch_mm) for way in near]
        best, told = _upright(poses, layout, previous, markers)
        if told:
            break
    lies_so = (near[best].turns, near[best].offset) == (0, (0, 0))
    return None if lies_so else poses[best]


def _fit_lattice(edges: Edges, blobs: Blobs, lattice: Lattice, pitch_mm: float, lens: Lens | None) -> Fit | None:
    """Pose of a lattice's own frame, all regions taken to lie on one plane."""
    plane = pitch_mm * (lattice.sites @ AXIAL_TO_PLANE)
    pixels = blobs.centres[lattice.blobs]
    height, width = edges.shape
    start = pose_from_homography(fit_homography(plane, pixels), lens or nominal_lens(width, height))
    if start is None:
        return None
    points = np.column_stack([plane, np.zeros(len(plane))])
    return fit_either_way(start, SeenPoints(points, pixels, np.full(len(plane), 1.0), lens is None))


def place_pose(pose: BoardPose, placement: Placement, pitch_mm: float) -> BoardPose:
    """The lattice's pose as the pose of the board laid on it."""
    angle = np.radians(60 * placement.turns)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    x, y = pitch_mm * (np.array(placement.offset) @ AXIAL_TO_PLANE)
    return BoardPose(pose.lens, pose.rotation @ turn, pose.rotation @ np.array([x, y, 0]) + pose.translation_mm)


def _verified(
    image: Picture,
    fit: Fit,
    layout: Layout,
    board: Board,
    edges: Edges,
    blobs: Blobs,
    least_inside: float,
) -> FoundBoard | NotFound:
    """The board at the fitted pose, unless the picture speaks against it."""
    cells = np.array(board.cells, dtype=np.intp)
    evidence = gather_evidence(edges, blobs, cells.min(0) - 1, cells.max(0) + 1, fit.pose, layout.pitch_mm)
    look = judge(cells, evidence, image)
    if look.inside < least_inside:
        shown = round(look.inside * len(board))
        return NotFound(f"only {shown} of the {len(board)} cells of {board.name} show where its shape fits best")
    if _reason_against(look, board) is not None:
        farther = gather_evidence(edges, blobs, cells.min(0) - 2, cells.max(0) + 2, fit.pose, layout.pitch_mm)
        look = by_colours(cells, look, farther, image)
    reason = _reason_against(look, board)
    return FoundBoard(fit.pose, fit.rms_px, look.inside - look.outside) if reason is None else NotFound(reason)


def _reason_against(look: Look, board: Board) -> str | None:
    """Why what looks so is not the board, though enough of its cells show; None where nothing speaks against it."""
    absent = int(look.absent.sum())
    if absent > max(2.5, _MOST_ABSENT * len(board)):
        return f"{absent} of the {len(board)} cells of {board.name} look like the table where its shape fits best"
    if look.outside > look.inside - _LEAST_EDGE or look.filled_outside > _MOST_FILLED_OUTSIDE:
        return f"there are more cells beside those of {board.name}: the board in the picture is another one"
    return None


def _by_markers(markers: dict[int, Floats], layout: Layout, image: Picture, lens: Lens | None) -> FoundBoard | NotFound:
    """The board by markers at known places alone."""
    known = {i for i, _ in layout.markers_mm}
    if not known:
        return NotFound(f"{layout.name} has no hexagonal cells, and its board file names no markers_mm to find it by")
    seen = tuple(sorted(known & set(markers)))
    fit = pose_from_markers(markers, layout, image.shape[1], image.shape[0], lens)
    if fit is None:
        return NotFound(f"{len(seen)} of the {len(known)} markers of {layout.name} can be seen, too few for its place")
    pitch_px = float(np.median(fit.pose.pitch_px(cell_points(layout), layout.pitch_mm)))
    if fit.rms_px > 0.25 * pitch_px:
        return NotFound(f"the markers seen are not where the board file of {layout.name} says")
    sure = 1 / (1 + 10 * fit.rms_px / pitch_px)
    return FoundBoard(fit.pose, fit.rms_px, sure * len(seen) / len(known), seen)


def _check(image: Picture, lens: Lens | None) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ValueError(f"a picture is (H, W, 3) uint8, got {image.shape} {image.dtype}")
    if lens is not None and (lens.width_px, lens.height_px) != (image.shape[1], image.shape[0]):
        size = f"{image.shape[1]}×{image.shape[0]}"
        raise ValueError(f"the lens is for pictures of {lens.width_px}×{lens.height_px} px, this one has {size}")
