"""Worlds that may be in Guardians: what a seat knows, and how turns play out.

A seat does not know what the others and the chief bring into a turn. It may imagine that, from the
cards that it has not seen, and play the turn through with cards of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.fields import Observation
from chromazoo.envs.guardians import rules
from chromazoo.envs.guardians.cards import ARROWS, BIT, MARKS, ONE, lowest
from chromazoo.envs.guardians.config import CARDS
from chromazoo.envs.guardians.queue import COLUMNS, PLANES, SPACES, explosion_steps, insert, set_up
from chromazoo.envs.masks import Words, kth_bit
from chromazoo.envs.randomness import Stream, below, mix

Counts = NDArray[np.int64]

_DECK = np.uint64((1 << CARDS) - 1)
_NO_CARD = 64  # what `lowest` finds in an empty set
_BITS = np.append(BIT, np.zeros(_NO_CARD + 1 - CARDS, np.uint64))


@dataclass
class Sight:
    """What the deciding seats know in n games; sets of cards as in `envs/guardians/cards.py`.

    Attributes:
        colours: uint64 (3, n), the bit planes of the queue.
        marks: uint64 (3, n), those of the marks of the cards in the queue.
        turns: uint64 (n,), turns of this round that are over.
        left: int64 (n,), turns to come after this one, in all rounds.
        hand: uint64 (n,), the own cards, without the chosen.
        chief: uint64 (n,), the card that lies face up.
        chosen: uint64 (n,), the own choices of this turn.
        unseen: uint64 (n,), the cards of which nobody but their holder knows where they are.
        taken: int64 (N + 1, n), the marks of each seat, the own first, and those beside the chief.
    """

    colours: Words
    marks: Words
    turns: Words
    left: Counts
    hand: Words
    chief: Words
    chosen: Words
    unseen: Words
    taken: Counts


def look(game: rules.Game, observation: Observation) -> Sight:
    """Read observations.

    Args:
        game: The rules.
        observation: uint8 (n, F), with all views.

    Returns:
        What they tell.
    """

    def field(name: str) -> NDArray[np.uint8]:
        return game.fields.get(observation, name)

    names = ("hand", "chief", "chosen", "seen", "beside")
    flags = np.zeros((len(names), len(observation), 8 * 8), np.bool_)
    for name, row in zip(names, flags, strict=True):
        row[:, :CARDS] = field(name)
    sets = np.packbits(flags, axis=2, bitorder="little").view(np.uint64)[..., 0]
    hand, chief, chosen, seen, beside = sets
    turns = field("turn").astype(np.int64).clip(0, rules.TURNS - 1)
    rounds = game.config.rounds - 1 - field("round").astype(np.int64)
    numbers = field("numbers")
    return Sight(
        colours=_planes(np.append(np.uint8(0), game.code).take(numbers, mode="clip")),
        marks=_planes(np.append(np.uint8(0), MARKS).take(numbers, mode="clip")),
        turns=turns.astype(np.uint64),
        left=rules.TURNS * (1 + rounds.clip(0)) - 1 - turns,
        hand=hand,
        chief=chief,
        chosen=chosen,
        unseen=_DECK & ~(hand | chosen | seen | chief),
        taken=np.append(field("taken").T.astype(np.int64), marks_of(beside)[None], axis=0),
    )


def marks_of(cards: Words) -> Counts:
    """Count the marks of sets of cards: int64, of the same shape."""
    marks = sum(np.bitwise_count(cards & worth) for worth in _AT_LEAST)
    return np.asarray(marks, np.int64)


_AT_LEAST = [np.bitwise_or.reduce(BIT[marks <= MARKS]) for marks in (1, 2, 3)]


def imagine(game: rules.Game, sight: Sight, seeds: Stream, samples: int) -> Words:
    """Draw what the others and the chief may bring into the turn, evenly from the unseen cards.

    Args:
        game: The rules.
        sight: n games.
        seeds: uint64 (n,).
        samples: Number of worlds to draw, w.

    Returns:
        uint64 (N, w, n), sets of cards: the others in turn order, then the chief, face up and down.
    """
    stream = mix(seeds, np.arange(samples, dtype=np.uint64)[:, None]).reshape(-1)
    unseen = np.tile(sight.unseen, samples)
    worlds = np.zeros((game.num_seats, len(unseen)), np.uint64)
    worlds[-1] = np.tile(sight.chief, samples)
    for number in range(unknown(game)):
        card = _drawn(unseen, stream)
        worlds[min(number // game.choices, game.num_seats - 1)] |= card
        unseen ^= card
    return worlds.reshape(game.num_seats, samples, -1)


def share_out(game: rules.Game, sight: Sight, seeds: Stream, samples: int) -> Words:
    """Draw worlds as `imagine` does, but so that every unseen card is in as many as any other.

    The unseen cards are shuffled and go round, and again when none is left. Each world by itself is
    as likely as any; together they tell more of the cards than as many that know nothing of each
    other.

    Args:
        game: The rules.
        sight: n games.
        seeds: uint64 (n,).
        samples: Number of worlds to draw, w.

    Returns:
        uint64 (N, w, n), as `imagine` has it.
    """
    stream, pool = seeds.copy(), sight.unseen
    worlds = np.zeros((game.num_seats, samples, len(pool)), np.uint64)
    worlds[-1] = sight.chief
    for world in range(samples):
        here = wait = np.zeros_like(pool)  # what is in this world, and what waits for the next
        for number in range(unknown(game)):
            wait = np.where(pool == 0, here, wait)
            pool = np.where(pool == 0, sight.unseen & ~here, pool)
            card = _drawn(pool, stream)
            worlds[min(number // game.choices, game.num_seats - 1), world] |= card
            pool, here = pool ^ card, here | card
        pool = pool | wait
    return worlds


def _drawn(pool: Words, stream: Stream) -> Words:
    """Draw a card from each set, nothing from an empty one: uint64 (n,)."""
    some = pool != 0
    place = kth_bit(np.where(some, pool, ONE), below(stream, np.bitwise_count(pool)))
    return np.where(some, ONE << place.astype(np.uint64), np.uint64(0))


def unknown(game: rules.Game) -> int:
    """Count the cards of a turn that a seat does not know: the others' and the chief's."""
    return COLUMNS - game.choices - game.face_up


def play_turns(game: rules.Game, sight: Sight, rows: Counts, brought: Words) -> Counts:
    """Play turns through, each in some worlds.

    Args:
        game: The rules.
        sight: n games.
        rows: int64 (m,), the game of each turn.
        brought: uint64 (N + 1, w, m), the cards of each seat, the own first, and of the chief. Sets
            of fewer than five leave the last columns that are served without a card.

    Returns:
        int64 (N + 1, w, m), the marks of each seat, and those beside the chief.
    """
    shape = brought.shape
    rows, brought = np.tile(rows, shape[1]), brought.reshape(len(brought), -1)
    turns, cards = sight.turns.take(rows), np.bitwise_or.reduce(brought, axis=0)
    backwards = np.bitwise_count(cards & ARROWS) >= 3
    served = np.empty((COLUMNS, len(rows)), np.uint8)
    for column in range(COLUMNS):
        served[column] = lowest(cards)
        cards &= cards - ONE
    served = np.where(backwards, served[::-1], served)

    def queue(planes: Words, codes: NDArray[np.uint8]) -> Words:
        """Put the cards into queues, by colours or by marks."""
        words = set_up(planes.take(rows, axis=1), turns, backwards)
        bytes_ = np.zeros((len(rows), 8), np.uint8)
        every = np.append(codes, np.zeros(_NO_CARD + 1 - CARDS, np.uint8))
        bytes_[:, :COLUMNS] = every.take(served).T
        insert(words, bytes_, np.array(SPACES - 1, np.uint64))
        return words

    ones, twos, _ = queue(sight.marks, MARKS)
    taken = sight.taken.take(rows, axis=1)
    for which, gone, causes in explosion_steps(queue(sight.colours, game.code)):
        marks = np.bitwise_count(gone & ones.take(which)).astype(np.int64)
        marks += 2 * np.bitwise_count(gone & twos.take(which))
        # No card has caused what touched before any was placed, which the rules never leave.
        cause = np.where(causes < COLUMNS, causes, 0) * np.int64(len(rows)) + which
        by = (brought.take(which, axis=1) & _BITS.take(served.take(cause))) != 0  # (N + 1, games)
        pile = taken[-1].take(which) * (marks > 0)  # which the chief only takes back
        taken[-1, which] -= pile
        taken[by.argmax(axis=0), which] += marks + pile
    return taken.reshape(shape)


def _planes(codes: NDArray[np.uint8]) -> Words:
    """Make the bit planes of queues: codes by column and space, (n, 5, 8) -> (3, n)."""
    bits = codes >> np.arange(PLANES, dtype=np.uint8)[:, None, None, None] & 1
    columns = np.zeros((PLANES, len(codes), 8), np.uint8)
    columns[..., :COLUMNS] = np.packbits(bits, axis=-1, bitorder="little")[..., 0]
    planes: Words = columns.view(np.uint64)[..., 0]
    return planes
