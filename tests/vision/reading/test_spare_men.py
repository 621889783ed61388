"""What spare men beside the board tell of the men's thickness, and so of how high stacks are."""

import json
from typing import Any

import numpy as np
import pytest

from engine.board import from_cells
from engine.layout import layout_of, named_layout
from tests.footage_places import footage
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.kept import PICTURES
from vision.arrays import Floats
from vision.finding.find import NotFound, find_board
from vision.geometry import BoardPose
from vision.men.heights import THICKNESSES
from vision.networks.spare_net import TAUGHT, spare_net
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.evidence import Shot
from vision.reading.first_look import first_look
from vision.reading.learn import learn_table
from vision.reading.spare_men import look_at_spares, pictures_of_piles, sides_of_spares, spare_men
from vision.reading.table_model import TableModel

LAYOUT = named_layout("hexhex-4")
MAN_MM, RED = 28.0, (40, 30, 170)
WHITE, BLUE, GREY = (215, 225, 230), (150, 76, 36), (110, 104, 100)
#: A rendered picture of which no network learned anything: piles of one to five men lie beside the board.
PILES, THICKNESS = "piles_beside_hexhex-3.jpg", 0.264


def _piles() -> tuple[Shot, TableModel]:
    layout, image = named_layout("hexhex-3"), load_picture(PICTURES / PILES)
    material = Material((parse_colour("red"), parse_colour("purple")))
    found = find_board(image, layout, None, material)
    assert not isinstance(found, NotFound)
    return Shot(image, found.pose, layout, image), learn_table(image, found.pose, layout, material)


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


def test_piles_tell_that_a_stack_has_six_men() -> None:
    """By sides alone men are taken to be thicker than they are, and the stack for five."""
    layout, image = named_layout("hexhex-3"), load_picture(PICTURES / PILES)
    material = Material((parse_colour("red"), parse_colour("purple")))
    found = find_board(image, layout, None, material)
    assert not isinstance(found, NotFound)
    look = first_look(image, found.pose, layout, material)
    read = {name: (cell.best().men, cell.best().height) for name, cell in zip(layout.names, look.cells, strict=True)}
    men = {name: seen for name, seen in read.items() if seen[1]}
    assert men == {"a2": (2, 6), "c2": (1, 1), "c4": (1, 4), "e3": (1, 2), "e4": (1, 2)}


def test_piles_say_how_thick_men_are() -> None:
    """The likeliest thickness by piles is near the truth, and says more than sides of topmost men do."""
    shot, table = _piles()
    men = spare_men(shot, table)
    assert len(men.middles_mm) >= 6
    both, sides = look_at_spares(shot, table, THICKNESSES), sides_of_spares(shot, table, men, THICKNESSES)
    assert THICKNESSES[both.argmax()] == pytest.approx(THICKNESS, abs=0.02)
    likely = [np.interp(THICKNESS, THICKNESSES, told - np.logaddexp.reduce(told)) for told in (both, sides)]
    assert likely[0] > likely[1]


def test_piles_are_looked_at_mirrored_too() -> None:
    """A picture and its mirror image say the same, and all thicknesses together are as likely as one."""
    shot, table = _piles()
    columns, view = pictures_of_piles(shot, table, spare_men(shot, table))
    told = spare_net().thicknesses(columns, view, THICKNESSES)
    mirrored = spare_net().thicknesses(np.ascontiguousarray(columns[..., ::-1]), view, THICKNESSES)
    assert told == pytest.approx(mirrored, abs=1e-4)
    assert np.logaddexp.reduce(told, axis=1) == pytest.approx(np.zeros(len(told)), abs=0.05)


def test_men_thicker_than_any_that_were_taught_are_left_to_sides() -> None:
    """The network is not asked beyond what it knows."""
    shot, table = _piles()
    ratios = np.linspace(0.3, TAUGHT[-1] + 0.05, 9)
    sides = sides_of_spares(shot, table, spare_men(shot, table), ratios)
    assert look_at_spares(shot, table, ratios) == pytest.approx(sides)


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
