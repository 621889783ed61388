"""The networks' arithmetic against a plain transcription of its definition."""

import numpy as np
import pytest

from vision.arrays import Singles
from vision.light import Light
from vision.networks.height_net import HeightNet
from vision.networks.net import (
    COVER_CHANNEL,
    FIRST_SURFACE_CHANNEL,
    WEIGHTS,
    ReaderNet,
    foot_input,
    picture_input,
    reader_net,
)
from vision.networks.rim_net import RimNet
from vision.networks.shadow_net import DIRECTIONS, REACHES, ShadowNet
from vision.networks.side_net import THICKNESSES as SIDE_THICKNESSES
from vision.networks.side_net import SideNet
from vision.sampling import (
    AROUND,
    COLUMNS,
    RIM_CIRCLES,
    RIM_DIRECTIONS,
    ROWS,
    SHADOW_COLUMNS,
    SHADOW_ROWS,
    SIDE_COLUMNS,
    SIDE_ROWS,
    STRIP_COLUMNS,
    STRIP_ROWS,
)
from vision.surfaces.foot_colours import MIDDLE

Layer = tuple[str, tuple[int, int], tuple[int, int], int]
FOOT_LAYERS: tuple[Layer, ...] = (
    ("c1", (5, 4), (2, 2), 0),
    ("c2", (3, 3), (2, 2), 0),
    ("c3", (3, 3), (1, 1), 0),
)
STRIP_LAYERS: tuple[Layer, ...] = (
    ("s.c1", (5, 5), (1, 2), 0),
    ("s.c2", (3, 3), (2, 2), 0),
    ("s.c3", (3, 3), (2, 1), 1),
    ("s.c4", (3, 6), (1, 1), 1),
)

LAMP_LAYERS: tuple[Layer, ...] = (
    ("l.c1", (4, 4), (2, 2), 0),
    ("l.c2", (3, 3), (2, 2), 0),
    ("l.c3", (3, 3), (1, 1), 0),
)
SHADOW_LAYERS: tuple[Layer, ...] = (
    ("h.c1", (5, 5), (2, 2), 0),
    ("h.c2", (3, 3), (2, 2), 0),
    ("h.c3", (3, 3), (1, 1), 0),
)
RIM_LAYERS: tuple[Layer, ...] = (
    ("r.c1", (5, 4), (2, 2), 0),
    ("r.c2", (3, 3), (1, 2), 0),
    ("r.c3", (3, 3), (2, 1), 0),
)
SIDE_LAYERS: tuple[Layer, ...] = (
    ("d.c1", (5, 3), (1, 2), 0),
    ("d.c2", (3, 3), (1, 2), 0),
    ("d.c3", (3, 5), (1, 1), 0),
    ("d.c4", (5, 1), (1, 1), 2),
    ("d.c5", (5, 1), (1, 1), 2),
)

#: From channels first, as networks want them, to channels last.
LAST = (0, 2, 3, 1)


def weights() -> dict[str, Singles]:
    """The stored weights."""
    with np.load(WEIGHTS) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def plain(
    stored: dict[str, Singles], x: Singles, layer: tuple[str, tuple[int, int], int, int], view: Singles
) -> Singles:
    """A convolution of one picture, window by window; weights are channels · rows · columns."""
    name, (high, wide), (down, right), pad = layer
    x = np.concatenate([np.zeros((pad, *x.shape[1:])), x, np.zeros((pad, *x.shape[1:]))])
    rows = range(0, x.shape[0] - high + 1, down)
    columns = range(0, x.shape[1] - wide + 1, right)
    windows = np.array([[x[r : r + high, c : c + wide].transpose(2, 0, 1).ravel() for c in columns] for r in rows])
    out = windows @ stored[f"{name}.weight"] + stored[f"{name}.bias"]
    if f"{name}.view" in stored:
        out = out + view @ stored[f"{name}.view"]
    return np.asarray(np.maximum(out, 0), np.float32)


