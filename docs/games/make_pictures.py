"""Draw the example of every game's page: `docs/games/NAME.txt`, a record, becomes `docs/games/NAME.svg`.

Run it as `.venv/bin/python docs/games/make_pictures.py` after changing a record or the drawing; a test compares.
"""

from pathlib import Path

from companion.drawing.showing import step_svg
from companion.record_files import load_record
from engine.game import game_names
from engine.records.record import position_at

FOLDER = Path(__file__).parent


def picture(name: str) -> str:
    """The last position of a game's example, as SVG."""
    record = load_record(FOLDER / f"{name}.txt")
    return step_svg(record, position_at(record, -1))


if __name__ == "__main__":
    for game in game_names():
        (FOLDER / f"{game}.svg").write_text(picture(game), encoding="utf-8")
        print(f"wrote {FOLDER / game}.svg")
