"""Every worked example and every rule of the MindSports text of Storisende, one test each, named after the sentence."""

import pytest

from engine.board import BoardError, from_cells, from_modules, hexhex, named_board
from engine.errors import IllegalActionError
from engine.game import Outcome, load_game, play_turn
from engine.games.storisende import StorisendePosition
from tests.games.storisende_tables import table, targets, tile

HEX4 = hexhex(4)


def start(**options: str) -> StorisendePosition:
    """The empty hexhex-4."""
    position = load_game("storisende").start(HEX4, "mindsports", options)
    assert isinstance(position, StorisendePosition)
    return position


@pytest.mark.parametrize("base", [4, 5, 6])
def test_hexhex_board_usually_base_4_5_or_6(base: int) -> None:
    """The game starts on each of them."""
    assert load_game("storisende").start(hexhex(base)).stage == "placement"


def test_modules_consisting_of_7_hexagons() -> None:
    """A module is seven cells; seven of them make the flower of 49."""
    assert len(from_modules([(0, 0)])) == 7
    assert len(named_board("modular-7")) == 49


def test_a_newly_added_module_should_connect_with_at_least_two_cells() -> None:
    """One touching cell is refused, two are enough."""
    assert len(from_modules([(0, 0), (3, -1)])) == 14
    with pytest.raises(BoardError, match="fewer than two cells"):
        from_modules([(0, 0), (3, 0)])


def test_a_piece_must_move_exactly_the_number_of_cells_equaling_its_height() -> None:
    """A piece of two goes two cells in each of the six directions, not one, not three."""
    position = table(HEX4, "d4=virgin+A2")
    assert targets(position, "d4") >= {"-d2", "-d6", "-b3", "-b5", "-f3", "-f5"}
    with pytest.raises(IllegalActionError, match=r"^d4-d7 moves 3 cells but the piece is 2 high$"):
        position.parse_turn("d4-d7")
    with pytest.raises(IllegalActionError, match=r"^d4-d5 moves 1 cell but the piece is 2 high$"):
        position.parse_turn("d4-d5")


def test_a_piece_may_only_move_straight_in_one_of_the_six_main_directions() -> None:
    """b4 is two steps from d4 but on no line."""
    with pytest.raises(IllegalActionError, match="d4 and b4 are not on a straight line"):
        table(HEX4, "d4=virgin+A2").parse_turn("d4-b4")


def test_the_top_part_that_leaves_must_move_according_to_its_own_height() -> None:
    """Of a stack of three, one man goes one cell and two men go two; the rest stays and the cell stays virgin."""
    position = table(HEX4, "d1=virgin+A3")
    assert {":1-d2", ":2-d3", "-d4"} <= targets(position, "d1")
    after = play_turn(position, "d1:2-d3")
    assert tile(after, "d1") == ("virgin", 1, 1)
    assert tile(after, "d3") == ("virgin", 1, 2)
    with pytest.raises(IllegalActionError, match=r"^d1:2-d4 moves 3 cells but only 2 men of it move$"):
        position.parse_turn("d1:2-d4")


def test_landing_on_a_like_coloured_piece_the_two_merge() -> None:
    """One man onto three makes four."""
    assert tile(play_turn(table(HEX4, "d1=virgin+A1 d2=virgin+A3"), "d1-d2"), "d2") == ("virgin", 1, 4)


def test_capture_by_replacement_regardless_of_size() -> None:
    """A single takes a stack of five; the stack leaves the board."""
    after = play_turn(table(HEX4, "d1=virgin+A1 d2=virgin+B5"), "d1-d2")
    assert tile(after, "d2") == ("virgin", 1, 1)
    assert after.men(2) == 0


def test_it_becomes_green_if_the_cell_makes_a_new_established_territory() -> None:
    """No territory beside it."""
    assert tile(play_turn(table(HEX4, "d1=virgin+A1"), "d1-d2"), "d1") == ("territory", 0, 0)


