"""The castle game: recorded games, and the sentences of its rule text and of our readings, one test each."""

import pytest

from engine.board import diamond, hexhex
from engine.errors import BoardError, EngineError, IllegalActionError, NotationError
from engine.game import play_turn
from engine.games.castle import GAME, CastlePosition
from engine.look import CellLook, Surface
from tests.games.recorded import check_common, name_of, recorded_positions
from tests.games.tables import castle_table

#: Six men of each player inside, the Throne vacant.
SIX_INSIDE = "f4 f5 e6 d5 g6 h5"
SIX_OPPOSING = "f7 f8 e7 d7 g7 h7"


def men(position: CastlePosition, owner: int) -> str:
    """The cells of a player's men."""
    return " ".join(n for n, o in zip(position.board.names, position.men, strict=True) if o == owner)


def refusal(position: CastlePosition, text: str) -> str:
    """The sentence with which a turn is refused."""
    with pytest.raises(IllegalActionError) as error:
        position.parse_turn(text)
    assert any(part in str(error.value) for part in text.split(","))
    assert text not in position.legal_texts()
    return str(error.value)


def test_recorded_games() -> None:
    """Every position of the recorded games: table, legal turns, score, what is remembered, and the end."""
    count = 0
    for position, line in recorded_positions("castle"):
        check_common(position, line)
        names = position.board.names
        assert {n: o for n, o in zip(names, position.men, strict=True) if o} == line["cells"]
        assert position.stage == {"placement": "placement", "movement": "play"}[line["stage"]] or position.outcome
        assert name_of(position.board, position.last) == line["last"]
        assert (list(map(names.__getitem__, position.banned)) if position.banned else None) == line["switched"]
        count += 1
    assert count == 336


def test_the_castle_has_13_cells_round_attefsix() -> None:
    """The Throne is f6; the six round it and the six two steps away on the straight lines belong to the castle."""
    tiles = dict(zip(hexhex(6).names, GAME.start(hexhex(6)).tiles(), strict=True))
    assert tiles["f6"] == ("throne", 0, 0)
    inside = [name for name, tile in tiles.items() if tile[0] == "castle"]
    assert inside == ["d5", "d7", "e6", "e7", "f4", "f5", "f7", "f8", "g6", "g7", "h5", "h7"]


def test_the_castle_is_excluded_from_placement() -> None:
    """78 of the 91 cells are left for the first man."""
    start = GAME.start(hexhex(6))
    assert len(start.legal_texts()) == 91 - 13
    assert "excluded from placement" in refusal(start, "f6")


def test_white_enters_one_man_then_players_place_one_bound_one_free() -> None:
    """The first turn is one man; then one next to the man last placed and one with only vacant neighbours."""
    after = play_turn(GAME.start(hexhex(6)), "a4")
    assert (after.player, after.stage) == (2, "placement")
    assert "bound" in refusal(after, "c3,f1")
    assert "a man next to it" in refusal(after, "a5,a6")
    assert "a man next to it" in refusal(after, "a5,b4")
    assert "only a part of a turn" in refusal(after, "a5")
    after = play_turn(after, "a5,c10")
    assert men(after, 1) == "a4"
    assert men(after, 2) == "a5 c10"
    assert "next to the man placed last, on c10" in refusal(after, "b3,k4")


def test_a_bound_man_is_an_unfinished_turn() -> None:
    """Between the two placements the turn is under way and may not be ended."""
    half = play_turn(GAME.start(hexhex(6)), "a4").after(play_turn(GAME.start(hexhex(6)), "a4").actions()[0])
    assert (half.player, len(half.turn), half.may_end) == (2, 1, False)
    with pytest.raises(IllegalActionError, match="compulsory"):
        half.end_turn()


def test_castle_cells_count_as_vacant_for_the_free_man() -> None:
    """A free man may stand next to the castle."""
    after = play_turn(GAME.start(hexhex(6)), "a4")
    assert "a5,e5" in after.legal_texts()


def test_the_player_who_cannot_make_the_second_placement_ends_the_stage() -> None:
    """He keeps his first man, and his opponent moves."""
    position = GAME.start(hexhex(4))
    turns = 0
    while position.stage == "placement":
        texts = position.legal_texts()
        alone = [text for text in texts if "," not in text]
        text = alone[0] if turns and alone else texts[0]
        before, turns = position, turns + 1
        position = play_turn(position, text)
    assert "," not in text
    assert position.player != before.player
    assert position.stage == "play"
    assert any("-" in text for text in position.legal_texts())


