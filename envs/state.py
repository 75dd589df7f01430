"""States: batches of games as plain numpy arrays, and how they lie in memory.

The first axis of every array is the game. In memory the games are the *last* axis (`lanes` shows
it so), which lets numpy's loops run over all games at once; and all such arrays of one width in
bytes lie in one *block*, so that games are copied in and out a block at a time. Arrays of which a
step looks up one entry a game, here or there, may keep each game's entries together instead.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.arrays import constant
from chromazoo.envs.errors import InvalidArgument
from chromazoo.envs.randomness import Stream

Rows = NDArray[np.integer] | slice | Sequence[int]


# The C library gives freed memory back to the system at every step, and gets it anew page by page,
# unless it has seen a block of this size come and go (glibc, `mallopt`, M_MMAP_THRESHOLD).
np.empty(2**24, np.uint8)


def lanes(array: NDArray[Any]) -> NDArray[Any]:
    """Show an array of a state with the games as last axis, as it lies in memory.

    Args:
        array: Array of shape (B, ...).

    Returns:
        View of shape (..., B), contiguous for arrays of a state that are not `rowwise`.
    """
    return array.T if array.ndim < 3 else array.transpose(*range(1, array.ndim), 0)


def games_last(array: NDArray[Any]) -> NDArray[Any]:
    """Show an array whose last axis is the game as a state does: undo `lanes`.

    Args:
        array: Array of shape (..., B).

    Returns:
        View of shape (B, ...).
    """
    return array.T if array.ndim < 3 else array.transpose(-1, *range(array.ndim - 1))


def flat(array: NDArray[Any]) -> NDArray[Any]:
    """Show an array as one row of entries, to look up or to write any of them.

    Args:
        array: A contiguous array.

    Returns:
        View of shape (size,).
    """
    assert array.flags.c_contiguous, "a copy would be written to"
    return array.reshape(-1)


def starts(games: int, step: int = 1) -> NDArray[np.int64]:
    """Tell where the entries of each game begin in a flat array with `step` of them a game.

    Args:
        games: Number of games, B.
        step: Entries a game; 1 gives the numbers of the games.

    Returns:
        int64 (B,): 0, step, 2 step, ...; shared by all who ask for it, not to be written.
    """
    if games > _MOST_KEPT:
        return np.arange(games) * step
    return _multiples(games.bit_length(), step)[:games]


_MOST_KEPT = 2**16 - 1


@lru_cache(maxsize=128)
def _multiples(bits: int, step: int) -> NDArray[np.int64]:
    """Return 2 ** bits multiples of a number, half a megabyte at most."""
    places = np.arange(1 << bits) * step
    places.flags.writeable = False
    return places


def entries(numbers: NDArray[np.integer]) -> NDArray[np.int64]:
    """Tell where one entry of each game, such as that of a seat, lies games last.

    Args:
        numbers: Integers (B,), the number of each game's entry.

    Returns:
        int64 (B,): places in `flat(lanes(array))` of an array (B, entries).

    >>> sizes = np.array([[5, 4], [3, 2], [1, 0]])  # (games, seats)
    >>> lanes(sizes).ravel().take(entries(np.array([1, 0, 0]))).tolist()
    [4, 3, 1]
    """
    return entries_of(starts(len(numbers)), numbers, len(numbers))


def entries_of(
    rows: NDArray[np.int64], numbers: NDArray[np.integer], games: int
) -> NDArray[np.int64]:
    """Tell where one entry of each of some games lies, as `entries` does for all.

    Args:
        rows: int64 (n,), the games.
        numbers: Integers (n,), the number of each one's entry.
        games: Number of all games, B.

    Returns:
        int64 (n,), a new array.
    """
    places: NDArray[np.int64] = numbers * integer(games)
    places += rows
    return places


@lru_cache(maxsize=64)
def integer(number: int) -> NDArray[np.int64]:
    """Return a number as an array without axes: int64 (); see `constant`."""
    return constant(number, np.int64)


def scatter(whole: NDArray[Any], rows: NDArray[np.int64], values: NDArray[Any] | np.bool_) -> None:
    """Write to some games of an array that lies games last, to all lanes in one call.

    This takes the least time for many lanes of few games: from six lanes on, up to some 200 games.
    `write_lanes` takes less for fewer lanes or more games.

    Args:
        whole: Array of shape (k, B), contiguous; changed.
        rows: int64 (n,), the games, from 0.
        values: Array of shape (k, n), or one value.
    """
    count, games = whole.shape
    places = starts(count, games)[:, None] + rows
    flat(whole)[places] = values


def write_lanes(
    whole: NDArray[Any], rows: NDArray[np.int64], values: Iterable[NDArray[Any]]
) -> None:
    """Write to some games of an array that lies games last, lane by lane.

    A call for each lane, but no array of places: this takes the least time for a handful of lanes
    or for many games; see `scatter`.

    Args:
        whole: Array of shape (k, B); changed.
        rows: int64 (n,), the games, from 0.
        values: k arrays of shape (n,), or one of shape (k, n).
    """
    for lane, some in zip(whole, values, strict=True):
        lane[rows] = some


Kind = tuple[str, tuple[int, ...], np.dtype[Any]]
"""An array of a state: its name, shape for one game, and dtype."""
Parts = tuple[NDArray[Any], ...]
"""What a state keeps in memory; its arrays are views of these."""
Chosen = NDArray[np.int64] | slice
"""Some games: int64 (n,), each from 0, or a slice."""


class Memory(ABC):
    """How the arrays of a state lie in memory.

    Attributes:
        owner: Name and config of the game that they belong to; None for arrays of nobody.
    """

    owner: Hashable = None

    @abstractmethod
    def __init__(self, kinds: Sequence[Kind], rowwise: frozenset[str]) -> None:
        """Lay out arrays.

        Args:
            kinds: What there is.
            rowwise: Names of those that keep each game's entries together in any case.
        """

    @abstractmethod
    def empty(self, games: int) -> Parts:
        """Make room for some games."""

    @abstractmethod
    def view(self, parts: Parts, name: str) -> NDArray[Any]:
        """Show the array of a name, games first; raise `KeyError` if there is none."""

    @abstractmethod
    def views(self, parts: Parts) -> Parts:
        """Show all arrays in the order in which they were laid out, games first."""

    @abstractmethod
    def copy(self, parts: Parts) -> Parts:
        """Copy all games."""

    @abstractmethod
    def repeat(self, parts: Parts, games: int) -> Parts:
        """Copy one game many times."""

    @abstractmethod
    def take(self, parts: Parts, rows: NDArray[np.int64]) -> Parts:
        """Copy some games out: int64 (n,), each from 0."""

    @abstractmethod
    def put(self, parts: Parts, rows: NDArray[np.int64], others: Parts, chosen: Chosen) -> None:
        """Overwrite some games: int64 (n,), each from 0, with as many others.

        These are those of the other parts that are chosen, in their order.
        """


class _Place(NamedTuple):
    """Where an array lies: lanes `start` to `stop` of a block."""

    block: int
    start: int
    stop: int
    shape: tuple[int, ...]  # for one game
    dtype: np.dtype[Any]


class GamesLast(Memory):
    """Blocks of lanes, for numpy: the games are the last axis, but for rowwise arrays."""

    def __init__(self, kinds: Sequence[Kind], rowwise: frozenset[str]) -> None:
        """Lay out arrays; see `Memory`. The blocks come first, then the rowwise arrays."""
        blocked = [kind for kind in kinds if kind[0] not in rowwise]
        widths = sorted({dtype.itemsize for _, _, dtype in blocked})
        ends = [0] * len(widths)
        self._places: dict[str, _Place] = {}
        for name, shape, dtype in blocked:
            block = widths.index(dtype.itemsize)
            stop = ends[block] + math.prod(shape)
            self._places[name] = _Place(block, ends[block], stop, shape, dtype)
            ends[block] = stop
        self._blocks = [
            (end, np.dtype(f"u{width}")) for end, width in zip(ends, widths, strict=True)
        ]
        self._names = [name for name, _, _ in kinds]
        self._rowwise = [kind for kind in kinds if kind[0] in rowwise]
        self._numbers = {kind[0]: len(widths) + n for n, kind in enumerate(self._rowwise)}

    def empty(self, games: int) -> Parts:
        """Make room; see `Memory.empty`."""
        blocks = [np.empty((end, games), dtype) for end, dtype in self._blocks]
        return *blocks, *(np.empty((games, *shape), dtype) for _, shape, dtype in self._rowwise)

    def view(self, parts: Parts, name: str) -> NDArray[Any]:
        """Show an array; see `Memory.view`."""
        if name in self._numbers:
            return parts[self._numbers[name]]
        place = self._places[name]
        whole = parts[place.block][place.start : place.stop].view(place.dtype)
        return games_last(whole.reshape(*place.shape, whole.shape[1]))

    def views(self, parts: Parts) -> Parts:
        """Show all arrays; see `Memory.views`."""
        return tuple(self.view(parts, name) for name in self._names)

    def copy(self, parts: Parts) -> Parts:
        """Copy all games; see `Memory.copy`."""
        return tuple(part.copy() for part in parts)

    def repeat(self, parts: Parts, games: int) -> Parts:
        """Copy one game many times; see `Memory.repeat`."""
        blocks = len(self._blocks)
        return tuple(part.repeat(games, axis=int(n < blocks)) for n, part in enumerate(parts))

    def take(self, parts: Parts, rows: NDArray[np.int64]) -> Parts:
        """Copy some games out; see `Memory.take`."""
        blocks = len(self._blocks)
        return tuple(part.take(rows, axis=int(n < blocks)) for n, part in enumerate(parts))

    def put(self, parts: Parts, rows: NDArray[np.int64], others: Parts, chosen: Chosen) -> None:
        """Overwrite some games; see `Memory.put`."""
        if isinstance(chosen, slice):
            blocks = len(self._blocks)
            others = tuple(
                part[:, chosen] if n < blocks else part[chosen] for n, part in enumerate(others)
            )
        else:
            others = self.take(others, chosen)
        for number, (part, values) in enumerate(zip(parts, others, strict=True)):
            if number < len(self._blocks):
                scatter(part, rows, values)
            else:
                part[rows] = values


@cache
def _memory(
    order: type[Memory], kinds: tuple[Kind, ...], rowwise: frozenset[str], owner: Hashable
) -> Memory:
    """Return the one memory of all states of a game."""
    memory = order(kinds, rowwise)
    memory.owner = owner
    return memory


class Views:
    """Views of a state's arrays by name, each made when it is first asked for."""

    def __init__(
        self, memory: Memory, parts: Parts, show: Callable[[str, NDArray[Any]], NDArray[Any]]
    ) -> None:
        """Show what a state keeps in memory; not the state itself, which would never be freed.

        Args:
            memory: How it lies in memory.
            parts: What is kept there.
            show: Makes a view, given a name and an array whose first axis is the game.
        """
        self._memory, self._parts, self._show = memory, parts, show

    def __getattr__(self, name: str) -> NDArray[Any]:
        """Make the view of an array."""
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            view = self._show(name, self._memory.view(self._parts, name))
        except KeyError:
            raise AttributeError(f"the state has no {name}") from None
        self.__dict__[name] = view
        return view


