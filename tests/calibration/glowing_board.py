"""A rendered board with LEDs under it: textured cells in perspective, glow added in linear light, noise, JPEG."""

import cv2
import numpy as np

from engine.layout import Layout
from hardware.frame import LedFrame
from vision.arrays import Floats
from vision.geometry import BoardPose, Lens
from vision.picture import Picture

WIDTH, HEIGHT = 480, 360


def tilted_pose(layout: Layout) -> BoardPose:
    """A camera that looks at the whole board from the front, 30° off the vertical."""
    lens = Lens(WIDTH, HEIGHT, 450, 450, WIDTH / 2, HEIGHT / 2)
    tilt = np.radians(30)
    flip = np.diag([1.0, -1.0, -1.0])
    turn = np.array([[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), np.cos(tilt)]])
    reach = max(np.hypot(x, y) for x, y in layout.centres_mm) + layout.pitch_mm
    return BoardPose(lens, turn @ flip, np.array([0.0, 0.0, 2.9 * reach]))


class GlowingBoard:
    """Takes pictures of a board whose LEDs lie at `places_mm` (N, 2), LED i at row i; seeded noise."""

    def __init__(self, layout: Layout, places_mm: Floats, seed: int = 1, spread: float = 0.22) -> None:
        self.pose = tilted_pose(layout)
        centres = np.array([(x, y, 0.0) for x, y in layout.centres_mm])
        self.centres_px = self.pose.project(centres)
        self.pitch_px = self.pose.pitch_px(centres, layout.pitch_mm)
        self.leds_px = self.pose.project(np.column_stack([places_mm, np.zeros(len(places_mm))]))
        self.rng = np.random.default_rng(seed)
        self.spread_px = spread * float(np.median(self.pitch_px))
        self.linear = (self._ambient() / 255.0) ** 2.2

    def _ambient(self) -> Picture:
        """The board in the dark of a living room."""
        image = np.full((HEIGHT, WIDTH, 3), (60, 72, 66), np.uint8)
        for (x, y), pitch in zip(self.centres_px, self.pitch_px, strict=True):
            tone = tuple(int(v) for v in self.rng.integers(40, 120, 3))
            cv2.circle(image, (round(x), round(y)), round(0.44 * pitch), tone, cv2.FILLED, cv2.LINE_AA)
        return image

    def picture(self, frame: LedFrame) -> Picture:
        """What the camera sees while the LEDs show `frame`."""
        linear = self.linear.copy()
        reach = 4 * self.spread_px
        for (x, y), colour in zip(self.leds_px, frame.colours(), strict=False):
            if any(colour):
                left, top = max(int(x - reach), 0), max(int(y - reach), 0)
                rows, columns = np.ogrid[top : min(int(y + reach), HEIGHT), left : min(int(x + reach), WIDTH)]
                near = np.exp(-0.5 * ((columns - x) ** 2 + (rows - y) ** 2) / self.spread_px**2)
                light = near[..., None] * (np.array(colour[::-1]) / 255.0) * 0.5
                linear[top : top + near.shape[0], left : left + near.shape[1]] += light
        seen = 255 * np.clip(linear, 0, 1) ** (1 / 2.2) + self.rng.normal(0, 1.5, linear.shape)
        _, coded = cv2.imencode(".jpg", np.clip(seen, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85])
        decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
        assert decoded is not None
        return decoded.astype(np.uint8)
