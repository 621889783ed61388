"""Named colours: what the words for men and disks mean in daylight, and the material that a user names with them."""

import re
from dataclasses import dataclass

from engine.look import NEUTRAL, Surface
from vision.errors import ColourError

RGB = tuple[int, int, int]

#: sRGB (0–255) of common game material in daylight, light to dark within a family; the contract's words, then others.
WORDS: dict[str, RGB] = {
    "white": (233, 229, 220),
    "ivory": (226, 208, 172),
    "cream": (228, 214, 184),
    "beige": (214, 190, 150),
    "sand": (198, 170, 122),
    "birch": (220, 196, 156),
    "oak": (178, 138, 88),
    "yellow": (222, 178, 42),
    "gold": (204, 160, 52),
    "amber": (218, 142, 30),
    "orange": (214, 106, 32),
    "red": (176, 32, 38),
    "maroon": (110, 24, 40),
    "pink": (222, 134, 156),
    "purple": (88, 42, 120),
    "violet": (120, 72, 168),
    "blue": (36, 76, 150),
    "navy": (26, 36, 84),
    "teal": (24, 116, 120),
    "turquoise": (52, 168, 168),
    "green": (62, 118, 62),
    "lime": (140, 186, 52),
    "moss": (88, 122, 60),
    "felt": (30, 92, 62),
    "olive": (108, 118, 62),
    "brown": (110, 70, 42),
    "walnut": (76, 48, 32),
    "mahogany": (92, 38, 28),
    "espresso": (46, 32, 26),
    "grey": (128, 128, 130),
    "silver": (178, 180, 184),
    "slate": (66, 72, 80),
    "charcoal": (48, 48, 50),
    "black": (28, 27, 30),
    "dark": (58, 42, 34),
    "chalk": (236, 234, 226),
    "linen": (222, 206, 178),
    "bone": (222, 212, 188),
    "boxwood": (210, 172, 104),
    "maple": (212, 176, 128),
    "tan": (196, 156, 112),
    "khaki": (170, 156, 110),
    "mustard": (196, 152, 40),
    "peach": (232, 178, 142),
    "salmon": (226, 140, 118),
    "coral": (222, 106, 88),
    "crimson": (158, 26, 50),
    "burgundy": (96, 24, 38),
    "rose": (206, 96, 124),
    "magenta": (176, 42, 120),
    "plum": (100, 42, 82),
    "lilac": (172, 142, 196),
    "lavender": (170, 158, 206),
    "indigo": (52, 44, 112),
    "sky": (112, 170, 214),
    "cyan": (52, 164, 190),
    "aqua": (64, 176, 176),
    "mint": (150, 205, 170),
    "emerald": (24, 122, 78),
    "copper": (176, 98, 62),
    "bronze": (140, 104, 58),
    "cherry": (150, 78, 52),
    "chestnut": (96, 54, 36),
    "rosewood": (86, 38, 34),
    "wenge": (52, 40, 36),
    "graphite": (62, 64, 68),
    "ebony": (38, 32, 30),
}

#: `light` and `dark` before a word: how far that colour goes to white or to black.
_SHADES = {"light": ((255, 255, 255), 0.4), "dark": ((0, 0, 0), 0.4)}
_SPELLINGS = {"gray": "grey"}

