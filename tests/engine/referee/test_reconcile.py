"""The referee's reasoning, on a scripted table: one test for each thing that people do over the board."""

import random

import pytest

from engine.errors import EngineError
from engine.look import Surface
from engine.referee.verdict import (
    Accepted,
    How,
    Illegal,
    Pending,
    Reminder,
    Resolved,
    TookBack,
)
from tests.engine.referee.table_script import BOARD, GAME, Script, kinds, only, opened, tiles_position

BEIGE, BARE, DARK = Surface.BEIGE, Surface.BARE, Surface.DARK
RED, WHITE = 1, 2


@pytest.fixture
def table() -> Script:
    """Red: two men on d2, one on b3. White: two on d6, one on f4. The game has begun."""
    script = opened()
    script.show(1.0)
    assert script.record == ["b3,d2,d2", "d6,d6,f4"]
    return script


# -- turns in pieces -----------------------------------------------------------------------------------------------


def test_a_turn_in_four_reaches_of_the_hand_is_one_move() -> None:
    """A captured stack taken off, the stack moved, the disk lifted, the new man set, a second between each."""
    position = tiles_position(GAME, BOARD, {"d2": ("virgin", RED, 2), "d4": ("virgin", WHITE, 2)}, RED)
    script = Script(GAME, position)
    script.show()
    script.step(1.0, d4=(BEIGE, 0, 0))
    pending = script.referee.standing
    assert isinstance(pending, Pending)
    script.step(1.0, d2=(BEIGE, 0, 0), d4=(BEIGE, RED, 2))
    pending = script.referee.standing
    assert isinstance(pending, Pending)
    assert pending.turn == "d2-d4"
    assert pending.steps[0].text == "take the disk off d2 and set one red man on d2"
    script.step(1.0, d2=(BARE, 0, 0))
    assert script.record == []
    said = script.step(0.2, d2=(BARE, RED, 1))
    assert kinds(said) == ["PutRight", "Accepted"]
    assert script.record == ["d2-d4"]


def test_a_whole_turn_in_one_reach_is_accepted_with_the_first_reading(table: Script) -> None:
    """No waiting where the board agrees with the rules."""
    table.hand()
    table.put(d2=(BARE, RED, 1), d4=(BEIGE, RED, 2))
    accepted = only(table.show(0.01), Accepted)
    assert isinstance(accepted, Accepted)
    assert accepted.margin >= 3.0
    assert [(ply.player, ply.text, ply.how) for ply in accepted.plies] == [(RED, "d2-d4", How.SEEN)]


def test_a_split_is_told_from_the_whole_stack(table: Script) -> None:
    """The top man of two moves one cell."""
    table.step(0.2, d2=(BEIGE, RED, 1), d3=(BEIGE, RED, 1))
    assert table.record[2:] == ["d2:1-d3"]


def test_hovering_nudging_and_lifting_give_nothing(table: Script) -> None:
    """A hand that comes and goes, a hand that rests, a piece lifted and put back."""
    before = len(table.said)
    table.hand(1.0)
    table.show(1.0)
    table.show(1.0, hidden=("d2", "d3", "c3"))
    table.step(0.5, d2=(BEIGE, 0, 0))
    table.step(2.0, d2=(BEIGE, RED, 2))
    assert {*kinds(table.said[before:])} <= {"Pending", "PutRight"}
    assert table.record[2:] == []


# -- disks -----------------------------------------------------------------------------------------------------


