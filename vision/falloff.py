"""From where the light comes, by how it falls off over the board: what lies nearer to a lamp and faces it is brighter.

That needs no shadows, so a board with hardly any men on it tells it, too. How high the lamp stands it tells badly: the
light that comes from everywhere and the lamp's distance have a say in that.
"""

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Floats
from vision.lamp import BEARINGS, SHADOW_REACHES, lamp_places

#: How much of the light at the board's origin may come from everywhere, as a part of the lamp's there.
_FROM_EVERYWHERE = (0.1, 0.2, 0.35, 0.6, 1.0, 1.8)
#: Cells differ by so much for other reasons, at least; neighbours err together, which counts as so many cells for one.
_LEAST_NOISE, _TOGETHER = 0.015, 6.0
#: Pictures may be darker or brighter in their corners than in the middle by about so much (logarithm).
_CORNERS = 0.1
#: How often the smooth surface is fitted that tells which cells are out of the ordinary, and how far these are off, in
#: the usual differences.
_FITS, _ASTRAY = 8, 4.0
#: So many more cells than kinds of them are needed at least.
_FEWEST = 10
#: One direction can be so much less likely than another (logarithm). A room has other lights, too, and lenses their
#: faults: without any shadow that agrees, this is too little to say that there is a lamp.
_MOST = 3.0


def told_by_falloff(
    places_mm: Floats, kinds: NDArray[np.int_], light: Floats, off_axis: Floats, pitch_mm: float
) -> Floats:
    """How likely shadows fall towards each of `BEARINGS`, log-likelihoods, by how bright n open cells are.

    `places_mm` (n, 2): where these lie on the board; `kinds` (n,): which of them look alike; `light` (n,): how much
    comes from there; `off_axis` (n,): how far from the picture's middle they are seen, squared, in half its diagonal;
    `pitch_mm`: the board's.
    """
    alike = (kinds[:, None] == np.unique(kinds)).astype(np.float64)
    if len(kinds) < _FEWEST + alike.shape[1]:
        return np.zeros(len(BEARINGS))
    bright = np.log(np.maximum(light, 1e-4))
    x, y = (places_mm / pitch_mm).T
    usual, noise = _usual(np.column_stack([alike, x, y, x * x, x * y, y * y]), bright)
    noise = max(noise, _LEAST_NOISE)
    free = np.column_stack([alike, off_axis - off_axis.mean()])[usual]
    drawn = np.diag([1e-9] * alike.shape[1] + [(noise / _CORNERS) ** 2])
    rest = np.eye(len(free)) - free @ np.linalg.solve(free.T @ free + drawn, free.T)
    bearing, reach = np.meshgrid(BEARINGS, SHADOW_REACHES, indexing="ij")
    falls = _irradiance(places_mm[usual], lamp_places(bearing.ravel(), reach.ravel(), pitch_mm))
    least = np.full(bearing.size, np.inf)
    for everywhere in _FROM_EVERYWHERE:
        off = bright[usual] - np.log(everywhere + falls)
        least = np.minimum(least, ((off @ rest) * off).sum(axis=1))
    cost = least.reshape(bearing.shape).min(axis=1) / (2 * noise**2 * _TOGETHER)
    told: Floats = -np.minimum(cost - cost.min(), _MOST)
    return told


def _irradiance(places_mm: Floats, lamps_mm: Floats) -> Floats:
    """The light on places (n, 2) of lamps (L, 3) that look at the board's origin, as a part of that at the origin,
    (L, n): Lambert's cosine law at both ends, and the square of the distance."""
    way = lamps_mm[:, None] - np.column_stack([places_mm, np.zeros(len(places_mm))])
    far, away = np.linalg.norm(way, axis=2), np.linalg.norm(lamps_mm, axis=1)[:, None]
    facing = np.maximum(np.einsum("lnk,lk->ln", way, lamps_mm), 0) / (far * away)
    return np.asarray(facing * (away / far) ** 3)


def _usual(terms: Floats, bright: Floats) -> tuple[NDArray[np.bool_], float]:
    """Which cells (n,) are about as bright as a combination of `terms` (n, m) says, and how far off these usually are;
    robust least squares."""
    weights, off, noise = np.ones(len(bright)), bright, 1.0
    for _ in range(_FITS):
        square = (terms * weights[:, None]).T @ terms + 1e-6 * np.eye(terms.shape[1])
        off = bright - terms @ np.linalg.solve(square, terms.T @ (weights * bright))
        noise = 1.48 * float(np.median(np.abs(off))) + 1e-4
        weights = 1 / (1 + (off / (_ASTRAY * noise)) ** 2) ** 2
    return np.abs(off) < _ASTRAY * noise, noise
