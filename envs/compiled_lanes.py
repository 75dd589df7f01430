"""Eight words side by side: what compiled code does to all of them at once.

A function on one word says what happens to it; with `Lanes` the same line says it of eight. The
compiler makes vector instructions of it on any machine, narrower ones where it has none so wide.
"""

import operator
from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.extending import intrinsic, overload, register_model

from chromazoo.envs.compiled import Octets, function
from chromazoo.envs.compiled_vectors import (
    VECTOR,
    address,
    demand_row,
    folded,
    spread_out,
    taken,
)
from chromazoo.envs.masks import Words


class Lanes(Protocol):
    """Eight words; operators work lane by lane, and shift each by its number of places."""

    def __and__(self, other: "Lanes") -> "Lanes":
        """Return what both have."""

    def __or__(self, other: "Lanes") -> "Lanes":
        """Return what either has."""

    def __xor__(self, other: "Lanes") -> "Lanes":
        """Return what one of them has."""

    def __lshift__(self, places: "Lanes") -> "Lanes":
        """Shift towards the highest bit."""

    def __rshift__(self, places: "Lanes") -> "Lanes":
        """Shift towards the lowest bit."""


class _LanesType(types.Type):
    """What numba calls `Lanes`."""


_KIND = cast(Any, _LanesType)(name="Lanes")


@cast(Any, register_model)(_LanesType)
class _LanesModel(models.PrimitiveModel):
    """How numba keeps `Lanes`: in a vector register."""

    def __init__(self, manager: Any, kind: Any) -> None:
        cast(Any, super()).__init__(manager, kind, VECTOR)


def _make_operator(which: Callable[[Any, Any], Any], instruction: str) -> None:
    """Let compiled code use an operator on `Lanes`."""

    @intrinsic
    def apply(context: Any, some: Any, others: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        return _KIND(_KIND, _KIND), generate

    applied = cast(Callable[[Any, Any], Any], apply)

    @overload(which, inline="always")
    def find(some: Any, others: Any) -> Any:
        def chosen(some: Any, others: Any) -> Any:
            return applied(some, others)

        return chosen if some is _KIND and others is _KIND else None


for _operator, _instruction in (
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.lshift, "shl"),
    (operator.rshift, "lshr"),
):
    _make_operator(_operator, _instruction)


@intrinsic
def _load(context: Any, words: Any, first: Any) -> Any:
    demand_row(words, types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, first = arguments
        there = address(context, builder, signature.args[0], words, first, VECTOR)
        return builder.load(there, align=8)

    return _KIND(words, types.intp), generate


@intrinsic
def _store(context: Any, words: Any, first: Any, lanes: Any) -> Any:
    demand_row(words, types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, first, lanes = arguments
        there = address(context, builder, signature.args[0], words, first, VECTOR)
        builder.store(lanes, there, align=8)
        return context.get_dummy_value()

    return types.void(words, types.intp, _KIND), generate


@intrinsic
def _write_filled(context: Any, row: Any, first: Any, lanes: Any) -> Any:
    demand_row(row, types.uint8)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row, first, lanes = arguments
        octets = ir.VectorType(ir.IntType(8), VECTOR.count)
        filled = builder.icmp_unsigned("!=", lanes, ir.Constant(VECTOR, None))
        start = address(context, builder, signature.args[0], row, first, octets)
        builder.store(builder.zext(filled, octets), start, align=1)
        return context.get_dummy_value()

    return types.void(row, types.intp, _KIND), generate


@intrinsic
def _lane(context: Any, lanes: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(*arguments)

    return types.uint64(_KIND, types.intp), generate


@intrinsic
def _spread(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return spread_out(builder, arguments[0])

    return _KIND(types.uint64), generate


@intrinsic
def _where(context: Any, lanes: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        there = builder.icmp_unsigned("!=", arguments[0], ir.Constant(VECTOR, None))
        return builder.sext(there, VECTOR)

    return _KIND(_KIND), generate


@intrinsic
def _rotated(context: Any, lanes: Any, right: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, right = arguments
        rotate = function(builder, "llvm.fshr.v8i64", VECTOR, [VECTOR] * 3)
        return builder.call(rotate, [lanes, lanes, right])

    return _KIND(_KIND, _KIND), generate


@intrinsic
def _united(context: Any, lanes: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        union = folded(builder, arguments[0], 1, builder.or_)
        return builder.extract_element(union, ir.Constant(ir.IntType(32), 0))

    return types.uint64(_KIND), generate


def four_of(first: int) -> Callable[[Lanes], Lanes]:
    """Make a function that repeats a lane four times, and the next one.

    Args:
        first: The lane, from 0 to 6.
    """
    numbers = [first] * 4 + [first + 1] * 4

    @intrinsic
    def repeat(context: Any, lanes: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return taken(builder, arguments[0], numbers)

        return _KIND(_KIND), generate

    return cast(Callable[[Lanes], Lanes], repeat)


load = cast(Callable[[Words, int], Lanes], _load)
"""Reads eight words of an array (n,), from some number on."""
store = cast(Callable[[Words, int, Lanes], None], _store)
"""Writes eight words to an array (n,), from some number on."""
write_filled = cast(Callable[[Octets, int, Lanes], None], _write_filled)
"""Writes eight flags to an array uint8 (n,), from some place on: which lanes are not 0."""
lane = cast(Callable[[Lanes, int], np.uint64], _lane)
"""Returns the word of one lane."""
spread = cast(Callable[[np.uint64], Lanes], _spread)
"""Puts the same word in all lanes."""
where = cast(Callable[[Lanes], Lanes], _where)
"""Returns words of ones in the lanes that are not 0, else 0."""
rotated = cast(Callable[[Lanes, Lanes], Lanes], _rotated)
"""Rotates every lane to the right by its number of places, 0 to 63."""
united = cast(Callable[[Lanes], np.uint64], _united)
"""Unites all lanes to one word."""
