"""Phalanx: recorded games, and the sentences of its rule text and of our readings, one test each."""

import pytest

from engine.board import diamond, hexhex
from engine.errors import EngineError, IllegalActionError, NotationError
from engine.game import play_turn
from engine.games.phalanx import GAME, PhalanxPosition
from engine.look import CellLook, Surface
from tests.games.recorded import check_common, recorded_positions
from tests.games.tables import phalanx_table


def on_table(position: PhalanxPosition) -> dict[str, str]:
    """The cells of the red men, the yellow men and the wall."""
    words = {"red": "", "yellow": "", "wall": ""}
    for name, (tile, owner, _) in zip(position.board.names, position.tiles(), strict=True):
        if tile == "wall" or owner:
            words["wall" if tile == "wall" else ("red", "yellow")[owner - 1]] += f" {name}"
    return {what: cells.strip() for what, cells in words.items()}


def refusal(position: PhalanxPosition, text: str) -> str:
    """The sentence with which a turn is refused."""
    with pytest.raises(IllegalActionError) as error:
        position.parse_turn(text)
    assert text.split(",")[-1] in str(error.value)
    return str(error.value)


def open_after(position: PhalanxPosition, text: str) -> list[str]:
    """What is open after the actions of an unfinished turn."""
    for action in position.parse_turn(text):
        position = position.acted(action)
    return position.legal_texts()


def test_recorded_games() -> None:
    """Every position of the recorded games: table, open actions at every step, refused turns, score, and the end."""
    count = 0
    for position, line in recorded_positions("phalanx"):
        check_common(position, line)
        tiles = zip(position.board.names, map(list, position.tiles()), strict=True)
        assert {n: t for n, t in tiles if t != ["open", 0, 0]} == line["cells"]
        assert position.phase == line["stage"]
        assert [list(position.lost), position.passes] == [line["lost"], line["passes"]]
        now = position
        actions = line["move"].split(",") if line.get("then") else ()
        for text, then in zip(actions, line.get("then", ()), strict=True):
            now = now.acted(next(action for action in now.actions() if str(action) == text))
            assert now.legal_texts() == then.split()
        for text in line.get("refused", ()):
            assert set(text.split(",")) <= set(position.legal_texts())
            refusal(position, text)
        count += 1
    assert count == 239


def test_one_player_places_one_red_man_and_two_yellow_men() -> None:
    """Man by man in any order; the notation has red first, then the cells in the order of the board."""
    start = GAME.start(hexhex(6))
    actions = start.parse_turn("y:c10,r:d4,y:c4")
    assert GAME.format_turn(actions) == "r:d4,y:c4,y:c10"
    half = start.after(actions[0]).after(actions[1])
    assert (half.player, half.stage, half.may_end, half.men_left()) == (1, "placement", False, (0, 1))
    with pytest.raises(IllegalActionError, match="not set all the men"):
        half.end_turn()
    assert "1 red man only" in refusal(start, "r:d4,y:c10,r:d5")
    assert "already" in refusal(start, "r:d4,y:d4")
    with pytest.raises(IllegalActionError, match="only a part of a turn"):
        start.parse_turn("r:d4,y:c4")


@pytest.mark.parametrize("side", ["red", "yellow"])
def test_the_other_player_decides_and_a_second_red_man_is_placed(side: str) -> None:
    """Whoever owns red sets it, which is red's turn; yellow moves next."""
    position = play_turn(GAME.start(hexhex(5)), "r:c4,y:d5,y:f3")
    assert (position.player, position.phase) == (2, "choose")
    assert "takes red or yellow" in refusal(position, "e5")
    position = play_turn(position, side)
    assert (position.player, position.phase, position.swapped) == (1, "extra", side == "red")
    assert "already" in refusal(position, "c4")
    position = play_turn(position, "e5")
    assert on_table(position) == {"red": "c4 e5", "yellow": "d5 f3", "wall": ""}
    assert (position.player, position.stage) == (2, "play")


def test_the_larger_opening_has_two_red_and_three_yellow_men() -> None:
    """Option `opening`; its single men are listed, as the whole placements are hundreds of millions."""
    start = GAME.start(hexhex(6), options={"opening": "2-3"})
    assert start.men_left() == (2, 3)
    assert len(start.legal_texts()) == 2 * 91
    position = play_turn(start, "r:a4,r:a5,y:a6,y:a7,y:a8")
    assert on_table(position) == {"red": "a4 a5", "yellow": "a6 a7 a8", "wall": ""}


