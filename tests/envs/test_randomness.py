"""Random streams: the published numbers, and no sign of bias or kinship.

The seeds are fixed, so these tests always give the same answer; the bounds are about five standard
deviations wide, so that a sound generator passes whatever the seeds.
"""

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chromazoo.envs.randomness import (
    Stream,
    agent_stream,
    as_seeds,
    below,
    chance_stream,
    draw,
    mix,
    shuffled,
    uniform,
)

SEEDS = st.integers(-(2**63), 2**64 - 1)
MANY = np.arange(100_000, dtype=np.uint64)


def assert_uniform(values: np.ndarray, size: int) -> None:
    """Demand that 0 ... size - 1 come equally often: chi-square within five deviations."""
    times = np.bincount(values, minlength=size)
    assert len(times) == size
    expected = len(values) / size
    chi_square = ((times - expected) ** 2 / expected).sum()
    assert abs(chi_square - (size - 1)) < 5 * np.sqrt(2 * (size - 1)) + 5


def bits(words: Stream) -> np.ndarray:
    """Unpack words to bits: (B, 64)."""
    return np.unpackbits(words[:, None].view(np.uint8), axis=1)


def test_draws_are_those_of_splitmix64() -> None:
    # First outputs of the reference implementation for the seeds 0 and 1234567.
    stream = as_seeds([0, 1234567])
    drawn = [draw(stream).tolist() for _ in range(3)]
    assert [first for first, _ in drawn] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
    assert [second for _, second in drawn] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize(
    "operation", [draw, uniform, lambda s: below(s, 52), lambda s: shuffled(s, 7)]
)
@given(seeds=st.lists(SEEDS, min_size=1, max_size=8), times=st.integers(1, 4))
def test_streams_do_not_feel_their_neighbours(
    operation: Callable[[Stream], np.ndarray], seeds: list[int], times: int
) -> None:
    together = chance_stream(as_seeds(seeds))
    for _ in range(times):
        all_at_once = operation(together)
    for row, seed in enumerate(seeds):
        alone = chance_stream(as_seeds(seed))
        for _ in range(times):
            drawn = operation(alone)
        assert np.array_equal(drawn[0], all_at_once[row])
        assert alone[0] == together[row]


@given(st.lists(SEEDS, max_size=5))
def test_seeds_of_any_kind(seeds: list[int]) -> None:
    expected = [seed % 2**64 for seed in seeds]
    assert as_seeds(seeds).tolist() == expected
    assert as_seeds(seeds).dtype == np.uint64
    given = np.array(expected, np.uint64)
    copied = as_seeds(given)
    copied += np.uint64(1)
    assert given.tolist() == expected


@pytest.mark.parametrize("seed", [5, np.int32(5), np.uint64(5), np.array([5], np.int8), (5,), [5]])
def test_one_seed(seed: int) -> None:
    assert as_seeds(seed).tolist() == [5]
    assert as_seeds(np.array([-1, 2**62])).tolist() == [2**64 - 1, 2**62]


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 52, 1000])
def test_below_is_uniform(bound: int) -> None:
    stream = chance_stream(MANY)
    for _ in range(2):
        values = below(stream, bound)
        assert values.dtype == np.int64
        assert values.min() >= 0
        if bound > 1:
            assert_uniform(values, bound)
        else:
            assert not values.any()


@given(st.lists(st.tuples(SEEDS, st.integers(0, 2**31)), min_size=1, max_size=20))
def test_below_bounds_of_each_stream(pairs: list[tuple[int, int]]) -> None:
    bound = np.array([bound for _, bound in pairs])
    values = below(as_seeds([seed for seed, _ in pairs]), bound)
    assert (values >= 0).all()
    assert (values < np.maximum(bound, 1)).all()


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i4", "u8"])
def test_below_takes_any_integers(dtype: str) -> None:
    values = below(chance_stream(MANY[:100]), np.full(100, 100, dtype))
    assert np.array_equal(values, below(chance_stream(MANY[:100]), 100))
    assert values.max() > 90


def test_below_reaches_high_values() -> None:
    values = below(chance_stream(MANY), 2**31)
    assert values.max() > 2**31 * 0.9999
    assert_uniform(values >> 21, 1024)


