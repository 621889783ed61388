"""Shadows over part of a board in a picture before which nothing is known: of a head, a window's bars, a wall.

Disks are round and cells are hexagons: at the corners of every cell a little of the board shows, whatever is played.
Where many neighbouring corners are darker than the rest, something stands between them and the lamp; or a glossy board
mirrors a lamp in the rest, while disks and men there are no brighter for it.
"""

import cv2
import numpy as np

from engine.layout import Layout
from vision.arrays import Bools, Floats
from vision.following.board_light import BoardLight, mean_picture
from vision.following.motion import Window
from vision.frame import Frame
from vision.geometry import BoardPose
from vision.palette import Material
from vision.picture import Picture
from vision.sampling import gather
from vision.surfaces.between import corners_mm
from vision.surfaces.three_colours import three_colours

#: A cell has so many corners.
_CORNERS = 6
#: Corners are averaged over so much of a pitch, and compared with those that are as near as their nearest neighbours.
_BLUR_PITCHES, _NEAR_PITCHES = 0.03, 0.62
#: A cell lies in a shadow when hardly any of the corners so near to its middle, in pitches, is not darker by this
#: (logarithm) than those of a cell that is brighter than this part of all. Hardly any: all below this quantile.
_ABOUT_PITCHES, _DARKER, _LIT, _HARDLY_ANY = 0.9, 0.3, 0.9, 0.85
#: A shadow lies on at least so many cells; those of stacks leave some corners lit.
_LEAST_CELLS = 4
#: Light differs by this much below any lamp (logarithm).
_USUAL = 0.15
#: Something lies on a cell whose middle differs by so much from its corners; colours that differ by more are others.
_COVERED, _OTHERS = 0.15, 0.5
#: The middle of a cell is averaged over so much of a pitch.
_MIDDLE_PITCHES = 0.12
#: Between corners it changes over this much of a pitch; far from them it is that of those within so much.
_SMOOTH_PITCHES, _FAR_PITCHES = 0.3, 1.5


def without_shade(picture: Picture, pose: BoardPose, layout: Layout, material: Material) -> Picture:
    """A picture in which shadows that lie over part of the board are lit like the rest; without any it is the same."""
    window = Window(pose, layout, picture.shape[1], picture.shape[0])
    shade = cast_shade(picture, pose, layout, material, window)
    return picture if shade is None else mean_picture([Frame(picture, 0.0, 0)], window, BoardLight(shade=shade))


def cast_shade(picture: Picture, pose: BoardPose, layout: Layout, material: Material, window: Window) -> Floats | None:
    """What falls of the light on every sample of the window's small picture, (h, w, 3); None where no shadow lies.

    Nor can one be told where there are no disks, since fields have colours of many kinds there, or no hexagons.
    """
    if material.disks is None or layout.board is None:
        return None
    places_mm = corners_mm(layout, np.ones(len(layout.names), bool))
    pixels = pose.project(np.column_stack([places_mm, np.zeros(len(places_mm))]))
    inside = ((pixels >= 0) & (pixels <= np.array([picture.shape[1], picture.shape[0]]) - 1)).all(axis=1)
    if not inside.any():
        return None
    places_mm, pixels = places_mm[inside], pixels[inside]
    sigma = max(0.5, _BLUR_PITCHES * window.pitch * window.step_px)
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.uint8)
    logs = np.log(gather(blurred, pixels.astype(np.float32)[None, None])[0, 0] + 1.0)
    if (board := three_colours(picture, pose, layout)) is not None:
        logs -= np.repeat(np.log(board.colours + 1.0)[board.kinds], _CORNERS, axis=0)[inside]
    centres_mm, about_mm = np.asarray(layout.centres_mm), _ABOUT_PITCHES * layout.pitch_mm
    about = _quantiles(logs, places_mm, centres_mm, about_mm, 0.5)
    brightness = about.mean(axis=1)
    brightest = _quantiles(logs, places_mm, centres_mm, about_mm, _HARDLY_ANY).mean(axis=1)
    shaded = brightest < np.quantile(brightness, _LIT) - _DARKER
    if np.count_nonzero(shaded) < _LEAST_CELLS:
        return None
    if _mirrors_a_lamp(_middles(picture, pose, layout, window), about, shaded):
        return None
    lit = brightness >= np.quantile(brightness, 2 * _LIT - 1)
    darker = _quantiles(logs, places_mm, places_mm, _NEAR_PITCHES * layout.pitch_mm, 0.5)
    darker -= np.median(about[lit], axis=0)
    steps = _spread(darker, window.to_sample(pixels), window)
    return np.asarray(np.exp(np.sign(steps) * np.maximum(np.abs(steps) - _USUAL, 0.0)))


def _middles(picture: Picture, pose: BoardPose, layout: Layout, window: Window) -> Floats:
    """What the middles of cells look like, (n, 3), logarithms."""
    sigma = max(0.5, _MIDDLE_PITCHES * window.pitch * window.step_px)
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.uint8)
    pixels = pose.project(np.column_stack([layout.centres_mm, np.zeros(len(layout.names))]))
    return np.asarray(np.log(gather(blurred, pixels.astype(np.float32)[None, None])[0, 0] + 1.0), np.float64)


def _mirrors_a_lamp(middles: Floats, corners: Floats, shaded: Bools) -> bool:
    """Whether a glossy board mirrors a lamp where cells seem to be lit, beside others that are `shaded`, (n,).

    Colours of their middles and of their corners (n, 3), logarithms. Light that falls on a part of the board makes
    brighter what lies on it by as much as its corners; disks and men are no brighter for what the board mirrors.
    """
    covered = np.abs(middles - corners).max(axis=1) > _COVERED
    lit, dark = np.flatnonzero(covered & ~shaded), np.flatnonzero(covered & shaded)
    if not len(lit) or not len(dark):
        return False

    def apart(colours: Floats) -> float:
        pairs = np.abs(colours[lit][:, None] - colours[dark]).max(axis=2)
        return float(np.minimum(pairs.min(axis=1), _OTHERS).mean() + np.minimum(pairs.min(axis=0), _OTHERS).mean())

    return apart(middles) < apart(middles - corners)


def _quantiles(values: Floats, places_mm: Floats, about_mm: Floats, radius_mm: float, part: float) -> Floats:
    """The quantiles (m, 3) of those of some values (n, 3) whose places are near each of some others (m, 2)."""
    near = np.linalg.norm(about_mm[:, None] - places_mm[None], axis=-1) < radius_mm
    everywhere = np.quantile(values, part, axis=0)
    return np.array([np.quantile(values[some], part, axis=0) if some.any() else everywhere for some in near])


def _spread(values: Floats, places: Floats, window: Window) -> Floats:
    """Values (n, 3) at some places of the small picture, (n, 2), between and beside them: (h, w, 3)."""
    columns, rows = np.clip(np.round(places).astype(int).T, 0, np.array(window.size)[:, None] - 1)
    sums, counts = np.zeros((*window.size[::-1], 3)), np.zeros((*window.size[::-1], 3))
    np.add.at(sums, (rows, columns), values)
    np.add.at(counts, (rows, columns), 1.0)

    def smooth(samples: Floats) -> Floats:
        near, far = (cv2.GaussianBlur(samples, (0, 0), p * window.pitch) for p in (_SMOOTH_PITCHES, _FAR_PITCHES))
        return np.asarray(near) + 1e-3 * np.asarray(far)

    spread: Floats = smooth(sums) / (smooth(counts) + 1e-12)
    return spread
