"""What is counted in Guardians before a network judges: where cards may land, and what explodes.

A card's column is its rank among the five cards of the turn. Those that are not known come from the
unseen cards, so the rank has a hypergeometric distribution. What explodes when a card touches the
lowest of its column is played with the queue as it lies, and with cards in the other columns that
match nothing: whether these are served before or after makes no difference then.
"""

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.fields import Observation
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import ARROWS, MARKS, flags
from chromazoo.envs.guardians.config import CARDS, COLOURS
from chromazoo.envs.guardians.queue import COLUMNS, PLANES, SPACES, explode, insert, set_up
from chromazoo.envs.masks import Words

Features = NDArray[np.float32]
Cards = NDArray[np.int64]

NONE = -1
"""Stands for a card where there is none."""
_ARROW = flags(np.array([ARROWS]))[0]
_NUMBERS = CARDS + 1
_BACKWARDS = 3  # arrows that make columns be served from the last
_MATCHLESS = (6, 7, 6, 7, 6)  # codes of cards that match nothing, by column


class Sight(NamedTuple):
    """What n seats see, counted.

    Attributes:
        chief: int64 (n,), the chief's card that lies face up, `NONE` where there is none.
        first: int64 (n,), the card chosen already, or `NONE`.
        beside: float32 (n,), marks that lie beside the chief.
        lowest: uint8 (5, n), 1 + the colour of the lowest card of each column, 0 for none.
        stakes: float32 (5, n), marks that explode with a card of that colour in the column.
        hand: uint8 (n, 50), the own cards, without the chosen.
        unseen: int64 (n, 51), how many unseen cards are below each card; all behind the last.
        unseen_of: int64 (5, n, 51), the same of each colour.
        unseen_arrows: int64 (n,), how many unseen cards have arrows.
        held_of: float32 (n, 5), how many own cards each colour has, without the chosen.
        held: int64 (n, 51), how many of them are below each card; all behind the last.
    """

    chief: Cards
    first: Cards
    beside: Features
    lowest: NDArray[np.uint8]
    stakes: Features
    hand: NDArray[np.uint8]
    unseen: Cards
    unseen_of: Cards
    unseen_arrows: Cards
    held_of: Features
    held: Cards


