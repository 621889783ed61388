"""The reader's small convolutional networks, with weights that `benchmarks/reader_training` makes.

One network reads the foot of a cell: is there a man, what lies there. It comes twice, for boards that are surely
darker than light disks and for any board. The other reads the strip of a cell that men may stand on: how high the top
is, how many edges of men there are, how many men for any thickness of one.
Everything is relative: colours to the table's white, lengths to a man's diameter. The channels of a picture: blue,
green, red against white; what covers it (1 a nearer stack, −1 a farther one that shows); a foot has more: how far
each sample's colour is from the foot's middle and from each surface of this table, in proportion to the brightness.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.look import MAX_HEIGHT
from vision.arrays import Floats, Singles
from vision.light import BRIGHTEST, Light
from vision.networks.layers import Layer, Layers
from vision.networks.logs import log_mean, log_one_more, log_sum
from vision.networks.mixture import Mixture, met
from vision.sampling import STRIP_ENDS, STRIP_ROWS, USUAL_PX
from vision.surfaces.foot_colours import LOWERED, MIDDLE, told_by_colours

WEIGHTS = Path(__file__).with_name("reader_weights.npz")

#: The channel of a picture that tells what covers it, and of a foot the first that tells how unlike a surface it is.
COVER_CHANNEL, FIRST_SURFACE_CHANNEL = 3, 5
#: Log-odds of men where surely none are.
_SURELY_OPEN = np.float32(-12.0)
#: Every value that a pixel may have, in all three channels.
_EVERY_VALUE = np.repeat(np.arange(256, dtype=np.uint8), 3).reshape(256, 3)


#: The network for feet, as its weights are named: on boards that are darker than light disks, and on any board.
_FOOT_NETS = ("b", "p")
_STRIP_LAYERS = (
    Layer("s.c1", (5, 5), (1, 2)),
    Layer("s.c2", (3, 3), (2, 2)),
    Layer("s.c3", (3, 3), (2, 1), pad=1),
    Layer("s.c4", (3, 6), pad=1),
    Layer("s.c5", (3, 1), pad=1, added=True),
)
#: Row j of what the strip's convolutions give lies at row 4 j + 3 of the strip.
_SHRUNK, _FIRST_ROW = 4, 3
_HEIGHTS = np.arange(1, MAX_HEIGHT + 1)
#: Planes on which a top is looked for, in diameters above the disk.
PLANES = 0.25 * np.arange(1, 10, dtype=np.float32)
#: Where a top's features are taken about its middle, in diameters on its plane: near rim, …, far rim.
_ABOUT_TOP = np.array([-0.55, -0.25, 0.0, 0.25, 0.5], np.float32)


def _foot_layers(name: str) -> tuple[Layer, ...]:
    """The convolutions of a network for feet."""
    return (
        Layer(f"{name}.c1", (5, 4), (2, 2)),
        Layer(f"{name}.c2", (3, 3), (2, 2)),
        Layer(f"{name}.c3", (3, 3)),
    )


@dataclass(frozen=True, slots=True)
class FootBelief:
    """What n feet show: `occupied` (n,) log-odds of a man; `surface` (n, 4) logits."""

    occupied: Singles
    surface: Singles


@dataclass(frozen=True, slots=True)
class StackBelief:
    """What n strips show; lengths in diameters of a man.

    `occupied` (n,) log-odds of men; `top` (n, 2) the middle of the top in the strip, across and up; `rise` the height
    of the top above the disk. `count` (n, 8): log-probabilities of one, two, … men by the edges between them alone.
    `code` (n, E) and `view` serve `ReaderNet.heights`; `mirrored`: what the same strips show mirrored, if asked.
    """

    occupied: Singles
    top: Singles
    rise: Mixture
    count: Singles
    code: Singles
    view: Singles
    mirrored: "StackBelief | None" = None

    def risen(self) -> Singles:
        """Where the tops are in their strips by how high they are, (n, 2), across and up: men stand in the middle of
        their cells, or nearly. At tilts of 33° and more `top` lies a tenth of a diameter too low for five men."""
        rise = self.rise.likeliest()
        up = rise * self.view[:, 0] / (1 - rise * self.view[:, 4] / 10)
        return np.stack([np.zeros_like(up), up], axis=1)

    def px(self) -> Singles:
        """How many pixels a man is wide, (n,)."""
        px: Singles = USUAL_PX * np.exp(self.view[:, 3])
        return px

    def of(self, rows: NDArray[np.int_]) -> "StackBelief":
        """What some of the strips show."""
        mirrored = None if self.mirrored is None else self.mirrored.of(rows)
        count, code, view = (part[rows] for part in (self.count, self.code, self.view))
        return StackBelief(self.occupied[rows], self.top[rows], self.rise.of(rows), count, code, view, mirrored)


class ReaderNet:
    """The networks with their weights; see the module's docstring."""

    def __init__(self, weights: dict[str, Singles]) -> None:
        self._feet = [Layers(weights, _foot_layers(name)) for name in _FOOT_NETS]
        self._strips = Layers(weights, _STRIP_LAYERS)

    def feet(
        self,
        pictures: Singles,
        view: Singles,
        surfaces: Floats,
        men: Floats,
        disk: float | None = None,
        any_board: bool = False,
        open_: NDArray[np.bool_] | None = None,
    ) -> FootBelief:
        """`pictures` (n, 9, ROWS, COLUMNS), `view` (n, 5): see `foot_input` and `TableModel.foot_view`.

        `surfaces` (4, 3) or (n, 4, 3): the colours of the table's surfaces against the light, NaN where they are not
        known. `men` (owners, 3): the men's colours, likewise. `disk`: the disks' radius in diameters of a man, where it
        is known. `any_board`: whether the board may be as bright as light disks. `open_` (n,): where surely no men are.
        """
        net, name = self._feet[any_board], _FOOT_NETS[any_board]
        x = net.convolved(pictures, view)
        code = net.relu(f"{name}.f", x.reshape(len(x), -1))
        out = net.dense(f"{name}.hb2", net.relu(f"{name}.hb1", np.concatenate([code, view], axis=1)))
        parts = pictures[:, :3], pictures[:, FIRST_SURFACE_CHANNEL:], pictures[:, COVER_CHANNEL]
        occupied = out[:, 0] if open_ is None else np.where(open_, _SURELY_OPEN, out[:, 0])
        return FootBelief(occupied, out[:, 1:5] + told_by_colours(*parts, surfaces, occupied, men, disk))

    def stacks(self, pictures: Singles, view: Singles, both: bool = False) -> StackBelief:
        """`pictures` (n, 4, STRIP_ROWS, STRIP_COLUMNS), `view` (n, 5): see `TableModel.strip_view`. `both`: look at
        them mirrored too, since what is true of a strip is true of its mirror image, and the two err differently."""
        mirrored = self.stacks(np.ascontiguousarray(pictures[..., ::-1]), view) if both else None
        x = self._strips.convolved(pictures, view)[:, :, 0]
        seams = log_one_more(self._strips.dense("s.r", x)[:, :, 0] - np.float32(2))
        code = self._strips.relu("s.g1", np.concatenate([x.reshape(len(x), -1), seams, view], axis=1))
        out = self._strips.dense("s.g2", code)
        counted = np.concatenate([code, view, seams.sum(axis=1, keepdims=True)], axis=1)
        count = self._strips.dense("s.u2", self._strips.relu("s.u1", counted))
        top = self._tops(x, code, view)
        return StackBelief(
            occupied=out[:, 0],
            top=out[:, 1:3],
            rise=Mixture(
                weight=top[..., 0] - np.logaddexp.reduce(top[..., 0], axis=1, keepdims=True),
                middle=PLANES + np.float32(0.25) * np.clip(top[..., 1], -2, 2),
                spread=np.exp(np.clip(top[..., 2] - 2.5, -4.6, -0.7)),
            ),
            count=count - np.logaddexp.reduce(count, axis=1, keepdims=True),
            code=code,
            view=view,
            mirrored=mirrored,
        )

    def heights(self, belief: StackBelief, ratios: Floats, sunk: Floats) -> Floats:
        """Log-probabilities (n, G, 8) of one, two, … men, if men are `ratios` (G,) diameters thick.

        `sunk` (n,): how far below the disk a stack stands, in diameters: the disk's thickness where it has none.
        """
        if belief.mirrored is not None:
            other = self.heights(belief.mirrored, ratios, sunk)
            return log_mean(self.heights(replace(belief, mirrored=None), ratios, sunk), other)
        weight, bias = self._strips.weights["s.k1.weight"], self._strips.weights["s.k1.bias"]
        seen = np.concatenate([belief.code, belief.view], axis=1)
        first, last = seen.shape[1], seen.shape[1] + 2
        same = seen @ weight[:first] + np.maximum(belief.count, -8) @ weight[last:] + bias
        given = 4 * np.stack(np.broadcast_arrays(ratios, sunk[:, None]), axis=2).astype(np.float32)
        out = self._strips.dense("s.k2", np.maximum(same[:, None] + given @ weight[first:last], 0))
        density = belief.rise.log_density(ratios[:, None] * _HEIGHTS - sunk[:, None, None])
        logits = out[..., :MAX_HEIGHT] + log_one_more(out[..., MAX_HEIGHT:] + np.float32(0.5)) * density
        told: Floats = (logits - log_sum(logits, axis=2, keepdims=True)).astype(np.float64)
        return told

    def rises(self, belief: StackBelief, tops: Floats) -> Floats:
        """Log-likelihoods (n, …) of tops that are so high above the disk, in diameters, each stack up to a constant."""
        density = belief.rise.log_density(tops)
        if belief.mirrored is not None:
            density = log_mean(density, belief.mirrored.rise.log_density(tops))
        return density - met(self._strips.weights["s.met"], tops)

    def _tops(self, rows: Singles, code: Singles, view: Singles) -> Singles:
        """Raw mixtures (n, PLANES, 3) from the features (n, rows, E) about each plane's top."""
        n, planes = len(rows), len(PLANES)
        sine, cosine, nearing = view[:, 0:1], view[:, 1:2], view[:, 4:5] / 10
        up = PLANES * sine / (1 - PLANES * nearing)
        step = (STRIP_ENDS[1] - STRIP_ENDS[0]) / STRIP_ROWS
        row = (up[:, :, None] + _ABOUT_TOP * cosine[:, :, None] - STRIP_ENDS[0]) / step - 0.5
        place = np.clip((row - _FIRST_ROW) / _SHRUNK, 0, rows.shape[1] - 1.001).astype(np.float32)
        below = place.astype(int)
        share = (place - below)[..., None]
        cell = np.arange(n)[:, None, None]
        about = (rows[cell, below] * (1 - share) + rows[cell, below + 1] * share).reshape(n, planes, -1)
        same = np.repeat(np.concatenate([code, view], axis=1)[:, None], planes, axis=1)
        plane = np.broadcast_to(PLANES / 2, (n, planes))[..., None]
        joined = np.concatenate([about, same, plane, up[..., None]], axis=2)
        return self._strips.dense("s.p3", self._strips.relu("s.p2", self._strips.relu("s.p1", joined)))


