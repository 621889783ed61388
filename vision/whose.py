"""Whose men stand there, by the colours of tops and sides in their strips."""

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Floats
from vision.layers import Singles
from vision.light import Light
from vision.men_colours import MenColours
from vision.net import StackBelief
from vision.sampling import REACH, STRIP_COLUMNS, STRIP_ENDS, STRIP_ROWS, Image

#: Half the side of the square in the middle of a top whose colour is the man's, in diameters, and samples in it.
_MIDDLE_HALF, _MIDDLE_SAMPLES = 0.22, 9
#: The whole top and its rim: radius in diameters, circles, samples on each.
_TOP_RADIUS, _TOP_CIRCLES, _TOP_TURNS = 0.51, 12, 24
#: A top whose middle is thought to mirror as much light as this hides the man's own colour; …
_MIRROR = 0.35
#: … it shows in the darkest part of the whole top then: so large is that part.
_DARKEST = 0.1
#: Where a topmost man's side is looked at: how far around it from the nearest place (radians), and how far below its
#: upper edge (diameters).
_SIDE_TURNS, _SIDE_DEPTHS = np.radians(np.linspace(-65, 65, 7)), np.linspace(0.05, 0.17, 5)
#: A man's usual thickness in diameters; sides that look lower than so many pixels show no colour.
_SIDE, _LEAST_SIDE_PX = 0.25, 1.5


def _square() -> Floats:
    side = np.linspace(-_MIDDLE_HALF, _MIDDLE_HALF, _MIDDLE_SAMPLES)
    return np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)


def _circles() -> Floats:
    radius = np.linspace(0.05, _TOP_RADIUS, _TOP_CIRCLES)[:, None]
    turn = np.linspace(0, 2 * np.pi, _TOP_TURNS, endpoint=False)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=-1).reshape(-1, 2)


_SQUARE, _CIRCLES = _square(), _circles()


def top_colours(strips: Image, stacks: StackBelief, light: Light) -> Floats:
    """Median colour (n, 3) of the middles of tops in strips (n, rows, columns, 3), in the table's light."""
    pixels = _samples(strips, _on_tops(stacks, _SQUARE))
    colours: Floats = light.relative(np.median(pixels, axis=1)).astype(np.float64)
    return colours


def side_colours(strips: Image, stacks: StackBelief, light: Light) -> Floats:
    """Median colour (n, 3) of the sides of topmost men, in the table's light; NaN where they are too low to be seen."""
    sine, cosine = stacks.view[:, 0, None, None], stacks.view[:, 1, None, None]
    down = 0.5 * np.cos(_SIDE_TURNS)[:, None] * cosine + _SIDE_DEPTHS * sine
    places = np.stack([np.broadcast_to(0.5 * np.sin(_SIDE_TURNS)[:, None], down.shape), -down], axis=-1)
    pixels = _samples(strips, stacks.top[:, None] + places.reshape(len(strips), -1, 2))
    low = stacks.px() * _SIDE * stacks.view[:, 0] < _LEAST_SIDE_PX
    return np.where(low[:, None], np.nan, light.relative(np.median(pixels, axis=1)))


def whose(men: MenColours, strips: Image, stacks: StackBelief, light: Light) -> Floats:
    """Log-likelihoods (n, owners) of whose men these are."""
    told, mirrored = men.explain(top_colours(strips, stacks, light), side_colours(strips, stacks, light))
    glossy = np.flatnonzero(mirrored >= _MIRROR)
    if len(glossy):
        more = men.log_likelihoods(_darkest_colours(strips[glossy], stacks.of(glossy), light))
        told[glossy] += more - more.max(axis=1, keepdims=True)
    return told


def _darkest_colours(strips: Image, stacks: StackBelief, light: Light) -> Floats:
    """Median colour (n, 3) of the darkest part of whole tops."""
    pixels = _samples(strips, _on_tops(stacks, _CIRCLES))
    order = np.argsort(pixels.sum(axis=2, dtype=int), axis=1)[:, : int(_DARKEST * len(_CIRCLES))]
    darkest = np.median(np.take_along_axis(pixels, order[:, :, None], axis=1), axis=1)
    colours: Floats = light.relative(darkest).astype(np.float64)
    return colours


def _on_tops(stacks: StackBelief, places: Floats) -> Floats:
    """Where `places` (m, 2) from the middles of tops are in their strips, (n, m, 2), across and up, in diameters."""
    flat = np.stack([np.ones_like(stacks.view[:, 1]), stacks.view[:, 1]], axis=1)
    return np.asarray(stacks.top[:, None] + places * flat[:, None], dtype=np.float64)


def _samples(strips: Image, places: Floats | Singles) -> NDArray[np.uint8]:
    """Pixels (n, m, 3) of strips at places (n, m, 2) in them, across and up, in diameters."""
    low, high = STRIP_ENDS
    rows = np.rint((places[..., 1] - low) / (high - low) * STRIP_ROWS - 0.5).astype(int).clip(0, STRIP_ROWS - 1)
    columns = np.rint((places[..., 0] / REACH + 1) / 2 * STRIP_COLUMNS - 0.5).astype(int).clip(0, STRIP_COLUMNS - 1)
    pixels: NDArray[np.uint8] = strips[np.arange(len(strips))[:, None], rows, columns]
    return pixels
