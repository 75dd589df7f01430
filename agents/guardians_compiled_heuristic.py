"""The heuristic of Guardians in compiled code, one option after another; see `guardians.py`."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.guardians import CERTAIN, FARTHEST, FINALISTS, Odds
from chromazoo.agents.guardians_compiled_worlds import (
    Queue,
    Tables,
    imagine,
    play,
    set_up,
    tables_of,
)
from chromazoo.agents.guardians_worlds import Sight
from chromazoo.envs.compiled import compiled, lowest
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import Stream

MOST_OPTIONS = CARDS * (CARDS - 1) // 2
"""As many pairs as any set of cards has; rooms for options are so long."""
_ZERO, _ONE = np.uint64(0), np.uint64(1)


class Room(NamedTuple):
    """Room for the worlds and the options of one game after another.

    Attributes:
        worlds: uint64 (w, N), what the others and the chief bring.
        taken: int64 (N + 1,), the marks of each seat, and those beside the chief.
        cards: int64 (`MOST_OPTIONS`,), see `Options`, as of those that follow.
        brought: uint64 (`MOST_OPTIONS`,).
        kept: float64 (`MOST_OPTIONS`,).
        worth: int64 (`MOST_OPTIONS`,), what options are worth.
        top: int64 (few,), what the best few are.
    """

    worlds: Words
    taken: NDArray[np.int64]
    cards: NDArray[np.int64]
    brought: Words
    kept: NDArray[np.float64]
    worth: NDArray[np.int64]
    top: NDArray[np.int64]


ROOM = len(Room._fields)


def make_room(game: rules.Game, worlds: int, finalists: int) -> Room:
    """Make room for games with so many worlds each, of which the best few options are sought."""
    return Room(
        worlds=np.empty((worlds, game.num_seats), np.uint64),
        taken=np.empty(game.num_seats + 1, np.int64),
        cards=np.empty(MOST_OPTIONS, np.int64),
        brought=np.empty(MOST_OPTIONS, np.uint64),
        kept=np.empty(MOST_OPTIONS, np.float64),
        worth=np.empty(MOST_OPTIONS, np.int64),
        top=np.empty(finalists, np.int64),
    )


@compiled
def chance(tables: Tables, left: int, kept: float, taken: NDArray[np.int64]) -> int:
    """Tell the chance to win; see `guardians.Odds.chances`.

    Args:
        tables: The odds.
        left: Turns to come.
        kept: The factor of the own cards.
        taken: int64 (N + 1,), the marks of each seat, the own first, and those beside the chief.
    """
    place = FARTHEST + taken[0]
    against = tables.behind[left, place - taken[1]]
    for other in range(2, len(taken) - 1):
        against += tables.behind[left, place - taken[other]]
    return np.int64(CERTAIN / (1 + kept * against))  # type: ignore[return-value]


@compiled
def _weigh(
    tables: Tables,
    game: int,
    own: np.uint64,
    kept: float,
    worlds: Words,
    queues: tuple[Queue, Queue],
    taken: NDArray[np.int64],
) -> int:
    """Add up the chances to win that own cards leave in some worlds."""
    left, before, worth = tables.left[game], tables.taken[game], 0
    for number in range(len(worlds)):
        for seat in range(len(taken)):
            taken[seat] = before[seat]
        play(own, worlds[number], queues, tables.codes, taken)
        worth += chance(tables, left, kept, taken)
    return worth


@compiled
def list_options(
    tables: Tables,
    game: int,
    legal: np.uint64,
    room: Room,
) -> int:
    """List what may be brought; see `guardians.list_options`.

    Args:
        tables: n games.
        game: Which of them.
        legal: The cards to choose from.
        room: Its `cards`, `brought` and `kept` are written to.

    Returns:
        How many options.
    """
    cards, brought, kept = room.cards, room.brought, room.kept
    factors, chosen, count = tables.kept[tables.left[game]], tables.chosen[game], 0
    pairing = tables.choices == 2 and chosen == _ZERO
    while legal != _ZERO:
        first = lowest(legal)
        legal &= legal - _ONE
        with_first = chosen | _ONE << np.uint64(first)
        if not pairing:
            cards[count], brought[count], kept[count] = first, with_first, factors[first]
            count += 1
            continue
        partners = legal
        while partners != _ZERO:
            second = lowest(partners)
            partners &= partners - _ONE
            cards[count] = first
            brought[count] = with_first | _ONE << np.uint64(second)
            kept[count] = factors[first] * factors[second]
            count += 1
    return count


@compiled
def few_best(worth: NDArray[np.int64], count: int, top: NDArray[np.int64]) -> int:
    """Find what the last of the best few is worth.

    Args:
        worth: int64 (any,), not negative.
        count: How many options it tells of.
        top: int64 (few,), room.

    Returns:
        The worth, -1 where there is no option.
    """
    for place in range(len(top)):
        top[place] = -1
    for option in range(count):
        value = worth[option]
        for place in range(len(top)):
            if value > top[place]:
                value, top[place] = top[place], value
    return int(top[min(count, len(top)) - 1])


@compiled
def _choose_all(
    seeds: Stream,
    draws: NDArray[np.float64],
    legal: Words,
    trial: int,
    actions: NDArray[np.int64],
    *given: Any,
) -> None:
    """Choose a card in each of n games; see `guardians.GuardiansHeuristic.act`."""
    room, tables = Room(*given[:ROOM]), Tables(*given[ROOM:])
    worlds, worth = room.worlds, room.worth
    for game in range(len(seeds)):
        imagine(tables, game, seeds[game], worlds)
        queues = set_up(tables, game)
        count = list_options(tables, game, legal[game], room)
        least, highest, number = -1, -1, 0
        for half in range(2):
            some = worlds[trial:] if half else worlds[:trial]
            for option in range(count):
                if not half:
                    worth[option] = 0
                elif worth[option] < least:
                    worth[option] = -1
                    continue
                own, factor = room.brought[option], room.kept[option]
                worth[option] += _weigh(tables, game, own, factor, some, queues, room.taken)
            least = least if half else few_best(worth, count, room.top)
        for option in range(count):
            number = number + 1 if worth[option] == highest else number
            number = 1 if worth[option] > highest else number
            highest = max(highest, worth[option])
        wanted = np.int64(draws[game] * number)
        for option in range(count):
            if worth[option] == highest:
                if wanted == 0:
                    actions[game] = room.cards[option]
                wanted -= 1


def choose(
    game: rules.Game,
    odds: Odds,
    sight: Sight,
    legal: Words,
    seeds: Stream,
    draws: NDArray[np.float64],
    samples: int,
    trial: int,
) -> NDArray[np.int64]:
    """Choose as the heuristic does.

    Args:
        game: The rules.
        odds: What outcomes are worth.
        sight: n games.
        legal: uint64 (n, 1), the legal sets.
        seeds: uint64 (n,), where worlds are drawn from.
        draws: float64 (n,), numbers from [0, 1) that choose among equals.
        samples: Number of worlds.
        trial: How many of them try all options.

    Returns:
        int64 (n,), the chosen actions.
    """
    actions = np.empty(len(seeds), np.int64)
    _choose_all(
        seeds,
        draws,
        np.ascontiguousarray(legal[:, 0]),
        trial,
        actions,
        *make_room(game, samples, FINALISTS),
        *tables_of(game, odds, sight),
    )
    return actions