def foot_input(pictures: NDArray[np.uint8], cover: NDArray[np.int8], light: Light, surfaces: Floats) -> Singles:
    """Feet (n, ROWS, COLUMNS, 3) and what covers them (n, ROWS, COLUMNS) as channels, (n, 9, ROWS, COLUMNS).

    `surfaces` (4, 3) or (n, 4, 3): the colours of the table's surfaces against the light, NaN where they are not known.
    """
    channels = _channels(pictures, cover, light, FIRST_SURFACE_CHANNEL + surfaces.shape[-2])
    colour = channels[:, :COVER_CHANNEL]
    middle = colour[:, :, *MIDDLE].mean(axis=(2, 3))[..., None, None]
    channels[:, COVER_CHANNEL + 1] = _unlike(colour, middle)
    for k in range(surfaces.shape[-2]):
        known = np.minimum(surfaces[..., k, :], BRIGHTEST).astype(np.float32).reshape(-1, 3, 1, 1) - LOWERED
        unlike = _unlike(colour, known) if np.isfinite(known).all() else np.float32(1.0)
        channels[:, FIRST_SURFACE_CHANNEL + k] = unlike
    return channels


def picture_input(pictures: NDArray[np.uint8], cover: NDArray[np.int8], light: Light) -> Singles:
    """Pictures (n, rows, columns, 3) and what covers them (n, rows, columns) as channels, (n, 4, rows, columns)."""
    return _channels(pictures, cover, light, COVER_CHANNEL + 1)


