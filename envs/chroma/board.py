"""The board of CHROMA: 7 × 11 spaces, and which colours fit where, as bit sets.

Which colours fit a space is 20 bits, and a 21st says that nothing touches the space yet: nothing
fits there then. Such a *lane* of 21 bits stands for a space; a `uint64` holds the lanes of three
spaces, chosen so that neighbours never share a word. Word 26 is for what lies off the board.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.masks import Words
from chromazoo.envs.state import flat, starts

ROWS, COLUMNS = 7, 11
SPACES = ROWS * COLUMNS
CENTRE = 3 * COLUMNS + 5
OFF = SPACES
"""The space that stands for all that lies off the board."""
FACE_DOWN = 255
"""What lies on a space with a card face down; 0 is nothing and 1 + type a card face up."""

WORDS = 26
_NOWHERE = WORDS
LANES = 3
LANE_WIDTH = COLOURS + 1
ALL_COLOURS = np.uint64((1 << COLOURS) - 1)
EVERY_LANE = np.uint64(sum(1 << LANE_WIDTH * lane for lane in range(LANES)))
"""Times a set of colours: that set in every lane of a word."""
_ONE = np.uint64(1)
_FLAG_BIT = constant(COLOURS, np.uint64)
_ALL_COLOURS = constant(int(ALL_COLOURS), np.uint64)

ANY_COLOUR = COLOURS
"""The colour of a face-down card, which goes with everything."""


def _neighbours() -> NDArray[np.int64]:
    """List the spaces that share a side with each: int64 (4, spaces + 1), `OFF` for none."""
    row, column = np.divmod(np.arange(SPACES), COLUMNS)
    found = np.full((4, SPACES + 1), OFF, np.int64)
    for number, (up, right) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
        to_row, to_column = row + up, column + right
        inside = (to_row >= 0) & (to_row < ROWS) & (to_column >= 0) & (to_column < COLUMNS)
        found[number, :SPACES] = np.where(inside, to_row * COLUMNS + to_column, OFF)
    return found


NEIGHBOURS = _neighbours()
WORD = np.append(np.arange(SPACES) % WORDS, _NOWHERE)
"""The word of each space: int64 (spaces + 1,)."""
LANE_OF = np.append(np.arange(SPACES) // WORDS, 0)
"""The lane of each space in its word: int64 (spaces + 1,)."""
LANE_BITS = ALL_COLOURS << (LANE_WIDTH * LANE_OF).astype(np.uint64)
"""The bits of the colours in each space's lane: uint64 (spaces + 1,)."""
_UNTOUCHED = _ONE << (LANE_WIDTH * LANE_OF + COLOURS).astype(np.uint64)  # (spaces + 1,)


NO_MARK = 0
MAGNET_MARK, LOCK_MARK = 1, 1 + SPACES
"""A Magnet on space s is mark `MAGNET_MARK` + s, a Lock is mark `LOCK_MARK` + s."""


def _asked_by_mark() -> Words:
    """Tabulate the lanes that marks ask for, those around a Magnet: uint64 (26, marks)."""
    asked = np.zeros((WORDS + 1, 1 + 2 * SPACES), np.uint64)
    for space in range(SPACES):
        for near in NEIGHBOURS[:, space]:
            asked[WORD[near], MAGNET_MARK + space] |= LANE_BITS[near]
    return asked[:WORDS]


ASKED_BY_MARK = _asked_by_mark()
"""The lanes that each mark asks for: uint64 (26, marks)."""


def _near_marks() -> tuple[NDArray[np.int64], Words, Words]:
    """Tabulate what marks rule in the words of the four spaces around them: (4, marks) each.

    Returns:
        Those words, 26 for none; what a mark leaves of them: all but the lanes next to a Lock;
        and what it asks for: the lanes next to a Magnet.
    """
    near = NEIGHBOURS[:, :SPACES]
    here = LANE_BITS[near] * (near != OFF)
    none = np.full((4, 1), OFF)
    left = np.full((4, 1 + 2 * SPACES), np.uint64(2**64 - 1))
    left[:, LOCK_MARK:] = ~here
    asked = np.zeros_like(left)
    asked[:, MAGNET_MARK:LOCK_MARK] = here
    return WORD[np.concatenate([none, near, near], axis=1)], left, asked


NEAR_MARK, LEFT_NEAR, ASKED_NEAR = _near_marks()
"""The words around each mark, what it leaves of them and what it asks for: (4, marks) each."""

# A space and its neighbours: (5, spaces + 1) each, the space itself first.
_AROUND = np.concatenate([np.arange(SPACES + 1)[None], NEIGHBOURS])
_AROUND_WORD = WORD[_AROUND]
# The lowest bit of the lanes that a card touches: (4, spaces + 1).
_FIRST_TOUCHED = _UNTOUCHED[NEIGHBOURS] >> _FLAG_BIT


