"""Vector instructions that the compiler does not find by itself, for compiled engines.

Each is generated as code for vectors of any machine: where it has none so wide, the compiler uses
several. No part of the rules is in here.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from chromazoo.envs.compiled import Octets, compiled, function
from chromazoo.envs.masks import Words

_ONE = np.uint64(1)
_OCTET, _INDEX, WORD = (ir.IntType(width) for width in (8, 32, 64))
LANES = 8
"""Words of the widest vectors."""
VECTOR = ir.VectorType(WORD, LANES)


def address(context: Any, builder: Any, kind: Any, array: Any, first: Any, vector: Any) -> Any:
    """Generate the address of some entries of an array (n,), from one on, as that of a vector."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [first]), vector.as_pointer())


def demand_row(array: Any, dtype: Any) -> None:
    """Refuse to generate code for what is not the address of entries one behind the other.

    Raises:
        TypingError: numba's; the array is not of one axis, of that dtype and in C order.
    """
    fits = isinstance(array, types.Array) and (array.ndim, array.layout) == (1, "C")
    if not fits or array.dtype != dtype:
        raise cast(Any, TypingError)(f"an array of {dtype} (n,) in C order needed, not {array}")


def _storing(width: int) -> Callable[[Octets, int, np.uint64], None]:
    """Make a function that writes the lowest bits of a word as so many flags from some place on."""

    @intrinsic
    def store(context: Any, row: Any, place: Any, word: Any) -> Any:
        demand_row(row, types.uint8)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            row, place, word = arguments
            flags = ir.VectorType(ir.IntType(8), width)
            bits = builder.trunc(word, ir.IntType(width))
            bits = builder.bitcast(bits, ir.VectorType(ir.IntType(1), width))
            start = address(context, builder, signature.args[0], row, place, flags)
            builder.store(builder.zext(bits, flags), start, align=1)
            return context.get_dummy_value()

        return types.void(row, types.intp, types.uint64), generate

    return cast(Callable[[Octets, int, np.uint64], None], store)


_store_32, _store_16, _store_8 = _storing(32), _storing(16), _storing(8)


@compiled
def write_bits(row: Octets, start: int, word: np.uint64, count: int) -> None:
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
        demand_row(row, types.uint8)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            row, value = arguments
            one = builder.insert_element(octets(ir.Undefined), value, lane(0))
            value = builder.shuffle_vector(
                one, octets(ir.Undefined), ir.VectorType(lane, width)([0] * width)
            )
            places = ir.IntType(64)(0)
            for start in (0, count - width):
                first = context.get_constant(types.intp, start)
                there = address(context, builder, signature.args[0], row, first, octets)
                half = builder.load(there, align=1)
                equal = builder.bitcast(builder.icmp_unsigned("==", half, value), lane)
                equal = builder.shl(builder.zext(equal, ir.IntType(64)), ir.IntType(64)(start))
                places = builder.or_(places, equal)
            return places

        return types.uint64(row, types.uint8), generate

    return cast(Callable[[Octets, int], np.uint64], found)


@intrinsic
def _choose(context: Any, words: Any, bits: Any, chunks: Any) -> Any:
    demand_row(words, types.uint64)
    size = LANES * (len(chunks[0]) - 1) + len(chunks[1])
    if size < LANES:
        raise cast(Any, TypingError)(f"at least {LANES} words needed, not {size}")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, bits, _ = arguments
        array = context.make_array(signature.args[0])(context, builder, words)
        counts, total = _count_chunks(builder, array.data, size)
        chosen = builder.lshr(builder.mul(builder.lshr(bits, WORD(32)), total), WORD(32))
        chunk, before = _find_chunk(builder, counts, chosen)
        left = builder.sub(chosen, before)
        word, before = _find_word(builder, array.data, size, chunk, left)
        place = builder.sub(left, before)
        return context.make_tuple(builder, signature.return_type, [word, place, total])

    found = cast(Any, types).UniTuple(types.int64, 3)
    return found(words, bits, chunks), generate


Chunks = tuple[tuple[int, ...], tuple[int, ...]]
"""A number of words, in a way that the compiler sees; see `in_chunks`."""


def in_chunks(words: int) -> Chunks:
    """Tell `choose` how many words there are, in a way that the compiler sees.

    Args:
        words: How many, W; `choose` refuses fewer than eight.

    Returns:
        A tuple of as many entries as there are chunks of eight words, the last one included though
        it may not be full; and one of as many as there are words in the last chunk.
    """
    chunks = (words + LANES - 1) // LANES
    return tuple(range(chunks)), tuple(range(words - LANES * (chunks - 1)))


choose = cast(Callable[[Words, np.uint64, Chunks], tuple[int, int, int]], _choose)
"""Chooses one of all bits that are set in some words, each with the same chance.

It is given the words, uint64 (W,), at least eight and with fewer than 2^15 bits set; 64 random
bits; and what `in_chunks` says of W, which nothing compares with the array. It returns the word of
the chosen bit, its place among the set bits of that word, from 0, and how many bits are set in all
words; if none is, the others mean nothing.

Eight words are counted at once, and four such counts share a word: thus it takes neither a branch
nor a look at each word to find the one wanted.
"""

