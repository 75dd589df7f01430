"""Where pieces may move: the reaches that colours have, and the sets of moves, batched.

All arrays have the games last. Sets of moves are 24 words a game: bit s of word r says that the
piece on square s may move by reach r (`board.REACHES`), in the view of the seat that moves.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.kroma.board import REACHES, Board
from chromazoo.envs.kroma.config import Influence
from chromazoo.envs.masks import Words

STRAIGHT = (2, 3)  # blue and orange: the reaches with a square between (K1)


class MoveGenerator:
    """Generates moves on one board with one kind of influence.

    Attributes:
        board: The board.
    """

    def __init__(self, board: Board, influence: Influence, leap: bool) -> None:
        """Tabulate the board.

        Args:
            board: The board.
            influence: Whose pieces give reach.
            leap: Whether blue and orange moves jump (K1).
        """
        self.board = board
        self._own = influence != "reversed"
        self._enemy = influence != "friendly"
        self._leap = leap
        width = board.width
        self._columns = {
            right: board.columns(max(0, right), width - 1 + min(0, right))
            for right in range(1 - width, width)
            if abs(right) <= 2
        }
        # Reaches whose colour the board has, and that fit its width.
        reaches = [
            (number, up, right)
            for number, (up, right) in enumerate(REACHES[: 4 * width])
            if right in self._columns
        ]
        self._shifts = [
            (number, right, *_back(up * width + right)) for number, up, right in reaches
        ]
        self._half_shifts = [
            (number, right // 2, *_back((up // 2) * width + right // 2))
            for number, up, right in reaches
            if number // 4 in STRAIGHT and not leap
        ]

    @property
    def needs_enemy(self) -> bool:
        """Whether moves depend on where enemy pieces stand beyond what is captured."""
        return not self._leap

    def reaching(self, own: Words, enemy: Words, squares: Words, enemy_squares: Words) -> Words:
        """Find which pieces have each reach.

        Args:
            own: uint64 (C, B), the mover's pieces by colour, in the mover's view.
            enemy: uint64 (C, B), the enemy's pieces by colour, in the enemy's view.
            squares: uint64 (C, B), the board's squares by colour, in the mover's view.
            enemy_squares: uint64 (C, B), the same in the enemy's view.

        Returns:
            uint64 (C, B): entry k holds the mover's pieces that reach as colour k does.
        """
        movers = np.empty_like(own)
        standing = np.empty_like(squares)  # (square colours, games)
        for colour in range(len(own)):
            self._standing(colour, own, enemy, squares, enemy_squares, standing)
            np.minimum(standing, np.uint64(1), out=standing)
            np.multiply(standing, own, out=standing)
            np.bitwise_or.reduce(standing, axis=0, out=movers[colour])
        return movers

    def reach_flags(self, own: Words, enemy: Words, squares: Words, enemy_squares: Words) -> Words:
        """Tell which colours have which reach; arguments as for `reaching`.

        Returns:
            uint64 (B,): bit k * C + c says that the mover's pieces of colour c reach as colour k.
        """
        flags = np.zeros(own.shape[1], np.uint64)
        standing = np.empty_like(squares)
        for colour in range(len(own)):
            self._standing(colour, own, enemy, squares, enemy_squares, standing)
            np.minimum(standing, np.uint64(1), out=standing)
            places = colour * len(own) + np.arange(len(own), dtype=np.uint64)
            np.left_shift(standing, places[:, None], out=standing)
            flags |= union(standing)
        return flags

    def _standing(
        self,
        colour: int,
        own: Words,
        enemy: Words,
        squares: Words,
        enemy_squares: Words,
        out: Words,
    ) -> None:
        """Fill `out` (C, B): not 0 where a piece of the colour that counts stands on colour c."""
        if self._own:
            np.bitwise_and(own[colour], squares, out=out)
            if self._enemy:
                out |= enemy[colour] & enemy_squares
        else:
            np.bitwise_and(enemy[colour], enemy_squares, out=out)

    def moves(
        self, movers: Words, targets: Words, empty: Words | None = None, out: Words | None = None
    ) -> Words:
        """Generate moves.

        Args:
            movers: uint64 (C, B), what `reaching` returned.
            targets: uint64 (B,), the squares that may be moved to.
            empty: uint64 (B,), the squares without pieces; needed where moves do not jump.
            out: uint64 (24, B) to fill; entries of reaches that the board lacks are left alone.

        Returns:
            uint64 (24, B).
        """
        if out is None:
            out = np.zeros((len(REACHES), len(targets)), np.uint64)
        open_targets = {right: targets & columns for right, columns in self._columns.items()}
        for number, right, shift, by in self._shifts:
            shift(open_targets[right], by, out=out[number])
        for colour, able in enumerate(movers):
            reaching = out[4 * colour : 4 * colour + 4]
            reaching &= able
        for number, right, shift, by in self._half_shifts:
            assert empty is not None
            out[number] &= shift(empty & self._columns[right], by)
        return out


def _back(ahead: int) -> tuple[np.ufunc, NDArray[np.uint64]]:
    """Return the shift that leads from targets to the squares that lie `ahead` before them."""
    operation = np.right_shift if ahead >= 0 else np.left_shift
    return operation, np.array(abs(ahead), np.uint64)


def union(words: Words | Sequence[Words]) -> Words:
    """Unite sets along the first axis."""
    whole: Words = np.bitwise_or.reduce(words, axis=0)
    return whole
