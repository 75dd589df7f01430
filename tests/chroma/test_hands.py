"""Cards that come to hands and leave them, against plain counts."""

import numpy as np
import pytest
from numpy.typing import NDArray

from chromazoo.envs.chroma.hands import (
    Change,
    Gifts,
    change_hands,
    draw_from_hands,
    pass_cards,
    types_held,
)
from chromazoo.envs.chroma.rules import ChromaState, Game
from chromazoo.envs.randomness import below

GAMES = 50


def dealt(seats: int = 4, copies: int = 4) -> tuple[Game, ChromaState]:
    game = Game(num_players=seats, power_copies=copies)
    return game, game.deal(np.arange(GAMES))


def hands_of(state: ChromaState) -> NDArray[np.int64]:
    """The counts, after a look at what is told of them besides."""
    hands = state.hands.astype(np.int64)
    assert np.array_equal(state.sizes, hands.sum(axis=2))
    words = state.held.shape[2]
    types = hands.shape[2]
    for row, seat in np.ndindex(hands.shape[:2]):
        held = sum(int(state.held[row, seat, word]) << 60 * word for word in range(words))
        assert held == sum(1 << int(card) for card in np.flatnonzero(hands[row, seat]))
        assert held < 1 << types
    return hands


def some_cards(
    random: np.random.Generator, state: ChromaState, seats: NDArray[np.int64]
) -> NDArray[np.int64]:
    """A card of one hand in each of all games."""
    hands = state.hands[np.arange(len(state)), seats]
    return np.array([random.choice(np.flatnonzero(hand)) for hand in hands])


@pytest.mark.parametrize("copies", range(5))
def test_types_in_hands(copies: int) -> None:
    _, state = dealt(copies=copies)
    rows, random = np.arange(3, GAMES, 2), np.random.default_rng(copies)
    seats = random.integers(0, 4, len(rows))
    found = types_held(state, rows, seats)
    assert found.T.tolist() == state.held[rows, seats].tolist()
    hands_of(state)


@pytest.mark.parametrize("copies", range(5))
def test_a_card_leaves_and_another_comes(copies: int) -> None:
    """Or one of the two, or the same card does both."""
    game, state = dealt(copies=copies)
    rows, random = np.arange(GAMES), np.random.default_rng(copies)
    hands = hands_of(state)
    for _ in range(12):
        seats = random.integers(0, 4, GAMES)
        leaving = some_cards(random, state, seats)
        leaves = (random.random(GAMES) < 0.5) & (state.sizes[rows, seats] > 1)
        coming = random.integers(0, len(game.cards), GAMES)
        coming = np.where(random.random(GAMES) < 0.3, leaving, coming).astype(np.uint8)
        comes = random.random(GAMES) < 0.5
        change = Change(rows, seats, leaving, leaves, coming, comes)
        sizes, types = change_hands(game, state, change)
        hands[rows, seats, leaving] -= leaves
        hands[rows, seats, coming] += comes
        assert np.array_equal(hands_of(state), hands)
        assert sizes.tolist() == state.sizes[rows, seats].tolist()
        assert types.T.tolist() == state.held[rows, seats].tolist()


def test_hands_of_several_seats_of_a_game_change_at_once() -> None:
    game, state = dealt()
    before = hands_of(state)
    rows, seats = np.array([7, 7, 2, 7]), np.array([0, 3, 1, 2])
    first = np.array([np.argmax(before[row, seat]) for row, seat in zip(rows, seats, strict=True)])
    every, none = np.ones(4, np.bool_), np.zeros(4, np.bool_)
    sizes, _ = change_hands(game, state, Change(rows, seats, first, every, first, none))
    assert sizes.tolist() == [4] * 4
    before[rows, seats, first] -= 1
    assert np.array_equal(hands_of(state), before)


def test_a_drawn_card_is_as_likely_as_any_other_of_the_hand() -> None:
    """The cards of a hand are counted off in order of the types, from a number below its size."""
    game, state = dealt(copies=0)
    rows, random = np.arange(1, GAMES), np.random.default_rng(5)
    for _ in range(6):
        change_hands(game, state, more(random, state, len(game.cards)))
    holders = random.integers(0, 4, len(rows))
    stream, alone = state.stream[rows], state.stream[0]
    number = below(stream, state.sizes[rows, holders])
    cards = draw_from_hands(state, rows, holders)
    for row, holder, place, card in zip(rows, holders, number, cards, strict=True):
        counts = state.hands[row, holder]
        assert card == np.repeat(np.arange(len(counts)), counts)[place]
    assert np.array_equal(state.stream[rows], stream)
    assert state.stream[0] == alone
    assert len(set(number.tolist())) > 5


def more(random: np.random.Generator, state: ChromaState, types: int) -> Change:
    """A card that comes to some hand of each game."""
    rows, seats = np.arange(len(state)), random.integers(0, 4, len(state))
    cards = random.integers(0, types, len(state))
    none = np.zeros(len(state), np.bool_)
    return Change(rows, seats, cards, none, cards, ~none)


@pytest.mark.parametrize("left", [0, 1, 4])
@pytest.mark.parametrize("copies", [0, 4])
def test_cards_go_from_hand_to_hand(copies: int, left: int) -> None:
    """By Gifts in some games and back in others, while cards are drawn in all.

    Where so many cards are left in the hands that cards are taken from: all see which it is, if
    that is one.
    """
    game, state = dealt(copies=copies)
    random, rows = np.random.default_rng(6), np.arange(GAMES)
    order = random.permutation(GAMES)
    gifts, gives = order[:20], order[20:35]
    seats = random.integers(0, 4, GAMES)
    partners = (seats + random.integers(1, 4, GAMES)) % 4
    state.partner[gives] = partners[gives]
    none, taking = np.zeros(GAMES, np.bool_), np.isin(rows, gifts)
    for _ in range(4 - left):
        away = some_cards(random, state, partners)
        change_hands(game, state, Change(rows, partners, away, taking, away, none))
    taken, given = some_cards(random, state, partners), some_cards(random, state, seats)
    leaves = np.isin(rows, gives)
    comes = ~np.isin(rows, order[:35])
    drawn = random.integers(0, len(game.cards), GAMES).astype(np.uint8)
    hands = hands_of(state)
    movers = Change(rows, seats, given, leaves, drawn.copy(), comes.copy())
    pass_cards(game, state, Gifts(gifts, partners[gifts], taken[gifts]), gives, movers)
    change_hands(game, state, movers)
    hands[gifts, seats[gifts], taken[gifts]] += 1
    hands[gifts, partners[gifts], taken[gifts]] -= 1
    hands[gives, seats[gives], given[gives]] -= 1
    hands[gives, partners[gives], given[gives]] += 1
    hands[rows[comes], seats[comes], drawn[comes]] += 1
    assert np.array_equal(hands_of(state), hands)
    assert state.partner[gifts].tolist() == partners[gifts].tolist()
    assert set(state.sizes[gifts, partners[gifts]].tolist()) == {left}
    known = state.known[gifts, partners[gifts]]  # (games, others, types)
    assert (known == state.hands[gifts, partners[gifts]][:, None]).all() == (left < 2)
