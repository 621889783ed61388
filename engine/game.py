"""The `Game` protocol: what the referee, the records, the table and the lights need of any game.

A game is a value: a `Position` is immutable and hashable. A turn is a sequence of **actions**, so that a half-finished
turn on the table is an ordinary position. A new game is one file in `engine/games/` that defines `GAME`; it is found
by its file name.
"""

import importlib
import pkgutil
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import engine.games
from engine.board import Board
from engine.errors import EngineError
from engine.look import BoardLook, CellLook, Surface

#: How every game writes a turn without an action.
PASS = "pass"


class Action(Hashable, Protocol):
    """One step inside a turn; `str(action)` is its notation."""

    def __str__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: why and who won (0: drawn).

    Positions end by the rules (`passes`, `threefold`, `throne` …). People end a game anywhere by `resignation` or
    `agreement`: such an outcome belongs to the record, not to the position.
    """

    end: str
    winner: int

    def __post_init__(self) -> None:
        if self.winner not in (0, 1, 2):
            raise ValueError(f"winner is 0 (drawn), 1 or 2, not {self.winner}")


@dataclass(frozen=True, slots=True)
class Option:
    """A rule that the text leaves to the players: allowed values, the first being the default, and what it means."""

    values: tuple[str, ...]
    meaning: str


class Position(Hashable, Protocol):
    """A state of a game, possibly inside a turn. Equal positions have equal tables, players to move and turn states."""

    @property
    def board(self) -> Board: ...

    @property
    def player(self) -> int:
        """Who acts now: 1 or 2."""
        ...

    @property
    def stage(self) -> str:
        """`placement` before the play proper (also choosing sides), `play`, or `over`."""
        ...

    @property
    def turn(self) -> tuple[Action, ...]:
        """The actions already done in the turn that is under way; empty at its start."""
        ...

    @property
    def outcome(self) -> Outcome | None: ...

    def actions(self) -> Sequence[Action]:
        """Every action that is legal now, a pass included; none when the game is over."""
        ...

    def after(self, action: Action) -> "Position":
        """The position after an action; the turn ends by itself when nothing can follow in it.

        Raises `IllegalActionError` with a sentence that names the rule, the action and the place.
        """
        ...

    @property
    def may_end(self) -> bool:
        """Whether the turn under way may stop here (never at a turn's start: that is a pass)."""
        ...

    def end_turn(self) -> "Position":
        """The position with the turn handed over. Raises `IllegalActionError` where it may not end."""
        ...

    def score(self) -> tuple[int, int]: ...

    def tiles(self) -> tuple[tuple[str, int, int], ...]:
        """For every cell (tile, owner, height) in the words of the command-line contract."""
        ...

    def look(self) -> BoardLook:
        """How the position looks on a table."""
        ...

    def material(self, action: Action) -> Mapping[int, tuple[CellLook, ...]]:
        """The looks a cell goes through while people carry out an action: before, steps between, after.

        Only cells that change are in it. Any mixture of stages of these cells may lie on the table meanwhile.
        """
        ...

    def with_tiles(self, tiles: Sequence[tuple[str, int, int]], player: int) -> "Position":
        """The play of the same game with these tiles on the table and this player to move: a referee's ruling.

        What the table does not show (hands, prisoners) stays as it can; repetitions, passes and bans are forgotten.
        Raises `EngineError` for tiles that the game does not know.
        """
        ...

    def parse_turn(self, text: str) -> tuple[Action, ...]:
        """The actions of a whole turn written in the game's notation, each legal after the one before.

        Raises `NotationError` for a text that is no turn, `IllegalActionError` for one that a rule forbids.
        """
        ...

    def legal_texts(self) -> list[str]:
        """What `storisende replay` lists as legal, sorted by code point: whole turns (Phalanx: opening actions)."""
        ...

    def areas(self) -> Sequence[tuple[int, frozenset[int]]]:
        """The areas that made the score: (owner 1 or 2, or 0 for nobody; cell indices)."""
        ...


@runtime_checkable
class Game(Protocol):
    """A game with its rule sets and options."""

    name: str
    title: str
    rule_sets: tuple[str, ...]
    default_board: str
    options: Mapping[str, Option]
    needs_disks: bool
    tile_words: Mapping[Surface, str]  #: tiles by what the table shows; none where every cell has its own for good
    neutral_men: bool  #: whether men belong to nobody: the players' pieces are the two faces of disks

    def start(self, board: Board, rules: str = "", options: Mapping[str, str] | None = None) -> Position:
        """The first position. Raises `EngineError` for an unknown rule set or option, or an unfit board."""
        ...

    def format_turn(self, actions: Sequence[Action]) -> str:
        """A whole turn in the game's notation; the inverse of `Position.parse_turn`."""
        ...


@runtime_checkable
class Resumable(Protocol):
    """A game whose positions of play can be set up from what lies on the table: records that begin in the middle.

    A game whose state does not lie on the table (hands, prisoners) need not have this.
    """

    def from_tiles(
        self,
        board: Board,
        tiles: Sequence[tuple[str, int, int]],
        player: int,
        rules: str = "",
        options: Mapping[str, str] | None = None,
    ) -> Position:
        """The position of play with these tiles (as `Position.tiles` gives them) and this player to move.

        Raises `EngineError` for tiles that the game does not know.
        """
        ...


@runtime_checkable
class PlaysOn(Protocol):
    """A position whose end by repetition or passes people may overlook; records of such games replay to their end."""

    def played_on(self) -> Position:
        """The same table and player to move, not over, with the repetitions and passes forgotten."""
        ...


def tile_seen(game: Game, look: CellLook, own: str) -> tuple[str, int, int]:
    """What a cell that looks so is, as `Position.tiles` gives it; `own`: its tile where the surface does not tell."""
    return game.tile_words.get(look.surface, own), look.men, look.height


def game_names() -> list[str]:
    """The known games: the modules of `engine/games/` whose names do not begin with an underscore."""
    return sorted(m.name for m in pkgutil.iter_modules(engine.games.__path__) if not m.name.startswith("_"))


def load_game(name: str) -> Game:
    """The game of that name. Raises `EngineError` that lists the known ones."""
    if name not in game_names():
        raise EngineError(f"unknown game '{name}'; known are {', '.join(game_names())}")
    game = importlib.import_module(f"engine.games.{name}").GAME
    if not isinstance(game, Game):
        raise EngineError(f"engine/games/{name}.py does not define a game in GAME")
    return game


def forced_pass(position: Position) -> Action | None:
    """The pass, where the player to move in the play can do nothing else; None where there is a choice."""
    if position.stage != "play" or position.turn:
        return None
    actions = position.actions()
    return actions[0] if len(actions) == 1 and str(actions[0]) == PASS else None


def play_turn(position: Position, text: str) -> Position:
    """The position after a whole turn given as text. Raises `NotationError` or `IllegalActionError`."""
    player = position.player
    for action in position.parse_turn(text):
        position = position.after(action)
    if position.turn and position.player == player:
        position = position.end_turn()
    return position
