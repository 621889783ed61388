"""Men on boards without disks, by the colours of men and fields."""

import numpy as np
import pytest

from vision.sampling import COLUMNS, ROWS
from vision.surfaces.field_colours import for_men

#: Red, green and white fields; white and black men; blue, green, red against the light.
RED, GREEN, WHITE, BLACK = (0.25, 0.3, 0.85), (0.35, 0.6, 0.4), (0.95, 0.97, 1.0), (0.12, 0.1, 0.1)
PRINTED, MEN = np.array([RED, GREEN, RED]), np.array([WHITE, BLACK])
OPEN = np.ones((1, ROWS, COLUMNS), bool)


def told(colour: tuple[float, ...], fields: np.ndarray = PRINTED, seen: np.ndarray = OPEN, shade: float = 1.0) -> float:
    """What a cell of one colour says, in some shade."""
    colours = np.broadcast_to(shade * np.array(colour)[:, None, None], (1, 3, ROWS, COLUMNS)).astype(np.float32)
    return float(for_men(colours, seen, fields, MEN)[0])


@pytest.mark.parametrize("shade", [0.4, 0.7, 1.0, 1.1])
def test_what_no_field_looks_like_is_a_man(shade: float) -> None:
    """Of either player, in the light and in the shade; fields are fields there, too, and no men."""
    assert told(WHITE, shade=shade) > 3
    assert told(BLACK, shade=shade) > 3
    assert max(told(RED, shade=shade), told(GREEN, shade=shade)) < -5


def test_men_on_fields_of_their_colour_stay_in_doubt() -> None:
    """White men on a board with white fields are no likelier than before; black ones are."""
    fields = np.array([WHITE, RED])
    assert -1.5 < told(WHITE, fields) < 1.5 < 3 < told(BLACK, fields)


def test_other_colours_are_no_mans() -> None:
    """A blue light below a field is neither a field nor a man."""
    assert told((0.9, 0.3, 0.1)) == 0


def test_what_nearer_stacks_hide_tells_nothing() -> None:
    """What is seen there is their side."""
    assert told(BLACK, seen=~OPEN) == 0