class Eyes:
    """Counts what the observations of a game tell."""

    def __init__(self, game: rules.Game) -> None:
        """Tabulate the odds of ranks and directions.

        Args:
            game: Guardians with any options.
        """
        self._game = game
        self.pair = game.choices == 2
        self.colour = game.code.astype(np.int64) - 1
        self._of_colour = self.colour == np.arange(COLOURS)[:, None]  # (colours, cards)
        # With no card before the first and none behind the last.
        self._same = np.pad(self._of_colour, ((0, 0), (1, 1))).astype(np.float32).reshape(-1)
        unknown = game.choices * (game.num_seats - 1) + game.face_down
        drawn = _hypergeometric(unknown)  # (all, marked, drawn)
        ranks = np.zeros((COLUMNS, COLUMNS, *drawn.shape[:2]))  # (rank, known below, all, below)
        for known in range(COLUMNS):
            for more in range(unknown + 1):
                ranks[min(known + more, COLUMNS - 1), known] += drawn[:, :, more]
        self._ranks = ranks.reshape(COLUMNS, -1).astype(np.float32)
        backwards = [
            drawn[:, :, max(0, _BACKWARDS - known) :].sum(axis=2) for known in range(COLUMNS + 1)
        ]
        self._backwards = np.array(backwards, np.float32)
        self._any = 1 - drawn[:, :, 0].astype(np.float32).reshape(-1)

    def look(self, seen: Observation) -> Sight:
        """Count what seats see.

        Args:
            seen: uint8 (n, F), their observations.
        """
        fields = self._game.fields
        get = {
            name: fields.get(seen, name)
            for name in ("chief", "chosen", "beside", "hand", "seen", "turn", "colours", "marks")
        }
        turns = get["turn"].reshape(-1).astype(np.int64).clip(0, SPACES - 1)
        hidden = ~(get["hand"] | get["chosen"] | get["seen"] | get["chief"]).astype(np.bool_)
        above = (turns - 1).clip(0)[:, None, None, None]
        lowest = np.take_along_axis(get["colours"], above, axis=3)[..., 0]  # (n, colours, columns)
        codes = (lowest * np.arange(1, COLOURS + 1, dtype=np.uint8)[:, None]).max(axis=1)
        held = get["hand"]
        return Sight(
            chief=_first(get["chief"]),
            first=_first(get["chosen"]),
            beside=(get["beside"] @ MARKS).astype(np.float32),
            lowest=codes.T.copy(),
            stakes=find_stakes(get["colours"], get["marks"], codes, turns),
            hand=held,
            unseen=_counted(hidden),
            unseen_of=np.stack([_counted(hidden & own) for own in self._of_colour]),
            unseen_arrows=(hidden & _ARROW).sum(axis=1),
            held_of=(held @ self._of_colour.T).astype(np.float32),
            held=_counted(held),
        )

    def follow(self, sight: Sight, rows: Cards, cards: Cards, known: Cards) -> list[NDArray[Any]]:
        """Tell where cards may land and what they may do.

        Args:
            sight: n positions.
            rows: int64 (m,), the position of each card.
            cards: int64 (m,).
            known: int64 (k, m), the other cards of the turn that are known, with `NONE`.

        Returns:
            Arrays (k, m), for all columns: the odds that the card lands there, that it also has
            the colour of the lowest card, and the marks expected of that; one by one: the odds
            that it explodes with the lowest card, has the colour of the next card below and above,
            of the one served before, and of any of these; the marks expected in all; the odds that
            columns are served from the last; the expected marks of the card itself and of those
            beside the chief, its marks, and whether it has an arrow.
        """
        colour, unseen = self.colour[cards], sight.unseen[rows, -1]
        lower = sight.unseen[rows, cards]
        is_below = (known >= 0) & (known < cards)
        below = is_below.sum(axis=0)
        place = (below * _NUMBERS + unseen) * _NUMBERS + lower
        ranks = self._ranks.take(place, axis=1)  # (columns, m)
        if self.pair:  # the own second choice may be any other card in hand
            others = np.maximum(sight.held[rows, -1] - sight.hand[rows, cards], np.float32(1))
            share = sight.held[rows, cards] / others * (sight.first[rows] == NONE)
            above = self._ranks.take(place + _NUMBERS**2, axis=1, mode="clip")
            ranks += share.astype(np.float32) * (above - ranks)
        arrows = (_ARROW[known] & (known >= 0)).sum(axis=0) + _ARROW[cards]
        backwards = self._backwards[arrows, unseen, sight.unseen_arrows[rows]]
        hits = ranks * (colour + 1 == sight.lowest.take(rows, axis=1))  # (columns, m)
        stakes = sight.stakes.take(rows, axis=1) * hits
        neighbours = [
            self._neighbour(sight, rows, cards, np.where(is_below, known, NONE).max(axis=0), -1),
            self._neighbour(
                sight, rows, cards, np.where(known > cards, known, CARDS).min(axis=0), 1
            ),
        ]
        beside = neighbours[0] + backwards * (neighbours[1] - neighbours[0])
        direct = hits.sum(axis=0)
        either = direct + beside - direct * beside
        marks = MARKS[cards].astype(np.float32)
        expected = stakes.sum(axis=0) + either * (marks + sight.beside[rows]) + 1.3 * beside
        return [
            ranks,
            hits,
            stakes / 3,
            np.stack([direct, *neighbours, beside, either, expected / 3, backwards]),
            np.stack([either * marks, either * sight.beside[rows], marks]) / 3,
            _ARROW[cards][None],
        ]

    def _neighbour(
        self, sight: Sight, rows: Cards, cards: Cards, nearest: Cards, step: int
    ) -> Features:
        """Estimate how likely the next card by number has the colour of a card: (m,).

        Args:
            sight: n positions.
            rows: int64 (m,), the position of each card.
            cards: int64 (m,).
            nearest: int64 (m,), the next card that is known, -1 or 50 for none.
            step: -1 for the next below, 1 for the next above.
        """
        low, high = (nearest, cards) if step < 0 else (cards, nearest)
        colour = self.colour[cards]
        between = sight.unseen[rows, high] - sight.unseen[rows, low + 1]
        alike = sight.unseen_of[colour, rows, high] - sight.unseen_of[colour, rows, low + 1]
        between = np.maximum(between, 0)
        closer = self._any.take(sight.unseen[rows, -1] * _NUMBERS + between)
        same = self._same.take(colour * (CARDS + 2) + nearest + 1)
        share = alike.astype(np.float32) / np.maximum(between, 1).astype(np.float32)
        found: Features = same + closer * (share - same)
        return found


