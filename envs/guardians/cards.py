"""The pop cards of Guardians: marks, arrows, places and sets of them (rules page `guardians.md`).

A set of cards is a `uint64`: bit c for the card with number c + 1.
"""

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.masks import Words

HIDDEN, QUEUED, BESIDE, TAKEN = range(4)
"""Where a card lies, as far as all know: hidden (or with the chief, face up), in the queue, beside
the chief, and TAKEN + s in front of seat s."""

ONE = constant(1, np.uint64)
BIT = ONE << np.arange(CARDS, dtype=np.uint64)
"""The set of each card alone: uint64 (50,)."""


def _marks() -> NDArray[np.uint8]:
    """Tabulate the marks: three on 1-5 and 46-50, two on 16-20 and 31-35, one on the others."""
    marks = np.ones(CARDS, np.uint8)
    marks[:5] = marks[45:] = 3
    marks[15:20] = marks[30:35] = 2
    return marks


MARKS = _marks()
"""The marks of each card: uint8 (50,)."""
ARROWS = np.uint64(sum(1 << card for card in range(CARDS) if card < 10 or card >= 40))
"""The cards with arrows, 1-10 and 41-50, as a set."""


def lowest(sets: Words) -> NDArray[np.uint8]:
    """Find the lowest card of each set that has one: uint8, of the same shape."""
    cards: NDArray[np.uint8] = np.bitwise_count((sets & -sets) - ONE)
    return cards


def flags(sets: Words) -> NDArray[np.bool_]:
    """Spread sets out: bool (..., 50)."""
    spread: NDArray[np.bool_] = (sets[..., None] & BIT) != 0
    return spread
