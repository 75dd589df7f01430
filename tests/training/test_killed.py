"""Training killed with -9 at random moments, in processes of its own."""

import csv
import json
import multiprocessing
import random
import time
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

from chromazoo.agents.ppo import load_ppo
from chromazoo.training.checkpoints import newest_checkpoint, read_checkpoint
from chromazoo.training.settings import Settings
from tests.training.runs import small_settings
from tests.training.test_runs import BABY, finished

KILLS = 5


def settings() -> Settings:
    """A run with a checkpoint, an evaluation and a snapshot at every update."""
    return small_settings(
        **{**BABY, "steps": 64 * 60},
        opponents={"snapshot_every": 1, "max_snapshots": 2},
        evaluation={"every": 1, "games": 16, "final_games": 16},
        checkpoints={"every": 1, "keep": 2},
    )


def train_in_child(folder: str, resume: bool) -> None:
    """What the killed process does."""
    from rich.console import Console

    from chromazoo.training import train

    train(None if resume else settings(), folder, resume=resume, console=Console(quiet=True))


def litter(folder: Path) -> list[str]:
    """What is there under temporary names."""
    return [str(path) for path in folder.rglob("*") if ".part" in path.name]


def start(context: ForkServerContext, folder: Path, resume: bool) -> ForkServerProcess:
    process = context.Process(target=train_in_child, args=(str(folder), resume))
    process.start()
    return process


def check_that_all_can_be_read(folder: Path) -> int:
    """Read every file that is there under its own name; the steps of the newest checkpoint."""
    for path in (folder / "checkpoints").glob("step-*"):
        read_checkpoint(path)
    newest = newest_checkpoint(folder / "checkpoints")
    if newest is None:
        return 0
    load_ppo(settings().make_game(), str(folder))
    json.loads((folder / "settings.json").read_bytes())
    with open(folder / "metrics.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert all(None not in row and None not in row.values() for row in rows)
    for path in (folder / "tensorboard").iterdir():
        assert len(list(EventFileLoader(str(path)).Load())) > 0
    return read_checkpoint(newest).steps


def test_killing_at_random_moments_loses_nothing(tmp_path: Path) -> None:
    whole = finished(settings(), tmp_path / "whole")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["chromazoo.training", "tests.training.test_killed"])
    dice = random.Random(3)
    folder = tmp_path / "killed"
    steps = 0
    for kill in range(KILLS):
        process = start(context, folder, resume=kill > 0)
        while newest_checkpoint(folder / "checkpoints") is None:
            assert process.is_alive()
            time.sleep(0.002)
        time.sleep(dice.uniform(0, 0.4))
        process.kill()
        process.join()
        (folder / f".metrics.csv.{kill:012x}.part").write_text("half a fi")
        now = check_that_all_can_be_read(folder)
        assert now >= steps
        steps = now
    process = start(context, folder, resume=True)
    process.join()
    assert process.exitcode == 0
    assert check_that_all_can_be_read(folder) == settings().steps
    assert litter(folder) == []
    evaluation = json.loads((folder / "evaluation.json").read_bytes())
    assert (folder / "policy.safetensors").read_bytes() == whole.policy(evaluation)
