"""What hidden information demands, as functions that raise `AssertionError`.

They are functions, not tests, so that `test_hidden_faults.py` can run them on games with planted
faults.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.guardians.cards import BIT, flags
from chromazoo.envs.guardians.rules import Game, GuardiansState
from chromazoo.envs.randomness import Stream, as_seeds, below, mix, shuffled
from tests.contract.play import differences, seated
from tests.contract.secrecy import see, some_seeds, varies
from tests.guardians.agreement import assert_agree, assert_seen
from tests.guardians.play import any_choice
from tests.guardians.reference import CARDS, HAND, Config, Guardians

OPEN_TO_ALL = ("seat", "pending", "over", "rewards", "plies")
WORLDS = 40


def config_of(game: Game) -> Config:
    """The reference's config with the options of a game."""
    return Config(**game.options)


def drawn(game: Game, state: GuardiansState) -> NDArray[np.int64]:
    """How many cards of the round's deck have been dealt or drawn: (games,)."""
    config = config_of(game)
    a_turn = sum(config.chief_cards) + (config.num_players if config.is_duel else 0)
    turns: NDArray[np.int64] = state.turn.astype(np.int64) + ~state.over
    return HAND * config.num_players + a_turn * turns


def owed(game: Game, state: GuardiansState) -> NDArray[np.int64]:
    """How many choices are left before the next reveal: (games,)."""
    config = config_of(game)
    made = sum(see(game, state, seat, "chosen").sum(axis=1) for seat in range(game.num_seats))
    return np.where(state.over, 0, config.choices * config.num_players - np.asarray(made))


def count_cards(game: Game, state: GuardiansState) -> NDArray[np.int64]:
    """How often each card of the round is there, wherever it is: (games, cards)."""
    counts = np.zeros((len(state), len(CARDS)), np.int64)
    for seat in range(game.num_seats):
        counts += see(game, state, seat, "hand") + see(game, state, seat, "chosen")
    counts += flags(state.chief[:, 1])
    counts += see(game, state, 0, "chief") + see(game, state, 0, "beside")
    counts += see(game, state, 0, "exploded").sum(axis=1, dtype=np.int64)
    queued = see(game, state, 0, "numbers").reshape(len(state), -1)
    for row, space in np.argwhere(queued):
        counts[row, queued[row, space] - 1] += 1
    top = drawn(game, state)
    for row in range(len(state)):
        counts[row, state.decks[row, state.round[row], top[row] :]] += 1
    return counts


def exchanged(state: GuardiansState, cards: NDArray[np.int64]) -> GuardiansState:
    """A copy in which hidden cards have changed places.

    Args:
        state: The games.
        cards: What becomes of each card of the round, for every game: (games, cards).
    """
    world = state.copy()
    for sets in (world.hands, world.chosen, world.chief):
        for place in range(sets.shape[1]):
            held = np.zeros(cards.shape, np.bool_)
            np.put_along_axis(held, cards, flags(sets[:, place]), axis=1)
            sets[:, place] = np.bitwise_or.reduce(held * BIT, axis=1)
    rows = np.arange(len(state))
    deck = state.decks[rows, state.round]
    world.decks[rows, state.round] = np.take_along_axis(cards, deck.astype(np.int64), axis=1)
    return world


def other_world(
    game: Game, state: GuardiansState, seat: int, seeds: NDArray[np.uint64]
) -> GuardiansState:
    """The games with all that a seat does not know shuffled, here and not by the engine."""
    stream = mix(seeds, 77)
    every = np.arange(len(CARDS))
    order = shuffled(stream, len(CARDS))
    own = see(game, state, seat, "hand") | see(game, state, seat, "chosen")
    known = (own | see(game, state, seat, "seen")).astype(np.bool_)
    cards = np.empty_like(order)
    for row in range(len(state)):
        hidden = every[~known[row]]
        cards[row] = every
        cards[row, hidden] = [card for card in order[row].tolist() if not known[row, card]]
    world = exchanged(state, cards)
    for number in range(config_of(game).rounds):
        deck = shuffled(stream, len(CARDS))
        later = np.flatnonzero(state.round < number)
        world.decks[later, number] = deck[later]
    world.stream = stream
    world.moves = game.legal(world, world.seat)
    return world


