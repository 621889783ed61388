"""Commands on records: replay, convert, show; and the picture of a position."""

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from companion.drawing.draw import Marks, Style, draw
from companion.drawing.showing import marks_of_turn
from companion.main import main
from engine.board import hexhex
from engine.game import game_names, load_game
from engine.layout import layout_of, parse_layout
from engine.look import CellLook, Surface
from tests.games.outside import outside_games
from tests.games.playthrough import file_of, turns_in
from tests.games.walks import KINDS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Run the command in this process; gives exit status, standard output and standard error."""

    def go(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["storisende", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        out = capsys.readouterr()
        return int(left.value.code or 0), out.out, out.err

    return go


def record_of(path: Path, name: str, turns: list[str], **header: object) -> Path:
    """A record file with these turns."""
    head = {"game": {"name": name}, "site": {"name": "here"}, "players": [{"name": "a", "result": 0}] * 2, **header}
    path.write_text(json.dumps({"header": head, "moves": [turns[i : i + 2] for i in range(0, len(turns), 2)]}))
    return path


def test_replay_prints_a_line_for_the_start_and_each_ply(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Every field of the contract, checked against an outside game."""
    game = outside_games()[0]
    moves = [p.move for p in game.positions if p.move]
    record = record_of(tmp_path / "r.json", "Storisende", moves)
    status, out, err = run("replay", record, "--jsonl", "--board", "hexhex-4")
    assert (status, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == len(game.positions)
    for ply, (line, expected) in enumerate(zip(lines, game.positions, strict=True)):
        assert list(line) == ["ply", "move", "player", "cells", "legal", "score", "over", "winner"]
        assert line["ply"] == ply
        assert line["move"] == (game.positions[ply - 1].move if ply else None)
        assert line["cells"] == dict(zip(game.board.names, map(list, expected.tiles), strict=True))
        assert tuple(line["score"]) == expected.score
        if expected.legal is not None:
            assert line["legal"] == expected.legal
        assert (line["over"], line["winner"]) == (False, [])


@pytest.mark.parametrize(("name", "rules"), KINDS)
def test_replay_and_show_take_every_game(run, tmp_path: Path, name: str, rules: str) -> None:  # type: ignore[no-untyped-def]
    """The turns of its playthrough, through the command, the text format and a picture."""
    text = file_of(name, rules).read_text(encoding="utf-8")
    board = next(line for line in text.splitlines() if line.startswith("board: ")).removeprefix("board: ")
    record = record_of(tmp_path / "r.json", name, turns_in(text), board=board, rules=rules)
    assert run("convert", record, tmp_path / "r.txt")[0] == 0
    status, out, _ = run("replay", tmp_path / "r.txt", "--jsonl")
    assert status == 0
    assert len(out.splitlines()) == len(turns_in(text)) + 1
    assert run("replay", record)[0] == 0
    assert run("show", record, "--ply", "9", "--svg", tmp_path / "p.svg")[0] == 0
    assert ET.parse(tmp_path / "p.svg").getroot().tag == f"{SVG}svg"


def test_the_rules_option_overrides_the_header(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A single on the wall: any distance under ersatz rules, one cell otherwise."""
    tiles = ",".join(f"{n}=wall+A1" if n == "d1" else f"{n}=virgin" for n in hexhex(4).names)
    record = record_of(
        tmp_path / "r.json", "storisende", [], board="hexhex-4", startingPosition=f"tiles {tiles}; player 1"
    )
    counts = [
        len(json.loads(run("replay", record, "--jsonl", *extra)[1])["legal"]) for extra in ([], ["--rules", "ersatz"])
    ]
    assert counts == [4, 13]


def test_a_broken_record_prints_the_plies_before_it_and_one_line(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Exit status 2, at which ply and why."""
    record = record_of(tmp_path / "r.json", "storisende", ["d1,d1", "d7,d7", "d1-d2"], board="hexhex-4")
    status, out, err = run("replay", record, "--jsonl")
    assert (status, len(out.splitlines())) == (2, 3)
    assert err == "storisende: ply 3 (d1-d2, player 1): d1-d2 moves 1 cell but the piece is 2 high\n"


def test_board_and_game_override_a_text_record(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """As they do for the server's format; options of another game fall away."""
    text = "Storisende record 1\nboard: hexhex-5\noption men: 2\n\n1. f6\n"
    (tmp_path / "r.txt").write_text(text)
    status, out, _ = run("replay", tmp_path / "r.txt", "--jsonl", "--board", "hexhex-6", "--game", "castle")
    assert status == 2, "f6 is the Throne: nobody is placed there"
    assert len(json.loads(out)["cells"]) == 91


def test_a_drawn_board_may_be_given_as_text(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A `.txt` board."""
    (tmp_path / "small.txt").write_text("  o o o\n o o o o\no o o o o\n o o o o\n  o o o\n")
    record = record_of(tmp_path / "r.json", "storisende", ["c1,c1", "c5,c5"])
    status, out, _ = run("replay", record, "--jsonl", "--board", tmp_path / "small.txt")
    assert status == 0
    assert len(json.loads(out.splitlines()[0])["cells"]) == 19


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["replay", "none.json"], "record none.json: No such file"),
        (["replay", "r.json", "--board", "hexhex-99"], "hexhex"),
        (["replay", "r.json", "--game", "chess"], "unknown game 'chess'"),
        (["convert", "r.json", "r.pgn"], "ends in .json or .txt"),
        (["convert", "r.json", "no/where.json"], "cannot be written"),
        (["show", "r.json", "--ply", "77"], "has plies 0 to 2, not 77"),
        (["show", "r.json", "--svg", "no/where.svg"], "cannot be written"),
    ],
)
def test_wrong_usage_is_one_line(run, tmp_path, monkeypatch, words: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    """Exit status 2."""
    monkeypatch.chdir(tmp_path)
    record_of(tmp_path / "r.json", "storisende", ["d1,d1", "d7,d7"], board="hexhex-4")
    status, _, err = run(*words)
    assert status == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_board_with_free_centres_cannot_be_played(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """It can be read and drawn only."""
    (tmp_path / "free.toml").write_text("[points_mm]\na1 = [0, 0]\na2 = [40, 0]\nb1 = [0, 40]\n")
    record = record_of(tmp_path / "r.json", "storisende", [])
    status, _, err = run("replay", record, "--board", tmp_path / "free.toml")
    assert status == 2
    assert "can be read, not played" in err


def parts(svg: str, tag: str) -> list[ET.Element]:
    """The elements of a kind in a picture."""
    return list(ET.fromstring(svg).iter(f"{SVG}{tag}"))


def test_the_picture_has_a_cell_for_every_cell_and_a_round_for_every_disk_and_man() -> None:
    """Heights can be counted; stacks carry their number."""
    board = hexhex(3)
    looks = [CellLook(Surface.BARE)] * len(board)
    looks[0], looks[1], looks[2] = CellLook(Surface.BEIGE), CellLook(Surface.DARK, 1, 3), CellLook(Surface.BARE, 2, 1)
    svg = draw(layout_of(board), looks, title="A <position>")
    assert len(parts(svg, "polygon")) == 19
    assert len(parts(svg, "ellipse")) == 1 + 4 + 1
    texts = [part.text for part in parts(svg, "text")]
    assert texts.count("3") == 1
    assert set(board.names) <= set(texts)
    assert "A <position>" in texts
    assert parts(svg, "desc")[0].text == "Men on a3 first player 3, a4 second player 1."


def test_the_last_move_is_an_arrow_and_marked_cells_have_their_colour() -> None:
    """Every move is an arrow."""
    board = hexhex(3)
    looks, layout = [CellLook(Surface.BEIGE)] * len(board), layout_of(board)
    plain = len(parts(draw(layout, looks), "path"))
    assert len(parts(draw(layout, looks, marks=Marks((3, 5), ((3, 5),))), "path")) == plain + 2
    assert len(parts(draw(layout, looks, marks=Marks((3,))), "path")) == plain
    assert "#0000ff" in draw(layout, looks, marks=Marks(cells={4: (0, 0, 255)}))
    assert not [p for p in parts(draw(layout, looks, Style(names=False)), "text") if p.text in board.names]


def test_a_board_with_free_centres_is_drawn_too() -> None:
    """Squares about the centres."""
    layout = parse_layout("[points_mm]\na1 = [0, 0]\na2 = [40, 0]\nb1 = [0, 40]\n", "free.toml")
    svg = draw(layout, [CellLook(Surface.BARE, 1, 1), *[CellLook(Surface.BARE)] * 2])
    assert len(parts(svg, "polygon")) == 3


def test_the_cells_of_a_turn_are_found_in_every_notation() -> None:
    """In their order."""
    board = hexhex(6)
    for text, names, arrows in (
        ("c4:2-c8", "c4 c8", [("c4", "c8")]),
        ("+a4,c3..c6-c8", "a4 c3 c6 c8", [("c6", "c8")]),
        ("2@d4(c4,d5)*", "d4 c4 d5", []),
        ("-d4", "d4", []),
        ("pass", "", []),
        ("!d4=territory>1", "", []),
    ):
        marks = marks_of_turn(board, text)
        assert [board.names[i] for i in marks.last] == names.split()
        assert [(board.names[a], board.names[b]) for a, b in marks.arrows] == arrows


def test_every_game_can_be_drawn_at_its_start() -> None:
    """The surfaces of every game have colours."""
    for name in game_names():
        game = load_game(name)
        from engine.board import named_board

        board = named_board(game.default_board)
        assert parts(draw(layout_of(board), game.start(board).look()), "polygon")