def test_uniform() -> None:
    values = uniform(chance_stream(MANY))
    assert values.dtype == np.float64
    assert values.min() >= 0
    assert values.max() < 1
    assert_uniform((values * 100).astype(np.int64), 100)
    assert not ((values * 2.0**53) % 1).any()


def test_shuffled_orders_are_uniform() -> None:
    orders = [list(order) for order in permutations(range(4))]
    stream, once = chance_stream(MANY), chance_stream(MANY)
    drawn = shuffled(stream, 4)
    draw(once)
    assert np.array_equal(stream, once)
    code = drawn @ [1, 4, 16, 64]
    known = np.array([np.array(order) @ [1, 4, 16, 64] for order in orders])
    order_of = np.full(256, -1)
    order_of[known] = np.arange(24)
    assert_uniform(order_of[code], 24)


@pytest.mark.parametrize("size", [1, 2, 60])
def test_shuffled_has_each_thing_once(size: int) -> None:
    drawn = shuffled(chance_stream(MANY[:3000]), size)
    assert drawn.shape == (3000, size)
    assert drawn.dtype == np.int64
    assert np.array_equal(np.sort(drawn, axis=1), np.tile(np.arange(size), (3000, 1)))
    for place in (0, size // 2, size - 1):
        if size > 1:
            assert_uniform(drawn[:, place], size)


STREAMS: dict[str, Callable[[Stream], Stream]] = {
    "seed": lambda seeds: seeds.copy(),
    "next seed": lambda seeds: seeds + np.uint64(1),
    "chance": chance_stream,
    "chance of next": lambda seeds: chance_stream(seeds + np.uint64(1)),
    "agent 0": lambda seeds: agent_stream(seeds, 0),
    "agent 1": lambda seeds: agent_stream(seeds, 1),
    "agent 5": lambda seeds: agent_stream(seeds, 5),
    "mixed with 0": lambda seeds: mix(seeds, 0),
    "mixed with 1": lambda seeds: mix(seeds, 1),
    "run": lambda seeds: mix(as_seeds(0), seeds),
    "next run": lambda seeds: mix(as_seeds(1), seeds),
    "chance of the run": lambda seeds: chance_stream(mix(as_seeds(0), seeds)),
}


def test_streams_are_no_kin() -> None:
    drawn = {}
    for name, opened in STREAMS.items():
        stream = opened(MANY[:20_000])
        drawn[name] = [bits(draw(stream)) for _ in range(3)]
    drawn["next seed"] = drawn["next seed"][1:]  # streams of 64 bits overlap, far out
    series = [one for several in drawn.values() for one in several]
    deviation = 0.5 / np.sqrt(20_000)
    for i, one in enumerate(series):
        assert np.abs(one.mean(axis=0) - 0.5).max() < 5 * deviation
        for other in series[:i]:
            agree = (one == other).mean(axis=0)  # (bits,)
            assert np.abs(agree - 0.5).max() < 6 * deviation


def test_one_bit_of_a_seed_changes_half_of_all() -> None:
    seeds = draw(MANY[:2000].copy())
    for changed in range(64):
        other = seeds ^ np.uint64(1 << changed)
        for function in (chance_stream, lambda s: agent_stream(s, 1), lambda s: mix(s, 3)):
            flipped = (bits(function(seeds)) ^ bits(function(other))).mean(axis=0)
            assert np.abs(flipped - 0.5).max() < 6 * 0.5 / np.sqrt(2000)


def test_seeds_of_a_run_never_meet() -> None:
    salts = np.arange(200_000, dtype=np.uint64)
    assert len(np.unique(mix(as_seeds(0), salts))) == len(salts)
    assert len(np.unique(mix(salts, 5))) == len(salts)
    every = np.concatenate([mix(as_seeds(run), salts[:20_000]) for run in range(20)])
    assert len(np.unique(every)) == len(every)
    opened = [chance_stream(salts), *(agent_stream(salts, seat) for seat in range(6))]
    assert len(np.unique(np.concatenate(opened))) == 7 * len(salts)


def test_mixing_and_opening_leave_seeds_alone() -> None:
    seeds, salts = as_seeds([1, 2, 3]), as_seeds([4, 5, 6])
    mix(seeds, salts)
    chance_stream(seeds)
    agent_stream(seeds, 2)
    assert (seeds.tolist(), salts.tolist()) == ([1, 2, 3], [4, 5, 6])
    assert mix(seeds, salts)[1] == mix(seeds[1:2], 5)[0]
