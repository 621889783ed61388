"""What the form for a new game offers: games with their rules and options, boards, colours, sources."""

from typing import Any

from companion.drawing.draw import css
from companion.options import USUAL_NEUTRAL
from companion.page.table import Opener
from engine.board import MODULE_PRESETS
from engine.game import Resumable, game_names, load_game
from vision.palette import WORDS


def choices_json(opener: Opener | None) -> dict[str, Any]:
    """Everything a person can choose; the first of each list is the default."""
    games = sorted(map(load_game, game_names()), key=lambda game: game.name != "storisende")
    return {
        "games": [
            {
                "name": game.name,
                "title": game.title,
                "rules": list(game.rule_sets),
                "board": game.default_board,
                "disks": game.needs_disks,
                "resumable": isinstance(game, Resumable),
                "neutral": USUAL_NEUTRAL if game.neutral_men else "",
                "options": [
                    {"name": name, "values": list(option.values), "meaning": option.meaning}
                    for name, option in game.options.items()
                ],
            }
            for game in games
        ],
        "boards": [
            *(opener.boards if opener is not None else ()),
            *(f"hexhex-{base}" for base in range(3, 9)),
            *MODULE_PRESETS,
            "diamond-8",
        ],
        "colours": {word: css(rgb) for word, rgb in WORDS.items()},
        "unfinished": opener.unfinished if opener is not None else "",
        "sources": list(opener.sources) if opener is not None else [],
    }
