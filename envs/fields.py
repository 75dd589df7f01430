"""Observations with named fields: a flat `uint8` vector whose parts have names and meanings.

>>> hand = Field("hand", (2, 3), 1, "own cards", "private")
>>> layout = Layout([hand, Field("clock", (), 9, "plies")])
>>> layout.size, layout.slices["clock"]
(7, slice(6, 7, None))
>>> print(layout.describe(np.array([1, 0, 0, 0, 1, 0, 4], np.uint8)))
hand   1 at 0,0 1,1  own cards
clock  4  plies
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidArgument

View = Literal["public", "private", "memory"]
VIEWS: tuple[View, ...] = get_args(View)
Observation = NDArray[np.uint8]


@dataclass(frozen=True)
class Field:
    """One named part of an observation.

    Attributes:
        name: Its name, unique in the game.
        shape: Its shape for one game; `()` is a single number.
        high: The highest value it can have, 1 to 255; greater ones are clipped to it.
        meaning: What it holds, in one phrase.
        view: `public` (all may know it), `private` (only the observing seat) or `memory` (what a
            perfect memory of the game so far would keep).
        entries: Names of the entries along each axis, as far as they have any; an axis without is
            counted from 0.
        values: Names of the values from 1 on, where they stand for something.
    """

    name: str
    shape: tuple[int, ...]
    high: int
    meaning: str
    view: View = "public"
    entries: tuple[tuple[str, ...], ...] = ()
    values: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of values."""
        return prod(self.shape)


class Layout(Sequence[Field]):
    """The fields of a game's observations, in order, and where each lies.

    Attributes:
        slices: Name of the field -> its slice of the flat vector.
        size: Number of values of one observation, F.
        high: uint8 array of shape (F,), the highest value of each entry.
    """

    def __init__(self, fields: Sequence[Field]) -> None:
        """Lay the fields out one after the other.

        Args:
            fields: The fields, in order.

        Raises:
            ValueError: a name occurs twice or a highest value is not from 1 to 255.
        """
        self._fields = tuple(fields)
        self.slices: Mapping[str, slice] = {}
        self.size = 0
        slices = {}
        for field in self._fields:
            if field.name in slices or not 1 <= field.high <= 255:
                raise ValueError(f"field {field.name}: a name of its own and high from 1 to 255")
            slices[field.name] = slice(self.size, self.size + field.size)
            self.size += field.size
        self.slices = slices
        self._plan = [(field.name, field.size, field.high) for field in self._fields]
        self.high = np.concatenate(
            [np.full(field.size, field.high, np.uint8) for field in self._fields]
            or [np.zeros(0, np.uint8)]
        )

    def __len__(self) -> int:
        """Return the number of fields."""
        return len(self._fields)

    @overload
    def __getitem__(self, index: int) -> Field: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Field, ...]: ...

    def __getitem__(self, index: int | slice) -> Field | tuple[Field, ...]:
        """Return a field by its number."""
        return self._fields[index]

    def only(self, views: Iterable[View]) -> "Layout":
        """Keep the fields of some views.

        Args:
            views: The views to keep.

        Returns:
            A layout of the fields that are left, in the same order.

        Raises:
            InvalidArgument: there is no such view.
        """
        if isinstance(views, str):
            raise InvalidArgument(f"views are a list such as [{views!r:.20}], not a text")
        try:
            wanted = list(views)
        except TypeError:
            raise InvalidArgument(
                f"views are a list of {', '.join(VIEWS)}, not {views!r:.60}"
            ) from None
        for view in wanted:
            if not isinstance(view, str) or view not in VIEWS:
                raise InvalidArgument(f"no view {view!r:.60}; the views are {', '.join(VIEWS)}")
        if set(wanted) == set(VIEWS):
            return self
        return Layout([field for field in self._fields if field.view in wanted])

    def get(self, observation: Observation, name: str) -> Observation:
        """Cut one field out of observations.

        Args:
            observation: uint8 array of shape (..., F).
            name: The field's name.

        Returns:
            uint8 view of shape (..., *field.shape).

        Raises:
            KeyError: there is no such field.
        """
        field = self._fields[list(self.slices).index(name)] if name in self.slices else None
        if field is None:
            raise KeyError(f"no field {name!r}; there are {', '.join(self.slices)}")
        return observation[..., self.slices[name]].reshape((*observation.shape[:-1], *field.shape))

    def fill(self, observation: Observation, values: Mapping[str, NDArray[Any]]) -> None:
        """Write observations, every byte of them, from the values of the fields.

        Args:
            observation: uint8 array of shape (B, F), written.
            values: Name of the field -> numbers of shape (B, *field.shape); names that the layout
                lacks are passed over. Values over the field's highest are clipped to it.
        """
        games, start = len(observation), 0
        for name, size, high in self._plan:
            value = values[name].reshape(games, size)
            if value.dtype != np.bool_ and (high < 127 or value.dtype != np.int8):
                value = np.minimum(value, high)
            observation[:, start : start + size] = value
            start += size

    def describe(self, observation: Observation) -> str:
        """Print one observation field by field.

        Args:
            observation: uint8 array of shape (F,).

        Returns:
            A line a field: name, values, meaning. Of an array the values that are not zero are
            told, each with the places at which it stands, by their names where they have some.

        Raises:
            InvalidArgument: not an observation of this layout.
        """
        if not isinstance(observation, np.ndarray) or observation.shape != (self.size,):
            raise InvalidArgument(f"one observation needed, an array of {self.size} values")
        width = max(len(field.name) for field in self._fields)
        lines = []
        for field in self._fields:
            values = _shown(field, self.get(observation, field.name))
            lines.append(f"{field.name:{width}}  {values}  {field.meaning}")
        return "\n".join(lines)

    def table(self) -> str:
        """Return the fields as a Markdown table, for a game's README."""
        rows = [
            "| field | shape | entries | highest | view | meaning |",
            "|---|---|---|---|---|---|",
        ]
        for field in self._fields:
            where = self.slices[field.name]
            shape = " × ".join(map(str, field.shape)) or "1"
            rows.append(
                f"| `{field.name}` | {shape} | {where.start}–{where.stop - 1} | {field.high} "
                f"| {field.view} | {field.meaning} |"
            )
        return "\n".join(rows)


