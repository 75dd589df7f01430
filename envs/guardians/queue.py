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

from chromazoo.envs.arrays import constant
from chromazoo.envs.masks import Words
from chromazoo.envs.state import flat, starts, write_lanes

COLUMNS, SPACES = 5, 8
PLANES = 3


_ONE, _SEVEN, _EIGHT = (constant(number, np.uint64) for number in (1, 7, 8))
_TOP = constant(0x0101010101, np.uint64)
_NOT_TOP = constant(0xFEFEFEFEFE, np.uint64)
_NOT_BOTTOM = constant(0x7F7F7F7F7F, np.uint64)
_UNUSED_BITS = constant(64 - 8 * COLUMNS, np.uint64)
_SIGN, _EIGHT_16 = constant(63, np.int64), constant(8, np.uint16)
# Games that are done are left out once they are so many, until those that are not are few.
_LIVE_SHARE, _FEW = 0.6, 48


class Explosions(NamedTuple):
    """What exploded in the turns of n games, a column at a time, in order.

    Attributes:
        games: int64 (m,), the games.
        columns: int64 (m,), the columns of the cards, as they are served.
        cards: uint8 (m,), the cards, as the spaces where they lay when the turn's cards were put
            in: space 7 is the lowest.
        causes: uint8 (m,), the columns whose cards caused it, as they are served.
        gone: uint64 (n,), all cards that exploded in each game, as those spaces.
    """

    games: NDArray[np.int64]
    columns: NDArray[np.int64]
    cards: NDArray[np.uint8]
    causes: NDArray[np.uint8]
    gone: Words


class ExplosionStep(NamedTuple):
    """One explosion in each of some games.

    Attributes:
        games: int64 (m,), the games, each once.
        cards: uint64 (m,), the cards, as the spaces where they lay when the turn's cards were put
            in.
        causes: uint8 (m,), the columns whose cards caused it, as they are served.
    """

    games: NDArray[np.int64]
    cards: Words
    causes: NDArray[np.uint8]


def _left_of(cards: int) -> list[int]:
    """List the bits of a byte from the highest down."""
    return [bit for bit in reversed(range(8)) if cards >> bit & 1]


