"""The folder of a training run: whose it is while it is trained, and what is swept from it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from chromazoo.agents.policy_heads import POLICY_FILE
from chromazoo.envs.errors import InvalidConfig
from chromazoo.training.checkpoints import sweep_checkpoints

CHECKPOINTS, TENSORBOARD = "checkpoints", "tensorboard"
SETTINGS, METRICS = "settings.json", "metrics.csv"
EVALUATION, CURVE = "evaluation.json", "learning_curve.png"

_FILES = (EVALUATION, CURVE, METRICS, POLICY_FILE, SETTINGS)  # the settings go last


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from training in a folder, which is made if it is not there.

    The lock is the system's (`flock`), on the folder itself: it leaves no file and ends with the
    process, however that ends. Where the system or the file system has no such locks, nothing is
    locked.

    Args:
        folder: The run's folder.

    Raises:
        InvalidConfig: another process trains in it.
        OSError: the folder cannot be made or read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if os.name != "posix":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    """Take the lock, or say who has it."""
    import fcntl  # POSIX has it

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InvalidConfig(f"{folder}: another process is training in it") from None
    except OSError:
        return  # a file system without locks


def sweep(folder: Path) -> None:
    """Delete what a killed process left half written.

    Args:
        folder: The run's folder, locked.

    Raises:
        OSError: something cannot be deleted.
    """
    for name in _FILES:
        for part in folder.glob(f".{name}.*.part"):
            part.unlink()
    sweep_checkpoints(folder / CHECKPOINTS)


def require_free(folder: Path, overwrite: bool) -> None:
    """Refuse a folder in which no new run may begin.

    Args:
        folder: The run's folder.
        overwrite: Whether a run in it may be deleted.

    Raises:
        InvalidConfig: it is no folder, or holds a run or something else.
    """
    if not folder.exists() or (folder.is_dir() and not _held(folder)):
        return
    if not overwrite:
        raise InvalidConfig(
            f"{folder} exists: --resume {quote(str(folder))} goes on with the run in it,"
            " --overwrite deletes the run, --out names another folder"
        )
    if not (folder / SETTINGS).exists():
        raise InvalidConfig(f"{folder} holds no training run: it is not overwritten")


def _held(folder: Path) -> bool:
    """Tell whether a folder holds anything but what `sweep` deletes."""
    parts = {part for name in _FILES for part in folder.glob(f".{name}.*.part")}
    return any(path not in parts for path in folder.iterdir())


def clear(folder: Path) -> None:
    """Delete the run in a folder and nothing else.

    Args:
        folder: The run's folder, locked.

    Raises:
        OSError: something cannot be deleted.
    """
    sweep(folder)
    for name in (CHECKPOINTS, TENSORBOARD):
        if (folder / name).exists():
            shutil.rmtree(folder / name)
    for name in _FILES:
        (folder / name).unlink(missing_ok=True)
