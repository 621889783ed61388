"""Storisende's notation, and the sentences that say why something is illegal."""

import pytest

from engine.board import hexhex
from engine.errors import EngineError, IllegalActionError, NotationError
from engine.game import load_game, play_turn
from engine.games._storisende_moves import Choice, Move, Pass, Place
from engine.games.storisende import StorisendePosition
from tests.games.storisende_tables import table

HEX4 = hexhex(4)


def start(rules: str = "mindsports", **options: str) -> StorisendePosition:
    """The empty hexhex-4."""
    position = load_game("storisende").start(HEX4, rules, options)
    assert isinstance(position, StorisendePosition)
    return position


def test_the_long_form_of_a_whole_piece_is_understood_and_written_short() -> None:
    """`d4:2-d6` for a piece of two is `d4-d6`."""
    position = table(HEX4, "d4=virgin+A2")
    (move,) = position.parse_turn("d4:2-d6")
    assert str(move) == "d4-d6"
    assert load_game("storisende").format_turn((move,)) == "d4-d6"


def test_blanks_and_capitals_are_understood() -> None:
    """As people type."""
    assert str(table(HEX4, "d4=virgin+A2").parse_turn(" D4-D6 ")[0]) == "d4-d6"
    assert len(start().parse_turn("c6, e6, e5, e5")) == 4


@pytest.mark.parametrize(
    "text", ["", "d4-", "-d4", "d4_d5", "d4:-d5", "d4:0-d5", "d4-d4", "z9-d4", "d4-d9", "d4,,d5", "d9"]
)
def test_what_is_no_turn_is_a_notation_error(text: str) -> None:
    """In play and in the placement alike."""
    for position in (table(HEX4, "d4=virgin+A2"), start()):
        with pytest.raises(NotationError):
            position.parse_turn(text)


@pytest.mark.parametrize(
    ("words", "text", "sentence"),
    [
        ("d4=virgin+A2", "d3-d5", "d3-d5: no man stands on d3"),
        ("d4=virgin+B2", "d4-d6", "d4-d6: the piece on d4 belongs to the other player"),
        ("d4=virgin+A2", "d4:3-d7", "d4:3-d7 takes 3 men but the piece on d4 is 2 high"),
        ("d4=virgin+A2", "d4-c6", "d4-c6: d4 and c6 are not on a straight line"),
        ("d4=virgin+A2", "d4-d7", "d4-d7 moves 3 cells but the piece is 2 high"),
        ("d4=virgin+A3", "d4:1-d6", "d4:1-d6 moves 2 cells but only 1 man of it move"),
        ("d4=wall+A1", "d4-d6", "d4-d6 moves 2 cells but the piece is 1 high"),
        (
            "d4=virgin+A1 d5=wall",
            "d4-d5",
            "d4-d5 lands on the wall at d5; a piece on the ground may never jump up on the wall",
        ),
        (
            "d4=virgin+A2 d5=wall+B1",
            "d4-d6",
            "d4-d6 jumps the wall at d5, where no piece of the mover's colour stands",
        ),
        ("d4=virgin+A2", "d5", "d5: the placement is over, men are no longer set down"),
        ("d4=virgin+A2", "take", "take: there is no side to choose now"),
    ],
)
def test_the_sentence_names_the_move_the_place_and_the_rule(words: str, text: str, sentence: str) -> None:
    """A referee reads it aloud."""
    with pytest.raises(IllegalActionError) as caught:
        table(HEX4, words).parse_turn(text)
    assert str(caught.value) == sentence


def test_nothing_is_legal_after_the_end_and_the_sentence_says_why() -> None:
    """Moves, men and passes."""
    over = play_turn(play_turn(table(HEX4, "d4=virgin+A2"), "pass"), "pass")
    for text in ("d4-d6", "pass", "d4"):
        with pytest.raises(IllegalActionError, match=r"^.*: the game is over \(passes\)$"):
            over.parse_turn(text)


def test_pieces_do_not_move_during_the_placement() -> None:
    """Nor while the side is chosen; then nothing is placed either."""
    with pytest.raises(IllegalActionError, match="pieces move only after both placements"):
        start().parse_turn("d4-d5")
    choosing = play_turn(start(choice="turn"), "d4,d4")
    with pytest.raises(IllegalActionError, match="must first take or leave the side"):
        choosing.parse_turn("d5,d5")


def test_a_turn_ends_only_where_it_may() -> None:
    """Not before its first man, not with too few, and a move ends by itself."""
    with pytest.raises(IllegalActionError, match="a turn without a move is a pass"):
        table(HEX4, "d4=virgin+A2").end_turn()
    one = start().after(Place(0, "a3"))
    assert not one.may_end
    with pytest.raises(IllegalActionError, match="1 man is placed but the placement needs 2"):
        one.end_turn()
    assert one.after(Place(1, "a4")).may_end


def test_actions_are_refused_by_type_and_by_rule() -> None:
    """Hand-made actions are checked like any other."""
    position = table(HEX4, "d4=virgin+A2")
    for action in (Move(HEX4.parse("d4"), HEX4.parse("d5"), 0, "d4-d5"), Choice(True), Place(0, "a3")):
        with pytest.raises(IllegalActionError):
            position.after(action)
    with pytest.raises(NotationError, match="no action of Storisende"):
        position.after("d4-d6")
    with pytest.raises(NotationError, match="at least one action"):
        load_game("storisende").format_turn(())


def test_moves_without_a_change_of_the_table_carry_no_material() -> None:
    """A pass and the chooser's decision."""
    assert table(HEX4, "d4=virgin+A2").material(Pass()) == {}
    assert play_turn(start(choice="turn"), "d4,d4").material(Choice(False)) == {}


@pytest.mark.parametrize(
    ("tiles", "player"),
    [
        ([("virgin", 0, 0)] * 36, 1),
        ([("virgin", 0, 0)] * 37, 3),
        ([("lava", 0, 0)] * 37, 1),
        ([("virgin", 1, 0)] * 37, 1),
    ],
)
def test_a_table_that_cannot_be_is_refused(tiles: list[tuple[str, int, int]], player: int) -> None:
    """Too few cells, no such player, tile or man."""
    game = load_game("storisende")
    with pytest.raises(EngineError):
        game.from_tiles(HEX4, tiles, player)  # type: ignore[attr-defined]
