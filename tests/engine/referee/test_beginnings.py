"""How a game begins on a scripted table: placements finished, followed, misread, unfinished, with disks and without."""

from engine.look import UNSEEN, CellLook, CellReading, Surface, certain, men_index
from engine.referee.verdict import Illegal, Pending, Started
from tests.engine.referee.table_script import BOARD, FRAME_S, GAME, Script, kinds, only, opened

BEIGE, BARE, DARK = Surface.BEIGE, Surface.BARE, Surface.DARK
RED, WHITE = 1, 2


def test_a_finished_placement_is_recognised() -> None:
    """The film begins with the men on the board: both placements, first player first."""
    started = only(opened().show(1.0), Started)
    assert isinstance(started, Started)
    assert [ply.text for ply in started.plies] == ["b3,d2,d2", "d6,d6,f4"]
    assert started.position.player == RED


def test_a_hand_over_a_finished_placement_begins_the_game_at_once() -> None:
    """A player who reaches for his first man does not wait for the referee."""
    script = opened()
    script.show(0.2)
    assert kinds(script.hand()) == ["Started"]


def test_a_placement_half_under_a_hand_is_not_finished() -> None:
    """The first look has a hand on it that rests and goes: what lies below it is waited for, not guessed."""
    script = opened("d2,b3", "d6,d6")
    script.show(5.0, hidden=("b3", "b4", "c3"))
    standing = script.referee.standing
    assert isinstance(standing, Pending)
    assert standing.steps[0].text == "b3, b4 and c3 cannot be seen"
    assert kinds(script.hand()) == []
    assert "Started" in kinds(script.show(1.0))
    assert script.record == ["b3,d2", "d6,d6"]


def test_cells_that_stacks_hide_here_and_there_stop_no_beginning() -> None:
    """However many they are; nor do two side by side."""
    script = opened("d2,b3", "d6,d6")
    assert "Started" in kinds(script.show(5.0, hidden=("a3", "a4", "a6", "c5", "c6", "e4", "g4")))


def test_a_placement_is_followed_man_by_man() -> None:
    """From the empty board, man by man; a moment's rest does not begin the game before both sides are placed."""
    script = Script(GAME, GAME.start(BOARD))
    script.show(1.0)
    script.step(1.0, d2=(BEIGE, RED, 1))
    script.step(1.0, d2=(BEIGE, RED, 2))
    script.step(1.0, d6=(BEIGE, WHITE, 1))
    assert isinstance(script.referee.standing, Pending)
    assert script.record == []
    script.step(4.0, d6=(BEIGE, WHITE, 2))
    assert script.record == ["d2,d2", "d6,d6"]


def test_a_disk_that_is_turned_ends_the_placement() -> None:
    """From the empty board, and the first move comes at once: men that went without a disk were still being set, where
    a disk is off as well play has begun from what stood there."""
    script = Script(GAME, GAME.start(BOARD))
    script.show(1.0)
    script.step(1.0, d2=(BEIGE, RED, 2))
    script.step(1.0, d6=(BEIGE, WHITE, 2))
    script.step(1.0, d6=(BEIGE, 0, 0), e6=(BEIGE, WHITE, 2))
    assert script.record == []
    script.step(0.5, d2=(BEIGE, 0, 0))
    script.step(1.0, d2=(BARE, RED, 1), d4=(BEIGE, RED, 2))
    assert script.record == ["d2,d2", "e6,e6", "d2-d4"]


def placed_without_disks() -> Script:
    """A table without disks on which two men a side have been set, one after the other."""
    script = Script(GAME, GAME.start(BOARD))
    script.eye = lambda look: CellReading(UNSEEN.surface, certain(look).men)
    script.show(1.0)
    script.step(1.0, d2=(BARE, RED, 1), b3=(BARE, RED, 1))
    script.step(1.0, d6=(BARE, WHITE, 1), f4=(BARE, WHITE, 1))
    assert script.record == []
    return script


def test_without_disks_the_first_moves_tell_that_the_placement_was_finished() -> None:
    """Two moves of either side in turn do so at once, a single one when nothing follows it for three seconds."""
    script = placed_without_disks()
    script.step(1.0, d2=(BARE, 0, 0), d3=(BARE, RED, 1))
    assert script.record == []
    script.step(1.0, d6=(BARE, 0, 0), d5=(BARE, WHITE, 1))
    assert script.record == ["b3,d2", "d6,f4", "d2-d3", "d6-d5"]
    script = placed_without_disks()
    script.step(4.0, d2=(BARE, 0, 0), d3=(BARE, RED, 1))
    assert script.record == ["b3,d2", "d6,f4", "d2-d3"]