#: How much red, green and blue count in a black-and-white picture.
_LUMA = (0.299, 0.587, 0.114)
#: Two men whose linear RGB differs by less than this factor in every channel cannot be told apart.
_LEAST_RATIO = 1.12


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour as a user names it: the word as it was given, and its sRGB values (0–255)."""

    word: str
    rgb: RGB

    def __post_init__(self) -> None:
        if len(self.rgb) != 3 or not all(0 <= v <= 255 for v in self.rgb):
            raise ColourError(f"no such colour: {self.word} {self.rgb}")

    @property
    def linear(self) -> tuple[float, float, float]:
        """Linear-light red, green and blue, 0–1 (IEC 61966-2-1)."""
        r, g, b = (_to_linear(v / 255.0) for v in self.rgb)
        return r, g, b

    @property
    def in_grey(self) -> "Colour":
        """What it looks like in a black-and-white picture (luma of ITU-R BT.601)."""
        luma = round(sum(part * value for part, value in zip(_LUMA, self.rgb, strict=True)))
        return Colour(self.word, (luma, luma, luma))


def parse_colour(text: str) -> Colour:
    """The colour of a word, of `light` or `dark` and a word (`light blue`, `darkgreen`), or of `#rrggbb`. Raises
    `ColourError` that lists the known words."""
    word = text.strip().lower()
    if (rgb := _rgb_of(word)) is not None:
        return Colour(word, rgb)
    if match := re.fullmatch(r"(light|dark)[ _-]*(.+)", word):
        (end, part), rgb = _SHADES[match[1]], _rgb_of(match[2])
        if rgb is not None:
            r, g, b = (round(v + part * (to - v)) for v, to in zip(rgb, end, strict=True))
            return Colour(word, (r, g, b))
    if match := re.fullmatch(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", word):
        return Colour(word, (int(match[1], 16), int(match[2], 16), int(match[3], 16)))
    raise ColourError(f"unknown colour '{text}'; known are {', '.join(WORDS)}, light or dark before these, or #rrggbb")


def _rgb_of(word: str) -> RGB | None:
    return WORDS.get(_SPELLINGS.get(word, word))


#: Disks of the original game material: what `Material` assumes when the user does not say.
DEFAULT_DISKS = (Colour("beige", WORDS["beige"]), Colour("dark", WORDS["dark"]))
#: What light and dark disks of common material are called.
COMMON_LIGHT_DISKS = ("beige", "sand", "cream", "birch", "ivory", "white", "oak")
COMMON_DARK_DISKS = ("dark", "espresso", "charcoal", "walnut", "slate", "black", "brown", "mahogany")
#: Other words for such material.
_ALSO_LIGHT, _ALSO_DARK = (
    ("chalk", "linen", "bone", "maple", "boxwood"),
    ("wenge", "graphite", "ebony", "chestnut", "rosewood"),
)
#: The brightest that is to be seen about a board without disks.
PAPER = Colour("paper", (235, 235, 235))


def commonly_light(disk: Colour) -> bool:
    """Whether light disks of common material are called so, or by such a word with `light` before it."""
    return _without("light", disk.word) in (*COMMON_LIGHT_DISKS, *_ALSO_LIGHT)


def commonly_dark(disk: Colour) -> bool:
    """Whether dark disks of common material are called so, or by such a word with `dark` before it."""
    return _without("dark", disk.word) in (*COMMON_DARK_DISKS, *_ALSO_DARK)


def _without(shade: str, word: str) -> str:
    return word.removeprefix(shade).lstrip(" _-") or word


@dataclass(frozen=True, slots=True)
class Material:
    """What lies on the table: the colours of the men, first player first, and of the disks.

    `disks` are (beige, dark) or None for a board played without disks. Where `neutral` men, who belong to nobody, stand
    on the table, no player's do: then the disks' faces are the pieces, (light, dark), and `men` are what the players
    are called by. `grey`: whether these are colours as black-and-white pictures show them; unless they are,
    `ColourError` is raised for two men or two disks that look the same.
    """

    men: tuple[Colour, Colour]
    disks: tuple[Colour, Colour] | None = DEFAULT_DISKS
    neutral: Colour | None = None
    grey: bool = False

    @property
    def owners(self) -> dict[int, Colour]:
        """Whose men may stand on the table, and what colour they are."""
        return dict(enumerate(self.men, start=1)) if self.neutral is None else {NEUTRAL: self.neutral}

    @property
    def colours(self) -> dict[int, Colour]:
        """The colours of all who own men, and of nobody's men where there are some."""
        return dict(enumerate(self.men, start=1)) | self.owners

    @property
    def bright(self) -> Surface:
        """What the brighter faces of the disks are."""
        return Surface.BEIGE if self.neutral is None else Surface.LIGHT

    @property
    def yardstick(self) -> Colour:
        """The colour of what is taken for white on this table: the light disks, or beige ones where these have no
        common colour, or paper."""
        if self.disks is None:
            return PAPER
        light, beige = self.disks[0], DEFAULT_DISKS[0]
        return light if commonly_light(light) else beige.in_grey if self.grey else beige

    def in_grey(self) -> "Material":
        """The same, as black-and-white pictures show it."""
        first, second = self.men
        disks = self.disks and (self.disks[0].in_grey, self.disks[1].in_grey)
        return Material((first.in_grey, second.in_grey), disks, self.neutral and self.neutral.in_grey, grey=True)

    def __post_init__(self) -> None:
        if self.grey:
            return
        if self.neutral is None:
            _check_apart(*self.men, "men")
        if self.disks is not None:
            _check_apart(*self.disks, "disks")


def _check_apart(first: Colour, second: Colour, what: str) -> None:
    pairs = zip(first.linear, second.linear, strict=True)
    if max((max(a, b) + 0.003) / (min(a, b) + 0.003) for a, b in pairs) < _LEAST_RATIO:
        raise ColourError(f"two kinds of {what} look the same: '{first.word}' and '{second.word}'")


def _to_linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