def _shown(field: Field, values: Observation) -> str:
    """Write the values of a field: a number as it is, an array without its zeros."""
    if values.ndim == 0:
        return str(values)
    told = []
    for value in np.unique(values[values > 0]).tolist():
        places = " ".join(_place(field, index) for index in np.argwhere(values == value).tolist())
        told.append(f"{field.values[value - 1] if field.values else value} at {places}")
    return "; ".join(told) or "all 0"


def _place(field: Field, index: Sequence[int]) -> str:
    """Write where an entry stands, by names where there are some."""
    names = (*field.entries, *[()] * len(index))
    pairs = zip(index, names, strict=False)
    return ",".join(known[number] if known else str(number) for number, known in pairs)


@dataclass(frozen=True)
class Block:
    """One named part of a game's action space.

    Attributes:
        name: Its name, unique in the game.
        shape: Its shape; the actions of the block count through it in C order.
        meaning: What its axes stand for, in one phrase.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """Number of actions."""
        return prod(self.shape)


def block_slices(blocks: Sequence[Block]) -> dict[str, slice]:
    """Lay blocks of actions out one after the other.

    Args:
        blocks: The blocks, in order.

    Returns:
        Name of the block -> its slice of the action indices.

    >>> block_slices([Block("play", (2, 3), "card, place"), Block("pass", (1,), "")])
    {'play': slice(0, 6, None), 'pass': slice(6, 7, None)}
    """
    slices, start = {}, 0
    for block in blocks:
        slices[block.name] = slice(start, start + block.size)
        start += block.size
    return slices


def block_table(blocks: Sequence[Block]) -> str:
    """Return blocks of actions as a Markdown table, for a game's README."""
    rows = ["| block | shape | actions | meaning |", "|---|---|---|---|"]
    for (name, where), block in zip(block_slices(blocks).items(), blocks, strict=True):
        shape = " × ".join(map(str, block.shape))
        rows.append(f"| `{name}` | {shape} | {where.start}–{where.stop - 1} | {block.meaning} |")
    return "\n".join(rows)