def test_a_man_moves_along_open_lines_in_any_of_the_six_directions() -> None:
    """Any distance, over vacant cells only."""
    position = castle_table("c3", "k9 c7")
    goals = "a4 b3 c4 c5 c6 c7 d2 d3 e2 e4 f1"
    assert sorted(position.legal_texts()) == [f"c3-{goal}" for goal in goals.split()]
    assert "open line" in refusal(position, "c3-c8")
    assert "not in a straight line" in refusal(position, "c3-e3")
    assert "no man of the player to move" in refusal(position, "c7-c6")


def test_a_man_may_not_enter_or_traverse_the_castle() -> None:
    """From outside a single man stops before it."""
    position = castle_table("f1", "k9")
    assert "f1-f3" in position.legal_texts()
    for goal in ("f4", "f5", "f6", "f9"):
        assert "may not enter or cross the castle, and f4 belongs to it" in refusal(position, f"f1-{goal}")


def test_a_phalanx_moves_at_most_one_less_than_its_length() -> None:
    """Three men move one or two cells."""
    position = castle_table("a4 a5 a6", "k9")
    assert {"a4..a6-a7", "a4..a6-a8"} <= set(position.legal_texts())
    assert "moves 2 at most" in refusal(position, "a4..a6-a9")
    assert men(play_turn(position, "a4..a6-a8"), 1) == "a6 a7 a8"


def test_any_sub_phalanx_may_move_as_a_phalanx_but_not_over_its_own_men() -> None:
    """The two men in front leave the third; the two at the back are shut in."""
    position = castle_table("a4 a5 a6", "k9")
    assert men(play_turn(position, "a5..a6-a7"), 1) == "a4 a6 a7"
    assert "own men" in refusal(position, "a4..a5-a6")
    assert "head first" in refusal(position, "a4..a5-a4")


def test_a_phalanx_is_an_unbroken_straight_line_of_like_coloured_men() -> None:
    """A gap or an adverse man breaks it, and one man is none."""
    position = castle_table("a4 a6 b6", "a7 k9")
    assert "none stands on a5" in refusal(position, "a4..a6-a7")
    assert "at least two men" in refusal(position, "a4..a4-a5")
    assert "not in a straight line" in refusal(position, "a4..b6-c7")


def test_men_outside_are_taken_off_when_the_phalanx_ends_its_move_inside() -> None:
    """'The men inside remain, while the remainder that is outside the castle is taken off the board.'"""
    after = play_turn(castle_table("f1 f2 f3", "k9"), "f1..f3-f5")
    assert men(after, 1) == "f4 f5"
    assert after.score() == (2, 0)


def test_a_phalanx_partly_outside_may_proceed_inside_without_a_remainder() -> None:
    """f3 and f4 move to f4 and f5: nobody is left outside."""
    assert men(play_turn(castle_table("f3 f4", "k9"), "f3..f4-f5"), 1) == "f4 f5"


def test_a_phalanx_whose_head_ends_outside_loses_nobody() -> None:
    """Three men cross the tip d5: the head is outside again, one man inside, one outside."""
    after = play_turn(castle_table("d3 d4 c9", "k9"), "d3..d4-d5")
    assert men(after, 1) == "c9 d5"
    after = play_turn(castle_table("d2 d3 d4", "k9"), "d2..d4-d6")
    assert men(after, 1) == "d4 d5 d6"


def test_the_adverse_man_is_put_on_the_last_vacant_cell_traversed() -> None:
    """a4 switches a8 from afar: the adverse man comes to a7."""
    after = play_turn(castle_table("a4", "a8 k9"), "a4-a8")
    assert men(after, 1) == "a8"
    assert men(after, 2) == "a7 k9"


def test_the_adverse_man_is_put_on_the_departure_cell_in_case_of_adjacency() -> None:
    """Neighbours change places."""
    after = play_turn(castle_table("a4", "a5 k9"), "a4-a5")
    assert (men(after, 1), men(after, 2)) == ("a5", "a4 k9")


def test_the_man_just_switched_may_not_switch_back_on_his_next_move() -> None:
    """As a single man; any other move is open to him, and a turn later the ban is gone."""
    after = play_turn(castle_table("a4 k5", "a8 k9"), "a4-a8")
    assert "may not at once switch back" in refusal(after, "a7-a8")
    assert "a7-b7" in after.legal_texts()
    later = play_turn(play_turn(after, "k9-k8"), "k5-k6")
    assert "a7-a8" in later.legal_texts()


