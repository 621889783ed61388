"""How much of the lamp tops mirror, by where they lie between lamp and camera.

A flat top shows the lamp where the direction halfway between lamp and camera is upright; rough tops do so about there,
too, the less the farther off that direction is (half vectors: Blinn 1977; their lobe: Trowbridge and Reitz 1975). All
men of a table are equally glossy, so its tops tell how strongly they mirror and how wide the lobe is. The numbers here
were fitted on 281 to 1,293 men in rendered pictures; few of them matter much.
"""

from dataclasses import dataclass

import numpy as np

from vision.arrays import Floats
from vision.lamplight.lamp import Lamp

#: How much of a lamp tops may mirror (linear, its blue against the table's white).
GLOSSES = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0, 1.6, 2.5, 4.0, 7.0])
#: Where nothing is known of the lamp most tops mirror less than this; how seldom they mirror more (exponent of a
#: heavy-tailed distribution).
_USUAL_GLOSS, _GLOSS_TAIL = 0.12, 0.6
#: How unlikely each of `GLOSSES` is then, negative logarithms.
ANYWHERE = _GLOSS_TAIL * np.log1p((GLOSSES / _USUAL_GLOSS) ** 2)
#: How strongly tops may mirror where they mirror most, and how wide the lobe may be (tangents of angles).
_STRENGTHS, _WIDTHS = np.geomspace(0.03, 4, 8), np.array([0.06, 0.09, 0.13, 0.19, 0.28])
#: How strong that usually is, and how far off (logarithms).
_USUAL_STRENGTH, _STRENGTH_SPREAD = np.log(0.3), 1.2
#: How far off what a top mirrors is from that (logarithm), beside a little that may always be; and how often there is
#: another lamp, or none shines there. Varnish shows the lamp's face itself, and much more light, so near to it.
_SPREAD, _LITTLE, _OTHERWISE = 0.6, 0.03, 0.1
_VARNISHED, _FACE = 1.2, 0.02


@dataclass(frozen=True, slots=True)
class Mirror:
    """The tops of a table mirror `strength` of the lamp at most (as `GLOSSES`), and a quarter of that where the half
    vector is off the upright by the angle whose tangent is `width`."""

    strength: float
    width: float

    def unusual(self, off: Floats) -> Floats:
        """How unlikely each of `GLOSSES` is, (n, G), negative logarithms, for tops that are so far `off` (n,)."""
        usual = self.strength / (1 + (off / self.width) ** 2) ** 2
        more = np.log(GLOSSES + _LITTLE) - np.log(usual + _LITTLE)[:, None]
        spread = _SPREAD + np.where(more > 0, _VARNISHED * np.exp(-off / _FACE)[:, None], 0)
        told = np.logaddexp(np.log(1 - _OTHERWISE) - 0.5 * (more / spread) ** 2, np.log(_OTHERWISE) - ANYWHERE)
        return np.asarray(-told)


def off_mirror(lamp: Lamp, camera_mm: Floats, places_mm: Floats) -> Floats:
    """How far places on the board (n, 2) are from where a flat thing there mirrors the lamp's face to the camera, (n,):
    the tangent of the angle between the half vector and the upright, less half of the face's."""
    flat = np.column_stack([places_mm, np.zeros(len(places_mm))])
    to_lamp, to_camera = np.array([lamp.x_mm, lamp.y_mm, lamp.z_mm]) - flat, camera_mm - flat
    far = np.linalg.norm(to_lamp, axis=1)
    half = to_lamp / far[:, None] + to_camera / np.linalg.norm(to_camera, axis=1)[:, None]
    off = np.hypot(half[:, 0], half[:, 1]) / half[:, 2]
    return np.asarray(np.maximum(off - lamp.radius_mm / (2 * far), 0.0))


def likely_mirror(unexplained: Floats, off: Floats) -> Mirror:
    """How tops mirror the lamp that are so far `off` (n,), by how ill each is explained when it mirrors so much and is
    each owner's, `unexplained` (n, G, owners), negative log-likelihoods."""

    def worth(mirror: Mirror) -> float:
        told = -(unexplained + mirror.unusual(off)[:, :, None]).min(axis=1)
        usual = -0.5 * ((np.log(mirror.strength) - _USUAL_STRENGTH) / _STRENGTH_SPREAD) ** 2
        return float(np.logaddexp.reduce(told, axis=1).sum() + usual)

    return max((Mirror(float(s), float(w)) for s in _STRENGTHS for w in _WIDTHS), key=worth)