# Whole batches


def check_only_pending_seats_may_choose(game: Game, state: GuardiansState) -> None:
    """A seat that has chosen, or whose game is over, has an empty mask."""
    choices = config_of(game).choices
    for seat in range(game.num_seats):
        made = see(game, state, seat, "chosen").sum(axis=1)
        owes = (made < choices) & ~state.over
        mask = game.action_mask(state, seated(state, seat))
        assert np.array_equal(state.pending[:, seat], owes)
        assert np.array_equal(mask, (see(game, state, seat, "hand") > 0) & owes[:, None])
        assert not game.legal(state, seated(state, seat))[~owes].any()


def check_redeal_shows_nothing_new(game: Game, state: GuardiansState) -> None:
    """Observation and mask stay as they are, byte for byte, and all that everyone sees."""
    for seat in range(game.num_seats):
        seeds = some_seeds(state, 0)
        expected = shown(game, state, seat)
        redealt = game.redeal(state, seated(state, seat), seeds)
        for world in (redealt, other_world(game, state, seat, seeds)):
            assert shown(game, world, seat) == expected
            for other in range(game.num_seats):
                both = [
                    game.observe(one, seated(one, other), ("public", "memory"))
                    for one in (world, state)
                ]
                assert both[0].tobytes() == both[1].tobytes()


def check_worlds_are_whole(game: Game, state: GuardiansState) -> None:
    """Every card is there once, hands and choices keep their sizes, what is drawn is forgotten."""
    assert (count_cards(game, state) == 1).all()
    rows = np.arange(len(state))
    for seat in range(game.num_seats):
        world = game.redeal(state, seated(state, seat), some_seeds(state, 0))
        assert (count_cards(game, world) == 1).all()
        for other in range(game.num_seats):
            for field in ("hand", "chosen"):
                dealt, before = (see(game, one, other, field) for one in (world, state))
                assert np.array_equal(dealt.sum(axis=1), before.sum(axis=1))
                assert other != seat or np.array_equal(dealt, before)
        assert np.array_equal(np.bitwise_count(world.chief), np.bitwise_count(state.chief))
        assert np.array_equal(world.chief[:, 0], state.chief[:, 0])
        assert (world.stream != state.stream).all()
        for number in range(config_of(game).rounds):
            deck = world.decks[:, number]
            gone = np.where(state.round == number, drawn(game, state), 0)
            gone = np.where(state.round > number, len(CARDS), gone)
            assert not deck[np.arange(len(CARDS)) < gone[:, None]].any()
            later = rows[state.round < number]
            assert (np.sort(deck[later], axis=1) == np.arange(len(CARDS))).all()


def check_redeal_keeps_nothing_else(game: Game, state: GuardiansState) -> None:
    """A redealt world follows from what the seat knows and the seeds, to the last byte.

    Worlds that differ only in what it does not know become the same, redealt worlds among them.
    """
    first, second = (some_seeds(state, number) for number in range(2))
    for seat in range(game.num_seats):
        eyes = seated(state, seat)
        expected = game.redeal(state, eyes, first)
        for world in (other_world(game, state, seat, second), game.redeal(state, eyes, second)):
            assert differences(state, world)
            assert not differences(game.redeal(world, eyes, first), expected)


def check_all_unknown_varies(game: Game, state: GuardiansState) -> None:
    """Every hand, sealed choice, face-down card and place of the decks takes turns."""
    for row, seat in [(row, row % game.num_seats) for row in range(len(state))]:
        one = state.take(np.full(WORLDS, row))
        many = game.redeal(one, seated(one, seat), np.arange(WORLDS))
        for other in range(game.num_seats):
            for field in ("hand", "chosen"):
                held = see(game, many, other, field)
                unknown = other != seat and held.any()
                assert varies(held) == unknown, f"{field} of seat {other}"
        assert varies(many.chief[:, 1]) == bool(many.chief[0, 1]), "face-down cards"
        now, top = int(state.round[row]), int(drawn(game, one)[0])
        for place in range(top, len(CARDS)):
            assert varies(many.decks[:, now, place]), f"place {place} of the deck"
        for number in range(now + 1, config_of(game).rounds):
            for place in range(len(CARDS)):
                assert varies(many.decks[:, number, place]), f"deck {number}, place {place}"
        assert varies(many.stream)


