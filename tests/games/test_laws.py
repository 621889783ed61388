"""Laws that hold in every position of every game, found by discovery: random play, seeded by hypothesis."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import named_board
from engine.errors import EngineError
from engine.game import Game, Resumable, load_game, play_turn
from engine.records.json_format import read_json, write_json
from engine.records.record import Record, Turn, replay
from engine.records.text_format import read_text, write_text
from tests.games.walks import KINDS, turns_of, walk

SEEDS = st.integers(0, 10_000)
few = settings(max_examples=8, deadline=None)
every_game = pytest.mark.parametrize(("name", "rules"), KINDS)


@every_game
def test_it_is_a_game(name: str, rules: str) -> None:
    """The module's GAME has everything the protocol asks for, and its own name."""
    game = load_game(name)
    assert isinstance(game, Game)
    assert game.name == name
    assert rules in game.rule_sets
    assert all(len(set(option.values)) == len(option.values) > 0 for option in game.options.values())


@every_game
@given(seed=SEEDS)
@few
def test_an_action_changes_no_earlier_position(name: str, rules: str, seed: int) -> None:
    """Positions are values: tiles, hash and actions stay what they were."""
    for step in walk(name, rules, seed, 25):
        tiles, code = step.before.tiles(), hash(step.before)
        if step.action is not None:
            assert step.before.after(step.action) == step.after
        assert (step.before.tiles(), hash(step.before)) == (tiles, code)


@every_game
@given(seed=SEEDS)
@few
def test_the_end_has_no_actions_and_every_other_position_has_some(name: str, rules: str, seed: int) -> None:
    """Terminal means no actions; otherwise something is legal or the turn may end."""
    for step in walk(name, rules, seed, 60):
        position = step.after
        if position.outcome is not None:
            assert list(position.actions()) == []
            assert position.legal_texts() == []
            assert position.stage == "over"
        else:
            assert position.actions() or position.may_end


@every_game
@given(seed=SEEDS)
@few
def test_material_begins_with_the_look_before_and_ends_with_the_look_after(name: str, rules: str, seed: int) -> None:
    """And cells that it does not mention do not change."""
    for step in walk(name, rules, seed, 30):
        if step.action is None:
            continue
        before, after = step.before.look(), step.after.look()
        stages = step.before.material(step.action)
        for cell in range(len(before)):
            if cell in stages:
                assert stages[cell][0] == before[cell]
                assert stages[cell][-1] == after[cell]
            else:
                assert before[cell] == after[cell]


@every_game
@given(seed=SEEDS)
@few
def test_parse_and_format_are_inverse_on_turns(name: str, rules: str, seed: int) -> None:
    """A turn's text is parsed to a turn with the same text and the same position after it."""
    game = load_game(name)
    for start, actions in turns_of(list(walk(name, rules, seed, 40))):
        text = game.format_turn(actions)
        parsed = start.parse_turn(text)
        assert game.format_turn(parsed) == text
        end = start
        for action in actions:
            end = end.after(action)
        assert play_turn(start, text).tiles() == end.tiles()