_COUNT = 16  # bits of each of the four counts that share a word
_UNITS = WORD(0x0001_0001_0001_0001)
_SIGNS = WORD(0x8000_8000_8000_8000)


def _load(builder: Any, words: Any, first: Any) -> Any:
    """Generate what reads eight words from some number on; return them as a vector."""
    there = builder.bitcast(builder.gep(words, [first]), VECTOR.as_pointer())
    return builder.load(there, align=8)


def _count_bits(builder: Any, chunk: Any) -> Any:
    """Generate what counts the bits of each word of a chunk."""
    return builder.call(function(builder, "llvm.ctpop.v8i64", VECTOR, [VECTOR]), [chunk])


def _count_chunks(builder: Any, words: Any, size: int) -> tuple[list[Any], Any]:
    """Generate what counts the bits up to the end of each chunk, four to a word, and all bits.

    Beyond the last word nothing is read: the last vector begins before, and what the one before has
    counted already does not count.
    """
    counts, total = [], WORD(0)
    for begin in range(0, size, 4 * LANES):
        united: Any = ir.Constant(VECTOR, None)
        for number, first in enumerate(range(begin, min(size, begin + 4 * LANES), LANES)):
            start = min(first, size - LANES)
            counted = _count_bits(builder, _load(builder, words, WORD(start)))
            out = first - start  # lanes
            shift = ir.Constant(VECTOR, [_COUNT * number] * LANES)
            kept = ir.Constant(VECTOR, [0] * out + [0xFFFF] * (LANES - out))
            counted = builder.and_(counted, kept) if out else counted
            united = builder.or_(united, builder.shl(counted, shift))
        sums = builder.extract_element(folded(builder, united, 1, builder.add), _INDEX(0))
        until = builder.mul(builder.add(sums, total), _UNITS)  # each count and all before it
        total = builder.lshr(until, WORD(64 - _COUNT))
        counts.append(until)
    return counts, total


def _find_chunk(builder: Any, counts: list[Any], chosen: Any) -> tuple[Any, Any]:
    """Generate what finds the chunk of the chosen bit, and counts the bits before it."""
    chunk = before = WORD(0)
    every = builder.or_(builder.mul(chosen, _UNITS), _SIGNS)
    for until in counts:
        passed = builder.and_(builder.sub(every, until), _SIGNS)  # a sign where it goes on
        number = builder.ctpop(passed)
        shift = builder.sub(builder.mul(number, WORD(_COUNT)), WORD(_COUNT))
        last = builder.and_(builder.lshr(until, builder.and_(shift, WORD(63))), WORD(0xFFFF))
        chunk = builder.add(chunk, number)
        any_passed = builder.icmp_unsigned("!=", number, WORD(0))
        before = builder.select(any_passed, last, before)
    return chunk, before


def _find_word(builder: Any, words: Any, size: int, chunk: Any, left: Any) -> tuple[Any, Any]:
    """Generate what finds the word of a bit in its chunk, and counts the bits before it there.

    The last chunk is read as `_count_chunks` does.
    """
    none = ir.Constant(VECTOR, None)
    first, last = builder.mul(chunk, WORD(LANES)), WORD(size - LANES)
    begin = builder.select(builder.icmp_signed(">", first, last), last, first)
    before = spread_out(builder, builder.sub(first, begin))
    kept = builder.icmp_signed(">=", ir.Constant(VECTOR, [*range(LANES)]), before)
    until = builder.select(kept, _count_bits(builder, _load(builder, words, begin)), none)
    for step in (1, 2, 4):  # each count and all before it
        lanes = [lane - step if lane >= step else LANES for lane in range(LANES)]
        until = builder.add(until, builder.shuffle_vector(until, none, _lanes(lanes)))
    passed = builder.icmp_unsigned("<=", until, spread_out(builder, left))
    word = builder.ctpop(builder.zext(builder.bitcast(passed, _OCTET), WORD))
    most = function(builder, "llvm.vector.reduce.umax.v8i64", WORD, [VECTOR])
    before = builder.call(most, [builder.select(passed, until, none)])
    return builder.add(begin, word), before


def _lanes(numbers: list[int]) -> Any:
    """Return the lanes that a shuffle takes."""
    return ir.Constant(ir.VectorType(_INDEX, len(numbers)), numbers)


def spread_out(builder: Any, word: Any) -> Any:
    """Generate what writes a word to all lanes of a vector."""
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), word, _INDEX(0))
    return taken(builder, one, [0] * LANES)


def taken(builder: Any, vector: Any, numbers: list[int]) -> Any:
    """Generate what takes some lanes of a vector, one after another."""
    return builder.shuffle_vector(vector, vector, _lanes(numbers))


def folded(builder: Any, vector: Any, size: int, unite: Any) -> Any:
    """Generate what unites the halves of a vector until so many words are left."""
    half = vector.type.count
    while half > size:
        half //= 2
        parts = (taken(builder, vector, [*range(n, n + half)]) for n in (0, half))
        vector = unite(*parts)
    return vector
