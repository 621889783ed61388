"""What a session keeps of its game in the journal: events before anybody hears of them, pictures as evidence."""

from collections.abc import Callable, Sequence

from companion.errors import InputError
from companion.game.events import Event
from companion.game.journal import Journal

#: Makes the JPEG of the picture that the last reading was made from; called only when a picture is to be kept.
PictureMaker = Callable[[], bytes]

_PICTURED = ("start", "move", "pass", "corrected", "set")


class Keeper:
    """Keeps one game in a journal, if there is one.

    A journal that cannot be written, on a full disk for instance, does not stop a game: `trouble` says so meanwhile,
    and what is missing is written with the next events. Without trouble every event is on disk when `keep` returns.
    """

    def __init__(self, journal: Journal | None, game: int) -> None:
        self._journal, self._game = journal, game
        self._missing: list[Event] = []
        self.trouble = ""

    def keep(self, events: Sequence[Event], ply: int, picture: PictureMaker | None) -> None:
        """Put events on disk, and the picture of the board after a ply with those that tell of one."""
        if self._journal is None or not events:
            return
        self._missing += events
        try:
            self._journal.append(self._game, self._missing)
            self._missing.clear()
            if picture is not None and any(event.kind in _PICTURED for event in events):
                self._journal.keep_picture(self._game, ply, picture())
            self.trouble = ""
        except InputError as error:
            self.trouble = str(error)

    def picture(self, ply: int) -> bytes | None:
        """The picture (JPEG) kept after a ply; None where there is none."""
        return None if self._journal is None else self._journal.picture(self._game, ply)

    def begin_anew(self, setup: str, started: str, keep_old: bool) -> None:
        """What comes belongs to another game; the old one stays as one that is over, or goes.

        Where that cannot be written nothing is kept any more, since it would be taken for the old game's.
        """
        if self._journal is None:
            return
        self._missing.clear()
        try:
            game = self._journal.new_game(setup, started)
            if keep_old:
                self._journal.mark_ended(self._game)
            else:
                self._journal.delete(self._game)
            self._game = game
        except InputError as error:
            self._journal, self.trouble = None, str(error)

    def over(self) -> None:
        """Nobody wants to go on with the game."""
        if self._journal is None or self.trouble:
            return
        try:
            self._journal.mark_ended(self._game)
        except InputError as error:
            self.trouble = str(error)