def test_the_man_just_switched_may_switch_back_as_part_of_a_phalanx() -> None:
    """c4 and b4 run over the man on a5 who has just switched b4."""
    after = play_turn(castle_table("b4", "a5 c4 k9"), "b4-a5")
    assert men(after, 2) == "b4 c4 k9"
    assert "b4-a5" not in after.legal_texts()
    assert "c4..b4-a5" in after.legal_texts()


def test_a_man_outside_may_not_switch_an_adverse_man_inside() -> None:
    """The man on f4 is safe from f3."""
    assert "castle" in refusal(castle_table("f3", "f4"), "f3-f4")


def test_a_man_inside_may_move_and_switch_inside_and_outside() -> None:
    """From f4: inside, over the vacant Throne, and out."""
    texts = castle_table("f4", "f2 f8").legal_texts()
    assert {"f4-f5", "f4-f7", "f4-f8", "f4-f3", "f4-f2", "f4-e4"} <= set(texts)
    after = play_turn(castle_table("f4", "f3"), "f4-f3")
    assert (men(after, 1), men(after, 2)) == ("f3", "f4")


def test_a_single_man_never_halts_on_the_throne() -> None:
    """He may cross it."""
    position = castle_table("f5", "k9")
    assert "may not halt on the Throne" in refusal(position, "f5-f6")
    assert {"f5-f7", "f5-f8", "f5-f11"} <= set(position.legal_texts())


def test_a_single_man_does_not_leave_and_enter_the_castle_in_one_move() -> None:
    """From the tip d5 over d6 to the tip d7."""
    position = castle_table("d5", "k9")
    assert "d5-d6" in position.legal_texts()
    assert "leave the castle and enter it again, on d7" in refusal(position, "d5-d7")
    assert "d7" in refusal(position, "d5-d8")
    assert "d7" in refusal(castle_table("d5", "d7 k9"), "d5-d7")


def test_nobody_is_put_onto_the_throne_by_a_switch() -> None:
    """f5 may not switch f7: its last vacant cell is the Throne."""
    position = castle_table("f5", "f7")
    assert "would be put on the Throne" in refusal(position, "f5-f7")


def test_men_run_over_are_placed_immediately_behind_the_moved_phalanx() -> None:
    """Four men run over two that stand two cells off: the two come behind the four."""
    after = play_turn(castle_table("a4 a5 a6", "a7 a8"), "a4..a6-a8")
    assert (men(after, 1), men(after, 2)) == ("a6 a7 a8", "a4 a5")
    after = play_turn(castle_table("b3 b4 b5 b6 k5", "b8 k9"), "b3..b6-b8")
    assert (men(after, 1), men(after, 2)) == ("b5 b6 b7 b8 k5", "b4 k9")


def test_a_phalanx_runs_over_smaller_ones_only() -> None:
    """Two men stop before two."""
    assert "2 men stand up to a7" in refusal(castle_table("a4 a5", "a6 a7"), "a4..a5-a6")


def test_the_last_man_of_the_opposing_phalanx_halts_the_move() -> None:
    """Four men may go three cells, but the single man on b7 halts them there; nor may they stop short on one of two."""
    position = castle_table("b3 b4 b5 b6", "b7")
    assert "b3..b6-b7" in position.legal_texts()
    assert "all or nothing" in refusal(position, "b3..b6-b8")
    assert "all or nothing" in refusal(castle_table("b3 b4 b5 b6", "b7 b8"), "b3..b6-b7")


def test_a_phalanx_may_only_reach_the_last_man_within_its_range() -> None:
    """Three men go two cells: the second of two opposing men one cell off is the third cell."""
    position = castle_table("a4 a5 a6", "a8 a9")
    assert "moves 2 at most" in refusal(position, "a4..a6-a9")
    assert "all or nothing" in refusal(position, "a4..a6-a8")


def test_no_ban_follows_running_over() -> None:
    """The man run over may switch back at once."""
    after = play_turn(castle_table("a4 a5", "a6 k9"), "a4..a5-a6")
    assert (men(after, 1), men(after, 2)) == ("a5 a6", "a4 k9")
    assert "a4-a5" in after.legal_texts()


