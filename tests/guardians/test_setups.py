"""Decks: how they are drawn, how they are dealt, and set-ups as records give them."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.errors import InvalidArgument, InvalidSetup
from chromazoo.envs.guardians.rules import Game
from tests.contract.chances import evenly, far_from
from tests.guardians.agreement import assert_agree, assert_seen, pair
from tests.guardians.play import PLAYERS, own_colours
from tests.guardians.reference import CARDS, begin

SEEDS = 20_000
EVENLY = evenly(Counter(CARDS))


def decks_of(game: Game, number: int) -> Any:
    """The decks of so many seeds: (seeds, rounds, cards)."""
    return np.array([setup["decks"] for setup in game.setups(np.arange(number))])


# How chance deals


def test_every_place_of_a_deck_gets_every_card_as_often() -> None:
    decks = decks_of(Game(), SEEDS // 2)
    assert decks.shape == (SEEDS // 2, 1, 50)
    for place in range(50):
        assert not far_from(Counter(decks[:, 0, place].tolist()), EVENLY), place


def test_in_later_rounds_too_and_apart_from_earlier_ones() -> None:
    decks = decks_of(Game(num_players=5, rounds=3), SEEDS)
    pairs = evenly({(one, other): 1 for one in CARDS for other in CARDS})
    for one, other in [(0, 1), (1, 2), (0, 2)]:
        for place in (0, 10, 49):
            assert not far_from(Counter(decks[:, other, place].tolist()), EVENLY)
            both = zip(decks[:, one, place].tolist(), decks[:, other, place].tolist(), strict=True)
            assert not far_from(Counter(both), pairs)


@pytest.mark.parametrize("places", [(0, 1), (0, 49), (8, 9), (17, 31)])
def test_pairs_of_places_are_drawn_without_putting_back(places: tuple[int, int]) -> None:
    decks = decks_of(Game(), SEEDS)[:, 0]
    pairs: Counter[Any] = Counter(map(tuple, decks[:, list(places)].tolist()))
    assert not far_from(pairs, evenly({(a, b): 1 for a in CARDS for b in CARDS if a != b}))


def test_decks_of_neighbouring_seeds_are_not_alike() -> None:
    decks = decks_of(Game(), SEEDS)[:, 0]
    same = (decks[1:] == decks[:-1]).sum(axis=1)
    assert abs(same.mean() - 1) < 5 / np.sqrt(SEEDS)  # 50 places, one chance in 50 each


def test_every_deck_is_the_pack() -> None:
    for rounds in (1, 2, 3):
        for setup in Game(num_players=3, rounds=rounds).setups(np.arange(40)):
            assert list(setup) == ["decks"]
            assert len(setup["decks"]) == rounds
            assert all(sorted(deck) == list(CARDS) for deck in setup["decks"])
            assert {type(card) for deck in setup["decks"] for card in deck} == {int}


def test_what_is_not_dealt_from_the_deck_changes_no_deck() -> None:
    """Neither the number of players, nor colours, nor rounds that follow."""
    games = [
        Game(),
        Game(num_players=5),
        Game(rounds=3),
        Game(duel=False, colors=own_colours(Random(0))),
    ]
    decks = [decks_of(game, 20)[:, 0].tolist() for game in games]
    assert all(some == decks[0] for some in decks)


def test_dealt_games_are_those_of_their_setups() -> None:
    """Also by the reference: nine cards a seat, then the pile."""
    seeds = np.array([0, 1, 2**63, 2**64 - 1, 12345], np.uint64)
    for num_players, duel in PLAYERS:
        game, config = pair(num_players=num_players, duel=duel, rounds=1 + num_players % 3)
        setups = game.setups(seeds)
        dealt, given = game.deal(seeds), game.from_setup(setups, seeds)
        for name, array in dealt.arrays.items():
            assert np.array_equal(array, given.arrays[name]), name
        references = [begin(config, setup) for setup in setups]
        assert_seen(game, dealt, range(5), references)
        for row, reference in enumerate(references):
            assert_agree(game, dealt, row, reference)


# Set-ups as records give them

GAME = Game(num_players=3, rounds=2)
DECK = list(CARDS)
RIGHT = {"decks": [DECK, DECK[::-1]]}


def with_deck(deck: Any) -> dict[str, Any]:
    """Set-ups whose second deck is this one."""
    return {"decks": [DECK, deck]}


WRONG: list[Any] = [
    {},
    {**RIGHT, "more": 1},
    {"deck": [DECK, DECK]},
    {"decks": []},
    {"decks": [DECK]},
    {"decks": [DECK] * 3},
    {"decks": DECK},
    {"decks": DECK + DECK},
    {"decks": None},
    {"decks": {"0": DECK, "1": DECK}},
    {"decks": dict.fromkeys(range(2), DECK)},
    {"decks": "12"},
    {"decks": 2},
    *(
        with_deck(deck)
        for deck in (
            *([], None, 50, "deck", {}, dict.fromkeys(DECK), DECK[:-1], [*DECK, 50], [*DECK, 51]),
            *([*DECK[:-1], 49], [*DECK[:-1], 51], [0, *DECK[1:]], [-1, *DECK[1:]], [DECK] * 50),
            *([True, *DECK[1:]], [1.0, *DECK[1:]], ["1", *DECK[1:]], [None, *DECK[1:]]),
            *(
                [[1], *DECK[1:]],
                [1 + 2**64, *DECK[1:]],
                [1 - 256, *DECK[1:]],
                [str(c) for c in DECK],
            ),
        )
    ),
    None,
    [],
    [DECK, DECK],
    ["decks"],
    "decks",
    5,
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_setups_that_do_not_fit(number: int) -> None:
    with pytest.raises(InvalidSetup) as caught:
        GAME.from_setup([RIGHT, WRONG[number]])
    line = str(caught.value)
    assert "game 1" in line
    assert "\n" not in line
    assert len(line) < 300


def test_any_order_of_the_pack_is_a_deck() -> None:
    state = GAME.from_setup([RIGHT, {"decks": [DECK[1:] + DECK[:1], DECK]}])
    assert len(state) == 2
    assert len(GAME.from_setup([])) == 0
    with pytest.raises(InvalidArgument, match="seeds"):
        GAME.from_setup([RIGHT], [1, 2])


def test_what_is_handed_in_is_not_kept() -> None:
    setup = {"decks": [list(DECK), list(DECK)]}
    state = GAME.from_setup([setup])
    before = state.copy()
    setup["decks"][1].clear()
    assert np.array_equal(state.decks, before.decks)