def test_it_becomes_green_as_an_expansion_of_exactly_one_existing_territory() -> None:
    """Two cells of one and the same territory beside it, connected elsewhere."""
    ring = "c4=territory c5=territory d5=territory e5=territory e4=territory d4=virgin+A1"
    assert tile(play_turn(table(HEX4, ring), "d4-d3"), "d4") == ("territory", 0, 0)


def test_it_becomes_dark_if_it_would_merge_existing_established_territories() -> None:
    """Two separate territories beside it."""
    after = play_turn(table(HEX4, "d3=territory d5=territory d4=virgin+A1"), "d4-d5")
    assert tile(after, "d4") == ("wall", 0, 0)


def test_the_one_module_board_with_three_green_cells_and_one_dark() -> None:
    """The drawn example: top right and left were green when the top left cell was vacated; then the centre."""
    module = from_modules([(0, 0)])
    top_left, top_right, left, centre, right, low_left, low_right = module.names
    green = f"{top_right}=territory {right}=territory {left}=territory"
    after = play_turn(table(module, f"{green} {top_left}=virgin+A1"), f"{top_left}-{centre}")
    kinds = [kind for kind, _, _ in after.tiles()]
    assert (kinds.count("territory"), kinds.count("wall"), kinds.count("virgin")) == (3, 1, 3)
    assert tile(after, top_left)[0] == "wall"
    then = play_turn(play_turn(after, "pass"), f"{centre}-{low_left}")
    assert tile(then, centre)[0] == "wall", "the centre cell, if vacated, awaits the same fate"
    for first, second, goal in ((low_left, low_right, right), (low_right, low_left, left)):
        men = f"{green} {top_left}=wall {centre}=wall {first}=virgin+A1 {second}=virgin+A1"
        last = play_turn(play_turn(table(module, men), f"{first}-{second}"), "pass")
        last = play_turn(last, f"{second}:1-{goal}")
        last = play_turn(play_turn(last, "pass"), f"{second}-{goal}")
        assert tile(last, first)[0] == "territory"
        assert tile(last, second)[0] == "wall", "as does eventually one of the two remaining virgin cells"


def test_a_virgin_cell_vacated_by_a_double_sprouts_one_new_man() -> None:
    """On territory and on wall alike, of the colour that left."""
    green = play_turn(table(HEX4, "d4=virgin+B2", player=2), "d4-d2")
    assert tile(green, "d4") == ("territory", 2, 1)
    dark = play_turn(table(HEX4, "d3=territory d5=territory d4=virgin+A2"), "d4-d2")
    assert tile(dark, "d4") == ("wall", 1, 1)
    assert dark.men(1) == 3


@pytest.mark.parametrize(("piece", "turn"), [("A1", "d4-d3"), ("A3", "d4-d1"), ("A2", "d4:1-d3")])
def test_only_doubles_breed_offspring(piece: str, turn: str) -> None:
    """A single, a triple and half a double leave no new man behind."""
    position = table(HEX4, f"d4=virgin+{piece}")
    assert play_turn(position, turn).men(1) == position.men(1)


def test_a_double_that_leaves_established_territory_does_not_sprout() -> None:
    """Only a virgin cell sprouts."""
    assert tile(play_turn(table(HEX4, "d4=territory+A2"), "d4-d2"), "d4") == ("territory", 0, 0)


def test_a_double_that_leaves_in_two_halves_does_not_sprout() -> None:
    """The cell is vacated by the second single alone."""
    half = play_turn(play_turn(table(HEX4, "d4=virgin+A2"), "d4:1-d3"), "pass")
    assert tile(play_turn(half, "d4-d5"), "d4") == ("territory", 0, 0)


def test_movement_is_optional_a_player_may_pass_without_losing_the_right_to_move() -> None:
    """A pass hands over; the other moves; the one who passed moves again."""
    position = play_turn(table(HEX4, "d4=virgin+A1 a3=virgin+B1"), "pass")
    assert "d4-d5" in play_turn(position, "a3-a4").legal_texts()


