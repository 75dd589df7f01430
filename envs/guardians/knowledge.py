"""Worlds of Guardians that agree with what a seat knows (decision G9)."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.game import Seats
from chromazoo.envs.guardians.cards import BIT, HIDDEN, flags
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream, mix, shuffled
from chromazoo.envs.state import starts

if TYPE_CHECKING:
    from chromazoo.envs.guardians.rules import Game, GuardiansState

_HIDDEN = int.from_bytes(b"hidden", "little")


def opened(state: "GuardiansState") -> NDArray[np.bool_]:
    """Tell which cards have been open to all in this round: bool (B, 50)."""
    seen: NDArray[np.bool_] = (state.places != HIDDEN) | flags(state.chief[:, 0])
    return seen


def redraw(game: "Game", world: "GuardiansState", eyes: Seats) -> None:
    """Draw a world that agrees with what a seat knows; the legal set is left to be written anew.

    What has been drawn from the round's deck is 0 there.

    Args:
        game: The rules.
        world: B games with streams of their own, which stay as they are; changed.
        eyes: (B,) the seat of each.
    """
    stream, rows = mix(world.stream, _HIDDEN), starts(len(world))
    own = world.hands[rows, eyes] | world.chosen[rows, eyes]
    order = shuffled(stream, CARDS)
    known = np.take_along_axis(opened(world) | flags(own), order, axis=1)
    cards = np.take_along_axis(order, known.argsort(axis=1, kind="stable"), axis=1)  # unknown first
    deal = _Dealer(cards)
    for seat in range(game.num_seats):
        others = eyes != seat
        for sets in (world.hands, world.chosen):
            dealt = deal.next(np.bitwise_count(sets[:, seat]) * others)
            sets[:, seat] = np.where(others, dealt, sets[:, seat])
    world.chief[:, 1] = deal.next(np.bitwise_count(world.chief[:, 1]))
    _fill_decks(game, world, deal, stream)


class _Dealer:
    """Deals cards from the front of a deck a game."""

    def __init__(self, cards: NDArray[np.int64]) -> None:
        """Begin with the first card of each deck, (B, 50)."""
        self.cards = cards
        self.used = np.zeros(len(cards), np.int64)

    def next(self, numbers: NDArray[np.integer]) -> Words:
        """Deal some cards in each game: sets, uint64 (B,)."""
        end = self.used + numbers
        place = np.arange(CARDS)
        dealt = (place >= self.used[:, None]) & (place < end[:, None])
        self.used = end
        sets: Words = np.bitwise_or.reduce(BIT.take(self.cards) * dealt, axis=1)
        return sets


def _fill_decks(game: "Game", world: "GuardiansState", deal: _Dealer, stream: Stream) -> None:
    """Put the cards that are left into the round's pile, and shuffle the decks of later rounds."""
    rows = starts(len(world))
    drawn = game.next_card(world, rows) + game.from_pile * ~world.over
    drawn = drawn.clip(max=CARDS)  # of the deck
    place = np.arange(CARDS)
    source = (place - drawn[:, None] + deal.used[:, None]).clip(0, CARDS - 1)
    pile = np.take_along_axis(deal.cards, source, axis=1)
    for number in range(game.config.rounds):
        deck = shuffled(stream, CARDS)
        now, later = world.round == number, world.round < number
        piled = np.where(place >= drawn[:, None], pile, 0)
        world.decks[:, number] = np.where(later[:, None], deck, np.where(now[:, None], piled, 0))
