"""How much of the lamp tops mirror, by where they lie: plain geometry, and men whose answer is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.lamplight.lamp import Lamp
from vision.lamplight.mirror import ANYWHERE, GLOSSES, Mirror, likely_mirror, off_mirror


@given(
    st.tuples(st.floats(-800, 800), st.floats(-800, 800), st.floats(300, 1500)),
    st.tuples(st.floats(-800, 800), st.floats(-800, 800), st.floats(300, 1500)),
    st.floats(0, 2 * np.pi),
)
def test_a_looking_glass_shows_the_lamp_at_one_place(
    lamp: tuple[float, ...], camera: tuple[float, ...], way: float
) -> None:
    """There the way down from the lamp is as steep as the way up to the camera; every other place is off it, the more
    the farther."""
    x, y, z = camera
    share = z / (z + lamp[2])
    glass = np.array([x + share * (lamp[0] - x), y + share * (lamp[1] - y)])
    places = glass + np.outer([0.0, 20.0, 60.0, 120.0], [np.cos(way), np.sin(way)])
    off = off_mirror(Lamp(*lamp), np.array(camera), places)
    assert off[0] == pytest.approx(0, abs=1e-6)
    assert (np.diff(off) > 0).all()
    assert (off_mirror(Lamp(*lamp, radius_mm=40.0), np.array(camera), places) <= off + 1e-12).all()


@pytest.mark.parametrize("off", [0.0, 0.1, 0.4])
def test_tops_usually_mirror_as_much_as_those_of_the_table_do_there(off: float) -> None:
    """That is likeliest; much more or less is a tenth as likely as on a table whose lamp nobody knows, no less."""
    mirror = Mirror(1.0, 0.13)
    unusual = mirror.unusual(np.array([off]))[0]
    expected = 1.0 / (1 + (off / 0.13) ** 2) ** 2
    assert GLOSSES[unusual.argmin()] == pytest.approx(expected, rel=0.5, abs=0.03)
    assert (unusual <= ANYWHERE - np.log(0.1) + 1e-9).all()


@pytest.mark.parametrize(("strength", "width"), [(0.06, 0.13), (0.48, 0.09), (2.0, 0.19)])
def test_a_table_tells_how_its_tops_mirror_the_lamp(strength: float, width: float) -> None:
    """Thirty tops that are explained only when they mirror as much as they do."""
    off = np.linspace(0, 0.5, 30)
    mirrored = strength / (1 + (off / width) ** 2) ** 2
    apart = np.log(GLOSSES + 0.03) - np.log(mirrored + 0.03)[:, None]
    found = likely_mirror(np.repeat((8 * apart**2)[:, :, None], 2, axis=2), off)
    assert found.strength == pytest.approx(strength, rel=0.6)
    assert found.width == pytest.approx(width, rel=0.4)
