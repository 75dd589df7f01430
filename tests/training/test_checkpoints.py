"""Checkpoints: whole or not there, wherever the process dies."""

import hashlib
import io
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
    sweep_checkpoints,
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


def test_old_ones_are_pruned(tmp_path: Path) -> None:
    assert newest_checkpoint(tmp_path / "nowhere") is None
    for steps in (3, 20, 100, 1000):
        written = write_checkpoint(tmp_path, example(steps), keep=2)
        assert newest_checkpoint(tmp_path) == written
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["step-000000000100", "step-000000001000"]


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


def leaves(value: Any) -> list[tuple[Any, Any]]:
    """All places in nested JSON that hold no mapping or list, as (parent, key)."""
    if isinstance(value, dict):
        entries = list(value.items())
    else:
        entries = list(enumerate(value)) if isinstance(value, list) else []
    own = [(value, key) for key, entry in entries if not isinstance(entry, (dict, list))]
    return own + [leaf for _, entry in entries for leaf in leaves(entry)]


def test_no_value_of_the_head_can_change_unseen(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=1)
    text = (path / "progress.json").read_text()
    places = len(leaves(json.loads(text)))
    assert places > 8
    for place in range(places):
        head = json.loads(text)
        parent, key = leaves(head)[place]
        parent[key] = parent[key] + 1 if isinstance(parent[key], int) else parent[key] + "0"
        (path / "progress.json").write_text(json.dumps(head))
        with pytest.raises(InvalidFile):
            read_checkpoint(path)


@pytest.mark.parametrize(
    "change",
    [
        *({"steps": steps} for steps in (100, -5, "x", None, 5.0, [5], True)),
        *({"progress": progress} for progress in (None, [], "x", 5)),
        *({"files": files} for files in (None, [], {}, "x")),
        {"format": ["x"]},
    ],
    ids=repr,
)
def test_heads_of_the_wrong_kind_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=1)
    head = json.loads((path / "progress.json").read_text())
    del head["sha256"]
    head |= change
    checksum = hashlib.sha256(json.dumps(head).encode()).hexdigest()
    (path / "progress.json").write_text(json.dumps({**head, "sha256": checksum}))
    with pytest.raises(InvalidFile) as refused:
        read_checkpoint(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", ["", "[]", "5", "{}", "[" * 100_000, '{"format": []}', "\x00"])
def test_heads_that_are_none_are_refused(tmp_path: Path, content: str) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=1)
    (path / "progress.json").write_text(content)
    with pytest.raises(InvalidFile):
        read_checkpoint(path)


def test_a_checkpoint_under_the_name_of_another_is_refused(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=1)
    other = path.rename(path.with_name("step-000000000100"))
    with pytest.raises(InvalidFile, match="of step 5"):
        read_checkpoint(other)


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
        sweep_checkpoints(folder)
        write_checkpoint(folder, example(4), keep=2)
        assert len(list(folder.iterdir())) == 2, "nothing unfinished is left behind"
        if not died:
            break
        moment += 1
    assert moment > 10


def test_a_strangers_checkpoint_is_not_waited_for(tmp_path: Path) -> None:
    for name in FILES:
        path = write_checkpoint(tmp_path / name, example(5), keep=1)
        (path / name).unlink()
        os.mkfifo(path / name)
        with pytest.raises(InvalidFile, match=f"{name}: no regular file"):
            read_checkpoint(path)


def test_a_file_too_long_for_a_checkpoint_is_not_read(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=1)
    with (path / "optimiser.safetensors").open("wb") as file:
        file.truncate(2**31 + 1)  # of which nothing is on the disk
    with pytest.raises(InvalidFile, match="bytes, of at most"):
        read_checkpoint(path)


def test_nothing_is_unpacked(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path, example(5), keep=1)
    packed = io.BytesIO()
    np.savez_compressed(packed, seeds=np.zeros(2**24, np.uint8))
    (path / "environment.npz").write_bytes(packed.getvalue())
    head = json.loads((path / "progress.json").read_text())
    del head["sha256"]
    head["files"]["environment.npz"] = hashlib.sha256(packed.getvalue()).hexdigest()
    checksum = hashlib.sha256(json.dumps(head).encode()).hexdigest()
    (path / "progress.json").write_text(json.dumps({**head, "sha256": checksum}))
    with pytest.raises(InvalidFile, match="'seeds' is compressed"):
        read_checkpoint(path)
