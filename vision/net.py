"""The reader's small convolutional network: inference in numpy, from weights that `benchmarks/reader_training` makes.

Two trunks turn a patch of a cell's foot and a patch of a possible top into short codes; two heads turn codes and
viewing geometry into what stands there. Everything is relative: colours to the brightest cells, lengths to the man.
The channels of a patch: blue, green, red against the table's white; what covers it (1 a nearer stack, −1 a farther
one that shows); how far each sample's colour is from the patch's middle, in proportion to the brightness there.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from vision.light import Light

Singles = NDArray[np.float32]

WEIGHTS = Path(__file__).with_name("reader_weights.npz")

#: The channel of a patch that tells what covers it.
COVER_CHANNEL = 3
#: Every value that a pixel may have, in all three channels.
_EVERY_VALUE = np.repeat(np.arange(256, dtype=np.uint8), 3).reshape(1, 256, 3)
#: The convolutions of a trunk: name, kernel, stride.
_LAYERS = (("c1", (5, 4), 2), ("c2", (3, 3), 2), ("c3", (3, 3), 1))
#: Rows and columns of the samples that make a patch's middle.
MIDDLE = (slice(15, 21), slice(10, 14))


@dataclass(frozen=True, slots=True)
class FootBelief:
    """What the patches of n feet show: `code` (n, E); `occupied` (n,) log-odds; `surface` (n, 4) logits."""

    code: Singles
    occupied: Singles
    surface: Singles


@dataclass(frozen=True, slots=True)
class TopBelief:
    """What n cells × K planes show: `score` (n, K) logits that the top is there; then, if it is there, how far above
    the plane it really is (`rise`) and the standard deviation of that (`spread`), both in spacings of the planes, the
    logarithm of the men's true over assumed diameter (`widen`), and the top's centre in diameters (`offset`, (n, K, 2):
    across, away)."""

    score: Singles
    rise: Singles
    widen: Singles
    offset: Singles
    spread: Singles


class ReaderNet:
    """The network with its weights; see the module's docstring."""

    def __init__(self, weights: dict[str, Singles]) -> None:
        self._w = dict(weights)
        for trunk in "bt":
            for layer, kernel, _ in _LAYERS:
                name = f"{trunk}.{layer}.weight"
                self._w[name] = _window_order(weights[name], kernel)

    def feet(self, patches: Singles, view: Singles) -> FootBelief:
        """`patches` (n, ROWS, COLUMNS, 5), `view` (n, 5)."""
        code = self._trunk("b", patches)
        out = self._dense("hb2", self._relu("hb1", np.concatenate([code, view], axis=1)))
        return FootBelief(code, out[:, 0], out[:, 1:5])

    def tops(self, foot_code: Singles, patches: Singles, view: Singles) -> TopBelief:
        """`patches` (n, K, ROWS, COLUMNS, 5): the planes lie evenly; `foot_code` (n, E), `view` (n, 5)."""
        n, planes = patches.shape[:2]
        code = self._trunk("t", patches.reshape(-1, *patches.shape[2:]))
        change = _changes(patches[..., :3]).reshape(n * planes, -1)
        level = np.tile(np.arange(planes, dtype=np.float32), n)
        cell = np.repeat(np.concatenate([foot_code, view], axis=1), planes, axis=0)
        slope = level * cell[:, foot_code.shape[1] + 1]
        joined = np.concatenate(
            [
                cell[:, : foot_code.shape[1]],
                code,
                cell[:, foot_code.shape[1] :],
                level[:, None] / 8,
                slope[:, None],
                change,
            ],
            axis=1,
        )
        out = self._dense("hl3", self._relu("hl2", self._relu("hl1", joined))).reshape(n, planes, -1)
        spread = np.exp(np.clip(out[..., 5] - 1.2, -3.5, 1.0))
        return TopBelief(out[..., 0], out[..., 1], out[..., 2] * 0.1, out[..., 3:5], spread)

    def _trunk(self, name: str, x: Singles) -> Singles:
        for layer, kernel, stride in _LAYERS:
            x = self._conv(f"{name}.{layer}", x, kernel, stride)
        return self._relu(f"{name}.f", x.reshape(len(x), -1))

    def _conv(self, name: str, x: Singles, kernel: tuple[int, int], stride: int) -> Singles:
        n, height, width, channels = x.shape
        rows, columns = (height - kernel[0]) // stride + 1, (width - kernel[1]) // stride + 1
        s0, s1, s2, s3 = x.strides
        windows = as_strided(
            x,
            (n, rows, columns, kernel[0], kernel[1] * channels),
            (s0, stride * s1, stride * s2, s1, s3),
            writeable=False,
        )
        return self._relu(name, windows.reshape(n * rows * columns, -1)).reshape(n, rows, columns, -1)

    def _dense(self, name: str, x: Singles) -> Singles:
        out: Singles = x @ self._w[f"{name}.weight"] + self._w[f"{name}.bias"]
        return out

    def _relu(self, name: str, x: Singles) -> Singles:
        out = self._dense(name, x)
        return np.maximum(out, 0, out=out)