def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Tabulate what happens in a column, a byte whose lowest space is bit 7.

    Returns:
        Entry 256 * holes + plane of the first, uint8 (256 * 256,): the plane after cards have slid
        over the holes, whose own bits go. Entry 256 * holes + cards of the second, the same shape:
        which of the cards that were left are still left when those on the holes are gone; they lie
        on the lowest spaces in order.
    """
    bytes_ = np.arange(256)
    slid, kept = np.zeros((2, 256, 256), np.uint8)
    for byte in range(256):
        for place, bit in enumerate(_left_of(255 - byte)):
            slid[byte] |= ((bytes_ >> bit & 1) << 7 - place).astype(np.uint8)
        for place, bit in enumerate(_left_of(byte)):
            kept[:, byte] |= ((~bytes_ >> 7 - place & 1) << bit).astype(np.uint8)
    return slid.reshape(-1), kept.reshape(-1)


def _moves() -> Words:
    """Tabulate how a column of eight bytes, the lowest space last, slides over holes.

    A byte moves by the number of holes below it, by way of the binary digits of that.

    Returns:
        uint64 (4, 256), masks of bytes by the holes: those that stay in the column, and then those
        that move by 1, by 2 and by 4.
    """
    masks = np.zeros((4, 256), np.uint64)
    for holes in range(256):
        for bit in _left_of(255 - holes):
            place, far = bit, (holes >> bit).bit_count()
            masks[0, holes] |= np.uint64(0xFF << 8 * place)
            for digit in range(3):
                if far >> digit & 1:
                    masks[1 + digit, holes] |= np.uint64(0xFF << 8 * place)
                    place += 1 << digit
    return masks


_SLID, _KEPT = _tables()
_MOVES = _moves()
# To add a multiple of some bytes moves them: 2 ** 8 - 1 times a byte at a time.
_MOVE_BY = [constant((1 << 8 * places) - 1, np.uint64) for places in (1, 2, 4)]


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


def insert(colours: Words, codes: NDArray[np.uint8], spaces: Words) -> None:
    """Put a card into every column of queues.

    Args:
        colours: uint64 (3, n), the bit planes; changed.
        codes: uint8 (n, 8), 1 + colour of the card of each column, then zeros.
        spaces: uint64 (n,) or (), where in the columns: the turn, from 0, or 7 if queues are set
            up.
    """
    words = codes.view(np.uint64).reshape(-1)
    for plane, number in zip(colours, _PLANE_NUMBERS, strict=True):
        bits = words >> number
        bits &= _TOP
        bits <<= spaces
        plane |= bits


_PLANE_NUMBERS = [constant(plane, np.uint64) for plane in range(PLANES)]


def occupied(colours: Words) -> Words:
    """Find the spaces where cards lie: uint64 (n,)."""
    spaces: Words = colours[0] | colours[1]
    spaces |= colours[2]
    return spaces


def explode(colours: Words) -> Explosions:
    """Let the cards that were put in explode, column by column, with all that follows.

    Args:
        colours: uint64 (3, n), the bit planes of queues that are set up, with this turn's cards;
            changed to what is left, slid down.

    Returns:
        What exploded.
    """
    put_in = occupied(colours)
    queues = np.concatenate([colours, put_in[None]])
    passes, before = [_NOTHING], 0
    for rows, opened, cells, cards in _passes(queues):
        passes.append((rows, opened, cells + before, cards))
        before += SPACES * len(rows)
    colours[...] = queues[:PLANES]
    rows, opened, cells, cards = (np.concatenate(part) for part in zip(*passes, strict=True))
    games = cells >> 3
    causes = np.bitwise_count(opened.take(games)) - _CAUSE
    return Explosions(rows.take(games), cells & 7, cards, causes, queues[PLANES] ^ put_in)


def explosion_steps(colours: Words) -> Iterator[ExplosionStep]:
    """Let the cards that were put in explode, and tell it step by step; see `explode`.

    Args:
        colours: uint64 (3, n), as in `explode`, but they stay as they are.

    Yields:
        One explosion at a time in each of some games.
    """
    queues = np.concatenate([colours, occupied(colours)[None]])
    for rows, opened, cells, cards in _passes(queues):
        octets = np.zeros(SPACES * len(rows), np.uint8)
        octets[cells] = cards
        words = octets.view(np.uint64)
        some = words.nonzero()[0]
        causes = np.bitwise_count(opened.take(some)) - _CAUSE
        yield ExplosionStep(rows.take(some), words.take(some), causes)


_Pass = tuple[NDArray[np.int64], Words, NDArray[np.int64], NDArray[np.uint8]]


def _passes(whole: Words) -> Iterator[_Pass]:
    """Let the cards that were put in explode, once in every game that is not done in each pass.

    Args:
        whole: uint64 (4, n), the bit planes, and the cards left; changed to what is left.

    Yields:
        Games, int64 (k,), some of them perhaps done; what is opened there; the columns where cards
        explode, eight for each of those games; and the cards there. See `_next` and `_slide`.
    """
    queues, rows = whole, starts(whole.shape[1])
    opened = np.full(len(rows), _NOT_BOTTOM)
    while True:
        found, opened = _next(queues, opened)
        live = np.count_nonzero(found)
        if not live:
            break
        if _FEW < live < _LIVE_SHARE * len(rows):
            if queues is not whole:
                write_lanes(whole, rows, queues)
            kept = found.nonzero()[0]
            rows, opened, found = rows.take(kept), opened.take(kept), found.take(kept)
            queues = queues.take(kept, axis=1)
        yield rows, opened, *_slide(queues, found)
    if queues is not whole:
        write_lanes(whole, rows, queues)


_NOTHING = tuple(np.zeros(0, kind) for kind in (np.int64, np.uint64, np.int64, np.uint8))
# Bits of `opened` in a game where the first column has been served.
_CAUSE = constant(COLUMNS * (SPACES - 1) + 1, np.uint8)


def _next(queues: Words, opened: Words) -> tuple[Words, Words]:
    """Find the cards that explode next in each game, serving columns until some do.

    A pair of cards that touch is known by the one below or in the later column: if that has been
    served so has the other.

    Args:
        queues: uint64 (4, n), the bit planes first.
        opened: uint64 (n,), the spaces but for those of cards that have not been served.

    Returns:
        The cards, uint64 (n,), none in games that are done; and the spaces that are opened now.
    """
    colours = queues[:PLANES]
    others = ~colours
    above, before = _alike(colours, others, _ONE), _alike(colours, others, _EIGHT)
    above &= _NOT_TOP
    alike = above | before
    alike &= occupied(colours)
    # Where none are active only cards that are to be served are alike, and the first is next.
    further = alike - _ONE
    further ^= alike
    further &= _all_where_none(alike & opened)
    opened = opened | further
    alike &= opened
    above &= alike
    above >>= _ONE
    before &= alike
    before >>= _EIGHT
    alike |= above
    alike |= before
    return alike, opened


def _all_where_none(words: Words) -> Words:
    """Return all bits for words of queues that are 0, no bits for others: (n,)."""
    signs = (words - _ONE).view(np.int64)  # negative only for 0
    signs >>= _SIGN
    return signs.view(np.uint64)


def _alike(colours: Words, others: Words, bits: Words) -> Words:
    """Find the spaces whose content is like that of the space some bits before: uint64 (n,).

    Args:
        colours: uint64 (3, n), the bit planes.
        others: uint64 (3, n), their complement.
        bits: uint64 (), how many.
    """
    same = colours << bits
    same ^= others
    both: Words = same[0] & same[1]
    both &= same[2]
    return both


def _slide(queues: Words, holes: Words) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Take cards away and let those above slide down, in the few columns where there are some.

    Args:
        queues: uint64 (4, n), bit planes and the cards left; changed.
        holes: uint64 (n,), the spaces of the cards that go.

    Returns:
        The columns, int64 (m,), eight a game; and the cards that went, uint8 (m,), as the spaces
        where they lay at first.
    """
    octets = holes.view(np.uint8)
    cells = (octets != 0).nonzero()[0]
    columns = queues.view(np.uint8)  # (planes, 8 n)
    before = columns.take(cells, axis=1)
    entry = octets.take(cells).astype(np.uint16) << _EIGHT_16 | before
    planes, left = _SLID.take(entry[:PLANES]), _KEPT.take(entry[PLANES])
    write_lanes(columns[:PLANES], cells, planes)
    columns[PLANES][cells] = left
    return cells, before[PLANES] ^ left


