"""Parts of how turns are resolved in batches, against plain lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.guardians.queue import COLUMNS, SPACES, Explosions, sides
from chromazoo.envs.guardians.rules import Game, _exploded, _in_order, _seats, _Turn

five_cards = st.sets(st.integers(0, CARDS - 1), min_size=COLUMNS, max_size=COLUMNS)


@given(st.lists(five_cards, min_size=1, max_size=5))
def test_cards_go_to_the_columns_in_order(some: list[set[int]]) -> None:
    sets = np.array([sum(1 << card for card in cards) for cards in some], np.uint64)
    kept = sets.copy()
    assert _in_order(sets).T.tolist() == [sorted(cards) for cards in some]
    assert np.array_equal(sets, kept)


@pytest.mark.parametrize("seats", range(2, 6))
def test_the_lowest_pending_seat_decides(seats: int) -> None:
    """Over all sets of seats but the empty one."""
    game = Game(num_players=seats, duel=False)
    sets = range(1, 1 << seats)
    state = game.deal(np.zeros(len(sets), np.int64))
    state.pending = np.array([[some >> seat & 1 == 1 for seat in range(seats)] for some in sets])
    game._pass_on(state)
    lowest = [next(seat for seat in range(seats) if some >> seat & 1) for some in sets]
    assert state.seat.tolist() == lowest


@pytest.mark.parametrize("seats", range(2, 6))
def test_seats_are_packed(seats: int) -> None:
    sets = np.arange(1 << seats)
    assert _seats((sets >> np.arange(seats)[:, None] & 1).astype(np.bool_)).tolist() == [*sets]


def resolved(rows: list[int], turns: list[int]) -> _Turn:
    """Some turns; of the cards nothing is asked."""
    none = np.zeros((COLUMNS, len(rows)), np.uint8)
    backwards = np.zeros(len(rows), np.bool_)
    return _Turn(np.array(rows), np.array(turns, np.uint64), [], none, backwards)


@st.composite
def explosions(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """A turn of three, its number, a column, and cards on the spaces of a queue in that turn."""
    turn, number = draw(st.integers(0, 2)), draw(st.integers(0, SPACES - 1))
    cards = draw(st.integers(1, 2 ** (number + 1) - 1)) << SPACES - 1 - number
    return turn, number, draw(st.integers(0, COLUMNS - 1)), cards


@given(st.lists(explosions(), max_size=8), st.booleans())
def test_cards_that_exploded_are_found_by_their_numbers(
    some: list[tuple[int, int, int, int]], backwards: bool
) -> None:
    """In queues that are set up the turn's cards lie on space 7, in a state on that of the turn."""
    rows = [4, 0, 9]
    numbers = [next((number for turn, number, *_ in some if turn == each), 0) for each in range(3)]
    some = [each for each in some if each[1] == numbers[each[0]]]
    turns, _, columns, cards = np.array(some, np.int64).reshape(-1, 4).T
    served = np.where(backwards, COLUMNS - 1 - columns, columns)
    side = sides(np.full(len(some), backwards))
    found = _exploded(resolved(rows, numbers), told(turns, served, cards), side)
    expected = [
        (which, (rows[turn] * COLUMNS + column) * SPACES + space - (SPACES - 1) + number)
        for which, (turn, number, column, word) in enumerate(some)
        for space in range(SPACES)
        if word >> space & 1
    ]
    assert [*zip(*(each.tolist() for each in found), strict=True)] == expected
    assert all(place % SPACES <= numbers[some[which][0]] for which, place in expected)


def told(
    turns: NDArray[np.int64], columns: NDArray[np.int64], cards: NDArray[np.int64]
) -> Explosions:
    causes, none = np.zeros(len(turns), np.uint8), np.zeros(3, np.uint64)
    return Explosions(turns, columns, cards.astype(np.uint8), causes, none)
