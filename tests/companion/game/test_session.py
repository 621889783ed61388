"""The session: a simulated game watched through it, what subscribers get, and every correction by a person."""

import json
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.commands.games import command as games
from companion.game.events import KINDS, Event
from companion.game.journal import Journal
from companion.game.session import Session, Setup
from companion.game.state import find_lifted
from engine.board import hexhex
from engine.errors import EngineError
from engine.game import load_game, play_turn
from engine.look import CellLook, Reading, Surface, certain
from engine.records.json_format import read_json, write_json
from engine.records.record import replay
from tests.engine.referee.simulated_table import MESSY, Habits, Moment, Noise, Table, played_opening

BOARD = hexhex(4)
GAME = load_game("storisende")
COLOURS = ("red", "white")
OPENING = ("b3,d2,d2", "d6,d6,f4")


def opened(*turns: str, journal: Journal | None = None) -> Session:
    """A session with these turns entered."""
    session = Session(Setup(BOARD, COLOURS), journal)
    for text in (*OPENING, *turns):
        session.enter(text)
    return session


def see(session: Session, looks: list[CellLook], t_s: float, seconds: float = 0.5) -> tuple[Event, ...]:
    """Let the session see these looks from a moment on, after a hand."""
    events = session.moving(t_s - 0.1, round(12 * t_s) - 1)
    for i in range(round(12 * seconds)):
        at = t_s + i / 12
        events += session.still(Reading(at, round(12 * at), tuple(map(certain, looks))), lambda: b"jpeg")
    return events


def changed(session: Session, **cells: tuple[Surface, int, int]) -> list[CellLook]:
    """The board as it should lie, with other looks of some cells."""
    looks = list(session.state.expected)
    for name, look in cells.items():
        looks[BOARD.by_name[name]] = CellLook(*look)
    return looks


def watch(session: Session, moments: list[Moment]) -> None:
    """Hand a stream to the session."""
    for moment in moments:
        if moment.reading is None:
            session.moving(moment.t_s, moment.frame)
        else:
            session.still(moment.reading)
    session.finish(moments[-1].t_s, moments[-1].frame)


@pytest.mark.parametrize("disturb", ["bumped", "lost", "pause"])
def test_whatever_disturbs_a_finished_placement_begins_the_game(disturb: str) -> None:
    """A bump, a camera that fails and a pause do as a hand does: what stood there is said, recorded and played on."""
    session = Session(Setup(BOARD, COLOURS))
    placed = list(opened().state.expected)
    session.still(Reading(0.0, 0, tuple(map(certain, placed))))
    if disturb == "bumped":
        told = session.bumped(1.0, 12)
    elif disturb == "lost":
        told = session.lost(1.0, 12, "the camera is unplugged")
    else:
        session.pause()
        session.go_on()
        told = tuple(session.events())
    assert told[0].kind == "start"
    assert told[0].fields["placements"] == list(OPENING)
    moved = list(placed)
    moved[BOARD.by_name["b3"]] = CellLook(Surface.BARE)
    moved[BOARD.by_name["c3"]] = CellLook(Surface.BEIGE, 1, 1)
    see(session, moved, 2.0)
    session.finish(4.0, 48)
    assert [turn.text for turn in session.record().turns] == [*OPENING, "b3-c3"]


def test_the_newest_reason_is_shown_for_a_board_that_is_out_of_sight() -> None:
    """It is one event, however often the reason changes, and none once the board is back."""
    session = Session(Setup(BOARD, COLOURS))
    session.found(0.0, 0)
    assert [event.kind for event in session.lost(1.0, 12, "unplugged")] == ["lost"]
    assert session.lost(9.0, 20, "no board in the picture") == ()
    assert session.state.lost == "no board in the picture"
    session.found(10.0, 32)
    assert session.state.lost == ""
    assert [event.kind for event in session.lost(11.0, 44, "unplugged")] == ["lost"]


# -- a whole game ------------------------------------------------------------------------------------------------------


def test_a_simulated_game_is_watched_from_placement_to_record(tmp_path: Path) -> None:
    """The record is exact and replays; the events are those of the contract; the journal holds the same."""
    opening = GAME.start(BOARD)
    for text in OPENING:
        opening = play_turn(opening, text)
    table = Table(GAME, opening, 5, Noise(), Habits(hover=0.12, forgotten_disk=0.12, illegal=0.08))
    with Journal(tmp_path / "journal.db") as journal:
        session = Session(Setup(BOARD, COLOURS, ("Anna", "Ben")), journal)
        heard: list[Event] = []
        session.on_event(heard.append)
        watch(session, list(table.play(30)))
        record = session.record()
        assert [turn.text for turn in record.turns] == [*OPENING, *table.truth.turns]
        assert read_json(write_json(record, "2026-01-01T00:00:00Z"), "x").turns == record.turns
        assert list(replay(record))[-1].position.look() == session.state.expected
        assert tuple(heard) == session.events() == journal.events(journal.last_game().game)
    moves = [e for e in heard if e.kind == "move"]
    assert [e.fields["move"] for e in moves] == table.truth.turns
    assert [e.fields["ply"] for e in moves] == list(range(3, 3 + len(moves)))
    for event in heard:
        assert set(event.as_dict()) <= {"kind", "t", "frame", *KINDS[event.kind], "score"}
        assert json.loads(event.json())["kind"] == event.kind
    assert [heard[0].kind, heard[-1].kind] == ["start", "end"]
    assert sum(e.kind == "illegal" for e in heard) == len(table.truth.illegal)