def test_grow_any_or_all_of_his_groups_by_one_stone() -> None:
    """Each group once."""
    position = phalanx_table("a3 i7", "e5")
    assert position.legal_texts() == ["+a4", "+b3", "+b4", "+h7", "+h8", "+i6"]
    assert open_after(position, "+a4") == ["+h7", "+h8", "+i6"]
    assert open_after(position, "+a4,+i6") == []
    assert "has grown in this turn already" in refusal(position, "+a4,+b3")
    assert "an own group that stood there when the turn began" in refusal(position, "+a4,+a5")


def test_if_a_single_placement_connects_two_groups_it_has_grown_both() -> None:
    """The man on a4 joins a3 and a5: neither grows again."""
    position = phalanx_table("a3 a5", "i7")
    assert open_after(position, "+a4") == []
    assert "has grown in this turn already" in refusal(position, "+a4,+a6")


def test_two_groups_connect_by_growing_both_when_the_placements_only_touch_one_another() -> None:
    """a4 belongs to a3, a5 to a6; they touch."""
    position = phalanx_table("a3 a6", "i7")
    after = play_turn(position, "+a4,+a5")
    assert on_table(after)["red"] == "a3 a4 a5 a6"


def test_a_new_man_may_not_touch_a_grown_group_and_one_that_has_not_grown() -> None:
    """None of the groups may have had more than one man added to it."""
    position = phalanx_table("a3 a5", "i7")
    assert "has grown in this turn already" in refusal(position, "+b3,+a4")
    assert "has grown in this turn already" in refusal(position, "+b6,+b5")


def test_growth_needs_a_vacant_cell() -> None:
    """Neither men nor wall stand there."""
    position = phalanx_table("a3", "a4", "b4")
    assert position.legal_texts() == ["+b3"]
    assert "a man stands on a4" in refusal(position, "+a4")
    assert "b4 belongs to the wall" in refusal(position, "+b4")


def test_a_group_moves_one_phalanx_only_and_only_one_that_did_not_grow() -> None:
    """The line d3 d4 or the line d4 e4: one of them."""
    position = phalanx_table("d3 d4 e4", "i7")
    moves = [text for text in position.legal_texts() if ".." in text]
    assert moves == ["d3..d4-d5", "d4..d3-d2", "d4..e4-f5", "e4..d4-c3"]
    assert open_after(position, "d3..d4-d5") == []
    assert "has grown in this turn and may not move" in refusal(position, "+c3,d3..d4-d5")


def test_growth_comes_before_movement() -> None:
    """After a movement nothing grows."""
    position = phalanx_table("a3 a4 i6 i7", "e5")
    assert open_after(position, "a3..a4-a5") == ["i7..i6-i5"]
    assert "growth comes before movement" in refusal(position, "a3..a4-a5,+h7")


def test_a_group_that_another_moves_into_loses_its_right() -> None:
    """So the order of movement makes a difference."""
    position = phalanx_table("a3 a4 a6 b7", "i7")
    assert "a3..a4-a5" in position.legal_texts()
    assert open_after(position, "a3..a4-a5") == []
    assert "another group has moved into it" in refusal(position, "a3..a4-a5,a6..b7-c7")
    assert "a3..a4-a5" in open_after(position, "a6..b7-c7")


def test_touching_is_judged_after_the_capture() -> None:
    """The attacker next to the other group becomes wall: the group keeps its right."""
    position = phalanx_table("a3 a4 a6 b7", "a5", base=5)
    after = open_after(position, "a3..a4-a5")
    assert "a6..b7-c7" in after


def test_the_maximum_range_is_one_less_than_its_number() -> None:
    """Three men move up to two cells, and may be moved less; a single man does not move."""
    position = phalanx_table("e2 e3 e4", "i7")
    assert {"e2..e4-e5", "e2..e4-e6", "e3..e4-e5"} <= set(position.legal_texts())
    assert "moves 2 at most" in refusal(position, "e2..e4-e7")
    assert "moves 1 at most" in refusal(position, "e3..e4-e6")
    assert "at least two men" in refusal(position, "e4..e4-e5")
    assert on_table(play_turn(position, "e2..e4-e6"))["red"] == "e4 e5 e6"