@pytest.mark.parametrize(("any_board", "net"), [(False, "b"), (True, "p")])
def test_feet_are_read_by_plain_convolutions(any_board: bool, net: str) -> None:
    """What the network says of random feet, to rounding; each of the two."""
    stored = weights()
    random = np.random.default_rng(0)
    feet = random.normal(0, 0.5, (3, 9, ROWS, COLUMNS)).astype(np.float32)
    feet[:, FIRST_SURFACE_CHANNEL:] = 1.0
    view = random.normal(0.3, 0.1, (3, 5)).astype(np.float32)
    unknown = np.full((4, 3), np.nan), np.zeros((0, 3))
    belief = ReaderNet(stored).feet(feet, view, *unknown, any_board=any_board)

    def dense(name: str, x: np.ndarray) -> np.ndarray:
        return np.asarray(x @ stored[f"{net}.{name}.weight"] + stored[f"{net}.{name}.bias"])

    for k, x in enumerate(feet.transpose(LAST)):
        for name, *layer in FOOT_LAYERS:
            x = plain(stored, x, (f"{net}.{name}", *layer), view[k])
        code = np.maximum(dense("f", x.ravel()), 0)
        out = dense("hb2", np.maximum(dense("hb1", np.concatenate([code, view[k]])), 0))
        assert belief.occupied[k] == pytest.approx(out[0], abs=1e-3)
        assert belief.surface[k] == pytest.approx(out[1:5], abs=1e-3)


def test_strips_are_read_by_plain_convolutions() -> None:
    """What the network says of random strips, to rounding."""
    stored = weights()
    random = np.random.default_rng(3)
    strips = random.normal(0, 0.5, (2, 4, STRIP_ROWS, STRIP_COLUMNS)).astype(np.float32)
    view = np.array([[0.5, 0.866, 0.7, 0.1, 0.4], [0.3, 0.954, 0.7, 0.0, 0.5]], np.float32)
    belief = ReaderNet(stored).stacks(strips, view)
    for k, x in enumerate(strips.transpose(LAST)):
        for layer in STRIP_LAYERS:
            x = plain(stored, x, layer, view[k])
        x = (x + plain(stored, x, ("s.c5", (3, 1), (1, 1), 1), view[k]))[:, 0]
        seams = np.log1p(np.exp(x @ stored["s.r.weight"] + stored["s.r.bias"] - 2))[:, 0]
        joined = np.concatenate([x.ravel(), seams, view[k]])
        code = np.maximum(joined @ stored["s.g1.weight"] + stored["s.g1.bias"], 0)
        out = code @ stored["s.g2.weight"] + stored["s.g2.bias"]
        assert belief.code[k] == pytest.approx(code, abs=1e-3)
        assert belief.occupied[k] == pytest.approx(out[0], abs=1e-3)
        assert belief.top[k] == pytest.approx(out[1:3], abs=1e-3)
        assert np.exp(belief.rise.weight[k]).sum() == pytest.approx(1, abs=1e-4)
        assert np.exp(belief.count[k]).sum() == pytest.approx(1, abs=1e-4)


def test_heights_follow_from_top_and_count() -> None:
    """For each thickness and stack what plain arithmetic gives, to rounding."""
    stored = weights()
    random = np.random.default_rng(6)
    strips = random.normal(0, 0.5, (2, 4, STRIP_ROWS, STRIP_COLUMNS)).astype(np.float32)
    view = np.array([[0.5, 0.866, 0.7, 0.1, 0.4], [0.3, 0.954, 0.7, 0.0, 0.5]], np.float32)
    net = ReaderNet(stored)
    belief = net.stacks(strips, view)
    ratios, sunk = np.array([0.2, 0.26, 0.3]), np.array([0.0, 0.06])
    told = net.heights(belief, ratios, sunk)
    assert told.shape == (2, 3, 8)
    for k, g in np.ndindex(2, 3):
        given = np.concatenate([belief.code[k], view[k], [4 * ratios[g], 4 * sunk[k]], np.maximum(belief.count[k], -8)])
        hidden = np.maximum(given @ stored["s.k1.weight"] + stored["s.k1.bias"], 0)
        out = hidden @ stored["s.k2.weight"] + stored["s.k2.bias"]
        tops = ratios[g] * np.arange(1, 9) - sunk[k]
        density = belief.rise.log_density(np.array([tops, tops]))[k]
        logits = out[:8] + np.log1p(np.exp(out[8] + 0.5)) * density
        likely = np.exp(logits - logits.max())
        assert np.exp(told[k, g]) == pytest.approx(likely / likely.sum(), abs=1e-3)


