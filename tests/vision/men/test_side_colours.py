"""Whose men these are by their sides, where some places show the top or what lies about the men."""

import numpy as np
import pytest

from vision.men.side_colours import sides_of

RED, WHITE, GREEN, BEIGE = (
    np.array(c) for c in ([0.2, 0.15, 0.6], [1.0, 0.97, 0.95], [0.3, 0.5, 0.3], [0.7, 0.8, 0.9])
)
MEN = np.stack([RED, WHITE])
SURFACES = np.stack([BEIGE, GREEN, np.full(3, np.nan), np.full(3, np.nan)])


def told(
    shown: list[np.ndarray],
    top: np.ndarray = WHITE,
    seen: bool = True,
    weight: float = 10.0,
    mirroring: tuple[bool, bool] = (False, False),
) -> np.ndarray:
    """What a side tells, (owners,), of which each of some colours is seen at ten places."""
    colours = np.repeat(np.array(shown), 10, axis=0).T[None].astype(np.float32)
    there = np.full((1, colours.shape[2]), seen)
    sides = sides_of(colours, there, SURFACES, top[None], np.array([weight]))
    return np.asarray(sides.told(MEN, np.array([mirroring]))[0])


@pytest.mark.parametrize("shade", [0.4, 0.6, 0.9])
@pytest.mark.parametrize("owner", [0, 1])
def test_a_side_in_the_shade_is_its_owners(owner: int, shade: float) -> None:
    """Beside a top that mirrors the lamp, and whatever else is seen beside the side."""
    own = shade * MEN[owner]
    for beside in ([], [WHITE], [BEIGE, 0.5 * GREEN], [np.array([0.9, 0.2, 0.2])]):
        odds = told([own, own, *beside])
        assert odds[owner] - odds[1 - owner] > 3, beside


def test_the_board_beside_a_man_tells_nothing() -> None:
    """Green lies about men of any colour, lit or in their shade."""
    red, white = told([GREEN, 0.5 * GREEN])
    assert abs(red - white) < 1


def test_no_white_side_is_so_dark() -> None:
    """In the shade sides are a third as bright as tops (display values) at least: what is darker is a dark man's."""
    dark = np.stack([np.full(3, 0.15), WHITE])
    shown = np.repeat(np.full((1, 3, 1), 0.12, np.float32), 30, axis=2)
    sides = sides_of(shown, np.ones((1, 30), bool), np.full((4, 3), np.nan), WHITE[None], np.array([10.0]))
    for mirroring in (False, True):  # nor is any blend of it and a white top
        odds = sides.told(dark, np.full((1, 2), mirroring))[0]
        assert odds[0] - odds[1] > 5


def test_the_edge_of_a_mirroring_top_does_not_make_a_side_white() -> None:
    """A red man whose top mirrors the lamp is pink there, and where pixels show his side and that edge together."""
    pink = np.array([0.83, 0.8, 1.0])
    blends = [(0.3 * RED**2.2 + share * pink**2.2) ** (1 / 2.2) for share in (0.05, 0.1, 0.2)]
    red, white = told(blends, top=pink, mirroring=(True, False))
    assert red - white > 3
    red, white = told(blends, top=pink)
    assert red < white


@pytest.mark.parametrize("shade", [0.4, 0.6, 0.9])
def test_a_white_side_is_no_red_one_below_a_white_top(shade: float) -> None:
    """Though red men may look white when they mirror the lamp: no place shows anything red."""
    red, white = told([shade * WHITE] * 3, mirroring=(True, False))
    assert white - red > 2


def test_any_colours_can_be_blended() -> None:
    """Black ones, those beyond white, and a top of his man's own colour: what is exactly such a blend is like one."""
    shades = [np.full(3, value) for value in (0.0, 0.2, 1.0, 6.0)]
    for man in (*shades, RED):
        for top in (*shades, RED):
            seen = np.repeat(((0.5 * man**2.2 + 0.5 * top**2.2) ** (1 / 2.2))[None, :, None], 30, axis=2)
            colours, there = seen.astype(np.float32), np.ones((1, 30), bool)
            sides = sides_of(colours, there, SURFACES, top[None], np.array([10.0]))
            own, other = sides.told(np.stack([man, np.array([0.9, 0.2, 0.2])]), np.array([[True, False]]))[0]
            assert own >= other, (man, top)


def test_what_is_hidden_or_too_low_to_be_seen_tells_nothing() -> None:
    """Nor does a side say more than that it may be something else."""
    assert np.ptp(told([RED], seen=False)) == 0
    assert np.ptp(told([RED], weight=0.0)) == pytest.approx(0)
    assert 5 < np.ptp(told([0.6 * RED] * 9, weight=1000.0)) < 6
