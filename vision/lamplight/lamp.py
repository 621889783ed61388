"""Where the lamp stands, by the shadows of all stacks together: for each cell the way its shadow falls and how far."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.arrays import Floats, Singles
from vision.networks.shadow_net import DIRECTIONS, REACHES
from vision.sampling import CellViews

#: Where lamps are looked for: directions (degrees) and reaches (length of a shadow per unit of height).
BEARINGS = np.deg2rad(np.arange(0, 360, 5))
SHADOW_REACHES = np.geomspace(0.22, 1.5, 8)
#: How far away a lamp is, in pitches: a lamp above a table; where it stands exactly makes little difference.
FAR_PITCHES = 30.0
#: Shadows of one picture err together, so their votes count for less (fitted on rendered boards).
_VOTES_TEMPERATURE = 2.5
#: Lamps within this angle of the likeliest are the same lamp; together they must be at least so likely.
_SAME_LAMP = 0.5
_SURE = 0.85


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp, or the brightest window: its place in the board frame, and the radius of its face; and the `other` lamp,
    if there is one that throws shadows of its own."""

    x_mm: float
    y_mm: float
    z_mm: float
    radius_mm: float = 0.0
    other: "Lamp | None" = None

    def both(self) -> "tuple[Lamp, ...]":
        """This lamp and the other one, if there is one."""
        return (self,) if self.other is None else (self, self.other)

    def aside_mm(self) -> float:
        """How far from above the board's origin it stands."""
        return max(float(np.hypot(self.x_mm, self.y_mm)), 1e-6)

    def far_mm(self) -> float:
        """How far from the board's origin it stands."""
        return float(np.hypot(self.aside_mm(), self.z_mm))

    def reach(self) -> float:
        """How long shadows at the board's origin are per unit of height."""
        return self.aside_mm() / self.z_mm

    def reaching(self, factor: float) -> "Lamp":
        """The same lamp lower or higher, and the other one with it: at the board's origin shadows reach `factor` times
        as far."""
        z_mm = self.far_mm() / float(np.hypot(1, factor * self.reach()))
        out = factor * z_mm / self.z_mm
        other = None if self.other is None else self.other.reaching(factor)
        return Lamp(self.x_mm * out, self.y_mm * out, z_mm, self.radius_mm, other)

    def turned(self, angle: float) -> "Lamp":
        """The same lamp turned about the board's origin by an angle in radians; the other one stays."""
        sine, cosine = float(np.sin(angle)), float(np.cos(angle))
        x, y = cosine * self.x_mm - sine * self.y_mm, sine * self.x_mm + cosine * self.y_mm
        return Lamp(x, y, self.z_mm, self.radius_mm, self.other)

    def shadows(self, centres_mm: Floats) -> tuple[Floats, Floats]:
        """The way shadows fall at (n, 2) places on the board, unit vectors (n, 2), and their reach (n,): their length
        per unit of height."""
        way, reach = _shadows(np.array([[self.x_mm, self.y_mm, self.z_mm]]), centres_mm)
        return way[:, 0], reach[:, 0]


def find_lamp(told: Singles, views: CellViews, pitch_mm: float, falls: Floats) -> Lamp | None:
    """The lamp that explains best what is `told` (n, DIRECTIONS, REACHES) of n cells; None where no shadow tells.

    `falls`: how likely shadows fall towards each of `BEARINGS` for other reasons, logarithms.
    """
    bearing, reach = (grid.ravel() for grid in np.meshgrid(BEARINGS, SHADOW_REACHES, indexing="ij"))
    way, far = _shadows(lamp_places(bearing, reach, pitch_mm), views.centres_mm)
    ahead, aside = (np.einsum("nlk,nk->nl", way, axis) for axis in (views.away, views.across))
    votes = _interpolated(told, np.arctan2(aside, ahead), far).sum(axis=0)
    votes = votes / _VOTES_TEMPERATURE + np.repeat(falls, len(SHADOW_REACHES))
    weight = np.exp(votes - np.logaddexp.reduce(votes))
    best = bearing[np.argmax(weight)]
    turn = (bearing - best + np.pi) % (2 * np.pi) - np.pi
    same = weight * (np.abs(turn) < _SAME_LAMP)
    if same.sum() < _SURE:
        return None
    same /= same.sum()
    mean_bearing, mean_reach = best + same @ turn, np.exp(same @ np.log(reach))
    x, y, z = lamp_places(np.array([mean_bearing]), np.array([mean_reach]), pitch_mm)[0]
    return Lamp(float(x), float(y), float(z))


def places_of(lamps: Sequence[Lamp]) -> Floats:
    """Where some lamps stand, (L, 3) millimetres."""
    return np.array([(lamp.x_mm, lamp.y_mm, lamp.z_mm) for lamp in lamps]).reshape(-1, 3)


def lamp_places(bearing: Floats, reach: Floats, pitch_mm: float) -> Floats:
    """Places (m, 3) of lamps whose shadows at the board's origin fall towards `bearing` (m,) and reach so far (m,)."""
    height = FAR_PITCHES * pitch_mm / np.hypot(1, reach)
    aside = height * reach
    return np.stack([-aside * np.cos(bearing), -aside * np.sin(bearing), height], axis=1)


def _shadows(places_mm: Floats, centres_mm: Floats) -> tuple[Floats, Floats]:
    """The way (n, m, 2) that shadows fall at n places on the board under m lamps, and their reach (n, m)."""
    offset = centres_mm[:, None] - places_mm[:, :2]
    length = np.maximum(np.hypot(offset[..., 0], offset[..., 1]), 1e-6)
    return offset / length[..., None], length / places_mm[:, 2]


def _interpolated(told: Singles, direction: Floats, reach: Floats) -> Floats:
    """The log-probabilities that n cells give to m directions and reaches each, (n, m)."""
    column = direction / (2 * np.pi) * DIRECTIONS % DIRECTIONS
    step = np.log(REACHES[1] / REACHES[0])
    row = np.clip(np.log(reach / REACHES[0]) / step, 0, len(REACHES) - 1.001)
    left, low = column.astype(int) % DIRECTIONS, row.astype(int)
    right, high = (left + 1) % DIRECTIONS, low + 1
    across, up = column % 1, row % 1
    n = np.arange(len(told))[:, None]
    near = told[n, left, low] * (1 - across) + told[n, right, low] * across
    far = told[n, left, high] * (1 - across) + told[n, right, high] * across
    out: Floats = near * (1 - up) + far * up
    return out
