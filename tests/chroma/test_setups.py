"""Decks and who begins: how they are drawn (C2, C14), and set-ups as records give them."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.chroma.rules import Game
from chromazoo.envs.errors import InvalidSetup
from tests.chroma.agreement import assert_agree, assert_seen, own_wheel, pair, types_of
from tests.chroma.reference import begin
from tests.contract.chances import evenly, far_from

SEEDS = 10_000


def test_the_test_of_chances_can_fail() -> None:
    fair: Counter[Any] = Counter(dict.fromkeys(range(10), 100))
    even = evenly(Counter(range(10)))
    assert not far_from(fair, even)
    assert far_from(Counter({**fair, 3: 180}), even)
    assert far_from(fair, evenly(Counter(range(11))))
    assert far_from(fair, evenly(Counter(range(9))))
    assert far_from(fair, evenly(Counter({**dict.fromkeys(range(9), 2), 9: 8})))


# How chance deals


@pytest.mark.parametrize("power_copies", [0, 1, 4])
def test_every_place_of_the_deck_gets_every_card_as_often(power_copies: int) -> None:
    game, config = pair(power_copies=power_copies)
    decks = np.array([setup["deck"] for setup in game.setups(np.arange(SEEDS))])
    chances = evenly(Counter(config.pack))
    assert decks.shape == (SEEDS, 100)
    for place in range(100):
        assert not far_from(Counter(decks[:, place].tolist()), chances), place


def test_every_deck_is_the_pack() -> None:
    for power_copies in range(5):
        game, config = pair(num_players=3, power_copies=power_copies, wheel="ring")
        for setup in game.setups(np.arange(50)):
            assert sorted(setup["deck"]) == sorted(config.pack)
            assert list(setup) == ["deck", "first_player"]


@pytest.mark.parametrize("places", [(0, 1), (0, 99), (5, 6), (41, 57)])
def test_pairs_of_places_are_drawn_without_putting_back(places: tuple[int, int]) -> None:
    game, config = pair(power_copies=0)
    pairs: Counter[Any] = Counter()
    for setup in game.setups(np.arange(SEEDS)):
        pairs[tuple(setup["deck"][place] for place in places)] += 1
    colours = config.colours
    ways = {(one, two): 5 * (4 if one == two else 5) for one in colours for two in colours}
    assert not far_from(pairs, evenly(ways))


def test_decks_of_neighbouring_seeds_are_not_alike() -> None:
    game = Game(power_copies=0)
    decks = np.array([setup["deck"] for setup in game.setups(np.arange(SEEDS))])
    same = Counter((decks[1:] == decks[:-1]).sum(axis=1).tolist())
    mean = sum(number * count for number, count in same.items()) / same.total()
    assert abs(mean - 5) < 5 * np.sqrt(5 / SEEDS)  # 100 places, one chance in 20 each


@pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])
def test_every_seat_begins_as_often(num_players: int) -> None:
    """C14; and whoever begins, the first card on the centre is anything."""
    game, config = pair(num_players=num_players, power_copies=0)
    setups = game.setups(np.arange(SEEDS))
    seats = range(num_players)
    firsts: Counter[Any] = Counter(setup["first_player"] for setup in setups)
    assert not far_from(firsts, evenly(Counter(seats)))
    both: Counter[Any] = Counter((setup["first_player"], setup["deck"][0]) for setup in setups)
    ways = {(seat, colour): 1 for seat in seats for colour in config.colours}
    assert not far_from(both, evenly(ways))


def test_first_player_may_be_fixed() -> None:
    for seat in range(4):
        game = Game(num_players=4, first_player=seat)
        assert {setup["first_player"] for setup in game.setups(np.arange(50))} == {seat}
        assert game.deal(np.arange(50)).seat.tolist() == [seat] * 50


def test_a_fixed_first_player_changes_no_deck() -> None:
    decks = [
        [setup["deck"] for setup in Game(first_player=first).setups(np.arange(20))]
        for first in (None, 0, 1)
    ]
    assert decks[0] == decks[1] == decks[2]


def test_dealt_games_are_those_of_their_setups() -> None:
    """Also by the reference: the centre, then five cards a seat, then the pile."""
    random = Random(3)
    seeds = np.array([0, 1, 2**63, 2**64 - 1, 12345], np.uint64)
    for num_players, wheel in zip(
        range(2, 7), ["tones", "narrow", "ring", "own", "own"], strict=True
    ):
        options = {
            "num_players": num_players,
            "wheel": own_wheel(random) if wheel == "own" else wheel,
            "power_copies": num_players - 2,
        }
        game, config = pair(**options)
        setups = game.setups(seeds)
        dealt, given = game.deal(seeds), game.from_setup(setups, seeds)
        for name, array in dealt.arrays.items():
            assert np.array_equal(array, given.arrays[name]), name
        references = [begin(config, setup) for setup in setups]
        assert_seen(game, types_of(game), dealt, list(range(5)), references)
        for row, reference in enumerate(references):
            assert_agree(game, dealt, row, reference)


# Set-ups as records give them

GAME = Game(num_players=3)
RIGHT = GAME.setups([0])[0]
DECK = RIGHT["deck"]
SWAPPED = DECK[1:] + DECK[:1]
WRONG: list[Any] = [
    {},
    {"deck": DECK},
    {"first_player": 0},
    {**RIGHT, "more": 1},
    {**RIGHT, "deck": DECK[:-1]},
    {**RIGHT, "deck": [*DECK, DECK[0]]},
    {**RIGHT, "deck": []},
    {**RIGHT, "deck": None},
    {**RIGHT, "deck": " ".join(DECK)},
    {**RIGHT, "deck": dict.fromkeys(range(100), "red")},
    {**RIGHT, "deck": ["red"] * 100},
    {**RIGHT, "deck": list(range(100))},
    {**RIGHT, "deck": [None, *DECK[1:]]},
    {**RIGHT, "deck": [[DECK[0]], *DECK[1:]]},
    {**RIGHT, "deck": [*DECK[:-1], "puce"]},
    {**RIGHT, "deck": [*DECK[:-1], ""]},
    {**RIGHT, "deck": [f" {DECK[0]}", *DECK[1:]]},
    {**RIGHT, "deck": [DECK[0].upper(), *DECK[1:]]},
    {**RIGHT, "deck": [card.replace("red+gift", "red") for card in DECK]},
    {**RIGHT, "deck": [card.replace("red+gift", "red+lock") for card in DECK]},
    {**RIGHT, "deck": [card.replace("+", "-") for card in DECK]},
    {**RIGHT, "first_player": 3},
    {**RIGHT, "first_player": -1},
    {**RIGHT, "first_player": None},
    {**RIGHT, "first_player": True},
    {**RIGHT, "first_player": 1.0},
    {**RIGHT, "first_player": "1"},
    {**RIGHT, "first_player": [1]},
    {**RIGHT, "first_player": 2**70},
    {"deck": RIGHT["first_player"], "first_player": DECK},
    None,
    [],
    DECK,
    ["deck", "first_player"],
    "deck",
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
    state = GAME.from_setup([RIGHT, {**RIGHT, "deck": SWAPPED}, {**RIGHT, "deck": sorted(DECK)}])
    assert len(state) == 3
    assert len(GAME.from_setup([])) == 0


def test_the_first_player_must_be_the_configs() -> None:
    game = Game(num_players=3, first_player=1)
    game.from_setup([{**RIGHT, "first_player": 1}])
    for seat in (0, 2):
        with pytest.raises(InvalidSetup, match="first_player"):
            game.from_setup([{**RIGHT, "first_player": seat}])


def test_the_deck_must_be_the_configs() -> None:
    """Decks of other wheels, or with other powers, are refused."""
    for options in ({"wheel": "ring"}, {"power_copies": 0}, {"power_copies": 2}):
        with pytest.raises(InvalidSetup, match="game 0"):
            Game(num_players=3, **options).from_setup([RIGHT])
    Game(num_players=3, wheel="narrow").from_setup([RIGHT])