def test_cells_of_lakes_may_be_jumped_over_but_not_landed_on() -> None:
    """A stack of two jumps the lake in the middle of six modules; a stack that would land in it may not."""
    lake = named_board("modular-18")
    middle = [lake.index.get((q, 0), -1) for q in (-2, -1, 0, 1, 2)]
    assert middle[1:4] == [-1, -1, -1]
    west, east = lake.names[middle[0]], lake.names[middle[4]]
    assert f"{west}-{east}" in table(lake, f"{west}=virgin+A4").legal_texts()
    blocked = table(lake, f"{west}=virgin+A2").legal_texts()
    assert not any(text.startswith(west) and text.endswith(east) for text in blocked)


def test_cells_outside_the_board_count_in_the_distance() -> None:
    """Over an inlet of two missing cells a stack needs a height of three."""
    inlet = from_cells([(0, 0), (0, 1), (1, 1), (2, 1), (2, 0), (3, 0)])
    name = {cell: inlet.names[i] for cell, i in inlet.index.items()}
    for height, reached in ((1, False), (2, True), (3, False)):
        texts = table(inlet, f"{name[0, 0]}=virgin+A{height}").legal_texts()
        assert (f"{name[0, 0]}-{name[2, 0]}" in texts) is reached


def test_a_stack_on_the_wall_may_jump_over_any_cell_and_land_on_any_target_cell() -> None:
    """Over walls, men and territory, onto a wall, exactly its height; so may a single."""
    walls = "d1=wall+A3 d2=wall d3=wall+B1 d4=wall"
    position = table(HEX4, walls)
    assert {"-d4", ":1-d2", ":2-d3"} <= targets(position, "d1")
    assert "d1-d2" in table(HEX4, "d1=wall+A1 d2=wall").legal_texts()


def test_a_piece_down_in_the_territories_may_never_jump_up_on_the_wall() -> None:
    """Neither onto an empty wall cell nor onto an own or opposing man there."""
    for man in ("", "+A1", "+B1"):
        position = table(HEX4, f"d1=territory+A1 d2=wall{man}")
        assert "-d2" not in targets(position, "d1")
        with pytest.raises(IllegalActionError, match="may never jump up on the wall"):
            position.parse_turn("d1-d2")


def test_a_stack_may_jump_a_wall_cell_only_if_occupied_by_a_piece_of_like_colour() -> None:
    """An own man lets it pass, an empty wall or an opposing man does not; every wall cell on the way needs one."""
    for man, legal in (("+A1", True), ("", False), ("+B1", False)):
        assert ("-d3" in targets(table(HEX4, f"d1=virgin+A2 d2=wall{man}"), "d1")) is legal
    assert "-d4" in targets(table(HEX4, "d1=virgin+A3 d2=wall+A1 d3=wall+A2"), "d1")
    with pytest.raises(IllegalActionError, match="d1-d4 jumps the wall at d3, where no piece of the mover's colour"):
        table(HEX4, "d1=virgin+A3 d2=wall+A1 d3=wall").parse_turn("d1-d4")


def test_singles_cannot_jump_over_the_wall_because_they_move_to_adjacent_cells() -> None:
    """Even with an own man on the wall."""
    assert "-d3" not in targets(table(HEX4, "d1=virgin+A1 d2=wall+A1"), "d1")


def test_other_than_that_a_piece_in_the_territories_may_jump_over_or_land_on_any_cell() -> None:
    """Over own and opposing men and all kinds of ground."""
    position = table(HEX4, "d1=virgin+A4 d2=virgin+B3 d3=territory+A1 d4=territory d5=virgin+B2")
    assert "-d5" in targets(position, "d1")


@pytest.mark.parametrize("men", ["2", "3", "4", "5"])
def test_the_placer_distributes_2_to_5_men_on_one_to_five_cells(men: str) -> None:
    """One stack or all apart; one man or six are refused."""
    count = int(men)
    stack = play_turn(start(men=men), ",".join(["d4"] * count))
    assert tile(stack, "d4") == ("virgin", 1, count)
    apart = play_turn(start(men=men), ",".join(HEX4.names[:count]))
    assert apart.men(1) == count
    assert apart.player == 2


