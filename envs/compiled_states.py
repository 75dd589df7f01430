"""States in compiled code whose shapes the compiler knows.

A compiled function that is given the arrays of a state finds where an entry lies by numbers that
it looks up. Where the shape of one game is known when it is compiled, most of that is worked out
beforehand. The function then fits games of one config alone, so this is for the default ones, which
most people play; those of others are handed over array by array and share their machine code.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from chromazoo.envs.compiled import StateType
from chromazoo.envs.compiled_memory import GAP, GamesFirst
from chromazoo.envs.state import Parts

_llvm, _arrays = cast(Any, cgutils), cast(Any, arrayobj)  # numba's helpers have no types
_BOOL = "?"  # ends the names of arrays of bool, which numba takes for bytes within a game


def shaped(memory: GamesFirst) -> NDArray[np.void]:
    """Tell compiled code how games lie in memory.

    Args:
        memory: Where they lie.

    Returns:
        Array (0,) of a structured dtype: the arrays of one game. Its offsets count the bytes of all
        arrays before in one game, and the gaps.
    """
    names, formats, offsets = [], [], []
    for name, shape, dtype, before, gaps in memory.places():
        flag = dtype == np.bool_
        names.append(name + _BOOL if flag else name)
        formats.append((np.dtype(np.uint8) if flag else dtype, shape))
        offsets.append(before + gaps)
    layout = {
        "names": names,
        "formats": formats,
        "offsets": offsets,
        "itemsize": memory.size + memory.gaps,
    }
    return np.empty(0, np.dtype(cast(Any, layout)))


def opener(arrays: Callable[..., StateType]) -> Callable[[Parts], StateType]:
    """Make what shows a state in compiled code.

    Args:
        arrays: What `as_compiled` made.

    Returns:
        A function for compiled code that makes `arrays` of a tuple: either of the bytes of a state
        and what `shaped` tells of them, or of all its arrays.
    """
    kind = cast(Any, arrays)

    @intrinsic
    def opened(context: Any, given: Any) -> Any:
        if len(given) > 2:
            return _opened_singly(kind, given)
        return _opened_whole(kind, given)

    return cast(Callable[[Parts], StateType], opened)


def _opened_singly(kind: Any, given: Any) -> Any:
    """Generate what makes a tuple of arrays of such a tuple without names."""
    made = cast(Any, types).NamedTuple(tuple(given), kind)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        parts = _llvm.unpack_tuple(builder, arguments[0], len(given))
        return context.make_tuple(builder, made, parts)

    return made(given), generate


def _opened_whole(kind: Any, given: Any) -> Any:
    """Generate what makes a tuple of arrays of the bytes of a state."""
    octets, layout = given[0], given[1].dtype
    offsets = {name.rstrip(_BOOL): (field.offset, name) for name, field in layout.fields.items()}
    order = sorted(offsets, key=lambda name: offsets[name][0])
    gaps = len(order) * GAP
    shapes = [_shape(layout.fields[offsets[name][1]].type) for name in kind._fields]
    flags = [offsets[name][1].endswith(_BOOL) for name in kind._fields]
    arrays = [
        cast(Any, types).Array(types.boolean if flag else dtype, 1 + len(shape), "C")
        for (dtype, shape), flag in zip(shapes, flags, strict=True)
    ]
    made = cast(Any, types).NamedTuple(arrays, kind)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def number(value: int) -> Any:
            return context.get_constant(types.intp, value)

        whole, _ = _llvm.unpack_tuple(builder, arguments[0], 2)
        whole = context.make_array(octets)(context, builder, whole)
        size = builder.sub(builder.extract_value(whole.shape, 0), number(gaps))
        games = builder.udiv(size, number(layout.size - gaps))
        parts = []
        for name, array, (_, shape) in zip(kind._fields, arrays, shapes, strict=True):
            place = order.index(name)
            before = number(offsets[name][0] - place * GAP)
            first = builder.add(builder.mul(games, before), number(place * GAP))
            part = context.make_array(array)(context, builder)
            width = array.dtype.bitwidth // 8 if array.dtype != types.boolean else 1
            strides = [width]
            for length in reversed(shape):
                strides.insert(0, strides[0] * length)
            _arrays.populate_array(
                part,
                data=builder.bitcast(builder.gep(whole.data, [first]), part.data.type),
                shape=_llvm.pack_array(builder, [games, *map(number, shape)]),
                strides=_llvm.pack_array(builder, [*map(number, strides)]),
                itemsize=number(width),
                meminfo=None,
            )
            parts.append(part._getvalue())
        return context.make_tuple(builder, made, parts)

    return made(given), generate


def _shape(field: Any) -> tuple[Any, tuple[int, ...]]:
    """Tell the dtype and the shape of an entry of a structured dtype."""
    if isinstance(field, types.NestedArray):
        return field.dtype, field.shape
    return field, ()
