"""Reading pictures whose truth is known: the sample film, the shared footage, and what must never be read."""

import json
import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from engine.board import from_cells
from engine.layout import Layout, layout_of, named_layout
from engine.look import MAX_HEIGHT, UNSEEN, BoardLook, CellReading, men_index
from tests.footage_places import SAMPLES, footage
from tests.vision.drawn_board import camera, draw, draw_round
from tests.vision.film_truth import FilmTruth
from tests.vision.kept import PICTURES
from vision.finding.find import FoundBoard, find_board
from vision.finding.refine import cell_points
from vision.geometry import BoardPose
from vision.networks.net import ReaderNet
from vision.palette import Material, parse_colour
from vision.picture import Picture, load_picture
from vision.reading.evidence import MAYBE_OCCUPIED
from vision.reading.learn import learn_table
from vision.reading.read import CellReader
from vision.reading.table_model import TableModel
from vision.sampling import cell_views


@lru_cache(maxsize=1)
def sample() -> tuple[FilmTruth, Layout, BoardPose, Picture]:
    """The sample film, its layout and pose as a stranger would know them (nominal pitch), and its first frame."""
    truth = FilmTruth(SAMPLES / "sample.mp4")
    layout = layout_of(truth.board)
    scale = layout.pitch_mm / truth.layout.pitch_mm
    pose = truth.pose()
    return truth, layout, BoardPose(pose.lens, pose.rotation, pose.translation_mm * scale), truth.frame(6)


def best(readings: tuple[CellReading, ...]) -> BoardLook:
    """The likeliest looks."""
    return tuple(reading.best() for reading in readings)


def test_settled_positions_of_the_sample_film() -> None:
    """Learned from the first frame and the known start: every surface and owner right, 95 % of cells in all."""
    truth, layout, pose, first = sample()
    reader = CellReader(pose, layout, learn_table(first, pose, layout, truth.material, truth.looks(-1)))
    right = total = 0
    for ply, _, settled in list(truth.settled())[::4]:
        got, want = best(reader.read(truth.frame(settled))), truth.looks(ply)
        assert [look.men for look in got] == [look.men for look in want], f"ply {ply}"
        right += sum(a == b for a, b in zip(got, want, strict=True))
        total += len(got)
    assert right / total >= 0.95


def test_known_contents_teach_the_men() -> None:
    """With the contents known, the men's dimensions are learned from them."""
    truth, layout, pose, first = sample()
    table = learn_table(first, pose, layout, truth.material, truth.looks(-1))
    diameter, thickness = json.loads(truth.film.with_suffix(".json").read_text())["geometry"]["checker_mm"]
    scale = layout.pitch_mm / truth.layout.pitch_mm
    assert table.man_diameter_mm == pytest.approx(diameter * scale, rel=0.04)
    assert table.man_thickness_mm == pytest.approx(thickness * scale, rel=0.1)


