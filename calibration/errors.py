"""The calibration's exceptions."""


class CalibrationError(Exception):
    """Root of everything the calibration raises: an unusable profile, target or set of pictures, with the reason."""
