"""Record formats: the server's JSON and our own text give every record back, and refuse what is none."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Board, from_cells, from_modules, hexhex, named_board
from engine.errors import EngineError, RecordError
from engine.game import Outcome, load_game, play_turn
from engine.records.json_format import read_json, write_json
from engine.records.record import Player, Record, Start, Turn, replay
from engine.records.text_format import read_text, write_text
from tests.engine.records.gamerecord_rules import broken_rules
from tests.games.outside import outside_games

NOW = "2026-05-01T19:30:00Z"

BOARDS = (
    hexhex(4),
    hexhex(8),
    named_board("modular-13"),
    named_board("diamond-7"),
    from_modules([(0, 0), (3, -1)], "two modules"),
    from_cells([tuple(c) for c in hexhex(4).cells if tuple(c) != (0, 0)], "my lake"),
)

words = st.text("abc äß0-9.,:;!?'", max_size=12).map(lambda s: " ".join(s.split()))
comments = st.text("abc #@()%\n", max_size=30).map(
    lambda s: "\n".join(" ".join(li.split()) for li in s.split("\n")).strip()
)
notes = st.sampled_from(["", "inferred pass", "irregular", "corrected"])
times = st.none() | st.floats(0, 1e5).map(lambda t: round(t, 3))


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Legal games of a few turns with everything a record can hold."""
    board = draw(st.sampled_from(BOARDS))
    position = load_game("storisende").start(board)
    texts = []
    for _ in range(draw(st.integers(0, 6))):
        if position.stage == "placement":
            free = [n for n, tile in zip(board.names, position.tiles(), strict=True) if not tile[1]]
            texts.append(",".join(draw(st.permutations(free))[:3]))
        else:
            texts.append(draw(st.sampled_from([t for t in position.legal_texts() if t != "pass"])))
        position = play_turn(position, texts[-1])
    first, second = (
        Player(draw(words) or f"Player {seat}", draw(st.sampled_from(["", "red", "#00ff00"])), draw(words))
        for seat in (1, 2)
    )
    outcome = draw(st.none() | st.builds(Outcome, st.sampled_from(["resignation", "agreement"]), st.integers(0, 2)))
    return Record(
        board,
        "storisende",
        draw(st.sampled_from(["mindsports"])),
        draw(st.sampled_from([(), (("men", "2-5"),), (("second_placement", "any"), ("choice", "table"))])),
        (first, second),
        draw(st.sampled_from([None, ("birch", "walnut")])),
        draw(st.sampled_from(["", "grey"])),
        draw(st.sampled_from(["", "600+0", "300+2.5"])),
        draw(words) or "a table",
        NOW,
        NOW,
        None,
        draw(comments),
        tuple(Turn(text, draw(comments), draw(times), draw(notes)) for text in texts),
        outcome,
        draw(st.none() | st.tuples(st.integers(-9, 99), st.integers(-9, 99))),
    )


@given(record=records())
@settings(max_examples=60, deadline=None)
def test_the_json_gives_the_record_back_and_keeps_the_schemas_rules(record: Record) -> None:
    """Players, colours, times, notes, comments, options, layout, outcome and score."""
    text = write_json(record, NOW)
    assert broken_rules(json.loads(text)) == []
    assert read_json(text, "a record") == record


@given(record=records())
@settings(max_examples=60, deadline=None)
def test_the_text_gives_the_record_back(record: Record) -> None:
    """Everything that the record holds."""
    assert read_text(write_text(record), "a record") == record


def middle(board: Board) -> Record:
    """A record that begins in the middle."""
    position = load_game("storisende").start(board)
    for turn in ("d1,d1", "d7,d7", "d1-d3"):
        position = play_turn(position, turn)
    return Record(board, rules="mindsports", site="a table", started=NOW, ended=NOW, start=Start(position.tiles(), 2))


