"""Playthroughs: a whole game as a readable text file, replayed and compared line by line (the idea is OpenSpiel's).

`python -m tests.games.playthrough` writes the files that are missing; delete one to have it written anew.
"""

from pathlib import Path

from engine.board import Board, named_board
from engine.game import Game, Position, load_game, play_turn
from tests.games.walks import KINDS, turns_of, walk

FOLDER = Path(__file__).parent / "playthroughs"
_BOARDS = {"storisende": "hexhex-4"}
_TURNS = 26


def file_of(name: str, rules: str) -> Path:
    """Where the playthrough of a game and rule set lies."""
    return FOLDER / f"{name}-{rules}.txt"


def drawn(board: Board, position: Position) -> str:
    """Rows of cells: the tile's first letter, then owner and height; `.` for a bare tile of the commonest kind."""
    tiles = position.tiles()
    words = [what[0] + (f"{' ABN'[owner]}{height}" if height else "") for what, owner, height in tiles]
    left = min(2 * c.q + c.r for c in board.cells)
    rows: dict[int, str] = {}
    for cell, word in zip(board.cells, words, strict=True):
        column = (2 * cell.q + cell.r - left) * 2
        rows[cell.r] = rows.get(cell.r, "").ljust(column) + word
    return "\n".join(f"    {row}" for _, row in sorted(rows.items()))


def _legal(position: Position) -> str:
    texts = position.legal_texts() if position.stage != "placement" else list(map(str, position.actions()))
    shown = texts[:60]
    more = f" … and {len(texts) - len(shown)} more" if len(texts) > len(shown) else ""
    return f"legal ({len(texts)}): {' '.join(sorted(shown))}{more}"


def write(game: Game, rules: str, turns: list[str]) -> str:
    """The playthrough of these turns."""
    board = named_board(_BOARDS.get(game.name, game.default_board))
    position = game.start(board, rules)
    lines = [f"game: {game.name}", f"rules: {rules}", f"board: {board.name}", ""]
    for number, text in enumerate([*turns, None]):
        first, second = position.score()
        lines += [f"# {number}", drawn(board, position), f"score {first} {second}, {position.stage}"]
        if position.outcome is not None:
            lines.append(f"over: {position.outcome.end}, winner {position.outcome.winner}")
        else:
            lines += [f"player {position.player} to move", _legal(position)]
        if text is not None:
            lines += [f"turn: {text}", ""]
            position = play_turn(position, text)
    return "\n".join(lines) + "\n"


def turns_in(text: str) -> list[str]:
    """The turns that a playthrough records."""
    return [line.removeprefix("turn: ") for line in text.splitlines() if line.startswith("turn: ")]


def fresh(name: str, rules: str) -> str:
    """A new playthrough: random turns, then passes to the end where the game has them."""
    game = load_game(name)
    board = _BOARDS.get(name, game.default_board)
    steps = list(walk(name, rules, 7, _TURNS * 6, board))
    turns = [game.format_turn(actions) for _, actions in turns_of(steps)][:_TURNS]
    position = game.start(named_board(board), rules)
    for text in turns:
        position = play_turn(position, text)
    while position.outcome is None and "pass" in map(str, position.actions()):
        turns.append("pass")
        position = play_turn(position, "pass")
    return write(game, rules, turns)


def main() -> None:
    """Write what is missing."""
    FOLDER.mkdir(exist_ok=True)
    for name, rules in KINDS:
        path = file_of(name, rules)
        if not path.exists():
            path.write_text(fresh(name, rules), encoding="utf-8")
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
