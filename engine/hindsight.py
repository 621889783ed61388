"""Going back: earlier positions from which the table may have come, and whether an earlier ply was misread."""

from collections.abc import Sequence
from dataclasses import replace

from engine.evidence import Evidence
from engine.explain import FORGOTTEN, Base, Turn, turn_key
from engine.game import Position
from engine.look import BoardLook
from engine.verdict import Ply

BACK = -4.0  #: log-prior of going back one ply
MISREAD = 3.0  #: what speaks for going back when the replaced ply was not seen clearly
BACK_MORE = -0.5  #: and of every further one
FARTHEST_BACK = 6  #: plies that are considered for it
_CLEAR = -10.0  #: what was seen of a ply speaks clearly against another that explains it worse than this


def earlier_bases(start: Position, plies: Sequence[Ply], table: BoardLook, evidence: Evidence) -> list[Base]:
    """The positions some plies back, as the table would look if it had been put back to them."""
    now = plies[-1].after.look() if plies else start.look()
    bases = []
    for back in range(1, min(FARTHEST_BACK, len(plies)) + 1):
        position = plies[-back - 1].after if back < len(plies) else start
        if position.stage == "placement":
            break
        looks, prior = [], BACK + BACK_MORE * (back - 1)
        for c, look in enumerate(position.look()):
            kept = replace(look, surface=table[c].surface)
            if look == now[c]:
                looks.append(table[c])
            elif evidence.score(c, kept) + FORGOTTEN > evidence.score(c, look):
                looks.append(kept)
                prior += FORGOTTEN
            else:
                looks.append(look)
        replays = tuple(turn_key(ply.player, ply.actions) for ply in plies[-back:])
        bases.append(Base(back, position, tuple(looks), prior, replays))
    return bases


def was_misread(ply: Ply, seen: Evidence, turn: Turn) -> bool:
    """Whether what was seen when a ply was accepted speaks for another turn nearly as well as for it."""
    if turn.continues or set(map(str, ply.actions)) < set(map(str, turn.actions)):
        return True
    looks = zip(turn.after.look(), ply.after.look(), strict=True)
    return sum(seen.score(c, look) for c, (look, before) in enumerate(looks) if look != before) > _CLEAR
