"""Sums of numbers that are given by their logarithms. NumPy's own `logaddexp` says the same, several times slower."""

from typing import TypeVar

import numpy as np

from vision.arrays import Floats, Singles

_Logs = TypeVar("_Logs", Floats, Singles)


def log_sum(logs: _Logs, axis: int, keepdims: bool = False) -> _Logs:
    """The logarithm of the sum of exp(`logs`) along an axis, on which not all may be −∞."""
    most = logs.max(axis=axis, keepdims=True)
    total: _Logs = most + np.log(np.exp(logs - most).sum(axis=axis, keepdims=True))
    return total if keepdims else total.squeeze(axis)


def log_one_more(logs: _Logs) -> _Logs:
    """The logarithm of 1 + exp(`logs`)."""
    total: _Logs = np.maximum(logs, 0) + np.log1p(np.exp(-np.abs(logs)))
    return total


def log_mean(a: _Logs, b: _Logs) -> _Logs:
    """Logarithms of the means of what two arrays are logarithms of."""
    mean: _Logs = np.logaddexp(a, b) - a.dtype.type(np.log(2))
    return mean
