"""Are the men much thicker than usual? A second look, as if everything were half as high, tells it.

Networks know men that are about a fifth to a third as thick as they are wide. Where everything is taken to be half as
high, see `BoardPose.heightened`, men that are twice as thick look as these do, and usual ones look thinner than any
that are known. By the usual ruler every thick man might be two; where the coarser one fits, it is right.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.look import MAX_HEIGHT
from vision.arrays import Floats
from vision.men.heights import MET
from vision.networks.logs import log_sum
from vision.networks.net import reader_net
from vision.networks.side_net import THICKNESSES
from vision.reading.evidence import RimsSeen, Seen, Shot, look_at_sides
from vision.reading.spare_men import sides_of_spares, spare_men
from vision.reading.table_model import TableModel

#: As how high everything is taken to be where thick men are looked for.
LOWERED = 0.5
#: Thick men are thicker than this, in their diameters, and those that are looked for no thicker than the second.
_THICK, _THICKEST = 0.345, 0.7
#: They must explain the tops so much better than usual men do; all that is seen so much better, too; and that so much
#: better than thinner men by the same ruler (logarithms; chosen on 324 rendered boards of usual men, some of whose
#: stacks are all of two, four or six, and 22 of thick ones). Where heights are known no man can be two.
_TOPS_BETTER, _BETTER, _NO_THINNER, _KNOWN_BETTER = 1.0, 5.0, 17.0, 1.0
#: No top counts more than so much against any thickness, and so often a side is not what it seems to be.
_LEAST, _NO_SIDE = -4.0, 0.1

_RATIOS = THICKNESSES.astype(np.float64)
_THICK_RATIOS = np.geomspace(_THICK, _THICKEST, 24)
_HEIGHTS = np.arange(1, MAX_HEIGHT + 1)


@dataclass(frozen=True, slots=True)
class Looked:
    """What was made out on a picture: the table as far as it is known, and its stacks and their rims, if any."""

    shot: Shot
    table: TableModel
    seen: Seen | None
    around: RimsSeen | None


def thick_men(usual: Looked, lowered: Callable[[], Looked]) -> float | None:
    """How thick the men are, in diameters, where they surely are much thicker than usual; None where they are not.

    `usual`: what was made out; `lowered` gives it as if everything were `LOWERED` times as high.
    """
    as_usual = _RATIOS < _THICK
    if (
        usual.seen is None
        or _by_tops(usual.seen, _THICK_RATIOS).max() < _TOPS_BETTER + _by_tops(usual.seen, _RATIOS[as_usual]).max()
    ):
        return None
    here, there = _explained(usual), _explained(lowered())
    if here is None or there is None:
        return None
    ratios = _RATIOS / LOWERED
    known = usual.seen.heights is not None
    better, no_thinner = (_KNOWN_BETTER, _KNOWN_BETTER) if known else (_BETTER, _NO_THINNER)
    thick = ratios > _THICK
    best = int(np.where(thick, there, -np.inf).argmax())
    wanted = max(here[as_usual].max() + better, there[~thick].max() + no_thinner)
    return float(ratios[best]) if there[best] > wanted else None


def _by_tops(seen: Seen, ratios: Floats) -> Floats:
    """How well men so thick (G,) explain how high the tops of all stacks are: log-likelihoods (G,)."""
    told = reader_net().rises(seen.stacks, ratios[:, None] * _HEIGHTS - seen.sunk[:, None, None])
    if seen.heights is None:
        likely = log_sum(told + MET, axis=2)
    else:
        known = np.minimum(seen.heights, MAX_HEIGHT) - 1
        likely = np.take_along_axis(told, known[:, None, None], axis=2)[..., 0]
    return np.asarray(np.maximum(likely, _LEAST).sum(axis=0), np.float64)


def _explained(looked: Looked) -> Floats | None:
    """How well men that look as thick as each of THICKNESSES explain tops, sides and spare men: log-likelihoods (20,);
    None where there are none."""
    shot, table, seen, around = looked.shot, looked.table, looked.seen, looked.around
    if seen is None or around is None:
        return None
    sides = look_at_sides(shot, table, seen.views, around.middles_mm, seen.stacks.rise.likeliest(), _RATIOS)
    sides -= log_sum(sides, axis=1, keepdims=True)
    sides = np.logaddexp(sides + np.log(1 - _NO_SIDE), np.log(_NO_SIDE / len(_RATIOS)))
    spares = sides_of_spares(shot, table, spare_men(shot, table), _RATIOS)
    return np.asarray(_by_tops(seen, _RATIOS) + sides.sum(axis=0) + spares)
