"""The current limit and the channel ceiling: laws that hold for every frame."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import hexhex
from hardware.errors import LedLayoutError
from hardware.frame import LedFrame
from hardware.layout import preset_layout
from hardware.power import CEILING, current_ma, limited

frames = st.integers(1, 300).flatmap(lambda n: st.binary(min_size=3 * n, max_size=3 * n)).map(LedFrame)


def test_estimate_is_the_data_sheet() -> None:
    """One LED at full white draws 60 mA."""
    assert current_ma(LedFrame.of([(255, 255, 255)])) == pytest.approx(60)


@given(frames, st.floats(1, 5000), st.integers(1, CEILING))
def test_both_limits_hold_for_every_frame(frame: LedFrame, limit_ma: float, ceiling: int) -> None:
    """No byte above the ceiling, no frame above the limit, no channel brighter than asked."""
    safe = limited(frame, limit_ma, ceiling)
    assert max(safe.rgb) <= ceiling <= 0xAF
    assert current_ma(safe) <= limit_ma
    assert all(a <= b for a, b in zip(safe.rgb, frame.rgb, strict=True))


@given(frames)
def test_a_frame_within_the_limits_is_untouched(frame: LedFrame) -> None:
    """Limiting twice is limiting once."""
    safe = limited(frame)
    assert limited(safe) == safe


@pytest.mark.parametrize("base", [4, 5, 6, 7, 8])
@pytest.mark.parametrize("per_cell", [1, 3])
def test_all_white_in_every_preset(base: int, per_cell: int) -> None:
    """All-white frames of every preset, panel included, stay under a USB port's current."""
    layout = preset_layout(hexhex(base).names, True, per_cell, "32x8")
    assert current_ma(limited(LedFrame(b"\xff" * 3 * layout.count), layout.limit_ma, layout.ceiling)) <= 850


@pytest.mark.parametrize("colour", [(0, 96, 0), (96, 32, 0)])
def test_default_colours_are_exact_up_to_hexhex_5(colour: tuple[int, int, int]) -> None:
    """61 cells all pasture or all wall need no dimming."""
    frame = LedFrame.of([colour] * 61)
    assert limited(frame) == frame


@pytest.mark.parametrize(("limit_ma", "ceiling"), [(0, 10), (-5, 10), (850, 0), (850, 0xB0)])
def test_impossible_limits_are_refused(limit_ma: float, ceiling: int) -> None:
    """No limit that is none, no ceiling where WLED's commands begin."""
    with pytest.raises(LedLayoutError):
        limited(LedFrame.black(3), limit_ma, ceiling)
