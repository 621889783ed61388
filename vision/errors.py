"""The eye's exceptions."""


class VisionError(Exception):
    """Root of everything the eye raises for broken input (a missing board is a value, not an exception)."""


class SourceError(VisionError, OSError):
    """A film, folder or picture that cannot be read; the message says which and why."""


class CameraError(VisionError, OSError):
    """A camera or stream that cannot be opened or has gone away."""


class ColourError(VisionError, ValueError):
    """A colour word that is unknown, or two colours that cannot be told apart."""
