"""Checkpoints: folders that are whole or not there, whenever the process is killed.

A checkpoint is written under a hidden temporary name, forced to the disk and renamed; old ones are
renamed away before they are deleted. It holds safetensors, one npz and one JSON file, which has the
checksums of the others and of itself; nothing in it is ever executed.
"""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from chromazoo.agents.policy_heads import POLICY_FILE
from chromazoo.envs.errors import InvalidFile
from chromazoo.envs.files import read_file, sync_folder
from chromazoo.envs.npz import npz, read_npz

FORMAT = "chromazoo-checkpoint/1"

_OPTIMISER = "optimiser.safetensors"
_OPPONENTS = "opponents.safetensors"
_ENVIRONMENT = "environment.npz"
_PROGRESS = "progress.json"
_FILES = (POLICY_FILE, _OPTIMISER, _OPPONENTS, _ENVIRONMENT)
_UNFINISHED = ".part-"
_LARGEST = 2**31  # bytes of a file


@dataclass(frozen=True)
class Checkpoint:
    """All that a run needs to go on as if it had never stopped.

    Attributes:
        steps: Steps trained.
        policy: The bytes of a policy file.
        optimiser: Adam's moments and counts, `kind/parameter` -> tensor.
        opponents: The weights of the snapshots in the pool, `place/parameter` -> tensor.
        environment: What `SelfPlayVecEnv.dump` returned, and whatever else is an array.
        progress: Counters, states of generators and metrics, in JSON types.
    """

    steps: int
    policy: bytes
    optimiser: Mapping[str, Tensor]
    opponents: Mapping[str, Tensor]
    environment: Mapping[str, NDArray[Any]]
    progress: Mapping[str, Any]


def write_checkpoint(folder: Path, checkpoint: Checkpoint, keep: int) -> Path:
    """Add a checkpoint to those of a run, and delete old ones.

    Args:
        folder: Where the run has its checkpoints; it is made if it is not there.
        checkpoint: The checkpoint, of more steps than those that are there.
        keep: How many of the newest are kept, at least 1.

    Returns:
        The checkpoint's own folder.

    Raises:
        OSError: it cannot be written; the others are as they were.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / _name(checkpoint.steps)
    part = _temporary(folder)
    for name, content in _contents(checkpoint).items():
        with open(part / name, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    sync_folder(part)
    os.rename(part, target)
    sync_folder(folder)
    for old in _finished(folder)[:-keep]:
        _discard(old)
    return target


def newest_checkpoint(folder: Path) -> Path | None:
    """Find the newest checkpoint of a run.

    Args:
        folder: Where the run has its checkpoints.

    Returns:
        The checkpoint's own folder, None where there is none.
    """
    finished = _finished(folder)
    return finished[-1] if finished else None


def saved_steps(folder: Path) -> int:
    """Tell up to which step the newest checkpoint of a run goes.

    Args:
        folder: Where the run has its checkpoints.

    Returns:
        The number of steps, 0 where there is no checkpoint.
    """
    newest = newest_checkpoint(folder)
    return 0 if newest is None else int(newest.name.removeprefix("step-"))


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Args:
        path: Its folder.

    Returns:
        The checkpoint.

    Raises:
        InvalidFile: it is damaged, or not a checkpoint.
    """
    try:
        head = _head(path)
        contents = {name: read_file(path / name, _LARGEST) for name in _FILES}
        for name, content in contents.items():
            if hashlib.sha256(content).hexdigest() != head["files"][name]:
                raise ValueError(f"{name} does not have its checksum")
        return Checkpoint(
            steps=head["steps"],
            policy=contents[POLICY_FILE],
            optimiser=load_tensors(contents[_OPTIMISER]),
            opponents=load_tensors(contents[_OPPONENTS]),
            environment=read_npz(contents[_ENVIRONMENT], _ENVIRONMENT),
            progress=head["progress"],
        )
    except KeyError as error:
        reason = f"no {error}"
    except (
        InvalidFile,
        OSError,
        ValueError,
        TypeError,
        EOFError,
        RecursionError,
        SafetensorError,
    ) as error:
        reason = str(error)
    raise InvalidFile(
        f"{path}: not a checkpoint, or damaged ({reason}); delete it to use the one before"
    )


def _head(path: Path) -> dict[str, Any]:
    """Read what a checkpoint says of itself, all but the checksum of that.

    Raises:
        ValueError: it does not have its checksum, or is not what this version writes.
    """
    head: dict[str, Any] = json.loads(read_file(path / _PROGRESS, _LARGEST))
    if head["format"] != FORMAT:
        raise ValueError(f"its format is {head['format']!r:.80}, not {FORMAT!r}")
    if head.pop("sha256") != _checksum(head):
        raise ValueError(f"{_PROGRESS} does not have its checksum")
    steps = head["steps"]
    if type(steps) is not int or path.name != _name(steps):
        raise ValueError(f"it is of step {steps!r:.80}, but is named {path.name}")
    if not isinstance(head["progress"], dict):
        raise TypeError("its progress is no mapping")
    return head


def _contents(checkpoint: Checkpoint) -> dict[str, bytes]:
    """Return the files of a checkpoint, the one with the checksums of all others last."""
    files = {
        POLICY_FILE: checkpoint.policy,
        _OPTIMISER: save_tensors(_contiguous(checkpoint.optimiser)),
        _OPPONENTS: save_tensors(_contiguous(checkpoint.opponents)),
        _ENVIRONMENT: npz(checkpoint.environment),
    }
    head = {
        "format": FORMAT,
        "steps": checkpoint.steps,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "progress": dict(checkpoint.progress),
    }
    return {**files, _PROGRESS: json.dumps({**head, "sha256": _checksum(head)}).encode()}


def _name(steps: int) -> str:
    """Name the folder of a checkpoint."""
    return f"step-{steps:012d}"


def _checksum(head: Mapping[str, Any]) -> str:
    """Hash values of JSON types; they have the same hash when they are read again."""
    return hashlib.sha256(json.dumps(head).encode()).hexdigest()


def _contiguous(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return tensors as safetensors wants them."""
    return {name: tensor.detach().contiguous() for name, tensor in tensors.items()}


def _finished(folder: Path) -> list[Path]:
    """List the checkpoints that are whole, the oldest first."""
    return sorted(path for path in folder.glob("step-*") if path.is_dir())


def sweep_checkpoints(folder: Path) -> None:
    """Delete what a killed process left unfinished.

    Args:
        folder: Where the run has its checkpoints; it need not be there.

    Raises:
        OSError: something cannot be deleted.
    """
    for path in folder.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(path)


def _temporary(folder: Path) -> Path:
    """Make a folder of a name that `sweep_checkpoints` knows."""
    path = folder / f"{_UNFINISHED}{secrets.token_hex(6)}"
    path.mkdir()
    return path


def _discard(path: Path) -> None:
    """Delete a checkpoint so that no half of it can ever be seen under its name."""
    away = _temporary(path.parent)
    os.rename(path, away / path.name)
    shutil.rmtree(away)
