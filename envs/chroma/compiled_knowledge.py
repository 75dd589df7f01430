"""What seats know of each other's cards (decision C13), on the compiled engine.

See `knowledge.py`: the same for one game.
"""

import numpy as np

from chromazoo.envs.chroma.cards import PLANES
from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.chroma.rules import ChromaState
from chromazoo.envs.compiled import compiled, lowest, seat_after

_TYPES = PLANES * COLOURS  # of a word of a set of types


@compiled
def forget_card(state: ChromaState, game: int, holder: int, card: int, seats: int) -> None:
    """Note that all see a card leave a hand: one less of it is known there."""
    known = state.known[game, holder]  # (others, types)
    for other in range(seats - 1):
        if known[other, card] > 0:
            known[other, card] -= 1


@compiled
def forget_hand(state: ChromaState, game: int, holder: int, seats: int) -> None:
    """Note that a card leaves a hand and no other seat sees which."""
    known = state.known[game, holder]  # (others, types)
    for other in range(seats - 1):
        for card in range(known.shape[1]):
            known[other, card] = 0


@compiled
def show_single_card(state: ChromaState, game: int, holder: int, seats: int) -> None:
    """Show a hand to all seats if it is exactly one card."""
    if state.sizes[game, holder] != 1:
        return
    word = 0
    while not state.held[game, holder, word]:
        word += 1
    card = word * _TYPES + lowest(state.held[game, holder, word])
    for other in range(seats - 1):
        state.known[game, holder, other, card] = 1


@compiled
def pass_card(state: ChromaState, game: int, giver: int, taker: int, card: int, seats: int) -> None:
    """Note that a card goes from hand to hand; only the two seats see which.

    A card from a hand of one is known to all. Call it before the hands change.
    """
    for other in range(seats - 1):
        known = state.known[game, giver, other]  # (types,)
        if seat_after(giver, other + 1, seats) != taker:
            for each in range(len(known)):
                known[each] = 0
        elif known[card] > 0:
            known[card] -= 1
    everyone = state.sizes[game, giver] == 1
    for other in range(seats - 1):
        if everyone or seat_after(taker, other + 1, seats) == giver:
            state.known[game, taker, other, card] += 1


@compiled
def knows_hidden(state: ChromaState, game: int, space: int, eye: int) -> bool:
    """Tell whether a seat knows a face-down card."""
    return bool(state.knowers[game, space] >> np.uint8(eye) & 1)