def fit_of(
    colours: NDArray[np.integer] | int, spaces: NDArray[np.integer] | int
) -> NDArray[np.int64]:
    """Number what cards leave of the room around them, as `Fits.occupy` wants it.

    Args:
        colours: Integers (n,), the cards' colours, `ANY_COLOUR` for those that lie face down.
        spaces: Integers (n,), the spaces.

    Returns:
        int64 (n,), a new array.
    """
    return np.add(np.multiply(colours, SPACES + 1), spaces, dtype=np.int64)


class Fits:
    """Keeps `room`, the sets of colours that fit each space, for many games at once."""

    def __init__(self, compatible: NDArray[np.bool_]) -> None:
        """Tabulate a wheel.

        Args:
            compatible: bool (20, 20), which colours go together.
        """
        bits = _ONE << np.arange(COLOURS, dtype=np.uint64)
        fitting = (compatible * bits).sum(axis=1, dtype=np.uint64)
        fitting = np.append(fitting, ALL_COLOURS)  # a face-down card goes with everything
        # What a card leaves of the lanes around it, nothing of its own, by colour (face down is
        # the last) and space: (5, (colours + 1) * (spaces + 1)).
        lane = LANE_BITS[_AROUND][:, None]
        keep = (fitting * EVERY_LANE)[:, None] | ~lane
        keep[0] = ~lane[0]
        self._keep = (keep & ~_UNTOUCHED[_AROUND][:, None]).reshape(5, -1)
        self._openings = np.zeros((WORDS + 1, COLOURS), np.uint64)
        for space in range(SPACES):
            self._openings[WORD[space]] |= _UNTOUCHED[space]
        colours = np.arange(COLOURS)
        self.occupy(self._openings, np.full(COLOURS, CENTRE), fit_of(colours, CENTRE))

    def openings(self, colours: NDArray[np.integer]) -> Words:
        """Return the words of boards with one card, on the centre.

        Args:
            colours: Integers (B,), the cards' colours.

        Returns:
            uint64 (27, B), a copy.
        """
        return self._openings.take(colours, axis=1)

    def occupy(self, words: Words, spaces: NDArray[np.int64], fits: NDArray[np.integer]) -> None:
        """Put a card on a space of each game; what goes off the board changes nothing.

        Args:
            words: uint64 (27, B), changed.
            spaces: int64 (B,), the spaces.
            fits: Integers (B,), which colours go with the cards there; see `fit_of`.
        """
        games = words.shape[1]
        around = _places_around(games).take(spaces, axis=1)  # (5, games)
        around += starts(games)
        lanes = flat(words)
        found = lanes.take(around)
        # A lane that is touched for the first time opens to all colours: 2^20 - 1 below its flag.
        beside = found[1:]
        touched = beside >> _FLAG_BIT
        touched &= _FIRST_TOUCHED.take(spaces, axis=1)
        beside -= touched
        found &= self._keep.take(fits, axis=1)
        lanes[around] = found
        words[_NOWHERE] = 0


@lru_cache(maxsize=8)
def _places_around(games: int) -> NDArray[np.int64]:
    """Tell where the words around each space lie in those of many games: (5, spaces + 1)."""
    places: NDArray[np.int64] = _AROUND_WORD * games
    places.flags.writeable = False
    return places


def fitting_anywhere(words: Words) -> Words:
    """Find the colours that fit some space.

    Args:
        words: uint64 (n words, B), lanes of spaces.

    Returns:
        uint64 (B,), a set of colours.
    """
    return fold(np.bitwise_or.reduce(words, axis=0), LANE_WIDTH)


def fold(words: Words, width: int) -> Words:
    """Unite the three sets of colours in each word.

    Args:
        words: uint64, three sets each.
        width: How many bits lie between their beginnings.

    Returns:
        uint64 of the same shape, sets of colours.
    """
    union = words >> _shift(width)
    union |= words
    union |= words >> _shift(2 * width)
    union &= _ALL_COLOURS
    return union


@lru_cache(maxsize=4)
def _shift(bits: int) -> Words:
    """Return a number of bits to shift by: uint64 ()."""
    return constant(bits, np.uint64)


def space_name(space: int) -> str:
    """Name a space: column letter from the left, row number from the bottom; `f4` is the centre."""
    row, column = divmod(space, COLUMNS)
    return f"{'abcdefghijk'[column]}{row + 1}"


def space_number(name: str) -> int | None:
    """Return the space that has a name, None if there is none."""
    if len(name) != 2 or name[0] not in "abcdefghijk" or name[1] not in "1234567":
        return None
    return (int(name[1]) - 1) * COLUMNS + "abcdefghijk".index(name[0])
