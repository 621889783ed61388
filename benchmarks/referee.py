"""Plies right per 10,000 on the simulated table, at several noise levels, and how long the referee thinks.

A ply is right when it stands at its place in the record: the longest common subsequence of what was played and what
was recorded, so that one slip does not count against everything after it. A game is derailed when its last five plies
are wrong. Run: python -m benchmarks.referee [games a level]
"""

import statistics
import sys
import time
from dataclasses import dataclass, field

from companion.simulator import Habits, Noise, played_opening, watch_table
from engine.board import named_board
from engine.game import load_game

#: What is measured: name → how the eye errs and what people do.
LEVELS = {
    "no noise": (Noise(0.0, 0.0), Habits()),
    "1 % of cells a frame": (Noise(0.01, 0.0), Habits()),
    "2 % of cells a frame, 1 % of plies": (Noise(0.02, 0.01), Habits()),
    "4 % of cells a frame, 2 % of plies": (Noise(0.04, 0.02), Habits()),
    "2 % a frame, 1 % of cells a whole ply": (Noise(0.02, 0.0, stuck_cells=0.01), Habits()),
    "2 %, 1 %, and messy people": (Noise(0.02, 0.01), Habits(hover=0.12, forgotten_disk=0.12, illegal=0.08)),
}
_PLIES = 40


@dataclass(slots=True)
class Tally:
    """What came of the games of one level."""

    plies: int = 0
    right: int = 0
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
            f"{name:40s} {rate:8.1f} right of 10,000 ({self.plies} plies), {self.derailed} derailed, "
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


def measure(game: str, board: str, noise: Noise, habits: Habits, games: int) -> Tally:
    """Watch so many seeded games."""
    tally = Tally()
    loaded = load_game(game)
    for seed in range(games):
        opening = played_opening(loaded, named_board(board), seed)
        seen = watch_table(loaded, opening, seed, noise, habits, _PLIES, clock=time.perf_counter)
        right = common(seen.truth.turns, seen.recorded)
        tally.plies += len(seen.truth.turns)
        tally.right += right - max(0, len(seen.recorded) - len(seen.truth.turns))
        tally.derailed += seen.recorded[-5:] != seen.truth.turns[-5:]
        tally.slips += len(seen.truth.illegal)
        tally.flagged += seen.flagged
        tally.false_alarms += seen.false_alarms
        tally.lags_s += seen.lags_s
        tally.thought_ms += [s * 1000 for s in seen.thought_s]
    return tally


def main() -> None:
    """Print a line for every level, then one for every other game."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for name, (noise, habits) in LEVELS.items():
        print(measure("storisende", "hexhex-5", noise, habits, games).line(name), flush=True)
    for game, board in (("castle", "hexhex-6"), ("phalanx", "hexhex-6"), ("hexteroyd", "hexhex-5")):
        print(measure(game, board, Noise(), Habits(), max(1, games // 2)).line(f"{game}, 2 % and 1 %"), flush=True)


if __name__ == "__main__":
    main()
