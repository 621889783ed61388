"""Where footage lies that is too large for the repository; tests that need it skip loudly without it."""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parent.parent
SAMPLES = _ROOT / "samples"


def _place(variable: str, default: str) -> Path:
    path = Path(os.environ.get(variable, _ROOT.parent / "shared" / default))
    if not path.is_dir():
        pytest.skip(f"SKIPPED: no footage at {path}; set {variable} to its folder")
    return path


def footage() -> Path:
    """The folder of the shared footage (`stills/`, `clips/`, `boards/`); skips the test where it is missing."""
    return _place("STORISENDE_FOOTAGE", "footage")


def photos() -> Path:
    """The folder of the real photographs; skips the test where it is missing."""
    return _place("STORISENDE_PHOTOS", "photos")
