"""What `storisende replay` prints: JSON lines for programs, a table for people."""

import json
from typing import Any

from rich.console import Console
from rich.table import Table

from engine.game import Outcome, load_game
from engine.records.record import Record, Step, final_outcome, replay


def step_fields(record: Record, step: Step) -> dict[str, Any]:
    """The fields of the contract for one ply; `player` is the player to move, `winner` lists both in a draw."""
    outcome = final_outcome(record, step) if step.ply == len(record.turns) else step.outcome
    return {
        "ply": step.ply,
        "move": step.text or None,
        "player": step.position.player,
        "cells": dict(zip(record.board.names, map(list, step.position.tiles()), strict=True)),
        "legal": step.position.legal_texts(),
        "score": list(step.position.score()),
        "over": outcome is not None,
        "winner": winners(outcome),
    }


def json_line(record: Record, step: Step) -> str:
    """One line of `storisende replay --jsonl`."""
    return json.dumps(step_fields(record, step), ensure_ascii=False, separators=(",", ":"))


def winners(outcome: Outcome | None) -> list[int]:
    """Nobody yet, the winner, or both in a draw."""
    if outcome is None:
        return []
    return [outcome.winner] if outcome.winner else [1, 2]


def print_table(record: Record) -> None:
    """The turns with players and scores, and how the game ended."""
    game, console = load_game(record.game), Console()
    console.print(f"{game.title} on {record.board.name}: {record.players[0].name} – {record.players[1].name}")
    table = Table("ply", "player", "turn", "score", "remarks", box=None)
    last = None
    try:
        for step in replay(record):
            last = step
            if step.ply:
                turn, (first, second) = record.turns[step.ply - 1], step.position.score()
                remarks = "; ".join(part for part in (turn.note, turn.comment) if part)
                name = record.players[step.mover - 1].name
                table.add_row(str(step.ply), name, step.text, f"{first} : {second}", remarks)
    finally:
        console.print(table)
    outcome = final_outcome(record, last) if last else None
    if outcome is not None:
        who = f"{record.players[outcome.winner - 1].name} wins" if outcome.winner else "drawn"
        console.print(f"{who} ({outcome.end})")
