"""Where the lamp is, by how its light falls off over the board: what lies nearer to it and faces it is brighter.

That needs no shadows, so a board with hardly any men on it tells it, too. The direction it tells well; how high the
lamp stands, and how far away, only together with shadows, for some light comes from everywhere. Disks and cells shine a
little where they mirror the lamp: a dark disk sends back as much light so as by its colour.
"""

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.lamplight.lamp import BEARINGS, SHADOW_REACHES, lamp_places

#: How much of the light at the board's origin may come from everywhere, as a part of the lamp's there; how much usually
#: does, and how far off that is (a logarithm).
_FROM_EVERYWHERE = np.geomspace(0.05, 2.0, 9)
_USUALLY, _SPREAD = 0.25, 0.7
#: So unlikely beforehand is it that no lamp is to be seen on the open board (logarithm).
_NO_LAMP = 2.0
#: Cells differ by so much for other reasons, at least; neighbours err together, which counts as so many cells for one.
_LEAST_NOISE, _TOGETHER = 0.004, 3.0
#: Pictures may be darker or brighter in their corners than in the middle by about so much (a part).
_CORNERS = 0.05
#: Surfaces are as rough as this (alpha of Trowbridge and Reitz), and send back so much of light that falls straight on
#: them without taking its colour; how much such light usually is against the brightest surface's colour, and how far
#: off that is (a part).
_ROUGH, _MIRRORED = 0.45, 0.04
_SHEEN, _SHEEN_SPREAD = 1.5, 1.0
#: How bright kinds of cells are is not known beforehand: it spreads so far.
_ANY = 10.0
#: How often the smooth surface is fitted that tells which cells are out of the ordinary, and how far off these are, in
#: the usual differences.
_FITS, _STRANGE = 8, 4.0
#: So many more cells than kinds of them are needed at least.
_FEWEST = 10
#: So often the light on the open board is not what it seems to be: a room has other lights, too, and lenses their
#: faults. Without any shadow that agrees, what is left is too little to say that there is a lamp.
_ASTRAY = 0.3


class Falloff:
    """How bright n open cells are.

    `places_mm` (n, 2): where these lie on the board; `kinds` (n,): which of them look alike; `light` (n,): how much
    comes from there; `off_axis` (n,): how far from the picture's middle they are seen, squared, in half its diagonal;
    `camera_mm` (3,): from where.
    """

    def __init__(
        self,
        places_mm: Floats,
        kinds: NDArray[np.int_],
        light: Floats,
        off_axis: Floats,
        camera_mm: Floats,
        pitch_mm: float,
    ) -> None:
        self._pitch_mm = pitch_mm
        alike = (kinds[:, None] == np.unique(kinds)).astype(np.float64)
        self._telling = len(kinds) >= _FEWEST + alike.shape[1]
        if not self._telling:
            return
        light = np.maximum(light, 1e-4)
        x, y = (places_mm / pitch_mm).T
        usual, noise = _usual(np.column_stack([alike, x, y, x * x, x * y, y * y]), np.log(light))
        alike = alike[usual][:, alike[usual].any(axis=0)]
        self._places_mm, self._camera_mm, self._noise = places_mm[usual], camera_mm, max(noise, _LEAST_NOISE)
        self._alike = alike / light[usual, None]
        self._corners = (off_axis[usual] - off_axis[usual].mean())[:, None]
        self._brightest = float(max(np.median(light[usual][row > 0]) for row in alike.T))
        terms = np.concatenate([self._alike, self._corners], axis=1)[None]
        spread = np.array([*[_ANY] * alike.shape[1], _CORNERS])
        self._even = float(_misfit(terms, self._noise, 0 * spread, spread)[0]) / _TOGETHER + _NO_LAMP

    def silent(self) -> "Falloff":
        """The same board if its light tells nothing."""
        none = np.zeros(0)
        return Falloff(none.reshape(0, 2), none.astype(int), none, none, np.zeros(3), self._pitch_mm)

    def unlikely(self, lamps_mm: Floats) -> Floats:
        """How unlikely lamps (L, 3) are that look at the board's origin, (L,) logarithms, up to a constant.

        A cell of a kind gives back so much of the light on it, and mirrors so much of the lamp's; both are fitted. If
        even light from everywhere explains the cells about as well, no lamp is unlikely.
        """
        if not self._telling:
            return np.zeros(len(lamps_mm))
        falls = _irradiance(self._places_mm, lamps_mm)[..., None]
        sheen = falls * _mirrored(self._places_mm, lamps_mm, self._camera_mm)[..., None]
        kinds, count = self._alike.shape[1], len(lamps_mm)
        corners = np.broadcast_to(self._corners, (count, *self._corners.shape))
        shown = np.concatenate([self._alike * sheen, corners], axis=2)
        least = np.full(count, np.inf)
        for everywhere in _FROM_EVERYWHERE.tolist():
            terms = np.concatenate([self._alike * (everywhere + falls) / (1 + everywhere), shown], axis=2)
            usually = _SHEEN * self._brightest / (1 + everywhere)
            mean = np.concatenate([np.zeros(kinds), np.full(kinds, usually), [0.0]])
            spread = np.concatenate([np.full(kinds, _ANY), np.full(kinds, _SHEEN_SPREAD * usually), [_CORNERS]])
            off = 0.5 * (np.log(everywhere / _USUALLY) / _SPREAD) ** 2
            least = np.minimum(least, _misfit(terms, self._noise, mean, spread) / _TOGETHER + off)
        return np.asarray(-np.logaddexp(-least, -self._even))

    def bearings(self) -> Floats:
        """How likely shadows fall towards each of `BEARINGS`, logarithms."""
        bearing, reach = np.meshgrid(BEARINGS, SHADOW_REACHES, indexing="ij")
        cost = self.unlikely(lamp_places(bearing.ravel(), reach.ravel(), self._pitch_mm)).reshape(bearing.shape)
        likely = -cost.min(axis=1)
        likely -= np.logaddexp.reduce(likely)
        return np.asarray(np.logaddexp(likely + np.log(1 - _ASTRAY), np.log(_ASTRAY / len(BEARINGS))))


