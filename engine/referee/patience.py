"""How long the referee waits before it says something, and how sure it wants to be."""

from dataclasses import dataclass, fields, replace

_NOT_HURRIED = ("margin", "least_margin", "margin_for_s", "illegal_after_s", "ambiguous_after_s", "strange_after_s")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long (seconds of stillness) the referee waits before it says something, and the margin it asks for."""

    margin: float = 3.0
    least_margin: float = 1.0  #: what is left of it after `margin_for_s`
    margin_for_s: float = 1.0
    illegal_after_s: float = 1.5
    unfinished_after_s: float = 1.3  #: a disk or a new man still missing
    unseen_after_s: float = 2.0  #: a turn whose cells nobody could see
    turn_after_s: float = 2.5  #: a turn that may end here, but could go on
    taken_back_after_s: float = 0.4
    one_cell_after_s: float = 0.25  #: what hangs on a single cell of which there is but one reading
    several_after_s: float = 0.3  #: turns that were played while nobody could see the table
    passed_after_s: float = 0.6
    ambiguous_after_s: float = 1.5
    strange_after_s: float = 4.0  #: a cell that differs though nobody moved
    start_after_s: float = 0.5
    placed_after_s: float = 3.0  #: a placement that was followed man by man and looks finished

    def hurried(self) -> "Patience":
        """Nothing more will be seen: no more waiting for what may still be done, but no complaint sooner."""
        at_once = dict.fromkeys((f.name for f in fields(self) if f.name not in _NOT_HURRIED), 0.0)
        return replace(self, margin=self.least_margin, **at_once)

    def margin_after(self, stood_s: float) -> float:
        """The margin asked of an explanation that has stood so long."""
        return self.margin - (self.margin - self.least_margin) * min(1.0, stood_s / self.margin_for_s)
