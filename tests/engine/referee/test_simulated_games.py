"""The simulated table: the same seed gives the same stream, and the referee follows games of every kind on it."""

import pytest

from engine.board import named_board
from engine.errors import EngineError
from engine.game import Position, load_game, play_turn
from tests.engine.referee.simulated_table import Habits, Noise, Table, canonical, played_opening, watch_table

GAMES = [("storisende", "hexhex-4"), ("castle", "hexhex-6"), ("phalanx", "hexhex-6"), ("hexteroyd", "hexhex-5")]


@pytest.mark.parametrize(("name", "board"), GAMES)
def test_the_referee_follows_games_of_every_kind(name: str, board: str) -> None:
    """Turns in several reaches of the hand, read without errors: the record is exact."""
    game = load_game(name)
    opening = played_opening(game, named_board(board), 1)
    seen = watch_table(game, opening, 1, Noise(0.0, 0.0), Habits(), 6)
    assert seen.recorded == seen.truth.turns
    assert len(seen.recorded) == 6


@pytest.mark.parametrize("seed", range(2))
def test_misread_cells_and_messy_people(seed: int) -> None:
    """2 % of the cells of every frame and 1 % of the plies misread, hovering, forgotten disks, illegal moves."""
    game = load_game("storisende")
    opening = played_opening(game, named_board("hexhex-4"), seed)
    habits = Habits(hover=0.12, forgotten_disk=0.12, illegal=0.08)
    seen = watch_table(game, opening, seed, Noise(0.02, 0.01), habits, 15)
    assert seen.recorded == seen.truth.turns
    assert seen.flagged == len(seen.truth.illegal)
    assert seen.false_alarms == 0


@pytest.mark.parametrize(
    ("name", "rules", "board"),
    [("storisende", "", "hexhex-4"), ("storisende", "ersatz", "hexhex-5"), ("hexteroyd", "", "hexhex-5")],
)
def test_disks_are_forgotten_and_the_game_goes_on(name: str, rules: str, board: str) -> None:
    """In games that are played with disks people really forget some, and the record is exact nevertheless."""
    game = load_game(name)
    opening = played_opening(game, named_board(board), 1, rules)
    seen = watch_table(game, opening, 1, Noise(0.0, 0.0), Habits(forgotten_disk=0.5), 20)
    assert len(seen.truth.forgotten) >= 2
    assert seen.recorded == seen.truth.turns
    assert seen.false_alarms == 0


@pytest.mark.parametrize(
    ("name", "rules", "board", "seed"),
    [
        ("storisende", "ersatz", "hexhex-5", 16),  # ends with passes that are forced
        ("phalanx", "", "hexhex-6", 10),  # a movement that ends where it passes through another's end
        ("phalanx", "", "hexhex-6", 35),  # a man that is not there for a whole ply
        ("hexteroyd", "", "hexhex-5", 17),  # a disk misread for one frame
        ("hexteroyd", "", "hexhex-5", 37),  # the last disk of several is still to be turned
    ],
)
def test_games_that_were_once_derailed(name: str, rules: str, board: str, seed: int) -> None:
    """At 2 % of the cells of every frame and 1 % of the plies misread, the whole record is right."""
    game = load_game(name)
    opening = played_opening(game, named_board(board), seed, rules)
    seen = watch_table(game, opening, seed, Noise(), Habits(), 40)
    assert seen.recorded == seen.truth.turns


@pytest.mark.parametrize(
    ("name", "rules", "board", "seed"),
    [
        ("storisende", "", "hexhex-5", 4),  # a misread disk while the first side alone is placed
        ("storisende", "", "hexhex-5", 8),  # the first move leaves men, and so the disk, behind
        ("storisende", "ersatz", "hexhex-5", 5),  # the first move, its disk taken off a reach of the hand later
        ("castle", "", "hexhex-6", 1),
        ("castle", "", "hexhex-6", 32),  # a man misread while another was set
        ("hexteroyd", "", "hexhex-5", 1),
    ],
)
def test_games_from_the_empty_board_on(name: str, rules: str, board: str, seed: int) -> None:
    """The first move follows the placement within a second or two: nobody says that it has begun."""
    game = load_game(name)
    empty = game.start(named_board(board), rules)
    seen = watch_table(game, empty, seed, Noise(), Habits(), 12)
    assert canonical(game, empty, seen.recorded) == canonical(game, empty, seen.truth.turns)
    assert seen.false_alarms == 0


@pytest.mark.parametrize(("rules", "seed"), [("ersatz", 14), ("", 3)])
def test_games_without_disks_from_the_empty_board_on(rules: str, seed: int) -> None:
    """Nothing but the first moves tells that the placement was finished, and against the rules some are, too."""
    game = load_game("storisende")
    empty = game.start(named_board("hexhex-5"), rules)
    habits = Habits(hover=0.12, illegal=0.08)
    seen = watch_table(game, empty, seed, Noise(0.02, 0.01), habits, 12, disks=False)
    assert canonical(game, empty, seen.recorded) == canonical(game, empty, seen.truth.turns)
    assert seen.false_alarms == 0


@pytest.mark.parametrize("disks", [True, False])
@pytest.mark.parametrize(("rules", "share"), [("", 0.1), ("ersatz", 0.2)])
def test_stacks_that_are_misread_when_they_are_placed(rules: str, share: float, disks: bool) -> None:
    """Such a share of stacks is taken for a man higher or lower for as long as they stand where they were placed: the
    first moves tell. Of what never moves nobody can, so two may be wrong; none is unrecorded, no alarm is false."""
    game, right = load_game("storisende"), 0
    for seed in range(12):
        opening = game.start(named_board("hexhex-4"), rules)
        seen = watch_table(game, opening, seed, Noise(0.0, 0.0, placed=share), Habits(), 16, disks=disks)
        right += seen.recorded == seen.truth.turns
        assert seen.false_alarms == 0
        assert seen.recorded
    assert right >= 10


def test_a_seed_is_a_stream() -> None:
    """Twice the same, and another seed another one."""
    game = load_game("storisende")
    opening = played_opening(game, named_board("hexhex-4"), 0)

    def stream(seed: int) -> list[object]:
        return list(Table(game, opening, seed).play(4))

    assert stream(1) == stream(1)
    assert stream(1) != stream(2)


def test_what_was_played_is_legal() -> None:
    """The simulator keeps to the rules itself."""
    game = load_game("phalanx")
    opening = played_opening(game, named_board("hexhex-6"), 2)
    table = Table(game, opening, 2, Noise(0.0, 0.0))
    list(table.play(6))
    position = opening
    for text in table.truth.turns:
        position = play_turn(position, text)
    assert position.look() == table.position.look() == tuple(table.looks)


def test_the_order_of_independent_actions_does_not_matter() -> None:
    """Growth in another order is the same turn; the order of a placement and its capture is not touched."""
    game = load_game("phalanx")
    opening = played_opening(game, named_board("hexhex-6"), 2)
    grown = [str(a) for a in opening.actions() if str(a).startswith("+")]
    both = next(
        f"{b},{a}"
        for a in grown
        for b in grown
        if a < b and _legal(opening, f"{a},{b}") and _legal(opening, f"{b},{a}")
    )
    assert canonical(game, opening, [both]) == [",".join(sorted(both.split(",")))]


def _legal(position: Position, text: str) -> bool:
    try:
        play_turn(position, text)
    except EngineError:
        return False
    return True