def test_lamps_are_told_by_plain_convolutions() -> None:
    """What the network says of random surroundings, to rounding."""
    stored = weights()
    random = np.random.default_rng(4)
    pictures = random.normal(0, 0.5, (2, 4, AROUND, AROUND)).astype(np.float32)
    view = np.array([[0.5, 0.866, 0.7, 0.1], [0.3, 0.954, 0.7, 0.0]], np.float32)
    told = ShadowNet(stored).lamps(pictures, view)
    assert told.shape == (2, DIRECTIONS, len(REACHES))
    for k, x in enumerate(pictures.transpose(LAST)):
        for layer in LAMP_LAYERS:
            x = plain(stored, x, layer, view[k])
        joined = np.concatenate([x.ravel(), view[k]])
        code = np.maximum(joined @ stored["l.g1.weight"] + stored["l.g1.bias"], 0)
        out = np.exp(code @ stored["l.g2.weight"] + stored["l.g2.bias"])
        assert np.exp(told[k]).ravel() == pytest.approx(out / out.sum(), abs=1e-4)


def test_shadows_are_read_by_plain_convolutions() -> None:
    """What the network says of random floors, to rounding; then of how many men there are."""
    stored = weights()
    random = np.random.default_rng(5)
    floors = random.normal(0, 0.5, (2, 4, SHADOW_ROWS, SHADOW_COLUMNS)).astype(np.float32)
    view = random.normal(0.4, 0.2, (2, 8)).astype(np.float32)
    net = ShadowNet(stored)
    belief = net.shadows(floors, view)
    man, sunk = np.array([[0.2, 0.3], [0.15, 0.4]]), np.array([[0.0, 0.0], [0.05, 0.1]])
    heights = net.heights(belief, man, sunk)
    for k, x in enumerate(floors.transpose(LAST)):
        for layer in SHADOW_LAYERS:
            x = plain(stored, x, layer, view[k])
        joined = np.concatenate([x.ravel(), view[k]])
        code = np.maximum(joined @ stored["h.g1.weight"] + stored["h.g1.bias"], 0)
        assert belief.code[k] == pytest.approx(code, abs=1e-3)
        assert np.exp(belief.length.weight[k]).sum() == pytest.approx(1, abs=1e-4)
        for s in range(2):
            given = np.concatenate([code, view[k], [4 * man[k, s], 4 * sunk[k, s]]])
            hidden = np.maximum(given @ stored["h.k1.weight"] + stored["h.k1.bias"], 0)
            out = hidden @ stored["h.k2.weight"] + stored["h.k2.bias"]
            tops = man[k, s] * np.arange(1, 9) - sunk[k, s]
            density = belief.length.log_density(np.array([tops, tops]))[k]
            logits = out[:8] + np.log1p(np.exp(out[8] + 0.5)) * density - stored["h.often"]
            likely = np.exp(logits - logits.max())
            assert np.exp(heights[k, s]) == pytest.approx(likely / likely.sum(), abs=1e-3)


def test_rims_are_read_by_plain_convolutions() -> None:
    """What the network says of random rims, to rounding: their first directions come again at the end."""
    stored = weights()
    random = np.random.default_rng(7)
    pictures = random.normal(0, 0.5, (2, 4, RIM_CIRCLES, RIM_DIRECTIONS)).astype(np.float32)
    view = random.normal(0.4, 0.2, (2, 5)).astype(np.float32)
    belief = RimNet(stored).rims(pictures, view)
    for k, x in enumerate(pictures.transpose(LAST)):
        x = np.concatenate([x, x[:, :6]], axis=1)
        for layer in RIM_LAYERS:
            x = plain(stored, x, layer, view[k])
        code = np.maximum(np.concatenate([x.ravel(), view[k]]) @ stored["r.g1.weight"] + stored["r.g1.bias"], 0)
        hidden = np.maximum(np.concatenate([code, view[k]]) @ stored["r.g2.weight"] + stored["r.g2.bias"], 0)
        out = hidden @ stored["r.m.weight"] + stored["r.m.bias"]
        assert belief.off[k] == pytest.approx(out[-2:], abs=1e-3)
        assert belief.size.middle[k] == pytest.approx(0.04 + 0.04 * out[1:-2:3], abs=1e-3)
        assert np.exp(belief.size.weight[k]).sum() == pytest.approx(1, abs=1e-4)


