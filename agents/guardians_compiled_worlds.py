"""Turns of Guardians played through by compiled code, one after another; see `guardians_worlds.py`.

Both give the same worlds and the same marks; each is the other's test.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chromazoo.agents.guardians import Odds
from chromazoo.agents.guardians_worlds import Sight, unknown
from chromazoo.envs.compiled import below, compiled, kth_bit, lowest, popcount, scramble
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import ARROWS, MARKS
from chromazoo.envs.guardians.queue import COLUMNS, PLANES, SPACES
from chromazoo.envs.masks import Words
from chromazoo.envs.randomness import GAMMA, SALT

Queue = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]
"""The bit planes of the colours in a queue that is set up, and then those of the marks."""

_ZERO, _ONE, _EIGHT = (np.uint64(number) for number in (0, 1, 8))
_LAST = np.uint64(SPACES * (COLUMNS - 1))
_TOP = np.uint64(0x0101010101)
_NOT_TOP, _NOT_BOTTOM = np.uint64(0xFEFEFEFEFE), np.uint64(0x7F7F7F7F7F)
_BYTE, _SIX_BITS = np.uint64(0xFF), np.uint64(63)
_SERVED_FIRST = COLUMNS * (SPACES - 1) + 1  # spaces that are open once the first column is served
_NO_CARD = np.uint64(63)


class Tables(NamedTuple):
    """What compiled code knows of some games; see `Sight` and `Odds`.

    Attributes:
        choices: Number of cards that each seat chooses in a turn.
        unknown: Number of cards of a turn that a seat does not know.
        codes: uint64 (50,), the colour of each card, as in queues, and its marks above.
        behind: float64 (turns, 1025).
        kept: float64 (turns, 50).
        colours: uint64 (n, 3), as the other arrays of games with the games first.
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


@compiled
def imagine(tables: Tables, game: int, seed: np.uint64, worlds: Words) -> None:
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
def share_out(tables: Tables, game: int, seed: np.uint64, worlds: Words) -> None:
    """Share the unseen cards out among worlds; see `guardians_worlds.share_out`, `imagine`."""
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
def set_up(tables: Tables, game: int) -> tuple[Queue, Queue]:
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
def play(
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
