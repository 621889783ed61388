"""An eye on the sample film that reads the truth, so that what it sees tells how it follows, not how it reads."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.look import BoardLook, CellLook, CellReading, certain
from tests.footage_places import SAMPLES
from tests.vision.film_truth import FilmTruth
from vision.eye import Eye, EyeSettings
from vision.finding.find import FoundBoard, NotFound
from vision.frame import Frame
from vision.geometry import BoardPose
from vision.picture import Picture
from vision.sights import Sight, Still
from vision.sources import open_source
from vision.surfaces.cell_marks import CellMarks

TRUTH = FilmTruth(SAMPLES / "sample.mp4")
LAST_S = 30.0

Change = Callable[[Picture, int], Picture]


class Learned:
    """What is learned of a table by who knows all: what is printed on its cells, too."""

    marks = CellMarks(np.zeros((1, 1, 3)), None)

    def on_whole(self, *_: object) -> "Learned":
        """The same for a board of which only a part was seen."""
        return self


@dataclass
class Table:
    """A table whose contents are known: a reader that answers from the truth, at the frame that the eye is at."""

    frame: int = 0
    read_cells: list[int] = field(default_factory=list)
    looks: dict[int, BoardLook] = field(default_factory=dict)

    def __post_init__(self) -> None:
        current = list(TRUTH.looks(-1))
        self.looks[0] = tuple(current)
        for frame, cell, look in TRUTH.changes():
            current[cell] = look
            self.looks[frame] = tuple(current)

    def now(self) -> BoardLook:
        """What lies on the table."""
        return self.looks[max(frame for frame in self.looks if frame <= self.frame)]

    def free(self, maps: NDArray[np.float32], without: object = ()) -> NDArray[np.bool_]:
        """No corner of the board shows beside its men: nobody can tell what covers it from the beginning."""
        return np.zeros(maps.shape[:-1], bool)

    def read(
        self,
        image: Picture,
        hidden: NDArray[np.bool_] | None = None,
        cells: Sequence[int] | None = None,
        patient: bool = False,
    ) -> tuple[CellReading, ...]:
        """The truth, whatever the picture shows."""
        self.read_cells += cells or ()
        return tuple(self.told(cell, look) for cell, look in enumerate(self.now()))

    def told(self, cell: int, look: CellLook) -> CellReading:
        """What is said of a cell with such a look."""
        return certain(look)


def film_frames(change: Change | None = None, to_s: float = LAST_S) -> Iterator[Frame]:
    """The sample film, every picture changed."""
    source = open_source(str(TRUTH.film))
    for frame in source:
        if frame.t_s > to_s:
            source.close()
            return
        yield replace(frame, image=change(frame.image, frame.index)) if change else frame


def truthful_eye(table: Table, find: Callable[..., FoundBoard | NotFound] | None = None, **settings: float) -> Eye:
    """An eye that finds the board where it truly is at first, or by `find`, and reads the truth."""
    found = FoundBoard(TRUTH.pose(), 0.1, 1.0)
    return Eye(
        TRUTH.layout,
        TRUTH.material,
        settings=EyeSettings(**settings),
        find=find or (lambda *_: found),
        learn=lambda *_: Learned(),
        relight=lambda table, *_: table,
        make_reader=lambda *_: table,
    )


def watched(eye: Eye, table: Table, frames: Iterable[Frame]) -> list[tuple[int, Sight]]:
    """Every sight with its frame's number."""
    sights: list[tuple[int, Sight]] = []
    for frame in frames:
        table.frame = frame.index
        sights += [(frame.index, sight) for sight in eye.step(frame)]
    return sights


def of_kind(sights: list[tuple[int, Sight]], kind: type) -> list[tuple[int, Sight]]:
    """The sights of one kind, with their frames' numbers."""
    return [(index, sight) for index, sight in sights if isinstance(sight, kind)]


def seen_after_every_visit(
    sights: list[tuple[int, Sight]], to_frame: int, within_s: float = 0.35, left_s: float = 0.0
) -> None:
    """After each reach of a hand that leaves the board alone for `left_s` there is a reading of the whole board, right
    in every cell, within `within_s`."""
    table = Table()
    for visit in TRUTH.visits():
        if visit.still_to > to_frame:
            break
        if (visit.still_to - visit.gone) / TRUTH.fps < left_s:
            continue
        whole = [
            (index, sight.reading)
            for index, sight in sights
            if isinstance(sight, Still)
            and visit.gone - 4 <= index <= visit.still_to
            and not any(cell.unseen for cell in sight.reading.cells)
        ]
        assert whole, f"nothing seen in frames {visit.gone} to {visit.still_to}"
        assert (whole[0][0] - visit.gone) / TRUTH.fps <= within_s
        table.frame = visit.still_to
        assert tuple(cell.best() for cell in whole[-1][1].cells) == table.now()


def turned_pose(pose: BoardPose, matrix: NDArray[np.float64]) -> BoardPose:
    """The pose that explains a picture moved by a 2×3 matrix."""
    centres = np.array([(x, y, 0.0) for x, y in TRUTH.layout.centres_mm])
    pixels = pose.project(centres) @ matrix[:, :2].T + matrix[:, 2]
    lens = pose.lens
    _, turn, shift = cv2.solvePnP(centres, pixels, lens.matrix, np.array(lens.distortion), flags=cv2.SOLVEPNP_IPPE)
    return BoardPose(lens, np.asarray(cv2.Rodrigues(turn)[0], np.float64), np.ravel(shift).astype(np.float64))
