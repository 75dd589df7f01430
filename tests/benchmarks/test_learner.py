"""The speed of learning beside stock: what is timed, the table and the JSON."""

import json
from itertools import count

import numpy as np
import pytest

from chromazoo.benchmarks import learner
from chromazoo.benchmarks.free import FreeSettings, FreeVecEnv
from chromazoo.benchmarks.learner import Row, alternate, measure, text

SMALL = FreeSettings(envs=4, steps=8, batch=16, epochs=2, width=8, features=10)


def test_the_environment_gives_the_same_data_whatever_is_done() -> None:
    one, two = (FreeVecEnv(50, 6, SMALL) for _ in range(2))
    assert (one.masks.sum(axis=2) == 6).all()
    assert len(np.unique(one.masks.reshape(-1, 50), axis=0)) > 20
    assert one.observations.dtype == np.uint8
    seen = [env.reset() for env in (one, two)]
    for step in range(20):
        assert (seen[0] == seen[1]).all()
        assert (one.action_masks() == two.action_masks()).all()
        assert (np.stack(two.env_method("action_masks")) == two.action_masks()).all()
        first, second = one.step(np.zeros(4, np.int64)), two.step(np.full(4, step % 50))
        for name, other in zip(first[:3], second[:3], strict=True):
            assert (name == other).all()
        seen = [first[0], second[0]]
    assert (one.observations != FreeVecEnv(50, 6, FreeSettings(seed=2)).observations[0, 0, 0]).any()


def test_updates_are_timed_in_turn_and_the_first_ones_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, order = 0.0, []
    lasting = {"stock": iter([9, 4.0, 6, 5]), "ours": iter([100, 1, 3.0, 2])}

    def update(name: str) -> None:
        nonlocal now
        order.append(name)
        now += next(lasting[name])

    monkeypatch.setattr(learner.time, "process_time", lambda: now)
    found = alternate([lambda: update("stock"), lambda: update("ours")], 3)
    assert found == [5, 2]
    assert order == ["stock", "ours"] * 4


def test_both_learners_collect_and_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    monkeypatch.setattr(learner.time, "process_time", lambda: next(ticks))
    row = measure(50, 6, SMALL, runs=2)
    assert row == Row(50, 6, 32, 32, 1), "every update took a tick, for 4 times 8 steps"


def test_the_json_and_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(learner, "SIZES", ((30, 3), (40, 5)))
    monkeypatch.setattr("chromazoo.benchmarks.free.FreeSettings", lambda: SMALL)
    assert learner.main(["--json", "--runs", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["actions"], row["legal"]) for row in found["rows"]] == [(30, 3), (40, 5)]
    for row in found["rows"]:
        assert set(row) == {"actions", "legal", "stock_per_cpu_s", "ours_per_cpu_s", "ratio"}
        assert row["ratio"] == pytest.approx(row["ours_per_cpu_s"] / row["stock_per_cpu_s"])
    assert found["settings"]["threads"] == 1
    assert found["settings"]["batch"] == 16
    assert {"cpu", "torch", "sb3-contrib", "commit"} <= set(found["machine"])
    assert learner.main(["--runs", "1"]) == 0
    said = capsys.readouterr().out
    assert "sb3-contrib: " in said
    assert said.splitlines()[-3].split() == ["actions", "legal", "stock/s", "ours/s", "ratio"]
    with pytest.raises(SystemExit):
        learner.main(["--runs", "0"])


def test_the_table() -> None:
    assert text([Row(1164, 24, 2687.4, 25691.2, 9.56)]).splitlines()[1].split() == [
        "1,164", "24", "2,687", "25,691", "9.56",
    ]  # fmt: skip
