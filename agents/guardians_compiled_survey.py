"""What each card in a hand of Guardians leads to, in compiled code; see `guardians_survey.py`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.guardians import CERTAIN, Odds
from chromazoo.agents.guardians_compiled_heuristic import (
    MOST_OPTIONS,
    ROOM,
    Room,
    chance,
    few_best,
    list_options,
    make_room,
)
from chromazoo.agents.guardians_compiled_worlds import (
    Queue,
    Tables,
    play,
    set_up,
    share_out,
    tables_of,
)
from chromazoo.agents.guardians_worlds import Sight
from chromazoo.envs.compiled import compiled, lowest, popcount
from chromazoo.envs.guardians import rules
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compiled
def _tell(
    tables: Tables,
    game: int,
    own: np.uint64,
    kept: float,
    worlds: Words,
    queues: tuple[Queue, Queue],
    taken: NDArray[np.int64],
    told: NDArray[np.int64],
) -> None:
    """Add up what own cards bring about in some worlds; see `guardians_survey.FIGURES`."""
    left, before, seats = tables.left[game], tables.taken[game], worlds.shape[1]
    for number in range(len(worlds)):
        for seat in range(len(taken)):
            taken[seat] = before[seat]
        play(own, worlds[number], queues, tables.codes, taken)
        gain = taken[0] - before[0]
        told[0] += chance(tables, left, kept, taken)
        told[1] += chance(tables, left, 1.0, taken)
        told[2] += gain
        for seat in range(1, seats):
            told[3] += taken[seat] - before[seat]
        told[4] += taken[seats] - before[seats]
        told[5] += gain > 0
        told[6] += gain * gain


@compiled
def _survey_all(
    seeds: Stream,
    hands: Words,
    starts: NDArray[np.int64],
    trial: int,
    told: NDArray[np.int64],
    figures: NDArray[np.int64],
    *given: Any,
) -> None:
    """Survey the hands of n games; see `guardians_survey.survey`."""
    room, tables = Room(*given[:ROOM]), Tables(*given[ROOM:])
    worlds, brought, worth = room.worlds, room.brought, room.worth
    more = len(worlds) // trial
    for game in range(len(seeds)):
        share_out(tables, game, seeds[game], worlds)
        queues = set_up(tables, game)
        count = list_options(tables, game, hands[game], room)
        least, lowest_final = -1, np.int64(len(worlds)) * CERTAIN
        for half in range(2):
            some = worlds[trial:] if half else worlds[:trial]
            for option in range(count):
                sums = told[option]
                if not half:
                    for place in range(len(sums)):
                        sums[place] = 0
                if worth[option] >= least or not half:
                    own, factor = brought[option], room.kept[option]
                    _tell(tables, game, own, factor, some, queues, room.taken, sums)
                if not half:
                    worth[option] = sums[0]
                elif worth[option] >= least:
                    lowest_final = min(lowest_final, sums[0])
            least = least if half else few_best(worth, count, room.top)
        for option in range(count):
            sums = told[option]
            if worth[option] < least:
                for place in range(len(sums)):
                    sums[place] *= more
                sums[0] = min(sums[0], lowest_final)
            _enter(brought[option] & hands[game], hands[game], starts[game], sums, figures)


@compiled
def _enter(
    own: np.uint64, hand: np.uint64, start: int, sums: NDArray[np.int64], figures: NDArray[np.int64]
) -> None:
    """Enter an option with its cards, if it is the best so far; see `guardians_survey._enter`."""
    some = own
    while some != _ZERO:
        card = some & -some
        some ^= card
        row, mate = figures[start + popcount(hand & (card - _ONE))], own ^ card
        row[-2] += sums[0]
        row[-1] += 1
        if sums[0] > row[0]:
            for place in range(len(sums)):
                row[place] = sums[place]
            row[-3] = lowest(mate) if mate != _ZERO else -1


def survey_hands(
    game: rules.Game,
    odds: Odds,
    sight: Sight,
    seeds: Stream,
    figures: NDArray[np.int64],
    trial: int,
    more: int,
    finalists: int,
) -> None:
    """Survey hands; see `guardians_survey.survey`.

    Args:
        game: The rules.
        odds: What outcomes are worth.
        sight: n games.
        seeds: uint64 (n,), where worlds are drawn from.
        figures: int64 (cards, figures), written to; see `guardians_survey.FIGURES`.
        trial: Number of worlds that all options are tried in.
        more: How many times as many the best are tried in.
        finalists: How many these are.
    """
    held = np.bitwise_count(sight.hand).astype(np.int64)
    _survey_all(
        seeds,
        sight.hand,
        held.cumsum() - held,
        trial,
        np.empty((MOST_OPTIONS, figures.shape[1] - 3), np.int64),
        figures,
        *make_room(game, trial * more, finalists),
        *tables_of(game, odds, sight),
    )
