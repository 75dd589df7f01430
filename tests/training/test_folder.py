"""The folder of a run: one process at a time, and nothing half written left in it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chromazoo.envs.errors import InvalidConfig
from chromazoo.training import train
from chromazoo.training.folder import clear, locked, require_free, sweep
from tests.training.runs import small_settings
from tests.training.test_command import console

HOLD = """
import sys, time
from pathlib import Path
from chromazoo.training.folder import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(600)
"""

PARTS = (
    ".metrics.csv.0123456789ab.part",
    ".settings.json.0123456789ab.part",
    ".policy.safetensors.0123456789ab.part",
    ".evaluation.json.0123456789ab.part",
    ".learning_curve.png.0123456789ab.part",
    "checkpoints/.part-0123456789ab/policy.safetensors",
    "checkpoints/.part-ba9876543210/step-000000000064/policy.safetensors",
)
OWN = (".part", ".mine.part", "metrics.csv.part", "notes/.metrics.csv.0.part")


def strewn(folder: Path, names: tuple[str, ...]) -> list[Path]:
    """Write files of these names."""
    paths = [folder / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half a fi")
    return paths


@pytest.mark.skipif(os.name != "posix", reason="folders are locked on POSIX systems only")
def test_two_processes_do_not_train_in_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train(small_settings(steps=64), folder, console=console())
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        for resume in (True, False):
            settings = None if resume else small_settings(steps=64)
            with pytest.raises(InvalidConfig, match="run: another process is training in it"):
                train(settings, folder, resume=resume, overwrite=not resume, console=console())
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
        other.kill()
    train(None, folder, resume=True, console=console())
    with locked(folder):
        pass


def test_a_lock_ends_with_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), locked(tmp_path / "run"):
            raise KeyboardInterrupt
    assert list((tmp_path / "run").iterdir()) == []


def test_what_is_half_written_is_swept_and_nothing_else(tmp_path: Path) -> None:
    parts, own = strewn(tmp_path, PARTS), strewn(tmp_path, OWN)
    sweep(tmp_path)
    assert not any(path.exists() for path in parts)
    assert all(path.exists() for path in own)


@pytest.mark.parametrize("overwrite", [False, True])
def test_starts_leave_nothing_half_written(tmp_path: Path, overwrite: bool) -> None:
    settings = small_settings(steps=64)
    train(settings, tmp_path, console=console())
    names = {path.relative_to(tmp_path) for path in tmp_path.glob("**/[!e]*")}
    strewn(tmp_path, PARTS)
    train(
        settings if overwrite else None,
        tmp_path,
        resume=not overwrite,
        overwrite=overwrite,
        console=console(),
    )
    assert {path.relative_to(tmp_path) for path in tmp_path.glob("**/[!e]*")} == names


def test_a_folder_with_parts_alone_is_free(tmp_path: Path) -> None:
    strewn(tmp_path, PARTS[:2])
    require_free(tmp_path, overwrite=False)
    strewn(tmp_path, ("diary.txt",))
    with pytest.raises(InvalidConfig, match="exists"):
        require_free(tmp_path, overwrite=False)


def test_what_cannot_be_deleted_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(small_settings(steps=64), tmp_path, console=console())

    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", "somewhere")

    with monkeypatch.context() as patch:
        for name in ("rmdir", "unlink"):
            patch.setattr(os, name, refuse)
        with pytest.raises(PermissionError):
            clear(tmp_path)
    assert (tmp_path / "settings.json").exists(), "so that it can be tried again"