def test_messy_people_are_followed_to_the_end() -> None:
    """Take-backs, silent passes and covered moves as well: the referee is never lost, whatever it calls the plies."""
    opening = played_opening(GAME, BOARD, 3)
    table = Table(GAME, opening, 3, Noise(), MESSY)
    session = Session(Setup(BOARD, COLOURS))
    moments = list(table.play(12))
    watch(session, moments)
    assert session.state.history
    assert session.state.outcome is not None or session.state.table == session.state.expected


# -- subscribers -------------------------------------------------------------------------------------------------------


def test_a_subscriber_gets_the_newest_state_and_every_event() -> None:
    """However slow it is: the state once, the events all; then nothing until something happens."""
    session = opened("b3-b4")
    subscription = session.subscribe()
    news = subscription.wait(0)
    assert news is not None
    state, events = news
    assert state is session.state
    assert [event.seq for event in events] == [1, 2, 3, 4]
    assert subscription.wait(0) is None
    session.enter("f4-f5")
    session.enter("b4-b5")
    state, events = subscription.wait(0) or pytest.fail("no news")
    assert (len(state.history), [event.fields["move"] for event in events]) == (5, ["f4-f5", "b4-b5"])


def test_a_subscriber_may_begin_after_an_event() -> None:
    """A page that reconnects gets what it has missed."""
    session = opened("b3-b4", "f4-f5")
    _, events = session.subscribe(after_seq=4).wait(0) or pytest.fail("no news")
    assert [event.fields["move"] for event in events] == ["f4-f5"]


def test_a_subscriber_that_never_listens_delays_nobody() -> None:
    """And one that waits in another thread is woken by the end."""
    session = opened()
    session.subscribe()
    waiting = session.subscribe()
    waiting.wait(0)
    heard: list[object] = []

    def listen() -> None:
        while (news := waiting.wait(10)) is not None:
            heard.append(news)

    thread = threading.Thread(target=listen)
    thread.start()
    session.enter("b3-b4")
    session.finish(1.0, 12)
    thread.join(10)
    assert not thread.is_alive()
    assert heard


# -- corrections -------------------------------------------------------------------------------------------------------


def test_an_illegal_move_may_be_allowed_to_stand() -> None:
    """Recorded as irregular; the record still replays, and the other player moves next."""
    session = opened()
    see(session, changed(session, b3=(Surface.BEIGE, 0, 0), b6=(Surface.BEIGE, 1, 1)), 1.0, 2.5)
    assert session.state.alarm is not None
    session.accept_irregular()
    assert session.state.alarm is None
    last = session.state.history[-1]
    assert (last.how, last.text, session.state.player) == ("irregular", "!b3=virgin,b6=virgin+A1>2", 2)
    assert list(replay(session.record()))[-1].position.look() == session.state.expected
    see(session, changed(session, f4=(Surface.BARE, 0, 0), f5=(Surface.BEIGE, 2, 1)), 5.0)
    assert session.state.history[-1].text == "f4-f5"


def test_there_must_be_an_illegal_move_to_let_stand() -> None:
    """A plain sentence, and nothing happens."""
    session = opened()
    with pytest.raises(EngineError, match="no illegal move"):
        session.accept_irregular()
    assert len(session.state.history) == 2


def test_pausing_and_going_on_tells_the_differences() -> None:
    """What happens meanwhile does not count; then the table is compared with the game."""
    session = opened("b3-b4")
    session.pause()
    assert session.state.phase == "paused"
    moved = changed(session, f4=(Surface.BARE, 0, 0), f5=(Surface.BEIGE, 2, 1))
    assert not [e for e in see(session, moved, 1.0) if e.kind == "move"]
    session.go_on()
    events = see(session, moved, 3.0)
    resumed = next(e for e in events if e.kind == "resumed")
    assert [d["cell"] for d in resumed.fields["differences"]] == ["f4", "f5"]
    assert session.state.history[-1].text == "f4-f5"


def test_resignation_agreement_and_going_back() -> None:
    """People end a game anywhere, and may take that back."""
    session = opened("b3-b4")
    session.resign(1)
    assert (session.state.phase, session.state.outcome) == ("over", session.record().outcome)
    assert session.events()[-1].fields["winner"] == 2
    with pytest.raises(EngineError, match="the game is over"):
        session.enter("f4-f5")
    session.take_back(1)
    assert session.state.phase == "play"
    session.agree(0)
    assert session.events()[-1].as_dict()["reason"] == "agreement"


