"""Every worked example and every rule of Peter S.'s text of Storisende (`ersatz`), named after the sentence."""

import pytest

from engine.board import from_cells, hexhex, named_board
from engine.errors import IllegalActionError
from engine.game import Outcome, load_game, play_turn
from engine.games.storisende import StorisendePosition
from tests.games import storisende_tables as tables
from tests.games.storisende_tables import targets, tile

HEX4 = hexhex(4)


def table(words: str, player: int = 1, rest: str = "virgin") -> StorisendePosition:
    """A position on hexhex-4 under these rules."""
    return tables.table(HEX4, words, player, "ersatz", rest)


def start(**options: str) -> StorisendePosition:
    """The empty hexhex-4."""
    position = load_game("storisende").start(HEX4, "ersatz", options)
    assert isinstance(position, StorisendePosition)
    return position


def test_the_start_player_places_a_stack_of_two_pieces_into_any_cell() -> None:
    """Two men on one cell; apart they are refused."""
    assert tile(play_turn(start(), "d4,d4"), "d4") == ("virgin", 1, 2)
    with pytest.raises(IllegalActionError, match="the two men of a placement form one stack"):
        start().parse_turn("d4,d5")
    with pytest.raises(IllegalActionError, match="places 3 men but 2 are to be placed"):
        start().parse_turn("d4,d4,d4")


def test_the_second_player_may_become_the_start_player() -> None:
    """Accepting the placement as his own; the other then sets two men."""
    taken = play_turn(play_turn(start(choice="turn"), "d4,d4"), "take")
    assert isinstance(taken, StorisendePosition)
    assert taken.swapped
    assert play_turn(taken, "a3,a3").player == 1


def test_the_second_player_places_two_pieces_of_his_own_into_any_empty_cell() -> None:
    """Not onto the first stack."""
    placed = play_turn(start(), "d4,d4")
    with pytest.raises(IllegalActionError, match="a man of the other player stands there"):
        placed.parse_turn("d4,d4")
    assert play_turn(placed, "a3,a3").stage == "play"


def test_unless_on_a_wall_a_stack_moves_as_many_spaces_as_it_has_pieces_no_more_no_less() -> None:
    """Two cells for two men."""
    assert targets(table("d4=virgin+A2"), "d4") >= {"-d2", "-d6"}
    for goal in ("d5", "d7"):
        with pytest.raises(IllegalActionError, match="but the piece is 2 high"):
            table("d4=virgin+A2").parse_turn(f"d4-{goal}")


def test_a_stack_leaving_a_wall_cell_may_move_any_distance_in_a_straight_line() -> None:
    """A single and each part of a stack as well; over anything."""
    position = table("d1=wall+A1 d3=wall d4=wall+B1")
    assert {t for t in targets(position, "d1") if t.startswith("-d")} == {"-d2", "-d5", "-d6", "-d7"}
    parts = targets(table("d1=wall+A2"), "d1")
    assert {"-d2", "-d7", ":1-d2", ":1-d7"} <= parts
    with pytest.raises(IllegalActionError, match="not on a straight line"):
        position.parse_turn("d1-b4")


def test_a_stack_of_three_may_move_two_to_a_cell_two_spaces_away_leaving_a_stack_of_one_behind() -> None:
    """The worked example; the starting cell is not vacated."""
    after = play_turn(table("d4=virgin+A3"), "d4:2-d6")
    assert tile(after, "d6") == ("virgin", 1, 2)
    assert tile(after, "d4") == ("virgin", 1, 1)


def test_moving_onto_an_own_stack_merges() -> None:
    """Two and one make three."""
    assert tile(play_turn(table("d4=virgin+A2 d6=virgin+A1"), "d4-d6"), "d6") == ("virgin", 1, 3)


def test_moving_onto_an_opponents_stack_removes_it() -> None:
    """Whatever its height."""
    assert tile(play_turn(table("d4=virgin+A1 d5=virgin+B4"), "d4-d5"), "d5") == ("virgin", 1, 1)


