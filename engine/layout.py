"""Board files: which cells a board has and where they are on the real thing, in millimetres.

A layout is made from a plain name (`hexhex-5`) or from the text of a board file (TOML). A board with free cell
centres (`[points_mm]`) has no axial lattice: it can be read, not played.
"""

import math
import tomllib
from dataclasses import dataclass
from typing import Any

from engine.board import Board, Cell, from_cells, from_modules, named_board
from engine.errors import BoardError

Point = tuple[float, float]

#: Cell pitch that stands in when the true one is unknown; everything else is then in proportion to it.
NOMINAL_PITCH_MM = 40.0

_KEYS = {"name", "modules", "cells", "pitch_mm", "man_mm", "disk_mm", "markers_mm", "marker_size_mm", "points_mm"}


@dataclass(frozen=True, slots=True)
class Layout:
    """A board on a table. Lengths in millimetres, x right, y up, z towards the viewer, origin at axial (0, 0).

    `board` is None for free cell centres; `man_mm` and `disk_mm` are (diameter, thickness), None when unknown;
    `pitch_known` tells whether `pitch_mm` was measured or is the nominal one.
    """

    name: str
    board: Board | None
    names: tuple[str, ...]
    centres_mm: tuple[Point, ...]
    pitch_mm: float = NOMINAL_PITCH_MM
    pitch_known: bool = False
    man_mm: tuple[float, float] | None = None
    disk_mm: tuple[float, float] | None = None
    markers_mm: tuple[tuple[int, Point], ...] = ()
    marker_size_mm: float | None = None

    def __post_init__(self) -> None:
        if len(self.names) != len(self.centres_mm):
            raise BoardError(f"board '{self.name}' has {len(self.names)} names for {len(self.centres_mm)} cell centres")


def axial_to_mm(cell: Cell, pitch_mm: float) -> Point:
    """Centre of a cell in the board's own frame."""
    return pitch_mm * (cell.q + cell.r / 2), -pitch_mm * math.sqrt(3) / 2 * cell.r


def layout_of(board: Board, pitch_mm: float | None = None, **known: Any) -> Layout:
    """The layout of a board with hexagonal cells; `known` are further fields of `Layout`."""
    pitch = NOMINAL_PITCH_MM if pitch_mm is None else pitch_mm
    centres = tuple(axial_to_mm(c, pitch) for c in board.cells)
    return Layout(board.name, board, board.names, centres, pitch, pitch_mm is not None, **known)


def parse_layout(text: str, source: str) -> Layout:
    """The layout of a board file's text; `source` names it in errors. Raises `BoardError`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BoardError(f"{source}: not a TOML file: {error}") from None
    if unknown := sorted(set(data) - _KEYS):
        raise BoardError(f"{source}: unknown key '{unknown[0]}'; a board file has {', '.join(sorted(_KEYS))}")
    name = data.get("name", source.rsplit("/", 1)[-1].removesuffix(".toml"))
    if not isinstance(name, str):
        raise BoardError(f"{source}: name is a text, not {name!r}")
    shapes = [key for key in ("modules", "cells", "points_mm") if key in data]
    if len(shapes) != 1:
        raise BoardError(
            f"{source}: a board file has exactly one of modules, cells and [points_mm], found {len(shapes)}"
        )
    known = {
        "man_mm": _size(data, "man_mm", source),
        "disk_mm": _size(data, "disk_mm", source),
        "markers_mm": _markers(data, source),
        "marker_size_mm": _length(data, "marker_size_mm", source),
    }
    pitch = _length(data, "pitch_mm", source)
    if shapes == ["points_mm"]:
        return _free_layout(data["points_mm"], name, pitch, known, source)
    cells = _pairs(data[shapes[0]], shapes[0], source)
    board = from_modules(cells, name) if shapes == ["modules"] else from_cells(cells, name)
    return layout_of(board, pitch, **known)


def named_layout(name: str) -> Layout:
    """The layout of a plain board name. Raises `BoardError`."""
    return layout_of(named_board(name))


def _free_layout(points: Any, name: str, pitch: float | None, known: dict[str, Any], source: str) -> Layout:
    if not isinstance(points, dict) or len(points) < 3:
        raise BoardError(f"{source}: [points_mm] needs at least three cells, name = [x, y]")
    centres = {key: _point(value, f"points_mm.{key}", source) for key, value in points.items()}
    if len(set(centres.values())) != len(centres):
        raise BoardError(f"{source}: two cells of [points_mm] are at the same place")
    places = tuple(centres.values())
    nearest = min(math.dist(a, b) for i, a in enumerate(places) for b in places[:i])
    return Layout(name, None, tuple(centres), places, pitch or nearest, True, **known)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _length(data: dict[str, Any], key: str, source: str) -> float | None:
    value = data.get(key)
    if value is None:
        return None
    if not _number(value) or value <= 0:
        raise BoardError(f"{source}: {key} is a length in millimetres, not {value!r}")
    return float(value)


def _size(data: dict[str, Any], key: str, source: str) -> tuple[float, float] | None:
    value = data.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(_number(v) and v > 0 for v in value):
        raise BoardError(f"{source}: {key} is [diameter, thickness] in millimetres, not {value!r}")
    return float(value[0]), float(value[1])


def _point(value: Any, key: str, source: str) -> Point:
    if not isinstance(value, list) or len(value) != 2 or not all(_number(v) for v in value):
        raise BoardError(f"{source}: {key} is [x, y] in millimetres, not {value!r}")
    return float(value[0]), float(value[1])


def _markers(data: dict[str, Any], source: str) -> tuple[tuple[int, Point], ...]:
    table = data.get("markers_mm", {})
    if not isinstance(table, dict) or not all(key.isdigit() and int(key) < 1000 for key in table):
        raise BoardError(f"{source}: [markers_mm] is marker id = [x, y], ids from 0 to 999")
    return tuple((int(key), _point(value, f"markers_mm.{key}", source)) for key, value in table.items())


def _pairs(value: Any, key: str, source: str) -> list[tuple[int, int]]:
    if not isinstance(value, list) or not value:
        raise BoardError(f"{source}: {key} is a list of [q, r]")
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(v, int) for v in pair):
            raise BoardError(f"{source}: {key} holds {pair!r}, which is no [q, r]")
    return [(pair[0], pair[1]) for pair in value]
