"""Records in the public play server's format: JSON of the AbstractPlay schema `gamerecord/1-0-0`.

Schema in short: `header` with `game{name, variants}`, `site{name}`, `date-start`, `date-end`, `date-generated`,
`players` (each `name` and integer `result`, no two alike), further keys allowed; `moves` = rounds of one entry a seat:
null, a string or `{move, sequence?, result?}`; nothing else at the top. What the schema has no place for (rules,
options, disks, the way a game ended) stands in keys of our own in the header, the layout of modules in
`startingPosition`, times, notes and comments in `result`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.board import Board, named_board
from engine.errors import BoardError, EngineError, RecordError
from engine.game import Outcome, game_names, load_game
from engine.records.record import Player, Record, Start, Turn, check_date, replay
from engine.records.words import layout_words, parse_layout_words, parse_tile_words, tile_words

_NOTE = "storisende"
#: The server's names of boards; hexhex-5 is its default and has none.
_VARIANTS = {"hexhex-4": "board-hex4", "hexhex-5": "board-hex5", "hexhex-6": "board-hex6", "hexhex-7": "board-hex7"}


def write_json(record: Record, generated: str) -> str:
    """The record as JSON text; `generated` is the date for a record that does not know its own.

    Raises `RecordError` for a record that cannot be replayed (the rounds need to know whose turn each was).
    """
    check_date(generated)
    movers = [step.mover for step in replay(record)][1:]
    header = json.dumps(_header(record, generated), ensure_ascii=False, indent=1)
    rounds = ",\n".join(json.dumps(entries, ensure_ascii=False) for entries in _rounds(record.turns, movers))
    return f'{{"header": {header},\n"moves": [\n{rounds}\n]}}\n'


def _header(record: Record, generated: str) -> dict[str, Any]:
    game = load_game(record.game)
    variants = [v for v in (_VARIANTS.get(record.board.name), record.rules) if v]
    header: dict[str, Any] = {
        "game": {"name": game.title, "variants": variants},
        "site": {"name": record.site or "a table"},
        "date-start": record.started or generated,
        "date-end": record.ended or record.started or generated,
        "date-generated": generated,
        "players": [_player(record, seat) for seat in (1, 2)],
        "board": record.board.name,
        "rules": record.rules or game.rule_sets[0],
    }
    if position := _starting_position(record):
        header["startingPosition"] = position
    if record.options:
        header["options"] = dict(record.options)
    if record.disks:
        header["disks"] = list(record.disks)
    if record.neutral:
        header["neutral"] = record.neutral
    if record.clock:
        header["clock"] = record.clock
    if record.outcome:
        header["end"] = record.outcome.end
    if record.comment:
        header["comment"] = record.comment
    return header


def _player(record: Record, seat: int) -> dict[str, Any]:
    player = record.players[seat - 1]
    out: dict[str, Any] = {"name": player.name, "seat": seat}
    out["result"] = int(record.outcome is not None and record.outcome.winner == seat)
    if record.score:
        out["score"] = record.score[seat - 1]
    if player.colour:
        out["colour"] = player.colour
    if player.userid:
        out["userid"] = player.userid
    return out


def _starting_position(record: Record) -> str:
    parts = [layout_words(record.board)]
    if record.start:
        parts += [f"tiles {tile_words(record.board, record.start.tiles)}", f"player {record.start.player}"]
    return "; ".join(part for part in parts if part)


def _rounds(turns: Sequence[Turn], movers: Sequence[int]) -> list[list[Any]]:
    """Rounds of two seats; a seat that did not move in its round is null."""
    rounds: list[list[Any]] = []
    filled = 2
    for turn, mover in zip(turns, movers, strict=True):
        if filled >= mover:
            rounds.append([None, None])
        rounds[-1][mover - 1] = _entry(turn)
        filled = mover
    return rounds


def _entry(turn: Turn) -> str | dict[str, Any]:
    extra = {
        key: value
        for key, value in (("time_s", turn.time_s), ("note", turn.note), ("comment", turn.comment))
        if value not in (None, "")
    }
    return {"move": turn.text, "result": [{"type": _NOTE, **extra}]} if extra else turn.text


def read_json(
    text: str, source: str, board: Board | None = None, game: str | None = None, rules: str | None = None
) -> Record:
    """The record in a JSON text; `source` names it in errors. Board, game and rules override what the header says.

    Raises `RecordError`, for a board that the header neither names nor describes as well.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise RecordError(f"{source}: not JSON: {error}") from None
    header, moves = _table(data, source).get("header"), _table(data, source).get("moves")
    if not isinstance(header, dict) or not isinstance(moves, list):
        raise RecordError(f"{source}: a game record has a header and a list of moves")
    try:
        return _read(header, moves, board, game, rules)
    except EngineError as error:
        raise RecordError(f"{source}: {error}") from None


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RecordError(f"{what} is {json.dumps(value)[:40]}, not a table of names and values")
    return value


