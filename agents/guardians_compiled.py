"""Turns of Guardians played through on the compiled engine: one after another, in plain loops.

What is counted here is what `guardians_worlds.py` and `guardians.py` count with numpy, to the last
bit; each is the other's test.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.guardians import CERTAIN, FARTHEST, FINALISTS, Odds
from chromazoo.agents.guardians_worlds import Sight, unknown
from chromazoo.envs.compiled import below, compiled, kth_bit, lowest, popcount, scramble
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import ARROWS, MARKS
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.guardians.queue import COLUMNS, PLANES, SPACES
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import GAMMA, SALT, Stream

Queue = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]
"""The bit planes of the colours in a queue that is set up, and then those of the marks."""

_ZERO, _ONE, _TWO, _EIGHT = (np.uint64(number) for number in (0, 1, 2, 8))
_LAST = np.uint64(SPACES * (COLUMNS - 1))
_TOP = np.uint64(0x0101010101)
_NOT_TOP, _NOT_BOTTOM = np.uint64(0xFEFEFEFEFE), np.uint64(0x7F7F7F7F7F)
_BYTE, _SIX_BITS = np.uint64(0xFF), np.uint64(63)
_SERVED_FIRST = COLUMNS * (SPACES - 1) + 1  # spaces that are open once the first column is served
_NO_CARD = np.uint64(63)
_MOST_OPTIONS = CARDS * (CARDS - 1) // 2


class Tables(NamedTuple):
    """What compiled code knows of some games; see `Sight` and `Odds`.

    Attributes:
        choices: Number of cards that each seat chooses in a turn.
        unknown: Number of cards of a turn that a seat does not know.
        codes: uint64 (50,), the colour of each card, as in queues, and its marks above.
        behind: float64 (turns, 1025).
        kept: float64 (turns, 50).
        colours: uint64 (n, 3).
        marks: uint64 (n, 3).
        turns: uint64 (n,).
        left: int64 (n,).
        chief: uint64 (n,).
        chosen: uint64 (n,).
        unseen: uint64 (n,).
        taken: int64 (n, N + 1).
    """

    choices: int
    unknown: int
    codes: Words
    behind: NDArray[np.float64]
    kept: NDArray[np.float64]
    colours: Words
    marks: Words
    turns: Words
    left: NDArray[np.int64]
    chief: Words
    chosen: Words
    unseen: Words
    taken: NDArray[np.int64]


def tables_of(game: rules.Game, odds: Odds, sight: Sight) -> Tables:
    """Gather what compiled code is to know.

    Args:
        game: The rules.
        odds: What outcomes are worth.
        sight: n games.

    Returns:
        The tables, to be given one by one.
    """
    codes = game.code.astype(np.uint64) | MARKS.astype(np.uint64) << np.uint64(PLANES)
    return Tables(
        choices=game.choices,
        unknown=unknown(game),
        codes=codes,
        behind=odds.behind,
        kept=odds.kept,
        colours=np.ascontiguousarray(sight.colours.T),
        marks=np.ascontiguousarray(sight.marks.T),
        turns=sight.turns,
        left=sight.left,
        chief=sight.chief,
        chosen=sight.chosen,
        unseen=sight.unseen,
        taken=np.ascontiguousarray(sight.taken.T),
    )


# Worlds


@compiled
def _imagine(tables: Tables, game: int, seed: np.uint64, worlds: Words) -> None:
    """Draw what the others and the chief may bring; see `guardians_worlds.imagine`.

    Args:
        tables: n games.
        game: Which of them.
        seed: Where it is drawn from.
        worlds: uint64 (w, N), written to.
    """
    seats = worlds.shape[1]
    first = scramble(seed + GAMMA)
    for number in range(len(worlds)):
        world = worlds[number]
        stream = scramble(first + scramble(np.uint64(number) * SALT + GAMMA))
        unseen: np.uint64 = tables.unseen[game]
        for seat in range(seats):
            world[seat] = _ZERO
        world[seats - 1] = tables.chief[game]
        for place in range(tables.unknown):
            stream += GAMMA
            if unseen != _ZERO:
                card = _ONE << np.uint64(kth_bit(unseen, below(scramble(stream), popcount(unseen))))
                world[min(place // tables.choices, seats - 1)] |= card
                unseen ^= card


@compiled
def _share_out(tables: Tables, game: int, seed: np.uint64, worlds: Words) -> None:
    """Share the unseen cards out among worlds; see `guardians_worlds.share_out`, `_imagine`."""
    seats = worlds.shape[1]
    stream, unseen = seed, tables.unseen[game]
    pool: np.uint64 = unseen
    for number in range(len(worlds)):
        world, here, wait = worlds[number], _ZERO, _ZERO
        for seat in range(seats):
            world[seat] = _ZERO
        world[seats - 1] = tables.chief[game]
        for place in range(tables.unknown):
            stream += GAMMA
            if pool == _ZERO:
                pool, wait = unseen & ~here, here
            if pool != _ZERO:
                card = _ONE << np.uint64(kth_bit(pool, below(scramble(stream), popcount(pool))))
                world[min(place // tables.choices, seats - 1)] |= card
                pool ^= card
                here |= card
        pool |= wait


@compiled
def _mirrored(word: np.uint64) -> np.uint64:
    """Mirror a plane of a queue: the last column comes first."""
    found = _ZERO
    for column in range(COLUMNS):
        octet = word >> np.uint64(SPACES * column) & _BYTE
        found |= octet << _LAST - np.uint64(SPACES * column)
    return found


@compiled
def _set_up(tables: Tables, game: int) -> tuple[Queue, Queue]:
    """Move a queue down to space 7, for columns that are served from the first, or the last."""
    colours, marks, down = tables.colours[game], tables.marks[game], np.uint64(7)
    down -= tables.turns[game]
    first, second, third = colours[0] << down, colours[1] << down, colours[2] << down
    ones, twos = marks[0] << down, marks[1] << down
    return (first, second, third, ones, twos), (
        _mirrored(first),
        _mirrored(second),
        _mirrored(third),
        _mirrored(ones),
        _mirrored(twos),
    )


@compiled
def _play(
    own: np.uint64,
    world: Words,
    queues: tuple[Queue, Queue],
    codes: Words,
    taken: NDArray[np.int64],
) -> None:
    """Play a turn through; see `guardians_worlds.play_turns`.

    Args:
        own: The own cards.
        world: uint64 (N,), the cards of the others and the chief.
        queues: The queue, set up forwards and backwards.
        codes: uint64 (50,), colours and marks of the cards.
        taken: int64 (N + 1,), marks, to which those of the turn are added.
    """
    cards = own
    for seat in range(len(world)):
        cards |= world[seat]
    backwards = popcount(cards & ARROWS) >= 3
    shift = _LAST if backwards else _ZERO
    step = -_EIGHT if backwards else _EIGHT
    served = placed = _ZERO
    for _ in range(COLUMNS):
        card = _NO_CARD
        if cards != _ZERO:
            card = np.uint64(lowest(cards))
            placed |= codes[card] << shift
        served |= card << shift
        cards &= cards - _ONE
        shift += step
    first, second, third, ones, twos = queues[1] if backwards else queues[0]
    down = np.uint64(SPACES - 1)
    first |= (placed & _TOP) << down
    second |= (placed >> np.uint64(1) & _TOP) << down
    third |= (placed >> np.uint64(2) & _TOP) << down
    ones |= (placed >> np.uint64(3) & _TOP) << down
    twos |= (placed >> np.uint64(4) & _TOP) << down
    opened = _NOT_BOTTOM
    while True:
        lying = first | second | third
        above = (first ^ first << _ONE) | (second ^ second << _ONE) | (third ^ third << _ONE)
        before = (first ^ first << _EIGHT) | (second ^ second << _EIGHT) | (third ^ third << _EIGHT)
        above, before = ~above & lying & _NOT_TOP, ~before & lying
        alike = above | before
        if alike == _ZERO:
            break
        if alike & opened == _ZERO:  # the next column whose card explodes is served
            opened |= alike ^ (alike - _ONE)
        alike &= opened
        going = alike | (above & alike) >> _ONE | (before & alike) >> _EIGHT
        marks = popcount(going & ones) + 2 * popcount(going & twos)
        cause = max(0, popcount(opened) - _SERVED_FIRST)
        _give(served >> np.uint64(SPACES * cause) & _SIX_BITS, marks, own, world, taken)
        while going != _ZERO:  # from the top of a column down, so that those below stay
            space = np.uint64(lowest(going))
            gap = _ONE << space
            going ^= gap
            over = gap - (_ONE << (space & ~np.uint64(7)))
            kept = ~(over | gap)
            first = first & kept | (first & over) << _ONE
            second = second & kept | (second & over) << _ONE
            third = third & kept | (third & over) << _ONE
            ones = ones & kept | (ones & over) << _ONE
            twos = twos & kept | (twos & over) << _ONE


@compiled
def _give(
    card: np.uint64, marks: int, own: np.uint64, world: Words, taken: NDArray[np.int64]
) -> None:
    """Give marks to the seat that brought a card, with those beside the chief, or to the chief."""
    by = 0
    for seat in range(len(world)):
        by = seat + 1 if world[seat] >> card & _ONE else by
    by = 0 if own >> card & _ONE else by
    pile = taken[len(world)] if marks > 0 else 0
    taken[len(world)] -= pile
    taken[by] += marks + pile


# Options


@compiled
def _chance(tables: Tables, left: int, kept: float, taken: NDArray[np.int64]) -> int:
    """Tell the chance to win; see `guardians.Odds.chances`."""
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
        _play(own, worlds[number], queues, tables.codes, taken)
        worth += _chance(tables, left, kept, taken)
    return worth


@compiled
def _list_options(
    tables: Tables,
    game: int,
    legal: np.uint64,
    cards: NDArray[np.int64],
    brought: Words,
    kept: NDArray[np.float64],
) -> int:
    """List what may be brought; see `guardians.list_options`. Returns how many options."""
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
def _few_best(worth: NDArray[np.int64], count: int, top: NDArray[np.int64]) -> int:
    """Find what the last of the best few is worth."""
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
    worlds: Words,
    taken: NDArray[np.int64],
    cards: NDArray[np.int64],
    brought: Words,
    kept: NDArray[np.float64],
    worth: NDArray[np.int64],
    top: NDArray[np.int64],
    actions: NDArray[np.int64],
    *given: Any,
) -> None:
    """Choose a card in each of n games; see `guardians.GuardiansHeuristic.act`."""
    tables = Tables(*given)
    for game in range(len(seeds)):
        _imagine(tables, game, seeds[game], worlds)
        queues = _set_up(tables, game)
        count = _list_options(tables, game, legal[game], cards, brought, kept)
        least, highest, number = -1, -1, 0
        for half in range(2):
            some = worlds[trial:] if half else worlds[:trial]
            for option in range(count):
                if not half:
                    worth[option] = 0
                elif worth[option] < least:
                    worth[option] = -1
                    continue
                own, factor = brought[option], kept[option]
                worth[option] += _weigh(tables, game, own, factor, some, queues, taken)
            least = least if half else _few_best(worth, count, top)
        for option in range(count):
            number = number + 1 if worth[option] == highest else number
            number = 1 if worth[option] > highest else number
            highest = max(highest, worth[option])
        wanted = np.int64(draws[game] * number)
        for option in range(count):
            if worth[option] == highest:
                if wanted == 0:
                    actions[game] = cards[option]
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
    most = _MOST_OPTIONS
    actions = np.empty(len(seeds), np.int64)
    _choose_all(
        seeds,
        draws,
        np.ascontiguousarray(legal[:, 0]),
        trial,
        np.empty((samples, game.num_seats), np.uint64),
        np.empty(game.num_seats + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.uint64),
        np.empty(most, np.float64),
        np.empty(most, np.int64),
        np.empty(FINALISTS, np.int64),
        actions,
        *tables_of(game, odds, sight),
    )
    return actions


# Surveys


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
        _play(own, worlds[number], queues, tables.codes, taken)
        gain = taken[0] - before[0]
        told[0] += _chance(tables, left, kept, taken)
        told[1] += _chance(tables, left, 1.0, taken)
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
    worlds: Words,
    taken: NDArray[np.int64],
    cards: NDArray[np.int64],
    brought: Words,
    kept: NDArray[np.float64],
    worth: NDArray[np.int64],
    top: NDArray[np.int64],
    told: NDArray[np.int64],
    figures: NDArray[np.int64],
    *given: Any,
) -> None:
    """Survey the hands of n games; see `guardians_survey.survey`."""
    tables, more = Tables(*given), len(worlds) // trial
    for game in range(len(seeds)):
        _share_out(tables, game, seeds[game], worlds)
        queues = _set_up(tables, game)
        count = _list_options(tables, game, hands[game], cards, brought, kept)
        least, lowest_final = -1, np.int64(len(worlds)) * CERTAIN
        for half in range(2):
            some = worlds[trial:] if half else worlds[:trial]
            for option in range(count):
                sums = told[option]
                if not half:
                    for place in range(len(sums)):
                        sums[place] = 0
                if worth[option] >= least or not half:
                    own, factor = brought[option], kept[option]
                    _tell(tables, game, own, factor, some, queues, taken, sums)
                if not half:
                    worth[option] = sums[0]
                elif worth[option] >= least:
                    lowest_final = min(lowest_final, sums[0])
            least = least if half else _few_best(worth, count, top)
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


def survey(
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
        np.empty((trial * more, game.num_seats), np.uint64),
        np.empty(game.num_seats + 1, np.int64),
        np.empty(_MOST_OPTIONS, np.int64),
        np.empty(_MOST_OPTIONS, np.uint64),
        np.empty(_MOST_OPTIONS, np.float64),
        np.empty(_MOST_OPTIONS, np.int64),
        np.empty(finalists, np.int64),
        np.empty((_MOST_OPTIONS, figures.shape[1] - 3), np.int64),
        figures,
        *tables_of(game, odds, sight),
    )
