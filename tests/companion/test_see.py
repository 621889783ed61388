"""`storisende see` on pictures and films, as a user calls it."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.commands.see import hints
from engine.layout import named_layout
from engine.look import UNSEEN, CellLook, Surface, certain
from tests.footage_places import SAMPLES
from tests.vision.drawn_board import camera
from tests.vision.drawn_men import LAYOUT, MAN_MM, MATERIAL, men_on_board
from tests.vision.finding.test_uneven import wavy
from vision.finding.find import FoundBoard
from vision.reading.learn import learn_table

FILM = SAMPLES / "sample.mp4"


def _see(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "companion", "see", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def first_frame(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The film's first frame as a picture file."""
    path = tmp_path_factory.mktemp("see") / "table.png"
    image = cv2.VideoCapture(str(FILM)).read()[1]
    assert cv2.imwrite(str(path), image)
    return path


@pytest.mark.parametrize("of_film", [True, False], ids=["film", "picture"])
def test_what_is_seen_is_drawn_over_the_picture(first_frame: Path, tmp_path: Path, of_film: bool) -> None:
    """The drawing holds the frame, something on the board, a line and an arrow at the top, and nothing elsewhere."""
    out = tmp_path / "seen.png"
    source = FILM if of_film else first_frame
    done = _see(str(source), "--board", "hexhex-4", "--men", "red,white", "--out", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    drawn, frame = cv2.imread(str(out)), cv2.imread(str(first_frame))
    assert drawn is not None
    assert frame is not None
    factor = drawn.shape[0] // frame.shape[0]
    assert drawn.shape == (540 * factor, 960 * factor, 3)
    plain = cv2.resize(frame, (drawn.shape[1], drawn.shape[0]), interpolation=cv2.INTER_CUBIC)
    changed = (cv2.absdiff(drawn, plain).max(axis=2) > 60).reshape(540, factor, 960, factor).any(axis=(1, 3))
    assert changed[150:400, 300:650].mean() > 0.05
    assert changed[:25].any()
    assert not changed[80:, :60].any()


def test_a_film_is_looked_at_when_it_is_asked_for(tmp_path: Path) -> None:
    """Amid the quiet at its end, where nothing new is to be seen any more, too; not after it."""
    arguments = "--board", "hexhex-4", "--men", "red,white", "--out", str(tmp_path / "seen.png")
    film = cv2.VideoCapture(str(FILM))
    last_s = (film.get(cv2.CAP_PROP_FRAME_COUNT) - 1) / film.get(cv2.CAP_PROP_FPS)
    seen = _see(str(FILM), *arguments, "--at", f"{last_s - 0.3:.2f}")
    assert (seen.returncode, seen.stderr) == (0, "")
    assert float(seen.stdout.split(" seen at ")[1].split(" s")[0]) >= last_s - 0.35
    late = _see(str(FILM), *arguments, "--at", "1000")
    assert (late.returncode, late.stderr) == (2, f"storisende: --at 1000: the last picture is of {last_s:.1f} s\n")


def test_a_film_is_looked_at_when_the_board_shows(first_frame: Path, tmp_path: Path) -> None:
    """Light and shade change places all over the board: nothing is drawn until it is clear that nothing covers it."""
    plain = cv2.imread(str(first_frame))
    assert plain is not None
    rows, columns = np.mgrid[:540, :960]
    dappled = np.linspace(0.3, 1.7, 960) * (1 + 0.35 * np.sin(columns / 9) * np.sin(rows / 8))
    film = cv2.VideoWriter(str(tmp_path / "leaves.mp4"), cv2.VideoWriter.fourcc(*"mp4v"), 12, (960, 540))
    for image in (plain, np.clip(plain * dappled[..., None], 0, 255).astype(np.uint8)):
        for _ in range(36):
            film.write(image)
    film.release()
    options = ("--board", "hexhex-4", "--men", "red,white", "--out", str(tmp_path / "seen.png"))
    run = _see(str(tmp_path / "leaves.mp4"), "--at", "3.2", *options)
    assert run.returncode == 0, run.stderr
    seen_s = re.search(r"seen at ([\d.]+) s", run.stdout)
    assert seen_s is not None
    assert 3.5 < float(seen_s[1]) < 6


def test_it_says_which_cells_lie_beyond_the_picture(first_frame: Path, tmp_path: Path) -> None:
    """And draws the others."""
    frame, part = cv2.imread(str(first_frame)), tmp_path / "part.png"
    assert frame is not None
    cv2.imwrite(str(part), frame[:, 310:])
    arguments = "--board", "hexhex-4", "--men", "red,white", "--out", str(tmp_path / "seen.png")
    whole, cut = (_see(str(file), *arguments).stdout for file in (first_frame, part))
    assert "beyond" not in whole
    assert "cells of hexhex-4 lie beyond the picture (d1" in cut


def test_it_says_when_the_picture_is_stretched(first_frame: Path, tmp_path: Path) -> None:
    """A third wider than it was, but not as it was."""
    frame, wide = cv2.imread(str(first_frame)), tmp_path / "wide.png"
    assert frame is not None
    cv2.imwrite(str(wide), cv2.resize(frame, None, fx=4 / 3, fy=1, interpolation=cv2.INTER_CUBIC))
    arguments = "--board", "hexhex-4", "--men", "red,white", "--out", str(tmp_path / "seen.png")
    straight, stretched = (_see(str(file), *arguments).stdout for file in (first_frame, wide))
    assert "stretched" not in straight
    told = re.search(r"stretched: its pixels are ([0-9.]+) times as wide as high", stretched)
    assert told is not None
    assert float(told[1]) == pytest.approx(0.75, abs=0.03)


def test_it_says_when_the_thickness_of_men_is_not_clear(first_frame: Path, tmp_path: Path) -> None:
    """It is in the whole picture, not in one a quarter as wide."""
    frame, small = cv2.imread(str(first_frame)), tmp_path / "small.png"
    assert frame is not None
    cv2.imwrite(str(small), cv2.resize(frame, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA))
    out = str(tmp_path / "seen.png")
    large, less = (
        _see(str(f), "--board", "hexhex-4", "--men", "red,white", "--out", out) for f in (first_frame, small)
    )
    assert "not clear" not in large.stdout
    assert "leave spare men beside the board" in less.stdout


@pytest.mark.parametrize(("thickness", "told"), [(0.12, True), (0.15, True), (0.25, False), (0.46, False)])
def test_it_says_when_men_may_be_thinner_than_any_it_looks_for(thickness: float, told: bool) -> None:
    """Unless the board file says how thick they are."""
    image, _ = men_on_board(thickness, 32)
    pose, man_mm = camera(LAYOUT, 32, room=1.8), (MAN_MM, thickness * MAN_MM)
    unknown, known = (learn_table(image, pose, each, MATERIAL) for each in (LAYOUT, replace(LAYOUT, man_mm=man_mm)))
    said = [
        any("or thinner" in hint for hint in hints(FoundBoard(pose, 0.3, 0.97), t, LAYOUT)) for t in (unknown, known)
    ]
    assert said == [told, False]


@pytest.mark.parametrize(("tilt_deg", "told"), [(9.0, True), (14.4, True), (15.6, False), (40.0, False)])
def test_it_says_when_the_camera_hangs_too_nearly_above(tilt_deg: float, told: bool) -> None:
    """Below 15° off the vertical, with the angle."""
    found = FoundBoard(camera(named_layout("hexhex-4"), tilt_deg=tilt_deg), 0.3, 0.97)
    said = [hint for hint in hints(found, None, LAYOUT) if f"seen from {tilt_deg:.0f}° off the vertical" in hint]
    assert bool(said) is told


@pytest.mark.parametrize(("much", "told"), [(0.0, False), (0.02, False), (0.08, True)])
def test_it_says_when_the_board_does_not_lie_flat(much: float, told: bool) -> None:
    """And how far aside its cells are, at most."""
    found = FoundBoard(replace(camera(LAYOUT, 20), warp=wavy(LAYOUT, 1, much) if much else None), 0.3, 0.97)
    said = [hint for hint in hints(found, None, LAYOUT) if "does not lie flat" in hint]
    assert bool(said) is told
    assert not told or 0.08 < float(said[0].split()[-5]) < 0.2


def test_it_says_when_the_picture_is_black_and_white(first_frame: Path, tmp_path: Path) -> None:
    """Men are told apart by how bright they are then."""
    grey = cv2.imread(str(first_frame), cv2.IMREAD_GRAYSCALE)
    assert grey is not None
    cv2.imwrite(str(tmp_path / "grey.png"), grey)
    out = str(tmp_path / "seen.png")
    files = (first_frame, tmp_path / "grey.png")
    said = [_see(str(file), "--board", "hexhex-4", "--men", "red,white", "--out", out).stdout for file in files]
    assert ["black and white" in each for each in said] == [False, True]


def test_a_picture_without_a_board_says_why(tmp_path: Path) -> None:
    """Exit status 3 and one line."""
    cv2.imwrite(str(tmp_path / "empty.png"), np.full((360, 640, 3), 120, np.uint8))
    out = tmp_path / "seen.png"
    done = _see(str(tmp_path / "empty.png"), "--board", "hexhex-4", "--men", "red,white", "--out", str(out))
    assert done.returncode == 3
    assert "no hexhex-4 board found" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(("name", "status"), [("nowhere/seen.png", 2), ("seen.txt", 2)])
def test_a_place_that_cannot_be_written_is_refused(first_frame: Path, tmp_path: Path, name: str, status: int) -> None:
    """One line that names it."""
    out = str(tmp_path / name)
    done = _see(str(first_frame), "--board", "hexhex-4", "--men", "red,white", "--out", out)
    assert done.returncode == status
    assert out in done.stderr
    assert done.stderr.count("\n") == 1


def test_badges_show_colour_height_and_doubt() -> None:
    """Drawn on a grey table: a red badge for red men, grey outlines for unseen cells, red ones for doubtful cells."""
    from companion.drawing.overlay import draw_sight
    from tests.vision.film_truth import FilmTruth

    truth = FilmTruth(FILM)
    layout = named_layout("hexhex-4")
    found = FoundBoard(truth.pose(), 0.3, 0.97, (0, 2))
    plain = np.full((540, 960, 3), 128, np.uint8)
    empty = [certain(CellLook(Surface.BARE))] * 37
    red = [certain(CellLook(Surface.BEIGE, 1, 2)), *empty[1:]]
    doubtful = [certain(CellLook(Surface.BARE), doubt=0.05), *empty[1:]]

    def drawn(cells: list[object]) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
        return draw_sight(plain, truth.layout, found, truth.material, cells)  # type: ignore[arg-type]

    def count(picture: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]", bgr: tuple[int, int, int]) -> int:
        return int((np.abs(picture.astype(int) - bgr).max(axis=2) < 12).sum())

    badge = truth.material.men[0].rgb[::-1]
    assert layout.names == truth.layout.names
    assert count(drawn(list(red)), badge) > 100
    assert count(drawn(list(empty)), badge) == 0
    assert count(drawn([UNSEEN, *empty[1:]]), (200, 200, 200)) > count(drawn(list(empty)), (200, 200, 200)) + 50
    assert count(drawn(list(doubtful)), (60, 60, 255)) > 50
    assert count(drawn(list(empty)), (60, 60, 255)) == 0


@pytest.mark.parametrize(("lamp_at", "side"), [((-600.0, 0.0), 1), ((600.0, 0.0), -1)])
def test_an_arrow_shows_which_way_shadows_fall(lamp_at: tuple[float, float], side: int) -> None:
    """Away from the lamp: its head has more ink than its tail. None without a lamp, and one more for another lamp."""
    from companion.drawing.overlay import draw_sight
    from tests.vision.film_truth import FilmTruth
    from vision.lamplight.lamp import Lamp

    truth = FilmTruth(FILM)
    found = FoundBoard(truth.pose(), 0.3, 0.97)
    plain = np.full((540, 960, 3), 128, np.uint8)
    without = draw_sight(plain, truth.layout, found, truth.material)
    shown = draw_sight(plain, truth.layout, found, truth.material, None, Lamp(*lamp_at, 600.0))
    rows, columns = np.nonzero((shown != without).any(axis=2)[30:78, :52])
    right = found.pose.project(np.array([[0.0, 0, 0], [1, 0, 0]]))
    ahead = (np.stack([columns - 28, rows + 30 - 54], axis=1) @ (right[1] - right[0])) * side
    assert (ahead > 0).sum() > 1.2 * (ahead < 0).sum()
    two = Lamp(*lamp_at, 600.0, other=Lamp(0.0, 700.0, 600.0))
    more = draw_sight(plain, truth.layout, found, truth.material, None, two)
    assert (more[30:78, :52] == shown[30:78, :52]).all()
    rows, columns = np.nonzero((more != without).any(axis=2)[30:78, 54:104])
    down = found.pose.project(np.array([[0.0, 0, 0], [0, -1, 0]]))
    ahead = np.stack([columns - 26, rows + 30 - 54], axis=1) @ (down[1] - down[0])
    assert (ahead > 0).sum() > 1.2 * (ahead < 0).sum()


def test_the_longest_title_fits_into_the_picture() -> None:
    """Of a stretched picture with four markers: nothing of it reaches the right edge, which a longer one would."""
    from companion.drawing.overlay import draw_sight
    from tests.vision.film_truth import FilmTruth

    truth = FilmTruth(FILM)
    pose = truth.pose()
    stretched = replace(pose, lens=replace(pose.lens, fx_px=1.3 * pose.lens.fx_px))
    cells = [certain(CellLook(Surface.BARE))] * 37
    plain = np.full((540, 960, 3), 128, np.uint8)
    picture = draw_sight(plain, truth.layout, FoundBoard(stretched, 0.3, 0.97, (0, 1, 2, 3)), truth.material, cells)
    title = (picture[:30] != 128).any(axis=(0, 2))
    assert 800 < np.flatnonzero(title).max() < 955
