"""Hexteroyd: recorded games, and the sentences of its rule text and of our readings, one test each."""

from dataclasses import replace

import pytest

from engine.board import diamond, hexhex
from engine.errors import BoardError, EngineError, IllegalActionError, NotationError
from engine.game import play_turn
from engine.games.hexteroyd import DISKS, GAME, HAND, HexteroydPosition
from engine.look import NEUTRAL, CellLook, Surface
from tests.games.recorded import check_common, recorded_positions
from tests.games.tables import hexteroyd_table


def disks(position: HexteroydPosition, word: str) -> str:
    """The cells with a light or dark disk."""
    return " ".join(n for n, tile in zip(position.board.names, position.tiles(), strict=True) if tile[0] == word)


def refusal(position: HexteroydPosition, text: str) -> str:
    """The sentence with which a turn is refused."""
    with pytest.raises(IllegalActionError) as error:
        position.parse_turn(text)
    assert text not in position.legal_texts()
    return str(error.value)


def turns_at(position: HexteroydPosition, cell: str) -> list[str]:
    """The legal turns that place a pawn on a cell, without the cell's name."""
    return [text.replace(f"@{cell}", "@") for text in position.legal_texts() if f"@{cell}(" in text]


def test_recorded_games() -> None:
    """Every position of the recorded games: table, legal turns, hands, score, and the end."""
    count = 0
    for position, line in recorded_positions("hexteroyd"):
        check_common(position, line)
        tiles = zip(position.board.names, map(list, position.tiles()), strict=True)
        assert {n: t for n, t in tiles if t != ["open", 0, 0]} == line["cells"]
        assert [list(map(list, position.hands)), position.passes] == [line["hands"], line["passes"]]
        count += 1
    assert count == 204


def test_a_board_of_61_cells_12_pawns_and_60_disks() -> None:
    """6 pawns valued 1, 4 valued 2, 2 valued 3, divided into two equal sets; 6 disks on the board."""
    start = GAME.start(hexhex(5))
    assert len(start.board) == 61
    both = start.hands[0] + start.hands[1]
    assert start.hands[0] == start.hands[1]
    assert [both.count(value) for value in (1, 2, 3)] == [6, 4, 2]
    assert start.disks_left == 60 - 6


def test_the_starting_position_alternates_round_the_centre() -> None:
    """d5, e6 and f5 are white, the other three black; option `start` turns them round. White begins."""
    start = GAME.start(hexhex(5))
    assert (disks(start, "light"), disks(start, "dark"), start.player) == ("d5 e6 f5", "d6 e4 f6", 1)
    other = GAME.start(hexhex(5), options={"start": "d6"})
    assert (disks(other, "light"), disks(other, "dark")) == ("d6 e4 f6", "d5 e6 f5")


def test_a_pawn_is_placed_next_to_at_least_as_many_own_disks_as_its_value() -> None:
    """Exactly as many of them turn over, the player's choice."""
    position = hexteroyd_table("d4 d5 e4", "i3")
    assert {text[0] for text in turns_at(position, "e5")} == {"1", "2"}
    assert {text for text in turns_at(position, "e5") if text[0] == "1" and "*" not in text} == {
        "1@(d5)",
        "1@(e4)",
    }
    after = play_turn(position, "2@e5(d5,e4)")
    assert (disks(after, "light"), disks(after, "dark")) == ("d4", "d5 e4 i3")
    assert after.hands == ((1, 1, 1, 2, 3), HAND)
    assert dict(zip(after.board.names, after.tiles(), strict=True))["e5"] == ("open", NEUTRAL, 2)


def test_placements_that_break_a_sentence_are_refused_with_it() -> None:
    """Value, cell, number and owner of the disks."""
    position = hexteroyd_table("d4 d5 e4", "d6", "g5:1", hands=((1, 2), HAND))
    assert "no pawn of value 3 in hand" in refusal(position, "3@e5(d5,e4,d6)")
    assert "a pawn stands on g5" in refusal(position, "1@g5(f5)")
    assert "a disk lies on d5" in refusal(position, "1@d5(d4)")
    assert "needs 2 disks of the player next to it, and c4 has 1" in refusal(hexteroyd_table("d5", "i3"), "2@c4(d5,d4)")
    assert "exactly 2 disks" in refusal(position, "2@e5(d5)")
    assert "exactly 1 disk" in refusal(position, "1@e5(d5,e4)")
    assert "d6 does not hold a disk of the player" in refusal(position, "2@e5(d5,d6)")
    assert "exactly 2 disks" in refusal(position, "2@e5(d5,d5)")


