"""What networks say of men's thickness by habit, where next to nothing can be seen of their sides.

Likelihoods are what a network says divided by how often it met that in training. What it says of men seen from straight
above leans to thick ones even then, be they thick or thin; all men of a table lean together, so it is taken off.
"""

import numpy as np

from vision.arrays import Floats, Singles
from vision.sampling import USUAL_PX

#: How much likelier (logarithm) they call men that are a diameter thicker, where a diameter of height is no more than
#: so many pixels in the picture; where it is more than the second, nothing is said by habit (measured on rendered men,
#: on average over thick and thin ones).
_LEAN, _UNSEEN_PX, _SEEN_PX = 2.2, 7.0, 11.0


def height_px(view: Singles) -> Floats:
    """How many pixels in the picture a diameter of height is, (n,). `view` (n, 4 or more): see
    `TableModel.strip_view`."""
    pixels: Floats = USUAL_PX * np.exp(view[:, 3].astype(np.float64)) * view[:, 0]
    return pixels


def habit(view: Singles, ratios: Floats) -> Floats:
    """Log-likelihoods (n, G), up to a constant, of men that are `ratios` (G,) diameters thick, by habit.

    `view` (n, 5): see `TableModel.strip_view` and `TableModel.rim_view`.
    """
    unseen = np.clip((_SEEN_PX - height_px(view)) / (_SEEN_PX - _UNSEEN_PX), 0, 1)
    lean: Floats = _LEAN * unseen[:, None] * ratios
    return lean
