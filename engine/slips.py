"""Moves that no rule allows, seen on the table: one piece gone from a cell and standing on another."""

from dataclasses import dataclass

from engine.errors import EngineError, IllegalActionError
from engine.evidence import Evidence
from engine.game import Position
from engine.look import BoardLook, CellLook

SLIP = -5.5  #: log-prior of a move against the rules
OUT_OF_TURN = -2.0  #: and of the other player making it
DISK_TOO = -1.0  #: and of a disk turned with it
_SURE = -3.0  #: a cell that explains the evidence worse than this surely looks different


@dataclass(frozen=True, slots=True)
class Slip:
    """`count` men of `player` went from `source` to `target`; `cells` are the changed cells as they lie now."""

    player: int
    source: int
    target: int
    count: int
    cells: tuple[tuple[int, CellLook], ...]
    prior: float


def strange_cells(looks: BoardLook, evidence: Evidence) -> list[int]:
    """The cells whose men surely differ from these looks."""
    return [c for c, look in enumerate(looks) if evidence.men_score(c, look) < _SURE]


def _men_of(look: CellLook, player: int) -> int:
    return look.height if look.men == player else 0


def find_slip(position: Position, looks: BoardLook, evidence: Evidence) -> Slip | None:
    """The one illegal move that explains all strange cells, or None."""
    strange = strange_cells(looks, evidence)
    if len(strange) != 2:
        return None
    now = {c: evidence.best(c, looks[c]) for c in strange}
    for player in (position.player, 3 - position.player):
        change = {c: _men_of(now[c], player) - _men_of(looks[c], player) for c in strange}
        source, target = sorted(strange, key=lambda c: change[c])
        if change[source] < 0 < change[target] and change[source] + change[target] == 0:
            if now[source].men not in (0, player):
                continue
            disks = any(now[c].surface is not looks[c].surface for c in strange)
            prior = SLIP + (OUT_OF_TURN if player != position.player else 0.0) + (DISK_TOO if disks else 0.0)
            return Slip(player, source, target, change[target], tuple(now.items()), prior)
    return None


def why_illegal(position: Position, slip: Slip, colours: tuple[str, str]) -> str:
    """The rule that forbids a slip, as one sentence."""
    names = position.board.names
    source, target = names[slip.source], names[slip.target]
    height = position.tiles()[slip.source][2]
    if slip.player != position.player:
        who, other = colours[slip.player - 1], colours[2 - slip.player]
        return f"{source}-{target}: it is {other}'s turn, not {who}'s"
    texts = [f"{source}-{target}"] if slip.count == height else [f"{source}:{slip.count}-{target}"]
    for text in [*texts, f"{source}-{target}", f"{source}..{source}-{target}"]:
        try:
            position.parse_turn(text)
        except IllegalActionError as error:
            return str(error)
        except EngineError:
            continue
    return f"{source}-{target}: no rule lets {colours[slip.player - 1]} move there"
