"""The light on every part of the board to that of a picture before: shadows and lamps that fall on some of it.

What stands between a lamp and the board throws a shadow that reaches in from beyond it, just as an arm does. But all
that it falls on about a place becomes darker by nearly the same factor, whatever colour it has; in front of an arm
bright and dark things look the same.
"""

import cv2
import numpy as np

from vision.arrays import Bools, Floats
from vision.following.board_light import LEAST_LOG
from vision.following.difference import CLIPPED, DIFFERS_LEVELS, difference
from vision.following.motion import Gains, Window
from vision.picture import Picture

#: A light of its own falls on at least so many cells' worth of samples.
_LEAST_CELLS = 0.5
#: The factor at a place is the median over a square this wide, in pitches; where samples are too dark (of 255) or
#: clipped they are filled in from what is this near.
_MEDIAN_PITCHES, _DARK, _FILL_PITCHES = 1.6, 12, 0.4
#: Logarithms of factors are kept in bytes, up to this.
_MOST_LOG = 1.5
#: It is light where at least this part of the samples in a square so wide, in pitches, agree with the factor …
_AGREE, _ABOUT_PITCHES = 0.8, 2.0
#: … and are of more than one brightness (standard deviation of the logarithm): any even thing has one factor.
_LEAST_CONTRAST = 0.15
#: Beside such places, this far from them in pitches, this part is enough where the factor is among theirs (logarithm).
_AGREE_BESIDE, _BESIDE_PITCHES, _BESIDE_LOG = 0.5, 1.2, 0.1
#: Beside the board all is even: shadows there have the tint of those on it to this (logarithm), and are up to so many
#: times as deep.
_TINT_LOG, _DEEPER = 0.12, 2.0


def local_light(
    sample: Picture, reference: Picture, gains: Gains, window: Window, levels: float = DIFFERS_LEVELS
) -> Floats | None:
    """The light on every sample to the reference's, (h, w, 3) factors; None if it is the same, `gains`, everywhere.

    Samples are alike that differ by no more than `levels`, of 255.
    """
    factors = _factors(sample, reference, window.pitch)
    agree = unlike(sample, reference, factors) <= levels
    size = round(_ABOUT_PITCHES * window.pitch) | 1
    part = np.asarray(cv2.blur(agree.astype(np.float64), (size, size)))
    board = window.board > 0
    shown = board & (part >= _AGREE) & (_contrast(reference, agree, size) >= _LEAST_CONTRAST)
    logs = np.log(factors / np.array(gains))
    other = shown & agree & (np.abs(logs).max(axis=2) > LEAST_LOG)
    if np.count_nonzero(other) < _LEAST_CELLS * window.pitch**2:
        return None
    beside = board & (part >= _AGREE_BESIDE) & _among(logs, shown, round(_BESIDE_PITCHES * window.pitch))
    darker = logs.sum(axis=2) < 0
    tinted = _tinted_like(logs[other & darker], logs) | _tinted_like(logs[other & ~darker], logs)
    shown = shown | beside | (~board & (part >= _AGREE) & tinted)
    return np.where(shown[..., None], factors, np.array(gains))


def unlike(sample: Picture, reference: Picture, light: Floats) -> Floats:
    """How far each sample is from the reference in such a light, (h, w), in levels of the reference."""
    levels: Floats = difference(sample, reference, light) / np.maximum(light.max(axis=2), 1.0)
    return levels


def _factors(sample: Picture, reference: Picture, pitch: float) -> Floats:
    """How many times brighter it is about each sample, (h, w, 3)."""
    now, then = sample.astype(np.float64), reference.astype(np.float64)
    known = ((np.minimum(now, then) >= _DARK) & (np.maximum(now, then) < CLIPPED)).all(axis=2, keepdims=True)
    logs = np.clip(np.log(np.maximum(now, 1) / np.maximum(then, 1)), -_MOST_LOG, _MOST_LOG)
    near = _blurred(logs * known, _FILL_PITCHES * pitch) / (_blurred(known * np.ones(3), _FILL_PITCHES * pitch) + 1e-3)
    steps = np.round((np.where(known, logs, near) + _MOST_LOG) * (255 / (2 * _MOST_LOG))).astype(np.uint8)
    size = round(_MEDIAN_PITCHES * pitch) | 1
    medians = [cv2.medianBlur(np.ascontiguousarray(steps[..., channel]), size) for channel in range(3)]
    return np.asarray(np.exp(np.dstack(medians) * (2 * _MOST_LOG / 255) - _MOST_LOG))


def _blurred(values: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma))


def _contrast(reference: Picture, where: Bools, size: int) -> Floats:
    """How unlike in brightness those of the samples about a place are that are set in `where`, (h, w)."""
    logs, weights = np.log(reference.sum(axis=2) + 1.0), where.astype(np.float64)
    count, first, second = (cv2.blur(weights * logs**power, (size, size)) for power in range(3))
    mean = first / np.maximum(count, 1e-6)
    return np.asarray(np.sqrt(np.maximum(second / np.maximum(count, 1e-6) - mean**2, 0.0)))


def _among(logs: Floats, shown: Bools, radius: int) -> Bools:
    """Where factors (h, w, 3) lie between the least and the greatest of those nearby that are in `shown`."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))

    def greatest(values: Floats) -> Floats:
        return np.asarray(cv2.dilate(np.where(shown[..., None], values, -2 * _MOST_LOG), kernel))

    low, high = -greatest(-logs) - _BESIDE_LOG, greatest(logs) + _BESIDE_LOG
    return np.asarray(((logs >= low) & (logs <= high)).all(axis=2))


def _tinted_like(shades: Floats, logs: Floats) -> Bools:
    """Which of some factors (h, w, 3) are those of some shades (n, 3), deeper or less deep; all logarithms."""
    if not len(shades):
        return np.zeros(logs.shape[:2], bool)
    depths = np.abs(shades).max(axis=1)
    deep = shades[depths >= np.percentile(depths, 75)].mean(axis=0)
    share = np.clip(logs @ deep / (deep @ deep), 0.0, _DEEPER)
    alike: Bools = np.abs(logs - share[..., None] * deep).max(axis=2) < _TINT_LOG
    return alike