def test_the_placement_is_refused_with_too_few_or_too_many_men() -> None:
    """Fewer than two, more than five, or another number than agreed."""
    with pytest.raises(IllegalActionError, match="1 man is placed but the placement needs 2"):
        start().parse_turn("d4")
    with pytest.raises(IllegalActionError, match="places 6 men but 5 are to be placed"):
        start().parse_turn("d1,d2,d3,d4,d5,d6")
    with pytest.raises(IllegalActionError, match="2 men are placed but the placement needs 3"):
        start(men="3").parse_turn("d4,d4")


def test_the_other_places_the_same_number_of_men() -> None:
    """Two against three is refused; the placement ends with the last man and the first side moves."""
    placed = play_turn(start(), "d4,d4,c3")
    with pytest.raises(IllegalActionError, match="2 men are placed but the placement needs 3"):
        placed.parse_turn("a3,a4")
    play = play_turn(placed, "a3,a4,a5")
    assert (play.stage, play.player) == ("play", 1)


def test_the_second_placement_of_singles_is_an_option() -> None:
    """Stacked by default, as the designer has it; `singles` takes the text at its word."""
    assert play_turn(play_turn(start(), "d4,d4"), "a3,a3").stage == "play"
    strict = play_turn(start(second_placement="singles"), "d4,d4")
    with pytest.raises(IllegalActionError, match="second placement is of singles"):
        strict.parse_turn("a3,a3")


def test_men_are_placed_on_cells_that_the_other_side_left_free() -> None:
    """No man on an opposing one."""
    with pytest.raises(IllegalActionError, match="d4: a man of the other player stands there"):
        play_turn(start(), "d4,d4").parse_turn("d4,a3")


def test_the_chooser_accepts_the_position_as_his_own_or_leaves_it() -> None:
    """As a turn of the record: after `take` the placer sets the opposing men, after `leave` the chooser does."""
    choosing = play_turn(start(choice="turn"), "d4,d4")
    assert choosing.legal_texts() == ["leave", "take"]
    for word, swapped in (("take", True), ("leave", False)):
        after = play_turn(choosing, word)
        assert isinstance(after, StorisendePosition)
        assert (after.swapped, after.player, after.stage) == (swapped, 2, "placement")


def test_there_is_no_passing_during_the_placement() -> None:
    """Neither before the first man nor before the second side's."""
    for position in (start(), play_turn(start(), "d4,d4")):
        with pytest.raises(IllegalActionError, match="nobody passes during the placement"):
            position.parse_turn("pass")


def test_the_game_ends_after_both_players_pass_on_successive_turns() -> None:
    """And only then."""
    position = table(HEX4, "d4=virgin+A1 a3=wall+B1")
    once = play_turn(position, "pass")
    assert once.outcome is None
    twice = play_turn(once, "pass")
    assert twice.outcome == Outcome("passes", 1)
    assert (twice.stage, list(twice.actions())) == ("over", [])


def test_virgin_cells_turn_to_established_territory_before_counting() -> None:
    """They join whatever they touch: a man on virgin ground counts the green cells beside it."""
    position = table(HEX4, "d1=territory d2=virgin+A1 d3=wall c2=wall e2=wall c3=wall e3=wall", rest="wall")
    assert position.score() == (2, 0)


def test_pieces_on_the_wall_do_not_control_territory() -> None:
    """The same area with the man beside it on the wall counts for nobody."""
    assert table(HEX4, "d1=territory d2=wall+A1", rest="wall").score() == (0, 0)


def test_one_man_is_enough_to_be_the_only_colour_inside() -> None:
    """A single controls 36 of 37 cells."""
    assert table(HEX4, "d4=virgin+B1 a3=wall").score() == (0, 36)


