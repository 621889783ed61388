"""Light and shade on the open board, by a model: a lamp of some size, an even sky, and men that are cylinders.

Given where the lamp stands, a stack that is so high takes so much of the light from the disks and bare cells about it.
How well that explains what the picture shows tells how high the stack is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats, Singles
from vision.geometry import BoardPose
from vision.lamplight.lamp import Lamp, places_of
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
#: Shadows may be so many times as long and as wide as they seem to be, and lie aside by so much of their length; and so
#: far about a stack (in its height) on any side of it, under a lamp that is nearly above it.
_LONGER, _WIDER, _SWING, _ANYWAY = 2.0, 1.4, 0.5, 0.35
#: How little is known of the light of sky and lamp, how surely the lamp's is even; and how little of the other lamp's.
_RIDGE = np.diag([1e-3, 1e-3, 1.0, 1.0, 1e-3]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Ground:
    """n places on a board: `points` (n, 3) in millimetres, which of `SURFACES` each is on, how much light comes from
    there, (n, 3), up to the exposure, and how exactly that is known, (n, 3). Each counts as `worth` of those that are
    looked at when a table is learned."""

    points: Singles
    surface: NDArray[np.int_]
    light: Singles
    noise: Singles
    worth: float

    def of(self, rows: NDArray[np.int_]) -> "Ground":
        """Some of the places."""
        return Ground(self.points[rows], self.surface[rows], self.light[rows], self.noise[rows], self.worth)

    def and_(self, others: "Ground") -> "Ground":
        """These places and others that count as much."""
        return Ground(
            np.concatenate([self.points, others.points]),
            np.concatenate([self.surface, others.surface]),
            np.concatenate([self.light, others.light]),
            np.concatenate([self.noise, others.noise]),
            self.worth,
        )

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

    def axes(self, middles_mm: Floats, tops_mm: Floats) -> Singles:
        """Where the middles of stacks are, (H, 2), whose tops are as high as `tops_mm` (H,) and whose middles appear to
        lie at `middles_mm` (H, 2) on the disks, or all at the same place (2,)."""
        return raised(self.pose, middles_mm, self.disk_mm, tops_mm - self.disk_mm).astype(np.float32)

    def left(self, points: Singles, sources: Singles, middle_mm: Floats, tops_mm: Floats) -> Singles:
        """How much of sources (H, K, 3) a stack with tops so high (H,) leaves to points (n, 3): (H, K, n), 0 to 1.

        `middle_mm` (2,): where its middle appears to lie on the disks.

        Where a ray passes the stack's axis nearest, below its top, tells that. Squares and products of ways on the
        board are sums of terms that a source and a point share, so matrices give them.
        """
        middle = middle_mm.astype(np.float32)
        ax, ay = (self.axes(middle_mm, tops_mm) - middle).T[:, :, None]
        sx, sy = sources[..., 0] - middle[0], sources[..., 1] - middle[1]
        px, py, pz = np.ascontiguousarray(points.T)
        px, py = px - middle[0], py - middle[1]
        places = np.stack([px, py, px * px + py * py, np.ones_like(px)])
        way = _terms(-2 * sx, -2 * sy, sx * sx + sy * sy + 1) @ places
        to_axis = _terms(-sx - ax, -sy - ay, sx * ax + sy * ay) @ places
        along = to_axis / way
        high = (tops_mm - 2 * _ROUNDED * self.radius_mm).astype(np.float32)[:, None, None]
        np.clip(along, 0, (high - pz) / (sources[..., 2:] - pz), out=along)
        way *= along
        to_axis *= 2
        way -= to_axis
        way *= along
        way += _terms(-2 * ax, -2 * ay, ax * ax + ay * ay) @ places
        way *= np.float32(0.5 / (self.radius_mm * self.soft_mm))
        way += np.float32(0.5 - 0.5 * self.radius_mm / self.soft_mm)
        left: Singles = np.clip(way, 0, 1, out=way)
        return left

    def may_shade(self, points: Singles, stand: Stand, top_mm: float, lamps: Sequence[Lamp]) -> NDArray[np.int_]:
        """Which of points (n, 3) may lie in a stack's shadow when its top is about so high and the lamp about one of
        some."""
        axis = self.axes(stand.middle_mm, np.array([top_mm]))[0]
        places = places_of(lamps)
        ways = axis - places[:, :2]
        far = np.hypot(*ways.T)
        x, y = (ways / np.maximum(far, 1e-9)[:, None]).mean(axis=0).astype(np.float32)
        long = np.float32(_LONGER * (far / (places[:, 2] - top_mm)).max() * top_mm + 2 * self.radius_mm)
        px, py = points[:, 0] - axis[0], points[:, 1] - axis[1]
        along, aside = px * x + py * y, np.abs(px * y - py * x)
        wide = np.float32(_WIDER * self.radius_mm) + np.float32(_SWING) * np.maximum(along, 0)
        about = px * px + py * py < (_WIDER * self.radius_mm + _ANYWAY * top_mm) ** 2
        return np.flatnonzero(about | ((along > 0) & (along < long) & (aside < wide)))

    def sky_hidden(self, points: Singles, middles_mm: Floats, tops_mm: Floats) -> Singles:
        """The share of an even sky's light that stacks take from points (n, 3): (H, n); stacks as for `axes`.

        That is the mean, over the directions in which the stack stands, of the squared sine of how high its edge
        reaches there (form factors, cosine law); by three directions (Gauss and Legendre), two of which are alike.
        """
        axes, radius = self.axes(middles_mm, tops_mm)[:, :, None], np.float32(self.radius_mm)
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


def _terms(x: Singles, y: Singles, one: Singles) -> Singles:
    """A matrix (H, K, 4): times (x, y, x² + y², 1) of a place it gives so much of x and y, the square, and so much."""
    rows = np.empty((*x.shape, 4), np.float32)
    rows[..., 0], rows[..., 1], rows[..., 2], rows[..., 3] = x, y, 1, one
    return rows


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
        self._men, self._middle_mm = men, stand.middle_mm
        telling = np.zeros(len(ground.points), bool)
        for each in _by_light(lamps):
            faces = np.repeat(lamp_faces(each)[:, ::4], len(tops_mm), axis=0)
            lit = men.left(ground.points, faces, stand.middle_mm, np.tile(tops_mm, len(each))).mean(axis=1)
            telling |= np.ptp(lit, axis=0) > _TELLING_SHARE
        self.telling = int(telling.sum())
        kept = [_thinned(np.flatnonzero(telling), most), _thinned(np.flatnonzero(~telling), most // 2)]
        rows, told = np.concatenate(kept), np.arange(sum(map(len, kept))) < len(kept[0])
        order = np.lexsort((~told, ground.surface[rows]))
        ground, told = ground.of(rows[order]), told[order]
        self._points, self._worth = ground.points, ground.worth * self.telling / max(len(kept[0]), 1)
        self._kinds = [
            (places, ground.light[places], ground.noise[places][told[places]])
            for places in _runs(ground.surface)
            if places.stop - places.start >= _FEWEST
        ]
        self._others = [
            [(*other, men.may_shade(ground.points, *other, each)) for other in others] for each in _by_light(lamps)
        ]
        middles, tops = np.array([other.middle_mm for other, _ in others]).reshape(-1, 2), [top for _, top in others]
        self._sky = (1 - men.sky_hidden(ground.points, middles, np.array(tops))).prod(axis=0)
        place = (ground.points[:, :2] - stand.middle_mm.astype(np.float32)) / np.float32(8 * men.radius_mm)
        self._even = np.stack([np.ones_like(place[:, 0]), *place.T])

    def misfits(self, lamps: Sequence[Lamp], tops_mm: Floats, taller: Floats) -> Floats:
        """How badly the light is explained by some lamps and for each some heights of the top, (L, Z): half the sums
        of squared differences, in their usual size. `taller` (L,): how many times as high as they are taken to be the
        other stacks are then."""
        shape, tops = tops_mm.shape, tops_mm.ravel()
        lights = [
            self._light(lamp_faces(each), others, tops_mm, taller)
            for each, others in zip(_by_light(lamps), self._others, strict=True)
        ]
        sky = self._sky * (1 - self._men.sky_hidden(self._points, self._middle_mm, tops))
        terms = np.concatenate(
            [sky[:, None], lights[0][:, None] * self._even, *(x[:, None] for x in lights[1:])], axis=1
        )
        ridge = _RIDGE[: terms.shape[1], : terms.shape[1]]
        total = np.zeros(len(tops))
        for places, seen, noise in self._kinds:
            given = terms[..., places]
            turned = given.swapaxes(1, 2)
            square = given @ turned + len(seen) * np.float32(1e-3) * ridge
            rest = np.linalg.solve(square, given @ seen).swapaxes(1, 2) @ given[..., : len(noise)]
            rest -= seen[: len(noise)].T
            rest /= noise.T
            rest *= rest
            total += np.minimum(rest, _MOST, out=rest).sum(axis=(1, 2))
        return total.reshape(shape) * self._worth / 6

    def _light(
        self, faces: Singles, others: Sequence[tuple[Stand, float, NDArray[np.int_]]], tops_mm: Floats, taller: Floats
    ) -> Singles:
        """How much of lamps' faces (L, K, 3) this stack, for each of its tops (L, Z), and others leave, (L · Z, n)."""
        shape, tops = tops_mm.shape, tops_mm.ravel()
        left = self._men.left(self._points, np.repeat(faces, shape[1], axis=0), self._middle_mm, tops)
        past = self._past(others, faces, taller)
        light: Singles = np.einsum("lkn,lzkn->lzn", past, left.reshape(*shape, *past.shape[1:]))
        return light.reshape(len(tops), -1)

    def _past(self, others: Sequence[tuple[Stand, float, NDArray[np.int_]]], faces: Singles, taller: Floats) -> Singles:
        """How much of lamps' faces (L, K, 3) the other stacks leave, (L, K, n), each its share of the lamp."""
        past = np.full((*faces.shape[:2], len(self._points)), 1 / faces.shape[1], np.float32)
        for other, top, rows in others:
            if len(rows):
                tops = other.foot_mm + (top - other.foot_mm) * taller
                past[..., rows] *= self._men.left(self._points[rows], faces, other.middle_mm, tops)
        return past


def _by_light(lamps: Sequence[Lamp]) -> list[list[Lamp]]:
    """Some lamps, and the others beside them if there are any."""
    return [list(each) for each in zip(*(lamp.both() for lamp in lamps), strict=True)]


def _thinned(rows: NDArray[np.int_], most: int) -> NDArray[np.int_]:
    """At most so many of some rows, evenly."""
    return rows[:: max(1, -(-len(rows) // most))]


def _runs(kinds: NDArray[np.int_]) -> list[slice]:
    """Where each of some sorted numbers (n,) begins and ends."""
    ends = [*(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)]
    return [slice(low, high) for low, high in zip([0, *ends], ends, strict=False)]
