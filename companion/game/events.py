"""Events of a game as it is watched: the lines of `watch --events`, in the words of the command-line contract."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Every kind of event. Fields besides `kind`, `t` (seconds) and `frame`, per kind:
KINDS: Mapping[str, tuple[str, ...]] = {
    "start": ("board", "game", "rules", "players", "placements"),
    "move": ("ply", "player", "move", "score", "how"),
    "pass": ("ply", "player", "score", "how"),
    "illegal": ("player", "why", "from", "to", "repair"),
    "put-right": (),
    "takeback": ("plies",),
    "corrected": ("ply", "moves", "hows"),
    "reminder": ("cell", "expected", "now", "text"),
    "resolved": ("cell",),
    "ambiguous": ("candidates",),
    "bump": (),
    "lost": ("why",),
    "found": (),
    "paused": (),
    "resumed": ("ply", "differences"),
    "set": ("cell", "look", "move"),
    "end": ("score", "winner", "reason"),
}


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: `seq` counts from 1 within a game; `fields` as listed in `KINDS`."""

    seq: int
    kind: str
    t_s: float
    frame: int
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind of event '{self.kind}'; known are {', '.join(KINDS)}")

    def as_dict(self) -> dict[str, Any]:
        """The object of the contract's events line."""
        return {"kind": self.kind, "t": round(self.t_s, 3), "frame": self.frame, **self.fields}

    def json(self) -> str:
        """The contract's events line, without the line's end."""
        return json.dumps(self.as_dict(), ensure_ascii=False)
