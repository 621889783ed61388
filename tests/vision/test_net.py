"""The network's arithmetic against a plain transcription of its definition."""

import numpy as np
import pytest

from vision.light import Light
from vision.net import COVER_CHANNEL, MIDDLE, WEIGHTS, ReaderNet, Singles, network_input, reader_net
from vision.sampling import COLUMNS, ROWS

LAYERS = (("c1", (5, 4), 2), ("c2", (3, 3), 2), ("c3", (3, 3), 1))


def weights() -> dict[str, Singles]:
    """The stored weights."""
    with np.load(WEIGHTS) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def plain_codes(stored: dict[str, Singles], patch: Singles) -> Singles:
    """The foot trunk of one patch (ROWS, COLUMNS, 5), window by window; weights are channels · rows · columns."""
    x = patch
    for layer, (high, wide), stride in LAYERS:
        rows = range(0, x.shape[0] - high + 1, stride)
        columns = range(0, x.shape[1] - wide + 1, stride)
        windows = np.array([[x[r : r + high, c : c + wide].transpose(2, 0, 1).ravel() for c in columns] for r in rows])
        x = np.maximum(windows @ stored[f"b.{layer}.weight"] + stored[f"b.{layer}.bias"], 0)
    return np.asarray(np.maximum(x.ravel() @ stored["b.f.weight"] + stored["b.f.bias"], 0), np.float32)


def test_codes_are_those_of_plain_convolutions() -> None:
    """The codes of random patches, to rounding."""
    stored = weights()
    patches = np.random.default_rng(0).normal(0, 0.5, (3, ROWS, COLUMNS, 5)).astype(np.float32)
    codes = ReaderNet(stored).feet(patches, np.zeros((3, 5), np.float32)).code
    for patch, code in zip(patches, codes, strict=True):
        assert code == pytest.approx(plain_codes(stored, patch), abs=1e-4)


def test_input_is_relative_to_the_light() -> None:
    """Colours against white and haze, at most 1.6; what covers; distance from the middle's colour."""
    random = np.random.default_rng(1)
    patches = random.integers(0, 256, (2, 3, ROWS, COLUMNS, 3)).astype(np.uint8)
    cover = random.integers(-1, 2, patches.shape[:-1]).astype(np.int8)
    got = network_input(patches, cover, Light((120.0, 180.0, 200.0), 20.0))
    colour = np.clip((patches - 20.0) / np.array([100.0, 160.0, 180.0]), 0, 1.6) - 0.6
    middle = colour[..., *MIDDLE, :].mean(axis=(-3, -2), keepdims=True)
    apart = np.abs(colour - middle).sum(axis=-1) / (middle.sum(axis=-1) + 1.95)
    assert got[..., :3] == pytest.approx(colour, abs=1e-5)
    assert (got[..., COVER_CHANNEL] == cover).all()
    assert got[..., 4] == pytest.approx(np.minimum(apart, 1.0), abs=1e-5)


def test_cells_do_not_disturb_one_another() -> None:
    """The network's belief of a cell does not depend on the others in the batch."""
    random = np.random.default_rng(6)
    patches = random.normal(0.2, 0.3, (5, ROWS, COLUMNS, 5)).astype(np.float32)
    view = random.normal(0.3, 0.1, (5, 5)).astype(np.float32)
    net = reader_net()
    all_at_once = net.feet(patches, view)
    alone = net.feet(patches[3:4], view[3:4])
    assert alone.occupied[0] == pytest.approx(all_at_once.occupied[3], abs=1e-3)
    assert alone.surface[0] == pytest.approx(all_at_once.surface[3], abs=1e-3)