def plain_sides(stored: dict[str, Singles], picture: Singles, view: Singles) -> Singles:
    """Log-probabilities of the thicknesses by one side (4, rows, columns), by plain arithmetic."""
    x = picture.transpose(1, 2, 0)
    for layer in SIDE_LAYERS[:3]:
        x = plain(stored, x, layer, view)
    for layer in SIDE_LAYERS[3:]:
        x = x + plain(stored, x, layer, view)
    rows = x[:, 0]
    overview = rows.reshape(14, 4, -1).mean(axis=1).ravel()
    code = np.maximum(np.concatenate([overview, view]) @ stored["d.g.weight"] + stored["d.g.bias"], 0)
    told = []
    for thickness in SIDE_THICKNESSES:
        places = [thickness - 0.04, thickness, thickness + 0.04, 2 * thickness, -0.04, 0.0, 0.04]
        at = [np.clip((place + 0.2) / 0.0125 - 4.5, 0, 54.999) for place in places]
        about = [rows[int(a)] * (1 - a % 1) + rows[int(a) + 1] * (a % 1) for a in at]
        hidden = np.concatenate([*about, code, view, [np.log(thickness) + 1.4]])
        for name in ("h1", "h2"):
            hidden = np.maximum(hidden @ stored[f"d.{name}.weight"] + stored[f"d.{name}.bias"], 0)
        told.append((hidden @ stored["d.h3.weight"] + stored["d.h3.bias"])[0])
    return np.asarray(told - np.logaddexp.reduce(told))


def test_sides_are_compared_thickness_by_thickness() -> None:
    """Plain convolutions and, for each thickness, features about both edges; between nodes what lies between.
    What pictures say as they are and mirrored is averaged."""
    stored = weights()
    random = np.random.default_rng(8)
    pictures = random.normal(0, 0.5, (2, 4, SIDE_ROWS, SIDE_COLUMNS)).astype(np.float32)
    view = random.normal(0.4, 0.2, (2, 5)).astype(np.float32)
    view[1, 0] = 0.15
    likely = SideNet(stored).thicknesses(pictures, view, SIDE_THICKNESSES.astype(np.float64))
    between = SideNet(stored).thicknesses(pictures, view, np.sqrt(SIDE_THICKNESSES[3:5].prod(keepdims=True)))
    assert between[:, 0] == pytest.approx(likely[:, 3:5].mean(axis=1), abs=1e-3)
    for k in range(len(pictures)):
        ways = [plain_sides(stored, picture, view[k]) for picture in (pictures[k], pictures[k][..., ::-1])]
        told = np.logaddexp(*ways) - np.log(2)
        unseen = np.clip((11 - 40 * np.exp(view[k, 3]) * view[k, 0]) / 4, 0, 1)
        wanted = told - stored["d.usual"] - 2.2 * unseen * SIDE_THICKNESSES
        assert likely[k] == pytest.approx(wanted, abs=2e-3)


def test_what_is_mirrored_says_the_same() -> None:
    """Looked at both ways a picture and its mirror image say the same, and the mean of what each says alone."""
    stored = weights()
    random = np.random.default_rng(11)
    strips = random.normal(0, 0.5, (3, 4, STRIP_ROWS, STRIP_COLUMNS)).astype(np.float32)
    view = random.normal(0.5, 0.1, (3, 5)).astype(np.float32)
    ratios, sunk, tops = np.array([0.2, 0.26]), np.zeros(3), np.tile([0.3, 0.8], (3, 1))
    net = ReaderNet(stored)
    mirrored = strips[..., ::-1].copy()
    both, other = net.stacks(strips, view, both=True), net.stacks(mirrored, view, both=True)
    alone = [net.stacks(s, view) for s in (strips, mirrored)]
    for told in (lambda b: net.heights(b, ratios, sunk), lambda b: net.rises(b, tops)):
        mean = np.logaddexp(*map(told, alone)) - np.log(2)
        assert told(both) == pytest.approx(mean, abs=1e-3)
        assert told(other) == pytest.approx(mean, abs=1e-3)
    last = net.heights(both.of(np.array([2])), ratios, sunk[:1])
    assert last == pytest.approx(net.heights(both, ratios, sunk)[2:], abs=1e-3)
    floors = random.normal(0, 0.5, (3, 4, SHADOW_ROWS, SHADOW_COLUMNS)).astype(np.float32)
    seen = random.normal(0.4, 0.2, (3, 8)).astype(np.float32)
    turned = seen * np.where(np.arange(8) == 1, -1, 1).astype(np.float32)
    shadows, man = ShadowNet(stored), np.full((3, 2), 0.25)
    lengths = [
        shadows.heights(shadows.shadows(f, v, both=True), man, 0 * man)
        for f, v in ((floors, seen), (floors[..., ::-1].copy(), turned))
    ]
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-3)


