"""Finding devices: which ports there are, and which protocol answers on each."""

import time
from dataclasses import dataclass

from hardware.errors import PortError
from hardware.link import ANSWER_S, LinkState, Listener
from hardware.ports import GONE, PortInfo, close_port, open_port, present_ports, resets_when_opened
from hardware.protocol import LedProtocol, load_protocol, protocol_names

_LISTEN_S = 0.05
#: While a boot loader runs, questions might be taken for its commands.
_BOOT_LOADER_S = 2.0
#: Adalight devices greet after an idle second: questions must not come more often.
_ASK_AGAIN_S = 1.6


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """A port and what answered on it: the protocol's name and the greeting, or what is the matter."""

    port: PortInfo
    protocol: str = ""
    answer: str = ""
    trouble: str = ""


def find_devices(baud: int) -> list[FoundDevice]:
    """Ask every port of this machine, one after the other, about three seconds each."""
    return [ask_device(port, baud) for port in present_ports()]


def ask_device(port: PortInfo, baud: int) -> FoundDevice:
    """Open a port, listen, ask the questions of the protocols that have one, and tell who answered."""
    protocols = [p for p in map(load_protocol, protocol_names()) if p.greets]
    protocols.sort(key=lambda protocol: protocol.question == b"")  # a device that answers a question is that kind
    try:
        line = open_port(port.device, baud)
    except PortError as error:
        return FoundDevice(port, trouble=str(error))
    opened_s = time.monotonic()
    ask_s = opened_s + (_BOOT_LOADER_S if resets_when_opened(line) else 0.0)
    listeners = [Listener(protocol, port.device, baud, opened_s) for protocol in protocols]
    try:
        while (now_s := time.monotonic()) < opened_s + ANSWER_S:
            received = line.read(4096)
            for listener in listeners:
                listener.hear(received)
            if listeners[0].name is not None:
                break
            if now_s >= ask_s:
                line.write(b"".join(protocol.question for protocol in protocols))
                ask_s = now_s + _ASK_AGAIN_S
            time.sleep(_LISTEN_S)
    except GONE as error:
        return FoundDevice(port, trouble=f"it went away: {error}")
    finally:
        close_port(line)
    return _verdict(port, protocols, listeners)


def _verdict(port: PortInfo, protocols: list[LedProtocol], listeners: list[Listener]) -> FoundDevice:
    for protocol, listener in zip(protocols, listeners, strict=True):
        if listener.name is not None:
            return FoundDevice(port, protocol.name, listener.name)
    status = listeners[0].status(listeners[0].opened_s + ANSWER_S)
    if status.state is LinkState.WRONG_BAUD:
        return FoundDevice(port, trouble="it answers, but not in text: try another --led-baud")
    return FoundDevice(port, trouble="nobody answered (TPM2 devices never do)")
