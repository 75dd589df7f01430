"""The line that says what takes so long, where the compiled engine compiles."""

from collections.abc import Callable, Iterator
from typing import Any

import numba
import pytest
from numba.core import event

from chromazoo.cli import compiling, progress
from chromazoo.cli.compiling import LINE, make_teller
from tests.cli.conftest import Run


class Clock:
    """A timer that is over at once, or never."""

    def __init__(self, delay: float, call: Callable[[], object]) -> None:
        self.call = call if delay == 0 else lambda: None
        self.cancelled = False

    def start(self) -> None:
        self.call()

    def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Listen to numba, as on a terminal and without waiting."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(compiling, "Timer", Clock)
    with event.install_listener("numba:compile", make_teller()) as teller:
        yield teller


def compiled(number: int) -> Any:
    """A function that is new to numba, and calls another one."""

    @numba.njit
    def inner(value: int) -> int:
        time_is_long = 0
        for each in range(value):
            time_is_long += each * number
        return time_is_long

    @numba.njit
    def outer(value: int) -> int:
        return int(inner(value) + inner(value + 1))

    return outer


def test_it_is_said_once(told: Any, capfd: pytest.CaptureFixture[str]) -> None:
    compiled(3)(7)
    compiled(4)(7)
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count(LINE[:9]) == 1
    assert told.depth == 0


def test_nothing_is_said_of_what_takes_no_time(
    told: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "DELAY", 600.0)
    compiled(5)(7)
    assert told.timer.cancelled
    assert capfd.readouterr().err == ""


def test_nothing_is_said_of_what_is_compiled(
    told: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "DELAY", 600.0)
    function = compiled(6)
    function(7)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    function(8)
    assert capfd.readouterr().err == ""


def test_no_terminal_is_told_nothing(
    told: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FORCE_COLOR")
    compiled(7)(7)
    assert told.told
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "line",
    [
        ("sample", "kroma", "--games", "1", "--set", "size=baby", "--engine", "compiled"),
        ("bench", "kroma", "--seconds", "0.001", "--what", "deal", "--engine", "numpy,compiled"),
    ],
)
def test_the_compiled_engine_is_listened_to(
    line: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    for module in ("options", "bench"):
        monkeypatch.setattr(f"chromazoo.cli.{module}.tell_of_compiling", lambda: asked.append(True))
    assert run(*line, *(("--batch", "1") if line[0] == "bench" else ())).status == 0
    assert asked


def test_it_listens_once() -> None:
    compiling.tell_of_compiling()
    compiling.tell_of_compiling()
    assert compiling.tell_of_compiling.cache_info().currsize == 1
