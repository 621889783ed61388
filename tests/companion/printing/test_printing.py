"""The printed sheets measured back from their rendered PDFs: what is said to be 100 mm is 100 mm."""

import shutil
import subprocess
from math import hypot
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.targets import CHARUCO
from companion.errors import InputError
from companion.printing.pages import PAPERS, Drawing, paper, pdf_of, tiling
from companion.printing.parts import (
    board_drawing,
    board_file,
    charuco_drawing,
    disk_drawings,
    marker_drawing,
    printed_layout,
    scaled,
)
from companion.printing.rules import rules_drawing
from engine.layout import named_layout, parse_layout
from vision.finding.find import FoundBoard, find_board
from vision.geometry import BoardPose, Lens

DPI = 150
PX_PER_MM = DPI / 25.4


def rendered(pdf: bytes, folder: Path) -> list[np.ndarray]:
    """The pages as pictures, by poppler; skips the test where poppler is missing."""
    if shutil.which("pdftoppm") is None:
        pytest.skip("SKIPPED: no pdftoppm; on Debian: apt install poppler-utils")
    (folder / "sheet.pdf").write_bytes(pdf)
    subprocess.run(["pdftoppm", "-r", str(DPI), "-png", "sheet.pdf", "page"], cwd=folder, check=True)
    return [cv2.imread(str(p)) for p in sorted(folder.glob("page-*.png"))]


def ruler_mm(page: np.ndarray) -> float:
    """Length of the control ruler: the widest run of dark columns' ends in the foot of the page."""
    line = page[round(-10.0 * PX_PER_MM) - 2 : round(-10.0 * PX_PER_MM) + 3].min(axis=(0, 2)) < 160
    at = np.flatnonzero(line)
    return float(at[-1] - at[0]) / PX_PER_MM


@pytest.mark.parametrize("name", list(PAPERS))
def test_the_ruler_is_100_mm_on_every_paper(name: str, tmp_path: Path) -> None:
    """Page size and control ruler, within the width of a pixel."""
    (page,) = rendered(pdf_of([charuco_drawing(CHARUCO)], name), tmp_path)
    assert np.allclose(sorted(page.shape[:2]), np.array(sorted(PAPERS[name])) * PX_PER_MM, atol=1.5)
    assert ruler_mm(page) == pytest.approx(100.0, abs=0.3)


def test_charuco_corners_are_where_they_are_said_to_be(tmp_path: Path) -> None:
    """OpenCV's detector finds every inner corner of the printed target, 45 mm apart."""
    (page,) = rendered(pdf_of([charuco_drawing(CHARUCO)], "A4"), tmp_path)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_1000)
    board = cv2.aruco.CharucoBoard((CHARUCO.columns, CHARUCO.rows), CHARUCO.square_mm, CHARUCO.marker_mm, dictionary)
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(page)
    assert ids is not None
    assert len(ids) == 12
    expected = np.asarray(board.getChessboardCorners())[ids.ravel(), :2]
    found = np.asarray(corners).reshape(-1, 2) / PX_PER_MM
    offset = found.mean(axis=0) - expected.mean(axis=0)
    assert np.abs(found - offset - expected).max() < 0.15


def assembled(pages: list[np.ndarray], drawing: Drawing, paper_name: str) -> np.ndarray:
    """The tiles cut along their marks and laid edge to edge, as a person with scissors does it."""
    page, columns, rows = tiling(drawing, paper_name)
    width, height = drawing.width_mm / columns, drawing.height_mm / rows
    inner_w, inner_h = page.inner_mm
    left, top = (page.width_mm - inner_w) / 2 + (inner_w - width) / 2, 14.0 + (inner_h - height) / 2
    out = np.full((round(drawing.height_mm * PX_PER_MM) + 2, round(drawing.width_mm * PX_PER_MM) + 2, 3), 255, np.uint8)
    x0, y0 = round(left * PX_PER_MM), round(top * PX_PER_MM)
    for at, picture in enumerate(pages):
        row, column = divmod(at, columns)
        x, y = round(column * width * PX_PER_MM), round(row * height * PX_PER_MM)
        tile = picture[y0 : y0 + round(height * PX_PER_MM) + 1, x0 : x0 + round(width * PX_PER_MM) + 1]
        out[y : y + tile.shape[0], x : x + tile.shape[1]] = tile[: out.shape[0] - y, : out.shape[1] - x]
    return out


