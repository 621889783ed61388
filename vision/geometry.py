"""Camera geometry in millimetres: lens, board pose, and where a point above a cell appears in the picture.

Board frame: x right, y up, z towards the viewer; z = 0 is the top of the bare cells. Image frame: pixels, x right,
y down, the centre of the upper left pixel at (0, 0). Lens model: Brown–Conrady with k1, k2, p1, p2, k3, the model and
order of OpenCV's calibration.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Floats
from vision.warp import Warp

#: Rounds in which a place is found that a warp brings to where it is seen.
_TURNS = 2


@dataclass(frozen=True, slots=True)
class Lens:
    """Intrinsics of a camera at one picture size, in pixels. Raises ValueError for sizes that cannot be."""

    width_px: int
    height_px: int
    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if min(self.width_px, self.height_px, self.fx_px, self.fy_px) <= 0:
            raise ValueError(f"no such lens: {self.width_px}×{self.height_px} px, f {self.fx_px}, {self.fy_px} px")

    @property
    def pixel_width(self) -> float:
        """How many times as wide as high its pixels are: not 1 where the picture was stretched."""
        return self.fy_px / self.fx_px

    @property
    def matrix(self) -> Floats:
        """The 3×3 camera matrix K."""
        return np.array([[self.fx_px, 0, self.cx_px], [0, self.fy_px, self.cy_px], [0, 0, 1.0]])


def scaled_lens(lens: Lens, width_px: int, height_px: int) -> Lens:
    """The lens of the same pictures made larger or smaller, to `width_px` × `height_px`."""
    factor = width_px / lens.width_px
    return Lens(
        width_px,
        height_px,
        lens.fx_px * factor,
        lens.fy_px * factor,
        (lens.cx_px + 0.5) * factor - 0.5,
        (lens.cy_px + 0.5) * factor - 0.5,
        lens.distortion,
    )


@dataclass(frozen=True, slots=True)
class BoardPose:
    """Where the board is before the camera: camera = `rotation` @ board + `translation_mm`.

    `rotation` is 3×3, `translation_mm` (3,), both float64. The board may be in nominal millimetres when its true
    pitch is unknown; pictures are the same. That of a `heightened` pose is none: its third column has another length.
    `warp`: how its places lie beside those of a flat board, None where they do not.
    """

    lens: Lens
    rotation: Floats
    translation_mm: Floats
    warp: Warp | None = None

    def __post_init__(self) -> None:
        if self.rotation.shape != (3, 3) or self.translation_mm.shape != (3,):
            raise ValueError(f"a pose is 3×3 and (3,), got {self.rotation.shape} and {self.translation_mm.shape}")

    def turned(self, sixths: int, middle_mm: Floats) -> "BoardPose":
        """The pose of the same board, its frame turned by so many sixths, counter-clockwise, about a point (2,)."""
        angle, middle = np.radians(60 * sixths), np.append(middle_mm, 0.0)
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
        moved = self.translation_mm + self.rotation @ (middle - turn @ middle)
        warp = None if self.warp is None else self.warp.turned(turn[:2, :2], middle_mm)
        return BoardPose(self.lens, self.rotation @ turn, moved, warp)

    @property
    def camera_mm(self) -> Floats:
        """The camera's place in the board frame, (3,)."""
        place: Floats = -(self.translation_mm @ self.rotation) / (self.rotation * self.rotation).sum(axis=0)
        return place

    @property
    def tilt_deg(self) -> float:
        """Angle between the board's normal and the line from the board's origin to the camera."""
        x, y, z = self.camera_mm
        return float(np.degrees(np.arctan2(np.hypot(x, y), z)))

    def resized(self, width_px: int, height_px: int) -> "BoardPose":
        """The pose in the same picture at another size."""
        return replace(self, lens=scaled_lens(self.lens, width_px, height_px))

    def heightened(self, times: float) -> "BoardPose":
        """The pose in which the same pictures show a table where everything is so many times as high."""
        return replace(self, rotation=self.rotation @ np.diag([1.0, 1.0, 1 / times]))

    def shifted(self, shift_px: Floats) -> "BoardPose":
        """The pose in which the board's origin appears that much, (2,) px, further right and down."""
        lens, depth_mm = self.lens, self.translation_mm[2]
        step = np.array([shift_px[0] / lens.fx_px, shift_px[1] / lens.fy_px, 0.0]) * depth_mm
        return replace(self, translation_mm=self.translation_mm + step)

    def depth_mm(self, points_mm: Floats) -> Floats:
        """How far before the camera points (…, 3) lie, (…); not positive behind it."""
        depth: Floats = points_mm @ self.rotation[2] + self.translation_mm[2]
        return depth

    def warped(self, points_mm: Floats) -> Floats:
        """Where points (…, 3) of a flat board lie on this one, (…, 3)."""
        if self.warp is None:
            return points_mm
        return np.concatenate([points_mm[..., :2] + self.warp.at(points_mm[..., :2]), points_mm[..., 2:]], axis=-1)

    def project(self, points_mm: Floats) -> Floats:
        """Pixels (…, 2) of board-frame points (…, 3)."""
        camera = self.warped(points_mm) @ self.rotation.T + self.translation_mm
        x, y = camera[..., 0] / camera[..., 2], camera[..., 1] / camera[..., 2]
        k1, k2, p1, p2, k3 = self.lens.distortion
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return np.stack([u * self.lens.fx_px + self.lens.cx_px, v * self.lens.fy_px + self.lens.cy_px], axis=-1)

    def unproject(self, pixels: Floats) -> Floats:
        """Points (…, 2) in mm of the plane z = 0 that are seen at pixels (…, 2)."""
        distortion = np.array(self.lens.distortion)
        flat = np.ascontiguousarray(pixels, np.float64).reshape(-1, 1, 2)
        rays = np.asarray(cv2.undistortPoints(flat, self.lens.matrix, distortion)).reshape(-1, 2)
        directions = np.column_stack([rays, np.ones(len(rays))]) @ np.linalg.inv(self.rotation).T
        camera = self.camera_mm
        seen: Floats = camera[:2] - camera[2] / directions[:, 2:] * directions[:, :2]
        points = seen
        if self.warp is not None:
            for _ in range(_TURNS):
                points = seen - self.warp.at(points)
        return points.reshape(pixels.shape)

    def pitch_px(self, points_mm: Floats, pitch_mm: float) -> Floats:
        """How large the cell pitch appears about points (N, 3), geometric mean of both directions, (N,) px."""
        x, y = np.array([pitch_mm / 2, 0, 0]), np.array([0, pitch_mm / 2, 0])
        ex = self.project(points_mm + x) - self.project(points_mm - x)
        ey = self.project(points_mm + y) - self.project(points_mm - y)
        out: Floats = np.sqrt(np.abs(ex[:, 0] * ey[:, 1] - ex[:, 1] * ey[:, 0]))
        return out


def plane_homography(before: BoardPose, after: BoardPose) -> Floats:
    """The homography (3, 3) from where the plane z = 0 is seen in one pose's pictures to where in another's, in pixels;
    where lenses distort it is exact at four places about the picture's middle."""
    size = np.array([before.lens.width_px, before.lens.height_px])
    pixels = size * np.array([(0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7)])
    there = after.project(np.column_stack([before.unproject(pixels), np.zeros(4)]))
    return np.asarray(cv2.getPerspectiveTransform(pixels.astype(np.float32), there.astype(np.float32)), np.float64)
