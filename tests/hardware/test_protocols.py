"""The LED protocols: bytes from the protocol documents, laws of encode and decode, what each refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.errors import LedSizeError, LedSpecError
from hardware.frame import LedFrame
from hardware.protocol import LedProtocol, load_protocol, parse_leds, protocol_names
from hardware.protocols import wled
from tests.hardware.pty_device import AdalightReceiver

RED_GREEN = LedFrame(bytes.fromhex("60 00 00 00 60 00"))

#: Frames as the documents describe them, written by hand.
GOLDEN = {
    # LEDstream.pde: 'A' 'd' 'a', count - 1 high, low, high ^ low ^ 0x55, colours.
    "adalight": "41 64 61 00 01 54  60 00 00 00 60 00",
    # tpm2.de: 0xC9, 0xDA (data frame), payload size high, low, payload, 0x36.
    "tpm2": "C9 DA 00 06  60 00 00 00 60 00  36",
    # wled_serial.cpp reads Adalight.
    "wled": "41 64 61 00 01 54  60 00 00 00 60 00",
}

frames = st.integers(1, 85).flatmap(lambda n: st.binary(min_size=3 * n, max_size=3 * n)).map(LedFrame)


@pytest.fixture(params=protocol_names())
def protocol(request: pytest.FixtureRequest) -> LedProtocol:
    """Each protocol in turn."""
    return load_protocol(request.param)


def test_golden_bytes(protocol: LedProtocol) -> None:
    """A frame of a red and a green LED is what the protocol's document says; every protocol has its golden bytes."""
    assert protocol.encode(RED_GREEN) == bytes.fromhex(GOLDEN[protocol.name])


@pytest.mark.parametrize(
    ("count", "head"),
    [(1, "41 64 61 00 00 55"), (25, "41 64 61 00 18 4D"), (256, "41 64 61 00 FF AA"), (257, "41 64 61 01 00 54")],
)
def test_adalight_headers(count: int, head: str) -> None:
    """Count minus one, high byte first, then the check byte; 25 LEDs is the example of Adafruit's tutorial."""
    assert load_protocol("adalight").encode(LedFrame.black(count))[:6] == bytes.fromhex(head)


@given(frames, frames)
def test_decode_is_the_inverse_of_encode(first: LedFrame, second: LedFrame) -> None:
    """Two frames in a row with a beginning of a third come back, and the beginning is left over."""
    for name in protocol_names():
        protocol = load_protocol(name)
        sent = protocol.encode(first) + protocol.encode(second)
        begun = protocol.encode(first)[:5]
        decoded, rest = protocol.decode(sent + begun)
        assert rest == begun
        assert [protocol.encode(frame) for frame in decoded] == [protocol.encode(first), protocol.encode(second)]
        assert len(decoded[0]) == len(first)


