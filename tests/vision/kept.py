"""The pictures and films that are kept beside the tests of the eye."""

from pathlib import Path

PICTURES = Path(__file__).with_name("pictures")
FILMS = Path(__file__).with_name("films")
