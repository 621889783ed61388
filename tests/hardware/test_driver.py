"""The driver on real pseudo-terminals: newest frame, keep-alive, time-outs, unplugging, reconnecting, going dark.

Sleeping here waits for something to happen, with a generous end; no test asserts how long a thing took, apart from
the promises that are themselves times: the right picture again within three seconds, and never delaying the caller.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial

from hardware.driver import LedDriver
from hardware.errors import LedSizeError, PortBusyError, PortError
from hardware.frame import LedFrame
from hardware.layout import LedLayout, plain_layout
from hardware.link import BackOff, LinkState, Listener, frame_interval_s
from hardware.ports import PortInfo, open_port, same_device
from hardware.protocol import load_protocol
from tests.hardware.pty_device import AdalightReceiver, PtyDevice

LAYOUT = plain_layout([f"a{i + 1}" for i in range(12)])
BLACK = bytes(36)


def picture(value: int) -> LedFrame:
    """A frame that tells itself apart from others."""
    return LedFrame(bytes((value + i) % 96 for i in range(36)))


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is worth a word after one second here."""
    monkeypatch.setattr("hardware.link.ANSWER_S", 1.0)


Plug = Callable[..., PtyDevice]


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    """Makes devices at `tmp_path/device` and ends them afterwards."""
    with contextlib.ExitStack() as stack:

        def made(**how: object) -> PtyDevice:
            device = PtyDevice(tmp_path / "device", **how)  # type: ignore[arg-type]
            stack.callback(device.close)
            return device

        yield made


def driver_of(device: PtyDevice, protocol: str = "adalight") -> LedDriver:
    """A driver for a device."""
    return LedDriver(load_protocol(protocol), str(device.path), LAYOUT)


def reaches(driver: LedDriver, state: LinkState, within_s: float) -> bool:
    """Whether the line comes into a state."""
    until_s = time.monotonic() + within_s
    while driver.status.state is not state and time.monotonic() < until_s:
        time.sleep(0.02)
    return driver.status.state is state


@pytest.mark.parametrize("protocol", ["adalight", "wled"])
def test_shows_the_newest_frame_and_goes_dark(plug: Plug, protocol: str) -> None:
    """The last of many frames stays; on leaving the LEDs are black."""
    device = plug(greeting=b"Ada\nWLED 2405180\r\n", boot_s=0.3)
    with driver_of(device, protocol) as driver:
        for value in range(200):
            driver.show(picture(value))
        assert device.shows(picture(199).rgb, 3)
        assert len(device.pictures) < 20
        assert reaches(driver, LinkState.CONNECTED, 3)
    assert device.shows(BLACK, 2)
    assert driver.status.state is LinkState.CLOSED


def test_repeats_the_last_frame(plug: Plug) -> None:
    """Without new frames the last one comes again and again."""
    device = plug()
    with driver_of(device) as driver:
        driver.show(picture(7))
        assert device.shows(picture(7).rgb, 3)
        before = len(device.pictures)
        time.sleep(1.5)
        assert device.pictures[before:]
        assert set(device.pictures[before:]) == {picture(7).rgb}


def test_frames_keep_their_distance(plug: Plug) -> None:
    """Frames are never closer than the line and the strip allow."""
    device = plug()
    with driver_of(device) as driver:
        until_s, value = time.monotonic() + 0.8, 0
        while time.monotonic() < until_s:
            driver.show(picture(value := value + 1))
            time.sleep(0.001)
    times = [when for when, _ in device.receiver.pictures]
    assert len(times) <= 0.8 * 20 + 4


def test_a_device_that_never_greets_is_sent_frames_all_the_same(plug: Plug) -> None:
    """Silence is reported with what to do, and the picture is right."""
    device = plug(greeting=b"")
    with driver_of(device) as driver:
        driver.show(picture(3))
        assert device.shows(picture(3).rgb, 3)
        assert reaches(driver, LinkState.NO_ANSWER, 3)
        assert "baud" in driver.status.advice


def test_boot_of_2800_ms(plug: Plug) -> None:
    """What is sent while the device boots is lost; the whole picture follows its greeting."""
    device = plug(boot_s=2.8)
    with driver_of(device) as driver:
        driver.show(picture(5))
        assert not device.pictures
        assert device.shows(picture(5).rgb, 2.8 + 3)
        assert reaches(driver, LinkState.CONNECTED, 1)


def test_unplug_and_replug(plug: Plug) -> None:
    """After a replug the whole picture is there within three seconds, also when it changed meanwhile."""
    device = plug()
    with driver_of(device) as driver:
        for value in (10, 25):
            driver.show(picture(value))
            assert device.shows(picture(value).rgb, 3)
            device.unplug()
            assert reaches(driver, LinkState.WAITING, 3)
            driver.show(picture(value + 5))
            time.sleep(value / 20)
            device.plug()
            assert device.shows(picture(value + 5).rgb, 3)


