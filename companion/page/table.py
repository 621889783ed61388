"""The table that the page shows: the game under way, the eye that follows it; and how a new game begins."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.errors import KNOWN_ERRORS, InputError
from companion.game.session import Session
from companion.page.actions import Calibrate, Start
from companion.page.calibration import Calibration
from companion.table_checks import Check

Picture = NDArray[np.uint8]


class Watcher(Protocol):
    """What follows the game by camera, if anything does, and what is known of the lights."""

    @property
    def again(self) -> bool:
        """Whether the game can be taken up again where it is then; of a film the beginning would come again."""
        ...

    def picture(self) -> Picture | None:
        """The newest camera picture with the reading drawn over it (height × width × 3, uint8, BGR)."""
        ...

    def status(self) -> Mapping[str, Any]:
        """`camera` and `lights` in plain words; `cameraBad` and `lightsBad` tell whether something must be done."""
        ...

    def checks(self) -> Sequence[Check]:
        """The live checks of the set-up helper."""
        ...

    def stop(self) -> None:
        """End it; the session is finished and its record kept."""
        ...


class Opener(Protocol):
    """What begins new games: it knows the sources that may be chosen."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources; number 0 is no camera, a game entered by hand."""
        ...

    @property
    def boards(self) -> tuple[str, ...]:
        """The names of boards of its own, besides those that everybody knows."""
        ...

    @property
    def unfinished(self) -> str:
        """The game that was broken off last, in a few words; empty when there is none."""
        ...

    @property
    def calibrations(self) -> tuple[str, ...]:
        """The calibrations that can be begun."""
        ...

    def calibration(self, request: Calibrate) -> list[str]:
        """The words of the command line for a calibration. Raises the packages' errors."""
        ...

    def open(self, request: Start) -> tuple[Session, Watcher]:
        """A session for the request, and what watches it. Raises the packages' errors with a plain sentence."""
        ...


@dataclass(frozen=True, slots=True)
class Game:
    """A game on the table: its session, what watches it, and a name that no other game has."""

    session: Session
    watcher: Watcher | None = None
    name: str = ""


class Table:
    """At most one game at a time; replaced whole when a new one begins. Safe to use from any thread."""

    def __init__(self, game: Game | None = None, opener: Opener | None = None) -> None:
        self.game = game
        self.opener = opener
        self._calibration = Calibration()
        self._lock = threading.Lock()
        self._request: Start | None = None  # with which the game on the table was begun
        self._given_up: Start | None = None  # and the one that has given its camera up for a calibration
        self._trouble = ""  # why that one does not go on

    def status(self) -> dict[str, Any]:
        """Camera and lights in plain words, and whether a new game can be started from the page."""
        game = self.game
        parts = dict(game.watcher.status()) if game is not None and game.watcher is not None else self._meanwhile()
        return {**parts, "canStart": self.opener is not None}

    def start(self, request: Start) -> None:
        """Begin a new game; the one under way is finished. Raises `InputError` and the packages' other errors."""
        if self.opener is None:
            raise InputError("this page follows one game; start another with: storisende serve")
        if not 0 <= request.source < len(self.opener.sources):
            raise InputError(f"there is no source number {request.source}")
        with self._lock:
            self._stop_watcher()
            self._open(request)

    def _open(self, request: Start) -> None:
        if self.opener is not None:
            session, watcher = self.opener.open(request)
            self.game, self._request = Game(session, watcher, token_hex(4)), request
            self._given_up, self._trouble = None, ""

    def calibrate(self, request: Calibrate) -> None:
        """Begin a calibration, or end the running one; the game gives the camera up, and is taken up again when the
        calibration has ended. Raises the packages' errors."""
        if not request.kind:
            self._calibration.stop()
            return
        if self.opener is None:
            raise InputError("this page follows one game; calibrate with: storisende calibrate")
        words = self.opener.calibration(request)
        with self._lock:
            if self._is_followed():
                self._given_up = self._request
            self._stop_watcher()
            self._calibration.start(request.kind, words, self._take_up_again)

    def _is_followed(self) -> bool:
        """Whether the game on the table is not over and can be taken up again."""
        game = self.game
        if game is None or game.watcher is None:
            return False
        return game.watcher.again and game.session.state.outcome is None

    def _take_up_again(self) -> None:
        """Go on with the game that has given its camera up; what has no turn yet begins anew."""
        with self._lock:
            game, request = self.game, self._given_up
            if request is None or game is None:
                return
            try:
                self._open(msgspec.structs.replace(request, resume=bool(game.session.state.history)))
            except KNOWN_ERRORS as error:
                self._trouble, self._given_up = f"the game does not go on: {error}", None

    def _meanwhile(self) -> dict[str, Any]:
        """Why nothing watches the game."""
        if self._trouble:
            return {"camera": self._trouble, "cameraBad": True}
        return {} if self._given_up is None else {"camera": "the game waits for the calibration", "cameraBad": False}

    def calibration(self) -> dict[str, Any]:
        """How the calibration stands, and which there are."""
        return {**self._calibration.state(), "kinds": self.opener.calibrations if self.opener is not None else ()}

    def close(self) -> None:
        """Stop what watches the game and any calibration; the game itself stays to be looked at."""
        with self._lock:
            self._given_up = None
            self._stop_watcher()
            self._calibration.close()

    def _stop_watcher(self) -> None:
        if self.game is not None and self.game.watcher is not None:
            self.game.watcher.stop()
            self.game = Game(self.game.session, None, self.game.name)
