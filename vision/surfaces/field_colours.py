"""Men on boards without disks, whose fields have colours of many kinds: what has a man's colour, and what a field's.

The network for feet knows what beige and dark disks look like, and little of printed fields: a black man that lies
flat on a red one may be a mark on it.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Singles
from vision.sampling import foot_places
from vision.surfaces.ring_colours import alike_in_shade

#: How much darker or brighter than elsewhere a field may look, and a man.
_SHADES, _SHADES_OF_MEN = (0.3, 1.2), (0.3, 1.3)
#: What looks like a man less than this looks like neither.
_NEITHER = 0.1
#: Fewer samples count for less.
_FEWEST = 20
#: How far from its middle a cell is looked at, in diameters of a man.
_RADIUS = 0.35
#: A smaller share tells nothing, and how much the rest of it counts for men, and against them where it is a field's (of
#: copies of two photographs men in doubt had shares of 0.4 to 0.9, open fields in doubt up to 0.12; fields are known
#: better than men, and 204 open ones and 231 men in doubt are told apart best so).
_LEAST_SHARE, _FOR, _AGAINST = 0.2, 5.0, 8.0


def for_men(colours: Singles, seen: NDArray[np.bool_], fields: Floats, men: Floats) -> Floats:
    """How strongly colours speak for men on some cells (n,), log-likelihood ratios: by what share of a cell's middle
    looks like men and not like fields, and what share like fields and not like men.

    `colours` (n, 3, ROWS, COLUMNS): feet against the light; `seen` (n, ROWS, COLUMNS): where nothing is in front;
    `fields` (k, 3) and `men` (owners, 3): what open fields and the owners' men look like.
    """
    middle = _middle()
    colours = colours.reshape(*colours.shape[:2], -1)[..., middle]
    there = seen.reshape(len(seen), -1)[:, middle]
    man = alike_in_shade(colours, men, _SHADES_OF_MEN).max(axis=1, initial=0.0)
    field = alike_in_shade(colours, fields, _SHADES).max(axis=1, initial=0.0)
    either, number = man + field + _NEITHER, np.maximum(there.sum(axis=1), _FEWEST)
    of_men, of_fields = ((there * some / either).sum(axis=1) / number for some in (man, field))
    told = _FOR * np.maximum(of_men - _LEAST_SHARE, 0.0) - _AGAINST * np.maximum(of_fields - _LEAST_SHARE, 0.0)
    return np.asarray(told, dtype=np.float64)


@lru_cache
def _middle() -> NDArray[np.int_]:
    """The samples of a foot that are asked."""
    return np.flatnonzero(np.hypot(*foot_places()) < _RADIUS)
