"""What is told of the machine and the versions."""

import shutil
import subprocess
from pathlib import Path

import pytest

from chromazoo.benchmarks import machine as machine_module
from chromazoo.benchmarks.machine import machine

KEYS = ["cpu", "cores", "system", "python", "numpy", "numba", "chromazoo", "commit"]


def test_the_machine_is_described() -> None:
    found = machine()
    assert list(found) == KEYS
    assert all(found[key] for key in KEYS if key not in ("numba", "commit"))


def test_what_is_not_installed_has_no_version() -> None:
    assert machine_module._version("no-such-package-at-all") is None


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A git checkout with one file in it."""
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    file = tmp_path / "own.py"
    file.write_text("1\n")
    for arguments in (["init", "-q"], ["add", "own.py"], ["commit", "-q", "-m", "Begin"]):
        named = ["-c", "user.name=n", "-c", "user.email=e@e.example", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *named, *arguments], cwd=tmp_path, check=True)
    return file


def test_the_commit_of_a_checkout(checkout: Path) -> None:
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=checkout.parent, capture_output=True, text=True
    ).stdout.strip()
    assert machine_module._commit(checkout) == head
    subprocess.run(["git", "tag", "v1"], cwd=checkout.parent, check=True)
    checkout.write_text("2\n")
    assert machine_module._commit(checkout) == f"{head}-dirty"


def test_a_file_that_is_not_of_the_checkout_has_no_commit(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = checkout.with_name("other.py")
    other.write_text("1\n")
    assert machine_module._commit(other) is None  # as in a virtual environment in a checkout
    alone = tmp_path_factory.mktemp("alone") / "own.py"
    alone.write_text("1\n")
    assert machine_module._commit(alone) is None


def test_without_git_there_is_no_commit(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert machine_module._commit(checkout) is None
