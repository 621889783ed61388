"""TPM2: `C9 DA`, the number of colour bytes in two bytes, red, green, blue of every LED, then `36`.

Source: the TPM2 protocol description (tpm2.de). The firmware that people have, WLED, divides the two length bytes by
three one by one (`wled_serial.cpp`: `count = (hi * 0x100) / 3`, then `count += lo / 3`), so that a length whose high
byte is no multiple of three loses a LED, and the bytes left over are read as commands. Such sizes are refused.
"""

from dataclasses import dataclass

from hardware.errors import LedSizeError
from hardware.frame import LedFrame

START = b"\xc9\xda"
STOP = b"\x36"
MOST_LEDS = 0xFFFF // 3


@dataclass(frozen=True, slots=True)
class Tpm2:
    """The TPM2 protocol, within the sizes that every firmware reads alike."""

    name: str = "tpm2"
    title: str = "TPM2"
    question: bytes = b""
    greets: bool = False
    boot_s: float = 2.0

    def check_count(self, count: int) -> None:
        if not 1 <= count <= MOST_LEDS:
            raise LedSizeError(f"TPM2 carries 1 to {MOST_LEDS} LEDs, not {count}")
        if (3 * count >> 8) % 3:
            raise LedSizeError(
                f"TPM2 cannot carry {count} LEDs safely: common firmware misreads that length; use adalight instead"
            )

    def encode(self, frame: LedFrame) -> bytes:
        self.check_count(len(frame))
        return START + len(frame.rgb).to_bytes(2, "big") + frame.rgb + STOP

    def decode(self, received: bytes) -> tuple[list[LedFrame], bytes]:
        frames: list[LedFrame] = []
        at = 0
        while (found := received.find(START, at)) >= 0:
            if len(received) < found + 4:
                return frames, received[found:]
            end = found + 4 + int.from_bytes(received[found + 2 : found + 4], "big")
            if len(received) <= end:
                return frames, received[found:]
            colours = received[found + 4 : end]
            if received[end : end + 1] == STOP and colours and len(colours) % 3 == 0:
                frames.append(LedFrame(colours))
                at = end + 1
            else:
                at = found + 1
        return frames, received[-1:] if received[at:].endswith(START[:1]) else b""

    def greeting(self, received: bytes) -> str | None:
        return None


PROTOCOL = Tpm2()
