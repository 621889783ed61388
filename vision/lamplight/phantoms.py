"""Round shadows: what looks like a man on an open cell may be the shadow of a stack.

A stack's top is as wide as a man, and so is its shadow. Where the lamp is known, it is known where shadows fall, and
how dark they are the others show. So a cell can be compared with how it would look if nothing stood on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import Bools, Floats, Singles
from vision.lamplight.lamp import Lamp
from vision.lamplight.shade import Ground, Men, Stand, lamp_faces
from vision.light import GAMMA

#: Places surely lie in a shadow that would with men so much thinner and stacks so much lower; they are surely lit that
#: would be with men so much wider and stacks so much higher; and surely seen that would be with men so wide.
_THINNER, _LOWER, _WIDER, _HIGHER, _BESIDE = 0.82, 0.9, 1.25, 1.15, 1.12
#: So much of a lamp's face may be in sight in its shadows, and out of sight where it is lit.
_LEFT = 0.1
#: Of a cell at least so much lies in the shade, or it is not asked; and so many of the places there must be seen.
_IN_SHADE, _FEWEST = 0.15, 10
#: So many other places tell how bright their surface is, in the light and in the shade.
_MANY = 3000
#: How bright a shadow is beside what is lit, and how far off that is at most, where no other shadow tells (logarithms).
_USUAL_SHADE, _SHADE_SPREAD = -1.8, 0.5
#: Light this dim is not told apart; logarithms of light count as different by so much at most.
_LEAST_LIGHT, _MOST_UNLIKE = 1e-4, 1.0
#: A cell that is no more unlike open ground than the first is surely a shadow, one that is as unlike as the second may
#: be a man (95 % of 75 open cells in shadows on 85 rendered boards are below 0.24, 22 men from 0.38 up); and how much
#: that counts then (logarithm).
_ALIKE, _UNLIKE, _SURELY_SHADOW = 0.2, 0.4, 6.0
#: Darker colours against white are not told apart.
_DARKEST = 0.02
#: Edges of what is thinner and wider are as sharp as this.
_SHARP_MM = 0.1


def unlike_ground(man: Floats, ground: Floats) -> float:
    """How surely a man of such a colour (3,) is told from ground of another (3,), display values against the light: 0
    where he looks like it, so that shadows explain what is seen there whether a man stands there or not; 1 at most, and
    where the ground's colour is not known."""
    if not np.isfinite(ground).all():
        return 1.0
    apart = np.log(np.maximum(man, _DARKEST)) - np.log(np.maximum(ground, _DARKEST))
    return float(np.clip((GAMMA * np.abs(apart).mean() - _ALIKE) / (_UNLIKE - _ALIKE), 0, 1))


@dataclass(frozen=True, slots=True)
class Thrown:
    """The shadows that some `stacks` (where they stand, how high their tops are) throw in the light of a lamp."""

    men: Men
    lamp: Lamp
    stacks: Sequence[tuple[Stand, float]]

    def fall_on(self, points: Singles) -> bool:
        """Whether much of a cell, places (n, 3), surely lies in the shade."""
        return bool(self._shadowed(points).mean() > _IN_SHADE)

    def lit(self, points: Singles) -> Singles:
        """How much of the lamp's face the stacks leave to points (n, 3), 0 to 1."""
        left: Singles = self._left(points, lamp_faces([self.lamp]), 1.0, 1.0).mean(axis=1).prod(axis=0)
        return left

    def against_men(self, ground: Ground, here: Bools, kind: int) -> float:
        """How strongly the light on a cell speaks against men there, a log-likelihood ratio, 0 at least: how much it
        looks like open ground in these shadows.

        `here` (n,): which places are on the cell; `kind`: what they are then on, see `Ground.surface`.
        """
        same = ground.surface == kind
        others = np.flatnonzero(same & ~here)
        rows = np.concatenate([np.flatnonzero(same & here), others[:: 1 + len(others) // _MANY]])
        ground, here = ground.of(rows), here[rows]
        dark, seen = self._shadowed(ground.points), self._seen(ground.points)
        lit = self._lit(ground.points) & ~dark
        asked = here & seen & (dark | lit)
        bright = ~here & seen & lit
        if (asked & dark).sum() < max(_FEWEST, _IN_SHADE * (here & seen).sum()) or bright.sum() < _FEWEST:
            return 0.0
        light = np.log(np.maximum(ground.light, _LEAST_LIGHT))
        light -= np.median(light[bright], axis=0)
        told = ~here & seen & dark
        if told.sum() >= _FEWEST:
            shade = np.median(light[told], axis=0)
        else:
            shade = np.clip(np.median(light[asked & dark]), _USUAL_SHADE - _SHADE_SPREAD, _USUAL_SHADE + _SHADE_SPREAD)
        off = np.abs(light - np.where(dark[:, None], shade, 0.0))[asked].mean(axis=1)
        unlike = np.minimum(off, _MOST_UNLIKE).mean()
        return float(_SURELY_SHADOW * np.clip((_UNLIKE - unlike) / (_UNLIKE - _ALIKE), 0, 1))

    def _shadowed(self, points: Singles) -> Bools:
        """Which of some points (n, 3) surely lie in a shadow."""
        left = self._left(points, lamp_faces([self.lamp]), _THINNER, _LOWER)
        return np.asarray((left.mean(axis=1) < _LEFT).any(axis=0))

    def _lit(self, points: Singles) -> Bools:
        """Which of some points (n, 3) are surely lit."""
        left = self._left(points, lamp_faces([self.lamp]), _WIDER, _HIGHER)
        return np.asarray((left.mean(axis=1) > 1 - _LEFT).all(axis=0))

    def _seen(self, points: Singles) -> Bools:
        """Which of some points (n, 3) no stack hides from the camera."""
        camera = self.men.pose.camera_mm.astype(np.float32)[None, None]
        return np.asarray((self._left(points, camera, _BESIDE, _HIGHER) > 0.5).all(axis=(0, 1)))

    def _left(self, points: Singles, sources: Singles, wider: float, higher: float) -> Singles:
        """How much of sources (1, K, 3) each of the stacks, so much wider and higher, leaves to points (n, 3):
        (stacks, K, n)."""
        men = replace(self.men, radius_mm=wider * self.men.radius_mm, soft_mm=_SHARP_MM)
        return np.stack([men.left(points, sources, s.middle_mm, np.array([higher * top]))[0] for s, top in self.stacks])
