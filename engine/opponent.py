"""A simple opponent for every game: looks at its own actions and the other side's replies, and counts the score.

It knows no game: it asks a position for actions, scores and outcomes only. Chance decides between equals, so a seeded
`random.Random` makes it repeatable.
"""

from random import Random

from engine.game import PASS, Action, Position

_WON = 10_000
#: How many own actions and replies it looks at: enough to feel alive, few enough to answer at once.
_OWN, _REPLIES = 60, 12


def choose_turn(position: Position, random: Random) -> tuple[Action, ...]:
    """The actions of one whole turn for the player to move. The game must not be over."""
    player, actions = position.player, list[Action]()
    while not actions or position.turn:
        if position.may_end and _stops(position, player, random):
            break
        actions.append(_choose_action(position, player, random))
        position = position.after(actions[-1])
    return tuple(actions)


def _stops(position: Position, player: int, random: Random) -> bool:
    """Whether a turn that may end here does: in a placement by chance, later when going on gains nothing."""
    if not position.actions():
        return True
    if position.stage == "placement":
        return random.random() < 0.5
    best = _choose_action(position, player, random)
    return _value(position.after(best), player) <= _value(position, player)


def _choose_action(position: Position, player: int, random: Random) -> Action:
    actions = list(position.actions())
    if position.stage == "placement":
        return random.choice(actions)
    random.shuffle(actions)
    actions.sort(key=lambda action: str(action) != PASS)
    passing = [a for a in actions[:1] if str(a) == PASS]
    if passing and (ending := position.after(passing[0]).outcome) is not None and ending.winner == player:
        return passing[0]
    others = actions[len(passing) :][:_OWN] or passing
    return max(others, key=lambda action: _prospect(position.after(action), player, random))


def _prospect(position: Position, player: int, random: Random) -> int:
    """The value of a position after the best of a few replies, if it is the other side's turn."""
    if position.outcome is not None or position.player == player:
        return _value(position, player)
    replies = list(position.actions())
    if len(replies) > _REPLIES:
        replies = random.sample(replies, _REPLIES)
    return min((_value(position.after(reply), player) for reply in replies), default=_value(position, player))


def _value(position: Position, player: int) -> int:
    """The score from a player's side; a finished game counts more than any score."""
    if position.outcome is not None and position.outcome.winner:
        return _WON if position.outcome.winner == player else -_WON
    first, second = position.score()
    return first - second if player == 1 else second - first
