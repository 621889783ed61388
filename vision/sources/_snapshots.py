"""Network cameras that give one picture a request, at addresses like `/snapshot.jpg`: asked again and again they are
live sources like any other."""

import time
import urllib.error
import urllib.request
from http.client import HTTPException
from urllib.parse import unquote, urlsplit

import numpy as np

from vision.errors import CameraError
from vision.picture import Picture, decode

_TIMEOUT_S = 5.0
_MOST_BYTES = 64 << 20
#: A request may be lost on the way; only so many in turn, or one that is never answered, mean that there is no picture.
_TRIES = 3
_PASSWORD = "name and password go into the address, http://name:password@…"
_NO_PICTURE: Picture = np.zeros((1, 1, 3), np.uint8)


class Snapshots:
    """Pictures from a web address, `fps` a second at most; reads like a `cv2.VideoCapture`.

    A name and a password in the address (`http://name:password@camera/…`) are given when the camera asks for them
    (RFC 7617, RFC 7616).
    """

    def __init__(self, url: str, fps: float) -> None:
        self._url = without_password(url)
        self._opener = _opener(url, self._url)
        self._pause_s, self._asked_s = 1.0 / fps, float("-inf")

    def kind(self) -> str:
        """The media type of what the address gives, `image/jpeg` for instance; empty where no web server answers.

        Raises `CameraError` with the server's words where it refuses.
        """
        try:
            with self._opener.open(self._url, timeout=_TIMEOUT_S) as answer:
                kind: str = answer.headers.get_content_type()
                return kind
        except urllib.error.HTTPError as error:
            asked = f": {_PASSWORD}" if error.code == 401 else ""
            raise CameraError(f"the answer is {error.code} {error.reason}{asked}") from None
        except ValueError:  # so `urllib` says that nothing it knows was accepted
            raise CameraError(f"it lets nobody in: {_PASSWORD}") from None
        except (OSError, HTTPException):
            return ""

    def read(self) -> tuple[bool, Picture]:
        """Whether there is a picture now, and the picture, (H, W, 3) uint8, blue-green-red."""
        for _ in range(_TRIES):
            time.sleep(max(0.0, self._asked_s + self._pause_s - time.monotonic()))
            self._asked_s = time.monotonic()
            picture = self._ask()
            if picture is not None:
                return True, picture
            if time.monotonic() - self._asked_s >= _TIMEOUT_S:
                break
        return False, _NO_PICTURE

    def release(self) -> None:
        """Nothing is held between two pictures."""

    def _ask(self) -> Picture | None:
        try:
            with self._opener.open(self._url, timeout=_TIMEOUT_S) as answer:
                return decode(np.frombuffer(answer.read(_MOST_BYTES), np.uint8))
        except (OSError, HTTPException, ValueError):
            return None


def without_password(url: str) -> str:
    """An address as it may be shown: without the name and the password that may stand in it."""
    scheme, mark, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    port = place.partition(":")[2]
    if "@" in path and "@" not in place and port and not port.isdecimal():  # no port: a password with a "/" in it
        return scheme + mark + rest.rpartition("@")[2]
    return scheme + mark + place.rpartition("@")[2] + slash + path if mark else url


def _opener(url: str, shown: str) -> urllib.request.OpenerDirector:
    """What opens an address with the name and the password that stand in it."""
    parts, known = urlsplit(url), urllib.request.HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        known.add_password(None, shown, unquote(parts.username), unquote(parts.password or ""))
    answers = urllib.request.HTTPBasicAuthHandler(known), urllib.request.HTTPDigestAuthHandler(known)
    return urllib.request.build_opener(*answers)
