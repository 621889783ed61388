"""Files that the user names: read, or refused before the work begins where they could not be written."""

from pathlib import Path

from companion.errors import InputError


def read_text(path: Path, what: str) -> str:
    """The text of a file the user named. Raises `InputError` that says which and why."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{what} {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{what} {path}: not a text file") from None


def check_writable(path: Path | None, what: str) -> None:
    """Refuse an output file whose folder is missing or cannot be written, before the work begins."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{what} {path}: {'is a folder' if path.is_dir() else f'no folder {path.parent}'}")
    try:
        existed = path.exists()
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise InputError(f"{what} {path}: cannot be written: {error.strerror}") from None
