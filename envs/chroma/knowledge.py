"""What seats know of each other's cards, and worlds that agree with it (decision C13).

`state.known[game, i, d, card]` is how many cards of that type are known for certain to be in the
hand of seat i by another seat: the next one for d = 0, the one after it for d = 1 and so on. Only
what is certain is kept: when a card leaves a hand and a seat does not see which, all that it knew
of that hand is dropped.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.chroma.board import SPACES
from chromazoo.envs.chroma.cards import PACK, PLANES, REPLAY
from chromazoo.envs.chroma.config import COLOURS, PLACE, POWER
from chromazoo.envs.game import Seats
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream, mix, shuffled
from chromazoo.envs.state import integer, starts

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game

Rows = NDArray[np.int64]

_NONE, _ONE = (constant(number, np.uint8) for number in (0, 1))
_ONE_BIT = constant(1, np.uint64)


def hands_of(state: "ChromaState", rows: Rows, holders: Seats) -> NDArray[np.int64]:
    """Number one hand of each of some games, as they follow each other in memory.

    Args:
        state: B games of N seats.
        rows: int64 (n,), the games.
        holders: (n,), whose hand.

    Returns:
        int64 (n,), a new array, from 0 to B N - 1.
    """
    hands: NDArray[np.int64] = rows * integer(state.sizes.shape[1])
    hands += holders
    return hands


def forget_cards(
    state: "ChromaState",
    holders: NDArray[np.int64],
    cards: NDArray[np.int64],
    leaves: NDArray[np.bool_],
) -> None:
    """Note that all see a card leave a hand: one less of it is known there.

    Args:
        state: B games.
        holders: int64 (B,), whose hand.
        cards: int64 (B,), which card.
        leaves: bool (B,), where it leaves.
    """
    known, (games, _, others, types) = state.flat.known, state.known.shape
    place = _places(state, starts(games), holders, 0, cards)
    for other in range(others):
        if other:
            place += integer(types)
        there = known.take(place) > _NONE
        there &= leaves
        fewer = place.take(there.nonzero()[0])
        known[fewer] = known.take(fewer) - _ONE


def forget_hands(state: "ChromaState", rows: Rows, holders: Seats) -> None:
    """Note that a card leaves a hand and no other seat sees which.

    Args:
        state: The games.
        rows: int64 (n,), the games.
        holders: (n,), whose hand.
    """
    others, types = state.known.shape[2:]
    hand = hands_of(state, rows, holders)
    state.known.reshape(-1, others * types)[hand] = 0


def show_single_cards(
    state: "ChromaState", rows: Rows, holders: NDArray[np.int64], held: Words
) -> None:
    """Show all seats some hands of exactly one card.

    Args:
        state: The games.
        rows: int64 (n,), the games.
        holders: int64 (n,), whose hands.
        held: uint64 (H, n), the types in them.
    """
    cards = np.bitwise_count(held[0] - _ONE_BIT)  # the place of the only bit
    for word, types in enumerate(held[1:], 1):
        place = np.bitwise_count(types - _ONE_BIT) + np.uint8(word * PLANES * COLOURS)
        cards = np.where(types > 0, place, cards)
    known = state.flat.known
    for other in range(state.known.shape[2]):
        known[_places(state, rows, holders, other, cards)] = 1


def pass_cards(
    state: "ChromaState",
    rows: Rows,
    givers: NDArray[np.int64],
    takers: NDArray[np.int64],
    cards: NDArray[np.integer],
) -> None:
    """Note that a card goes from hand to hand; only the two seats see which.

    A card from a hand of one is known to all. Call it before the hands change.
    """
    known, others = state.flat.known, state.known.shape[2]
    for other in range(others) if others > 1 else ():
        blind = np.flatnonzero((givers + other + 1) % (others + 1) != takers)
        state.known[rows[blind], givers[blind], other] = 0
    seen = (takers - givers - 1) % (others + 1) if others > 1 else 0
    left = _places(state, rows, givers, seen, cards)
    known[left] -= known.take(left) > _NONE
    known[_places(state, rows, takers, others - 1 - seen, cards)] += _ONE
    single = np.flatnonzero(state.sizes[rows, givers] == _ONE) if others > 1 else ()
    if not len(single):
        return
    rows, givers, takers, cards = rows[single], givers[single], takers[single], cards[single]
    for other in range(others):
        place = _places(state, rows, takers, other, cards)
        known[place] += ((takers + other + 1) % (others + 1) != givers).view(np.uint8)


def _places(
    state: "ChromaState",
    rows: Rows,
    holders: Seats,
    others: Seats | int,
    cards: NDArray[np.integer],
) -> NDArray[np.int64]:
    """Find where in `known` lies what another seat knows of a card in a hand."""
    seen_by, types = state.known.shape[2:]
    places = hands_of(state, rows, holders)
    if seen_by > 1:
        places *= integer(seen_by)
        places += others
    places *= integer(types)
    places += cards
    return places


def unseen(game: "Game", state: "ChromaState", eyes: Seats) -> NDArray[np.uint8]:
    """Count the cards of each type whose place a seat does not know.

    Args:
        game: The rules.
        state: B games.
        eyes: (B,) the seat.

    Returns:
        uint8 (B, T).
    """
    rows = starts(len(state))
    types = len(game.cards)
    board = state.board[:, :SPACES]
    seen = board * (board <= types)  # (games, spaces), 1 + type
    seen += knows_hidden(state, eyes) * state.hidden  # no card lies face up there
    place = rows[:, None] * (types + 1) + seen
    counts = np.bincount(place.ravel(), minlength=len(state) * (types + 1))
    left = game.cards.copies - counts.reshape(len(state), types + 1)[:, 1:]
    unknown: NDArray[np.uint8] = left.astype(np.uint8)
    unknown -= state.hands[rows, eyes]
    unknown -= known_hands(state, eyes).sum(axis=1, dtype=np.uint8)
    return unknown


def known_hands(state: "ChromaState", eyes: Seats) -> NDArray[np.uint8]:
    """Tell what a seat knows of the others' hands, the next seat first: uint8 (B, N - 1, T)."""
    others = np.arange(state.known.shape[2])
    holders = (eyes[:, None] + others + 1) % (len(others) + 1)
    found: NDArray[np.uint8] = state.known[
        starts(len(state))[:, None], holders, len(others) - 1 - others
    ]
    return found


