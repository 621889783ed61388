"""Light and shade on the open board, by a model: a lamp of some size, an even sky, and men that are cylinders.

Given where the lamp stands, a stack that is so high takes so much of the light from the disks and bare cells about it.
How well that explains what the picture shows tells how high the stack is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry import BoardPose, Floats
from vision.lamp import Lamp
from vision.layers import Singles
from vision.sampling import raised

#: Points of a lamp's face, in its radii.
_FACE = np.array(
    [(r * np.cos(a), r * np.sin(a)) for r, n in ((0.4, 3), (0.85, 6)) for a in 2 * np.pi * np.arange(n) / n + r],
    np.float32,
)
#: Places whose light depends by less than this on what is asked tell nothing.
_TELLING_SHARE = 0.03
#: Squared differences count up to so many times their usual size.
_MOST = 9.0
#: Surfaces with fewer places are left out.
_FEWEST = 12
#: The edges of men are rounded: shadows are thrown from this far below their tops, in diameters.
_ROUNDED = 0.02
#: Directions in which part of the sky is hidden, from the middle one to the outermost, 0 to 1, and their weights.
_DIRECTIONS = ((np.float32(0), np.float32(4 / 9)), (np.float32(0.6**0.5), np.float32(5 / 9)))
#: How little is known of the light of sky and lamp, and how surely the lamp's is even.
_RIDGE = np.diag([1e-3, 1e-3, 1.0, 1.0]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Ground:
    """n places on a board: `points` (n, 3) in millimetres, which of `SURFACES` each is on, or what other number stands
    for places that are alike, how much light comes from there, (n, 3), up to the exposure, and how exactly that is
    known, (n, 3)."""

    points: Singles
    surface: NDArray[np.int_]
    light: Singles
    noise: Singles

    def of(self, rows: NDArray[np.int_]) -> "Ground":
        """Some of the places."""
        return Ground(self.points[rows], self.surface[rows], self.light[rows], self.noise[rows])

    def near(self, place_mm: Floats, radius_mm: float) -> NDArray[np.int_]:
        """Which places are nearer to one on the board (2,) than so much."""
        x, y = self.points[:, 0] - np.float32(place_mm[0]), self.points[:, 1] - np.float32(place_mm[1])
        return np.flatnonzero(x * x + y * y < radius_mm * radius_mm)


@dataclass(frozen=True, slots=True)
class Stand:
    """A stack: where the middle of its top appears to lie on the disks (2,), how high its foot is, in millimetres."""

    middle_mm: Floats
    foot_mm: float


@dataclass(frozen=True, slots=True)
class Men:
    """How men are seen: from where, how high the disks are, the men's radius, and how soft edges look, in mm."""

    pose: BoardPose
    disk_mm: float
    radius_mm: float
    soft_mm: float

    def axes(self, stand: Stand, tops_mm: Floats) -> Singles:
        """Where the middle of a stack is, (H, 2), if its top is as high as `tops_mm` (H,)."""
        middles = np.repeat(stand.middle_mm[None], len(tops_mm), axis=0)
        return raised(self.pose, middles, self.disk_mm, tops_mm - self.disk_mm).astype(np.float32)

    def blocked(self, points: Singles, sources: Singles, stand: Stand, tops_mm: Floats) -> Singles:
        """How much of sources (H, K, 3) a stack with tops so high (H,) hides from points (n, 3): (H, n, K), 0 to 1."""
        axes = self.axes(stand, tops_mm)[:, :, None, None]
        high = (tops_mm - 2 * _ROUNDED * self.radius_mm).astype(np.float32)[:, None, None]
        px, py, pz = points.T[:, None, :, None]
        sx, sy, sz = sources.transpose(2, 0, 1)[:, :, None]
        up = (high - pz) / (sz - pz)
        x, y, a, b = up * (sx - px), up * (sy - py), px - axes[:, 0], py - axes[:, 1]
        along = np.clip(-(a * x + b * y) / np.maximum(x * x + y * y, np.float32(1e-9)), 0, 1)
        x *= along
        y *= along
        x += a
        y += b
        apart = np.sqrt(x * x + y * y)
        hidden: Singles = np.clip(
            (np.float32(self.radius_mm) - apart) / np.float32(self.soft_mm) + np.float32(0.5), 0, 1
        )
        return hidden

    def sky_hidden(self, points: Singles, stand: Stand, tops_mm: Floats) -> Singles:
        """The share of an even sky's light that a stack with tops so high (H,) takes from points (n, 3): (H, n).

        That is the mean, over the directions in which the stack stands, of the squared sine of how high its edge
        reaches there (form factors, cosine law); by three directions (Gauss and Legendre), two of which are alike.
        """
        axes, radius = self.axes(stand, tops_mm)[:, :, None], np.float32(self.radius_mm)
        apart = np.hypot(points[:, 0] - axes[:, 0], points[:, 1] - axes[:, 1])
        apart = np.maximum(apart, np.float32(1.01) * radius)
        height = np.maximum(tops_mm.astype(np.float32)[:, None] - points[:, 2], 0)
        wide = np.arcsin(radius / apart)
        hidden = np.zeros_like(wide)
        for direction, weight in _DIRECTIONS:
            sine = np.sin(direction * wide)
            edge = apart * np.sqrt(1 - sine * sine) - np.sqrt(radius * radius - (apart * sine) ** 2)
            hidden += weight * height**2 / (height**2 + np.maximum(edge, np.float32(0.1)) ** 2)
        share: Singles = hidden * wide / np.float32(np.pi)
        return share


