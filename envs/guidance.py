"""What guides people who play: which clicks make a move, and what a move tells those who watch."""

from collections.abc import Sequence
from typing import NamedTuple


class Click(NamedTuple):
    """One of the choices that make a move, one after the other.

    Attributes:
        spot: What is clicked: the name of a spot in the picture of the seat that decides, or, where
            the picture has no such spot, of a button.
        words: What is chosen, for buttons and for those who do not see the picture.
        prompt: What there is to do, in words; the same for all that may be chosen instead.
    """

    spot: str
    words: str
    prompt: str


class News(NamedTuple):
    """What somebody who watches learns of a decision.

    Attributes:
        words: What happened.
        spots: Names of spots in the picture afterwards where it happened; the picture need not have
            them all.
    """

    words: str
    spots: tuple[str, ...] = ()


def won_by(names: Sequence[str], reason: str) -> str:
    """Say who won, and why.

    >>> won_by(["seat 0", "seat 2"], "the fewest marks")
    'seat 0 and seat 2 share the win: the fewest marks'
    """
    return f"{' and '.join(names)} {'wins' if len(names) == 1 else 'share the win'}: {reason}"
