"""Colour words and material."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.errors import ColourError
from vision.palette import DEFAULT_DISKS, WORDS, Material, commonly_dark, commonly_light, parse_colour

CONTRACT = [
    "white",
    "ivory",
    "cream",
    "beige",
    "sand",
    "birch",
    "oak",
    "yellow",
    "gold",
    "amber",
    "orange",
    "red",
    "maroon",
    "pink",
    "purple",
    "violet",
    "blue",
    "navy",
    "teal",
    "turquoise",
    "green",
    "lime",
    "moss",
    "felt",
    "olive",
    "brown",
    "walnut",
    "mahogany",
    "espresso",
    "grey",
    "silver",
    "slate",
    "charcoal",
    "black",
    "dark",
]


def test_every_word_of_the_contract_is_known() -> None:
    """The words that the contract promises are there, whatever their case."""
    for word in CONTRACT:
        assert parse_colour(word.upper()).rgb == WORDS[word]


def test_light_and_dark_before_a_word() -> None:
    """They are the word's colour, lighter or darker, however they are written; `dark` alone stays what disks are."""
    blue, grey = parse_colour("blue").rgb, parse_colour("grey").rgb
    for text in ("light blue", "lightblue", "Light-Blue"):
        assert all(lighter > v for lighter, v in zip(parse_colour(text).rgb, blue, strict=True))
    assert all(darker < v for darker, v in zip(parse_colour("darkgray").rgb, grey, strict=True))
    assert parse_colour("dark").rgb == WORDS["dark"]
    for text in ("light", "dark dark mauve", "lightmauve"):
        with pytest.raises(ColourError, match=f"'{text}'"):
            parse_colour(text)


def test_common_disks_go_by_many_words() -> None:
    """Light ones and dark ones, and lighter and darker ones still; colours that disks seldom have do not."""
    light, dark = ("beige", "linen", "light oak", "lightmaple"), ("dark", "wenge", "dark brown", "dark-walnut")
    assert all(commonly_light(parse_colour(word)) and not commonly_dark(parse_colour(word)) for word in light)
    assert all(commonly_dark(parse_colour(word)) and not commonly_light(parse_colour(word)) for word in dark)
    for word in ("yellow", "light blue", "dark red", "#d6be96", "dark beige"):
        assert not commonly_light(parse_colour(word))
        assert not commonly_dark(parse_colour(word))
    linen = parse_colour("linen")
    assert Material((parse_colour("red"), parse_colour("white")), (linen, parse_colour("wenge"))).yardstick == linen


def test_an_unknown_word_lists_the_known_ones() -> None:
    """The error names the word that was given and every word that would do."""
    with pytest.raises(ColourError, match="'mauve'") as caught:
        parse_colour("mauve")
    assert all(word in str(caught.value) for word in CONTRACT)


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_hexadecimal_colours_keep_their_values(rgb: tuple[int, int, int]) -> None:
    """#rrggbb is read to the very values; linear light stays within 0–1."""
    colour = parse_colour("#{:02x}{:02X}{:02x}".format(*rgb))
    assert colour.rgb == rgb
    assert all(0 <= v <= 1 for v in colour.linear)


@pytest.mark.parametrize("text", ["", "#12345", "#12345g", "12,3,4"])
def test_broken_colours_are_refused(text: str) -> None:
    """Nothing that is no colour passes for one."""
    with pytest.raises(ColourError):
        parse_colour(text)


def test_men_that_look_the_same_are_refused() -> None:
    """Two players with one colour cannot be told apart; all pairs of contract words but synonyms can."""
    with pytest.raises(ColourError, match="look the same"):
        Material((parse_colour("red"), parse_colour("#b02026")))
    assert Material((parse_colour("white"), parse_colour("ivory"))).disks == DEFAULT_DISKS