@pytest.mark.parametrize(("name", "paper_name"), [("hexhex-4", "A4"), ("modular-5", "A3"), ("hexhex-5", "Letter")])
def test_a_tiled_board_fits_together(name: str, paper_name: str, tmp_path: Path) -> None:
    """The four markers of the assembled board have the distances that the board file gives."""
    layout = printed_layout(scaled(named_layout(name), 36.0))
    drawing = board_drawing(layout)
    pages = rendered(pdf_of([drawing], paper_name), tmp_path)
    _, columns, rows = tiling(drawing, paper_name)
    assert len(pages) == columns * rows > 1
    picture = assembled(pages, drawing, paper_name)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, ids, _ = detector.detectMarkers(picture)
    assert ids is not None
    found = {
        int(i): np.asarray(c).reshape(4, 2).mean(axis=0) / PX_PER_MM for i, c in zip(ids.ravel(), corners, strict=True)
    }
    again = parse_layout(board_file(layout), "printed.toml")
    places = dict(again.markers_mm)
    assert sorted(found) == sorted(places) == [0, 1, 2, 3]
    for i in range(4):
        for j in range(i):
            expected = hypot(places[i][0] - places[j][0], places[i][1] - places[j][1])
            assert hypot(*(found[i] - found[j])) == pytest.approx(expected, abs=0.5)
    upright = found[3] - found[0]
    assert upright[1] < 0
    assert np.allclose(again.centres_mm, layout.centres_mm)


