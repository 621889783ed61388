"""Going back: earlier positions from which the table may have come, and whether an earlier ply was misread."""

from collections.abc import Sequence

from engine.evidence import Evidence
from engine.game import Position
from engine.lines import Base, Turn, turn_key
from engine.look import BoardLook
from engine.verdict import Ply

BACK = -4.0  #: log-prior of going back one ply
MISREAD = 3.0  #: what speaks for going back when the replaced ply was not seen clearly
BACK_MORE = -0.5  #: and of every further one
FARTHEST_BACK = 6  #: plies that are considered for it
_CLEAR = -10.0  #: what was seen of a ply speaks clearly against another that explains it worse than this


def earlier_bases(start: Position, plies: Sequence[Ply], table: BoardLook) -> list[Base]:
    """The positions some plies back, as the table would look if it had been put back to them."""
    now = plies[-1].after.look() if plies else start.look()
    bases = []
    for back in range(1, min(FARTHEST_BACK, len(plies)) + 1):
        position = plies[-back - 1].after if back < len(plies) else start
        if position.stage == "placement":
            break
        looks = tuple(table[c] if look == now[c] else look for c, look in enumerate(position.look()))
        replays = tuple(turn_key(ply.player, ply.actions) for ply in plies[-back:])
        bases.append(Base(back, position, looks, BACK + BACK_MORE * (back - 1), replays, table=table))
    return bases


def was_misread(plies: Sequence[Ply], seen: Sequence[Evidence], turns: Sequence[Turn]) -> bool:
    """Whether what was seen when these plies were accepted speaks for other turns nearly as well as for them.

    The last ply need not have been misread: its turn may simply have gone on.
    """
    ply, turn = plies[0], turns[0]
    if len(plies) == 1 and (turn.continues or set(map(str, ply.actions)) < set(map(str, turn.actions))):
        return True
    against = 0.0
    for ply, turn, evidence in zip(plies, turns, seen, strict=False):
        looks = enumerate(zip(turn.after.look(), ply.after.look(), strict=True))
        against += sum(evidence.score(c, look) for c, (look, before) in looks if look != before)
    return against > _CLEAR
