"""Where compiled engines keep states: each game's entries together; see `state.py`."""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from chromazoo.envs.compiled import Octets, compiled
from chromazoo.envs.compiled_vectors import LANES
from chromazoo.envs.state import Chosen, Kind, Memory, Parts, starts

GAP = 192
"""Bytes between two arrays: three lines of the cache."""
assert GAP >= 8 * LANES  # what `compiled_lanes.load` may read behind the last game


class GamesFirst(Memory):
    """Every array by itself, each game's entries together; the only part is all of their bytes.

    The arrays lie one behind the other, so that games are copied without looking at the arrays one
    by one. A gap follows each: without, in a batch of 4,096 games a game's entries would lie at the
    same place of a page in every array, and drive each other out of the cache; and with it eight
    words may be read where the last game has fewer.

    Attributes:
        size: Bytes a game.
        gaps: Bytes of all gaps.
    """

    def __init__(self, kinds: Sequence[Kind], rowwise: frozenset[str]) -> None:
        """Lay out arrays, the widest dtypes first; see `Memory`."""
        widths = [math.prod(shape) * dtype.itemsize for _, shape, dtype in kinds]
        order = sorted(range(len(kinds)), key=lambda number: -kinds[number][2].itemsize)
        # Bytes a game before each array, and of it, and bytes of the gaps before it.
        self._fields = np.zeros((len(kinds), 3), np.int64)
        for place, number in enumerate(order):
            before = sum(widths[other] for other in order[:place])
            self._fields[number] = before, widths[number], place * GAP
        self.size, self.gaps = sum(widths), len(kinds) * GAP
        self._places = {
            name: (shape, dtype, int(before), int(gaps))
            for (name, shape, dtype), (before, _, gaps) in zip(kinds, self._fields, strict=True)
        }

    def arrays(self) -> list[tuple[str, tuple[int, ...], np.dtype[Any], int, int]]:
        """List the arrays.

        Returns:
            Of each its name, its shape for one game, its dtype, and how many bytes lie before it:
            those of a game, and those of gaps.
        """
        return [(name, *place) for name, place in self._places.items()]

    def empty(self, games: int) -> Parts:
        """Make room; see `Memory.empty`."""
        return (np.empty(games * self.size + self.gaps, np.uint8),)

    def view(self, parts: Parts, name: str) -> NDArray[Any]:
        """Show an array; see `Memory.view`."""
        (octets,) = parts
        shape, dtype, before, gaps = self._places[name]
        games = self._games(parts)
        return np.ndarray((games, *shape), dtype, octets, games * before + gaps)

    def _games(self, parts: Parts) -> int:
        """Count the games in memory."""
        return (len(parts[0]) - self.gaps) // self.size

    def views(self, parts: Parts) -> Parts:
        """Show all arrays; see `Memory.views`."""
        (octets,) = parts
        games = self._games(parts)
        return tuple(
            [
                np.ndarray((games, *shape), dtype, octets, games * before + gaps)
                for shape, dtype, before, gaps in self._places.values()
            ]
        )

    def copy(self, parts: Parts) -> Parts:
        """Copy all games; see `Memory.copy`."""
        return (parts[0].copy(),)

    def repeat(self, parts: Parts, games: int) -> Parts:
        """Copy one game many times; see `Memory.repeat`."""
        copied = self.empty(games)
        _repeat_game(copied[0], parts[0], self._fields, games)
        return copied

    def take(self, parts: Parts, rows: NDArray[np.int64]) -> Parts:
        """Copy some games out; see `Memory.take`."""
        taken = self.empty(len(rows))
        rows = np.ascontiguousarray(rows)  # or else numba compiles anew
        _copy_games(taken[0], starts(len(rows)), parts[0], rows, self._fields)
        return taken

    def put(self, parts: Parts, rows: NDArray[np.int64], others: Parts, chosen: Chosen) -> None:
        """Overwrite some games; see `Memory.put`."""
        if isinstance(chosen, slice):
            chosen = starts(self._games(others))[chosen]
        source = others[0].copy() if others[0] is parts[0] else others[0]
        rows, chosen = np.ascontiguousarray(rows), np.ascontiguousarray(chosen)
        _copy_games(parts[0], rows, source, chosen, self._fields)


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
def _repeat_game(into: Octets, octets: Octets, fields: NDArray[np.int64], games: int) -> None:
    """Copy one game many times: each of its arrays once, then twice as much again and again."""
    for number in range(len(fields) if games else 0):
        before, width, gap = fields[number, 0], fields[number, 1], fields[number, 2]
        begin, size, done = games * before + gap, games * width, width
        _copy_octets(into, begin, octets, before + gap, width)
        while done < size:
            more = min(done, size - done)
            _copy_octets(into, begin + done, into, begin, more)
            done += more


@compiled
def _copy_games(
    into: Octets,
    rows: NDArray[np.int64],
    octets: Octets,
    from_rows: NDArray[np.int64],
    fields: NDArray[np.int64],
) -> None:
    """Copy games byte by byte: all at once where they lie one behind the other on both sides."""
    if len(rows) == 0:
        return
    size, gaps = fields[:, 1].sum(), len(fields) * GAP
    games, from_games = (len(into) - gaps) // size, (len(octets) - gaps) // size
    together = len(rows) if _are_a_run(rows) and _are_a_run(from_rows) else 1
    for number in range(len(fields)):
        before, width, gap = fields[number, 0], fields[number, 1], fields[number, 2]
        begin, from_begin = games * before + gap, from_games * before + gap
        if together == 1 and width == 1:
            for game in range(len(rows)):
                into[begin + rows[game]] = octets[from_begin + from_rows[game]]
        else:
            for game in range(0, len(rows), together):
                to, there = begin + rows[game] * width, from_begin + from_rows[game] * width
                _copy_octets(into, to, octets, there, width * together)


@compiled
def _are_a_run(rows: NDArray[np.int64]) -> bool:
    """Tell whether each row is the one after the row before."""
    breaks = 0
    for number in range(1, len(rows)):
        breaks += rows[number] != rows[number - 1] + 1
    return breaks == 0
