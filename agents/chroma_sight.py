"""What a seat of CHROMA sees, in a form that is quick to think about: sets of colours.

The heuristic and the policy network judge positions by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.chroma import rules
from chromazoo.envs.chroma.board import ANY_COLOUR, NEIGHBOURS, OFF, SPACES
from chromazoo.envs.chroma.cards import COPIES, NO_POWER, PACK, POWERS
from chromazoo.envs.chroma.config import COLOURS
from chromazoo.envs.fields import Observation

Colours = NDArray[np.uint32]
Counts = NDArray[np.int64]
Worth = NDArray[np.float64]

BITS = np.uint32(1) << np.arange(COLOURS, dtype=np.uint32)
"""Each colour as a set: uint32 (20,)."""
ALL = np.uint32((1 << COLOURS) - 1)
"""The set of all colours."""
PERFECT = 4
"""Touches that win."""
MOST = 40
"""Cards that are not known in a hand; more count as so many."""
LOG1P: Worth = np.log1p(np.arange(256))
"""ln(1 + k) for numbers of cards or spaces: float64 (256,)."""


@dataclass
class Sight:
    """What the deciding seats know in n games; the other seats are in turn order from theirs.

    Sets of colours are `uint32` with bit c for colour c. Games are the last axis.

    Attributes:
        fits: uint32 (78, n), the colours that fit each space by the colour rule; the last space is
            off the board, where nothing fits.
        touches: uint8 (78, n), how many cards touch each space.
        empty: bool (78, n), whether a card may be laid there.
        hand: uint32 (5, n), the colours of which the own hand has at least 1, ..., 5 cards.
        cards: int64 (n,), cards in the own hand.
        powers: float64 (n,), what their powers are worth.
        sizes: int64 (N - 1, n), cards in the others' hands.
        known: uint32 (N - 1, n), the colours that are known to be in them.
        strangers: int64 (N - 1, n), how many of their cards are not known.
        unseen: uint32 (5, n), the colours of which at least 1, ..., 5 cards are somewhere unseen.
        pile: int64 (n,), cards in the draw pile.
        phase: int64 (n,), index in `rules.PHASES`.
        power: int64 (n,), the power of the card placed in this turn, -1 for none.
        spot: int64 (n,), where that card lies, `OFF` for nowhere.
        partner: int64 (n,), the other seat that a card is owed to, -1 for none.
    """

    fits: Colours
    touches: NDArray[np.uint8]
    empty: NDArray[np.bool_]
    hand: Colours
    cards: Counts
    powers: Worth
    sizes: Counts
    known: Colours
    strangers: Counts
    unseen: Colours
    pile: Counts
    phase: Counts
    power: Counts
    spot: Counts
    partner: Counts

    def take(self, games: Counts) -> "Sight":
        """Copy some games out, in any order and any number of times."""
        return Sight(**{name: array.take(games, axis=-1) for name, array in vars(self).items()})


class Eyes:
    """Reads observations of one game.

    Attributes:
        beside: uint32 (22,), the colours that fit beside nothing, beside a card of each colour,
            beside a face-down card.
    """

    def __init__(self, game: rules.Game, worth: Sequence[float] = (0.0,) * len(POWERS)) -> None:
        """Tabulate what fits.

        Args:
            game: CHROMA with any options.
            worth: What a card with each power is worth in hand.
        """
        self._game = game
        self._worth = worth
        with_each = (game.config.colours.table * BITS).sum(axis=1, dtype=np.uint32)
        self.beside: Colours = np.concatenate([[ALL], with_each, [ALL]])

    def look(self, observation: Observation) -> Sight:
        """Read n observations, uint8 (n, F)."""
        layout, games = self._game.fields, len(observation)

        def field(name: str) -> NDArray[np.uint8]:
            return observation[:, layout.slices[name]].T  # (values, games)

        def which(name: str, otherwise: int) -> Counts:
            marks = field(name)
            return np.where(marks.any(axis=0), marks.argmax(axis=0), otherwise)

        def colours(name: str) -> Counts:
            types = field(name).reshape(-1, self._game.cards.planes, COLOURS, games)
            counts: Counts = types.sum(axis=1, dtype=np.int64)  # (hands, colours, games)
            return counts

        board = np.zeros((SPACES + 1, games), np.uint8)
        board[:SPACES] = field("wild") * np.uint8(1 + ANY_COLOUR)
        marks = np.ascontiguousarray(observation[:, layout.slices["colours"]]).view(np.bool_)
        row, card = np.divmod(np.flatnonzero(marks), COLOURS * SPACES)
        colour, space = np.divmod(card, SPACES)
        board[space, row] = 1 + colour
        touches, fits = np.zeros_like(board), np.full(board.shape, ALL)
        for near in NEIGHBOURS:
            touches += board[near] > 0
            fits &= self.beside.take(board[near])
        empty = board == 0
        empty[OFF] = False
        fits *= empty & (touches > 0)
        sizes, known = field("sizes").astype(np.int64), colours("known")
        return Sight(
            fits=fits,
            touches=touches,
            empty=empty,
            hand=at_least(colours("hand")[0]),
            cards=sizes[0],
            powers=self._worth_of(field("hand")),
            sizes=sizes[1:],
            known=((known > 0) * BITS[:, None]).sum(axis=1, dtype=np.uint32),
            strangers=sizes[1:] - known.sum(axis=1),
            unseen=at_least(colours("unseen")[0]),
            pile=field("pile")[0].astype(np.int64),
            phase=which("phase", 0),
            power=which("power", NO_POWER),
            spot=which("spot", OFF),
            partner=which("partner", 0) - 1,
        )

    def _worth_of(self, hand: NDArray[np.uint8]) -> Worth:
        """Add up what the powers in hands are worth, one power after another: (T, n) -> (n,)."""
        total = np.zeros(hand.shape[1])
        for power, worth in enumerate(self._worth):
            total += worth * hand[self._game.cards.power == power].sum(axis=0, dtype=np.int64)
        return total

    def surroundings(
        self, sight: Sight, games: Counts, spaces: Counts, colours: Counts
    ) -> tuple[Colours, NDArray[np.uint8]]:
        """Look at the spaces around others as they are once a card lies there.

        Args:
            sight: n games.
            games: int64 (c,), the game of each card.
            spaces: int64 (c,), where the cards are to lie; `OFF` for nowhere.
            colours: int64 (c,), the colours that they show; `ANY_COLOUR` for face-down ones.

        Returns:
            The colours that fit the four spaces around each, uint32 (4, c), and how many cards
            touch them, uint8 (4, c).
        """
        near = NEIGHBOURS[:, spaces]
        fits, touches = sight.fits[near, games], sight.touches[near, games]
        fits[touches == 0] = ALL
        fits &= self.beside[1 + colours] * sight.empty[near, games]
        return fits, touches + np.uint8(1)


def at_least(counts: Counts) -> Colours:
    """Tell of which colours there are at least 1, ..., 5 cards: (colours, n) -> (5, n)."""
    least = np.arange(1, COPIES + 1)[:, None, None]
    sets: Colours = ((counts >= least) * BITS[:, None]).sum(axis=1, dtype=np.uint32)
    return sets


def touches_to_win(cards: Counts) -> Counts:
    """Tell how many cards a placement has to touch to win with so many cards in hand."""
    return np.minimum(cards + 1, PERFECT)


def touchable(sight: Sight) -> NDArray[np.uint8]:
    """Tell how many cards one would touch on each space, 0 where no own card fits: (78, n)."""
    touches: NDArray[np.uint8] = sight.touches * (sight.fits & sight.hand[0] != 0)
    return touches


def find_reach(fits: Colours, touches: NDArray[np.uint8]) -> Colours:
    """Find the colours that fit some space where they touch at least 1, 2, 3, 4 cards: (4, n)."""
    reach = np.empty((PERFECT, fits.shape[1]), np.uint32)
    np.bitwise_or.reduce(fits, axis=0, out=reach[0])  # nothing fits where nothing touches
    for least in range(2, PERFECT + 1):
        np.bitwise_or.reduce(fits * (touches >= least), axis=0, out=reach[least - 1])
    return reach


def odds_of(sight: Sight, colours: Colours, games: Counts | slice = slice(None)) -> Worth:
    """Estimate the probability that the others hold a card of some colours.

    Args:
        sight: n games.
        colours: uint32 (k, c), k sets of colours for each of c games.
        games: Which games, c of the n; all if not given.

    Returns:
        float64 (k, N - 1, c).
    """
    unseen, known = sight.unseen[:, games], sight.known[:, games]
    number = np.bitwise_count(unseen[:, None] & colours).sum(axis=0, dtype=np.int64)
    total = np.bitwise_count(unseen).sum(axis=0, dtype=np.int64)
    strangers = sight.strangers[:, games].clip(0, MOST)
    missed = missed_odds()[total, strangers, number[:, None]]
    odds: Worth = 1 - missed * (known & colours[:, None] == 0)
    return odds


@cache
def missed_odds() -> Worth:
    """Tabulate the odds that none of some cards is of some colours, if they come one by one.

    Returns:
        float64 (101, 41, 101): (1 - number / total) ** cards by total, cards and number. Products
        make it, one after another, so that it is the same on all machines.
    """
    total, number = np.arange(PACK + 1)[:, None], np.arange(PACK + 1)
    table = np.ones((PACK + 1, MOST + 1, PACK + 1))
    table[:, 1:] = (1 - np.minimum(number / np.maximum(total, 1), 1))[:, None]
    table.cumprod(axis=1, out=table)
    table.flags.writeable = False
    return table