def test_what_was_read_before_makes_no_difference() -> None:
    """A reader that saw other positions says of one what a new one says."""
    truth, layout, pose, first = sample()
    table = learn_table(first, pose, layout, truth.material, truth.looks(-1))
    frames = [truth.frame(settled) for _, _, settled in truth.settled()]
    reader = CellReader(pose, layout, table)
    for frame in (first, frames[-1], frames[len(frames) // 2], frames[-1]):
        assert reader.read(frame) == CellReader(pose, layout, table).read(frame)


def test_what_stands_where_it_stood_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new reader learns by looking what covers what, and looks again at what stacks cover; then it knows."""
    image, layout = load_picture(PICTURES / "late_light_disks_hexhex-4.jpg"), named_layout("hexhex-4")
    material = Material((parse_colour("orange"), parse_colour("black")))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    reader = CellReader(found.pose, layout, learn_table(image, found.pose, layout, material))
    looked, feet = [0], ReaderNet.feet

    def counted(self: ReaderNet, pictures: Any, *more: Any) -> Any:
        looked[0] += len(pictures)
        return feet(self, pictures, *more)

    monkeypatch.setattr(ReaderNet, "feet", counted)
    first = reader.read(image)
    assert looked[0] > len(layout.names)
    looked[0] = 0
    again = reader.read(image)
    assert looked[0] == len(layout.names)
    for now, then in zip(again, first, strict=True):
        assert (*now.surface, *now.men) == pytest.approx((*then.surface, *then.men), abs=1e-4)


def test_who_is_patient_looks_closely_at_more_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """At all that leave any doubt; whose men stand where does not hang on that."""
    truth, layout, pose, first = sample()
    reader = CellReader(pose, layout, learn_table(first, pose, layout, truth.material, truth.looks(-1)))
    frames = [truth.frame(settled) for _, _, settled in list(truth.settled())[::6]]
    asked, closely = [0, 0], CellReader._by_rims
    men: list[list[list[int]]] = [[], []]
    for patient in (False, True):

        def counted(self: CellReader, work: Any, rows: Any, *more: Any, patient: bool = patient) -> Any:
            asked[patient] += len(rows)
            return closely(self, work, rows, *more)

        monkeypatch.setattr(CellReader, "_by_rims", counted)
        men[patient] = [[look.men for look in best(reader.read(frame, patient=patient))] for frame in frames]
    assert men[0] == men[1]
    assert asked[0] < asked[1]


def test_only_where_a_strip_was_looked_at_it_is_asked_whether_men_stand_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the others nothing is known that could be looked at, however doubtful they are."""
    truth, layout, pose, first = sample()
    reader = CellReader(pose, layout, learn_table(first, pose, layout, truth.material, truth.looks(-1)))
    any_doubt, around = (-60.0, 60.0), CellReader._around
    doubtful: list[float] = []
    asked: list[float] = []

    def noted(self: CellReader, image: Any, work: Any, rows: Any) -> Any:
        asked.extend(work.occupied[rows])
        doubtful.extend(work.occupied[work.perhaps_men(any_doubt)])
        return around(self, image, work, rows)

    monkeypatch.setattr(CellReader, "_around", noted)
    monkeypatch.setattr("vision.reading.read.PERHAPS_MEN", any_doubt)
    reader.read(first)
    assert min(asked) > MAYBE_OCCUPIED
    assert min(doubtful) < MAYBE_OCCUPIED


def test_what_is_hidden_is_unseen_and_what_was_not_asked_for_too() -> None:
    """Foreign pixels over a cell make it unseen, never empty; so is every cell that nobody asked for."""
    truth, layout, pose, first = sample()
    reader = CellReader(pose, layout, learn_table(first, pose, layout, truth.material))
    occupied = [i for i, look in enumerate(truth.looks(-1)) if look.men]
    hidden = np.zeros(first.shape[:2], bool)
    u, v = np.rint(pose.project(np.array([*layout.centres_mm[occupied[0]], 0.0]))).astype(int)
    hidden[v - 40 : v + 20, u - 30 : u + 30] = True
    readings = reader.read(first, hidden=hidden)
    assert readings[occupied[0]].unseen
    assert not readings[occupied[-1]].unseen
    few = reader.read(first, cells=occupied[:2])
    assert best(few)[occupied[0]].men == truth.looks(-1)[occupied[0]].men
    assert all(few[i] == UNSEEN for i in range(len(few)) if i not in occupied[:2])


def test_half_hidden_cells_tell_what_shows_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its middle hidden an empty cell tells its surface, not that it is empty; men that show are told all the
    same; with nearly all of it hidden a cell does not tell its surface either."""
    truth, layout, pose, first = sample()
    reader = CellReader(pose, layout, learn_table(first, pose, layout, truth.material))
    looks = truth.looks(-1)
    empty, emptier = [i for i, look in enumerate(looks) if not look.men][:2]
    men = next(i for i, look in enumerate(looks) if look.men)
    shares = np.zeros((len(looks), 2))
    shares[[empty, men]], shares[emptier] = (0.9, 0.5), (0.9, 0.9)
    monkeypatch.setattr(reader, "_covered", lambda *_: shares)
    readings = reader.read(first)
    assert readings[empty].unseen
    assert readings[empty].surface == CellReader(pose, layout, reader.table).read(first)[empty].surface
    assert readings[men].best() == looks[men]
    assert readings[emptier] == UNSEEN


def test_an_empty_material_table_reads_only_bare_cells() -> None:
    """On a board that is played without disks no cell has one."""
    truth, layout, pose, first = sample()
    material = Material(truth.material.men, None)
    reader = CellReader(pose, layout, learn_table(first, pose, layout, material))
    assert {look.surface.value for look in best(reader.read(first))} == {"bare"}


@pytest.mark.parametrize("name", ["game-02", "game-03"])
def test_settled_positions_of_the_shared_films(name: str) -> None:
    """Of the cells of settled positions of other films, at least 95 % are read exactly right."""
    truth = FilmTruth(footage() / "clips" / f"{name}.mp4")
    pose = truth.pose()
    looks = truth.looks(-1)
    table = learn_table(truth.frame(5), pose, truth.layout, truth.material, looks)
    reader = CellReader(pose, truth.layout, table)
    right = total = 0
    for ply, _, settled in list(truth.settled())[::8]:
        got = best(reader.read(truth.frame(settled)))
        right += sum(a == b for a, b in zip(got, truth.looks(ply), strict=True))
        total += len(got)
    assert right / total >= 0.95


def test_feet_count_less_where_no_disks_lie() -> None:
    """There they are compared with nothing: what the strip says decides sooner. Strange colours speak against men."""
    truth, layout, pose, first = sample()
    with_disks, without = (
        learn_table(first, pose, layout, material) for material in (truth.material, Material(truth.material.men, None))
    )
    foot, strip = np.array([-4.0, -4.0], np.float32), np.array([4.0, 0.0], np.float32)
    assert with_disks.occupied(foot, strip).tolist() == pytest.approx([-4.15, -5.55])
    assert without.occupied(foot, strip).tolist() == pytest.approx([0.375, -1.625])
    assert with_disks.occupied(foot, strip, -3.0).tolist() == pytest.approx([-7.15, -8.55])


@lru_cache(maxsize=1)
def still(number: int) -> tuple[Picture, Layout, BoardPose, TableModel, dict[int, int]]:
    """A still of the shared footage, its board as found, its table as learned, and whose men stand on which cells."""
    path = footage() / "stills" / f"{number}.json"
    data = json.loads(path.read_text())
    layout = layout_of(from_cells([(c["q"], c["r"]) for c in data["cells"]], data["board"]))
    first, second, light, dark = (parse_colour(word) for word in (*data["players"], data["beige"], data["dark"]))
    material = Material((first, second), (light, dark))
    image = load_picture(path.with_suffix(".jpg"))
    found = find_board(image, layout, None, material)
    assert isinstance(found, FoundBoard)
    seen = found.pose.project(cell_points(layout))
    near = [int(np.argmin([np.hypot(*(place - c["px"])) for c in data["cells"]])) for place in seen]
    owners = {i: data["cells"][k]["owner"] for i, k in enumerate(near) if data["cells"][k]["owner"]}
    return image, layout, found.pose, learn_table(image, found.pose, layout, material), owners


@pytest.mark.parametrize("number", [1010, 1029, 1035])
def test_men_who_mirror_the_lamp_keep_their_owners(number: int) -> None:
    """Rendered boards with men who show next to nothing but the lamp: a black stack of 1029 was taken for white by its
    top; where the lamp stands and the side below its rim say otherwise."""
    image, layout, pose, table, owners = still(number)
    readings = CellReader(pose, layout, table).read(image)
    assert {i: readings[i].best().men for i in owners} == owners


@pytest.mark.parametrize("number", [1001, 1003, 1016, 1018, 1021, 1023, 1028, 1029, 1032, 1036, 1038])
def test_where_the_lamp_is_mirrored_tells_black_men_from_white_ones(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All boards of the shared footage with such men: their owners are likelier than where it is not known how tops
    mirror the lamp, and than if every top mirrored it as much."""
    image, layout, pose, table, owners = still(number)

    def doubt(table: TableModel) -> float:
        readings = CellReader(pose, layout, table).read(image)
        return sum(_doubt(readings[i], owner) for i, owner in owners.items() if not readings[i].unseen)

    known, unknown = doubt(table), doubt(replace(table, men=replace(table.men, mirror=None)))
    monkeypatch.setattr("vision.reading.read.off_mirror", lambda lamp, camera_mm, places_mm: np.zeros(len(places_mm)))
    assert known < 0.9 * unknown
    assert known < 0.9 * doubt(table)


def _doubt(reading: CellReading, owner: int) -> float:
    """How unlikely it is that men there are that owner's, negative logarithm."""
    likely = [
        sum(math.exp(reading.men[men_index(men, height)]) for height in range(1, MAX_HEIGHT + 1)) for men in (1, 2)
    ]
    return -math.log(likely[owner - 1] / sum(likely))


def test_sides_are_looked_at_where_the_tops_are() -> None:
    """White and teal men on a drawn board; teal ones whose tops show little but the lamp stand well aside, so that
    below where tops usually are there is no side."""
    layout = named_layout("hexhex-3")
    pose = camera(layout, 25.0, 20.0)
    image, pitch = draw(layout, pose), layout.pitch_mm
    views = cell_views(pose, layout)
    owners = {i: 1 + k % 2 for k, i in enumerate((1, 4, 6, 9, 11, 13, 16, 18))}
    mirroring = (4, 13)
    for i, owner in owners.items():
        aside = 0.08 * pitch * (views.across[i] - views.away[i]) if i in mirroring else 0.0
        x, y = np.array(layout.centres_mm[i]) + aside
        colour = ((226, 228, 232), (120, 116, 24))[owner - 1]
        draw_round(image, pose, (x, y), 0.71 * pitch, 0.22 * pitch, colour, (226, 222, 196) if i in mirroring else None)
    material = Material((parse_colour("white"), parse_colour("teal")))
    readings = CellReader(pose, layout, learn_table(image, pose, layout, material)).read(image)
    assert {i: readings[i].best().men for i in owners} == owners
