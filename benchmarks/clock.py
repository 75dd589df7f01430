"""How long work takes: runs on one thread or more, long enough to be timed.

A *pass* is the least amount of work that can be done; a *run* is many of them, timed as a whole.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import NamedTuple

Work = Callable[[int], tuple[int, float]]
"""Does some passes; returns the units done, and the seconds of it that do not count."""


class Run(NamedTuple):
    """What a run on all threads came to.

    Attributes:
        units: Units done by all threads.
        seconds: From the common start until the last thread was done, without what does not count.
        lasted: The same with what does not count.
    """

    units: int
    seconds: float
    lasted: float


def run(works: Sequence[Work], passes: int) -> Run:
    """Do some passes on every thread at once.

    Args:
        works: The work of each thread.
        passes: Passes of each thread.

    Returns:
        What they came to. What does not count is taken off as the mean of the threads.
    """
    barrier = Barrier(len(works))

    def timed(work: Work) -> tuple[int, float, float, float]:
        barrier.wait()
        begin = time.perf_counter()
        units, apart = work(passes)
        return units, apart, begin, time.perf_counter()

    if len(works) == 1:
        parts = [timed(works[0])]
    else:
        with ThreadPoolExecutor(len(works)) as threads:
            parts = list(threads.map(timed, works))
    units, apart, begins, ends = zip(*parts, strict=True)
    lasted = max(ends) - min(begins)
    return Run(sum(units), lasted - sum(apart) / len(works), lasted)


def fitting(works: Sequence[Work], seconds: float) -> int:
    """Warm up, and find how many passes last so long.

    Args:
        works: The work of each thread.
        seconds: How long a run is to last.

    Returns:
        Passes of each thread, at least one.
    """
    run(works, 1)  # compiles, and fills caches
    passes = 1
    while (lasted := run(works, passes).lasted) < seconds / 4:
        passes *= 2
    return max(1, math.ceil(passes * seconds / lasted))
