"""Every game has its page: rule sets, options, an example game and the picture that the program draws of it."""

import runpy
from pathlib import Path

import pytest

from engine.game import game_names, load_game

_PAGES = Path(__file__).resolve().parents[2] / "docs" / "games"


@pytest.mark.parametrize("name", game_names())
def test_the_page_names_rule_sets_options_and_picture(name: str) -> None:
    """docs/games/NAME.md, with every option and every value of it."""
    game, page = load_game(name), (_PAGES / f"{name}.md").read_text(encoding="utf-8")
    for rules in game.rule_sets if len(game.rule_sets) > 1 else ():
        assert f"`{rules}`" in page
    for option, described in game.options.items():
        assert f"`{option}`" in page
        assert all(f"`{value}`" in page for value in described.values)
    assert f"({name}.svg)" in page


@pytest.mark.parametrize("name", game_names())
def test_the_picture_is_what_the_program_draws(name: str) -> None:
    """docs/games/NAME.svg is made from NAME.txt; run docs/games/make_pictures.py after a change."""
    made = runpy.run_path(str(_PAGES / "make_pictures.py"))["picture"](name)
    assert (_PAGES / f"{name}.svg").read_text(encoding="utf-8") == made
