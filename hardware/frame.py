"""One picture on the LEDs: a colour for each of them, in the order in which they are wired."""

from collections.abc import Iterable
from dataclasses import dataclass

from hardware.errors import LedSizeError

#: Red, green, blue, each 0 to 255.
Rgb = tuple[int, int, int]
BLACK: Rgb = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class LedFrame:
    """The colours of all LEDs: `rgb` holds red, green, blue of LED 0, then of LED 1, and so on.

    Raises `LedSizeError` for an empty frame or a byte count that is no multiple of three.
    """

    rgb: bytes

    def __post_init__(self) -> None:
        if not self.rgb or len(self.rgb) % 3:
            raise LedSizeError(f"a frame holds three bytes a LED and at least one LED, not {len(self.rgb)} bytes")

    @classmethod
    def of(cls, colours: Iterable[Rgb]) -> "LedFrame":
        """The frame of these colours. Raises `LedSizeError` for a channel outside 0 to 255."""
        values = [channel for colour in colours for channel in colour]
        try:
            return cls(bytes(values))
        except ValueError as error:
            if isinstance(error, LedSizeError):
                raise
            wrong = next(v for v in values if not 0 <= v <= 255)
            raise LedSizeError(f"a channel is 0 to 255, not {wrong}") from None

    @classmethod
    def black(cls, count: int) -> "LedFrame":
        """All `count` LEDs dark."""
        return cls(bytes(3 * count))

    def __len__(self) -> int:
        return len(self.rgb) // 3

    def __getitem__(self, index: int) -> Rgb:
        if not 0 <= index < len(self):
            raise IndexError(f"LED {index} of {len(self)}")
        red, green, blue = self.rgb[3 * index : 3 * index + 3]
        return red, green, blue

    def colours(self) -> tuple[Rgb, ...]:
        """The colours in the order of the LEDs."""
        return tuple(self[i] for i in range(len(self)))
