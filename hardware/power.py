"""How much current a frame draws, and the two limits that no frame ever passes.

Figures of the WS2812B data sheet: 20 mA a colour channel at full, so 60 mA a LED at full white. Newer LEDs draw less;
the estimate errs on the safe side and so leaves room for what the LEDs draw when they are dark.
"""

from hardware.errors import LedLayoutError
from hardware.frame import LedFrame

CHANNEL_MA = 20.0

#: What a USB port gives without complaint, with a little room for the microcontroller.
DEFAULT_LIMIT_MA = 850.0

#: No channel byte is higher, so that no pixel looks like a baud-rate command (0xB0 to 0xB7) to a WLED out of step.
CEILING = 0xAF


def current_ma(frame: LedFrame) -> float:
    """The estimated current of a frame in milliamperes."""
    return sum(frame.rgb) * CHANNEL_MA / 255


def check_limits(limit_ma: float, ceiling: int) -> None:
    """Raises `LedLayoutError` unless the current limit is positive and the ceiling within 1 to `CEILING`."""
    if not limit_ma > 0:
        raise LedLayoutError(f"the current limit is more than 0 mA, not {limit_ma:g}")
    if not 1 <= ceiling <= CEILING:
        raise LedLayoutError(f"the channel ceiling is 1 to {CEILING}, not {ceiling}")


def limited(frame: LedFrame, limit_ma: float = DEFAULT_LIMIT_MA, ceiling: int = CEILING) -> LedFrame:
    """The frame with every channel at most `ceiling`, then dimmed as a whole until it draws at most `limit_ma`."""
    check_limits(limit_ma, ceiling)
    capped = LedFrame(bytes(min(channel, ceiling) for channel in frame.rgb))
    needed_ma = current_ma(capped)
    if needed_ma <= limit_ma:
        return capped
    share = limit_ma / needed_ma
    return LedFrame(bytes(int(channel * share) for channel in capped.rgb))
