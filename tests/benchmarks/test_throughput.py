"""What is measured, and what is told of it."""

import json
from typing import Any

import pytest

from chromazoo.benchmarks import throughput
from chromazoo.benchmarks.clock import Run
from chromazoo.benchmarks.single_game import FACES
from chromazoo.benchmarks.throughput import (
    BATCHES,
    RUNS,
    SUITE,
    WHATS,
    Key,
    measure,
    plan,
)
from chromazoo.benchmarks.workloads import IN_STEP
from chromazoo.envs.errors import InvalidConfig
from chromazoo.envs.registry import MODULES, make_game
from tests.games import EXAMPLES
from tests.tiny.game import Game as TinyGame

BATCHED = [what for what in WHATS if what not in (*FACES, IN_STEP)]
SINGLE = ("microseconds", "p99_microseconds", "numpy_calls")


def test_rates_come_as_planned() -> None:
    game, heard = TinyGame(), []
    rates = measure(game, batches=(1, 3), seconds=0.005, runs=2, progress=heard.append)
    expected = [(what, batch) for what in BATCHED for batch in (1, 3)]
    assert [(rate.what, rate.batch) for rate in rates] == [*expected, ("aec", 1), ("aec-raw", 1)]
    assert [rate.key for rate in rates] == plan(game, batches=(1, 3))
    assert heard == [1] * 2 * len(rates)
    for rate in rates:
        assert rate.key[:4] == ("tiny", '{"cards": 6}', "numpy", 1)
        assert 0 < rate.slowest <= rate.per_second <= rate.fastest < float("inf")
        assert rate.spread == pytest.approx((rate.fastest - rate.slowest) / rate.per_second)
        assert rate.unit == ("games" if rate.what in ("deal", "redeal") else "decisions")
        assert rate.bytes_per_game == game.deal([0]).nbytes
        told = rate.as_json()
        assert json.loads(json.dumps(told)) == told
        assert [key for key in SINGLE if key in told] == (
            list(SINGLE) if rate.what in FACES else []
        )


@pytest.mark.parametrize("name", ["basic", "baby-endless", "chroma", "guardians-4"])
def test_every_game_can_be_measured(name: str) -> None:
    game = EXAMPLES[name]
    rates = measure(game, WHATS, (5,), seconds=0.005, runs=1, threads=2)
    in_step = {IN_STEP} if game.fixed_length else set()
    assert [rate.what for rate in rates if rate.what != IN_STEP] == [*BATCHED, *FACES]
    assert {rate.what for rate in rates} >= in_step
    for rate in rates:
        assert rate.per_second > 0
        assert rate.config == game.options
        assert rate.threads == (1 if rate.what in FACES else 2)


def test_a_rate_is_the_median_of_runs_that_go_round(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[int] = []
    speeds = iter([1, 10, 5, 20, 2, 30, 4, 40, 3, 50])

    def run(works: Any, passes: int) -> Run:
        if passes == 7:
            order.append(works[0](1)[0])
            return Run(3 * next(speeds), 3.0, 4.0)
        return Run(1, 1.0, 1.0)

    monkeypatch.setattr(throughput, "run", run)
    monkeypatch.setattr(throughput, "fitting", lambda works, seconds: 7)
    one, two = measure(TinyGame(), ("legal",), (2, 4))
    assert order == [2, 4] * RUNS
    assert (one.per_second, one.spread) == (3.0, pytest.approx(4 / 3))
    assert (two.per_second, two.spread) == (30.0, pytest.approx(4 / 3))


def test_the_face_tells_mean_and_percentile(monkeypatch: pytest.MonkeyPatch) -> None:
    games = iter([[0.001] * 99 + [0.101], [0.004] * 100, [0.001] * 100])
    monkeypatch.setattr(throughput, "time_face", lambda *arguments: next(games))
    monkeypatch.setattr(throughput, "numpy_calls", lambda game, seed: {"aec": 12.5})
    (rate,) = measure(TinyGame(), ("aec",), runs=3)
    assert rate.per_second == pytest.approx(500)
    assert rate.microseconds == pytest.approx(2000)
    assert rate.p99_microseconds == pytest.approx(4000)
    assert rate.numpy_calls == 12.5


def test_the_batches_are_those_that_are_published() -> None:
    assert BATCHES == (1, 16, 64, 256, 1024, 4096, 16384)


def test_the_suite_begins_with_the_default_of_every_game() -> None:
    assert list(SUITE) == list(MODULES)
    for name, configs in SUITE.items():
        games = [make_game(name, **config) for config in configs]
        assert games[0] == make_game(name)
        assert len({*games}) == len(games)


def test_games_of_many_lengths_cannot_stay_in_step() -> None:
    assert plan(EXAMPLES["kroma"], [IN_STEP]) == []
    assert len(plan(EXAMPLES["guardians"], [IN_STEP])) == len(BATCHES)


def test_there_are_no_more_threads_than_games() -> None:
    keys = plan(TinyGame(), ["play", "aec"], [1, 2, 64], 4)
    config = '{"cards": 6}'
    assert keys == [
        Key("tiny", config, "numpy", 1, "play", 1),
        Key("tiny", config, "numpy", 2, "play", 2),
        Key("tiny", config, "numpy", 4, "play", 64),
        Key("tiny", config, "numpy", 1, "aec", 1),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"whats": ("sleep",)},
        {"batches": (0,)},
        {"batches": (10**9,)},
        {"seconds": 0.0},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"threads": 0},
        {"threads": 257},
    ],
)
def test_what_cannot_be_measured_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig):
        measure(TinyGame(), **wrong)