def test_he_fills_all_free_cells_next_to_the_pawn() -> None:
    """Disks and pawns stay."""
    position = hexteroyd_table("d5", "d6", "e6:1")
    after = play_turn(position, "1@e5(d5)*")
    assert disks(after, "light") == "e4 f5 f6"
    assert disks(after, "dark") == "d5 d6"


def test_there_is_no_filling_when_nothing_is_free() -> None:
    """All six neighbours are taken."""
    position = hexteroyd_table("d5 e4 f5", "d6 e6 f6")
    assert not any(text.endswith("*") for text in turns_at(position, "e5"))
    assert "no free cell is next to e5" in refusal(position, "1@e5(d5)*")


def test_he_turns_opposing_disks_up_to_the_value_but_not_those_just_turned() -> None:
    """'White can then turn up to two opponent's discs (but not those just turned).'"""
    position = hexteroyd_table("d5 e4", "d6 e6 f6")
    assert [text for text in turns_at(position, "e5") if text.startswith("2") and "[" in text] == [
        "2@(d5,e4)[d6,e6]",
        "2@(d5,e4)[d6,f6]",
        "2@(d5,e4)[d6]",
        "2@(d5,e4)[e6,f6]",
        "2@(d5,e4)[e6]",
        "2@(d5,e4)[f6]",
    ]
    after = play_turn(position, "2@e5(d5,e4)[d6,f6]")
    assert (disks(after, "light"), disks(after, "dark")) == ("d6 f6", "d5 e4 e6")
    assert "turns 2 disks at most" in refusal(position, "2@e5(d5,e4)[d6,e6,f6]")
    assert "was just turned" in refusal(position, "2@e5(d5,e4)[d5]")
    assert "opposing disk next to e5" in refusal(position, "2@e5(d5,e4)[f5]")
    assert "opposing disk next to e5" in refusal(position, "1@e5(d5)[e4]")
    assert "named once" in refusal(position, "2@e5(d5,e4)[d6,d6]")


def test_option_turn_all_turns_any_number() -> None:
    """A pawn of value 1 may turn all three."""
    position = replace(hexteroyd_table("d5 e4", "d6 e6 f6"), turn_all=True)
    assert "1@e5(d5)[d6,e6,f6]" in position.legal_texts()
    assert GAME.start(hexhex(5), options={"turn": "all"}).turn_all


def test_the_second_part_is_optional_and_one_of_the_two() -> None:
    """The turn may end after the placement; nothing follows filling or turning."""
    position = hexteroyd_table("d5", "d6")
    half = position.after(position.parse_turn("1@e5(d5)*")[0])
    assert (half.player, half.may_end, len(half.turn)) == (1, True, 1)
    assert {str(action) for action in half.actions()} == {"*", "[d6]"}
    assert half.end_turn().player == 2
    assert "goes on with filling or turning" in refusal(half, "pass")
    assert half.after(half.actions()[0]).player == 2
    with pytest.raises(IllegalActionError, match="is a pass"):
        position.end_turn()


def test_a_placement_that_nothing_can_follow_ends_the_turn() -> None:
    """No free cell, no opposing disk but the one just turned."""
    position = hexteroyd_table("a4 b3", "a7", "b4:1")
    assert turns_at(position, "a3")[:2] == ["1@(a4)", "1@(b3)"]
    assert position.after(position.parse_turn("1@a3(a4)")[0]).player == 2


def test_filling_or_turning_needs_a_pawn_placed_in_the_same_turn() -> None:
    """They are no turns of their own."""
    position, half = hexteroyd_table("d5", "d6"), hexteroyd_table("d5", "d6")
    then = half.after(half.parse_turn("1@e5(d5)")[0]).actions()
    for action in then:
        with pytest.raises(IllegalActionError, match="only after a pawn has been placed"):
            position.after(action)


