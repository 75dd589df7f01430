"""The board of CHROMA: 7 × 11 spaces, and which colours fit where, as bit sets.

Which colours fit a space is 20 bits, a *lane*; a `uint64` holds the lanes of three spaces, chosen
so that neighbours never share a word. Above the lanes, bits 60 to 62 say of each of the three
spaces that nothing touches it yet: nothing fits there then. Word 26 is for what lies off the board.
"""

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.masks import Words

ROWS, COLUMNS = 7, 11
SPACES = ROWS * COLUMNS
CENTRE = 3 * COLUMNS + 5
OFF = SPACES
"""The space that stands for all that lies off the board."""

WORDS = 26
_NOWHERE = WORDS
_LANE = np.uint64((1 << COLOURS) - 1)
LANES = 3
EVERY_LANE = sum(1 << COLOURS * lane for lane in range(LANES))
"""Times a set of colours: that set in every lane of a word."""

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
LANE_BITS = _LANE << (COLOURS * LANE_OF).astype(np.uint64)
"""The lane of each space as a set of bits: uint64 (spaces + 1,)."""
UNTOUCHED = np.uint64(1) << (60 + LANE_OF).astype(np.uint64)
"""The bit that says that nothing touches a space: uint64 (spaces + 1,)."""


def _surroundings() -> Words:
    """Tabulate the lanes of all neighbours of each space: uint64 (26, spaces + 1)."""
    sets = np.zeros((WORDS + 1, SPACES + 1), np.uint64)
    for space in range(SPACES):
        for near in NEIGHBOURS[:, space]:
            sets[WORD[near], space] |= LANE_BITS[near]
    return sets[:WORDS].copy()


SURROUNDINGS = _surroundings()
"""The lanes of all neighbours of each space, none for `OFF`: uint64 (26, spaces + 1)."""

# A space and its neighbours: (5, spaces + 1) each, the space itself first.
_AROUND = np.concatenate([np.arange(SPACES + 1)[None], NEIGHBOURS])
_AROUND_WORD = WORD[_AROUND]
_AROUND_FLAG = (60 + LANE_OF[_AROUND]).astype(np.uint64)


class Room:
    """Keeps the sets of colours that fit each space, for many games at once.

    Attributes:
        fitting: uint64 (21,), the colours that go with each colour; all of them for the last, a
            face-down card.
    """

    def __init__(self, compatible: NDArray[np.bool_]) -> None:
        """Tabulate a wheel.

        Args:
            compatible: bool (20, 20), which colours go together.
        """
        bits = np.uint64(1) << np.arange(COLOURS, dtype=np.uint64)
        fitting = (compatible * bits).sum(axis=1, dtype=np.uint64)
        self.fitting = np.append(fitting, _LANE)
        # What a card leaves of the lanes around it: (5, colours * spaces), nothing of its own.
        lane = LANE_BITS[_AROUND]
        self._opened = lane.copy()
        self._opened[0] = 0
        every = (self.fitting * np.uint64(EVERY_LANE))[None, :, None]
        keep = ~UNTOUCHED[_AROUND][:, None] & (every | ~lane[:, None])
        keep[0] = ~(lane[0] | UNTOUCHED)
        self._keep = keep.reshape(5, -1)
        self._empty = np.zeros(WORDS + 1, np.uint64)
        for space in range(SPACES):
            self._empty[WORD[space]] |= UNTOUCHED[space]

    def empty(self, games: int) -> Words:
        """Return the words of empty boards: uint64 (27, games)."""
        return np.repeat(self._empty[:, None], games, axis=1)

    def occupy(
        self,
        words: Words,
        rows: NDArray[np.int64],
        spaces: NDArray[np.int64],
        colours: NDArray[np.integer],
    ) -> None:
        """Put a card on a space of some games.

        Args:
            words: uint64 (27, B), changed.
            rows: int64 (n,), the games, each at most once.
            spaces: int64 (n,), the spaces.
            colours: Integers (n,), the cards' colours, `ANY_COLOUR` for face-down ones.
        """
        flat, games = words.reshape(-1), words.shape[1]
        around = _AROUND_WORD.take(spaces, axis=1) * games + rows  # (5, rows)
        found = flat.take(around)
        untouched = (found >> _AROUND_FLAG.take(spaces, axis=1)) & np.uint64(1)
        found |= untouched * self._opened.take(spaces, axis=1)
        found &= self._keep.take(colours * (SPACES + 1) + spaces, axis=1)
        flat[around] = found
        words[_NOWHERE] = 0


def fitting_anywhere(words: Words) -> Words:
    """Find the colours that fit some space.

    Args:
        words: uint64 (n words, B), lanes of spaces.

    Returns:
        uint64 (B,), a set of colours.
    """
    union: Words = np.bitwise_or.reduce(words, axis=0)
    colours: Words = (union | union >> np.uint64(COLOURS) | union >> np.uint64(2 * COLOURS)) & _LANE
    return colours


def space_name(space: int) -> str:
    """Name a space: column letter from the left, row number from the bottom; `f4` is the centre."""
    row, column = divmod(space, COLUMNS)
    return f"{'abcdefghijk'[column]}{row + 1}"


def space_number(name: str) -> int | None:
    """Return the space that has a name, None if there is none."""
    if len(name) != 2 or name[0] not in "abcdefghijk" or name[1] not in "1234567":
        return None
    return (int(name[1]) - 1) * COLUMNS + "abcdefghijk".index(name[0])
