"""What happened, as a sentence: for the page's log and its voice."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from companion.game.events import Event

_ENDS = {
    "passes": "both passed",
    "threefold": "the position came up for the third time",
    "resignation": "resignation",
    "agreement": "agreed",
    "throne": "the Throne is taken",
}


def player_names(colours: Sequence[str], names: Sequence[str]) -> tuple[str, str]:
    """How the players are called: by name, or by the colour of their men."""
    first, second = (name or colour.capitalize() for name, colour in zip(names, colours, strict=True))
    return first, second


def sentence(event: Event, players: Sequence[str]) -> str:
    """The event in plain words, one or two sentences. `players` as `player_names` gives them."""
    maker = _SENTENCES.get(event.kind)
    return maker(event.fields, players) if maker else ""


def _player(fields: Mapping[str, Any], players: Sequence[str]) -> str:
    number = int(fields.get("player") or 0)
    return players[number - 1] if number in (1, 2) else "Somebody"


def _move(fields: Mapping[str, Any], players: Sequence[str]) -> str:
    text = re.sub(r"^([a-z]\d+):(\d+)-", lambda m: f"{_men(m[2])} from {m[1]}-", str(fields["move"]))
    return f"{_player(fields, players)}: {text.replace('-', ' to ').replace(',', ', ')}.{_score(fields, players)}"


def _men(count: str) -> str:
    return "one man" if count == "1" else f"{count} men"


def _score(fields: Mapping[str, Any], players: Sequence[str]) -> str:
    score = fields.get("score")
    return f" {players[0]} {score[0]}, {players[1]} {score[1]}." if score else ""


def _end(fields: Mapping[str, Any], players: Sequence[str]) -> str:
    results = {1: f"{players[0]} wins", 2: f"{players[1]} wins", 0: "The game is drawn"}
    winner = fields["winner"]
    result = "The recording ends" if winner is None else results[int(winner)]
    reason = _ENDS.get(str(fields.get("reason")), "")
    return f"{result}{f': {reason}' if reason else ''}.{_score(fields, players)}"


def _plies(fields: Mapping[str, Any], _: Sequence[str]) -> str:
    count = int(fields["plies"])
    return "One turn is taken back." if count == 1 else f"{count} turns are taken back."


_SENTENCES = {
    "start": lambda f, p: "The game begins.",
    "move": _move,
    "pass": lambda f, p: f"{_player(f, p)} passes.",
    "illegal": lambda f, p: f"Not allowed: {f['why']}",
    "put-right": lambda f, p: "The table is right again.",
    "takeback": _plies,
    "corrected": lambda f, p: f"Correction from turn {f['ply']}: {', '.join(map(str, f['moves']))}.",
    "reminder": lambda f, p: f"Reminder: {f['text']}",
    "resolved": lambda f, p: f"{f['cell']} is right now.",
    "ambiguous": lambda f, p: f"Which move was it: {' or '.join(map(str, f['candidates']))}?",
    "bump": lambda f, p: "The camera or the board was moved; the game goes on.",
    "lost": lambda f, p: f"The board is out of sight: {f['why']}",
    "found": lambda f, p: "The board is in sight.",
    "paused": lambda f, p: "Paused.",
    "resumed": lambda f, p: "The game goes on.",
    "set": lambda f, p: f"{f['cell']} is set by hand.",
    "end": _end,
}
