"""Random streams, one a game: counter-based, vectorised, independent of batch size and row.

A stream is one `uint64`; a batch of streams is an array of shape `(B,)`. Drawing adds a constant to
the stream and scrambles the sum (SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014), so the n-th draw of a stream depends on nothing but its seed.

>>> stream = chance_stream(as_seeds([7, 8]))
>>> below(stream, 6).tolist()
[0, 2]
>>> alone = chance_stream(as_seeds([8]))
>>> below(alone, 6).tolist()
[2]
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.errors import InvalidArgument

Stream = NDArray[np.uint64]

# Constants of SplitMix64, and one for `mix`.
GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
SALT = np.uint64(0xD1342543DE82EF95)
_ONE = np.uint64(1)
_CACHED = 2**14  # numbers that are worked on at once
_GAMMA, _FIRST, _SECOND = (constant(int(n), np.uint64) for n in (GAMMA, FIRST, SECOND))
_SHIFT_30, _SHIFT_27, _SHIFT_31, _SHIFT_32 = (constant(n, np.uint64) for n in (30, 27, 31, 32))

CHANCE = int.from_bytes(b"chance", "little")
_AGENT = int.from_bytes(b"agents", "little")


def _scramble(values: Stream) -> Stream:
    """Scramble in place with the finaliser of SplitMix64."""
    values ^= values >> _SHIFT_30
    values *= _FIRST
    values ^= values >> _SHIFT_27
    values *= _SECOND
    values ^= values >> _SHIFT_31
    return values


def as_seeds(seeds: int | Sequence[int] | NDArray[np.integer]) -> Stream:
    """Turn one seed or many into a fresh array of seeds.

    Args:
        seeds: An integer or a sequence of them; taken modulo 2^64, so -1 is a seed too.

    Returns:
        uint64 array of shape (B,), a copy.

    Raises:
        InvalidArgument: they are no integers, or a table of more than one dimension.

    >>> as_seeds([1, -1]).tolist()
    [1, 18446744073709551615]
    """
    if not isinstance(seeds, (np.ndarray, range)):
        listed = list(seeds) if isinstance(seeds, Iterable) else [seeds]
        if not all(isinstance(seed, (int, np.integer)) for seed in listed):
            raise InvalidArgument(f"seeds are whole numbers, not {seeds!r:.80}")
        return np.array([int(seed) & 0xFFFFFFFFFFFFFFFF for seed in listed], np.uint64)
    array = np.array(seeds, ndmin=1)
    if array.ndim > 1 or (array.dtype.kind not in "iu" and array.size):
        raise InvalidArgument(
            f"seeds are one whole number a game, not an array of {array.dtype} {array.shape}"
        )
    return array.astype(np.uint64)


def mix(seeds: Stream, salt: int | Stream) -> Stream:
    """Derive new seeds: `mix(S, i)` is the seed of the i-th game of a run with seed S.

    Args:
        seeds: uint64 array of shape (B,), or (1,) to derive many from one.
        salt: An integer, or uint64 array of shape (B,).

    Returns:
        uint64 array of the broadcast shape.

    >>> len(set(mix(as_seeds(0), np.arange(1000, dtype=np.uint64)).tolist()))
    1000
    """
    if isinstance(salt, np.ndarray):
        scrambled = _scramble(salt.astype(np.uint64) * SALT + GAMMA)
    else:
        scrambled = salted(int(salt))
    return _scramble(_scramble(seeds + GAMMA) + scrambled)


@lru_cache(maxsize=256)
def salted(salt: int) -> Stream:
    """Scramble one salt of `mix`: uint64 (1,)."""
    return _scramble(as_seeds(salt) * SALT + GAMMA)


def chance_stream(seeds: Stream) -> Stream:
    """Open the streams from which the games with these seeds draw their chance.

    Args:
        seeds: uint64 array of shape (B,).

    Returns:
        uint64 array of shape (B,).
    """
    return mix(seeds, CHANCE)


def agent_stream(seeds: Stream, seat: int) -> Stream:
    """Open the streams of the agents at one seat; they never meet the chance streams.

    Args:
        seeds: uint64 array of shape (B,), the games' seeds.
        seat: The seat whose agent draws.

    Returns:
        uint64 array of shape (B,).
    """
    return mix(mix(seeds, _AGENT), seat)


def draw(stream: Stream) -> Stream:
    """Draw 64 random bits from each stream, which move on in place.

    Args:
        stream: uint64 array of shape (B,); changed.

    Returns:
        uint64 array of shape (B,).
    """
    stream += _GAMMA
    return _scramble(stream.copy())


def below(stream: Stream, bound: int | NDArray[np.integer]) -> NDArray[np.int64]:
    """Draw an integer from 0 to bound - 1 from each stream.

    Multiplies 32 random bits by the bound; for bounds up to a million no value is favoured by more
    than one part in 4,000.

    Args:
        stream: uint64 array of shape (B,); changed.
        bound: One bound for all or one each, from 1 to 2^31 (0 gives 0).

    Returns:
        int64 array of shape (B,).
    """
    drawn = draw(stream)
    drawn >>= _SHIFT_32
    drawn *= np.asarray(bound, np.uint64)
    drawn >>= _SHIFT_32
    return drawn.view(np.int64)


def uniform(stream: Stream) -> NDArray[np.float64]:
    """Draw a number from [0, 1) from each stream, a multiple of 2^-53.

    Args:
        stream: uint64 array of shape (B,); changed.

    Returns:
        float64 array of shape (B,).
    """
    return (draw(stream) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def shuffled(stream: Stream, size: int) -> NDArray[np.int64]:
    """Draw a uniform order of `size` things from each stream.

    Sorts random keys that carry the things' numbers in their lowest bits. Two keys of 100 things
    agree in the random bits above with a chance of one in 10^13.

    Args:
        stream: uint64 array of shape (B,); changed, each by one draw.
        size: How many things to order.

    Returns:
        int64 array of shape (B, size), each row an order of 0 ... size - 1.
    """
    numbers = np.arange(size, dtype=np.uint64)
    low = np.uint64((1 << size.bit_length()) - 1)
    first = draw(stream)[:, None]
    keys = np.empty((len(stream), size), np.uint64)
    block = max(1, _CACHED // max(1, size))  # as many games as stay in the cache
    for start in range(0, len(stream), block):
        part = keys[start : start + block]  # (games, things)
        np.add(first[start : start + block], (numbers + _ONE) * GAMMA, out=part)
        _scramble(part)
        part &= ~low
        part |= numbers
        part.sort(axis=1)
        part &= low
    return keys.view(np.int64)
