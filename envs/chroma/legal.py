"""Legal sets of CHROMA: where the cards of a hand may go, and what else a seat may do.

Placements follow from the colours that fit each space (`board.Fits`) and from Magnets and Locks;
see Placement and Powers of the rules page `chroma.md`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.chroma.board import (
    ALL_COLOURS,
    ASKED_NEAR,
    EVERY_LANE,
    LANE_WIDTH,
    LANES,
    LEFT_NEAR,
    LOCK_MARK,
    NEAR_MARK,
    NO_MARK,
    OFF,
    WORDS,
    fold,
)
from chromazoo.envs.chroma.cards import COLOUR, PACK, PLANES, Cards
from chromazoo.envs.chroma.config import COLOURS, PLACE
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.state import flat, integer, scatter, starts

if TYPE_CHECKING:
    from chromazoo.envs.chroma.rules import ChromaState

Rows = NDArray[np.int64]
_Bits = TypeVar("_Bits", np.bool_, np.uint8, np.uint64)

_ONE = np.uint64(1)
# Numbers as arrays; see `constant`.
_WORD = constant(64, np.uint64)  # bits
_NO_BITS, _ALL_COLOURS, _EVERY_LANE = (
    constant(int(bits), np.uint64) for bits in (0, ALL_COLOURS, EVERY_LANE)
)
_PLACE = constant(PLACE, np.int8)
_NO_MARK, _LOCK_MARK = constant(NO_MARK, np.uint8), constant(LOCK_MARK, np.uint8)
_COLOUR_BIT = _ONE << COLOUR.astype(np.uint64)  # of each type
# The lanes of some spaces of a word, by their bits.
_SOME_LANES = np.array(
    [
        sum(int(ALL_COLOURS) << LANE_WIDTH * lane for lane in range(LANES) if some >> lane & 1)
        for some in range(1 << LANES)
    ],
    np.uint64,
)


class Hand(NamedTuple):
    """What one seat of each of n games holds.

    Attributes:
        types: uint64 (H, n), the types of its cards.
        planes: uint64 (P, n), the same cut into sets of colours.
        stuck: bool (n,), where none of its colours fits any space.
    """

    types: Words
    planes: Words
    stuck: NDArray[np.bool_]


class OtherPhases(NamedTuple):
    """The unfinished games in which no placement is due: int64 (n,) each.

    Attributes:
        wild: Where a wild card is to be laid.
        choosing: Where a power is on offer.
        giving: Where a card is to be given back.
    """

    wild: Rows
    choosing: Rows
    giving: Rows


class LegalSets:
    """Finds what the seats to decide may do, in the games of one config."""

    def __init__(
        self, cards: Cards, packing: Packing, choices: Words, draw: int, give: int
    ) -> None:
        """Tabulate where what lies in a legal set.

        Args:
            cards: The cards.
            packing: How actions are packed: 26 words for each plane of types, then the rest.
            choices: uint64 (4,), what may be done with each power, in the first word of the rest.
            draw: The action of drawing and passing, the first one of the rest.
            give: The first action of giving a card.
        """
        self._choices = choices
        self._rest = int(packing.word[draw])
        self._draw = _ONE << np.uint64(packing.bit[draw])
        first = give + np.arange(cards.words) * (PLANES * COLOURS)  # of the types in each word
        self._give_word = packing.word[first].tolist()
        self._give_bit = [constant(bit, np.uint64) for bit in packing.bit[first].tolist()]
        word, place = np.divmod(np.arange(cards.planes), PLANES)
        self._plane_word, self._plane_shift = word, (place * COLOURS).astype(np.uint64)[:, None]
        # The words of legal sets around each mark, by plane; the last one for none.
        near = NEAR_MARK + np.arange(cards.planes)[:, None, None] * WORDS
        self._near_mark = np.where(NEAR_MARK < WORDS, near, self._rest)

    def hand(self, types: Words, fitting: Words) -> Hand:
        """Look at hands.

        Args:
            types: uint64 (H, n), the types in them.
            fitting: uint64 (n,), the colours that fit some space of each game.

        Returns:
            What is asked of them in the following.
        """
        planes = self.planes(types)
        return Hand(types, planes, fitting & _union(planes) == _NO_BITS)

    def planes(self, types: Words) -> Words:
        """Cut sets of types, uint64 (H, n), into sets of colours, uint64 (P, n)."""
        whole = types if len(types) == 1 else types.take(self._plane_word, axis=0)
        planes: Words = whole >> self._plane_shift
        planes &= _ALL_COLOURS
        return planes

    def write(self, state: "ChromaState", hand: Hand, other: OtherPhases) -> None:
        """Write the legal sets of the seats to decide.

        Args:
            state: B games; their `moves` change.
            hand: What those seats hold; changed.
            other: Where something else than a placement is due.
        """
        words = state.lanes.moves
        placing = state.phase == _PLACE
        placing &= ~state.over
        self._write_placements(state, hand, placing)
        if self._rest + 1 < len(words):
            words[self._rest + 1 :] = 0
        if len(other.wild):
            self._write_wild_cards(state, hand, other.wild)
        rest = (hand.stuck & placing) * self._draw
        rest[other.choosing] = self._choices.take(state.power.take(other.choosing))
        words[self._rest] = rest
        if len(other.giving):
            self._add_gifts(state, hand, other.giving)

    def _write_placements(
        self, state: "ChromaState", hand: Hand, placing: NDArray[np.bool_]
    ) -> None:
        """Write where cards may be placed: bool (B,), the games in which one is due."""
        planes = hand.planes
        np.bitwise_and(
            state.lanes.room[:WORDS],
            (planes * (placing * _EVERY_LANE))[:, None],
            out=state.lanes.moves[: self._rest].reshape(len(planes), WORDS, len(state)),
        )
        bound = ((_union(state.lanes.marks) != _NO_MARK) & placing).nonzero()[0]
        if len(bound):
            self._heed_marks(state, bound, hand.stuck)

    def _heed_marks(self, state: "ChromaState", rows: Rows, stuck: NDArray[np.bool_]) -> None:
        """Take out of legal sets what Locks forbid, then what Magnets rule out (C8 - C10).

        Args:
            state: The games; all placements are written that colours allow.
            rows: int64 (n,), those with Magnets or Locks.
            stuck: bool (B,), where the seat to decide has no placement; written for those rows.
        """
        cards = state.lanes.moves[: self._rest]
        words, marks = state.flat.moves, opposing_marks(state, rows)
        places = [self._near_mark.take(each, axis=2) for each in marks]  # (planes, 4, rows)
        for each, place in zip(marks, places, strict=True):  # two may share a word
            place *= integer(len(state))
            place += rows
            words[place] = words.take(place) & LEFT_NEAR.take(each, axis=1)
        asked = [
            words.take(place) & ASKED_NEAR.take(each, axis=1)
            for each, place in zip(marks, places, strict=True)
        ]
        found = [np.bitwise_or.reduce(each.reshape(-1, len(rows)), axis=0) for each in asked]
        obeyed = _union(found) != _NO_BITS
        scatter(cards, rows[obeyed], np.False_)
        for place, each in zip(places, asked, strict=True):
            each *= obeyed
            words[place] = words.take(place) | each
        locked = _union(marks >= _LOCK_MARK).nonzero()[0]
        left = cards.take(rows[locked], axis=1)
        stuck[rows[locked]] = np.bitwise_or.reduce(left, axis=0) == _NO_BITS

    def _write_wild_cards(self, state: "ChromaState", hand: Hand, rows: Rows) -> None:
        """Let every card of a hand go face down to every empty space: int64 (n,), the games."""
        cards = state.lanes.moves[: self._rest]
        held = hand.planes.take(rows, axis=1) * _EVERY_LANE
        spaces = empty_spaces(state, rows) & held[:, None]  # (planes, 26, rows)
        scatter(cards, rows, spaces.reshape(len(cards), -1))

    def _add_gifts(self, state: "ChromaState", hand: Hand, rows: Rows) -> None:
        """Add the cards that may be given back, every type in hand: int64 (n,), the games."""
        words, held = state.lanes.moves, hand.types.take(rows, axis=1)
        for word, bit, types in zip(self._give_word, self._give_bit, held, strict=True):
            words[word][rows] |= types << bit
            if word + 1 < len(words):
                words[word + 1][rows] |= types >> _WORD - bit

    def has_placement(
        self, state: "ChromaState", rows: Rows, types: Words, fitting: Words
    ) -> NDArray[np.bool_]:
        """Tell where the seat to decide has a placement, Magnets and Locks heeded.

        A Magnet takes no placement from a seat that would have none left (C9), a Lock may.

        Args:
            state: B games.
            rows: int64 (n,), the games.
            types: uint64 (H, n), the types in its hand.
            fitting: uint64 (n,), the colours that fit some space.

        Returns:
            bool (n,).
        """
        colours = _union(self.planes(types))
        can: NDArray[np.bool_] = fitting & colours != _NO_BITS
        marks = opposing_marks(state, rows)
        locked = _union(marks >= _LOCK_MARK).nonzero()[0]
        if len(locked):
            left = left_by_locks(state, rows.take(locked), marks.take(locked, axis=1))
            fits = np.bitwise_or.reduce(left, axis=0) & colours.take(locked) * _EVERY_LANE
            can[locked] = fits != _NO_BITS
        return can


def is_blocked(state: "ChromaState", rows: Rows, fitting: Words) -> NDArray[np.bool_]:
    """Tell where no card of a hand or the pile fits a space by its colour (C6).

    Args:
        state: B games.
        rows: int64 (n,), the games.
        fitting: uint64 (n,), the colours that fit some space.

    Returns:
        bool (n,).
    """
    _, seats, words = state.held.shape
    held = state.lanes.held.take(rows, axis=2).reshape(seats * words, len(rows))
    deck = _COLOUR_BIT.take(state.deck.take(rows, axis=0))  # (rows, cards)
    deck *= starts(PACK) >= state.drawn.take(rows)[:, None]
    left = np.bitwise_or.reduce(deck, axis=1)
    left |= fold(np.bitwise_or.reduce(held, axis=0), COLOURS)
    blocked: NDArray[np.bool_] = left & fitting == _NO_BITS
    return blocked


def opposing_marks(state: "ChromaState", rows: Rows) -> NDArray[np.uint8]:
    """Tell the marks of the others than the seat to decide, in any order.

    Args:
        state: B games.
        rows: int64 (n,), the games.

    Returns:
        uint8 (N - 1, n).
    """
    marks: NDArray[np.uint8] = state.lanes.marks.take(rows, axis=1)
    # The seat to decide has no mark, which sorts first.
    if len(marks) == 2:
        marks[1] |= marks[0]
    else:
        marks.sort(axis=0)
    return marks[1:]


def left_by_locks(state: "ChromaState", rows: Rows, marks: NDArray[np.uint8]) -> Words:
    """Find what fits each space by colour where no Lock forbids it (C9).

    Args:
        state: The games.
        rows: int64 (n,), some of them.
        marks: uint8 (k, n), marks in them.

    Returns:
        uint64 (27, n), a copy.
    """
    left = state.lanes.room.take(rows, axis=1)
    whole = flat(left)
    for each in marks:  # two may share a word
        place = NEAR_MARK.take(each, axis=1)  # (4, rows)
        place *= len(rows)
        place += starts(len(rows))
        whole[place] = whole.take(place) & LEFT_NEAR.take(each, axis=1)
    return left


def empty_spaces(state: "ChromaState", rows: Rows) -> Words:
    """Find the empty spaces, where every wild card may go.

    Args:
        state: The games.
        rows: int64 (n,), some of them.

    Returns:
        uint64 (26, n), all colours in the lanes of those spaces.
    """
    free = (state.board.take(rows, axis=0) == 0).view(np.uint8)
    free[:, OFF] = 0
    free = free.reshape(len(rows), LANES, WORDS)  # lane l of word w: space 26 l + w
    lanes = free[:, 0] | free[:, 1] << 1 | free[:, 2] << 2  # (rows, words)
    empty: Words = _SOME_LANES.take(lanes.T)
    return empty


def _union(sets: Sequence[NDArray[_Bits]] | NDArray[_Bits]) -> NDArray[_Bits]:
    """Unite a few sets of each game, (k, n) to (n,), faster than numpy begins to reduce them."""
    found: NDArray[_Bits] = sets[0]
    for each in sets[1:]:
        found = found | each
    return found
