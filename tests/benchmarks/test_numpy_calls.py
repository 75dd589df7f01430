"""Which numpy calls are counted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chromazoo.benchmarks import numpy_calls as numpy_calls_module
from chromazoo.benchmarks.call_counter import Counter, instrumented
from chromazoo.benchmarks.numpy_calls import numpy_calls
from chromazoo.envs import kroma_v0
from chromazoo.envs.errors import ChromazooError
from tests.tiny.game import Game as TinyGame

COUNTED = {
    "np.arange(5)": 1,
    "np.add(a, b)": 1,
    "np.bitwise_or.reduce(a)": 1,
    "np.stack([a, b])": 1,
    "a.sum()": 1,
    "np.uint64(3)": 1,
    "a + b": 1,
    "a + b * 2": 2,
    "-a": 1,
    "a < b": 1,
    "a[1:]": 1,
    "a[2] + 1": 2,
    "a[b > 2].sum()": 3,
    "[value for value in (a + 1)]": 1,
    "(lambda x: x + 1)(a)": 1,
    "f'{a.max()}'": 1,
    # what is none
    "1 + 2 * 3": 0,
    "[1, 2][0]": 0,
    "len(a)": 0,
    "a.T": 0,
    "a.shape[0]": 0,
    "int(a.size)": 0,
    "a is b": 0,
    "max(1, 2)": 0,
}
STATEMENTS = {
    "a += b": 1,
    "a[1] = 3": 1,
    "a[1] += 3": 3,
    "own.values += 1": 1,
    "own.values[b > 1] -= 1": 4,
    "c = 3\nc += 1": 0,
    "d = [1]\nd[0] += 1": 0,
    "x: list[int] = a + 1": 1,
    "def more(x: np.ndarray = a) -> 'np.ndarray[Any, Any]':\n    x += 1\nmore()": 1,
    "class Own(list[int]):\n    def go(self):\n        return super().__len__()\nOwn().go()": 0,
}


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Count the calls of some source text, which must mean the same as without."""
    counter = Counter()
    monkeypatch.setattr("builtins._counter_called", counter.called, raising=False)
    monkeypatch.setattr("builtins._counter_made", counter.made, raising=False)
    monkeypatch.setattr("builtins._counter_indexed", counter.indexed, raising=False)

    class Own:
        values = np.arange(5)

    def run(text: str, **more: Any) -> int:
        names: dict[str, Any] = {"np": np, "a": np.arange(5), "b": np.arange(5), "own": Own()}
        names |= more
        before = counter.calls
        exec(instrumented(text), names)
        return counter.calls - before

    return run


@pytest.mark.parametrize("text", COUNTED)
def test_expressions(count: Any, text: str) -> None:
    assert count(text) == COUNTED[text]


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(count: Any, text: str) -> None:
    assert count(text) == STATEMENTS[text]


def test_nothing_else_changes() -> None:
    text = "a = np.arange(4)\na[1:] += 2\nb = -a[::-1] * 2 < a.max()\nc = [n + 1 for n in a]"
    plain: dict[str, Any] = {"np": np}
    exec(text, plain)
    counted: dict[str, Any] = {"np": np}
    Counter().install()
    exec(instrumented(text), counted)
    for name in "abc":
        assert np.array_equal(plain[name], counted[name]), name


@pytest.mark.parametrize("how", ["@njit", "@numba.njit(cache=True)", "@compiled"])
def test_a_compiled_function_gets_no_counters_and_counts_once(count: Any, how: str) -> None:
    def compiler(function: Any) -> Any:
        function.__module__ = "numba.stands.for"
        return function

    def njit(given: Any = None, **options: Any) -> Any:
        return compiler if given is None else compiler(given)

    class Numba:
        pass

    Numba.njit = staticmethod(njit)  # type: ignore[attr-defined]
    names = {"njit": njit, "numba": Numba, "compiled": njit}
    body = "def f(x):\n    return x[0] + x[1] + x.sum()\n"
    assert count(f"{how}\n{body}f(a)", **names) == 1
    assert count(f"{body}f(a)", **names) == 5


def test_a_game_is_counted_in_a_process_of_its_own() -> None:
    found = numpy_calls(TinyGame(cards=5))
    assert list(found) == ["aec", "aec-raw"]
    assert found["aec"] >= found["aec-raw"] > 20  # the wrapper may ask numpy too
    assert found == numpy_calls(TinyGame(cards=5))


def test_a_count_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lost(TinyGame):
        pass

    with pytest.raises(ChromazooError, match=r"counting numpy calls failed: .*Lost"):
        numpy_calls(Lost())
    monkeypatch.setattr(numpy_calls_module.sys, "executable", "/no/such/python")
    with pytest.raises(ChromazooError, match="counting numpy calls failed: "):
        numpy_calls(TinyGame())


def test_code_that_was_never_compiled_before_is_compiled_while_calls_are_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("numba")
    game = kroma_v0.Game(size="baby", engine="compiled")
    kept = numpy_calls(game)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert numpy_calls(game) == kept
    assert list(tmp_path.rglob("*.nbc"))
