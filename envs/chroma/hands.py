"""Hands of CHROMA, and how cards come to them, leave them and go from one to another.

A hand is kept as counts by type, as its size, and as the set of its types (`Cards.bits`).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.chroma import knowledge
from chromazoo.envs.game import Seats
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import below
from chromazoo.envs.state import entries_of, integer, starts

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game

Rows = NDArray[np.int64]

_NONE, _ONE = constant(0, np.uint8), constant(1, np.uint8)


class Change(NamedTuple):
    """Cards that leave hands, and that come to them.

    Attributes:
        rows: int64 (n,), the games of the hands.
        seats: int64 (n,), whose hands; no hand occurs twice.
        leaving: int64 (n,), the cards that leave.
        leaves: bool (n,), where they do.
        coming: Integers (n,), the cards that come.
        comes: bool (n,), where they do.
    """

    rows: Rows
    seats: NDArray[np.int64]
    leaving: NDArray[np.int64]
    leaves: NDArray[np.bool_]
    coming: NDArray[np.integer]
    comes: NDArray[np.bool_]


class Gifts(NamedTuple):
    """Cards that are taken by Gift.

    Attributes:
        rows: int64 (n,), the games.
        partners: int64 (n,), the seats that they are taken from.
        taken: int64 (n,), the cards.
    """

    rows: Rows
    partners: NDArray[np.int64]
    taken: NDArray[np.int64]


def types_held(state: "ChromaState", rows: Rows, seats: Seats) -> Words:
    """Tell the types of cards in one hand of each of some games.

    Args:
        state: B games.
        rows: int64 (n,), the games.
        seats: (n,), whose hand.

    Returns:
        uint64 (H, n), sets of types.
    """
    words = state.held.shape[2]
    place = entries_of(rows, seats, words * len(state))
    if words > 1:
        place = place + starts(words, len(state))[:, None]
    found: Words = state.flat.held.take(place)
    return found.reshape(words, len(rows))


def change_hands(
    game: "Game", state: "ChromaState", change: Change
) -> tuple[NDArray[np.uint8], Words]:
    """Take a card out of hands, and put one into them; all see a card that is the only one (C13).

    Args:
        game: The rules.
        state: The games; changed.
        change: Which hands and cards.

    Returns:
        The sizes of those hands then, uint8 (n,), and the types in them, uint64 (H, n).
    """
    rows, seats, leaving, leaves, coming, comes = change
    cards, games = game.cards, len(state)
    gone, came = leaves.view(np.uint8), comes.view(np.uint8)
    hands, first = state.flat.hands, knowledge.hands_of(state, rows, seats)
    first *= integer(len(cards))
    place = first + leaving
    left = hands.take(place)
    left -= gone
    hands[place] = left
    first += coming
    hands[first] = hands.take(first) + came
    sizes, place = state.flat.sizes, entries_of(rows, seats, games)
    new = sizes.take(place)
    new += came
    new -= gone
    sizes[place] = new
    held, last = state.flat.held, left == _NONE
    types = np.empty((cards.words, len(rows)), np.uint64)
    for word, bits in enumerate(cards.bits):
        if cards.words > 1:
            place = entries_of(rows, seats * integer(cards.words) + integer(word), games)
        found = held.take(place)
        found &= ~(bits.take(leaving) * last)
        found |= bits.take(coming) * comes
        held[place] = types[word] = found
    single = (new == _ONE).nonzero()[0]
    if len(single):
        shown = rows.take(single), seats.take(single), types.take(single, axis=1)
        knowledge.show_single_cards(state, *shown)
    return new, types


def pass_cards(
    game: "Game", state: "ChromaState", gifts: Gifts, gives: Rows, movers: Change
) -> None:
    """Let cards go from hand to hand: note who knows, and change the partners' hands.

    Args:
        game: The rules.
        state: The games, before the hands change.
        gifts: The cards that are taken.
        gives: int64 (m,), the games in which a card is given back.
        movers: How the hands of the seats that decide change; what they take is added.
    """
    state.partner[gifts.rows] = gifts.partners
    movers.coming[gifts.rows], movers.comes[gifts.rows] = gifts.taken, True
    rows = np.concatenate([gifts.rows, gives])
    gains = starts(len(rows)) >= len(gifts.rows)  # where the partner is given a card
    seats = movers.seats.take(rows)
    partners = np.concatenate([gifts.partners, state.partner.take(gives)])
    cards = np.concatenate([gifts.taken, movers.leaving.take(gives)])
    givers, takers = np.where(gains, seats, partners), np.where(gains, partners, seats)
    knowledge.pass_cards(state, rows, givers, takers, cards)
    change_hands(game, state, Change(rows, partners, cards, ~gains, cards, gains))


def draw_from_hands(
    state: "ChromaState", rows: Rows, holders: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Draw a card of a hand in some games, each card with the same chance.

    Args:
        state: The games; the hands stay as they are, the streams go on.
        rows: int64 (n,), the games.
        holders: int64 (n,), whose hands; none is empty.

    Returns:
        int64 (n,), the types.
    """
    stream = state.stream.take(rows)
    number = below(stream, state.flat.sizes.take(entries_of(rows, holders, len(state))))
    state.stream[rows] = stream
    hand = knowledge.hands_of(state, rows, holders)
    before = state.hands.reshape(-1, state.hands.shape[2]).take(hand, axis=0)  # (rows, types)
    before = np.add.accumulate(before, axis=1, dtype=np.uint8)
    cards: NDArray[np.int64] = (before > number[:, None]).argmax(axis=1)
    return cards
