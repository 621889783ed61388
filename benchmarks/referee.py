"""Plies right per 10,000 on the simulated table, at several noise levels, and how long the referee thinks.

A ply is right when it stands at its place in the record: the longest common subsequence of what was played and what
was recorded, so that one slip does not count against everything after it. A game is derailed when its last five plies
are wrong. At the end the referee looks at tables that make no sense: swept, misread all over, many plies on or back.

Run: python -m benchmarks.referee [games a level] [judged]; `judged`: only the noise that the referee must bear.
"""

import random
import statistics
import sys
import time
from dataclasses import dataclass, field

from engine.board import named_board
from engine.game import Game, Position, load_game, play_turn
from engine.look import BoardLook, Reading, certain
from engine.referee.reconcile import Reconciler
from engine.referee.verdict import Ply
from tests.engine.referee.simulated_table import Habits, Noise, Table, played_opening, random_turn, watch_table

#: What is measured: name → how the eye errs and what people do.
LEVELS = {
    "no noise": (Noise(0.0, 0.0), Habits()),
    "1 % of cells a frame": (Noise(0.01, 0.0), Habits()),
    "2 % of cells a frame, 1 % of plies": (Noise(0.02, 0.01), Habits()),
    "4 % of cells a frame, 2 % of plies": (Noise(0.04, 0.02), Habits()),
    "2 % a frame, 1 % of cells a whole ply": (Noise(0.02, 0.0, stuck_cells=0.01), Habits()),
    "2 %, 1 %, and messy people": (Noise(0.02, 0.01), Habits(hover=0.12, forgotten_disk=0.12, illegal=0.08)),
}
_JUDGED = "2 % of cells a frame, 1 % of plies"
#: Every game and rule set, with a board.
GAMES = (
    ("storisende", "", "hexhex-5"),
    ("storisende", "ersatz", "hexhex-5"),
    ("castle", "", "hexhex-6"),
    ("phalanx", "", "hexhex-6"),
    ("hexteroyd", "", "hexhex-5"),
)
#: Those whose beginning can be seen from the empty board on; which side is chosen in Phalanx cannot.
FROM_EMPTY = tuple(game for game in GAMES if game[0] != "phalanx")
#: Those that use disks and can be followed without them.
WITHOUT_DISKS = tuple(game for game in GAMES if game[0] in ("storisende", "phalanx"))
#: One of twenty stacks is taken for a man higher or lower than it is, from when it is placed for as long as it stands.
_PLACED = Noise(0.02, 0.01, placed=0.05)
_PLIES = 40
_WARM, _LOOKS = 30, 20


@dataclass(slots=True)
class Tally:
    """What came of the games of one level."""

    plies: int = 0
    right: int = 0
    games: int = 0
    exact: int = 0
    derailed: int = 0
    slips: int = 0
    flagged: int = 0
    false_alarms: int = 0
    lags_s: list[float] = field(default_factory=list)
    thought_ms: list[float] = field(default_factory=list)

    def line(self, name: str) -> str:
        """The figures as one line."""
        rate = 10_000 * self.right / max(1, self.plies)
        lag = statistics.median(self.lags_s) if self.lags_s else 0.0
        return (
            f"{name:40s} {rate:8.1f} right of 10,000 ({self.plies} plies), "
            f"{self.exact} of {self.games} games exact, {self.derailed} derailed, "
            f"illegal flagged {self.flagged}/{self.slips}, false alarms {self.false_alarms}, "
            f"median {lag:.2f} s after the hand is gone, a reading {statistics.mean(self.thought_ms):.2f} ms "
            f"(slowest {max(self.thought_ms):.0f} ms)"
        )


