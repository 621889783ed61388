"""What the lines of play say about a still table: worked out once for each piece of evidence, asked at every tick."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from engine.look import CellLook
from engine.referee.evidence import Evidence
from engine.referee.lines import Line, Partial
from engine.referee.slips import Slip, strange_cells

_ONE_CELL = 15.0  #: a reading of one cell never tells more between two lines than this
_CLEAR = -3.0  #: a surface that explains the evidence worse than this is surely another


@dataclass(frozen=True, slots=True)
class Outlook:
    """The lines that explain the evidence, best first, and what the best of them leaves to say.

    `strange`: cells whose men surely differ from what the best line expects. `wrong_disks`: cells with the men that it
    expects, but surely another surface. `rivals`: finished turns that explain the table about as well as it, one of
    each kind. `standing`: all that is so at the moment, as keys.
    """

    lines: Sequence[Line]
    strange: Sequence[int]
    wrong_disks: Sequence[int]
    rivals: Sequence[Line]
    standing: Sequence[Hashable]

    @classmethod
    def of(cls, lines: Sequence[Line], evidence: Evidence, margin: float) -> "Outlook":
        """The outlook of these lines; rivals lie within `margin` of the best one."""
        best = lines[0]
        strange, wrong, rivals = strange_cells(best.looks, evidence), _wrong_disks(best, evidence), _near(lines, margin)
        keys: list[Hashable] = [prefix(best, k) for k in range(len(best.turns) + 1)]
        keys += [slip_key(best.tail)] if isinstance(best.tail, Slip) else []
        keys += [strange_key(c) for c in strange]
        keys += [disk_key(c) for c in wrong]
        keys += [lacks_key(best)] if best.turns and not best.turns[-1].whole else []
        keys += [AMBIGUOUS] if len(rivals) > 1 else []
        return cls(lines, strange, wrong, rivals, keys)

    @property
    def best(self) -> Line:
        """The line that explains the table best."""
        return self.lines[0]

    @property
    def quiet(self) -> bool:
        """Whether the table is as the game says: nothing was played, nothing is half done or strange."""
        best = self.best
        return best.back == 0 and not best.turns and not best.opened and best.tail is None and not self.strange

    def margin(self, count: int, *, finished: bool) -> float:
        """How much better the first turns of the best line explain the table than every line without them.

        `finished`: whether the same table as the middle of a turn no longer counts against its end.
        """
        best = self.best
        first = prefix(best, count)
        rivals = (x for x in self.lines if prefix(x, count) != first and not (finished and _only_goes_on(best, x)))
        return best.score - max((x.score for x in rivals), default=-1e9)

    def hangs_on_a_glance(self, count: int, evidence: Evidence) -> bool:
        """Whether only one cell, of which there is but one reading, tells the first turns from other whole actions."""
        best, first = self.best, prefix(self.best, count)
        for other in self.lines:
            if other.tail is None and prefix(other, count) != first and best.score - other.score < _ONE_CELL:
                pairs = enumerate(zip(best.looks, other.looks, strict=True))
                differ = [c for c, (a, b) in pairs if a is not b and a != b]
                if len(differ) == 1 and evidence.frames[differ[0]] == 1:
                    return True
        return False


AMBIGUOUS = "ambiguous"


def prefix(line: Line, count: int) -> Hashable:
    """What tells the first turns of a line apart from those of others."""
    return line.back, line.keys[:count]


def slip_key(slip: Slip) -> Hashable:
    """The standing of a move against the rules."""
    return slip.player, slip.source, slip.target


def strange_key(cell: int) -> Hashable:
    """The standing of men that nothing explains."""
    return "strange", cell


def disk_key(cell: int) -> Hashable:
    """The standing of a disk that lies wrong."""
    return "disk", cell


def lacks_key(line: Line) -> Hashable:
    """What stands while nobody finishes the turn: every step towards its end begins the waiting anew."""
    looks: list[tuple[int, CellLook]] = [
        (c, now) for c, (now, rule) in enumerate(zip(line.looks, line.position.look(), strict=True)) if now != rule
    ]
    return "lacks", tuple(looks)


def _wrong_disks(line: Line, evidence: Evidence) -> list[int]:
    """Cells with the men that the line expects, but surely another surface."""
    if line.tail is not None or line.turns or line.back or line.opened:
        return []
    score = evidence.surface_score
    return [c for c, look in enumerate(line.looks) if evidence.seen(c) and score(c, look) < _CLEAR]


def _near(lines: Sequence[Line], margin: float) -> list[Line]:
    """Finished turns that explain the table about as well as the best line, one of each kind."""
    near = [
        line
        for line in lines
        if line.turns
        and line.tail is None
        and line.score > lines[0].score - margin
        and all(turn.sighted for turn in line.turns)
    ]
    return list({line.keys: line for line in reversed(near)}.values())[::-1]


def _only_goes_on(best: Line, other: Line) -> bool:
    """Whether the other line shows the same table, of a turn that is not finished yet."""
    unfinished = bool(other.opened) or isinstance(other.tail, Partial)
    return unfinished and best.tail is None and not best.opened and other.looks == best.looks
