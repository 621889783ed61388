"""What lies under men, by what shows around them.

Men stand a little aside on disks that lie a little aside, and pictures are blurred: a place near a man's edge shows
what lies under him, himself, or the board beyond the disk. All three colours are known, in some shade, so each
surface says how likely the colour there is (a mixture of the three).
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.look import SURFACES, Surface
from vision.arrays import Floats, Singles
from vision.light import BRIGHTEST
from vision.sampling import COLUMNS, ROWS, foot_places

#: Places that are asked lie so far from the middle of a cell, in diameters of a man, and no farther beyond it: what
#: lies there men may hide themselves.
_RING, _BEYOND = (0.5, 0.6), 0.15
#: How wide disks usually are, and over what distance it is uncertain whether men and disks end (radii and distances in
#: diameters of a man).
_USUAL_DISK, _MAN, _DISK_ENDS, _MAN_ENDS = 0.61, 0.5, 0.03, 0.06
#: So far men may stand aside, in diameters, in so many directions.
_ASIDE, _TURNS = (0.06, 0.12), 6
#: How much darker in the shade of men, or brighter near the lamp, a surface may look than on open cells, and a man.
_SHADES, _SHADES_OF_MEN = (0.2, 1.1), (0.15, 1.3)
#: And in the light (with 0.8 to 0.9 and 1.1 to 1.4 it helps about as much).
_LIT_SHADES = (0.85, 1.2)
#: So unlike itself, in proportion to the brightness (the sum of its values, and a little), is a colour in the shade.
_UNLIKE, _DARK_COLOURS = 0.06, 0.15
#: How much anything looks like a surface that no open cell shows; dark disks are no brighter than this and bright ones
#: no darker, against white.
_UNKNOWN, _DARK, _BRIGHT = 0.13, (0.62, 0.43), (0.43, 0.62)
#: How often a colour is that of something else.
_ELSE = 0.07
#: How much all that shows counts; fewer places count for less.
_WEIGHT, _FEW = 10.0, 30
#: What looks no more than so much like anything known is strange; so many places at least tell its colour.
_STRANGE, _ENOUGH = 0.3, 8
_BARE = SURFACES.index(Surface.BARE)


def told_around_men(
    colours: Singles,
    seen: NDArray[np.bool_],
    surfaces: Floats,
    men: Floats,
    disk: float | None,
    lit: NDArray[np.bool_] | None = None,
) -> Singles:
    """Log-odds (n, 4) that each surface lies under the men on some cells.

    `colours` (n, 3, ROWS, COLUMNS): their feet against the light; `seen` (n, ROWS, COLUMNS): where nothing is in front;
    `surfaces` (4, 3) or (n, 4, 3) and `men` (owners, 3): colours against the light, NaN where they are not known;
    `disk`: the radius of this table's disks, in diameters of a man, where it is known; `lit` (n, ROWS, COLUMNS): where
    it is known that no shadow falls, so that surfaces are as bright as on open cells.
    """
    ring, far = _ring()
    surfaces, men = np.minimum(surfaces, BRIGHTEST), np.minimum(men, BRIGHTEST)
    shown = colours.reshape(len(colours), 3, ROWS * COLUMNS)[..., ring]
    there = seen.reshape(len(seen), ROWS * COLUMNS)[:, ring]
    known = np.asarray(np.isfinite(surfaces).all(axis=-1, keepdims=True))
    shades = _SHADES if lit is None else _shades(lit.reshape(len(lit), ROWS * COLUMNS)[:, None, ring])
    alike = np.where(known, alike_in_shade(shown, surfaces, shades), _like_unknown(shown))
    man = alike_in_shade(shown, men, _SHADES_OF_MEN).max(axis=1, initial=0.0)[:, None]
    on_disk = (1 / (1 + np.exp((far - (disk or _USUAL_DISK)) / _DISK_ENDS))).astype(np.float32)
    below = on_disk * alike + (1 - on_disk) * alike[:, _BARE : _BARE + 1]
    on_man = _on_men()[:, None, None]  # for every way in which he may stand aside; each surface has the best of them
    likely = np.log(on_man * (man - below) + (below + np.float32(_ELSE)))
    told = (likely @ there[..., None].astype(np.float32))[..., 0].max(axis=0)
    told /= np.maximum(there.sum(axis=1), _FEW)[:, None]
    return np.asarray(_WEIGHT * (told - told.max(axis=1, keepdims=True)), np.float32)


def strange_around_men(colours: Singles, surfaces: Floats, men: Floats) -> Floats:
    """The colours (n, 3) of what shows around men and looks like nothing that is known; NaN where too little does.

    `colours` (n, 3, ROWS, COLUMNS): feet against the light; see `told_around_men` for `surfaces` and `men`.
    """
    shown = colours.reshape(len(colours), 3, ROWS * COLUMNS)[..., _ring()[0]]
    known = np.concatenate(
        [alike_in_shade(shown, surfaces, _SHADES), alike_in_shade(shown, men, _SHADES_OF_MEN)], axis=1
    )
    strange = known.max(axis=1) < _STRANGE
    out = np.full((len(colours), 3), np.nan)
    for row in np.flatnonzero(strange.sum(axis=1) >= _ENOUGH):
        out[row] = np.median(shown[row][:, strange[row]], axis=1)
    return out


def _shades(lit: NDArray[np.bool_]) -> tuple[Singles, Singles]:
    """The darkest and the brightest that surfaces may look at places that are `lit` or not."""
    low, high = (np.where(lit, *both).astype(np.float32) for both in zip(_LIT_SHADES, _SHADES, strict=True))
    return low, high


def alike_in_shade(
    colours: Singles,
    others: Floats,
    shades: tuple[float, float] | tuple[Singles, Singles],
    dark: float = _DARK_COLOURS,
) -> Singles:
    """How much colours (n, 3, m) look like others, (k, 3) or (n, k, 3), in some shade, (n, k, m); never like unknown
    ones. `shades`: from how dark to how bright, for all or (n, 1, m); `dark`: the greater, the less exactly dark
    colours are known."""
    known = np.isfinite(others).all(axis=-1, keepdims=True)
    other = np.where(known, others, 0).astype(np.float32)
    shade = np.clip(other @ colours / np.maximum((other * other).sum(axis=-1), 1e-3)[..., None], *shades)
    apart = np.abs(colours[:, None, 0] - shade * other[..., :1])
    for k in (1, 2):
        apart += np.abs(colours[:, None, k] - shade * other[..., k : k + 1])
    brightness = colours[:, 0] + colours[:, 1] + colours[:, 2]
    return likeness(apart, brightness[:, None], dark) * known


def likeness(apart: Singles, brightness: Singles, dark: float) -> Singles:
    """How much colours look like others from which they are so far `apart`, the sums of whose values are so great;
    `dark`: the greater, the less exactly dark colours are known."""
    alike: Singles = np.exp(-0.5 * (apart / ((brightness + np.float32(dark)) * np.float32(_UNLIKE))) ** 2)
    return alike


def _like_unknown(colours: Singles) -> Singles:
    """How much colours (n, 3, m) look like surfaces of which only this is known: dark disks are dark, others bright."""
    brightness = colours.mean(axis=1)
    out = np.full((len(colours), len(SURFACES), brightness.shape[1]), _UNKNOWN, np.float32)
    for kind, surface in enumerate(SURFACES):
        if surface is not Surface.BARE:
            none, fully = _DARK if surface is Surface.DARK else _BRIGHT
            out[:, kind] *= np.clip((brightness - none) / (fully - none), 0, 1)
    return out


@lru_cache
def _on_men() -> Singles:
    """How likely the samples that are asked show the man, (ways, samples), for the ways in which he may stand aside."""
    up, across = (part.ravel()[_ring()[0]] for part in foot_places())
    far = np.array([np.hypot(up - y, across - x) for y, x in aside()])
    return np.asarray(1 / (1 + np.exp((far - _MAN) / _MAN_ENDS)), np.float32)


def aside() -> list[tuple[float, float]]:
    """How far up and across men may stand aside, in diameters."""
    turns = np.linspace(0, 2 * np.pi, _TURNS, endpoint=False)
    return [(0.0, 0.0), *((far * np.sin(turn), far * np.cos(turn)) for far in _ASIDE for turn in turns)]


@lru_cache
def _ring() -> tuple[NDArray[np.int_], Floats]:
    """The samples of a foot that are asked, and how far they lie from its middle."""
    up, across = foot_places()
    far = np.hypot(up, across)
    ring = np.flatnonzero((far > _RING[0]) & (far < _RING[1]) & (up < _BEYOND))
    return ring, far.ravel()[ring]
