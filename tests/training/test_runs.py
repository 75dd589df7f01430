"""Training runs: they learn, and a run that was stopped ends as one that was not."""

import copy
import csv
import itertools
import math
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from chromazoo.agents.policy_heads import policy_head
from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.game import ENGINES
from chromazoo.training.checkpoints import (
    Checkpoint,
    newest_checkpoint,
    read_checkpoint,
    write_checkpoint,
)
from chromazoo.training.run import TrainingRun, derived_seed
from chromazoo.training.selfplay import SelfPlayVecEnv
from chromazoo.training.settings import Settings
from chromazoo.training.stopwatch import PARTS, shares
from tests.training.runs import SMALL, small_settings

BABY: dict[str, Any] = {
    "game": "kroma",
    "options": {"size": "baby"},
    "network": {"kind": "kroma", "width": 16, "channels": 8, "keys": 4},
}

CHROMA: dict[str, Any] = {
    "game": "chroma",
    "options": {"num_players": 3},
    "network": {"kind": "chroma", "width": 16, "channels": 8},
}


def finished(settings: Settings, folder: Path) -> TrainingRun:
    """Train to the end in one go."""
    run = TrainingRun(settings, folder)
    for _ in run.updates():
        pass
    run.metrics.close()
    return run


TIMED = {"seconds", "steps_per_second", *(f"{part}_seconds" for part in PARTS)}


def measured(run: TrainingRun) -> list[dict[str, Any]]:
    """The rows of a run's metrics without what the clock says."""
    return [{k: v for k, v in row.items() if k not in TIMED} for row in run.metrics.rows]


@pytest.mark.parametrize("changes", [{}, BABY, {**BABY, "max_plies": 9}, CHROMA])
def test_a_stopped_run_ends_as_one_that_was_not(tmp_path: Path, changes: dict[str, Any]) -> None:
    settings = small_settings(**changes)
    whole = finished(settings, tmp_path / "whole")
    stops = 0
    while True:
        # Global generators have no say.
        np.random.seed(stops)  # noqa: NPY002
        torch.manual_seed(stops)
        random.seed(stops)
        run = TrainingRun(settings, tmp_path / "stopped")
        if run.steps >= settings.steps:
            break
        for _ in itertools.islice(run.updates(), 3):
            pass
        run.metrics.close()
        stops += 1
    assert stops > 2
    assert run.policy() == whole.policy()
    ours, theirs = (
        read_checkpoint(newest_checkpoint(tmp_path / name / "checkpoints"))  # type: ignore[arg-type]
        for name in ("whole", "stopped")
    )
    assert ours.policy == theirs.policy == whole.policy()
    for name in ("generators", "snapshots", "budgets"):
        assert ours.progress[name] == theirs.progress[name]
    for name, array in ours.environment.items():
        assert (array == theirs.environment[name]).all(), name
    for one, two in ((ours.optimiser, theirs.optimiser), (ours.opponents, theirs.opponents)):
        assert all((one[key] == two[key]).all() for key in one)
    assert measured(whole) == measured(run)


def test_what_differs_gives_another_policy(tmp_path: Path) -> None:
    settings = small_settings()
    league = {"snapshots": 5.0, "snapshot_every": 64, "max_snapshots": 8, "priority": 9.0}
    weights = {
        name: policy_head(finished(changed, tmp_path / name).policy())["sha256"]
        for name, changed in {
            "same": settings,
            "seed": replace(settings, seed=8),
            "rate": replace(settings, ppo=replace(settings.ppo, learning_rate=0.001)),
            **{
                name: replace(settings, opponents=replace(settings.opponents, **changes))
                for name, changes in {
                    "weights": {"random": 5.0},
                    "snapshots": {"snapshots": 5.0},
                    "league": league,
                    "priority": {**league, "priority": 0.0},
                }.items()
            },
        }.items()
    }
    again = finished(settings, tmp_path / "again").policy()
    assert weights["same"] == policy_head(again)["sha256"]
    assert len(set(weights.values())) == len(weights)


