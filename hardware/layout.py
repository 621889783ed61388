"""LED layouts: which LEDs light which cell, which make up a panel, and the limits of the strip.

A layout comes from a file (TOML), from a preset, or is the plain one: LED i under the i-th cell in the order of names.
Every LED is used exactly once or listed as unused; anything else is refused.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hardware.errors import LedLayoutError
from hardware.frame import LedFrame
from hardware.power import CEILING, DEFAULT_LIMIT_MA, check_limits

DEFAULT_BAUD = 115200
ORDERS = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR")
#: How the LEDs of a panel follow each other: by rows or columns, all in one direction or back and forth.
WIRINGS = ("rows", "serpentine-rows", "columns", "serpentine-columns")

_KEYS = {"leds", "color_order", "limit_ma", "ceiling", "baud", "unused", "cells", "panels"}
_PANEL_KEYS = {"name", "width", "height", "first", "wiring"}


@dataclass(frozen=True, slots=True)
class Panel:
    """A matrix of LEDs: pixel (0, 0) is the upper left one and LED `first` lights it."""

    name: str
    width: int
    height: int
    first: int
    wiring: str = "serpentine-columns"

    def __post_init__(self) -> None:
        if self.wiring not in WIRINGS:
            raise LedLayoutError(f"panel '{self.name}': wiring is one of {', '.join(WIRINGS)}, not '{self.wiring}'")
        if min(self.width, self.height) < 1 or self.first < 0:
            raise LedLayoutError(
                f"panel '{self.name}': {self.width} × {self.height} LEDs from LED {self.first} is no panel"
            )

    def led(self, x: int, y: int) -> int:
        """The LED at column x from the left, row y from the top."""
        across, along, length = (x, y, self.height) if self.wiring.endswith("columns") else (y, x, self.width)
        if self.wiring.startswith("serpentine") and across % 2:
            along = length - 1 - along
        return self.first + across * length + along

    @property
    def leds(self) -> range:
        """All LEDs of the panel."""
        return range(self.first, self.first + self.width * self.height)


@dataclass(frozen=True, slots=True)
class LedLayout:
    """The LEDs of a board. `cells[i]` are the LEDs of the cell `names[i]`, the main one first.

    Raises `LedLayoutError` unless every LED from 0 to `count` − 1 is used once or listed as unused, and every cell has
    at least one LED.
    """

    count: int
    names: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    panels: tuple[Panel, ...] = ()
    unused: tuple[int, ...] = ()
    order: str = "RGB"
    limit_ma: float = DEFAULT_LIMIT_MA
    ceiling: int = CEILING
    baud: int = DEFAULT_BAUD

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise LedLayoutError(f"color_order is one of {', '.join(ORDERS)}, not '{self.order}'")
        if not 300 <= self.baud <= 4_000_000:
            raise LedLayoutError(f"baud is 300 to 4000000, not {self.baud}")
        check_limits(self.limit_ma, self.ceiling)
        if len(self.names) != len(self.cells):
            raise LedLayoutError(f"{len(self.names)} cell names for {len(self.cells)} lists of LEDs")
        self._check_every_led_once()

    def _check_every_led_once(self) -> None:
        user: dict[int, str] = {}
        for what, leds in self._uses():
            if not leds:
                raise LedLayoutError(f"{what} has no LED")
            for led in leds:
                if not 0 <= led < self.count:
                    raise LedLayoutError(f"{what} uses LED {led}, but there are only LEDs 0 to {self.count - 1}")
                if led in user:
                    raise LedLayoutError(f"LED {led} is used twice: by {user[led]} and by {what}")
                user[led] = what
        left = [led for led in range(self.count) if led not in user]
        if left:
            more = f" and {len(left) - 5} more" if len(left) > 5 else ""
            raise LedLayoutError(
                f"no cell or panel uses LED {', '.join(map(str, left[:5]))}{more}: give a use or list under 'unused'"
            )

    def _uses(self) -> Iterator[tuple[str, Sequence[int]]]:
        yield from ((f"cell {name}", leds) for name, leds in zip(self.names, self.cells, strict=True))
        yield from ((f"panel '{panel.name}'", panel.leds) for panel in self.panels)
        yield from (("the list 'unused'", (led,)) for led in self.unused)

    def wired(self, frame: LedFrame) -> LedFrame:
        """The frame with its channels in the strip's colour order."""
        if self.order == "RGB":
            return frame
        places = ["RGB".index(letter) for letter in self.order]
        return LedFrame(bytes(frame.rgb[at + p] for at in range(0, len(frame.rgb), 3) for p in places))

    def as_toml(self) -> str:
        """The layout as the text of a layout file; `parse_led_layout` reads it back."""
        lines = [
            f"leds = {self.count}",
            f'color_order = "{self.order}"  # the order in which the strip takes its channels',
            f"limit_ma = {self.limit_ma:g}  # estimated current of all LEDs together",
            f"ceiling = {self.ceiling}  # highest channel value, at most {CEILING}",
            f"baud = {self.baud}",
            f"unused = {list(self.unused)}",
            "",
            "[cells]  # name = LED, or a list of LEDs with the main one first",
        ]
        for name, leds in zip(self.names, self.cells, strict=True):
            lines.append(f"{_key(name)} = {leds[0] if len(leds) == 1 else list(leds)}")
        for panel in self.panels:
            lines += ["", "[[panels]]", f"name = {_quoted(panel.name)}", f"width = {panel.width}"]
            lines += [f"height = {panel.height}", f"first = {panel.first}", f'wiring = "{panel.wiring}"']
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _quoted(name)


