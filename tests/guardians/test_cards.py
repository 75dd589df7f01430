"""Marks, arrows and sets of cards."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.guardians.cards import ARROWS, BIT, MARKS, flags, lowest
from tests.guardians.reference import CARDS, has_arrow, marks_on

SETS = st.lists(st.sets(st.integers(0, 49), min_size=1), min_size=1)


def words(sets: list[set[int]]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([sum(1 << card for card in cards) for cards in sets], np.uint64)


def test_marks_and_arrows() -> None:
    assert MARKS.tolist() == [marks_on(card) for card in CARDS]
    assert [bool(ARROWS & BIT[card - 1]) for card in CARDS] == [has_arrow(card) for card in CARDS]
    assert int(ARROWS).bit_length() == 50


@given(SETS)
def test_sets(sets: list[set[int]]) -> None:
    found = flags(words(sets))
    assert found.shape == (len(sets), 50)
    assert [set(np.flatnonzero(row).tolist()) for row in found] == sets
    assert lowest(words(sets)).tolist() == [min(cards) for cards in sets]
