"""A closer look at the game on the table: legal turns, earlier positions, evidence pictures, downloads."""

import threading
from functools import lru_cache
from typing import Any

from companion.drawing.game_film import curve_svg, picture_bytes
from companion.drawing.showing import step_svg
from companion.errors import InputError
from companion.page.table import Game
from companion.record_files import now_text
from engine.records.json_format import write_json
from engine.records.record import Record, Step, replay
from engine.records.text_format import write_text

#: What can be downloaded: file name → type.
DOWNLOADS = {
    "record.json": "application/json",
    "record.txt": "text/plain; charset=utf-8",
    "events.jsonl": "application/x-ndjson",
    "board.svg": "image/svg+xml",
    "curve.svg": "image/svg+xml",
    "sheet.png": "image/png",
    "game.gif": "image/gif",
    "game.mp4": "video/mp4",
}
_MOST_LEGAL = 4_000


@lru_cache(maxsize=4)
def steps_of(record: Record) -> tuple[Step, ...]:
    """Every position of a record, the start first. Raises `RecordError`."""
    return tuple(replay(record))


class GameView:
    """Answers about one game, each made from its record."""

    def __init__(self) -> None:
        self._painting = threading.Lock()
        self._painted: tuple[Record, str, bytes] | None = None

    def legal_json(self, game: Game) -> dict[str, Any]:
        """The legal turns of the newest position; `complete` is false where they are too many to list."""
        position = game.session.state.position
        texts = [] if position.stage == "placement" else position.legal_texts()
        return {
            "legal": texts[:_MOST_LEGAL],
            "complete": 0 < len(texts) <= _MOST_LEGAL,
            "ply": len(game.session.state.history),
        }

    def ply_json(self, game: Game, ply: int) -> dict[str, Any]:
        """The position after `ply` turns. Raises `InputError` for a ply that was not played."""
        steps = steps_of(game.session.record())
        if not 0 <= ply < len(steps):
            raise InputError(f"the game has plies 0 to {len(steps) - 1}, not {ply}")
        step = steps[ply]
        looks = step.position.look()
        before = steps[ply - 1].position.look() if ply else looks
        return {
            "ply": ply,
            "text": step.text,
            "player": step.mover,
            "cells": [[look.surface.value, look.men, look.height] for look in looks],
            "tiles": [tile for tile, _, _ in step.position.tiles()],
            "last": [i for i, (a, b) in enumerate(zip(before, looks, strict=True)) if a != b],
            "score": list(step.position.score()),
            "areas": [[owner, sorted(cells)] for owner, cells in step.position.areas()],
        }

    def evidence(self, game: Game, ply: int) -> bytes | None:
        """The kept picture (JPEG) of the board after a ply."""
        return game.session.evidence(ply, "after")

    def download(self, game: Game, name: str) -> bytes:
        """The game in one of the formats of `DOWNLOADS`."""
        record = game.session.record()
        match name:
            case "record.json":
                return write_json(record, now_text()).encode()
            case "record.txt":
                return write_text(record).encode()
            case "events.jsonl":
                return "".join(event.json() + "\n" for event in game.session.events()).encode()
            case "board.svg":
                return step_svg(record, steps_of(record)[-1]).encode()
            case "curve.svg":
                return curve_svg(record).encode()
            case _:
                return self._pictures(record, name.rpartition(".")[2])

    def _pictures(self, record: Record, kind: str) -> bytes:
        """Film, moving picture or sheet: one at a time, and the last one is kept."""
        with self._painting:
            if self._painted is None or self._painted[:2] != (record, kind):
                self._painted = (record, kind, picture_bytes(record, kind))
            return self._painted[2]
