"""What a seat of CHROMA observes, on the compiled engine; see `observation.py`."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma.board import FACE_DOWN, LOCK_MARK, MAGNET_MARK, NO_MARK, SPACES
from chromazoo.envs.chroma.cards import PACK
from chromazoo.envs.chroma.compiled_knowledge import knows_hidden
from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.chroma.rules import ChromaState
from chromazoo.envs.compiled import (
    as_compiled,
    compiled,
    index,
    lowest,
    seat_after,
    signed,
)
from chromazoo.envs.compiled_states import opener
from chromazoo.envs.compiled_vectors import finding
from chromazoo.envs.fields import Layout, Observation

Arrays = as_compiled(ChromaState, __name__)
"""What compiled code has for a `ChromaState`."""
as_state = opener(Arrays)
"""Opens what `CompiledEngine._parts` returns, in compiled code: makes an `Arrays` of it."""

_ONE = np.uint64(1)
_HALF = (SPACES + 1) // 2  # of the board, with the place off it
_ALL_OF_HALF = np.uint64((1 << _HALF) - 1)
_find_equal = finding(_HALF)
_MOST_SIZE = 40


class Sight(NamedTuple):
    """What compiled code knows of a config's observations.

    Attributes:
        copies: uint8 (T,), how many cards of each type the pack has.
        colours: Where the field begins, and so on for all fields, in order.
    """

    copies: NDArray[np.uint8]
    colours: int
    wild: int
    magnets: int
    locks: int
    spot: int
    turn: int
    phase: int
    replaying: int
    power: int
    partner: int
    first: int
    sizes: int
    pile: int
    passes: int
    hand: int
    own_wild: int
    known: int
    unseen: int


_SIGHT = len(Sight._fields)


def sight(fields: Layout, copies: NDArray[np.uint8]) -> Sight:
    """Tell what compiled code needs to know.

    Args:
        fields: The layout of observations with all views.
        copies: uint8 (T,), how many cards of each type the pack has.
    """
    starts = {name: fields.slices[name].start for name in Sight._fields[1:]}
    return Sight(copies=copies, **starts)


@compiled
def observe_all(eyes: NDArray[np.int64], seen: Observation, *given: Any) -> None:
    """Write what a seat of each game sees, of all views.

    Args:
        eyes: int64 (B,), the seats.
        seen: uint8 (B, F); written.
        given: The entries of a `Sight`, then what `CompiledEngine._parts` returns.
    """
    sight, state = Sight(*given[:_SIGHT]), as_state(given[_SIGHT:])
    for game in range(len(seen)):
        row = seen[game]
        row[:] = 0
        eye = index(eyes[game])
        _see_cards(state, sight, game, eye, row)
        _see_spaces(state, sight, game, eye, row)
        _see_seats(state, sight, game, eye, row)
        _see_numbers(state, sight, game, row)


@compiled
def _see_cards(state: ChromaState, sight: Sight, game: int, eye: int, seen: Observation) -> None:
    """See one's own hand, what one knows of others' hands, and what is in none of them."""
    hand, copies = state.hands[game, eye], sight.copies
    types = len(copies)
    own, unseen = seen[sight.hand : sight.hand + types], seen[sight.unseen : sight.unseen + types]
    for card in range(types):
        own[card] = hand[card]
        unseen[card] = copies[card] - hand[card]
    others = state.known.shape[2]
    for other in range(others):
        holder = seat_after(eye, other + 1, others + 1)
        known = state.known[game, holder, others - 1 - other]  # (types,)
        start = sight.known + other * types
        theirs = seen[start : start + types]
        for card in range(types):
            theirs[card] = known[card]
            unseen[card] -= known[card]


@compiled
def _see_spaces(state: ChromaState, sight: Sight, game: int, eye: int, seen: Observation) -> None:
    """See the board, and the face-down cards that one knows."""
    for start in (0, _HALF):
        board = state.board[game, start : start + _HALF]
        taken = ~_find_equal(board, 0) & _ALL_OF_HALF
        while taken:
            place = lowest(taken)
            taken &= taken - _ONE
            space, face = start + place, signed(board[place])
            if face != FACE_DOWN:
                card = index(face - 1)
                seen[index(sight.colours + card % COLOURS * SPACES + space)] = 1
                seen[index(sight.unseen + card)] -= 1
                continue
            seen[sight.wild + space] = 1
            if knows_hidden(state, game, space, eye):
                face = signed(state.hidden[game, space])
                seen[sight.own_wild + space] = face
                seen[sight.unseen + face - 1] -= 1
    if state.spot[game] >= 0:
        seen[sight.spot + state.spot[game]] = 1


@compiled
def _see_seats(state: ChromaState, sight: Sight, game: int, eye: int, seen: Observation) -> None:
    """See what goes by seat, the own one first."""
    seats = state.sizes.shape[1]
    for away in range(seats):
        seat = seat_after(eye, away, seats)
        mark = signed(state.marks[game, seat])
        if mark >= LOCK_MARK:
            seen[sight.locks + away * SPACES + mark - LOCK_MARK] = 1
        elif mark != NO_MARK:
            seen[sight.magnets + away * SPACES + mark - MAGNET_MARK] = 1
        seen[sight.turn + away] = seat == state.seat[game] and not state.over[game]
        seen[sight.partner + away] = seat == state.partner[game]
        seen[sight.first + away] = seat == state.first[game]
        seen[sight.sizes + away] = min(signed(state.sizes[game, seat]), _MOST_SIZE)


@compiled
def _see_numbers(state: ChromaState, sight: Sight, game: int, seen: Observation) -> None:
    """See the phase, the power of the card placed, the pile, and the passes in a row."""
    seen[sight.phase + state.phase[game]] = 1
    seen[sight.replaying] = state.replaying[game]
    if state.power[game] >= 0:
        seen[sight.power + state.power[game]] = 1
    seen[sight.pile] = PACK - state.drawn[game]
    seen[sight.passes] = state.passes[game]
