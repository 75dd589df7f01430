"""The queue of Guardians: five columns, explosions and slides, for many games at once.

A column is one byte of a word and a space one bit: space r of column c is bit 8 c + r, and r grows
downwards. The colours in a queue are three bit planes: the bits of 1 + colour, 0 where a space is
empty. In turn t (from 0) every column receives its card on space t, absolute, so a card is put in
without moving anything.

While a turn is resolved, queues are *set up*: moved down so that this turn's cards lie on space 7,
and mirrored where columns are served from the last to the first. All five cards are put in at
once; those of columns that have not been served yet touch nothing until it is their turn. As
nothing else moves them, it is enough to find the next column whose card explodes, and to leap there
(rules page `guardians.md`, Place).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.masks import Words
from chromazoo.envs.state import flat, starts

COLUMNS, SPACES = 5, 8
PLANES = 3
_ONE, _SEVEN, _EIGHT = np.uint64(1), np.uint64(7), np.uint64(8)
_TOP = np.uint64(0x0101010101)
_BOTTOM = _TOP << _SEVEN
_NOT_BOTTOM = _BOTTOM - _TOP
_UNUSED_BITS = np.uint64(64 - 8 * COLUMNS)
# Games that are done are left out once they are a quarter, until those that are not are few.
_LIVE_SHARE, _FEW = 0.75, 48

# To the space below, and to the next column: (2, 1) each.
_STEPS = np.array([[1], [8]], np.uint64)
_BEFORE_BOTTOM = _BOTTOM >> _STEPS
_HAS_NEXT = np.array([[_NOT_BOTTOM], [_TOP * np.uint64(0xFF)]], np.uint64)


class Explosion(NamedTuple):
    """One explosion in each of some games.

    Attributes:
        rows: int64 (n,), the games.
        cards: uint64 (n,), the cards, as the spaces where they lay when the turn's cards were put
            in; none in some of the games.
        served: uint8 (n,), how many columns have been served; the last one's card is the cause.
    """

    rows: NDArray[np.int64]
    cards: Words
    served: NDArray[np.uint8]


def _left_of(cards: int) -> list[int]:
    """List the bits of a byte from the highest down."""
    return [bit for bit in reversed(range(8)) if cards >> bit & 1]


def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8], Words]:
    """Tabulate what happens in a column, a byte whose lowest space is bit 7.

    Returns:
        Entry 256 * holes + plane of the first, uint8 (256 * 256,): the plane after cards have slid
        over the holes, whose own bits go. Entry 256 * holes + cards of the second, the same shape:
        which of the cards that were left are still left when those on the holes are gone; they lie
        on the lowest spaces in order. Byte r of entry `cards` of the third, uint64 (256,): 1 + the
        former space of the card that comes to lie on space r, 0 for none.
    """
    bytes_ = np.arange(256)
    slid, kept = np.zeros((2, 256, 256), np.uint8)
    sources = np.zeros((256, 8), np.uint8)
    for byte in range(256):
        for place, bit in enumerate(_left_of(255 - byte)):
            slid[byte] |= ((bytes_ >> bit & 1) << 7 - place).astype(np.uint8)
        for place, bit in enumerate(_left_of(byte)):
            kept[:, byte] |= ((~bytes_ >> 7 - place & 1) << bit).astype(np.uint8)
            sources[byte, 7 - place] = 1 + bit
    return slid.reshape(-1), kept.reshape(-1), sources.view(np.uint64).reshape(-1)


_SLID, _KEPT, _SOURCES = _tables()
# Planes and cards are looked up at once, cards in the second half.
_BOTH = np.concatenate([_SLID, _KEPT])
_HALVES = np.array([[0]] * PLANES + [[len(_SLID)]])


def mirrored(words: Words) -> Words:
    """Mirror queues: the last column comes first."""
    return words.byteswap() >> _UNUSED_BITS


def set_up(colours: Words, turns: Words, backwards: NDArray[np.bool_]) -> Words:
    """Move queues down to space 7 and mirror some of them.

    Args:
        colours: uint64 (..., n), words of queues.
        turns: uint64 (n,), the turns, from 0.
        backwards: bool (n,), which of them.

    Returns:
        uint64 (..., n).
    """
    moved = colours << _SEVEN - turns
    words: Words = np.where(backwards, mirrored(moved), moved)
    return words


def taken_down(colours: Words, turns: Words, backwards: NDArray[np.bool_]) -> Words:
    """Undo `set_up`."""
    words: Words = np.where(backwards, mirrored(colours), colours) >> _SEVEN - turns
    return words


def insert(colours: Words, codes: NDArray[np.uint8]) -> None:
    """Put a card into every column of queues that are set up.

    Args:
        colours: uint64 (3, n), the bit planes; changed.
        codes: uint8 (n, 8), 1 + colour of the card of each column as it is served, then zeros.
    """
    words = codes.view(np.uint64).reshape(-1)
    for plane in range(PLANES):
        colours[plane] |= (words >> np.uint64(plane) & _TOP) << _SEVEN


def occupied(colours: Words) -> Words:
    """Find the spaces where cards lie: uint64 (n,)."""
    spaces: Words = np.bitwise_or.reduce(colours, axis=0)
    return spaces


def explosions(colours: Words) -> Iterator[Explosion]:
    """Let the cards that were put in explode, column by column, with all that follows.

    Args:
        colours: uint64 (3, n), the bit planes of queues that are set up, with this turn's cards.

    Yields:
        One explosion at a time in each of some games.
    """
    rows = starts(colours.shape[1])
    queues = np.concatenate([colours, occupied(colours)[None]])  # planes, and the cards left
    alike = _alike(queues[:PLANES])
    served = _serve(alike)
    while True:
        pairs = _active(alike, served)
        found = np.bitwise_or.reduce(pairs | pairs << _STEPS, axis=0)
        live = np.count_nonzero(found)
        if not live:
            return
        if _FEW < live < _LIVE_SHARE * len(rows):
            kept = found.nonzero()[0]
            rows, served, found = rows.take(kept), served.take(kept), found.take(kept)
            queues = queues.take(kept, axis=1)
        place = (_bytes(found) << 8) + _HALVES
        place |= _bytes(queues)
        after = _BOTH.take(place).view(np.uint64)
        cards = queues[PLANES] ^ after[PLANES]
        queues = after
        yield Explosion(rows, cards, np.bitwise_count(served))
        alike = _alike(queues[:PLANES])
        idle = np.bitwise_or.reduce(_active(alike, served), axis=0) == 0
        served = np.where(idle, _serve(alike), served)


def _bytes(words: Words) -> NDArray[np.int64]:
    """Return the bytes of words as numbers: int64 (..., 8 n)."""
    return words.view(np.uint8).astype(np.int64)


def slid(colours: Words, holes: Words) -> Words:
    """Take cards away and let those above slide down.

    Args:
        colours: uint64 (..., n), words of queues that are set up.
        holes: uint64 (n,), the spaces of the cards that go.

    Returns:
        uint64 (..., n).
    """
    words: Words = _SLID.take((_bytes(holes) << 8) | _bytes(colours)).view(np.uint64)
    return words


def _alike(colours: Words) -> Words:
    """Find the cards of the colour of the card below, and of that in the next column: (2, n)."""
    apart = colours[:, None] ^ colours[:, None] >> _STEPS  # (planes, steps, games)
    alike: Words = occupied(colours) & ~np.bitwise_or.reduce(apart, axis=0)
    alike &= _HAS_NEXT
    return alike


def _active(alike: Words, served: Words) -> Words:
    """Keep the pairs of cards of which both have been served: (2, n)."""
    active = served | _NOT_BOTTOM
    pairs: Words = alike & active & active >> _STEPS
    return pairs


def _serve(alike: Words) -> Words:
    """Serve columns up to the next whose card touches one of its colour, all if none does.

    It is asked where no cards that have been served touch.
    """
    touched = np.bitwise_or.reduce((alike & _BEFORE_BOTTOM) << _STEPS, axis=0)
    further: Words = _BOTTOM & (touched ^ touched - _ONE)  # up to the first
    return further


def arrange(
    numbers: NDArray[np.uint8], rows: NDArray[np.int64], left: Words, gone: Words, turns: Words
) -> None:
    """Let the numbers in queues slide, in the columns where cards exploded.

    Args:
        numbers: uint8 (B, 5, 8), what lay on each space with the turn's cards put in; changed.
        rows: int64 (n,), the games.
        left: uint64 (n,), the cards that are left, as those spaces.
        gone: uint64 (n,), the cards that exploded.
        turns: uint64 (n,), the turns, from 0.
    """
    changed = (gone.view(np.uint8) != 0).nonzero()[0]  # columns, eight a game
    row = changed >> 3
    place = rows.take(row) * COLUMNS + (changed & 7)
    sources = _SOURCES.take(left.view(np.uint8).take(changed))
    sources >>= (_EIGHT * (_SEVEN - turns)).take(row)
    padded = np.zeros((len(place), 1 + SPACES), np.uint8)
    columns = flat(numbers).reshape(-1, SPACES)
    padded[:, 1:] = columns.take(place, axis=0)
    source = sources.view(np.uint8).reshape(-1, SPACES) + starts(len(place), 1 + SPACES)[:, None]
    columns[place] = flat(padded).take(source)