def _channels(pictures: NDArray[np.uint8], cover: NDArray[np.int8], light: Light, count: int) -> Singles:
    """So many channels, (n, count, rows, columns): colours against the light, lowered (−0.6 to 1), and what covers
    them; the others are left empty."""
    n, rows, columns = cover.shape
    values = _lowered(light)
    channels = np.empty((n, count, rows, columns), np.float32)
    for k, plane in enumerate(cv2.split(pictures.reshape(n * rows, columns, 3))):
        channels[:, k] = np.asarray(cv2.LUT(plane, values[:, k])).reshape(n, rows, columns)
    channels[:, COVER_CHANNEL] = cover
    return channels


@lru_cache(maxsize=8)
def _lowered(light: Light) -> Singles:
    """What every value that a pixel may have is against the light, cut off and lowered, (256, 3)."""
    values: Singles = np.minimum(light.relative(_EVERY_VALUE), BRIGHTEST) - LOWERED
    return values


def _unlike(colour: Singles, other: Singles) -> Singles:
    """How far lowered colours (n, 3, rows, columns) are from others (n, 3, 1, 1), in proportion to their brightness; 1
    at most."""
    apart = np.abs(colour[:, 0] - other[:, 0])
    for k in (1, 2):
        more = colour[:, k] - other[:, k]
        apart += np.abs(more, out=more)
    apart *= np.reciprocal(other.sum(axis=1) + 3 * LOWERED + np.float32(0.15))
    unlike: Singles = np.minimum(apart, 1.0, out=apart)
    return unlike


@lru_cache(maxsize=1)
def stored_weights() -> dict[str, Singles]:
    """The weights that come with the program, by name."""
    with np.load(WEIGHTS) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


@lru_cache(maxsize=1)
def reader_net() -> ReaderNet:
    """The networks with the weights that come with the program."""
    return ReaderNet(stored_weights())
