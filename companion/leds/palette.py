"""Palettes of the lights: which colour means what. Named ones, and files of one's own."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from companion.errors import InputError
from hardware.frame import Rgb


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of the lights at full brightness. The defaults are those of the command-line contract.

    `pulse_marks`: cells with a single LED show their marks (the last move, what a move leaves behind) as short pulses.
    """

    virgin: Rgb = (0, 0, 0)
    pasture: Rgb = (0, 96, 0)
    wall: Rgb = (96, 32, 0)
    target: Rgb = (0, 0, 96)
    lifted: Rgb = (96, 96, 96)
    reminder: Rgb = (96, 0, 0)
    alarm: Rgb = (96, 0, 0)
    last: Rgb = (24, 24, 24)
    first: Rgb = (96, 96, 96)
    second: Rgb = (96, 64, 0)
    idle: Rgb = (0, 4, 12)
    castle: Rgb = (48, 0, 72)
    throne: Rgb = (96, 64, 0)
    light: Rgb = (72, 72, 72)
    dark: Rgb = (48, 0, 72)
    pulse_marks: bool = False

    def tile(self, word: str) -> Rgb:
        """The colour of a tile in the contract's words; open cells are dark. Raises `KeyError` for another word."""
        return getattr(self, _FIELD_OF_TILE[word])  # type: ignore[no-any-return]


_FIELD_OF_TILE: Mapping[str, str] = {
    "virgin": "virgin",
    "territory": "pasture",
    "wall": "wall",
    "open": "virgin",
    "castle": "castle",
    "throne": "throne",
    "light": "light",
    "dark": "dark",
}

#: `colour-blind` keeps to the blue and orange axis that all common kinds of colour blindness leave, and to brightness.
PALETTES: Mapping[str, Palette] = {
    "default": Palette(),
    "high-contrast": Palette(
        virgin=(6, 6, 6),
        pasture=(0, 140, 0),
        wall=(170, 50, 0),
        target=(0, 60, 170),
        lifted=(170, 170, 170),
        reminder=(170, 0, 60),
        alarm=(170, 0, 0),
        last=(100, 100, 0),
        pulse_marks=True,
    ),
    "colour-blind": Palette(
        pasture=(0, 30, 110),
        wall=(110, 48, 0),
        target=(20, 90, 140),
        lifted=(150, 150, 130),
        reminder=(150, 110, 0),
        alarm=(110, 0, 60),
        last=(40, 40, 40),
        first=(90, 90, 90),
        second=(110, 48, 0),
        pulse_marks=True,
    ),
}
_COLOURS = tuple(f.name for f in fields(Palette) if f.name != "pulse_marks")


def parse_palette(text: str, source: str) -> Palette:
    """The palette of a file's text (TOML): `base`, `pulse_marks`, and a colour per name. Raises `InputError`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"palette {source}: not a TOML file: {error}") from None
    base = named_palette(data.pop("base", "default"))
    pulse = data.pop("pulse_marks", base.pulse_marks)
    if not isinstance(pulse, bool):
        raise InputError(f"palette {source}: pulse_marks is true or false, not {pulse!r}")
    if unknown := sorted(set(data) - set(_COLOURS)):
        raise InputError(f"palette {source}: unknown colour '{unknown[0]}'; known are {', '.join(_COLOURS)}")
    colours: dict[str, Any] = {name: _rgb(value, f"palette {source}: {name}") for name, value in data.items()}
    return replace(base, pulse_marks=pulse, **colours)


def named_palette(name: str) -> Palette:
    """A palette by its name. Raises `InputError` that lists the known ones."""
    if name not in PALETTES:
        raise InputError(f"unknown palette '{name}'; known are {', '.join(PALETTES)}, or give a file (.toml)")
    return PALETTES[name]


def _rgb(value: Any, where: str) -> Rgb:
    if isinstance(value, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        red, green, blue = bytes.fromhex(value[1:])
        return red, green, blue
    if isinstance(value, list) and len(value) == 3 and all(type(v) is int and 0 <= v <= 255 for v in value):
        return value[0], value[1], value[2]
    raise InputError(f"{where} is '#rrggbb' or [red, green, blue] from 0 to 255, not {value!r}")
