"""The journal: what is on disk after a crash at any moment, foreign and damaged files, evidence pictures."""

import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from companion.errors import InputError
from companion.game.events import Event
from companion.game.journal import Journal
from companion.game.session import Session, Setup
from engine.board import hexhex
from engine.game import load_game, play_turn

#: Plays turns as fast as it can and says each one after the session has returned from it.
_PLAYER = """
    import random, sys
    from pathlib import Path
    from companion.game.journal import Journal
    from companion.game.session import Session, Setup
    from engine.board import hexhex

    journal = Journal(Path(sys.argv[1]))
    session = Session.resume(journal) if journal.games() else Session(Setup(hexhex(4)), journal)
    rng = random.Random(int(sys.argv[2]))
    if not session.state.history:
        for text in ("a3,a3,b2", "g6,g6,f4"):
            session.enter(text)
    print("ready", flush=True)
    while True:
        if session.state.outcome or (len(session.state.history) > 6 and rng.random() < 0.15):
            session.take_back(rng.randint(1, 3))
        else:
            texts = [t for t in session.state.position.legal_texts() if t != "pass"]
            session.enter(rng.choice(texts) if texts else "pass")
        print(len(session.events()), " ".join(ply.text for ply in session.state.history), flush=True)
"""


def _play_until_killed(journal: Path, seed: int) -> tuple[int, list[str]]:
    """Play for a random moment, kill without warning; gives the number of events and the plies last announced."""
    rng = random.Random(seed)
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_PLAYER), str(journal), str(seed)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    last = process.stdout.readline()
    for _ in range(rng.randint(1, 25)):
        last = process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    rest = [line for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    process.wait()
    count, *plies = (rest[-1] if rest else last).split()
    return int(count), plies


def test_killed_at_random_moments_no_ply_is_lost_and_none_doubled(tmp_path: Path) -> None:
    """Killed and resumed again and again: what was announced is there, at most one ply more, all of it legal."""
    path = tmp_path / "journal.db"
    for seed in range(12):
        announced, plies = _play_until_killed(path, seed)
        with Journal(path) as journal:
            events = journal.events(journal.last_game().game)
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            assert len(events) >= announced
            position = load_game("storisende").start(hexhex(4))
            history = Session.resume(journal).state.history
            for ply in history:
                position = play_turn(position, ply.text)
            if len(events) == announced:
                assert [ply.text for ply in history] == plies


def test_a_resumed_game_is_the_same_game(tmp_path: Path) -> None:
    """Position, moves, rulings, reminders and the declared end."""
    with Journal(tmp_path / "journal.db") as journal:
        session = Session(Setup(hexhex(4), ("red", "white"), ("Anna", "")), journal)
        for text in ("a3,a3,b2", "g6,g6,f4", "a3-a5", "g6-g4"):
            session.enter(text)
        session.set_cell(0, "wall", 0, 0)
        session.take_back(2)
        session.resign(2)
        again = Session.resume(journal)
        assert again.state.position == session.state.position
        assert again.state.history == session.state.history
        assert again.state.outcome == session.state.outcome
        assert again.setup == session.setup
        assert again.events() == session.events()


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    """Two events, the second without the number of its frame: neither is kept, and the journal says why."""
    with Journal(tmp_path / "journal.db") as journal:
        game = journal.new_game("", "2026-01-01T00:00:00Z")
        journal.append(game, [Event(1, "found", 0.0, 0)])
        with pytest.raises(InputError, match="cannot be written"):
            journal.append(game, [Event(2, "bump", 0.1, 1), Event(3, "found", 0.1, None)])
        assert [event.seq for event in journal.events(game)] == [1]


def test_every_commit_is_synchronised(tmp_path: Path) -> None:
    """Write-ahead log, full synchronisation: a power cut loses nothing that was announced."""
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert journal._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"not a database, by far not one " * 40, "not a journal"), (b"SQLite format 3\0" + b"\0" * 9, "not a journal")],
)
def test_a_file_that_is_no_journal(tmp_path: Path, content: bytes, complaint: str) -> None:
    """One clear line, and the file is left as it was."""
    path = tmp_path / "notes.db"
    path.write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        Journal(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program(tmp_path: Path) -> None:
    """Not ours: not touched."""
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()
    other.close()
    with pytest.raises(InputError, match="another program"):
        Journal(path)


def test_a_missing_folder(tmp_path: Path) -> None:
    """Says which folder."""
    with pytest.raises(InputError, match="no folder"):
        Journal(tmp_path / "nowhere" / "journal.db")


def test_pictures_have_a_limit(tmp_path: Path) -> None:
    """The oldest of a game go; other games keep theirs; a deleted game takes its own with it."""
    with Journal(tmp_path / "journal.db") as journal:
        first, second = (journal.new_game("", "2026-01-01T00:00:00Z") for _ in range(2))
        journal.keep_picture(first, 0, b"x" * 100, limit_bytes=250)
        for ply in range(5):
            journal.keep_picture(second, ply, b"y" * 100, limit_bytes=250)
        assert [journal.picture(second, ply) is not None for ply in range(5)] == [False, False, False, True, True]
        assert journal.picture(first, 0) == b"x" * 100
        journal.delete(first)
        assert journal.picture(first, 0) is None
        with pytest.raises(InputError, match=f"no game {first}; known are {second}"):
            journal.row(first)