def find_stakes(
    colours: NDArray[np.uint8],
    marks: NDArray[np.uint8],
    codes: NDArray[np.uint8],
    turns: NDArray[np.int64],
) -> Features:
    """Find what explodes with a card of the colour of the lowest in each column.

    Args:
        colours: uint8 (n, 5, 5, 8), what lies in the queues, by colour, column and space.
        marks: uint8 (n, 5, 8), the marks of the cards there.
        codes: uint8 (n, 5), 1 + the colour of the lowest card of each column, 0 for none.
        turns: int64 (n,), the turns, from 0.

    Returns:
        float32 (5, n): marks that explode, without those of the card that is placed.
    """
    games = len(codes)
    worth = np.stack([marks & 1, marks >> 1], axis=1)
    words = _words(np.concatenate([colours, worth], axis=1))  # (colours and 2, n)
    planes = np.zeros((PLANES + 2, games), np.uint64)
    for colour in range(COLOURS):
        for plane in range(PLANES):
            if colour + 1 >> plane & 1:
                planes[plane] |= words[colour]
    planes[PLANES:] = words[COLOURS:]
    tried = set_up(planes, turns.astype(np.uint64), np.zeros(games, np.bool_))
    tried = np.repeat(tried, COLUMNS, axis=1)
    cards = np.zeros((games, COLUMNS, 8), np.uint8)  # (games, column that is tried, columns)
    cards[:, :, :COLUMNS] = _MATCHLESS
    every = np.arange(COLUMNS)
    cards[:, every, every] = codes
    queues = tried[:PLANES]
    insert(queues, cards.reshape(-1, 8), np.array(SPACES - 1, np.uint64))
    gone = explode(queues).gone
    ones, twos = np.bitwise_count(tried[PLANES:] & gone)
    stakes: Features = (ones + np.float32(2) * twos).reshape(games, COLUMNS).T
    return stakes


def _words(spaces: NDArray[np.uint8]) -> Words:
    """Pack spaces into words of queues: (n, k, 5, 8) -> uint64 (k, n)."""
    packed = np.packbits(spaces, axis=-1, bitorder="little")[..., 0]
    padded = np.zeros((*packed.shape[:2], 8), np.uint8)
    padded[..., :COLUMNS] = packed
    return padded.view(np.uint64)[..., 0].T


def _first(cards: NDArray[np.uint8]) -> Cards:
    """Find the first card of each row of flags, `NONE` for none: (n, 50) -> int64 (n,)."""
    return np.where(cards.any(axis=1), cards.argmax(axis=1), NONE)


def _counted(cards: NDArray[np.generic]) -> Cards:
    """Count the flags before each card, and all: (n, 50) -> int64 (n, 51)."""
    counts = np.zeros((len(cards), CARDS + 1), np.int64)
    np.cumsum(cards, axis=1, out=counts[:, 1:])
    return counts


def _hypergeometric(drawn: int) -> NDArray[np.float64]:
    """Tabulate how many of some marked cards are drawn: (all, marked, drawn), 0 to 50 cards.

    Where there are fewer cards than are drawn all of them are.
    """
    odds = np.zeros((CARDS + 1, CARDS + 1, drawn + 1))
    for cards in range(CARDS + 1):
        hands = min(drawn, cards)
        for marked in range(CARDS + 1):
            inside = min(marked, cards)
            for number in range(hands + 1):
                ways = comb(inside, number) * comb(cards - inside, hands - number)
                odds[cards, marked, number] = ways / comb(cards, hands)
    return odds