def test_3_at_least_1_plus_2() -> None:
    """Image 6: the pawn valued 2 next to one black disk is taken back with three white disks, not with two."""
    position = hexteroyd_table("d5 e4 f5", "d6", "e5:2")
    assert "-e5" in position.legal_texts()
    after = play_turn(position, "-e5")
    assert disks(after, "light") == "d5 e4 e5 f5"
    assert after.hands == ((1, 1, 1, 2, 2, 2, 3), HAND)
    assert "needs 3 of the player, and there are 2" in refusal(hexteroyd_table("d5 e4", "d6", "e5:2"), "-e5")


def test_a_pawn_valued_3_with_2_black_disks_cannot_be_removed() -> None:
    """Image 7: he needs at least 5 white disks round it, and there is room for 4: 3 + 2 = 5."""
    position = hexteroyd_table("d5 e4 f5 e6", "d6 f6", "e5:3")
    assert "needs 5 of the player, and there are 4" in refusal(position, "-e5")
    assert "-e5" in hexteroyd_table("d5 e4 f5 e6", "d6", "e5:3").legal_texts()


def test_any_pawn_that_qualifies_is_taken_into_the_players_own_hand() -> None:
    """Pawns on the board belong to nobody: black takes the one that white placed."""
    position = hexteroyd_table("d5", "d6 e6", "e5:1", hands=((1, 1, 2, 2, 3), HAND), player=2)
    after = play_turn(position, "-e5")
    assert after.hands == ((1, 1, 2, 2, 3), (1, 1, 1, 1, 2, 2, 3))
    assert disks(after, "dark") == "d6 e5 e6"
    assert "no pawn stands on d6" in refusal(position, "-d6")


def test_filling_and_taking_back_are_illegal_when_the_disks_run_out() -> None:
    """All 60 disks lie on a larger board: nothing is left to fill with or to put in a pawn's place."""
    names = hexhex(6).names
    position = GAME.start(hexhex(6))
    cells = sum(1 << position.board.parse(name) for name in names[:60])
    pawns = tuple(int(i == 61) for i in range(91))
    full = replace(position, light=cells, dark=0, pawns=pawns)
    assert (full.disks_left, DISKS) == (0, 60)
    assert not any(text.endswith("*") or text.startswith("-") for text in full.legal_texts())
    place = next(text for text in full.legal_texts() if text.startswith("1@"))
    assert "but only 0 are left" in refusal(full, f"{place}*")


def test_the_score_is_the_best_group_minus_the_hand() -> None:
    """'White has 2 groups valued 4 and 5. In his hand a pawn valued 1 and one valued 2. His score is 5 − (1+2) = 2.'"""
    position = hexteroyd_table("a3 i7 i6", "e9", "a4:3 b3:1 h7:2 i5:3", hands=((1, 2), ()))
    assert position.score() == (5 - (1 + 2), 0)
    best = {player: {position.board.names[i] for i in cells} for player, cells in position.areas()}
    assert best == {1: {"i6", "i7"}, 2: {"e9"}}


def test_two_discs_connected_only_by_a_pawn_are_two_groups() -> None:
    """'A pawn is not part of a group.' It counts for both."""
    position = hexteroyd_table("a3 a5", "", "a4:2 a6:1", hands=((), ()))
    assert position.score() == (3, 0)
    joined = hexteroyd_table("a3 a5", "", "a4:2 a6:1 b3:1", hands=((), ()))
    assert joined.score() == (3, 0)


def test_a_pawn_counts_once_a_group() -> None:
    """Though it touches three of its disks."""
    assert hexteroyd_table("d5 d6 e6", "", "e5:3", hands=((), ())).score() == (3, 0)


def test_no_group_counts_0_and_scores_may_be_negative() -> None:
    """A player without a disk has only his hand to subtract."""
    assert hexteroyd_table("", "a3", hands=((1, 2), (3,))).score() == (-3, -3)


def test_passing_is_always_allowed_and_two_passes_end_the_game() -> None:
    """One who has passed can rejoin the game."""
    position = GAME.start(hexhex(5))
    one = play_turn(position, "pass")
    assert (one.player, one.passes, one.outcome) == (2, 1, None)
    again = play_turn(one, "1@c6(d6)*")
    assert again.passes == 0
    over = play_turn(play_turn(again, "pass"), "pass")
    assert over.outcome is not None
    assert (over.outcome.end, over.outcome.winner, over.stage) == ("passes", 2, "over")
    assert over.legal_texts() == []
    assert "the game is over" in refusal(over, "pass")
    assert over.played_on().outcome is None