def test_input_is_relative_to_the_light() -> None:
    """Colours against white and haze, at most 1.6; what covers; how unlike the middle's and the surfaces'."""
    random = np.random.default_rng(1)
    patches = random.integers(0, 256, (6, ROWS, COLUMNS, 3)).astype(np.uint8)
    cover = random.integers(-1, 2, patches.shape[:-1]).astype(np.int8)
    light = Light((120.0, 180.0, 200.0), 20.0)
    surfaces = np.array([[0.9, 0.8, 0.7], [np.nan] * 3, [0.2, 0.1, 0.2], [np.nan] * 3])
    got = foot_input(patches, cover, light, surfaces).transpose(LAST)
    colour = np.clip((patches - 20.0) / np.array([100.0, 160.0, 180.0]), 0, 1.6) - 0.6
    middle = colour[..., *MIDDLE, :].mean(axis=(-3, -2), keepdims=True)
    apart = np.abs(colour - middle).sum(axis=-1) / (middle.sum(axis=-1) + 1.95)
    assert got[..., :3] == pytest.approx(colour, abs=1e-5)
    assert (got[..., COVER_CHANNEL] == cover).all()
    assert got[..., 4] == pytest.approx(np.minimum(apart, 1.0), abs=1e-5)
    for k, known in enumerate(surfaces):
        unlike = np.abs(colour + 0.6 - known).sum(axis=-1) / (known.sum() + 0.15)
        assert got[..., 5 + k] == pytest.approx(np.minimum(np.nan_to_num(unlike, nan=1.0), 1.0), abs=1e-5)
    assert (picture_input(patches, cover, light).transpose(LAST) == got[..., :4]).all()


def test_cells_do_not_disturb_one_another() -> None:
    """The networks' belief of a cell does not depend on the others in the batch."""
    random = np.random.default_rng(6)
    patches = random.normal(0.2, 0.3, (5, 9, ROWS, COLUMNS)).astype(np.float32)
    view = random.normal(0.3, 0.1, (5, 5)).astype(np.float32)
    net = reader_net()
    all_at_once = net.feet(patches, view, np.full((4, 3), np.nan), np.zeros((0, 3)))
    alone = net.feet(patches[3:4], view[3:4], np.full((4, 3), np.nan), np.zeros((0, 3)))
    assert alone.occupied[0] == pytest.approx(all_at_once.occupied[3], abs=1e-3)
    assert alone.surface[0] == pytest.approx(all_at_once.surface[3], abs=1e-3)
    strips = random.normal(0.2, 0.3, (5, 4, STRIP_ROWS, STRIP_COLUMNS)).astype(np.float32)
    together = net.stacks(strips, view).top[3]
    assert net.stacks(strips[3:4], view[3:4]).top[0] == pytest.approx(together, abs=1e-3)


def test_columns_are_read_by_plain_convolutions() -> None:
    """What the network that weighs heights sees of a random column; kernels whose rows lie apart have none between."""
    stored = weights()
    random = np.random.default_rng(8)
    columns = random.normal(0, 0.5, (1, 4, STRIP_ROWS, STRIP_COLUMNS)).astype(np.float32)
    shadows = random.normal(0, 0.5, (1, 4, SHADOW_ROWS, SHADOW_COLUMNS)).astype(np.float32)
    view = random.normal(0.3, 0.1, (1, 10)).astype(np.float32)
    seen = HeightNet(stored).look(columns, shadows, view, np.zeros(1))
    for name, channels, columns_wide in (("t.c4", 48, 6), ("t.c5", 64, 1)):
        kernel = stored[f"{name}.weight"].reshape(channels, 3, columns_wide, -1)
        apart = np.zeros((channels, 5, columns_wide, kernel.shape[3]), np.float32)
        apart[:, ::2] = kernel
        stored[f"{name}.weight"] = apart.reshape(-1, kernel.shape[3])
    x = columns[0].transpose(1, 2, 0)
    for layer in (
        ("t.c1", (5, 5), (1, 2), 0),
        ("t.c2", (3, 3), (2, 2), 0),
        ("t.c3", (3, 3), (1, 1), 1),
        ("t.c4", (5, 6), (1, 1), 2),
    ):
        x = plain(stored, x, layer, view[0])
    x = x + plain(stored, x, ("t.c5", (5, 1), (1, 1), 2), view[0])
    assert seen.column[0] == pytest.approx(x[:, 0], abs=1e-3)
