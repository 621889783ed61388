"""How two small pictures of the same board differ, once the light's own change is taken out."""

import cv2
import numpy as np

from vision.arrays import Floats
from vision.following.motion import Gains, scaled
from vision.picture import Picture

#: A sample differs when a channel is off by more than this, of 255, after the light's own change is taken out.
DIFFERS_LEVELS = 8
CLIPPED = 250


def estimate_gains(sample: Picture, reference: Picture) -> Gains:
    """Light now over light then, for each channel, from whatever most of the window agrees on.

    The peak of the histogram of log ratios: a hand over half the board does not move it.
    """
    now, then = sample[::2, ::2].reshape(-1, 3), reference[::2, ::2].reshape(-1, 3)
    usable = ((then > 16) & (then < CLIPPED) & (now > 16) & (now < CLIPPED)).all(axis=1)
    if np.count_nonzero(usable) < 50:
        return (1.0, 1.0, 1.0)
    ratios = np.log(now[usable].astype(np.float32) / then[usable])
    votes, edges = np.histogram(ratios[:, 1], bins=200, range=(-1.0, 1.0))
    smooth = np.convolve(votes, (1, 2, 3, 2, 1), "same")
    peak = (edges[smooth.argmax()] + edges[smooth.argmax() + 1]) / 2
    agree = ratios[np.abs(ratios[:, 1] - peak) < 0.04]
    blue, green, red = np.exp(np.median(agree, axis=0))
    return float(blue), float(green), float(red)


def difference(sample: Picture, reference: Picture, light: Gains | Floats) -> Picture:
    """Largest difference of a channel, (h, w) uint8, once the light's change is taken out (as for `scaled`).

    Where either picture is clipped nobody knows how bright the thing was; only what must differ counts.
    """
    expected = scaled(reference, light)
    apart = np.asarray(cv2.absdiff(sample, expected), np.uint8)
    apart[((reference >= CLIPPED) & (sample > expected)) | ((sample >= CLIPPED) & (expected > sample))] = 0
    least = np.array(light) * CLIPPED - DIFFERS_LEVELS
    if least.min() < CLIPPED - DIFFERS_LEVELS:
        apart[(reference >= CLIPPED) & (sample >= least)] = 0
    largest: Picture = apart.max(axis=2)
    return largest
