"""What compiled code is made of: the decorator, bits, seats, random streams.

A compiled engine is a second implementation of a game's rules: one game after another, in plain
loops that numba compiles. It works on the same arrays as the numpy engine, but with each game's
entries together in memory, and gives the same bytes. All this needs numba, which the extra `fast`
installs; no other module imports it.
"""

import hashlib
from collections import namedtuple
from collections.abc import Callable
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numpy.typing import NDArray

from chromazoo.envs import randomness
from chromazoo.envs.randomness import FIRST, GAMMA, SECOND, Stream, salted
from chromazoo.envs.state import State

F = TypeVar("F", bound=Callable[..., Any])
StateType = TypeVar("StateType", bound=State)

Octets = NDArray[np.uint8]

_ZERO, _ONE = np.uint64(0), np.uint64(1)


def compiled(function: F) -> F:
    """Compile a function when it is first called; the machine code is kept on disk where it may be.

    The code is kept beside the module, or in the user's cache folder (`NUMBA_CACHE_DIR` names
    another); where none of them can be written it is compiled anew in every process. It is dropped
    when a module of the function's folder changes, or one that all games share; that of agents, who
    take their constants from the games, when any module of those changes.

    Compiled functions make no arrays: so numba need not count references (`_nrt`), which in a step
    of 50 ns would take longer than the rules do. They are compiled into their callers, as passing a
    state on would take as long.
    """
    compiler = partial(
        cast(Any, njit), nogil=True, _nrt=False, forceinline=True, error_model="numpy"
    )
    try:
        made = compiler(function, cache=True)
    except RuntimeError:  # no folder for the cache
        made = compiler(function)
    else:
        # numba itself looks at the function's module alone. What it kept for another version
        # it does not read at all: that may name types that are no more.
        kept = made._cache._cache_file
        kept._source_stamp = _stamp(function.__code__.co_filename)
        kept._version = f"{kept._version} {kept._source_stamp}"
    return cast(F, made)


@cache
def _stamp(path: str) -> str:
    """Sum up the sources that the machine code of a module comes from."""
    own, shared = Path(path).parent, Path(__file__).parent
    common = shared.glob("*.py") if own.is_relative_to(shared) else shared.rglob("*.py")
    sources = sorted({*own.glob("*.py"), *common})
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def as_compiled(state_type: type[StateType], module: str) -> Callable[..., StateType]:
    """Make the type that stands for a state in compiled code: a tuple of its arrays by name.

    Args:
        state_type: The dataclass.
        module: The module that calls the type `Arrays`; numba looks it up there.

    Returns:
        The type. It is given out as one that makes states, as which functions may be checked.
    """
    names = [field.name for field in fields(state_type)]
    return cast(Callable[..., StateType], namedtuple("Arrays", names, module=module))


# Numbers and bits


signed = cast(Callable[[Any], int], np.int64)
"""Takes an integer of any width as int64, which goes with all others but uint64."""
index = cast(Callable[[Any], int], np.uint32)
"""Takes an integer that is not negative as one that never is, as which arrays need no look."""