def lamp_faces(lamps: Sequence[Lamp]) -> Singles:
    """Points (L, K, 3) of some lamps' faces, which look at the board's origin."""
    x, y, z, radius = np.array([(lamp.x_mm, lamp.y_mm, lamp.z_mm, lamp.radius_mm) for lamp in lamps]).T
    aside = np.maximum(np.hypot(x, y), 1e-9)
    far = np.hypot(aside, z)
    across = np.stack([-y, x, 0 * z], axis=1) / aside[:, None]
    up = np.stack([-x * z, -y * z, aside**2], axis=1) / (far * aside)[:, None]
    off = _FACE[:, :1] * across[:, None] + _FACE[:, 1:] * up[:, None]
    faces: Singles = (np.stack([x, y, z], axis=1)[:, None] + radius[:, None, None] * off).astype(np.float32)
    return faces


class Shade:
    """The light about one stack. `others`: the stacks near it and how high their tops are.

    Of the ground those places are looked at whose light would differ between `lamps` or between `tops_mm`, at most so
    many, and half as many others.
    """

    def __init__(
        self,
        men: Men,
        ground: Ground,
        stand: Stand,
        others: Sequence[tuple[Stand, float]],
        lamps: Sequence[Lamp],
        tops_mm: Floats,
        most: int,
    ) -> None:
        self._men, self._stand, self._others = men, stand, others
        faces = np.repeat(lamp_faces(lamps)[:, ::4], len(tops_mm), axis=0)
        lit = men.blocked(ground.points, faces, stand, np.tile(tops_mm, len(lamps))).mean(axis=2)
        telling = np.ptp(lit, axis=0) > _TELLING_SHARE
        self.telling = int(telling.sum())
        kept = [_thinned(np.flatnonzero(telling), most), _thinned(np.flatnonzero(~telling), most // 2)]
        ground = ground.of(np.concatenate(kept))
        told = np.arange(len(ground.points)) < len(kept[0])
        self._points, self._worth = ground.points, self.telling / max(len(kept[0]), 1)
        place = (ground.points[:, :2] - stand.middle_mm.astype(np.float32)) / np.float32(8 * men.radius_mm)
        self._even = np.concatenate([np.ones_like(place[:, :1]), place], axis=1)
        rows = [np.flatnonzero(ground.surface == k) for k in np.unique(ground.surface)]
        self._kinds = [(r, told[r], ground.light[r], ground.noise[r]) for r in rows if len(r) >= _FEWEST]

    def misfits(self, lamps: Sequence[Lamp], tops_mm: Floats, taller: Floats) -> Floats:
        """How badly the light is explained by some lamps and heights of the top, (H,) each: half the sums of squared
        differences, in their usual size. `taller` (H,): how many times as high as they are taken to be the other
        stacks are then."""
        face, lit, sky = self._past_others(lamps, taller)
        lamp_light = (lit * (1 - self._men.blocked(self._points, face, self._stand, tops_mm))).mean(axis=2)
        sky = sky * (1 - self._men.sky_hidden(self._points, self._stand, tops_mm))
        columns = np.concatenate([sky[..., None], lamp_light[..., None] * self._even], axis=2)
        total = np.zeros(len(lamps))
        for rows, told, light, noise in self._kinds:
            given = columns[:, rows]
            turned = given.swapaxes(1, 2)
            square = turned @ given + len(rows) * np.float32(1e-3) * _RIDGE
            rest = (light - given @ np.linalg.solve(square, turned @ light))[:, told] / noise[told]
            total += np.minimum(rest * rest, _MOST).sum(axis=(1, 2))
        return total * self._worth / 6

    def _past_others(self, lamps: Sequence[Lamp], taller: Floats) -> tuple[Singles, Singles, Singles]:
        """The lamps' faces (H, K, 3), how much of them (H, n, K) and of the sky (n,) the other stacks leave."""
        every = list(zip(lamps, taller.tolist(), strict=True))
        different = {one: i for i, one in enumerate(dict.fromkeys(every))}
        which = [different[one] for one in every]
        faces, times = lamp_faces([lamp for lamp, _ in different]), np.array([times for _, times in different])
        lit, sky = np.ones((1, 1, 1), np.float32), np.ones(len(self._points), np.float32)
        for other, top in self._others:
            tops = other.foot_mm + (top - other.foot_mm) * times
            lit = lit * (1 - self._men.blocked(self._points, faces, other, tops))
            sky *= 1 - self._men.sky_hidden(self._points, other, np.array([top]))[0]
        return faces[which], lit[which] if self._others else lit, sky


def _thinned(rows: NDArray[np.int_], most: int) -> NDArray[np.int_]:
    """At most so many of some rows, evenly."""
    return rows[:: max(1, -(-len(rows) // most))]
