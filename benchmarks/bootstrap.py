"""Bootstrap over deals: how far a mean would lie elsewhere if other deals had been dealt.

Resampling D deals with equal rows merged is one multinomial draw of how often each distinct row
comes up; so the costs grow with the distinct rows, not with the deals.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.randomness import as_seeds, mix

_ENDS = (2.5, 97.5)  # percentiles: a 95% interval
_AT_ONCE = 2**22  # numbers that are drawn at once


def generator(seed: int, salt: bytes) -> np.random.Generator:
    """Make the generator of a bootstrap.

    Args:
        seed: The seed of the tournament, taken modulo 2^64.
        salt: What it is for; other salts give other generators.

    Returns:
        The generator, the same for the same arguments.
    """
    return np.random.default_rng(int(mix(as_seeds(seed), int.from_bytes(salt, "little"))[0]))


def resampled_means(
    rows: NDArray[np.integer], resamples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Draw deals with replacement, as many as there are, again and again.

    Args:
        rows: Integers (D, M): what each deal gave; D at least 1.
        resamples: How often, R.
        rng: The generator.

    Yields:
        float64 (some, M), means over the deals drawn; R rows in all.

    >>> draws = list(resampled_means(np.array([[0], [1]]), 3, generator(1, b"doctest")))
    >>> np.concatenate(draws).shape
    (3, 1)
    """
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    values = distinct.astype(np.float64)
    chances = counts / len(rows)
    some = max(1, _AT_ONCE // len(distinct))
    for first in range(0, resamples, some):
        drawn = rng.multinomial(len(rows), chances, size=min(some, resamples - first))
        yield drawn.astype(np.float64) @ values / len(rows)


def interval(samples: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the 95% percentile interval.

    Args:
        samples: float64 (R, ...), one value a resample.

    Returns:
        The lower and the upper ends, float64 (...).
    """
    low, high = np.percentile(samples, _ENDS, axis=0)
    return low, high
