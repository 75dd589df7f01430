"""Arrays of numbers that stay, blocks of a batch, and arrays to write to (`out`, as in numpy)."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from chromazoo.envs.errors import InvalidArgument

_Number = TypeVar("_Number", bound=np.number[Any])

_AT_ONCE = 256  # games


def blocks(games: int) -> list[slice]:
    """Cut a batch into parts so small that the bits of their masks stay in the cache.

    >>> blocks(300)
    [slice(0, 256, None), slice(256, 300, None)]
    """
    return [slice(first, min(first + _AT_ONCE, games)) for first in range(0, games, _AT_ONCE)]


def constant(number: int, dtype: type[_Number]) -> NDArray[_Number]:
    """Make an array without axes of one number: numpy takes less time for it than for a scalar.

    >>> np.arange(3, dtype=np.uint8) + constant(2, np.uint8)
    array([2, 3, 4], dtype=uint8)
    """
    made: NDArray[_Number] = np.array(number, dtype)
    made.flags.writeable = False
    return made


def to_fill(out: object, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return the array that a result goes to.

    Args:
        out: What the caller brought, None for a new one.
        shape: The shape of the result.
        dtype: Its dtype.

    Returns:
        That array itself, or a new one with nothing in it yet.

    Raises:
        InvalidArgument: it is not a writeable array of that shape and dtype in C order.

    >>> to_fill(np.zeros((2, 3), np.bool_), (2, 3), np.uint8)
    Traceback (most recent call last):
    ...
    chromazoo.envs.errors.InvalidArgument: out: a writeable array of uint8 (2, 3) in C order \
needed, not bool (2, 3)
    """
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        found = f"{out!r:.60}"
    elif out.shape != shape or out.dtype != dtype:
        found = f"{out.dtype} {out.shape}"
    elif not out.flags.c_contiguous:
        found = "one in another order"
    elif not out.flags.writeable:
        found = "one that is read-only"
    else:
        return out
    due = f"{np.dtype(dtype)} {shape}"
    raise InvalidArgument(f"out: a writeable array of {due} in C order needed, not {found}")
