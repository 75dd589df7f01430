"""What the compiled engines share: the decorator, bits, random streams, legal sets, memory.

A compiled engine is a second implementation of a game's rules: one game after another, in plain
loops that numba compiles. It works on the same arrays as the numpy engine, but with each game's
entries together in memory, and gives the same bytes. All this needs numba, which the extra `fast`
installs; no other module imports it.
"""

import hashlib
import math
from abc import abstractmethod
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from chromazoo.envs.fields import Layout, Observation
from chromazoo.envs.game import Game, S, Seats, Seeds
from chromazoo.envs.masks import Packing, Words
from chromazoo.envs.randomness import FIRST, GAMMA, SECOND, Stream
from chromazoo.envs.state import Kind, Memory, Parts, State, starts

F = TypeVar("F", bound=Callable[..., Any])
StateType = TypeVar("StateType", bound=State)

Octets = NDArray[np.uint8]

_ZERO, _ONE = np.uint64(0), np.uint64(1)


def compiled(function: F) -> F:
    """Compile a function when it is first called; the machine code is kept on disk where it may be.

    The code is kept beside the module, or in the user's cache folder (`NUMBA_CACHE_DIR` names
    another); where none of them can be written it is compiled anew in every process. It is dropped
    when a module of the function's folder changes, or this one.

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
        # numba itself looks at the function's module alone.
        made._cache._cache_file._source_stamp = _stamp(function.__code__.co_filename)
    return cast(F, made)


@cache
def _stamp(path: str) -> str:
    """Sum up the sources that the machine code of a module comes from."""
    sources = [*sorted(Path(path).parent.glob("*.py")), Path(__file__)]
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


def _storing(width: int) -> Callable[[Octets, int, np.uint64], None]:
    """Make a function that writes the lowest bits of a word as so many flags from some place on."""

    @intrinsic
    def store(context: Any, row: Any, place: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            row, place, word = arguments
            flags = ir.VectorType(ir.IntType(8), width)
            bits = builder.trunc(word, ir.IntType(width))
            bits = builder.bitcast(bits, ir.VectorType(ir.IntType(1), width))
            start = builder.gep(
                context.make_array(signature.args[0])(context, builder, row).data, [place]
            )
            start = builder.bitcast(start, flags.as_pointer())
            builder.store(builder.zext(bits, flags), start, align=1)
            return context.get_dummy_value()

        return types.void(row, types.intp, types.uint64), generate

    return cast(Callable[[Octets, int, np.uint64], None], store)


_store_32, _store_16, _store_8 = _storing(32), _storing(16), _storing(8)


@compiled
def write_flags(row: Octets, start: int, word: np.uint64, count: int) -> None:
    """Write the lowest bits of a word, 64 at most, as flags to a row, a byte each, from a place on.

    They are written as two halves that may overlap.
    """
    rest = max(0, count - 32 if count >= 32 else count - 16 if count >= 16 else count - 8)
    if count >= 32:
        _store_32(row, start, word)
        _store_32(row, start + rest, word >> np.uint64(rest))
    elif count >= 16:
        _store_16(row, start, word)
        _store_16(row, start + rest, word >> np.uint64(rest))
    elif count >= 8:
        _store_8(row, start, word)
        _store_8(row, start + rest, word >> np.uint64(rest))
    else:
        for place in range(count):
            row[start + place] = word >> np.uint64(place) & _ONE


def finding(count: int) -> Callable[[Octets, int], np.uint64]:
    """Make a function that finds a value in a row of bytes.

    Args:
        count: How many bytes, from 32 to 64; they are looked at as two halves that may overlap.

    Returns:
        The function `found(row, value)`: the places of the bytes that equal the value, as bits.
    """
    width = 32
    octets, lane = ir.VectorType(ir.IntType(8), width), ir.IntType(32)

    @intrinsic
    def found(context: Any, row: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            one = builder.insert_element(octets(ir.Undefined), arguments[1], lane(0))
            value = builder.shuffle_vector(
                one, octets(ir.Undefined), ir.VectorType(lane, width)([0] * width)
            )
            places = ir.IntType(64)(0)
            for start in (0, count - width):
                there = builder.gep(data, [context.get_constant(types.intp, start)])
                half = builder.load(builder.bitcast(there, octets.as_pointer()), align=1)
                equal = builder.bitcast(builder.icmp_unsigned("==", half, value), lane)
                equal = builder.shl(builder.zext(equal, ir.IntType(64)), ir.IntType(64)(start))
                places = builder.or_(places, equal)
            return places

        return types.uint64(row, types.uint8), generate

    return cast(Callable[[Octets, int], np.uint64], found)


def masking(count: int) -> Callable[[Words, int, Words, np.uint64], np.uint64]:
    """Make a function that writes so many words, all cut down to a mask.

    The compiler makes no vectors of so short a loop.

    Args:
        count: How many words.

    Returns:
        The function `masked(into, place, words, mask)`. It writes the first words of one array to
        another, from some place on, and returns their union.
    """
    sizes = [8] * (count // 8) + [size for size in (4, 2, 1) if count & size]

    @intrinsic
    def masked(context: Any, into: Any, place: Any, words: Any, mask: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            into, place, words, mask = arguments
            target = context.make_array(signature.args[0])(context, builder, into).data
            source = context.make_array(signature.args[2])(context, builder, words).data
            target = builder.gep(target, [place])
            union = ir.Constant(ir.VectorType(_WORD, sizes[0]), None)  # none
            for size in sizes:
                part = _mask_vector(builder, target, source, mask, size)
                union = builder.or_(_folded(builder, union, size), part)
                step = [ir.Constant(_WORD, size)]
                target, source = builder.gep(target, step), builder.gep(source, step)
            return builder.extract_element(_folded(builder, union, 1), _HALF_WORD(0))

        return types.uint64(into, types.intp, words, types.uint64), generate

    return cast(Callable[[Words, int, Words, np.uint64], np.uint64], masked)


_WORD, _HALF_WORD = ir.IntType(64), ir.IntType(32)


def _mask_vector(builder: Any, target: Any, source: Any, mask: Any, size: int) -> Any:
    """Generate what writes so many masked words at once; return them as a vector."""
    vector, numbers = ir.VectorType(_WORD, size), ir.VectorType(_HALF_WORD, size)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), mask, _HALF_WORD(0))
    every = builder.shuffle_vector(one, one, ir.Constant(numbers, None))
    words = builder.load(builder.bitcast(source, vector.as_pointer()), align=8)
    left = builder.and_(words, every)
    builder.store(left, builder.bitcast(target, vector.as_pointer()), align=8)
    return left


def _folded(builder: Any, vector: Any, size: int) -> Any:
    """Generate what unites the halves of a vector until so many words are left."""
    half = vector.type.count
    while half > size:
        half //= 2
        numbers = ir.VectorType(_HALF_WORD, half)
        low, high = (ir.Constant(numbers, [*range(n, n + half)]) for n in (0, half))
        vector = builder.or_(
            builder.shuffle_vector(vector, vector, low),
            builder.shuffle_vector(vector, vector, high),
        )
    return vector


@compiled
def where(word: np.uint64) -> np.uint64:
    """Return a word of ones where a word is not 0, else 0: a condition without a branch.

    The compiler makes branches of comparisons, which processors cannot foresee here.
    """
    return -np.uint64((popcount(word) + 63) >> 6)


@compiled
def rotated(word: np.uint64, right: np.uint64) -> np.uint64:
    """Rotate a word to the right, 0 to 63 places."""
    return word >> right | word << (np.uint64(64) - right & np.uint64(63))


@compiled
def highest(word: np.uint64) -> int:
    """Find the highest set bit of a word that is not 0: its position, from 0 to 63."""
    return 63 - leading(word)


@compiled
def kth_bit(word: np.uint64, k: int) -> int:
    """Find the position of the k-th set bit (from 0, lowest first) of a word that has it."""
    place = 0
    for half in (32, 16, 8, 4, 2, 1):
        low = popcount(word & ((_ONE << np.uint64(half)) - _ONE))
        above = k >= low
        k -= low if above else 0
        shift = half if above else 0
        word >>= np.uint64(shift)
        place += shift
    return place


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


def shuffled(stream: Stream, size: int) -> NDArray[np.int64]:
    """Draw a uniform order of `size` things from each stream; see `randomness.shuffled`.

    Numpy sorts the keys: it does so in vectors.
    """
    keys = np.empty((len(stream), size), np.uint64)
    low = np.uint64((1 << size.bit_length()) - 1)
    games = max(1, _CACHED // max(1, size))  # so many stay in the cache
    for start in range(0, len(stream), games):
        part = keys[start : start + games]
        _write_keys(stream[start : start + games], low, part)
        part.sort(axis=1)
        part &= low
    return keys.view(np.int64)


_CACHED = 2**14  # numbers


@compiled
def _write_keys(stream: Stream, low: np.uint64, keys: Words) -> None:
    """Write random keys of some things that carry their numbers in the lowest bits: (B, things)."""
    for game in range(len(stream)):
        first, row = draw(stream, game), keys[game]
        for number in range(len(row)):
            key = scramble(first + np.uint64(number + 1) * GAMMA)
            row[number] = key & ~low | np.uint64(number)


# Packed legal sets; see `masks.py`


_MOST_WORDS = 2**10  # whose bits uint16 numbers


class CompiledPacking(Packing):
    """A `Packing` whose loops are compiled."""

    @cached_property
    def places(self) -> NDArray[np.uint16]:
        """Where each action's bit is in a legal set, 64 * word + bit: uint16 (A,)."""
        if self.num_words > _MOST_WORDS:
            raise ValueError(f"at most {_MOST_WORDS} words, not {self.num_words}")
        return self._place.astype(np.uint16)

    @classmethod
    def of(cls, packing: Packing) -> "CompiledPacking":
        """Take over a layout."""
        return cls(packing.word, packing.bit)

    @cached_property
    def _runs(self) -> NDArray[np.int64]:
        """Actions in a row whose bits are in a row: word, bit, first action, number; (n, 4)."""
        goes_on = (np.diff(self._place) == 1) & (np.diff(self.word) == 0)
        first = np.flatnonzero(np.append(True, ~goes_on))
        lengths = np.diff(first, append=self.num_actions)
        return np.stack([self.word[first], self.bit[first], first, lengths], axis=1)

    def contains(self, words: Words, actions: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Tell which actions are in their legal sets; see `Packing.contains`."""
        inside = np.empty(len(actions), np.bool_)
        numbers = actions.astype(np.int64, copy=False)
        _contains(np.ascontiguousarray(words), numbers, self.places, inside)
        return inside

    def select(self, words: Words, k: NDArray[np.integer]) -> NDArray[np.int64]:
        """Pick the k-th legal action of each game; see `Packing.select`."""
        action = np.empty(len(words), np.int64)
        _select(np.ascontiguousarray(words), np.asarray(k, np.int64), self.action, action)
        return action

    def pick(self, words: Words, stream: Stream) -> NDArray[np.int64]:
        """Pick a legal action of each game, each with the same chance; see `Packing.pick`."""
        action = np.empty(len(words), np.int64)
        _pick(np.ascontiguousarray(words), stream, self.action, action)
        return action

    def unpack(self, words: Words) -> NDArray[np.bool_]:
        """Unpack legal sets into action masks; see `Packing.unpack`."""
        mask = np.empty((len(words), self.num_actions), np.bool_)
        sets, flags = np.ascontiguousarray(words), mask.view(np.uint8)
        if 8 * len(self._runs) <= self.num_actions:
            _unpack_runs(sets, self._runs, flags)
        else:
            _unpack(sets, self.action, flags)
        return mask


@compiled
def _contains(
    words: Words,
    actions: NDArray[np.int64],
    places: NDArray[np.uint16],
    inside: NDArray[np.bool_],
) -> None:
    for game in range(len(actions)):
        inside[game] = _is_legal(words[game], actions[game], places)


@compiled
def _is_legal(words: Words, action: int, places: NDArray[np.uint16]) -> bool:
    """Tell whether a number is an action of a legal set (W,)."""
    if action < 0 or action >= len(places):
        return False
    place = signed(places[action])
    return bool(words[place >> 6] >> np.uint64(place & 63) & _ONE)


@compiled
def _find_illegal(
    actions: NDArray[np.int64],
    seats: NDArray[np.int64],
    words: Words,
    deciding: NDArray[np.int8],
    over: NDArray[np.bool_],
    places: NDArray[np.uint16],
) -> int:
    """Find the first game in which an action is not legal, -1 if there is none."""
    for game in range(len(actions)):
        if not over[game] and not (
            seats[game] == deciding[game] and _is_legal(words[game], actions[game], places)
        ):
            return game
    return -1


@compiled
def _pick(
    words: Words, stream: Stream, actions: NDArray[np.int64], chosen: NDArray[np.int64]
) -> None:
    for game in range(len(chosen)):
        total = _count(words[game])
        k = below(draw(stream, game), total)
        chosen[game] = _kth_action(words[game], k, actions) if total else -1


@compiled
def _select(
    words: Words, k: NDArray[np.int64], actions: NDArray[np.int64], chosen: NDArray[np.int64]
) -> None:
    for game in range(len(chosen)):
        there = 0 <= k[game] < _count(words[game])
        chosen[game] = _kth_action(words[game], k[game], actions) if there else -1


@compiled
def _count(words: Words) -> int:
    """Count the actions of one legal set."""
    total = 0
    for place in range(len(words)):
        total += popcount(words[place])
    return total


@compiled
def _kth_action(words: Words, k: int, actions: NDArray[np.int64]) -> int:
    """Find the k-th action (from 0) of one legal set that has so many."""
    place, count = 0, popcount(words[0])
    while k >= count:
        k -= count
        place += 1
        count = popcount(words[place])
    action: int = actions[64 * place + kth_bit(words[place], k)]
    return action


@compiled
def _unpack(words: Words, actions: NDArray[np.int64], flags: Octets) -> None:
    for game in range(len(flags)):
        row, some = flags[game], words[game]
        row[:] = 0
        for start in range(0, len(some), 64):
            filled = _find_filled(some[start : start + 64])
            while filled:
                place = start + lowest(filled)
                filled &= filled - _ONE
                word = some[place]
                while word:
                    row[index(actions[64 * place + lowest(word)])] = 1
                    word &= word - _ONE


@compiled
def _find_filled(words: Words) -> np.uint64:
    """Find which of 64 words at most are not 0: without a branch for each."""
    filled = _ZERO
    for place in range(len(words)):
        filled |= np.uint64(words[place] != _ZERO) << np.uint64(place)
    return filled


@compiled
def _unpack_runs(words: Words, runs: NDArray[np.int64], flags: Octets) -> None:
    for game in range(len(flags)):
        row = flags[game]
        for run in range(len(runs)):
            word = words[game, runs[run, 0]] >> np.uint64(runs[run, 1])
            write_flags(row, runs[run, 2], word, runs[run, 3])


# Memory


_GAP = 192  # bytes, three lines of the cache


class GamesFirst(Memory):
    """Every array by itself, each game's entries together; the only part is all of their bytes.

    The arrays lie one behind the other, so that games are copied without looking at the arrays one
    by one. There are gaps between them: without, in a batch of 4,096 games a game's
    entries would lie at the same place of a page in every array, and drive each other out of the
    cache.
    """

    def __init__(self, kinds: Sequence[Kind], rowwise: frozenset[str]) -> None:
        """Lay out arrays, the widest dtypes first; see `Memory`."""
        self._kinds = kinds
        self._numbers = {kind[0]: number for number, kind in enumerate(kinds)}
        widths = [math.prod(shape) * dtype.itemsize for _, shape, dtype in kinds]
        order = sorted(range(len(kinds)), key=lambda number: -kinds[number][2].itemsize)
        # Bytes a game before each array, and of it, and bytes of the gaps before it.
        self._fields = np.zeros((len(kinds), 3), np.int64)
        for place, number in enumerate(order):
            before = sum(widths[other] for other in order[:place])
            self._fields[number] = before, widths[number], place * _GAP
        self._size, self._gaps = sum(widths), len(kinds) * _GAP

    def empty(self, games: int) -> Parts:
        """Make room; see `Memory.empty`."""
        return (np.empty(games * self._size + self._gaps, np.uint8),)

    def view(self, parts: Parts, name: str) -> NDArray[Any]:
        """Show an array; see `Memory.view`."""
        (octets,) = parts
        _, shape, dtype = self._kinds[self._numbers[name]]
        before, _, gaps = self._listed[self._numbers[name]]
        games = (len(octets) - self._gaps) // self._size
        return np.ndarray((games, *shape), dtype, octets, games * before + gaps)

    @cached_property
    def _listed(self) -> list[list[int]]:
        """Where each array lies, as numbers of Python."""
        listed: list[list[int]] = self._fields.tolist()
        return listed

    def copy(self, parts: Parts) -> Parts:
        """Copy all games; see `Memory.copy`."""
        return (parts[0].copy(),)

    def repeat(self, parts: Parts, games: int) -> Parts:
        """Copy one game many times; see `Memory.repeat`."""
        copied = self.empty(games)
        for name in self._numbers:
            self.view(copied, name)[:] = self.view(parts, name)
        return copied

    def take(self, parts: Parts, rows: NDArray[np.int64]) -> Parts:
        """Copy some games out; see `Memory.take`."""
        taken = self.empty(len(rows))
        _copy_games(taken[0], starts(len(rows)), parts[0], rows, self._fields)
        return taken

    def put(self, parts: Parts, rows: NDArray[np.int64], others: Parts) -> None:
        """Overwrite some games; see `Memory.put`."""
        _copy_games(parts[0], rows, others[0], starts(len(rows)), self._fields)


@intrinsic
def _copied(context: Any, into: Any, to: Any, octets: Any, there: Any, width: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, to, source, there, width = arguments
        target, source = (
            context.make_array(kind)(context, builder, array).data
            for kind, array in ((signature.args[0], target), (signature.args[2], source))
        )
        into, out = (builder.gep(base, [at]) for base, at in ((target, to), (source, there)))
        cast(Any, cgutils).raw_memcpy(builder, into, out, width, 1)
        return context.get_dummy_value()

    return types.void(into, types.intp, octets, types.intp, types.intp), generate


_copy_octets = cast(Callable[[Octets, int, Octets, int, int], None], _copied)
"""Copies some bytes of one array (n,) into another, from one place to another."""


@compiled
def _copy_games(
    into: Octets,
    rows: NDArray[np.int64],
    octets: Octets,
    from_rows: NDArray[np.int64],
    fields: NDArray[np.int64],
) -> None:
    """Copy games byte by byte."""
    size, gaps = fields[:, 1].sum(), len(fields) * _GAP
    games, from_games = (len(into) - gaps) // size, (len(octets) - gaps) // size
    for number in range(len(fields)):
        before, width, gap = fields[number, 0], fields[number, 1], fields[number, 2]
        for game in range(len(rows)):
            to = games * before + gap + rows[game] * width
            there = from_games * before + gap + from_rows[game] * width
            _copy_octets(into, to, octets, there, width)


# Games


class CompiledEngine(Game[S]):
    """What all games on the compiled engine do alike.

    Beginning from set-ups and positions and drawing hidden things anew is left to the numpy engine:
    it happens seldom.

    Attributes:
        numpy_type: The same game on the numpy engine.
    """

    engine = "compiled"
    memory_order = GamesFirst
    numpy_type: ClassVar[type[Any]]

    def __init__(self, /, *, engine: str = "compiled", **options: Any) -> None:
        """Configure the game; see `Game.__init__`."""
        super().__init__(**options)
        self._numpy: Game[S] = self.numpy_type(**options)
        self.packing = packing = CompiledPacking.of(self.packing)
        self._places = packing.places

    def setups(self, seeds: Seeds) -> list[dict[str, Any]]:
        """Draw set-ups; see `Game.setups`."""
        return self._numpy.setups(seeds)

    def from_setup(self, setups: Sequence[Mapping[str, Any]], seeds: Seeds | None = None) -> S:
        """Begin games from set-ups; see `Game.from_setup`."""
        return self.adopt(self._numpy.from_setup(setups, seeds))

    def from_position(self, texts: Sequence[str], seeds: Seeds | None = None) -> S:
        """Begin games from positions; see `Game.from_position`."""
        return self.adopt(self._numpy.from_position(texts, seeds))

    def redeal(self, state: S, seats: Seats, seeds: Seeds) -> S:
        """Draw anew what a seat does not know; see `Game.redeal`."""
        self._demand_own(state)
        return self.adopt(self._numpy.redeal(self._numpy.adopt(state), seats, seeds))

    def _decide(
        self,
        state: S,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> int | None:
        """Play in all games; see `Game._decide`."""
        illegal = self._find_illegal(state, actions, seats)
        if illegal >= 0:
            return illegal
        self._play_all(state, actions, seats, self._live_chance(state, chance))
        return None

    def _find_illegal(self, state: S, actions: NDArray[np.int64], seats: Seats) -> int:
        """Find the first row in which an action is not legal, -1 if there is none.

        One seat of a game decides at a time, and `legal` is a view of the state.
        """
        words, movers = self._legal(state, None), seats.astype(np.int64)
        return _find_illegal(actions, movers, words, state.seat, state.over, self._places)

    @abstractmethod
    def _play_all(
        self,
        state: S,
        actions: NDArray[np.int64],
        seats: Seats,
        chance: Sequence[str | None] | None,
    ) -> None:
        """Play legal actions in the games that are not over, in place.

        Chance outcomes that do not fit are refused with `InvalidChance` before anything changes;
        what is said of finished games is left out already.
        """

    def _live_chance(
        self, state: S, chance: Sequence[str | None] | None
    ) -> Sequence[str | None] | None:
        """Leave out what is said of finished games, which ignore it."""
        if chance is None:
            return None
        return [None if over else text for over, text in zip(state.over, chance, strict=True)]

    def _parts(self, state: S) -> Parts:
        """Return the arrays of a state of this game's own."""
        return state.listed

    def _observe(self, state: S, eyes: Seats, fields: Layout) -> Observation:
        """Observe; see `Game._observe`."""
        seen = np.empty((len(state), self.fields.size), np.uint8)
        self._write_observations(self._parts(state), eyes.astype(np.int64), seen)
        if fields is self.fields:
            return seen
        wanted = [self.fields.slices[field.name] for field in fields]
        return np.concatenate([seen[:, :0], *(seen[:, where] for where in wanted)], axis=1)

    @abstractmethod
    def _write_observations(self, parts: Parts, eyes: NDArray[np.int64], seen: Observation) -> None:
        """Write what a seat of each game knows, of all views, to uint8 (B, F)."""
