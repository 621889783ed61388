"""Going back: earlier positions from which the table may have come, and whether an earlier ply was misread."""

from collections.abc import Sequence

from engine.game import PASS, Position, forced_pass
from engine.look import BoardLook
from engine.referee.evidence import Evidence
from engine.referee.lines import Base, Turn, turn_key
from engine.referee.opening import PlacedBySides
from engine.referee.verdict import How, Ply

BACK = -4.0  #: log-prior of going back one ply
MISREAD = 3.0  #: what speaks for going back when the replaced ply was not seen clearly
REWRITTEN = -3.0  #: what speaks against going back several plies and playing on unseen, when they were seen clearly
BACK_MORE = -0.5  #: and of every further one
FARTHEST_BACK = 6  #: plies that are considered for it
_CLEAR = -10.0  #: what was seen of a ply speaks clearly against another that explains it worse than this


def earlier_bases(start: Position, plies: Sequence[Ply], table: BoardLook, passed: float) -> list[Base]:
    """The positions some plies back, as the table would look if it had been put back to them.

    `passed`: the log-prior of a turn left out silently.
    """
    now = plies[-1].after.look() if plies else start.look()
    bases, doubt = [], 0.0  # a pass that nobody saw is as unlikely in the game so far as in any other line
    for back in range(1, min(FARTHEST_BACK, len(plies)) + 1):
        position = plies[-back - 1].after if back < len(plies) else start
        if position.stage == "placement" and isinstance(position, PlacedBySides):
            break
        looks = tuple(table[c] if look == now[c] else look for c, look in enumerate(position.look()))
        replays = tuple(turn_key(ply.player, ply.actions) for ply in plies[-back:])
        if _silently_passed(plies[-back], position):
            doubt -= passed
        bases.append(Base(back, position, looks, BACK + BACK_MORE * (back - 1) + doubt, replays, table=table))
    return bases


def _silently_passed(ply: Ply, before: Position) -> bool:
    """Whether a ply is a pass that nobody saw, though there were moves."""
    return ply.how is How.INFERRED and ply.text == PASS and forced_pass(before) is None


def was_misread(before: Position, plies: Sequence[Ply], seen: Sequence[Evidence], turns: Sequence[Turn]) -> bool:
    """Whether what was seen when these plies were accepted speaks for other turns nearly as well as for them.

    The last ply need not have been misread: its turn may simply have gone on.
    """
    if len(plies) == 1 and (turns[0].continues or set(map(str, plies[0].actions)) < set(map(str, turns[0].actions))):
        return True
    shown = [before.look(), *(turn.after.look() for turn in turns)]
    accepted = zip(plies, seen, strict=True)
    return sum(max(_against(ply, evidence, looks) for looks in shown) for ply, evidence in accepted) > _CLEAR


def _against(ply: Ply, evidence: Evidence, looks: BoardLook) -> float:
    """How well what was seen after a ply is explained by a board where that differs from it."""
    cells = enumerate(zip(looks, ply.after.look(), strict=True))
    return sum(evidence.score(c, look) for c, (look, believed) in cells if look != believed)
