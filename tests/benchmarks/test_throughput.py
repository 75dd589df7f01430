"""What a rate counts, and that it is counted on games at all stages."""

from typing import Any

import numpy as np
import pytest

from chromazoo.benchmarks import throughput
from chromazoo.benchmarks.throughput import BATCHES, WHATS, count, machine, measure
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.state import State
from tests.games import EXAMPLES
from tests.tiny.game import Game as TinyGame

BATCHED = [what for what in WHATS if not what.startswith("aec")]


class Counting(TinyGame):
    """Counts what it is asked for, game by game."""

    def __init__(self) -> None:
        super().__init__()
        self.dealt = self.asked = self.decided = self.looked = self.redealt = 0

    def deal(self, seeds: Any) -> Any:
        self.dealt += len(seeds)
        return super().deal(seeds)

    def action_mask(self, state: Any, seats: Any = None) -> Any:
        self.asked += len(state)
        return super().action_mask(state, seats)

    def step(self, state: Any, actions: Any, seats: Any = None, chance: Any = None) -> None:
        self.decided += int((~state.over).sum())
        super().step(state, actions, seats, chance)

    def observe(self, state: Any, *arguments: Any, **named: Any) -> Any:
        self.looked += len(state)
        return super().observe(state, *arguments, **named)

    def redeal(self, state: Any, seats: Any, seeds: Any) -> Any:
        self.redealt += len(state)
        return super().redeal(state, seats, seeds)


COUNTERS = {
    "deal": "dealt",
    "mask": "asked",
    "step": "decided",
    "observe": "looked",
    "redeal": "redealt",
    "play": "decided",
    "play+mask": "decided",
    "play+mask+observe": "decided",
}


@pytest.mark.parametrize("what", COUNTERS)
@pytest.mark.parametrize("batch", [1, 7, 64])
def test_a_rate_counts_what_was_done(what: str, batch: int) -> None:
    game = Counting()
    pool = throughput._pool(game, 0)
    work = throughput._work(game, what, pool, batch, 0)
    before = vars(game).copy()
    units = sum(work()[0] for _ in range(20))
    done = {name: getattr(game, name) - before[name] for name in set(COUNTERS.values())}
    assert units == done[COUNTERS[what]] > 0
    assert done["asked"] == (units if "mask" in what else 0)
    assert done["looked"] == (units if "observe" in what else 0)


def test_the_face_counts_decisions() -> None:
    for what in ("aec", "aec-raw"):
        game = Counting()
        work = throughput._face(game, what, 0)
        begin = game.decided
        assert sum(work()[0] for _ in range(100)) == game.decided - begin == 100


def test_play_goes_on_through_many_games() -> None:
    game = Counting()
    work = throughput._work(game, "play", throughput._pool(game, 0), 16, 0)
    dealt = game.dealt
    for _ in range(20):
        work()
    assert game.dealt - dealt > 16


@pytest.mark.parametrize("name", ["tiny", "tiny-biggest", "kroma", "basic-short", "baby-endless"])
def test_the_pool_holds_running_games_at_all_stages(name: str) -> None:
    game = EXAMPLES[name]
    pool = throughput._pool(game, 0)
    assert not pool.over.any()
    assert len(np.unique(pool.plies)) >= 4
    lengths = np.bincount(pool.plies)
    assert lengths.max() < 0.6 * len(pool)
    again = throughput._pool(game, 0)
    for key, array in pool.arrays.items():
        assert np.array_equal(array, again.arrays[key]), key


@pytest.mark.parametrize("batch", [1, 64, 1000, 3000])
def test_batches_have_their_size(batch: int) -> None:
    pool = throughput._pool(TinyGame(), 0)
    states = throughput._batches(pool, batch)
    assert all(isinstance(state, State) and len(state) == batch for state in states)
    assert len(states) == (16 if batch <= 64 else 1)


def test_the_rate_is_the_median_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(throughput.time, "perf_counter", lambda: float(next(clock)))
    lasted = iter([9.0, 0.1, 0.2, 0.5, 0.4, 1.0])  # the first pass is not counted
    rate, spread = throughput._rate(lambda: (1, next(lasted)), 0.0, 5)
    assert rate == pytest.approx(2.5)
    assert spread == pytest.approx((10 - 1) / 2.5)


def test_measure_yields_every_rate_in_order() -> None:
    game = TinyGame()
    rates = list(measure(game, batches=(1, 3), seconds=0.005, runs=2))
    found = [(rate.what, rate.batch) for rate in rates]
    expected = [(what, batch) for what in BATCHED for batch in (1, 3)]
    assert found == [*expected, ("aec", 1), ("aec-raw", 1)]
    assert len(rates) == count(WHATS, (1, 3))
    for rate in rates:
        assert (rate.game, rate.config, rate.engine, rate.threads) == (
            "tiny",
            {"cards": 6},
            "numpy",
            1,
        )
        assert 0 < rate.per_second < float("inf")
        assert rate.spread >= 0


@pytest.mark.parametrize("name", ["basic", "kroma-random", "baby-endless"])
def test_kroma_can_be_measured(name: str) -> None:
    rates = list(measure(EXAMPLES[name], WHATS, (5,), seconds=0.005, runs=1))
    assert [rate.what for rate in rates] == list(WHATS)
    for rate in rates:
        assert rate.per_second > 0
        assert rate.config == EXAMPLES[name].options


def test_the_batches_are_those_that_are_published() -> None:
    assert BATCHES == (1, 64, 1024, 4096, 16384)


@pytest.mark.parametrize(
    "wrong",
    [
        {"whats": ("sleep",)},
        {"batches": (0,)},
        {"batches": (10**9,)},
        {"seconds": 0.0},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"engine": "steam"},
        {"threads": 2},
    ],
)
def test_what_cannot_be_measured_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig):
        next(measure(TinyGame(), **wrong))


def test_the_machine_is_described() -> None:
    found = machine()
    assert list(found) == ["cpu", "cores", "system", "python", "numpy"]
    assert all(found.values())
