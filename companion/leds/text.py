"""The score on a matrix panel: a 3 × 5 font, centred where it fits and scrolled where it does not."""

from collections.abc import Mapping

from companion.leds.palette import Palette
from hardware.frame import Rgb

Pixels = dict[tuple[int, int], Rgb]

GLYPH_WIDTH, GLYPH_HEIGHT, ADVANCE = 3, 5, 4
SCROLL_PX_PER_S = 6.0
WINNER_BLINK_S = 1.0
_GAP_PX = 6

#: Rows from the top, `#` is a lit pixel.
FONT: Mapping[str, tuple[str, ...]] = {
    "0": ("###", "#.#", "#.#", "#.#", "###"),
    "1": (".#.", "##.", ".#.", ".#.", "###"),
    "2": ("###", "..#", "###", "#..", "###"),
    "3": ("###", "..#", "###", "..#", "###"),
    "4": ("#.#", "#.#", "###", "..#", "..#"),
    "5": ("###", "#..", "###", "..#", "###"),
    "6": ("###", "#..", "###", "#.#", "###"),
    "7": ("###", "..#", "..#", "..#", "..#"),
    "8": ("###", "#.#", "###", "#.#", "###"),
    "9": ("###", "#.#", "###", "..#", "###"),
    "-": ("...", "...", "###", "...", "..."),
}


def text_width(text: str) -> int:
    """The width of a text in pixels."""
    return ADVANCE * len(text) - 1


def draw_score(
    score: tuple[int, int], player: int, winner: int | None, palette: Palette, width: int, height: int, now_s: float
) -> Pixels:
    """The lit pixels of `107-63` on a panel, pixel (0, 0) being the upper left one.

    The number of the player to move is underlined where there is a row left for it; at the end the winner's number
    blinks. A text wider than the panel runs from right to left, again and again.
    """
    numbers = (str(score[0]), str(score[1]))
    text = "-".join(numbers)
    top = max((height - GLYPH_HEIGHT - 1) // 2, 0)
    whole = _strip(text, len(numbers[0]), player, winner, palette, top, now_s)
    if text_width(text) <= width:
        left = (width - text_width(text)) // 2
        return {(x + left, y): colour for (x, y), colour in whole.items() if 0 <= y < height}
    round_px = text_width(text) + _GAP_PX
    shift = int(now_s * SCROLL_PX_PER_S) % round_px
    places = {((x - shift) % round_px, y): colour for (x, y), colour in whole.items()}
    return {(x, y): colour for (x, y), colour in places.items() if x < width and 0 <= y < height}


def _strip(text: str, hyphen: int, player: int, winner: int | None, palette: Palette, top: int, now_s: float) -> Pixels:
    """The whole text with its underline, from x = 0."""
    pixels: Pixels = {}
    for i, letter in enumerate(text):
        owner = 1 if i < hyphen else 2 if i > hyphen else 0
        if owner and owner == winner and now_s % WINNER_BLINK_S >= WINNER_BLINK_S / 2:
            continue
        colour = (palette.first, palette.first, palette.second)[owner]
        for y, row in enumerate(FONT[letter]):
            pixels |= {(ADVANCE * i + x, top + y): colour for x, dot in enumerate(row) if dot == "#"}
        if owner and owner == player and winner is None:
            pixels |= {(ADVANCE * i + x, top + GLYPH_HEIGHT + 1): colour for x in range(GLYPH_WIDTH)}
    return pixels
