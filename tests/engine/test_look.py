"""Looks and readings: the vocabulary between the eye and the engine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.look import (
    MAX_HEIGHT,
    MEN_LOOKS,
    SURFACES,
    UNSEEN,
    CellLook,
    CellReading,
    Reading,
    certain,
    men_index,
    men_of_index,
)

LOOKS = st.builds(
    lambda surface, men, height: CellLook(surface, men, height if men else 0),
    st.sampled_from(SURFACES),
    st.integers(0, 3),
    st.integers(1, MAX_HEIGHT),
)


@given(st.integers(0, MEN_LOOKS - 1))
def test_men_index_and_its_inverse(index: int) -> None:
    """Every place in the table of likelihoods is one (men, height)."""
    assert men_index(*men_of_index(index)) == index


@given(LOOKS)
def test_a_certain_reading_reads_back(look: CellLook) -> None:
    """The best look of a certain reading is that look, with high confidence and likelihood 1."""
    reading = certain(look)
    assert reading.best() == look
    assert reading.confidence() > 0.99
    assert reading.log_likelihood(look) == 0
    assert not reading.unseen


@given(LOOKS.filter(lambda look: 0 < look.height < MAX_HEIGHT))
def test_whose_men_it_is_may_be_sure_where_the_height_is_not(look: CellLook) -> None:
    """Two heights as likely as each other: half the confidence in the look, nearly full confidence in its kind."""
    sure = certain(look)
    other = men_index(look.men, look.height + 1)
    unsure = CellReading(sure.surface, tuple(0.0 if i == other else v for i, v in enumerate(sure.men)))
    assert unsure.confidence() == pytest.approx(0.5, abs=0.01)
    assert unsure.kind_confidence() > 0.99
    assert sure.kind_confidence() > 0.99


@given(LOOKS)
def test_an_unseen_cell_says_nothing(look: CellLook) -> None:
    """All looks explain an unseen cell equally well."""
    assert UNSEEN.log_likelihood(look) == 0
    assert UNSEEN.unseen
    assert UNSEEN.confidence() == pytest.approx(1 / (len(SURFACES) * MEN_LOOKS))


def test_a_board_is_the_sum_of_its_cells() -> None:
    """Cells are independent; a wrong number of cells is refused."""
    look = CellLook(SURFACES[0], 1, 2)
    reading = Reading(0.0, 0, (certain(look), UNSEEN))
    assert reading.log_likelihood((look, look)) == 0
    with pytest.raises(ValueError, match="argument"):
        reading.log_likelihood((look,))


@pytest.mark.parametrize(("men", "height"), [(0, 1), (1, 0), (4, 1), (1, -1)])
def test_impossible_looks_are_refused(men: int, height: int) -> None:
    """No height without men, no men without height, owners 1 to 3."""
    with pytest.raises(ValueError, match="no such look"):
        CellLook(SURFACES[0], men, height)


def test_readings_of_a_wrong_size_are_refused() -> None:
    """A table with missing entries is a mistake of the caller."""
    with pytest.raises(ValueError, match="a reading has"):
        CellReading((0.0,), (0.0,))
