"""Hands of CHROMA, and how cards come to them, leave them and go from one to another.

A hand is kept as counts by type, as its size, and as the set of its types (`Cards.bits`).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma import knowledge
from chromazoo.envs.game import Seats
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import below
from chromazoo.envs.state import flat, lanes, starts

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game

Rows = NDArray[np.int64]


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
    place = seats * np.int64(words * len(state))
    place += rows
    if words > 1:
        place = place + starts(words, len(state))[:, None]
    found: Words = flat(lanes(state.held)).take(place)
    return found.reshape(words, len(rows))


def change_hands(
    game: "Game", state: "ChromaState", change: Change
) -> tuple[NDArray[np.uint8], Words]:
    """Take a card out of hands, and put one into them.

    Args:
        game: The rules.
        state: The games; changed.
        change: Which hands and cards.

    Returns:
        The sizes of those hands then, uint8 (n,), and the types in them, uint64 (H, n).
    """
    rows, seats, leaving, leaves, coming, comes = change
    cards = game.cards
    hands, first = flat(state.hands), (rows * game.num_seats + seats) * len(cards)
    place = first + leaving
    left = hands.take(place) - leaves
    hands[place] = left
    first += coming
    hands[first] = hands.take(first) + comes
    sizes, place = flat(lanes(state.sizes)), seats * len(state) + rows
    new = sizes.take(place) + comes - leaves
    sizes[place] = new
    held, gone = flat(lanes(state.held)), left == 0
    types = np.empty((cards.words, len(rows)), np.uint64)
    for word, bits in enumerate(cards.bits):
        if cards.words > 1:
            place = (seats * cards.words + word) * len(state) + rows
        found = held.take(place)
        found &= ~(bits.take(leaving) * gone)
        found |= bits.take(coming) * comes
        held[place] = types[word] = found
    return new, types


def pass_cards(state: "ChromaState", gifts: Gifts, gives: Rows, movers: Change) -> Change:
    """Let cards go from hand to hand: note who knows, and which hands change.

    Args:
        state: The games, before the hands change.
        gifts: The cards that are taken.
        gives: int64 (m,), the games in which a card is given back.
        movers: How the hands of the seats that decide change, for all games in turn; changed.

    Returns:
        How all hands change.
    """
    state.partner[gifts.rows] = gifts.partners
    movers.coming[gifts.rows], movers.comes[gifts.rows] = gifts.taken, True
    rows = np.concatenate([gifts.rows, gives])
    giving = np.arange(len(rows)) >= len(gifts.rows)
    seats = movers.seats.take(rows)
    partners = np.concatenate([gifts.partners, state.partner.take(gives)])
    cards = np.concatenate([gifts.taken, movers.leaving.take(gives)])
    givers, takers = np.where(giving, seats, partners), np.where(giving, partners, seats)
    knowledge.pass_cards(state, rows, givers, takers, cards)
    own = Change(rows, partners, cards, ~giving, cards, giving)
    return Change._make(map(np.concatenate, zip(movers, own, strict=True)))


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
    number = below(stream, flat(lanes(state.sizes)).take(holders * len(state) + rows))
    state.stream[rows] = stream
    _, seats, types = state.hands.shape
    before = state.hands.reshape(-1, types).take(rows * seats + holders, axis=0)  # (rows, types)
    before = before.cumsum(axis=1, dtype=np.uint8)
    cards: NDArray[np.int64] = (before > number[:, None]).argmax(axis=1)
    return cards