def test_unplug_during_a_write(plug: Plug) -> None:
    """The cable pulled while frames pour out, twenty times over, hurts nothing."""
    device = plug()
    with driver_of(device) as driver:
        for value in range(20):
            driver.show(picture(value))
            time.sleep(0.01)
            device.unplug()
            device.plug()
        driver.show(picture(77))
        assert device.shows(picture(77).rgb, 3)


def test_a_device_that_stops_reading(plug: Plug) -> None:
    """A stuck device delays nobody, and has the right picture again within three seconds of reading on."""
    device = plug()
    layout = LedLayout(1000, ("a1",), (tuple(range(1000)),), limit_ma=1e6, baud=4_000_000)
    pictures = [LedFrame(bytes((value,)) * 3000) for value in range(150)]
    with LedDriver(load_protocol("adalight"), str(device.path), layout) as driver:
        driver.show(pictures[1])
        assert device.shows(pictures[1].rgb, 3)
        device.reading = False
        slowest_s = 0.0
        stuck = False
        for frame in pictures:
            before_s = time.perf_counter()
            driver.show(frame)
            slowest_s = max(slowest_s, time.perf_counter() - before_s)
            stuck = stuck or "takes no more bytes" in driver.status.detail
            time.sleep(0.02)
        assert stuck
        assert slowest_s < 0.9  # a write that waits takes its time-out of a second
        device.reading = True
        driver.show(pictures[55])
        assert device.shows(pictures[55].rgb, 3)


def test_garbage_from_the_device(plug: Plug) -> None:
    """Unreadable answers mean a wrong baud rate; a greeting afterwards means all is well."""
    device = plug(greeting=bytes((0x80, 0xFE, 0x00, 0xF8)) * 4, boot_s=0.3)
    with driver_of(device) as driver:
        driver.show(picture(9))
        assert reaches(driver, LinkState.WRONG_BAUD, 3)
        assert "115200 baud" in driver.status.detail
        device.say(b"Ada\n")
        assert reaches(driver, LinkState.CONNECTED, 2)
        device.say(os.urandom(3000))
        assert device.shows(picture(9).rgb, 3)


def test_a_device_that_starts_anew_gets_the_picture_at_once(plug: Plug) -> None:
    """A second greeting means that the device has forgotten everything."""
    device = plug()
    with driver_of(device) as driver:
        driver.show(picture(2))
        assert device.shows(picture(2).rgb, 3)
        device.receiver.pictures.clear()
        device.receiver.left = 20
        device.say(b"Ada\n")
        assert device.shows(picture(2).rgb, 3)


def test_one_device_one_owner(plug: Plug) -> None:
    """A second opener, a driver or not, is told that the port is in use."""
    device = plug()
    with driver_of(device):
        with pytest.raises(PortBusyError, match="in use"):
            driver_of(device).start()
        with pytest.raises(PortBusyError):
            open_port(str(device.path), 115200)
    open_port(str(device.path), 115200).close()


def test_an_absent_device(tmp_path: Path, plug: Plug) -> None:
    """An absent device is an error for the impatient and waited for by the patient."""
    url = str(tmp_path / "device")
    with pytest.raises(PortError, match="no such port"):
        LedDriver(load_protocol("adalight"), url, LAYOUT).start()
    with LedDriver(load_protocol("adalight"), url, LAYOUT, patient=True) as driver:
        driver.show(picture(4))
        assert reaches(driver, LinkState.WAITING, 2)
        assert plug().shows(picture(4).rgb, 3)


@pytest.mark.parametrize("url", ["loop://", "socket://127.0.0.1:1", "nonsense://x", "/dev/null"])
def test_every_kind_of_port(url: str) -> None:
    """What pySerial opens is opened, what it does not open is one clear error."""
    if url == "loop://":
        with LedDriver(load_protocol("adalight"), url, LAYOUT) as driver:
            driver.show(picture(1))
            assert reaches(driver, LinkState.WAITING, 2)
        return
    with pytest.raises(PortError, match=url) as caught:
        open_port(url, 115200)
    assert "\n" not in str(caught.value)


def test_frames_of_another_size_are_refused(plug: Plug) -> None:
    """A frame must fit the layout, and the layout its protocol."""
    with driver_of(plug()) as driver, pytest.raises(LedSizeError, match="12 LEDs, the frame 3"):
        driver.show(LedFrame.black(3))
    with pytest.raises(LedSizeError, match="adalight"):
        LedDriver(load_protocol("tpm2"), "loop://", plain_layout([f"a{i}" for i in range(100)]))


def test_the_limits_are_on_the_wire(plug: Plug) -> None:
    """Whatever is shown, no byte on the wire is above the ceiling."""
    device = plug()
    with driver_of(device) as driver:
        driver.show(LedFrame(b"\xff" * 36))
        assert device.shows(b"\xaf" * 36, 3)
    assert max(b for colours in device.pictures for b in colours) <= 0xAF


