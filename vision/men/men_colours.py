"""Whose man is it? Colours of the men against the table's white, learned from the tops that are seen.

A top's light is the man's own colour in some shade, and the lamp's, mirrored: a glossy man below the mirrored lamp may
show more of the lamp than of himself (Shafer, Using color to separate reflection components, 1985). His side does not
mirror it: where that can be seen, it has a say. So does where the lamp stands: it is mirrored on some tops only.

Mirrored light comes on top, so the darkest part of a top shows the man's own colour best; but not where something dark
is printed on it, or where men have holes. So the colours are learned by the part that explains all men best.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import permutations

import numpy as np

from vision.arrays import Floats
from vision.lamplight.mirror import ANYWHERE, GLOSSES, Mirror, likely_mirror
from vision.light import GAMMA
from vision.men.side_colours import Sides
from vision.palette import DEFAULT_DISKS, Material, parse_colour

#: Parts of a top, from its darkest samples (0) to its brightest (1): the usual one, and others.
Part = tuple[float, float]
DARKEST: Part = (0.0, 0.25)
TOP_PARTS: tuple[Part, ...] = (DARKEST, (0.3, 0.55), (0.6, 0.9))
#: Another part than the usual one must explain all men on the table so much better (logarithm).
_BETTER = 4.0
#: A top may be this much darker or brighter than expected.
_SHADES = np.exp(np.linspace(-1.5, 0.7, 16))
_SHADE_SPREAD = 0.35
#: A top or two may lie in the shadow of other stacks, though not so many that colours are learned from them: then it
#: may be so much darker, and no shade is less likely than this (logarithm).
_SHADOWS, _SHADOWED = np.exp(np.linspace(-2.3, 0.7, 22)), 5.0
#: Colours are learned from the half of a player's tops that mirror least, and from all that mirror less than this.
_HARDLY_MIRRORED = 0.02
#: The edges of tops that mirror so much light show it, too.
_MIRRORING = 0.2
#: So often men are given to players and the players' colours learned from them.
_ROUNDS = 2
#: How much warmer than the light on the disks the lamp may be that is mirrored: the ratio of red to blue; green changes
#: less, by this exponent. How far off that usually is (logarithm).
_WARMTHS = (0.8, 1.0, 1.25, 1.55, 1.9)
_WARM_GREEN, _WARMTH_SPREAD = 0.55, 0.3
#: Spread of a top's colour about its best explanation (display values against white), and how far off what it mirrors
#: is besides, in proportion: the more a top mirrors, the less its exact colour tells.
_SPREAD, _GLOSS_SPREAD = 0.045, 0.08
#: A top that is explained worse than this may be something else than a man (logarithm): it says no more of tints.
_STRANGE = 12.0
#: How seldom all men on a board are one player's (logarithm).
_ONE_SIDED = 3.0
#: How far the disks' true colour may be from the one assumed: logarithm of linear light, blue-green-red. Disks
#: that nobody named are often white: so unlikely is that (logarithm).
_TINT_SPREAD, _ARE_WHITE = np.array([0.4, 0.25, 0.2]), 2.5
_WHITE = np.array(parse_colour("white").linear[::-1])
#: Display values against white are not told apart above this.
_BRIGHTEST = 1.6


@dataclass(frozen=True, slots=True)
class _Expected:
    """What tops look like in each of K shades, when they mirror as much as each of `GLOSSES`, for each colour of men:
    `shown` (K, G, colours, 3), how far off that is, `spread`, and how unlikely, `unlikely` (K, G, colours)."""

    shown: Floats
    spread: Floats
    unlikely: Floats

    def unexplained(self, tops: Floats) -> Floats:
        """How ill each colour explains each top under its best shade for each of `GLOSSES`: half the squared distance,
        (n, G, colours)."""
        off = (np.minimum(tops, _BRIGHTEST)[:, None, None, None] - self.shown) / self.spread
        return np.asarray((0.5 * (off**2).sum(axis=4) + self.unlikely).min(axis=1))


@dataclass(frozen=True, slots=True)
class MenColours:
    """The owners' colours: linear blue-green-red against the table's white, (owners, 3), owner 1 first; the colour of
    the light that they mirror (3,), its blue being 1; the brightest that a pixel can be (3,), display values against
    white: light beyond that is lost; how `unlikely` it is that they differ so from the named ones, see `_tint`; which
    part of tops shows them, see `TOP_PARTS`; and how the tops mirror the lamp, where one is known."""

    linear_bgr: Floats
    gloss_bgr: Floats
    brightest: Floats
    unlikely: float = 0.0
    part: Part = DARKEST
    mirror: Mirror | None = None
    _expected: _Expected = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        expected = _expect(self.linear_bgr, self.gloss_bgr, self.brightest, shadowed=True)
        object.__setattr__(self, "_expected", expected)

    def shown(self) -> Floats:
        """The owners' colours, (owners, 3), display values against white."""
        return np.asarray(self.linear_bgr ** (1 / GAMMA))

    def log_likelihoods(self, tops: Floats, sides: Sides, off: Floats) -> Floats:
        """(n, owners) natural log-likelihoods of men with tops of the colours (n, 3), display values against white, and
        such sides; `off` (n,): how far the tops are from mirroring the lamp, see `off_mirror`."""
        return self._told(tops, sides, ANYWHERE[None] if self.mirror is None else self.mirror.unusual(off))[0]

    def strange(self, tops: Floats) -> Floats:
        """How strange tops of such colours (n, 3) are for men, (n,): negative log-likelihoods, wherever the lamp is."""
        return np.asarray(_explained(self._expected.unexplained(tops), ANYWHERE[None])[0].min(axis=1))

    def belongs(self, tops: Floats, sides: Sides, owners: np.ndarray) -> tuple[np.ndarray, Floats]:
        """Whose each man is, counted from 0, (n,), and how much light he mirrors then, (n,), wherever the lamp is;
        `owners` (n,) as for `learn_men`."""
        return _belongs(*self._told(tops, sides, ANYWHERE[None]), owners)

    def worth(self, tops: Floats, sides: Sides, owners: np.ndarray) -> float:
        """How well these colours explain men with such tops (n, 3) and sides, a log-likelihood; `owners` (n,) as for
        `learn_men`."""
        told, mirrored = self._told(tops, sides, ANYWHERE[None])
        told = np.maximum(told, -_STRANGE)
        belongs, _ = _belongs(told, mirrored, owners)
        worth = float(told[np.arange(len(told)), belongs].sum()) - self.unlikely
        return worth - _ONE_SIDED * _one_sided(belongs, len(self.linear_bgr))

    def mirroring(self, tops: Floats, sides: Sides, off: Floats) -> "MenColours":
        """The same colours, with how men mirror the lamp by such tops, as for `log_likelihoods`."""
        unexplained = self._expected.unexplained(tops)
        told = self._by_sides(sides, _explained(unexplained, ANYWHERE[None])[1])
        return replace(self, mirror=likely_mirror(unexplained - told[:, None], off))

    def _told(self, tops: Floats, sides: Sides, unusual: Floats) -> tuple[Floats, Floats]:
        """Log-likelihoods of each owner's men, and how much light they mirror then, (n, owners) each; `unusual` as for
        `_explained`."""
        misfit, mirrored = _explained(self._expected.unexplained(tops), unusual)
        return self._by_sides(sides, mirrored) - misfit, mirrored

    def _by_sides(self, sides: Sides, mirrored: Floats) -> Floats:
        """What sides of men tell whose tops mirror so much light, (n, owners)."""
        return sides.told(self.shown(), mirrored >= _MIRRORING)


