"""Games on boards without disks: men alone show them, terrain is what the rules make it, no word is of disks."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from companion.game.events import Event
from companion.game.session import Session, Setup
from engine.board import Board, hexhex, named_board
from engine.errors import EngineError
from engine.game import load_game, play_turn
from engine.look import SURFACES, CellLook, CellReading, Reading, Surface, certain
from tests.companion.test_watch import run
from tests.engine.referee.simulated_table import Habits, Moment, Noise, Table, canonical
from tests.games.recorded import recorded_games

FILM = Path(__file__).parent / "films" / "without_disks.mp4"
BOARD = hexhex(4)
OPENING = ("b3,d2,d2", "d6,d6,f4")


def bare(reading: Reading) -> Reading:
    """A reading as the eye gives it of a board without disks: surely bare, wherever it sees a cell."""
    surface = tuple(0.0 if s is Surface.BARE else -9.0 for s in SURFACES)
    cells = tuple(cell if cell.unseen else CellReading(surface, cell.men) for cell in reading.cells)
    return Reading(reading.t_s, reading.frame, cells)


def followed(session: Session, moments: list[Moment]) -> list[Event]:
    """The events of a stream that shows no disks."""
    heard: list[Event] = []
    session.on_event(heard.append)
    for moment in moments:
        if moment.reading is None:
            session.moving(moment.t_s, moment.frame)
        else:
            session.still(bare(moment.reading))
    session.finish(moments[-1].t_s, moments[-1].frame)
    return heard


def begun(board: Board = BOARD, game: str = "storisende", placements: Sequence[str] = OPENING) -> Session:
    """A session without disks, whose placements are entered."""
    session = Session(Setup(board, ("red", "white"), game=game, disks=None))
    for text in placements:
        session.enter(text)
    return session


@pytest.mark.parametrize("seed", range(6))
def test_a_game_is_recorded_by_its_men_alone(seed: int) -> None:
    """Men left over where they went on, illegal moves, moves put back: the record is exact, no word is of disks."""
    game = load_game("storisende")
    opening = game.start(BOARD)
    for text in OPENING:
        opening = play_turn(opening, text)
    table = Table(game, opening, seed, Noise(stuck=0), Habits(hover=0.12, illegal=0.1, take_back=0.08))
    session = begun()
    heard = followed(session, list(table.play(16)))
    assert canonical(game, opening, [turn.text for turn in session.record().turns[2:]]) == table.truth.turns
    assert sum(event.kind == "illegal" for event in heard) == len(table.truth.illegal)
    assert not [event for event in heard if "disk" in event.json()]


@pytest.mark.parametrize("seed", range(3))
def test_phalanx_needs_no_disks_either(seed: int) -> None:
    """The men of a group that turned into the wall are gone; where it lies the rules know."""
    game, recorded, placements = load_game("phalanx"), recorded_games("phalanx")[seed], list[str]()
    opening = game.start(named_board(recorded["board"]))
    for line in recorded["positions"]:
        if opening.stage != "placement":
            break
        placements.append(line["move"])
        opening = play_turn(opening, line["move"])
    table = Table(game, opening, seed, Noise(stuck=0), Habits(hover=0.12))
    session = begun(opening.board, "phalanx", placements)
    followed(session, list(table.play(16)))
    turns = [turn.text for turn in session.record().turns[len(placements) :]]
    assert canonical(game, opening, turns) == table.truth.turns


def test_what_disks_look_like_teaches_the_eye_nothing() -> None:
    """What surely lies on the table for the eye is bare below its men; a board with disks keeps them."""
    session = begun()
    known = session.known_looks()
    assert known is not None
    assert {look.surface for look in known} == {Surface.BARE}
    assert [(look.men, look.height) for look in known] == [(x.men, x.height) for x in session.state.expected]
    with_disks = Session(Setup(BOARD, ("red", "white")))
    for text in OPENING:
        with_disks.enter(text)
    assert with_disks.known_looks() == with_disks.state.expected


def test_going_on_compares_the_men_alone() -> None:
    """After a pause only cells with other men are told, not all that have no disk."""
    session = begun()
    session.pause()
    looks = [CellLook(Surface.BARE, look.men, look.height) for look in session.state.expected]
    b3, b4 = BOARD.by_name["b3"], BOARD.by_name["b4"]
    looks[b3], looks[b4] = CellLook(Surface.BARE), looks[b3]
    session.still(Reading(1.0, 12, tuple(map(certain, looks))))
    table = session.state.table
    assert (table[b3].men, table[b4].men) == (0, 1)
    assert [look.surface for look in table] == [look.surface for look in session.state.expected]
    session.go_on()
    events = session.still(Reading(2.0, 24, tuple(map(certain, looks))))
    resumed = next(event for event in events if event.kind == "resumed")
    assert [difference["cell"] for difference in resumed.fields["differences"]] == ["b3", "b4"]


def test_a_game_whose_pieces_are_disks_needs_them() -> None:
    """Hexteroyd on a board without disks is refused in one line."""
    with pytest.raises(EngineError, match="the pieces of Hexteroyd are disks"):
        Session(Setup(hexhex(5), game="hexteroyd", disks=None))


def test_a_film_of_a_board_without_disks_is_followed(tmp_path: Path) -> None:
    """A rendered game: an illegal move that is put back, a knock at the camera, three moves, all told at once."""
    words = ["--board", "hexhex-4", "--men", "yellow,blue", "--disks", "none", "--headless"]
    done = run("watch", str(FILM), *words, "--record", "game.json", "--events", "events.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [event["move"] for event in events if event["kind"] == "move"] == ["c4-c2", "d4-b5", "c7-a6"]
    kinds = [event["kind"] for event in events]
    assert kinds == ["found", "start", "illegal", "put-right", "move", "move", "bump", "move", "end"]
    assert next(e for e in events if e["kind"] == "illegal")["repair"] == [
        "set two yellow men on c4",
        "take the yellow stack off g3",
    ]