def plain_layout(names: Sequence[str], baud: int = DEFAULT_BAUD) -> LedLayout:
    """One LED a cell: LED i is the i-th cell in the order of names."""
    return LedLayout(len(names), tuple(names), tuple((i,) for i in range(len(names))), baud=baud)


def preset_layout(names: Sequence[str], serpentine: bool = False, per_cell: int = 1, panel: str = "") -> LedLayout:
    """Rows of cells one after the other, straight or serpentine, with `per_cell` LEDs each and perhaps a score panel.

    `panel` is WIDTHxHEIGHT; its LEDs follow those of the cells, in serpentine columns. The main LED of a cell is the
    middle one. Raises `LedLayoutError`.
    """
    if not 1 <= per_cell <= 64:
        raise LedLayoutError(f"a cell has 1 to 64 LEDs, not {per_cell}")
    rows: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        rows.setdefault(name[0], []).append(i)
    leds: dict[int, tuple[int, ...]] = {}
    for number, row in enumerate(rows.values()):
        for i in reversed(row) if serpentine and number % 2 else row:
            first = len(leds) * per_cell
            middle = first + per_cell // 2
            leds[i] = (middle, *(led for led in range(first, first + per_cell) if led != middle))
    panels = parse_panel(panel, len(names) * per_cell)
    count = len(names) * per_cell + sum(len(p.leds) for p in panels)
    return LedLayout(count, tuple(names), tuple(leds[i] for i in range(len(names))), panels)


def parse_panel(text: str, first: int) -> tuple[Panel, ...]:
    """The score panel of `WIDTHxHEIGHT` from LED `first` on; none for an empty text. Raises `LedLayoutError`."""
    if not text:
        return ()
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise LedLayoutError(f"a panel is WIDTHxHEIGHT, such as 32x8, not '{text}'")
    return (Panel("score", int(width), int(height), first),)


def parse_led_layout(text: str, source: str, names: Sequence[str]) -> LedLayout:
    """The layout of a file's text for a board with these cell names; `source` names it in a `LedLayoutError`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LedLayoutError(f"{source}: not a TOML file: {error}") from None
    try:
        return _layout_of(data, names)
    except LedLayoutError as error:
        raise LedLayoutError(f"{source}: {error}") from None


def _layout_of(data: dict[str, Any], names: Sequence[str]) -> LedLayout:
    if unknown := sorted(set(data) - _KEYS):
        raise LedLayoutError(f"unknown key '{unknown[0]}'; a layout file has {', '.join(sorted(_KEYS))}")
    limit = data.get("limit_ma", DEFAULT_LIMIT_MA)
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise LedLayoutError(f"limit_ma is a number of milliamperes, not {limit!r}")
    order = data.get("color_order", "RGB")
    if not isinstance(order, str):
        raise LedLayoutError(f"color_order is one of {', '.join(ORDERS)}, not {order!r}")
    return LedLayout(
        count=_whole(data.get("leds"), "leds"),
        names=tuple(names),
        cells=_cells(data.get("cells"), names),
        panels=_panels(data.get("panels", [])),
        unused=_leds(data.get("unused", []), "unused"),
        order=order,
        limit_ma=float(limit),
        ceiling=_whole(data.get("ceiling", CEILING), "ceiling"),
        baud=_whole(data.get("baud", DEFAULT_BAUD), "baud"),
    )


def _whole(value: Any, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise LedLayoutError(f"{key} is missing" if value is None else f"{key} is a whole number, not {value!r}")
    return value


def _leds(value: Any, key: str) -> tuple[int, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(_whole(led, key) for led in values)


def _cells(table: Any, names: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    if not isinstance(table, dict):
        raise LedLayoutError("[cells] is missing: it names the LEDs of every cell")
    if strangers := [name for name in table if name not in set(names)]:
        raise LedLayoutError(f"cell {strangers[0]} is not on this board ({names[0]} … {names[-1]})")
    if missing := [name for name in names if name not in table]:
        raise LedLayoutError(f"cell {missing[0]} has no LED ({len(missing)} of {len(names)} cells are missing)")
    return tuple(_leds(table[name], f"cells.{name}") for name in names)


def _panels(tables: Any) -> tuple[Panel, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise LedLayoutError("panels are written as [[panels]] tables")
    panels = []
    for i, table in enumerate(tables):
        where = f"panels[{i}]"
        if unknown := sorted(set(table) - _PANEL_KEYS):
            raise LedLayoutError(f"{where}: unknown key '{unknown[0]}'; a panel has {', '.join(sorted(_PANEL_KEYS))}")
        name, wiring = table.get("name", "score"), table.get("wiring", "serpentine-columns")
        if not isinstance(name, str) or not isinstance(wiring, str):
            raise LedLayoutError(f"{where}: name and wiring are texts")
        width, height, first = (_whole(table.get(key), f"{where}.{key}") for key in ("width", "height", "first"))
        panels.append(Panel(name, width, height, first, wiring))
    return tuple(panels)
