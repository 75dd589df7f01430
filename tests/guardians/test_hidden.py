"""Hidden information (G9): what a seat cannot know changes nothing that it is shown.

The checks are in `secrecy.py`; `test_hidden_faults.py` shows that they find planted faults. Through
the faces it is tested in `test_faces.py`.
"""

from collections import Counter
from functools import cache
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.guardians.cards import flags
from chromazoo.envs.guardians.rules import Game, GuardiansState
from tests.contract.chances import evenly, far_from, slots
from tests.contract.play import differences, mixed
from tests.contract.secrecy import see
from tests.guardians.agreement import pair
from tests.guardians.play import PLAYERS, any_choice, own_colours, shuffled_setup
from tests.guardians.reference import CARDS, TURNS, begin
from tests.guardians.secrecy import (
    BATCH_CHECKS,
    Check,
    check_world,
    drawn,
    owed,
    shown,
)
from tests.guardians.table import Table
from tests.guardians.twins import Line, long_twins
from tests.thorough import THOROUGH

GAMES = 400 if THOROUGH else 80
KINDS = pytest.mark.parametrize(("num_players", "duel"), PLAYERS)


@KINDS
@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("check", BATCH_CHECKS, ids=lambda check: check.__name__[6:])
def test_random_positions(check: Check, num_players: int, duel: bool, rounds: int) -> None:
    """At all stages of a game and all phases of a turn, every seat's point of view."""
    check(
        Game(num_players=num_players, duel=duel, rounds=rounds),
        positions(num_players, duel, rounds),
    )


@cache
def positions(num_players: int, duel: bool, rounds: int) -> GuardiansState:
    """Games before and after each choice, from the deal to the end."""
    game = Game(num_players=num_players, duel=duel, rounds=rounds)
    state = mixed(game, GAMES)
    assert isinstance(state, GuardiansState)
    turns = zip(state.round.tolist(), state.turn.tolist(), strict=True)
    assert {(rounds - 1, TURNS), *((number, 0) for number in range(rounds))} <= set(turns)
    assert set(owed(game, state).tolist()) == set(range(num_players * game.choices + 1))
    return state


@KINDS
def test_worlds_are_games_as_they_could_be(num_players: int, duel: bool) -> None:
    """By the reference: legal sets, what all seats see, and play to the end."""
    random = Random(f"{num_players} {duel}")
    game, config = pair(num_players=num_players, duel=duel, rounds=2, colors=own_colours(random))
    setup = shuffled_setup(2, random)
    reference, state = begin(config, setup), game.from_setup([setup])
    while reference.pending:
        if random.random() < 0.2:
            check_world(game, state, reference, random.choice(reference.seats))
        seat, move = any_choice(reference, random)
        game.step(state, [game.parse_move(state, 0, move, seat)], np.array([seat]))
        reference = reference.after(move, seat)


# Worlds are drawn uniformly


def worlds(table: Table, seat: int, number: int = 8000) -> GuardiansState:
    many = table.state.take(np.zeros(number, np.int64))
    return table.game.redeal(many, np.full(number, seat), np.arange(number))


def cards_in(table: Table, world: GuardiansState, seat: int, field: str) -> list[tuple[int, ...]]:
    """A seat's hand or choices in every world."""
    held = see(table.game, world, seat, field)
    return [tuple((1 + np.flatnonzero(row)).tolist()) for row in held]


def face_down(world: GuardiansState) -> list[tuple[int, ...]]:
    return [tuple((1 + np.flatnonzero(row)).tolist()) for row in flags(world.chief[:, 1])]


def pile(table: Table, world: GuardiansState, place: int) -> list[int]:
    """A place of the pile in every world, 0 for the next card."""
    top = int(drawn(table.game, world)[0])
    cards: list[int] = (1 + world.decks[:, table.round, top + place].astype(int)).tolist()
    return cards


def last_turn() -> Table:
    """Five play the last turn; seats 2 and 4 have chosen, each has one more card."""
    table = in_last_turn(num_players=5)
    return table.choose(2, table.reference.hands[2][0]).choose(4, table.reference.hands[4][1])


def in_last_turn(**options: Any) -> Table:
    """A game that has come to the last turn of its first round."""
    table, random = Table(**options), Random(3)
    while table.turn < TURNS - 1:
        seat = table.seat
        table.choose(seat, int(random.choice(table.legal(seat))))
    return table


def test_hand_and_choice_are_any_unseen_cards() -> None:
    check_pairs_are_uniform(last_turn())


def check_pairs_are_uniform(table: Table) -> None:
    """A hand of one card, and a sealed card: all pairs of different cards as often."""
    left = table.reference.unseen(0)
    assert len(left) == 13
    world = worlds(table, 0)
    pairs = zip(cards_in(table, world, 2, "hand"), cards_in(table, world, 2, "chosen"), strict=True)
    found: Counter[Any] = Counter((hand[0], sealed[0]) for hand, sealed in pairs)
    assert not far_from(found, evenly({(a, b): 1 for a in left for b in left if a != b}))


def test_two_cards_of_a_hand_are_any_two() -> None:
    table = last_turn()
    left = table.reference.unseen(0)
    found = Counter(cards_in(table, worlds(table, 0), 1, "hand"))
    assert not far_from(found, evenly({(a, b): 1 for a in left for b in left if a < b}))