@every_game
@given(seed=SEEDS)
@few
def test_every_listed_turn_is_legal_and_listed_once_in_order(name: str, rules: str, seed: int) -> None:
    """Whole turns can be played as they are listed, sorted by code point."""
    game = load_game(name)
    for start, _ in list(turns_of(list(walk(name, rules, seed, 30))))[-2:]:
        texts = start.legal_texts()
        assert texts == sorted(set(texts))
        for text in texts[:: max(1, len(texts) // 20)]:
            if start.stage == "play":
                assert game.format_turn(start.parse_turn(text)) == text


@every_game
@given(seed=SEEDS, other=SEEDS)
@few
def test_turns_of_other_positions_are_played_or_refused_with_a_sentence(
    name: str, rules: str, seed: int, other: int
) -> None:
    """Illegal input raises an engine error with a message, never anything else."""
    game = load_game(name)
    foreign = [game.format_turn(actions) for _, actions in turns_of(list(walk(name, rules, other, 30)))]
    foreign += ["", "pass", "a1", "d4-d5", "d4:0-d5", "d4-d4", "x9-x8", "+d4", "c3..c4-c6", "1@d4(d5)", "-d4", "resign"]
    sentences = []
    for step in list(walk(name, rules, seed, 30))[-3:]:
        for text in foreign:
            try:
                play_turn(step.after, text)
            except EngineError as error:
                sentences.append(str(error))
    assert sentences
    assert all(len(sentence) > 10 for sentence in sentences)


@every_game
@given(seed=SEEDS)
@few
def test_a_position_taken_up_from_the_table_goes_on_alike(name: str, rules: str, seed: int) -> None:
    """The look of a position identifies it: the same tiles and player give the same turns and score."""
    game = load_game(name)
    if not isinstance(game, Resumable):
        assert game.name in ("hexteroyd", "phalanx"), "state beside the table: hands, prisoners"
        return
    for start, _ in turns_of(list(walk(name, rules, seed, 40))):
        if start.stage == "play" and not getattr(start, "banned", None):
            again = game.from_tiles(start.board, start.tiles(), start.player, rules)
            assert again.look() == start.look()
            assert again.legal_texts() == start.legal_texts()
            assert again.score() == start.score()


@every_game
@given(seed=SEEDS, other=SEEDS)
@few
def test_a_ruling_puts_the_table_of_another_moment_in_place(name: str, rules: str, seed: int, other: int) -> None:
    """Any table of a game can be ruled to lie there, from any position; the play goes on from it."""
    tables = [step.after for step in walk(name, rules, other, 60) if step.after.stage == "play"]
    for step in list(walk(name, rules, seed, 60))[-3:]:
        for table in tables[-2:]:
            for player in (1, 2):
                ruled = step.after.with_tiles(table.tiles(), player)
                assert (ruled.tiles(), ruled.player, ruled.stage) == (table.tiles(), player, "play")
                assert ruled.look() == table.look()
                assert ruled.actions()
                assert not ruled.turn


@every_game
def test_a_ruling_needs_tiles_that_the_game_knows(name: str, rules: str) -> None:
    """Neither other games' tiles, nor too few, nor a third player."""
    game = load_game(name)
    position = game.start(named_board(game.default_board), rules)
    tiles = position.tiles()
    for broken in ((("lava", 0, 0), *tiles[1:]), ((tiles[0][0], 4, 1), *tiles[1:]), tiles[1:]):
        with pytest.raises(EngineError):
            position.with_tiles(broken, 1)
    with pytest.raises(EngineError, match="player 3"):
        position.with_tiles(tiles, 3)


@every_game
@given(seed=SEEDS)
@few
def test_a_record_replays_to_the_same_position_in_every_format(name: str, rules: str, seed: int) -> None:
    """Straight, through the server's JSON and through our text."""
    game, steps = load_game(name), list(walk(name, rules, seed, 40))
    turns = tuple(Turn(game.format_turn(actions)) for _, actions in turns_of(steps))
    record = Record(steps[0].before.board, name, rules, turns=turns)
    last = next(step.after for step in reversed(steps) if not step.after.turn)
    for copy in (
        record,
        read_json(write_json(record, "2026-05-01T12:00:00Z"), "a record"),
        read_text(write_text(record), "a record"),
    ):
        *_, end = replay(copy)
        assert end.position.tiles() == last.tiles()
        assert end.position.player == last.player
        assert end.outcome == last.outcome
        assert end.ply == len(turns)


@every_game
@given(seed=SEEDS)
@few
def test_areas_lie_on_the_board_and_belong_to_a_player_or_nobody(name: str, rules: str, seed: int) -> None:
    """What the pictures colour as the areas that made the score."""
    for step in walk(name, rules, seed, 25):
        for owner, cells in step.after.areas():
            assert owner in (0, 1, 2)
            assert cells <= set(range(len(step.after.board)))
