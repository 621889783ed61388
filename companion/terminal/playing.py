"""A game in the terminal: two people at one keyboard, or one against the built-in opponent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from rich.console import Console

from companion.errors import InputError
from companion.options import read_material
from companion.record_files import now_text, save_record
from companion.terminal.board import RGB, board_text, ground_of
from engine.board import Board
from engine.errors import EngineError, NotationError
from engine.game import Game, Outcome, Position, load_game, play_turn
from engine.opponent import choose_turn
from engine.records.record import Player, Record, Turn, start_position

HELP = "a turn such as a5-c4 or pass · moves · back · resign · draw · save FILE.json|FILE.txt · quit"


def new_record(board: Board, game: str, rules: str, options: Sequence[str], names: str, men: str) -> Record:
    """The empty record of a game about to begin; `names` and `men` are two words each with a comma between.

    Raises `InputError` or `ColourError` for texts that are no such words.
    """
    chosen = []
    for text in options:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--option takes NAME=VALUE, not '{text}'")
        chosen.append((name.strip(), value.strip()))
    people = [" ".join(name.split()) for name in names.split(",")]
    colours = read_material(men, "none").men
    if len(people) != 2 or not all(people):
        raise InputError(f"--names takes two names, first player first; got '{names}'")
    first, second = (Player(name, colour.word) for name, colour in zip(people, colours, strict=True))
    return Record(board, game, rules, tuple(chosen), (first, second), site="a terminal")


class TerminalGame:
    """The game so far, and what typed lines do to it."""

    def __init__(
        self, record: Record, machine: int, random: Random, men_rgb: Mapping[int, RGB], console: Console | None = None
    ) -> None:
        """`machine`: the player (1 or 2) that the built-in opponent is, 0 for nobody."""
        self.record = replace(record, started=record.started or now_text())
        self.machine, self.random, self.men_rgb = machine, random, men_rgb
        self.console = console or Console()
        self.game: Game = load_game(record.game)
        self.positions: list[Position] = [start_position(record)]
        self.declared: Outcome | None = None
        self.left = False

    @property
    def position(self) -> Position:
        """The position as it stands."""
        return self.positions[-1]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by the rules or because somebody said so."""
        return self.declared or self.position.outcome

    def enter(self, text: str) -> None:
        """Play a turn. Raises `NotationError` or `IllegalActionError`."""
        after = play_turn(self.position, text)
        self.positions.append(after)
        self.record = self.record.with_turn(Turn(text))

    def take_back(self) -> None:
        """Undo the last turn, with the opponent's answer to it. Raises `NotationError` at the start."""
        turns = 2 if self.machine else 1
        if len(self.positions) <= turns:
            raise NotationError("there is nothing to take back")
        del self.positions[-turns:]
        self.record = replace(self.record, turns=self.record.turns[:-turns])

    def record_now(self) -> Record:
        """The record as it stands."""
        return replace(self.record, ended=now_text(), outcome=self.outcome, score=self.position.score())

    def answer(self, line: str) -> None:
        """Carry out one typed line. Raises `EngineError` or `InputError` for what cannot be done."""
        verb, _, rest = line.strip().partition(" ")
        other = 3 - self.position.player
        verbs: dict[str, Callable[[], object]] = {
            "": lambda: None,
            "help": lambda: self.console.print(HELP),
            "moves": lambda: self.console.print(" ".join(self.position.legal_texts()), highlight=False),
            "back": self.take_back,
            "resign": lambda: setattr(self, "declared", Outcome("resignation", other)),
            "draw": lambda: setattr(self, "declared", Outcome("agreement", 0)),
            "save": lambda: save_record(self.record_now(), Path(rest.strip())),
            "quit": lambda: setattr(self, "left", True),
        }
        verbs.get(verb, lambda: self.enter("".join(line.split())))()

    def show(self) -> None:
        """Print the board, the score and whose turn it is."""
        first, second = self.position.score()
        last = self.record.turns[-1].text if self.record.turns else ""
        self.console.print()
        ground = ground_of(self.position.tiles())
        self.console.print(board_text(self.record.board, self.position.look(), self.men_rgb, ground=ground))
        self.console.print(f"{self.record.players[0].name} {first} – {second} {self.record.players[1].name}   {last}")

    def run(self, read_line: Callable[[str], str | None]) -> None:
        """Play until the game ends or `read_line` has no more lines; it is given the prompt."""
        self.console.print(f"{self.game.title} on {self.record.board.name}. {HELP}")
        while self.outcome is None and not self.left:
            if self.position.player == self.machine:
                self.enter(self.game.format_turn(choose_turn(self.position, self.random)))
                continue
            self.show()
            line = read_line(f"{self.record.players[self.position.player - 1].name}> ")
            if line is None:
                return
            try:
                self.answer(line)
            except (EngineError, InputError) as error:
                self.console.print(str(error), highlight=False)
        if self.outcome is not None:
            self.show()
            winner = self.outcome.winner
            who = f"{self.record.players[winner - 1].name} wins" if winner else "drawn"
            self.console.print(f"{who} ({self.outcome.end})")
