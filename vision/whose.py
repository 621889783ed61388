"""Whose men stand there, by the colours of tops and sides in their strips."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Floats
from vision.layers import Singles
from vision.light import Light
from vision.men_colours import MenColours
from vision.net import StackBelief
from vision.sampling import REACH, STRIP_COLUMNS, STRIP_ENDS, STRIP_ROWS, Image

#: Samples of a top within its rim: radius in diameters, circles (as much of the top between any two), samples on each.
_TOP_RADIUS, _TOP_CIRCLES, _TOP_TURNS = 0.4, 8, 24
#: The darkest such part of them shows the man's own colour best: mirrored light comes on top of it.
_DARKEST = 0.25
#: Where a topmost man's side is looked at: how far around it from the nearest place (radians), and how far below its
#: upper edge (diameters).
_SIDE_TURNS, _SIDE_DEPTHS = np.radians(np.linspace(-65, 65, 7)), np.linspace(0.05, 0.17, 5)
#: A man's usual thickness in diameters; sides that look lower than so many pixels show no colour.
_SIDE, _LEAST_SIDE_PX = 0.25, 1.5
#: Sides of which a greater share is behind nearer stacks show no colour.
_HIDDEN = 0.25
#: Brighter than any pixel, the sum of its three values.
_BRIGHTEST = np.uint16(1000)

_Pixel = TypeVar("_Pixel", np.uint8, np.int8)


def _circles() -> Floats:
    radius = _TOP_RADIUS * np.sqrt(np.linspace(0.01, 1, _TOP_CIRCLES))[:, None]
    turn = np.linspace(0, 2 * np.pi, _TOP_TURNS, endpoint=False)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=-1).reshape(-1, 2)


_CIRCLES = _circles()


def top_colours(strips: Image, cover: NDArray[np.int8], stacks: StackBelief, light: Light) -> Floats:
    """Median colour (n, 3) of the darkest part of tops in strips (n, rows, columns, 3), in the table's light.

    `cover` (n, rows, columns): 1 where a nearer stack is in front; what shows there does not count.
    """
    flat = np.stack([np.ones(len(strips)), stacks.view[:, 1]], axis=1)
    places = stacks.risen()[:, None] + _CIRCLES * flat[:, None]
    pixels = _samples(strips, places)
    dark = np.where(_samples(cover, places) == 1, _BRIGHTEST, pixels.sum(axis=2, dtype=np.uint16))
    some = int(_DARKEST * len(_CIRCLES))
    darkest = np.argpartition(dark, some, axis=1)[:, :some]
    return _usual(np.take_along_axis(pixels, darkest[:, :, None], axis=1), light)


def side_colours(strips: Image, cover: NDArray[np.int8], stacks: StackBelief, light: Light) -> Floats:
    """Median colour (n, 3) of the sides of topmost men, in the table's light; NaN where they are too low to be seen or
    some of them is behind a nearer stack (`cover` as for tops)."""
    sine, cosine = stacks.view[:, 0, None, None], stacks.view[:, 1, None, None]
    down = 0.5 * np.cos(_SIDE_TURNS)[:, None] * cosine + _SIDE_DEPTHS * sine
    places = np.stack([np.broadcast_to(0.5 * np.sin(_SIDE_TURNS)[:, None], down.shape), -down], axis=-1)
    places = stacks.risen()[:, None] + places.reshape(len(strips), -1, 2)
    unseen = stacks.px() * _SIDE * stacks.view[:, 0] < _LEAST_SIDE_PX
    unseen |= (_samples(cover, places) == 1).mean(axis=1) > _HIDDEN
    return np.where(unseen[:, None], np.nan, _usual(_samples(strips, places), light))


def whose(men: MenColours, strips: Image, cover: NDArray[np.int8], stacks: StackBelief, light: Light) -> Floats:
    """Log-likelihoods (n, owners) of whose men these are; `cover` as for tops."""
    tops, sides = top_colours(strips, cover, stacks, light), side_colours(strips, cover, stacks, light)
    return men.log_likelihoods(tops, sides)


def _usual(pixels: NDArray[np.uint8], light: Light) -> Floats:
    """The medians (n, 3) of pixels (n, m, 3) in the table's light."""
    middle = pixels.shape[1] // 2
    return np.asarray(light.relative(np.partition(pixels, middle, axis=1)[:, middle]), dtype=np.float64)


def _samples(strips: NDArray[_Pixel], places: Floats | Singles) -> NDArray[_Pixel]:
    """Pixels (n, m[, 3]) of strips at places (n, m, 2) in them, across and up, in diameters."""
    low, high = STRIP_ENDS
    rows = np.rint((places[..., 1] - low) / (high - low) * STRIP_ROWS - 0.5).astype(int).clip(0, STRIP_ROWS - 1)
    columns = np.rint((places[..., 0] / REACH + 1) / 2 * STRIP_COLUMNS - 0.5).astype(int).clip(0, STRIP_COLUMNS - 1)
    pixels: NDArray[_Pixel] = strips[np.arange(len(strips))[:, None], rows, columns]
    return pixels
