"""Cards of CHROMA: types, names, the pack (rules page `chroma.md`; decision C2).

Cards of the same colour and power are one *type* (C15). Type 20 * j + c is colour c: plain for
j = 0, with the power of its j-th powered card for j = 1, 2, ...
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma.config import COLOURS, Config
from chromazoo.envs.masks import Words

POWERS = ("replay", "gift", "magnet", "lock")
REPLAY, GIFT, MAGNET, LOCK = range(4)
NO_POWER = -1
COPIES = 5
PACK = COLOURS * COPIES

COLOUR = np.arange(COLOURS * COPIES) % COLOURS
"""The colour of each type: int64 (100,)."""
PLANES = 3
"""How many planes of types, of 20 colours each, share a word of a set of types."""
_WORD, _PLACE = np.divmod(np.arange(COLOURS * COPIES), PLANES * COLOURS)


class Cards:
    """The cards of a config.

    Attributes:
        names: The types' names, such as `dark-blue` or `red+replay`; number of types T.
        number: Name -> type.
        power: int8 (T,), the power of each type, -1 for none.
        copies: uint8 (T,), how many cards of each type the pack has.
        planes: How many types each colour has, P; T = 20 P.
        words: How many words a set of types takes, H; type t is bit t % 60 of word t // 60.
        bits: uint64 (H, T), the sets of one type.
    """

    def __init__(self, config: Config) -> None:
        """Tabulate the types.

        Args:
            config: The options.
        """
        copies = config.power_copies
        self.planes = copies + 1
        self.words = -(-self.planes // PLANES)
        types = self.planes * COLOURS
        self.bits = np.zeros((self.words, types), np.uint64)
        self.bits[_WORD[:types], np.arange(types)] = np.uint64(1) << _PLACE[:types].astype(
            np.uint64
        )
        colours = np.arange(COLOURS)
        self.power = np.full(self.planes * COLOURS, NO_POWER, np.int8)
        self.copies = np.ones(self.planes * COLOURS, np.uint8)
        self.copies[:COLOURS] = COPIES - copies
        for copy in range(copies):
            plane = slice((copy + 1) * COLOURS, (copy + 2) * COLOURS)
            self.power[plane] = (colours + copy) % len(POWERS)
        names = config.colours.names
        self.names = tuple(
            names[card % COLOURS] + (f"+{POWERS[power]}" if power >= 0 else "")
            for card, power in enumerate(self.power.tolist())
        )
        self.number = {name: card for card, name in enumerate(self.names)}

    def __len__(self) -> int:
        """Return the number of types, T."""
        return len(self.names)

    def sets(self, counts: NDArray[np.integer]) -> Words:
        """Find which types there are any cards of.

        Args:
            counts: Integers (..., T), cards of each type.

        Returns:
            uint64 (..., H), sets of types.
        """
        there = (counts > 0)[..., None, :]
        sets: Words = np.bitwise_or.reduce(there * self.bits, axis=-1)
        return sets

    @cached_property
    def pack(self) -> NDArray[np.uint8]:
        """The types of the 100 cards, in order of the types: uint8 (100,)."""
        return np.repeat(np.arange(len(self), dtype=np.uint8), self.copies)

    @cached_property
    def rank(self) -> NDArray[np.uint8]:
        """How many cards of its type come before each card of `pack`: uint8 (100,)."""
        first = np.cumsum(self.copies) - self.copies
        return (np.arange(PACK) - first[self.pack]).astype(np.uint8)
