"""The page's picture of the game: plain JSON made from the session's newest state."""

from functools import lru_cache
from typing import Any

from companion.drawing.draw import css
from companion.game.session import SessionState, Setup
from companion.page.sentences import player_names
from engine.board import Board
from engine.game import load_game
from engine.look import CellLook
from engine.referee.verdict import Illegal, Step
from engine.referee.words import instruction
from vision.palette import parse_colour


def state_json(state: SessionState) -> dict[str, Any]:
    """Everything the page draws at one moment; cells are indices into `board.names`.

    While men are placed the board is what the eye sees, afterwards what the rules say.
    """
    placing = state.position.stage == "placement"
    shown = state.table if placing else state.expected
    return {
        "seq": state.seq,
        "t": round(state.t_s, 2),
        "phase": state.phase,
        "eye": state.eye,
        "setup": setup_json(state.setup),
        "board": board_json(state.setup.board),
        "cells": [_look(look) for look in shown],
        "tiles": [tile for tile, _, _ in state.position.tiles()],
        "score": list(state.score),
        "player": state.player,
        "stage": state.position.stage,
        "history": [
            {
                "ply": p.ply,
                "player": p.player,
                "text": p.text,
                "how": p.how.value,
                "t": round(p.t_s, 1),
                "score": list(p.score),
            }
            for p in state.history
        ],
        "last": list(state.last_move),
        "pending": state.pending and {"turn": state.pending.turn, "steps": _steps(state.pending.steps)},
        "candidates": list(state.ambiguous.candidates) if state.ambiguous else [],
        "lost": state.lost,
        "doubt": state.doubt,
        "unkept": state.unkept,
        "alarm": state.alarm and _alarm(state.alarm),
        "reminders": [{"cell": r.cell, "text": r.text} for r in state.reminders],
        "differences": [] if placing else _differences(state),
        "lifted": state.lifted
        and {
            "cell": state.lifted.cell,
            "count": state.lifted.count,
            "targets": [
                {"cell": t.cell, "count": t.count, "leaves": t.leaves.value, "text": t.text}
                for t in state.lifted.targets
            ],
        },
        "areas": [[owner, sorted(cells)] for owner, cells in state.position.areas()],
        "outcome": state.outcome and {"end": state.outcome.end, "winner": state.outcome.winner},
    }


@lru_cache(maxsize=16)
def board_json(board: Board) -> dict[str, Any]:
    """Names and axial coordinates of a board's cells."""
    return {"name": board.name, "names": list(board.names), "cells": [[c.q, c.r] for c in board.cells]}


def setup_json(setup: Setup) -> dict[str, Any]:
    """Game, rules, players and the colours of men, nobody's too, and of the disks' `faces`, as `#rrggbb`."""
    game = load_game(setup.game)
    colours = (*setup.colours, *([setup.neutral] if setup.neutral else []))
    return {
        "game": setup.game,
        "title": game.title,
        "rules": (setup.rules or game.rule_sets[0]) if len(game.rule_sets) > 1 else "",
        "players": list(player_names(setup.colours, setup.names)),
        "colours": [css(parse_colour(word).rgb) for word in colours],
        "faces": setup.disks and [css(parse_colour(word).rgb) for word in setup.disks],
        "words": list(setup.colours),
        "disks": "none" if setup.disks is None else ",".join(setup.disks),
    }


def _differences(state: SessionState) -> list[dict[str, Any]]:
    """Where table and game differ, each with how to put it right."""
    board, colours = state.setup.board, state.setup.colours
    return [
        {"cell": d.cell, "text": instruction(board, d.cell, d.seen, d.expected, colours)} for d in state.differences
    ]


def _look(look: CellLook) -> list[Any]:
    return [look.surface.value, look.men, look.height]


def _steps(steps: tuple[Step, ...]) -> list[dict[str, Any]]:
    return [{"cell": step.cell, "text": step.text} for step in steps]


def _alarm(alarm: Illegal) -> dict[str, Any]:
    return {"why": alarm.why, "from": alarm.source, "to": alarm.target, "repair": _steps(alarm.repair)}
