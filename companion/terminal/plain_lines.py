"""What happened, a line each: the output where there is no terminal."""

from companion.game.events import Event
from companion.game.state import SessionState


def plain_line(event: Event, state: SessionState) -> str:
    """One event as a line of text, for output that is no terminal."""
    fields = dict(event.fields)
    at = f"{event.t_s:8.2f} s "
    if event.kind in ("move", "pass"):
        score = fields["score"]
        how = "" if fields.get("how", "seen") == "seen" else f" ({fields['how']})"
        move = fields.get("move", "pass")
        return f"{at} {fields['ply']:3d} {state.side_name(fields['player'])}: {move}   {score[0]}–{score[1]}{how}"
    if event.kind == "illegal":
        return f"{at} ILLEGAL: {fields['why']}"
    words = " ".join(f"{key}={value}" for key, value in fields.items() if value not in ((), [], "", None))
    return f"{at} {event.kind} {fields.get('text', words)}".rstrip()
