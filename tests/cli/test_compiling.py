"""The line that says what takes so long, where the compiled engine compiles."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import event

from chromazoo.cli import compiling, progress
from chromazoo.cli.compiling import LINE, make_teller, tell_of_compiling
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


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the listener of commands that other tests ran in this process."""
    monkeypatch.setitem(event._registered, "numba:compile", [])


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


def test_what_is_no_terminal_gets_a_plain_line(
    told: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FORCE_COLOR")
    compiled(7)(7)
    compiled(9)(7)
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", f"{LINE}\n")


SMALL = """
[network]
kind = "mlp"
width = 8
depth = 1
[ppo]
num_envs = 4
rollout_steps = 2
batch_size = 8
[opponents]
heuristic = 0
[evaluation]
every = 8
games = 16
final_games = 16
"""


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("sample kroma --games 1 --engine compiled", {"options"}),
        ("sample kroma --games 1 --engine numpy", set()),
        ("bench kroma --seconds 0.001 --batch 1 --what deal --engine numpy,compiled", {"bench"}),
        ("bench kroma --seconds 0.001 --batch 1 --what deal --engine numpy", set()),
        ("train kroma --preset plain.toml --engine compiled", {"options", "train"}),
        ("train kroma --preset fast.toml", {"train"}),
        ("train kroma --preset plain.toml", set()),
    ],
)
def test_the_compiled_engine_is_listened_to(
    line: str, who: set[str], run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = 'game = "kroma"\nsteps = 8\nthreads = 1\n'
    Path("plain.toml").write_text(f"{settings}{SMALL}")
    Path("fast.toml").write_text(f'{settings}engine = "compiled"\n{SMALL}')
    asked: set[str] = set()
    for name in ("options", "bench", "train"):
        module = f"chromazoo.cli.{name}"
        monkeypatch.setattr(f"{module}.tell_of_compiling", lambda name=name: asked.add(name))
    ran = run(*line.split(), "--set", "size=baby")
    assert ran.status == 0, ran.err
    assert asked == who


def test_numba_is_listened_to(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(compiling, "Timer", Clock)
    monkeypatch.setattr(compiling, "find_spec", find_spec)
    registered: list[tuple[str, Any]] = []
    with monkeypatch.context() as patched:
        patched.setattr(event, "register", lambda *pair: registered.append(pair))
        tell_of_compiling.__wrapped__()  # as for the first time
    ((kind, teller),) = registered
    assert kind == "numba:compile"
    assert isinstance(teller, event.Listener)
    with event.install_listener(kind, teller):
        compiled(8)(7)
    assert capfd.readouterr().err.count(LINE[:9]) == 1


def test_without_numba_nothing_is_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "find_spec", lambda name: None)
    monkeypatch.setattr(event, "register", None)  # it is not come to
    tell_of_compiling.__wrapped__()
