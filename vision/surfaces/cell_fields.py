"""Round fields that are printed on all cells of a board, about as large as its disks, in another shade of its colour.

A bare cell looks there as if a disk lay on it, and none is plain. But a field has the hue of what lies about it, while
the light disks on the same board have another. On boards that are greener than these so have dark disks; on others,
brown or grey, blue or red, only fields that are lighter than the board are told.
"""

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles

#: Disks and fields have one colour from their middles to near their edges (logarithm), and such a part of what is near
#: their edges differs from its usual colour by no more than so much: men, who stand higher, reach so far at one side.
_ONE, _ALL_ROUND, _EVEN = 0.08, 0.8, 0.12
#: They differ so much in brightness from the board about them, fields not by more than this, and all alike.
_SHADE, _MOST, _ALIKE = 0.14, 1.0, 0.15
#: A field's hue differs from the board's by no more than this and such a part of its shade, or than such a part of how
#: far that of light disks does, up to so much. These are so many times as far from the board's hue as fields are, and
#: at least so far, and so far from that of fields.
_HUE, _OF_SHADE, _OF_DISKS, _FARTHEST, _TIMES, _LEAST, _FROM_DISKS = 0.03, 0.06, 0.45, 0.17, 2.0, 0.07, 0.05
#: A board that is so much less red than green beside light disks, and no more bluer than green, has not the hue of dark
#: ones, either.
_GREENER = 0.1
#: So many light disks must lie there.
_LIGHT_ONES = 2


def fields(middles: Singles, edges: Singles, corners: Singles) -> NDArray[np.intp]:
    """Which cells show fields, by the colours of their middles, (n, 3), at places where disks are near their edges,
    (n, k, 3), and of their corners beyond these, (n, 3), logarithms, blue-green-red; none where no light disks tell
    what disks look like."""
    usual = np.median(edges, axis=1)
    shades = usual - corners
    brighter, hues = shades.mean(axis=1), _hue(shades)
    all_round = (np.abs(edges - usual[:, None]).max(axis=2) < _EVEN).mean(axis=1) > _ALL_ROUND
    even = all_round & (np.abs(middles - usual).max(axis=1) < _ONE)
    round_ones, plain = even & (np.abs(brighter) > _SHADE), even & (np.abs(shades).max(axis=1) < _SHADE)
    near = _HUE + _OF_SHADE * np.abs(brighter)
    light = round_ones & (brighter > 0) & (hues > near)
    if light.sum() >= _LIGHT_ONES:
        near = np.maximum(near, min(_OF_DISKS * float(np.median(hues[light])), _FARTHEST))
    some: NDArray[np.intp] = np.flatnonzero(round_ones & (hues < near) & (np.abs(brighter) < _MOST))
    if len(some):
        some = some[np.abs(shades[some] - np.median(shades[some], axis=0)).max(axis=1) < _ALIKE]
    if len(some) <= plain.sum():
        return some[:0]
    light &= (hues > near) & (hues > max(_TIMES * float(np.median(hues[some])), _LEAST))
    if light.sum() < _LIGHT_ONES:
        return some[:0]
    disk = np.median(usual[light], axis=0)
    told = _hue(np.median(usual[some], axis=0)[None] - disk)[0] > _FROM_DISKS
    if brighter[some].mean() < 0:
        blue, green, red = np.median(corners[some], axis=0) - disk
        told &= green - red > _GREENER > blue - green
    return some if told else some[:0]


def _hue(apart: Singles) -> Singles:
    """How far differences (n, 3) are from mere shades, (n,)."""
    off: Singles = np.abs(apart - apart.mean(axis=1, keepdims=True)).max(axis=1)
    return off
