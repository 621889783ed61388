"""The exceptions of the lights: one root, each message carries the input or the port that broke."""


class HardwareError(Exception):
    """Root of everything this package raises."""


class LedSpecError(HardwareError, ValueError):
    """A text that names no protocol and port, or a protocol nobody knows."""


class LedSizeError(HardwareError, ValueError):
    """A frame that does not fit: its protocol, its layout, or its own LED count."""


class LedLayoutError(HardwareError, ValueError):
    """A layout file that cannot be used; the message says where in the file and why."""


class PortError(HardwareError, OSError):
    """A serial port that cannot be opened."""


class PortBusyError(PortError):
    """A serial port that another program, or another part of this one, holds."""
