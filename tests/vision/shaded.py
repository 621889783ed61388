"""Pictures with a shadow over half of them, or half of a board that mirrors a lamp."""

import numpy as np

from vision.arrays import Floats
from vision.picture import Picture

#: What a lamp's shadow leaves of blue, green and red: the room's own light is bluer.
SHADES = {"grey": (0.6, 0.6, 0.6), "bluish": (0.75, 0.6, 0.5), "deep": (0.5, 0.42, 0.38)}


def in_shade(picture: Picture, shade: tuple[float, float, float], turn_deg: float, soft_px: float) -> Picture:
    """A picture with a shadow over the half of it that lies in a direction; light adds up in linear values."""
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    turn = np.radians(turn_deg)
    across = (columns - columns.mean()) * np.cos(turn) + (rows - rows.mean()) * np.sin(turn)
    lit = 1 / (1 + np.exp(np.clip(across / max(soft_px / 4, 0.3), -50, 50)))
    factors = lit[..., None] + (1 - lit[..., None]) * np.array(shade) ** 2.2
    return np.asarray(np.round(picture * factors ** (1 / 2.2)), np.uint8)


def mirroring(picture: Picture, board_bgr: Floats, turn_deg: float, soft_px: float) -> Picture:
    """A picture in which half of the board, all that has about its colour (3,), mirrors a lamp."""
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    turn = np.radians(turn_deg)
    across = (columns - columns.mean()) * np.cos(turn) + (rows - rows.mean()) * np.sin(turn)
    mirrored = 0.25 / (1 + np.exp(np.clip(across / max(soft_px / 4, 0.3), -50, 50)))
    mirrored *= np.abs(np.log((picture + 1.0) / (board_bgr + 1.0))).max(axis=2) < 0.35
    light = (picture / 255.0) ** 2.2 + mirrored[..., None]
    return np.asarray(np.round(255 * np.minimum(light, 1.0) ** (1 / 2.2)), np.uint8)