def test_a_forgotten_disk_is_reminded_of_and_play_goes_on(table: Script) -> None:
    """The move counts after a moment; the reminder stays while the other plays, and goes when it is put right."""
    table.step(2.0, b3=(BEIGE, 0, 0), b4=(BEIGE, RED, 1))
    reminder = only(table.said, Reminder)
    assert isinstance(reminder, Reminder)
    assert (BOARD.names[reminder.cell], reminder.text) == ("b3", "take the disk off b3")
    table.step(0.5, f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    assert table.record[2:] == ["b3-b4", "f4-f5"]
    assert [BOARD.names[r.cell] for r in table.referee.reminders] == ["b3"]
    only(table.step(0.3, b3=(BARE, 0, 0)), Resolved)
    assert table.referee.reminders == ()


def test_the_next_move_ends_the_waiting_for_a_disk(table: Script) -> None:
    """The other player has moved before the disk was missed."""
    table.step(0.3, b3=(BEIGE, 0, 0), b4=(BEIGE, RED, 1))
    assert table.record[2:] == []
    table.step(0.5, f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    assert table.record[2:] == ["b3-b4", "f4-f5"]
    assert [BOARD.names[r.cell] for r in table.referee.reminders] == ["b3"]


def test_a_missing_new_man_is_a_reminder(table: Script) -> None:
    """A double has left a virgin cell and nobody set the new man."""
    table.step(2.0, d2=(BARE, 0, 0), d4=(BEIGE, RED, 2))
    reminder = only(table.said, Reminder)
    assert isinstance(reminder, Reminder)
    assert reminder.text == "set one red man on d2"
    assert table.record[2:] == ["d2-d4"]


def test_a_disk_turned_where_nobody_moved_is_a_reminder(table: Script) -> None:
    """The rules decide what the cell is; the table only shows it."""
    table.step(2.0, a3=(DARK, 0, 0))
    reminder = only(table.said, Reminder)
    assert isinstance(reminder, Reminder)
    assert reminder.text == "turn the disk on a3 to beige"
    assert table.referee.position.tiles()[BOARD.by_name["a3"]] == ("virgin", 0, 0)


# -- against the rules -------------------------------------------------------------------------------------------


def test_an_illegal_move_raises_one_alarm_and_the_game_waits(table: Script) -> None:
    """After it has stood for 1.5 seconds, once, with the rule and how to put it right."""
    said = table.step(1.4, b3=(BEIGE, 0, 0), b6=(BEIGE, RED, 1))
    assert not [v for v in said if isinstance(v, Illegal)]
    alarm = only(table.show(3.0), Illegal)
    assert isinstance(alarm, Illegal)
    assert (alarm.player, BOARD.names[alarm.source or 0], BOARD.names[alarm.target or 0]) == (RED, "b3", "b6")
    assert alarm.why == "b3-b6 moves 3 cells but the piece is 1 high"
    assert [step.text for step in alarm.repair] == ["set one red man on b3", "take the red man off b6"]
    table.step(1.0, f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    assert table.record[2:] == []
    table.step(0.5, b3=(BEIGE, RED, 1), b6=(BEIGE, 0, 0), f4=(BEIGE, WHITE, 1), f5=(BEIGE, 0, 0))
    assert "PutRight" in kinds(table.said)
    assert table.referee.standing is None
    assert table.record[2:] == []


@pytest.mark.parametrize("order", ["together", "disk first", "disk later"])
@pytest.mark.parametrize("disk", [BARE, DARK])
def test_an_illegal_move_with_its_disk_turned_is_an_alarm(table: Script, disk: Surface, order: str) -> None:
    """Two men pass over a wall, and the disk they left is taken off or turned: an alarm until all is put back."""
    before = dict(table.looks)
    if order == "disk first":
        table.step(1.0, d2=(disk, 0, 0))
    elif order == "disk later":
        table.step(1.0, d2=(BEIGE, 0, 0), d5=(BEIGE, RED, 2))
    table.step(4.0, d2=(disk, 0, 0), d5=(BEIGE, RED, 2))
    alarm = only(table.said, Illegal)
    assert table.referee.standing == alarm
    table.hand()
    table.looks = before
    table.show(2.0)
    assert table.referee.standing is None
    assert table.referee.reminders == ()
    assert table.record[2:] == []


def test_an_illegal_move_is_not_explained_by_plies_that_were_seen_clearly(table: Script) -> None:
    """Had red gone elsewhere two plies ago the table would be legal; but red was seen going where he went."""
    table.step(1.0, b3=(BARE, 0, 0), b4=(BEIGE, RED, 1))
    table.step(1.0, f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    table.step(4.0, b4=(BEIGE, 0, 0), a3=(BEIGE, RED, 1))
    only(table.said, Illegal)
    assert table.record[2:] == ["b3-b4", "f4-f5"]


def test_a_short_slip_raises_no_alarm(table: Script) -> None:
    """Put back within a second."""
    table.step(1.0, b3=(BEIGE, 0, 0), b6=(BEIGE, RED, 1))
    table.step(2.0, b3=(BEIGE, RED, 1), b6=(BEIGE, 0, 0))
    assert "Illegal" not in kinds(table.said)


def test_a_man_from_nowhere_is_an_alarm_after_a_while(table: Script) -> None:
    """No move explains it; nobody is accused of one."""
    alarm = only(table.step(6.0, a4=(BEIGE, RED, 1)), Illegal)
    assert isinstance(alarm, Illegal)
    assert alarm.source is None
    assert [step.text for step in alarm.repair] == ["take the red man off a4"]


# -- taking back, passing, missing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("plies", [1, 2])
def test_the_table_goes_back(table: Script, plies: int) -> None:
    """One ply or two are taken back by putting the men where they were."""
    looks = [table.referee.position.look()]
    for cells in ({"b3": (BARE, 0, 0), "b4": (BEIGE, RED, 1)}, {"f4": (BARE, 0, 0), "f5": (BEIGE, WHITE, 1)}):
        table.step(0.5, **cells)
        looks.append(table.referee.position.look())
    table.hand()
    table.lay(looks[-1 - plies])
    taken = only(table.show(1.0), TookBack)
    assert isinstance(taken, TookBack)
    assert taken.count == plies
    assert len(table.record) == 4 - plies


def test_the_same_colour_again_means_a_silent_pass(table: Script) -> None:
    """Red moves, white says pass, red moves: the pass is in the record, and it says that nobody saw it."""
    table.step(0.5, b3=(BARE, 0, 0), b4=(BEIGE, RED, 1))
    table.step(1.5, b4=(BARE, 0, 0), b5=(BEIGE, RED, 1))
    assert table.record[2:] == ["b3-b4", "pass", "b4-b5"]
    assert [ply.how for ply in table.referee.plies[3:]] == [How.INFERRED, How.SEEN]


def test_whoever_can_only_pass_has_passed() -> None:
    """White is walled in: red moves, and after a moment it is red's turn again."""
    cells = dict.fromkeys(("a4", "b2", "b3"), ("wall", 0, 0)) | {"a3": ("territory", WHITE, 1)}
    cells |= {"d3": ("territory", RED, 1), "d4": ("territory", 0, 0), "f4": ("virgin", 0, 0)}
    script = Script(GAME, tiles_position(GAME, BOARD, cells, RED))
    script.show()
    script.step(0.3, d3=(BARE, 0, 0), d4=(BARE, RED, 1))
    assert script.record == ["d3-d4"]
    script.show(1.0)
    assert script.record == ["d3-d4", "pass"]
    assert [ply.how for ply in script.referee.plies] == [How.SEEN, How.INFERRED]


def test_two_plies_missed_are_inferred(table: Script) -> None:
    """The camera was covered for two moves, and only one line fits."""
    table.hand(3.0)
    table.put(b3=(BARE, 0, 0), b4=(BEIGE, RED, 1), f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    table.show(1.0)
    assert table.record[2:] == ["b3-b4", "f4-f5"]
    assert [ply.how for ply in table.referee.plies[2:]] == [How.INFERRED, How.SEEN]


def test_a_man_who_went_on_unseen_is_known_by_his_trail(table: Script) -> None:
    """The camera was covered for three moves; the disk taken from b4 tells that the red man stood there."""
    table.hand(5.0)
    table.put(b3=(BARE, 0, 0), b4=(BARE, 0, 0), b5=(BEIGE, RED, 1), f4=(BARE, 0, 0), f5=(BEIGE, WHITE, 1))
    table.show(1.0)
    assert table.record[2:] == ["b3-b4", "f4-f5", "b4-b5"]
    assert table.referee.deviations == {}


def test_an_illegal_move_while_nobody_looked_is_an_alarm(table: Script) -> None:
    """The camera was covered for long, and there is no trail: the red man went where he may not, in one move."""
    table.hand(5.0)
    table.put(b3=(BARE, 0, 0), b5=(BEIGE, RED, 1))
    assert isinstance(table.show(2.0)[-1], Illegal)
    assert table.record[2:] == []


def test_two_lines_that_fit_equally_well_are_ambiguous() -> None:
    """White captured on d4 where either of two red men may have gone; the referee asks, and takes the answer."""
    cells = {"d3": ("territory", RED, 1), "d5": ("territory", RED, 1), "c5": ("territory", WHITE, 1)}
    cells["d4"] = ("territory", 0, 0)
    script = Script(GAME, tiles_position(GAME, BOARD, cells, RED))
    script.show()
    script.step(3.0, d5=(BARE, RED, 1), c5=(BARE, 0, 0), d3=(BARE, 0, 0), d4=(BARE, WHITE, 1))
    assert script.record == ["d3-d4", "c5-d4"]


def test_a_hidden_target_is_ambiguous_or_waits(table: Script) -> None:
    """A man is gone and a hand rests over every cell it may have gone to: nothing is accepted."""
    table.hand()
    table.put(b3=(BARE, 0, 0), b4=(BEIGE, RED, 1))
    table.show(3.0, hidden=("a3", "a4", "b2", "b4", "c3", "c4"))
    assert table.record[2:] == []
    table.hand()
    table.show(0.5)
    assert table.record[2:] == ["b3-b4"]


def test_a_misread_ply_is_corrected_by_what_is_seen_later() -> None:
    """The eye takes another cell for the target all through the ply; the next look at the table puts it right."""
    cells = {"d4": ("territory", RED, 1), "a3": ("territory", WHITE, 1), "d3": ("territory", 0, 0)}
    cells["c5"] = ("territory", 0, 0)
    script = Script(GAME, tiles_position(GAME, BOARD, cells, RED))
    script.show()
    script.hand()
    script.put(d4=(BARE, 0, 0), d3=(BARE, RED, 1))
    script.show(1.0, d3=(BARE, 0, 0), c5=(BARE, RED, 1))
    assert script.record == ["d4-c5"]
    script.hand()
    script.show(1.0)
    assert script.record == ["d4-d3"]
    assert {"Corrected", "TookBack"} & set(kinds(script.said))


def test_play_goes_on_after_an_end_that_nobody_noticed() -> None:
    """The third repetition ends the game by the rules; people who play on are followed."""
    script = Script(
        GAME,
        tiles_position(
            GAME,
            BOARD,
            dict.fromkeys(("d4", "d5"), ("territory", 0, 0))
            | {"d3": ("territory", RED, 1), "d6": ("territory", WHITE, 1)},
            RED,
        ),
    )
    script.show()
    for _ in range(2):
        script.step(0.5, d3=(BARE, 0, 0), d4=(BARE, RED, 1))
        script.step(0.5, d6=(BARE, 0, 0), d5=(BARE, WHITE, 1))
        script.step(0.5, d4=(BARE, 0, 0), d3=(BARE, RED, 1))
        script.step(0.5, d5=(BARE, 0, 0), d6=(BARE, WHITE, 1))
    assert script.referee.position.outcome is not None
    script.step(0.5, d3=(BARE, 0, 0), d4=(BARE, RED, 1))
    assert script.record[-1] == "d3-d4"
    assert len(script.record) == 9


# -- people --------------------------------------------------------------------------------------------------------


def test_taking_back_more_than_was_played_is_refused(table: Script) -> None:
    """One plain sentence, and nothing is lost."""
    with pytest.raises(EngineError, match="cannot take back 5 plies: 2 have been played"):
        table.referee.take_back(5)
    assert len(table.record) == 2


def test_a_single_misread_frame_changes_nothing(table: Script) -> None:
    """One frame shows a move; the frames before and after do not."""
    table.show(0.5)
    table.show(0.01, b3=(BARE, 0, 0), b4=(BEIGE, RED, 1))
    table.show(1.0)
    assert table.record[2:] == []
    assert not {"Accepted", "Illegal", "Reminder"} & set(kinds(table.said))


@pytest.mark.parametrize("seed", range(3))
def test_cells_misread_at_random_do_not_disturb(table: Script, seed: int) -> None:
    """Two cells misread in every frame, others each time: the move is found, and nothing else."""
    rng = random.Random(seed)
    names = [name for name in BOARD.names if name not in ("b3", "b4")]
    table.hand()
    table.put(b3=(BARE, 0, 0), b4=(BEIGE, RED, 1))
    for _ in range(12):
        table.show(0.01, **dict.fromkeys(rng.sample(names, 2), (DARK, WHITE, 3)))
    assert table.record[2:] == ["b3-b4"]
