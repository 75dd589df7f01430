"""Random set-ups (K8) and set-ups as records give them."""

from collections import Counter
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest

from chromazoo.envs.errors import InvalidSetup
from chromazoo.envs.kroma.rules import Game
from tests.kroma.agreement import assert_agree, pair
from tests.kroma.reference import BOARDS, SETUPS, begin

RANDOM = [(size, setup) for size in BOARDS for setup in SETUPS[size]]
SEEDS = 10_000


def far_from_uniform(counts: Counter[Any], outcomes: int) -> bool:
    """Pearson's test at 1 in 10^6: chi-square's quantile by Wilson and Hilferty's approximation."""
    expected = counts.total() / outcomes
    assert expected >= 5
    missing = outcomes - len(counts)
    chi = sum((count - expected) ** 2 for count in counts.values()) / expected + missing * expected
    freedom = outcomes - 1
    spread = 2 / (9 * freedom)
    return chi > freedom * (1 - spread + 4.7534 * sqrt(spread)) ** 3


def test_the_test_of_uniformity_can_fail() -> None:
    fair = Counter(dict.fromkeys(range(10), 100))
    assert not far_from_uniform(fair, 10)
    assert far_from_uniform(fair, 11)
    assert far_from_uniform(fair | Counter({3: 180}), 10)


@pytest.mark.parametrize(("size", "setup"), RANDOM)
def test_every_drop_is_uniform_over_the_legal_drops(size: str, setup: str) -> None:
    game, config = pair(size=size, setup=setup, random=True)
    width = config.width
    drops = [found["drops"] for found in game.setups(np.arange(SEEDS))]
    assert {len(found) for found in drops} == {width * len(config.building)}
    for number in range(width * len(config.building)):
        done = number % width
        legal = (width - done) * (2 if done else 1)
        ranks: Counter[int] = Counter()
        for found in drops:
            row = found[number - done : number]
            missing = [c for c in config.colours if not any(d.endswith(c) for d in row)]
            options = [f"{end}:{c}" for end in ("LR" if done else "L") for c in missing]
            ranks[options.index(found[number])] += 1
        if legal == 1:
            assert ranks == {0: SEEDS}
        else:
            assert not far_from_uniform(ranks, legal), (number, ranks)


@pytest.mark.parametrize(("size", "sequences"), [("baby", 2 * 2), ("basic", 4 * 6 * 4 * 2)])
def test_every_sequence_of_drops_is_as_likely(size: str, sequences: int) -> None:
    counts = Counter(
        tuple(found["drops"]) for found in Game(size=size, random=True).setups(np.arange(SEEDS))
    )
    assert not far_from_uniform(counts, sequences)


def test_rows_are_drawn_apart() -> None:
    """In advanced set-ups one row says nothing about the next."""
    game = Game(size="basic", setup="advanced", random=True)
    drops = [found["drops"] for found in game.setups(np.arange(SEEDS))]
    for first, second in ((0, 4), (0, 8), (4, 8), (3, 4)):
        pairs = Counter((found[first][2:], found[second]) for found in drops)
        assert not far_from_uniform(pairs, 4 * 4), (first, second)


@pytest.mark.parametrize(("size", "setup"), RANDOM)
@pytest.mark.parametrize("symmetry", ["mirrored", "flipped"])
def test_dealt_games_are_those_of_their_setups(size: str, setup: str, symmetry: str) -> None:
    game, config = pair(size=size, setup=setup, symmetry=symmetry, random=True)
    seeds = np.array([0, 1, 2**63, 2**64 - 1, 12345], np.uint64)
    setups = game.setups(seeds)
    dealt = game.deal(seeds)
    given = game.from_setup(setups, seeds)
    for name, array in dealt.arrays.items():
        assert np.array_equal(array, given.arrays[name]), name
    assert dealt.plies.tolist() == [0] * 5
    for row, found in enumerate(setups):
        assert_agree(game, dealt, row, begin(config, found))


def test_players_build_the_rows_where_random_is_off() -> None:
    game = Game(size="baby")
    assert game.setups([1, 2]) == [{}, {}]
    assert len(game.from_setup([{}, {}, {}])) == 3
    assert len(game.from_setup([])) == len(Game(size="baby", random=True).from_setup([])) == 0


DROPS = ["L:purple", "R:yellow", "L:blue", "R:orange"]


@pytest.mark.parametrize(
    "setup",
    [
        {},
        {"drops": []},
        {"drops": DROPS[:3]},
        {"drops": [*DROPS, "L:purple"]},
        {"drops": DROPS, "more": 1},
        {"drop": DROPS},
        {"drops": ["R:purple", *DROPS[1:]]},  # K2
        {"drops": ["L:purple", "R:purple", "L:blue", "R:orange"]},
        {"drops": ["L:purple", "R:yellow", "L:blue", "R:blue"]},
        {"drops": ["L:purple", "R:yellow", "L:blue", "R:red"]},
        {"drops": ["L:purple", "R:yellow", "L:blue", "orange"]},
        {"drops": ["L:purple", "R:yellow", "L:blue", "R:Orange"]},
        {"drops": ["L:purple", "R:yellow", "L:blue", "a1-a2"]},
        {"drops": ["L:purple", "R:yellow", "L:blue", None]},
        {"drops": ["L:purple", "R:yellow", "L:blue", 7]},
        {"drops": ["L:purple", "R:yellow", "L:blue", ["R:orange"]]},
        {"drops": "L:purple"},
        {"drops": None},
        {"drops": dict(product(DROPS, [1]))},
        None,
        [],
        DROPS,
        "drops",
        5,
    ],
    ids=repr,
)
def test_setups_that_do_not_fit(setup: Any) -> None:
    game = Game(size="basic", random=True)
    with pytest.raises(InvalidSetup) as caught:
        game.from_setup([{"drops": DROPS}, setup])
    line = str(caught.value)
    assert "game 1" in line
    assert "\n" not in line
    assert len(line) < 250


@pytest.mark.parametrize("setup", [{"drops": DROPS}, {"drops": []}, {"x": 1}, None, [], 3])
def test_nothing_is_set_up_where_random_is_off(setup: Any) -> None:
    with pytest.raises(InvalidSetup, match="game 0"):
        Game(size="basic").from_setup([setup])


def test_rows_of_an_advanced_setup_each_begin_with_left() -> None:
    game = Game(size="basic", setup="advanced", random=True)
    game.from_setup([{"drops": DROPS * 3}])
    with pytest.raises(InvalidSetup, match="drop 4"):
        game.from_setup([{"drops": [*DROPS, "R:purple", *DROPS[1:], *DROPS]}])
    with pytest.raises(InvalidSetup):
        game.from_setup([{"drops": DROPS}])