def _read(
    header: Mapping[str, Any], moves: Sequence[Any], board: Board | None, game: str | None, rules: str | None
) -> Record:
    played = _table(header.get("game", {}), "header.game")
    name = game or _game_name(str(played.get("name", "")))
    same = game is None or _is_game(str(played.get("name", "")), name)
    variants = [str(v) for v in played.get("variants", []) or []]
    words = [w.strip() for w in str(header.get("startingPosition", "")).split(";") if w.strip()]
    board = board or _read_board(header, variants, words, name)
    known_rules = load_game(name).rule_sets
    own_rules = [r for r in (header.get("rules"), *variants) if r in known_rules]
    options = _table(header.get("options", {}), "header.options") if same else {}
    players, outcome, score = _read_players(header.get("players"), header.get("end"))
    return Record(
        board=board,
        game=name,
        rules=rules if rules is not None else str(own_rules[0]) if own_rules else "",
        options=tuple((str(key), str(value)) for key, value in options.items()),
        players=players,
        disks=_read_disks(header.get("disks")),
        neutral=_line(header.get("neutral")),
        clock=_line(header.get("clock")),
        site=_line(_table(header.get("site", {}), "header.site").get("name")),
        started=_read_date(header.get("date-start")),
        ended=_read_date(header.get("date-end")),
        start=_read_start(words, board),
        comment=str(header.get("comment", "")).strip(),
        turns=_read_moves(moves),
        outcome=outcome,
        score=score,
    )


def _is_game(text: str, name: str) -> bool:
    return text.strip().lower() in (name, load_game(name).title.lower())


def _game_name(text: str) -> str:
    for name in game_names():
        if _is_game(text, name):
            return name
    raise RecordError(f"unknown game '{text}'; known are {', '.join(game_names())}")


def _read_board(header: Mapping[str, Any], variants: Sequence[str], words: Sequence[str], game: str) -> Board:
    name = str(header.get("board", ""))
    for part in words:
        if part.startswith(("modules ", "cells ")):
            return parse_layout_words(part, name or "modules")
    boards = {variant: board for board, variant in _VARIANTS.items()}
    for word in (name, *variants):
        if word in boards:
            return named_board(boards[word])
        if word.startswith("board-modular"):
            raise BoardError(f"the record does not say how the modules of its board ({word}) lie; name a board file")
    return named_board(name or load_game(game).default_board)


def _read_start(words: Sequence[str], board: Board) -> Start | None:
    tiles = next((part.removeprefix("tiles ") for part in words if part.startswith("tiles ")), None)
    if tiles is None:
        return None
    placed = dict(parse_tile_words(tiles, board))
    if len(placed) != len(board):
        raise RecordError(f"startingPosition has {len(placed)} tiles for the {len(board)} cells of {board.name}")
    player = next((part.removeprefix("player ") for part in words if part.startswith("player ")), "1")
    if player not in ("1", "2"):
        raise RecordError(f"startingPosition: player is 1 or 2, not '{player}'")
    return Start(tuple(placed[i] for i in range(len(board))), int(player))


def _read_players(value: Any, end: Any) -> tuple[tuple[Player, Player], Outcome | None, tuple[int, int] | None]:
    seats = value if isinstance(value, list) else []
    if len(seats) not in (0, 2):
        raise RecordError(f"the header has {len(seats)} players; these games have two")
    tables = [_table(seat, "a player in the header") for seat in seats] or [{}, {}]
    first, second = (
        Player(_line(t.get("name")) or f"Player {i}", _line(t.get("colour")), _line(t.get("userid")))
        for i, t in enumerate(tables, start=1)
    )
    results = [r for t in tables if isinstance(r := t.get("result"), int)]
    outcome = None
    if len(results) == 2 and (end or results[0] != results[1]):
        winner = 0 if results[0] == results[1] else 1 if results[0] > results[1] else 2
        outcome = Outcome(str(end or "as recorded"), winner)
    scores = [int(v) for t in tables if isinstance(v := t.get("score"), int | float)]
    score = (scores[0], scores[1]) if len(scores) == 2 else None
    return (first, second), outcome, score


def _line(value: Any) -> str:
    """A value as one line of text; nothing for a missing one."""
    return "" if value is None else " ".join(str(value).split())


def _read_disks(value: Any) -> tuple[str, str] | None:
    return (_line(value[0]), _line(value[1])) if isinstance(value, list) and len(value) == 2 else None


def _read_date(value: Any) -> str:
    """The date, or nothing where another program wrote something else there."""
    try:
        return check_date(str(value))
    except RecordError:
        return ""


def _read_moves(rounds: Sequence[Any]) -> tuple[Turn, ...]:
    """All turns in the order in which they were made: by seat, or by `sequence` where a round gives it."""
    turns = []
    for number, entries in enumerate(rounds, start=1):
        seats = entries if isinstance(entries, list) else [entries]
        made = [entry for entry in seats if entry is not None]
        if made and all(isinstance(entry, dict) and isinstance(entry.get("sequence"), int) for entry in made):
            made.sort(key=lambda entry: entry["sequence"])
        for entry in made:
            try:
                turns.append(_read_turn(entry))
            except RecordError as error:
                raise RecordError(f"round {number}: {error}") from None
    return tuple(turns)


def _read_turn(entry: Any) -> Turn:
    if isinstance(entry, str):
        return Turn("".join(entry.split()))
    if not isinstance(entry, dict) or not isinstance(entry.get("move"), str):
        raise RecordError(f"{json.dumps(entry)[:60]} is no move")
    text, result = "".join(entry["move"].split()), entry.get("result")
    if isinstance(result, str):
        return Turn(text, comment=result.strip())
    ours = next((r for r in result or [] if isinstance(r, dict) and r.get("type") == _NOTE), {})
    time_s = ours.get("time_s")
    return Turn(
        text,
        comment=str(ours.get("comment", "")).strip(),
        time_s=float(time_s) if isinstance(time_s, int | float) else None,
        note=_line(ours.get("note")),
    )
