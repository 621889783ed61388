"""Every game and rule set has a playthrough, and it replays to the letter."""

import pytest

from engine.game import load_game
from tests.games.playthrough import FOLDER, file_of, turns_in, write
from tests.games.walks import KINDS


@pytest.mark.parametrize(("name", "rules"), KINDS)
def test_playthrough_replays_to_the_letter(name: str, rules: str) -> None:
    """Boards, scores, legal turns and ends are those that the file holds; a game without a file fails here."""
    path = file_of(name, rules)
    assert path.is_file(), f"no playthrough of {name} ({rules}): run python -m tests.games.playthrough"
    text = path.read_text(encoding="utf-8")
    assert len(turns_in(text)) >= 10
    assert write(load_game(name), rules, turns_in(text)) == text


def test_every_playthrough_is_of_a_known_game() -> None:
    """No file of a game that is gone."""
    assert {path.name for path in FOLDER.iterdir()} == {file_of(name, rules).name for name, rules in KINDS}
