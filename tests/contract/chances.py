"""Whether counts fit the chances they should have."""

from collections import Counter
from collections.abc import Mapping
from math import perm, sqrt
from typing import Any


def far_from(counts: Counter[Any], chances: Mapping[Any, float]) -> bool:
    """Pearson's test at 1 in 10^6; chi-square's quantile by Wilson and Hilferty's approximation.

    Args:
        counts: How often each outcome came.
        chances: The chance of every outcome there is.
    """
    assert abs(sum(chances.values()) - 1) < 1e-9
    total = counts.total()
    assert min(chances.values()) * total >= 5, "too few samples"
    if set(counts) - set(chances):
        return True
    chi = sum((counts[each] - total * p) ** 2 / (total * p) for each, p in chances.items())
    freedom = len(chances) - 1
    spread = 2 / (9 * freedom)
    return chi > freedom * (1 - spread + 4.7534 * sqrt(spread)) ** 3


def evenly(outcomes: Mapping[Any, int]) -> dict[Any, float]:
    """Chances in proportion to weights."""
    total = sum(outcomes.values())
    return {outcome: weight / total for outcome, weight in outcomes.items()}


def slots(good: int, total: int, taken: tuple[bool, ...]) -> float:
    """The chance that some places, filled without putting back, hold good cards as said."""
    hits = sum(taken)
    return perm(good, hits) * perm(total - good, len(taken) - hits) / perm(total, len(taken))