def test_the_head_is_a_man_at_either_end_and_the_tail_any_other_man() -> None:
    """The tail chosen in the middle leaves men behind; the middle man is no head."""
    position = phalanx_table("e2 e3 e4", "i7")
    assert on_table(play_turn(position, "e3..e4-e5"))["red"] == "e2 e4 e5"
    assert on_table(play_turn(position, "e3..e2-e1"))["red"] == "e1 e2 e4"
    assert "not straight ahead" in refusal(position, "e2..e4-e1")
    assert "straight line" in refusal(position, "e2..d5-d6")


def test_moving_a_phalanx_may_split_a_group_and_each_part_grows_next_turn() -> None:
    """Two parts, two growths."""
    after = play_turn(phalanx_table("e1 e2 e3 e4", "i7"), "e2..e4-e6")
    assert on_table(after)["red"] == "e1 e4 e5 e6"
    again = play_turn(after, "pass")
    assert len(again.unchanged) == 2
    assert play_turn(again, "+d2,+e7").red.bit_count() == 6


def test_a_phalanx_may_neither_move_onto_nor_over_the_wall_nor_own_men() -> None:
    """Whatever its length."""
    position = phalanx_table("e1 e2 e3", "i7", "e4")
    assert "onto or over the wall, and e4 belongs to it" in refusal(position, "e1..e3-e4")
    assert "onto or over the wall, and e4 belongs to it" in refusal(position, "e1..e3-e5")
    position = phalanx_table("e1 e2 e3 e5", "i7")
    assert "own men" in refusal(position, "e1..e3-e5")
    assert "e1..e3-e4" in position.legal_texts()


def test_all_men_covered_are_prisoners_and_the_men_on_top_become_the_wall() -> None:
    """Three red men cover two yellow ones: two red men go back, two cells are wall, yellow has lost two."""
    after = play_turn(phalanx_table("e1 e2 e3", "e4 e5"), "e1..e3-e5")
    assert on_table(after) == {"red": "e3", "yellow": "", "wall": "e4 e5"}
    assert after.lost == (0, 2)


def test_it_may_only_attack_a_line_that_is_shorter() -> None:
    """Two men do not attack two; chosen tails count, not the whole line."""
    assert "2 opposing men" in refusal(phalanx_table("e1 e2", "e3 e4"), "e1..e2-e3")
    position = phalanx_table("e1 e2 e3", "e4 e5")
    assert "e1..e3-e4" in position.legal_texts()
    assert "2 men attack only a shorter line" in refusal(position, "e2..e3-e4")


def test_red_captures_three_men_and_erects_a_three_cell_section_of_the_wall() -> None:
    """The combination of the text: first the smaller phalanx takes one of three, then three men take the other two."""
    position = phalanx_table("c5 d6 e1 e2 e3", "e4 e5 e6")
    assert "3 opposing men" in refusal(position, "e1..e3-e5")
    first = "c5..d6-e6"
    assert first in position.legal_texts()
    after = play_turn(position, f"{first},e1..e3-e5")
    assert after.lost == (0, 3)
    assert on_table(after)["wall"] == "e4 e5 e6"


def test_a_phalanx_needs_not_to_be_head_to_head() -> None:
    """It attacks across vacant cells, and several lines one after the other."""
    after = play_turn(phalanx_table("e1 e2 e3 e4", "e6"), "e1..e4-e7")
    assert on_table(after) == {"red": "e4 e5 e7", "yellow": "", "wall": "e6"}
    after = play_turn(phalanx_table("e1 e2 e3 e4", "e5 e7"), "e1..e4-e7")
    assert on_table(after) == {"red": "e4 e6", "yellow": "", "wall": "e5 e7"}


def test_a_phalanx_may_halt_partway_over_an_opposing_line() -> None:
    """It must be longer than the whole line, though it covers a part only."""
    after = play_turn(phalanx_table("e1 e2 e3", "e4 e5"), "e1..e3-e4")
    assert on_table(after) == {"red": "e2 e3", "yellow": "e5", "wall": "e4"}


def test_both_players_passing_in_succession_ends_the_game() -> None:
    """A pass does not affect the right to move next turn; one pass and a move do not end it."""
    position = phalanx_table("a3 a4", "i7")
    one = play_turn(position, "pass")
    assert (one.outcome, one.passes) == (None, 1)
    assert play_turn(play_turn(one, "+i6"), "pass").outcome is None
    over = play_turn(one, "pass")
    assert over.outcome is not None
    assert (over.outcome.end, over.outcome.winner, over.stage) == ("passes", 0, "over")
    assert "the game is over" in refusal(over, "+a5")