def test_without_disks_men_are_still_set_where_no_rule_allows_it_as_a_move() -> None:
    """Whoever shifts a man off any line, twice, or sets another has not begun to play."""
    script = placed_without_disks()
    script.step(2.0, d2=(BARE, 0, 0), f3=(BARE, RED, 1))
    script.step(2.0, f3=(BARE, 0, 0), c5=(BARE, RED, 1))
    script.step(2.0, d3=(BARE, RED, 1))
    assert script.record == []
    script.step(4.0, d5=(BARE, WHITE, 1))
    assert script.record == ["b3,c5,d3", "d5,d6,f4"]


def test_a_misread_placement_is_told_by_the_first_moves() -> None:
    """Unequal sides cannot be: the game is put together once the moves show what stood there."""
    script = opened()
    script.show(1.0, d2=(BEIGE, RED, 1))
    assert script.record == []
    script.hand()
    script.put(d2=(BARE, RED, 1), d4=(BEIGE, RED, 2))
    script.show(1.0)
    script.step(1.0, f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    assert script.record == ["b3,d2,d2", "d6,d6,f4", "d2-d4", "f4-f5"]


def test_doubles_taken_for_single_men_are_told_once_their_heights_differ() -> None:
    """From above doubles look like single men twice as thick; the first move leaves a man behind, and the eye learns
    how thick they are."""
    script = opened("d2,d2,b3,b3", "d6,d6,f4,f4")
    script.show(1.0, d2=(BEIGE, RED, 1), b3=(BEIGE, RED, 1), d6=(BEIGE, WHITE, 1), f4=(BEIGE, WHITE, 1))
    assert script.record == ["b3,d2", "d6,f4"]
    said = script.step(1.0, d2=(BEIGE, RED, 1), d3=(BEIGE, RED, 1))
    assert kinds(said) == ["Corrected", "Accepted"]
    assert script.record == ["b3,b3,d2,d2", "d6,d6,f4,f4", "d2:1-d3"]
    script.step(1.0, f4=(BARE, WHITE, 1), f6=(BEIGE, WHITE, 2))
    assert script.record[3:] == ["f4-f6"]


def placed_one_by_one() -> Script:
    """From the empty board: d2 is a double and d6 too, of which the eye sees but one man, and so on for ever."""
    script = Script(GAME, GAME.start(BOARD))
    script.show(1.0)
    script.step(1.0, d2=(BEIGE, RED, 2))
    script.step(1.0, b3=(BEIGE, RED, 1))
    script.hand()
    script.put(d6=(BEIGE, WHITE, 2), f4=(BEIGE, WHITE, 1))
    script.show(6.0, d6=(BEIGE, WHITE, 1))
    assert script.record == []
    return script


def test_a_misread_placement_that_was_watched_is_told_by_the_first_moves() -> None:
    """Men are not equal as the eye sees them, and the game begins nevertheless, with what must have stood there."""
    script = placed_one_by_one()
    script.hand()
    script.put(d2=(BARE, RED, 1), d4=(BEIGE, RED, 2))
    script.show(1.0, d6=(BEIGE, WHITE, 1))
    script.hand()
    script.put(f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    script.show(1.0, d6=(BEIGE, WHITE, 1))
    script.hand()
    script.put(b3=(BARE, 0, 0), b4=(BEIGE, RED, 1))
    script.show(1.0, d6=(BEIGE, WHITE, 1))
    script.step(1.0, d6=(BARE, WHITE, 1), b5=(BEIGE, WHITE, 2))
    assert script.record == ["b3,d2,d2", "d6,d6,f4", "d2-d4", "f4-f5", "b3-b4", "d6-b5"]
    assert not any(isinstance(verdict, Illegal) for verdict in script.said)


def test_a_misread_placement_that_goes_on_is_none() -> None:
    """Men that are added are a placement that was not finished, whatever stack may have been misread."""
    script = placed_one_by_one()
    script.step(4.0, d6=(BEIGE, WHITE, 1), f5=(BEIGE, WHITE, 1))
    assert script.record == ["b3,d2,d2", "d6,f4,f5"]


def test_a_man_shifted_after_the_placement_has_moved_when_he_stays() -> None:
    """Both sides are complete and he stands where a first move might take him; the disk that he left is asked for."""
    script = Script(GAME, GAME.start(BOARD))
    script.show(1.0)
    script.step(1.0, d2=(BEIGE, RED, 1), b3=(BEIGE, RED, 1))
    script.step(1.0, d6=(BEIGE, WHITE, 1), f4=(BEIGE, WHITE, 1))
    script.step(2.0, d2=(BEIGE, 0, 0), d3=(BEIGE, RED, 1))
    assert script.record == []
    script.show(2.0)
    assert script.record == ["b3,d2", "d6,f4", "d2-d3"]
    assert [reminder.text for reminder in script.referee.reminders] == ["take the disk off d2"]


def test_what_a_misread_placement_has_come_to_counts_when_the_watching_ends() -> None:
    """A single ply was played, which one of the likely placements explains best."""
    script = placed_one_by_one()
    script.hand()
    script.put(d2=(BARE, RED, 1), d4=(BEIGE, RED, 2))
    script.show(1.0, d6=(BEIGE, WHITE, 1))
    script.referee.conclude(script.frame * FRAME_S, script.frame)
    assert script.record == ["b3,d2,d2", "d6,d6,f4", "d2-d4"]


def test_missing_disks_make_one_doubt_that_the_game_begins_only_now() -> None:
    """One may be forgotten; where two are gone, or one is turned, the start says so, and begins as ever."""
    for gone, doubt in (
        (("c5",), ""),
        (("c5", "e5"), "the disks of c5 and e5 look as if a game were under way"),
    ):
        script = opened()
        script.put(**dict.fromkeys(gone, (BARE, 0, 0)))
        started = only(script.show(1.0), Started)
        assert isinstance(started, Started)
        assert started.doubt == doubt
    script = opened()
    script.put(c5=(DARK, 0, 0))
    started = only(script.show(1.0), Started)
    assert isinstance(started, Started)
    assert started.doubt == "the disk of c5 looks as if a game were under way"


def test_a_board_that_nobody_can_see_is_not_empty() -> None:
    """Something lies over the whole board and goes: the men were there before, so no disk that is off begins a game."""
    script = opened()
    script.show(0.2, hidden=BOARD.names)
    script.hand()
    script.show(0.3)
    script.step(1.0, c5=(BARE, 0, 0), d5=(BARE, 0, 0), e5=(BARE, 0, 0), d2=(BEIGE, RED, 1))
    assert script.record == ["b3,d2,d2", "d6,d6,f4"]


def test_three_disks_that_are_gone_are_waited_for() -> None:
    """Neither at rest nor by a hand does a game begin on such a table; with the disks in place it does at once."""
    script = opened()
    script.put(c5=(BARE, 0, 0), d5=(BARE, 0, 0), e5=(BARE, 0, 0))
    script.step(2.0, f5=(BARE, 0, 0))
    pending = script.referee.standing
    assert isinstance(pending, Pending)
    assert pending.steps[0].text == "the disks of c5, d5, e5 and f5 look as if a game were under way"
    script.step(1.0, c5=(BEIGE, 0, 0), d5=(BEIGE, 0, 0), e5=(BEIGE, 0, 0), f5=(BEIGE, 0, 0))
    assert script.record == ["b3,d2,d2", "d6,d6,f4"]


def test_disks_that_are_gone_and_unequal_sides_begin_no_game() -> None:
    """Neither the men of an opening nor its disks: what follows would be a wrong record, so somebody must say more."""
    script = opened()
    script.put(d2=(BARE, RED, 1), c5=(BARE, 0, 0))
    script.show(1.0)
    pending = script.referee.standing
    assert isinstance(pending, Pending)
    assert pending.steps[0].text == "the disks of c5 and d2 look as if a game were under way"
    script.hand()
    script.put(d4=(BEIGE, RED, 1), d2=(BARE, 0, 0))
    script.show(1.0)
    script.step(1.0, f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    script.step(1.0, d4=(BARE, 0, 0), d5=(BEIGE, RED, 1))
    assert script.record == []


def unsure_of_heights(look: CellLook) -> CellReading:
    """A cell on which one man more is nearly as likely."""
    seen = certain(look)
    more = men_index(look.men, look.height + 1)
    return CellReading(seen.surface, tuple(-0.4 if look.men and i == more else v for i, v in enumerate(seen.men)))


def test_an_illegal_first_move_is_an_alarm_whatever_the_opening_was() -> None:
    """How high the stacks are is still open, but none of the likely openings allows this; put right, play goes on."""
    script = opened()
    script.eye = unsure_of_heights
    script.show(0.3)
    script.step(3.0, d2=(BEIGE, 0, 0), c5=(BEIGE, RED, 2))
    assert script.record == []
    alarm = only(script.said, Illegal)
    assert isinstance(alarm, Illegal)
    assert (BOARD.names[alarm.source or 0], BOARD.names[alarm.target or 0]) == ("d2", "c5")
    script.step(1.0, d2=(BEIGE, RED, 2), c5=(BEIGE, 0, 0))
    assert kinds(script.said) == ["Illegal", "PutRight"]
    script.step(1.0, d2=(BARE, RED, 1), d4=(BEIGE, RED, 2))
    script.step(1.0, f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    assert script.record == ["b3,d2,d2", "d6,d6,f4", "d2-d4", "f4-f5"]
    assert kinds(script.said).count("Illegal") == 1