def shown(game: Game, state: GuardiansState, seat: int) -> list[Any]:
    """All that the rules show to a seat of some games, and to everyone."""
    eyes = seated(state, seat)
    told: list[Any] = [getattr(state, name).tolist() for name in OPEN_TO_ALL]
    told += [game.observe(state, eyes).tobytes(), game.legal(state, eyes).tobytes()]
    told += [game.action_mask(state, eyes).tobytes()]
    return [*told, *(game.text(state, row) for row in range(len(state)))]


def check_sealed_choices(game: Game, state: GuardiansState) -> None:
    """Of two games in which others choose differently a seat is shown the same, until the reveal.

    In any order of the seats, from the games as they are; the seat's own choices are the same.
    """
    for viewer in range(game.num_seats):
        apart = Apart(game, state, viewer)
        for _ in range(config_of(game).choices * game.num_seats):
            apart.choose()
            assert shown(game, apart.one, viewer) == shown(game, apart.other, viewer)


class Apart:
    """Games in pairs that differ in the sealed choices of all seats but one."""

    def __init__(self, game: Game, state: GuardiansState, viewer: int) -> None:
        self.game, self.viewer = game, viewer
        sealed = state.take(np.flatnonzero(owed(game, state) > 1))
        self.one, self.other = sealed, sealed.copy()
        self.stream = mix(as_seeds(viewer), np.arange(len(sealed), dtype=np.uint64))

    def choose(self) -> None:
        """One more choice of any seat in those pairs that are not about to be revealed."""
        rows = np.flatnonzero(owed(self.game, self.one) > 1)
        pairs, stream = [one.take(rows) for one in (self.one, self.other)], self.stream[rows]
        pending = pairs[0].pending
        place = below(stream, pending.sum(axis=1))
        seats = (pending.cumsum(axis=1) > place[:, None]).argmax(axis=1)
        for pair in pairs:
            own = self._pick(pair, seats, np.zeros(len(rows), np.uint64) + np.uint64(5))
            others = self._pick(pair, seats, stream)  # moves on, so that the second differs
            self.game.step(pair, np.where(seats == self.viewer, own, others), seats)
        self.stream[rows] = stream
        self.one.put(rows, pairs[0])
        self.other.put(rows, pairs[1])

    def _pick(
        self, state: GuardiansState, seats: NDArray[np.int64], stream: Stream
    ) -> NDArray[np.int64]:
        return self.game.packing.pick(self.game.legal(state, seats), stream)


# Single games, with the reference


def world_of(game: Game, world: GuardiansState, reference: Guardians) -> Guardians:
    """The reference in an engine's world of one game."""

    def cards(field: str) -> list[list[int]]:
        return [
            (1 + np.flatnonzero(see(game, world, seat, field)[0])).tolist()
            for seat in reference.seats
        ]

    down = 1 + np.flatnonzero(flags(world.chief[:, 1])[0])
    decks = 1 + world.decks[0].astype(int)
    pile = decks[reference.round, int(drawn(game, world)[0]) :]
    later = decks[reference.round + 1 :].tolist()
    return reference.in_world(cards("hand"), cards("chosen"), down.tolist(), pile.tolist(), later)


def check_world(game: Game, state: GuardiansState, reference: Guardians, seat: int) -> None:
    """A redealt world is a game as it could be, and is played on to its end, side by side."""
    world = game.redeal(state, np.array([seat]), [seat])
    found, random = world_of(game, world, reference), Random(seat)
    assert found.knowledge(seat) == reference.knowledge(seat)
    assert found.unseen(seat) == reference.unseen(seat)
    while True:
        assert_agree(game, world, 0, found)
        assert_seen(game, world, [0], [found])
        if found.over:
            return
        chooser, move = any_choice(found, random)
        game.step(world, [game.parse_move(world, 0, move, chooser)], np.array([chooser]))
        found = found.after(move, chooser)


Check = Callable[[Game, GuardiansState], None]
BATCH_CHECKS: list[Check] = [
    check_only_pending_seats_may_choose,
    check_redeal_shows_nothing_new,
    check_worlds_are_whole,
    check_redeal_keeps_nothing_else,
    check_all_unknown_varies,
    check_sealed_choices,
]