def test_territories_not_occupied_or_with_both_players_do_not_count() -> None:
    """An empty one, and one with a man of each."""
    walls = " ".join(f"d{i}=wall" for i in range(1, 8))
    assert table(HEX4, f"{walls} a3=virgin+A1 b3=virgin+B1").score() == (0, 0)


def test_games_may_end_in_a_draw() -> None:
    """Equal scores."""
    walls = " ".join(f"d{i}=wall" for i in range(1, 8))
    position = table(HEX4, f"{walls} a3=virgin+A1 g3=virgin+B1")
    assert position.score() == (15, 15)
    assert play_turn(play_turn(position, "pass"), "pass").outcome == Outcome("passes", 0)


def sixteen_to_fourteen() -> StorisendePosition:
    """Red 16, Purple 14, the wall vacated, and a red man on the virgin cell in the middle of a 6-cell territory."""
    board = hexhex(5)
    purple = [n for n in board.names if n[0] in "hi"] + ["g3", "g4", "g5"]
    red = [n for n in board.names if n[0] == "a" or n in ("b3", "b4", "b5", "b6", "b7")]
    words = [f"{n}=territory" for n in (*purple[1:], *red[1:], "e2", "e3", "e5", "e6", "e7")]
    words += [f"{purple[0]}=territory+B1", f"{red[0]}=territory+A1", "e4=virgin+A1"]
    return table(board, " ".join(words), rest="wall")


def test_the_score_is_red_16_and_purple_14_so_red_has_won() -> None:
    """The example of counting: virgin cells belong to the territory that they are in."""
    position = sixteen_to_fourteen()
    assert position.score() == (16, 14)
    assert play_turn(play_turn(position, "pass"), "pass").outcome == Outcome("passes", 1)


def test_moving_the_middle_man_splits_the_6_cell_territory_and_loses_at_least_3_points_and_the_game() -> None:
    """Whatever way the man goes, the middle turns into wall."""
    position = sixteen_to_fourteen()
    area = next(cells for _, cells in position.areas() if position.board.parse("e4") in cells)
    assert len(area) == 6
    ways = [text for text in position.legal_texts() if text.startswith("e4-")]
    assert ways == ["e4-e3", "e4-e5"]
    for text in ways:
        after = play_turn(position, text)
        assert tile(after, "e4")[0] == "wall"
        assert after.score()[0] <= 16 - 3
        assert after.score()[0] < after.score()[1]


def test_three_fold_three_times_the_same_position_with_the_same_player_to_move_ends_the_game() -> None:
    """Two men walk to and fro on established ground; the score counts."""
    position = table(HEX4, "d4=territory+A1 d5=territory a3=territory+B1 a4=territory")
    for _ in range(2):
        assert position.outcome is None
        for text in ("d4-d5", "a3-a4", "d5-d4", "a4-a3"):
            position = play_turn(position, text)
    assert position.outcome == Outcome("threefold", 0)


def test_the_losing_side_keeps_moving_while_the_winning_side_passes_until_three_fold() -> None:
    """Passes in between do not end the game and repetitions are counted all the same."""
    position = table(HEX4, "d4=territory+A1 d5=territory a3=territory+B1 a4=territory")
    turns = ["d4-d5", "pass", "d5-d4", "pass"]
    played = 0
    while position.outcome is None:
        position = play_turn(position, turns[played % 4])
        played += 1
    assert (position.outcome, played) == (Outcome("threefold", 0), 8)


def test_a_player_without_men_can_only_pass() -> None:
    """The forced pass."""
    assert table(HEX4, "d4=virgin+A1", player=2).legal_texts() == ["pass"]


def test_the_disk_is_removed_or_reversed_to_become_part_of_the_wall() -> None:
    """How it looks: virgin beige, territory bare, wall dark."""
    position = table(HEX4, "d3=territory d5=wall+A1")
    surfaces = [str(position.look()[position.board.parse(n)].surface) for n in ("d4", "d3", "d5")]
    assert surfaces == ["beige", "bare", "dark"]