def test_a_start_in_the_middle_survives_both_formats() -> None:
    """Tiles and the player to move."""
    record = middle(hexhex(4)).with_turn(Turn("d7-d5"))
    assert read_json(write_json(record, NOW), "a record") == record
    assert read_text(write_text(record), "a record") == record
    data = json.loads(write_json(record, NOW))
    assert data["header"]["startingPosition"].endswith("; player 2") or "player 2" in data["header"]["startingPosition"]
    assert data["moves"] == [[None, "d7-d5"]], "player 2 moves first: the first seat is null"


def test_the_layout_of_modules_stands_in_the_starting_position() -> None:
    """Where the schema has room for it."""
    header = json.loads(write_json(Record(named_board("modular-3")), NOW))["header"]
    assert header["startingPosition"] == "modules 3,-1 0,0 1,2"


def server_record(variants: list[str], moves: list[list[object]], **header: object) -> str:
    """A record as the public server writes it."""
    players = [{"name": "a", "userid": "x1", "result": 1}, {"name": "b", "userid": "x2", "result": 0}]
    whole = {
        "game": {"name": "Storisende", "variants": variants},
        "site": {"name": "Abstract Play", "gameid": "17"},
        "date-start": NOW,
        "date-end": NOW,
        "date-generated": "2026-05-02T08:00:00.123Z",
        "players": players,
        **header,
    }
    return json.dumps({"header": whole, "moves": moves})


@pytest.mark.parametrize(
    ("variants", "board"),
    [([], "hexhex-5"), (["board-hex4"], "hexhex-4"), (["board-hex6"], "hexhex-6"), (["board-hex7"], "hexhex-7")],
)
def test_the_servers_variants_name_the_board(variants: list[str], board: str) -> None:
    """Its default is hexhex-5; a header that names the board in the server's words is understood as well."""
    assert read_json(server_record(variants, []), "a record").board.name == board
    assert read_json(server_record([], [], board="".join(variants)), "a record").board.name == board


def test_modules_without_a_layout_need_a_board() -> None:
    """The server's records do not say how they lie; a board given beside the record does."""
    text = server_record(["board-modular-13"], [])
    with pytest.raises(RecordError, match=r"board-modular-13.*name a board file"):
        read_json(text, "a record")
    assert read_json(text, "a record", board=named_board("modular-13")).board.name == "modular-13"


def test_records_of_the_server_replay_move_by_move() -> None:
    """Outside games wrapped as the server wraps them: entries as texts, as objects, with results, with a null."""
    for game in outside_games()[:24]:
        moves = [p.move for p in game.positions if p.move]
        entries = [m if i % 3 else {"move": m, "result": [{"type": "move"}]} for i, m in enumerate(moves)]
        rounds = [entries[i : i + 2] for i in range(0, len(entries), 2)]
        if len(rounds[-1]) == 1:
            rounds[-1] = [*rounds[-1], None]
        variants = [] if game.name.startswith("board-hex5") else [game.name.rsplit("-", 1)[0]]
        *_, last = replay(read_json(server_record(variants, rounds), game.name))
        assert last.ply == len(moves)
        assert last.position.tiles() == game.positions[-1].tiles


def test_the_sequence_of_a_round_comes_before_its_seats() -> None:
    """As the schema says for turns out of order."""
    rounds = [[{"move": "d7,d7", "sequence": 2}, {"move": "d1,d1", "sequence": 1}]]
    record = read_json(server_record(["board-hex4"], rounds), "a record")
    assert [turn.text for turn in record.turns] == ["d1,d1", "d7,d7"]