def _misfit(terms: Floats, noise: float, mean: Floats, spread: Floats) -> Floats:
    """Half the least sums of squares (L,) by which combinations of `terms` (L, n, m) miss 1, in so much noise, whose
    factors (m,) usually are as the mean, up to a spread."""
    rest = (1 - terms @ mean) / noise
    scaled = terms * (spread / noise)
    square = scaled.swapaxes(1, 2) @ scaled + np.eye(len(mean))
    along = (scaled.swapaxes(1, 2) @ rest[..., None])[..., 0]
    explained = (along * np.linalg.solve(square, along[..., None])[..., 0]).sum(axis=1)
    misfit: Floats = 0.5 * ((rest * rest).sum(axis=1) - explained)
    return misfit


def _irradiance(places_mm: Floats, lamps_mm: Floats) -> Floats:
    """The light on places (n, 2) of lamps (L, 3) that look at the board's origin, as a part of that at the origin,
    (L, n): Lambert's cosine law at both ends, and the square of the distance."""
    way = lamps_mm[:, None] - np.column_stack([places_mm, np.zeros(len(places_mm))])
    far, away = np.linalg.norm(way, axis=2), np.linalg.norm(lamps_mm, axis=1)[:, None]
    facing = np.maximum(np.einsum("lnk,lk->ln", way, lamps_mm), 0) / (far * away)
    return np.asarray(facing * (away / far) ** 3)


def _mirrored(places_mm: Floats, lamps_mm: Floats, camera_mm: Floats) -> Floats:
    """How much of the light of lamps (L, 3) places (n, 2) mirror into the camera, against what a white one scatters,
    (L, n): Cook and Torrance's model, with Trowbridge and Reitz's distribution (GGX) and Schlick's approximation."""
    at = np.column_stack([places_mm, np.zeros(len(places_mm))])
    light, sight = _unit(lamps_mm[:, None] - at), _unit(camera_mm - at)
    half = _unit(light + sight)
    square = _ROUGH**2
    facets = square / (half[..., 2] ** 2 * (square - 1) + 1) ** 2
    fresnel = _MIRRORED + (1 - _MIRRORED) * (1 - (half * sight).sum(axis=2)) ** 5
    seen = [np.maximum(way[..., 2], 1e-3) for way in (light, sight)]
    seen = [z + np.sqrt(square + (1 - square) * z * z) for z in seen]
    return np.asarray(facets * fresnel / (seen[0] * seen[1]))


def _unit(ways: Floats) -> Floats:
    return np.asarray(ways / np.linalg.norm(ways, axis=-1, keepdims=True))


def _usual(terms: Floats, bright: Floats) -> tuple[NDArray[np.bool_], float]:
    """Which cells (n,) are about as bright as a combination of `terms` (n, m) says, and how far off these usually are;
    robust least squares."""
    weights, off, noise = np.ones(len(bright)), bright, 1.0
    for _ in range(_FITS):
        square = (terms * weights[:, None]).T @ terms + 1e-6 * np.eye(terms.shape[1])
        off = bright - terms @ np.linalg.solve(square, terms.T @ (weights * bright))
        noise = 1.48 * float(np.median(np.abs(off))) + 1e-4
        weights = 1 / (1 + (off / (_STRANGE * noise)) ** 2) ** 2
    return np.abs(off) < _STRANGE * noise, noise
