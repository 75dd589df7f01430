"""Boards of Kroma and their geometry as bit sets.

A set of squares is a `uint64`: bit `row * width + column`, rows counted from the seat's own side
(row 0 nearest) and columns from its left. Every seat has a view of its own, in which it plays
upward; `turn` leads from one view to the other and back.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.kroma.config import Config, Size
from chromazoo.envs.masks import Words

COLOURS = ("purple", "yellow", "blue", "orange", "red", "green")
LETTERS = "pyborg"
DIMENSIONS: dict[Size, tuple[int, int]] = {"standard": (6, 8), "basic": (4, 6), "baby": (2, 4)}
ENDS = "LR"

_PATTERNS: tuple[tuple[int, int], ...] = ((1, 0), (1, 1), (2, 0), (2, 2), (2, 1), (1, 2))


def _around(up: int, side: int) -> list[tuple[int, int]]:
    """List the four squares of a pattern as (rows up, columns to the right)."""
    if side == 0:
        return [(up, 0), (0, up), (-up, 0), (0, -up)]
    return [(up, side), (-up, side), (-up, -side), (up, -side)]


REACHES = tuple(reach for pattern in _PATTERNS for reach in _around(*pattern))
"""The 24 reaches as (rows up, columns to the right); reach r belongs to colour r // 4."""


@dataclass(frozen=True)
class Board:
    """The board of a size and a symmetry.

    Attributes:
        size: The size's name.
        flipped: Whether the other seat's view is this one turned by 180° (`flipped`) or reflected
            top to bottom (`mirrored`).
    """

    size: Size
    flipped: bool

    @classmethod
    def of(cls, config: Config) -> "Board":
        """Return the board of a config."""
        return cls(config.size, config.symmetry == "flipped")

    @property
    def width(self) -> int:
        """Number of columns, which is the number of colours too."""
        return DIMENSIONS[self.size][0]

    @property
    def height(self) -> int:
        """Number of rows."""
        return DIMENSIONS[self.size][1]

    @property
    def squares(self) -> int:
        """Number of squares."""
        return self.width * self.height

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours' names, in order of their numbers."""
        return COLOURS[: self.width]

    @cached_property
    def everything(self) -> np.uint64:
        """All squares."""
        return np.uint64((1 << self.squares) - 1)

    @cached_property
    def turned(self) -> NDArray[np.int64]:
        """Square in one view -> the same square in the other: int64 (squares,)."""
        row, column = np.divmod(np.arange(self.squares), self.width)
        if self.flipped:
            column = self.width - 1 - column
        return ((self.height - 1 - row) * self.width + column).astype(np.int64)

    @cached_property
    def target(self) -> NDArray[np.int64]:
        """Target of each move, -1 where it leaves the board: int64 (24, squares)."""
        row, column = np.divmod(np.arange(self.squares), self.width)
        up, right = (np.array(part)[:, None] for part in zip(*REACHES, strict=True))
        to_row, to_column = row + up, column + right  # (reaches, squares)
        inside = (to_row >= 0) & (to_row < self.height)
        inside &= (to_column >= 0) & (to_column < self.width)
        return np.where(inside, to_row * self.width + to_column, -1).astype(np.int64)

    def rows(self, *numbers: int) -> int:
        """Return the set of all squares of some rows (from 0), as an integer."""
        row = (1 << self.width) - 1
        return sum(row << number * self.width for number in set(numbers))

    def columns(self, first: int, last: int) -> np.uint64:
        """Return the set of all squares of columns first ... last (from 0)."""
        row = sum(1 << column for column in range(first, last + 1))
        return np.uint64(sum(row << number * self.width for number in range(self.height)))

    @cached_property
    def _turns(self) -> list[list[tuple[np.uint64, int]]]:
        """The passes of `turn`: in each, sets of squares and how far they move up."""
        width, height = self.width, self.height
        rows = [
            (np.uint64(self.rows(row)), (height - 1 - 2 * row) * width) for row in range(height)
        ]
        columns = [
            (self.columns(column, column), width - 1 - 2 * column) for column in range(width)
        ]
        return [rows, columns] if self.flipped else [rows]

    def turn(self, words: Words) -> Words:
        """Turn sets of squares from one seat's view to the other's.

        Args:
            words: uint64 array of any shape.

        Returns:
            uint64 array of that shape.
        """
        for moves in self._turns:
            turned = np.zeros_like(words)
            for squares, shift in moves:
                turned |= shifted(words & squares, shift)
            words = turned
        return words

    def octets(self, words: Words) -> NDArray[np.uint8]:
        """Write sets of squares as bytes, one bit a square, without gaps.

        Args:
            words: uint64 array of shape (P, B), games last.

        Returns:
            uint8 array of shape (B, P * squares / 8), lowest bits first.
        """
        unit = np.uint16 if self.squares % 16 == 0 else np.uint8
        size = np.dtype(unit).itemsize
        sets, games = words.shape
        per_set = self.squares // (8 * size)
        whole = np.ascontiguousarray(words.T).view(unit).reshape(games, sets, 8 // size)
        used = np.empty((games, sets, per_set), unit)
        for part in range(per_set):  # few and long copies, which numpy is quick at
            used[:, :, part] = whole[:, :, part]
        return used.reshape(games, sets * per_set).view(np.uint8)

    def square_name(self, square: int) -> str:
        """Name a square of White's view, such as `a1`."""
        row, column = divmod(square, self.width)
        return f"{'abcdef'[column]}{row + 1}"

    def square_number(self, name: str) -> int | None:
        """Return the square of White's view that has a name, None if there is none."""
        if len(name) != 2 or name[0] not in "abcdef"[: self.width]:
            return None
        if name[1] not in "12345678"[: self.height]:
            return None
        return (int(name[1]) - 1) * self.width + "abcdef".index(name[0])


def shifted(words: Words, up: int) -> Words:
    """Shift sets towards higher squares, or lower ones where `up` is negative."""
    return words << np.uint64(up) if up >= 0 else words >> np.uint64(-up)
