"""The light on a table: what white and black things look like in the picture, the yardstick of all colours."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Layout
from vision.arrays import Floats
from vision.geometry import BoardPose
from vision.picture import Picture
from vision.sampling import COLUMNS, ROWS

#: A picture's values are about this root of the light.
GAMMA = 2.2
#: For networks, and what is compared with what they see, colours against the light are cut off at this.
BRIGHTEST = 1.6
#: Samples to a cell's pitch, and how far beyond the outermost cells and markers, in pitches.
_SAMPLES, _MARGIN = 20, 1.0
#: Share of what lies on and about a board that is darker than its black, and brighter than its white.
_DARKER, _BRIGHTER = 0.005, 0.03
#: What black things look like without haze (0–255); up to what darkness a picture counts as clear, as its darkest thing
#: may not be black; and the greatest part of white that is taken for haze.
_BLACK, _CLEAR, _MOST_HAZE = 12.0, 25.0, 0.6
#: Of the cells this part is taken for white, the brightest ones, unless open light disks are so much brighter.
_BRIGHTER_CELLS, _MUCH_BRIGHTER = 0.3, 1.25
#: So few cells may be taken for light disks by mistake.
_FEW_DISKS = 2
#: What the bare board and dark disks usually look like against light disks (measured on 150 rendered boards).
_AGAINST_LIGHT_DISKS = np.array([[0.46, 0.59, 0.36], [0.41, 0.35, 0.35]])
#: Boards that are brighter than this against dark disks are paper or light wood, about as bright as light disks (green
#: ones are 2.3 times as bright at most in 160 rendered pictures).
_BRIGHT_BOARD = 2.5
#: Dark things count as no darker than this against white.
_DARKEST = 0.02
#: Nothing is taken for white that is darker than this above the haze.
_LEAST_WHITE = 24.0


@dataclass(frozen=True, slots=True)
class Light:
    """`white_bgr`: what white things look like in the picture, 0–255; `haze`: what black ones do (stray light, a
    washed-out picture)."""

    white_bgr: tuple[float, float, float]
    haze: float = 0.0

    def relative(self, colours: NDArray[np.uint8] | NDArray[np.float32]) -> NDArray[np.float32]:
        """Colours (…, 3), blue-green-red 0–255, with the table's black as 0 and its white as 1."""
        scale = np.reciprocal(np.array(self.white_bgr, np.float32) - np.float32(self.haze))
        out: NDArray[np.float32] = np.multiply(colours, scale, dtype=np.float32)
        if self.haze:
            out -= np.float32(self.haze) * scale
            np.maximum(out, 0, out=out)
        return out

    def where_white_is(self, colours: Floats) -> "Light":
        """The light on a table where what was taken for white here has such colours (3,) against white."""
        b, g, r = ((np.array(self.white_bgr) - self.haze) / colours + self.haze).tolist()
        return Light((b, g, r), self.haze)

    def brightest(self) -> Floats:
        """The brightest that a pixel can be, (3,), with the table's black as 0 and its white as 1."""
        return self.relative(np.full(3, 255, np.uint8)).astype(np.float64)


def light_of(
    image: Picture, pose: BoardPose, layout: Layout, feet: Picture | None, light_disks: NDArray[np.bool_] | None = None
) -> Light:
    """The light by what is brightest and darkest on and about the board.

    `feet` are patches of the cells' feet where some cells carry light disks: the brighter cells are white then.
    `light_disks`: on which of them these surely lie open, once that is known.
    """
    seen = about_board(image, pose, layout)
    dark = float(np.quantile(seen, _DARKER, axis=0).min())
    white = np.quantile(seen, 1 - _BRIGHTER, axis=0) if feet is None else _brighter(feet, light_disks)
    haze = max(0.0, min(2 * (dark - _CLEAR), dark - _BLACK, _MOST_HAZE * float(white.min())))
    b, g, r = (float(v) for v in np.maximum(white, haze + _LEAST_WHITE))
    return Light((b, g, r), haze)


def light_without_disks(light: Light, bare: Floats, dark: Floats) -> Light:
    """The light by what light disks would look like that lie open nowhere.

    `bare`, `dark` (3,): what the bare board and dark disks look like, blue-green-red against `light`; NaN where they
    show nowhere either.
    """
    known = np.array([np.isfinite(bare).all(), np.isfinite(dark).all()])
    if known.all() and bare.mean() > _BRIGHT_BOARD * dark.mean():
        known[0] = False
    if not known.any():
        return light
    whiter = np.maximum([bare, dark], _DARKEST)[known] / _AGAINST_LIGHT_DISKS[known]
    white = np.exp(np.log(whiter).mean(axis=0)) * (np.array(light.white_bgr) - light.haze) + light.haze
    b, g, r = (float(v) for v in white)
    return Light((b, g, r), light.haze)


def _brighter(feet: Picture, light_disks: NDArray[np.bool_] | None) -> Floats:
    """What the brighter cells look like, by patches of their feet; or only those with open light disks, where these are
    few and much brighter, or where the board itself is brighter than they are."""
    middle = feet[:, ROWS // 3 : -(ROWS // 3), COLUMNS // 3 : -(COLUMNS // 3)]
    middles = np.median(middle.reshape(len(feet), -1, 3), axis=1)
    brightness = middles @ np.array([0.1, 0.6, 0.3])
    some = brightness >= np.quantile(brightness, 1 - _BRIGHTER_CELLS)
    if light_disks is not None and light_disks.any():
        brighter = np.median(brightness[light_disks]) > _MUCH_BRIGHTER * np.median(brightness[some])
        outshone = light_disks.sum() > _FEW_DISKS and light_disks[some].mean() < 0.5
        some = light_disks if brighter or outshone else some
    out: Floats = np.median(middles[some], axis=0)
    return out


def about_board(image: Picture, pose: BoardPose, layout: Layout) -> Picture:
    """Colours (n, 3) of what can be seen of the board and a margin about it and its markers, evenly on its plane."""
    places = np.array([*layout.centres_mm, *(place for _, place in layout.markers_mm)])
    margin = _MARGIN * layout.pitch_mm
    low, high = places.min(axis=0) - margin, places.max(axis=0) + margin
    x, y = (np.arange(a, b, layout.pitch_mm / _SAMPLES) for a, b in zip(low, high, strict=True))
    plane = np.stack(np.meshgrid(x, y), axis=-1)
    with np.errstate(all="ignore"):  # far corners may lie behind the camera
        points = np.concatenate([plane, np.zeros((*plane.shape[:2], 1))], axis=2).reshape(-1, 3)
        pixels = np.rint(pose.project(points)[pose.depth_mm(points) > 0])
    inside = ((pixels >= 0) & (pixels < [image.shape[1], image.shape[0]])).all(axis=1)
    column, row = pixels[inside].astype(np.intp).T
    seen: Picture = np.asarray(cv2.blur(image, (3, 3)), dtype=np.uint8)[row, column]
    return seen