def network_input(patches: NDArray[np.uint8], cover: NDArray[np.int8], light: Light) -> Singles:
    """Patches (…, ROWS, COLUMNS, 3) and what covers them (…, ROWS, COLUMNS) as the network's channels, (…, 5)."""
    rows, columns = patches.shape[-3:-1]
    values = np.minimum(light.relative(_EVERY_VALUE), 1.6) - np.float32(0.6)
    colour = np.asarray(cv2.LUT(patches.reshape(-1, columns, 3), values), np.float32).reshape(-1, rows, columns, 3)
    middle = colour[:, *MIDDLE].mean(axis=(1, 2))
    brightness = middle.sum(axis=1) + np.float32(3 * 0.6 + 0.15)
    apart = colour.reshape(-1, rows, columns * 3) - np.tile(middle, columns)[:, None]
    np.abs(apart, out=apart)
    share = (apart.reshape(-1, 3) @ np.ones(3, np.float32)).reshape(-1, rows * columns) / brightness[:, None]
    out = np.empty((*patches.shape[:-1], 5), np.float32)
    out[..., :3] = colour.reshape(patches.shape)
    out[..., COVER_CHANNEL] = cover
    out[..., 4] = np.minimum(share, 1.0).reshape(cover.shape)
    return out


def _changes(colours: Singles) -> Singles:
    """How the colour in the middle of plane k (n, K, ROWS, COLUMNS, 3) differs from that of the foot, of the first
    plane, of the plane below and of the plane above: (n, K, 8), differences of colour, then of hue alone."""
    colour = colours[:, :, *MIDDLE].mean(axis=(2, 3)) + 0.6
    hue = 2 * colour / (colour.sum(axis=2, keepdims=True) + 0.15)
    parts = []
    for value in (colour, hue):
        step = np.abs(np.diff(value, axis=1)).sum(axis=2)
        none = np.zeros_like(step[:, :1])
        parts += [np.abs(value - value[:, k : k + 1]).sum(axis=2) for k in (0, 1)]
        parts += [np.concatenate([none, step], axis=1), np.concatenate([step, none], axis=1)]
    out: Singles = np.minimum(np.stack(parts, axis=2), np.float32(2.0))
    return out


def _window_order(weight: Singles, kernel: tuple[int, int]) -> Singles:
    """A convolution's weights (channels · rows · columns, out) for windows laid out rows · columns · channels."""
    inputs, outputs = weight.shape
    parts = weight.reshape(inputs // (kernel[0] * kernel[1]), *kernel, outputs)
    return np.ascontiguousarray(parts.transpose(1, 2, 0, 3).reshape(inputs, outputs))


@lru_cache(maxsize=1)
def reader_net() -> ReaderNet:
    """The network with the weights that come with the program."""
    with np.load(WEIGHTS) as stored:
        return ReaderNet({name: stored[name].astype(np.float32) for name in stored.files})
