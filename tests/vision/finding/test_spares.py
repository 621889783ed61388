"""Spare men beside the board: where they are, and what they tell of the men's thickness."""

import json
from typing import Any

import cv2
import numpy as np
import pytest

from engine.board import from_cells
from engine.layout import layout_of, named_layout
from tests.footage_places import SAMPLES, footage
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.film_truth import FilmTruth
from vision.arrays import Floats
from vision.finding.find import NotFound, find_board
from vision.finding.spares import spare_tops
from vision.geometry import BoardPose
from vision.men.heights import THICKNESSES
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.evidence import Shot, look_at_spares
from vision.reading.learn import learn_table

LAYOUT = named_layout("hexhex-4")
MAN_MM, RED, BEIGE = 28.0, (40, 30, 170), (150, 190, 214)
WHITE, BLUE, GREY = (215, 225, 230), (150, 76, 36), (110, 104, 100)


@pytest.mark.parametrize(("tilt_deg", "times"), [(8, 1), (25, 1), (45, 1), (25, 3)])
def test_tops_of_spare_men_are_found(tilt_deg: float, times: int) -> None:
    """Where they are, in a picture three times as large, too; disks, what is smaller than men and what lies on the
    board are left out."""
    pose = camera(LAYOUT, tilt_deg, room=1.8)
    image = draw(LAYOUT, pose)
    spares = [(210.0, 30.0), (-215.0, -60.0), (-220.0, 90.0)]
    for place in spares:
        draw_round(image, pose, place, MAN_MM, 7.0, RED)
    draw_round(image, pose, (210.0, -60.0), 35.0, 1.8, BEIGE)
    draw_round(image, pose, (-215.0, 20.0), 18.0, 1.8, RED)
    draw_round(image, pose, LAYOUT.centres_mm[0], MAN_MM, 7.0, RED)
    size = times * pose.lens.width_px, times * pose.lens.height_px
    found = spare_tops(cv2.resize(image, size).astype(np.uint8), pose.resized(*size), LAYOUT, MAN_MM)
    camera_mm = pose.camera_mm
    tops = camera_mm[:2] + (np.array(spares) - camera_mm[:2]) * camera_mm[2] / (camera_mm[2] - 7.0)
    apart = np.linalg.norm(found[:, None] - tops, axis=2)
    assert len(found) == len(tops)
    assert (apart.min(axis=0) < 0.08 * MAN_MM).all()


def test_an_empty_table_has_no_spares() -> None:
    """Nothing round beside the board, nothing found."""
    pose = camera(LAYOUT, 25)
    assert spare_tops(draw(LAYOUT, pose), pose, LAYOUT, MAN_MM).shape == (0, 2)
    blank = np.full((pose.lens.height_px, pose.lens.width_px, 3), 90, np.uint8)
    assert spare_tops(blank, pose, LAYOUT, MAN_MM).shape == (0, 2)


def test_spare_men_of_the_sample_film_are_found() -> None:
    """Seven of the eight piles whose tops can be seen are, at least six are asked for."""
    truth = FilmTruth(SAMPLES / "sample.mp4")
    frame, layout = truth.frame(6), layout_of(truth.board)
    found = find_board(frame, layout, None, truth.material)
    assert not isinstance(found, NotFound)
    assert len(spare_tops(frame, found.pose, layout, 0.75 * layout.pitch_mm)) >= 6


@pytest.mark.parametrize(("colour", "spare"), [(RED, True), (WHITE, True), (BLUE, False), (GREY, False)])
def test_only_what_has_a_colour_of_the_men_is_a_spare(colour: tuple[int, int, int], spare: bool) -> None:
    """Coasters and caps as large as men, but of other colours, say nothing of how thick men are."""
    pose = camera(LAYOUT, 30, room=1.8)
    image = draw(LAYOUT, pose)
    for i in (4, 10, 17, 25, 31):
        draw_round(image, pose, LAYOUT.centres_mm[i], MAN_MM, 9.0, RED if i % 2 else WHITE)
    for place in ((210.0, 30.0), (-215.0, -60.0), (-220.0, 90.0)):
        draw_round(image, pose, place, MAN_MM, 7.0, colour)
    material = Material((parse_colour("red"), parse_colour("white")))
    table = learn_table(image, pose, LAYOUT, material)
    told = look_at_spares(Shot(image, pose, LAYOUT, image), table, THICKNESSES)
    assert (np.ptp(told) > 0) == spare


@pytest.mark.timeout(400)
def test_spare_men_tell_the_thickness() -> None:
    """Over every fourth picture of the shared footage: with the table about the board painted over it is known less
    well."""
    with_spares, without = [], []
    for path in sorted((footage() / "stills").glob("*.json"))[::4]:
        data = json.loads(path.read_text())
        layout = layout_of(from_cells([(c["q"], c["r"]) for c in data["cells"]], data["board"]))
        material = _material(data)
        image, true = load_picture(path.with_suffix(".jpg")), data["checker_mm"][1] / data["checker_mm"][0]
        found = find_board(image, layout, None, material)
        assert not isinstance(found, NotFound)
        alone = _without_surroundings(image, found.pose, np.array(layout.centres_mm), layout.pitch_mm)
        for picture, off in ((image, with_spares), (alone, without)):
            table = learn_table(picture, found.pose, layout, material)
            off.append((table.man_thickness_mm / table.man_diameter_mm - true, table.thickness_spread()))
    errors, spreads = (np.sqrt(np.mean(np.square([with_spares, without])[..., k], axis=1)) for k in (0, 1))
    assert errors[0] < errors[1]
    assert spreads[0] < spreads[1]


def _material(data: dict[str, Any]) -> Material:
    first, second, light, dark = (parse_colour(word) for word in (*data["players"], data["beige"], data["dark"]))
    return Material((first, second), (light, dark))


def _without_surroundings(image: Picture, pose: BoardPose, centres_mm: Floats, pitch_mm: float) -> Picture:
    """The picture with everything painted over that is not on the board."""
    height, width = image.shape[:2]
    columns, rows = np.meshgrid(np.arange(1.5, width, 4), np.arange(1.5, height, 4))
    places = pose.unproject(np.stack([columns, rows], axis=-1).reshape(-1, 2))
    apart = np.min([np.linalg.norm(places - centre, axis=1) for centre in centres_mm], axis=0)
    out = image.copy()
    beside = (apart > 0.75 * pitch_mm).reshape(rows.shape).repeat(4, axis=0).repeat(4, axis=1)
    out[beside[:height, :width]] = np.median(image[-20:, :200], axis=(0, 1))
    return out