KILLED = """
import sys, time
from hardware.driver import LedDriver
from hardware.frame import LedFrame
from hardware.layout import plain_layout
from hardware.protocol import load_protocol
from hardware.signals import end_on_sigterm
end_on_sigterm()
with LedDriver(load_protocol("adalight"), sys.argv[1], plain_layout([f"a{i}" for i in range(12)])) as driver:
    driver.show(LedFrame(bytes(range(36))))
    while True:
        time.sleep(1)
"""


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
def test_dark_after_a_signal(plug: Plug, kind: signal.Signals) -> None:
    """A program ended from outside leaves the LEDs dark."""
    device = plug()
    with subprocess.Popen([sys.executable, "-c", KILLED, str(device.path)], stderr=subprocess.DEVNULL) as program:
        assert device.shows(bytes(range(36)), 20)
        program.send_signal(kind)
        program.wait(10)
    assert device.shows(BLACK, 3)


def test_interval_formula() -> None:
    """(6 + 3N) · 10 / baud + 30 µs · N + 5 ms, and at most the rate asked for."""
    assert frame_interval_s(198, 64, 115200, 1000) == pytest.approx(198 * 10 / 115200 + 64 * 30e-6 + 5e-3)
    assert frame_interval_s(198, 64, 115200, 20) == 0.05
    assert frame_interval_s(3 * 512 + 6, 512, 115200, 20) == pytest.approx(0.1342 + 0.01536 + 0.005, abs=1e-3)


def test_back_off() -> None:
    """0.5, 1, 2, 4, 5, 5 … and from the beginning after a success."""
    back_off = BackOff()
    assert [back_off.next_s() for _ in range(6)] == [0.5, 1, 2, 4, 5, 5]
    back_off.succeeded()
    assert back_off.next_s() == 0.5


def test_states_of_a_line() -> None:
    """Waiting at first, then by what was heard; a greeting in two pieces is one."""
    listener = Listener(load_protocol("adalight"), "port", 115200, 0.0)
    assert listener.status(0.5).state is LinkState.WAITING
    assert listener.status(9.0).state is LinkState.NO_ANSWER
    listener.hear(b"\0")
    assert listener.status(9.0).state is LinkState.NO_ANSWER
    listener.hear(b"\x9c")
    assert listener.status(9.0).state is LinkState.WRONG_BAUD
    listener = Listener(load_protocol("adalight"), "port", 115200, 0.0)
    listener.hear(b"hello\r\n")
    assert "'hello'" in listener.status(9.0).detail
    assert not listener.hear(b"A")
    assert listener.hear(b"da\n")
    assert listener.status(9.0).state is LinkState.CONNECTED
    silent = Listener(load_protocol("tpm2"), "port", 115200, 0.0)
    assert silent.status(9.0).state is LinkState.CONNECTED


def test_a_replugged_device_is_known_again() -> None:
    """By its serial number anywhere, without one only in the same socket, and never as another kind of device."""
    uno = PortInfo("/dev/ttyACM0", "Uno", 0x2341, 0x43, "A1", "1-1")
    clone = PortInfo("/dev/ttyUSB0", "CH340", 0x1A86, 0x7523, None, "1-2")
    moved = PortInfo("/dev/ttyACM1", "Uno", 0x2341, 0x43, "A1", "1-4")
    other = PortInfo("/dev/ttyACM0", "Uno", 0x2341, 0x43, "B2", "1-1")
    renamed = PortInfo("/dev/ttyUSB3", "CH340", 0x1A86, 0x7523, None, "1-2")
    elsewhere = PortInfo("/dev/ttyUSB3", "CH340", 0x1A86, 0x7523, None, "1-3")
    assert same_device(uno, [other, moved]) == moved
    assert same_device(clone, [uno, renamed]) == renamed
    assert same_device(clone, [uno, elsewhere]) is None
    assert same_device(PortInfo("/dev/ttyS0"), [PortInfo("/dev/ttyS0")]) is None


def test_writing_to_a_port_without_reader_times_out(plug: Plug) -> None:
    """pySerial gives up on a stuck device after the time-out that `open_port` sets, which the driver relies on."""
    device = plug()
    device.reading = False
    with contextlib.closing(open_port(str(device.path), 115200)) as port, pytest.raises(serial.SerialTimeoutException):
        port.write(bytes(1_000_000))


def test_a_device_in_the_network() -> None:
    """`socket://`: frames arrive, and after a broken connection the whole picture arrives again."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(8)
        url = f"socket://127.0.0.1:{listener.getsockname()[1]}"
        with LedDriver(load_protocol("adalight"), url, LAYOUT) as driver:
            for value in (3, 40):
                driver.show(picture(value))
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(8)
                    connection.sendall(b"Ada\n")
                    receiver = AdalightReceiver()
                    while [colours for _, colours in receiver.pictures][-1:] != [picture(value).rgb]:
                        received = connection.recv(4096)
                        assert received
                        for byte in received:
                            receiver.take(byte)