def common(a: list[str], b: list[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], before + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def measure(
    game: str,
    rules: str,
    board: str,
    noise: Noise,
    habits: Habits,
    games: int,
    *,
    disks: bool = True,
    empty: bool = False,
) -> Tally:
    """Watch so many seeded games, on boards with disks or without, from the opening or from the `empty` board on."""
    tally = Tally()
    loaded = load_game(game)
    for seed in range(games):
        begin = named_board(board)
        opening = loaded.start(begin, rules) if empty else played_opening(loaded, begin, seed, rules)
        seen = watch_table(loaded, opening, seed, noise, habits, _PLIES, time.perf_counter, disks=disks)
        right = common(seen.truth.turns, seen.recorded)
        tally.plies += len(seen.truth.turns)
        tally.right += right - max(0, len(seen.recorded) - len(seen.truth.turns))
        tally.games += 1
        tally.exact += seen.recorded == seen.truth.turns
        tally.derailed += seen.recorded[-5:] != seen.truth.turns[-5:]
        tally.slips += len(seen.truth.illegal)
        tally.flagged += seen.flagged
        tally.false_alarms += seen.false_alarms
        tally.lags_s += seen.lags_s
        tally.thought_ms += [s * 1000 for s in seen.thought_s]
    return tally


def nonsense(position: Position, before: Position, rng: random.Random, table: Table) -> list[BoardLook]:
    """Tables that no few moves explain: some or all cells misread, men swept off, many plies back, some plies on."""
    looks = position.look()
    on = position
    for _ in range(3):
        on = _played(table.game, on, rng).after if on.outcome is None else on
    return [
        *(tuple(table.misread(k) if rng.random() < part else k for k in looks) for part in (0.05, 0.1, 0.4, 1.0)),
        tuple(type(look)(look.surface) for look in looks),
        before.look(),
        on.look(),
    ]


def _played(game: Game, position: Position, rng: random.Random) -> Ply:
    actions = random_turn(position, rng)
    text = game.format_turn(actions)
    return Ply(position.player, text, tuple(actions), play_turn(position, text))


def slowest_ms(name: str, rules: str, seed: int = 1) -> float:
    """The longest that the referee thinks about one reading of a table that makes no sense, on hexhex-6."""
    game, rng = load_game(name), random.Random(seed)
    position = played_opening(game, named_board("hexhex-6"), seed, rules)
    referee, table = Reconciler(game, position, ("red", "white")), Table(game, position, seed)
    plies = []
    while len(plies) < _WARM and referee.position.outcome is None:
        plies.append(_played(game, referee.position, rng))
        referee.put(plies[-1])
    slowest, frame = 0.0, 0
    for looks in nonsense(referee.position, plies[len(plies) // 3].after, rng, table):
        referee.moving(frame / 12, frame)
        for _ in range(_LOOKS):
            frame += 1
            cells = tuple(certain(table.misread(k) if rng.random() < 0.02 else k, 1e-3) for k in looks)
            began = time.perf_counter()
            referee.observe(Reading(frame / 12, frame, cells))
            slowest = max(slowest, time.perf_counter() - began)
    return slowest * 1000


def main() -> None:
    """Print a line for every level, one for every other game at the judged level, and the slowest readings."""
    games = next((int(word) for word in sys.argv[1:] if word.isdigit()), 5)
    judged = LEVELS[_JUDGED]
    if "judged" not in sys.argv:
        for name, (noise, habits) in LEVELS.items():
            print(measure("storisende", "", "hexhex-5", noise, habits, games).line(name), flush=True)
    for game, rules, board in GAMES:
        print(measure(game, rules, board, *judged, games).line(f"{game} {rules}, 2 % and 1 %"), flush=True)
    for game, rules, board in FROM_EMPTY:
        tally = measure(game, rules, board, *judged, games, empty=True)
        print(tally.line(f"{game} {rules}, from the empty board"), flush=True)
    for game, rules, board in WITHOUT_DISKS:
        tally = measure(game, rules, board, *judged, games, disks=False)
        print(tally.line(f"{game} {rules}, without disks"), flush=True)
    for game, rules, board in (each for each in WITHOUT_DISKS if each in FROM_EMPTY):
        tally = measure(game, rules, board, *judged, games, disks=False, empty=True)
        print(tally.line(f"{game} {rules}, without disks, from the empty board"), flush=True)
    for disks in (True, False):
        for game, rules, board in (each for each in WITHOUT_DISKS if each in FROM_EMPTY):
            tally = measure(game, rules, board, _PLACED, Habits(), games, disks=disks, empty=True)
            print(tally.line(f"{game} {rules}, stacks misread when placed{'' if disks else ', no disks'}"), flush=True)
    for game, rules, _ in GAMES:
        print(
            f"{game} {rules}: slowest reading of a table that makes no sense {slowest_ms(game, rules):.0f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