def best_learned(
    looks: Iterable[tuple[Part, Floats, Sides]], owners: np.ndarray, material: Material, brightest: Floats
) -> MenColours:
    """The men's colours by the part of tops that explains them best: `looks` are parts, the usual one first, the tops'
    colours (n, 3) in it, and the sides; for the rest see `learn_men`."""
    best, most = None, 0.0
    for part, tops, sides in looks:
        men = replace(learn_men(tops, sides, owners, material, brightest), part=part)
        worth = men.worth(tops, sides, owners) - _BETTER * (part != DARKEST)
        if best is None or worth > most:
            best, most = men, worth
    if best is None:
        raise ValueError("men's colours cannot be learned from no part of them")
    return best


def learn_men(
    tops: Floats, sides: Sides | None, owners: np.ndarray, material: Material, brightest: Floats
) -> MenColours:
    """The men's colours from tops (n, 3), display values against white, their sides, and the named material.

    `owners` (n,): whose each man is, 0 where nobody knows; then the named colours decide. `brightest` (3,): see
    `MenColours`. `sides` may be None where there are no men.
    """
    brightest = np.minimum(brightest, _BRIGHTEST)
    yardstick = np.array(material.yardstick.linear[::-1])
    named = np.array([c.linear[::-1] for c in material.owners.values()]) / yardstick
    white = yardstick[0] / yardstick
    if sides is None:
        return MenColours(named, white, brightest)
    white_disks = np.log(yardstick / _WHITE) * (material.disks == DEFAULT_DISKS)
    fits = []
    for warmth in _WARMTHS:
        gloss = white * np.array([1.0, warmth**_WARM_GREEN, warmth])
        tint, cost = _tint(tops, owners, named, gloss, brightest, white_disks)
        fits.append((cost + 0.5 * (np.log(warmth) / _WARMTH_SPREAD) ** 2, tint, gloss))
    _, tint, gloss = min(fits, key=lambda fit: fit[0])
    expected = named * np.exp(tint)
    men = MenColours(expected, gloss * np.exp(tint), brightest, _far_tinted(tint, white_disks))
    for _ in range(_ROUNDS):
        men = replace(men, linear_bgr=_learned(tops, *men.belongs(tops, sides, owners), expected))
    return men


