"""Calibrate colours: what the words for the men look like on this table, in daylight's terms."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibration.errors import CalibrationError
from engine.layout import Layout
from engine.look import MAX_HEIGHT, CellReading
from vision.geometry import BoardPose
from vision.palette import RGB, Colour, Material
from vision.picture import Picture
from vision.reading.first_look import first_look

#: Men that are somebody's with less probability do not count.
_SURE = 0.9


@dataclass(frozen=True, slots=True)
class ColoursProfile:
    """The men's colours as learned: word → sRGB, on how many cells each was seen, and the mean probability with
    which those men are told apart afterwards, by which a person can judge."""

    men: Mapping[str, RGB]
    cells: Mapping[str, int]
    confidence: float


def calibrate_colours(picture: Picture, pose: BoardPose, layout: Layout, material: Material) -> ColoursProfile:
    """Learn the men's colours from the board as it stands in a picture (H, W, 3).

    Both colours must stand on the board, singly or in stacks. Raises `CalibrationError` that names a missing one.
    """
    look = first_look(picture, pose, layout, material)
    owners = sure_owners(look.cells)
    count = Counter(owner for owner, _ in owners)
    for owner, colour in material.owners.items():
        if not count[owner]:
            raise CalibrationError(f"no {colour.word} men can be made out: set some of each colour on the board")
    white = np.array(material.yardstick.linear)
    linear = np.asarray(look.table.men.linear_bgr)[:, ::-1] * white
    men = {colour.word: _srgb(linear[i]) for i, colour in enumerate(material.owners.values())}
    cells = {colour.word: count[owner] for owner, colour in material.owners.items()}
    return ColoursProfile(men, cells, float(np.mean([chance for _, chance in owners])))


def sure_owners(cells: Sequence[CellReading]) -> list[tuple[int, float]]:
    """(owner, probability) of the men that stand on cells, whatever their height, where they are surely somebody's."""
    chances = np.exp(np.array([cell.men for cell in cells]))
    chances /= chances.sum(axis=1, keepdims=True)
    of_owner = chances[:, 1:].reshape(len(cells), -1, MAX_HEIGHT).sum(axis=2)
    best = of_owner.argmax(axis=1)
    return [(int(b) + 1, float(p[b])) for b, p in zip(best, of_owner, strict=True) if p[b] > _SURE]


def colours_values(profile: ColoursProfile) -> dict[str, Any]:
    """The `[colours]` section."""
    return {
        "cells": dict(profile.cells),
        "confidence": round(profile.confidence, 4),
        "men_rgb": {word: list(rgb) for word, rgb in profile.men.items()},
    }


def material_with(material: Material, section: Mapping[str, Any]) -> Material:
    """The material with the men's colours of a profile's `[colours]` section, where it knows their words."""
    known = section.get("men_rgb", {})

    def learned(colour: Colour) -> Colour:
        rgb = known.get(colour.word)
        return colour if rgb is None else Colour(colour.word, (int(rgb[0]), int(rgb[1]), int(rgb[2])))

    first, second = material.men
    if material.neutral is not None:
        return replace(material, neutral=learned(material.neutral))
    return replace(material, men=(learned(first), learned(second)))


def _srgb(linear: np.ndarray) -> RGB:
    """sRGB (0–255) of linear light (0–1), IEC 61966-2-1."""
    light = np.clip(linear, 0, 1)
    shown = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    r, g, b = (round(float(v) * 255) for v in shown)
    return r, g, b
