"""Pictures of a film that are larger than is of use are halved, and no others."""

import numpy as np
import pytest

from vision.following.downsized import Downsized
from vision.geometry import BoardPose, Lens

PITCH_MM = 40.0


def picture(width_px: int) -> np.ndarray:
    """A picture of 16 to 9, white above and black below."""
    height_px = width_px * 9 // 16
    image = np.zeros((height_px, width_px, 3), np.uint8)
    image[: height_px // 2] = 255
    return image


def pose(width_px: int, pitch_px: float) -> BoardPose:
    """A board straight below a camera, its cells so far apart in the picture."""
    lens = Lens(width_px, width_px * 9 // 16, 1000.0, 1000.0, width_px / 2, width_px * 9 / 32)
    return BoardPose(lens, np.eye(3), np.array([0.0, 0.0, 1000.0 * PITCH_MM / pitch_px]))


def test_a_large_picture_is_halved_once_the_board_is_found() -> None:
    """In full while nobody knows where the board is, a quarter of the pixels from then on, wherever it goes."""
    where: list[BoardPose | None] = [None]
    fit = Downsized(PITCH_MM, lambda: where[0])
    assert fit(picture(3840)).shape == (2160, 3840, 3)
    where[0] = pose(3840, 200.0)
    halved = fit(picture(3840))
    assert halved.shape == (1080, 1920, 3)
    assert halved.dtype == np.uint8
    assert np.array_equal(halved, picture(1920))
    for known in (None, pose(1920, 100.0), pose(1920, 50.0)):
        where[0] = known
        assert fit(picture(3840)).shape == (1080, 1920, 3)


@pytest.mark.parametrize(
    ("width_px", "known"),
    [
        (1920, pose(1920, 200.0)),  # no larger than usual
        (3840, pose(3840, 120.0)),  # a small board in a large picture: its cells are wanted in full
        (3840, pose(1920, 200.0)),  # found in pictures of another size
    ],
)
def test_other_pictures_stay_as_they_are(width_px: int, known: BoardPose) -> None:
    """Where half a picture would show less, or nobody knows."""
    image = picture(width_px)
    assert Downsized(PITCH_MM, lambda: known)(image) is image
