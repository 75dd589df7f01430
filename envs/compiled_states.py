"""States in compiled code whose shapes the compiler knows.

A compiled function that is given the arrays of a state finds where an entry lies by numbers that
it looks up. Where the shapes of one game are known when it is compiled, most of that is worked out
beforehand, and a state need not make views of its arrays. Machine code is then of use to states of
those shapes alone, so games say which they know: the usual ones. The arrays of other states are
handed over one by one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

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
        Array (0,) of a structured dtype: the arrays of one game. The offset of each counts the
        bytes of the arrays before it in one game, and the gaps before it.
    """
    layout: dict[str, list[Any]] = {"names": [], "formats": [], "offsets": []}
    for name, shape, dtype, before, gaps in memory.arrays():
        flag = dtype == np.bool_
        layout["names"].append(name + _BOOL if flag else name)
        layout["formats"].append((np.dtype(np.uint8) if flag else dtype, shape))
        layout["offsets"].append(before + gaps)
    size = memory.size + memory.gaps
    return np.empty(0, np.dtype(cast(Any, {**layout, "itemsize": size})))


def opener(arrays: Callable[..., StateType]) -> Callable[[Parts], StateType]:
    """Make what opens a state in compiled code.

    Args:
        arrays: What `as_compiled` made.

    Returns:
        A function for compiled code that makes `arrays` of a tuple: either of the bytes of a state
        and what `shaped` tells of them, or of all its arrays.
    """
    kind = cast(Any, arrays)

    @intrinsic
    def opened(context: Any, given: Any) -> Any:
        if isinstance(given[1].dtype, types.Record):
            return _open_bytes(kind, given)
        return _open_arrays(kind, given)

    return cast(Callable[[Parts], StateType], opened)


def _open_arrays(kind: Any, given: Any) -> Any:
    """Generate what gives the arrays of a tuple their names."""
    made = cast(Any, types).NamedTuple(tuple(given), kind)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        parts = _llvm.unpack_tuple(builder, arguments[0], len(given))
        return context.make_tuple(builder, made, parts)

    return made(given), generate


class _Array(NamedTuple):
    """An array of a state.

    Attributes:
        kind: Its type in compiled code.
        shape: Its shape for one game.
        before: Bytes of the arrays before it in one game.
        gaps: Bytes of the gaps before it.
    """

    kind: Any
    shape: tuple[int, ...]
    before: int
    gaps: int


def _read_layout(layout: Any, names: tuple[str, ...]) -> list[_Array]:
    """Read what `shaped` wrote, array by array in the order of the names."""
    places = {name.removesuffix(_BOOL): name for name in layout.fields}
    order = sorted(names, key=lambda name: layout.offset(places[name]))
    found = []
    for name in names:
        field, gaps = layout.typeof(places[name]), order.index(name) * GAP
        nested = isinstance(field, types.NestedArray)
        dtype, shape = (field.dtype, field.shape) if nested else (field, ())
        dtype = types.boolean if places[name].endswith(_BOOL) else dtype
        kind = cast(Any, types).Array(dtype, 1 + len(shape), "C")
        found.append(_Array(kind, shape, layout.offset(places[name]) - gaps, gaps))
    return found


def _open_bytes(kind: Any, given: Any) -> Any:
    """Generate what finds the arrays of a state in its bytes."""
    octets, layout = given[0], given[1].dtype
    arrays = _read_layout(layout, kind._fields)
    gaps = len(arrays) * GAP
    made = cast(Any, types).NamedTuple([array.kind for array in arrays], kind)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = _llvm.unpack_tuple(builder, arguments[0], 2)[0]
        whole = context.make_array(octets)(context, builder, whole)
        number, size = builder.extract_value(whole.shape, 0).type, layout.size - gaps
        length = builder.sub(builder.extract_value(whole.shape, 0), number(gaps))
        games = builder.udiv(length, number(size))
        parts = [_find(context, builder, whole.data, games, array) for array in arrays]
        return context.make_tuple(builder, made, parts)

    return made(given), generate


def _find(context: Any, builder: Any, octets: Any, games: Any, array: _Array) -> Any:
    """Generate what finds one array in the bytes of so many games."""
    number = games.type
    first = builder.add(builder.mul(games, number(array.before)), number(array.gaps))
    found = context.make_array(array.kind)(context, builder)
    width = context.get_abi_sizeof(context.get_data_type(array.kind.dtype))
    strides = [width]
    for length in reversed(array.shape):
        strides.insert(0, strides[0] * length)
    _arrays.populate_array(
        found,
        data=builder.bitcast(builder.gep(octets, [first]), found.data.type),
        shape=_llvm.pack_array(builder, [games, *map(number, array.shape)]),
        strides=_llvm.pack_array(builder, [*map(number, strides)]),
        itemsize=number(width),
        meminfo=None,
    )
    return found._getvalue()
