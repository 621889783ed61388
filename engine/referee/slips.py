"""Moves that no rule allows, seen on the table: one piece gone from a cell and standing on another."""

from dataclasses import dataclass

from engine.errors import EngineError, IllegalActionError
from engine.game import Position
from engine.look import MAX_HEIGHT, BoardLook, CellLook
from engine.referee.evidence import Evidence

SLIP = -5.5  #: log-prior of a move against the rules
OUT_OF_TURN = -2.0  #: and of the other player making it
DISK_TOO = -1.0  #: and of a disk turned with it
_LANDED = 0.5  #: men have come to a cell only if that explains the evidence so much better
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
    """The one illegal move that explains all cells with strange men, or None.

    The cell it came from must surely look different; of the cells it may have gone to, the likeliest is taken.
    """
    strange = strange_cells(looks, evidence)
    if not 1 <= len(strange) <= 2:
        return None
    best: Slip | None = None
    most = 0.0
    for player in (position.player, 3 - position.player):
        for source in strange:
            now = evidence.best(source, looks[source])
            count = _men_of(looks[source], player) - _men_of(now, player)
            if count <= 0 or now.men not in (0, player):
                continue
            for target, landed in _landings(looks, evidence, player, count):
                if target == source or not set(strange) <= {source, target}:
                    continue
                slip, gain = _slip(position, looks, evidence, player, (source, now), (target, landed))
                if gain > most:
                    best, most = slip, gain
    return best


def _landings(looks: BoardLook, evidence: Evidence, player: int, count: int) -> list[tuple[int, CellLook]]:
    """The cells that look as if so many men of a player had come there, with their new looks."""
    found = []
    for c, look in enumerate(looks):
        height = count + _men_of(look, player)
        if height > MAX_HEIGHT or not evidence.seen(c):
            continue
        landed = CellLook(evidence.best(c, look).surface, player, height)
        if evidence.men_score(c, landed) > evidence.men_score(c, look) + _LANDED:
            found.append((c, landed))
    return found


def _slip(
    position: Position,
    looks: BoardLook,
    evidence: Evidence,
    player: int,
    source: tuple[int, CellLook],
    target: tuple[int, CellLook],
) -> tuple[Slip, float]:
    """The slip from one cell to the other, and how much better than nothing it explains the evidence."""
    cells = (source, target)
    disks = any(now.surface is not looks[c].surface for c, now in cells)
    prior = SLIP + (OUT_OF_TURN if player != position.player else 0.0) + (DISK_TOO if disks else 0.0)
    count = target[1].height - _men_of(looks[target[0]], player)
    gain = prior + sum(evidence.score(c, now) - evidence.score(c, looks[c]) for c, now in cells)
    return Slip(player, source[0], target[0], count, cells, prior), gain


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
