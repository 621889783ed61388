"""Sums of logarithms: what NumPy's own `logaddexp` says."""

import numpy as np
import pytest

from vision.networks.logs import log_one_more, log_sum


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("spread", [1.0, 30.0, 500.0])
def test_sums_are_those_of_numpy(axis: int, spread: float) -> None:
    logs = np.random.default_rng(3).normal(0, spread, (4, 5, 6))
    logs[1, 2, 3] = -np.inf
    assert np.allclose(log_sum(logs, axis), np.logaddexp.reduce(logs, axis=axis), rtol=1e-12)
    assert log_sum(logs, axis, keepdims=True).shape == np.logaddexp.reduce(logs, axis=axis, keepdims=True).shape


def test_one_more_is_that_of_numpy_and_never_overflows() -> None:
    logs = np.array([-1000.0, -30.0, -1.0, 0.0, 1.0, 30.0, 1000.0])
    assert np.allclose(log_one_more(logs), np.logaddexp(0, logs), rtol=1e-12)
    single = log_one_more(logs.astype(np.float32))
    assert single.dtype == np.float32
    assert np.allclose(single, np.logaddexp(0, logs), rtol=1e-6)