def function(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Declare a function that LLVM has by itself."""
    kind = ir.FunctionType(result, arguments)
    return cast(Any, cgutils).get_or_insert_function(builder.module, kind, name)


@intrinsic
def _popcount(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def _lowest(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def _leading(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


popcount = cast(Callable[[np.uint64], int], _popcount)
"""Counts the set bits of a word."""
lowest = cast(Callable[[np.uint64], int], _lowest)
"""Finds the lowest set bit of a word that is not 0: its position, from 0 to 63."""
leading = cast(Callable[[np.uint64], int], _leading)
"""Counts the zeros above the highest set bit of a word that is not 0."""


@compiled
def where(word: np.uint64) -> np.uint64:
    """Return a word of ones where a word is not 0, else 0: a condition without a branch.

    The compiler makes branches of comparisons, which processors cannot foresee here.
    """
    return -np.uint64((popcount(word) + 63) >> 6)


@compiled
def highest(word: np.uint64) -> int:
    """Find the highest set bit of a word that is not 0: its position, from 0 to 63."""
    return 63 - leading(word)


@compiled
def _find_by_halves(word: np.uint64, k: int) -> int:
    place = 0
    for half in (32, 16, 8, 4, 2, 1):
        low = popcount(word & ((_ONE << np.uint64(half)) - _ONE))
        above = k >= low
        k -= low if above else 0
        shift = half if above else 0
        word >>= np.uint64(shift)
        place += shift
    return place


@intrinsic
def _deposit(context: Any, bits: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = ir.IntType(64)
        deposit = function(builder, "llvm.x86.bmi.pdep.64", whole, [whole, whole])
        return builder.call(deposit, arguments)

    return types.uint64(types.uint64, types.uint64), generate


_deposited = cast(Callable[[np.uint64, np.uint64], np.uint64], _deposit)


@compiled
def _find_by_deposit(word: np.uint64, k: int) -> int:
    return lowest(_deposited(_ONE << np.uint64(k), word))


def _deposits_bits() -> bool:
    """Tell whether the processor that is compiled for puts bits where others are, and fast."""
    _, processor, features = cast(Any, cpu_target).target_context.codegen().magic_tuple()
    return "+bmi2" in features and processor not in ("znver1", "znver2")


kth_bit = _find_by_deposit if _deposits_bits() else _find_by_halves
"""Finds the position of the k-th set bit (from 0, lowest first) of a word that has it."""


# Seats


@compiled
def seat_after(seat: int, steps: int, seats: int) -> int:
    """Return the seat that comes some steps after another, fewer than there are seats."""
    after = seat + steps
    return index(after - seats if after >= seats else after)


@compiled
def share_of_win(won: bool, winners: int, seats: int) -> float:
    """Return the reward of a seat, as `game.win_rewards` shares out the win."""
    return (seats - winners) / (winners * (seats - 1)) if won else -1 / (seats - 1)


# Random streams; see `randomness.py`


@compiled
def scramble(value: np.uint64) -> np.uint64:
    """Scramble with the finaliser of SplitMix64."""
    value ^= value >> np.uint64(30)
    value *= FIRST
    value ^= value >> np.uint64(27)
    value *= SECOND
    return value ^ value >> np.uint64(31)


@compiled
def draw(stream: Stream, game: int) -> np.uint64:
    """Draw 64 random bits from the stream of one game, which moves on."""
    stream[game] += GAMMA
    return scramble(stream[game])


@compiled
def below(bits: np.uint64, bound: int) -> int:
    """Turn 64 random bits into an integer from 0 to bound - 1; see `randomness.below`."""
    high = (bits >> np.uint64(32)) * np.uint64(bound)
    return np.int64(high >> np.uint64(32))  # type: ignore[return-value]


def mixed(seeds: Stream, salt: int, out: Stream | None = None) -> Stream:
    """Derive new seeds, into an array (B,) that is kept if it is given; see `randomness.mix`."""
    found = np.empty(len(seeds), np.uint64) if out is None else out
    _mix(seeds, salted(salt)[0], found)
    return found


@compiled
def _mix(seeds: Stream, salt: np.uint64, found: Stream) -> None:
    for game in range(len(seeds)):
        found[game] = scramble(scramble(seeds[game] + GAMMA) + salt)


def shuffled(
    stream: Stream, size: int, out: NDArray[np.unsignedinteger] | None = None
) -> NDArray[np.unsignedinteger]:
    """Draw a uniform order of `size` things from each stream; see `randomness.shuffled`.

    Numpy sorts the keys, as it does so in vectors: their upper halves, which take half the time.
    Where two things have the same there, whole keys are sorted.

    Args:
        stream: uint64 (B,); changed, each by one draw.
        size: How many things to order, fewer than 65,536.
        out: An array (B, size) to write to, of a dtype that holds size - 1.

    Returns:
        The array, uint16 (B, size) if none is given.
    """
    bits = size.bit_length()
    order = np.empty((len(stream), size), np.uint16) if out is None else out
    keys = np.empty((max(1, _CACHED // max(1, size)), size), np.uint32)  # so many stay in the cache
    ties = np.empty(len(stream), np.bool_)
    tied = 0
    for start in range(0, len(stream), len(keys)):
        end = min(start + len(keys), len(stream))
        part = keys[: end - start]
        _write_keys(stream[start:end], np.uint32((1 << bits) - 1), part)
        part.sort(axis=1)
        tied += _read_order(part, np.uint32(bits), order[start:end], ties[start:end])
    if tied:
        order[ties] = randomness.shuffled(stream[ties] - GAMMA, size)
    return order


_CACHED = 2**17  # numbers


@compiled
def _write_keys(stream: Stream, low: np.uint32, keys: NDArray[np.uint32]) -> None:
    """Write random keys of some things that carry their numbers in the lowest bits: (B, things)."""
    for game in range(len(stream)):
        first, row = draw(stream, game), keys[game]
        for number in range(len(row)):
            key = np.uint32(scramble(first + np.uint64(number + 1) * GAMMA) >> np.uint64(32))
            row[number] = key & ~low | np.uint32(number)


@compiled
def _read_order(
    keys: NDArray[np.uint32],
    bits: np.uint32,
    order: NDArray[np.unsignedinteger],
    ties: NDArray[np.bool_],
) -> int:
    """Read the numbers off sorted keys (B, things).

    Games in which two things have the same key are marked (B,) and counted.
    """
    low, tied = np.uint32((1 << bits) - 1), 0
    for game in range(len(keys)):
        row, same = keys[game], 0
        for number in range(1, len(row)):
            same += (row[number] ^ row[number - 1]) <= low
        ties[game] = same > 0
        tied += same > 0
        for number in range(len(row)):
            order[game, number] = row[number] & low
    return tied
