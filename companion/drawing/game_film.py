"""Pictures of a whole game: a film, a moving picture, all turns on one sheet, the curve of the score."""

from collections.abc import Iterator
from math import ceil, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

import cv2
import numpy as np

from companion.drawing.draw import css
from companion.drawing.game_frame import Picture, frame
from companion.drawing.showing import style_of
from companion.errors import InputError
from engine.records.record import Record, replay

#: How long a film stays on each turn, and on the last one.
TURN_S, END_S = 1.0, 3.0
_FILM_FPS = 1
_GIF_WIDTH_PX, _SHEET_WIDTH_PX = 480, 2000
_LARGEST_SHEET = 400


def frames(record: Record, width_px: int) -> Iterator[Picture]:
    """A picture of the start and of every ply. Raises `RecordError` for a record that cannot be replayed."""
    for step in replay(record):
        yield frame(record, step, width_px)


def write_film(record: Record, path: Path, width_px: int = 960) -> None:
    """The game as an MP4 (VP9), a second a turn. Raises `InputError` where it cannot be written."""
    _check_place(path, ".mp4")
    size = (width_px, round(width_px * 0.75))
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"vp09"), _FILM_FPS, size)
    if not writer.isOpened():
        raise InputError(f"film {path}: cannot be written")
    try:
        picture = None
        for picture in frames(record, width_px):
            for _ in range(round(TURN_S * _FILM_FPS)):
                writer.write(picture)
        for _ in range(round((END_S - TURN_S) * _FILM_FPS)):
            if picture is not None:
                writer.write(picture)
    finally:
        writer.release()


def write_gif(record: Record, path: Path) -> None:
    """The game as an animated GIF that begins again. Raises `InputError` where it cannot be written."""
    _check_place(path, ".gif")
    animation = cv2.Animation()
    animation.frames = list(frames(record, _GIF_WIDTH_PX))
    durations = [round(TURN_S * 1000)] * len(animation.frames)
    durations[-1] = round(END_S * 1000)
    animation.durations = durations
    if not cv2.imwriteanimation(str(path), animation):
        raise InputError(f"moving picture {path}: cannot be written")


def write_sheet(record: Record, path: Path) -> None:
    """Every position of the game on one sheet (PNG), row by row. Raises `InputError` where it cannot be written."""
    _check_place(path, ".png")
    count = len(record.turns) + 1
    if count > _LARGEST_SHEET:
        raise InputError(f"a game of {count - 1} turns does not fit on a sheet; at most {_LARGEST_SHEET - 1} do")
    columns = ceil(sqrt(count))
    small = list(frames(record, _SHEET_WIDTH_PX // columns))
    empty = np.full_like(small[0], small[0][0, 0])
    small += [empty] * (-len(small) % columns)
    rows = [np.hstack(small[at : at + columns]) for at in range(0, len(small), columns)]
    if not cv2.imwrite(str(path), np.vstack(rows)):
        raise InputError(f"sheet {path}: cannot be written")


def write_curve(record: Record, path: Path) -> None:
    """The curve of the score (SVG). Raises `InputError` where it cannot be written."""
    _check_place(path, ".svg")
    try:
        path.write_text(curve_svg(record), encoding="utf-8")
    except OSError as error:
        raise InputError(f"curve {path}: cannot be written: {error.strerror}") from None


def _check_place(path: Path, ending: str) -> None:
    if path.suffix.lower() != ending or not path.parent.is_dir():
        raise InputError(f"{path}: the name ends in {ending}, and the folder must exist")


def picture_bytes(record: Record, kind: str) -> bytes:
    """The game as the content of a `mp4`, `gif` or `png` file (film, moving picture, sheet)."""
    write = {"mp4": write_film, "gif": write_gif, "png": write_sheet}[kind]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"game.{kind}"
        write(record, path)
        return path.read_bytes()


_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 360, 44, 60, 24, 34


def curve_svg(record: Record) -> str:
    """Both scores over the game as SVG; before the first move of the play proper nobody has any."""
    points = [(0, 0) if s.position.stage == "placement" else s.position.score() for s in replay(record)]
    high, low = max(4, *(max(p) for p in points)), min(0, *(min(p) for p in points))
    last = max(1, len(points) - 1)

    def x(ply: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * ply / last

    def y(score: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (score - low) / (high - low)

    parts = []
    for score in sorted({round(low + (high - low) * k / 4) for k in range(5)}):
        parts.append(f'<path d="M{_LEFT} {y(score):.1f}H{_WIDTH - _RIGHT}" stroke="#ddd4c4"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y(score) + 5:.1f}" text-anchor="end" fill="#6c6156">{score}</text>')
    men = style_of(record).men
    for side in (0, 1):
        line = "M" + "L".join(f"{x(ply):.1f} {y(p[side]):.1f}" for ply, p in enumerate(points))
        colour = css(men[side + 1])
        dash = ' stroke-dasharray="10 5"' if side else ""
        parts.append(f'<path d="{line}" fill="none" stroke="#231d17" stroke-opacity=".25" stroke-width="6"/>')
        parts.append(f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="3.5"{dash}/>')
        level = 20 * side - 10 if points[-1][0] == points[-1][1] else 0
        parts.append(
            f'<text x="{x(last) + 8:.1f}" y="{y(points[-1][side]) + 6 + level:.1f}" font-weight="bold" '
            f'fill="{colour}">{points[-1][side]}</text>'
        )
    names = " and ".join(escape(player.name) for player in record.players)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="15" stroke-linejoin="round">\n'
        f'<title>Score of {names} over the game</title><rect width="100%" height="100%" fill="#fffdf8"/>\n'
        + "\n".join(parts)
        + f'\n<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 10}" text-anchor="end" fill="#6c6156">turn {last}</text>'
        + "\n</svg>\n"
    )