def _learned(tops: Floats, belongs: np.ndarray, mirrored: Floats, expected: Floats) -> Floats:
    """The owners' colours by tops (n, 3) that are known to belong to them and to mirror so much light, (n,) each."""
    linear, learned = np.maximum(tops, 1e-3) ** GAMMA, expected.copy()
    for k in range(len(expected)):
        mine = belongs == k
        if mine.any():
            clear = linear[mine & (mirrored <= max(_HARDLY_MIRRORED, float(np.median(mirrored[mine]))))]
            weight = len(clear) / (len(clear) + 1.0)
            learned[k] = np.exp((1 - weight) * np.log(expected[k]) + weight * np.log(np.median(clear, axis=0)))
    return learned


def _tint(
    tops: Floats, owners: np.ndarray, named: Floats, gloss: Floats, brightest: Floats, white_disks: Floats
) -> tuple[Floats, float]:
    """How the named colours are tinted here (logarithm of linear light), common to all men, and how ill that fits;
    `white_disks` (3,): how they are where the disks are white, if they may be.

    Colours are tinted when the disks are not of the colour that they are taken for. All that is measured against them
    is tinted then, the light that men mirror, too.
    """
    best, best_cost = np.zeros(3), np.inf
    shown = np.maximum(tops, 0.03) ** GAMMA
    starts = [(tint, np.zeros(3)) for tint in _starts(np.log(shown), owners, named)]
    if white_disks.any():
        starts.append((white_disks, white_disks))
    for tint, usual in starts:
        for _ in range(5):
            expected, mirror = named * np.exp(tint), gloss * np.exp(tint)
            misfit, mirrored = _explained(_expect(expected, mirror, brightest).unexplained(tops), ANYWHERE[None])
            belongs, mirrored = _belongs(-misfit, mirrored, owners)
            own = np.maximum(shown - mirrored[:, None] * mirror, 0.03**GAMMA)
            off = np.log(own) - np.log(np.maximum(expected[belongs], 1e-3))
            off = off - np.clip(off.mean(axis=1, keepdims=True), -0.5, 0.5)
            n = len(tops)
            tint = 0.5 * tint + 0.5 * (usual + (tint + np.median(off, axis=0) - usual) * n / (n + 2.0))
        unexplained = _expect(named * np.exp(tint), gloss * np.exp(tint), brightest).unexplained(tops)
        misfit, _ = _explained(unexplained, ANYWHERE[None])
        cost = np.minimum(misfit.min(axis=1), _STRANGE).sum() + _far_tinted(tint, white_disks)
        cost += _ONE_SIDED * _one_sided(misfit.argmin(axis=1), len(named))
        if cost < best_cost:
            best, best_cost = tint, float(cost)
    return best, best_cost


