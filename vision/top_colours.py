"""Whose men stand there, by the colours of the tops in their strips."""

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Floats
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
    pixels = _samples(strips, stacks, _SQUARE)
    colours: Floats = light.relative(np.median(pixels, axis=1)).astype(np.float64)
    return colours


def whose(men: MenColours, strips: Image, stacks: StackBelief, light: Light) -> Floats:
    """Log-likelihoods (n, owners) of whose men these are."""
    told, mirrored = men.explain(top_colours(strips, stacks, light))
    glossy = np.flatnonzero(mirrored >= _MIRROR)
    if len(glossy):
        more, _ = men.explain(_darkest_colours(strips[glossy], stacks.of(glossy), light))
        told[glossy] += more - more.max(axis=1, keepdims=True)
    return told


def _darkest_colours(strips: Image, stacks: StackBelief, light: Light) -> Floats:
    """Median colour (n, 3) of the darkest part of whole tops."""
    pixels = _samples(strips, stacks, _CIRCLES)
    order = np.argsort(pixels.sum(axis=2, dtype=int), axis=1)[:, : int(_DARKEST * len(_CIRCLES))]
    darkest = np.median(np.take_along_axis(pixels, order[:, :, None], axis=1), axis=1)
    colours: Floats = light.relative(darkest).astype(np.float64)
    return colours


def _samples(strips: Image, stacks: StackBelief, places: Floats) -> NDArray[np.uint8]:
    """Pixels (n, m, 3) of tops at `places` (m, 2) from their middles, across and up, in diameters on the top."""
    low, high = STRIP_ENDS
    across, up = stacks.top[:, 0, None] + places[:, 0], stacks.top[:, 1, None] + places[:, 1] * stacks.view[:, 1, None]
    rows = np.rint((up - low) / (high - low) * STRIP_ROWS - 0.5).astype(int).clip(0, STRIP_ROWS - 1)
    columns = np.rint((across / REACH + 1) / 2 * STRIP_COLUMNS - 0.5).astype(int).clip(0, STRIP_COLUMNS - 1)
    pixels: NDArray[np.uint8] = strips[np.arange(len(strips))[:, None], rows, columns]
    return pixels