def test_two_passes_end_the_game_with_its_areas() -> None:
    """The end is an event with the score and the winner."""
    session = opened()
    session.pass_turn()
    session.pass_turn()
    kinds = [event.kind for event in session.events()]
    assert kinds[-3:] == ["pass", "pass", "end"]
    assert session.state.phase == "over"


def test_setting_a_cell_is_a_ruling_in_the_record() -> None:
    """The rules take it from there; the journal can replay it."""
    session = opened()
    session.set_cell(BOARD.by_name["a3"], "wall", 0, 0)
    assert session.state.position.tiles()[0] == ("wall", 0, 0)
    assert session.record().turns[-1].text == "!a3=wall>1"
    with pytest.raises(EngineError):
        session.set_cell(0, "swamp", 0, 0)


def test_a_wrong_entry_is_refused_with_the_rule() -> None:
    """The sentence comes from the rules, and the game is as before."""
    session = opened()
    before = session.state
    with pytest.raises(EngineError, match="b3-b6 moves 3 cells but the piece is 1 high"):
        session.enter("b3-b6")
    assert session.state is before


# -- what is shown -----------------------------------------------------------------------------------------------------


def test_a_lifted_piece_shows_its_targets_and_what_is_left_behind() -> None:
    """Every split of the lifted men; a whole stack leaves pasture behind."""
    session = opened()
    looks = changed(session, d2=(Surface.BEIGE, 0, 0))
    lifted = find_lifted(session.state.position, session.state.expected, Reading(0, 0, tuple(map(certain, looks))))
    assert lifted is not None
    assert (BOARD.names[lifted.cell], lifted.count) == ("d2", 2)
    leaves = {(BOARD.names[t.cell], t.count): t.leaves for t in lifted.targets}
    assert leaves[("d4", 2)] is Surface.BARE
    assert leaves[("d3", 1)] is Surface.BEIGE
    session.moving(1.0, 12, Reading(1.0, 12, tuple(map(certain, looks))))
    assert session.state.lifted == lifted
    see(session, list(session.state.expected), 2.0)
    assert session.state.lifted is None


def test_known_looks_are_given_only_when_they_are_sure() -> None:
    """Not while a turn is open."""
    session = opened()
    see(session, list(session.state.expected), 1.0)
    assert session.known_looks() == session.state.expected
    see(session, changed(session, d2=(Surface.BEIGE, 0, 0)), 2.0)
    assert session.known_looks() is None


def test_evidence_pictures_before_and_after_a_ply(tmp_path: Path) -> None:
    """The picture of the reading that showed it; none where nobody looked."""
    with Journal(tmp_path / "journal.db") as journal:
        session = opened(journal=journal)
        see(session, changed(session, b3=(Surface.BARE, 0, 0), b4=(Surface.BEIGE, 1, 1)), 1.0)
        assert session.state.history[-1].text == "b3-b4"
        assert session.evidence(3, "after") == b"jpeg" == session.evidence(4, "before")
        assert session.evidence(1, "before") is None


def test_the_game_goes_on_from_a_record() -> None:
    """Its turns are the first of the new game; the event `start` comes with the first reading."""
    first = opened("b3-b4")
    session = Session(Setup(BOARD, COLOURS, begin=first.record()))
    assert [ply.text for ply in session.state.history] == [*OPENING, "b3-b4"]
    events = see(session, changed(session, f4=(Surface.BARE, 0, 0), f5=(Surface.BEIGE, 2, 1)), 1.0)
    assert [event.kind for event in events] == ["start", "move"]
    assert [turn.text for turn in session.record().turns] == [*OPENING, "b3-b4", "f4-f5"]


# -- the command -------------------------------------------------------------------------------------------------------


def test_games_lists_shows_exports_and_deletes(tmp_path: Path) -> None:
    """What the journal holds, from the command line."""
    path, record, run = tmp_path / "journal.db", tmp_path / "game.json", CliRunner().invoke
    with Journal(path) as journal:
        session = opened("b3-b4", journal=journal)
        see(session, changed(session, f4=(Surface.BARE, 0, 0), f5=(Surface.BEIGE, 2, 1)), 1.0)
        session.finish(2.0, 24)
        agreed = opened("b3-b4", journal=journal)
        agreed.agree(0)
        agreed.finish(2.0, 24)
    first, second = run(games, ["list", str(path)]).output.splitlines()
    assert first.endswith("red – white  4 plies  not over")
    assert second.endswith("red – white  3 plies  finished")
    assert "b3-b4" in run(games, ["show", str(path), "1"]).output
    assert run(games, ["show", str(path), "1", "--events"]).output.count("\n") == 6
    pictures = tmp_path / "pictures"
    result = run(games, ["export", str(path), "1", "--record", str(record), "--pictures", str(pictures)])
    assert result.exit_code == 0, result.output
    assert [turn.text for turn in read_json(record.read_text(), "x").turns] == [*OPENING, "b3-b4", "f4-f5"]
    assert [picture.name for picture in pictures.iterdir()] == ["004.jpg"]
    assert run(games, ["delete", str(path), "1", "--yes"]).output == "deleted game 1\n"
    assert run(games, ["list", str(path)]).output == f"{second}\n"