def test_a_pass_is_a_turn_without_an_action() -> None:
    """Inside a turn it is no action, but the turn may end."""
    position = phalanx_table("a3 i7", "e5")
    half = position.acted(position.parse_turn("+a4")[0])
    assert "pass" in [str(a) for a in position.actions()]
    assert "pass" not in [str(a) for a in half.actions()]
    assert half.may_end
    assert not position.may_end
    with pytest.raises(IllegalActionError, match="is a pass"):
        position.end_turn()
    assert "turn has begun" in refusal(position, "+a4,pass")


def test_territory_is_vacant_cells_connectable_with_men_of_one_color_only_minus_prisoners() -> None:
    """Both colours reach the rest; a corner shut off by red is red's, one by the wall nobody's."""
    position = phalanx_table("a4 b3 b4", "i3", "h7 h8 i6")
    assert position.score() == (1, 0)
    names = position.board.names
    regions = [(owner, {names[i] for i in cells}) for owner, cells in position.areas()]
    assert (1, {"a3"}) in regions
    assert (0, {"i7"}) in regions
    after = play_turn(phalanx_table("e1 e2 e3", "e4 i7"), "e1..e3-e4")
    assert after.lost == (0, 1)
    assert after.score() == (0, -1)


def test_threefold_repetition_ends_the_game_and_scores_it() -> None:
    """Two pairs move to and fro."""
    position = phalanx_table("a3 a4", "i6 i7")
    position = position.played_on()
    turns = ("a3..a4-a5", "i7..i6-i5", "a5..a4-a3", "i5..i6-i7") * 2
    for turn in turns:
        assert position.outcome is None
        position = play_turn(position, turn)
    assert position.outcome is not None
    assert (position.outcome.end, position.outcome.winner) == ("threefold", 0)
    assert position.played_on().outcome is None


def test_a_player_without_men_can_only_pass() -> None:
    """His list of open actions is empty."""
    position = phalanx_table("", "e5")
    assert [str(a) for a in position.actions()] == ["pass"]
    assert position.legal_texts() == []


def test_a_ruling_keeps_the_prisoners() -> None:
    """They do not lie on the board."""
    after = play_turn(phalanx_table("e1 e2 e3", "e4 e5"), "e1..e3-e5")
    tiles = list(after.tiles())
    tiles[after.board.parse("i7")] = ("open", 2, 1)
    ruled = after.with_tiles(tiles, 2)
    assert ruled.lost == after.lost == (0, 2)
    assert [str(action) for action in ruled.actions()][:1] == ["pass"]


def test_on_the_table_the_wall_is_a_dark_disk() -> None:
    """Men stand on bare cells; a captured man is covered or taken off, both leave, the dark disk is laid."""
    position = phalanx_table("e1 e2", "e3", "a3")
    looks = dict(zip(position.board.names, position.look(), strict=True))
    bare, dark = CellLook(Surface.BARE), CellLook(Surface.DARK)
    red, yellow = CellLook(Surface.BARE, 1, 1), CellLook(Surface.BARE, 2, 1)
    assert (looks["a3"], looks["e1"], looks["e3"], looks["e5"]) == (dark, red, yellow, bare)
    stages = position.material(position.parse_turn("e1..e2-e3")[0])
    cells = {position.board.names[i]: steps for i, steps in stages.items()}
    assert cells["e1"] == (red, bare)
    assert cells["e3"][0] == yellow
    assert cells["e3"][-2:] == (bare, dark)
    assert set(cells) == {"e1", "e3"}


def test_unknown_rules_options_and_texts_are_refused() -> None:
    """Each with what is known."""
    with pytest.raises(EngineError, match="mindsports"):
        GAME.start(hexhex(6), "chess")
    with pytest.raises(EngineError, match="1-2 or 2-3"):
        GAME.start(hexhex(6), options={"opening": "9"})
    with pytest.raises(EngineError, match="too few"):
        GAME.start(diamond(2), options={"opening": "2-3"})
    position = phalanx_table("a3", "i7")
    for text in ("", "+", "a3-a4", "a3..a4", "+a4;+b3", "blue"):
        with pytest.raises(NotationError):
            position.parse_turn(text)
    assert "play proper has begun" in refusal(position, "e5")
    assert "play proper has begun" in refusal(position, "red")