def test_hands_of_two_seats_and_the_pile_are_drawn_together() -> None:
    """Three cards, no two the same, all ways as often."""
    table = last_turn()
    left = table.reference.unseen(0)
    world = worlds(table, 0, 20_000)
    found = Counter(
        zip(
            (hand[0] for hand in cards_in(table, world, 2, "hand")),
            (sealed[0] for sealed in cards_in(table, world, 4, "chosen")),
            pile(table, world, 0),
            strict=True,
        )
    )
    ways = {(a, b, c): 1 for a in left for b in left for c in left if len({a, b, c}) == 3}
    assert not far_from(found, evenly(ways))


@pytest.mark.parametrize("options", [{"num_players": 3}, {"num_players": 2, "duel": False}, {}])
def test_everything_hidden_is_drawn_together(options: dict[str, Any]) -> None:
    check_everything_is_uniform(in_last_turn(**options, rounds=2))


def check_everything_is_uniform(table: Table) -> None:
    """Which hidden cards are of the lower half: every combination has its exact chance.

    The hand of the next seat, its choice, the chief's face-down cards, and the pile's first and
    last card.
    """
    table.choose(1, table.reference.hands[1][0])
    left = sorted(table.reference.unseen(0))
    good = set(left[: len(left) // 2])
    world = worlds(table, 0)
    hand, sealed = (cards_in(table, world, 1, field) for field in ("hand", "chosen"))
    last = len(table.reference.pile) - 1
    first, final = ([(card,) for card in pile(table, world, place)] for place in (0, last))
    parts: list[list[Any]] = [hand, sealed, face_down(world), first, final]
    sizes = [len(part[0]) for part in parts]
    assert sizes[1:] == [1, table.config.chief_cards[1], 1, 1]
    found: Counter[Any] = Counter(
        tuple(sum(card in good for card in cards) for cards in row)
        for row in zip(*parts, strict=True)
    )
    chances = {}
    for counts in np.ndindex(*(size + 1 for size in sizes)):
        ways = [comb(size, count) for size, count in zip(sizes, counts, strict=True)]
        taken = [
            number < count
            for count, size in zip(counts, sizes, strict=True)
            for number in range(size)
        ]
        chances[counts] = int(np.prod(ways)) * slots(len(good), len(left), tuple(taken))
    assert not far_from(found, chances)


def test_later_decks_are_any_order() -> None:
    """A place of the next deck, beside the next card of the pile."""
    table = in_last_turn(num_players=5, rounds=2)
    world = worlds(table, 0, 20_000)
    left = table.reference.unseen(0)
    for place in (0, 30, 49):
        cards = (1 + world.decks[:, 1, place].astype(int)).tolist()
        both = Counter(zip(cards, pile(table, world, 0), strict=True))
        assert not far_from(both, evenly({(a, b): 1 for a in CARDS for b in left}))


def test_the_games_own_seeds_tell_nothing() -> None:
    """A redeal with the seeds of the deals is as far from the truth as any other."""
    for options in ({}, {"num_players": 3, "rounds": 2}):
        game = Game(**options)
        seeds = np.arange(4000)
        state = game.deal(seeds)
        world = game.redeal(state, np.zeros(4000, np.int64), seeds)
        size = int(see(game, state, 1, "hand")[0].sum())
        common = (see(game, state, 1, "hand") & see(game, world, 1, "hand")).sum(axis=1)
        unseen = 50 - int(see(game, state, 0, "hand")[0].sum()) - 1
        assert abs(common.mean() - size * size / unseen) < 5 * common.std() / np.sqrt(4000)
        assert (world.stream != state.stream).all()
        top = int(drawn(game, state)[0])
        places = [world.decks[:, 0, top:] == state.decks[:, 0, top:]]
        places += [
            world.decks[:, number] == state.decks[:, number]
            for number in range(1, game.config.rounds)
        ]
        for same, chances in zip(places, (unseen, 50), strict=False):
            rate = same.mean()
            assert abs(rate - 1 / chances) < 5 * np.sqrt(rate / same.size)


# Pairs of games that a seat cannot tell apart


@KINDS
def test_games_that_differ_only_in_what_a_seat_cannot_know(num_players: int, duel: bool) -> None:
    """Equal bytes at every choice; what is redealt from either game is the same, too."""
    random = Random(f"{num_players} {duel}")
    game, config = pair(num_players=num_players, duel=duel, rounds=2)
    turn = num_players * config.choices
    for viewer in range(num_players):
        for number, shortest in ((0, 4 * turn), (1, 12 * turn)):
            check_twins(game, *long_twins(config, viewer, random, shortest, number), viewer)


def check_twins(game: Game, one: Line, other: Line, viewer: int) -> None:
    """A seat is shown the same of both games."""
    for state, twin in zip(one.states(game), other.states(game), strict=True):
        assert differences(state, twin)
        assert shown(game, state, viewer) == shown(game, twin, viewer)
        redealt = [game.redeal(each, np.array([viewer]), [5]) for each in (state, twin)]
        assert not differences(redealt[0], redealt[1])
