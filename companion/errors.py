"""The application's exceptions, each with the exit status that the command-line contract gives it."""

from calibration.errors import CalibrationError
from engine.errors import EngineError
from hardware.errors import HardwareError
from vision.errors import VisionError


class CompanionError(Exception):
    """Root of everything the application raises; `exit_status` as in the contract."""

    exit_status = 2


class InputError(CompanionError, ValueError):
    """Wrong usage, or an input file or output place that cannot be used."""


class NoBoardError(CompanionError):
    """The board was not found; the message says why."""

    exit_status = 3


class DeviceError(CompanionError, OSError):
    """A camera or a serial port that could not be opened."""

    exit_status = 4


#: The roots of everything that is said in one line; anything else is a bug and shows its traceback.
KNOWN_ERRORS = (CompanionError, EngineError, VisionError, HardwareError, CalibrationError)
