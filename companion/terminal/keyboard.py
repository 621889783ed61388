"""What a person types while a game is watched: one line, one correction, one answer."""

import select
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from companion.game.session import Session, Setup
from engine.errors import EngineError, NotationError

HELP = (
    "pass · enter c4-c6 · back [n] · accept n · irregular · resign red · agree red|purple|draw · "
    "set d4 wall [red 2] · under-way red · pause · go · help"
)


def player_number(setup: Setup, word: str) -> int:
    """1 or 2 for a colour, a name or a number. Raises `NotationError`."""
    for player in (1, 2):
        if word.lower() in {str(player), setup.colours[player - 1].lower(), setup.names[player - 1].lower()} - {""}:
            return player
    raise NotationError(f"'{word}' is no player; they are {setup.colours[0]} and {setup.colours[1]}")


def _number(words: list[str], default: int) -> int:
    if not words:
        return default
    if not words[0].isdigit() or int(words[0]) < 1:
        raise NotationError(f"'{words[0]}' is no number of plies or candidates")
    return int(words[0])


def _set_cell(session: Session, words: list[str]) -> None:
    """`set d4 wall`, `set d4 virgin red 2`."""
    if len(words) not in (2, 4) or (len(words) == 4 and not words[3].isdigit()):
        raise NotationError("set takes a cell and a tile, and perhaps a player and a height: set d4 wall red 2")
    owner, height = (player_number(session.state.setup, words[2]), int(words[3])) if len(words) == 4 else (0, 0)
    session.set_cell(session.state.setup.board.parse(words[0]), words[1], owner, height)


def run_line(session: Session, line: str) -> str:
    """Carry out one typed line and give the answer to show; what cannot be done is answered, never raised."""
    words = line.split()
    if not words:
        return ""
    verb, rest, setup = words[0].lower(), words[1:], session.state.setup
    verbs: dict[str, Callable[[], None]] = {
        "pass": session.pass_turn,
        "enter": lambda: session.enter(" ".join(rest)),
        "back": lambda: session.take_back(_number(rest, 1)),
        "accept": lambda: session.accept(_number(rest, 1) - 1),
        "irregular": session.accept_irregular,
        "resign": lambda: session.resign(player_number(setup, rest[0]) if rest else session.state.player),
        "agree": lambda: session.agree(0 if rest[:1] in ([], ["draw"]) else player_number(setup, rest[0])),
        "set": lambda: _set_cell(session, rest),
        "under-way": lambda: session.take_up(player_number(setup, rest[0] if rest else "")),
        "pause": session.pause,
        "go": session.go_on,
    }
    if verb not in verbs:
        return HELP if verb == "help" else f"'{verb}' is not known: {HELP}"
    try:
        verbs[verb]()
    except EngineError as error:
        return str(error)
    return f"done: {line.strip()}"


class Typing:
    """Reads the keyboard in a thread while the terminal is drawn, and carries out what was typed. A context manager.

    `line` is what stands in the input line: what is being typed, or the last answer. Does nothing where standard
    input is no terminal, or where the system has no terminal modes.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.line = ""
        self._typed = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keyboard", daemon=True)
        self._restore: Callable[[], None] = lambda: None

    def __enter__(self) -> "Typing":
        try:
            import termios
            import tty
        except ImportError:
            return self
        if sys.stdin.isatty():
            number = sys.stdin.fileno()
            before = termios.tcgetattr(number)
            tty.setcbreak(number)
            self._restore = lambda: termios.tcsetattr(number, termios.TCSADRAIN, before)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(1.0)
        self._restore()

    def _run(self) -> None:
        while not self._stop.is_set():
            if select.select([sys.stdin], [], [], 0.2)[0]:
                self._key(sys.stdin.read(1))

    def _key(self, key: str) -> None:
        """One key: a character, backspace, or the end of the line."""
        if key in "\r\n":
            self.line, self._typed = run_line(self.session, self._typed), ""
            return
        self._typed = self._typed[:-1] if key in "\x7f\b" else self._typed + key
        self.line = self._typed