def test_a_phalanx_outside_or_partly_outside_may_not_switch_men_inside() -> None:
    """Nor the outer part of an opposing line that is partly inside."""
    why = "outside or partly outside the castle may not switch men that are inside"
    assert why in refusal(castle_table("f2 f3", "f4"), "f2..f3-f4")
    assert why in refusal(castle_table("f3 f4", "f5"), "f3..f4-f5")
    partly = castle_table("e2 e3 e4", "e5 e6")
    assert why in refusal(partly, "e2..e4-e6")
    assert why in refusal(partly, "e2..e4-e5")
    assert "e2..e4-e5" in castle_table("e2 e3 e4", "e5").legal_texts()


def test_a_phalanx_inside_may_switch_men_inside_and_outside() -> None:
    """f4 and f5 turned outward run over f3; e6 and e7 run over e8."""
    after = play_turn(castle_table("f4 f5", "f3"), "f5..f4-f3")
    assert (men(after, 1), men(after, 2)) == ("f3 f4", "f5")
    assert "e6..e7-e8" in castle_table("e6 e7", "e8").legal_texts()


def test_the_throne_is_occupied_by_a_phalanx_with_its_head_next_to_it() -> None:
    """The player who occupies it wins."""
    position = castle_table(SIX_INSIDE, SIX_OPPOSING)
    after = play_turn(position, "f4..f5-f6")
    assert after.outcome is not None
    assert (after.outcome.end, after.outcome.winner, after.stage) == ("throne", 1, "over")
    assert after.actions() == ()
    assert "the game is over" in refusal(after, "f7-f6")


def test_the_throne_is_within_reach_one_cell_further_down_when_the_cell_between_is_vacant() -> None:
    """The head on f4, f5 vacant, three men: they end on f4, f5 and the Throne."""
    inside = "f4 e6 d5 g6 h5"
    after = play_turn(castle_table(f"f2 f3 {inside}", "f7 f8 e7 d7 g7"), "f2..f4-f6")
    assert after.outcome is not None
    assert after.outcome.winner == 1


def test_more_than_one_cell_down_the_throne_is_out_of_reach() -> None:
    """On a larger board four men with the head three cells away have the range, but not the right."""
    position = castle_table("g1 g2 g3 g4 f7 e6 h7 i6 h8 i8", "g8 g9 f8 e8", base=7)
    assert position.ground.throne == position.board.parse("g7")
    assert "3 cells ahead of the head" in refusal(position, "g1..g4-g7")
    assert "g1..g4-g6" in position.legal_texts()


def test_at_least_as_many_men_inside_the_castle_as_the_opponent() -> None:
    """Six against six is enough, five against six is not."""
    assert "f4..f5-f6" in castle_table(SIX_INSIDE, SIX_OPPOSING).legal_texts()
    five = castle_table("f4 f5 e6 d5 g6", SIX_OPPOSING)
    assert "they are 5 against 6" in refusal(five, "f4..f5-f6")


def test_more_men_inside_the_castle_than_vacant_cells() -> None:
    """The Throne counts as one of these cells: five men, four vacant cells are enough, five are not."""
    assert "f4..f5-f6" in castle_table("f4 f5 e6 d5 g6", "f7 f8 e7 d7").legal_texts()
    position = castle_table("f4 f5 e6 d5 g6", "f7 f8 e7")
    assert "5 men face 5 vacant cells" in refusal(position, "f4..f5-f6")


def test_the_conditions_are_met_before_the_move() -> None:
    """Men that the move itself brings inside do not count."""
    position = castle_table("f2 f3 f4 e6 d5 g6", "f7 f8 e7 d7 g7")
    assert "4 against 5" in refusal(position, "f2..f4-f6")


def test_a_phalanx_passing_over_the_throne_occupies_it() -> None:
    """Its head ends beyond, one of its men on the Throne."""
    position = castle_table("f3 f4 f5 e6 d5 g6 h5", "e7 d7 g7 h7 f8")
    after = play_turn(position, "f3..f5-f7")
    assert after.outcome is not None
    assert after.outcome.end == "throne"


def test_threefold_repetition_with_the_same_player_to_move_is_a_draw() -> None:
    """Two men go to and fro; the first position of play counts as the first occurrence."""
    position = castle_table("a4 c3", "k9 i10")
    for turn in ("a4-a5", "k9-k8", "a5-a4", "k8-k9") * 2:
        assert position.outcome is None
        position = play_turn(position, turn)
    assert position.outcome is not None
    assert (position.outcome.end, position.outcome.winner) == ("threefold", 0)


