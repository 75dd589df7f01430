"""Checkpoints: whole or not there, wherever the process dies."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from chromazoo.envs.errors import InvalidFile
from chromazoo.training.checkpoints import (
    Checkpoint,
    newest_checkpoint,
    read_checkpoint,
    write_checkpoint,
)

FILES = {
    "policy.safetensors",
    "optimiser.safetensors",
    "opponents.safetensors",
    "environment.npz",
    "progress.json",
}


def example(steps: int) -> Checkpoint:
    return Checkpoint(
        steps=steps,
        policy=b"policy" * steps,
        optimiser={"step/a": torch.tensor(float(steps)), "exp_avg/a": torch.arange(6.0).view(2, 3)},
        opponents={"0/a": torch.full((2,), float(steps))},
        environment={"seeds": np.arange(steps, dtype=np.uint64), "done": np.array([True])},
        progress={"updates": steps, "generators": {"a": {"state": 2**127 - 1}}, "metrics": []},
    )


def same(one: Checkpoint, two: Checkpoint) -> bool:
    arrays = all(
        set(a) == set(b) and all((a[key] == b[key]).all() for key in a)
        for a, b in (
            (one.optimiser, two.optimiser),
            (one.opponents, two.opponents),
            (one.environment, two.environment),
        )
    )
    rest = (one.steps, one.policy, one.progress) == (two.steps, two.policy, two.progress)
    return arrays and rest


def test_round_trip(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=2)
    assert {file.name for file in path.iterdir()} == FILES
    found = read_checkpoint(path)
    assert same(found, example(5))
    assert found.environment["seeds"].dtype == np.uint64
    assert (tmp_path / "latest").read_text().strip() == path.name


def test_old_ones_are_pruned(tmp_path: Path) -> None:
    assert newest_checkpoint(tmp_path / "nowhere") is None
    for steps in (3, 20, 100, 1000):
        written = write_checkpoint(tmp_path, example(steps), keep=2)
        assert newest_checkpoint(tmp_path) == written
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["latest", "step-000000000100", "step-000000001000"]


def test_the_same_steps_again_replace_the_checkpoint(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, example(5), keep=3)
    path = write_checkpoint(tmp_path, example(5), keep=3)
    assert same(read_checkpoint(path), example(5))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("name", sorted(FILES))
def test_damage_is_found(tmp_path: Path, name: str) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=1)
    whole = (path / name).read_bytes()
    for damaged in (whole[:-1], whole + b" ", whole[:8] + b"?" + whole[9:], b""):
        (path / name).write_bytes(damaged)
        if name == "progress.json" and damaged == whole + b" ":
            assert same(read_checkpoint(path), example(5)), "white space says nothing"
            continue
        with pytest.raises(InvalidFile) as refused:
            read_checkpoint(path)
        assert str(path) in str(refused.value)
        assert "\n" not in str(refused.value)
    (path / name).unlink()
    with pytest.raises(InvalidFile):
        read_checkpoint(path)


def test_another_format_is_refused(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=1)
    head = json.loads((path / "progress.json").read_text())
    (path / "progress.json").write_text(json.dumps(head | {"format": "chromazoo-checkpoint/9"}))
    with pytest.raises(InvalidFile, match="checkpoint/9"):
        read_checkpoint(path)


class Death(BaseException):
    """The process is gone: nothing after it is done."""


CALLS = {os: ("rename", "replace", "fsync", "open"), shutil: ("rmtree",)}


def die_at(monkeypatch: pytest.MonkeyPatch, moment: int) -> list[str]:
    """Let the n-th call that touches the disk, and all calls after it, do nothing but raise."""
    calls: list[str] = []
    for module, names in CALLS.items():
        for name in names:
            real = getattr(module, name)

            def call(*args: Any, real: Any = real, name: str = name, **kwargs: Any) -> Any:
                calls.append(name)
                if len(calls) > moment:
                    raise Death
                return real(*args, **kwargs)

            monkeypatch.setattr(module, name, call)
    return calls


def test_dying_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    moment = 0
    while True:
        folder = tmp_path / str(moment)
        write_checkpoint(folder, example(1), keep=2)
        write_checkpoint(folder, example(2), keep=2)
        with pytest.MonkeyPatch.context() as monkeypatch:
            calls = die_at(monkeypatch, moment)
            try:
                write_checkpoint(folder, example(3), keep=2)
            except Death:
                died = True
            else:
                died = False
        found = [read_checkpoint(path).steps for path in sorted(folder.glob("step-*"))]
        assert found in ([1, 2], [1, 2, 3], [2, 3]), f"dead at {calls[-1]}, call {moment}"
        named = (folder / "latest").read_text().strip()
        assert same(read_checkpoint(folder / named), example(int(named.removeprefix("step-"))))
        newest = newest_checkpoint(folder)
        assert newest is not None
        write_checkpoint(folder, example(4), keep=2)
        names = sorted(path.name for path in folder.iterdir())
        assert names[0] == "latest"
        assert len(names) == 3, "nothing unfinished is left behind"
        if not died:
            break
        moment += 1
    assert moment > 10