def test_equal_scores_are_a_draw() -> None:
    """Nobody wins where both pass at once."""
    over = play_turn(play_turn(GAME.start(hexhex(5)), "pass"), "pass")
    assert over.outcome is not None
    assert over.outcome.winner == 0


def test_the_hands_are_part_of_the_position() -> None:
    """The same table with other hands is another position."""
    position = GAME.start(hexhex(5))
    assert position != replace(position, hands=((1,), HAND))
    assert len({position, replace(position, hands=((1,), HAND)), GAME.start(hexhex(5))}) == 2


def test_a_ruling_takes_pawns_from_the_hands() -> None:
    """A pawn that appears leaves the hand of the player whose turn it was; there are only four of value 2."""
    start = GAME.start(hexhex(5))
    tiles = list(start.tiles())
    for name in ("a3", "a5", "a7"):
        tiles[start.board.parse(name)] = ("open", NEUTRAL, 2)
    ruled = start.with_tiles(tiles, 2)
    assert ruled.hands == ((1, 1, 1, 3), (1, 1, 1, 2, 3))
    assert ruled.with_tiles(start.tiles(), 1).hands == ((1, 1, 1, 3), (1, 1, 1, 2, 2, 2, 2, 3))
    for name in ("i3", "i5"):
        tiles[start.board.parse(name)] = ("open", NEUTRAL, 2)
    with pytest.raises(EngineError, match="only 4 pawns of value 2"):
        start.with_tiles(tiles, 2)


def test_on_the_table_pawns_are_stacks_of_neutral_men() -> None:
    """Disks show their light or dark faces; they are lifted to be turned, and stacks grow man by man."""
    position = hexteroyd_table("d5 e4", "d6")
    light, dark, bare = CellLook(Surface.LIGHT), CellLook(Surface.DARK), CellLook(Surface.BARE)
    looks = dict(zip(position.board.names, position.look(), strict=True))
    assert (looks["d5"], looks["d6"], looks["a3"]) == (light, dark, bare)
    place, fill = position.parse_turn("2@e5(d5,e4)*")
    stages = {position.board.names[i]: steps for i, steps in position.material(place).items()}
    pawn = [CellLook(Surface.BARE, NEUTRAL, height) for height in (1, 2)]
    assert stages == {"d5": (light, bare, dark), "e4": (light, bare, dark), "e5": (bare, *pawn)}
    half = position.after(place)
    assert {half.board.names[i] for i in half.material(fill)} == {"e6", "f5", "f6"}
    taken = hexteroyd_table("d5 e4 f5", "d6", "e5:2")
    stages = {taken.board.names[i]: s for i, s in taken.material(taken.parse_turn("-e5")[0]).items()}
    assert stages == {"e5": (pawn[1], pawn[0], bare, light)}


def test_lists_of_cells_are_read_in_any_order() -> None:
    """And written in the board's."""
    position = hexteroyd_table("d5 e4", "d6 f6")
    actions = position.parse_turn("2@e5(e4,d5)[f6,d6]")
    assert GAME.format_turn(actions) == "2@e5(d5,e4)[d6,f6]"


def test_unknown_rules_options_boards_and_texts_are_refused() -> None:
    """Each with what is known."""
    with pytest.raises(EngineError, match="mindsports"):
        GAME.start(hexhex(5), "2.0")
    with pytest.raises(EngineError, match="value or all"):
        GAME.start(hexhex(5), options={"turn": "some"})
    with pytest.raises(BoardError, match="lacks"):
        GAME.start(diamond(4))
    position = GAME.start(hexhex(5))
    for text in ("", "1@c5", "1@c5()", "c5", "*", "[d6]", "1@c5(d5)*[d6]", "1@c5(d5)[]", "--d4"):
        with pytest.raises(NotationError):
            position.parse_turn(text)
    with pytest.raises(NotationError, match="z1"):
        position.parse_turn("1@z1(d5)")