def _far_tinted(tint: Floats, white_disks: Floats) -> float:
    """How unlikely a tint (3,) is, a negative log-likelihood; `white_disks` (3,): see `_tint`."""
    usual, white = (0.5 * ((off / _TINT_SPREAD) ** 2).sum() for off in (tint, tint - white_disks))
    return float(min(usual, white + _ARE_WHITE))


def _one_sided(belongs: np.ndarray, players: int) -> bool:
    """Whether all of several men belong to one of several players, counted from 0, (n,)."""
    return len(np.unique(belongs)) < min(len(belongs), players, 2)


def _starts(linear: Floats, owners: np.ndarray, named: Floats) -> list[Floats]:
    """Tints to start from: usual ones, and those by which groups of tops that look alike are the named colours, in
    each order. `linear` (n, 3) are logarithms of linear light."""
    starts = [np.zeros(3), np.array([-0.6, -0.3, -0.15])]
    groups = _groups(linear, len(named))
    if groups is None or (owners > 0).any():
        return starts
    for order in permutations(range(len(named))):
        starts.append((groups - np.log(np.maximum(named[list(order)], 1e-3))).mean(axis=0))
    return starts


def _groups(values: Floats, count: int) -> Floats | None:
    """Middles (count, 3) of groups of values (n, 3) that lie together (k-means, farthest first); None for too few."""
    middles = [values[np.argmax(((values - np.median(values, axis=0)) ** 2).sum(axis=1))]]
    for _ in range(count - 1):
        middles.append(values[np.argmax(np.min([((values - m) ** 2).sum(axis=1) for m in middles], axis=0))])
    found = np.array(middles)
    for _ in range(5):
        nearest = ((values[:, None] - found) ** 2).sum(axis=2).argmin(axis=1)
        if len(set(nearest.tolist())) < count:
            return None
        found = np.array([values[nearest == k].mean(axis=0) for k in range(count)])
    return found


def _belongs(told: Floats, mirrored: Floats, owners: np.ndarray) -> tuple[np.ndarray, Floats]:
    """Whose each man is, counted from 0, (n,), and how much light he mirrors then, (n,), by the log-likelihoods of the
    colours and what is mirrored under each, (n, colours)."""
    belongs = np.where(owners > 0, owners - 1, np.argmax(told, axis=1))
    return belongs, mirrored[np.arange(len(told)), belongs]


def _expect(linear: Floats, gloss: Floats, brightest: Floats, shadowed: bool = False) -> _Expected:
    """What tops of each of the colours `linear` are expected to look like. `shadowed`: whether they may lie in a
    shadow.

    Light is cut off where pixels can be no brighter.
    """
    shades = _SHADOWS if shadowed else _SHADES
    light = shades[:, None, None, None] * linear + GLOSSES[:, None, None] * gloss
    shown = np.minimum(light ** (1 / GAMMA), brightest)
    spread = np.hypot(_SPREAD, _GLOSS_SPREAD * (shown - shown[:, :1]))
    unlikely = np.minimum(0.5 * (np.log(shades) / _SHADE_SPREAD) ** 2, _SHADOWED if shadowed else np.inf)
    return _Expected(shown, spread, unlikely[:, None, None] + np.log(spread / _SPREAD).sum(axis=3))


def _explained(unexplained: Floats, unusual: Floats) -> tuple[Floats, Floats]:
    """How ill each colour explains each top when it mirrors as much as explains it best, and how much that is,
    (n, colours) each; `unusual` (n, G), or (1, G): how unlikely that much is."""
    cost = unexplained + unusual[:, :, None]
    return cost.min(axis=1), GLOSSES[cost.argmin(axis=1)]
