"""Reading with the lights on: what the LEDs add to a picture, measured once, and taken off again.

Light adds up in linear light. Each cell's LEDs give a pattern over the picture (measured with that cell lit alone); one
3×3 matrix says how red, green and blue LEDs look to this camera. From the frame on the LEDs follows the expected glow,
and what is left without it is the table as the lamps show it. Nothing is known about light that men block who stood
elsewhere when it was measured.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from hardware.frame import BLACK, LedFrame, Rgb
from hardware.layout import LedLayout
from vision.arrays import Floats
from vision.geometry import BoardPose, Lens
from vision.picture import Picture

#: Shows a frame on the LEDs and takes a picture of it, (H, W, 3) uint8.
Shoot = Callable[[LedFrame], Picture]

GAMMA = 2.2
_LEVEL = 96
_STEP_PX = 8
_LINEAR = ((np.arange(256) / 255.0) ** GAMMA).astype(np.float32)
#: The same in 16 bits, and back: a picture is cleared by two tables and a subtraction.
_FULL = 65535
_TO_LINEAR = np.rint(_LINEAR * _FULL).astype(np.uint16)
_FROM_LINEAR = np.rint(255 * (np.arange(_FULL + 1) / _FULL) ** (1 / GAMMA)).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class GlowMaps:
    """What the LEDs add: `shapes` (cells, h, w) float32 at an eighth of the picture's size, `matrix` (3, 3) from
    (red, green, blue) of the LEDs at 1 to (blue, green, red) of the picture, linear; `size_px` (width, height);
    `pose`: where the board was, None in files that do not say.

    Raises `CalibrationError` for arrays that do not fit together.
    """

    shapes: NDArray[np.float32]
    matrix: NDArray[np.float32]
    size_px: tuple[int, int]
    pose: BoardPose | None = None

    def __post_init__(self) -> None:
        if self.shapes.ndim != 3 or self.matrix.shape != (3, 3):
            raise CalibrationError(f"no glow maps: shapes {self.shapes.shape}, matrix {self.matrix.shape}")

    def _small(self, colours: Sequence[Rgb]) -> NDArray[np.float32]:
        if len(colours) != len(self.shapes):
            raise CalibrationError(f"the glow of {len(self.shapes)} cells was measured, not of {len(colours)}")
        strength = np.asarray(colours, np.float32) / 255 @ self.matrix.T
        return np.asarray(np.tensordot(self.shapes, strength, axes=(0, 0)), np.float32)

    def expected(self, colours: Sequence[Rgb]) -> NDArray[np.float32]:
        """The light that cells of these colours add, (H, W, 3), linear, 1 being full white."""
        return np.asarray(cv2.resize(self._small(colours), self.size_px, interpolation=cv2.INTER_LINEAR), np.float32)

    def without_glow(self, image: Picture, colours: Sequence[Rgb], moved: Floats | None = None) -> Picture:
        """The picture as it would be with dark LEDs; `moved` (3, 3): the homography from where the board was in it when
        the glow was measured to where it is. Raises `CalibrationError` for a picture of another size."""
        if (image.shape[1], image.shape[0]) != self.size_px:
            raise CalibrationError(f"the glow was measured at {self.size_px}, the picture has {image.shape[1::-1]}")
        small = np.rint(np.clip(self._small(colours), 0, 1) * _FULL).astype(np.uint16)
        if not small.any():
            return image
        added = np.asarray(cv2.resize(small, self.size_px, interpolation=cv2.INTER_LINEAR), np.uint16)
        if moved is not None:
            added = np.asarray(cv2.warpPerspective(added, moved, self.size_px), np.uint16)
            if not added.any():
                return image
        lit = np.nonzero(added.any(axis=(1, 2)))[0]
        rows = slice(lit[0], lit[-1] + 1)
        out = image.copy()
        out[rows] = np.take(_FROM_LINEAR, _less(np.take(_TO_LINEAR, image[rows]), added[rows]))
        return out

    def save(self, path: Path) -> None:
        """Write the maps to a file (.npz)."""
        arrays: dict[str, Any] = {} if self.pose is None else _as_arrays(self.pose)
        arrays |= {"shapes": self.shapes.astype(np.float16), "matrix": self.matrix, "size_px": np.array(self.size_px)}
        buffer = BytesIO()
        np.savez_compressed(buffer, **arrays)
        path.write_bytes(buffer.getvalue())


def _less(a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """a − b, not below 0."""
    return np.asarray(cv2.subtract(a, b), np.uint16)


def load_glow(path: Path) -> GlowMaps:
    """The maps of a file. Raises `CalibrationError` that says which file and why."""
    try:
        with np.load(path, allow_pickle=False) as data:
            width, height = (int(v) for v in data["size_px"])
            pose = _pose_of(data, width, height) if "rotation" in data else None
            return GlowMaps(data["shapes"].astype(np.float32), data["matrix"].astype(np.float32), (width, height), pose)
    except OSError as error:
        raise CalibrationError(f"glow file {path}: {error.strerror or 'cannot be read'}") from None
    except (KeyError, ValueError, BadZipFile):
        raise CalibrationError(f"glow file {path}: not written by 'storisende calibrate leds --glow'") from None


def _as_arrays(pose: BoardPose) -> dict[str, Floats]:
    """A pose as a file keeps it; `lens`: focal lengths, the middle and distortion, as `Lens` has them."""
    lens = pose.lens
    values = np.array([lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px, *lens.distortion])
    return {"lens": values, "rotation": pose.rotation, "translation_mm": pose.translation_mm}


def _pose_of(data: Mapping[str, Floats], width_px: int, height_px: int) -> BoardPose:
    """The pose that a file keeps. Raises ValueError or KeyError for what is none."""
    fx_px, fy_px, cx_px, cy_px, k1, k2, p1, p2, k3 = (float(value) for value in data["lens"])
    lens = Lens(width_px, height_px, fx_px, fy_px, cx_px, cy_px, (k1, k2, p1, p2, k3))
    return BoardPose(lens, data["rotation"], data["translation_mm"])


def glow_pictures(layout: LedLayout) -> int:
    """How many pictures `measure_glow` takes: a dark one, one of every cell, and three of all."""
    return len(layout.cells) + 4


def measure_glow(shoot: Shoot, layout: LedLayout, pose: BoardPose | None = None) -> GlowMaps:
    """Light every cell alone, then all of them red, green and blue; the table must stay still meanwhile. `pose`: where
    the board is, if that is known."""
    dark = _small(shoot(LedFrame.black(layout.count)))
    cells = range(len(layout.cells))
    shapes = []
    for cell in cells:
        rise = _small(shoot(_lit(layout, [cell], (_LEVEL, _LEVEL, _LEVEL)))) - dark
        shapes.append(np.maximum(rise.mean(axis=2) * 255 / _LEVEL, 0))
    weight = np.sum(shapes, axis=0)
    columns = []
    for channel in range(3):
        red, green, blue = (_LEVEL // 2 if c == channel else 0 for c in range(3))
        image = shoot(_lit(layout, cells, (red, green, blue)))
        rise = (_small(image) - dark) * 255 / (_LEVEL // 2)
        columns.append((rise * weight[..., None]).sum(axis=(0, 1)) / max(float((weight**2).sum()), 1e-9))
    size_px = image.shape[1], image.shape[0]
    return GlowMaps(np.array(shapes, np.float32), np.array(columns, np.float32).T.copy(), size_px, pose)


def _lit(layout: LedLayout, cells: Sequence[int], colour: Rgb) -> LedFrame:
    frame = [BLACK] * layout.count
    for cell in cells:
        for led in layout.cells[cell]:
            frame[led] = colour
    return LedFrame.of(frame)


def _small(image: Picture) -> NDArray[np.float32]:
    """Linear light at an eighth of the size."""
    size = -(-image.shape[1] // _STEP_PX), -(-image.shape[0] // _STEP_PX)
    return np.asarray(cv2.resize(_LINEAR[image], size, interpolation=cv2.INTER_AREA), np.float32)