def test_disks_have_their_diameter_and_backs_fit_fronts(tmp_path: Path) -> None:
    """34 mm disks measured as cut; turning the second page over lays every back on its front."""
    drawings = disk_drawings(7, 34.0, ((230, 210, 170), (50, 35, 30)), "A4")
    front, back = rendered(pdf_of(drawings, "A4"), tmp_path)
    circles = []
    for page in (front, back[:, ::-1]):
        printed = (page[: round(270 * PX_PER_MM)].min(axis=2) < 240).astype(np.uint8)
        outlines, _ = cv2.findContours(printed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        circles.append(sorted((round(x), round(y), r) for (x, y), r in map(cv2.minEnclosingCircle, outlines) if r > 20))
    assert len(circles[0]) == len(circles[1]) == 7
    for (x, y, r), (bx, by, br) in zip(*circles, strict=True):
        assert 2 * r / PX_PER_MM == pytest.approx(36.0, abs=0.5)  # the colour runs 1 mm past the cutting line
        assert 2 * br / PX_PER_MM == pytest.approx(36.0, abs=0.5)
        assert hypot(x - bx, y - by) / PX_PER_MM < 0.4


def test_marker_sheet_has_the_four_markers_in_their_corners(tmp_path: Path) -> None:
    """36 mm markers, id 0 lower left, then counter-clockwise."""
    (page,) = rendered(pdf_of([marker_drawing(printed_layout(scaled(named_layout("hexhex-5"), None)))], "A4"), tmp_path)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, ids, _ = detector.detectMarkers(page)
    assert ids is not None
    found = {int(i): np.asarray(c).reshape(4, 2) for i, c in zip(ids.ravel(), corners, strict=True)}
    for marker in found.values():
        assert hypot(*(marker[1] - marker[0])) / PX_PER_MM == pytest.approx(36.0, abs=0.4)
    middle = {i: marker.mean(axis=0) for i, marker in found.items()}
    assert middle[0][0] < middle[1][0]
    assert middle[0][1] > middle[3][1]
    assert middle[2][0] > middle[3][0]


@pytest.mark.parametrize("rules", ["mindsports", "ersatz", "castle", "phalanx", "hexteroyd"])
def test_rules_sheets_are_one_page_and_nothing_runs_off(rules: str, tmp_path: Path) -> None:
    """Each game on the shortest paper: there is text in both columns, and it ends above the ruler."""
    drawing = rules_drawing(rules, "Letter")
    (page,) = rendered(pdf_of([drawing], "Letter"), tmp_path)
    foot = page[round(-22.5 * PX_PER_MM) : round(-18 * PX_PER_MM)]
    assert foot.min() > 200
    middle = page.shape[1] // 2
    for column in (page[: -round(24 * PX_PER_MM), :middle], page[: -round(24 * PX_PER_MM), middle:]):
        assert 0.01 < (column < 128).mean() < 0.2
    assert paper("Letter").inner_mm == (drawing.width_mm, drawing.height_mm)


def test_free_cell_centres_survive_the_board_file() -> None:
    """A board of free places is written and read back with the same cells and markers."""
    text = 'name = "three"\n[points_mm]\na1 = [0.0, 0.0]\na2 = [50.0, 0.0]\nb1 = [0.0, 50.0]\n'
    layout = printed_layout(scaled(parse_layout(text, "three.toml"), None))
    again = parse_layout(board_file(layout), "again.toml")
    assert (again.names, again.centres_mm) == (layout.names, layout.centres_mm)
    assert dict(again.markers_mm) == pytest.approx({i: pytest.approx(p, abs=0.01) for i, p in layout.markers_mm})


def test_what_cannot_be_printed_is_refused() -> None:
    """Unknown paper, a pitch or a number of disks that cannot be, a board of a hundred sheets."""
    with pytest.raises(InputError, match="A5"):
        paper("A5")
    with pytest.raises(InputError, match="500"):
        scaled(named_layout("hexhex-5"), 500.0)
    with pytest.raises(InputError, match="0 of 34 mm"):
        disk_drawings(0, 34.0, ((0, 0, 0), (0, 0, 0)), "A4")
    with pytest.raises(InputError, match="sheets"):
        tiling(board_drawing(scaled(named_layout("hexhex-10"), 120.0)), "A4")


@pytest.mark.parametrize("name", ["hexhex-4", "modular-5"])
def test_the_eye_finds_the_printed_board(name: str, tmp_path: Path) -> None:
    """The assembled print, photographed askew on a grey table: every cell within a tenth of the pitch."""
    layout = printed_layout(scaled(named_layout(name), 30.0))
    drawing = board_drawing(layout)
    sheet = assembled(rendered(pdf_of([drawing], "A3"), tmp_path), drawing, "A3")
    camera = BoardPose(
        Lens(1280, 720, 1000.0, 1000.0, 639.5, 359.5),
        np.asarray(cv2.Rodrigues(np.array([0.45, 0.0, 0.0]))[0] @ np.diag([1.0, -1.0, -1.0])),
        np.array([8.0, -5.0, 460.0]),
    )
    half_w, half_h = drawing.width_mm / 2, drawing.height_mm / 2
    corners = np.array([(-half_w, half_h), (half_w, half_h), (half_w, -half_h), (-half_w, -half_h)])
    on_sheet = np.stack([corners[:, 0] + half_w, half_h - corners[:, 1]], axis=1) * PX_PER_MM
    places = np.column_stack([corners, np.zeros(4)])
    view = cv2.getPerspectiveTransform(on_sheet.astype(np.float32), camera.project(places).astype(np.float32))
    table = np.full((720, 1280, 3), (105, 120, 130), np.uint8)
    picture = cv2.warpPerspective(sheet, view, (1280, 720), table, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    found = find_board(picture, parse_layout(board_file(layout), "printed.toml"))
    assert isinstance(found, FoundBoard)
    assert found.markers_used == (0, 1, 2, 3)
    centres = np.array([(x, y, 0.0) for x, y in layout.centres_mm])
    expected, seen = camera.project(centres), found.pose.project(centres)
    pitch_px = float(np.linalg.norm(expected[1] - expected[0]))
    assert np.linalg.norm(seen - expected, axis=1).max() < 0.1 * pitch_px
