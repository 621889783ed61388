"""Every kind of event has a sentence, and it names what happened."""

import pytest

from companion.game.events import KINDS, Event
from companion.page.sentences import player_names, sentence

PLAYERS = player_names(("red", "purple"), ("", "Ben"))
FIELDS = {
    "player": 2,
    "move": "d3:2-d5",
    "score": [4, 7],
    "ply": 3,
    "how": "seen",
    "moves": ["a3-a4"],
    "plies": 1,
    "why": "The piece is 2 high.",
    "from": "a3",
    "to": "a5",
    "repair": [],
    "candidates": ["a3-a4", "a3-b3"],
    "cell": "c4",
    "expected": "dark",
    "text": "Turn the disk on c4 to dark.",
    "look": "wall",
    "winner": 2,
    "reason": "passes",
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_event_can_be_said(kind: str) -> None:
    """One or two plain sentences that end as sentences do."""
    text = sentence(Event(1, kind, 0.0, 0, {name: FIELDS.get(name, "") for name in KINDS[kind]}), PLAYERS)
    assert text[0].isupper() or text[0].isdigit() or text.startswith("c4")
    assert text[-1] in ".?"


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("move", "Ben: 2 men from d3 to d5. Red 4, Ben 7."),
        ("pass", "Ben passes."),
        ("illegal", "Not allowed: The piece is 2 high."),
        ("end", "Ben wins: both passed. Red 4, Ben 7."),
        ("ambiguous", "Which move was it: a3-a4 or a3-b3?"),
    ],
)
def test_what_is_said(kind: str, says: str) -> None:
    """Names where there are names, else colours; moves are read so that they can be heard."""
    assert sentence(Event(1, kind, 0.0, 0, FIELDS), PLAYERS) == says