def knows_hidden(state: "ChromaState", eyes: Seats) -> NDArray[np.bool_]:
    """Tell which face-down cards a seat knows: bool (B, 77)."""
    found: NDArray[np.bool_] = (state.knowers >> eyes.astype(np.uint8)[:, None] & 1).astype(
        np.bool_
    )
    return found


def redraw(game: "Game", world: "ChromaState", eyes: Seats) -> None:
    """Draw a world that agrees with what a seat knows; legal sets are left to be written anew.

    Args:
        game: The rules.
        world: B games with streams of their own; changed.
        eyes: (B,) the seat of each.
    """
    rows, attempt = np.arange(len(world)), 0
    while len(rows):
        part = world.take(rows)
        _draw_world(game, part, eyes[rows], mix(part.stream, attempt))
        world.put(rows, part)
        rows, attempt = rows[~_agrees(game, part, eyes[rows])], attempt + 1


def _draw_world(game: "Game", state: "ChromaState", eyes: Seats, stream: Stream) -> None:
    """Deal the unseen cards to the unknown places: hands, face-down cards, deck; in place."""
    games, seats, types = len(state), game.num_seats, len(game.cards)
    rows = np.arange(games)
    left = unseen(game, state, eyes)
    order = shuffled(stream, PACK)
    gone = game.cards.rank[order] >= left[rows[:, None], game.cards.pack[order]]  # seen cards
    order = np.take_along_axis(order, gone.argsort(axis=1, kind="stable"), axis=1)
    cards = game.cards.pack[order].astype(np.int64)  # (games, cards), unseen ones first
    known = np.empty_like(state.hands)  # (games, seats, types)
    known[rows, eyes] = state.hands[rows, eyes]
    others = (eyes[:, None] + np.arange(1, seats)) % seats
    known[rows[:, None], others] = known_hands(state, eyes)
    missing = state.sizes - known.sum(axis=2, dtype=np.uint8)  # (games, seats)
    ends = missing.cumsum(axis=1, dtype=np.int64)
    number = np.arange(PACK)
    owner = (number >= ends[:, :, None]).sum(axis=1)  # (games, cards): seats for hands
    place = (rows[:, None] * (seats + 1) + owner) * types + cards
    dealt = np.bincount(place.ravel(), minlength=games * (seats + 1) * types)
    state.hands[:] = known + dealt.reshape(games, seats + 1, types)[:, :seats]
    unknown = (state.hidden > 0) & ~knows_hidden(state, eyes)  # (games, spaces)
    turn = ends[:, -1:] + unknown.cumsum(axis=1) - 1
    drawn = np.take_along_axis(cards, turn.clip(0, PACK - 1), axis=1) + 1
    state.hidden[:] = np.where(unknown, drawn, state.hidden)
    start = ends[:, -1] + unknown.sum(axis=1)
    source = number + (start - state.drawn)[:, None]
    deck = np.take_along_axis(cards, source.clip(0, PACK - 1), axis=1)
    state.deck[:] = np.where(number >= state.drawn[:, None], deck, 0)
    _keep_own_knowledge(state, eyes)
    state.held[:] = game.cards.sets(state.hands)


def _keep_own_knowledge(state: "ChromaState", eyes: Seats) -> None:
    """Drop what other seats know of each other, which is theirs, but for single cards."""
    seats = np.arange(state.sizes.shape[1])
    knower = (seats[:, None] + 1 + seats[:-1]) % len(seats)  # (holders, others)
    third = (seats != eyes[:, None])[:, :, None] & (knower != eyes[:, None, None])
    state.known[third & (state.sizes != 1)[:, :, None]] = 0


def _agrees(game: "Game", state: "ChromaState", eyes: Seats) -> NDArray[np.bool_]:
    """Tell where a drawn world could have come to what is seen.

    Another seat that is seen to have a placement has one. A game in which a turn begins is not
    blocked (C6), which only an unknown card face down could change.
    """
    offered = (state.phase == POWER) & (state.power == REPLAY)
    needed = (offered | state.replaying) & (state.seat != eyes) & ~state.over
    agrees = np.ones(len(state), np.bool_)
    rows = np.flatnonzero(needed)
    if len(rows):
        agrees[rows] = game.can_place(state, rows)
    unknown = ((state.hidden > 0) & ~knows_hidden(state, eyes)).any(axis=1)
    begins = (state.phase == PLACE) & ~state.replaying & ~state.over
    rows = np.flatnonzero(unknown & begins)
    if len(rows):
        agrees[rows] = ~game.is_blocked(state, rows)
    return agrees
