"""The mean of still frames, turned to the light in which colours were learned."""

import cv2
import numpy as np
import pytest

from tests.footage_places import SAMPLES
from tests.vision.film_truth import FilmTruth
from vision.following.board_light import BoardLight, mean_picture
from vision.following.motion import SAME_LIGHT, Gains, Window
from vision.frame import Frame

TRUTH = FilmTruth(SAMPLES / "sample.mp4")
WINDOW = Window(TRUTH.pose(), TRUTH.layout, 960, 540)


@pytest.mark.parametrize("gains", [SAME_LIGHT, (0.8, 1.0, 1.3)])
@pytest.mark.parametrize("shaded", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_every_pixel_is_the_mean_of_the_frames_by_the_light(count: int, shaded: bool, gains: Gains) -> None:
    """In the window, to a level; what lies about it is the last frame's."""
    rng = np.random.default_rng(7)
    frames = [Frame(rng.integers(30, 160, (540, 960, 3), np.uint8), i / 12, i) for i in range(count)]
    shade = rng.uniform(0.6, 1.4, (*WINDOW.size[::-1], 3)) if shaded else None
    got = mean_picture(frames, WINDOW, BoardLight(gains, shade))
    crops = np.array([WINDOW.crop(frame.image) for frame in frames], np.float64)
    want = crops.mean(axis=0) / np.array(gains)
    if shade is not None:
        want /= cv2.resize(shade, want.shape[1::-1])
    inside = WINDOW.crop(got)
    assert len(inside) > 300  # more than a band of rows
    assert np.abs(inside - np.clip(want, 0, 255)).max() <= 0.51
    inside[:] = WINDOW.crop(frames[-1].image)
    assert np.array_equal(got, frames[-1].image)