def arrange(
    numbers: NDArray[np.uint8],
    rows: NDArray[np.int64],
    gone: Words,
    turns: Words,
    backwards: NDArray[np.bool_],
) -> None:
    """Let the numbers in queues slide, in the columns where cards exploded.

    Args:
        numbers: uint8 (B, 5, 8), what lay on each space with the turn's cards put in; changed.
        rows: int64 (n,), the games.
        gone: uint64 (n,), the cards that exploded, as those spaces of queues that are set up.
        turns: uint64 (n,), the turns, from 0.
        backwards: bool (n,), whether columns are served from the last to the first.
    """
    octets = gone.view(np.uint8)
    cells = (octets != 0).nonzero()[0]  # columns, eight a game
    holes = octets.take(cells)
    games = cells >> 3
    place = true_columns(cells & 7, sides(backwards).take(games))
    place += (rows * COLUMNS).take(games)
    columns = flat(numbers).view(np.uint64)
    above = (_EIGHT * (_SEVEN - turns)).take(games)
    columns[place] = _columns_slid(columns.take(place) << above, holes) >> above


def sides(backwards: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return what `true_columns` wants to know of games: int64, of the same shape."""
    return backwards.astype(np.int64) << 3


def true_columns(columns: NDArray[np.int64], sides: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number columns from the left that are numbered as they are served.

    Args:
        columns: int64 (m,), columns in some games.
        sides: int64 (m,), from which side these are served; see `sides`.

    Returns:
        int64 (m,), a new array.
    """
    return _TRUE_COLUMN.take(columns + sides)


_TRUE_COLUMN = np.array([0, 1, 2, 3, 4, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0])


def _columns_slid(columns: Words, holes: NDArray[np.uint8]) -> Words:
    """Let columns of eight bytes slide over holes.

    Args:
        columns: uint64 (m,), the lowest space in the last byte.
        holes: uint8 (m,), the spaces of the bytes that go.

    Returns:
        uint64 (m,).
    """
    entry = holes.astype(np.int64)
    stay, *moves = _MOVES
    left: Words = columns & stay.take(entry)
    for mask, factor in zip(moves, _MOVE_BY, strict=True):
        moving = left & mask.take(entry)
        moving *= factor
        left += moving
    return left
