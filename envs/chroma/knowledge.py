"""What seats know of each other's cards, and worlds that agree with it (decision C13).

`state.known[game, i, j, card]` is how many cards of that type seat i knows for certain in the hand
of seat j. Only what is certain is kept: when a card that seat i did not see leaves the hand of
seat j, all that i knew of that hand is dropped.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma.board import SPACES
from chromazoo.envs.chroma.cards import COLOUR_BIT, COPIES, PACK, REPLAY
from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.game import Seats, lanes
from chromazoo.envs.randomness import Stream, chance_stream, mix, shuffled

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState, Game

Rows = NDArray[np.int64]


def forget_card(
    state: "ChromaState", rows: Rows, holders: Seats, cards: NDArray[np.integer]
) -> None:
    """Note that all see a card leave a hand: one less of it is known there."""
    games, seats, types = len(state), state.sizes.shape[1], state.hands.shape[2]
    known = lanes(state.known).reshape(-1)
    hand = holders.astype(np.int64) * types + cards
    for observer in range(seats):
        place = (observer * seats * types + hand) * games + rows
        count = known[place]
        known[place] = count - (count > 0)


def forget_hand(state: "ChromaState", rows: Rows, holders: Seats, keep: Seats | int = -1) -> None:
    """Note that a card leaves a hand and the other seats do not see which.

    Args:
        state: The games.
        rows: int64 (n,), the games.
        holders: (n,), whose hand.
        keep: (n,), the seat that does see it and forgets nothing; -1 for none.
    """
    known = lanes(state.known).reshape(-1)
    for observer in range(state.sizes.shape[1]):
        blind = np.flatnonzero(np.broadcast_to(keep != observer, rows.shape))
        known[_hand_places(state, rows[blind], observer, holders[blind])] = 0


def _hand_places(
    state: "ChromaState", rows: Rows, observers: Seats | int, holders: Seats
) -> NDArray[np.int64]:
    """Find what a seat knows of a hand in the lanes of `known`: int64 (types, n)."""
    games, seats, types = len(state), state.sizes.shape[1], state.hands.shape[2]
    first = (observers * np.int64(seats) + holders) * types
    places: NDArray[np.int64] = (first + np.arange(types)[:, None]) * games + rows
    return places


def show_single_cards(state: "ChromaState", rows: Rows, holders: Seats) -> None:
    """Show all seats the hands of exactly one card, among those that have changed.

    Args:
        state: The games.
        rows: int64 (n,), the games.
        holders: (n,), whose hands.
    """
    games, seats, types = len(state), state.sizes.shape[1], state.hands.shape[2]
    sizes = lanes(state.sizes).reshape(-1)
    single = np.flatnonzero(sizes.take(holders * np.int64(games) + rows) == 1)
    if not len(single):
        return
    rows, holders = rows[single], holders[single]
    hand = _hand_places(state, rows, 0, holders)  # the hands lie as one seat's knowledge does
    cards = lanes(state.hands).reshape(-1).take(hand)
    known = lanes(state.known).reshape(-1)
    for observer in range(seats):
        known[hand + observer * seats * types * games] = cards


def pass_card(
    state: "ChromaState",
    rows: Rows,
    givers: Seats,
    takers: Seats,
    cards: NDArray[np.integer],
) -> None:
    """Note that a card goes from hand to hand; only the two seats see which.

    A card from a hand of one is known to all. Call it before the hands change.
    """
    games, seats, types = len(state), state.sizes.shape[1], state.hands.shape[2]
    known = lanes(state.known).reshape(-1)

    def place(observers: Seats | int, holders: Seats) -> NDArray[np.int64]:
        hand = (observers * np.int64(seats) + holders) * types
        found: NDArray[np.int64] = (hand + cards) * games + rows
        return found

    forget_hand(state, rows, givers, keep=takers)
    left = place(takers, givers)
    known[left] -= known[left] > 0
    known[place(givers, takers)] += np.uint8(1)
    shown = state.sizes[rows, givers] == 1
    if shown.any():
        for observer in range(seats):
            known[place(observer, takers)] += (shown & (givers != observer)).view(np.uint8)


def unseen(game: "Game", state: "ChromaState", eyes: Seats) -> NDArray[np.uint8]:
    """Count the cards of each type whose place a seat does not know.

    Args:
        game: The rules.
        state: B games.
        eyes: (B,) the seat.

    Returns:
        uint8 (B, T).
    """
    rows = np.arange(len(state))
    types = len(game.cards)
    down = knows_hidden(state, eyes) * state.hidden  # (games, spaces), 1 + type
    up = np.where(state.board[:, :SPACES] <= types, state.board[:, :SPACES], 0)
    place = rows[:, None] * (types + 1) + np.concatenate([up, down], axis=1)
    seen = np.bincount(place.ravel(), minlength=len(state) * (types + 1))
    seen = seen.reshape(len(state), types + 1)[:, 1:]
    others = np.arange(game.num_seats) != eyes[:, None]
    known = (state.known[rows, eyes] * others[:, :, None]).sum(axis=1, dtype=np.int64)
    left = game.cards.copies - seen - known - state.hands[rows, eyes]
    unknown: NDArray[np.uint8] = left.astype(np.uint8)
    return unknown


def knows_hidden(state: "ChromaState", eyes: Seats) -> NDArray[np.bool_]:
    """Tell which face-down cards a seat knows: bool (B, 77)."""
    found: NDArray[np.bool_] = (state.knowers >> eyes.astype(np.uint8)[:, None] & 1).astype(
        np.bool_
    )
    return found


def redeal(game: "Game", state: "ChromaState", eyes: Seats, seeds: Stream) -> "ChromaState":
    """Draw a world that agrees with what a seat knows; legal sets are left to be written anew.

    Args:
        game: The rules.
        state: B games.
        eyes: (B,) the seat of each.
        seeds: uint64 (B,).

    Returns:
        A state of B games.
    """
    world = state.copy()
    world.stream = chance_stream(seeds)
    rows, attempt = np.arange(len(state)), 0
    while len(rows):
        part = state.take(rows)
        drawn = _draw_world(game, part, eyes[rows], mix(world.stream[rows], attempt))
        world.put(rows, drawn)
        world.stream[rows] = chance_stream(seeds[rows])
        rows, attempt = rows[~_can_replay(game, drawn, eyes[rows])], attempt + 1
    return world


def _draw_world(game: "Game", state: "ChromaState", eyes: Seats, stream: Stream) -> "ChromaState":
    """Deal the unseen cards to the unknown places: hands, face-down cards, deck; in place."""
    games, seats, types = len(state), game.num_seats, len(game.cards)
    rows = np.arange(games)
    left = unseen(game, state, eyes)
    order = shuffled(stream, PACK)
    gone = game.cards.rank[order] >= left[rows[:, None], game.cards.pack[order]]  # seen cards
    order = np.take_along_axis(order, gone.argsort(axis=1, kind="stable"), axis=1)
    cards = game.cards.pack[order].astype(np.int64)  # (games, cards), unseen ones first
    known = state.known[rows, eyes].copy()  # (games, seats, types)
    known[rows, eyes] = state.hands[rows, eyes]
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
    state.on_board[:] = _count_colours(game, state)
    left = (state.on_board < COPIES) * COLOUR_BIT[:COLOURS]
    state.left[:] = left.sum(axis=1, dtype=np.uint64)
    _keep_own_knowledge(state, eyes)
    game._note_held(state)
    return state


def _keep_own_knowledge(state: "ChromaState", eyes: Seats) -> None:
    """Drop what other seats know of each other, which is theirs, but for single cards."""
    others = np.arange(state.sizes.shape[1]) != eyes[:, None]  # (games, seats)
    third = others[:, :, None] & others[:, None, :]  # (games, observers, holders)
    state.known[third & (state.sizes != 1)[:, None, :]] = 0


def _count_colours(game: "Game", state: "ChromaState") -> NDArray[np.int64]:
    """Count the cards of each colour on the board, face up or down: (B, 20)."""
    types = len(game.cards)
    up = np.where(state.board[:, :SPACES] <= types, state.board[:, :SPACES], state.hidden)
    place = np.arange(len(state))[:, None] * (types + 1) + up
    counts = np.bincount(place.ravel(), minlength=len(state) * (types + 1))
    by_type = counts.reshape(len(state), types + 1)[:, 1:]
    counts_by_colour: NDArray[np.int64] = by_type.reshape(len(state), game.cards.planes, 20).sum(
        axis=1
    )
    return counts_by_colour


def _can_replay(game: "Game", state: "ChromaState", eyes: Seats) -> NDArray[np.bool_]:
    """Tell where a seat that is seen to have a placement has one; True where none is needed."""
    offered = (state.phase == 2) & (state.power == REPLAY)
    needed = (offered | state.replaying) & (state.seat != eyes) & ~state.over
    fine = np.ones(len(state), np.bool_)
    rows = np.flatnonzero(needed)
    if len(rows):
        fine[rows] = game.can_place(state, rows)
    return fine
