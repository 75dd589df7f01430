"""How work is timed."""

import threading
import time
from collections.abc import Callable

import pytest

from chromazoo.benchmarks import clock
from chromazoo.benchmarks.clock import Work, fitting, run


class Time:
    """A clock that work moves on."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def takes(self, seconds: float, apart: float = 0.0) -> Work:
        def work(passes: int) -> tuple[int, float]:
            self.now += passes * (seconds + apart)
            return 10 * passes, passes * apart

        return work


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Time:
    told = Time()
    monkeypatch.setattr(clock, "time", told)
    return told


def test_a_run_tells_units_and_seconds(hands: Time) -> None:
    done = run([hands.takes(0.5, apart=0.25)], 4)
    assert (done.units, done.seconds, done.lasted) == (40, 2.0, 3.0)


@pytest.mark.parametrize(
    ("pass_lasts", "seconds", "passes"), [(0.125, 1.0, 8), (3.0, 1.0, 1), (0.0625, 0.1, 2)]
)
def test_runs_last_as_long_as_they_should(
    hands: Time, pass_lasts: float, seconds: float, passes: int
) -> None:
    assert fitting([hands.takes(pass_lasts)], seconds) == passes


def test_passes_are_warmed_up_before_they_are_timed(hands: Time) -> None:
    lasted = iter([100.0, 0.5])  # the first pass compiles

    def work(passes: int) -> tuple[int, float]:
        hands.now += next(lasted)
        return passes, 0.0

    assert fitting([work], 1.0) == 2


def test_threads_begin_together_and_are_waited_for() -> None:
    inside = threading.Barrier(3, timeout=60)

    def slept(seconds: float) -> Work:
        def work(passes: int) -> tuple[int, float]:
            inside.wait()  # passes only if all three run at once
            time.sleep(seconds)
            return 1, 0.03

        return work

    done = run([slept(seconds) for seconds in (0.01, 0.05, 0.1)], 1)
    assert done.units == 3
    assert done.lasted >= 0.1  # the last
    assert done.seconds == pytest.approx(done.lasted - 0.03)


def test_no_thread_works_before_all_are_there() -> None:
    who: list[int] = []

    def work(passes: int) -> tuple[int, float]:
        who.append(threading.get_ident())
        return 1, 0.0

    for _ in range(20):
        who.clear()
        run([work] * 8, 1)
        assert len({*who}) == 8  # else a thread that was done would have taken a second share


def test_one_thread_works_where_it_is_called() -> None:
    where: list[Callable[[], object]] = []

    def work(passes: int) -> tuple[int, float]:
        where.append(threading.current_thread)
        assert threading.current_thread() is threading.main_thread()
        return 1, 0.0

    run([work], 1)
    assert where


def test_what_goes_wrong_in_a_thread_is_told() -> None:
    def work(passes: int) -> tuple[int, float]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run([work, work], 1)