class _Kept:
    """What a state keeps besides the views of its arrays, which are the fields of a dataclass."""

    memory: Memory
    parts: Parts


@dataclass(eq=False)
class State(_Kept):
    """A batch of B games of N seats. Every game's state adds arrays of its own.

    Attributes:
        seat: int8 (B,), the seat to decide; where several are pending, the lowest of them; in a
            finished game, the seat that moved last.
        pending: bool (B, N), the seats that owe a decision now; none in a finished game.
        over: bool (B,), whether the game has ended.
        rewards: float64 (B, N), zero until the game ends, then filled once.
        plies: int32 (B,), decisions taken so far.
        stream: uint64 (B,), the random stream from which the game draws its chance.
        rowwise: Names of the arrays that keep each game's entries together in memory.
        shown_by: Draws games as SVG; the rules that the states belong to provide it.
        memory: How that lies in memory, and whose it is.
        parts: What is kept in memory.

    A state copies what it is made of. Assigning to an array overwrites its entries, and wants an
    array of the same shape and dtype.

    Raises:
        InvalidArgument: the arrays are not of as many games each, or an array that is assigned has
            another shape or dtype.
    """

    rowwise: ClassVar[frozenset[str]] = frozenset()
    shown_by: ClassVar[Callable[["State"], str | None] | None] = None

    seat: NDArray[np.int8]
    pending: NDArray[np.bool_]
    over: NDArray[np.bool_]
    rewards: NDArray[np.float64]
    plies: NDArray[np.int32]
    stream: Stream

    def __post_init__(self) -> None:
        """Move the arrays into blocks."""
        arrays = {field.name: np.asarray(self.__dict__.pop(field.name)) for field in fields(self)}
        games = arrays["seat"].size
        for name, array in arrays.items():
            if array.shape[:1] != (games,):
                raise InvalidArgument(f"{name}: the first axis is the {games} games, as in seat")
        self._lay_out(arrays, GamesLast, None)

    def _lay_out(
        self, arrays: dict[str, NDArray[Any]], order: type[Memory], owner: Hashable
    ) -> None:
        """Copy the arrays into memory of their own."""
        kinds = tuple((name, array.shape[1:], array.dtype) for name, array in arrays.items())
        memory = _memory(order, kinds, self.rowwise, owner)
        self.__dict__.update(memory=memory, parts=memory.empty(len(arrays["seat"])))
        for name, array in arrays.items():
            lanes(getattr(self, name))[...] = lanes(array)

    if not TYPE_CHECKING:  # so that misspelt names are found

        def __getattr__(self, name: str) -> Any:
            """Make the view of an array when it is first asked for."""
            try:
                array = self.__dict__["memory"].view(self.parts, name)
            except KeyError:
                raise AttributeError(f"{type(self).__name__} has no {name}") from None
            self.__dict__[name] = array
            return array

        def __setattr__(self, name: str, value: Any) -> None:
            """Overwrite an array in place: a state keeps its memory."""
            if "parts" not in self.__dict__:
                self.__dict__[name] = value
            elif value is not (array := getattr(self, name)):
                given = np.asarray(value)
                if given.shape != array.shape or given.dtype != array.dtype:
                    raise InvalidArgument(
                        f"{name}: an array of {array.dtype} {array.shape} needed, "
                        f"not of {given.dtype} {given.shape}"
                    )
                array[...] = given

    def __len__(self) -> int:
        """Return the number of games, B."""
        return len(self.seat)

    def _repr_svg_(self) -> str | None:
        """Draw the first games, open, for notebooks; None if it is not known whose they are."""
        show = type(self).shown_by
        return None if show is None or self.memory.owner is None else show(self)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Name of the field -> its array, first axis game."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def listed(self) -> Parts:
        """The arrays in the order of the fields."""
        return self.memory.views(self.parts)

    @cached_property
    def lanes(self) -> Views:
        """The arrays with the games as last axis; see the function of that name."""
        return Views(self.memory, self.parts, lambda _, array: lanes(array))

    @cached_property
    def flat(self) -> Views:
        """The arrays as rows of entries, (size,), games last but for those that are rowwise.

        In the order of the compiled engine only rowwise arrays can be shown so.
        """
        rowwise = self.rowwise
        return Views(
            self.memory,
            self.parts,
            lambda name, array: flat(array if name in rowwise else lanes(array)),
        )

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    def repeat(self, games: int) -> Self:
        """Copy one game many times.

        Args:
            games: How many times, B; this state holds one game.

        Returns:
            A new state of B games.
        """
        return self._made(self.memory.repeat(self.parts, games))

    def copy(self) -> Self:
        """Return a copy that shares nothing with this state."""
        return self._made(self.memory.copy(self.parts))

    def take(self, rows: Rows) -> Self:
        """Copy some games out.

        Args:
            rows: Indices of games, in any order and any number of times, a slice, or a mask bool
                (B,).

        Returns:
            A new state of those games.

        Raises:
            InvalidArgument: rows are none of these.
        """
        return self._made(self.memory.take(self.parts, _row_numbers(rows, len(self))))

    def _made(self, parts: Parts) -> Self:
        """Make a state of such arrays."""
        made = object.__new__(type(self))
        made.__dict__.update(memory=self.memory, parts=parts)
        return made

    def ordered(self, order: type[Memory], owner: Hashable) -> Self:
        """Return the games in another order in memory.

        Args:
            order: How the arrays are to lie.
            owner: Name and config of the game that they belong to.

        Returns:
            A new state, or this one if it is so already.
        """
        if type(self.memory) is order and self.memory.owner == owner:
            return self
        made = object.__new__(type(self))
        made._lay_out(self.arrays, order, owner)
        return made

    def put(self, rows: Rows, other: Self, chosen: Rows | None = None) -> None:
        """Overwrite some games.

        Args:
            rows: Indices of the games to overwrite, each at most once, a slice, or a mask bool
                (B,).
            other: Games of the same kind, as many and in the same order.
            chosen: Which of the other games are meant, in the same order; all if not given.

        Raises:
            InvalidArgument: rows or the chosen games are none of these, or not as many as the
                others. Nothing has changed.
        """
        index = _row_numbers(rows, len(self))
        if not isinstance(other, State):
            raise InvalidArgument(f"put: a {type(self).__name__} needed, not {other!r:.60}")
        wanted: Rows = slice(None) if chosen is None else chosen
        numbers = _row_numbers(wanted, len(other))
        if len(index) != len(numbers):
            raise InvalidArgument(f"put: {len(index)} rows for {len(numbers)} games")
        if self.memory is not other.memory:
            raise InvalidArgument("put: games of another config, shape or engine")
        some: Chosen = numbers
        if isinstance(wanted, slice) and other is not self:
            some = wanted  # no copy first; old versions of numpy need one of what they overwrite
        self.memory.put(self.parts, index, other.parts, some)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy with the memory order kept."""
        return self.copy()

    def __getstate__(self) -> tuple[dict[str, NDArray[Any]], type[Memory], Hashable]:
        """Pickle the arrays, their order in memory and their owner."""
        return self.arrays, type(self.memory), self.memory.owner

    def __setstate__(self, kept: tuple[dict[str, NDArray[Any]], type[Memory], Hashable]) -> None:
        """Restore the arrays, their order in memory and their owner."""
        self._lay_out(*kept)


def _row_numbers(rows: Rows, games: int) -> NDArray[np.int64]:
    """Return the numbers of the games that `rows` names, from 0."""
    if isinstance(rows, slice):
        return starts(games)[rows]
    index = np.asarray(rows)
    if index.dtype == np.bool_ and index.shape == (games,):
        return np.flatnonzero(index)
    if index.ndim != 1 or (index.dtype.kind not in "iu" and index.size):
        raise InvalidArgument(f"rows: indices of games, a slice, or a mask of {games} bools")
    numbers = index.astype(np.int64, copy=False)
    if not index.size or numbers.view(np.uint64).max() < games:  # negative numbers are large then
        return numbers
    if not games:
        raise InvalidArgument("rows: there are no games")
    if not -games <= index.min() <= index.max() < games:
        raise InvalidArgument(f"rows: from 0 to {games - 1}")
    return numbers % games
