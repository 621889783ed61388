"""The profile file: everything calibrated or typed once, versioned TOML with units in its names.

    version = 1
    [options]   # any long option of a command, without its dashes
    [lens]      # size_px, fx_px, fy_px, cx_px, cy_px, distortion, rms_px, views
    [board]     # name, size_px, pitch_mm, disk_mm, man_mm, rotation, translation_mm, residual_px, confidence
    [colours]   # what the words for men and disks look like on this table
    [leds]      # which LED lights which cell

A calibration rewrites its own section and leaves every other line of the file as it was.
"""

import contextlib
import math
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.errors import CalibrationError
from engine.layout import Layout
from vision.geometry import BoardPose, Lens, scaled_lens

VERSION = 1
SECTIONS = ("options", "lens", "board", "colours", "leds")
#: Pictures of another size are the same pictures when their sides are in proportion to this, as a ratio.
_SAME_SHAPE = 0.01

Option = str | int | float | bool


@dataclass(frozen=True, slots=True)
class LensProfile:
    """A calibrated lens, the root mean square of its reprojection error, and how many views it rests on."""

    lens: Lens
    rms_px: float
    views: int


@dataclass(frozen=True, slots=True)
class BoardProfile:
    """A board that stays where it is: its pose when it was calibrated and what its pieces measure, as far as known."""

    name: str
    pose: BoardPose
    pitch_mm: float
    disk_mm: tuple[float, float] | None
    man_mm: tuple[float, float] | None
    residual_px: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile file that has been read; sections it lacks are None or empty."""

    source: str
    options: Mapping[str, Option] = field(default_factory=dict)
    lens: LensProfile | None = None
    board: BoardProfile | None = None
    colours: Mapping[str, Any] = field(default_factory=dict)
    leds: Mapping[str, Any] = field(default_factory=dict)

    def lens_for(self, width_px: int, height_px: int) -> Lens | None:
        """The lens for pictures of a size; None when none was calibrated.

        Raises `CalibrationError` when it was calibrated with pictures of another shape: the camera then uses another
        part of its sensor.
        """
        if self.lens is None:
            return None
        lens = self.lens.lens
        if abs(lens.width_px * height_px / (lens.height_px * width_px) - 1) > _SAME_SHAPE:
            was = f"{lens.width_px}×{lens.height_px}"
            raise CalibrationError(
                f"{self.source}: the lens was calibrated at {was} px, these pictures of {width_px}×{height_px} px "
                "have another shape; calibrate it again at that size"
            )
        return scaled_lens(lens, width_px, height_px)

    def layout_for(self, layout: Layout) -> Layout:
        """The layout with the dimensions that were calibrated on a board of its name, where it has none of its own."""
        board = self.board
        if board is None or board.name != layout.name:
            return layout
        scale = layout.pitch_mm / board.pitch_mm
        return replace(
            layout,
            disk_mm=layout.disk_mm or _scaled(board.disk_mm, scale),
            man_mm=layout.man_mm or _scaled(board.man_mm, scale),
        )


def load_profile(path: Path) -> Profile:
    """Read a profile. Raises `CalibrationError` for a file that cannot be read, is of another version, or is wrong."""
    data = _parse(_read(path), str(path))
    sections = {name: _table(data, name, path) for name in SECTIONS}
    try:
        return Profile(
            str(path),
            _options(sections["options"]),
            _lens(sections["lens"]) if sections["lens"] else None,
            _board(sections["board"]) if sections["board"] else None,
            sections["colours"],
            sections["leds"],
        )
    except (ValueError, KeyError, TypeError) as error:
        what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        raise CalibrationError(f"profile {path}: {what}") from None


def save_section(path: Path, section: str, values: Mapping[str, Any]) -> None:
    """Put a section into a profile file, new or old, at once or not at all; every other line stays as it is.

    `values` hold texts, numbers, booleans, lists of them, and tables of those. Raises `CalibrationError` for a file
    that is no profile of this version or cannot be written.
    """
    if section not in SECTIONS:
        raise ValueError(f"no section '{section}' in a profile; there are {', '.join(SECTIONS)}")
    text = _read(path) if path.exists() else f"version = {VERSION}\n"
    before = _parse(text, str(path))
    kept = _without_section(text, section).rstrip("\n")
    new = f"{kept}\n\n{section_text(section, values)}"
    after = tomllib.loads(new)
    if {k: v for k, v in after.items() if k != section} != {k: v for k, v in before.items() if k != section}:
        raise CalibrationError(f"profile {path}: its layout is too unusual to change only [{section}] in it")
    _write_atomically(path, new)


def section_text(section: str, values: Mapping[str, Any]) -> str:
    """A section as TOML, tables inside it last."""
    plain = {k: v for k, v in values.items() if not isinstance(v, Mapping) and v is not None}
    lines = [f"[{section}]", *(f"{_key(k)} = {_value(v)}" for k, v in plain.items())]
    text = "\n".join(lines) + "\n"
    for key, table in values.items():
        if isinstance(table, Mapping):
            text += "\n" + section_text(f"{section}.{_key(key)}", table)
    return text


def lens_values(profile: LensProfile) -> dict[str, Any]:
    """The `[lens]` section, with the names that the command-line contract gives its fields."""
    lens = profile.lens
    return {
        "size_px": [lens.width_px, lens.height_px],
        "fx_px": round(lens.fx_px, 3),
        "fy_px": round(lens.fy_px, 3),
        "cx_px": round(lens.cx_px, 3),
        "cy_px": round(lens.cy_px, 3),
        "distortion": [round(v, 6) for v in lens.distortion],
        "rms_px": round(profile.rms_px, 4),
        "views": profile.views,
    }


def board_values(board: BoardProfile) -> dict[str, Any]:
    """The `[board]` section."""
    lens = board.pose.lens
    return {
        "name": board.name,
        "pitch_mm": board.pitch_mm,
        "disk_mm": None if board.disk_mm is None else [round(v, 3) for v in board.disk_mm],
        "man_mm": None if board.man_mm is None else [round(v, 3) for v in board.man_mm],
        "rotation": [round(float(v), 9) for v in board.pose.rotation.ravel()],
        "translation_mm": [round(float(v), 4) for v in board.pose.translation_mm],
        "residual_px": round(board.residual_px, 3),
        "confidence": round(board.confidence, 3),
        "lens": {k: v for k, v in lens_values(LensProfile(lens, 0.0, 0)).items() if k not in ("rms_px", "views")},
    }


def _parse(text: str, source: str) -> dict[str, Any]:
    """The file's tables, its version and section names checked."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CalibrationError(f"profile {source}: not a TOML file: {error}") from None
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise CalibrationError(f"profile {source}: no 'version = {VERSION}' at its top, so it is no profile of ours")
    if version != VERSION:
        what = "an old one: calibrate again" if version < VERSION else "newer than this program"
        raise CalibrationError(f"profile {source}: version {version} instead of {VERSION}, {what}")
    if unknown := sorted(set(data) - {"version", *SECTIONS}):
        raise CalibrationError(f"profile {source}: unknown section '{unknown[0]}'; known are {', '.join(SECTIONS)}")
    return data


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CalibrationError(f"profile {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CalibrationError(f"profile {path}: not a text file") from None


def _table(data: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise CalibrationError(f"profile {path}: {name} is a table, [{name}], not {table!r}")
    return table


def _options(table: dict[str, Any]) -> dict[str, Option]:
    for key, value in table.items():
        if not isinstance(value, str | int | float):
            raise ValueError(f"options.{key} is a text, a number, true or false, not {value!r}")
    return table


def _numbers(table: dict[str, Any], key: str, count: int) -> tuple[float, ...]:
    value = table[key]
    good = isinstance(value, list) and len(value) == count
    if not good or not all(isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v) for v in value):
        raise ValueError(f"{key} is a list of {count} numbers, not {value!r}")
    return tuple(float(v) for v in value)


def _number(table: dict[str, Any], key: str) -> float:
    return _numbers({key: [table[key]]}, key, 1)[0]


def _bare_lens(table: dict[str, Any]) -> Lens:
    width, height = _numbers(table, "size_px", 2)
    k1, k2, p1, p2, k3 = _numbers(table, "distortion", 5)
    fx, fy, cx, cy = (_number(table, key) for key in ("fx_px", "fy_px", "cx_px", "cy_px"))
    return Lens(int(width), int(height), fx, fy, cx, cy, (k1, k2, p1, p2, k3))


def _lens(table: dict[str, Any]) -> LensProfile:
    return LensProfile(_bare_lens(table), _number(table, "rms_px"), int(_number(table, "views")))


def _board(table: dict[str, Any]) -> BoardProfile:
    if not isinstance(table["name"], str):
        raise ValueError(f"board.name is a text, not {table['name']!r}")
    rotation = np.array(_numbers(table, "rotation", 9)).reshape(3, 3)
    if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-3):
        raise ValueError("board.rotation is no rotation")
    pose = BoardPose(_bare_lens(table["lens"]), rotation, np.array(_numbers(table, "translation_mm", 3)))
    disk, man = (_numbers(table, key, 2) if key in table else None for key in ("disk_mm", "man_mm"))
    return BoardProfile(
        table["name"],
        pose,
        _number(table, "pitch_mm"),
        None if disk is None else (disk[0], disk[1]),
        None if man is None else (man[0], man[1]),
        _number(table, "residual_px"),
        _number(table, "confidence"),
    )


def _scaled(size: tuple[float, float] | None, scale: float) -> tuple[float, float] | None:
    return None if size is None else (size[0] * scale, size[1] * scale)


def _without_section(text: str, section: str) -> str:
    """The text without a section, its sub-tables and the blank lines before them."""
    header = re.compile(rf"\s*\[\s*{section}\s*(\.[^\]]*)?\]\s*(#.*)?$")
    kept: list[str] = []
    dropping = False
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            dropping = header.match(line) is not None
        if not dropping:
            kept.append(line)
    return "\n".join(kept)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(float(value))  # numpy's own would print its type
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    raise TypeError(f"no place in a profile for {value!r}")


def _write_atomically(path: Path, text: str) -> None:
    """Replace a file by a complete one, on disk before its name changes."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
            Path(name).chmod(mode)
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise CalibrationError(f"profile {path}: cannot be written: {error.strerror}") from None
