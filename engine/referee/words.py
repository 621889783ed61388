"""What a referee says to people at the table: plain instructions and names of pieces."""

from engine.board import Board
from engine.look import NEUTRAL, CellLook, Surface

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def count_of_men(count: int, colour: str) -> str:
    """`one red man`, `three red men`."""
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {colour}{' ' if colour else ''}{'man' if count == 1 else 'men'}"


def colour_of(men: int, colours: tuple[str, str]) -> str:
    """The word for an owner's colour; neutral men have none."""
    return "" if men in (0, NEUTRAL) else colours[men - 1]


def disk_instruction(name: str, now: Surface, then: Surface) -> str:
    """How to get from one surface to another on a cell."""
    if then is Surface.BARE:
        return f"take the disk off {name}"
    if now is Surface.BARE:
        return f"put a disk on {name}, {then.value} side up"
    return f"turn the disk on {name} to {then.value}"


def men_instruction(name: str, now: CellLook, then: CellLook, colours: tuple[str, str]) -> str:
    """How to get from one set of men to another on a cell."""
    if then.men == 0:
        what = f"{colour_of(now.men, colours)} {'man' if now.height == 1 else 'stack'}".strip()
        return f"take the {what} off {name}"
    if now.men == then.men:
        more = then.height - now.height
        if more > 0:
            return f"set {count_of_men(more, colour_of(then.men, colours))} more on {name}"
        return f"take {count_of_men(-more, colour_of(then.men, colours))} off {name}"
    start = f"take the {colour_of(now.men, colours)} men off {name} and ".replace("  ", " ") if now.men else ""
    return f"{start}set {count_of_men(then.height, colour_of(then.men, colours))} on {name}"


def instruction(board: Board, cell: int, now: CellLook, then: CellLook, colours: tuple[str, str]) -> str:
    """One plain sentence that says what to do on a cell so that `now` becomes `then`."""
    name = board.names[cell]
    parts = []
    if (now.men, now.height) != (then.men, then.height):
        parts.append(men_instruction(name, now, then, colours))
    if now.surface is not then.surface:
        parts.append(disk_instruction(name, now.surface, then.surface))
    if len(parts) == 2 and then.height > now.height:
        parts.reverse()
    return " and ".join(parts)