@given(st.binary(max_size=120), st.integers(0, 30))
def test_decode_survives_anything(noise: bytes, cut: int) -> None:
    """Noise gives whole frames or none, and decoding in two pieces finds what decoding at once finds."""
    for name in protocol_names():
        protocol = load_protocol(name)
        stream = noise + protocol.encode(RED_GREEN)[:cut]
        at_once, _ = protocol.decode(stream)
        first, rest = protocol.decode(stream[: len(stream) // 2])
        second, _ = protocol.decode(rest + stream[len(stream) // 2 :])
        assert first + second == at_once


def receive(stream: bytes) -> list[bytes]:
    """The pictures that the literal receiver shows."""
    receiver = AdalightReceiver()
    for byte in stream:
        receiver.take(byte)
    return [colours for _, colours in receiver.pictures]


@given(st.integers(1, 40), st.data())
def test_no_adalight_frame_holds_a_false_header(count: int, data: st.DataObject) -> None:
    """Wherever a receiver joins a stream of frames, it is in step after one whole frame, whatever the colours."""
    words = st.sampled_from(
        [b"Ada", b"Ada\x41\x64\x70", b"\x00\x01\x54", b"Ada\x00\x01\x54", b"Ada\x70\x41\x64", b"\x60"]
    )
    colours = b"".join(data.draw(st.lists(words, min_size=3 * count, max_size=3 * count)))[: 3 * count]
    sent = load_protocol("adalight").encode(LedFrame(colours))
    start = data.draw(st.integers(1, len(sent)))
    shown = receive(sent[start:] + sent + sent)
    assert shown[-1:] == [sent[6:]]
    assert sum(abs(a - b) for a, b in zip(sent[6:], colours, strict=True)) <= count


def test_a_frame_full_of_ada_is_sent_as_it_is() -> None:
    """The magic word alone is no header: nothing is changed."""
    frame = LedFrame(b"Ada" * 61)
    assert load_protocol("adalight").encode(frame)[6:] == frame.rgb


def wled_count(hi: int, lo: int) -> int:
    """LEDs that WLED's parser expects after a TPM2 length (wled_serial.cpp, TPM2_Header_CountHi and CountLo)."""
    count = (hi * 0x100) // 3
    return count + lo // 3


@given(st.integers(1, 2000))
def test_tpm2_refuses_exactly_the_sizes_that_wled_misreads(count: int) -> None:
    """A size is sent if and only if the common firmware counts the same LEDs."""
    protocol = load_protocol("tpm2")
    if wled_count(*divmod(3 * count, 256)) == count:
        assert len(protocol.encode(LedFrame.black(count))) == 3 * count + 5
    else:
        with pytest.raises(LedSizeError, match=f"{count} LEDs.*adalight"):
            protocol.encode(LedFrame.black(count))


@pytest.mark.parametrize(("count", "fits"), [(64, True), (100, False), (128, False), (256, True)])
def test_tpm2_sizes_seen_on_firmware(count: int, fits: bool) -> None:
    """100 and 128 LEDs lose one on WLED, 64 and 256 do not."""
    protocol = load_protocol("tpm2")
    if fits:
        protocol.check_count(count)
    else:
        with pytest.raises(LedSizeError):
            protocol.check_count(count)


def test_wled_answers() -> None:
    """The answers of wled_serial.cpp to `v`, `L` and `{"v":true}`, also in pieces and with noise before them."""
    assert load_protocol("wled").greeting(b"\x00\xf3WLED 2405180\r\n") == "WLED 2405180"
    assert load_protocol("wled").greeting(b"WLED 24") is None
    answer = bytes.fromhex("C9 DA 00 06 60 00 00 00 60 00 36 0A")
    assert wled.decode_pixels(b"Ada\n" + answer) == RED_GREEN
    assert wled.decode_pixels(answer[:-3]) is None
    state = b'{"state":{"on":true,"bri":128},"info":{"ver":"0.14.4","leds":{"count":61}}}\r\n'
    found = wled.decode_state(b"junk" + state)
    assert found is not None
    assert found["info"]["leds"]["count"] == 61
    assert wled.decode_state(state[:40]) is None


def test_greetings() -> None:
    """`Ada` and a line feed is the Adalight greeting; its beginning is none, and TPM2 devices have none at all."""
    assert load_protocol("adalight").greeting(b"\xf8Ada\n") == "Ada"
    assert load_protocol("adalight").greeting(b"Ada") is None
    assert load_protocol("tpm2").greeting(b"Ada\n") is None


def test_leds_on_the_command_line() -> None:
    """PROTOCOL:PORT, where the port may itself hold colons."""
    protocol, port = parse_leds("wled:socket://box:4000")
    assert (protocol.name, port) == ("wled", "socket://box:4000")
    with pytest.raises(LedSpecError, match="known are adalight, tpm2, wled"):
        parse_leds("artnet:/dev/ttyUSB0")
    with pytest.raises(LedSpecError, match="PROTOCOL:PORT"):
        parse_leds("/dev/ttyUSB0")


def test_a_frame_has_whole_leds() -> None:
    """No LED, half a LED and a channel beyond a byte are refused."""
    for broken in (b"", b"\x00\x00"):
        with pytest.raises(LedSizeError):
            LedFrame(broken)
    with pytest.raises(LedSizeError, match="256"):
        LedFrame.of([(256, 0, 0)])
    assert LedFrame.of([(1, 2, 3), (4, 5, 6)])[1] == (4, 5, 6)
