"""Layers of small neural networks, in numpy: convolutions and dense layers, by name from a dictionary of weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

Singles = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution: kernel and stride (rows, columns), and how many rows of zeros are added above and below."""

    name: str
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    pad: int = 0


class Layers:
    """Weights by name, those of `convolutions` as (channels · rows · columns, out), and what is done with them."""

    def __init__(self, weights: dict[str, Singles], convolutions: Sequence[Layer]) -> None:
        self.weights = dict(weights)
        for layer in convolutions:
            name = f"{layer.name}.weight"
            self.weights[name] = _window_order(weights[name], layer.kernel)

    def conv(self, layer: Layer, x: Singles, bias: Singles | None = None) -> Singles:
        """A convolution and a rectifier; `bias` (n, channels) is added to what the cells of the batch give."""
        if layer.pad:
            x = np.pad(x, ((0, 0), (layer.pad, layer.pad), (0, 0), (0, 0)))
        n, height, width, channels = x.shape
        (high, wide), (down, right) = layer.kernel, layer.stride
        rows, columns = (height - high) // down + 1, (width - wide) // right + 1
        s0, s1, s2, s3 = x.strides
        windows = as_strided(
            x,
            (n, rows, columns, high, wide * channels),
            (s0, down * s1, right * s2, s1, s3),
            writeable=False,
        )
        out = self.dense(layer.name, windows.reshape(n * rows * columns, -1)).reshape(n, rows, columns, -1)
        if bias is not None:
            out += bias[:, None, None]
        return np.maximum(out, 0, out=out)

    def conv_seen(self, layer: Layer, x: Singles, view: Singles) -> Singles:
        """The same for a layer that may know from where the pictures were seen, `view` (n, columns)."""
        seen_from = self.weights.get(f"{layer.name}.view")
        return self.conv(layer, x, None if seen_from is None else view @ seen_from)

    def dense(self, name: str, x: Singles) -> Singles:
        """A dense layer on the last axis."""
        out: Singles = x @ self.weights[f"{name}.weight"]
        out += self.weights[f"{name}.bias"]
        return out

    def relu(self, name: str, x: Singles) -> Singles:
        """A dense layer and a rectifier."""
        out = self.dense(name, x)
        return np.maximum(out, 0, out=out)


def _window_order(weight: Singles, kernel: tuple[int, int]) -> Singles:
    """A convolution's weights (channels · rows · columns, out) for windows laid out rows · columns · channels."""
    inputs, outputs = weight.shape
    parts = weight.reshape(inputs // (kernel[0] * kernel[1]), *kernel, outputs)
    return np.ascontiguousarray(parts.transpose(1, 2, 0, 3).reshape(inputs, outputs))