def test_the_ban_is_not_part_of_the_position_for_threefold() -> None:
    """The same men and player to move count, whether somebody has just been switched or not."""
    position = castle_table("a4 e2", "a5 k9")
    for turn in ("a4-a5", "k9-k8", "a5-a4", "k8-k9", "a4-a5", "k9-k8", "a5-a4", "k8-k9"):
        assert position.outcome is None
        position = play_turn(position, turn)
    assert position.outcome is not None


def test_a_player_passes_only_when_he_has_no_move() -> None:
    """A player without men can only pass."""
    assert "only where no move is possible" in refusal(castle_table("a4", "k9"), "pass")
    empty = castle_table("", "k9")
    assert empty.legal_texts() == ["pass"]
    assert play_turn(empty, "pass").player == 2


def test_doors_at_the_tips_shut_the_walls_between() -> None:
    """Option `doors`: only castle cells that do not touch the Throne let men in and out."""
    open_walls = castle_table("e3 e4 e5", "k9")
    tips = castle_table("e3 e4 e5", "k9", options={"doors": "tips"})
    assert "e4..e5-e6" in open_walls.legal_texts()
    assert "wall of the castle" in refusal(tips, "e4..e5-e6")
    assert "f2..f3-f4" in castle_table("f2 f3", "k9", options={"doors": "tips"}).legal_texts()


def test_a_castle_of_other_cells() -> None:
    """Option `castle`: a free list of cells, the Throne first."""
    position = GAME.start(hexhex(5), options={"castle": "e5 d5 d6"})
    words = {n: t[0] for n, t in zip(position.board.names, position.tiles(), strict=True) if t[0] != "open"}
    assert words == {"e5": "throne", "d5": "castle", "d6": "castle"}
    with pytest.raises(EngineError, match="twice"):
        GAME.start(hexhex(5), options={"castle": "e5 e5"})
    with pytest.raises(NotationError, match="z9"):
        GAME.start(hexhex(5), options={"castle": "e5 z9"})
    with pytest.raises(EngineError, match="leave cells outside"):
        GAME.start(hexhex(3), options={"castle": " ".join(hexhex(3).names)})


def test_unknown_rules_options_and_boards_are_refused() -> None:
    """Each with what is known."""
    with pytest.raises(EngineError, match="mindsports"):
        GAME.start(hexhex(6), "chess")
    with pytest.raises(EngineError, match="open or tips"):
        GAME.start(hexhex(6), options={"doors": "shut"})
    with pytest.raises(EngineError, match="castle, doors"):
        GAME.start(hexhex(6), options={"colour": "red"})
    with pytest.raises(BoardError, match="lacks"):
        GAME.start(diamond(5))


def test_texts_that_are_no_move() -> None:
    """They are told from moves that are forbidden."""
    position = castle_table("a4", "k9")
    for text in ("", "a4-", "a4..a5", "a4-a5-a6", "a4 to a5", "+a4"):
        with pytest.raises(NotationError):
            position.parse_turn(text)
    with pytest.raises(NotationError, match="z1"):
        position.parse_turn("a4-z1")


def test_a_game_taken_up_in_the_middle() -> None:
    """From the men on the table; nobody has just been switched, and nobody stands on the Throne."""
    after = play_turn(castle_table("a4 k5", "a8 k9"), "a4-a8")
    again = GAME.from_tiles(after.board, after.tiles(), 2)
    assert (again.men, again.stage, again.banned) == (after.men, "play", None)
    tiles = list(after.tiles())
    tiles[after.board.parse("f6")] = ("throne", 1, 1)
    with pytest.raises(EngineError, match="f6: no such tile"):
        GAME.from_tiles(after.board, tiles, 2)


def test_men_on_bare_cells_are_all_that_lies_on_the_table() -> None:
    """No disks; men that change places leave their cells empty for a moment."""
    position = castle_table("a4", "a5 k9")
    assert {look.surface for look in position.look()} == {Surface.BARE}
    action = position.parse_turn("a4-a5")[0]
    bare, one, two = CellLook(Surface.BARE), CellLook(Surface.BARE, 1, 1), CellLook(Surface.BARE, 2, 1)
    cells = {position.board.names[i]: looks for i, looks in position.material(action).items()}
    assert cells == {"a4": (one, bare, two), "a5": (two, bare, one)}


def test_the_areas_are_the_men_inside_the_castle() -> None:
    """They make the score."""
    position = castle_table("f4 a4", "e7 d7")
    names = position.board.names
    assert [(p, {names[i] for i in cells}) for p, cells in position.areas()] == [(1, {"f4"}), (2, {"e7", "d7"})]
    assert position.score() == (1, 2)
