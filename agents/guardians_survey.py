"""What each card in a hand of Guardians leads to, surveyed in worlds that may be.

The turn is played through with each card, where two are to be chosen with each pair, in the same
worlds, and with the best of them in more. These are drawn from what the observation tells, so a
survey is a function of it alone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.guardians import CERTAIN, Odds, Options, best_few, list_options, outcomes
from chromazoo.agents.guardians_worlds import Counts, Sight, share_out
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import BIT
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream, mix

Features = NDArray[np.float32]

FIGURES = (
    "chances",  # to win, if cards that are not kept count
    "bare",  # the same where they do not
    "own",  # marks that the seat itself takes
    "others",  # those that all others take
    "beside",  # by how much those beside the chief grow
    "hits",  # worlds in which the seat takes some
    "squares",  # of the marks that it takes
    "mate",  # the other card of the pair, -1 for none
    "all_chances",  # the chances of all pairs with the card
    "pairs",  # how many these are
)
"""What is counted of each card: sums over all worlds, for the pair with the best chances."""
MORE, FINALISTS = 4, 8
"""The best options are tried in more worlds: how many times as many, and how many options."""
CARD_FEATURES, POSITION_FEATURES = 13, 2
_SUMS = len(FIGURES) - 3
_BLOCK = 1 << 16  # turns played through at once
_CLOSE = 0.02  # a difference between chances that matters little


class Survey(NamedTuple):
    """What n hands lead to.

    Attributes:
        places: int64 (n, 50), where each card is in `cards`; the last place for those not in hand.
        cards: float32 (m + 1, 13), what each card leads to, the last zeros. The first number is ten
            times the chances to win with it, from 0 to 1, less those with the best card.
        positions: float32 (n, 2), the rewards to be expected with the best card, and with the best
            if to keep cards for later were worth nothing, from -1 / (N - 1) to 1.
    """

    places: Counts
    cards: Features
    positions: Features


def survey(game: rules.Game, odds: Odds, sight: Sight, worlds: int) -> Survey:
    """Survey hands.

    Args:
        game: The rules.
        odds: What outcomes are worth.
        sight: n games.
        worlds: Number of worlds in which all options are tried.

    Returns:
        What each card leads to, the same on both engines to the last bit.
    """
    held = np.bitwise_count(sight.hand).astype(np.int64)  # (games,)
    figures = blank(int(held.sum()))
    if game.engine == "compiled":
        from chromazoo.agents.guardians_compiled_survey import survey_hands

        survey_hands(game, odds, sight, seeds_of(sight), figures, worlds, MORE, FINALISTS)
    else:
        _survey(game, odds, sight, figures, worlds)
    return _described(sight, held, figures, worlds * MORE)


def blank(cards: int) -> Counts:
    """Make room for the figures of some cards that no option has been tried with."""
    figures = np.zeros((cards, len(FIGURES)), np.int64)
    figures[:, [0, _SUMS]] = -1
    return figures


def seeds_of(sight: Sight) -> Stream:
    """Sum up what is known in n games to seeds: uint64 (n,)."""
    seeds = np.zeros(len(sight.hand), np.uint64)
    sets = sight.hand, sight.chosen, sight.chief, sight.unseen, sight.turns
    for words in (*sets, *sight.colours, *sight.marks, *sight.taken.astype(np.uint64)):
        seeds = mix(seeds, words)
    return seeds


def _survey(game: rules.Game, odds: Odds, sight: Sight, figures: Counts, worlds: int) -> None:
    """Write the figures of all cards in hand, game by game: int64 (m, figures)."""
    held = np.bitwise_count(sight.hand).astype(np.int64)
    options = list_options(game, odds, sight, sight.hand[:, None])
    drawn = share_out(game, sight, seeds_of(sight), worlds * MORE)
    told = _tell(game, odds, sight, drawn[:, :worlds], options)
    few = best_few(options.rows, told[:, 0], FINALISTS)
    final = np.zeros(len(told), np.bool_)
    final[few] = True
    told[few] += _tell(game, odds, sight, drawn[:, worlds:], options.take(few))
    told[~final] *= MORE
    least = np.full(len(held), worlds * MORE * CERTAIN)
    np.minimum.at(least, options.rows[few], told[few, 0])
    told[~final, 0] = np.minimum(told[:, 0], least[options.rows])[~final]
    starts = (held.cumsum() - held)[options.rows]
    own = options.brought & sight.hand[options.rows]
    low = own & -own
    for card, mate in ((own ^ low, low), (low, own ^ low)):  # as the options are listed
        some = np.flatnonzero(card)
        place = starts + np.bitwise_count(sight.hand[options.rows] & (card - np.uint64(1)))
        _enter(figures, place[some], told[some], _number(mate[some]))


def _tell(game: rules.Game, odds: Odds, sight: Sight, drawn: Words, options: Options) -> Counts:
    """Add up what options bring about in some worlds: int64 (options, sums); see `FIGURES`."""
    told = np.empty((len(options.rows), _SUMS), np.int64)
    step = max(1, _BLOCK // drawn.shape[1])
    for start in range(0, len(told), step):
        block = slice(start, start + step)
        rows = options.rows[block]
        marks = outcomes(game, sight, drawn, rows, options.brought[block])
        gain = marks - sight.taken[:, None, rows]  # (seats + 1, worlds, options)
        left, kept = sight.left[rows], options.kept[block]
        parts = (
            odds.chances(left, marks[:-1], kept),
            odds.chances(left, marks[:-1], np.ones(len(rows))),
            gain[0],
            gain[1:-1].sum(axis=0),
            gain[-1],
            gain[0] > 0,
            gain[0] ** 2,
        )
        told[block] = np.stack([part.sum(axis=0) for part in parts], axis=1)
    return told


def _enter(figures: Counts, places: Counts, told: Counts, mates: Counts) -> None:
    """Enter the best options of some cards, the first among equals, and add up all.

    Args:
        figures: int64 (m, figures), changed.
        places: int64 (k,), the card of each option.
        told: int64 (k, sums).
        mates: int64 (k,), the other card of the option, -1 for none.
    """
    np.add.at(figures[:, -2], places, told[:, 0])
    np.add.at(figures[:, -1], places, 1)
    order = np.lexsort((-told[:, 0], places))  # stable
    first = order[np.diff(places[order], prepend=-1) > 0]
    better = first[told[first, 0] > figures[places[first], 0]]
    figures[places[better], :_SUMS] = told[better]
    figures[places[better], _SUMS] = mates[better]


def _number(cards: Words) -> Counts:
    """Number single cards, -1 for none: int64, of the same shape."""
    return np.where(cards == 0, -1, np.bitwise_count(cards - np.uint64(1)).astype(np.int64))


def _described(sight: Sight, held: Counts, figures: Counts, worlds: int) -> Survey:
    """Turn figures into numbers close to 1."""
    games = len(held)
    rows = np.arange(games).repeat(held)
    places = np.full((games, CARDS), len(rows))
    places[((sight.hand[:, None] & BIT) != 0)] = np.arange(len(rows))
    scale = np.full(_SUMS, 1 / worlds)
    scale[:2] /= CERTAIN
    told = figures[:, :_SUMS] * scale  # (cards, sums)
    told[:, 0] = told[:, 0].clip(0)
    mean = figures[:, -2] / np.maximum(figures[:, -1], 1) * scale[0]
    best, best_bare, some = np.zeros(games), np.zeros(games), np.flatnonzero(held)
    starts = (held.cumsum() - held)[some]
    if len(some):
        best[some] = np.maximum.reduceat(told[:, 0], starts)
        best_bare[some] = np.maximum.reduceat(told[:, 1], starts)
    behind = told[:, 0] - best[rows]
    mate = figures[:, _SUMS]
    cards = np.zeros((len(rows) + 1, CARD_FEATURES), np.float32)
    cards[:-1] = np.stack(
        [
            behind * 10,
            np.maximum(behind / _CLOSE, -3) / 3,
            behind == 0,
            (told[:, 1] - best_bare[rows]) * 10,
            told[:, 0],
            told[:, 2] / 2,
            told[:, 3] / 2,
            told[:, 4] / 2,
            told[:, 5],
            np.sqrt(told[:, 6]) / 3,
            (mean - best[rows]) * 10,
            np.where(mate < 0, 0, mate - CARDS / 2) / CARDS,
            np.where(mate < 0, 0, abs(mate - CARDS / 2)) / CARDS,
        ],
        axis=1,
    )
    seats = len(sight.taken) - 1
    rewards = (np.stack([best, best_bare], axis=1) * seats - 1) / (seats - 1)
    positions = rewards.astype(np.float32)
    return Survey(places, cards, positions)