@pytest.mark.parametrize("changes", [BABY, {**BABY, "max_plies": 9}, CHROMA, {"game": "guardians"}])
def test_the_engine_changes_nothing(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Nor does it if a run is stopped and goes on with another one, either way."""
    settings = {engine: small_settings(**changes, engine=engine, steps=256) for engine in ENGINES}
    whole = {engine: finished(settings[engine], tmp_path / engine) for engine in ENGINES}
    assert [run.game.engine for run in whole.values()] == list(ENGINES)
    for first, second in (ENGINES, ENGINES[::-1]):
        folder = tmp_path / f"{first}-{second}"
        run = TrainingRun(settings[first], folder)
        for _ in itertools.islice(run.updates(), 4):
            pass
        run.metrics.close()
        assert newest_checkpoint(folder / "checkpoints") is not None
        whole[folder.name] = finished(settings[second], folder)
    policies = [run.policy() for run in whole.values()]
    assert policies == policies[:1] * 4
    metrics = [measured(run) for run in whole.values()]
    assert metrics == metrics[:1] * 4


def test_metrics_and_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chromazoo.training.run.CHECKPOINT_SECONDS", math.inf)
    settings = small_settings()
    run = finished(settings, tmp_path)
    with open(tmp_path / "metrics.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in rows] == list(range(0, 641, 64))
    evaluated = [int(row["steps"]) for row in rows if row["random_score"]]
    assert evaluated == [0, 320, 640]
    for row in rows[1:]:
        for name in ("policy_loss", "value_loss", "entropy_loss", "approx_kl", "seconds"):
            assert math.isfinite(float(row[name]))
    parts = {part: sum(float(row[f"{part}_seconds"]) for row in rows[1:]) for part in PARTS}
    assert run.time == pytest.approx(shares(parts))
    assert min(run.time.values()) > 0
    assert sum(parts.values()) < run.seconds
    assert float(rows[1]["learning_rate"]) > float(rows[-1]["learning_rate"])
    kept = sorted(path.name for path in (tmp_path / "checkpoints").glob("step-*"))
    assert kept == ["step-000000000512", "step-000000000640"]
    assert sorted(run._pool.snapshot_steps) == [256, 640]
    assert list((tmp_path / "tensorboard").glob("events*"))


def test_a_raised_budget_is_told_in_the_policy(tmp_path: Path) -> None:
    settings = small_settings(steps=128)
    finished(settings, tmp_path)
    for steps in (200, 256):
        run = TrainingRun(replace(settings, steps=steps), tmp_path)
    first, second = policy_head(run.policy())["training"]["command"].splitlines()
    assert first == "chromazoo train tiny --preset settings.toml"
    assert second == "chromazoo train tiny --resume RUN --steps 256  # from 128 steps on"


def test_the_same_policy_measures_the_same_anywhere_in_a_run(tmp_path: Path) -> None:
    """All that is drawn in an evaluation is fixed: deals, seats, opponents' draws and its own."""
    settings = small_settings(
        **BABY,
        ppo={**SMALL["ppo"], "learning_rate": 0, "final_learning_rate": 0},
        evaluation={"every": 128, "games": 50},
    )
    rows = [row for row in finished(settings, tmp_path).metrics.rows if "random_score" in row]
    assert len(rows) == 6
    names = [name for name in rows[0] if name.startswith(("random_", "heuristic_"))]
    assert len(names) == 6
    for row in rows:
        assert [row[name] for name in names] == [rows[0][name] for name in names]
    assert 0 < rows[0]["random_score"] < 1
    other = finished(replace(settings, seed=8, steps=1), tmp_path / "other").metrics.rows[0]
    assert [other[name] for name in names] != [rows[0][name] for name in names]


def test_games_are_counted_once_however_many_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = []
    step = SelfPlayVecEnv.step_wait

    def counted(env: SelfPlayVecEnv) -> Any:
        result = step(env)
        ended.append(int(result[2].sum()))
        return result

    monkeypatch.setattr(SelfPlayVecEnv, "step_wait", counted)
    run = finished(small_settings(steps=128), tmp_path)
    assert run.game.num_seats == 3
    assert sum(row.get("games", 0) for row in run.metrics.rows) == sum(ended) > 0


def test_scores_by_opponent_and_by_age(tmp_path: Path) -> None:
    settings = small_settings(
        steps=640, opponents={"snapshot_every": 64, "max_snapshots": 3, "snapshots": 2.0}
    )
    rows = finished(settings, tmp_path).metrics.rows
    kinds = ("random", "current", "snapshots", *(f"snapshot_{age}" for age in (1, 2, 3)))
    for kind in kinds:
        scores = [row[f"score_against_{kind}"] for row in rows if f"score_against_{kind}" in row]
        assert len(scores) > 5
        assert all(0 <= score <= 1 for score in scores)
        assert len(set(scores)) > 3
    steps = [[row.get(f"steps_of_snapshot_{age}") for age in (1, 2, 3)] for row in rows]
    assert steps[1] == [0, None, None]
    assert steps[2] == [0, 64, None]
    assert steps[4] == [64, 128, 192]
    assert all(ages == sorted(ages) and len(set(ages)) == 3 for ages in steps[4:])


def test_a_budget_below_one_rollout_keeps_the_learning_rate_positive(tmp_path: Path) -> None:
    settings = small_settings(steps=1)
    run = finished(settings, tmp_path)
    assert run.steps == 64
    assert run.metrics.rows[-1]["learning_rate"] == settings.ppo.final_learning_rate


def test_a_policy_gets_better_at_an_easy_game(tmp_path: Path) -> None:
    settings = small_settings(
        steps=12_000,
        ppo={"num_envs": 64, "rollout_steps": 16, "batch_size": 256, "learning_rate": 0.005},
        opponents={"snapshot_every": 5_000},
        evaluation={"every": 12_000, "games": 600},
        checkpoints={"every": 12_000},
    )
    run = finished(settings, tmp_path)
    assert run.metrics.rows[-1]["random_low"] > 0.36, "three seats: chance is a third"


def test_a_raised_budget_trains_a_finished_run_further(tmp_path: Path) -> None:
    settings = small_settings(steps=128)
    finished(settings, tmp_path)
    run = TrainingRun(settings, tmp_path)
    assert run.steps == 128
    assert list(run.updates()) == []
    longer = finished(replace(settings, steps=256), tmp_path)
    assert longer.steps == 256
    assert [row["steps"] for row in longer.metrics.rows] == [0, 64, 128, 192, 256]


def test_checkpoints_of_other_settings_are_refused(tmp_path: Path) -> None:
    settings = small_settings(steps=128)
    finished(settings, tmp_path)
    for other in (
        replace(settings, network={"kind": "mlp", "width": 17, "depth": 1}),
        replace(settings, ppo=replace(settings.ppo, num_envs=16)),
        replace(settings, options={"cards": 7}),
        replace(settings, opponents=replace(settings.opponents, max_snapshots=1)),
    ):
        with pytest.raises(InvalidFile):
            TrainingRun(other, tmp_path)


def test_checkpoints_that_lack_something_are_refused(tmp_path: Path) -> None:
    settings = small_settings(steps=128)
    finished(settings, tmp_path)
    folder = tmp_path / "checkpoints"
    whole = read_checkpoint(newest_checkpoint(folder))  # type: ignore[arg-type]
    for part in ("optimiser", "opponents", "environment", "progress"):
        values = getattr(whole, part)
        for name in values:
            lacking = {key: value for key, value in values.items() if key != name}
            refused(settings, tmp_path, replace(whole, **{part: lacking}))
    written_again(folder, whole)
    TrainingRun(settings, tmp_path)


def written_again(folder: Path, checkpoint: Checkpoint) -> None:
    """Put a checkpoint in the place of all others."""
    shutil.rmtree(folder)
    write_checkpoint(folder, checkpoint, keep=1)


def refused(settings: Settings, folder: Path, checkpoint: Checkpoint) -> None:
    """Expect one line that names the checkpoint, once, with the reason."""
    written_again(folder / "checkpoints", checkpoint)
    metrics = (folder / "metrics.csv").read_bytes()
    with pytest.raises(InvalidFile) as found:
        TrainingRun(settings, folder)
    said = str(found.value)
    assert "\n" not in said
    assert said.count("step-0") == 1
    assert (folder / "metrics.csv").read_bytes() == metrics


def snapshots(number: int = 1, **changes: Any) -> dict[str, Any]:
    """What is kept of some snapshots but for their weights."""
    columns: dict[str, Any] = {"steps": [0], "games": [2.0], "points": [1.5]}
    return {name: column * number for name, column in columns.items()} | changes


WRONG: dict[str, list[Any]] = {
    "updates": ["x", None, -1, 1.5, True],
    "seconds": ["x", None, -1.0, math.nan, math.inf, 1],
    "budgets": [
        *(None, [], {}, "0", 5, [5], [[0]], [[0, 1, 2]], [["0", 1]], [[0, 0]], [[-1, 5]], [[9, 9]]),
        *([[0, 10**400]], [[0, 5], [10**400, 6]]),
        *([[0, number]] for number in (None, 1.5, True, "1")),
    ],
    "snapshots": [
        *(None, [], {}, "0", 5),
        *(
            snapshots(steps=steps)
            for steps in (["a"], [1.5], "0", None, {}, [True], [-1], [10**400])
        ),
        *(snapshots(games=[games]) for games in ("a", 5, None, -1.0, math.nan, math.inf)),
        *(snapshots(points=[points]) for points in ("a", 5, None, -1.0, math.nan, 2.5)),
        *(snapshots(games=[most], points=[most]) for most in (1e13, 1e300)),
        *(snapshots(number) for number in (0, 3)),
        snapshots(games=[2.0, 2.0]),
    ],
    "metrics": [
        5,
        [5],
        [{}],
        [{"steps": "a"}],
        [{"steps": 64, "x": "a"}],
        [{"steps": 10**9}],
        None,
    ],
    "generators": [{}, [], None, 5, {"actions": 5, "batches": 5}],
}


def with_state(name: str, value: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Change a number in the state of a generator."""

    def change(progress: dict[str, Any]) -> dict[str, Any]:
        generators = copy.deepcopy(progress["generators"])
        generators["actions"]["state"][name] = value
        return {"generators": generators}

    return change


def test_checkpoints_with_values_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    settings = small_settings(steps=128)
    finished(settings, tmp_path)
    whole = read_checkpoint(newest_checkpoint(tmp_path / "checkpoints"))  # type: ignore[arg-type]
    changes = [{name: value} for name, values in WRONG.items() for value in values]
    changes += [with_state(name, -1)(dict(whole.progress)) for name in ("state", "inc")]
    changes += [with_state("state", value)(dict(whole.progress)) for value in ("x", 2**128, None)]
    for change in changes:
        refused(settings, tmp_path, replace(whole, progress={**whole.progress, **change}))
    for steps in (0, 100, 129):
        refused(settings, tmp_path, replace(whole, steps=steps))
    for part in ("optimiser", "opponents"):
        for name, tensor in getattr(whole, part).items():
            for other in (tensor.double(), tensor.to(torch.complex64), tensor[None]):
                values = {**getattr(whole, part), name: other}
                refused(settings, tmp_path, replace(whole, **{part: values}))
    for name, value in (("learner", 5), ("learner", -1), ("opponents", 99), ("opponents", -1)):
        array = whole.environment[name].copy()
        array[:] = value
        values = {**whole.environment, name: array}
        refused(settings, tmp_path, replace(whole, environment=values))
    starts = {**whole.environment, "episode_starts": np.zeros(3, np.bool_)}
    refused(settings, tmp_path, replace(whole, environment=starts))


def test_seeds_for_different_purposes_differ() -> None:
    seeds = {derived_seed(seed, purpose) for seed in range(50) for purpose in ("play", "measure")}
    assert len(seeds) == 100
