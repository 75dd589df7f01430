from collections.abc import Callable
from typing import NamedTuple

import pytest

from chromazoo.cli import compiling
from chromazoo.cli.main import main
from chromazoo.envs import registry


class Ran(NamedTuple):
    """What a run of the command left: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture(autouse=True)
def tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Tiny be found by its name."""
    monkeypatch.setitem(registry.MODULES, "tiny", "tests.tiny.game")


@pytest.fixture(autouse=True)
def nobody_tells_of_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the line about compiling, which comes where nothing is kept on disk yet."""
    monkeypatch.setattr(compiling, "find_spec", lambda name: None)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process."""

    def call(*arguments: str) -> Ran:
        capfd.readouterr()
        status = main(arguments)
        return Ran(status, *capfd.readouterr())

    return call


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """Run the command on bad input: exit status 2, one line, nothing on standard output."""

    def call(*arguments: str) -> str:
        ran = run(*arguments)
        assert ran.status == 2, ran
        assert ran.out == ""
        assert ran.err.startswith("chromazoo: ")
        assert ran.err.count("\n") == 1
        assert ran.err.endswith("\n")
        return ran.err

    return call