def test_game_and_rules_override_the_header() -> None:
    """The command line knows better than the record."""
    text = server_record(["board-hex4"], [])
    assert read_json(text, "r", rules="ersatz").rules == "ersatz"
    assert read_json(text, "r", game="castle", board=hexhex(6)).game == "castle"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "not a table"),
        ("{}", "a header and a list of moves"),
        ('{"header": {"game": {"name": "Go"}}, "moves": []}', "unknown game 'Go'"),
        ('{"header": {"game": {"name": "Storisende"}, "players": [{}]}, "moves": []}', "1 players"),
        ('{"header": {"game": {"name": "Storisende"}}, "moves": [[7]]}', "round 1: 7 is no move"),
        ('{"header": {"game": {"name": "Storisende"}}, "moves": [[""]]}', "round 1: a turn is one word"),
        ('{"header": {"game": {"name": "Storisende"}, "board": "hexhex-99"}, "moves": []}', "hexhex"),
        ('{"header": {"game": {"name": "Storisende"}, "startingPosition": "modules 0,0 x"}, "moves": []}', "'x'"),
        ('{"header": {"game": {"name": "Storisende"}, "startingPosition": "tiles a3=virgin"}, "moves": []}', "1 tiles"),
    ],
)
def test_a_json_that_is_no_record_says_which_and_why(text: str, words: str) -> None:
    """One line that names the file."""
    with pytest.raises(RecordError, match=words) as caught:
        read_json(text, "game.json")
    assert str(caught.value).startswith("game.json")


def test_a_record_that_cannot_be_replayed_is_not_written_as_json() -> None:
    """Whose turn it was is only known by replay; the text format takes it."""
    broken = Record(hexhex(4), turns=(Turn("d1-d2"),))
    with pytest.raises(RecordError, match="ply 1"):
        write_json(broken, NOW)
    assert "1. d1-d2" in write_text(broken)


HEAD = "Storisende record 1\nboard: hexhex-4\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a game record"),
        ("Storisende record 9\n", "not a game record"),
        ("Storisende record 1\n\n", "no board"),
        (HEAD + "colour: red\n", "line 3: unknown key 'colour'"),
        (HEAD + "board: hexhex-5\n", "line 3: 'board' is given twice"),
        (HEAD + "d1,d1\n", "line 3: 'd1,d1' is no header line"),
        (HEAD + "\n1. d1,d1\n3. d7,d7\n", "line 5: turn 3 where turn 2 should be"),
        (HEAD + "\nd1,d1 and more\n", "line 4: 'd1,d1 and more' is no turn"),
        (HEAD + "score: 3\n", "score is two words"),
        (HEAD + "score: a b\n", "score is two whole numbers"),
        (HEAD + "end: passes\n", "winner is 1, 2 or drawn"),
        (HEAD + "started: noon\n", "'noon' is no date"),
        (HEAD + "start: a3=virgin player 1\n", "start names every cell"),
        (HEAD + "layout: tiles 0,0\n", "is no layout"),
    ],
)
def test_a_text_that_is_no_record_says_where_and_why(text: str, words: str) -> None:
    """With the number of the line where there is one."""
    with pytest.raises(EngineError, match=words) as caught:
        read_text(text, "game.txt")
    assert str(caught.value).startswith("game.txt")


def test_a_text_typed_by_hand_is_read() -> None:
    """Without numbers, with comments over several lines, with blanks."""
    text = (
        HEAD
        + "player 1: Ann\n\n# a friendly game\n  d1,d1  # two and two\n# as always\n d7,d7 @3.5\n\n d1-d3 (corrected)\n"
    )
    record = read_text(text, "game.txt")
    assert record.comment == "a friendly game"
    assert record.turns[0] == Turn("d1,d1", "two and two\nas always")
    assert record.turns[1:] == (Turn("d7,d7", time_s=3.5), Turn("d1-d3", note="corrected"))
    assert record.players[0].name == "Ann"


def test_the_formats_agree_on_a_whole_game() -> None:
    """From JSON to text and back to JSON: the same record."""
    moves = [p.move for p in outside_games()[0].positions if p.move]
    record = replace(
        Record(hexhex(4), rules="mindsports", site="a table", started=NOW, ended=NOW), turns=tuple(map(Turn, moves))
    )
    again = read_text(write_text(read_json(write_json(record, NOW), "r")), "r")
    assert again == record