def test_stacks_may_not_move_onto_wall_cells_even_if_a_stack_is_already_on_the_wall_cell() -> None:
    """From the ground and from the wall."""
    for ground in ("virgin", "territory", "wall"):
        for man in ("", "+A1", "+B1"):
            position = table(f"d4={ground}+A1 d5=wall{man}")
            assert "-d5" not in targets(position, "d4")
            with pytest.raises(IllegalActionError, match="lands on the wall at d5, where nobody may land"):
                position.parse_turn("d4-d5")


def test_stacks_may_jump_over_wall_cells_if_that_player_has_a_stack_on_each_wall_cell_being_jumped() -> None:
    """Both of two wall cells need an own man."""
    for men, legal in (("+A1 +A1", True), ("+A1 +B1", False), ("+A1 ", False)):
        first, second = men.split(" ")
        position = table(f"d1=virgin+A3 d2=wall{first} d3=wall{second}")
        assert ("-d4" in targets(position, "d1")) is legal


def test_a_stack_leaving_a_wall_cell_may_jump_wall_cells() -> None:
    """Empty ones and the opponent's."""
    assert "-d4" in targets(table("d1=wall+A1 d2=wall d3=wall+B2"), "d1")


def test_stacks_may_jump_over_empty_spaces_if_there_is_a_valid_place_to_land() -> None:
    """A donut-shaped board with a lake in the centre."""
    donut = from_cells([tuple(c) for c in HEX4.cells if tuple(c) != (0, 0)], "donut")
    position = tables.table(donut, "d3=virgin+A2", rules="ersatz")
    assert "d3-d5" in position.legal_texts()
    assert "d4" not in donut.names


def test_a_vacated_cell_becomes_pasture_unless_it_would_merge_two_territories() -> None:
    """And wall where it would."""
    assert tile(play_turn(table("d4=virgin+A1 d3=territory"), "d4-d5"), "d4")[0] == "territory"
    assert tile(play_turn(table("d4=virgin+A1 d3=territory d5=territory"), "d4-d5"), "d4")[0] == "wall"


def test_a_cell_upgraded_by_a_stack_of_exactly_two_pieces_gets_a_new_piece() -> None:
    """Not by one, not by three."""
    for height, left in ((1, 0), (2, 1), (3, 0)):
        after = play_turn(table(f"d4=virgin+A{height}"), f"d4-d{4 + height}")
        assert tile(after, "d4") == ("territory", 1 if left else 0, left)


def test_the_only_way_to_get_a_stack_on_a_wall_cell() -> None:
    """A double that leaves a wall cell behind."""
    after = play_turn(table("d4=virgin+A2 d3=territory d5=territory"), "d4-d6")
    assert tile(after, "d4") == ("wall", 1, 1)


def test_the_game_ends_when_both_players_pass_consecutively() -> None:
    """The score decides."""
    position = play_turn(play_turn(table("d4=virgin+A1"), "pass"), "pass")
    assert position.outcome == Outcome("passes", 1)


def test_a_player_may_be_forced_to_pass_if_they_cannot_make_a_legal_move() -> None:
    """A single shut in by walls."""
    assert table("d1=territory+A1", rest="wall").legal_texts() == ["pass"]


def test_cells_not_yet_upgraded_become_pastures_even_if_this_would_merge_territories() -> None:
    """Two territories joined by a virgin cell count as one."""
    assert table("d1=territory+A1 d2=virgin d3=territory", rest="wall").score() == (3, 0)


def test_contested_and_uncontrolled_territory_and_stacks_on_walls_do_not_score() -> None:
    """Both players in it, nobody in it, a man on the wall beside it."""
    assert table("d1=territory+A1 d2=territory+B1", rest="wall").score() == (0, 0)
    assert table("d1=territory d2=wall+A1", rest="wall").score() == (0, 0)


def test_the_field_can_be_just_about_any_shape() -> None:
    """A diamond, modules, a board with a lake; a 4x hexagonal board is common."""
    for name in ("diamond-6", "modular-5", "modular-18", "hexhex-4"):
        assert load_game("storisende").start(named_board(name), "ersatz").stage == "placement"
