"""The rules of the AbstractPlay schema `gamerecord/1-0-0`, written down for the tests."""

from datetime import datetime
from typing import Any


def broken_rules(data: Any) -> list[str]:
    """Every rule of the schema that a record breaks, as a list of sentences."""
    if not isinstance(data, dict) or set(data) != {"header", "moves"}:
        return ["the top has header and moves and nothing else"]
    return [*_header(data["header"]), *_moves(data["moves"])]


def _header(header: Any) -> list[str]:
    found = []
    for key in ("game", "site", "date-start", "date-end", "date-generated", "players"):
        if key not in header:
            found.append(f"header.{key} is missing")
    game, site, players = header.get("game", {}), header.get("site", {}), header.get("players", [])
    if not isinstance(game.get("name"), str) or set(game) - {"name", "variants"}:
        found.append("game has a name and perhaps variants")
    variants = game.get("variants", [])
    if len(set(variants)) != len(variants) or not all(isinstance(v, str) for v in variants):
        found.append("variants are different texts")
    if not isinstance(site.get("name"), str) or set(site) - {"name", "gameid"}:
        found.append("site has a name and perhaps a gameid")
    for key in ("date-start", "date-end", "date-generated"):
        if datetime.fromisoformat(header.get(key, "")).tzinfo is None:
            found.append(f"{key} is an RFC 3339 date with a zone")
    if not players or len({repr(p) for p in players}) != len(players):
        found.append("players are a list of different objects")
    for player in players:
        if not isinstance(player.get("name"), str) or type(player.get("result")) is not int:
            found.append("a player has a name and an integer result")
        if not isinstance(player.get("score", 0), int | float) or not isinstance(player.get("userid", ""), str):
            found.append("score is a number, userid a text")
    if not isinstance(header.get("startingPosition", ""), str):
        found.append("startingPosition is a text")
    return found


def _moves(rounds: Any) -> list[str]:
    found = []
    for entries in rounds:
        if not isinstance(entries, list):
            found.append("a round is a list")
            continue
        for entry in entries:
            if entry is None or isinstance(entry, str):
                continue
            if not isinstance(entry, dict) or not isinstance(entry.get("move"), str):
                found.append("an entry is null, a text, or an object with a move")
            elif set(entry) - {"move", "sequence", "result"}:
                found.append("an entry has move, sequence and result and nothing else")
            elif not isinstance(entry.get("result", ""), str | list):
                found.append("a result is a text or a list of objects")
    return found
